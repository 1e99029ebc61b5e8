#include "golden.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace posenc;
using namespace posenc::test;

namespace {

Spec alibi(const json& c, const char* form, double bias_max = 8.0) {
  const int n_heads = c["params"]["heads"];
  return spec("alibi", {.d_model = n_heads, .n_heads = n_heads, .head_dim = 1},
              {{"form", std::string(form)}, {"bias_max", bias_max}});
}

/// The slope is minus the bias of the word before.
void check_slopes(const json& c, const Spec& spec) {
  INFO(c["name"]);
  const std::vector<Matrix<float>> heads = biases(spec, positions({1}), positions({0}));
  const std::vector<double> expected = numbers(c["expected"]["slopes"]);
  REQUIRE(heads.size() == expected.size());
  for (std::size_t head = 0; head < heads.size(); ++head) {
    // Slopes of 112 heads go down to 1/256 of 1: the tolerance is relative, float32's own.
    CHECK(std::abs(static_cast<double>(-heads[head](0, 0)) - expected[head]) <= 7e-7 * expected[head]);
  }
}

/// [head][key] = slope * (key - last key), the bias of the last query.
void check_last_query(const json& c, const Spec& spec, const std::vector<int>& key_positions, double last) {
  INFO(c["name"]);
  const std::vector<Matrix<float>> heads = biases(spec, positions({last}), golden_positions(key_positions));
  for (std::size_t head = 0; head < heads.size(); ++head) {
    const std::vector<double> expected = numbers(c["expected"]["alibi"][head]);
    const double constant = expected.back() - static_cast<double>(heads[head](0, heads[head].cols() - 1));
    for (std::size_t key = 0; key < expected.size(); ++key) {
      CHECK(std::abs(static_cast<double>(heads[head](0, static_cast<int>(key))) + constant - expected[key]) <= kLogits);
    }
  }
}

}  // namespace

TEST_CASE("golden: alibi slopes of the paper's code", "[golden][alibi]") {
  for (const json& c : golden_cases("alibi-slopes-ofirpress")) check_slopes(c, alibi(c, "symmetric"));
}

TEST_CASE("golden: alibi as BLOOM has it", "[golden][alibi]") {
  for (const json& c : golden_cases("alibi-bloom")) {
    INFO(c["name"]);
    if (c["expected"].contains("slopes")) {
      check_slopes(c, alibi(c, "causal"));
    } else if (c["expected"].contains("alibi")) {
      // Key positions count real words; a padding word has position 0 (its bias is multiplied by the mask).
      std::vector<int> at;
      int seen = 0;
      for (const int real : c["inputs"]["attention_mask"].get<std::vector<int>>()) {
        seen += real;
        at.push_back(real != 0 ? seen - 1 : 0);
      }
      check_last_query(c, alibi(c, "causal"), at, seen - 1);
    } else {
      json without_logits = c;  // BLOOM's logits differ by a constant in each row
      without_logits["expected"].erase("logits");
      Spec bloom = alibi(c, "causal");
      bloom.dims = dims_of(c);
      check_attention(without_logits, bloom, positions_of(c), positions_of(c));
    }
  }
}

TEST_CASE("golden: alibi as MPT has it", "[golden][alibi]") {
  for (const json& c : golden_cases("alibi-mpt")) {
    const Spec mpt = alibi(c, "causal", c["params"]["alibi_bias_max"]);
    if (c["expected"].contains("slopes")) {
      check_slopes(c, mpt);
    } else {
      std::vector<int> at(c["params"]["seq_len"].get<std::size_t>());
      for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<int>(i);
      check_last_query(c, mpt, at, at.back());
    }
  }
}

TEST_CASE("golden: alibi as GPT-NeoX has it", "[golden][alibi]") {
  for (const json& c : golden_cases("alibi-gptneox")) {
    INFO(c["name"]);
    Spec neox = alibi(c, "causal");
    neox.dims = dims_of(c);
    const Matrix<double> at = positions_of(c);
    const std::vector<Matrix<float>> heads = biases(neox, at, at);
    for (std::size_t head = 0; head < heads.size(); ++head) {
      check_close(heads[head].all(), c["expected"]["bias"][head], kLogits);
    }
    check_attention(c, neox, at, at);
  }
}

TEST_CASE("golden: symmetric alibi as OpenNMT has it", "[golden][alibi]") {
  for (const json& c : golden_cases("alibi-symmetric-opennmt")) {
    INFO(c["name"]);
    const int queries = c["params"]["query_length"];
    const int keys = c["params"]["key_length"];
    const std::vector<Matrix<float>> heads = biases(alibi(c, "symmetric"), count(queries, keys - queries), count(keys));
    for (std::size_t head = 0; head < heads.size(); ++head) {
      check_close(heads[head].all(), c["expected"]["bias"][head], kLogits);
    }
  }
}

TEST_CASE("golden: alibi as ggml has it", "[golden][alibi]") {
  for (const json& c : golden_cases("alibi-ggml")) {
    INFO(c["name"]);
    Spec ggml = alibi(c, "causal", c["params"]["max_bias"]);
    ggml.dims = dims_of(c);
    check_attention(c, ggml, positions_of(c), positions_of(c));
  }
}

namespace {

Spec t5(const json& params, bool bidirectional, int n_heads) {
  return spec("t5_bias", {.d_model = n_heads, .n_heads = n_heads, .head_dim = 1},
              {{"bidirectional", bidirectional},
               {"num_buckets", params["num_buckets"].get<double>()},
               {"max_distance", params["max_distance"].get<double>()}});
}

}  // namespace

TEST_CASE("golden: T5 buckets as Hugging Face has them, also where float32 decides", "[golden][t5]") {
  for (const json& c : golden_cases("t5-bucket-hf")) {
    INFO(c["name"]);
    Spec identity = t5(c["params"], c["params"]["bidirectional"], 1);
    const int num_buckets = c["params"]["num_buckets"];
    for (int bucket = 0; bucket < num_buckets; ++bucket) identity.weights.push_back(static_cast<float>(bucket));
    const Matrix<double> offsets = golden_positions(c["inputs"]["relative_position"]);
    check_close(biases(identity, positions({0}), offsets).front().all(), c["expected"]["bucket"], 0.0);
  }
}

TEST_CASE("golden: T5 attention as Hugging Face has it", "[golden][t5]") {
  for (const json& c : golden_cases("t5-attention-hf")) {
    INFO(c["name"]);
    const json& params = c["params"];
    Spec model = t5(params, !params["is_decoder"].get<bool>(), params["heads"]);
    model.dims = dims_of(c);
    const Matrix<float> table = golden_matrix(c["inputs"]["bias_table"]);
    model.weights.assign(table.all().begin(), table.all().end());
    const int queries = params["query_length"];
    const int keys = params["key_length"];
    const Matrix<double> q_at = count(queries, keys - queries);
    const std::vector<Matrix<float>> heads = biases(model, q_at, count(keys));
    for (std::size_t head = 0; head < heads.size(); ++head) {
      check_close(heads[head].all(), c["expected"]["bias"][head], 0.0);
    }
    check_attention(c, model, q_at, count(keys));
  }
}
