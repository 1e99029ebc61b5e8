#include <cmath>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

Dims head_of(int head_dim) { return {.d_model = head_dim, .n_heads = 1, .head_dim = head_dim}; }

Matrix<float> rotated(const Spec& spec, Matrix<float> x, const Matrix<double>& at) {
  rotate(*make(spec).rotary, {.positions = at.view()}, x.view());
  return x;
}

double norm(std::span<const float> x) {
  double sum = 0.0;
  for (const float value : x) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("rope: both layouts of a unit vector at position 1", "[rope]") {
  const Matrix<float> x = matrix(1, 4, {1, 0, 0, 0});
  check_close(rotated(spec("rope", head_of(4), {{"layout", "interleaved"}}), x, positions({1})),
              {0.540302, 0.841471, 0, 0}, 1e-6);
  check_close(rotated(spec("rope", head_of(4), {{"layout", "half"}}), x, positions({1})), {0.540302, 0, 0.841471, 0},
              1e-6);
}

TEST_CASE("rope: the layouts give the same scores once channels are permuted to match", "[rope]") {
  const Matrix<float> half_q = random_matrix(1, 8, 1);
  const Matrix<float> half_k = random_matrix(1, 8, 2);
  Matrix<float> q(1, 8);
  Matrix<float> k(1, 8);
  for (int pair = 0; pair < 4; ++pair) {
    q(0, 2 * pair) = half_q(0, pair);
    q(0, 2 * pair + 1) = half_q(0, pair + 4);
    k(0, 2 * pair) = half_k(0, pair);
    k(0, 2 * pair + 1) = half_k(0, pair + 4);
  }
  const auto score = [](const Matrix<float>& a, const Matrix<float>& b, const char* layout) {
    const Spec rope = spec("rope", head_of(8), {{"layout", std::string(layout)}});
    const Matrix<double> q_at = positions({5});
    const Matrix<double> k_at = positions({2});
    return attend(make(rope), {.q = a.view(),
                               .k = b.view(),
                               .v = {},
                               .q_positions = q_at.view(),
                               .k_positions = k_at.view(),
                               .mask = {}})
        .logits(0, 0);
  };
  CHECK(std::abs(score(half_q, half_k, "half") - score(q, k, "interleaved")) < 1e-6F);
  CHECK(std::abs(score(half_q, half_k, "half") - score(half_q, half_k, "interleaved")) > 1e-2F);
}

TEST_CASE("rope: rotation keeps norms", "[rope]") {
  const Matrix<float> x = random_matrix(3, 64, 4);
  const Matrix<float> y = rotated(spec("rope", head_of(64)), x, positions({0.5, 77, -4095}));
  for (int row = 0; row < 3; ++row) CHECK(std::abs(norm(x.row(row)) - norm(y.row(row))) < 1e-6 * norm(x.row(row)));
}

TEST_CASE("rope: position 0 changes nothing", "[rope]") {
  const Matrix<float> x = random_matrix(1, 16, 4);
  check_close<float, float>(rotated(spec("rope", head_of(16)), x, positions({0})).all(), x.all(), 0.0);
}

TEST_CASE("rope: many heads turn as each of them does alone", "[rope]") {
  const std::string layout = GENERATE("half", "interleaved", "interleaved_to_half");
  constexpr int kHeads = 6;
  constexpr int kTokens = 5;
  constexpr int kHeadDim = 22;
  const Encoding encoding = make(spec("rope", head_of(kHeadDim), {{"layout", layout}, {"rotary_dim", 18.0}}));
  const Matrix<double> at = count(kTokens, 100);
  Matrix<float> all = random_matrix(kHeads * kTokens, kHeadDim, 1);
  Matrix<float> each = all;
  rotate(rotation_of(*encoding.rotary, {.positions = at.view()}), all.view());
  for (int head = 0; head < kHeads; ++head) {
    rotate(*encoding.rotary, {.positions = at.view()}, each.view().slice(head * kTokens, kTokens));
  }
  check_close<float, float>(all.all(), each.all(), 0.0);
}

TEST_CASE("rope: heads that do not fit a rotation are refused", "[rope]") {
  const Matrix<double> at = count(4);
  const Rotation rotation = rotation_of(*make(spec("rope", head_of(8))).rotary, {.positions = at.view()});
  Matrix<float> uneven(6, 8);
  CHECK(error_of([&] { rotate(rotation, uneven.view()); }).code() == ErrorCode::shape_mismatch);
  Matrix<float> narrow(8, 6);
  CHECK(error_of([&] { rotate(rotation, narrow.view()); }).code() == ErrorCode::shape_mismatch);
  Matrix<float> none(0, 8);
  rotate(rotation, none.view());
}

TEST_CASE("rope: scores depend on q - k only, to the bit, under whole shifts", "[rope]") {
  const double shift = GENERATE(1.0, 7.0, 1024.0, 1e6);
  const Encoding encoding = make(spec("rope", head_of(16)));
  const Matrix<float> q = random_matrix(4, 16, 1);
  const Matrix<float> k = random_matrix(4, 16, 2);
  const auto logits = [&](double first) {
    const Matrix<double> at = count(4, first);
    return attend(
               encoding,
               {.q = q.view(), .k = k.view(), .v = {}, .q_positions = at.view(), .k_positions = at.view(), .mask = {}})
        .logits;
  };
  check_close<float, float>(logits(shift).all(), logits(0.0).all(), 0.0);
}

TEST_CASE("rope: a partial rotation leaves the rest untouched and uses its own width", "[rope]") {
  const Spec partial = spec("rope", head_of(8), {{"rotary_dim", 4.0}});
  const Matrix<float> ones = matrix(1, 8, std::vector<float>(8, 1.0F));
  const Matrix<float> out = rotated(partial, ones, positions({100}));
  for (int channel = 4; channel < 8; ++channel) CHECK(out(0, channel) == 1.0F);
  // inv_freq of width 4 is [1, 0.01]: pair 1 turns by exactly 1 radian at position 100.
  CHECK(std::abs(out(0, 1) - static_cast<float>(std::cos(1.0) - std::sin(1.0))) < 1e-6F);
}

TEST_CASE("rope: inverse frequencies", "[rope]") {
  std::vector<double> out(4);
  inv_freq(10000.0, 8, out);
  const std::vector<double> expected{1.0, 0.1, 0.01, 0.001};
  check_close<double, double>(out, expected, 1e-17);
}

TEST_CASE("rope: far positions are right where half precision and float fail", "[rope]") {
  const Encoding encoding = make(spec("rope", head_of(32)));
  const Matrix<double> at = positions({1857, 256, 257, 1000000});
  Matrix<float> cos(4, 16);
  Matrix<float> sin(4, 16);
  encoding.rotary->cos_sin({.positions = at.view()}, cos.view(), sin.view());
  CHECK(std::abs(cos(0, 1) - 0.306693F) < 1e-6F);
  CHECK(cos(1, 0) != cos(2, 0));
  const double exact = std::cos(1e6 * std::pow(10000.0, -2.0 / 32));
  CHECK(std::abs(static_cast<double>(cos(3, 1)) - exact) < 1e-6);
}

TEST_CASE("rope: an odd, zero or oversized rotary width is refused", "[rope]") {
  const auto error_with = [](double rotary_dim) {
    return error_of([&] { static_cast<void>(make(spec("rope", head_of(16), {{"rotary_dim", rotary_dim}}))); });
  };
  CHECK(std::string(error_with(7).what()) == "rope: rotary_dim must be even, got 7");
  CHECK(std::string(error_with(18).what()) == "rope: rotary_dim must be from 2 to head_dim (16), got 18");
  CHECK(error_with(0).code() == ErrorCode::out_of_range);
}

TEST_CASE("rope: an odd head needs a rotary width", "[rope]") {
  const Error error = error_of([] { static_cast<void>(make(spec("rope", head_of(5)))); });
  CHECK(error.field() == "dims.head_dim");
  CHECK_NOTHROW(make(spec("rope", head_of(5), {{"rotary_dim", 4.0}})));
}
