#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>

#include "kernels/by_scalar.hpp"
#include "kernels/constants.hpp"
#include "kernels/simd_batch.hpp"
#include "kernels/simd_products.hpp"
#include "kernels/training.hpp"

namespace posenc::kernels {
namespace {

// Each formula is written once, for a block (T = Floats) and for what is left after the last whole one (T = float).

template <class F>
void for_each(std::size_t size, F f) {
  const std::size_t whole = whole_blocks(size, kFloats);
  for (std::size_t i = 0; i < whole; i += kFloats) f.template operator()<Floats>(i);
  for (std::size_t i = whole; i < size; ++i) f.template operator()<float>(i);
}

template <class T>
T load(std::span<const float> x, std::size_t i) {
  if constexpr (std::is_same_v<T, float>) {
    return x[i];
  } else {
    return T::load_unaligned(&x[i]);
  }
}

void store(float value, std::span<float> x, std::size_t i) { x[i] = value; }
void store(Floats values, std::span<float> x, std::size_t i) { values.store_unaligned(&x[i]); }

using kernels::logistic;

float logistic(float x) {
  std::array<float, 1> one{x};
  by_scalar::sigmoid(one);
  return one[0];
}

/// Four partial sums, as in `dot`.
class Sum {
 public:
  void add(std::size_t /*i*/, Floats values) { lanes_ += values; }
  void add(std::size_t i, float value) { rest_[i % kFloats] += value; }
  [[nodiscard]] float total() const {
    std::array<float, kFloats> parts;
    (lanes_ + Floats::load_unaligned(rest_.data())).store_unaligned(parts.data());
    return (parts[0] + parts[2]) + (parts[1] + parts[3]);
  }

 private:
  Floats lanes_ = Floats(0.0F);
  std::array<float, kFloats> rest_{};
};

void gelu(std::span<const float> x, std::span<float> out) {
  assert(x.size() == out.size());
  for_each(x.size(), [&]<class T>(std::size_t i) {
    const T value = load<T>(x, i);
    store(value * logistic(value * (T(kGelu) + T(kGeluCube) * (value * value))), out, i);
  });
}

void gelu_backward(std::span<const float> x, std::span<float> grad) {
  assert(x.size() == grad.size());
  for_each(x.size(), [&]<class T>(std::size_t i) {
    const T value = load<T>(x, i);
    const T square = value * value;
    const T s = logistic(value * (T(kGelu) + T(kGeluCube) * square));
    const T slope = T(kGelu) + T(3.0F * kGeluCube) * square;
    store(load<T>(grad, i) * (s + value * (s * (T(1.0F) - s)) * slope), grad, i);
  });
}

float layer_norm(std::span<const float> x, std::span<const float> gain, std::span<const float> bias, float epsilon,
                 std::span<float> normed, std::span<float> out) {
  assert(gain.size() == x.size() && bias.size() == x.size() && normed.size() == x.size() && out.size() == x.size());
  if (x.empty()) return 0.0F;
  const auto size = static_cast<float>(x.size());
  Sum sum;
  for_each(x.size(), [&]<class T>(std::size_t i) { sum.add(i, load<T>(x, i)); });
  const float mean = sum.total() / size;
  Sum squares;
  for_each(x.size(), [&]<class T>(std::size_t i) {
    const T centred = load<T>(x, i) - T(mean);
    squares.add(i, centred * centred);
  });
  const float scale = 1.0F / std::sqrt(squares.total() / size + epsilon);
  for_each(x.size(), [&]<class T>(std::size_t i) {
    const T value = (load<T>(x, i) - T(mean)) * T(scale);
    store(value, normed, i);
    store(value * load<T>(gain, i) + load<T>(bias, i), out, i);
  });
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
  for_each(normed.size(), [&]<class T>(std::size_t i) {
    const T of_out = load<T>(grad_out, i);
    const T norm = load<T>(normed, i);
    const T grad = of_out * load<T>(gain, i);
    sum.add(i, grad);
    product.add(i, grad * norm);
    store(load<T>(grad_gain, i) + of_out * norm, grad_gain, i);
    store(load<T>(grad_bias, i) + of_out, grad_bias, i);
  });
  const float mean = sum.total() / size;
  const float slope = product.total() / size;
  for_each(normed.size(), [&]<class T>(std::size_t i) {
    const T centred = load<T>(grad_out, i) * load<T>(gain, i) - T(mean);
    store(load<T>(grad_x, i) + T(scale) * (centred - load<T>(normed, i) * T(slope)), grad_x, i);
  });
}

void softmax_backward(std::span<const float> weights, std::span<float> grad) {
  assert(weights.size() == grad.size());
  Sum sum;
  for_each(grad.size(), [&]<class T>(std::size_t i) { sum.add(i, load<T>(weights, i) * load<T>(grad, i)); });
  const float mean = sum.total();
  for_each(grad.size(),
           [&]<class T>(std::size_t i) { store(load<T>(weights, i) * (load<T>(grad, i) - T(mean)), grad, i); });
}

void adamw(const AdamStep& step, std::span<const float> grad, std::span<float> first, std::span<float> second,
           std::span<float> x) {
  assert(grad.size() == x.size() && first.size() == x.size() && second.size() == x.size());
  for_each(x.size(), [&]<class T>(std::size_t i) {
    const T g = load<T>(grad, i);
    const T mean = T(step.beta1) * load<T>(first, i) + T(1.0F - step.beta1) * g;
    const T square = T(step.beta2) * load<T>(second, i) + T(1.0F - step.beta2) * (g * g);
    using std::sqrt;
    const T size = sqrt(square / T(step.correction2)) + T(step.epsilon);
    const T value = load<T>(x, i);
    store(mean, first, i);
    store(square, second, i);
    store(value - T(step.learning_rate) * (mean / T(step.correction1) / size + T(step.weight_decay) * value), x, i);
  });
}

constinit const TrainingKernels kSimd{
    by_simd::add_transposed_product, gelu, gelu_backward, layer_norm, layer_norm_backward, softmax_backward, adamw};

}  // namespace

constinit const TrainingKernels* const training_simd = &kSimd;
constinit const TrainingKernels& training = kSimd;

}  // namespace posenc::kernels
