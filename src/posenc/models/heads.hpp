#pragma once

#include <span>
#include <vector>

#include "posenc/matrix_view.hpp"

#include "models/parameters.hpp"
#include "models/places.hpp"

namespace posenc::models {

/// Sequences with the same positions, one after another: the tokens of a batch are some of these groups in a row,
/// without padding.
struct Group {
  const Places* places;
  int count;

  [[nodiscard]] int tokens() const { return count * places->length(); }
};

[[nodiscard]] int tokens_of(std::span<const Group> groups);

/// What the backward pass of attend_all() needs, and what can be shown. Rows of q, k, v: head by head, [head * tokens +
/// token][head_dim].
struct HeadsTrace {
  Buffer q;
  Buffer k;
  Buffer v;
  Buffer turned_q;  ///< q after its rotation; not used where nothing is rotated
  Buffer turned_k;
  Buffer weights;  ///< [head][group, sequence, query, key]
  Buffer output;   ///< rows as of v
  Buffer scaled;   ///< the logits before the bias, likewise; for a bias that depends on them

  /// The weights of a head in one group, its sequences one below another: [sequence, query][key].
  [[nodiscard]] MatrixView<const float> weights_of(std::span<const Group> groups, int group, int head) const;
};

/// Attention of all heads through the four seams, as attend() in attention.hpp has it for one.
/// @param qkv  [token][q of all heads, k of all heads, v of all heads]
/// @param out  [token][head, head_dim]
void attend_all(const Encoded& encoded, std::span<const Group> groups, MatrixView<const float> qkv, HeadsTrace& trace,
                MatrixView<float> out);

/// Where gradients of attention go besides qkv.
struct HeadsGradients {
  std::span<PlacesGradients> places;  ///< one for each group; added to
  std::span<float> encoding;          ///< weights of the encoding; added to
};

/// Memory for attend_all_backward().
struct HeadsScratch {
  Buffer out;
  Buffer q;
  Buffer k;
  Buffer v;
  Buffer turned_q;
  Buffer turned_k;
  Buffer logits;
  Buffer of_bias;
};

/// Backward of attend_all(): sets grad_qkv.
void attend_all_backward(const Encoded& encoded, std::span<const Group> groups, const HeadsTrace& trace,
                         MatrixView<const float> grad_out, const HeadsGradients& gradients, HeadsScratch& scratch,
                         MatrixView<float> grad_qkv);

}  // namespace posenc::models
