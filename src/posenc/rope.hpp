#pragma once

#include <optional>
#include <span>

#include "posenc/matrix_view.hpp"
#include "posenc/spec.hpp"

namespace posenc {

/// Inverse frequencies of rotary (and sinusoidal) pairs.
///
///   inv_freq[i] = theta^(-2i / rotary_dim)
///
/// @param theta       > 0
/// @param rotary_dim  > 0; the denominator of the exponent
/// @param out         radians per token, any length
/// @source Su et al. 2021, arXiv:2104.09864, section 3.2.2
void inv_freq(double theta, int rotary_dim, std::span<double> out);

/// A rotary pair: it turns by inv_freq radians for each token along one axis of positions.
struct AxisPair {
  int axis = 0;
  double inv_freq = 0.0;
};

/// cos and sin of pairs of which each turns along an axis of its own.
///
///   angle[token][pair] = positions[token][pairs[pair].axis] * pairs[pair].inv_freq
///
/// @param positions  [token][axes]
/// @param cos, sin   [token][pair]
void turn(Positions positions, std::span<const AxisPair> pairs, MatrixView<float> cos, MatrixView<float> sin);

/// Channels that turn: the given ones, else the whole head.
///
/// @param multiple_of  what the head must be divisible by to turn as a whole
/// @throws Error       out_of_range (a head that cannot turn as a whole, and nothing given)
[[nodiscard]] int rotary_width(std::optional<int> given, const Dims& dims, int multiple_of, const char* encoding);

}  // namespace posenc
