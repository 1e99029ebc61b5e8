#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

constexpr Dims kDims{.d_model = 4, .n_heads = 1, .head_dim = 4};

Spec shaw(const std::string& convention, const char* reach, double value) {
  return spec("shaw", kDims, {{"convention", convention}, {reach, value}});
}

/// What one query at position 0 adds to its dots with keys at these offsets.
std::vector<float> dots(const Spec& spec, const Matrix<double>& offsets) {
  const Matrix<float> q = random_matrix(1, kDims.head_dim, 1);
  const Matrix<float> k(offsets.rows(), kDims.head_dim);
  Matrix<float> out(1, offsets.rows());
  make(spec).relative->add_to_dots({q.view(), k.view(), positions({0}).view(), offsets.view(), 0}, out.view());
  return {out.all().begin(), out.all().end()};
}

}  // namespace

TEST_CASE("shaw: beyond the farthest distance all keys of a direction are alike", "[shaw]") {
  const std::string convention = GENERATE("paper", "opennmt");
  const std::vector<float> at =
      dots(shaw(convention, "max_distance", 2), positions({-1e9, -3, -2, -1, 0, 1, 2, 3, 1e9}));
  CHECK(at[0] == at[2]);
  CHECK(at[1] == at[2]);
  CHECK(at[7] == at[6]);
  CHECK(at[8] == at[6]);
  const std::vector<float> apart(at.begin() + 2, at.begin() + 7);
  for (std::size_t i = 0; i < apart.size(); ++i) {
    for (std::size_t j = i + 1; j < apart.size(); ++j) CHECK(apart[i] != apart[j]);
  }
}

TEST_CASE("shaw: BERT counts query minus key, OpenNMT key minus query", "[shaw]") {
  Spec bert = shaw("bert_key", "max_position", 3);
  Spec opennmt = shaw("opennmt", "max_distance", 2);
  for (int row = 0; row < 5; ++row) bert.weights.insert(bert.weights.end(), 4, static_cast<float>(row));
  for (int row = 4; row >= 0; --row) opennmt.weights.insert(opennmt.weights.end(), 4, static_cast<float>(row));
  CHECK(dots(bert, positions({-2, -1, 0, 1, 2})) == dots(opennmt, positions({-2, -1, 0, 1, 2})));
}

TEST_CASE("shaw: words farther apart than BERT's table are refused", "[shaw]") {
  const std::string convention = GENERATE("bert_key", "bert_key_query");
  const double offset = GENERATE(3.0, -3.0, 1e9);
  const Error error = error_of([&] { dots(shaw(convention, "max_position", 3), positions({2, offset})); });
  CHECK(error.code() == ErrorCode::position_out_of_range);
  CHECK(error.rule() == "be less than 3 tokens apart (max_position)");
}

TEST_CASE("shaw: the output gets the value vectors, in the measure of the weights", "[shaw]") {
  // One direction each: the vector of offset -1 is (1 0 0 0) as a value, that of +1 (0 1 0 0).
  Spec paper = shaw("paper", "max_distance", 1);
  paper.weights.resize(std::size_t{2} * 3 * 4);
  paper.weights[12] = 1.0F;
  paper.weights[12 + 8 + 1] = 1.0F;
  const Matrix<float> q = random_matrix(3, 4, 1);
  const Matrix<float> k = random_matrix(3, 4, 2);
  const Matrix<float> v(3, 4);
  const Matrix<double> at = count(3);
  const HeadAttention got = attend(
      make(paper),
      {.q = q.view(), .k = k.view(), .v = v.view(), .q_positions = at.view(), .k_positions = at.view(), .mask = {}});
  CHECK(std::abs(got.output(1, 0) - got.weights(1, 0)) < 1e-6F);
  CHECK(std::abs(got.output(1, 1) - got.weights(1, 2)) < 1e-6F);
  CHECK(std::abs(got.output(0, 1) - (got.weights(0, 1) + got.weights(0, 2))) < 1e-6F);
  CHECK(got.output(1, 2) == 0.0F);
}

TEST_CASE("shaw: BERT's conventions leave the output alone", "[shaw]") {
  const Matrix<float> q = random_matrix(2, 4, 1);
  const Matrix<float> weights = random_matrix(2, 2, 2);
  Matrix<float> output(2, 7);
  const Encoding bert = make(shaw("bert_key", "max_position", 3));
  CHECK(bert.relative->value_dim() == 0);
  bert.relative->add_to_output({q.view(), q.view(), count(2).view(), count(2).view(), 0}, weights.view(),
                               output.view());
  CHECK(std::ranges::all_of(output.all(), [](float value) { return value == 0.0F; }));
}

TEST_CASE("shaw: padding on the left moves real words together and changes nothing", "[shaw]") {
  const std::vector<std::string> words{"Tom", "chased", "Jerry"};
  const Matrix<float> alone = attend_words(spec("shaw"), {}, words).weights;
  const Matrix<float> padded = attend_words(spec("shaw"), {.offset = 2.0}, words).weights;
  check_close<float, float>(padded.all(), alone.all(), 0.0);
}

TEST_CASE("shaw: fractional offsets share the row towards 0", "[shaw]") {
  const Spec paper = shaw("paper", "max_distance", 4);
  CHECK(dots(paper, positions({-1.5, -0.5, 0.5, 1.5})) == dots(paper, positions({-1, 0, 0, 1})));
}

TEST_CASE("shaw: a table of another size is refused, with the shape of the convention", "[shaw]") {
  Spec given = shaw("paper", "max_distance", 2);
  given.weights = {1, 2, 3};
  const Error error = error_of([&] { static_cast<void>(make(given)); });
  CHECK(error.code() == ErrorCode::shape_mismatch);
  CHECK(error.rule() == "have 10 x 4 numbers (2 * (2 * max_distance + 1), head_dim)");
}
