#include "golden.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

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

TEST_CASE("golden: FIRE, whatever is done with later keys", "[golden][fire]") {
  const bool symmetric = GENERATE(false, true);
  for (const json& c : golden_cases(symmetric ? "fire-arithmetic" : "fire-dape")) {
    INFO(c["name"]);
    const json& params = c["params"];
    Spec fire = one_channel_heads("fire", params["heads"],
                                  {{"form", std::string(symmetric ? "symmetric" : "causal")},
                                   {"threshold", params["L"].get<double>()},
                                   {"mlp_width", params["mlp_width"].get<double>()}});
    fire.weights = {params["c"].get<float>(), params["L_multiplier"].get<float>()};
    std::ranges::copy(joined(c["inputs"], {"w1", "b1", "w2", "b2"}), std::back_inserter(fire.weights));
    const Matrix<double> at = count(params["seq_len"]);
    check_heads(c["expected"]["bias"], biases(fire, at, at));
  }
}

TEST_CASE("golden: dynamic position bias as x-transformers has it", "[golden][dynamic_position_bias]") {
  for (const json& c : golden_cases("dynamic-position-bias")) {
    INFO(c["name"]);
    const json& params = c["params"];
    Spec dynamic = one_channel_heads("dynamic_position_bias", params["heads"],
                                     {{"log_distance", params["log_distance"].get<bool>()},
                                      {"mlp_width", params["dim"].get<double>()},
                                      {"depth", params["depth"].get<double>()}});
    dynamic.weights = joined(c["inputs"], {"mlp.0.0.weight", "mlp.0.0.bias", "mlp.1.0.weight", "mlp.1.0.bias",
                                           "mlp.2.weight", "mlp.2.bias"});
    const int queries = params["query_length"];
    const int keys = params["key_length"];
    check_heads(c["expected"]["bias"], biases(dynamic, count(queries, keys - queries), count(keys)));
  }
}

namespace {

/// Patches of a window, row by row.
Matrix<double> window(int height, int width) {
  Matrix<double> at(height * width, 2);
  for (int patch = 0; patch < at.rows(); ++patch) {
    at(patch, 0) = patch / width;
    at(patch, 1) = patch % width;
  }
  return at;
}

}  // namespace

TEST_CASE("golden: Swin's table and index as Hugging Face has them", "[golden][swin]") {
  for (const json& c : golden_cases("swin-hf")) {
    INFO(c["name"]);
    const double height = c["params"]["window"][0];
    const double width = c["params"]["window"][1];
    Spec swin =
        one_channel_heads("swin_bias", c["params"]["heads"], {{"window_height", height}, {"window_width", width}});
    const Matrix<double> at = window(static_cast<int>(height), static_cast<int>(width));
    swin.weights = joined(c["inputs"], {"table"});
    if (c["expected"].contains("bias")) check_heads(c["expected"]["bias"], biases(swin, at, at), 0.0);
    for (std::size_t i = 0; i < swin.weights.size(); ++i) {
      swin.weights[i] = static_cast<float>(i / static_cast<std::size_t>(swin.dims.n_heads));
    }
    check_close(biases(swin, at, at).front().all(), c["expected"]["index"], 0.0);
  }
}

TEST_CASE("golden: Swin v2's network as Hugging Face has it", "[golden][swin]") {
  for (const json& c : golden_cases("swinv2-hf")) {
    INFO(c["name"]);
    const json& params = c["params"];
    const double height = params["window"][0];
    const double width = params["window"][1];
    Spec swin = one_channel_heads("swin_v2_bias", params["heads"],
                                  {{"window_height", height},
                                   {"window_width", width},
                                   {"pretrained_height", params["pretrained_window"][0].get<double>()},
                                   {"pretrained_width", params["pretrained_window"][1].get<double>()}});
    const Matrix<double> at = window(static_cast<int>(height), static_cast<int>(width));
    if (c["expected"].contains("bias")) {
      swin.params["mlp_width"] = params["mlp_hidden"].get<double>();
      swin.weights = joined(c["inputs"], {"w1", "b1", "w2"});
      check_heads(c["expected"]["bias"], biases(swin, at, at));
    }
    // One coordinate at a time, through a network that does nothing but shift it: sigmoid and 16 are undone here.
    const std::vector<double> coordinates = numbers(c["expected"]["coords_table"]);
    const std::vector<double> index = numbers(c["expected"]["index"]);
    swin.params["mlp_width"] = 1.0;
    swin.dims.n_heads = 1;
    for (const std::size_t axis : {0U, 1U}) {
      swin.weights = {axis == 0 ? 1.0F : 0.0F, axis == 1 ? 1.0F : 0.0F, 2.0F, 1.0F};
      const Matrix<float> bias = biases(swin, at, at).front();
      for (std::size_t pair = 0; pair < index.size(); ++pair) {
        const double gate = static_cast<double>(bias.all()[pair]) / 16.0;
        const double coordinate = std::log(gate / (1.0 - gate)) - 2.0;
        // Undoing the sigmoid near 1 magnifies its rounding about twentyfold.
        REQUIRE(std::abs(coordinate - coordinates[2 * static_cast<std::size_t>(index[pair]) + axis]) <= 1e-5);
      }
    }
  }
}

TEST_CASE("golden: CoPE, masked or closed above the diagonal", "[golden][cope]") {
  const bool by_mask = GENERATE(false, true);
  for (const json& c : golden_cases(by_mask ? "cope-x-transformers" : "cope-dape")) {
    INFO(c["name"]);
    Spec cope = spec("cope", dims_of(c),
                     {{"gates", std::string(by_mask ? "visible" : "up_to_query")},
                      {"max_position", c["params"]["npos_max"].get<double>()}});
    cope.weights = joined(c["inputs"], {"pos_emb"});
    const Matrix<double> at = positions_of(c);
    check_attention(c, cope, at, at);
    if (!by_mask) continue;
    for (std::size_t head = 0; head < c["expected"]["bias"].size(); ++head) {
      const Matrix<float> q = golden_matrix(c["inputs"]["q"][head]);
      const Matrix<float> k = golden_matrix(c["inputs"]["k"][head]);
      const HeadInput input{.q = q.view(),
                            .k = k.view(),
                            .v = {},
                            .q_positions = at.view(),
                            .k_positions = at.view(),
                            .mask = {.kind = Mask::Kind::causal},
                            .head = static_cast<int>(head),
                            .scale = c["params"]["softmax_scale"].get<float>()};
      check_close(attend(make(cope), input).bias.all(), c["expected"]["bias"][head], kLogits);
    }
  }
}
