/** Gets trained readers: the module that runs them, the list of shipped ones, the weights of one. Each once, and only
 * when somebody asks. */
import type { Reader, Readers, Training, TrainOptions } from 'posenc/reader';
import type { Score } from '../content/reader_text.ts';
import type { PageMask } from '../state/state.ts';

/** A shipped reader, and how it did in its tests. */
export interface ReaderFile {
  readonly file: string;
  readonly encoding: string;
  readonly mask: PageMask;
  readonly trained: Score;
  readonly unseen: Score;
  readonly longer: Score;
}

/** Keeps what arrived; what failed is asked for again next time. */
function once<T>(get: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | null = null;
  return () => {
    kept ??= get().catch((error: unknown) => {
      kept = null;
      throw error;
    });
    return kept;
  };
}

export const loadReaders = once<Readers>(async () => (await import('posenc/reader')).loadReaders());

/** What trains a reader in a worker. */
export const loadTraining = async (): Promise<(options: TrainOptions) => Training> =>
  (await import('posenc/reader')).trainInWorker;

const kFolder = 'reader/';

async function fetched(name: string): Promise<Response> {
  const response = await fetch(new URL(kFolder + name, document.baseURI));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response;
}

// Written by the program that trains them.
export const readerFiles = once(async () => (await (await fetched('index.json')).json()) as readonly ReaderFile[]);

const readers = new Map<string, () => Promise<Reader>>();

/** The reader in a shipped file. */
export function shippedReader({ file }: ReaderFile): Promise<Reader> {
  let get = readers.get(file);
  if (get === undefined) {
    get = once(async () => {
      const [engine, response] = await Promise.all([loadReaders(), fetched(file)]);
      return engine.loadWeights(new Uint8Array(await response.arrayBuffer()));
    });
    readers.set(file, get);
  }
  return get();
}
