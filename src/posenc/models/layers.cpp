#include "models/layers.hpp"

#include <algorithm>
#include <cmath>

#include "posenc/seeded.hpp"

#include "kernels/kernels.hpp"
#include "kernels/training.hpp"

namespace posenc::models {
namespace {

constexpr float kEpsilon = 1e-5F;

}  // namespace

Linear add_linear(Layout& layout, const std::string& name, int in, int out) {
  return {layout.add_matrix(name + ".weight", out, in, Decay::yes), layout.add_vector(name + ".bias", out)};
}

void seed(const Linear& linear, std::uint64_t key, double gain, std::span<float> parameters) {
  fill_normal(key, gain / std::sqrt(static_cast<double>(linear.weight.cols)), linear.weight.flat(parameters),
              linear.weight.begin);
}

void forward(const Linear& linear, std::span<const float> parameters, MatrixView<const float> x,
             MatrixView<float> out) {
  kernels::best.multiply_transposed(x, linear.weight.of(parameters), out);
  const std::span<const float> bias = linear.bias.flat(parameters);
  for (int token = 0; token < out.rows(); ++token) add(bias, out.row(token));
}

void backward(const Linear& linear, std::span<const float> parameters, MatrixView<const float> x,
              MatrixView<const float> grad_out, MatrixView<float> grad_x, std::span<float> gradients) {
  kernels::best.multiply(grad_out, linear.weight.of(parameters), grad_x);
  kernels::training.add_transposed_product(grad_out, x, linear.weight.of(gradients));
  const std::span<float> grad_bias = linear.bias.flat(gradients);
  for (int token = 0; token < grad_out.rows(); ++token) add(grad_out.row(token), grad_bias);
}

Norm add_norm(Layout& layout, const std::string& name, int channels) {
  return {layout.add_vector(name + ".weight", channels), layout.add_vector(name + ".bias", channels)};
}

void seed(const Norm& norm, std::span<float> parameters) { std::ranges::fill(norm.weight.flat(parameters), 1.0F); }

void forward(const Norm& norm, std::span<const float> parameters, MatrixView<const float> x, NormTrace& trace,
             MatrixView<float> out) {
  const MatrixView<float> normed = trace.normed.shaped(x.rows(), x.cols());
  const std::span<float> scales = trace.scales.shaped(1, x.rows()).all();
  for (int token = 0; token < x.rows(); ++token) {
    scales[static_cast<std::size_t>(token)] =
        kernels::training.layer_norm(x.row(token), norm.weight.flat(parameters), norm.bias.flat(parameters), kEpsilon,
                                     normed.row(token), out.row(token));
  }
}

void backward(const Norm& norm, std::span<const float> parameters, const NormTrace& trace,
              MatrixView<const float> grad_out, MatrixView<float> grad_x, std::span<float> gradients) {
  const MatrixView<const float> normed = trace.normed.view();
  const std::span<const float> scales = trace.scales.view().all();
  for (int token = 0; token < grad_out.rows(); ++token) {
    kernels::training.layer_norm_backward(grad_out.row(token), normed.row(token),
                                          scales[static_cast<std::size_t>(token)], norm.weight.flat(parameters),
                                          grad_x.row(token), norm.weight.flat(gradients), norm.bias.flat(gradients));
  }
}

void add(std::span<const float> x, std::span<float> y) { kernels::best.add_scaled(1.0F, x, y); }

}  // namespace posenc::models
