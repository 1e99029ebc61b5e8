#include "models/half.hpp"

#include <bit>

namespace posenc::models {
namespace {

// A half has 5 bits of exponent, bias 15, and 10 of fraction; a float 8, bias 127, and 23.
constexpr std::uint32_t kInfinity = 0x7f800000U;
constexpr std::uint32_t kHalfInfinity = 0x7c00U;
constexpr std::uint32_t kSmallestNormal = 0x38800000U;  ///< 2^-14
constexpr std::uint32_t kTooLarge = 0x477ff000U;        ///< 65520, half-way beyond the largest half
constexpr std::uint32_t kRebias = (127U - 15U) << 23U;
constexpr unsigned kDropped = 13;

/// bits >> count, rounded to nearest, ties to even; 0 < count < 32.
std::uint32_t shifted(std::uint32_t bits, unsigned count) {
  const std::uint32_t half = 1U << (count - 1U);
  const std::uint32_t odd = (bits >> count) & 1U;
  return (bits + half - 1U + odd) >> count;
}

}  // namespace

std::uint16_t to_half(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t size = bits & 0x7fffffffU;
  if (size > kInfinity) return static_cast<std::uint16_t>(sign | kHalfInfinity | 0x200U);
  if (size >= kTooLarge) return static_cast<std::uint16_t>(sign | kHalfInfinity);
  if (size >= kSmallestNormal) return static_cast<std::uint16_t>(sign | shifted(size - kRebias, kDropped));
  // Below 2^-14 halves are multiples of 2^-24.
  const std::uint32_t exponent = size >> 23U;
  if (exponent < 102U) return static_cast<std::uint16_t>(sign);  // below 2^-25
  const std::uint32_t fraction = (size & 0x7fffffU) | 0x800000U;
  return static_cast<std::uint16_t>(sign | shifted(fraction, 126U - exponent));
}

float from_half(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 0x1fU;
  const std::uint32_t fraction = bits & 0x3ffU;
  if (exponent == 0x1fU) return std::bit_cast<float>(sign | kInfinity | (fraction << kDropped));
  if (exponent > 0) {
    return std::bit_cast<float>(sign | (((static_cast<std::uint32_t>(bits) & 0x7fffU) << kDropped) + kRebias));
  }
  const float size = static_cast<float>(fraction) * 0x1p-24F;
  return sign != 0 ? -size : size;
}

}  // namespace posenc::models
