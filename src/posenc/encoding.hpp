#pragma once

#include <memory>
#include <span>
#include <vector>

#include "posenc/info.hpp"
#include "posenc/matrix_view.hpp"
#include "posenc/spec.hpp"

namespace posenc {

/// Whether a rotation goes to q or to k. Only xPos treats them differently.
enum class Operand { q, k };

/// Which two channels make a rotary pair.
///   half:                [a a b b]  channels i and i + rotary_dim / 2   (LLaMA, GPT-NeoX, Qwen)
///   interleaved:         [a b a b]  channels 2i and 2i + 1              (GPT-J, RoFormer, Meta's own Llama)
///   interleaved_to_half: [a b a b] in, [a a b b] out                    (DeepSeek-V3 in Hugging Face)
enum class PairLayout { half, interleaved, interleaved_to_half };

/// Seam 1: a row is added to the embedding of each token.
class AddsToInput {
 public:
  virtual ~AddsToInput() = default;
  [[nodiscard]] virtual int d_model() const = 0;
  /// Factor on the embedding before the row is added.
  [[nodiscard]] virtual float embedding_scale() const { return 1.0F; }
  /// @param positions  [token][axes]
  /// @param out        [token][d_model]
  /// @throws Error     position_out_of_range where a table ends
  virtual void rows(Positions positions, MatrixView<float> out) const = 0;
  /// Backward of rows(): adds what the weights get from the gradient of the rows. Nothing to do without weights.
  /// @param grad_rows  [token][d_model]
  virtual void collect(Positions /*positions*/, MatrixView<const float> /*grad_rows*/,
                       std::span<float> /*grad_weights*/) const {}
};

/// Which rotations are asked for.
struct RotaryQuery {
  Positions positions;  ///< [token][axes]
  Operand operand = Operand::q;
  /// Tokens in the whole sequence, the largest position + 1; scalings that depend on the length read it.
  double seq_len = {};
  /// What `positions` are measured from: attend() subtracts the smallest one. seq_len counts from 0 all the same.
  double origin = 0.0;
};

/// How fast the pairs of a rotary encoding turn, and how long it makes the vectors.
struct RotaryFrequencies {
  std::vector<double> inv_freq;   ///< [table * rotary_dim / 2], radians per token (per step along the pair's axis)
  double attention_factor = 1.0;  ///< magnitude that cos and sin include
};

/// Seam 2: pairs of channels of q and k are rotated. Only offsets reach the logits.
class RotatesQk {
 public:
  virtual ~RotatesQk() = default;
  /// Channels that are rotated, the first ones of the head; the rest passes through.
  [[nodiscard]] virtual int rotary_dim() const = 0;
  [[nodiscard]] virtual PairLayout layout() const = 0;
  /// Equal parts of rotary_dim that are laid out each on its own (2 in ChatGLM: one for each axis).
  [[nodiscard]] virtual int blocks() const { return 1; }
  /// Factor on the scaled q · k beside the rotation (DeepSeek puts YaRN's magnitude here).
  [[nodiscard]] virtual double logit_factor() const { return 1.0; }
  /// Tables of cos and sin: one for all heads, or n_heads, for each head its own.
  [[nodiscard]] virtual int tables() const { return 1; }
  /// @param cos, sin  [table * token][rotary_dim / 2], one column for each pair; they include a magnitude if there is
  ///                  one
  virtual void cos_sin(const RotaryQuery& query, MatrixView<float> cos, MatrixView<float> sin) const = 0;
  /// @param seq_len  as in RotaryQuery
  [[nodiscard]] virtual RotaryFrequencies frequencies(double seq_len) const = 0;
  /// Backward of cos_sin(): adds what the weights get. Nothing to do without weights.
  /// @param grad_angles  [table * token][rotary_dim / 2], gradient of the angle of each pair
  virtual void collect(const RotaryQuery& /*query*/, MatrixView<const float> /*grad_angles*/,
                       std::span<float> /*grad_weights*/) const {}
};

/// Which logits of which head a bias is asked for.
struct BiasQuery {
  Positions q_positions;  ///< [query][axes]
  Positions k_positions;  ///< [key][axes]
  int head = 0;
  /// Only filled for encodings with EncodingInfo::needs_content: q [query][head_dim], and the scaled logits
  /// [query][key] so far, -inf where the mask hides a key.
  MatrixView<const float> q = {};
  MatrixView<const float> logits = {};
};

/// Where BiasesLogits::collect adds gradients; q and logits have no rows unless the encoding needs content.
struct BiasGradients {
  std::span<float> weights;
  MatrixView<float> q = {};
  MatrixView<float> logits = {};
};

/// Seam 3: a number is added to each logit.
class BiasesLogits {
 public:
  virtual ~BiasesLogits() = default;
  /// The bias of a key depends on the logits of others: bias() wants all keys of a query at once.
  [[nodiscard]] virtual bool needs_whole_rows() const { return false; }
  /// @param out  [query][key], logits
  virtual void bias(const BiasQuery& query, MatrixView<float> out) const = 0;
  /// Backward of bias(). Nothing to do without weights.
  /// @param grad_bias  [query][key]
  virtual void collect(const BiasQuery& /*query*/, MatrixView<const float> /*grad_bias*/,
                       const BiasGradients& /*gradients*/) const {}
};

/// What relative vectors meet: one head. Sequences with the same positions may stand one below another: q has the rows
/// of q_positions for each of them, k those of k_positions, and dots, weights and output are [sequence, query][...].
struct RelativeQuery {
  MatrixView<const float> q;  ///< [query][head_dim]
  MatrixView<const float> k;  ///< [key][head_dim]
  Positions q_positions;      ///< [query][axes]
  Positions k_positions;      ///< [key][axes]
  int head = 0;
};

/// Where RelativeVectors::collect adds gradients.
struct RelativeGradients {
  std::span<float> weights;
  MatrixView<float> q;  ///< [query][head_dim]
  MatrixView<float> k;  ///< [key][head_dim]
};

/// Seam 4: vectors that depend on the offset meet q and k, and may be mixed into the output.
class RelativeVectors {
 public:
  virtual ~RelativeVectors() = default;
  [[nodiscard]] virtual int head_dim() const = 0;
  /// Columns that v must have; 0: nothing is mixed into the output, so any.
  [[nodiscard]] virtual int value_dim() const { return 0; }
  /// Factor on the scaled dots (DeBERTa: 1 / sqrt(3), for it adds up three products).
  [[nodiscard]] virtual double logit_factor() const { return 1.0; }
  /// Adds to q · k, before it is scaled.
  /// @param dots  [query][key]
  virtual void add_to_dots(const RelativeQuery& query, MatrixView<float> dots) const = 0;
  /// Adds to the output: the sum over keys of weight times the value vector of the offset. Nothing without values.
  /// @param weights  [query][key], after softmax
  /// @param output   [query][value_dim]
  virtual void add_to_output(const RelativeQuery& /*query*/, MatrixView<const float> /*weights*/,
                             MatrixView<float> /*output*/) const {}
  /// Backward of add_to_dots().
  virtual void collect(const RelativeQuery& query, MatrixView<const float> grad_dots,
                       const RelativeGradients& gradients) const = 0;
  /// Backward of add_to_output(): adds to the gradients of the weights of attention [query][key] and of the encoding.
  virtual void collect_output(const RelativeQuery& /*query*/, MatrixView<const float> /*weights*/,
                              MatrixView<const float> /*grad_output*/, MatrixView<float> /*grad_attention*/,
                              std::span<float> /*grad_weights*/) const {}
};

/// A positional encoding: some of four seams. All null: no positional encoding.
struct Encoding {
  std::unique_ptr<const AddsToInput> input = nullptr;
  std::unique_ptr<const RotatesQk> rotary = nullptr;
  std::unique_ptr<const BiasesLogits> bias = nullptr;
  std::unique_ptr<const RelativeVectors> relative = nullptr;
  /// Sizes that it was made for.
  Dims dims = {};
  /// Numbers of a learned encoding; the seams read them here, and moving the Encoding does not move them.
  std::vector<float> weights = {};
};

/// Builds an encoding from plain data; everything is checked here, once.
///
/// @throws Error  unknown_encoding, unknown_param, wrong_type, not_finite, out_of_range, shape_mismatch
[[nodiscard]] Encoding make(const Spec& spec);

/// @throws Error  out_of_range (sizes below 1 or too large to index)
void validate(const Dims& dims);

/// @throws Error  not_finite, position_out_of_range (|position| > kMaxPosition), shape_mismatch (wrong axes)
void validate_positions(Positions positions, int axes, const char* field);

/// @throws Error  not_finite, out_of_range (below 0 or above kMaxPosition + 1)
void validate_seq_len(double seq_len);

}  // namespace posenc
