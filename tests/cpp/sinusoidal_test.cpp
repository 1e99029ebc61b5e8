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

TEST_CASE("sinusoidal: a shift is a rotation of each pair, the same at every position", "[sinusoidal]") {
  constexpr double kShift = 5.0;
  const Matrix<double> at = positions({0, 1, 17, 300});
  Matrix<double> shifted = at;
  for (double& position : shifted.all()) position += kShift;
  const Matrix<float> before = rows(16, "interleaved", at);
  const Matrix<float> after = rows(16, "interleaved", shifted);
  for (int pair = 0; pair < 8; ++pair) {
    const double angle = kShift * std::pow(10000.0, -pair / 8.0);
    for (int token = 0; token < at.rows(); ++token) {
      const double sine = static_cast<double>(before(token, 2 * pair));
      const double cosine = static_cast<double>(before(token, 2 * pair + 1));
      CHECK(std::abs(static_cast<double>(after(token, 2 * pair)) -
                     (sine * std::cos(angle) + cosine * std::sin(angle))) < 3e-7);
      CHECK(std::abs(static_cast<double>(after(token, 2 * pair + 1)) -
                     (cosine * std::cos(angle) - sine * std::sin(angle))) < 3e-7);
    }
  }
}

TEST_CASE("sinusoidal: an offset moves positions, a padding row is zero, a scale scales", "[sinusoidal]") {
  const Dims dims{.d_model = 8, .n_heads = 1, .head_dim = 1};
  const auto of = [&](decltype(Spec::params) params, const Matrix<double>& at) {
    Matrix<float> out(at.rows(), 8);
    make(spec("sinusoidal", dims, std::move(params))).input->rows(at.view(), out.view());
    return out;
  };
  const Matrix<float> plain = of({}, positions({2, 3}));
  check_close<float, float>(of({{"position_offset", 2.0}}, positions({0, 1})).all(), plain.all(), 0.0);
  Matrix<float> half = plain;
  for (float& value : half.all()) value *= 0.5F;
  check_close<float, float>(of({{"scale", 0.5}}, positions({2, 3})).all(), half.all(), 0.0);
  const Matrix<float> padded = of({{"position_offset", 2.0}, {"padding_idx", 1.0}}, positions({-1, 0}));
  for (const float value : padded.row(0)) CHECK(value == 0.0F);
  check_close<float, float>(padded.row(1), plain.row(0), 0.0);
  // -1 is no padding row: the position before the first one is a position like any other.
  CHECK(of({}, positions({-1}))(0, 0) < -0.8F);
}

TEST_CASE("sinusoidal: sqrt(d_model) on the embedding is content, not position", "[sinusoidal]") {
  const std::vector<std::string> words{"Tom", "chased", "Jerry"};
  const HeadAttention plain = attend_words(spec("sinusoidal"), {}, words);
  const HeadAttention scaled =
      attend_words(spec("sinusoidal", {}, {{"embedding_scale", std::string("sqrt_d_model")}}), {}, words);
  for (std::size_t i = 0; i < plain.content.all().size(); ++i) {
    // q and k grow by sqrt(64) each; a power of two is exact.
    CHECK(scaled.content.all()[i] == 64.0F * plain.content.all()[i]);
  }
}
