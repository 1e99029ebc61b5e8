import { compileWasm, packagedFile, shared } from '../wasm_source.ts';
import type { PackagedFile, WasmFile, WasmOptions } from '../wasm_source.ts';

export const MODELS_FILE = packagedFile(
  { name: 'posenc_models.wasm', notFound: 'wasm_not_found', field: 'wasm' },
  'loadReaders({ wasm: url })',
);

/** The weights of a reader. */
export function weightsFile(name: string): PackagedFile {
  return packagedFile({ name, notFound: 'weights_not_found', field: 'encoding' }, 'readers.loadWeights(bytes)');
}

export type Compile = (options: WasmOptions) => Promise<WebAssembly.Module>;

/** Compiles a file of the package; without options once. */
export function createCompile(file: WasmFile): Compile {
  const compileShared = shared(() => compileWasm({}, file));
  return (options) => (Object.keys(options).length === 0 ? compileShared() : compileWasm(options, file));
}
