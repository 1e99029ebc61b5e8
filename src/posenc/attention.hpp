#pragma once

#include <optional>

#include "posenc/encoding.hpp"
#include "posenc/matrix_view.hpp"
#include "posenc/spec.hpp"

namespace posenc {

/// Which keys a query may see, by position (never by storage index).
struct Mask {
  enum class Kind {
    none,    ///< every key
    causal,  ///< k <= q
    window,  ///< causal, and q - k < size (sliding window; Jiang et al. 2023, arXiv:2310.06825, section 2)
  };
  Kind kind = Kind::none;
  int size = 0;  ///< tokens, window only, at least 1
};
[[nodiscard]] bool visible(const Mask& mask, double q_position, double k_position);

/// @throws Error  out_of_range (window size below 1)
void validate(const Mask& mask);

/// What one head attends with. q and k carry an added encoding already; rotation and bias are still to come.
struct HeadInput {
  MatrixView<const float> q;       ///< [query][head_dim]
  MatrixView<const float> k;       ///< [key][head_dim]
  MatrixView<const float> v = {};  ///< [key][value_dim]; no rows: no output is wanted
  Positions q_positions;           ///< [query][axes]
  Positions k_positions;           ///< [key][axes]
  Mask mask;
  int mask_axis = 0;  ///< the axis of positions that the mask looks at
  int head = 0;
  std::optional<float> scale = {};  ///< factor on q · k; 1 / sqrt(head_dim) if left out, 1 in T5
  /// q and k without the added encoding, to tell content from position; no rows: the same as q and k.
  MatrixView<const float> content_q = {};
  MatrixView<const float> content_k = {};
};

/// Attention of one head, and what its logits are made of: content + position + bias = logits (up to the last bit).
struct HeadAttention {
  Matrix<float> weights;   ///< [query][key]; a row sums to 1, or is all 0 where the mask hides every key
  Matrix<float> logits;    ///< [query][key], before the mask
  Matrix<float> content;   ///< [query][key], scaled q · k of the words alone
  Matrix<float> position;  ///< [query][key], what adding, rotating and relative vectors bring to the logit
  Matrix<float> bias;      ///< [query][key]
  Matrix<float> output;    ///< [query][value_dim]
};

/// Attention under an encoding: rotate, dot (+ relative keys), scale, + bias, mask, softmax, mix (+ relative values).
///
/// Every sum runs over keys in storage order, and rotations are measured from the smallest position, so that attention
/// by word is equal to the bit whenever the offsets are: store two orderings in one order, with their own positions.
///
/// @throws Error  shape_mismatch, not_finite (positions, or logits too large for float), out_of_range (mask, head)
[[nodiscard]] HeadAttention attend(const Encoding& encoding, const HeadInput& input);

/// What many heads attend with, the rows of one head after those of another. With grouped queries k and v have fewer
/// heads than q, each for as many heads of q as divide evenly (Ainslie et al. 2023, arXiv:2305.13245).
struct HeadsInput {
  MatrixView<const float> q;  ///< [head * query][head_dim]
  MatrixView<const float> k;  ///< [kv_head * key][head_dim]
  MatrixView<const float> v;  ///< [kv_head * key][value_dim]
  int n_heads = 1;
  int n_kv_heads = 1;
  Positions q_positions;  ///< [query][axes], the same for all heads
  Positions k_positions;  ///< [key][axes]
  Mask mask;
  int mask_axis = 0;                ///< the axis of positions that the mask looks at
  std::optional<float> scale = {};  ///< factor on q · k; 1 / sqrt(head_dim) if left out
};

/// The output of attend() alone, for all heads and long sequences: a few queries at a time, so that memory grows with
/// the number of keys and never with [query][key]. Keys that no query of a group may see are left out where positions
/// ascend. Sums run in another order than those of attend(): the same up to rounding, not to the bit.
///
/// @param output   [head * query][value_dim]; must not overlap the input
/// @throws Error  shape_mismatch, not_finite (positions, or logits too large for float), out_of_range (mask, heads)
void attend_output(const Encoding& encoding, const HeadsInput& input, MatrixView<float> output);

/// Adds the rows of an encoding in place: x = embedding_scale * x + rows. x [token][d_model].
void add_rows(const AddsToInput& input, Positions positions, MatrixView<float> x);

/// cos and sin of some positions and what else a rotation needs: computed once, it serves many tensors.
struct Rotation {
  PairLayout layout = PairLayout::half;
  int blocks = 1;
  int tables = 1;     ///< for all heads together, or one for each head
  Matrix<float> cos;  ///< [table * token][rotary_dim / 2]
  Matrix<float> sin;

  [[nodiscard]] int tokens() const { return cos.rows() / tables; }
  /// Row of the first token of a head.
  [[nodiscard]] int first_row(int head) const { return tables == 1 ? 0 : head * tokens(); }
};
[[nodiscard]] Rotation rotation_of(const RotatesQk& rotary, const RotaryQuery& query);

/// Rotates tokens of one head in place by the rows of the rotation from `first` on: x [token][head_dim].
void rotate(const Rotation& rotation, int first, MatrixView<float> x);

/// Rotates sequences of one head in place, all with the same positions: x [sequence * token][head_dim].
void rotate_head(const Rotation& rotation, int head, MatrixView<float> x);

/// Rotates heads in place: x [head * token][head_dim], the tokens of one head after those of another.
///
/// @throws Error  shape_mismatch (rows that are no multiple of those of the tables, too few columns)
void rotate(const Rotation& rotation, MatrixView<float> x);

/// Rotates heads in place, as above.
///
/// @throws Error  shape_mismatch
void rotate(const RotatesQk& rotary, const RotaryQuery& query, MatrixView<float> x);

/// Length of a sequence with these positions: the largest one + 1, over all axes.
[[nodiscard]] double length_of(Positions positions);

}  // namespace posenc
