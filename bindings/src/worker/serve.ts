import { isMethod, startEngine } from '../engine.ts';
import type { Engine } from '../engine.ts';
import { buffersOf, errorDataOf } from './protocol.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

type Post = (message: FromWorker, transfer: ArrayBuffer[]) => void;

/** The worker's side: one request after the other, with a pause between two so that cancellations arrive. */
export function createServer(post: Post): (message: ToWorker) => void {
  let engine: Engine | undefined;
  const queue = new Map<number, ToWorker & { type: 'call' }>();

  function run({ id, method, args }: ToWorker & { type: 'call' }): void {
    try {
      if (engine === undefined || !isMethod(method)) throw new Error(`cannot call ${method}`);
      // The engine checks the arguments.
      const value = (engine[method] as (...args: readonly unknown[]) => unknown)(...args);
      post({ type: 'value', id, value }, buffersOf(value));
    } catch (error) {
      post({ type: 'error', id, error: errorDataOf(error) }, []);
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
      void startEngine(message.module).then((started) => {
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
