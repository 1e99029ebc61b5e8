#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

/// Rows of the table seen from outside: vectors of one number, the number of their row.
std::vector<int> rows(const std::string& convention, const char* terms, int span, decltype(Spec::params) params,
                      const Matrix<double>& distances) {
  Spec deberta = spec("deberta", {.d_model = 1, .n_heads = 1, .head_dim = 1}, std::move(params));
  deberta.params["convention"] = convention;
  deberta.params["terms"] = std::string(terms);
  for (int table = 0; table < 2; ++table) {
    for (int row = 0; row < 2 * span; ++row) deberta.weights.push_back(static_cast<float>(row));
  }
  Matrix<float> ones(distances.rows(), 1);
  std::ranges::fill(ones.all(), 1.0F);
  Matrix<float> dots(distances.rows(), 1);
  const Matrix<float> one = matrix(1, 1, {1.0F});
  make(deberta).relative->add_to_dots({ones.view(), one.view(), distances.view(), positions({0}).view(), 0},
                                      dots.view());
  std::vector<int> result;
  for (const float row : dots.all()) result.push_back(static_cast<int>(row));
  return result;
}

}  // namespace

TEST_CASE("deberta: buckets never fall as the distance grows, from one end of the table to the other", "[deberta]") {
  const int bucket_size = GENERATE(4, 8, 32, 256);
  const std::vector<int> at =
      rows("log_buckets", "c2p", bucket_size,
           {{"bucket_size", static_cast<double>(bucket_size)}, {"max_position", 400.0}}, count(1201, -600));
  CHECK(std::ranges::is_sorted(at));
  CHECK(at.front() == 0);
  CHECK(at.back() == 2 * bucket_size - 1);
  CHECK(at[600] == bucket_size);
  for (int distance = 1; distance <= bucket_size / 2; ++distance) {
    CHECK(at[static_cast<std::size_t>(600 + distance)] == bucket_size + distance);
    CHECK(at[static_cast<std::size_t>(600 - distance)] == bucket_size - distance);
  }
}

TEST_CASE("deberta: v1 clips: everything before, from -k to k - 1, everything after", "[deberta]") {
  CHECK(rows("clipped", "c2p", 4, {{"max_position", 4.0}}, positions({-1e9, -5, -4, -3, 0, 3, 4, 1e9})) ==
        std::vector{0, 0, 0, 1, 4, 7, 7, 7});
}

TEST_CASE("deberta: keys count from the query as the code does, to it as the paper writes", "[deberta]") {
  const Matrix<double> distances = positions({-2, 0, 3});
  CHECK(rows("clipped", "p2c", 4, {{"max_position", 4.0}}, distances) == std::vector{2, 4, 7});
  CHECK(rows("paper", "p2c", 4, {{"max_position", 4.0}}, distances) == std::vector{6, 4, 1});
  CHECK(rows("paper", "c2p", 4, {{"max_position", 4.0}}, distances) == std::vector{2, 4, 7});
}

TEST_CASE("deberta: fractional distances share the bucket towards 0", "[deberta]") {
  CHECK(rows("clipped", "c2p", 4, {{"max_position", 4.0}}, positions({-1.5, -0.5, 0.5, 1.5})) ==
        std::vector{3, 4, 4, 5});
}

TEST_CASE("deberta: logits as the gather and transpose of its code give them", "[deberta]") {
  // disentangled_attention_bias, written out: products with every row, then rows picked, p2c by [key][query].
  constexpr int kTokens = 6;
  constexpr int kSpan = 4;
  constexpr int kHeadDim = 8;
  const int head = GENERATE(0, 1);
  const Spec clipped = spec("deberta", {.d_model = 16, .n_heads = 2, .head_dim = kHeadDim},
                            {{"convention", std::string("clipped")}, {"max_position", static_cast<double>(kSpan)}});
  const Encoding encoding = make(clipped);
  const Matrix<float> q = random_matrix(kTokens, kHeadDim, 1);
  const Matrix<float> k = random_matrix(kTokens, kHeadDim, 2);
  const auto dot = [&](const Matrix<float>& x, int row, const float* y) {
    double sum = 0.0;
    for (int c = 0; c < kHeadDim; ++c) sum += static_cast<double>(x(row, c)) * static_cast<double>(y[c]);
    return sum;
  };
  const auto vector = [&](int table, int row) {
    return encoding.weights.data() + ((table * 2 + head) * 2 * kSpan + row) * kHeadDim;
  };
  std::vector<double> expected;
  for (int i = 0; i < kTokens; ++i) {
    for (int j = 0; j < kTokens; ++j) {
      const int c2p_pos = std::clamp((i - j) + kSpan, 0, 2 * kSpan - 1);
      const int p2c_pos_of_key = std::clamp(-(j - i) + kSpan, 0, 2 * kSpan - 1);  // relative_pos[key][query]
      const double sum =
          dot(q, i, k.row(j).data()) + dot(q, i, vector(0, c2p_pos)) + dot(k, j, vector(1, p2c_pos_of_key));
      expected.push_back(sum / std::sqrt(kHeadDim * 3.0));
    }
  }
  const Matrix<double> at = count(kTokens);
  const HeadAttention got = attend(
      encoding,
      {.q = q.view(), .k = k.view(), .q_positions = at.view(), .k_positions = at.view(), .mask = {}, .head = head});
  check_close(got.logits, expected, 2e-6);
}

TEST_CASE("deberta: the logit is divided by the square root of how many terms it has", "[deberta]") {
  const auto factor = [](const char* terms) {
    return make(spec("deberta", {}, {{"terms", std::string(terms)}})).relative->logit_factor();
  };
  CHECK(factor("both") == 1.0 / std::sqrt(3.0));
  CHECK(factor("c2p") == 1.0 / std::sqrt(2.0));
  CHECK(factor("p2c") == 1.0 / std::sqrt(2.0));
}

TEST_CASE("deberta: a farthest distance inside the exact buckets is refused", "[deberta]") {
  const Error error = error_of([] { static_cast<void>(make(spec("deberta", {}, {{"max_position", 129.0}}))); });
  CHECK(error.code() == ErrorCode::out_of_range);
  CHECK(error.field() == "max_position");
  CHECK_NOTHROW(make(spec("deberta", {}, {{"max_position", 130.0}})));
}
