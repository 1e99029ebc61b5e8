/** onnxruntime-web, WebAssembly, one thread. Arrays go in and come out as JavaScript has them, copied by the runtime. */
import { noise } from '../workloads/contenders.mjs';
import { causalAlibi, inverseFrequencies } from './inputs.mjs';
import { model, node, ofIndices, oneFloat, wholeNumbers } from './onnx_model.mjs';

const MICROSOFT = 'com.microsoft';

const open = (ort, graph) => ort.InferenceSession.create(model(graph), { executionProviders: ['wasm'] });

function ready(ort) {
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'error';
}

/** Something small, to see when the library is ready. */
export async function firstResult(ort) {
  ready(ort);
  const shape = [16, 64];
  const graph = { nodes: [node('Sin', ['x'], ['y'])], inputs: [['x', shape]], outputs: [['y', shape]] };
  const session = await open(ort, graph);
  return (await session.run({ x: new ort.Tensor('float32', noise(1024), shape) })).y.data[0];
}

export function start(ort) {
  ready(ort);
  const tensor = (data, shape) => new ort.Tensor('float32', data, shape);
  const count = (length) => Float32Array.from({ length }, (_, i) => i);

  /** `feeds` lists the inputs of each call that one run makes; `read` gets the outputs of the first. */
  const contender = (name, graph, feeds, read) => {
    let session;
    const call = async (inputs) => (session ??= await open(ort, graph)).run(inputs);
    return {
      name,
      async run() {
        for (const inputs of feeds()) await call(inputs);
      },
      value: async () => read(await call(feeds()[0])),
      dispose: () => session?.release(),
    };
  };

  return {
    sinusoidal({ length, dModel }) {
      const graph = {
        nodes: [
          node('Mul', ['positions', 'frequencies'], ['angles']),
          node('Sin', ['angles'], ['sin']),
          node('Cos', ['angles'], ['cos']),
          node('Unsqueeze', ['sin', 'last'], ['sins']),
          node('Unsqueeze', ['cos', 'last'], ['coss']),
          node('Concat', ['sins', 'coss'], ['pairs'], { axis: 2 }),
          node('Reshape', ['pairs', 'shape'], ['table']),
        ],
        constants: [wholeNumbers('last', [2]), wholeNumbers('shape', [length, dModel])],
        inputs: [
          ['positions', [length, 1]],
          ['frequencies', [1, dModel / 2]],
        ],
        outputs: [['table', [length, dModel]]],
      };
      const inputs = {
        positions: tensor(count(length), [length, 1]),
        frequencies: tensor(inverseFrequencies(dModel), [1, dModel / 2]),
      };
      return contender(
        'Mul, Sin, Cos, Concat',
        graph,
        () => [inputs],
        ({ table }) => table.data,
      );
    },

    rope({ layout, heads, tokens, headDim, q, k }) {
      const shape = [1, heads, tokens, headDim];
      const table = [tokens, headDim / 2];
      const interleaved = layout === 'interleaved' ? 1 : 0;
      const graph = {
        nodes: ['q', 'k'].map((x) =>
          node('RotaryEmbedding', [x, 'start', 'cos', 'sin'], [`${x}_rotated`], { domain: MICROSOFT, interleaved }),
        ),
        inputs: [['q', shape], ['k', shape], ofIndices('start', [1]), ['cos', table], ['sin', table]],
        outputs: [
          ['q_rotated', shape],
          ['k_rotated', shape],
        ],
      };
      const frequencies = inverseFrequencies(headDim);
      const angles = Float32Array.from({ length: (tokens * headDim) / 2 }, (_, i) => {
        const pair = i % (headDim / 2);
        return ((i - pair) / (headDim / 2)) * frequencies[pair];
      });
      const inputs = {
        q: tensor(q, shape),
        k: tensor(k, shape),
        start: new ort.Tensor('int64', new BigInt64Array(1), [1]),
        cos: tensor(angles.map(Math.cos), table),
        sin: tensor(angles.map(Math.sin), table),
      };
      return contender(
        'RotaryEmbedding',
        graph,
        () => [inputs],
        (outputs) => outputs.q_rotated.data,
      );
    },

    attention(size) {
      const products = attentionByProducts(size, tensor, contender);
      // MultiHeadAttention fails at 4096 tokens.
      return size.tokens > 1024 ? [products] : [products, multiHeadAttention(size, tensor, contender)];
    },
  };
}

function attentionByProducts({ heads, tokens, headDim, q, k, v, slopes }, tensor, contender) {
  // All heads at once where their matrices fit into memory, else one after the other.
  const together = tokens > 1024 ? 1 : heads;
  const shape = [together, tokens, headDim];
  const square = [together, tokens, tokens];
  const graph = {
    nodes: [
      node('Transpose', ['k'], ['k_transposed'], { perm: [0, 2, 1] }),
      node('MatMul', ['q', 'k_transposed'], ['dots']),
      node('Mul', ['dots', 'scale'], ['scaled']),
      node('Add', ['scaled', 'bias'], ['logits']),
      node('Softmax', ['logits'], ['weights'], { axis: -1 }),
      node('MatMul', ['weights', 'v'], ['output']),
    ],
    constants: [oneFloat('scale', 1 / Math.sqrt(headDim))],
    inputs: [
      ['q', shape],
      ['k', shape],
      ['v', shape],
      ['bias', square],
    ],
    outputs: [['output', shape]],
  };
  const size = together * tokens * headDim;
  const bias = tensor(causalAlibi(together, tokens, slopes), square);
  const part = (x, i) => tensor(x.subarray(i * size, (i + 1) * size), shape);
  const feeds = Array.from({ length: heads / together }, (_, i) => ({
    q: part(q, i),
    k: part(k, i),
    v: part(v, i),
    bias,
  }));
  return contender(
    'MatMul, Softmax',
    graph,
    () => feeds,
    ({ output }) => output.data,
  );
}

function multiHeadAttention({ heads, tokens, headDim, q, k, v, slopes }, tensor, contender) {
  const shape = [1, tokens, heads * headDim];
  const square = [1, heads, tokens, tokens];
  const graph = {
    nodes: [
      node('MultiHeadAttention', ['q', 'k', 'v', '', '', 'bias'], ['output'], { domain: MICROSOFT, num_heads: heads }),
    ],
    inputs: [
      ['q', shape],
      ['k', shape],
      ['v', shape],
      ['bias', square],
    ],
    outputs: [['output', shape]],
  };
  const bias = tensor(causalAlibi(heads, tokens, slopes), square);
  const [qs, ks, vs] = [q, k, v].map((x) => tensor(swapAxes(x, heads, tokens, headDim), shape));
  const inputs = { q: qs, k: ks, v: vs, bias };
  return contender(
    'MultiHeadAttention',
    graph,
    () => [inputs],
    ({ output }) => swapAxes(output.data, tokens, heads, headDim),
  );
}

/** [a][b][channel] as [b][a][channel]. */
function swapAxes(x, a, b, channels) {
  const out = new Float32Array(x.length);
  for (let i = 0; i < a; i++)
    for (let j = 0; j < b; j++)
      out.set(x.subarray((i * b + j) * channels, (i * b + j + 1) * channels), (j * a + i) * channels);
  return out;
}
