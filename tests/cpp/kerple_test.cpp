#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

constexpr Dims kOneHead{.d_model = 1, .n_heads = 1, .head_dim = 1};

Spec kerple(const char* id, std::vector<float> weights, decltype(Spec::params) params = {}) {
  Spec result = spec(id, kOneHead, std::move(params));
  result.weights = std::move(weights);
  return result;
}

/// The bias of the query at 0 for keys at these positions.
std::vector<float> row(const Spec& spec, const Matrix<double>& keys) {
  Matrix<float> out(1, keys.rows());
  make(spec).bias->bias({positions({0}).view(), keys.view(), 0}, out.view());
  return {out.all().begin(), out.all().end()};
}

}  // namespace

TEST_CASE("kerple: the paper's formulas, by hand", "[kerple]") {
  // a = 0.5, p = 1.5, distance 5; NeMo with b = 0.25.
  const Matrix<double> five = positions({-5});
  const auto close = [](float got, double expected) { return std::abs(static_cast<double>(got) - expected) < 1e-6; };
  CHECK(close(row(kerple("kerple_log", {0.5F, 1.5F}), five)[0], -1.5 * std::log(3.5)));
  CHECK(close(row(kerple("kerple_power", {0.5F, 1.5F}), five)[0], -0.5 * std::pow(5.0, 1.5)));
  CHECK(close(row(kerple("kerple_log", {0.5F, 1.5F, 0.25F}, {{"convention", "nemo"}}), five)[0],
              -0.25 * std::log(1.0 + 0.5 * std::pow(5.0, 1.5))));
}

TEST_CASE("kerple: linear is ALiBi with a given slope", "[kerple]") {
  CHECK(row(kerple("kerple_power", {0.25F}, {{"convention", "linear"}}), positions({-3, 0, 2})) ==
        std::vector{-0.75F, 0.0F, -0.5F});
}

TEST_CASE("kerple: 0 at the word itself, and falling with the distance", "[kerple]") {
  const std::string id = GENERATE("kerple_log", "kerple_power");
  const std::vector<float> values = row(spec(id), count(200, -199));
  CHECK(values.back() == 0.0F);
  CHECK_FALSE(std::signbit(values.back()));
  for (std::size_t i = 1; i < values.size(); ++i) CHECK(values[i - 1] < values[i]);
}

TEST_CASE("kerple: the logarithm flattens, a power above 1 steepens", "[kerple]") {
  const Matrix<double> keys = positions({0, -1, -2});
  const std::vector<float> log = row(kerple("kerple_log", {1, 1}), keys);
  const std::vector<float> power = row(kerple("kerple_power", {1, 1.5F}), keys);
  CHECK(log[1] - log[2] < log[0] - log[1]);
  CHECK(power[1] - power[2] > power[0] - power[1]);
}

TEST_CASE("kerple: later keys are like earlier ones, or have distance 0", "[kerple]") {
  const std::string id = GENERATE("kerple_log", "kerple_power");
  const std::vector<float> symmetric = row(spec(id), positions({-3, 3}));
  const std::vector<float> causal = row(spec(id, {}, {{"form", "causal"}}), positions({-3, 3}));
  CHECK(symmetric[0] == symmetric[1]);
  CHECK(causal[0] == symmetric[0]);
  CHECK(causal[1] == 0.0F);
}

TEST_CASE("kerple: numbers beyond their limits count as the limit", "[kerple]") {
  const Matrix<double> far = positions({-7});
  CHECK(row(kerple("kerple_log", {-1, -1}), far) == row(kerple("kerple_log", {0.01F, 0.01F}), far));
  CHECK(row(kerple("kerple_power", {1, 5}), far) == row(kerple("kerple_power", {1, 2}), far));
  CHECK(row(kerple("kerple_log", {-1, 1, 1}, {{"convention", "nemo"}}), far)[0] == 0.0F);
  CHECK(std::isfinite(row(kerple("kerple_log", {1, 90, 1}, {{"convention", "nemo"}}), positions({-1e9}))[0]));
}

TEST_CASE("kerple: NeMo's b starts at the slopes of ALiBi", "[kerple]") {
  const Encoding nemo = make(spec("kerple_log", {}, {{"convention", "nemo"}}));
  REQUIRE(nemo.weights.size() == 12);
  CHECK(std::vector(nemo.weights.end() - 4, nemo.weights.end()) == std::vector{0.25F, 0.0625F, 0.015625F, 0.00390625F});
}

TEST_CASE("kerple: seeded numbers fill their ranges", "[kerple]") {
  const std::string id = GENERATE("kerple_log", "kerple_power");
  const Encoding encoding =
      make(spec(id, {.d_model = 64, .n_heads = 64, .head_dim = 1}, {{"max_a", 3.0}, {"max_p", 1.5}}));
  const auto largest = [&](std::size_t from) {
    return *std::max_element(encoding.weights.begin() + static_cast<std::ptrdiff_t>(from),
                             encoding.weights.begin() + static_cast<std::ptrdiff_t>(from) + 64);
  };
  CHECK((largest(0) > 2.7F && largest(0) < 3.0F));
  CHECK((largest(64) > 1.3F && largest(64) < 1.5F));
}

TEST_CASE("kerple: weights of another shape are refused with the shape", "[kerple]") {
  const Error error = error_of([] { static_cast<void>(make(kerple("kerple_log", {1, 2, 3}))); });
  CHECK(error.code() == ErrorCode::shape_mismatch);
  CHECK(error.rule() == "have 2 x 1 numbers (a p, n_heads)");
  CHECK_NOTHROW(make(kerple("kerple_log", {1, 2, 3}, {{"convention", "nemo"}})));
}
