#include <string>

#include <catch2/catch_test_macros.hpp>

#include "rotary.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

constexpr Dims kTwoHeads{.d_model = 16, .n_heads = 2, .head_dim = 8};

Spec rope_mixed(std::vector<float> weights = {}, decltype(Spec::params) params = {}) {
  Spec mixed = spec("rope_mixed", kTwoHeads, std::move(params));
  mixed.weights = std::move(weights);
  return mixed;
}

const Matrix<double> kPicture = places({{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});

}  // namespace

TEST_CASE("rope_mixed: each head turns by columns and rows at speeds of its own", "[rope_mixed]") {
  // [columns, rows][head][pair]
  const Spec mixed = rope_mixed({1, 0, 0, 0, 0, 0, 0, 0.5F, /**/ 0, 1, 0, 0, 0, 0, 0.25F, 0.5F});
  const CosSin turns = cos_sin(mixed, places({{3, 2}, {0, 1}}));
  REQUIRE(turns.sin.rows() == 4);
  const auto close_to_sines = [&](int row, const std::vector<double>& angles) {
    for (std::size_t pair = 0; pair < angles.size(); ++pair) {
      CHECK(std::abs(static_cast<double>(turns.sin.row(row)[pair]) - std::sin(angles[pair])) < 1e-7);
      CHECK(std::abs(static_cast<double>(turns.cos.row(row)[pair]) - std::cos(angles[pair])) < 1e-7);
    }
  };
  close_to_sines(0, {2, 3, 0, 0});
  close_to_sines(1, {1, 0, 0, 0});
  close_to_sines(2, {0, 0, 0.75, 2.5});
  close_to_sines(3, {0, 0, 0, 0.5});
}

TEST_CASE("rope_mixed: before training, half of the pairs look along a direction and half across it", "[rope_mixed]") {
  const Encoding encoding = make(rope_mixed({}, {{"theta", 100.0}}));
  REQUIRE(encoding.weights.size() == 16);
  const auto speed = [&](int axis, int head, int pair) {
    return static_cast<double>(encoding.weights[static_cast<std::size_t>((axis * 2 + head) * 4 + pair)]);
  };
  for (int head = 0; head < 2; ++head) {
    for (int pair = 0; pair < 2; ++pair) {
      const double across =
          speed(0, head, pair) * speed(0, head, pair + 2) + speed(1, head, pair) * speed(1, head, pair + 2);
      CHECK(std::abs(across) < 1e-8);
    }
  }
  const std::vector<double> speeds = encoding.rotary->frequencies(0).inv_freq;
  REQUIRE(speeds.size() == 8);
  check_close<double, double>(speeds, {{1, 0.1, 1, 0.1, 1, 0.1, 1, 0.1}}, 1e-7);
  CHECK(speed(0, 0, 0) != speed(0, 1, 0));
  CHECK(make(rope_mixed({}, {{"seed", 8.0}})).weights != make(rope_mixed()).weights);
}

TEST_CASE("rope_mixed: attention of a head turns by the table of that head", "[rope_mixed]") {
  const Spec mixed = rope_mixed();
  const Encoding encoding = make(mixed);
  const Matrix<float> q = random_matrix(6, 8, 1);
  const Matrix<float> k = random_matrix(6, 8, 2);
  Matrix<float> both(12, 8);
  std::ranges::copy(q.all(), both.all().begin());
  std::ranges::copy(q.all(), both.all().begin() + 48);
  rotate(*encoding.rotary, {.positions = kPicture.view()}, both.view());
  Matrix<float> keys(12, 8);
  std::ranges::copy(k.all(), keys.all().begin());
  std::ranges::copy(k.all(), keys.all().begin() + 48);
  rotate(*encoding.rotary, {.positions = kPicture.view()}, keys.view());
  for (int head = 0; head < 2; ++head) {
    const HeadAttention attended = attend(encoding, {.q = q.view(),
                                                     .k = k.view(),
                                                     .v = {},
                                                     .q_positions = kPicture.view(),
                                                     .k_positions = kPicture.view(),
                                                     .mask = {},
                                                     .head = head,
                                                     .scale = 1.0F});
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) {
        double dot = 0.0;
        for (int c = 0; c < 8; ++c)
          dot += static_cast<double>(both(head * 6 + i, c)) * static_cast<double>(keys(head * 6 + j, c));
        CHECK(std::abs(static_cast<double>(attended.logits(i, j)) - dot) < 2e-6);
      }
    }
  }
}

TEST_CASE("rope_mixed: lengths stay, and only offsets matter", "[rope_mixed]") {
  Spec one = spec("rope_mixed", one_head(16));
  check_norms_kept(one, kPicture);
  check_offsets_alone_matter(one, kPicture, {5, 100});
}

TEST_CASE("rope_mixed: what is refused", "[rope_mixed]") {
  const auto refused = [](const auto& act) { return error_of(act); };
  CHECK(refused([] { static_cast<void>(make(rope_mixed({1, 2, 3}))); }).code() == ErrorCode::shape_mismatch);
  CHECK(refused([] { static_cast<void>(make(spec("rope_mixed", one_head(6)))); }).code() == ErrorCode::out_of_range);
  const Encoding encoding = make(rope_mixed());
  Matrix<float> one_head_only(6, 8);
  CHECK(refused([&] { rotate(*encoding.rotary, {.positions = kPicture.view()}, one_head_only.view()); }).field() ==
        "x");
  const Matrix<double> far = places({{0, 2e9}});
  const Error beyond = refused([&] { static_cast<void>(rotation_of(*encoding.rotary, {.positions = far.view()})); });
  CHECK(beyond.code() == ErrorCode::position_out_of_range);
  // Grouped keys have no direction of their own.
  const Matrix<float> q = random_matrix(12, 8, 1);
  const Matrix<float> k = random_matrix(6, 8, 2);
  Matrix<float> output(12, 8);
  const HeadsInput grouped{.q = q.view(),
                           .k = k.view(),
                           .v = k.view(),
                           .n_heads = 2,
                           .n_kv_heads = 1,
                           .q_positions = kPicture.view(),
                           .k_positions = kPicture.view(),
                           .mask = {}};
  CHECK(refused([&] { attend_output(encoding, grouped, output.view()); }).field() == "k");
}
