import { PosencError } from '../errors.ts';
import { encodings } from '../generated/description.ts';
import type { Posenc, PosencAsync, RequestOptions } from '../types.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

/** A worker, whichever platform runs it. */
export interface WorkerPort {
  post(message: ToWorker): void;
  onMessage(listener: (message: FromWorker) => void): void;
  onError(listener: (reason: string) => void): void;
  /** Whether requests are under way; Node may end while there are none. */
  setBusy(busy: boolean): void;
  terminate(): void;
}

/** The methods that a worker offers; `Posenc`'s other members are facts. */
export const METHODS = [
  'table',
  'rotation',
  'frequencies',
  'apply',
  'bias',
  'attend',
  'attention',
  'compare',
  'invariances',
] as const;
type Method = (typeof METHODS)[number];
type Call = (method: Method, args: readonly unknown[], request: RequestOptions) => Promise<unknown>;
type Facts = Pick<Posenc, 'version' | 'simd' | 'encodings'>;

/** How many arguments a method takes before the request options. */
const ARITY: Readonly<Record<Method, number>> = {
  table: 2,
  rotation: 2,
  frequencies: 2,
  apply: 3,
  bias: 2,
  attend: 1,
  attention: 1,
  compare: 1,
  invariances: 1,
};

function aborted(message: string): PosencError {
  return new PosencError({ code: 'aborted', message });
}

function facade(facts: Facts, call: Call, dispose: () => void): PosencAsync {
  const methods = METHODS.map((method) => {
    const arity = ARITY[method];
    const run = (...args: unknown[]) => call(method, args.slice(0, arity), (args[arity] ?? {}) as RequestOptions);
    return [method, run];
  });
  // The entries are built from METHODS above, one for each method of Posenc.
  return { ...facts, ...Object.fromEntries(methods), dispose, [Symbol.dispose]: dispose } as unknown as PosencAsync;
}

/** The asynchronous interface over an engine in this thread. */
export function callsOf(engine: Posenc): PosencAsync {
  const call: Call = async (method, args, { signal }) => {
    if (signal?.aborted === true) throw aborted('The request was aborted.');
    // Arguments are passed on as they came; the engine checks them.
    return (engine[method] as (...args: readonly unknown[]) => unknown)(...args);
  };
  return facade(engine, call, () => undefined);
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: PosencError) => void;
  readonly channel: string | undefined;
}

/** Starts the engine in a worker; null if the worker does not come up. */
export function createWorkerClient(port: WorkerPort, module: WebAssembly.Module): Promise<PosencAsync | null> {
  const pending = new Map<number, Pending>();
  let nextId = 1;
  let ended: string | undefined;

  function settle(id: number, act: (entry: Pending) => void): void {
    const entry = pending.get(id);
    pending.delete(id);
    port.setBusy(pending.size > 0);
    if (entry !== undefined) act(entry);
  }

  function cancel(id: number, message: string): void {
    settle(id, (entry) => {
      entry.reject(aborted(message));
      if (ended === undefined) port.post({ type: 'cancel', id });
    });
  }

  function end(reason: string): void {
    ended ??= reason;
    for (const id of [...pending.keys()]) cancel(id, reason);
    port.terminate();
  }

  const call: Call = (method, args, { signal, channel }) =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(aborted(ended));
      if (signal?.aborted === true) return reject(aborted('The request was aborted.'));
      if (channel !== undefined) {
        for (const [id, entry] of [...pending]) {
          if (entry.channel === channel) cancel(id, `A newer request came on channel "${channel}".`);
        }
      }
      const id = nextId++;
      pending.set(id, { resolve, reject, channel });
      port.setBusy(true);
      signal?.addEventListener('abort', () => cancel(id, 'The request was aborted.'), { once: true });
      try {
        port.post({ type: 'call', id, method, args });
      } catch (error) {
        // A function among the arguments cannot be cloned.
        settle(id, () => reject(new PosencError({ code: 'wrong_type', message: String(error) })));
      }
    });

  return new Promise((resolve) => {
    port.onError((reason) => {
      end(`The worker ended: ${reason}`);
      resolve(null);
    });
    port.onMessage((message) => {
      if (message.type === 'ready') {
        port.setBusy(false);
        resolve(facade({ ...message.facts, encodings }, call, () => end('The worker was disposed.')));
      } else if (message.type === 'value') {
        settle(message.id, (entry) => entry.resolve(message.value));
      } else {
        settle(message.id, (entry) => entry.reject(new PosencError(message.error)));
      }
    });
    port.post({ type: 'start', module });
  });
}
