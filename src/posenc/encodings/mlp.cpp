#include "encodings/mlp.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "posenc/matrix_view.hpp"
#include "posenc/seeded.hpp"

#include "kernels/kernels.hpp"

namespace posenc {
namespace {

/// Where the numbers of one layer stand.
struct LayerShape {
  int from;
  int to;
  std::size_t begin;
  bool has_bias;

  [[nodiscard]] std::size_t weight_size() const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(to);
  }
  [[nodiscard]] std::size_t size() const { return weight_size() + (has_bias ? static_cast<std::size_t>(to) : 0); }

  template <class T>
  [[nodiscard]] MatrixView<T> weight(std::span<T> all) const {
    return {all.subspan(begin, weight_size()), to, from};
  }
  /// Empty if there is none.
  template <class T>
  [[nodiscard]] std::span<T> bias(std::span<T> all) const {
    return all.subspan(begin + weight_size(), size() - weight_size());
  }
};

/// @param layer  0 to depth
LayerShape layer_of(const MlpShape& shape, int layer) {
  const int first = shape.width * (shape.inputs + 1);
  const int begin = layer == 0 ? 0 : first + (layer - 1) * shape.width * (shape.width + 1);
  const bool last = layer == shape.depth;
  return {layer == 0 ? shape.inputs : shape.width, last ? shape.outputs : shape.width, static_cast<std::size_t>(begin),
          !last || shape.output_bias};
}

std::vector<float> linear(const LayerShape& layer, std::span<const float> weights, std::span<const float> x) {
  const MatrixView<const float> weight = layer.weight(weights);
  const std::span<const float> bias = layer.bias(weights);
  std::vector<float> out;
  for (int i = 0; i < layer.to; ++i) {
    out.push_back(kernels::best.dot(weight.row(i), x) + bias[static_cast<std::size_t>(i)]);
  }
  return out;
}

std::vector<float> activated(Activation activation, std::vector<float> x) {
  if (activation == Activation::relu) {
    for (float& value : x) value = std::max(value, 0.0F);
    return x;
  }
  std::vector<float> gates = x;
  kernels::best.sigmoid(gates);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] *= gates[i];
  return x;
}

/// What activated() changes by at x.
std::vector<float> slopes(Activation activation, std::vector<float> x) {
  if (activation == Activation::relu) {
    for (float& value : x) value = value > 0.0F ? 1.0F : 0.0F;
    return x;
  }
  std::vector<float> gates = x;
  kernels::best.sigmoid(gates);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = gates[i] * (1.0F + x[i] * (1.0F - gates[i]));
  return x;
}

/// Adds the gradient of one row of a layer.
void add_row(const LayerShape& layer, int row, float grad, std::span<const float> x, std::span<float> grad_weights) {
  kernels::best.add_scaled(grad, x, layer.weight(grad_weights).row(row));
  if (layer.has_bias) layer.bias(grad_weights)[static_cast<std::size_t>(row)] += grad;
}

}  // namespace

std::size_t mlp_size(const MlpShape& shape) {
  const LayerShape last = layer_of(shape, shape.depth);
  return last.begin + last.size();
}

void seed_mlp(const MlpShape& shape, std::uint64_t seed, double stddev, std::span<float> weights) {
  assert(weights.size() == mlp_size(shape));
  const std::uint64_t key = stream_key(seed, Stream::encoding);
  for (int i = 0; i <= shape.depth; ++i) {
    const LayerShape layer = layer_of(shape, i);
    const double scale =
        (i == 0 ? 1.0 : 1.0 / std::sqrt(static_cast<double>(layer.from))) * (i == shape.depth ? stddev : 1.0);
    fill_normal(key, scale, layer.weight(weights).all(), layer.begin);
    fill_normal(key, i == shape.depth ? scale : 1.0, layer.bias(weights), layer.begin + layer.weight_size());
  }
}

Mlp::Mlp(const MlpShape& shape, std::span<const float> weights) : shape_(shape), weights_(weights) {
  assert(weights.size() == mlp_size(shape));
}

float Mlp::at(std::span<const float> input, int output) const {
  std::vector<float> x(input.begin(), input.end());
  for (int i = 0; i < shape_.depth; ++i) {
    x = activated(shape_.activation, linear(layer_of(shape_, i), weights_, x));
  }
  const LayerShape last = layer_of(shape_, shape_.depth);
  const float sum = kernels::best.dot(last.weight(weights_).row(output), x);
  return last.has_bias ? sum + last.bias(weights_)[static_cast<std::size_t>(output)] : sum;
}

std::vector<float> Mlp::collect(std::span<const float> input, int output, float grad_output,
                                std::span<float> grad_weights) const {
  std::vector<std::vector<float>> inputs{{input.begin(), input.end()}};  // of each layer
  std::vector<std::vector<float>> sums;                                  // of each hidden layer, before the activation
  for (int i = 0; i < shape_.depth; ++i) {
    sums.push_back(linear(layer_of(shape_, i), weights_, inputs.back()));
    inputs.push_back(activated(shape_.activation, sums.back()));
  }
  const LayerShape last = layer_of(shape_, shape_.depth);
  add_row(last, output, grad_output, inputs.back(), grad_weights);
  const std::span<const float> row = last.weight(weights_).row(output);
  std::vector<float> change(row.begin(), row.end());  // of the output with each number that enters the layer
  for (int i = shape_.depth - 1; i >= 0; --i) {
    const LayerShape layer = layer_of(shape_, i);
    const auto at = static_cast<std::size_t>(i);
    const std::vector<float> slope = slopes(shape_.activation, sums[at]);
    std::vector<float> before(static_cast<std::size_t>(layer.from));
    for (int to = 0; to < layer.to; ++to) {
      const float with_sum = change[static_cast<std::size_t>(to)] * slope[static_cast<std::size_t>(to)];
      add_row(layer, to, grad_output * with_sum, inputs[at], grad_weights);
      kernels::best.add_scaled(with_sum, layer.weight(weights_).row(to), before);
    }
    change = before;
  }
  return change;
}

}  // namespace posenc
