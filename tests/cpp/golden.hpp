#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support.hpp"

/// Reading tests/golden.
namespace posenc::test {

using nlohmann::json;

/// Cases of one file; fails if there are none.
inline std::vector<json> golden_cases(const std::string& name) {
  std::ifstream file(std::string(POSENC_GOLDEN_DIR) + "/" + name + ".json");
  INFO("golden file " << name);
  REQUIRE(file.good());
  const json document = json::parse(file);
  REQUIRE_FALSE(document["cases"].empty());
  return document["cases"];
}

inline void flatten(const json& tensor, std::vector<double>& out) {
  if (tensor.is_array()) {
    for (const json& part : tensor) flatten(part, out);
  } else {
    out.push_back(tensor.get<double>());
  }
}

inline std::vector<double> numbers(const json& tensor) {
  std::vector<double> out;
  flatten(tensor, out);
  return out;
}

/// A nested list [row][col].
inline Matrix<float> golden_matrix(const json& rows) {
  const std::vector<double> flat = numbers(rows);
  Matrix<float> out(static_cast<int>(rows.size()), static_cast<int>(rows.at(0).size()));
  for (std::size_t i = 0; i < flat.size(); ++i) out.all()[i] = static_cast<float>(flat[i]);
  return out;
}

inline Matrix<double> golden_positions(const json& list) {
  Matrix<double> out(static_cast<int>(list.size()), 1);
  for (int i = 0; i < out.rows(); ++i) out(i, 0) = list[static_cast<std::size_t>(i)].get<double>();
  return out;
}

inline void check_close(std::span<const float> got, const json& expected, double tolerance) {
  const std::vector<double> wide = numbers(expected);
  const std::vector<float> rounded(wide.begin(), wide.end());  // the reference's own float32
  check_close<float, float>(got, rounded, tolerance);
}

// Tolerances: what the float32 of the references needs.
inline constexpr double kLogits = 5e-6;
inline constexpr double kNear = 1e-5;   // cos and sin up to position 100
inline constexpr double kTable = 5e-4;  // up to 4095
inline constexpr double kFar = 5e-3;    // up to 131071

inline double tolerance_at(const Matrix<double>& at) {
  double farthest = 0.0;
  for (const double position : at.all()) farthest = std::max(farthest, std::abs(position));
  return farthest <= 100 ? kNear : farthest <= 4095 ? kTable : kFar;
}

inline void check_rows(const json& expected, int d_model, const Matrix<double>& at, const Spec& spec) {
  Matrix<float> rows(at.rows(), d_model);
  make(spec).input->rows(at.view(), rows.view());
  check_close(rows.all(), expected, tolerance_at(at));
}

struct Tolerances {
  double logits = kLogits;
  double weights = kLogits;
};

/// Every head of a case: logits, and weights without and with a causal mask, as far as the case has them.
inline void check_attention(const json& c, const Spec& spec, const Matrix<double>& q_at, const Matrix<double>& k_at,
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

inline Dims dims_of(const json& c) {
  const json& q = c["inputs"]["q"];
  const int n_heads = static_cast<int>(q.size());
  const int head_dim = static_cast<int>(q[0][0].size());
  return {.d_model = n_heads * head_dim, .n_heads = n_heads, .head_dim = head_dim};
}

inline Matrix<double> positions_of(const json& c) {
  if (c["params"].contains("positions")) return golden_positions(c["params"]["positions"]);
  return count(static_cast<int>(c["inputs"]["q"][0].size()), c["params"].value("offset", 0.0));
}

/// Every head of a bias, [query][key] each.
inline std::vector<Matrix<float>> biases(const Spec& spec, const Matrix<double>& q_at, const Matrix<double>& k_at) {
  const Encoding encoding = make(spec);
  std::vector<Matrix<float>> heads;
  for (int head = 0; head < spec.dims.n_heads; ++head) {
    heads.emplace_back(q_at.rows(), k_at.rows());
    encoding.bias->bias({q_at.view(), k_at.view(), head}, heads.back().view());
  }
  return heads;
}

/// Rotated q and k of every head of a case, and what check_attention looks at.
inline void check_rotary(const json& c, const Spec& spec) {
  INFO(c["name"]);
  const Matrix<double> at = positions_of(c);
  const Encoding encoding = make(spec);
  for (const auto& [name, operand] : {std::pair{"q", Operand::q}, std::pair{"k", Operand::k}}) {
    for (std::size_t head = 0; head < c["inputs"][name].size(); ++head) {
      Matrix<float> x = golden_matrix(c["inputs"][name][head]);
      rotate(*encoding.rotary, {.positions = at.view(), .operand = operand, .seq_len = length_of(at.view())}, x.view());
      // Inputs reach 3, so an error of cos shows up to three times as large.
      check_close(x.all(), c["expected"][std::string(name) + "_rot"][head], 3 * tolerance_at(at));
    }
  }
  const double far = at(at.rows() - 1, 0) > 100 ? 3 * tolerance_at(at) : kLogits;
  check_attention(c, spec, at, at, {.logits = far, .weights = far});
}

}  // namespace posenc::test
