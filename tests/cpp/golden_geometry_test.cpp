#include "golden.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

using namespace posenc;
using namespace posenc::test;

// Rotations with another geometry than one line: xPos, M-RoPE, rows and columns.

namespace {

/// [axis][token] to [token][axis].
Matrix<double> positions_on_axes(const json& axes) {
  Matrix<double> out(static_cast<int>(axes[0].size()), static_cast<int>(axes.size()));
  for (int token = 0; token < out.rows(); ++token) {
    for (int axis = 0; axis < out.cols(); ++axis) {
      out(token, axis) = axes[static_cast<std::size_t>(axis)][static_cast<std::size_t>(token)].get<double>();
    }
  }
  return out;
}

/// Patches of a picture row by row, as (row, column); `before` and `after` them tokens at the position `elsewhere`.
struct Picture {
  int height;
  int width;
  double first = 0.0;
  int before = 0;
  int after = 0;
  std::array<double, 2> elsewhere = {0.0, 0.0};
};

Matrix<double> patches(const Picture& picture) {
  const int size = picture.height * picture.width;
  Matrix<double> out(picture.before + size + picture.after, 2);
  for (int token = 0; token < out.rows(); ++token) {
    const int patch = token - picture.before;
    const bool inside = patch >= 0 && patch < size;
    out(token, 0) = inside ? picture.first + patch / picture.width : picture.elsewhere[0];
    out(token, 1) = inside ? picture.first + patch % picture.width : picture.elsewhere[1];
  }
  return out;
}

/// [token][head][dim] to [head][token][dim].
json heads_first(const json& tokens) {
  json heads = json::array();
  for (std::size_t head = 0; head < tokens[0].size(); ++head) {
    json rows = json::array();
    for (const json& token : tokens) rows.push_back(token[head]);
    heads.push_back(rows);
  }
  return heads;
}

// Inputs reach about 3, so an error of cos shows up to three times as large.
constexpr double kVectors = 3 * kNear;

/// @param x, expected  [head][token][dim]
void check_rotated(const Spec& spec, const Matrix<double>& at, Operand operand, const json& x, const json& expected,
                   double tolerance = kVectors) {
  const Encoding encoding = make(spec);
  REQUIRE(x.size() == expected.size());
  for (std::size_t head = 0; head < x.size(); ++head) {
    INFO("head " << head);
    Matrix<float> turned = golden_matrix(x[head]);
    rotate(*encoding.rotary, {.positions = at.view(), .operand = operand, .seq_len = length_of(at.view())},
           turned.view());
    check_close(turned.all(), expected[head], tolerance);
  }
}

void check_q_and_k(const json& c, const Spec& spec, const Matrix<double>& at) {
  check_rotated(spec, at, Operand::q, c["inputs"]["q"], c["expected"]["q_rot"]);
  check_rotated(spec, at, Operand::k, c["inputs"]["k"], c["expected"]["k_rot"]);
}

/// Logits and weights without a mask: the causal mask of these references goes by index, not by one axis.
void check_unmasked(json c, const Spec& spec, const Matrix<double>& at) {
  c["expected"].erase("softmax_causal");
  if (!c["params"].contains("softmax_scale")) {
    c["params"]["softmax_scale"] = 1.0 / std::sqrt(c["params"]["head_dim"].get<double>());
  }
  check_attention(c, spec, at, at);
}

Dims head_of(const json& vector) {
  const int head_dim = static_cast<int>(vector.size());
  return {.d_model = head_dim, .n_heads = 1, .head_dim = head_dim};
}

Spec rope_2d(const json& vector, const char* convention, decltype(Spec::params) params = {}) {
  params["convention"] = std::string(convention);
  return spec("rope_2d", head_of(vector), params);
}

Spec mrope(const json& c, const char* order, const json& vector) {
  std::vector<double> section =
      numbers(c["params"].contains("sections") ? c["params"]["sections"] : c["params"]["mrope_section"]);
  section.resize(3);  // ggml has a fourth one, 0
  const json& theta = c["params"].contains("freq_base") ? c["params"]["freq_base"] : c["params"]["rope_theta"];
  return spec("mrope", head_of(vector),
              {{"order", std::string(order)}, {"mrope_section", section}, {"theta", theta.get<double>()}});
}

/// compute_mixed_cis takes speeds as [2][heads * pairs] and was called with [2][heads][pairs], so its view as
/// [token][head] reads rows that are [head, token]: the row of a head and a token is row token * heads + head of ours.
Rotation as_called(const Rotation& rotation) {
  Rotation result = rotation;
  for (int head = 0; head < rotation.tables; ++head) {
    for (int token = 0; token < rotation.tokens(); ++token) {
      const int from = token * rotation.tables + head;
      std::ranges::copy(rotation.cos.row(from), result.cos.row(rotation.first_row(head) + token).begin());
      std::ranges::copy(rotation.sin.row(from), result.sin.row(rotation.first_row(head) + token).begin());
    }
  }
  return result;
}

}  // namespace

TEST_CASE("golden: xpos as torchscale has it", "[golden][xpos]") {
  for (const json& c : golden_cases("xpos-torchscale")) {
    INFO(c["name"]);
    const Spec xpos = spec("xpos", dims_of(c), {{"scale_base", c["params"]["scale_base"].get<double>()}});
    check_q_and_k(c, xpos, positions_of(c));
    check_attention(c, xpos, positions_of(c), positions_of(c));
  }
}

TEST_CASE("golden: xpos as rotary-embedding-torch has it", "[golden][xpos]") {
  for (const json& c : golden_cases("xpos-lucidrains")) {
    INFO(c["name"]);
    const Spec xpos =
        spec("xpos", dims_of(c),
             {{"scale_base", c["params"]["scale_base"].get<double>()}, {"centre", std::string("lucidrains")}});
    const Matrix<double> at = positions_of(c);
    check_q_and_k(c, xpos, at);
    check_attention(c, xpos, at, at);
    const Encoding encoding = make(xpos);
    Matrix<float> cos(at.rows(), encoding.rotary->rotary_dim() / 2);
    Matrix<float> sin = cos;
    encoding.rotary->cos_sin({.positions = at.view(), .seq_len = length_of(at.view())}, cos.view(), sin.view());
    for (std::size_t i = 0; i < cos.all().size(); ++i) cos.all()[i] = std::hypot(cos.all()[i], sin.all()[i]);
    check_close(cos.all(), c["expected"]["scale"], 1e-6);
  }
}

TEST_CASE("golden: mrope as Qwen2-VL has it", "[golden][mrope]") {
  int checked = 0;
  for (const json& c : golden_cases("mrope-qwen2vl")) {
    if (!c["inputs"].contains("q")) continue;
    INFO(c["name"]);
    const Spec qwen = mrope(c, "contiguous", c["inputs"]["q"][0][0]);
    const Matrix<double> at = positions_on_axes(c["inputs"]["position_ids_thw"]);
    check_q_and_k(c, qwen, at);
    check_unmasked(c, qwen, at);
    ++checked;
  }
  CHECK(checked == 3);
}

TEST_CASE("golden: mrope as Qwen3-VL has it", "[golden][mrope]") {
  for (const json& c : golden_cases("mrope-qwen3vl")) {
    INFO(c["name"]);
    const Spec qwen = mrope(c, "interleaved", c["inputs"]["q"][0][0]);
    const Matrix<double> at = positions_on_axes(c["inputs"]["position_ids_thw"]);
    check_q_and_k(c, qwen, at);
    check_unmasked(c, qwen, at);
  }
}

TEST_CASE("golden: the sections that mrope shares out by itself are those of Qwen", "[golden][mrope]") {
  for (const auto& [file, order] : {std::pair{"mrope-qwen2vl", "contiguous"}, {"mrope-qwen3vl", "interleaved"}}) {
    for (const json& c : golden_cases(file)) {
      if (!c["inputs"].contains("q") || c["params"]["mrope_section"] == json{3, 3, 2}) continue;
      INFO(c["name"]);
      Spec shared = mrope(c, order, c["inputs"]["q"][0][0]);
      shared.params.erase("mrope_section");
      check_q_and_k(c, shared, positions_on_axes(c["inputs"]["position_ids_thw"]));
    }
  }
}

TEST_CASE("golden: mrope and pictures as ggml has them", "[golden][mrope][rope_2d]") {
  int checked = 0;
  for (const json& c : golden_cases("rope-ggml")) {
    const std::string mode = c["params"]["mode"];
    if (mode != "MROPE" && mode != "IMROPE" && mode != "VISION") continue;
    INFO(c["name"]);
    const json x = heads_first(c["inputs"]["x"]);
    const json expected = heads_first(c["expected"]["out"]);
    const bool vision = mode == "VISION";
    // Four rows, one for each axis: time, height, width and one that Qwen does not use; y, x and two unused.
    const std::vector<double> flat = numbers(c["inputs"]["positions"]);
    Matrix<double> at(static_cast<int>(flat.size() / 4), vision ? 2 : 3);
    for (int token = 0; token < at.rows(); ++token) {
      for (int axis = 0; axis < at.cols(); ++axis) {
        at(token, axis) = flat[static_cast<std::size_t>(axis * at.rows() + token)];
      }
    }
    const Spec ggml =
        vision ? rope_2d(x[0][0], "qwen2_vl") : mrope(c, mode == "MROPE" ? "contiguous" : "interleaved_ggml", x[0][0]);
    check_rotated(ggml, at, Operand::q, x, expected, 3 * tolerance_at(at));
    ++checked;
  }
  CHECK(checked == 4);
}

TEST_CASE("golden: rows and columns as ChatGLM has them", "[golden][rope_2d]") {
  for (const json& c : golden_cases("rope2d-chatglm")) {
    INFO(c["name"]);
    const Spec chatglm = rope_2d(c["inputs"]["q"][0][0], "chatglm");
    const Matrix<double> at = positions_on_axes({c["inputs"]["position_ids"], c["inputs"]["block_position_ids"]});
    check_q_and_k(c, chatglm, at);
    check_unmasked(c, chatglm, at);
  }
}

TEST_CASE("golden: rows and columns as Pixtral has them", "[golden][rope_2d]") {
  for (const json& c : golden_cases("rope2d-pixtral")) {
    INFO(c["name"]);
    const Spec pixtral = rope_2d(c["inputs"]["q"][0][0], "pixtral");
    const Matrix<double> at = patches({.height = c["params"]["grid"][0], .width = c["params"]["grid"][1]});
    check_q_and_k(c, pixtral, at);
    check_unmasked(c, pixtral, at);
  }
}

TEST_CASE("golden: rows and columns as rope-vit has them", "[golden][rope_2d]") {
  int checked = 0;
  for (const json& c : golden_cases("rope2d-rope-vit")) {
    if (c["function"] != "compute_axial_cis") continue;
    INFO(c["name"]);
    const Spec rope_vit = rope_2d(c["inputs"]["q"][0][0], "llama4", {{"theta", c["params"]["theta"].get<double>()}});
    const Matrix<double> at = patches({.height = c["params"]["end_y"], .width = c["params"]["end_x"]});
    check_q_and_k(c, rope_vit, at);
    check_unmasked(c, rope_vit, at);
    ++checked;
  }
  CHECK(checked == 2);
}

TEST_CASE("golden: mixed rows and columns as rope-vit has them", "[golden][rope_mixed]") {
  int checked = 0;
  for (const json& c : golden_cases("rope2d-rope-vit")) {
    if (c["function"] != "compute_mixed_cis") continue;
    INFO(c["name"]);
    const int heads = c["params"]["heads"];
    const int head_dim = c["params"]["head_dim"];
    Spec mixed = spec("rope_mixed", {.d_model = heads * head_dim, .n_heads = heads, .head_dim = head_dim});
    for (const double speed : numbers(c["inputs"]["freqs_xy"])) mixed.weights.push_back(static_cast<float>(speed));
    const Matrix<double> at = patches({.height = c["params"]["end_y"], .width = c["params"]["end_x"]});
    const Rotation turns = as_called(rotation_of(*make(mixed).rotary, {.positions = at.view()}));
    const std::vector<double> cis = numbers(c["expected"]["freqs_cis"]);
    REQUIRE(cis.size() == 2 * turns.cos.all().size());
    for (std::size_t i = 0; i < turns.cos.all().size(); ++i) {
      CHECK(std::abs(static_cast<double>(turns.cos.all()[i]) - cis[2 * i]) <= kNear);
      CHECK(std::abs(static_cast<double>(turns.sin.all()[i]) - cis[2 * i + 1]) <= kNear);
    }
    const std::vector<double> q = numbers(c["inputs"]["q"]);
    Matrix<float> turned(heads * at.rows(), head_dim);
    for (std::size_t i = 0; i < q.size(); ++i) turned.all()[i] = static_cast<float>(q[i]);
    rotate(turns, turned.view());
    check_close(turned.all(), c["expected"]["q_rot"], kVectors);
    ++checked;
  }
  CHECK(checked == 1);
}

TEST_CASE("golden: rows and columns as Llama-4 has them, with the class token at (0, 0)", "[golden][rope_2d]") {
  for (const json& c : golden_cases("rope2d-llama4-vision")) {
    INFO(c["name"]);
    const Spec llama = rope_2d(c["inputs"]["q"][0][0], "llama4");
    const int side = c["params"]["side"];
    const Matrix<double> at = patches({.height = side, .width = side, .first = 1.0, .after = 1});
    for (const auto& [name, operand] : {std::pair{"q", Operand::q}, std::pair{"k", Operand::k}}) {
      check_rotated(llama, at, operand, heads_first(c["inputs"][name]),
                    heads_first(c["expected"][std::string(name) + "_rot"]));
    }
  }
}

TEST_CASE("golden: rows and columns as DINOv3 has them, with prefix tokens in the middle", "[golden][rope_2d]") {
  for (const json& c : golden_cases("rope2d-dinov3")) {
    INFO(c["name"]);
    const double height = c["params"]["grid"][0];
    const double width = c["params"]["grid"][1];
    const Spec dino = rope_2d(c["inputs"]["q"][0][0], "qwen2_vl",
                              {{"theta", c["params"]["rope_theta"].get<double>()},
                               {"coordinates", std::string("centres")},
                               {"height", height},
                               {"width", width}});
    check_q_and_k(c, dino,
                  patches({.height = c["params"]["grid"][0],
                           .width = c["params"]["grid"][1],
                           .before = c["params"]["prefix_tokens"],
                           .elsewhere = {(height - 1) / 2, (width - 1) / 2}}));
  }
}

TEST_CASE("golden: rows and columns as Qwen2-VL vision has them", "[golden][rope_2d]") {
  for (const json& c : golden_cases("rope2d-qwen2vl-vision")) {
    INFO(c["name"]);
    const Spec qwen = rope_2d(c["inputs"]["q"][0][0], "qwen2_vl");
    const json& ids = c["expected"]["position_ids_hw"];
    Matrix<double> at(static_cast<int>(ids.size()), 2);
    std::ranges::copy(numbers(ids), at.all().begin());
    for (const auto& [name, operand] : {std::pair{"q", Operand::q}, std::pair{"k", Operand::k}}) {
      check_rotated(qwen, at, operand, heads_first(c["inputs"][name]),
                    heads_first(c["expected"][std::string(name) + "_rot"]));
    }
  }
}

TEST_CASE("golden: rows and columns as EVA-02 has them", "[golden][rope_2d]") {
  for (const json& c : golden_cases("rope2d-eva02")) {
    INFO(c["name"]);
    const int pretrained = c["params"]["pt_seq_len"];
    const int side = c["params"]["ft_seq_len"].is_null() ? pretrained : c["params"]["ft_seq_len"].get<int>();
    const Spec eva = rope_2d(c["inputs"]["x"][0][0], "eva02", {{"scale", static_cast<double>(pretrained) / side}});
    check_rotated(eva, patches({.height = side, .width = side}), Operand::q, c["inputs"]["x"], c["expected"]["x_rot"]);
  }
}

TEST_CASE("golden: rows and columns as rotary-embedding-torch has them", "[golden][rope_2d]") {
  for (const json& c : golden_cases("rope-axial-lucidrains")) {
    INFO(c["name"]);
    const double height = c["params"]["grid"][0];
    const double width = c["params"]["grid"][1];
    const bool pixel = c["params"]["freqs_for"] == "pixel";
    const json& x = c["inputs"]["x"];
    Spec axial = rope_2d(x[0][0], "eva02", {{"rotary_dim", 2 * c["params"]["dim_per_axis"].get<double>()}});
    if (pixel) {
      axial.params.insert({{"frequencies", std::string("linear")},
                           {"max_freq", c["params"]["max_freq"].get<double>()},
                           {"coordinates", std::string("edges")},
                           {"height", height},
                           {"width", width}});
    }
    const Matrix<double> at = patches({.height = c["params"]["grid"][0], .width = c["params"]["grid"][1]});
    // In float32 an angle of 128 pi is good to 3e-5, and inputs reach 3.
    const double tolerance = pixel ? 1e-4 : kVectors;
    json one_row = json::array();
    json expected = json::array();
    for (std::size_t row = 0; row < x.size(); ++row) {
      one_row.insert(one_row.end(), x[row].begin(), x[row].end());
      expected.insert(expected.end(), c["expected"]["x_rot"][row].begin(), c["expected"]["x_rot"][row].end());
    }
    check_rotated(axial, at, Operand::q, json::array({one_row}), json::array({expected}), tolerance);
  }
}
