import { PosencError } from '../errors.ts';
import { instantiate } from '../load.ts';
import type { Posenc } from '../types.ts';
import { isMethod } from './client.ts';
import { buffersOf } from './protocol.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

type Post = (message: FromWorker, transfer: ArrayBuffer[]) => void;

function toError(error: unknown): PosencError {
  return error instanceof PosencError ? error : new PosencError({ code: 'internal', message: String(error) });
}

/** The worker's side: one request after the other, with a pause between two so that cancellations arrive. */
export function createServer(post: Post): (message: ToWorker) => void {
  let engine: Posenc | undefined;
  const queue = new Map<number, ToWorker & { type: 'call' }>();

  function run({ id, method, args }: ToWorker & { type: 'call' }): void {
    try {
      if (engine === undefined || !isMethod(method)) throw new Error(`cannot call ${method}`);
      // The engine checks the arguments.
      const value = (engine[method] as (...args: readonly unknown[]) => unknown)(...args);
      post({ type: 'value', id, value }, buffersOf(value));
    } catch (error) {
      post({ type: 'error', id, error: toError(error).toData() }, []);
    }
  }

  function runNext(): void {
    const next = queue.values().next().value;
    if (next === undefined) return;
    queue.delete(next.id);
    run(next);
    if (queue.size > 0) setTimeout(runNext, 0);
  }

  return (message) => {
    if (message.type === 'start') {
      void instantiate(message.module).then((started) => {
        engine = started;
        const { version, simd } = started;
        post({ type: 'ready', facts: { version, simd } }, []);
      });
    } else if (message.type === 'cancel') {
      queue.delete(message.id);
    } else {
      queue.set(message.id, message);
      if (queue.size === 1) setTimeout(runNext, 0);
    }
  };
}
