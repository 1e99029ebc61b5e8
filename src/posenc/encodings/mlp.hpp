#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace posenc {

enum class Activation { relu, silu };

/// A perceptron: `depth` hidden layers of `width` numbers, each followed by the activation, then the outputs.
struct MlpShape {
  int inputs = 1;
  int width = 32;
  int depth = 1;  ///< at least 1
  int outputs = 1;
  Activation activation = Activation::relu;
  bool output_bias = true;
};

/// How many numbers it has: layer by layer the weight [to][from], then the bias [to], as PyTorch lists its Linears.
[[nodiscard]] std::size_t mlp_size(const MlpShape& shape);

/// Seeds the numbers of one: normal, inputs and biases of deviation 1, later layers 1 / sqrt(from), so that every layer
/// gives numbers near 1; the outputs times `stddev`.
void seed_mlp(const MlpShape& shape, std::uint64_t seed, double stddev, std::span<float> weights);

/// Reads its numbers from a span that somebody else may change.
class Mlp {
 public:
  Mlp(const MlpShape& shape, std::span<const float> weights);

  /// One output.
  [[nodiscard]] float at(std::span<const float> input, int output) const;

  /// Adds grad_output times what the output changes by to grad_weights, and returns what the output changes by with
  /// each input (not times grad_output).
  std::vector<float> collect(std::span<const float> input, int output, float grad_output,
                             std::span<float> grad_weights) const;

 private:
  MlpShape shape_;
  std::span<const float> weights_;
};

}  // namespace posenc
