/**
 * Real models: the positional encoding of any Hugging Face model from its config.json, and of well-known ones by name.
 *
 * @packageDocumentation
 */
export { fromConfig } from './config/from_config.ts';
export type {
  ConfigNote,
  ConfigNoteLevel,
  LayerDims,
  LayerEncoding,
  LayerKind,
  ModelEncoding,
} from './config/types.ts';
export { presets } from './config/preset_list.ts';
export type { Preset } from './config/preset_list.ts';
