/** What this build of the package can do: the benchmark also runs with one that lacks a function. */

const works = (call) => {
  try {
    call();
    return true;
  } catch {
    return false;
  }
};

export function abilitiesOf(posenc) {
  const dims = { nHeads: 1, headDim: 4, dModel: 4 };
  return {
    /** Arrays that live in WebAssembly memory, and the option `out`. */
    wasmArray: typeof posenc.wasmArray === 'function',
    /** apply() takes [head][token][head_dim]. */
    manyHeads: works(() =>
      posenc.apply({ kind: 'rope' }, { data: new Float32Array(8), shape: [1, 2, 4] }, { dims }).data.at(0),
    ),
    /** Attention without its matrices. */
    attendOutput: typeof posenc.attendOutput === 'function',
  };
}

export const NO_WASM_ARRAY = 'this build has no wasmArray()';
export const NO_ATTEND_OUTPUT = 'this build has no attendOutput()';
export const NO_LANGUAGE_MODEL = 'language_model.cpp is not compiled';
