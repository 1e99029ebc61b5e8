#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

import { fromConfig } from './config/from_config.ts';
import type { Sample } from './config/report.ts';
import { reportOf, sampleOf } from './config/report.ts';
import type { LayerEncoding } from './config/types.ts';
import { PosencError } from './errors.ts';
import { load } from './node.ts';
import type { Posenc } from './types.ts';

const kUsage = `usage: posenc config FILE [--json]   the positional encoding of a Hugging Face config.json; - reads standard input
       posenc --help
       posenc --version`;

/** A mistake in the command line, to be shown with the usage. */
class UsageError extends Error {}

async function readInput(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} could not be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A file may be right and still ask for more than the engine computes: a θ beyond its bounds, for example. */
function sampleOrReason(posenc: Posenc, layer: LayerEncoding): Sample | undefined {
  try {
    return sampleOf(posenc, layer);
  } catch (error) {
    if (!(error instanceof PosencError)) throw error;
    return { label: `nothing: ${error.message}`, values: [] };
  }
}

async function config(file: string, asJson: boolean): Promise<string> {
  const model = fromConfig(await readInput(file));
  const posenc = await load();
  const samples = model.layers.map((layer) => sampleOrReason(posenc, layer));
  if (!asJson) return reportOf(model, samples);
  return JSON.stringify({ ...model, computed: samples.map((sample) => sample ?? null) }, null, 2);
}

function parse(args: readonly string[]) {
  const options = { json: { type: 'boolean' }, help: { type: 'boolean' }, version: { type: 'boolean' } } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function answer(args: readonly string[]): Promise<string> {
  const { values, positionals } = parse(args);
  const [command, file, ...rest] = positionals;
  if (values.help === true) return kUsage;
  if (values.version === true) return (await load()).version;
  if (command === undefined) throw new UsageError('a command is missing');
  if (command !== 'config') throw new UsageError(`unknown command ${command}`);
  if (file === undefined || rest.length > 0) throw new UsageError('config takes one file');
  return config(file, values.json === true);
}

try {
  process.stdout.write(`${await answer(process.argv.slice(2))}\n`);
} catch (error) {
  const usage = error instanceof UsageError ? `\n${kUsage}` : '';
  process.stderr.write(`posenc: ${error instanceof Error ? error.message : String(error)}${usage}\n`);
  process.exitCode = 1;
}
