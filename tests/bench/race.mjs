/**
 * Races contenders that do the same work: in each round every one of them runs once, so that they share the machine's
 * mood, and ratios of their medians hold. Runs in Node and in browsers.
 *
 * A contender is { role, name, run, value?, dispose?, of?, amount? } or, where there is nothing to run, { role, name,
 * missing }: the reason. `run` may return a promise; `value` gives the numbers that one run computes. `of` names the
 * contender of posenc that a limit belongs to, if not to all; `amount` is what one run moves or computes.
 */
import { median } from './measure.mjs';

const WARM_UP_MS = 300; // V8 compiles WebAssembly a second time, in the background, once it has run for a while
const SLOW_MS = 2000; // per call: three samples must do
const SLOW_ROUNDS = 3;

const wallClock = () => performance.now();

/** Milliseconds per call. */
async function time(run, calls, now) {
  const start = now();
  for (let i = 0; i < calls; i++) {
    const pending = run();
    if (pending instanceof Promise) await pending;
  }
  return (now() - start) / calls;
}

/** Lets the engine compile and optimise; milliseconds of a call when warm. */
async function warmUp(run, now) {
  let best = await time(run, 1, now);
  let spent = best;
  for (let calls = 1; best < SLOW_MS && (calls === 1 || spent < WARM_UP_MS); calls *= 2) {
    const each = await time(run, calls, now);
    spent += each * calls;
    best = Math.min(best, each);
  }
  return best;
}

/** Calls that one sample needs to be long enough to be timed. */
export const callsPerSample = (ms, sampleMs) => Math.max(1, Math.min(10_000, Math.ceil(sampleMs / ms)));

/** How many rounds fit into the budget, within bounds. */
export function roundsWithin(budgetMs, roundMs, { least = 5, most = 15 } = {}) {
  return Math.max(least, Math.min(most, Math.floor(budgetMs / roundMs)));
}

/** [{ role, name, ms, fastest, rounds }] or, for those that did not run, [{ role, name, missing }]. */
export async function race(contenders, { sampleMs = 8, budgetMs = 6000, least, most, now = wallClock } = {}) {
  const runners = [];
  const results = [];
  for (const contender of contenders) {
    const { role, name, of, amount } = contender;
    const result = { role, name, ...(of === undefined ? {} : { of }), ...(amount === undefined ? {} : { amount }) };
    results.push(result);
    if (contender.missing !== undefined) {
      result.missing = contender.missing;
      continue;
    }
    try {
      const each = await warmUp(contender.run, now);
      runners.push({ contender, result, each, calls: callsPerSample(each, sampleMs), samples: [] });
    } catch (error) {
      result.missing = `fails: ${firstLine(error)}`;
    }
  }
  const roundMs = runners.reduce((sum, { each, calls }) => sum + each * calls, 0);
  const rounds = roundsWithin(budgetMs, roundMs, { least, most });
  for (let round = 0; round < rounds; round++) {
    for (const { contender, each, calls, samples } of runners) {
      if (each > SLOW_MS && round >= SLOW_ROUNDS) continue;
      samples.push(await time(contender.run, calls, now));
    }
  }
  for (const { result, samples } of runners) {
    Object.assign(result, { ms: median(samples), fastest: Math.min(...samples), rounds: samples.length });
  }
  return results;
}

export function firstLine(error) {
  return String(error?.message ?? error)
    .split('\n')[0]
    .slice(0, 160);
}
