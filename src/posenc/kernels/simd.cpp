#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/by_scalar.hpp"
#include "kernels/constants.hpp"
#include "kernels/kernels.hpp"
#include "kernels/simd_batch.hpp"
#include "kernels/simd_products.hpp"

// What is left over after the last whole block goes through the scalar twin's arithmetic.

namespace posenc::kernels {
namespace {

float dot(std::span<const float> a, std::span<const float> b) {
  assert(a.size() == b.size());
  const std::size_t whole = whole_blocks(a.size(), kFloats);
  Floats lanes(0.0F);
  for (std::size_t i = 0; i < whole; i += kFloats) {
    lanes += Floats::load_unaligned(&a[i]) * Floats::load_unaligned(&b[i]);
  }
  return total(lanes, whole, a.size(), [&](std::size_t i) { return a[i] * b[i]; });
}

void add_scaled(float factor, std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size());
  const std::size_t whole = whole_blocks(x.size(), kFloats);
  const Floats factors(factor);
  for (std::size_t i = 0; i < whole; i += kFloats) {
    (Floats::load_unaligned(&y[i]) + factors * Floats::load_unaligned(&x[i])).store_unaligned(&y[i]);
  }
  by_scalar::add_scaled(factor, x.subspan(whole), y.subspan(whole));
}

void scale(float factor, std::span<float> x) {
  const std::size_t whole = whole_blocks(x.size(), kFloats);
  const Floats factors(factor);
  for (std::size_t i = 0; i < whole; i += kFloats) {
    (Floats::load_unaligned(&x[i]) * factors).store_unaligned(&x[i]);
  }
  by_scalar::scale(factor, x.subspan(whole));
}

// As whole numbers, magnitudes have the order of the floats, with NaN above infinity.
using Magnitudes = xsimd::batch<std::uint32_t, Floats::arch_type>;

Magnitudes magnitudes(Floats x) { return xsimd::bitwise_cast<std::uint32_t>(x) & Magnitudes(kMagnitudeBits); }

float add(std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size());
  const std::size_t whole = whole_blocks(x.size(), kFloats);
  Magnitudes largest(0U);
  for (std::size_t i = 0; i < whole; i += kFloats) {
    const Floats summand = Floats::load_unaligned(&x[i]);
    (Floats::load_unaligned(&y[i]) + summand).store_unaligned(&y[i]);
    largest = xsimd::max(largest, magnitudes(summand));
  }
  const std::uint32_t rest = by_scalar::add_bits(x.subspan(whole), y.subspan(whole));
  return std::bit_cast<float>(std::max(xsimd::reduce_max(largest), rest));
}

float largest_magnitude(std::span<const float> x) {
  const std::size_t whole = whole_blocks(x.size(), kFloats);
  Magnitudes largest(0U);
  for (std::size_t i = 0; i < whole; i += kFloats) {
    largest = xsimd::max(largest, magnitudes(Floats::load_unaligned(&x[i])));
  }
  return std::bit_cast<float>(std::max(xsimd::reduce_max(largest), by_scalar::largest_bits(x.subspan(whole))));
}

void sin_cos(double position, std::span<const double> inv_freq, std::span<double> sin, std::span<double> cos) {
  assert(inv_freq.size() == sin.size() && inv_freq.size() == cos.size());
  using Bits = xsimd::batch<std::uint64_t, Doubles::arch_type>;
  const std::size_t whole = whole_blocks(inv_freq.size(), kDoubles);
  const Doubles round(kRoundDouble);
  for (std::size_t i = 0; i < whole; i += kDoubles) {
    const Doubles angle = Doubles(position) * Doubles::load_unaligned(&inv_freq[i]);
    const Doubles rounded = angle * Doubles(kTwoOverPi) + round;
    const Doubles n = rounded - round;
    const Doubles r = ((angle - n * Doubles(kHalfPi[0])) - n * Doubles(kHalfPi[1])) - n * Doubles(kHalfPi[2]);
    const Doubles square = r * r;
    const Doubles sine = r + r * square * polynomial(kSin, square);
    const Doubles cosine = (Doubles(1.0) - Doubles(0.5) * square) + square * square * polynomial(kCos, square);
    const Bits quadrant = xsimd::bitwise_cast<std::uint64_t>(rounded);
    const auto swapped = xsimd::batch_bool_cast<double>((quadrant & Bits(1)) != Bits(0));
    // Bit 1 of the quadrant is the sign; moved to bit 63 it flips a double.
    const Doubles sin_sign = xsimd::bitwise_cast<double>((quadrant & Bits(2)) << 62);
    const Doubles cos_sign = xsimd::bitwise_cast<double>(((quadrant + Bits(1)) & Bits(2)) << 62);
    (xsimd::select(swapped, cosine, sine) ^ sin_sign).store_unaligned(&sin[i]);
    (xsimd::select(swapped, sine, cosine) ^ cos_sign).store_unaligned(&cos[i]);
  }
  by_scalar::sin_cos(position, inv_freq.subspan(whole), sin.subspan(whole), cos.subspan(whole));
}

/// Two doubles, rounded to float, in the first two lanes. xsimd has no such conversion, and one through memory is
/// slower.
Floats narrow(Doubles wide) {
#if defined(__wasm_simd128__)
  return wasm_f32x4_demote_f64x2_zero(wide);
#elif defined(__SSE2__)
  return _mm_cvtpd_ps(wide);
#else
  alignas(Floats::arch_type::alignment()) float narrowed[kFloats] = {};
  for (std::size_t lane = 0; lane < kDoubles; ++lane) narrowed[lane] = static_cast<float>(wide.get(lane));
  return Floats::load_aligned(narrowed);
#endif
}

/// [a[0], a[1], b[0], b[1]].
Floats join(Floats a, Floats b) {
  return xsimd::shuffle(a, b, xsimd::batch_constant<std::uint32_t, Floats::arch_type, 0, 1, 4, 5>{});
}

/// Two angles by sine and cosine.
struct AnglesBlock {
  Doubles sin;
  Doubles cos;
};

AnglesBlock load(const double* sin, const double* cos) {
  return {Doubles::load_unaligned(sin), Doubles::load_unaligned(cos)};
}

AnglesBlock sum(const AnglesBlock& a, const AnglesBlock& b) {
  return {a.sin * b.cos + a.cos * b.sin, a.cos * b.cos - a.sin * b.sin};
}

AnglesBlock difference(const AnglesBlock& a, const AnglesBlock& b) {
  return {a.sin * b.cos - a.cos * b.sin, a.cos * b.cos + a.sin * b.sin};
}

/// Four angles: in columns of their own, or sine beside cosine.
template <bool kInterleaved>
void store(const AnglesBlock& low, const AnglesBlock& high, float* sin, float* cos) {
  if constexpr (kInterleaved) {
    xsimd::zip_lo(narrow(low.sin), narrow(low.cos)).store_unaligned(sin);
    xsimd::zip_lo(narrow(high.sin), narrow(high.cos)).store_unaligned(sin + kFloats);
  } else {
    join(narrow(low.sin), narrow(high.sin)).store_unaligned(sin);
    join(narrow(low.cos), narrow(high.cos)).store_unaligned(cos);
  }
}

template <bool kInterleaved>
void add_angles_as(const AnglesView& a, const AnglesView& b, const AnglesView& steps, const TileView& tile) {
  constexpr std::size_t kStep = kInterleaved ? 2 : 1;
  const std::size_t pairs = a.sin.size();
  assert(b.sin.size() == pairs && steps.sin.size() >= kHalfTile * pairs);
  const std::size_t whole = whole_blocks(pairs, kFloats);
  // Copies, or the compiler reads them again after every store.
  const auto [a_sin, a_cos] = a;
  const auto [b_sin, b_cos] = b;
  const auto [step_sin, step_cos] = steps;
  const std::size_t to_next_step = step_sin.size() / kHalfTile;
  const std::size_t stride = tile.stride;
  float* const sin_centre = tile.sin.data() + kHalfTile * stride;
  float* const cos_centre = tile.cos.data() + kHalfTile * stride;
  for (std::size_t i = 0; i < whole; i += kFloats) {
    const std::size_t j = i + kDoubles;
    const AnglesBlock low = sum(load(&a_sin[i], &a_cos[i]), load(&b_sin[i], &b_cos[i]));
    const AnglesBlock high = sum(load(&a_sin[j], &a_cos[j]), load(&b_sin[j], &b_cos[j]));
    const double* sin = &step_sin[i];
    const double* cos = &step_cos[i];
    float* sin_above = sin_centre + kStep * i;
    float* cos_above = cos_centre + kStep * i;
    float* sin_below = sin_above - stride;
    float* cos_below = cos_above - stride;
    // Unrolled, each row has a store of its own, whose even stride the processor can foresee: half the time of a rolled
    // loop where the table is larger than the caches.
#pragma GCC unroll 8
    for (std::size_t row = 0; row < kHalfTile; ++row) {
      const AnglesBlock low_step = load(sin, cos);
      const AnglesBlock high_step = load(sin + kDoubles, cos + kDoubles);
      store<kInterleaved>(sum(low, low_step), sum(high, high_step), sin_above, cos_above);
      store<kInterleaved>(difference(low, low_step), difference(high, high_step), sin_below, cos_below);
      sin += to_next_step;
      cos += to_next_step;
      sin_above += stride;
      cos_above += stride;
      sin_below -= stride;
      cos_below -= stride;
    }
  }
  by_scalar::add_angles_from(whole, kStep, a, b, steps, tile);
}

void add_angles(const AnglesView& a, const AnglesView& b, const AnglesView& steps, const TileView& tile) {
  add_angles_as<false>(a, b, steps, tile);
}

void add_angles_interleaved(const AnglesView& a, const AnglesView& b, const AnglesView& steps, const TileView& tile) {
  add_angles_as<true>(a, b, steps, tile);
}

constexpr float kLowest = -std::numeric_limits<float>::infinity();

float maximum(std::span<const float> x) {
  const std::size_t whole = whole_blocks(x.size(), kFloats);
  Floats maxima(kLowest);
  for (std::size_t i = 0; i < whole; i += kFloats) maxima = xsimd::max(maxima, Floats::load_unaligned(&x[i]));
  float largest = xsimd::reduce_max(maxima);
  for (std::size_t i = whole; i < x.size(); ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}

float exponentials(float largest, std::span<float> x) {
  const std::size_t whole = whole_blocks(x.size(), kFloats);
  const Floats shift(largest);
  Floats lanes(0.0F);
  for (std::size_t i = 0; i < whole; i += kFloats) {
    const Floats value = exp_of_nonpositive(Floats::load_unaligned(&x[i]) - shift);
    value.store_unaligned(&x[i]);
    lanes += value;
  }
  if (whole < x.size()) {
    alignas(Floats::arch_type::alignment()) float rest[kFloats] = {kLowest, kLowest, kLowest, kLowest};
    for (std::size_t i = whole; i < x.size(); ++i) rest[i - whole] = x[i] - largest;
    exp_of_nonpositive(Floats::load_aligned(rest)).store_aligned(rest);
    for (std::size_t i = whole; i < x.size(); ++i) x[i] = rest[i - whole];
  }
  return total(lanes, whole, x.size(), [&](std::size_t i) { return x[i]; });
}

void softmax(std::span<float> x) {
  const float sum = exponentials(maximum(x), x);
  if (sum == 0.0F) return;
  const std::size_t whole = whole_blocks(x.size(), kFloats);
  const Floats divisor(sum);
  for (std::size_t i = 0; i < whole; i += kFloats) {
    (Floats::load_unaligned(&x[i]) / divisor).store_unaligned(&x[i]);
  }
  for (std::size_t i = whole; i < x.size(); ++i) x[i] /= sum;
}

void sigmoid(std::span<float> x) {
  const std::size_t whole = whole_blocks(x.size(), kFloats);
  for (std::size_t i = 0; i < whole; i += kFloats) logistic(Floats::load_unaligned(&x[i])).store_unaligned(&x[i]);
  by_scalar::sigmoid(x.subspan(whole));
}

/// Turns four pairs of channels by angles with cosines c and sines s.
template <bool kInterleaved>
void turn(Floats c, Floats s, float* x, std::size_t pairs) {
  using Index = std::uint32_t;
  using Arch = Floats::arch_type;
  float* const second = x + (kInterleaved ? kFloats : pairs);
  Floats a = Floats::load_unaligned(x);
  Floats b = Floats::load_unaligned(second);
  if constexpr (kInterleaved) {
    const Floats low = a;
    a = xsimd::shuffle(low, b, xsimd::batch_constant<Index, Arch, 0, 2, 4, 6>{});
    b = xsimd::shuffle(low, b, xsimd::batch_constant<Index, Arch, 1, 3, 5, 7>{});
  }
  const Floats a_new = a * c - b * s;
  const Floats b_new = b * c + a * s;
  if constexpr (kInterleaved) {
    xsimd::zip_lo(a_new, b_new).store_unaligned(x);
    xsimd::zip_hi(a_new, b_new).store_unaligned(second);
  } else {
    a_new.store_unaligned(x);
    b_new.store_unaligned(second);
  }
}

template <bool kInterleaved, int kHeads>
void rotate_heads(MatrixView<const float> cos, MatrixView<const float> sin, int blocks, MatrixView<float> x) {
  const auto pairs = static_cast<std::size_t>(cos.cols() / blocks);
  const std::size_t whole = whole_blocks(pairs, kFloats);
  const std::size_t to_next_head = x.all().size() / kHeads;
  for (int token = 0; token < cos.rows(); ++token) {
    const float* c = cos.row(token).data();
    const float* s = sin.row(token).data();
    float* part = x.row(token).data();
    for (int block = 0; block < blocks; ++block) {
      for (std::size_t i = 0; i < whole; i += kFloats) {
        const Floats cosines = Floats::load_unaligned(c + i);
        const Floats sines = Floats::load_unaligned(s + i);
        float* at = part + (kInterleaved ? 2 * i : i);
        // Unrolled, each head has loads of its own, whose even stride the processor can foresee.
#pragma GCC unroll 4
        for (int head = 0; head < kHeads; ++head) {
          turn<kInterleaved>(cosines, sines, at, pairs);
          at += to_next_head;
        }
      }
      for (int head = 0; whole < pairs && head < kHeads; ++head) {
        by_scalar::rotate_from(whole, kInterleaved ? 2 : 1, kInterleaved ? 1 : pairs, {c, pairs}, {s, pairs},
                               {part + static_cast<std::size_t>(head) * to_next_head, 2 * pairs});
      }
      c += pairs;
      s += pairs;
      part += 2 * pairs;
    }
  }
}

/// Four heads at a time: cos and sin, as large as a head, are read once for all of them.
template <bool kInterleaved>
void rotate_as(MatrixView<const float> cos, MatrixView<const float> sin, int blocks, MatrixView<float> x) {
  assert(sin.cols() == cos.cols() && x.cols() >= 2 * cos.cols() && cos.cols() % blocks == 0);
  const int n_tokens = cos.rows();
  int row = 0;
  for (; row + 4 * n_tokens <= x.rows(); row += 4 * n_tokens) {
    rotate_heads<kInterleaved, 4>(cos, sin, blocks, x.slice(row, 4 * n_tokens));
  }
  for (; row < x.rows(); row += n_tokens) {
    rotate_heads<kInterleaved, 1>(cos, sin, blocks, x.slice(row, n_tokens));
  }
}

void rotate_half(MatrixView<const float> cos, MatrixView<const float> sin, int blocks, MatrixView<float> x) {
  rotate_as<false>(cos, sin, blocks, x);
}

void rotate_interleaved(MatrixView<const float> cos, MatrixView<const float> sin, int blocks, MatrixView<float> x) {
  rotate_as<true>(cos, sin, blocks, x);
}

constinit const Kernels kSimd{dot,
                              add_scaled,
                              add,
                              scale,
                              largest_magnitude,
                              by_simd::multiply,
                              by_simd::multiply_transposed,
                              by_simd::pack,
                              by_simd::pack_transposed,
                              by_simd::multiply_panels,
                              by_simd::add_panels_product,
                              sin_cos,
                              add_angles,
                              add_angles_interleaved,
                              maximum,
                              exponentials,
                              softmax,
                              sigmoid,
                              rotate_half,
                              rotate_interleaved};

}  // namespace

constinit const Kernels* const simd = &kSimd;
constinit const Kernels& best = kSimd;

}  // namespace posenc::kernels
