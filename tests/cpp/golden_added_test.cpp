#include "golden.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace posenc;
using namespace posenc::test;

namespace {

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
