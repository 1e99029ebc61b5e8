#pragma once

#include <array>
#include <cstdint>

/// Constants that both twins of a kernel share: a different digit would be a different result.
namespace posenc::kernels {

/// All bits of a float but its sign.
inline constexpr std::uint32_t kMagnitudeBits = 0x7fffffffU;

/// Adding and subtracting 1.5 * 2^52 (2^23) rounds to the nearest whole number, ties to even; the low bits of the sum
/// hold that number in two's complement.
inline constexpr double kRoundDouble = 6755399441055744.0;
inline constexpr float kRoundFloat = 12582912.0F;

// ---- sin and cos: angle = quadrant * pi/2 + r, |r| <= pi/4 -------------------------------------------------------

inline constexpr double kTwoOverPi = 0.63661977236758134308;
/// pi/2 in three parts; the first two have 23 and 24 bits, so that quadrant * part is exact up to 2^29 quadrants.
inline constexpr std::array kHalfPi{0x1.921fb4p+0, 0x1.4442d2p-24, -0x1.ee59d9cceba40p-50};

/// Taylor, |r| <= pi/4: sin r = r + r^3 * S(r^2), cos r = 1 - r^2/2 + r^4 * C(r^2). Error below 1e-13.
inline constexpr std::array kSin{-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800};
inline constexpr std::array kCos{1.0 / 24,       -1.0 / 720,      1.0 / 40320,
                                 -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200};

// ---- e^x for x <= 0: x = n ln 2 + r, |r| <= ln 2 / 2 --------------------------------------------------------------

inline constexpr float kLog2E = 1.44269504F;
/// ln 2 in two parts; the first has 9 bits, so that n * part is exact.
inline constexpr float kLn2Hi = 0.693359375F;
inline constexpr float kLn2Lo = -2.12194440e-4F;
/// Below this the result is 0.
inline constexpr float kExpMin = -87.0F;
/// e^r = 1 + r + r^2 * P(r).
inline constexpr std::array kExp{1.0F / 2, 1.0F / 6, 1.0F / 24, 1.0F / 120, 1.0F / 720, 1.0F / 5040};

// ---- GELU ----------------------------------------------------------------------------------------------------------

/// 2 * sqrt(2 / pi), and that times 0.044715.
inline constexpr float kGelu = 1.5957691216057308F;
inline constexpr float kGeluCube = 0.0713548162726F;

}  // namespace posenc::kernels
