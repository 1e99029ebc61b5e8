/** Small makers of contenders that all workloads share. */

export const missing = (role, name, reason) => ({ role, name, missing: reason });

/** What each of the peers that take part offers for a workload. */
export function peerContenders(peers, workload, size) {
  return Object.entries(peers).flatMap(([role, peer]) => {
    if (peer.missing !== undefined) return [missing(role, role, peer.missing)];
    const offered = peer[workload]?.(size);
    if (offered === undefined) return [missing(role, role, 'does not offer it')];
    return [offered].flat().map((contender) => ({ role, ...contender }));
  });
}

/** Numbers in -1..1 that look random and are the same every time. */
export function noise(length, seed = 1) {
  const out = new Float32Array(length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    out[i] = state / 2 ** 31;
  }
  return out;
}

/** An array in WebAssembly memory as long as `run` needs it. */
export function withWasmArray(posenc, lengthOrData, make) {
  const array = posenc.wasmArray(lengthOrData);
  return { ...make(array), dispose: () => array.dispose() };
}
