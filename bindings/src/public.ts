export { PosencError } from './errors.ts';
export type { PosencErrorCode, PosencErrorData } from './errors.ts';
export { encodings } from './generated/description.ts';
export type * from './generated/encodings.ts';
export type { Load, LoadOptions } from './load.ts';
export type * from './types.ts';
export type { WasmOptions, WasmSource } from './wasm_source.ts';
