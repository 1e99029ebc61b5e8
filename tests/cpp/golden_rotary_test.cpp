#include "golden.hpp"

#include <optional>

#include <catch2/catch_test_macros.hpp>

using namespace posenc;
using namespace posenc::test;

namespace {

Spec rope_of(const json& c, const char* layout, double theta, std::optional<double> rotary_dim) {
  Spec rope = spec("rope", dims_of(c), {{"layout", std::string(layout)}, {"theta", theta}});
  if (rotary_dim) rope.params["rotary_dim"] = *rotary_dim;
  return rope;
}

void check_rotary(const json& c, const char* layout, double theta, std::optional<double> rotary_dim) {
  test::check_rotary(c, rope_of(c, layout, theta, rotary_dim));
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
