/** W4: causal attention with ALiBi, [head][token][64] in, the output alone out. */
import { NO_ATTEND_OUTPUT } from '../abilities.mjs';
import { alibiSlopes, attendCausal } from '../plain_js.mjs';
import { missing, noise, peerContenders } from './contenders.mjs';

const HEAD_DIM = 64;

export const attention = {
  id: 'W4',
  title: 'causal attention with ALiBi',
  sizes: [
    { heads: 8, tokens: 1024 },
    { heads: 8, tokens: 4096, large: true },
  ],
  checkSizes: [
    { heads: 2, tokens: 512 },
    { heads: 1, tokens: 1024 },
  ],
  label: ({ heads, tokens }) => `${heads} x ${tokens} x ${HEAD_DIM}`,
  tolerance: 1e-4,
  /** Peers may have one bias for all heads, that of the first (see peers/): the work is the same, the numbers are not. */
  compared: ({ tokens }) => tokens * HEAD_DIM,
  budgetMs: 15_000,

  contenders({ posenc, abilities, limits, peers }, size) {
    const { heads, tokens } = size;
    const shape = [heads, tokens, HEAD_DIM];
    const [q, k, v] = [1, 2, 3].map((seed) => noise(heads * tokens * HEAD_DIM, seed));
    const slopes = alibiSlopes(heads);
    const out = new Float32Array(q.length);
    const runPlain = () => attendCausal(out, q, k, v, slopes, tokens);
    const input = { q: { data: q, shape }, k: { data: k, shape }, v: { data: v, shape } };
    const options = { encoding: { kind: 'alibi' }, ...input, mask: { kind: 'causal' } };
    const run = () => posenc.attendOutput(options);
    return [
      abilities.attendOutput
        ? { role: 'posenc', name: 'output only', run, value: () => run().data }
        : missing('posenc', 'output only', NO_ATTEND_OUTPUT),
      { role: 'limit', name: 'matrix product', ...limits.multiply(attentionFlop(size)) },
      { role: 'plain', name: 'blocks of 4 x 4', run: runPlain, value: () => (runPlain(), out) },
      ...peerContenders(peers, 'attention', { ...size, headDim: HEAD_DIM, q, k, v, slopes }),
    ];
  },
};

/** Multiplications and additions of both products, below the diagonal. */
function attentionFlop({ heads, tokens }) {
  return 4 * heads * HEAD_DIM * ((tokens * (tokens + 1)) / 2);
}

/** The matrices as well, as the page needs them: only the check measures it. */
export const attentionWithMatrices = {
  id: 'W4',
  title: 'causal attention with ALiBi, with its matrices',
  sizes: [],
  checkSizes: [{ heads: 2, tokens: 512 }],
  label: attention.label,
  tolerance: attention.tolerance,

  contenders(environment, size) {
    const { heads, tokens } = size;
    const shape = [heads, tokens, HEAD_DIM];
    const input = (seed) => ({ data: noise(heads * tokens * HEAD_DIM, seed), shape });
    const options = { encoding: { kind: 'alibi' }, q: input(1), k: input(2), v: input(3), mask: { kind: 'causal' } };
    const run = () => environment.posenc.attend(options);
    return [
      { role: 'posenc', name: 'weights, logits, output', run, value: () => run().output.data },
      ...attention.contenders(environment, size).filter(({ role }) => role !== 'posenc'),
    ];
  },
};
