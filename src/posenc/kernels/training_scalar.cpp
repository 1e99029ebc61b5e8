#include "kernels/training.hpp"

#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "kernels/constants.hpp"
#include "kernels/kernels.hpp"

namespace posenc::kernels {
namespace {

float logistic(float x) {
  std::array<float, 1> one{x};
  scalar.sigmoid(one);
  return one[0];
}

void add_transposed_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out) {
  assert(a.rows() == b.rows() && out.rows() == a.cols() && out.cols() == b.cols());
  for (int i = 0; i < out.rows(); ++i) {
    for (int j = 0; j < out.cols(); ++j) {
      float sum = out(i, j);
      for (int k = 0; k < a.rows(); ++k) sum += a(k, i) * b(k, j);
      out(i, j) = sum;
    }
  }
}

void gelu(std::span<const float> x, std::span<float> out) {
  assert(x.size() == out.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float square = x[i] * x[i];
    out[i] = x[i] * logistic(x[i] * (kGelu + kGeluCube * square));
  }
}

void gelu_backward(std::span<const float> x, std::span<float> grad) {
  assert(x.size() == grad.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float square = x[i] * x[i];
    const float s = logistic(x[i] * (kGelu + kGeluCube * square));
    const float slope = kGelu + 3.0F * kGeluCube * square;
    grad[i] *= s + x[i] * (s * (1.0F - s)) * slope;
  }
}

/// Four partial sums, as in `dot`.
class Sum {
 public:
  void add(std::size_t i, float value) { parts_[i % 4] += value; }
  [[nodiscard]] float total() const { return (parts_[0] + parts_[2]) + (parts_[1] + parts_[3]); }

 private:
  std::array<float, 4> parts_{};
};

float layer_norm(std::span<const float> x, std::span<const float> gain, std::span<const float> bias, float epsilon,
                 std::span<float> normed, std::span<float> out) {
  assert(gain.size() == x.size() && bias.size() == x.size() && normed.size() == x.size() && out.size() == x.size());
  if (x.empty()) return 0.0F;
  const auto size = static_cast<float>(x.size());
  Sum sum;
  for (std::size_t i = 0; i < x.size(); ++i) sum.add(i, x[i]);
  const float mean = sum.total() / size;
  Sum squares;
  for (std::size_t i = 0; i < x.size(); ++i) squares.add(i, (x[i] - mean) * (x[i] - mean));
  const float scale = 1.0F / std::sqrt(squares.total() / size + epsilon);
  for (std::size_t i = 0; i < x.size(); ++i) {
    normed[i] = (x[i] - mean) * scale;
    out[i] = normed[i] * gain[i] + bias[i];
  }
  return scale;
}

void layer_norm_backward(std::span<const float> grad_out, std::span<const float> normed, float scale,
                         std::span<const float> gain, std::span<float> grad_x, std::span<float> grad_gain,
                         std::span<float> grad_bias) {
  assert(grad_out.size() == normed.size() && gain.size() == normed.size() && grad_x.size() == normed.size());
  assert(grad_gain.size() == normed.size() && grad_bias.size() == normed.size());
  if (normed.empty()) return;
  const auto size = static_cast<float>(normed.size());
  Sum sum;
  Sum product;
  for (std::size_t i = 0; i < normed.size(); ++i) {
    const float grad = grad_out[i] * gain[i];
    sum.add(i, grad);
    product.add(i, grad * normed[i]);
    grad_gain[i] += grad_out[i] * normed[i];
    grad_bias[i] += grad_out[i];
  }
  const float mean = sum.total() / size;
  const float slope = product.total() / size;
  for (std::size_t i = 0; i < normed.size(); ++i) {
    grad_x[i] += scale * ((grad_out[i] * gain[i] - mean) - normed[i] * slope);
  }
}

void softmax_backward(std::span<const float> weights, std::span<float> grad) {
  assert(weights.size() == grad.size());
  const float sum = scalar.dot(weights, grad);
  for (std::size_t i = 0; i < grad.size(); ++i) grad[i] = weights[i] * (grad[i] - sum);
}

void adamw(const AdamStep& step, std::span<const float> grad, std::span<float> first, std::span<float> second,
           std::span<float> x) {
  assert(grad.size() == x.size() && first.size() == x.size() && second.size() == x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    first[i] = step.beta1 * first[i] + (1.0F - step.beta1) * grad[i];
    second[i] = step.beta2 * second[i] + (1.0F - step.beta2) * (grad[i] * grad[i]);
    const float size = std::sqrt(second[i] / step.correction2) + step.epsilon;
    x[i] -= step.learning_rate * (first[i] / step.correction1 / size + step.weight_decay * x[i]);
  }
}

}  // namespace

constinit const TrainingKernels training_scalar{
    add_transposed_product, gelu, gelu_backward, layer_norm, layer_norm_backward, softmax_backward, adamw};

}  // namespace posenc::kernels
