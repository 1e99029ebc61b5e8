import { readPackaged } from './node_platform.ts';
import { weightsFile } from './reader/files.ts';
import { createShippedWeights } from './reader/shipped.ts';

export { shippedReaders } from './generated/shipped_readers.ts';
export type { ShippedOptions, ShippedWeights } from './reader/shipped.ts';
export type { ReaderScore, ShippedReader } from './reader/types.ts';

/** {@inheritDoc ShippedWeights} */
export const shippedWeights = createShippedWeights((name) => {
  const file = `${name}.safetensors`;
  return readPackaged(new URL(`./reader/${file}`, import.meta.url), weightsFile(file));
});
