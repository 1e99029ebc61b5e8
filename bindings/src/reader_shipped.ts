/**
 * The trained readers of the package. In Node the entry `node_reader_shipped.ts` takes its place; both export the same.
 *
 * @packageDocumentation
 */
import { weightsFile } from './reader/files.ts';
import { createShippedWeights } from './reader/shipped.ts';
import { bytesOfResponse, download } from './wasm_source.ts';

export { shippedReaders } from './generated/shipped_readers.ts';
export type { ShippedOptions, ShippedWeights } from './reader/shipped.ts';
export type { ReaderScore, ShippedReader } from './reader/types.ts';

/** {@inheritDoc ShippedWeights} */
export const shippedWeights = createShippedWeights(async (name, options) => {
  const file = weightsFile(`${name}.safetensors`);
  // Bundlers see that all files of this form belong to the package.
  const url = new URL(`./reader/${name}.safetensors`, import.meta.url);
  return new Uint8Array(await bytesOfResponse(await download(url, options, file), file));
});
