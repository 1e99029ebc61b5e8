#pragma once

#include <cstdint>

namespace posenc::models {

/// Bits of the half-precision float next to x, ties to even; infinity from 65520 on.
[[nodiscard]] std::uint16_t to_half(float x);

/// The float with these half-precision bits, exactly.
[[nodiscard]] float from_half(std::uint16_t bits);

}  // namespace posenc::models
