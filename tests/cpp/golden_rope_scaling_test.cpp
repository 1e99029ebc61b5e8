#include "golden.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "posenc/rope.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

using Params = decltype(Spec::params);

Spec rope_of(int head_dim, Params params) {
  return spec("rope", {.d_model = head_dim, .n_heads = 1, .head_dim = head_dim}, std::move(params));
}

bool given(const json& params, const char* name) { return params.contains(name) && !params[name].is_null(); }

/// `name` of the reference under our name, if the reference has it.
void copy_param(const json& from, const char* name, Params& to, const char* our_name) {
  if (!given(from, name)) return;
  const json& value = from[name];
  if (value.is_boolean()) {
    to[our_name] = value.get<bool>();
  } else if (value.is_array()) {
    to[our_name] = numbers(value);
  } else {
    to[our_name] = value.get<double>();
  }
}

void copy_same(const json& from, std::initializer_list<const char*> names, Params& to) {
  for (const char* name : names) copy_param(from, name, to, name);
}

double ratio(const json& p) {
  return p["max_position_embeddings"].get<double>() / p["original_max_position_embeddings"].get<double>();
}

/// The parameters of Hugging Face in our words.
Params hf_params(const json& p) {
  Params params{{"theta", p["rope_theta"].get<double>()}};
  if (given(p, "partial_rotary_factor")) {
    const double width = p["partial_rotary_factor"].get<double>() * p["head_dim"].get<double>();
    params["rotary_dim"] = std::floor(width / 2) * 2;
  }
  const auto type = p["rope_type"].get<std::string>();
  if (type == "proportional") params["partial"] = std::string("proportional");
  if (type == "default" || (type == "proportional" && !given(p, "factor"))) return params;
  params["scaling"] = type == "proportional" ? "linear" : type;
  copy_same(p,
            {"factor", "attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "truncate",
             "short_factor", "long_factor", "low_freq_factor", "high_freq_factor"},
            params);
  const bool dynamic = type == "dynamic";
  copy_param(p, dynamic ? "max_position_embeddings" : "original_max_position_embeddings", params,
             "original_max_position");
  if (type == "yarn" && !given(p, "factor")) params["factor"] = ratio(p);
  // An explicit factor goes before the ratio of the lengths.
  if (type == "longrope" && !given(p, "factor")) copy_param(p, "max_position_embeddings", params, "max_position");
  return params;
}

double tolerance_at(double position) { return position <= 100 ? kNear : position <= 4095 ? kTable : kFar; }

void check_inv_freq(std::span<const double> got, const json& expected) {
  const std::vector<double> wanted = numbers(expected);
  REQUIRE(got.size() == wanted.size());
  for (std::size_t pair = 0; pair < got.size(); ++pair) {
    INFO("pair " << pair << ": got " << got[pair] << ", expected " << wanted[pair]);
    CHECK(std::abs(got[pair] - wanted[pair]) <= 1e-6 * std::abs(wanted[pair]));
  }
}

/// One row of cos or sin. The reference multiplies position and inv_freq in float32, so its angle is off by what its
/// inv_freq is off and by the rounding of two products; the rest is the rounding of cos and of the magnitude.
void check_row(std::span<const float> got, const json& expected, double position, const RotaryFrequencies& ours,
               const json& their_inv_freq) {
  const std::vector<double> wanted = numbers(expected);
  REQUIRE(got.size() == wanted.size());
  for (std::size_t pair = 0; pair < got.size(); ++pair) {
    const double angle_error =
        std::abs(ours.inv_freq[pair] - their_inv_freq[pair].get<double>()) + ours.inv_freq[pair] * 0x1p-23;
    const double tolerance = ours.attention_factor * (position * angle_error + 0x1p-22);
    INFO("position " << position << ", pair " << pair << ": got " << got[pair] << ", expected " << wanted[pair]);
    CHECK(std::abs(static_cast<double>(got[pair]) - wanted[pair]) <= tolerance);
  }
}

/// inv_freq, the magnitude under `magnitude_name`, and cos and sin row by row.
void check_init(const json& c, const Spec& rope, const char* magnitude_name, double seq_len) {
  const json& expected = c["expected"];
  const Encoding encoding = make(rope);
  const RotaryFrequencies frequencies = encoding.rotary->frequencies(seq_len);
  check_inv_freq(frequencies.inv_freq, expected["inv_freq"]);
  CHECK(std::abs(frequencies.attention_factor - expected[magnitude_name].get<double>()) <= 1e-12);
  const Matrix<double> at = golden_positions(expected["positions"]);
  Matrix<float> cos(at.rows(), encoding.rotary->rotary_dim() / 2);
  Matrix<float> sin = cos;
  encoding.rotary->cos_sin({.positions = at.view(), .seq_len = seq_len}, cos.view(), sin.view());
  for (int row = 0; row < at.rows(); ++row) {
    const auto index = static_cast<std::size_t>(row);
    check_row(cos.row(row), expected["cos"][index], at(row, 0), frequencies, expected["inv_freq"]);
    check_row(sin.row(row), expected["sin"][index], at(row, 0), frequencies, expected["inv_freq"]);
  }
}

void check_hf(const json& c) {
  INFO(c["name"]);
  const json& p = c["params"];
  check_init(c, rope_of(p["head_dim"], hf_params(p)), "attention_factor",
             given(p, "seq_len") ? p["seq_len"].get<double>() : 0.0);
}

}  // namespace

TEST_CASE("golden: rope scalings as Hugging Face has them", "[golden][rope]") {
  for (const json& c : golden_cases("rope-init-hf")) check_hf(c);
}

TEST_CASE("golden: rope scalings of well-known models as Hugging Face has them", "[golden][rope]") {
  for (const json& c : golden_cases("rope-init-hf-models")) check_hf(c);
}

TEST_CASE("golden: rope scalings as the authors of YaRN have them", "[golden][rope]") {
  for (const json& c : golden_cases("rope-yarn-original")) {
    INFO(c["name"]);
    const json& p = c["params"];
    const auto function = c["function"].get<std::string>();
    const double seq_len = p.value("seq_len", 0.0);
    Params params{{"theta", p["base"].get<double>()}};
    copy_param(p, "original_max_position_embeddings", params, "original_max_position");
    if (function == "LlamaYaRNScaledRotaryEmbedding") {
      params["scaling"] = std::string("yarn");
      copy_same(p, {"attn_factor", "beta_fast", "beta_slow"}, params);
      copy_param(p, "scale", params, "factor");
      copy_param(p, "extrapolation_factor", params, "ext_factor");
    } else if (function == "LlamaDynamicYaRNScaledRotaryEmbedding") {
      // Its factor follows the length: the window it was made for, or the length beyond that.
      const double original = p["original_max_position_embeddings"].get<double>();
      params["scaling"] = std::string("yarn");
      params["factor"] = std::max(p["max_position_embeddings"].get<double>(), seq_len) / original;
    } else if (function == "LlamaDynamicScaledRotaryEmbedding" && p["ntk"] != false) {
      params["scaling"] = std::string("dynamic");
      copy_param(p, "ntk", params, "factor");
      copy_param(p, "max_position_embeddings", params, "original_max_position");
    } else if (function == "LlamaNTKScaledRotaryEmbedding") {
      params["scaling"] = std::string("ntk");
      copy_param(p, "alpha", params, "factor");
    } else if (function == "LlamaPartNTKScaledRotaryEmbedding") {
      params["scaling"] = std::string("ntk_by_parts");
      copy_param(p, "scale", params, "factor");
    } else {
      // Linear, by a constant or by the length: they divide positions and leave inv_freq, so only cos and sin compare.
      json divided = c;
      const double factor =
          given(p, "scale") ? p["scale"].get<double>() : seq_len / p["max_position_embeddings"].get<double>();
      for (json& frequency : divided["expected"]["inv_freq"]) frequency = frequency.get<double>() / factor;
      params["scaling"] = std::string("linear");
      params["factor"] = factor;
      check_init(divided, rope_of(p["dim"], params), "mscale", seq_len);
      continue;
    }
    check_init(c, rope_of(p["dim"], params), "mscale", seq_len);
  }
}

TEST_CASE("golden: longrope as its authors have it", "[golden][rope]") {
  for (const json& c : golden_cases("rope-longrope-original")) {
    INFO(c["name"]);
    const json& p = c["params"];
    const double original = p["original_max_position_embeddings"];
    const double extended = p["max_position_embeddings"];
    std::vector<double> rescale = numbers(p["rescale_factors"]);
    if (p["class"] == "DynamicLongRoPEScaledRotaryEmbedding") {
      // This class lets the list grow with the length; ours is given the list of that length.
      const double grown = (p["seq_len"].get<double>() - original) / (extended - original);
      for (double& factor : rescale) factor = 1.0 + (factor - 1.0) * grown;
    }
    Params params{{"scaling", "longrope"},    {"theta", p["base"].get<double>()}, {"original_max_position", original},
                  {"max_position", extended}, {"short_factor", rescale},          {"long_factor", rescale}};
    const auto policy = p["magnitude_scaling_policy"].get<std::string>();
    if (policy == "yarn") params["attention_factor"] = yarn_magnitude(extended / original);
    if (policy == "1.25") params["attention_factor"] = 1.25;
    check_init(c, rope_of(p["dim"], params), "mscale", p["seq_len"].get<double>());
  }
}

TEST_CASE("golden: YaRN as DeepSeek's own code has it, with the magnitude on the logit", "[golden][rope]") {
  for (json c : golden_cases("rope-deepseek-official")) {
    INFO(c["name"]);
    const json& p = c["params"];
    Params params{{"scaling", "yarn_deepseek"}, {"layout", "interleaved"}};
    copy_same(p, {"beta_fast", "beta_slow", "mscale"}, params);
    copy_param(p, "rope_theta", params, "theta");
    copy_param(p, "rope_factor", params, "factor");
    copy_param(p, "original_seq_len", params, "original_max_position");
    copy_param(p, "max_seq_len", params, "max_position");
    const Spec rope = spec("rope", dims_of(c), params);
    const double scale = 1.0 / std::sqrt(p["dim"].get<double>());
    CHECK(std::abs(make(rope).rotary->logit_factor() * scale - p["softmax_scale"].get<double>()) < 1e-15);
    c["params"]["softmax_scale"] = scale;  // the rest comes from logit_factor()
    check_rotary(c, rope);
  }
}

TEST_CASE("golden: YaRN as DeepSeek-V3 in Hugging Face has it", "[golden][rope]") {
  for (json c : golden_cases("rope-apply-deepseek-v3")) {
    Params params = hf_params(c["params"]);
    params["layout"] = std::string("interleaved_to_half");
    if (params.contains("scaling")) {
      params["scaling"] = std::string("yarn_deepseek");
      copy_param(c["params"], "max_position_embeddings", params, "max_position");
    }
    const Spec rope = spec("rope", dims_of(c), params);
    const double scale = 1.0 / std::sqrt(c["params"]["head_dim"].get<double>());
    CHECK(std::abs(make(rope).rotary->logit_factor() * scale - c["params"]["softmax_scale"].get<double>()) < 1e-15);
    c["params"]["softmax_scale"] = scale;
    check_rotary(c, rope);
  }
}

TEST_CASE("golden: rope as DeepSeek-V2 in Hugging Face has it", "[golden][rope]") {
  for (const json& c : golden_cases("rope-apply-deepseek-v2")) {
    Params params = hf_params(c["params"]);
    params["layout"] = std::string("interleaved");
    check_rotary(c, spec("rope", dims_of(c), params));
  }
}

TEST_CASE("golden: rope as GLM has it", "[golden][rope]") {
  for (const json& c : golden_cases("rope-apply-glm")) {
    const double rotary_dim =
        c["params"]["head_dim"].get<double>() * c["params"]["partial_rotary_factor"].get<double>();
    const Params params{
        {"layout", "interleaved"}, {"theta", c["params"]["rope_theta"].get<double>()}, {"rotary_dim", rotary_dim}};
    check_rotary(c, spec("rope", dims_of(c), params));
  }
}

TEST_CASE("golden: scaled rope as Llama has it", "[golden][rope]") {
  int checked = 0;
  for (const json& c : golden_cases("rope-apply-llama")) {
    if (c["params"]["rope_type"] == "default") continue;
    check_rotary(c, spec("rope", dims_of(c), hf_params(c["params"])));
    ++checked;
  }
  CHECK(checked == 3);
}

TEST_CASE("golden: scaled rope as Meta's Llama has it", "[golden][rope]") {
  int checked = 0;
  for (const json& c : golden_cases("rope-meta-llama")) {
    INFO(c["name"]);
    const json& p = c["params"];
    Params params{{"scaling", "llama3"},
                  {"layout", "interleaved"},
                  {"theta", p["rope_theta"].get<double>()},
                  {"factor", 8.0},
                  {"original_max_position", 8192.0}};
    if (!c.contains("inputs")) {
      copy_same(p, {"low_freq_factor", "high_freq_factor"}, params);
      copy_param(p, "scale_factor", params, "factor");
      copy_param(p, "old_context_len", params, "original_max_position");
      check_inv_freq(make(rope_of(p["dim"], params)).rotary->frequencies(0).inv_freq, c["expected"]["inv_freq"]);
    } else if (p["use_scaled"] == true) {
      check_rotary(c, spec("rope", dims_of(c), params));
    } else {
      continue;
    }
    ++checked;
  }
  CHECK(checked == 4);
}

TEST_CASE("golden: scaled rope as rotary-embedding-torch has it", "[golden][rope]") {
  int checked = 0;
  for (const json& c : golden_cases("rope-lucidrains")) {
    const json& p = c["params"];
    const double rescale = p["theta_rescale_factor"];
    const double interpolate = p["interpolate_factor"];
    if (rescale == 1.0 && interpolate == 1.0) continue;
    Params params{{"layout", "interleaved"},
                  {"theta", p["theta"].get<double>()},
                  {"scaling", rescale == 1.0 ? "linear" : "ntk"},
                  {"factor", rescale == 1.0 ? interpolate : rescale}};
    check_rotary(c, spec("rope", dims_of(c), params));
    ++checked;
  }
  CHECK(checked == 2);
}

TEST_CASE("golden: scaled rope as ggml has it", "[golden][rope]") {
  int checked = 0;
  for (const json& c : golden_cases("rope-ggml")) {
    const json& p = c["params"];
    if (p["mode"] != "NORMAL" && p["mode"] != "NEOX") continue;  // several axes
    INFO(c["name"]);
    Params params{{"layout", p["mode"] == "NORMAL" ? "interleaved" : "half"}};
    copy_param(p, "freq_base", params, "theta");
    copy_param(p, "n_dims", params, "rotary_dim");
    if (given(p, "freq_factors")) {
      params["scaling"] = std::string("longrope");
      copy_param(p, "freq_factors", params, "short_factor");
      copy_param(p, "attn_factor", params, "attention_factor");
      params["original_max_position"] = 1e8;
    } else {
      params["scaling"] = std::string("yarn_ggml");
      copy_same(p, {"freq_scale", "ext_factor", "attn_factor"}, params);
      if (p["ext_factor"] != 0.0) {
        copy_same(p, {"beta_fast", "beta_slow"}, params);
        copy_param(p, "n_ctx_orig", params, "original_max_position");
      }
    }
    const Encoding encoding = make(rope_of(p["head_dim"], params));
    const Matrix<double> at = golden_positions(c["inputs"]["positions"]);
    const double heads = p["heads"];
    for (int row = 0; row < at.rows(); ++row) {
      for (std::size_t head = 0; head < static_cast<std::size_t>(heads); ++head) {
        INFO("position " << at(row, 0) << ", head " << head);
        const auto index = static_cast<std::size_t>(row);
        Matrix<float> x = golden_matrix(json::array({c["inputs"]["x"][index][head]}));
        const Matrix<double> here = positions({at(row, 0)});
        rotate(*encoding.rotary, {.positions = here.view()}, x.view());
        // ggml multiplies angles up in float32: up to 1.2e-2 of cos at 131071. Inputs reach 3.
        const double tolerance = at(row, 0) > 4095 ? 1.5e-2 : tolerance_at(at(row, 0));
        check_close(x.all(), c["expected"]["out"][index][head], 3 * tolerance);
      }
    }
    ++checked;
  }
  CHECK(checked == 16);
}

TEST_CASE("golden: Hugging Face's own memory of longer sequences is not ours", "[golden][rope]") {
  for (const json& c : golden_cases("rope-stateful-hf")) {
    INFO(c["name"]);
    const json& p = c["params"];
    const Encoding encoding = make(rope_of(p["head_dim"], hf_params(p)));
    for (std::size_t call = 0; call < c["expected"]["calls"].size(); ++call) {
      INFO("call " << call);
      const json& expected = c["expected"]["calls"][call];
      const Matrix<double> at = golden_positions(expected["positions"]);
      const RotaryFrequencies got = encoding.rotary->frequencies(length_of(at.view()));
      CHECK(std::abs(got.attention_factor - expected["attention_scaling"].get<double>()) < 1e-12);
      if (p["rope_type"] == "dynamic" && call == 2) {
        // 51 tokens after 64: there the base of 64 stays, here it is the base of 51.
        std::vector<double> own(4);
        inv_freq(dynamic_ntk_theta(10000, 2, 32, 51, 8), 8, own);
        check_close<double, double>(got.inv_freq, own, 0.0);
        CHECK(std::abs(got.inv_freq[3] / expected["inv_freq"][3].get<double>() - 1.0) > 0.3);
      } else {
        check_inv_freq(got.inv_freq, expected["inv_freq"]);
      }
    }
  }
}
