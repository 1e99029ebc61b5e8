/** The limits of limits.cpp as contenders. */

const FLOATS = 4; // bytes of one
const PAGE = 65536;
const bytesOf = (count) => (count * FLOATS) / 1e9; // in GB
const TILE = { rows: 32, side: 64 };

/** @param bytes  of the compiled limits.cpp, or null with the reason why there are none */
export async function loadLimits(bytes, reason) {
  if (bytes === null) {
    const none = () => ({ missing: reason });
    return { fill: none, copy: none, scale: none, multiply: none };
  }
  const { instance } = await WebAssembly.instantiate(bytes);
  const { memory, __heap_base: heapBase, fill, copy, scale, multiply } = instance.exports;
  const start = Math.ceil(heapBase.value / PAGE) * PAGE;

  /** Addresses of arrays, all filled with ones. What another limit has there does not matter to it. */
  function reserve(...counts) {
    const addresses = [];
    let end = start;
    for (const count of counts) {
      addresses.push(end);
      end += count * FLOATS;
    }
    const missingPages = Math.ceil(end / PAGE) - memory.buffer.byteLength / PAGE;
    if (missingPages > 0) memory.grow(missingPages);
    fill(start, (end - start) / FLOATS, 1);
    return addresses;
  }

  return {
    fill(count) {
      const [out] = reserve(count);
      return { run: () => fill(out, count, 1), amount: { GB: bytesOf(count) } };
    },
    copy(count) {
      const [from, to] = reserve(count, count);
      return { run: () => copy(from, to, count), amount: { GB: bytesOf(2 * count) } };
    },
    scale(count) {
      const [x] = reserve(count);
      return { run: () => scale(x, count, 1.0001), amount: { GB: bytesOf(2 * count) } };
    },
    /** As many products of tiles as have `flop` multiplications and additions. */
    multiply(flop) {
      const { rows, side } = TILE;
      const [a, b, c] = reserve(rows * side, side * side, rows * side);
      const repetitions = Math.round(flop / (2 * rows * side * side));
      return { run: () => multiply(a, b, c, repetitions), amount: { GFLOP: flop / 1e9 } };
    },
  };
}

/** What no function that returns new arrays can do without: to make and fill them. `of`: which way of posenc that is. */
export function freshArrays(of, ...counts) {
  const run = () => counts.map((count) => new Float32Array(count).fill(1));
  const count = counts.reduce((sum, one) => sum + one, 0);
  return { role: 'limit', name: 'fill new arrays', of, run, amount: { GB: bytesOf(count) } };
}
