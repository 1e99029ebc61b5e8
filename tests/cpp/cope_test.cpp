#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

constexpr Dims kOneChannel{.d_model = 1, .n_heads = 1, .head_dim = 1};

/// The table holds its own row numbers and q is 1: the bias is the position that was counted.
Spec counting(const char* gates, int max_position) {
  Spec result =
      spec("cope", kOneChannel, {{"gates", std::string(gates)}, {"max_position", static_cast<double>(max_position)}});
  for (int row = 0; row < max_position; ++row) result.weights.push_back(static_cast<float>(row));
  return result;
}

Matrix<float> counted(const Spec& spec, const Matrix<float>& logits, const Matrix<double>& at) {
  const Matrix<float> q = matrix(at.rows(), 1, std::vector<float>(static_cast<std::size_t>(at.rows()), 1.0F));
  Matrix<float> out(at.rows(), at.rows());
  make(spec).bias->bias({at.view(), at.view(), 0, q.view(), logits.view()}, out.view());
  return out;
}

constexpr float kOpen = 1000.0F;
constexpr float kClosed = -1000.0F;

}  // namespace

TEST_CASE("cope: with every gate open, positions are distances; with half-open ones half of them", "[cope]") {
  const Matrix<float> open = matrix(3, 3, std::vector<float>(9, kOpen));
  check_close(counted(counting("up_to_query", 8), open, count(3)), {1, 0, 0, 2, 1, 0, 3, 2, 1}, 0.0);
  const Matrix<float> half(3, 3);
  check_close(counted(counting("up_to_query", 8), half, count(3)), {.5, 0, 0, 1, .5, 0, 1.5, 1, .5}, 0.0);
}

TEST_CASE("cope: only the words that count are counted", "[cope]") {
  // Two sentence ends among five words: the last word sees its own sentence at 0, the one before at 1 ...
  Matrix<float> logits(5, 5);
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) logits(i, j) = j == 1 || j == 3 ? kOpen : kClosed;
  }
  const Matrix<float> out = counted(counting("up_to_query", 8), logits, count(5));
  CHECK(std::vector(out.row(4).begin(), out.row(4).end()) == std::vector<float>{2, 2, 1, 1, 0});
}

TEST_CASE("cope: far keys share the last row", "[cope]") {
  const Matrix<float> open = matrix(4, 4, std::vector<float>(16, kOpen));
  const Matrix<float> out = counted(counting("up_to_query", 3), open, count(4));
  CHECK(std::vector(out.row(3).begin(), out.row(3).end()) == std::vector<float>{2, 2, 2, 1});
}

TEST_CASE("cope: visible keys count to the end of the text, the same under a causal mask", "[cope]") {
  const Matrix<float> open = matrix(3, 3, std::vector<float>(9, kOpen));
  check_close(counted(counting("visible", 8), open, count(3)), {3, 2, 1, 3, 2, 1, 3, 2, 1}, 0.0);
  const std::vector<std::string> words{"Tom", "chased", "Jerry", "home"};
  const Layer causal{.mask = {.kind = Mask::Kind::causal}};
  const Layer open_layer{};
  const Spec visible = spec("cope", {}, {{"gates", std::string("visible")}});
  check_close<float, float>(attend_words(visible, causal, words).weights.all(),
                            attend_words(spec("cope"), causal, words).weights.all(), 0.0);
  CHECK(attend_words(visible, open_layer, words).weights(0, 1) !=
        attend_words(spec("cope"), open_layer, words).weights(0, 1));
}

TEST_CASE("cope: counts by position, however the keys are stored", "[cope]") {
  const Matrix<float> open = matrix(3, 3, std::vector<float>(9, kOpen));
  check_close(counted(counting("up_to_query", 8), open, positions({7, 5, 6})), {1, 3, 2, 0, 1, 0, 0, 2, 1}, 0.0);
}

TEST_CASE("cope: without the words there is no bias", "[cope]") {
  const Encoding cope = make(spec("cope"));
  const Matrix<double> at = count(3);
  Matrix<float> out(3, 3);
  const Error error = error_of([&] { cope.bias->bias({at.view(), at.view(), 0}, out.view()); });
  CHECK(error.code() == ErrorCode::shape_mismatch);
  CHECK(error.field() == "q");
}

TEST_CASE("cope: hidden keys and keys beyond the table give their gates no gradient", "[cope]") {
  const Matrix<double> at = count(4);
  Matrix<float> logits = matrix(4, 4, std::vector<float>(16, 1.0F));
  for (int i = 0; i < 4; ++i) {
    for (int j = i + 1; j < 4; ++j) logits(i, j) = -std::numeric_limits<float>::infinity();
  }
  const Matrix<float> q = matrix(4, 1, {1, 1, 1, 1});
  const Encoding cope = make(counting("visible", 3));
  std::vector<float> grad_table(3);
  Matrix<float> grad_q(4, 1);
  Matrix<float> grad_logits(4, 4);
  const Matrix<float> ones = matrix(4, 4, std::vector<float>(16, 1.0F));
  cope.bias->collect({at.view(), at.view(), 0, q.view(), logits.view()}, ones.view(),
                     {grad_table, grad_q.view(), grad_logits.view()});
  for (int i = 0; i < 4; ++i) {
    for (int j = i + 1; j < 4; ++j) CHECK(grad_logits(i, j) == 0.0F);
  }
  // The last query counts 0.73, 1.46, 2.19, 2.92: its two farthest keys are beyond row 2, so gates of theirs are free.
  CHECK(grad_logits(3, 0) == 0.0F);
  CHECK(grad_logits(3, 1) == 0.0F);
  CHECK(grad_logits(3, 2) > 0.0F);
}
