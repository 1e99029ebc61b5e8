import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { projectPath } from './support.ts';

const CONFIG = {
  model_type: 'llama',
  hidden_size: 32,
  num_attention_heads: 4,
  max_position_embeddings: 2048,
  rope_theta: 10000,
  vocab_size: 7,
};

const file = join(tmpdir(), `posenc-cli-${process.pid}.json`);
writeFileSync(file, JSON.stringify(CONFIG));
afterAll(() => rmSync(file));

function posenc(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [projectPath('dist/cli.js'), ...args], {
    input,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('npx posenc', () => {
  it('is a command of the package', () => {
    const { bin } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as { bin: { posenc: string } };
    expect(bin.posenc).toBe('dist/cli.js');
    expect(readFileSync(projectPath(bin.posenc), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it('config FILE: encoding, sizes, training length, numbers of the engine, notes', () => {
    const { status, stdout, stderr } = posenc(['config', file]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('rope: layout half, theta 10000');
    expect(stdout).toContain('d_model 32, n_heads 4, head_dim 8');
    expect(stdout).toContain('2048 tokens');
    expect(stdout).toMatch(/^ +1 {2}0\.1 {2}0\.01 {2}0\.001$/m);
    expect(stdout).toMatch(/default +head_dim = 8/);
    expect(stdout).toMatch(/ignored +nothing about positions in vocab_size/);
  });

  it('config -: reads standard input', () => {
    const mpt = { model_type: 'mpt', d_model: 32, n_heads: 4 };
    expect(posenc(['config', '-'], JSON.stringify(mpt)).stdout).toMatch(
      /-0\.25 {2}-0\.0625 {2}-0\.015625 {2}-0\.00390625/,
    );
  });

  it('config --json: the result as data', () => {
    const { stdout } = posenc(['config', file, '--json']);
    const result = JSON.parse(stdout) as { encoding: unknown; trainLength: number; computed: { values: number[] }[] };
    expect(result.encoding).toEqual({ kind: 'rope', layout: 'half', theta: 10000 });
    expect(result.trainLength).toBe(2048);
    expect(result.computed[0]?.values[1]).toBeCloseTo(0.1, 6);
  });

  it('config: says so when a file asks for more than the engine computes', () => {
    const { status, stdout } = posenc(['config', '-'], JSON.stringify({ ...CONFIG, rope_theta: 1e300 }));
    expect(status).toBe(0);
    expect(stdout).toContain('computed      nothing: rope: theta must be');
  });

  it('--help and --version', () => {
    expect(posenc(['--help'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('posenc config FILE') as string,
    });
    const { version } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as { version: string };
    expect(posenc(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n` });
  });

  it.each([
    ['a file that is not there', ['config', '/nowhere/config.json'], '', '/nowhere/config.json could not be read'],
    ['text that is not JSON', ['config', '-'], '{', 'config must be JSON'],
    ['a bad value', ['config', '-'], '{"rope_theta":"8"}', 'rope_theta must be at least 1, as a number, got "8"'],
    ['nothing about positions', ['config', '-'], '{}', 'model_type must be one of'],
    ['no command', [], '', 'usage: posenc config FILE'],
    ['an unknown command', ['configure'], '', 'unknown command configure'],
    ['no file', ['config'], '', 'config takes one file'],
    ['two files', ['config', 'a', 'b'], '', 'config takes one file'],
    ['an unknown option', ['config', '-', '--yaml'], '{}', "'--yaml'"],
  ])('ends with 1 and says why: %s', (_name, args, input, message) => {
    const { status, stdout, stderr } = posenc(args, input);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^posenc: /);
    expect(stderr).not.toContain('    at ');
  });
});
