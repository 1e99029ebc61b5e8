#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <xsimd/xsimd.hpp>

#include "kernels/by_scalar.hpp"
#include "kernels/constants.hpp"
#include "kernels/kernels.hpp"

// Blocks of four floats (two doubles) whatever the machine offers, and no fused multiply-add, so that SSE, NEON and
// WebAssembly give the same bytes. What is left over at the end goes through the scalar twin's arithmetic.

namespace posenc::kernels {
namespace {

using Floats = xsimd::make_sized_batch_t<float, 4>;
using Doubles = xsimd::make_sized_batch_t<double, 2>;
constexpr std::size_t kFloats = Floats::size;
constexpr std::size_t kDoubles = Doubles::size;
static_assert(kFloats == 4 && kDoubles == 2);

std::size_t whole_blocks(std::size_t size, std::size_t block) { return size - size % block; }

/// Adds what the four lanes and the elements after the last whole block contribute.
template <class Element>
float total(Floats lanes, std::size_t begin, std::size_t end, Element element) {
  alignas(Floats::arch_type::alignment()) float sums[kFloats];
  lanes.store_aligned(sums);
  for (std::size_t i = begin; i < end; ++i) sums[i % kFloats] += element(i);
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

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

void multiply(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out) {
  assert(a.cols() == b.rows() && out.rows() == a.rows() && out.cols() == b.cols());
  const auto cols = static_cast<std::size_t>(out.cols());
  const std::size_t whole = whole_blocks(cols, kFloats);
  for (int i = 0; i < out.rows(); ++i) {
    const std::span<const float> row = a.row(i);
    for (std::size_t j = 0; j < whole; j += kFloats) {
      Floats sums(0.0F);
      const float* below = b.all().data() + j;
      for (const float factor : row) {
        sums += Floats(factor) * Floats::load_unaligned(below);
        below += cols;
      }
      sums.store_unaligned(&out.row(i)[j]);
    }
    for (std::size_t j = whole; j < cols; ++j) {
      float sum = 0.0F;
      for (std::size_t k = 0; k < row.size(); ++k) sum += row[k] * b.all()[k * cols + j];
      out.row(i)[j] = sum;
    }
  }
}

template <std::size_t N, class T, class Batch>
Batch polynomial(const std::array<T, N>& coefficients, Batch x) {
  Batch value(coefficients[N - 1]);
  for (std::size_t i = N - 1; i-- > 0;) value = value * x + Batch(coefficients[i]);
  return value;
}

[[gnu::noinline]] void sin_cos_double(std::span<const double> angles, std::span<double> sin, std::span<double> cos) {
  assert(angles.size() == sin.size() && angles.size() == cos.size());
  using Bits = xsimd::batch<std::uint64_t, Doubles::arch_type>;
  const std::size_t whole = whole_blocks(angles.size(), kDoubles);
  const Doubles round(kRoundDouble);
  for (std::size_t i = 0; i < whole; i += kDoubles) {
    const Doubles angle = Doubles::load_unaligned(&angles[i]);
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
  by_scalar::sin_cos_double(angles.subspan(whole), sin.subspan(whole), cos.subspan(whole));
}

/// The same, rounded: a block at a time, so that one copy of the polynomials is enough.
void sin_cos(std::span<const double> angles, std::span<float> sin, std::span<float> cos) {
  constexpr std::size_t kBlock = 32;
  double sines[kBlock];
  double cosines[kBlock];
  for (std::size_t begin = 0; begin < angles.size(); begin += kBlock) {
    const std::size_t size = std::min(kBlock, angles.size() - begin);
    sin_cos_double(angles.subspan(begin, size), {sines, size}, {cosines, size});
    for (std::size_t i = 0; i < size; ++i) {
      sin[begin + i] = static_cast<float>(sines[i]);
      cos[begin + i] = static_cast<float>(cosines[i]);
    }
  }
}

/// Four doubles, rounded to float. xsimd has no such conversion, and one through memory is slower.
Floats narrow(Doubles low, Doubles high) {
#if defined(__wasm_simd128__)
  return wasm_i32x4_shuffle(wasm_f32x4_demote_f64x2_zero(low), wasm_f32x4_demote_f64x2_zero(high), 0, 1, 4, 5);
#elif defined(__SSE2__)
  return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
#else
  alignas(Floats::arch_type::alignment()) float narrowed[kFloats];
  for (std::size_t lane = 0; lane < kDoubles; ++lane) {
    narrowed[lane] = static_cast<float>(low.get(lane));
    narrowed[lane + kDoubles] = static_cast<float>(high.get(lane));
  }
  return Floats::load_aligned(narrowed);
#endif
}

/// Two angles by sine and cosine.
struct AnglesBlock {
  Doubles sin;
  Doubles cos;
};

AnglesBlock load(const AnglesView& angles, std::size_t i) {
  return {Doubles::load_unaligned(&angles.sin[i]), Doubles::load_unaligned(&angles.cos[i])};
}

AnglesBlock sum(const AnglesBlock& a, const AnglesBlock& b) {
  return {a.sin * b.cos + a.cos * b.sin, a.cos * b.cos - a.sin * b.sin};
}

void add_angles(const AnglesView& a, const AnglesView& b, std::span<float> sin, std::span<float> cos) {
  assert(a.sin.size() == sin.size() && b.sin.size() == sin.size() && cos.size() == sin.size());
  const std::size_t whole = whole_blocks(sin.size(), kFloats);
  for (std::size_t i = 0; i < whole; i += kFloats) {
    const AnglesBlock low = sum(load(a, i), load(b, i));
    const AnglesBlock high = sum(load(a, i + kDoubles), load(b, i + kDoubles));
    narrow(low.sin, high.sin).store_unaligned(&sin[i]);
    narrow(low.cos, high.cos).store_unaligned(&cos[i]);
  }
  by_scalar::add_angles({a.sin.subspan(whole), a.cos.subspan(whole)}, {b.sin.subspan(whole), b.cos.subspan(whole)},
                        sin.subspan(whole), cos.subspan(whole));
}

Floats exp_of_nonpositive(Floats x) {
  const Floats round(kRoundFloat);
  const Floats rounded = x * Floats(kLog2E) + round;
  const Floats n = rounded - round;
  const Floats r = (x - n * Floats(kLn2Hi)) - n * Floats(kLn2Lo);
  const Floats value = Floats(1.0F) + (r + r * r * polynomial(kExp, r));
  const auto bits = xsimd::bitwise_cast<std::uint32_t>(value) + (xsimd::bitwise_cast<std::uint32_t>(rounded) << 23);
  return xsimd::select(x >= Floats(kExpMin), xsimd::bitwise_cast<float>(bits), Floats(0.0F));
}

void softmax(std::span<float> x) {
  const std::size_t whole = whole_blocks(x.size(), kFloats);
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  Floats maxima(kLowest);
  for (std::size_t i = 0; i < whole; i += kFloats) maxima = xsimd::max(maxima, Floats::load_unaligned(&x[i]));
  float largest = xsimd::reduce_max(maxima);
  for (std::size_t i = whole; i < x.size(); ++i) largest = x[i] > largest ? x[i] : largest;
  if (largest == kLowest) {
    for (float& value : x) value = 0.0F;
    return;
  }
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
  const float sum = total(lanes, whole, x.size(), [&](std::size_t i) { return x[i]; });
  const Floats divisor(sum);
  for (std::size_t i = 0; i < whole; i += kFloats) {
    (Floats::load_unaligned(&x[i]) / divisor).store_unaligned(&x[i]);
  }
  for (std::size_t i = whole; i < x.size(); ++i) x[i] /= sum;
}

void sigmoid(std::span<float> x) {
  const std::size_t whole = whole_blocks(x.size(), kFloats);
  const Floats one(1.0F);
  for (std::size_t i = 0; i < whole; i += kFloats) {
    const Floats value = Floats::load_unaligned(&x[i]);
    const auto positive = value >= Floats(0.0F);
    const Floats e = exp_of_nonpositive(xsimd::select(positive, -value, value));
    (xsimd::select(positive, one, e) / (one + e)).store_unaligned(&x[i]);
  }
  by_scalar::sigmoid(x.subspan(whole));
}

void rotate_half(std::span<const float> cos, std::span<const float> sin, std::span<float> x) {
  const std::size_t pairs = cos.size();
  assert(sin.size() == pairs && x.size() == 2 * pairs);
  const std::size_t whole = whole_blocks(pairs, kFloats);
  for (std::size_t i = 0; i < whole; i += kFloats) {
    const Floats c = Floats::load_unaligned(&cos[i]);
    const Floats s = Floats::load_unaligned(&sin[i]);
    const Floats a = Floats::load_unaligned(&x[i]);
    const Floats b = Floats::load_unaligned(&x[i + pairs]);
    (a * c - b * s).store_unaligned(&x[i]);
    (b * c + a * s).store_unaligned(&x[i + pairs]);
  }
  for (std::size_t i = whole; i < pairs; ++i) {
    const float a = x[i];
    const float b = x[i + pairs];
    x[i] = a * cos[i] - b * sin[i];
    x[i + pairs] = b * cos[i] + a * sin[i];
  }
}

void rotate_interleaved(std::span<const float> cos, std::span<const float> sin, std::span<float> x) {
  assert(sin.size() == cos.size() && x.size() == 2 * cos.size());
  using Index = std::uint32_t;
  using Arch = Floats::arch_type;
  const std::size_t whole = whole_blocks(cos.size(), kFloats);
  for (std::size_t i = 0; i < whole; i += kFloats) {
    const Floats c = Floats::load_unaligned(&cos[i]);
    const Floats s = Floats::load_unaligned(&sin[i]);
    const Floats low = Floats::load_unaligned(&x[2 * i]);
    const Floats high = Floats::load_unaligned(&x[2 * i + kFloats]);
    const Floats a = xsimd::shuffle(low, high, xsimd::batch_constant<Index, Arch, 0, 2, 4, 6>{});
    const Floats b = xsimd::shuffle(low, high, xsimd::batch_constant<Index, Arch, 1, 3, 5, 7>{});
    const Floats a_new = a * c - b * s;
    const Floats b_new = b * c + a * s;
    xsimd::zip_lo(a_new, b_new).store_unaligned(&x[2 * i]);
    xsimd::zip_hi(a_new, b_new).store_unaligned(&x[2 * i + kFloats]);
  }
  by_scalar::rotate_interleaved(cos.subspan(whole), sin.subspan(whole), x.subspan(2 * whole));
}

constinit const Kernels kSimd{dot,     add_scaled,     multiply,          by_scalar::multiply_transposed,
                              sin_cos, sin_cos_double, add_angles,        softmax,
                              sigmoid, rotate_half,    rotate_interleaved};

}  // namespace

constinit const Kernels* const simd = &kSimd;
constinit const Kernels& best = kSimd;

}  // namespace posenc::kernels
