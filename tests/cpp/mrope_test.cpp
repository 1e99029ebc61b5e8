#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "rotary.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

Spec mrope(int head_dim, const char* order = "contiguous", std::vector<double> section = {}) {
  return spec("mrope", one_head(head_dim), {{"order", order}, {"mrope_section", std::move(section)}});
}

const Matrix<double> kPicture = places({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {2, 2, 3}, {2, 3, 2}, {2, 3, 3}, {4, 4, 4}});

std::string refused(const Spec& wrong) {
  return error_of([&] { static_cast<void>(make(wrong)); }).what();
}

}  // namespace

TEST_CASE("mrope: on text it is rope, to the bit", "[mrope]") {
  const auto* const order = GENERATE("contiguous", "interleaved");
  const Matrix<double> line = count(40, 3);
  Matrix<double> text(40, 3);
  for (int token = 0; token < 40; ++token) std::ranges::fill(text.row(token), line(token, 0));
  const CosSin axes = cos_sin(mrope(16, order), text);
  const CosSin rope = cos_sin(spec("rope", one_head(16)), line);
  check_close<float, float>(axes.cos.all(), rope.cos.all(), 0.0);
  check_close<float, float>(axes.sin.all(), rope.sin.all(), 0.0);
}

TEST_CASE("mrope: which pairs turn along time, height and width", "[mrope]") {
  const auto axes = [](const Spec& spec) {
    return turning(spec, {1, 0, 0}) + " " + turning(spec, {0, 1, 0}) + " " + turning(spec, {0, 0, 1});
  };
  CHECK(axes(mrope(16, "contiguous", {2, 3, 3})) == "xx...... ..xxx... .....xxx");
  CHECK(axes(mrope(16, "contiguous")) == "xx...... ..xxx... .....xxx");
  CHECK(axes(mrope(16, "interleaved", {3, 3, 2})) == "x..x..x. .x..x..x ..x..x..");
  CHECK(axes(mrope(16, "interleaved", {4, 2, 2})) == "x..x..xx .x..x... ..x..x..");
  CHECK(axes(mrope(16, "interleaved_ggml", {4, 2, 2})) == "x..x..x. .x..x... ..x..x..");
  CHECK(axes(mrope(16, "contiguous", {0, 8, 0})) == "........ xxxxxxxx ........");
}

TEST_CASE("mrope: frequencies are one series over all axes; pairs that do not turn have 0", "[mrope]") {
  const std::vector<double> rope = make(spec("rope", one_head(16))).rotary->frequencies(1).inv_freq;
  CHECK(make(mrope(16)).rotary->frequencies(1).inv_freq == rope);
  std::vector<double> ggml = make(mrope(16, "interleaved_ggml", {4, 2, 2})).rotary->frequencies(1).inv_freq;
  CHECK(ggml.back() == 0.0);
  ggml.back() = rope.back();
  CHECK(ggml == rope);
}

TEST_CASE("mrope: every head that can turn has sections by default", "[mrope]") {
  for (const char* const order : {"contiguous", "interleaved", "interleaved_ggml"}) {
    for (int head_dim = 2; head_dim <= 256; head_dim += 2) CHECK_NOTHROW(make(mrope(head_dim, order)));
  }
}

TEST_CASE("mrope: both layouts of a unit vector, with the same angles", "[mrope]") {
  const Matrix<float> unit = matrix(1, 4, {1, 0, 0, 0});
  check_close(turned(mrope(4), unit, places({{1, 0, 0}})), {0.540302, 0, 0.841471, 0}, 1e-6);
  const Spec glm = spec("mrope", one_head(4), {{"layout", "interleaved"}});
  check_close(turned(glm, unit, places({{1, 0, 0}})), {0.540302, 0.841471, 0, 0}, 1e-6);
  CHECK(turning(glm, {1, 0, 0}) == turning(mrope(4), {1, 0, 0}));
}

TEST_CASE("mrope: rotation keeps norms", "[mrope]") {
  check_norms_kept(mrope(64), places({{0.5, 3, 77}, {77, -4095, 1}, {0, 0, 0}}));
}

TEST_CASE("mrope: scores depend on the offset along each axis only, to the bit", "[mrope]") {
  const auto* const order = GENERATE("contiguous", "interleaved", "interleaved_ggml");
  check_offsets_alone_matter(mrope(16, order), kPicture, {5, 5, 5});
  check_offsets_alone_matter(mrope(16, order), kPicture, {1000, 7, 64});
}

TEST_CASE("mrope: a patch's row and column matter, each by itself", "[mrope]") {
  const Matrix<float> q = random_matrix(1, 16, 1);
  const Matrix<float> k = random_matrix(1, 16, 2);
  const auto score = [&](double time, double row, double column) {
    return logits(mrope(16), q, k, places({{0, 0, 0}}), places({{time, row, column}}))(0, 0);
  };
  CHECK(score(1, 0, 0) != score(0, 0, 0));
  CHECK(score(0, 1, 0) != score(0, 0, 0));
  CHECK(score(0, 0, 1) != score(0, 1, 0));
}

TEST_CASE("mrope: sections that do not fit are refused", "[mrope]") {
  CHECK(refused(mrope(16, "contiguous", {2, 3})) ==
        "mrope: mrope_section must have 3 numbers: time, height, width, got [2, 3]");
  CHECK(refused(mrope(16, "contiguous", {2, 3, 4})) ==
        "mrope: mrope_section must add up to 8 (rotary_dim / 2), got [2, 3, 4]");
  CHECK(refused(mrope(16, "contiguous", {2, 3.5, 2.5})) ==
        "mrope: mrope_section must be whole numbers, got [2, 3.5, 2.5]");
  CHECK(refused(mrope(16, "interleaved", {2, 3, 3})) ==
        "mrope: mrope_section must give height and width no more than every third pair, got [2, 3, 3]");
  CHECK(refused(mrope(16, "interleaved_ggml", {1, 6, 1})) ==
        "mrope: mrope_section must give height and width no more than every third pair, got [1, 6, 1]");
  CHECK(error_of([] {
          static_cast<void>(make(mrope(16, "contiguous", {-1, 5, 4})));
        }).code() == ErrorCode::out_of_range);
  CHECK(refused(mrope(5)) == "mrope: dims.head_dim must be even, or rotary_dim be given, got 5");
}

TEST_CASE("mrope: positions need three axes", "[mrope]") {
  CHECK(error_of([] { validate_positions(count(3).view(), find_encoding("mrope").axes, "positions"); }).code() ==
        ErrorCode::shape_mismatch);
}
