#include "golden.hpp"

#include <optional>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

// posenc against what other people's implementations returned: see tests/golden/README.md. Tolerances are those that
// the float32 of the references needs, and named by what they are for.

using namespace posenc;
using namespace posenc::test;

namespace {

constexpr double kLogits = 5e-6;
constexpr double kNear = 1e-5;   // cos and sin up to position 100
constexpr double kTable = 5e-4;  // up to 4095
constexpr double kFar = 5e-3;    // up to 131071

double tolerance_at(const Matrix<double>& at) {
  double farthest = 0.0;
  for (const double position : at.all()) farthest = std::max(farthest, std::abs(position));
  return farthest <= 100 ? kNear : farthest <= 4095 ? kTable : kFar;
}

// ---- added ---------------------------------------------------------------------------------------------------------

void check_rows(const json& expected, int d_model, const Matrix<double>& at, const Spec& spec) {
  Matrix<float> rows(at.rows(), d_model);
  make(spec).input->rows(at.view(), rows.view());
  check_close(rows.all(), expected, tolerance_at(at));
}

Spec sinusoidal(int d_model, const char* convention) {
  return spec("sinusoidal", {.d_model = d_model, .n_heads = 1, .head_dim = 1},
              {{"convention", std::string(convention)}});
}

}  // namespace

TEST_CASE("golden: sinusoidal as Marian has it", "[golden][sinusoidal]") {
  for (const json& c : golden_cases("sinusoidal-marian")) {
    INFO(c["name"]);
    const int d_model = c["params"]["dim"];
    check_rows(c["expected"]["table"], d_model, count(c["params"]["num_positions"]),
               sinusoidal(d_model, "concatenated"));
  }
}

TEST_CASE("golden: sinusoidal as fairseq has it", "[golden][sinusoidal]") {
  for (const json& c : golden_cases("sinusoidal-fairseq")) {
    INFO(c["name"]);
    const int d_model = c["params"]["dim"];
    json expected = c["expected"]["table"];
    Matrix<double> at = count(c["params"]["num_positions"]);
    // fairseq leaves the row of the padding word zero; posenc has no padding word, so that row is not compared.
    if (!c["params"]["padding_idx"].is_null()) {
      const int padding = c["params"]["padding_idx"];
      for (const double value : numbers(expected[static_cast<std::size_t>(padding)])) CHECK(value == 0.0);
      expected.erase(static_cast<std::size_t>(padding));
      std::vector<int> kept;
      for (int position = 0; position < at.rows(); ++position) {
        if (position != padding) kept.push_back(position);
      }
      at = golden_positions(kept);
    }
    check_rows(expected, d_model, at, sinusoidal(d_model, "concatenated_half_1"));
  }
}

TEST_CASE("golden: sinusoidal as Whisper has it", "[golden][sinusoidal]") {
  for (const json& c : golden_cases("sinusoidal-whisper")) {
    INFO(c["name"]);
    const int d_model = c["params"]["channels"];
    check_rows(c["expected"]["table"], d_model, count(c["params"]["length"]),
               sinusoidal(d_model, "concatenated_half_1"));
  }
}

TEST_CASE("golden: sinusoidal as OpenNMT has it", "[golden][sinusoidal]") {
  for (const json& c : golden_cases("sinusoidal-opennmt")) {
    INFO(c["name"]);
    const int d_model = c["params"]["dim"];
    if (c["expected"].contains("out")) {
      // OpenNMT multiplies the embedding by sqrt(dim) before it adds the rows.
      Matrix<float> x = golden_matrix(c["inputs"]["emb"]);
      for (float& value : x.all()) value *= std::sqrt(static_cast<float>(d_model));
      add_rows(*make(sinusoidal(d_model, "interleaved")).input, count(x.rows()).view(), x.view());
      check_close(x.all(), c["expected"]["out"], kNear);
      continue;
    }
    // OpenNMT's "SinusoidalConcat" spaces its exponents as half - 1 does.
    const bool interleaved = c["params"]["enc_type"] == "SinusoidalInterleaved";
    const bool rows = c["expected"].contains("rows");
    const Matrix<double> at = rows ? golden_positions(c["params"]["positions"]) : count(c["params"]["num_positions"]);
    check_rows(c["expected"][rows ? "rows" : "table"], d_model, at,
               sinusoidal(d_model, interleaved ? "interleaved" : "concatenated_half_1"));
  }
}

TEST_CASE("golden: learned as OPT has it", "[golden][learned]") {
  for (const json& c : golden_cases("learned-opt")) {
    INFO(c["name"]);
    const Matrix<float> table = golden_matrix(c["inputs"]["table"]);
    Spec learned = spec("learned", {.d_model = table.cols(), .n_heads = 1, .head_dim = 1},
                        {{"max_position", static_cast<double>(table.rows())}});
    learned.weights.assign(table.all().begin(), table.all().end());
    // OPT: position = (how many real words so far) - 1 + offset; padding words count as -1.
    std::vector<int> at;
    int seen = 0;
    for (const int real : c["inputs"]["attention_mask"].get<std::vector<int>>()) {
      seen += real;
      at.push_back((real != 0 ? seen - 1 : -1) + c["params"]["offset"].get<int>());
    }
    at.erase(at.begin(), at.begin() + c["params"]["past"].get<int>());
    check_rows(c["expected"]["embedding"], table.cols(), golden_positions(at), learned);
  }
}

// ---- attention over given q and k -----------------------------------------------------------------------------------

namespace {

struct Tolerances {
  double logits = kLogits;
  double weights = kLogits;
};

/// Every head of a case: logits, and weights without and with a causal mask, as far as the case has them.
void check_attention(const json& c, const Spec& spec, const Matrix<double>& q_at, const Matrix<double>& k_at,
                     Tolerances tolerances = {}) {
  const Encoding encoding = make(spec);
  const json& expected = c["expected"];
  for (std::size_t head = 0; head < c["inputs"]["q"].size(); ++head) {
    INFO("head " << head);
    const Matrix<float> q = golden_matrix(c["inputs"]["q"][head]);
    const Matrix<float> k = golden_matrix(c["inputs"]["k"][head]);
    HeadInput input{.q = q.view(),
                    .k = k.view(),
                    .v = {},
                    .q_positions = q_at.view(),
                    .k_positions = k_at.view(),
                    .mask = {},
                    .head = static_cast<int>(head),
                    .scale = c["params"]["softmax_scale"].get<float>()};
    const HeadAttention open = attend(encoding, input);
    if (expected.contains("logits")) check_close(open.logits.all(), expected["logits"][head], tolerances.logits);
    if (expected.contains("softmax_full")) {
      check_close(open.weights.all(), expected["softmax_full"][head], tolerances.weights);
    }
    if (expected.contains("softmax_causal")) {
      input.mask = {.kind = Mask::Kind::causal};
      check_close(attend(encoding, input).weights.all(), expected["softmax_causal"][head], tolerances.weights);
    }
  }
}

Dims dims_of(const json& c) {
  const json& q = c["inputs"]["q"];
  const int n_heads = static_cast<int>(q.size());
  const int head_dim = static_cast<int>(q[0][0].size());
  return {.d_model = n_heads * head_dim, .n_heads = n_heads, .head_dim = head_dim};
}

Matrix<double> positions_of(const json& c) {
  if (c["params"].contains("positions")) return golden_positions(c["params"]["positions"]);
  return count(static_cast<int>(c["inputs"]["q"][0].size()), c["params"].value("offset", 0.0));
}

void check_rotary(const json& c, const char* layout, double theta, std::optional<double> rotary_dim) {
  INFO(c["name"]);
  Spec rope = spec("rope", dims_of(c), {{"layout", std::string(layout)}, {"theta", theta}});
  if (rotary_dim) rope.params["rotary_dim"] = *rotary_dim;
  const Matrix<double> at = positions_of(c);
  const Encoding encoding = make(rope);
  for (const auto& [name, operand] : {std::pair{"q", Operand::q}, std::pair{"k", Operand::k}}) {
    for (std::size_t head = 0; head < c["inputs"][name].size(); ++head) {
      Matrix<float> x = golden_matrix(c["inputs"][name][head]);
      rotate(*encoding.rotary, at.view(), operand, x.view());
      // Inputs reach 3, so an error of cos shows up to three times as large.
      check_close(x.all(), c["expected"][std::string(name) + "_rot"][head], 3 * tolerance_at(at));
    }
  }
  const double far = at(at.rows() - 1, 0) > 100 ? 3 * tolerance_at(at) : kLogits;
  check_attention(c, rope, at, at, {.logits = far, .weights = far});
}

}  // namespace

TEST_CASE("golden: no encoding as Llama without rotation has it", "[golden][none]") {
  for (const json& c : golden_cases("nope-llama")) {
    INFO(c["name"]);
    check_attention(c, spec("none", dims_of(c)), positions_of(c), positions_of(c));
  }
}

TEST_CASE("golden: rope as Llama has it", "[golden][rope]") {
  int checked = 0;
  for (const json& c : golden_cases("rope-apply-llama")) {
    if (c["params"]["rope_type"] != "default") continue;
    check_rotary(c, "half", c["params"]["rope_theta"], std::nullopt);
    ++checked;
  }
  CHECK(checked == 4);
}

TEST_CASE("golden: rope as GPT-J has it", "[golden][rope]") {
  for (const json& c : golden_cases("rope-apply-gptj")) {
    check_rotary(c, "interleaved", c["params"]["rope_theta"], c["params"]["rotary_dim"]);
  }
}

TEST_CASE("golden: rope as GPT-NeoX has it", "[golden][rope]") {
  for (const json& c : golden_cases("rope-apply-gptneox")) {
    const double rotary_dim =
        c["params"]["head_dim"].get<double>() * c["params"]["partial_rotary_factor"].get<double>();
    check_rotary(c, "half", c["params"]["rope_theta"], rotary_dim);
  }
}

TEST_CASE("golden: rope as RoFormer has it", "[golden][rope]") {
  for (const json& c : golden_cases("rope-apply-roformer")) {
    check_rotary(c, "interleaved", c["params"]["rope_theta"], std::nullopt);
  }
}

TEST_CASE("golden: rope as Meta's Llama has it", "[golden][rope]") {
  int checked = 0;
  for (const json& c : golden_cases("rope-meta-llama")) {
    if (!c.contains("inputs") || c["params"]["use_scaled"] == true) continue;
    check_rotary(c, "interleaved", c["params"]["rope_theta"], std::nullopt);
    ++checked;
  }
  CHECK(checked == 1);
}

TEST_CASE("golden: rope as rotary-embedding-torch has it", "[golden][rope]") {
  int checked = 0;
  for (const json& c : golden_cases("rope-lucidrains")) {
    if (c["params"]["theta_rescale_factor"] != 1.0 || c["params"]["interpolate_factor"] != 1.0) continue;
    check_rotary(c, "interleaved", c["params"]["theta"], c["params"]["dim"]);
    ++checked;
  }
  CHECK(checked == 2);
}

// ---- biases ---------------------------------------------------------------------------------------------------------

namespace {

Spec alibi(const json& c, const char* form, double bias_max = 8.0) {
  const int n_heads = c["params"]["heads"];
  return spec("alibi", {.d_model = n_heads, .n_heads = n_heads, .head_dim = 1},
              {{"form", std::string(form)}, {"bias_max", bias_max}});
}

std::vector<Matrix<float>> biases(const Spec& spec, const Matrix<double>& q_at, const Matrix<double>& k_at) {
  const Encoding encoding = make(spec);
  std::vector<Matrix<float>> heads;
  for (int head = 0; head < spec.dims.n_heads; ++head) {
    heads.emplace_back(q_at.rows(), k_at.rows());
    encoding.bias->bias({q_at.view(), k_at.view(), head}, heads.back().view());
  }
  return heads;
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
