#pragma once

#include <span>

#include "posenc/matrix_view.hpp"

/// The arithmetic of posenc. Everything that reaches a result goes through here or through + - * / and sqrt, so that
/// native builds and WebAssembly give the same bytes: no libm, no fused multiply-add.
///
/// Kernels exist twice: in the files with simd in their names (xsimd, four floats or two doubles wide) and in plain C++
/// in scalar.cpp and the like. The two are equal to the bit: a sum over one array is kept in four partial sums, element
/// i in partial sum i mod 4, which are added as (s0 + s2) + (s1 + s3). Kernels assert and never throw; every size
/// including 0 is right; nothing needs alignment.
namespace posenc::kernels {

// ---- double precision, per number: the same code in every build (double_math.cpp) --------------------------------

/// e^x, ln x and x^y, correctly rounded in all but about one case in 2^40 (computed with 100 bits).
/// exp: |x| <= 700. log: x > 0, normal. pow: x > 0, result normal.
[[nodiscard]] double exp(double x);
[[nodiscard]] double log(double x);
[[nodiscard]] double pow(double x, double y);

/// out[i] = x^exponents[i], each as pow gives it; the logarithm is taken once. `out` may be `exponents`.
void powers(double x, std::span<const double> exponents, std::span<double> out);

// ---- per array: one table of functions per instruction set ---------------------------------------------------------

/// Angles by their sines and cosines.
struct AnglesView {
  std::span<const double> sin;
  std::span<const double> cos;
};

/// A tile is kTileRows rows of a table, half of them below a centre and half above.
inline constexpr std::size_t kHalfTile = 8;
inline constexpr std::size_t kTileRows = 2 * kHalfTile;

/// Where the rows of a tile go: `stride` floats from one to the next.
struct TileView {
  std::span<float> sin;
  std::span<float> cos;
  std::size_t stride;
};

/// Columns of a panel.
inline constexpr std::size_t kPanel = 8;

/// The right factor of many products: panels of kPanel columns, each [k][kPanel] and `stride` floats after the one
/// before. What fills the last panel up reaches no result.
struct Panels {
  const float* numbers;
  std::size_t stride;
  std::size_t inner;
  std::size_t cols;

  [[nodiscard]] static constexpr std::size_t size(std::size_t inner, std::size_t cols) {
    return inner * ((cols + kPanel - 1) / kPanel * kPanel);
  }
  [[nodiscard]] Panels summands(std::size_t first, std::size_t count) const {
    return {numbers + first * kPanel, stride, count, cols};
  }
  /// `first`: a multiple of kPanel.
  [[nodiscard]] Panels columns(std::size_t first, std::size_t count) const {
    return {numbers + first / kPanel * stride, stride, inner, count};
  }
};

struct Kernels {
  /// sum of a[i] * b[i]; error <= (n / 4 + 4) * 2^-24 * sum |a[i] * b[i]|.
  float (*dot)(std::span<const float> a, std::span<const float> b);
  /// y[i] += factor * x[i]; two roundings.
  void (*add_scaled)(float factor, std::span<const float> x, std::span<float> y);
  /// y[i] += x[i]; returns largest_magnitude(x).
  float (*add)(std::span<const float> x, std::span<float> y);
  /// x[i] *= factor.
  void (*scale)(float factor, std::span<float> x);
  /// The largest |x[i]|, where NaN is larger than infinity; 0 of nothing.
  float (*largest_magnitude)(std::span<const float> x);
  /// out[i][j] = sum over k of a[i][k] * b[k][j], k ascending; error <= n * 2^-24 * sum |a[i][k] * b[k][j]|.
  void (*multiply)(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);
  /// out[i][j] = sum over k of a[i][k] * b[j][k], likewise.
  void (*multiply_transposed)(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);
  /// Packs b [k][col] into Panels::size floats.
  Panels (*pack)(MatrixView<const float> b, std::span<float> panels);
  /// Packs b [col][k].
  Panels (*pack_transposed)(MatrixView<const float> b, std::span<float> panels);
  /// As multiply() with what was packed.
  void (*multiply_panels)(MatrixView<const float> a, const Panels& b, MatrixView<float> out);
  /// out[i][j] += a[i][k] * b[k][j] for each k, ascending.
  void (*add_panels_product)(MatrixView<const float> a, const Panels& b, MatrixView<float> out);
  /// sin and cos of position * inv_freq[i] radians. Error below 1e-13 beside that of the rounding of the product:
  /// rounded to float, 0.51 units in the last place while |angle| <= 1e6, 1.2e-7 at 1e9. |angle| <= 1e9.
  void (*sin_cos)(double position, std::span<const double> inv_freq, std::span<double> sin, std::span<double> cos);
  /// sin and cos of c[i] - steps[l][i] in row kHalfTile - 1 - l, and of c[i] + steps[l][i] in row kHalfTile + l, with
  /// c = a + b; from the sines and cosines of a, b [pair] and steps [kHalfTile][pair], whose rows may be longer, in
  /// double, rounded to float once. Pair i stands in column i of sin and cos. Error: half a unit in the last place, and
  /// 4e-16 beside that of the input.
  void (*add_angles)(const AnglesView& a, const AnglesView& b, const AnglesView& steps, const TileView& tile);
  /// The same, but pair i stands in column 2i of sin and of cos; cos begins one float after sin.
  void (*add_angles_interleaved)(const AnglesView& a, const AnglesView& b, const AnglesView& steps,
                                 const TileView& tile);
  /// The largest number; -inf of nothing. No NaN.
  float (*maximum)(std::span<const float> x);
  /// x[i] = e^(x[i] - largest), in place; returns their sum. x[i] <= largest; -inf gives exactly 0, whatever is
  /// largest. No NaN, no +inf. Relative error of a number <= 4 * 2^-24 above e^-87; below that it is 0.
  float (*exponentials)(float largest, std::span<float> x);
  /// x[i] = e^(x[i] - max) / sum of these, in place. -inf gives exactly 0; all -inf gives all 0. No NaN, no +inf.
  /// Relative error <= (n / 4 + 8) * 2^-24 of weights above e^-87; below that a weight is 0.
  void (*softmax)(std::span<float> x);
  /// x[i] = 1 / (1 + e^-x[i]), in place. -inf gives exactly 0, +inf exactly 1. Relative error <= 3e-7 while
  /// x[i] >= -87; below, it is 0.
  void (*sigmoid)(std::span<float> x);
  /// x [head * token][channel] is rotated, each head by the same cos and sin [token][pair], at least one token;
  /// channels after the first 2 * pairs stay. Three roundings. The pairs are `blocks` of n, the channels blocks of 2n.
  /// half:        pair i of a block has its channels i and i + n
  void (*rotate_half)(MatrixView<const float> cos, MatrixView<const float> sin, int blocks, MatrixView<float> x);
  /// interleaved: pair i has channels 2i and 2i + 1, whatever the blocks
  void (*rotate_interleaved)(MatrixView<const float> cos, MatrixView<const float> sin, int blocks, MatrixView<float> x);
};

/// Plain C++; the definition of every result.
extern const Kernels scalar;

/// xsimd; null where the build has no SIMD.
extern const Kernels* const simd;

/// What the library uses: simd where the build has it, else scalar.
extern const Kernels& best;

}  // namespace posenc::kernels
