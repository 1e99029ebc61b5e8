#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/by_scalar.hpp"
#include "kernels/constants.hpp"
#include "kernels/kernels.hpp"

namespace posenc::kernels {
namespace by_scalar {

using PartialSums = std::array<float, 4>;

static float total(const PartialSums& s) { return (s[0] + s[2]) + (s[1] + s[3]); }

float dot(std::span<const float> a, std::span<const float> b) {
  assert(a.size() == b.size());
  PartialSums sums{};
  for (std::size_t i = 0; i < a.size(); ++i) sums[i % 4] += a[i] * b[i];
  return total(sums);
}

void add_scaled(float factor, std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += factor * x[i];
}

void multiply(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out) {
  assert(a.cols() == b.rows() && out.rows() == a.rows() && out.cols() == b.cols());
  for (int i = 0; i < out.rows(); ++i) {
    for (int j = 0; j < out.cols(); ++j) {
      float sum = 0.0F;
      for (int k = 0; k < a.cols(); ++k) sum += a(i, k) * b(k, j);
      out(i, j) = sum;
    }
  }
}

void multiply_transposed(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out) {
  assert(a.cols() == b.cols() && out.rows() == a.rows() && out.cols() == b.rows());
  for (int i = 0; i < out.rows(); ++i) {
    for (int j = 0; j < out.cols(); ++j) {
      float sum = 0.0F;
      for (int k = 0; k < a.cols(); ++k) sum += a(i, k) * b(j, k);
      out(i, j) = sum;
    }
  }
}

template <std::size_t N, class T>
static T polynomial(const std::array<T, N>& coefficients, T x) {
  T value = coefficients[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) value = value * x + coefficients[i];
  return value;
}

template <class T>
static void sin_cos_as(std::span<const double> angles, std::span<T> sin, std::span<T> cos) {
  assert(angles.size() == sin.size() && angles.size() == cos.size());
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const double rounded = angles[i] * kTwoOverPi + kRoundDouble;
    const double n = rounded - kRoundDouble;
    const double r = ((angles[i] - n * kHalfPi[0]) - n * kHalfPi[1]) - n * kHalfPi[2];
    const double square = r * r;
    const double sine = r + r * square * polynomial(kSin, square);
    const double cosine = (1.0 - 0.5 * square) + square * square * polynomial(kCos, square);
    const std::uint64_t quadrant = std::bit_cast<std::uint64_t>(rounded);
    const bool swapped = (quadrant & 1U) != 0;
    const double first = swapped ? cosine : sine;
    const double second = swapped ? sine : cosine;
    sin[i] = static_cast<T>((quadrant & 2U) != 0 ? -first : first);
    cos[i] = static_cast<T>(((quadrant + 1U) & 2U) != 0 ? -second : second);
  }
}

void sin_cos(std::span<const double> angles, std::span<float> sin, std::span<float> cos) {
  sin_cos_as<float>(angles, sin, cos);
}

void sin_cos_double(std::span<const double> angles, std::span<double> sin, std::span<double> cos) {
  sin_cos_as<double>(angles, sin, cos);
}

void add_angles(const AnglesView& a, const AnglesView& b, std::span<float> sin, std::span<float> cos) {
  assert(a.sin.size() == sin.size() && b.sin.size() == sin.size() && cos.size() == sin.size());
  for (std::size_t i = 0; i < sin.size(); ++i) {
    sin[i] = static_cast<float>(a.sin[i] * b.cos[i] + a.cos[i] * b.sin[i]);
    cos[i] = static_cast<float>(a.cos[i] * b.cos[i] - a.sin[i] * b.sin[i]);
  }
}

static float exp_of_nonpositive(float x) {
  if (!(x >= kExpMin)) return 0.0F;
  const float rounded = x * kLog2E + kRoundFloat;
  const float n = rounded - kRoundFloat;
  const float r = (x - n * kLn2Hi) - n * kLn2Lo;
  const float value = 1.0F + (r + r * r * polynomial(kExp, r));
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) + (std::bit_cast<std::uint32_t>(rounded) << 23U));
}

void softmax(std::span<float> x) {
  float largest = -std::numeric_limits<float>::infinity();
  for (const float value : x) largest = std::max(largest, value);
  if (largest == -std::numeric_limits<float>::infinity()) {
    std::ranges::fill(x, 0.0F);
    return;
  }
  PartialSums sums{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = exp_of_nonpositive(x[i] - largest);
    sums[i % 4] += x[i];
  }
  const float sum = total(sums);
  for (float& value : x) value /= sum;
}

void sigmoid(std::span<float> x) {
  for (float& value : x) {
    const bool positive = value >= 0.0F;
    const float e = exp_of_nonpositive(positive ? -value : value);
    value = (positive ? 1.0F : e) / (1.0F + e);
  }
}

void rotate_half(std::span<const float> cos, std::span<const float> sin, std::span<float> x) {
  const std::size_t pairs = cos.size();
  assert(sin.size() == pairs && x.size() == 2 * pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    const float a = x[i];
    const float b = x[i + pairs];
    x[i] = a * cos[i] - b * sin[i];
    x[i + pairs] = b * cos[i] + a * sin[i];
  }
}

void rotate_interleaved(std::span<const float> cos, std::span<const float> sin, std::span<float> x) {
  assert(sin.size() == cos.size() && x.size() == 2 * cos.size());
  for (std::size_t i = 0; i < cos.size(); ++i) {
    const float a = x[2 * i];
    const float b = x[2 * i + 1];
    x[2 * i] = a * cos[i] - b * sin[i];
    x[2 * i + 1] = b * cos[i] + a * sin[i];
  }
}

}  // namespace by_scalar

constinit const Kernels scalar{
    by_scalar::dot,     by_scalar::add_scaled,     by_scalar::multiply,          by_scalar::multiply_transposed,
    by_scalar::sin_cos, by_scalar::sin_cos_double, by_scalar::add_angles,        by_scalar::softmax,
    by_scalar::sigmoid, by_scalar::rotate_half,    by_scalar::rotate_interleaved};

}  // namespace posenc::kernels
