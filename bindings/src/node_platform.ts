import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';

import { notFound } from './wasm_source.ts';
import type { PackagedFile, WasmFile } from './wasm_source.ts';
import type { WorkerPort } from './worker/port.ts';

// What Node does where browsers fetch and start workers.

/** A WebAssembly file of the package at `url`. */
export function wasmFileAt(url: URL, file: PackagedFile): WasmFile {
  return { ...file, read: () => readPackaged(url, file) };
}

/** Reads a file of the package from disk. */
export async function readPackaged(url: URL, file: PackagedFile): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(url));
  } catch (error) {
    const hint = `A bundler for Node must copy it beside its output. ${file.hint}`;
    throw notFound(url.href, String(error), { ...file, hint });
  }
}

/** A worker thread. */
export function nodePort<To, From>(url: URL): WorkerPort<To, From> {
  const worker = new Worker(url);
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => worker.on('message', (message: From) => listener(message)),
    onError: (listener) => worker.on('error', (error) => listener(String(error))),
    setBusy: (busy) => (busy ? worker.ref() : worker.unref()),
    terminate: () => void worker.terminate(),
  };
}
