/**
 * The same work in good plain JavaScript: typed arrays, no allocation in inner loops, Math.* for functions. A peer to
 * measure against, not a reference for numbers.
 */

export function sinusoidalTable(length, dModel) {
  const out = new Float32Array(length * dModel);
  const pairs = dModel / 2;
  const invFreq = Float64Array.from({ length: pairs }, (_, pair) => 10000 ** ((-2 * pair) / dModel));
  for (let position = 0, at = 0; position < length; position++) {
    for (let pair = 0; pair < pairs; pair++) {
      const angle = position * invFreq[pair];
      out[at++] = Math.sin(angle);
      out[at++] = Math.cos(angle);
    }
  }
  return out;
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
