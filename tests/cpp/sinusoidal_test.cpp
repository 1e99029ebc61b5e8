#include <cmath>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

Matrix<float> rows(int d_model, const std::string& convention, const Matrix<double>& at) {
  const Dims dims{.d_model = d_model, .n_heads = 1, .head_dim = 1};
  const Encoding encoding = make(spec("sinusoidal", dims, {{"convention", convention}}));
  Matrix<float> out(at.rows(), d_model);
  encoding.input->rows(at.view(), out.view());
  return out;
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

}  // namespace

TEST_CASE("sinusoidal: the paper's row at position 3", "[sinusoidal]") {
  check_close(rows(8, "interleaved", positions({3})),
              {0.141120, -0.989992, 0.295520, 0.955336, 0.029996, 0.999550, 0.003000, 0.999996}, 1e-6);
}

TEST_CASE("sinusoidal: half - 1 has exponents up to exactly 1", "[sinusoidal]") {
  check_close(rows(8, "concatenated_half_1", positions({3})),
              {0.141120, 0.138798, 0.006463, 0.000300, -0.989992, 0.990321, 0.999979, 1.0}, 1e-6);
}

TEST_CASE("sinusoidal: an odd width ends with a sine", "[sinusoidal]") {
  check_close(rows(5, "interleaved", positions({1, 0})),
              {0.841471, 0.540302, 0.025116, 0.999685, 0.000631, 0, 1, 0, 1, 0}, 1e-6);
}

TEST_CASE("sinusoidal: an odd width of half - 1 is padded with zero", "[sinusoidal]") {
  CHECK(rows(7, "concatenated_half_1", positions({5}))(0, 6) == 0.0F);
}

TEST_CASE("sinusoidal: width 1 and 2 are finite in every convention", "[sinusoidal]") {
  const std::string convention = GENERATE("interleaved", "concatenated", "concatenated_half_1");
  const Matrix<float> two = rows(2, convention, positions({1}));
  CHECK(std::abs(two(0, 0) - 0.8414710F) < 1e-6F);
  CHECK(std::abs(two(0, 1) - 0.5403023F) < 1e-6F);
  CHECK(std::isfinite(rows(1, convention, positions({1}))(0, 0)));
}

TEST_CASE("sinusoidal: interleaved and concatenated have equal dot products", "[sinusoidal]") {
  const Matrix<float> interleaved = rows(64, "interleaved", positions({3, 5}));
  const Matrix<float> concatenated = rows(64, "concatenated", positions({3, 5}));
  CHECK(std::abs(dot(interleaved.row(0), interleaved.row(1)) - dot(concatenated.row(0), concatenated.row(1))) < 1e-6);
}

TEST_CASE("sinusoidal: the dot product depends on the offset only", "[sinusoidal]") {
  const Matrix<float> out = rows(64, "interleaved", positions({0, 9, 1000, 1009}));
  CHECK(std::abs(dot(out.row(0), out.row(1)) - dot(out.row(2), out.row(3))) < 1e-5);
}

TEST_CASE("sinusoidal: low dimensions vary fastest", "[sinusoidal]") {
  const Matrix<float> out = rows(64, "interleaved", positions({0, 1}));
  CHECK(std::abs(out(1, 0) - out(0, 0)) > 0.8F);
  CHECK(std::abs(out(1, 62) - out(0, 62)) < 2e-4F);
}

TEST_CASE("sinusoidal: right to 1e-7 at position 1048575", "[sinusoidal]") {
  const Matrix<float> out = rows(8, "interleaved", positions({1048575}));
  for (int pair = 0; pair < 4; ++pair) {
    const double angle = 1048575 * std::pow(10.0, -pair);
    CHECK(std::abs(static_cast<double>(out(0, 2 * pair)) - std::sin(angle)) < 1e-7);
  }
}
