#include "posenc/rope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

using Params = decltype(Spec::params);
using Words = std::vector<std::string>;

const Words kTomJerry{"Tom", "chased", "Jerry"};

Spec rope(int head_dim, Params params) {
  return spec("rope", {.d_model = head_dim, .n_heads = 1, .head_dim = head_dim}, std::move(params));
}

RotaryFrequencies frequencies(const Spec& spec, double seq_len = 0.0) {
  return make(spec).rotary->frequencies(seq_len);
}

void check_inv_freq(const Spec& spec, const std::vector<double>& expected, double seq_len = 0.0) {
  const std::vector<double> got = frequencies(spec, seq_len).inv_freq;
  REQUIRE(got.size() == expected.size());
  for (std::size_t pair = 0; pair < got.size(); ++pair) {
    INFO("pair " << pair << ": got " << got[pair] << ", expected " << expected[pair]);
    CHECK(std::abs(got[pair] - expected[pair]) <= 1e-6 * expected[pair]);  // expected has 6 digits or more
  }
}

Matrix<float> cos_of(const Spec& spec, const Matrix<double>& at, double seq_len = 0.0) {
  const Encoding encoding = make(spec);
  Matrix<float> cos(at.rows(), encoding.rotary->rotary_dim() / 2);
  Matrix<float> sin = cos;
  encoding.rotary->cos_sin({.positions = at.view(), .seq_len = seq_len}, cos.view(), sin.view());
  return cos;
}

Error refused(const Params& params) {
  return error_of([&] { static_cast<void>(make(rope(16, params))); });
}

std::vector<float> weights(Params params, const Words& words) {
  const HeadAttention result = attend_words(spec("rope", {}, std::move(params)), {}, words);
  return {result.weights.all().begin(), result.weights.all().end()};
}

const Params kPhi{{"scaling", "longrope"},
                  {"original_max_position", 16.0},
                  {"max_position", 128.0},
                  {"short_factor", std::vector{1.0, 1.0, 1.0, 1.0}},
                  {"long_factor", std::vector{1.0, 2.0, 4.0, 8.0}}};

}  // namespace

// ---- what the papers state -----------------------------------------------------------------------------------------

TEST_CASE("rope scaling: interpolation by f at f times the position is the plain rotation", "[rope]") {
  const double factor = GENERATE(0.5, 2.0, 8.0);
  const Matrix<double> at = positions({0, 1, 5, 100, 4095});
  Matrix<double> stretched = at;
  for (double& position : stretched.all()) position *= factor;
  const Spec linear = rope(16, {{"scaling", "linear"}, {"factor", factor}});
  // A power of two: not even the last bit differs.
  check_close<float, float>(cos_of(linear, stretched).all(), cos_of(rope(16, {}), at).all(), 0.0);
}

TEST_CASE("rope scaling: NTK leaves pair 0 alone and slows the last one down by the factor", "[rope]") {
  const double factor = GENERATE(0.5, 4.0, 32.0);
  const std::vector<double> plain = frequencies(rope(16, {})).inv_freq;
  const std::vector<double> ntk = frequencies(rope(16, {{"scaling", "ntk"}, {"factor", factor}})).inv_freq;
  CHECK(ntk.front() == plain.front());
  CHECK(std::abs(ntk.back() * factor / plain.back() - 1.0) < 1e-12);
  CHECK(frequencies(rope(2, {{"scaling", "ntk"}})).inv_freq == std::vector{1.0});
}

TEST_CASE("rope scaling: YaRN keeps fast pairs to the bit and interpolates slow ones", "[rope]") {
  const std::vector<double> plain = frequencies(rope(64, {})).inv_freq;
  const std::vector<double> yarn = frequencies(rope(64, {{"scaling", "yarn"}, {"factor", 4.0}})).inv_freq;
  for (std::size_t pair = 0; pair < plain.size(); ++pair) {
    INFO("pair " << pair);
    const double rotations = 2048.0 * plain[pair] / (2.0 * std::numbers::pi);
    // The edges are rounded outwards to whole pairs: one pair beyond each is certain.
    const double step = plain[0] / plain[1];
    if (rotations > 32.0 * step) CHECK(yarn[pair] == plain[pair]);
    if (rotations < 1.0 / step) CHECK(yarn[pair] == plain[pair] / 4.0);
    CHECK(yarn[pair] <= plain[pair]);
    CHECK(yarn[pair] >= plain[pair] / 4.0);
  }
}

TEST_CASE("rope scaling: Llama 3 keeps fast pairs, interpolates slow ones, and has no magnitude", "[rope]") {
  const std::vector<double> plain = frequencies(rope(64, {})).inv_freq;
  const Spec llama = rope(64, {{"scaling", "llama3"}, {"factor", 8.0}});
  const RotaryFrequencies scaled = frequencies(llama);
  CHECK(scaled.attention_factor == 1.0);
  for (std::size_t pair = 0; pair < plain.size(); ++pair) {
    const double rotations = 2048.0 * plain[pair] / (2.0 * std::numbers::pi);
    if (rotations > 4.0) CHECK(scaled.inv_freq[pair] == plain[pair]);
    if (rotations < 1.0) CHECK(scaled.inv_freq[pair] == plain[pair] / 8.0);
  }
  const Spec hard = rope(64, {{"scaling", "llama3"}, {"low_freq_factor", 4.0}, {"high_freq_factor", 4.0}});
  for (const double frequency : frequencies(hard).inv_freq) CHECK(std::isfinite(frequency));
}

TEST_CASE("rope scaling: longer windows never speed a pair up", "[rope]") {
  const char* scaling = GENERATE("linear", "ntk", "dynamic", "ntk_by_parts", "yarn", "yarn_deepseek", "llama3");
  INFO(scaling);
  const std::vector<double> plain = frequencies(rope(32, {})).inv_freq;
  const std::vector<double> scaled = frequencies(rope(32, {{"scaling", scaling}, {"factor", 8.0}}), 10000.0).inv_freq;
  for (std::size_t pair = 0; pair < plain.size(); ++pair) CHECK(scaled[pair] <= plain[pair]);
  CHECK(scaled.back() < plain.back());
}

TEST_CASE("rope scaling: factor 1 changes no frequency and no magnitude", "[rope]") {
  const char* scaling = GENERATE("linear", "ntk", "ntk_by_parts", "yarn", "yarn_deepseek", "longrope", "llama3");
  INFO(scaling);
  const RotaryFrequencies plain = frequencies(rope(16, {}));
  const RotaryFrequencies scaled = frequencies(rope(16, {{"scaling", scaling}, {"factor", 1.0}}), 5000.0);
  for (std::size_t pair = 0; pair < plain.inv_freq.size(); ++pair) {
    CHECK(std::abs(scaled.inv_freq[pair] / plain.inv_freq[pair] - 1.0) < 1e-12);
  }
  CHECK(scaled.attention_factor == 1.0);
}

TEST_CASE("rope scaling: only offsets matter, to the bit, where the length does not", "[rope]") {
  const char* scaling = GENERATE("linear", "ntk", "yarn", "yarn_deepseek", "yarn_ggml", "llama3");
  INFO(scaling);
  const Spec scaled = spec("rope", {}, {{"scaling", scaling}});
  const HeadAttention from_zero = attend_words(scaled, {}, kTomJerry);
  const HeadAttention shifted = attend_words(scaled, {.offset = 1000.0}, kTomJerry);
  check_close<float, float>(shifted.weights.all(), from_zero.weights.all(), 0.0);
}

// ---- reports of users: the right values ----------------------------------------------------------------------------

TEST_CASE("rope scaling: an explicit attention factor replaces YaRN's own", "[rope]") {
  Params yarn{{"scaling", "yarn"}, {"factor", 4.0}};
  check_inv_freq(rope(8, yarn), {1, 0.1, 0.00625, 0.00025});
  CHECK(std::abs(frequencies(rope(8, yarn)).attention_factor - 1.138629) < 1e-6);
  yarn["attention_factor"] = 1.0;
  check_inv_freq(rope(8, yarn), {1, 0.1, 0.00625, 0.00025});
  CHECK(frequencies(rope(8, yarn)).attention_factor == 1.0);
  yarn["factor"] = 128.0;
  yarn["attention_factor"] = 1.485203;
  CHECK(frequencies(rope(8, yarn)).attention_factor == 1.485203);  // not squared
}

TEST_CASE("rope scaling: the factor that is given is the factor that is used", "[rope]") {
  const Spec yarn = rope(8, {{"scaling", "yarn"}, {"factor", 4.0}, {"original_max_position", 2048.0}});
  check_inv_freq(yarn, {1, 0.1, 0.00625, 0.00025});
  // What 2560 / 2048 in its place would give.
  const RotaryFrequencies implicit = frequencies(rope(8, {{"scaling", "yarn"}, {"factor", 1.25}}));
  CHECK(std::abs(implicit.attention_factor - 1.022314) < 1e-6);
  CHECK(std::abs(implicit.inv_freq.back() - 0.0008) < 1e-12);
}

TEST_CASE("rope scaling: YaRN is active at every length, dynamic NTK beyond its window only", "[rope]") {
  const std::vector<float> plain = weights({}, kTomJerry);
  CHECK(weights({{"scaling", "yarn"}, {"factor", 4.0}}, kTomJerry) != plain);
  const Params dynamic{{"scaling", "dynamic"}, {"factor", 4.0}, {"original_max_position", 16.0}};
  CHECK(weights(dynamic, kTomJerry) == plain);
  const double magnitude = frequencies(rope(8, {{"scaling", "yarn"}, {"factor", 4.0}})).attention_factor;
  CHECK(std::abs(magnitude * magnitude - 1.296477) < 1e-6);
}

TEST_CASE("rope scaling: dynamic NTK grows with the length and shrinks back", "[rope]") {
  const Params params{{"scaling", "dynamic"}, {"factor", 2.0}, {"original_max_position", 16.0}};
  const Spec dynamic = rope(8, params);
  CHECK(std::abs(dynamic_ntk_theta(10000, 2, 16, 17, 8) - 11700.47) < 0.01);
  CHECK(std::abs(dynamic_ntk_theta(10000, 2, 16, 32, 8) - 43267.49) < 0.01);
  CHECK(dynamic_ntk_theta(10000, 2, 16, 16, 8) == 10000.0);
  check_inv_freq(dynamic, {1, 0.1, 0.01, 0.001}, 16);
  check_inv_freq(dynamic, {1, 0.0961500, 0.0092448240, 0.00088888889}, 17);
  check_inv_freq(dynamic, {1, 0.0693361274, 0.00480749857, 0.000333333333}, 32);

  Words words;
  for (int i = 0; i < 32; ++i) words.push_back("word" + std::to_string(i));
  const Words few(words.begin(), words.begin() + 8);
  const std::vector<float> before = weights(params, few);
  CHECK(weights(params, words) != weights({}, words));
  CHECK(weights(params, few) == before);
  CHECK(before == weights({}, few));
}

TEST_CASE("rope scaling: q and k turn with one base, the one of the longer side", "[rope]") {
  // One query far out, keys near: without one length for both, k would turn as in a short sequence.
  const Spec dynamic = rope(8, {{"scaling", "dynamic"}, {"factor", 2.0}, {"original_max_position", 16.0}});
  const Matrix<float> q = random_matrix(1, 8, 1);
  const Matrix<float> k = random_matrix(2, 8, 2);
  const Matrix<double> q_at = positions({31});
  const Matrix<double> k_at = positions({0, 1});
  const Encoding encoding = make(dynamic);
  const HeadInput input{
      .q = q.view(), .k = k.view(), .v = {}, .q_positions = q_at.view(), .k_positions = k_at.view(), .mask = {}};
  const Spec grown = rope(8, {{"theta", dynamic_ntk_theta(10000, 2, 16, 32, 8)}});
  check_close<float, float>(attend(encoding, input).logits.all(), attend(make(grown), input).logits.all(), 1e-6);
}

TEST_CASE("rope scaling: longrope changes lists at the window plus one, for all positions at once", "[rope]") {
  const Spec phi = rope(8, kPhi);
  check_inv_freq(phi, {1, 0.1, 0.01, 0.001}, 16);
  check_inv_freq(phi, {1, 0.05, 0.0025, 0.000125}, 17);
  CHECK(std::abs(frequencies(phi, 16).attention_factor - 1.322876) < 1e-6);
  CHECK(frequencies(phi, 17).attention_factor == frequencies(phi, 16).attention_factor);
  const Matrix<double> at = positions({3});
  CHECK(cos_of(phi, at, 16)(0, 3) != cos_of(phi, at, 17)(0, 3));
  Params by_factor = kPhi;
  by_factor.erase("max_position");
  by_factor["factor"] = 8.0;
  CHECK(frequencies(rope(8, by_factor)).attention_factor == frequencies(phi).attention_factor);
}

TEST_CASE("rope scaling: theta reaches the angles", "[rope]") {
  CHECK(std::abs(1000.0 * frequencies(rope(128, {{"theta", 5e5}})).inv_freq[32] - 1.41421356) < 1e-8);
  CHECK(std::abs(1000.0 * frequencies(rope(128, {})).inv_freq[32] - 10.0) < 1e-12);
}

TEST_CASE("rope scaling: a partial rotation counts in its own width, or in the head's", "[rope]") {
  check_inv_freq(rope(8, {{"rotary_dim", 4.0}}), {1, 0.01});
  const Spec proportional = rope(8, {{"rotary_dim", 4.0}, {"partial", "proportional"}});
  CHECK(frequencies(proportional).inv_freq[2] == 0.0);
  CHECK(std::abs(frequencies(proportional).inv_freq[1] - 0.1) < 1e-15);
  // Channels 1 and 5 are a pair that turns; 2, 3, 6, 7 stand still.
  Matrix<float> x = matrix(1, 8, std::vector<float>(8, 1.0F));
  const Matrix<double> at = positions({100});
  rotate(*make(proportional).rotary, {.positions = at.view()}, x.view());
  for (const int channel : {2, 3, 6, 7}) CHECK(x(0, channel) == 1.0F);
  CHECK(std::abs(x(0, 1) - static_cast<float>(std::cos(10.0) - std::sin(10.0))) < 1e-6F);
}

TEST_CASE("rope scaling: without scaling positions count once; linear and NTK differ at pair 0", "[rope]") {
  CHECK(frequencies(rope(16, {})).inv_freq[0] == 1.0);
  CHECK(frequencies(rope(16, {{"scaling", "linear"}, {"factor", 4.0}})).inv_freq[0] == 0.25);
  CHECK(frequencies(rope(16, {{"scaling", "ntk"}, {"factor", 4.0}})).inv_freq[0] == 1.0);
  const std::vector<float> linear = weights({{"scaling", "linear"}, {"factor", 4.0}}, kTomJerry);
  CHECK(linear != weights({}, kTomJerry));
  CHECK(linear != weights({{"scaling", "ntk"}, {"factor", 4.0}}, kTomJerry));
}

// ---- conventions ---------------------------------------------------------------------------------------------------

TEST_CASE("rope scaling: DeepSeek's magnitude is on the logit, and both homes give the same logits", "[rope]") {
  const Params shared{{"factor", 40.0}, {"original_max_position", 4096.0}};
  Params yarn = shared;
  yarn["scaling"] = "yarn";
  Params deepseek = shared;
  deepseek["scaling"] = "yarn_deepseek";
  const Encoding encoding = make(rope(16, deepseek));
  CHECK(encoding.rotary->frequencies(0).attention_factor == 1.0);
  CHECK(std::abs(encoding.rotary->logit_factor() - 1.87385) < 1e-5);
  CHECK(make(rope(16, yarn)).rotary->logit_factor() == 1.0);
  const std::vector<float> on_logit = weights(deepseek, kTomJerry);
  const std::vector<float> on_cos = weights(yarn, kTomJerry);
  check_close<float, float>(on_logit, on_cos, 1e-6);
  deepseek["mscale"] = 0.0;
  CHECK(make(rope(16, deepseek)).rotary->logit_factor() == 1.0);
  CHECK(make(rope(16, deepseek)).rotary->frequencies(0).attention_factor == 1.0);
}

TEST_CASE("rope scaling: DeepSeek's own code scales only where the window is extended", "[rope]") {
  const Params params{
      {"scaling", "yarn_deepseek"}, {"factor", 40.0}, {"original_max_position", 4096.0}, {"max_position", 4096.0}};
  const Encoding encoding = make(rope(16, params));
  CHECK(encoding.rotary->logit_factor() == 1.0);
  CHECK(encoding.rotary->frequencies(0).inv_freq == frequencies(rope(16, {})).inv_freq);
}

TEST_CASE("rope scaling: ggml without extrapolation is linear, and its magnitude has no guard", "[rope]") {
  const RotaryFrequencies linear = frequencies(rope(16, {{"scaling", "linear"}, {"factor", 4.0}}));
  const RotaryFrequencies ggml = frequencies(rope(16, {{"scaling", "yarn_ggml"}, {"ext_factor", 0.0}}));
  CHECK(ggml.inv_freq == linear.inv_freq);
  CHECK(ggml.attention_factor == 1.0);
  CHECK(ggml_attention_factor(2.0, 1.0, 1.0) < 1.0);
  CHECK(yarn_magnitude(0.5) == 1.0);
}

TEST_CASE("rope scaling: in a window so small that YaRN's edges cross, only pair 0 is fast", "[rope]") {
  const Spec tiny = rope(8, {{"scaling", "yarn"}, {"factor", 4.0}, {"original_max_position", 4.0}});
  check_inv_freq(tiny, {1, 0.025, 0.0025, 0.00025});
}

// ---- bad input -----------------------------------------------------------------------------------------------------

TEST_CASE("rope scaling: a factor that is no factor is refused, a small one is computed", "[rope]") {
  CHECK(refused({{"scaling", "yarn"}, {"factor", 0.0}}).code() == ErrorCode::out_of_range);
  CHECK(refused({{"scaling", "linear"}, {"factor", -2.0}}).code() == ErrorCode::out_of_range);
  CHECK(refused({{"scaling", "ntk"}, {"factor", std::numeric_limits<double>::quiet_NaN()}}).code() ==
        ErrorCode::not_finite);
  const char* scaling =
      GENERATE("linear", "ntk", "dynamic", "ntk_by_parts", "yarn", "yarn_deepseek", "longrope", "llama3");
  INFO(scaling);
  for (const double frequency : frequencies(rope(16, {{"scaling", scaling}, {"factor", 0.5}}), 4096).inv_freq) {
    CHECK((std::isfinite(frequency) && frequency > 0.0));
  }
}

TEST_CASE("rope scaling: what has no meaning without its scaling is refused", "[rope]") {
  const Error error = refused({{"factor", 2.0}});
  CHECK(error.code() == ErrorCode::unknown_param);
  CHECK(error.field() == "factor");
  CHECK(refused({{"scaling", "ntk"}, {"beta_fast", 2.0}}).field() == "beta_fast");
}

TEST_CASE("rope scaling: an unknown scaling is refused with the names that exist", "[rope]") {
  const Error error = refused({{"scaling", "extended"}});
  CHECK(error.field() == "scaling");
  CHECK(error.rule().find("linear, ntk, dynamic") != std::string::npos);
}

TEST_CASE("rope scaling: rules between parameters", "[rope]") {
  CHECK(refused({{"scaling", "yarn"}, {"beta_fast", 1.0}, {"beta_slow", 2.0}}).field() == "beta_fast");
  CHECK(refused({{"scaling", "llama3"}, {"high_freq_factor", 0.5}}).field() == "high_freq_factor");
  CHECK(refused({{"scaling", "yarn"}, {"theta", 1.0}}).field() == "theta");
  const Error list = refused({{"scaling", "longrope"}, {"long_factor", std::vector{1.0, 2.0}}});
  CHECK(std::string(list.what()) == "rope: long_factor must have 8 numbers (rotary_dim / 2), or none, got 2");
  CHECK(refused({{"scaling", "longrope"}, {"short_factor", std::vector(8, 0.0)}}).code() == ErrorCode::out_of_range);
  const Error odd = error_of([] {
    static_cast<void>(make(rope(5, {{"rotary_dim", 4.0}, {"partial", "proportional"}})));
  });
  CHECK(odd.field() == "dims.head_dim");
}

TEST_CASE("rope scaling: positions whose angles leave the exact range are refused", "[rope]") {
  const Spec fast = rope(16, {{"scaling", "linear"}, {"factor", 0.1}});
  CHECK_NOTHROW(cos_of(fast, positions({9e7})));
  const Error error = error_of([&] { static_cast<void>(cos_of(fast, positions({2e8}))); });
  CHECK(error.code() == ErrorCode::position_out_of_range);
  CHECK_NOTHROW(cos_of(rope(16, {}), positions({1e9, -1e9})));
}

TEST_CASE("rope scaling: lengths that are none are refused", "[rope]") {
  CHECK(error_of([] { validate_seq_len(-1.0); }).field() == "seq_len");
  CHECK(error_of([] { validate_seq_len(std::nan("")); }).code() == ErrorCode::not_finite);
  CHECK_NOTHROW(validate_seq_len(0.0));
  CHECK_NOTHROW(validate_seq_len(kMaxPosition + 1.0));
}
