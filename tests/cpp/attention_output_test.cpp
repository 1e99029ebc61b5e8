#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

/// Random heads over positions that both ways of attending are asked about.
struct Heads {
  Matrix<double> q_positions;
  Matrix<double> k_positions;
  int n_heads;
  int n_kv_heads;
  Matrix<float> q;
  Matrix<float> k;
  Matrix<float> v;

  Heads(Matrix<double> queries, Matrix<double> keys, int heads, int kv_heads, int head_dim)
      : q_positions(std::move(queries)),
        k_positions(std::move(keys)),
        n_heads(heads),
        n_kv_heads(kv_heads),
        q(random_matrix(heads * q_positions.rows(), head_dim, 1)),
        k(random_matrix(kv_heads * k_positions.rows(), head_dim, 2)),
        v(random_matrix(kv_heads * k_positions.rows(), head_dim, 3)) {}

  [[nodiscard]] HeadsInput all(Mask mask) const {
    return {.q = q.view(),
            .k = k.view(),
            .v = v.view(),
            .n_heads = n_heads,
            .n_kv_heads = n_kv_heads,
            .q_positions = q_positions.view(),
            .k_positions = k_positions.view(),
            .mask = mask};
  }

  [[nodiscard]] HeadInput one(int head, Mask mask) const {
    const int kv_head = head / (n_heads / n_kv_heads);
    const int n_keys = k_positions.rows();
    return {.q = q.view().slice(head * q_positions.rows(), q_positions.rows()),
            .k = k.view().slice(kv_head * n_keys, n_keys),
            .v = v.view().slice(kv_head * n_keys, n_keys),
            .q_positions = q_positions.view(),
            .k_positions = k_positions.view(),
            .mask = mask,
            .head = head};
  }
};

Matrix<float> output_of(const Encoding& encoding, const HeadsInput& input) {
  Matrix<float> output(input.q.rows(), input.v.cols());
  attend_output(encoding, input, output.view());
  return output;
}

/// The outputs of attend(), head by head.
std::vector<float> by_heads(const Encoding& encoding, const Heads& heads, Mask mask) {
  std::vector<float> outputs;
  for (int head = 0; head < heads.n_heads; ++head) {
    const HeadAttention attention = attend(encoding, heads.one(head, mask));
    outputs.insert(outputs.end(), attention.output.all().begin(), attention.output.all().end());
  }
  return outputs;
}

void check_same(const Encoding& encoding, const Heads& heads, Mask mask) {
  const Matrix<float> got = output_of(encoding, heads.all(mask));
  const std::vector<float> expected = by_heads(encoding, heads, mask);
  // Weights sum to 1 and values are about 1: sums of at most 100 keys in another order.
  check_close<float, float>(got.all(), expected, 2e-6);
}

/// 0, 1, 2 … on every axis but the first two, which make a grid four wide.
Matrix<double> places(int count, int axes, double first = 0.0) {
  Matrix<double> result(count, axes);
  for (int token = 0; token < count; ++token) {
    for (int axis = 0; axis < axes; ++axis)
      result(token, axis) = axes == 1 ? first + token : axis == 0 ? token / 4 : token % 4;
  }
  return result;
}

const std::vector<Mask> kMasks{{}, {.kind = Mask::Kind::causal}, {.kind = Mask::Kind::window, .size = 5}};

}  // namespace

TEST_CASE("attend_output: every encoding gives what attend() gives", "[attention]") {
  for (const EncodingInfo* info : encodings()) {
    Spec wanted = spec(std::string(info->id), {.d_model = 32, .n_heads = 4, .head_dim = 8});
    if (info->id == "swin_bias") wanted.params = {{"window_height", 12.0}, {"window_width", 12.0}};
    const Encoding encoding = make(wanted);
    for (const int n_tokens : {1, 5, 37}) {
      const bool shares_keys = encoding.rotary == nullptr || encoding.rotary->tables() == 1;
      const Heads heads(places(n_tokens, info->axes), places(n_tokens, info->axes), 4, shares_keys ? 2 : 4, 8);
      for (const Mask& mask : kMasks) {
        INFO(info->id << ", " << n_tokens << " tokens, mask " << static_cast<int>(mask.kind));
        check_same(encoding, heads, mask);
      }
    }
  }
}

TEST_CASE("attend_output: any lengths, widths and places", "[attention]") {
  const int n_queries = GENERATE(1, 3, 31, 32, 33, 65);
  const int n_keys = GENERATE(1, 2, 33, 100);
  const int head_dim = GENERATE(2, 6, 66);
  const char* id = GENERATE("rope", "alibi", "none");
  const Encoding encoding = make(spec(id, {.d_model = 2 * head_dim, .n_heads = 2, .head_dim = head_dim}));
  for (const double first : {0.0, 7.5, 40.0}) {
    const Heads heads(count(n_queries, first), count(n_keys), 2, 1, head_dim);
    for (const Mask& mask : kMasks) check_same(encoding, heads, mask);
  }
}

TEST_CASE("attend_output: keys and queries may be stored in any order", "[attention]") {
  const Encoding encoding = make(spec("t5_bias", {.d_model = 8, .n_heads = 2, .head_dim = 4}));
  Matrix<double> shuffled(40, 1);
  for (int token = 0; token < 40; ++token) shuffled(token, 0) = (token * 7) % 40;
  for (const Mask& mask : kMasks) {
    check_same(encoding, Heads(count(40), shuffled, 2, 2, 4), mask);
    check_same(encoding, Heads(shuffled, count(40), 2, 2, 4), mask);
    check_same(encoding, Heads(shuffled, shuffled, 2, 1, 4), mask);
  }
}

TEST_CASE("attend_output: a query that sees no key gets zeros", "[attention]") {
  const Encoding encoding = make(spec("rope", {.d_model = 4, .n_heads = 1, .head_dim = 4}));
  const Heads heads(count(2), count(3, 1.0), 1, 1, 4);
  const Matrix<float> output = output_of(encoding, heads.all({.kind = Mask::Kind::causal}));
  for (const float number : output.row(0)) CHECK(number == 0.0F);
  CHECK(std::vector(output.row(1).begin(), output.row(1).end()) ==
        std::vector(heads.v.row(0).begin(), heads.v.row(0).end()));
}

TEST_CASE("attend_output: no queries, no keys", "[attention]") {
  const Encoding encoding = make(spec("t5_bias", {.d_model = 4, .n_heads = 1, .head_dim = 4}));
  CHECK(output_of(encoding, Heads(count(0), count(3), 1, 1, 4).all({})).all().empty());
  const Heads heads(count(3), count(0), 1, 1, 4);
  Matrix<float> output = matrix(3, 4, std::vector<float>(12, 7.0F));
  attend_output(encoding, heads.all({}), output.view());
  for (const float number : output.all()) CHECK(number == 0.0F);
}

TEST_CASE("attend_output: the factor on the dots is the caller's", "[attention]") {
  const Encoding encoding = make(spec("rope", {.d_model = 4, .n_heads = 1, .head_dim = 4}));
  const Heads heads(count(9), count(9), 1, 1, 4);
  HeadsInput all = heads.all({});
  all.scale = 1.5F;
  HeadInput one = heads.one(0, {});
  one.scale = 1.5F;
  check_close<float, float>(output_of(encoding, all).all(), attend(encoding, one).output.all(), 2e-6);
}

TEST_CASE("attend_output: what does not fit is named", "[attention]") {
  const Encoding encoding = make(spec("alibi", {.d_model = 8, .n_heads = 2, .head_dim = 4}));
  const Heads heads(count(3), count(3), 2, 2, 4);
  Matrix<float> output(6, 4);
  const auto error = [&](auto change) {
    HeadsInput input = heads.all({});
    change(input);
    return error_of([&] { attend_output(encoding, input, output.view()); });
  };
  CHECK(error([](HeadsInput& input) { input.n_kv_heads = 3; }).field() == "k");
  CHECK(error([](HeadsInput& input) { input.n_heads = 3; }).code() == ErrorCode::shape_mismatch);
  CHECK(error([](HeadsInput& input) { input.mask = {.kind = Mask::Kind::window, .size = 0}; }).field() == "mask.size");
  const Matrix<float> huge = matrix(6, 4, std::vector<float>(24, 3e38F));
  CHECK(error([&](HeadsInput& input) { input.q = huge.view(); }).code() == ErrorCode::not_finite);
  const Encoding one_head = make(spec("alibi", {.d_model = 4, .n_heads = 1, .head_dim = 4}));
  CHECK(error_of([&] { attend_output(one_head, heads.all({}), output.view()); }).field() == "head");
}
