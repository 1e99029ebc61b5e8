#pragma once

#include "posenc/attention.hpp"
#include "posenc/encoding.hpp"
#include "posenc/matrix_view.hpp"

/// What the two ways to attend share.
namespace posenc {

/// Fails unless a size is the one wanted.
void check_shape(const char* field, int got, int wanted, const char* what);

/// Fails where an encoding has numbers for fewer heads.
void check_head(const Encoding& encoding, int head);

/// Rotations of the queries and of the keys.
struct Rotations {
  Rotation q;
  Rotation k;
};

/// Only offsets matter, so positions count from the smallest one: a shift of all of them by a whole number gives the
/// same bytes, and far positions lose nothing.
[[nodiscard]] Rotations rotations_of(const RotatesQk& rotary, Positions q_positions, Positions k_positions);

/// Factor that the encoding has on the scaled q · k.
[[nodiscard]] double logit_factor(const Encoding& encoding);

/// Puts -inf where a key is not visible.
void hide_masked(const Mask& mask, Positions q_positions, Positions k_positions, int axis, MatrixView<float> logits);

/// Fails if a logit is infinite or no number.
void check_logits(std::span<const float> logits);

}  // namespace posenc
