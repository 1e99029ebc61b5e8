/** Trains readers in workers, as many at a time as the machine has cores to spare, the rest in a queue. */
import type { EncodingInfo, PosencErrorData } from 'posenc';
import type { TrainOptions, TrainProgress, Training } from 'posenc/reader';
import { problemOf } from './engine/compute.ts';
import { sameParams, type Params } from './logic/fields.ts';
import { toEncoding, type PageMask } from './state/state.ts';

/** What a run trains; runs of one desk differ in their encoding. */
export interface RunSetup {
  readonly info: EncodingInfo;
  readonly params: Params;
  readonly mask: PageMask;
  readonly seed: number;
  readonly steps: number;
}

/** One reader that is trained. */
export interface Run extends RunSetup {
  readonly status: 'waiting' | 'training' | 'done' | 'failed';
  /** Of each step that is done, the first one first: nats for each question, and the share of right answers. */
  readonly loss: readonly number[];
  readonly accuracy: readonly number[];
  /** The reader as it is now, in the format of its files; `null` before the first steps. */
  readonly weights: Uint8Array | null;
  readonly problem: PosencErrorData | null;
}

export type DeskStatus = 'idle' | 'running' | 'paused' | 'done';

export type Train = (options: TrainOptions) => Training;

/** Milliseconds between two looks at what the workers did. */
const kTick = 80;
/** Steps after which a reader in training can be asked. */
const kWeightsEvery = 5;

interface Job {
  run: Run;
  training: Training | null;
}

export class TrainingDesk extends EventTarget {
  readonly #train: () => Promise<Train>;
  readonly #most: number;
  #jobs: Job[] = [];
  #paused = false;
  #hidden = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `train`: gets what starts a training in a worker; `most`: as many at a time. */
  constructor(train: () => Promise<Train>, most = Math.max(1, navigator.hardwareConcurrency - 1)) {
    super();
    this.#train = train;
    this.#most = most;
  }

  get runs(): readonly Run[] {
    return this.#jobs.map(({ run }) => run);
  }

  get status(): DeskStatus {
    if (this.#jobs.length === 0) return 'idle';
    if (this.#jobs.every(({ run }) => run.status === 'done' || run.status === 'failed')) return 'done';
    return this.#paused ? 'paused' : 'running';
  }

  /** The run that trains, or trained, this reader. */
  find(info: EncodingInfo, mask: PageMask, params: Params): Run | null {
    const same = ({ run }: Job): boolean =>
      run.info.kind === info.kind && run.mask === mask && sameParams(run.params, params);
    return this.#jobs.find(same)?.run ?? null;
  }

  /** Trains these readers anew, in this order; `paused`: when they are told to. */
  start(setups: readonly RunSetup[], { paused = false } = {}): void {
    this.#clear();
    this.#paused = paused;
    this.#jobs = setups.map((setup) => ({
      run: { ...setup, status: 'waiting', loss: [], accuracy: [], weights: null, problem: null },
      training: null,
    }));
    this.#pump();
    this.#changed();
  }

  pause(): void {
    this.#paused = true;
    this.#apply();
  }

  resume(): void {
    this.#paused = false;
    this.#apply();
  }

  /** Pauses, and takes one step with every reader whose turn it is. */
  step(): void {
    this.pause();
    void this.#begin().then(() => {
      for (const { training } of this.#jobs) training?.step();
    });
  }

  /** Forgets all runs. */
  reset(): void {
    this.#clear();
    this.#changed();
  }

  /** A page that nobody sees does not train. */
  set hidden(hidden: boolean) {
    this.#hidden = hidden;
    this.#apply();
  }

  get #held(): boolean {
    return this.#paused || this.#hidden;
  }

  #clear(): void {
    for (const { training } of this.#jobs) training?.stop();
    this.#jobs = [];
    this.#paused = false;
  }

  #apply(): void {
    for (const { training } of this.#jobs) {
      if (this.#held) training?.pause();
      else training?.resume();
    }
    this.#pump();
    this.#changed();
  }

  #pump(): void {
    if (!this.#held) void this.#begin();
  }

  /** Starts what has room, in the order of the queue. */
  async #begin(): Promise<void> {
    const training = this.#jobs.filter(({ run }) => run.status === 'training').length;
    const next = this.#jobs.filter(({ run }) => run.status === 'waiting').slice(0, Math.max(0, this.#most - training));
    for (const job of next) job.run = { ...job.run, status: 'training' };
    await Promise.all(next.map((job) => this.#run(job)));
  }

  async #run(job: Job): Promise<void> {
    try {
      const train = await this.#train();
      if (!this.#jobs.includes(job)) return;
      const { info, params, mask, seed, steps } = job.run;
      const training = train({
        encoding: toEncoding(info, params),
        mask: { kind: mask },
        seed,
        steps,
        weightsEvery: kWeightsEvery,
        paused: this.#held,
        onProgress: (progress) => this.#note(job, progress),
      });
      job.training = training;
      training.done.then(
        (weights) => this.#end(job, { status: 'done', weights }),
        (error: unknown) => this.#end(job, { status: 'failed', problem: problemOf(error) }),
      );
    } catch (error) {
      this.#end(job, { status: 'failed', problem: problemOf(error) });
    }
  }

  #note(job: Job, { history, weights }: TrainProgress): void {
    const { run } = job;
    job.run = {
      ...run,
      loss: [...run.loss, ...history.loss],
      accuracy: [...run.accuracy, ...history.accuracy],
      weights: weights ?? run.weights,
    };
    this.#changed();
  }

  #end(job: Job, result: Partial<Run>): void {
    if (!this.#jobs.includes(job)) return;
    job.run = { ...job.run, ...result };
    job.training = null;
    this.#pump();
    this.#changed();
  }

  /** Many workers report many steps: their listeners hear of them a few times a second. */
  #changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.dispatchEvent(new Event('change'));
    }, kTick);
  }
}
