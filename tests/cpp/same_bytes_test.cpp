#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "fingerprint.hpp"
#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

// One fingerprint for every build: native, native without SIMD, WebAssembly. A build that rounds otherwise, for example
// by fusing multiply and add or by another libm, cannot pass.

namespace {

/// Places near one another on every axis, as a window of a picture has them.
Matrix<double> grid(int axes) {
  Matrix<double> at(7, axes);
  for (int token = 0; token < at.rows(); ++token) {
    for (int axis = 0; axis < axes; ++axis) at(token, axis) = (token * (axis + 2)) % 7;
  }
  return at;
}

void add_seams(const Spec& of_info, Fingerprint& print) {
  const EncodingInfo& info = find_encoding(of_info.encoding);
  const Encoding encoding = make(of_info);
  const Matrix<double> at = info.axes == 1 ? positions({0, 1, 2, 7, 100, 333, 511}) : grid(info.axes);
  const Matrix<float> q = random_matrix(at.rows(), of_info.dims.head_dim, 1);
  const Matrix<float> k = random_matrix(at.rows(), of_info.dims.head_dim, 2);
  Matrix<float> wide(at.rows(), of_info.dims.d_model);
  Matrix<float> square(at.rows(), at.rows());
  if (encoding.input != nullptr) {
    encoding.input->rows(at.view(), wide.view());
    print.add(wide.all());
  }
  if (encoding.rotary != nullptr) {
    Matrix<float> cos(encoding.rotary->tables() * at.rows(), encoding.rotary->rotary_dim() / 2);
    Matrix<float> sin = cos;
    encoding.rotary->cos_sin({.positions = at.view(), .seq_len = length_of(at.view())}, cos.view(), sin.view());
    print.add(cos.all());
    print.add(sin.all());
  }
  if (encoding.bias != nullptr) {
    const Matrix<float> logits = random_matrix(at.rows(), at.rows(), 2);
    encoding.bias->bias({at.view(), at.view(), 1, q.view(), logits.view()}, square.view());
    print.add(square.all());
  }
  if (encoding.relative != nullptr) {
    encoding.relative->add_to_dots({q.view(), k.view(), at.view(), at.view(), 1}, square.view());
    print.add(square.all());
  }
}

std::uint64_t fingerprint_of(const EncodingInfo& info) {
  Fingerprint print;
  add_seams(spec(std::string(info.id)), print);
  const std::vector<std::string> a{"yesterday", "Tom", "chased", "Jerry", "and", "Tom", "ran"};
  const std::vector<std::string> b{"Tom", "ran", "and", "yesterday", "Jerry", "chased", "Tom"};
  for (const Mask::Kind kind : {Mask::Kind::none, Mask::Kind::causal}) {
    const Comparison result = compare(spec(std::string(info.id)), {.mask = {.kind = kind}}, a, b);
    print.add(result.a.weights.all());
    print.add(result.b_in_a.all());
    print.add(result.b.output.all());
  }
  return print.value();
}

struct Expected {
  const char* id;
  std::uint64_t fingerprint;
};

constexpr Expected kExpected[] = {
    {"none", 0x3878b99c15aa2c0c},           {"sinusoidal", 0xad76d371becc61f},
    {"learned", 0x1d5dd9bfb962a497},        {"sincos2d", 0xc6917d79f069c7eb},
    {"rope", 0x2fef108bacb0fb04},           {"xpos", 0x99c945f6d7911d16},
    {"mrope", 0xcdfb87b24a24aedb},          {"rope_2d", 0x6c6ad549ed602d0d},
    {"rope_mixed", 0xf770a1c880222ba},      {"alibi", 0xedc9e0be2cd8b73c},
    {"t5_bias", 0x8d72ff1e761ebb54},        {"kerple_log", 0xb9f7d3d84d054823},
    {"kerple_power", 0x2e59997ad29618b5},   {"sandwich", 0xd78b41affdb2b6f7},
    {"fire", 0x769369667b093083},           {"dynamic_position_bias", 0x3bb5f03ba609ee31},
    {"swin_bias", 0x7eb14097645f8294},      {"swin_v2_bias", 0xf51a3ae6d2f225f0},
    {"cope", 0xf7f9c19caf5bb43a},           {"shaw", 0xd022341d7565cb10},
    {"transformer_xl", 0x53588c1dacadb30e}, {"xlnet", 0x73621722f8c322be},
    {"deberta", 0x61a5cc56a8e75d06},
};

}  // namespace

TEST_CASE("the same bytes in every build", "[bytes]") {
  REQUIRE(std::size(kExpected) == encodings().size());
  for (const Expected& expected : kExpected) {
    INFO(expected.id);
    CHECK(fingerprint_of(find_encoding(expected.id)) == expected.fingerprint);
  }
}

TEST_CASE("the same bytes in every build: rope scalings beyond their window", "[bytes]") {
  const auto& fields = find_encoding("rope").fields;
  const FieldInfo& scaling = *std::ranges::find(fields, "scaling", &FieldInfo::name);
  const FieldInfo& window = *std::ranges::find(fields, "original_max_position", &FieldInfo::name);
  Fingerprint print;
  for (const Choice& choice : scaling.choices) {
    Spec scaled = spec("rope", {}, {{"scaling", std::string(choice.id)}});
    if (allows(window.only_with, choice.id)) scaled.params["original_max_position"] = 128.0;
    add_seams(scaled, print);
  }
  CHECK(print.value() == 0x7fb83ae3b5aa5e3c);
}
