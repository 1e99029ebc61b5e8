export { PosencError } from '../errors.ts';
export type { PosencErrorCode, PosencErrorData } from '../errors.ts';
export type * from '../generated/encodings.ts';
export { shippedReaders } from '../generated/shipped_readers.ts';
export type { AttentionResult, Comparison, Dims, Mask, Matrix } from '../types.ts';
export type { WasmOptions, WasmSource } from '../wasm_source.ts';
export type { LoadReaders } from './load.ts';
export type { TrainInWorker } from './train_in_worker.ts';
export type * from './types.ts';
