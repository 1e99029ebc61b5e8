/** The limits of limits.cpp as contenders. */

const FLOATS = 4; // bytes of one
const PAGE = 65536;
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
      return { run: () => fill(out, count, 1) };
    },
    copy(count) {
      const [from, to] = reserve(count, count);
      return { run: () => copy(from, to, count) };
    },
    scale(count) {
      const [x] = reserve(count);
      return { run: () => scale(x, count, 1.0001) };
    },
    /** As many products of tiles as have `flop` multiplications and additions. */
    multiply(flop) {
      const { rows, side } = TILE;
      const [a, b, c] = reserve(rows * side, side * side, rows * side);
      const repetitions = Math.round(flop / (2 * rows * side * side));
      return { run: () => multiply(a, b, c, repetitions) };
    },
  };
}
