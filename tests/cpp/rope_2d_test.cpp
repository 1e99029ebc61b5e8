#include <array>
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "rotary.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

Spec rope_2d(int head_dim, const char* convention, decltype(Spec::params) params = {}) {
  params["convention"] = std::string(convention);
  return spec("rope_2d", one_head(head_dim), params);
}

const Matrix<double> kPicture = places({{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});

const char* any_convention() { return GENERATE("qwen2_vl", "pixtral", "chatglm", "eva02", "llama4"); }

/// Columns of x in another order.
Matrix<float> reordered(const Matrix<float>& x, const std::vector<int>& from) {
  Matrix<float> out(x.rows(), x.cols());
  for (int row = 0; row < x.rows(); ++row) {
    for (int col = 0; col < x.cols(); ++col) out(row, col) = x(row, from[static_cast<std::size_t>(col)]);
  }
  return out;
}

Matrix<double> transposed(Matrix<double> at) {
  for (int token = 0; token < at.rows(); ++token) std::swap(at(token, 0), at(token, 1));
  return at;
}

}  // namespace

TEST_CASE("rope_2d: which two channels turn with the row, and which with the column", "[rope_2d]") {
  struct Row {
    const char* convention;
    std::array<double, 8> by_row;  ///< of channel 0, or of the first one that turns with the row
    int first;
  };
  const double cos = 0.540302;
  const double sin = 0.841471;
  for (const auto& [convention, expected, first] :
       {Row{"qwen2_vl", {cos, 0, 0, 0, sin, 0, 0, 0}, 0}, Row{"pixtral", {cos, 0, 0, 0, sin, 0, 0, 0}, 0},
        Row{"chatglm", {cos, 0, sin, 0, 0, 0, 0, 0}, 0}, Row{"eva02", {cos, sin, 0, 0, 0, 0, 0, 0}, 0},
        Row{"llama4", {0, 0, 0, 0, cos, sin, 0, 0}, 4}}) {
    INFO(convention);
    Matrix<float> unit(1, 8);
    unit(0, first) = 1.0F;
    check_close(turned(rope_2d(8, convention), unit, places({{1, 0}})), {expected.begin(), expected.end()}, 1e-6);
    check_close<float, float>(turned(rope_2d(8, convention), unit, places({{0, 1}})).all(), unit.all(), 0.0);
  }
}

TEST_CASE("rope_2d: half of the pairs turns with each axis", "[rope_2d]") {
  const std::string convention = any_convention();
  INFO(convention);
  const Spec rope = rope_2d(16, convention.c_str());
  CHECK(turning(rope, {1, 0}) == (convention == "llama4" ? "....xxxx" : "xxxx...."));
  CHECK(turning(rope, {0, 1}) == (convention == "llama4" ? "xxxx...." : "....xxxx"));
  CHECK(turning(rope, {0, 0}) == "........");
}

TEST_CASE("rope_2d: Pixtral deals one series out to both axes, the others give each a series", "[rope_2d]") {
  const std::string convention = any_convention();
  INFO(convention);
  const Matrix<float> sin = cos_sin(rope_2d(8, convention.c_str()), places({{1, 1}})).sin;
  const double second = convention == "pixtral" ? 0.1 : 1.0;
  check_close(sin, {std::sin(1.0), std::sin(0.01), std::sin(second), std::sin(0.01 * second)}, 1e-7);
}

TEST_CASE("rope_2d: frequencies are radians per patch, whatever the coordinates", "[rope_2d]") {
  const auto* const coordinates = GENERATE("index", "centres", "edges");
  const Spec rope = rope_2d(8, "eva02", {{"coordinates", coordinates}});
  const std::vector<double> frequencies = make(rope).rotary->frequencies(1).inv_freq;
  const CosSin pairs = cos_sin(rope, places({{0, 0}, {1, 1}}));
  for (int pair = 0; pair < 4; ++pair) {
    const double angle =
        std::atan2(pairs.sin(1, pair), pairs.cos(1, pair)) - std::atan2(pairs.sin(0, pair), pairs.cos(0, pair));
    CHECK(std::abs(std::remainder(angle - frequencies[static_cast<std::size_t>(pair)], 2 * std::acos(-1.0))) < 1e-6);
  }
}

TEST_CASE("rope_2d: rotation keeps norms", "[rope_2d]") {
  check_norms_kept(rope_2d(64, any_convention()), places({{0.5, 77}, {-4095, 3}, {0, 0}}));
}

TEST_CASE("rope_2d: scores depend on the offset along each axis only, to the bit", "[rope_2d]") {
  const auto* const convention = any_convention();
  const auto* const coordinates = GENERATE("index", "centres", "edges");
  check_offsets_alone_matter(rope_2d(16, convention, {{"coordinates", coordinates}}), kPicture, {7, 0});
  check_offsets_alone_matter(rope_2d(16, convention, {{"coordinates", coordinates}}), kPicture, {1, 1024});
}

TEST_CASE("rope_2d: conventions with equal frequencies give the same scores once channels are permuted", "[rope_2d]") {
  const Matrix<float> q = random_matrix(6, 8, 1);
  const Matrix<float> k = random_matrix(6, 8, 2);
  const Matrix<float> expected = logits(rope_2d(8, "eva02"), q, k, kPicture, kPicture);
  struct Row {
    const char* convention;
    std::vector<int> from;  ///< channel of eva02, where pairs are (0 1) (2 3) by row, (4 5) (6 7) by column
  };
  for (const auto& [convention, from] :
       {Row{"qwen2_vl", {0, 2, 4, 6, 1, 3, 5, 7}}, Row{"chatglm", {0, 2, 1, 3, 4, 6, 5, 7}},
        Row{"llama4", {4, 5, 6, 7, 0, 1, 2, 3}}}) {
    INFO(convention);
    const Spec other = rope_2d(8, convention);
    check_close<float, float>(logits(other, reordered(q, from), reordered(k, from), kPicture, kPicture).all(),
                              expected.all(), 2e-6);
    CHECK(logits(other, q, k, kPicture, kPicture)(0, 5) != expected(0, 5));
  }
}

TEST_CASE("rope_2d: Llama-4 on a transposed picture is EVA-02", "[rope_2d]") {
  const Matrix<float> x = random_matrix(6, 16, 1);
  check_close<float, float>(turned(rope_2d(16, "llama4"), x, transposed(kPicture)).all(),
                            turned(rope_2d(16, "eva02"), x, kPicture).all(), 0.0);
}

TEST_CASE("rope_2d: a finer picture spans the same angles with EVA-02's scale", "[rope_2d]") {
  const CosSin coarse = cos_sin(rope_2d(16, "eva02"), places({{1, 3}}));
  const CosSin fine = cos_sin(rope_2d(16, "eva02", {{"scale", 0.5}}), places({{2, 6}}));
  check_close<float, float>(fine.sin.all(), coarse.sin.all(), 0.0);
}

TEST_CASE("rope_2d: DINOv3's angles do not depend on how many patches a picture has", "[rope_2d]") {
  const auto sides = [](double height, double width) {
    return rope_2d(16, "qwen2_vl",
                   {{"coordinates", "centres"}, {"height", height}, {"width", width}, {"theta", 100.0}});
  };
  // A quarter of the way: the centre of patch 0 of 2, the edge between patches 1 and 2 of 8.
  const CosSin coarse = cos_sin(sides(2, 2), places({{0, 1}}));
  const CosSin fine = cos_sin(sides(8, 4), places({{1.5, 2.5}}));
  check_close<float, float>(fine.sin.all(), coarse.sin.all(), 2e-7);
  check_close<float, float>(fine.cos.all(), coarse.cos.all(), 2e-7);
}

TEST_CASE("rope_2d: a class token that is not turned stands in the middle of DINOv3's picture", "[rope_2d]") {
  const Matrix<float> x = random_matrix(1, 16, 1);
  const double height = GENERATE(1.0, 3.0, 14.0);
  const Spec dino = rope_2d(16, "qwen2_vl", {{"coordinates", "centres"}, {"height", height}, {"width", 5.0}});
  check_close<float, float>(turned(dino, x, places({{(height - 1) / 2, 2}})).all(), x.all(), 1e-7);
}

TEST_CASE("rope_2d: pixels run from -1 to 1 and turn at whole multiples of pi", "[rope_2d]") {
  const Spec pixels = rope_2d(
      8, "eva02",
      {{"frequencies", "linear"}, {"max_freq", 8.0}, {"coordinates", "edges"}, {"height", 3.0}, {"width", 1.0}});
  // Row 2 of 3 is at 1, the one column at -1: pi and 4 pi.
  const CosSin pairs = cos_sin(pixels, places({{2, 0}, {1.5, 0}}));
  check_close(pairs.cos, {-1, 1, -1, 1, 0, 1, -1, 1}, 1e-6);
}

TEST_CASE("rope_2d: heads that are no multiple of 4 need a rotary width", "[rope_2d]") {
  CHECK(std::string(error_of([] { static_cast<void>(make(rope_2d(10, "eva02"))); }).what()) ==
        "rope_2d: dims.head_dim must be a multiple of 4, or rotary_dim be given, got 10");
  CHECK(std::string(error_of([] {
                      static_cast<void>(make(rope_2d(10, "eva02", {{"rotary_dim", 6.0}})));
                    }).what()) == "rope_2d: rotary_dim must be a multiple of 4, got 6");
  const Matrix<float> ones = matrix(1, 10, std::vector<float>(10, 1.0F));
  CHECK(turned(rope_2d(10, "eva02", {{"rotary_dim", 8.0}}), ones, places({{3, 5}}))(0, 9) == 1.0F);
}

TEST_CASE("rope_2d: angles beyond what sin and cos are good for are refused", "[rope_2d]") {
  const Spec wide = rope_2d(8, "eva02", {{"scale", 100.0}});
  CHECK_NOTHROW(turned(wide, random_matrix(1, 8, 1), places({{1e7, -1e7}})));
  const Error error = error_of([&] { turned(wide, random_matrix(1, 8, 1), places({{0, 2e7}})); });
  CHECK(error.code() == ErrorCode::position_out_of_range);
  CHECK(error.field() == "positions");
}

TEST_CASE("rope_2d: words are one row of a picture", "[rope_2d]") {
  const std::vector<std::string> words{"Tom", "chased", "Jerry"};
  const Spec rope = spec("rope_2d");
  const HeadAttention as_words = attend_words(rope, {.offset = 5}, words);
  const HeadAttention from_zero = attend_words(rope, {}, words);
  check_close<float, float>(as_words.weights.all(), from_zero.weights.all(), 0.0);
  CHECK(find_encoding("rope_2d").text_positions == TextPositions::row);
}
