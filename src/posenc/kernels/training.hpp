#pragma once

#include <span>

#include "posenc/matrix_view.hpp"

/// The arithmetic of training, beside kernels.hpp and under its rules: two twins that are equal to the bit, every size
/// including 0, no libm, no alignment. A table of its own, so that a program that does not train does not link it.
namespace posenc::kernels {

/// What a step of AdamW needs besides the arrays.
struct AdamStep {
  float learning_rate = 0.0F;
  float beta1 = 0.9F;
  float beta2 = 0.999F;
  float epsilon = 1e-8F;
  float weight_decay = 0.0F;
  float correction1 = 1.0F;  ///< 1 - beta1^t
  float correction2 = 1.0F;  ///< 1 - beta2^t
};

struct TrainingKernels {
  /// out[i][j] += sum over k of a[k][i] * b[k][j]: each sum starts at out[i][j], k ascending.
  /// Error <= n * 2^-24 * (|out| + sum |a * b|).
  void (*add_transposed_product)(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);

  /// out[i] = x[i] * sigmoid(2 * sqrt(2 / pi) * (x[i] + 0.044715 x[i]^3)): GELU in its tanh form
  /// (Hendrycks & Gimpel 2016, arXiv:1606.08415, section 2). Error <= 4e-7 * |x[i]|.
  void (*gelu)(std::span<const float> x, std::span<float> out);
  /// grad[i] *= d gelu(x[i]) / d x[i]. Error <= 3e-6 * |grad[i]|.
  void (*gelu_backward)(std::span<const float> x, std::span<float> grad);

  /// normed[i] = (x[i] - mean) / sqrt(variance + epsilon); out[i] = normed[i] * gain[i] + bias[i].
  /// Returns 1 / sqrt(variance + epsilon). Sums as in `dot`. Ba et al. 2016, arXiv:1607.06450.
  /// Error of normed <= (n + 32) * 2^-24 * max |x| / sqrt(variance + epsilon); two roundings more in out.
  float (*layer_norm)(std::span<const float> x, std::span<const float> gain, std::span<const float> bias, float epsilon,
                      std::span<float> normed, std::span<float> out);
  /// From the gradient of `out`: adds to those of x, gain and bias. `scale` is what layer_norm returned.
  /// Error of what is added to grad_x <= (n / 4 + 10) * 2^-24 * scale * max |grad_out * gain| * (1 + max normed^2).
  void (*layer_norm_backward)(std::span<const float> grad_out, std::span<const float> normed, float scale,
                              std::span<const float> gain, std::span<float> grad_x, std::span<float> grad_gain,
                              std::span<float> grad_bias);

  /// grad[i] = weights[i] * (grad[i] - sum over j of weights[j] * grad[j]), in place.
  /// Error <= (n / 4 + 8) * 2^-24 * weights[i] * (|grad[i]| + sum |weights * grad|).
  void (*softmax_backward)(std::span<const float> weights, std::span<float> grad);

  /// One step of AdamW (Loshchilov & Hutter 2019, arXiv:1711.05101, algorithm 2) on every parameter:
  ///   first = beta1 first + (1 - beta1) grad;  second = beta2 second + (1 - beta2) grad^2
  ///   x -= learning_rate * (first / correction1 / (sqrt(second / correction2) + epsilon) + weight_decay * x)
  /// Error of each <= 16 * 2^-24 * the sum of the magnitudes of its terms, beside what 1 - beta loses in float.
  void (*adamw)(const AdamStep& step, std::span<const float> grad, std::span<float> first, std::span<float> second,
                std::span<float> x);
};

extern const TrainingKernels training_scalar;

/// xsimd; null where the build has no SIMD.
extern const TrainingKernels* const training_simd;

/// What the library uses.
extern const TrainingKernels& training;

}  // namespace posenc::kernels
