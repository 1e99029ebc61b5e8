/** The language model of language_model.cpp. */
import { transformerData } from '../peers/inputs.mjs';

/** @param bytes  of the compiled module, or null */
export async function loadLanguageModel(bytes) {
  if (bytes === null) return null;
  const module = await WebAssembly.compile(bytes);
  // What the module imports is for output and for the end of a process, and never called.
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 0;
  const { exports } = await WebAssembly.instantiate(module, imports);
  exports._initialize?.();

  /** Returns the function that trains it by one step and gives the loss before. */
  return (model) => {
    const { layers, dModel, heads, ff, vocab, length, batch } = model;
    const { inputs, targets } = transformerData(model);
    exports.create(layers, dModel, heads, ff, vocab);
    const address = exports.reserve(batch * length);
    new Int32Array(exports.memory.buffer, address, 2 * inputs.length).set([...inputs, ...targets]);
    return () => exports.step(length);
  };
}
