import { describe, expect, it, vi } from 'vitest';
import type { TrainOptions, Training } from 'posenc/reader';
import { chosenFirst, kAveraged, lately, lossTicks } from '../../web/src/logic/training_facts.ts';
import { TrainingDesk, type Run, type RunSetup } from '../../web/src/training.ts';
import { kRegistry } from './registry.ts';

const setup = (place: number, over: Partial<RunSetup> = {}): RunSetup => {
  const info = kRegistry[place];
  if (info === undefined) throw new Error('no such encoding');
  return { info, params: {}, mask: 'none', seed: 7, steps: 4, ...over };
};
const kAll = kRegistry.map((_, place) => setup(place));

interface Fake {
  readonly options: TrainOptions;
  readonly calls: string[];
  progress(steps: number): void;
  finish(): void;
  fail(error: unknown): void;
}

/** Trainings that do what the test says. */
function fakes(): { made: Fake[]; train: (options: TrainOptions) => Training } {
  const made: Fake[] = [];
  const train = (options: TrainOptions): Training => {
    const calls: string[] = [];
    let settle: { resolve: (file: Uint8Array<ArrayBuffer>) => void; reject: (error: unknown) => void } | null = null;
    const done = new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
      settle = { resolve, reject };
    });
    let step = 0;
    const note = (name: string) => (): void => {
      calls.push(name);
    };
    made.push({
      options,
      calls,
      progress: (steps) => {
        const values = Float32Array.from({ length: steps }, () => ++step);
        const weights = Uint8Array.of(step);
        options.onProgress?.({
          step,
          steps: 4,
          loss: step,
          accuracy: 0.5,
          history: { loss: values, accuracy: values },
          weights,
        });
      },
      finish: () => settle?.resolve(Uint8Array.of(100)),
      fail: (error) => settle?.reject(error),
    });
    const stop = note('stop');
    return {
      done,
      paused: false,
      pause: note('pause'),
      resume: note('resume'),
      step: note('step'),
      stop,
      [Symbol.dispose]: stop,
    };
  };
  return { made, train };
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe('training desk', () => {
  it('trains as many at a time as there is room for, in the order it was told', async () => {
    const { made, train } = fakes();
    const desk = new TrainingDesk(async () => train, 2);
    expect(desk.status).toBe('idle');
    desk.start(kAll);
    await soon();
    expect(made.map(({ options }) => options.encoding.kind)).toEqual(kAll.slice(0, 2).map(({ info }) => info.kind));
    expect(desk.runs.map(({ status }) => status)).toEqual(['training', 'training', 'waiting']);
    made[0]?.finish();
    await soon();
    expect(made).toHaveLength(3);
    made[1]?.finish();
    made[2]?.finish();
    await soon();
    expect(desk.status).toBe('done');
  });

  it('keeps the values of every step, and the newest weights', async () => {
    const { made, train } = fakes();
    const desk = new TrainingDesk(async () => train, 1);
    desk.start([setup(0)]);
    await soon();
    made[0]?.progress(1);
    made[0]?.progress(2);
    expect(desk.runs[0]).toMatchObject({ loss: [1, 2, 3], accuracy: [1, 2, 3], weights: Uint8Array.of(3) });
    made[0]?.finish();
    await soon();
    expect(desk.runs[0]).toMatchObject({ status: 'done', weights: Uint8Array.of(100) });
  });

  it('pauses, steps, goes on', async () => {
    const { made, train } = fakes();
    const desk = new TrainingDesk(async () => train, 1);
    desk.start(kAll);
    await soon();
    desk.pause();
    expect(desk.status).toBe('paused');
    desk.step();
    await soon();
    desk.resume();
    expect(desk.status).toBe('running');
    expect(made[0]?.calls).toEqual(['pause', 'pause', 'step', 'resume']);
    expect(made).toHaveLength(1);
  });

  it('starts nothing new while it is paused or hidden', async () => {
    const { made, train } = fakes();
    const desk = new TrainingDesk(async () => train, 1);
    desk.start(kAll);
    await soon();
    desk.hidden = true;
    made[0]?.finish();
    await soon();
    expect(made).toHaveLength(1);
    expect(desk.status).toBe('running');
    desk.hidden = false;
    await soon();
    expect(made).toHaveLength(2);
    desk.pause();
    desk.hidden = true;
    desk.hidden = false;
    expect(made[1]?.calls.at(-1)).toBe('pause');
  });

  it('takes one step of what was never started', async () => {
    const { made, train } = fakes();
    const desk = new TrainingDesk(async () => train, 2);
    desk.start([setup(0)], { paused: true });
    await soon();
    expect(made).toHaveLength(0);
    desk.step();
    await soon();
    expect(made[0]?.options.paused).toBe(true);
    expect(made[0]?.calls).toEqual(['step']);
  });

  it('stops everything on reset, and hears nothing more', async () => {
    const { made, train } = fakes();
    const desk = new TrainingDesk(async () => train, 2);
    desk.start(kAll);
    await soon();
    desk.reset();
    expect(made.map(({ calls }) => calls.at(-1))).toEqual(['stop', 'stop']);
    expect(desk.runs).toEqual([]);
    made[0]?.fail({ code: 'aborted' });
    made[1]?.progress(1);
    await soon();
    expect(desk.status).toBe('idle');
  });

  it('says what failed, and goes on with the next', async () => {
    const { made, train } = fakes();
    const desk = new TrainingDesk(async () => train, 1);
    desk.start(kAll);
    await soon();
    made[0]?.fail({ code: 'out_of_range', field: 'theta', message: 'no' });
    await soon();
    expect(desk.runs[0]).toMatchObject({ status: 'failed', problem: { code: 'out_of_range', field: 'theta' } });
    expect(desk.runs[1]?.status).toBe('training');
    const broken = new TrainingDesk(() => Promise.reject(new Error('offline')), 1);
    broken.start([setup(0)]);
    await soon();
    expect(broken.runs[0]?.status).toBe('failed');
    expect(broken.status).toBe('done');
  });

  it('finds the run of an encoding with its mask and its parameters only', () => {
    const desk = new TrainingDesk(async () => fakes().train, 1);
    const run = setup(1, { params: { theta: 5 } });
    desk.start([run]);
    expect(desk.find(run.info, 'none', { theta: 5 })).not.toBeNull();
    expect(desk.find(run.info, 'none', {})).toBeNull();
    expect(desk.find(run.info, 'causal', { theta: 5 })).toBeNull();
  });

  it('tells its listeners once for many changes', async () => {
    vi.useFakeTimers();
    try {
      const { made, train } = fakes();
      const desk = new TrainingDesk(async () => train, 1);
      let changes = 0;
      desk.addEventListener('change', () => (changes += 1));
      desk.start([setup(0)]);
      await vi.advanceTimersByTimeAsync(200);
      changes = 0;
      for (let step = 0; step < 50; step += 1) made[0]?.progress(1);
      await vi.advanceTimersByTimeAsync(200);
      expect(changes).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('numbers of a training', () => {
  const run = (loss: readonly number[]): Run => ({
    ...setup(0),
    status: 'training',
    loss,
    accuracy: [],
    weights: null,
    problem: null,
  });

  it('means of the last steps', () => {
    expect(lately([])).toBeNaN();
    expect(lately([1, 0])).toBe(0.5);
    expect(lately([...Array<number>(100).fill(1), ...Array<number>(kAveraged).fill(0.25)])).toBe(0.25);
  });

  it('ticks that no loss passes', () => {
    expect(lossTicks([run([1.6, 0.2])])).toEqual([0, 0.5, 1, 1.5, 2]);
    expect(lossTicks([run([])])).toEqual([0, 0.5]);
  });

  it('begin with the chosen encoding', () => {
    const kinds = chosenFirst([{ kind: 'x' }, { kind: 'y' }, { kind: 'z' }], 'y').map(({ kind }) => kind);
    expect(kinds).toEqual(['y', 'x', 'z']);
  });
});
