#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "posenc/matrix_view.hpp"
#include "posenc/spec.hpp"

#include "models/heads.hpp"
#include "models/layers.hpp"
#include "models/parameters.hpp"
#include "models/places.hpp"

namespace posenc::models {

/// Sizes of a transformer; n_heads * head_dim is d_model.
struct TransformerShape {
  Dims dims;
  int n_layers = 2;
  int d_ff = 128;
};

/// A pre-norm transformer without its ends: x [token][d_model] comes in, x [token][d_model] goes out.
///
///   x = embedding_scale * x + rows                            an added encoding, once
///   x = x + proj(attention(qkv(norm1(x))));  x = x + fc2(gelu(fc1(norm2(x))))    in each block
///   x = norm(x)
class Transformer {
 public:
  /// What happened in one block.
  struct BlockTrace {
    NormTrace norm1;
    Buffer normed1;  ///< [token][d_model]
    HeadsTrace heads;
    Buffer attended;  ///< [token][d_model]
    NormTrace norm2;
    Buffer normed2;
    Buffer hidden;  ///< [token][d_ff], before GELU
    Buffer active;  ///< after it
  };

  /// What backward() needs: one BlockTrace for each layer. With a single one, which the layers use in turn, there is
  /// nothing but the answer.
  struct Trace {
    explicit Trace(std::size_t n_blocks) : blocks(n_blocks) {}

    std::vector<BlockTrace> blocks;
    NormTrace norm;
    Buffer qkv;  ///< scratch
    Buffer out;  ///< scratch
    HeadsScratch heads;
    std::vector<PlacesGradients> places;
    Buffer grad;     ///< scratch, [token][d_model]
    Buffer grad_ff;  ///< scratch
  };

  /// Adds its parameters to `layout`, those of the encoding as "encoding.weights".
  Transformer(const TransformerShape& shape, const Encoded& encoded, Layout& layout);

  /// Fills its part of the parameters; a learned encoding starts with the numbers that it was made with.
  void seed(std::uint64_t key, const Encoded& encoded, std::span<float> parameters) const;

  [[nodiscard]] Trace trace_for_training() const { return Trace(blocks_.size()); }
  [[nodiscard]] Trace trace_for_answer() const { return Trace(1); }
  [[nodiscard]] const Slice& encoding_weights() const { return encoding_; }

  /// @param groups  of tokens, in the order of x
  /// @param x       in place
  void forward(std::span<const float> parameters, const Encoded& encoded, std::span<const Group> groups, Trace& trace,
               MatrixView<float> x) const;

  /// @param grad_x  of what forward() gave; in place, becomes that of what it was given
  void backward(std::span<const float> parameters, const Encoded& encoded, std::span<const Group> groups, Trace& trace,
                MatrixView<float> grad_x, std::span<float> gradients) const;

 private:
  struct Block {
    Norm norm1;
    Linear qkv;
    Linear proj;
    Norm norm2;
    Linear fc1;
    Linear fc2;
  };

  void forward(const Block& block, std::span<const float> parameters, const Encoded& encoded,
               std::span<const Group> groups, Trace& trace, BlockTrace& of_block, MatrixView<float> x) const;
  void backward(const Block& block, std::span<const float> parameters, const Encoded& encoded,
                std::span<const Group> groups, Trace& trace, const BlockTrace& of_block, MatrixView<float> grad_x,
                std::span<float> gradients) const;

  TransformerShape shape_;
  Slice encoding_;
  std::vector<Block> blocks_;
  Norm norm_;
};

}  // namespace posenc::models
