import { PosencError } from '../errors.ts';
import type { PosencErrorData } from '../errors.ts';
import { requireObject } from '../raw.ts';
import type { WasmOptions } from '../wasm_source.ts';
import type { WorkerPort } from '../worker/port.ts';
import type { Compile } from './files.ts';
import { instantiateReaders } from './load.ts';
import { createOutcome, stopped } from './training.ts';
import type { Command, FromTrainer, Plan, ToTrainer } from './protocol.ts';
import type { Training, TrainOptions } from './types.ts';

export type TrainerPort = WorkerPort<ToTrainer, FromTrainer>;

/** `trainInWorker` of the package. */
export interface TrainInWorker {
  /**
   * Trains in a worker of its own, which ends with the training. Where no worker starts, as from another origin, it trains
   * in this thread.
   *
   * @example
   * const training = trainInWorker({ encoding: { kind: 'rope' }, onProgress: ({ step, loss }) => show(step, loss) });
   * using reader = readers.loadWeights(await training.done);
   */
  (options: TrainOptions & WasmOptions): Training;
}

/** Where a training goes on: in a worker or, if none starts, in this thread. */
interface Site {
  readonly command: (command: Command) => void;
  readonly close: () => void;
}

/** Makes `trainInWorker` for a platform, given how it starts a worker (null where it cannot). */
export function createTrainInWorker(compile: Compile, startWorker: () => TrainerPort | null): TrainInWorker {
  return (options) => {
    requireObject('options', options);
    const { wasm, fetch, timeout, signal, onProgress, ...plan } = options;
    const outcome = createOutcome();
    const asked: Command[] = [];
    let site: Site | undefined;
    let paused = plan.paused ?? false;
    let ended = false;

    function end(settle: () => void): void {
      if (ended) return;
      ended = true;
      signal?.removeEventListener('abort', stop);
      site?.close();
      settle();
    }

    function fail(error: unknown): void {
      end(() => outcome.reject(error));
    }

    function stop(): void {
      outcome.promise.catch(() => undefined);
      fail(stopped());
    }

    function command(name: Command): void {
      if (ended) return;
      if (site === undefined) asked.push(name);
      else site.command(name);
    }

    function open(opened: Site): void {
      site = opened;
      if (ended) return site.close();
      for (const name of asked.splice(0)) site.command(name);
    }

    /** What this thread hears of the training. */
    function hear(message: FromTrainer): void {
      if (ended || message.type === 'ready') return;
      if (message.type === 'done') return end(() => outcome.resolve(message.weights));
      if (message.type === 'error') return fail(new PosencError(message.error));
      try {
        onProgress?.(message.progress);
      } catch (error) {
        fail(error);
      }
    }

    async function trainHere(module: WebAssembly.Module): Promise<void> {
      const readers = await instantiateReaders(module);
      const training = readers.train({ ...plan, onProgress: (progress) => hear({ type: 'progress', progress }) });
      training.done.then((weights) => end(() => outcome.resolve(weights)), fail);
      open({ command: (name) => training[name](), close: () => training.stop() });
    }

    async function start(): Promise<void> {
      // Not the signal: what is compiled is shared, and an abort ends the training at once.
      const module = await compile({
        ...(wasm !== undefined && { wasm }),
        ...(fetch !== undefined && { fetch }),
        ...(timeout !== undefined && { timeout }),
      });
      if (ended) return;
      const port = startWorker();
      if (port === null || !(await trainThere(port, module, plan, hear, open))) await trainHere(module);
    }

    signal?.addEventListener('abort', stop);
    if (signal?.aborted === true) stop();
    else start().catch(fail);

    return {
      done: outcome.promise,
      get paused() {
        return paused;
      },
      pause() {
        paused = true;
        command('pause');
      },
      resume() {
        paused = false;
        command('resume');
      },
      step() {
        if (paused) command('step');
      },
      stop,
      [Symbol.dispose]: stop,
    };
  };
}

/** Trains in the worker behind `port`; false if it does not come up. */
function trainThere(
  port: TrainerPort,
  module: WebAssembly.Module,
  plan: Plan,
  hear: (message: FromTrainer) => void,
  open: (site: Site) => void,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let up = false;

    function fail(error: PosencErrorData): void {
      port.terminate();
      if (up) hear({ type: 'error', error });
      else resolve(false);
    }

    port.onError((reason) =>
      fail(new PosencError({ code: 'aborted', message: `The worker ended: ${reason}` }).toData()),
    );
    port.onMessage((message) => {
      if (message.type === 'error') return fail(message.error);
      if (message.type !== 'ready') return hear(message);
      up = true;
      open({ command: (name) => port.post({ type: 'command', command: name }), close: () => port.terminate() });
      resolve(true);
    });
    try {
      port.post({ type: 'start', module, plan });
    } catch (error) {
      // A function among the options cannot be cloned.
      port.terminate();
      reject(new PosencError({ code: 'wrong_type', message: String(error) }));
    }
  });
}
