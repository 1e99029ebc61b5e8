import { readFile } from 'node:fs/promises';

import { loadReaders, PosencError, trainInWorker } from 'posenc/reader';
import type { Training, TrainOptions, TrainProgress } from 'posenc/reader';
import { shippedWeights } from 'posenc/reader/shipped';
import { describe, expect, it } from 'vitest';

import { createTrainInWorker } from '../../dist/reader/train_in_worker.js';
import type { TrainerPort } from '../../dist/reader/train_in_worker.js';
import { errorOf, projectPath } from './support.ts';

const readers = await loadReaders();

/** Where training takes place. */
const PLACES: readonly (readonly [string, (options: TrainOptions) => Training])[] = [
  ['in this thread', (options) => readers.train(options)],
  ['in a worker', (options) => trainInWorker(options)],
];

const rope: TrainOptions = { encoding: { kind: 'rope' } };

/** Resolves with the first progress that `isIt`. */
function heard(isIt: (progress: TrainProgress) => boolean) {
  let resolve: (progress: TrainProgress) => void = () => undefined;
  const promise = new Promise<TrainProgress>((yes) => (resolve = yes));
  return { promise, onProgress: (progress: TrainProgress) => void (isIt(progress) && resolve(progress)) };
}

/** Several turns of everything that waits. */
async function aWhile(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe('the bytes of a training', () => {
  it('of 500 steps are those of the shipped file, in a worker and here', async () => {
    const files = await Promise.all(PLACES.map(([, train]) => train(rope).done));
    expect(files[0]).toEqual(files[1]);
    using reader = readers.loadWeights(files[0] ?? new Uint8Array());
    expect(reader.steps).toBe(500);
    expect(reader.saveWeights({ width: 'half' })).toEqual(await shippedWeights('rope', 'none'));
  });

  it('do not depend on pauses', async () => {
    const options: TrainOptions = { encoding: { kind: 'fire' }, mask: { kind: 'causal' }, seed: 3, steps: 12 };
    const straight = await readers.train(options).done;
    for (const [, train] of PLACES) {
      const training = train({ ...options, paused: true });
      for (let i = 0; i < 5; i++) training.step();
      training.resume();
      training.pause();
      training.resume();
      expect(await training.done).toEqual(straight);
    }
  });
});

describe.each(PLACES)('training %s', (_, train) => {
  it('tells loss and accuracy of every step', async () => {
    const progresses: TrainProgress[] = [];
    await train({ ...rope, steps: 60, onProgress: (progress) => progresses.push(progress) }).done;
    let step = 0;
    for (const progress of progresses) {
      step += progress.history.loss.length;
      expect(progress.step).toBe(step);
      expect(progress.steps).toBe(60);
      expect(progress.history.accuracy.length).toBe(progress.history.loss.length);
      expect(progress.history.loss.at(-1)).toBe(Math.fround(progress.loss));
      expect(progress.history.accuracy.at(-1)).toBe(Math.fround(progress.accuracy));
      expect(progress.weights).toBeNull();
    }
    expect(step).toBe(60);
    expect(progresses.length).toBeLessThan(60);
    const losses = progresses.flatMap(({ history }) => [...history.loss]);
    expect(losses[0]).toBeGreaterThan(1);
    expect(Math.min(...losses)).toBeLessThan(0.9 * (losses[0] ?? 0));
  });

  it('hands over weights on the way', async () => {
    const steps: number[] = [];
    let last: Uint8Array | null = null;
    const onProgress = ({ step, weights }: TrainProgress) => {
      if (weights === null) return;
      last = weights;
      steps.push(step);
      using reader = readers.loadWeights(weights);
      expect(reader.steps).toBe(step);
    };
    const file = await train({ ...rope, steps: 10, weightsEvery: 4, onProgress }).done;
    expect(steps).toEqual([4, 8, 10]);
    expect(last).toEqual(file);
  });

  it('pauses, steps and goes on', async () => {
    const steps: number[] = [];
    const first = heard(() => true);
    const training = train({
      ...rope,
      steps: 400,
      onProgress(progress) {
        steps.push(progress.step);
        if (!training.paused) training.pause();
        first.onProgress(progress);
      },
    });
    await first.promise;
    await aWhile();
    const before = steps.length;
    await aWhile();
    expect(steps.length).toBe(before);
    expect(training.paused).toBe(true);
    training.step();
    training.step();
    while (steps.length < before + 2) await aWhile();
    const [one = 0, two = 0] = steps.slice(-2);
    expect(two).toBe(one + 1);
    training.stop();
    expect((await errorOf(() => training.done)).code).toBe('aborted');
  });

  it('tells at a pause what was done until then, and after one step, with the weights', async () => {
    const first = heard(() => true);
    const seen: TrainProgress[] = [];
    const training = train({
      ...rope,
      steps: 400,
      weightsEvery: 400,
      onProgress(progress) {
        first.onProgress(progress);
        if (progress.weights !== null) seen.push(progress);
      },
    });
    await first.promise;
    // Steps that no progress has told of yet.
    while (seen.length === 0) {
      await aWhile();
      training.pause();
      await aWhile();
      if (seen.length === 0) training.resume();
    }
    training.step();
    while (seen.length < 2) await aWhile();
    expect(seen[1]?.step).toBe((seen[0]?.step ?? 0) + 1);
    training.stop();
    expect((await errorOf(() => training.done)).code).toBe('aborted');
  });

  it('does nothing for step() while it runs, nor for anything after its end', async () => {
    const training = train({ ...rope, steps: 3 });
    training.step();
    const file = await training.done;
    training.step();
    training.pause();
    training.step();
    training.resume();
    training.stop();
    await aWhile();
    expect(await training.done).toBe(file);
  });

  it('stops, by itself or by a signal, before and after it has begun', async () => {
    const early = train(rope);
    early.stop();
    expect((await errorOf(() => early.done)).code).toBe('aborted');

    const begun = heard(() => true);
    const controller = new AbortController();
    const late = train({ ...rope, signal: controller.signal, onProgress: begun.onProgress });
    await begun.promise;
    controller.abort();
    expect((await errorOf(() => late.done)).code).toBe('aborted');

    const never = train({ ...rope, signal: AbortSignal.abort() });
    expect((await errorOf(() => never.done)).code).toBe('aborted');
  });

  it('that was stopped need not be waited for', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    {
      using training = train(rope);
      expect(training.paused).toBe(false);
    }
    await aWhile();
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });

  it('rejects with what is wrong with the options', async () => {
    const wrong: readonly (readonly [Partial<TrainOptions>, string, string])[] = [
      [{ encoding: { kind: 'ropee' } as never }, 'unknown_encoding', 'encoding'],
      [{ steps: 0 }, 'out_of_range', 'steps'],
      [{ steps: 1.5 }, 'out_of_range', 'steps'],
      [{ steps: '3' as never }, 'wrong_type', 'steps'],
      [{ weightsEvery: -1 }, 'out_of_range', 'weights_every'],
      [{ mask: { kind: 'window', size: 0 } }, 'out_of_range', 'mask.size'],
      [{ encoding: { kind: 'learned', maxPosition: 2 } }, 'position_out_of_range', 'positions'],
    ];
    for (const [options, code, field] of wrong) {
      const error = await errorOf(() => train({ ...rope, ...options }).done);
      expect({ code: error.code, field: error.field }).toEqual({ code, field });
    }
  });

  it('ends with what a listener throws', async () => {
    const training = train({
      ...rope,
      onProgress() {
        throw new RangeError('enough');
      },
    });
    await expect(training.done).rejects.toThrow(RangeError);
  });

  it('can be stopped by its listener', async () => {
    const training = train({ ...rope, onProgress: () => training.stop() });
    expect((await errorOf(() => training.done)).code).toBe('aborted');
  });
});

describe('training in this thread', () => {
  it('gives way to events between steps', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await readers.train({ ...rope, steps: 40 }).done;
    clearInterval(timer);
    expect(turns).toBeGreaterThan(20);
  });

  it('leaves other readers and trainings alone', async () => {
    const options: TrainOptions = { ...rope, steps: 6 };
    const [a, b] = await Promise.all([readers.train(options).done, readers.train({ ...options, seed: 8 }).done]);
    expect(a).toEqual(await readers.train(options).done);
    expect(a).not.toEqual(b);
  });
});

describe('training in a worker', () => {
  it('leaves this thread free', async () => {
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    await trainInWorker({ ...rope, steps: 100 }).done;
    clearInterval(timer);
    // All steps together take about 500 ms; on a busy machine a turn can be late.
    expect(longest).toBeLessThan(250);
  });

  it('says where the module was looked for', async () => {
    const error = await errorOf(() => trainInWorker({ ...rope, wasm: new Uint8Array([1, 2, 3]) }).done);
    expect(error.code).toBe('wasm_not_wasm');
    expect(error.hint).toContain('posenc_models.wasm');
    expect(error).toBeInstanceOf(PosencError);
  });

  it('refuses what cannot be sent', async () => {
    const encoding = { kind: 'rope', theta: () => 1 } as never;
    expect((await errorOf(() => trainInWorker({ encoding }).done)).code).toBe('wrong_type');
  });
});

describe('where no worker comes up', () => {
  const compile = async () =>
    WebAssembly.compile(new Uint8Array(await readFile(projectPath('dist/posenc_models.wasm'))));
  const options: TrainOptions = { ...rope, steps: 4, paused: true };

  /** A worker of which only one thing is heard. */
  const broken = (hear: Partial<TrainerPort>): TrainerPort => ({
    post: () => undefined,
    onMessage: () => undefined,
    onError: () => undefined,
    setBusy: () => undefined,
    terminate: () => undefined,
    ...hear,
  });

  const starts: readonly (readonly [string, () => TrainerPort | null])[] = [
    ['it is refused', () => null],
    ['it fails to load', () => broken({ onError: (listener) => setTimeout(() => listener('no file'), 1) })],
    [
      'it cannot start the module',
      () => {
        const error = new PosencError({ code: 'internal', message: 'no memory' }).toData();
        return broken({ onMessage: (listener) => setTimeout(() => listener({ type: 'error', error }), 1) });
      },
    ],
  ];

  it.each(starts)('since %s, training takes place in this thread', async (_, start) => {
    const steps: number[] = [];
    const onProgress = ({ step }: TrainProgress) => void steps.push(step);
    const training = createTrainInWorker(compile, start)({ ...options, onProgress });
    training.step();
    training.resume();
    expect(await training.done).toEqual(await readers.train({ ...options, paused: false }).done);
    expect([steps[0], steps.at(-1)]).toEqual([1, 4]);
  });

  it('or dies on the way, the training says so', async () => {
    let terminated = 0;
    const port = () =>
      broken({
        onMessage: (listener) => setTimeout(() => listener({ type: 'ready' }), 1),
        onError: (listener) => setTimeout(() => listener('out of memory'), 20),
        terminate: () => terminated++,
      });
    const error = await errorOf(() => createTrainInWorker(compile, port)(options).done);
    expect([error.code, error.message]).toEqual(['aborted', 'The worker ended: out of memory']);
    expect(terminated).toBeGreaterThan(0);
  });
});
