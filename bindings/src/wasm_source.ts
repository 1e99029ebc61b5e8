import { PosencError, wrongType } from './errors.ts';

/** What `load({ wasm })` accepts. */
export type WasmSource = string | URL | Response | BufferSource | WebAssembly.Module;

/** How to get hold of the WebAssembly module. */
export interface WasmOptions {
  /** Default: `posenc.wasm` beside the JavaScript of the package. */
  readonly wasm?: WasmSource;
  /** Used for URLs; default `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  readonly signal?: AbortSignal;
  /** Milliseconds until a download is given up; default 20000. */
  readonly timeout?: number;
}

/** Reads the default file; browsers fetch it, Node reads it from disk. */
export type ReadDefault = (options: WasmOptions) => Promise<BufferSource | Response>;

const HINT =
  "Serve posenc.wasm (it lies beside the package's JavaScript) as it is, or say where it is: load({ wasm: url }). " +
  "In Vite's dev server: optimizeDeps: { exclude: ['posenc'] }.";

const DEFAULT_TIMEOUT = 20_000;

/** A module of one SIMD instruction: an engine that refuses it cannot run posenc. */
const SIMD_PROBE = Uint8Array.of(
  0,
  97,
  115,
  109,
  1,
  0,
  0,
  0,
  1,
  5,
  1,
  96,
  0,
  1,
  123,
  3,
  2,
  1,
  0,
  10,
  10,
  1,
  8,
  0,
  65,
  0,
  253,
  15,
  253,
  98,
  11,
);

/** The compiled module. Always settles, and says what arrived when it was not WebAssembly. */
export async function compileWasm(options: WasmOptions, readDefault: ReadDefault): Promise<WebAssembly.Module> {
  if (options.signal?.aborted === true) throw aborted();
  requireWebAssembly();
  const source = options.wasm ?? (await readDefault(options));
  if (typeof source === 'string' || source instanceof URL) return compileResponse(await download(source, options));
  if (source instanceof Response) return compileResponse(source);
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return compileBytes(source, 'the given bytes');
  if (isModule(source)) return source;
  throw wrongType('wasm', 'be a URL, a Response, bytes or a WebAssembly.Module', source);
}

/** Not instanceof: a module may come from another realm, and TypeScript's empty interface matches everything. */
function isModule(source: unknown): source is WebAssembly.Module {
  return Object.prototype.toString.call(source) === '[object WebAssembly.Module]';
}

/** Fetches `url`; rejects with code `wasm_not_found` or `aborted`. */
export async function download(url: string | URL, options: WasmOptions): Promise<Response> {
  const get = options.fetch ?? globalThis.fetch;
  const timeout = AbortSignal.timeout(options.timeout ?? DEFAULT_TIMEOUT);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
  try {
    return await get(url, { signal });
  } catch (error) {
    if (options.signal?.aborted === true) throw aborted();
    const why = timeout.aborted ? `no answer within ${options.timeout ?? DEFAULT_TIMEOUT} ms` : String(error);
    throw notFound(String(url), why);
  }
}

function aborted(): PosencError {
  return new PosencError({ code: 'aborted', message: 'Loading was aborted.' });
}

function notFound(url: string, why: string): PosencError {
  const message = `posenc.wasm could not be loaded from ${url}: ${why}.`;
  return new PosencError({
    code: 'wasm_not_found',
    field: 'wasm',
    rule: 'be reachable',
    value: url,
    message,
    hint: HINT,
  });
}

function requireWebAssembly(): void {
  if (typeof WebAssembly !== 'object') {
    const message = 'This environment has no WebAssembly.';
    throw new PosencError({ code: 'wasm_blocked', message, hint: 'Lockdown modes of browsers switch it off.' });
  }
  if (!WebAssembly.validate(SIMD_PROBE)) {
    const message = 'This environment has no WebAssembly SIMD.';
    const hint = 'posenc needs Chrome or Edge 91, Firefox 89, Safari 16.4, Node 20, or newer.';
    throw new PosencError({ code: 'wasm_unsupported', message, hint });
  }
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  const from = response.url === '' ? 'the given response' : response.url;
  if (!response.ok) throw notFound(from, `HTTP ${response.status} ${response.statusText}`.trim());
  const type = response.headers.get('content-type') ?? 'none';
  let bytes: ArrayBuffer;
  try {
    bytes = await response.arrayBuffer();
  } catch (error) {
    throw notFound(from, String(error));
  }
  return compileBytes(bytes, `${from} (content type ${type})`);
}

function startsLikeWasm(bytes: Uint8Array): boolean {
  return bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d;
}

/** A copy, so that memory that is shared or changes later does not matter. */
function bytesOf(source: ArrayBuffer | ArrayBufferView): Uint8Array<ArrayBuffer> {
  const view = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
  return new Uint8Array(view);
}

async function compileBytes(source: ArrayBuffer | ArrayBufferView, from: string): Promise<WebAssembly.Module> {
  const bytes = bytesOf(source);
  if (!startsLikeWasm(bytes)) {
    const starts = bytes.length === 0 ? 'it is empty' : `it starts with ${JSON.stringify(firstText(bytes))}`;
    throw notWasm(from, starts);
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw compileError(from, String(error));
  }
}

function firstText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, 16));
}

function notWasm(from: string, why: string): PosencError {
  const message = `What came from ${from} is not WebAssembly: ${why}.`;
  const data = { field: 'wasm', rule: 'be a WebAssembly file', value: from };
  return new PosencError({ code: 'wasm_not_wasm', ...data, message, hint: HINT });
}

function compileError(from: string, why: string): PosencError {
  if (!/content security policy|unsafe-eval|disallowed by embedder/i.test(why)) return notWasm(from, why);
  const message = `The page's content security policy blocks WebAssembly: ${why}`;
  const hint = "Add 'wasm-unsafe-eval' to script-src.";
  return new PosencError({ code: 'wasm_blocked', message, hint });
}
