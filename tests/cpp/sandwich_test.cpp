#include <cmath>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

Matrix<float> bias(const Spec& spec, int head, const Matrix<double>& at) {
  Matrix<float> out(at.rows(), at.rows());
  make(spec).bias->bias({at.view(), at.view(), head}, out.view());
  return out;
}

}  // namespace

TEST_CASE("sandwich: the inner product of sinusoidal positions, one frequency by hand", "[sandwich]") {
  const Dims dims{.d_model = 2, .n_heads = 2, .head_dim = 1};
  // width 2 has the single frequency 1 / theta.
  const Matrix<float> out = bias(spec("sandwich", dims, {{"theta", 2.0}}), 0, count(4));
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      CHECK(std::abs(static_cast<double>(out(i, j)) - (std::cos(0.5 * (i - j)) - 1.0) / 4.0) < 1e-7);
    }
  }
}

TEST_CASE("sandwich: 0 at the word itself, never above; later heads are flatter", "[sandwich]") {
  const Matrix<float> first = bias(spec("sandwich"), 0, count(40));
  const Matrix<float> last = bias(spec("sandwich"), 3, count(40));
  for (int j = 0; j < 40; ++j) {
    CHECK(first(39, j) <= 0.0F);
    CHECK(std::abs(first(39, j) - 4.0F * last(39, j)) <= 1e-5F);
  }
  CHECK(first(5, 5) == 0.0F);
  CHECK(first(0, 1) == first(1, 0));
}

TEST_CASE("sandwich: the causal form sees nothing ahead", "[sandwich]") {
  const Matrix<float> out = bias(spec("sandwich", {}, {{"form", "causal"}}), 0, count(4));
  CHECK(out(0, 3) == 0.0F);
  CHECK(out(3, 0) < 0.0F);
}

TEST_CASE("sandwich: an odd model needs a width", "[sandwich]") {
  const Dims odd{.d_model = 5, .n_heads = 1, .head_dim = 5};
  const Error error = error_of([&] { static_cast<void>(make(spec("sandwich", odd))); });
  CHECK(error.code() == ErrorCode::out_of_range);
  CHECK(error.field() == "dims.d_model");
  CHECK_NOTHROW(make(spec("sandwich", odd, {{"width", 4.0}})));
}
