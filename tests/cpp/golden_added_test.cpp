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
    Spec fairseq = sinusoidal(d_model, "concatenated_half_1");
    if (!c["params"]["padding_idx"].is_null()) {
      fairseq.params["padding_idx"] = c["params"]["padding_idx"].get<double>();
    }
    check_rows(c["expected"]["table"], d_model, count(c["params"]["num_positions"]), fairseq);
  }
}

TEST_CASE("golden: sinusoidal as M2M100 has it: positions start after the padding word", "[golden][sinusoidal]") {
  for (const json& c : golden_cases("sinusoidal-m2m100")) {
    INFO(c["name"]);
    const int d_model = c["params"]["dim"];
    Spec m2m100 = sinusoidal(d_model, "concatenated_half_1");
    m2m100.params["padding_idx"] = c["params"]["padding_idx"].get<double>();
    m2m100.params["position_offset"] = c["params"]["offset"].get<double>();
    // Real words count from 0; a padding word stands before the first of them.
    std::vector<int> at;
    int seen = 0;
    for (const int id : c["inputs"]["input_ids"].get<std::vector<int>>()) {
      at.push_back(id == c["params"]["padding_idx"].get<int>() ? -1 : seen++);
    }
    check_rows(c["expected"]["embedding"], d_model, golden_positions(at), m2m100);
  }
}

TEST_CASE("golden: sinusoidal as x-transformers has it", "[golden][sinusoidal]") {
  for (const json& c : golden_cases("sinusoidal-x-transformers")) {
    INFO(c["name"]);
    const int d_model = c["params"]["dim"];
    Spec scaled = sinusoidal(d_model, "concatenated");
    scaled.params["theta"] = c["params"]["theta"].get<double>();
    scaled.params["scale"] = c["params"]["scale"].get<double>();
    scaled.params["position_offset"] = c["params"]["offset"].get<double>();
    check_rows(c["expected"]["table"], d_model, count(c["params"]["num_positions"]), scaled);
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
      Spec opennmt = sinusoidal(d_model, "interleaved");
      opennmt.params["embedding_scale"] = std::string("sqrt_d_model");
      Matrix<float> x = golden_matrix(c["inputs"]["emb"]);
      add_rows(*make(opennmt).input, count(x.rows()).view(), x.view());
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
                        {{"max_position", static_cast<double>(table.rows())},
                         {"position_offset", c["params"]["offset"].get<double>()}});
    learned.weights.assign(table.all().begin(), table.all().end());
    // OPT: position = (how many real words so far) - 1; padding words count as -1.
    std::vector<int> at;
    int seen = 0;
    for (const int real : c["inputs"]["attention_mask"].get<std::vector<int>>()) {
      seen += real;
      at.push_back(real != 0 ? seen - 1 : -1);
    }
    at.erase(at.begin(), at.begin() + c["params"]["past"].get<int>());
    check_rows(c["expected"]["embedding"], table.cols(), golden_positions(at), learned);
  }
}

TEST_CASE("golden: learned as x-transformers has it", "[golden][learned]") {
  for (const json& c : golden_cases("learned-x-transformers")) {
    INFO(c["name"]);
    const Matrix<float> table = golden_matrix(c["inputs"]["table"]);
    Spec learned = spec("learned", {.d_model = table.cols(), .n_heads = 1, .head_dim = 1},
                        {{"max_position", static_cast<double>(table.rows())},
                         {"position_offset", c["params"]["offset"].get<double>()},
                         {"l2norm", c["params"]["l2norm_embed"].get<bool>()},
                         {"scale", c["params"]["scale"].get<double>()}});
    learned.weights.assign(table.all().begin(), table.all().end());
    check_rows(c["expected"]["embedding"], table.cols(), count(c["params"]["seq_len"]), learned);
  }
}

namespace {

Spec sincos2d(int d_model, const char* convention) {
  return spec("sincos2d", {.d_model = d_model, .n_heads = 1, .head_dim = 1}, {{"convention", std::string(convention)}});
}

/// Patches row by row: (0, 0), (0, 1), ...
Matrix<double> grid(int height, int width) {
  Matrix<double> at(height * width, 2);
  for (int patch = 0; patch < at.rows(); ++patch) {
    at(patch, 0) = patch / width;
    at(patch, 1) = patch % width;
  }
  return at;
}

}  // namespace

TEST_CASE("golden: 2-D sinusoids as MAE has them, whose first half is the column", "[golden][sincos2d]") {
  for (const json& c : golden_cases("sincos2d-mae")) {
    INFO(c["name"]);
    const int size = c["params"]["grid_size"];
    json expected = c["expected"]["table"];
    if (c["params"]["cls_token"].get<bool>()) {
      for (const double value : numbers(expected[0])) CHECK(value == 0.0);
      expected.erase(0);
    }
    check_rows(expected, c["params"]["dim"], grid(size, size), sincos2d(c["params"]["dim"], "mae"));
  }
}

TEST_CASE("golden: 2-D sinusoids as OmDet-Turbo has them: MAE's rows, column by column", "[golden][sincos2d]") {
  for (const json& c : golden_cases("sincos2d-omdet")) {
    INFO(c["name"]);
    const int height = c["params"]["height"];
    Matrix<double> at = grid(c["params"]["width"], height);
    for (int patch = 0; patch < at.rows(); ++patch) std::swap(at(patch, 0), at(patch, 1));
    Spec omdet = sincos2d(c["params"]["dim"], "mae");
    omdet.params["theta"] = c["params"]["temperature"].get<double>();
    check_rows(c["expected"]["table"], c["params"]["dim"], at, omdet);
  }
}

TEST_CASE("golden: 2-D sinusoids as DETR has them", "[golden][sincos2d]") {
  for (const json& c : golden_cases("sincos2d-detr")) {
    INFO(c["name"]);
    const json& params = c["params"];
    const int d_model = 2 * params["num_position_features"].get<int>();
    Spec detr = sincos2d(d_model, params["normalize"].get<bool>() ? "detr" : "detr_counted");
    detr.params["theta"] = params["temperature"].get<double>();
    // The size of the picture is what the mask leaves of it; patches outside are not compared.
    const json& pixels = c["expected"]["pos"];
    const auto outside = [&](std::size_t y, std::size_t x) {
      return c.contains("inputs") && c["inputs"].contains("mask") && c["inputs"]["mask"][y][x] == 0;
    };
    json inside = json::array();
    int height = 0;
    int width = 0;
    for (std::size_t y = 0; y < pixels.size(); ++y) {
      for (std::size_t x = 0; x < pixels[y].size(); ++x) {
        if (outside(y, x)) continue;
        height = static_cast<int>(y) + 1;
        width = std::max(width, static_cast<int>(x) + 1);
        inside.push_back(pixels[y][x]);
      }
    }
    if (params["normalize"].get<bool>()) {
      detr.params["height"] = static_cast<double>(height);
      detr.params["width"] = static_cast<double>(width);
    }
    check_rows(inside, d_model, grid(height, width), detr);
  }
}
