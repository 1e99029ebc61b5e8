#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "posenc/matrix_view.hpp"

#include "models/parameters.hpp"

namespace posenc::models {

/// y = x · weight^T + bias
struct Linear {
  Slice weight;  ///< [out][in]
  Slice bias;    ///< [out]
};
[[nodiscard]] Linear add_linear(Layout& layout, const std::string& name, int in, int out);

/// Seeded weights of standard deviation gain / sqrt(in); the bias stays 0.
/// @param key  of a stream of random numbers; the place of the slice chooses its part of it
void seed(const Linear& linear, std::uint64_t key, double gain, std::span<float> parameters);

/// @param x    [token][in]
/// @param out  [token][out]
void forward(const Linear& linear, std::span<const float> parameters, MatrixView<const float> x, MatrixView<float> out);

/// Adds to the gradients of weight and bias, and sets that of x.
void backward(const Linear& linear, std::span<const float> parameters, MatrixView<const float> x,
              MatrixView<const float> grad_out, MatrixView<float> grad_x, std::span<float> gradients);

/// Each token to mean 0 and variance 1, then a gain and a bias for each channel.
struct Norm {
  Slice weight;  ///< [channel], the gain
  Slice bias;    ///< [channel]
};
[[nodiscard]] Norm add_norm(Layout& layout, const std::string& name, int channels);

/// Gain 1, bias 0.
void seed(const Norm& norm, std::span<float> parameters);

/// What the backward pass of a Norm needs.
struct NormTrace {
  Buffer normed;  ///< [token][channel]
  Buffer scales;  ///< [1][token]
};

void forward(const Norm& norm, std::span<const float> parameters, MatrixView<const float> x, NormTrace& trace,
             MatrixView<float> out);

/// Adds to all gradients.
void backward(const Norm& norm, std::span<const float> parameters, const NormTrace& trace,
              MatrixView<const float> grad_out, MatrixView<float> grad_x, std::span<float> gradients);

/// y += x, number by number.
void add(std::span<const float> x, std::span<float> y);

}  // namespace posenc::models
