#pragma once

#include <span>

#include "kernels/kernels.hpp"

/// Scalar kernels by name: simd.cpp gives them what is left after the last whole block. (Through the table `scalar`
/// every one of them would be linked.)
namespace posenc::kernels::by_scalar {

void add_scaled(float factor, std::span<const float> x, std::span<float> y);
void multiply_transposed(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);
void sin_cos_double(std::span<const double> angles, std::span<double> sin, std::span<double> cos);
void add_angles(const AnglesView& a, const AnglesView& b, std::span<float> sin, std::span<float> cos);
void sigmoid(std::span<float> x);
void rotate_interleaved(std::span<const float> cos, std::span<const float> sin, std::span<float> x);

}  // namespace posenc::kernels::by_scalar
