// Runs all tests, step after step, and ends with one line: `N passed, N failed`. A failing step does not stop the
// others. `npm test -- --only native --only ts` runs some of the steps. Run scripts/setup first (`npm test` does).
//
// Imports only what comes with Node, so that a broken node_modules shows up as a failed test.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { countJunit, countLine, countVitest, isCountLine, settle, sum } from './counts.mjs';

const root = path.dirname(import.meta.dirname);
process.chdir(root);

const MINUTE = 60_000;
const TIMEOUT = 30 * MINUTE; // a command that hangs must not hang the whole run

const environment = {
  CMAKE_BUILD_PARALLEL_LEVEL: String(availableParallelism()),
  // By default the undefined behaviour sanitizer reports and carries on, and the program ends with success.
  UBSAN_OPTIONS: 'halt_on_error=1:print_stacktrace=1',
  ...process.env,
};

/** Steps in order; each returns {passed, failed}. */
const STEPS = new Map([
  // First, since the checks below look at generated types and at the built package.
  ['build', { title: 'the npm package and the page build, within their budgets', run: checkBuild }],
  ['style', { title: 'format, lint, types', run: checkStyle }],
  ['scripts', { title: 'tests of the scripts', run: testScripts }],
  ['native', { title: 'C++ tests', run: () => testCpp('native') }],
  ['native-scalar', { title: 'C++ tests without SIMD', run: () => testCpp('native-scalar') }],
  ['native-asan', { title: 'C++ tests with sanitizers', run: () => testCpp('native-asan') }],
  ['wasm', { title: 'C++ tests in WebAssembly', run: () => testCpp('wasm') }],
  ['ts', { title: 'tests of the npm package', run: () => testVitest('ts') }],
  ['bench', { title: 'no kernel is lost', run: () => check('node', ['tests/bench/run.mjs', '--check']) }],
  ['web', { title: 'tests of the page in a browser', run: () => testVitest('web') }],
  ['consumer', { title: 'other projects use the library and the package', run: testConsumer }],
]);

let group; // process group of the running command

/** Runs a command with the tools of build/env.sh; resolves to its exit status and, if asked to keep it, its output. */
function run(command, args = [], { keepOutput = false } = {}) {
  console.log(`$ ${[command, ...args].join(' ')}`);
  return new Promise((resolve) => {
    const child = spawn('bash', ['-c', '. build/env.sh && exec "$@"', 'bash', command, ...args], {
      env: environment,
      stdio: ['ignore', keepOutput ? 'pipe' : 'inherit', 'inherit'],
      detached: true, // a group of its own: what the command leaves behind can be ended with it
    });
    group = child.pid;
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => (output += text));
    const timer = setTimeout(() => {
      console.log(`${command} still runs after ${TIMEOUT / MINUTE} minutes: ended.`);
      endGroup();
    }, TIMEOUT);
    const finish = (exitCode) => {
      clearTimeout(timer);
      endGroup();
      resolve({ exitCode, output });
    };
    child.on('error', (error) => {
      console.log(error.message);
      finish(1);
    });
    child.on('exit', (_, signal) => {
      if (signal) console.log(`${command} was ended by ${signal}`);
      endGroup(); // else a process left behind would keep the output open, and 'close' would not come
    });
    child.on('close', (code) => finish(code ?? 1));
  });
}

function endGroup() {
  if (group === undefined) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // nothing is left of it
  }
  group = undefined;
}

/** One command that is one test. */
async function check(command, args) {
  const { exitCode } = await run(command, args);
  return { passed: exitCode === 0 ? 1 : 0, failed: exitCode === 0 ? 0 : 1 };
}

async function checkBuild() {
  return sum([await check('scripts/build'), await check('node', ['scripts/size.mjs'])]);
}

async function checkStyle() {
  return sum([
    await check('scripts/format', ['--check', 'cpp']),
    await check('scripts/format', ['--check', 'rest']),
    await check('eslint', ['.']),
    await check('tsc', ['--noEmit']),
  ]);
}

/** Runs a test program that writes a report, and counts what the report says. */
async function testWithReport(report, count, command, args) {
  // An old report must not speak for a program that died.
  rmSync(report, { force: true });
  mkdirSync(path.dirname(report), { recursive: true });
  const { exitCode } = await run(command, args);
  let counts;
  try {
    counts = count(readFileSync(report, 'utf8'));
  } catch (error) {
    console.log(`No usable report: ${error.message}`);
  }
  return settle(counts, exitCode);
}

async function testCpp(preset) {
  const steps = [
    ['scripts/configure', [preset]],
    ['cmake', ['--build', '--preset', preset]],
  ];
  for (const [command, args] of steps) {
    const { exitCode } = await run(command, args);
    if (exitCode !== 0) return { passed: 0, failed: 1 };
  }
  const report = `build/${preset}/junit.xml`;
  const program = `build/${preset}/tests/cpp/posenc_tests`;
  const reporters = ['--reporter', 'console', '--reporter', `junit::out=${report}`];
  return preset === 'wasm'
    ? testWithReport(report, countJunit, 'node', [`${program}.cjs`, ...reporters])
    : testWithReport(report, countJunit, program, reporters);
}

function testScripts() {
  const report = 'build/scripts-junit.xml';
  const reporters = ['spec', 'stdout', 'junit', report];
  const options = reporters.map((value, i) => `--test-reporter${i % 2 === 0 ? '' : '-destination'}=${value}`);
  const files = readdirSync('scripts/tests').map((name) => `scripts/tests/${name}`);
  return testWithReport(report, countJunit, 'node', ['--test', ...options, ...files]);
}

function testVitest(project) {
  const report = `build/vitest-${project}.json`;
  const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return testWithReport(report, countVitest, 'vitest', ['run', '--project', project, ...options]);
}

async function testConsumer() {
  const { exitCode, output } = await run('bash', ['tests/consumer/run.sh'], { keepOutput: true });
  const lines = output.trimEnd().split('\n');
  console.log(lines.filter((line) => !isCountLine(line)).join('\n'));
  return settle(countLine(output), exitCode);
}

async function main() {
  const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
  const names = values.only ?? [...STEPS.keys()];
  const unknown = names.filter((name) => !STEPS.has(name));
  if (unknown.length > 0) throw new Error(`no step ${unknown.join(', ')}; there are: ${[...STEPS.keys()].join(', ')}`);
  if (!existsSync('build/env.sh')) throw new Error('build/env.sh is missing: run scripts/setup first');

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      endGroup();
      process.exit(1);
    });
  }

  const summary = [];
  const results = [];
  for (const name of names) {
    const { title, run: runStep } = STEPS.get(name);
    console.log(`\n=== ${name}: ${title}`);
    const start = performance.now();
    let result;
    try {
      result = settle(await runStep(), 0);
    } catch (error) {
      console.log(error);
      result = { passed: 0, failed: 1 };
    }
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    summary.push(`${name.padEnd(14)} ${result.passed} passed, ${result.failed} failed, ${seconds} s`);
    console.log(`--- ${summary.at(-1)}`);
    results.push(result);
  }

  const total = sum(results);
  console.log(`\n${summary.join('\n')}\n`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  if (total.failed > 0) process.exitCode = 1;
}

main().catch((error) => {
  console.error(`test: ${error.message}`);
  process.exitCode = 2;
});
