#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

constexpr Dims kDims{.d_model = 8, .n_heads = 2, .head_dim = 4};

/// What the encoding adds to the dots of tokens with these q and k.
Matrix<float> added(const Spec& spec, const Matrix<float>& q, const Matrix<float>& k, int head) {
  const Matrix<double> at = count(q.rows());
  Matrix<float> dots(q.rows(), k.rows());
  make(spec).relative->add_to_dots({q.view(), k.view(), at.view(), at.view(), head}, dots.view());
  return dots;
}

Matrix<float> all_alike(int tokens, std::uint64_t seed) {
  const Matrix<float> one = random_matrix(1, kDims.head_dim, seed);
  Matrix<float> rows(tokens, kDims.head_dim);
  for (int i = 0; i < tokens; ++i) std::copy(one.all().begin(), one.all().end(), rows.row(i).begin());
  return rows;
}

}  // namespace

TEST_CASE("transformer_xl, xlnet: with equal words, entries are constant along diagonals", "[transformer_xl][xlnet]") {
  const std::string id = GENERATE("transformer_xl", "xlnet");
  const int head = GENERATE(0, 1);
  const Matrix<float> dots = added(spec(id, kDims), all_alike(6, 1), all_alike(6, 2), head);
  for (int i = 1; i < 6; ++i) {
    for (int j = 1; j < 6; ++j) CHECK(dots(i, j) == dots(i - 1, j - 1));
  }
}

TEST_CASE("transformer_xl: later keys get u · k and no distance", "[transformer_xl]") {
  const Matrix<float> q = all_alike(4, 1);
  const Matrix<float> dots = added(spec("transformer_xl", kDims), q, all_alike(4, 2), 0);
  CHECK(dots(0, 1) == dots(0, 3));
  CHECK(dots(1, 0) != dots(2, 0));
  Matrix<float> other = random_matrix(4, kDims.head_dim, 3);
  CHECK(added(spec("transformer_xl", kDims), other, all_alike(4, 2), 0)(0, 3) == dots(0, 3));
}

TEST_CASE("transformer_xl, xlnet: the same under a causal mask", "[transformer_xl][xlnet]") {
  const std::vector<std::string> words{"Tom", "chased", "Jerry", "home"};
  const Layer causal{.mask = {.kind = Mask::Kind::causal}};
  check_close<float, float>(attend_words(spec("transformer_xl"), causal, words).weights.all(),
                            attend_words(spec("xlnet"), causal, words).weights.all(), 1e-6);
}

TEST_CASE("transformer_xl, xlnet: distances beyond the clamp are alike", "[transformer_xl][xlnet]") {
  const std::string id = GENERATE("transformer_xl", "xlnet");
  const Matrix<float> dots = added(spec(id, kDims, {{"clamp_len", 2.0}}), all_alike(6, 1), all_alike(6, 2), 1);
  CHECK(dots(5, 0) == dots(5, 3));
  CHECK(dots(5, 3) != dots(5, 4));
}

TEST_CASE("transformer_xl, xlnet: four terms, against a plain sum in double", "[transformer_xl][xlnet]") {
  const std::string id = GENERATE("transformer_xl", "xlnet");
  const Encoding encoding = make(spec(id, kDims));
  const Matrix<float> q = random_matrix(3, 4, 1);
  const Matrix<float> k = random_matrix(3, 4, 2);
  const int head = 1;
  const Matrix<float> dots = added(spec(id, kDims), q, k, head);
  const auto weight = [&](int index) { return static_cast<double>(encoding.weights[static_cast<std::size_t>(index)]); };
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (int c = 0; c < 4; ++c) {
        double key = 0.0;
        for (int m = 0; m < 4; ++m) {
          const double angle = (i - j) * std::pow(10000.0, -m / 4.0);
          key +=
              weight((head * 4 + c) * 8 + m) * std::sin(angle) + weight((head * 4 + c) * 8 + 4 + m) * std::cos(angle);
        }
        const double u = weight(64 + head * 4 + c);
        const double v = weight(64 + 8 + head * 4 + c);
        sum += u * static_cast<double>(k(j, c)) + (static_cast<double>(q(i, c)) + v) * key;
      }
      CHECK(std::abs(static_cast<double>(dots(i, j)) - sum) < 2e-6);
    }
  }
}

TEST_CASE("transformer_xl, xlnet: an odd d_model is refused", "[transformer_xl][xlnet]") {
  const std::string id = GENERATE("transformer_xl", "xlnet");
  const Error error = error_of([&] { static_cast<void>(make(spec(id, {.d_model = 7}))); });
  CHECK(error.code() == ErrorCode::out_of_range);
  CHECK(error.field() == "dims.d_model");
}

TEST_CASE("transformer_xl: weights of another size are refused; so is a table larger than can be counted",
          "[transformer_xl]") {
  Spec given = spec("transformer_xl", kDims);
  given.weights = {1, 2, 3};
  CHECK(error_of([&] { static_cast<void>(make(given)); }).rule() ==
        "have 8 x 10 numbers (n_heads * head_dim, d_model + 2)");
  const Dims huge{.d_model = 1 << 20, .n_heads = 1 << 20, .head_dim = 1 << 20};
  const Error error = error_of([&] { static_cast<void>(make(spec("transformer_xl", huge))); });
  CHECK(error.code() == ErrorCode::out_of_range);
  CHECK(error.field() == "weights");
}
