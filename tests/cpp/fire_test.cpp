#include <algorithm>
#include <cmath>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

Matrix<float> bias(const Spec& spec, const Matrix<double>& at) {
  Matrix<float> out(at.rows(), at.rows());
  make(spec).bias->bias({at.view(), at.view(), 0}, out.view());
  return out;
}

/// A network that hands on its input: the bias is psi(r) / psi(longest) itself.
Spec transparent(double threshold, float c = 1.0F, float multiplier = 1.0F) {
  Spec result =
      spec("fire", {.d_model = 1, .n_heads = 1, .head_dim = 1}, {{"threshold", threshold}, {"mlp_width", 1.0}});
  result.weights = {c, multiplier, 1.0F, 0.0F, 1.0F, 0.0F};
  return result;
}

}  // namespace

TEST_CASE("fire: from 0 at the word itself to 1 at the longest distance", "[fire]") {
  const Matrix<float> out = bias(transparent(4.0), count(9));
  for (int i = 0; i < 9; ++i) CHECK(out(i, i) == 0.0F);
  for (int i = 4; i < 9; ++i) CHECK(std::abs(out(i, 0) - 1.0F) < 2e-6F);
  CHECK(std::abs(static_cast<double>(out(2, 0)) - std::log(3.0) / std::log(5.0)) < 1e-6);
}

TEST_CASE("fire: below the threshold only distances matter, above it the query does", "[fire]") {
  const Matrix<float> near = bias(transparent(4.0), count(4));
  const Matrix<float> far = bias(transparent(4.0), count(4, 10));
  CHECK(near(2, 1) == near(3, 2));
  CHECK(far(2, 1) > far(3, 2));
  CHECK(far(3, 2) < near(3, 2));
}

TEST_CASE("fire: the threshold is a learned multiple, whatever its sign", "[fire]") {
  const Matrix<float> expected = bias(transparent(6.0), count(12));
  check_close<float, float>(bias(transparent(4.0, 1.0F, 1.5F), count(12)).all(), expected.all(), 0.0);
  check_close<float, float>(bias(transparent(4.0, -1.0F, -1.5F), count(12)).all(), expected.all(), 0.0);
}

TEST_CASE("fire: later keys are like earlier ones, or have distance 0", "[fire]") {
  Spec causal = transparent(4.0);
  causal.params["form"] = std::string("causal");
  const Matrix<float> symmetric = bias(transparent(4.0), count(4));
  CHECK(symmetric(0, 3) == symmetric(3, 0));
  CHECK(bias(causal, count(4))(0, 3) == 0.0F);
}

TEST_CASE("fire: c = 0 has no distances, and no NaN", "[fire]") {
  const Matrix<float> out = bias(transparent(4.0, 0.0F), count(6));
  CHECK(std::ranges::all_of(out.all(), [](float value) { return value == 0.0F; }));
}

TEST_CASE("fire: weights are c, the multiplier and the network", "[fire]") {
  const Encoding encoding = make(spec("fire"));
  CHECK(encoding.weights.size() == 2 + 32 + 32 + 4 * 32 + 4);
  CHECK(encoding.weights[0] == 0.1F);
  CHECK(encoding.weights[1] == 1.0F);
}

TEST_CASE("fire: the gradient of c and of the multiplier, with queries on both sides of the threshold", "[fire]") {
  Spec fire = spec("fire", {.d_model = 4, .n_heads = 1, .head_dim = 4}, {{"threshold", 3.0}, {"stddev", 1.0}});
  fire.weights = make(fire).weights;
  const float sign = GENERATE(1.0F, -1.0F);
  fire.weights[0] = sign * 0.7F;
  fire.weights[1] = sign * 1.1F;
  const Matrix<double> at = count(7);
  const Matrix<float> factors = random_matrix(7, 7, 11);
  std::vector<float> gradient(fire.weights.size());
  make(fire).bias->collect({at.view(), at.view(), 0}, factors.view(), {gradient, {}, {}});
  for (const std::size_t i : {0U, 1U}) {
    const auto loss = [&](float step) {
      Spec moved = fire;
      moved.weights[i] += step;
      const Matrix<float> out = bias(moved, at);
      double sum = 0.0;
      for (std::size_t pair = 0; pair < out.all().size(); ++pair) {
        sum += static_cast<double>(out.all()[pair]) * static_cast<double>(factors.all()[pair]);
      }
      return sum;
    };
    constexpr float kStep = 1.0F / 1024;
    const double difference = (loss(kStep) - loss(-kStep)) / (2.0 * static_cast<double>(kStep));
    INFO("number " << i << ": gradient " << gradient[i] << ", difference " << difference);
    CHECK(std::abs(difference - static_cast<double>(gradient[i])) <= 5e-3 * std::max(1.0, std::abs(difference)));
    CHECK(gradient[i] != 0.0F);
  }
}
