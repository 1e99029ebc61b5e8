/** jax-js, WebAssembly backend, compiled with jit. Using an array consumes it; `.ref` keeps it for another use. */
import { noise } from '../workloads/contenders.mjs';
import { causalAlibi, inverseFrequencies, transformerData } from './inputs.mjs';

async function ready(jax) {
  await jax.init('wasm');
  jax.defaultDevice('wasm');
}

/** Something small, to see when the library is ready. */
export async function firstResult(jax) {
  await ready(jax);
  return (await jax.numpy.sin(jax.numpy.array(noise(1024))).data())[0];
}

export async function start(jax) {
  await ready(jax);
  const { numpy: np } = jax;
  const array = (data, shape) => np.array(data).reshape(shape);
  const count = (length) => Float32Array.from({ length }, (_, i) => i);

  /** `prepare` gives the function to compile and the lists of inputs on which one run calls it. */
  const contender = (name, prepare) => {
    let calls;
    const results = () => {
      calls ??= (({ compute, inputs }) => {
        const compiled = jax.jit(compute);
        return inputs.map((list) => () => compiled(...list.map((input) => input.ref)));
      })(prepare());
      return calls.map((call) => call());
    };
    return {
      name,
      async run() {
        for (const result of results()) {
          await result.blockUntilReady();
          result.dispose();
        }
      },
      async value() {
        const [first, ...others] = results();
        others.forEach((other) => other.dispose());
        return first.data();
      },
    };
  };

  return {
    sinusoidal: ({ length, dModel }) =>
      contender('jit', () => ({
        inputs: [[array(count(length), [length, 1]), array(inverseFrequencies(dModel), [1, dModel / 2])]],
        compute(positions, frequencies) {
          const angles = positions.mul(frequencies);
          return np.stack([np.sin(angles.ref), np.cos(angles)], 2).reshape([length, dModel]);
        },
      })),

    rope: ({ layout, heads, tokens, headDim, q, k }) =>
      contender('jit', () => {
        const pairs = headDim / 2;
        const angles = array(count(tokens), [1, tokens, 1]).mul(array(inverseFrequencies(headDim), [1, 1, pairs]));
        const cos = np.cos(angles.ref);
        const sin = np.sin(angles);
        const shape = [heads, tokens, headDim];
        const halves = (x) => np.split(x, 2, 2);
        const neighbours = (x) =>
          np.split(x.reshape([heads, tokens, pairs, 2]), 2, 3).map((part) => part.reshape([heads, tokens, pairs]));
        return {
          inputs: [q, k].map((x) => [array(x, shape), cos, sin]),
          compute(x, cosine, sine) {
            const [a, b] = layout === 'half' ? halves(x) : neighbours(x);
            const left = a.ref.mul(cosine.ref).sub(b.ref.mul(sine.ref));
            const right = b.mul(cosine).add(a.mul(sine));
            return layout === 'half' ? np.concatenate([left, right], 2) : np.stack([left, right], 3).reshape(shape);
          },
        };
      }),

    alibi: ({ heads, length }) =>
      contender('jit', () => {
        const slopes = count(heads).map((head) => -(2 ** ((-8 * (head + 1)) / heads)));
        const positions = count(length);
        return {
          inputs: [[array(slopes, [heads, 1, 1]), array(positions, [1, length, 1]), array(positions, [1, 1, length])]],
          compute: (slope, query, key) => slope.mul(np.abs(key.sub(query))),
        };
      }),

    attention: ({ heads, tokens, headDim, q, k, v, slopes }) =>
      contender('jit, dotProductAttention', () => {
        // All heads at once where their matrices fit into memory, else one after the other.
        const together = tokens > 1024 ? 1 : heads;
        const size = together * tokens * headDim;
        const bias = array(causalAlibi(together, tokens, slopes), [1, together, tokens, tokens]);
        const part = (x, i) =>
          np.transpose(array(x.slice(i * size, (i + 1) * size), [1, together, tokens, headDim]), [0, 2, 1, 3]);
        return {
          inputs: Array.from({ length: heads / together }, (_, i) => [...[q, k, v].map((x) => part(x, i)), bias]),
          compute: (qs, ks, vs, b) => np.transpose(jax.nn.dotProductAttention(qs, ks, vs, { bias: b }), [0, 2, 1, 3]),
        };
      }),

    training(model) {
      let step;
      return { name: 'jit, valueAndGrad, Adam', run: () => (step ??= trainingStep(jax, model))() };
    },
  };
}

/** The same model as that of tfjs.mjs. */
function trainingStep(jax, model) {
  const { numpy: np, nn } = jax;
  const { layers, dModel, heads, length, batch, vocab } = model;
  const headDim = dModel / heads;
  const data = transformerData(model);
  const names = Object.keys(data.weights);
  const shapes = names.map((name) => data.weights[name].shape);
  const weights = names.map((name, i) => np.array(data.weights[name].values).reshape(shapes[i]));
  const first = shapes.map((shape) => np.zeros(shape));
  const second = shapes.map((shape) => np.zeros(shape));
  const oneHot = (ids) => {
    const rows = new Float32Array(ids.length * vocab);
    ids.forEach((id, i) => (rows[i * vocab + id] = 1));
    return np.array(rows).reshape([ids.length, vocab]);
  };
  const constants = [
    oneHot(data.inputs),
    oneHot(data.targets),
    np.array(data.positions).reshape([1, length, dModel]),
    np.array(causalAlibi(1, length, [0])).reshape([1, 1, length, length]),
  ];

  const normalise = (x) => {
    const centred = x.ref.sub(np.mean(x, -1, { keepdims: true }));
    const variance = np.mean(centred.ref.mul(centred.ref), -1, { keepdims: true });
    return centred.div(np.sqrt(variance.add(1e-5)));
  };
  const loss = (list, inputs, targets, positions, mask) => {
    const weight = Object.fromEntries(names.map((name, i) => [name, list[i]]));
    const attend = (x, layer) => {
      const joined = np.matmul(normalise(x), weight[`qkv${layer}`]).reshape([batch, length, 3, heads, headDim]);
      const parts = np.split(np.transpose(joined, [2, 0, 3, 1, 4]), 3, 0);
      const [q, k, v] = parts.map((part) => part.reshape([batch, heads, length, headDim]));
      const dots = np.matmul(q, np.transpose(k, [0, 1, 3, 2])).mul(1 / Math.sqrt(headDim));
      const logits = dots.add(layer === layers - 1 ? mask : mask.ref);
      const mixed = np.transpose(np.matmul(nn.softmax(logits, -1), v), [0, 2, 1, 3]);
      return np.matmul(mixed.reshape([batch * length, dModel]), weight[`out${layer}`]);
    };
    let x = np.matmul(inputs, weight.embedding).reshape([batch, length, dModel]).add(positions);
    x = x.reshape([batch * length, dModel]);
    for (let layer = 0; layer < layers; layer++) {
      x = x.ref.add(attend(x, layer));
      const hidden = nn.relu(np.matmul(normalise(x.ref), weight[`up${layer}`]));
      x = x.add(np.matmul(hidden, weight[`down${layer}`]));
    }
    const scores = nn.logSoftmax(np.matmul(normalise(x), weight.unembedding), -1);
    return np.mean(np.sum(scores.mul(targets), -1)).mul(-1);
  };
  const gradients = jax.jit((list, ...rest) => jax.valueAndGrad(loss)(list, ...rest));
  const update = jax.jit((weight, m, v, gradient) => {
    const newM = m.mul(0.9).add(gradient.ref.mul(0.1));
    const newV = v.mul(0.999).add(gradient.ref.mul(gradient).mul(0.001));
    return [weight.sub(newM.ref.mul(1e-3).div(np.sqrt(newV.ref).add(1e-8))), newM, newV];
  });
  return async () => {
    const [cost, grads] = gradients(
      weights.map((weight) => weight.ref),
      ...constants.map((constant) => constant.ref),
    );
    for (let i = 0; i < weights.length; i++)
      [weights[i], first[i], second[i]] = update(weights[i], first[i], second[i], grads[i]);
    for (const weight of weights) await weight.blockUntilReady();
    return (await cost.data())[0];
  };
}
