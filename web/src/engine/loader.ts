/** Gets the engine: on the page for short sentences, in a worker for long ones. */
import { load, type Posenc, type PosencAsync } from 'posenc';
import type { Asks } from './compute.ts';

export const loadEngine = (): Promise<Posenc> => load();

let worker: Promise<PosencAsync | null> | null = null;

/** The engine in a worker; where none may start (some sandboxes), the one on the page, a task at a time. */
export async function engineForLongText(onPage: Posenc): Promise<Asks> {
  worker ??= load({ engine: 'worker' }).catch(() => null);
  const engine = await worker;
  if (engine) return engine;
  const later = async <T>(run: () => T): Promise<T> => {
    await new Promise((resolve) => setTimeout(resolve));
    return run();
  };
  return {
    compare: (options) => later(() => onPage.compare(options)),
    invariances: (options) => later(() => onPage.invariances(options)),
  };
}
