#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <xsimd/xsimd.hpp>

#include "kernels/constants.hpp"

/// What the files with SIMD share: blocks of four floats (two doubles) whatever the machine offers, and no fused
/// multiply-add, so that SSE, NEON and WebAssembly give the same bytes.
namespace posenc::kernels {

using Floats = xsimd::make_sized_batch_t<float, 4>;
using Doubles = xsimd::make_sized_batch_t<double, 2>;
inline constexpr std::size_t kFloats = Floats::size;
inline constexpr std::size_t kDoubles = Doubles::size;
static_assert(kFloats == 4 && kDoubles == 2);

[[nodiscard]] constexpr std::size_t whole_blocks(std::size_t size, std::size_t block) { return size - size % block; }

/// Sum of the four lanes and of element(i), for i from `begin` to `end`.
template <class Element>
float total(Floats lanes, std::size_t begin, std::size_t end, Element element) {
  alignas(Floats::arch_type::alignment()) float sums[kFloats];
  lanes.store_aligned(sums);
  for (std::size_t i = begin; i < end; ++i) sums[i % kFloats] += element(i);
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

template <std::size_t N, class T, class Batch>
Batch polynomial(const std::array<T, N>& coefficients, Batch x) {
  Batch value(coefficients[N - 1]);
  for (std::size_t i = N - 1; i-- > 0;) value = value * x + Batch(coefficients[i]);
  return value;
}

inline Floats exp_of_nonpositive(Floats x) {
  const Floats round(kRoundFloat);
  const Floats rounded = x * Floats(kLog2E) + round;
  const Floats n = rounded - round;
  const Floats r = (x - n * Floats(kLn2Hi)) - n * Floats(kLn2Lo);
  const Floats value = Floats(1.0F) + (r + r * r * polynomial(kExp, r));
  const auto bits = xsimd::bitwise_cast<std::uint32_t>(value) + (xsimd::bitwise_cast<std::uint32_t>(rounded) << 23);
  return xsimd::select(x >= Floats(kExpMin), xsimd::bitwise_cast<float>(bits), Floats(0.0F));
}

/// 1 / (1 + e^-x)
inline Floats logistic(Floats x) {
  const auto positive = x >= Floats(0.0F);
  const Floats e = exp_of_nonpositive(xsimd::select(positive, -x, x));
  return xsimd::select(positive, Floats(1.0F), e) / (Floats(1.0F) + e);
}

}  // namespace posenc::kernels
