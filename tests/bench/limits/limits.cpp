/// What WebAssembly can do at most on this machine: how fast memory is written, read and changed, and how many
/// multiplications and additions a matrix product reaches. Sizes are counts of floats, multiples of 16.

#include <cstddef>

#include <wasm_simd128.h>

namespace {

constexpr int kTileRows = 32;  // the tile of attention: 32 queries x 64 keys (or channels)
constexpr int kTileSide = 64;
constexpr int kRows = 4;  // with 2 vectors of columns: 8 sums, 2 columns and 1 factor stay in registers
constexpr int kVectors = 2;

/// c[4][8] = a[4][64] * b[64][8], rows of all three 64 floats apart.
void multiply_block(const float* a, const float* b, float* c) {
  v128_t sums[kRows][kVectors] = {};
// V8 keeps the sums in registers only while the loop is not unrolled.
#pragma clang loop unroll_count(1)
  for (int k = 0; k < kTileSide; ++k) {
    const v128_t left = wasm_v128_load(b + k * kTileSide);
    const v128_t right = wasm_v128_load(b + k * kTileSide + 4);
    for (int row = 0; row < kRows; ++row) {
      const v128_t factor = wasm_v128_load32_splat(a + row * kTileSide + k);
      sums[row][0] = wasm_f32x4_add(sums[row][0], wasm_f32x4_mul(factor, left));
      sums[row][1] = wasm_f32x4_add(sums[row][1], wasm_f32x4_mul(factor, right));
    }
  }
  for (int row = 0; row < kRows; ++row) {
    for (int vector = 0; vector < kVectors; ++vector) {
      wasm_v128_store(c + row * kTileSide + vector * 4, sums[row][vector]);
    }
  }
}

}  // namespace

extern "C" {

/// 16 floats at a time, as all below.
void fill(float* out, std::size_t count, float value) {
  const v128_t four = wasm_f32x4_splat(value);
  for (std::size_t i = 0; i < count; i += 16) {
    for (std::size_t lane = 0; lane < 16; lane += 4) wasm_v128_store(out + i + lane, four);
  }
}

void copy(const float* in, float* out, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 16) {
    v128_t four[4];
    for (std::size_t part = 0; part < 4; ++part) four[part] = wasm_v128_load(in + i + 4 * part);
    for (std::size_t part = 0; part < 4; ++part) wasm_v128_store(out + i + 4 * part, four[part]);
  }
}

void scale(float* x, std::size_t count, float factor) {
  const v128_t four_factors = wasm_f32x4_splat(factor);
  for (std::size_t i = 0; i < count; i += 16) {
    v128_t four[4];
    for (std::size_t part = 0; part < 4; ++part) four[part] = wasm_v128_load(x + i + 4 * part);
    for (std::size_t part = 0; part < 4; ++part) {
      wasm_v128_store(x + i + 4 * part, wasm_f32x4_mul(four[part], four_factors));
    }
  }
}

/// c[32][64] = a[32][64] * b[64][64], again and again; all three stay in the first cache.
void multiply(const float* a, const float* b, float* c, int repetitions) {
  for (int i = 0; i < repetitions; ++i) {
    for (int col = 0; col < kTileSide; col += 4 * kVectors) {
      for (int row = 0; row < kTileRows; row += kRows) {
        multiply_block(a + row * kTileSide, b + col, c + row * kTileSide + col);
      }
    }
    asm volatile("" ::: "memory");  // each repetition is done
  }
}

}  // extern "C"
