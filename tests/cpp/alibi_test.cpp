#include <cmath>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

Matrix<float> bias(const Spec& spec, int head, const Matrix<double>& at) {
  Matrix<float> out(at.rows(), at.rows());
  make(spec).bias->bias({at.view(), at.view(), head}, out.view());
  return out;
}

/// -bias at distance 1 is the slope.
std::vector<float> slopes(int n_heads) {
  std::vector<float> result;
  const Spec alibi = spec("alibi", {.d_model = n_heads, .n_heads = n_heads, .head_dim = 1});
  for (int head = 0; head < n_heads; ++head) result.push_back(-bias(alibi, head, count(2))(0, 1));
  return result;
}

}  // namespace

TEST_CASE("alibi: slopes of any number of heads, in the order of the paper's code", "[alibi]") {
  CHECK(slopes(1) == std::vector<float>{1.0F / 256});
  CHECK(slopes(2) == std::vector<float>{1.0F / 16, 1.0F / 256});
  CHECK(slopes(3) == std::vector<float>{1.0F / 16, 1.0F / 256, 1.0F / 4});
  CHECK(slopes(6) == std::vector<float>{1.0F / 4, 1.0F / 16, 1.0F / 64, 1.0F / 256, 1.0F / 2, 1.0F / 8});
  CHECK(slopes(8).front() == 0.5F);
  const std::vector<float> twelve = slopes(12);
  check_close<float, double>(std::span(twelve).subspan(8), std::vector{0.707107, 0.353553, 0.176777, 0.088388}, 1e-6);
}

TEST_CASE("alibi: linear in distance", "[alibi]") {
  const Matrix<float> out = bias(spec("alibi"), 0, count(6));
  for (int j = 0; j < 6; ++j) CHECK(out(5, j) == -0.25F * static_cast<float>(5 - j));
}

TEST_CASE("alibi: the symmetric form sees only the distance, the causal form nothing ahead", "[alibi]") {
  const Matrix<float> symmetric = bias(spec("alibi"), 1, count(5));
  const Matrix<float> causal = bias(spec("alibi", {}, {{"form", "causal"}}), 1, count(5));
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      CHECK(symmetric(i, j) == symmetric(j, i));
      CHECK(causal(i, j) == (j <= i ? symmetric(i, j) : 0.0F));
    }
  }
}

TEST_CASE("alibi: distance zero is plus zero, not minus zero", "[alibi]") {
  const std::string form = GENERATE("symmetric", "causal");
  CHECK_FALSE(std::signbit(bias(spec("alibi", {}, {{"form", form}}), 0, count(2))(0, 0)));
}

TEST_CASE("alibi: by key, every query's row is its distances up to a constant", "[alibi]") {
  const Matrix<float> causal = bias(spec("alibi", {}, {{"form", "causal"}}), 1, count(5));
  const Matrix<float> by_key = bias(spec("alibi", {}, {{"form", "key_index"}}), 1, count(5));
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j <= i; ++j) CHECK(by_key(i, j) - by_key(i, i) == causal(i, j));
  }
}

TEST_CASE("alibi: Falcon's bias is weaker by sqrt(head_dim), and far neighbours share one", "[alibi]") {
  // 8 bits hold whole numbers up to 256; the slope of head 0 of 8 is 1/2.
  const Spec falcon = spec("alibi", {.d_model = 128, .n_heads = 8, .head_dim = 16}, {{"form", "falcon"}});
  const Matrix<float> out = bias(falcon, 0, positions({1, 255, 256, 257, 258}));
  CHECK(out(0, 0) == 0.5F / 4.0F);
  CHECK(out(0, 1) != out(0, 2));
  CHECK(out(0, 2) == out(0, 3));
  CHECK(out(0, 3) != out(0, 4));
}
