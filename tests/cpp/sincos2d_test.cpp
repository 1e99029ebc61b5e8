#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

Matrix<double> patches(std::initializer_list<std::pair<double, double>> places) {
  Matrix<double> at(static_cast<int>(places.size()), 2);
  int patch = 0;
  for (const auto& [y, x] : places) {
    at(patch, 0) = y;
    at(patch++, 1) = x;
  }
  return at;
}

Matrix<float> rows(const std::string& convention, const Matrix<double>& at, int d_model = 16) {
  const Dims dims{.d_model = d_model, .n_heads = 1, .head_dim = 1};
  Matrix<float> out(at.rows(), d_model);
  make(spec("sincos2d", dims, {{"convention", convention}})).input->rows(at.view(), out.view());
  return out;
}

}  // namespace

TEST_CASE("sincos2d: one half sees the column, the other the row", "[sincos2d]") {
  const Matrix<float> out = rows("mae", patches({{2, 3}, {5, 3}, {2, 7}}));
  CHECK(std::equal(out.row(0).begin(), out.row(0).begin() + 8, out.row(1).begin()));
  CHECK(std::equal(out.row(0).begin() + 8, out.row(0).end(), out.row(2).begin() + 8));
  const Matrix<float> detr = rows("detr", patches({{2, 3}, {5, 3}, {2, 7}}));
  CHECK(std::equal(detr.row(0).begin(), detr.row(0).begin() + 8, detr.row(2).begin()));
  CHECK(std::equal(detr.row(0).begin() + 8, detr.row(0).end(), detr.row(1).begin() + 8));
}

TEST_CASE("sincos2d: each half is the 1-D encoding of half the width", "[sincos2d]") {
  const Matrix<float> out = rows("mae", patches({{2, 3}}));
  Matrix<float> flat(2, 8);
  make(spec("sinusoidal", {.d_model = 8, .n_heads = 1, .head_dim = 1}, {{"convention", std::string("concatenated")}}))
      .input->rows(positions({3, 2}).view(), flat.view());
  check_close<float, float>(out.row(0), flat.all(), 0.0);
}

TEST_CASE("sincos2d: DETR counts from 1, and its last row and column end the turn", "[sincos2d]") {
  const Matrix<float> out = rows("detr", patches({{15, 7}}));
  CHECK(std::abs(out(0, 0)) < 1e-6F);  // sin of a whole turn
  CHECK(std::abs(out(0, 8)) < 1e-6F);  // of half a turn
  CHECK(std::abs(out(0, 9) + 1.0F) < 1e-6F);
  const Matrix<float> counted = rows("detr_counted", patches({{0, 0}}));
  CHECK(std::abs(counted(0, 0) - 0.8414710F) < 1e-6F);
}

TEST_CASE("sincos2d: words are one row of a picture", "[sincos2d]") {
  CHECK(find_encoding("sincos2d").text_positions == TextPositions::row);
  CHECK(find_encoding("sincos2d").axes == 2);
}

TEST_CASE("sincos2d: a width without a sine and a cosine for each axis is refused", "[sincos2d]") {
  const int d_model = GENERATE(1, 2, 6, 63);
  const Error error = error_of([&] { static_cast<void>(make(spec("sincos2d", {.d_model = d_model}))); });
  CHECK(error.code() == ErrorCode::out_of_range);
  CHECK(error.field() == "dims.d_model");
}
