/** Where things are; all but project() relative to the project. */
import { fileURLToPath } from 'node:url';

/** A path inside the project. */
export const project = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What the benchmark makes: bundles, charts, numbers. */
export const OUTPUT = 'build/bench';
export const LIMITS_WASM = 'build/wasm/tests/bench/posenc_bench_limits.wasm';
export const LANGUAGE_MODEL_WASM = 'build/wasm/tests/bench/posenc_bench_language_model.wasm';
export const PEERS_FOLDER = 'tests/bench/peers';
/** The tfjs bundle fetches its WebAssembly from here. */
export const TF_WASM_FOLDER = `${PEERS_FOLDER}/node_modules/@tensorflow/tfjs-backend-wasm/dist/`;
export const bundleFolder = (library, place) => `${OUTPUT}/bundles/${library}-${place}`;
