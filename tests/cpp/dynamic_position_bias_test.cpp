#include <cmath>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

constexpr Dims kOneHead{.d_model = 1, .n_heads = 1, .head_dim = 1};

std::vector<float> row(const Spec& spec, const Matrix<double>& keys) {
  Matrix<float> out(1, keys.rows());
  make(spec).bias->bias({positions({0}).view(), keys.view(), 0}, out.view());
  return {out.all().begin(), out.all().end()};
}

double silu(double x) { return x / (1.0 + std::exp(-x)); }

}  // namespace

TEST_CASE("dynamic_position_bias: one hidden number by hand, query minus key", "[dynamic_position_bias]") {
  const bool log_distance = GENERATE(false, true);
  Spec dynamic =
      spec("dynamic_position_bias", kOneHead, {{"mlp_width", 1.0}, {"depth", 1.0}, {"log_distance", log_distance}});
  dynamic.weights = {0.5F, 0.25F, 2.0F, -1.0F};
  const std::vector<float> out = row(dynamic, positions({3, -3}));
  const double x = log_distance ? std::log(4.0) : 3.0;
  CHECK(std::abs(static_cast<double>(out[0]) - (2.0 * silu(0.25 - 0.5 * x) - 1.0)) < 1e-6);
  CHECK(std::abs(static_cast<double>(out[1]) - (2.0 * silu(0.25 + 0.5 * x) - 1.0)) < 1e-6);
}

TEST_CASE("dynamic_position_bias: tells earlier from later keys, and has a value between whole offsets",
          "[dynamic_position_bias]") {
  const std::vector<float> out = row(spec("dynamic_position_bias"), positions({-1, 1, 1.5}));
  CHECK(out[0] != out[1]);
  CHECK(out[1] != out[2]);
}

TEST_CASE("dynamic_position_bias: its numbers, layer by layer", "[dynamic_position_bias]") {
  const double depth = GENERATE(1.0, 2.0, 8.0);
  Spec dynamic = spec("dynamic_position_bias", {}, {{"depth", depth}, {"mlp_width", 5.0}});
  const std::size_t size = 10 + static_cast<std::size_t>(depth - 1.0) * 30 + 4 * 5 + 4;
  CHECK(make(dynamic).weights.size() == size);
  dynamic.weights.assign(size - 1, 0.0F);
  CHECK(error_of([&] { static_cast<void>(make(dynamic)); }).code() == ErrorCode::shape_mismatch);
}
