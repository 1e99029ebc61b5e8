/** posenc's C++ API beside plain loops in C++, numpy and torch. Each is a process of its own. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import { project } from '../paths.mjs';

const PROGRAM = 'build/native-bench/tests/bench/native/posenc_bench';
const LARGE = /131072|4096 x 128|8 x 4096/;

const run = (command, args) =>
  execFileSync(command, args, {
    cwd: project('.'),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 26,
  });

/** The line of a failed command that says why. */
function reasonOf(error) {
  const lines = [error.stderr, error.stdout, error.message]
    .join('\n')
    .split('\n')
    .map((line) => line.trim());
  return lines.find((line) => /error|not find/i.test(line)) ?? lines.find((line) => line !== '');
}

/** Null where neither program can run. */
export function measureNatively({ only, quick }) {
  const bench = attempt('posenc_bench', () => runGoogleBenchmark({ only, quick }));
  const python = attempt('numpy and torch', () => runPython({ only, quick }));
  if (python !== null && !python.versions.includes('torch')) console.log('torch: not installed, left out.');
  const results = [...(bench ?? []), ...(python?.results ?? [])];
  if (results.length === 0) return null;
  return { name: ['Natively', ...(python === null ? [] : [python.versions])].join(', '), groups: groupsOf(results) };
}

function attempt(what, measure) {
  try {
    return measure();
  } catch (error) {
    console.log(`${what}: not measured: ${reasonOf(error)}`);
    return null;
  }
}

function runGoogleBenchmark({ only, quick }) {
  if (!existsSync(project('build/env.sh'))) throw new Error('run scripts/setup first');
  run('bash', ['-c', '. build/env.sh && scripts/configure native-bench && cmake --build --preset native-bench']);
  const output = run(project(PROGRAM), [
    `--benchmark_filter=^(${only.join('|')})/`,
    '--benchmark_enable_random_interleaving=true',
    `--benchmark_repetitions=${quick ? 3 : 9}`,
    '--benchmark_min_time=0.05',
    '--benchmark_report_aggregates_only=true',
    '--benchmark_format=json',
  ]);
  return resultsOfGoogleBenchmark(JSON.parse(output)).filter(({ label }) => !quick || !LARGE.test(label));
}

/** Medians of a report, of CPU time: one thread needs no more. Names are id/title/label/role/name. */
export function resultsOfGoogleBenchmark({ benchmarks }) {
  return benchmarks
    .filter((entry) => entry.aggregate_name === 'median')
    .map((entry) => {
      const [id, title, label, role, name] = entry.run_name.split('/');
      return { id, title, label, role, name, ms: entry.cpu_time };
    });
}

function runPython({ only, quick }) {
  try {
    run('python3', ['-c', 'import numpy']);
  } catch {
    throw new Error('python3 has no numpy');
  }
  const script = project('tests/bench/native/numpy_torch.py');
  return JSON.parse(run('python3', [script, `--only=${only.join()}`, ...(quick ? ['--quick'] : [])]));
}

/** Results of the same work together; posenc is named in each, so that each has a row. */
export function groupsOf(results) {
  const groups = new Map();
  for (const { id, title, label, ...result } of results) {
    const key = `${id} ${label}`;
    if (!groups.has(key)) groups.set(key, { id, title, label, results: [] });
    groups.get(key).results.push(result);
  }
  for (const { results: list } of groups.values()) {
    if (!list.some(({ role }) => role === 'posenc'))
      list.unshift({ role: 'posenc', name: '', missing: 'posenc_bench does not measure it' });
  }
  return [...groups.values()].sort((a, b) => a.id.localeCompare(b.id));
}
