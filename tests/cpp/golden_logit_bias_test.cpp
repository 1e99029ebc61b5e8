#include "golden.hpp"

#include <bit>
#include <cstdint>

#include <catch2/catch_test_macros.hpp>

using namespace posenc;
using namespace posenc::test;

namespace {

Spec one_channel_heads(const char* encoding, int n_heads, decltype(Spec::params) params) {
  return spec(encoding, {.d_model = n_heads, .n_heads = n_heads, .head_dim = 1}, std::move(params));
}

/// The named inputs of a case, one after the other.
std::vector<float> joined(const json& inputs, std::initializer_list<const char*> names) {
  std::vector<float> all;
  for (const char* name : names) {
    for (const double number : numbers(inputs[name])) all.push_back(static_cast<float>(number));
  }
  return all;
}

void check_heads(const json& expected, const std::vector<Matrix<float>>& heads, double tolerance = kLogits) {
  REQUIRE(heads.size() == expected.size());
  for (std::size_t head = 0; head < heads.size(); ++head) {
    INFO("head " << head);
    check_close(heads[head].all(), expected[head], tolerance);
  }
}

/// The bias on top of given logits: q . k = logits, because k is the identity.
void check_on_logits(const json& c, const Spec& spec, const Matrix<double>& at) {
  const int tokens = at.rows();
  Matrix<float> identity(tokens, tokens);
  for (int i = 0; i < tokens; ++i) identity(i, i) = 1.0F;
  for (std::size_t head = 0; head < c["inputs"]["logits_in"].size(); ++head) {
    const Matrix<float> logits = golden_matrix(c["inputs"]["logits_in"][head]);
    HeadInput input{.q = logits.view(),
                    .k = identity.view(),
                    .v = {},
                    .q_positions = at.view(),
                    .k_positions = at.view(),
                    .mask = {},
                    .head = static_cast<int>(head),
                    .scale = 1.0F};
    check_close(attend(make(spec), input).logits.all(), c["expected"]["logits"][head], kLogits);
    input.mask = {.kind = Mask::Kind::causal};
    check_close(attend(make(spec), input).weights.all(), c["expected"]["softmax_causal"][head], kLogits);
  }
}

float to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0x7fffU + ((bits >> 16U) & 1U)) & 0xffff0000U);
}

}  // namespace

TEST_CASE("golden: alibi as Falcon has it, to the bit of bfloat16", "[golden][alibi]") {
  for (const json& c : golden_cases("alibi-falcon")) {
    INFO(c["name"]);
    const int n_heads = c["params"]["heads"];
    const Spec falcon = one_channel_heads("alibi", n_heads, {{"form", std::string("falcon")}});
    const Matrix<double> keys = count(c["params"]["seq_len"]);
    const std::vector<Matrix<float>> heads = biases(falcon, positions({0}), keys);
    Spec wide = falcon;
    wide.dims.head_dim = 16;
    const std::vector<Matrix<float>> scaled = biases(wide, positions({0}), keys);
    for (std::size_t head = 0; head < heads.size(); ++head) {
      check_close(heads[head].all(), c["expected"]["alibi"][head], 0.0);
      for (std::size_t key = 0; key < heads[head].all().size(); ++key) {
        CHECK(to_bfloat16(heads[head].all()[key]) == heads[head].all()[key]);
        CHECK(scaled[head].all()[key] == heads[head].all()[key] / 4.0F);
      }
    }
  }
}

TEST_CASE("golden: the logits of BLOOM, with the bias by key", "[golden][alibi]") {
  for (const json& c : golden_cases("alibi-bloom")) {
    if (!c["expected"].contains("logits")) continue;
    INFO(c["name"]);
    check_attention(c, spec("alibi", dims_of(c), {{"form", std::string("key_index")}}), positions_of(c),
                    positions_of(c));
  }
}

TEST_CASE("golden: KERPLE as its authors have it", "[golden][kerple]") {
  for (const json& c : golden_cases("kerple-original")) {
    INFO(c["name"]);
    const std::string kind = c["params"]["kind"];
    const bool log = kind == "log";
    Spec kerple =
        one_channel_heads(log ? "kerple_log" : "kerple_power", c["params"]["heads"], {{"form", std::string("causal")}});
    if (kind == "power_a_n") kerple.params["convention"] = std::string("linear");
    kerple.weights = kind == "power_a_n" ? joined(c["inputs"], {"bias_a"}) : joined(c["inputs"], {"bias_a", "bias_p"});
    const Matrix<double> at = count(c["params"]["seq_len"]);
    check_heads(c["expected"]["bias_on_zero_logits"], biases(kerple, at, at));
    // power_ap_ap multiplies the logits too, which no bias can do: only its bias is compared.
    if (c["inputs"].contains("logits_in") && kind != "power_ap_ap") check_on_logits(c, kerple, at);
  }
}

TEST_CASE("golden: KERPLE as NeMo has it", "[golden][kerple]") {
  for (const json& c : golden_cases("kerple-nemo")) {
    INFO(c["name"]);
    Spec kerple = one_channel_heads("kerple_log", c["params"]["heads"],
                                    {{"convention", std::string("nemo")}, {"form", std::string("causal")}});
    kerple.weights = joined(c["inputs"], {"a", "p", "b"});
    const Matrix<double> at = count(c["params"]["seq_len"]);
    check_heads(c["expected"]["bias"], biases(kerple, at, at));
  }
}

TEST_CASE("golden: Sandwich as NeMo has it", "[golden][sandwich]") {
  for (const json& c : golden_cases("sandwich-nemo")) {
    INFO(c["name"]);
    const bool bidirectional = c["params"]["bidirectional"];
    const Spec sandwich = one_channel_heads("sandwich", c["params"]["heads"],
                                            {{"form", std::string(bidirectional ? "symmetric" : "causal")},
                                             {"width", c["params"]["hidden_size"].get<double>()}});
    const Matrix<double> at = count(c["params"]["seq_len"]);
    check_heads(c["expected"]["bias"], biases(sandwich, at, at));
  }
}
