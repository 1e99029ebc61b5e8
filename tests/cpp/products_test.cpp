#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "kernels/kernels.hpp"
#include "kernels/training.hpp"

#include "twins.hpp"

using namespace posenc;
using namespace posenc::test;

// The matrix products: each through its twin and through a sum in double.

namespace {

/// rows x inner by inner x cols.
struct Size {
  int rows;
  int inner;
  int cols;

  [[nodiscard]] static std::size_t area(int a, int b) {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
  }
  [[nodiscard]] std::size_t left() const { return area(rows, inner); }
  [[nodiscard]] std::size_t right() const { return area(inner, cols); }
  [[nodiscard]] std::size_t out() const { return area(rows, cols); }
};

/// Which tables to take the kernels from.
struct Tables {
  const kernels::Kernels* kernels;
  const kernels::TrainingKernels* training;
};

constexpr Tables kScalar{&kernels::scalar, &kernels::training_scalar};
const Tables kSimd{kernels::simd, kernels::training_simd};

enum class Product { multiply, multiply_transposed, add_transposed_product, panels, panels_transposed, add_panels };

void run_packed(Product product, const Size& size, const kernels::Kernels& kernels, std::span<const float> left,
                std::span<const float> right, MatrixView<float> out) {
  std::vector<float> numbers(
      kernels::Panels::size(static_cast<std::size_t>(size.inner), static_cast<std::size_t>(size.cols)));
  const kernels::Panels panels = product == Product::panels_transposed
                                     ? kernels.pack_transposed({right, size.cols, size.inner}, numbers)
                                     : kernels.pack({right, size.inner, size.cols}, numbers);
  const MatrixView<const float> a(left, size.rows, size.inner);
  if (product == Product::add_panels) return kernels.add_panels_product(a, panels, out);
  kernels.multiply_panels(a, panels, out);
}

/// a, b and out one after the other in `x`.
void run(Product product, const Size& size, const Tables& tables, std::span<float> x) {
  const std::span<const float> left = x.first(size.left());
  const std::span<const float> right = x.subspan(size.left(), size.right());
  const MatrixView<float> out(x.last(size.out()), size.rows, size.cols);
  switch (product) {
    case Product::multiply:
      return tables.kernels->multiply({left, size.rows, size.inner}, {right, size.inner, size.cols}, out);
    case Product::multiply_transposed:
      return tables.kernels->multiply_transposed({left, size.rows, size.inner}, {right, size.cols, size.inner}, out);
    case Product::add_transposed_product:
      return tables.training->add_transposed_product({left, size.inner, size.rows}, {right, size.inner, size.cols},
                                                     out);
    case Product::panels:
    case Product::panels_transposed:
    case Product::add_panels:
      return run_packed(product, size, *tables.kernels, left, right, out);
  }
}

void check_product(Product product, const Size& size) {
  INFO(size.rows << " x " << size.inner << " by " << size.inner << " x " << size.cols);
  const Tables* const simd = kSimd.kernels == nullptr ? nullptr : &kSimd;
  check_twins(kScalar, simd, size.left() + size.right() + size.out(),
              [&](const Tables& tables, std::span<float> x) { run(product, size, tables, x); });
}

Product any_product() {
  return GENERATE(Product::multiply, Product::multiply_transposed, Product::add_transposed_product, Product::panels,
                  Product::panels_transposed, Product::add_panels);
}

}  // namespace

TEST_CASE("products: the twins agree to the bit at every small size", "[kernel]") {
  const Product product = any_product();
  constexpr int kMost = 2 * 8 + 3;  // two panels of 8 columns and something over
  const int rows = GENERATE(range(0, 12));
  for (int inner = 0; inner <= kMost; ++inner) {
    for (int cols = 0; cols <= kMost; ++cols) check_product(product, {rows, inner, cols});
  }
}

TEST_CASE("products: the twins agree to the bit across the edges of blocks", "[kernel]") {
  const Product product = any_product();
  for (const int inner : {126, 128, 129, 131, 257}) {
    for (const int cols : {6, 63, 64, 65, 130}) {
      for (const int rows : {3, 8, 33}) check_product(product, {rows, inner, cols});
    }
  }
}

TEST_CASE("products: within the bound of the header", "[kernel]") {
  const Product product = any_product();
  const Size size{.rows = 7, .inner = 300, .cols = 11};
  Numbers before(size.left() + size.right() + size.out(), 0, 5);
  Numbers after(size.left() + size.right() + size.out(), 0, 5);
  run(product, size, {&kernels::best, &kernels::training}, after.all());
  const std::span<const float> a = before.all().first(size.left());
  const std::span<const float> b = before.all().subspan(size.left(), size.right());
  const bool adds = product == Product::add_transposed_product || product == Product::add_panels;
  const bool left_transposed = product == Product::add_transposed_product;
  const bool right_transposed = product == Product::multiply_transposed || product == Product::panels_transposed;
  for (int i = 0; i < size.rows; ++i) {
    for (int j = 0; j < size.cols; ++j) {
      const std::size_t at = size.left() + size.right() + static_cast<std::size_t>(i * size.cols + j);
      double exact = adds ? static_cast<double>(before.all()[at]) : 0.0;
      double magnitude = std::abs(exact);
      for (int k = 0; k < size.inner; ++k) {
        const int left = left_transposed ? k * size.rows + i : i * size.inner + k;
        const int right = right_transposed ? j * size.inner + k : k * size.cols + j;
        const double term = static_cast<double>(a[static_cast<std::size_t>(left)]) *
                            static_cast<double>(b[static_cast<std::size_t>(right)]);
        exact += term;
        magnitude += std::abs(term);
      }
      INFO("element " << i << ", " << j);
      CHECK(std::abs(static_cast<double>(after.all()[at]) - exact) <= size.inner * std::ldexp(1.0, -24) * magnitude);
    }
  }
}

TEST_CASE("products: some columns or summands of what was packed", "[kernel]") {
  constexpr int kRows = 5;
  constexpr int kInner = 40;
  constexpr int kCols = 27;
  Numbers a(kRows * kInner, 0, 1);
  Numbers b(kInner * kCols, 0, 2);
  std::vector<float> numbers(kernels::Panels::size(kInner, kCols));
  const kernels::Panels panels = kernels::best.pack({b.all(), kInner, kCols}, numbers);
  Matrix<float> whole(kRows, kCols);
  kernels::best.multiply_panels({a.all(), kRows, kInner}, panels, whole.view());
  Matrix<float> part(kRows, 11);
  kernels::best.multiply_panels({a.all(), kRows, kInner}, panels.columns(16, 11), part.view());
  for (int i = 0; i < kRows; ++i) CHECK(same_bits(part.row(i), whole.row(i).subspan(16, 11)));
  // The first summands, and then the others on top of them.
  Matrix<float> left(kRows, 30);
  Matrix<float> right(kRows, kInner - 30);
  for (int i = 0; i < kRows; ++i) {
    const std::span<const float> row = a.all().subspan(static_cast<std::size_t>(i * kInner), kInner);
    std::ranges::copy(row.first(30), left.row(i).begin());
    std::ranges::copy(row.subspan(30), right.row(i).begin());
  }
  Matrix<float> sum(kRows, kCols);
  kernels::best.multiply_panels(left.view(), panels.summands(0, 30), sum.view());
  kernels::best.add_panels_product(right.view(), panels.summands(30, kInner - 30), sum.view());
  CHECK(same_bits(sum.all(), whole.all()));
}
