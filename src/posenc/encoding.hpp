#pragma once

#include <memory>
#include <span>
#include <vector>

#include "posenc/info.hpp"
#include "posenc/matrix_view.hpp"
#include "posenc/spec.hpp"

namespace posenc {

/// Whether the two halves of a rotation go to q or to k. Only xPos treats them differently.
enum class Operand { q, k };

/// Which two channels make a rotary pair.
///   half:        [a a b b]  channels i and i + rotary_dim / 2   (LLaMA, GPT-NeoX, Qwen)
///   interleaved: [a b a b]  channels 2i and 2i + 1              (GPT-J, RoFormer, Meta's own Llama)
enum class PairLayout { half, interleaved };

/// Seam 1: a row is added to the embedding of each token.
class AddsToInput {
 public:
  virtual ~AddsToInput() = default;
  [[nodiscard]] virtual int d_model() const = 0;
  /// @param positions  [token][axes]
  /// @param out        [token][d_model]
  /// @throws Error     position_out_of_range where a table ends
  virtual void rows(Positions positions, MatrixView<float> out) const = 0;
};

/// Seam 2: pairs of channels of q and k are rotated. Only offsets reach the logits.
class RotatesQk {
 public:
  virtual ~RotatesQk() = default;
  /// Channels that are rotated, the first ones of the head; the rest passes through.
  [[nodiscard]] virtual int rotary_dim() const = 0;
  [[nodiscard]] virtual PairLayout layout() const = 0;
  /// @param cos, sin  [token][rotary_dim / 2]
  virtual void cos_sin(Positions positions, Operand operand, MatrixView<float> cos, MatrixView<float> sin) const = 0;
};

/// Which logits of which head a bias is asked for.
struct BiasQuery {
  Positions q_positions;  ///< [query][axes]
  Positions k_positions;  ///< [key][axes]
  int head = 0;
};

/// Seam 3: a number is added to each logit.
class BiasesLogits {
 public:
  virtual ~BiasesLogits() = default;
  /// @param out  [query][key], logits
  virtual void bias(const BiasQuery& query, MatrixView<float> out) const = 0;
};

/// Seam 4: vectors that depend on the offset take part as keys (q · key is added to the logit before it is scaled)
/// and as values (mixed in with the weights of their keys).
class RelativeKv {
 public:
  virtual ~RelativeKv() = default;
  [[nodiscard]] virtual bool has_values() const = 0;
  /// @param offsets  k - q, in tokens
  /// @param out      [offset][head_dim]
  virtual void keys(std::span<const double> offsets, int head, MatrixView<float> out) const = 0;
  virtual void values(std::span<const double> offsets, int head, MatrixView<float> out) const = 0;
};

/// A positional encoding: some of four seams. All null: no positional encoding.
struct Encoding {
  std::unique_ptr<const AddsToInput> input = nullptr;
  std::unique_ptr<const RotatesQk> rotary = nullptr;
  std::unique_ptr<const BiasesLogits> bias = nullptr;
  std::unique_ptr<const RelativeKv> relative = nullptr;
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

}  // namespace posenc
