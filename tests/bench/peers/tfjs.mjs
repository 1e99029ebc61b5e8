/** TensorFlow.js, WebAssembly backend, one thread. */
import { t5Bucket } from '../plain_js.mjs';
import { noise } from '../workloads/contenders.mjs';
import { causalAlibi, inverseFrequencies, transformerData } from './inputs.mjs';

async function ready(tf) {
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
  if (!(await tf.setBackend('wasm'))) throw new Error('the WebAssembly backend did not start');
  await tf.ready();
}

/** Something small, to see when the library is ready. */
export async function firstResult(tf) {
  await ready(tf);
  return tf.sin(tf.tensor(noise(1024), [16, 64])).dataSync()[0];
}

export async function start(tf) {
  await ready(tf);

  /** `prepare` makes the inputs once and gives the function that computes a tensor from them. */
  const contender = (name, prepare) => {
    let compute;
    const result = () => tf.tidy((compute ??= prepare()));
    return {
      name,
      run: () => result().dispose(),
      async value() {
        const tensor = result();
        const data = await tensor.data();
        tensor.dispose();
        return data;
      },
    };
  };
  const count = (length) => Float32Array.from({ length }, (_, i) => i);

  return {
    sinusoidal: ({ length, dModel }) =>
      contender('mul, sin, cos, stack', () => {
        const positions = tf.tensor(count(length), [length, 1]);
        const frequencies = tf.tensor(inverseFrequencies(dModel), [1, dModel / 2]);
        return () => {
          const angles = tf.mul(positions, frequencies);
          return tf.reshape(tf.stack([tf.sin(angles), tf.cos(angles)], 2), [length, dModel]);
        };
      }),

    rope({ layout, heads, tokens, headDim, q, k }) {
      const pairs = headDim / 2;
      const shape = [heads, tokens, headDim];
      let inputs;
      const prepare = () => {
        const angles = tf.mul(
          tf.tensor(count(tokens), [1, tokens, 1]),
          tf.tensor(inverseFrequencies(headDim), [1, 1, pairs]),
        );
        return { q: tf.tensor(q, shape), k: tf.tensor(k, shape), cos: tf.cos(angles), sin: tf.sin(angles) };
      };
      const rotate = (x) => {
        const parts =
          layout === 'half'
            ? tf.split(x, 2, 2)
            : tf
                .split(tf.reshape(x, [heads, tokens, pairs, 2]), 2, 3)
                .map((t) => tf.reshape(t, [heads, tokens, pairs]));
        const [a, b] = parts;
        const left = tf.sub(tf.mul(a, inputs.cos), tf.mul(b, inputs.sin));
        const right = tf.add(tf.mul(b, inputs.cos), tf.mul(a, inputs.sin));
        return layout === 'half' ? tf.concat([left, right], 2) : tf.reshape(tf.stack([left, right], 3), shape);
      };
      const one = (x) => contender('mul, add', () => ((inputs ??= prepare()), () => rotate(inputs[x])));
      const [first, second] = [one('q'), one('k')];
      return {
        ...first,
        run() {
          first.run();
          second.run();
        },
      };
    },

    alibi: ({ heads, length }) =>
      contender('sub, abs, mul', () => {
        const queries = tf.tensor(count(length), [1, length, 1]);
        const keys = tf.tensor(count(length), [1, 1, length]);
        const slopes = tf.tensor(
          count(heads).map((head) => -(2 ** ((-8 * (head + 1)) / heads))),
          [heads, 1, 1],
        );
        return () => tf.mul(slopes, tf.abs(tf.sub(keys, queries)));
      }),

    t5: ({ heads, length, weights }) =>
      contender('buckets by JS, gather', () => {
        const table = tf.tensor(weights, [32, heads]);
        return () => {
          const buckets = new Int32Array(length * length);
          for (let i = 0, at = 0; i < length; i++) for (let j = 0; j < length; j++, at++) buckets[at] = t5Bucket(j - i);
          const rows = tf.gather(table, tf.tensor(buckets, [length * length], 'int32'));
          return tf.reshape(tf.transpose(rows), [heads, length, length]);
        };
      }),

    attention({ heads, tokens, headDim, q, k, v, slopes }) {
      // All heads at once where their matrices fit into memory, else one after the other.
      const together = tokens > 1024 ? 1 : heads;
      const shape = [together, tokens, headDim];
      const part = (x, i) => tf.tensor(x.subarray(i * shapeSize(shape), (i + 1) * shapeSize(shape)), shape);
      return contender('matMul, softmax', () => {
        const parts = Array.from({ length: heads / together }, (_, i) => [q, k, v].map((x) => part(x, i)));
        const bias = tf.tensor(causalAlibi(together, tokens, slopes), [together, tokens, tokens]);
        const attend = ([qs, ks, vs]) =>
          tf.tidy(() => {
            const logits = tf.add(tf.mul(tf.matMul(qs, ks, false, true), 1 / Math.sqrt(headDim)), bias);
            return tf.matMul(tf.softmax(logits), vs);
          });
        return () => tf.concat(parts.map(attend), 0);
      });
    },

    training(model) {
      let step;
      return { name: 'Adam', run: () => (step ??= trainingStep(tf, model))() };
    },
  };
}

const shapeSize = (shape) => shape.reduce((product, length) => product * length, 1);

/** A pre-norm Transformer without biases and gains; returns the function that trains it by one step. */
function trainingStep(tf, model) {
  const { layers, dModel, heads, length, batch, vocab } = model;
  const headDim = dModel / heads;
  const data = transformerData(model);
  const weights = Object.fromEntries(
    Object.entries(data.weights).map(([name, { values, shape }]) => [name, tf.variable(tf.tensor(values, shape))]),
  );
  const oneHot = (ids) => tf.cast(tf.oneHot(tf.tensor1d(ids, 'int32'), vocab), 'float32');
  const inputs = oneHot(data.inputs);
  const targets = oneHot(data.targets);
  const positions = tf.tensor(data.positions, [1, length, dModel]);
  const mask = tf.tensor(causalAlibi(1, length, [0]), [1, length, length]);

  const normalise = (x) => {
    const centred = tf.sub(x, tf.mean(x, -1, true));
    return tf.mul(centred, tf.rsqrt(tf.add(tf.mean(tf.square(centred), -1, true), 1e-5)));
  };
  const attend = (x, layer) => {
    const joined = tf.reshape(tf.matMul(normalise(x), weights[`qkv${layer}`]), [batch, length, 3, heads, headDim]);
    const split = tf.split(
      tf.reshape(tf.transpose(joined, [2, 0, 3, 1, 4]), [3, batch * heads, length, headDim]),
      3,
      0,
    );
    const [q, k, v] = split.map((t) => tf.reshape(t, [batch * heads, length, headDim]));
    const logits = tf.add(tf.mul(tf.matMul(q, k, false, true), 1 / Math.sqrt(headDim)), mask);
    const mixed = tf.reshape(tf.matMul(tf.softmax(logits), v), [batch, heads, length, headDim]);
    const rows = tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [batch * length, dModel]);
    return tf.matMul(rows, weights[`out${layer}`]);
  };
  const loss = () => {
    const embedded = tf.reshape(tf.matMul(inputs, weights.embedding), [batch, length, dModel]);
    let x = tf.reshape(tf.add(embedded, positions), [batch * length, dModel]);
    for (let layer = 0; layer < layers; layer++) {
      x = tf.add(x, attend(x, layer));
      const hidden = tf.relu(tf.matMul(normalise(x), weights[`up${layer}`]));
      x = tf.add(x, tf.matMul(hidden, weights[`down${layer}`]));
    }
    const logits = tf.matMul(normalise(x), weights.unembedding);
    return tf.neg(tf.mean(tf.sum(tf.mul(targets, tf.logSoftmax(logits)), -1)));
  };
  const optimizer = tf.train.adam(1e-3);
  return () => {
    const cost = optimizer.minimize(loss, true);
    const [value] = cost.dataSync();
    cost.dispose();
    return value;
  };
}
