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

void linear(const LayerShape& layer, std::span<const float> weights, std::span<const float> x, std::span<float> out) {
  const MatrixView<const float> weight = layer.weight(weights);
  const std::span<const float> bias = layer.bias(weights);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = kernels::best.dot(weight.row(static_cast<int>(i)), x) + bias[i];
  }
}

void sigmoids(std::span<const float> x, std::span<float> out) {
  std::ranges::copy(x, out.begin());
  kernels::best.sigmoid(out);
}

void activate(Activation activation, std::span<const float> x, std::span<float> out) {
  if (activation == Activation::relu) {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = std::max(x[i], 0.0F);
    return;
  }
  sigmoids(x, out);
  for (std::size_t i = 0; i < x.size(); ++i) out[i] *= x[i];
}

/// What activate() changes by at x.
void slopes(Activation activation, std::span<const float> x, std::span<float> out) {
  if (activation == Activation::relu) {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] > 0.0F ? 1.0F : 0.0F;
    return;
  }
  sigmoids(x, out);
  for (std::size_t i = 0; i < x.size(); ++i) out[i] *= 1.0F + x[i] * (1.0F - out[i]);
}

/// What runs through the hidden layers for one input.
class Activity {
 public:
  Activity(const MlpShape& shape, std::span<const float> weights, std::span<const float> input)
      : input_(input), sums_(shape.depth, shape.width), activated_(shape.depth, shape.width) {
    for (int i = 0; i < shape.depth; ++i) {
      linear(layer_of(shape, i), weights, before(i), sums_.row(i));
      activate(shape.activation, sums_.row(i), activated_.row(i));
    }
  }

  /// What enters a layer.
  [[nodiscard]] std::span<const float> before(int layer) const {
    return layer == 0 ? input_ : std::span<const float>(activated_.row(layer - 1));
  }
  /// What a hidden layer sums up, before the activation.
  [[nodiscard]] std::span<const float> sums(int layer) const { return sums_.row(layer); }

 private:
  std::span<const float> input_;
  Matrix<float> sums_;
  Matrix<float> activated_;
};

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
  const Activity activity(shape_, weights_, input);
  const LayerShape last = layer_of(shape_, shape_.depth);
  const float sum = kernels::best.dot(last.weight(weights_).row(output), activity.before(shape_.depth));
  return last.has_bias ? sum + last.bias(weights_)[static_cast<std::size_t>(output)] : sum;
}

std::vector<float> Mlp::collect(std::span<const float> input, int output, float grad_output,
                                std::span<float> grad_weights) const {
  const Activity activity(shape_, weights_, input);
  const LayerShape last = layer_of(shape_, shape_.depth);
  add_row(last, output, grad_output, activity.before(shape_.depth), grad_weights);
  const std::span<const float> row = last.weight(weights_).row(output);
  std::vector<float> change(row.begin(), row.end());  // of the output with each number that enters the layer
  std::vector<float> slope(row.size());
  for (int i = shape_.depth - 1; i >= 0; --i) {
    const LayerShape layer = layer_of(shape_, i);
    slopes(shape_.activation, activity.sums(i), slope);
    std::vector<float> before(static_cast<std::size_t>(layer.from));
    for (std::size_t to = 0; to < slope.size(); ++to) {
      const float with_sum = change[to] * slope[to];
      add_row(layer, static_cast<int>(to), grad_output * with_sum, activity.before(i), grad_weights);
      kernels::best.add_scaled(with_sum, layer.weight(weights_).row(static_cast<int>(to)), before);
    }
    change.swap(before);
  }
  return change;
}

}  // namespace posenc
