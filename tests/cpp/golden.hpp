#pragma once

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

}  // namespace posenc::test
