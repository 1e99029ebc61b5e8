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

void sin_cos(double position, std::span<const double> inv_freq, std::span<double> sin, std::span<double> cos) {
  assert(inv_freq.size() == sin.size() && inv_freq.size() == cos.size());
  for (std::size_t i = 0; i < inv_freq.size(); ++i) {
    const double angle = position * inv_freq[i];
    const double rounded = angle * kTwoOverPi + kRoundDouble;
    const double n = rounded - kRoundDouble;
    const double r = ((angle - n * kHalfPi[0]) - n * kHalfPi[1]) - n * kHalfPi[2];
    const double square = r * r;
    const double sine = r + r * square * polynomial(kSin, square);
    const double cosine = (1.0 - 0.5 * square) + square * square * polynomial(kCos, square);
    const std::uint64_t quadrant = std::bit_cast<std::uint64_t>(rounded);
    const bool swapped = (quadrant & 1U) != 0;
    const double first = swapped ? cosine : sine;
    const double second = swapped ? sine : cosine;
    sin[i] = (quadrant & 2U) != 0 ? -first : first;
    cos[i] = ((quadrant + 1U) & 2U) != 0 ? -second : second;
  }
}

void add_angles_from(std::size_t begin, std::size_t step, const AnglesView& a, const AnglesView& b,
                     const AnglesView& steps, const TileView& tile) {
  const std::size_t pairs = a.sin.size();
  for (std::size_t i = begin; i < pairs; ++i) {
    const double centre_sin = a.sin[i] * b.cos[i] + a.cos[i] * b.sin[i];
    const double centre_cos = a.cos[i] * b.cos[i] - a.sin[i] * b.sin[i];
    for (std::size_t row = 0; row < kHalfTile; ++row) {
      const double sin = steps.sin[row * (steps.sin.size() / kHalfTile) + i];
      const double cos = steps.cos[row * (steps.cos.size() / kHalfTile) + i];
      const std::size_t above = (kHalfTile + row) * tile.stride + i * step;
      const std::size_t below = (kHalfTile - 1 - row) * tile.stride + i * step;
      tile.sin[above] = static_cast<float>(centre_sin * cos + centre_cos * sin);
      tile.cos[above] = static_cast<float>(centre_cos * cos - centre_sin * sin);
      tile.sin[below] = static_cast<float>(centre_sin * cos - centre_cos * sin);
      tile.cos[below] = static_cast<float>(centre_cos * cos + centre_sin * sin);
    }
  }
}

static void add_angles(const AnglesView& a, const AnglesView& b, const AnglesView& steps, const TileView& tile) {
  add_angles_from(0, 1, a, b, steps, tile);
}

static void add_angles_interleaved(const AnglesView& a, const AnglesView& b, const AnglesView& steps,
                                   const TileView& tile) {
  add_angles_from(0, 2, a, b, steps, tile);
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

void rotate_from(std::size_t begin, std::size_t step, std::size_t apart, std::span<const float> cos,
                 std::span<const float> sin, std::span<float> x) {
  for (std::size_t i = begin; i < cos.size(); ++i) {
    float& first = x[i * step];
    float& second = x[i * step + apart];
    const float a = first;
    const float b = second;
    first = a * cos[i] - b * sin[i];
    second = b * cos[i] + a * sin[i];
  }
}

static void rotate_half(MatrixView<const float> cos, MatrixView<const float> sin, int blocks, MatrixView<float> x) {
  const auto pairs = static_cast<std::size_t>(cos.cols() / blocks);
  for (int row = 0; row < x.rows(); ++row) {
    const std::span<const float> cosines = cos.row(row % cos.rows());
    const std::span<const float> sines = sin.row(row % sin.rows());
    for (std::size_t at = 0; at < cosines.size(); at += pairs) {
      rotate_from(0, 1, pairs, cosines.subspan(at, pairs), sines.subspan(at, pairs), x.row(row).subspan(2 * at));
    }
  }
}

static void rotate_interleaved(MatrixView<const float> cos, MatrixView<const float> sin, int /*blocks*/,
                               MatrixView<float> x) {
  for (int row = 0; row < x.rows(); ++row) {
    rotate_from(0, 2, 1, cos.row(row % cos.rows()), sin.row(row % sin.rows()), x.row(row));
  }
}

}  // namespace by_scalar

constinit const Kernels scalar{by_scalar::dot,
                               by_scalar::add_scaled,
                               by_scalar::multiply,
                               by_scalar::multiply_transposed,
                               by_scalar::sin_cos,
                               by_scalar::add_angles,
                               by_scalar::add_angles_interleaved,
                               by_scalar::softmax,
                               by_scalar::sigmoid,
                               by_scalar::rotate_half,
                               by_scalar::rotate_interleaved};

}  // namespace posenc::kernels
