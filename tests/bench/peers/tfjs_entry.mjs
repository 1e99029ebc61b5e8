/** What of TensorFlow.js the benchmark needs, as one bundle: gradients and chained operators are registered by hand. */
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import '@tensorflow/tfjs-core/dist/public/chained_ops/register_all_chained_ops.js';
import '@tensorflow/tfjs-backend-cpu';

export * from '@tensorflow/tfjs-core';
export { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
