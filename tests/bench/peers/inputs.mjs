/** What several peers are fed with. */
import { sinusoidalTable } from '../plain_js.mjs';
import { noise } from '../workloads/contenders.mjs';

export function inverseFrequencies(channels) {
  return Float32Array.from({ length: channels / 2 }, (_, pair) => 10000 ** ((-2 * pair) / channels));
}

/** [head][query][key], with a very small number where the mask hides a key. */
export function causalAlibi(heads, tokens, slopes) {
  const out = new Float32Array(heads * tokens * tokens);
  let at = 0;
  for (let head = 0; head < heads; head++)
    for (let i = 0; i < tokens; i++) for (let j = 0; j < tokens; j++) out[at++] = j > i ? -1e9 : slopes[head] * (j - i);
  return out;
}

/** Weights, texts and positions of the Transformer that the peers train in W5. */
export function transformerData({ layers, dModel, ff, length, batch, vocab }) {
  const weights = {};
  const add = (name, rows, cols) => {
    const size = 1 / Math.sqrt(rows);
    weights[name] = { values: noise(rows * cols, rows + cols).map((x) => x * size), shape: [rows, cols] };
  };
  add('embedding', vocab, dModel);
  add('unembedding', dModel, vocab);
  for (let layer = 0; layer < layers; layer++) {
    add(`qkv${layer}`, dModel, 3 * dModel);
    add(`out${layer}`, dModel, dModel);
    add(`up${layer}`, dModel, ff);
    add(`down${layer}`, ff, dModel);
  }
  // Each text counts upwards in steps of its own; the next token is the target.
  const token = (text, position) => (text * 5 + position * (1 + (text % 7))) % vocab;
  const texts = (shift) => Int32Array.from({ length: batch * length }, (_, i) => token(Math.floor(i / length), (i % length) + shift)); // prettier-ignore
  return { weights, inputs: texts(0), targets: texts(1), positions: sinusoidalTable(length, dModel) };
}
