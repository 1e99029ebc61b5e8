import { PARAMETERS } from '../engine.ts';
import type { Method } from '../engine.ts';
import { brokenRule, PosencError } from '../errors.ts';
import { encodings } from '../generated/description.ts';
import type { EngineFacts, Posenc, PosencAsync, RequestOptions } from '../types.ts';
import { ArrayInWasm } from '../wasm_array.ts';
import type { WorkerPort } from './port.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

export type EnginePort = WorkerPort<ToWorker, FromWorker>;

type Call = (method: Method, args: readonly unknown[], request: RequestOptions) => Promise<unknown>;

function aborted(message: string): PosencError {
  return new PosencError({ code: 'aborted', message });
}

/** Memory of this thread's engine means nothing to a worker, and would be copied whole with a view of it. */
function refuseWasmArrays(value: unknown, field: string): void {
  if (value instanceof ArrayInWasm)
    throw brokenRule('wrong_type', field, 'be a typed array: a worker has memory of its own', 'a WasmArray');
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Array.isArray(value)) return;
  for (const [name, member] of Object.entries(value))
    refuseWasmArrays(member, field === '' ? name : `${field}.${name}`);
}

function facade(facts: EngineFacts, call: Call, dispose: () => void): PosencAsync {
  const methods = Object.entries(PARAMETERS).map(([name, fields]) => {
    const run = async (...args: unknown[]) => {
      fields.forEach((field, index) => refuseWasmArrays(args[index], field));
      const request = (args[fields.length] ?? {}) as RequestOptions;
      return call(name as Method, args.slice(0, fields.length), request);
    };
    return [name, run];
  });
  // The entries are built from PARAMETERS above, one for each method.
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
export function createWorkerClient(port: EnginePort, module: WebAssembly.Module): Promise<PosencAsync | null> {
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
