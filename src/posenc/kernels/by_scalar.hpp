#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/kernels.hpp"

/// Scalar kernels by name: files with SIMD give them what is left after the last whole block. (Through the table
/// `scalar` every one of them would be linked.)
namespace posenc::kernels::by_scalar {

void add_scaled(float factor, std::span<const float> x, std::span<float> y);
/// add(), with the bits of its result.
std::uint32_t add_bits(std::span<const float> x, std::span<float> y);
void scale(float factor, std::span<float> x);
/// The largest of the numbers without their signs, as bits.
[[nodiscard]] std::uint32_t largest_bits(std::span<const float> x);
void sin_cos(double position, std::span<const double> inv_freq, std::span<double> sin, std::span<double> cos);
void sigmoid(std::span<float> x);

/// add_angles from pair `begin` on; pair i in column i * step.
void add_angles_from(std::size_t begin, std::size_t step, const AnglesView& a, const AnglesView& b,
                     const AnglesView& steps, const TileView& tile);
/// Rotates pairs from `begin` on; the channels of pair i are i * step and i * step + apart.
void rotate_from(std::size_t begin, std::size_t step, std::size_t apart, std::span<const float> cos,
                 std::span<const float> sin, std::span<float> x);

}  // namespace posenc::kernels::by_scalar
