/** The engine through its npm API, in Node, beside plain JavaScript in the same process. */
import { load } from '../../dist/node.js';
import { measure } from './measure.mjs';
import { alibiBias, attend, sinusoidalTable } from './plain_js.mjs';

const A = 'the quick brown fox jumps over lazy dogs'.split(' ');
const B = A.with(1, A[3]).with(3, A[1]);

function randomTensor(...shape) {
  const size = shape.reduce((product, length) => product * length, 1);
  return { data: Float32Array.from({ length: size }, (_, i) => Math.sin(i * 12.9898)), shape };
}

/** [what, posenc ms, plain JavaScript ms] */
export async function measureEngine() {
  const posenc = await load();
  const rows = [];
  const against = (what, runs) => {
    const { posenc: own, plain } = measure(runs);
    rows.push({ what, own, plain });
  };
  against('sinusoidal table 4096 x 128', {
    posenc: () => posenc.table({ kind: 'sinusoidal' }, { length: 4096, dims: { dModel: 128, nHeads: 1 } }),
    plain: () => sinusoidalTable(4096, 128),
  });
  against('ALiBi bias 8 x 512 x 512', {
    posenc: () => posenc.bias({ kind: 'alibi' }, { queries: 512, keys: 512, dims: { nHeads: 8, dModel: 64 } }),
    plain: () => alibiBias(8, 512),
  });
  const [q, k, v] = [1, 2, 3].map(() => randomTensor(1, 512, 64));
  against('attention 1 x 512 x 64, with logits', {
    posenc: () => posenc.attend({ encoding: { kind: 'none' }, q, k, v }),
    plain: () => attend(q.data, k.data, v.data, 512, 64),
  });
  const takes = (encoding) => {
    try {
      return posenc.compare({ encoding, a: A, b: B }).maxDelta >= 0;
    } catch {
      return false; // a window of a picture that is narrower than the sentence
    }
  };
  const layer = posenc.encodings.map(({ kind }) => ({ kind })).filter(takes);
  const { keystroke } = measure({
    keystroke() {
      for (const encoding of layer) {
        posenc.compare({ encoding, a: A, b: B });
        posenc.compare({ encoding, a: A, b: B, mask: { kind: 'causal' } });
        posenc.invariances({ encoding, tokens: A });
      }
    },
  });
  return { rows, keystroke, encodings: layer.length };
}
