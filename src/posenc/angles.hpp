#pragma once

#include <span>
#include <vector>

#include "posenc/matrix_view.hpp"

namespace posenc {

/// Columns of a table, from `first` on.
struct Columns {
  MatrixView<float> table;
  int first = 0;
};

/// Whether a pair has a column among the sines and one among the cosines, or two that are neighbours.
enum class SinCos { apart, interleaved };

/// cos and sin of position * inv_freq, for every position and pair.
///
/// Angles are formed and reduced in double and rounded to float once: error <= 0.51 units in the last place up to
/// position 1e6 at inv_freq 1. Of a whole position three parts are added, multiples of 256 and of 16 and the rest: one
/// multiplication and one addition for each value of a long table instead of a polynomial. The result depends on the
/// position alone, not on its neighbours.
///
/// @param positions  tokens, any order; |position| <= kMaxPosition
/// @param inv_freq   radians per token
/// @param cos, sin   [position][pair]
/// @param order      interleaved: pair i has columns first + 2i of both, which are of one table, sin before cos
void cos_sin_table(std::span<const double> positions, std::span<const double> inv_freq, const Columns& cos,
                   const Columns& sin, SinCos order = SinCos::apart);

/// Positions along one axis.
[[nodiscard]] std::vector<double> along(int axis, MatrixView<const double> positions);

}  // namespace posenc
