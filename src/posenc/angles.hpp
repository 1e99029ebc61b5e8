#pragma once

#include <span>

#include "posenc/matrix_view.hpp"

namespace posenc {

/// cos and sin of position * inv_freq, for every position and pair.
///
/// Angles are formed and reduced in double and rounded to float once: error <= 0.51 units in the last place up to
/// position 1e6 at inv_freq 1. A whole position p >= 0 is taken as 64 c + f, and the angles of both parts are added:
/// two multiplications for each value of a long table instead of a polynomial. The result depends on the position
/// alone, not on its neighbours.
///
/// @param positions  tokens, any order; |position| <= kMaxPosition
/// @param inv_freq   radians per token
/// @param cos, sin   [position][pair]
void cos_sin_table(std::span<const double> positions, std::span<const double> inv_freq, MatrixView<float> cos,
                   MatrixView<float> sin);

}  // namespace posenc
