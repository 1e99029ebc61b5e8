#include <algorithm>
#include <cmath>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "kernels/kernels.hpp"

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

/// Buckets seen from outside: a table that holds each bucket's own number.
std::vector<int> buckets(bool bidirectional, int num_buckets, int max_distance, const std::vector<double>& offsets) {
  Spec t5 = spec("t5_bias", {.d_model = 1, .n_heads = 1, .head_dim = 1},
                 {{"bidirectional", bidirectional},
                  {"num_buckets", static_cast<double>(num_buckets)},
                  {"max_distance", static_cast<double>(max_distance)}});
  for (int bucket = 0; bucket < num_buckets; ++bucket) t5.weights.push_back(static_cast<float>(bucket));
  Matrix<double> keys(static_cast<int>(offsets.size()), 1);
  std::copy(offsets.begin(), offsets.end(), keys.all().begin());
  Matrix<float> out(1, keys.rows());
  make(t5).bias->bias({positions({0}).view(), keys.view(), 0}, out.view());
  std::vector<int> result;
  for (const float bucket : out.all()) result.push_back(static_cast<int>(bucket));
  return result;
}

}  // namespace

TEST_CASE("t5_bias: buckets of both directions, with the exact powers of two on the edge", "[t5]") {
  const std::vector<std::pair<double, int>> expected{{0, 0},   {1, 17},  {-1, 1},   {7, 23},    {-7, 7},  {8, 24},
                                                     {-8, 8},  {11, 24}, {12, 25},  {16, 26},   {32, 28}, {64, 30},
                                                     {90, 30}, {91, 31}, {128, 31}, {-128, 15}, {1e6, 31}};
  for (const auto& [offset, bucket] : expected) {
    INFO("offset " << offset);
    CHECK(buckets(true, 32, 128, {offset}) == std::vector{bucket});
  }
}

TEST_CASE("t5_bias: buckets that look only backwards", "[t5]") {
  CHECK(buckets(false, 32, 128, {-15, -16, -18, -19, -113, 0, 1, 99}) == std::vector{15, 16, 16, 17, 31, 0, 0, 0});
}

TEST_CASE("t5_bias: buckets never fall as the distance grows", "[t5]") {
  const int num_buckets = GENERATE(4, 8, 32, 72);
  int last = 0;
  for (int distance = 0; distance < 600; ++distance) {
    const int bucket = buckets(false, num_buckets, 200, {-static_cast<double>(distance)}).front();
    REQUIRE(bucket >= last);
    REQUIRE(bucket < num_buckets);
    last = bucket;
  }
  CHECK(last == num_buckets - 1);
}

TEST_CASE("t5_bias: fractional offsets fall into the bucket below", "[t5]") {
  CHECK(buckets(false, 32, 128, {-1.5, -0.25}) == std::vector{1, 0});
}

TEST_CASE("t5_bias: a farthest distance inside the exact buckets is refused", "[t5]") {
  const Error error = error_of([] { static_cast<void>(make(spec("t5_bias", {}, {{"max_distance", 8.0}}))); });
  CHECK(error.code() == ErrorCode::out_of_range);
  CHECK(error.field() == "max_distance");
}

TEST_CASE("t5_bias: every edge near and far, both signs", "[t5]") {
  // Later keys use the upper 16 of 32 buckets.
  for (const auto& [distance, bucket] : std::vector<std::pair<double, int>>{
           {1, 1}, {7, 7}, {8, 8}, {11, 8}, {12, 9}, {16, 10}, {32, 12}, {64, 14}, {90, 14}, {91, 15}, {128, 15}}) {
    INFO("distance " << distance);
    CHECK(buckets(true, 32, 128, {distance, -distance}) == std::vector{16 + bucket, bucket});
  }
}

TEST_CASE("t5_bias: each bucket begins where its logarithm says, to the last float", "[t5]") {
  const int num_buckets = GENERATE(8, 32, 64, 256);
  const int max_distance = GENERATE(130, 1000, 1000000);
  const int exact = num_buckets / 2;
  const auto by_logarithm = [&](float distance) {
    const auto log_ratio = static_cast<float>(kernels::log(distance / static_cast<float>(exact)));
    const auto log_range = static_cast<float>(kernels::log(static_cast<double>(max_distance) / exact));
    const float steps = log_ratio / log_range * static_cast<float>(num_buckets - exact);
    return std::min(exact + static_cast<int>(steps), num_buckets - 1);
  };
  std::vector<double> offsets;
  for (int bucket = exact; bucket < num_buckets; ++bucket) {
    const double share = static_cast<double>(bucket - exact) / (num_buckets - exact);
    auto edge = static_cast<float>(exact * kernels::pow(static_cast<double>(max_distance) / exact, share));
    for (int ulp = 0; ulp < 4; ++ulp) edge = std::nextafter(edge, 0.0F);
    for (int ulp = 0; ulp < 9; ++ulp, edge = std::nextafter(edge, 1e9F)) {
      if (edge >= static_cast<float>(exact)) offsets.push_back(-static_cast<double>(edge));
    }
  }
  const std::vector<int> got = buckets(false, num_buckets, max_distance, offsets);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    INFO("offset " << offsets[i]);
    REQUIRE(got[i] == by_logarithm(static_cast<float>(-offsets[i])));
  }
}
