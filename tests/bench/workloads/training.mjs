/** W5: one training step (forward, backward, Adam) of a small causal Transformer. */
import { NO_LANGUAGE_MODEL } from '../abilities.mjs';
import { missing, peerContenders } from './contenders.mjs';

const MODEL = { layers: 2, dModel: 64, heads: 4, ff: 256, length: 64, batch: 32, vocab: 128 };

export const training = {
  id: 'W5',
  title: 'training step',
  sizes: [MODEL],
  checkSizes: [],
  label: ({ layers, dModel, length, batch }) => `${layers} layers, d ${dModel}, ${batch} x ${length} tokens`,
  budgetMs: 15_000,

  contenders({ languageModel, limits, peers }, size) {
    return [
      trainingStep(languageModel, size),
      { role: 'limit', name: 'matrix products', ...limits.multiply(trainingFlop(size)) },
      ...peerContenders(peers, 'training', size),
    ];
  },
};

/** posenc's own step: AdamW, gains and biases, GELU. */
function trainingStep(languageModel, size) {
  if (languageModel === null) return missing('posenc', 'C++ library', NO_LANGUAGE_MODEL);
  let step;
  return { role: 'posenc', name: 'C++ library', run: () => (step ??= languageModel(size))() };
}

/** Of all matrix products; backward takes twice as many as forward. */
export function trainingFlop({ layers, dModel, ff, length, batch, vocab }) {
  const tokens = batch * length;
  const projections = 2 * tokens * dModel * (3 * dModel + dModel + 2 * ff);
  const attention = 2 * 2 * tokens * length * dModel;
  return 3 * (layers * (projections + attention) + 2 * tokens * dModel * vocab);
}
