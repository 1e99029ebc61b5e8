#include "posenc/attention.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

constexpr int kHeadDim = 8;
constexpr Dims kDims{.d_model = 8, .n_heads = 1, .head_dim = kHeadDim};

/// One head over seeded q, k and v with positions 0, 1, 2, ...
struct Head {
  explicit Head(int tokens)
      : q(random_matrix(tokens, kHeadDim, 1)),
        k(random_matrix(tokens, kHeadDim, 2)),
        v(random_matrix(tokens, kHeadDim, 3)),
        at(count(tokens)) {}

  [[nodiscard]] HeadInput input(Mask mask = {}) const {
    return {
        .q = q.view(), .k = k.view(), .v = v.view(), .q_positions = at.view(), .k_positions = at.view(), .mask = mask};
  }

  Matrix<float> q;
  Matrix<float> k;
  Matrix<float> v;
  Matrix<double> at;
};

double row_sum(const Matrix<float>& weights, int row) {
  double sum = 0.0;
  for (const float weight : weights.row(row)) sum += static_cast<double>(weight);
  return sum;
}

/// Key vector of an offset: offset * (1, 0, 0, ...); value vector: (0, offset, 0, ...).
class LinearRelative final : public RelativeVectors {
 public:
  explicit LinearRelative(double logit_factor = 1.0) : logit_factor_(logit_factor) {}
  [[nodiscard]] int head_dim() const override { return kDims.head_dim; }
  [[nodiscard]] int value_dim() const override { return kDims.head_dim; }
  [[nodiscard]] double logit_factor() const override { return logit_factor_; }
  void add_to_dots(const RelativeQuery& query, MatrixView<float> dots) const override {
    for (int i = 0; i < dots.rows(); ++i) {
      for (int j = 0; j < dots.cols(); ++j) dots(i, j) += offset(query, i, j) * query.q(i, 0);
    }
  }
  void add_to_output(const RelativeQuery& query, MatrixView<const float> weights,
                     MatrixView<float> output) const override {
    for (int i = 0; i < weights.rows(); ++i) {
      for (int j = 0; j < weights.cols(); ++j) output(i, 1) += weights(i, j) * offset(query, i, j);
    }
  }
  void collect(const RelativeQuery& /*query*/, MatrixView<const float> /*grad_dots*/,
               const RelativeGradients& /*gradients*/) const override {}

 private:
  static float offset(const RelativeQuery& query, int i, int j) {
    return static_cast<float>(query.k_positions(j, 0) - query.q_positions(i, 0));
  }

  double logit_factor_;
};

}  // namespace

TEST_CASE("attention: rows sum to 1 and masked keys have weight exactly 0", "[attention]") {
  const Head head(5);
  const HeadAttention result = attend(make(spec("rope", kDims)), head.input({.kind = Mask::Kind::causal}));
  for (int i = 0; i < 5; ++i) {
    CHECK(std::abs(row_sum(result.weights, i) - 1.0) < 1e-6);
    for (int j = i + 1; j < 5; ++j) CHECK(result.weights(i, j) == 0.0F);
  }
  CHECK(result.weights(0, 0) == 1.0F);
}

TEST_CASE("attention: a window sees its own size and nothing later", "[attention]") {
  const Head head(6);
  const HeadAttention result = attend(Encoding{}, head.input({.kind = Mask::Kind::window, .size = 2}));
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) CHECK((result.weights(i, j) > 0.0F) == (j == i || j == i - 1));
  }
}

TEST_CASE("attention: a fully masked row gives zeros, never NaN", "[attention]") {
  const Head head(3);
  const Matrix<double> later = positions({5, 6, 7});
  HeadInput input = head.input({.kind = Mask::Kind::causal});
  input.k_positions = later.view();
  const HeadAttention result = attend(Encoding{}, input);
  for (const float weight : result.weights.all()) CHECK(weight == 0.0F);
  for (const float value : result.output.all()) CHECK(value == 0.0F);
}

TEST_CASE("attention: masks look at positions, not at storage", "[attention]") {
  const Head head(3);
  const Matrix<double> reversed = positions({2, 1, 0});
  HeadInput input = head.input({.kind = Mask::Kind::causal});
  input.q_positions = reversed.view();
  input.k_positions = reversed.view();
  const HeadAttention result = attend(Encoding{}, input);
  CHECK(result.weights(2, 2) == 1.0F);
  CHECK(result.weights(0, 2) > 0.0F);
}

TEST_CASE("attention: content, position and bias make up the logits", "[attention]") {
  const char* const id = GENERATE("none", "rope", "alibi", "t5_bias");
  const Head head(6);
  const HeadAttention result = attend(make(spec(id, kDims)), head.input());
  for (std::size_t i = 0; i < result.logits.all().size(); ++i) {
    const float sum = result.content.all()[i] + result.position.all()[i] + result.bias.all()[i];
    CHECK(std::abs(sum - result.logits.all()[i]) <= 2e-6F);
  }
}

TEST_CASE("attention: the output is the weighted mean of the values", "[attention]") {
  const Head head(4);
  const HeadAttention result = attend(Encoding{}, head.input());
  for (int i = 0; i < 4; ++i) {
    for (int channel = 0; channel < kHeadDim; ++channel) {
      double mean = 0.0;
      for (int j = 0; j < 4; ++j) mean += static_cast<double>(result.weights(i, j) * head.v(j, channel));
      CHECK(std::abs(mean - static_cast<double>(result.output(i, channel))) < 1e-6);
    }
  }
}

TEST_CASE("attention: the scale is 1 / sqrt(head_dim) unless another is given", "[attention]") {
  const Head head(2);
  HeadInput input = head.input();
  const float plain = attend(Encoding{}, input).logits(0, 1);
  input.scale = 1.0F;
  CHECK(std::abs(attend(Encoding{}, input).logits(0, 1) - plain * std::sqrt(8.0F)) < 1e-5F);
}

TEST_CASE("attention: relative vectors take part as keys and as values", "[attention]") {
  const Head head(3);
  Encoding encoding;
  encoding.relative = std::make_unique<LinearRelative>();
  const HeadAttention with = attend(encoding, head.input());
  const HeadAttention without = attend(Encoding{}, head.input());
  const float scale = 1.0F / std::sqrt(8.0F);
  for (int i = 0; i < 3; ++i) {
    float shift = 0.0F;
    float mixed = 0.0F;
    for (int j = 0; j < 3; ++j) {
      const auto offset = static_cast<float>(j - i);
      CHECK(std::abs(with.logits(i, j) - (without.logits(i, j) + offset * head.q(i, 0) * scale)) < 1e-5F);
      shift += with.weights(i, j) * offset;
      mixed += with.weights(i, j) * head.v(j, 1);
    }
    CHECK(std::abs(with.output(i, 1) - (mixed + shift)) < 1e-5F);
  }
}

TEST_CASE("attention: relative vectors may scale the logit, words and position alike", "[attention]") {
  const Head head(3);
  Encoding whole;
  Encoding half;
  whole.relative = std::make_unique<LinearRelative>(1.0);
  half.relative = std::make_unique<LinearRelative>(0.5);
  const HeadAttention scaled = attend(half, head.input());
  const HeadAttention plain = attend(whole, head.input());
  for (std::size_t i = 0; i < plain.logits.all().size(); ++i) {
    CHECK(scaled.logits.all()[i] == 0.5F * plain.logits.all()[i]);
  }
}

TEST_CASE("attention: relative vectors refuse a head of another width", "[attention]") {
  Encoding encoding;
  encoding.relative = std::make_unique<LinearRelative>();
  const Head head(3);
  const Matrix<float> narrow = random_matrix(3, kDims.head_dim - 1, 1);
  HeadInput input = head.input();
  input.v = narrow.view();
  CHECK(error_of([&] { static_cast<void>(attend(encoding, input)); }).field() == "v");
  input.q = narrow.view();
  input.k = narrow.view();
  CHECK(error_of([&] { static_cast<void>(attend(encoding, input)); }).field() == "q");
}

TEST_CASE("attention: logits too large for float are an error, not NaN", "[attention]") {
  Head head(2);
  for (float& value : head.q.all()) value = 3e38F;
  for (float& value : head.k.all()) value = 3e38F;
  CHECK(error_of([&] { static_cast<void>(attend(Encoding{}, head.input())); }).code() == ErrorCode::not_finite);
}

TEST_CASE("attention: shapes that do not fit are named", "[attention]") {
  const Head head(3);
  const Matrix<float> narrow = random_matrix(3, 7, 1);
  const Matrix<double> two = count(2);
  const auto field = [&](auto change) {
    HeadInput input = head.input();
    change(input);
    return error_of([&] { static_cast<void>(attend(Encoding{}, input)); }).field();
  };
  CHECK(field([&](HeadInput& input) { input.k = narrow.view(); }) == "k");
  CHECK(field([&](HeadInput& input) { input.head = -1; }) == "head");
  CHECK(field([&](HeadInput& input) { input.q_positions = two.view(); }) == "q_positions");
  CHECK(field([&](HeadInput& input) { input.k_positions = two.view(); }) == "k_positions");
  CHECK(field([&](HeadInput& input) { input.mask = {.kind = Mask::Kind::window, .size = 0}; }) == "mask.size");
}

TEST_CASE("attention: a head that a bias has no slope for is refused", "[attention]") {
  const Head head(3);
  HeadInput input = head.input();
  input.head = 1;
  CHECK(error_of([&] { static_cast<void>(attend(make(spec("alibi", kDims)), input)); }).field() == "head");
}

TEST_CASE("attention: no keys or no queries give empty results", "[attention]") {
  const Head none(0);
  CHECK(attend(make(spec("rope", kDims)), none.input()).weights.all().empty());
}
