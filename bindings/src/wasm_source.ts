import { PosencError, wrongType } from './errors.ts';

/** What `load({ wasm })` accepts. */
export type WasmSource = string | URL | Response | BufferSource | WebAssembly.Module;

/** How to get hold of the WebAssembly module. */
export interface WasmOptions {
  /** Default: the file beside the JavaScript of the package. */
  readonly wasm?: WasmSource;
  /** Used for URLs; default `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  readonly signal?: AbortSignal;
  /** Milliseconds until a download is given up; default 20000. */
  readonly timeout?: number;
}

/** A file of the package, and what an error says where it is not there. */
export interface PackagedFile {
  readonly name: string;
  readonly notFound: 'wasm_not_found' | 'weights_not_found';
  readonly field: string;
  readonly hint: string;
}

/** A WebAssembly file of the package. */
export interface WasmFile extends PackagedFile {
  /** Reads it where it lies; browsers fetch it, Node reads it from disk. */
  readonly read: (options: WasmOptions) => Promise<BufferSource | Response>;
}

/** A file of the package; `instead` is how its user says where it is. */
export function packagedFile(file: Omit<PackagedFile, 'hint'>, instead: string): PackagedFile {
  const hint =
    `Serve ${file.name} (it lies beside the package's JavaScript) as it is, or say where it is: ${instead}. ` +
    "In Vite's dev server: optimizeDeps: { exclude: ['posenc'] }.";
  return { ...file, hint };
}

export const ENGINE_FILE = packagedFile(
  { name: 'posenc.wasm', notFound: 'wasm_not_found', field: 'wasm' },
  'load({ wasm: url })',
);

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
export async function compileWasm(options: WasmOptions, file: WasmFile): Promise<WebAssembly.Module> {
  if (options.signal?.aborted === true) throw aborted();
  requireWebAssembly();
  const source = options.wasm ?? (await file.read(options));
  if (typeof source === 'string' || source instanceof URL) {
    return compileResponse(await download(source, options, file), file);
  }
  if (source instanceof Response) return compileResponse(source, file);
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return compileBytes(source, 'the given bytes', file);
  if (isModule(source)) return source;
  throw wrongType('wasm', 'be a URL, a Response, bytes or a WebAssembly.Module', source);
}

/** Not instanceof: a module may come from another realm, and TypeScript's empty interface matches everything. */
function isModule(source: unknown): source is WebAssembly.Module {
  return Object.prototype.toString.call(source) === '[object WebAssembly.Module]';
}

/** Fetches `url`; rejects with code `wasm_not_found`, `weights_not_found` or `aborted`. */
export async function download(
  url: string | URL,
  options: Omit<WasmOptions, 'wasm'>,
  file: PackagedFile,
): Promise<Response> {
  const get = options.fetch ?? globalThis.fetch;
  const timeout = AbortSignal.timeout(options.timeout ?? DEFAULT_TIMEOUT);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
  try {
    return await get(url, { signal });
  } catch (error) {
    if (options.signal?.aborted === true) throw aborted();
    const why = timeout.aborted ? `no answer within ${options.timeout ?? DEFAULT_TIMEOUT} ms` : String(error);
    throw notFound(String(url), why, file);
  }
}

function aborted(): PosencError {
  return new PosencError({ code: 'aborted', message: 'Loading was aborted.' });
}

export function notFound(url: string, why: string, file: PackagedFile): PosencError {
  const message = `${file.name} could not be loaded from ${url}: ${why}.`;
  const data = { code: file.notFound, field: file.field, rule: 'be reachable', value: url, hint: file.hint };
  return new PosencError({ ...data, message });
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

function urlOf(response: Response): string {
  return response.url === '' ? 'the given response' : response.url;
}

/** The bytes of a response; rejects as `download`. */
export async function bytesOfResponse(response: Response, file: PackagedFile): Promise<ArrayBuffer> {
  if (!response.ok) throw notFound(urlOf(response), `HTTP ${response.status} ${response.statusText}`.trim(), file);
  try {
    return await response.arrayBuffer();
  } catch (error) {
    throw notFound(urlOf(response), String(error), file);
  }
}

async function compileResponse(response: Response, file: PackagedFile): Promise<WebAssembly.Module> {
  const bytes = await bytesOfResponse(response, file);
  const from = urlOf(response);
  const type = response.headers.get('content-type') ?? 'none';
  return compileBytes(bytes, `${from} (content type ${type})`, file);
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

async function compileBytes(
  source: ArrayBuffer | ArrayBufferView,
  from: string,
  file: PackagedFile,
): Promise<WebAssembly.Module> {
  const bytes = bytesOf(source);
  if (!startsLikeWasm(bytes)) {
    const starts = bytes.length === 0 ? 'it is empty' : `it starts with ${JSON.stringify(firstText(bytes))}`;
    throw notWasm(from, starts, file);
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw compileError(from, String(error), file);
  }
}

function firstText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, 16));
}

function notWasm(from: string, why: string, file: PackagedFile): PosencError {
  const message = `What came from ${from} is not WebAssembly: ${why}.`;
  const data = { field: 'wasm', rule: 'be a WebAssembly file', value: from };
  return new PosencError({ code: 'wasm_not_wasm', ...data, message, hint: file.hint });
}

function compileError(from: string, why: string, file: PackagedFile): PosencError {
  if (!/content security policy|unsafe-eval|disallowed by embedder/i.test(why)) return notWasm(from, why, file);
  const message = `The page's content security policy blocks WebAssembly: ${why}`;
  const hint = "Add 'wasm-unsafe-eval' to script-src.";
  return new PosencError({ code: 'wasm_blocked', message, hint });
}

/** What Emscripten makes of a module. */
type Create<Raw> = (options: object) => Promise<Raw>;

/** Instantiates a compiled module. */
export function instantiateWith<Raw>(create: Create<Raw>, module: WebAssembly.Module): Promise<Raw> {
  return create({
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      void WebAssembly.instantiate(module, imports).then(done);
      return {};
    },
  });
}

/** Calls `make` once and shares what it gives; a failed attempt is forgotten, so it can be repeated. */
export function shared<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
