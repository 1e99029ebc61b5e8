import { brokenRule, PosencError } from '../errors.ts';
import { unwrap } from '../outcome.ts';
import { requireObject } from '../raw.ts';
import { createHeld } from './held.ts';
import type { HeldReader, Memory } from './held.ts';
import { History } from './history.ts';
import { createTurns } from './turns.ts';
import type { Training, TrainOptions, TrainProgress } from './types.ts';

const DEFAULT_STEPS = 500;

type Weights = Uint8Array<ArrayBuffer>;

/** A promise from outside; one that is rejected on purpose need not be looked at. */
export interface Outcome {
  readonly promise: Promise<Weights>;
  readonly resolve: (weights: Weights) => void;
  readonly reject: (error: unknown) => void;
}

export function createOutcome(): Outcome {
  let resolve: Outcome['resolve'] = () => undefined;
  let reject: Outcome['reject'] = () => undefined;
  const promise = new Promise<Weights>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

export function stopped(): PosencError {
  return new PosencError({ code: 'aborted', message: 'The training was stopped.' });
}

/** Reader, steps done and to do: one training from its first step to its last. */
class Run {
  readonly #held: HeldReader;
  readonly #steps: number;
  readonly #options: TrainOptions;
  readonly #weightsEvery: number;
  readonly #history = new History();
  #step = 0;

  constructor(memory: Memory, options: TrainOptions) {
    this.#options = options;
    this.#weightsEvery = checkedInterval(options.weightsEvery ?? 0);
    this.#held = createHeld(memory, options);
    try {
      this.#steps = unwrap(() => this.#held.raw.begin(this.#held.handle, options.steps ?? DEFAULT_STEPS));
    } catch (error) {
      this.#held.dispose();
      throw error;
    }
  }

  /** One step; true after the last one. `show`: with its progress, whether one is due or not. */
  step(show: boolean): boolean {
    const { loss, accuracy, done } = unwrap(() => this.#held.raw.step(this.#held.handle));
    this.#step += 1;
    this.#history.add(loss, accuracy);
    const isTurn = this.#weightsEvery > 0 && this.#step % this.#weightsEvery === 0;
    if (show || done || isTurn) this.report();
    else if (this.#history.isDue()) this.#options.onProgress?.(this.#progress(false));
    return done;
  }

  /** Progress with the weights, if weights are wanted at all and there is something to report. */
  report(): void {
    if (!this.#history.isEmpty) this.#options.onProgress?.(this.#progress(this.#weightsEvery > 0));
  }

  weights(): Weights {
    return unwrap(() => this.#held.raw.save(this.#held.handle, 'single'));
  }

  dispose(): void {
    this.#held.dispose();
  }

  #progress(withWeights: boolean): TrainProgress {
    const weights = withWeights ? this.weights() : null;
    return { step: this.#step, steps: this.#steps, ...this.#history.take(), weights };
  }
}

function checkedInterval(weightsEvery: unknown): number {
  if (typeof weightsEvery === 'number' && Number.isInteger(weightsEvery) && weightsEvery >= 0) return weightsEvery;
  throw brokenRule('out_of_range', 'weights_every', 'be a whole number from 0 on', String(weightsEvery));
}

/** Trains in this thread. */
export function createTraining(memory: Memory, options: TrainOptions): Training {
  requireObject('options', options);
  const outcome = createOutcome();
  const turns = createTurns(() => act(false));
  let run: Run | undefined;
  let paused = false;

  /** Ends the run, if it has not ended; `settle` says how. */
  function end(settle: (ended: Run) => void): void {
    if (run === undefined) return;
    const ended = run;
    run = undefined;
    turns.stop();
    options.signal?.removeEventListener('abort', stop);
    try {
      settle(ended);
    } catch (error) {
      outcome.reject(error);
    }
    ended.dispose();
  }

  function act(show: boolean): void {
    try {
      if (run?.step(show) === true) end((ended) => outcome.resolve(ended.weights()));
    } catch (error) {
      end(() => outcome.reject(error));
    }
  }

  function stop(): void {
    outcome.promise.catch(() => undefined);
    end(() => outcome.reject(stopped()));
  }

  try {
    run = new Run(memory, options);
    paused = options.paused ?? false;
    options.signal?.addEventListener('abort', stop);
    if (options.signal?.aborted === true) stop();
    else if (!paused) turns.start();
  } catch (error) {
    outcome.reject(error);
  }

  return {
    done: outcome.promise,
    get paused() {
      return paused;
    },
    pause() {
      paused = true;
      turns.stop();
      try {
        run?.report();
      } catch (error) {
        end(() => outcome.reject(error));
      }
    },
    resume() {
      paused = false;
      if (run !== undefined) turns.start();
    },
    step() {
      if (paused) act(true);
    },
    stop,
    [Symbol.dispose]: stop,
  };
}
