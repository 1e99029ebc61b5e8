/**
 * The same work in good plain JavaScript: typed arrays, no allocation in inner loops, Math.* for functions. A peer to
 * measure against, not a reference for numbers.
 */

/** Radians per token of each pair of channels. */
function inverseFrequencies(channels) {
  return Float64Array.from({ length: channels / 2 }, (_, pair) => 10000 ** ((-2 * pair) / channels));
}

export function sinusoidalTable(length, dModel) {
  const out = new Float32Array(length * dModel);
  sinusoidalTableInto(out, length, dModel);
  return out;
}

export function sinusoidalTableInto(out, length, dModel) {
  const invFreq = inverseFrequencies(dModel);
  const pairs = invFreq.length;
  for (let position = 0, at = 0; position < length; position++) {
    for (let pair = 0; pair < pairs; pair++) {
      const angle = position * invFreq[pair];
      out[at++] = Math.sin(angle);
      out[at++] = Math.cos(angle);
    }
  }
}

/** sin and cos of a sum: every 64th position is computed, those between are turned on from it by 0 to 63 steps. */
export function sinusoidalTableByAddition(out, length, dModel) {
  const steps = 64;
  const invFreq = inverseFrequencies(dModel);
  const pairs = invFreq.length;
  const turnSin = new Float64Array(steps * pairs);
  const turnCos = new Float64Array(steps * pairs);
  for (let step = 0, turn = 0; step < steps; step++) {
    for (let pair = 0; pair < pairs; pair++, turn++) {
      turnSin[turn] = Math.sin(step * invFreq[pair]);
      turnCos[turn] = Math.cos(step * invFreq[pair]);
    }
  }
  const startSin = new Float64Array(pairs);
  const startCos = new Float64Array(pairs);
  for (let position = 0, at = 0; position < length; position++) {
    const step = position % steps;
    if (step === 0) {
      for (let pair = 0; pair < pairs; pair++) {
        startSin[pair] = Math.sin(position * invFreq[pair]);
        startCos[pair] = Math.cos(position * invFreq[pair]);
      }
    }
    for (let pair = 0, turn = step * pairs; pair < pairs; pair++, turn++) {
      const sin = turnSin[turn];
      const cos = turnCos[turn];
      const fromSin = startSin[pair];
      const fromCos = startCos[pair];
      out[at++] = fromSin * cos + fromCos * sin;
      out[at++] = fromCos * cos - fromSin * sin;
    }
  }
}

/** cos and sin, [token][pair] each. */
export function rotaryTable(cos, sin, tokens, headDim) {
  const invFreq = inverseFrequencies(headDim);
  const pairs = invFreq.length;
  for (let token = 0, at = 0; token < tokens; token++) {
    for (let pair = 0; pair < pairs; pair++, at++) {
      const angle = token * invFreq[pair];
      cos[at] = Math.cos(angle);
      sin[at] = Math.sin(angle);
    }
  }
}

/** Rotates x [head][token][head_dim] in place, one function for each layout of the pairs. */
export const rotate = {
  half(x, cos, sin, heads, tokens, headDim) {
    const pairs = headDim / 2;
    for (let head = 0, at = 0; head < heads; head++) {
      for (let token = 0, angle = 0; token < tokens; token++, at += headDim) {
        for (let pair = 0, left = at, right = at + pairs; pair < pairs; pair++, left++, right++, angle++) {
          const a = x[left];
          const b = x[right];
          x[left] = a * cos[angle] - b * sin[angle];
          x[right] = b * cos[angle] + a * sin[angle];
        }
      }
    }
  },

  interleaved(x, cos, sin, heads, tokens, headDim) {
    const pairs = (tokens * headDim) / 2; // of one head
    for (let head = 0, at = 0; head < heads; head++) {
      for (let angle = 0; angle < pairs; angle++, at += 2) {
        const a = x[at];
        const b = x[at + 1];
        x[at] = a * cos[angle] - b * sin[angle];
        x[at + 1] = b * cos[angle] + a * sin[angle];
      }
    }
  },
};

export function alibiSlopes(heads) {
  return Float32Array.from({ length: heads }, (_, head) => 2 ** ((-8 * (head + 1)) / heads));
}

export function alibiBias(heads, length) {
  const out = new Float32Array(heads * length * length);
  let at = 0;
  for (let head = 0; head < heads; head++) {
    const slope = 2 ** ((-8 * (head + 1)) / heads);
    for (let i = 0; i < length; i++) for (let j = 0; j < length; j++) out[at++] = -slope * Math.abs(i - j);
  }
  return out;
}

/** Softmax attention of one head, q, k, v [position][headDim]. */
export function attend(q, k, v, length, headDim) {
  const weights = new Float32Array(length * length);
  const out = new Float32Array(length * headDim);
  const scale = 1 / Math.sqrt(headDim);
  for (let i = 0; i < length; i++) {
    let largest = -Infinity;
    for (let j = 0; j < length; j++) {
      let sum = 0;
      for (let c = 0; c < headDim; c++) sum += q[i * headDim + c] * k[j * headDim + c];
      weights[i * length + j] = sum * scale;
      if (sum * scale > largest) largest = sum * scale;
    }
    let total = 0;
    for (let j = 0; j < length; j++) total += weights[i * length + j] = Math.exp(weights[i * length + j] - largest);
    for (let j = 0; j < length; j++) {
      const weight = (weights[i * length + j] /= total);
      for (let c = 0; c < headDim; c++) out[i * headDim + c] += weight * v[j * headDim + c];
    }
  }
  return out;
}

/** Every row of a bias that depends on the distance alone is a piece of one line: line[j - i + length - 1]. */
function copyRows(out, line, length, head) {
  for (let i = 0; i < length; i++) {
    out.set(line.subarray(length - 1 - i, 2 * length - 1 - i), (head * length + i) * length);
  }
}

export function alibiBiasInto(out, heads, length) {
  const slopes = alibiSlopes(heads);
  const line = new Float32Array(2 * length - 1);
  for (let head = 0; head < heads; head++) {
    for (let offset = 1 - length; offset < length; offset++)
      line[offset + length - 1] = -slopes[head] * Math.abs(offset);
    copyRows(out, line, length, head);
  }
}

/** Of 32 buckets, half of them for keys after the query; distances of 128 and more share the last. */
export function t5Bucket(offset) {
  const side = offset > 0 ? 16 : 0;
  const distance = Math.abs(offset);
  if (distance < 8) return side + distance;
  return side + Math.min(15, 8 + Math.floor((Math.log(distance / 8) / Math.log(16)) * 8));
}

/** weights [bucket][head] */
export function t5BiasInto(weights, out, heads, length) {
  const line = new Float32Array(2 * length - 1);
  for (let head = 0; head < heads; head++) {
    for (let offset = 1 - length; offset < length; offset++)
      line[offset + length - 1] = weights[t5Bucket(offset) * heads + head];
    copyRows(out, line, length, head);
  }
}

/** Channels of a head in attendCausal: as a constant it makes the loops a tenth faster. */
const HEAD_DIM = 64;

/**
 * c[4][4] = a[4][HEAD_DIM] times the transpose of b[4][HEAD_DIM], rows of c `cStride` apart. Sixteen sums at once: each
 * number that is loaded is used four times.
 */
function dots4x4(a, aAt, b, bAt, c, cAt, cStride) {
  let s00 = 0, s01 = 0, s02 = 0, s03 = 0, s10 = 0, s11 = 0, s12 = 0, s13 = 0; // prettier-ignore
  let s20 = 0, s21 = 0, s22 = 0, s23 = 0, s30 = 0, s31 = 0, s32 = 0, s33 = 0; // prettier-ignore
  for (let i = 0; i < HEAD_DIM; i++, aAt++, bAt++) {
    const b0 = b[bAt], b1 = b[bAt + HEAD_DIM], b2 = b[bAt + 2 * HEAD_DIM], b3 = b[bAt + 3 * HEAD_DIM]; // prettier-ignore
    const a0 = a[aAt];
    s00 += a0 * b0;
    s01 += a0 * b1;
    s02 += a0 * b2;
    s03 += a0 * b3; // prettier-ignore
    const a1 = a[aAt + HEAD_DIM];
    s10 += a1 * b0;
    s11 += a1 * b1;
    s12 += a1 * b2;
    s13 += a1 * b3; // prettier-ignore
    const a2 = a[aAt + 2 * HEAD_DIM];
    s20 += a2 * b0;
    s21 += a2 * b1;
    s22 += a2 * b2;
    s23 += a2 * b3; // prettier-ignore
    const a3 = a[aAt + 3 * HEAD_DIM];
    s30 += a3 * b0;
    s31 += a3 * b1;
    s32 += a3 * b2;
    s33 += a3 * b3; // prettier-ignore
  }
  c[cAt] = s00;
  c[cAt + 1] = s01;
  c[cAt + 2] = s02;
  c[cAt + 3] = s03; // prettier-ignore
  cAt += cStride;
  c[cAt] = s10;
  c[cAt + 1] = s11;
  c[cAt + 2] = s12;
  c[cAt + 3] = s13; // prettier-ignore
  cAt += cStride;
  c[cAt] = s20;
  c[cAt + 1] = s21;
  c[cAt + 2] = s22;
  c[cAt + 3] = s23; // prettier-ignore
  cAt += cStride;
  c[cAt] = s30;
  c[cAt + 1] = s31;
  c[cAt + 2] = s32;
  c[cAt + 3] = s33; // prettier-ignore
}

/** c[4][4] = a[4][depth] * b[depth][4], rows of a `aStride` apart, of b and c HEAD_DIM. */
function mix4x4(a, aAt, aStride, b, bAt, depth, c, cAt) {
  let s00 = 0, s01 = 0, s02 = 0, s03 = 0, s10 = 0, s11 = 0, s12 = 0, s13 = 0; // prettier-ignore
  let s20 = 0, s21 = 0, s22 = 0, s23 = 0, s30 = 0, s31 = 0, s32 = 0, s33 = 0; // prettier-ignore
  for (let i = 0; i < depth; i++, aAt++, bAt += HEAD_DIM) {
    const b0 = b[bAt], b1 = b[bAt + 1], b2 = b[bAt + 2], b3 = b[bAt + 3]; // prettier-ignore
    const a0 = a[aAt];
    s00 += a0 * b0;
    s01 += a0 * b1;
    s02 += a0 * b2;
    s03 += a0 * b3; // prettier-ignore
    const a1 = a[aAt + aStride];
    s10 += a1 * b0;
    s11 += a1 * b1;
    s12 += a1 * b2;
    s13 += a1 * b3; // prettier-ignore
    const a2 = a[aAt + 2 * aStride];
    s20 += a2 * b0;
    s21 += a2 * b1;
    s22 += a2 * b2;
    s23 += a2 * b3; // prettier-ignore
    const a3 = a[aAt + 3 * aStride];
    s30 += a3 * b0;
    s31 += a3 * b1;
    s32 += a3 * b2;
    s33 += a3 * b3; // prettier-ignore
  }
  c[cAt] = s00;
  c[cAt + 1] = s01;
  c[cAt + 2] = s02;
  c[cAt + 3] = s03; // prettier-ignore
  cAt += HEAD_DIM;
  c[cAt] = s10;
  c[cAt + 1] = s11;
  c[cAt + 2] = s12;
  c[cAt + 3] = s13; // prettier-ignore
  cAt += HEAD_DIM;
  c[cAt] = s20;
  c[cAt + 1] = s21;
  c[cAt + 2] = s22;
  c[cAt + 3] = s23; // prettier-ignore
  cAt += HEAD_DIM;
  c[cAt] = s30;
  c[cAt + 1] = s31;
  c[cAt + 2] = s32;
  c[cAt + 3] = s33; // prettier-ignore
}

/** Softmax of row `query` of the block, in place: keys after it get weight 0. */
function causalSoftmax(weights, at, query, keys, scale, slope) {
  let largest = -Infinity;
  for (let key = 0; key <= query; key++) {
    const logit = weights[at + key] * scale + slope * (key - query);
    weights[at + key] = logit;
    if (logit > largest) largest = logit;
  }
  let total = 0;
  for (let key = 0; key <= query; key++) total += weights[at + key] = Math.exp(weights[at + key] - largest);
  for (let key = 0; key <= query; key++) weights[at + key] /= total;
  weights.fill(0, at + query + 1, at + keys);
}

/**
 * Causal attention with ALiBi, all arrays [head][token][HEAD_DIM]; tokens are a multiple of 4. Four queries at a time:
 * of the weights only their rows exist.
 */
export function attendCausal(out, q, k, v, slopes, tokens) {
  const weights = new Float32Array(4 * tokens);
  const scale = 1 / Math.sqrt(HEAD_DIM);
  for (let head = 0; head < slopes.length; head++) {
    const start = head * tokens * HEAD_DIM;
    for (let query = 0; query < tokens; query += 4) {
      const keys = query + 4;
      const row = start + query * HEAD_DIM;
      for (let key = 0; key < keys; key += 4) dots4x4(q, row, k, start + key * HEAD_DIM, weights, key, tokens);
      for (let i = 0; i < 4; i++) causalSoftmax(weights, i * tokens, query + i, keys, scale, slopes[head]);
      for (let channel = 0; channel < HEAD_DIM; channel += 4)
        mix4x4(weights, 0, tokens, v, start + channel, keys, out, row + channel);
    }
  }
}
