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

void scale(float factor, std::span<float> x) {
  for (float& value : x) value *= factor;
}

std::uint32_t largest_bits(std::span<const float> x) {
  std::uint32_t largest = 0;
  for (const float value : x) largest = std::max(largest, std::bit_cast<std::uint32_t>(value) & kMagnitudeBits);
  return largest;
}

static float largest_magnitude(std::span<const float> x) { return std::bit_cast<float>(largest_bits(x)); }

std::uint32_t add_bits(std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += x[i];
  return largest_bits(x);
}

static float add(std::span<const float> x, std::span<float> y) { return std::bit_cast<float>(add_bits(x, y)); }

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

/// Packs element(k, column), which is 0 beyond the last column.
template <class Element>
static Panels pack_elements(std::size_t inner, std::size_t cols, std::span<float> panels, Element element) {
  assert(panels.size() == Panels::size(inner, cols));
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::size_t column = i / (inner * kPanel) * kPanel + i % kPanel;
    panels[i] = column < cols ? element(i / kPanel % inner, column) : 0.0F;
  }
  return {panels.data(), inner * kPanel, inner, cols};
}

static Panels pack(MatrixView<const float> b, std::span<float> panels) {
  return pack_elements(static_cast<std::size_t>(b.rows()), static_cast<std::size_t>(b.cols()), panels,
                       [&](std::size_t k, std::size_t j) { return b.row(static_cast<int>(k))[j]; });
}

static Panels pack_transposed(MatrixView<const float> b, std::span<float> panels) {
  return pack_elements(static_cast<std::size_t>(b.cols()), static_cast<std::size_t>(b.rows()), panels,
                       [&](std::size_t k, std::size_t j) { return b.row(static_cast<int>(j))[k]; });
}

static void add_panels_product(MatrixView<const float> a, const Panels& b, MatrixView<float> out) {
  assert(static_cast<std::size_t>(a.cols()) == b.inner && static_cast<std::size_t>(out.cols()) == b.cols);
  for (int i = 0; i < out.rows(); ++i) {
    for (std::size_t j = 0; j < b.cols; ++j) {
      const float* const column = b.numbers + j / kPanel * b.stride + j % kPanel;
      float sum = out.row(i)[j];
      for (std::size_t k = 0; k < b.inner; ++k) sum += a.row(i)[k] * column[k * kPanel];
      out.row(i)[j] = sum;
    }
  }
}

static void multiply_panels(MatrixView<const float> a, const Panels& b, MatrixView<float> out) {
  std::ranges::fill(out.all(), 0.0F);
  add_panels_product(a, b, out);
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

float maximum(std::span<const float> x) {
  float largest = -std::numeric_limits<float>::infinity();
  for (const float value : x) largest = std::max(largest, value);
  return largest;
}

float exponentials(float largest, std::span<float> x) {
  PartialSums sums{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = exp_of_nonpositive(x[i] - largest);
    sums[i % 4] += x[i];
  }
  return total(sums);
}

void softmax(std::span<float> x) {
  const float sum = exponentials(maximum(x), x);
  if (sum == 0.0F) return;
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
                               by_scalar::add,
                               by_scalar::scale,
                               by_scalar::largest_magnitude,
                               by_scalar::multiply,
                               by_scalar::multiply_transposed,
                               by_scalar::pack,
                               by_scalar::pack_transposed,
                               by_scalar::multiply_panels,
                               by_scalar::add_panels_product,
                               by_scalar::sin_cos,
                               by_scalar::add_angles,
                               by_scalar::add_angles_interleaved,
                               by_scalar::maximum,
                               by_scalar::exponentials,
                               by_scalar::softmax,
                               by_scalar::sigmoid,
                               by_scalar::rotate_half,
                               by_scalar::rotate_interleaved};

}  // namespace posenc::kernels
