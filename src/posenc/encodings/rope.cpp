/// Rotary position embedding (RoPE): each pair of channels of q and k turns by position * inv_freq[pair].
///
///   inv_freq[i] = theta^(-2i / rotary_dim);  only the first rotary_dim channels turn, the rest passes through
///   half:                [a a b b]  pairs (i, i + rotary_dim / 2)
///   interleaved:         [a b a b]  pairs (2i, 2i + 1)
///   interleaved_to_half: [a b a b] in, [a a b b] out
///
/// The same weights do not work across the layouts. `scaling` changes inv_freq, and may add a magnitude, for sequences
/// longer than those of training; the formulas stand in posenc/rope.hpp, the users of each beside its choice below.
///
/// Lengths: `dynamic` and `longrope` look at the actual length of the sequence, one for q and k, and nothing else. Two
/// things that Hugging Face does are left out on purpose: its dynamic scaling remembers the longest sequence so far,
/// and its YaRN ramp runs backwards where the edges cross (see yarn_inv_freq).
///
/// @source Su et al. 2021, arXiv:2104.09864, section 3.2; layouts: half in LLaMA (Hugging Face), GPT-NeoX, Qwen;
///         interleaved in GPT-J, RoFormer, GLM, Meta's own Llama; interleaved_to_half in DeepSeek-V3 (Hugging Face)

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "posenc/angles.hpp"
#include "posenc/error.hpp"
#include "posenc/rope.hpp"

#include "encodings/define.hpp"
#include "encodings/registry.hpp"
#include "kernels/kernels.hpp"

namespace posenc {
namespace {

constexpr std::array kLayouts{
    Choice{"half", "half", "channel i pairs with i + rotary_dim / 2 (LLaMA, GPT-NeoX, Qwen)"},
    Choice{"interleaved", "interleaved", "channel 2i pairs with 2i + 1 (GPT-J, RoFormer, GLM)"},
    Choice{"interleaved_to_half", "interleaved → half",
           "channel 2i pairs with 2i + 1, and the result is stored in halves (DeepSeek-V3 in Hugging Face)"},
};

enum class Partial { rotary_dim, proportional };

constexpr std::array kPartials{
    Choice{"rotary_dim", "narrow head", "exponents count in the rotary width, the rest passes through (GPT-NeoX, GLM)"},
    Choice{"proportional", "slow pairs stand still",
           "exponents and partners as in the whole head; pairs beyond the rotary width have frequency 0 (Hugging Face "
           "proportional)"},
};

enum class Scaling { none, linear, ntk, dynamic, ntk_by_parts, yarn, yarn_deepseek, yarn_ggml, longrope, llama3 };

constexpr std::array kScalings{
    Choice{"none", "none", "as trained"},
    Choice{"linear", "linear", "position interpolation: every pair slows down by the factor (Gemma 3, LongChat)"},
    Choice{"ntk", "NTK-aware", "a larger base: pair 0 keeps its speed, the last pair slows down by the factor"},
    Choice{"dynamic", "dynamic NTK",
           "nothing until the trained window is passed, then a base that grows with the length (Hugging Face dynamic)"},
    Choice{"ntk_by_parts", "NTK by parts", "the forerunner of YaRN: plain, NTK-aware and linear by speed (jquesnelle)"},
    Choice{"yarn", "YaRN",
           "at every length: fast pairs stay, slow ones slow down, and a magnitude on cos and sin (Qwen2.5, gpt-oss)"},
    Choice{"yarn_deepseek", "YaRN, DeepSeek", "the magnitude multiplies the logit instead (DeepSeek-V3)"},
    Choice{"yarn_ggml", "YaRN, ggml", "with the parameters of ggml and llama.cpp; ext_factor 0 is linear scaling"},
    Choice{"longrope", "LongRoPE",
           "a number of its own for each pair, one list within the trained window and one beyond (Phi-3)"},
    Choice{"llama3", "Llama 3", "fast pairs stay, slow ones slow down, without a magnitude (Llama 3.1 to 3.3)"},
};

struct RopeParams {
  PairLayout layout = PairLayout::half;
  double theta = 10000.0;
  std::optional<int> rotary_dim;
  Partial partial = Partial::rotary_dim;
  Scaling scaling = Scaling::none;
  double factor = 4.0;
  int original_max_position = 2048;
  std::optional<int> max_position;
  double beta_fast = 32.0;
  double beta_slow = 1.0;
  bool truncate = true;
  std::optional<double> attention_factor;
  std::optional<double> mscale;
  std::optional<double> mscale_all_dim;
  std::vector<double> short_factor;
  std::vector<double> long_factor;
  double low_freq_factor = 1.0;
  double high_freq_factor = 4.0;
  double freq_scale = 0.25;
  double ext_factor = 1.0;
  double attn_factor = 1.0;
};

constexpr std::array kFields{
    field<&RopeParams::layout>({
        .name = "layout",
        .label = "Pair layout",
        .doc = "Which two channels turn together.",
        .choices = kLayouts,
    }),
    field<&RopeParams::theta>({
        .name = "theta",
        .label = "Base θ",
        .doc = "Pair 0 turns by one radian per token, the last pair by about 1/θ.",
        .min = 1.0,
        .max = 1e10,
        .log_scale = true,
    }),
    field<&RopeParams::rotary_dim>({
        .name = "rotary_dim",
        .label = "Rotary width",
        .unit = "channels",
        .doc = "Channels of a head that turn; the rest knows no position.",
        .min = 2,
        .multiple_of = 2,
        .default_from = DimName::head_dim,
        .max_from = DimName::head_dim,
    }),
    field<&RopeParams::partial>({
        .name = "partial",
        .label = "Rest of the head",
        .doc = "What a rotary width below the head's means for the pairs.",
        .choices = kPartials,
    }),
    field<&RopeParams::scaling>({
        .name = "scaling",
        .label = "Long-context scaling",
        .doc = "How frequencies change for sequences longer than in training.",
        .choices = kScalings,
    }),
    field<&RopeParams::factor>({
        .name = "factor",
        .label = "Factor",
        .doc = "How many times longer the sequences are than in training.",
        .min = 0.1,
        .max = 1024,
        .log_scale = true,
        .only_with = {"scaling", "linear ntk dynamic ntk_by_parts yarn yarn_deepseek longrope llama3"},
    }),
    field<&RopeParams::original_max_position>({
        .name = "original_max_position",
        .label = "Trained window",
        .unit = "tokens",
        .doc = "Longest sequence that the model was trained on.",
        .min = 2,
        .max = 1e8,
        .log_scale = true,
        .only_with = {"scaling", "dynamic ntk_by_parts yarn yarn_deepseek yarn_ggml longrope llama3"},
    }),
    field<&RopeParams::max_position>({
        .name = "max_position",
        .label = "Extended window",
        .unit = "tokens",
        .doc =
            "Longest sequence after the extension. LongRoPE takes its magnitude from the ratio to the trained window, "
            "and DeepSeek scales only if it is longer; left out: factor times the trained window.",
        .min = 1,
        .max = 1e9,
        .log_scale = true,
        .only_with = {"scaling", "longrope yarn_deepseek"},
    }),
    field<&RopeParams::beta_fast>({
        .name = "beta_fast",
        .label = "Fast pairs",
        .unit = "rotations",
        .doc = "Pairs that turn more often than this within the trained window stay as they are.",
        .min = 0.01,
        .max = 10000,
        .log_scale = true,
        .only_with = {"scaling", "yarn yarn_deepseek yarn_ggml"},
    }),
    field<&RopeParams::beta_slow>({
        .name = "beta_slow",
        .label = "Slow pairs",
        .unit = "rotations",
        .doc = "Pairs that turn less often than this within the trained window slow down by the whole factor.",
        .min = 0.01,
        .max = 32,
        .log_scale = true,
        .only_with = {"scaling", "yarn yarn_deepseek yarn_ggml"},
    }),
    field<&RopeParams::truncate>({
        .name = "truncate",
        .label = "Whole pairs",
        .doc = "Rounds the edges between fast and slow outwards to whole pairs; off in gpt-oss.",
        .only_with = {"scaling", "yarn"},
    }),
    field<&RopeParams::attention_factor>({
        .name = "attention_factor",
        .label = "Magnitude",
        .doc = "Replaces the magnitude on cos and sin that is computed when this is left out.",
        .min = 0.01,
        .max = 100,
        .log_scale = true,
        .only_with = {"scaling", "yarn longrope"},
    }),
    field<&RopeParams::mscale>({
        .name = "mscale",
        .label = "mscale",
        .doc =
            "Weight of the magnitude's logarithm. YaRN reads it only together with mscale_all_dim, neither of them 0; "
            "left out in DeepSeek's: 1.",
        .min = 0,
        .max = 10,
        .only_with = {"scaling", "yarn yarn_deepseek"},
    }),
    field<&RopeParams::mscale_all_dim>({
        .name = "mscale_all_dim",
        .label = "mscale of all channels",
        .doc = "Divides the magnitude on cos and sin by its own; in DeepSeek's that one goes to the logit, squared; "
               "left out there: mscale.",
        .min = 0,
        .max = 10,
        .only_with = {"scaling", "yarn yarn_deepseek"},
    }),
    field<&RopeParams::short_factor>({
        .name = "short_factor",
        .label = "Short list",
        .doc = "Each pair is slowed down by its number while the sequence fits the trained window; empty: all 1.",
        .min = 0.1,
        .max = 1e6,
        .only_with = {"scaling", "longrope"},
    }),
    field<&RopeParams::long_factor>({
        .name = "long_factor",
        .label = "Long list",
        .doc = "The same for longer sequences, and then for all their tokens; empty: all 1.",
        .min = 0.1,
        .max = 1e6,
        .only_with = {"scaling", "longrope"},
    }),
    field<&RopeParams::low_freq_factor>({
        .name = "low_freq_factor",
        .label = "Slow pairs",
        .unit = "rotations",
        .doc = "Pairs that turn less often than this within the trained window slow down by the whole factor.",
        .min = 0.01,
        .max = 4,
        .log_scale = true,
        .only_with = {"scaling", "llama3"},
    }),
    field<&RopeParams::high_freq_factor>({
        .name = "high_freq_factor",
        .label = "Fast pairs",
        .unit = "rotations",
        .doc = "Pairs that turn more often than this within the trained window stay as they are.",
        .min = 0.01,
        .max = 10000,
        .log_scale = true,
        .only_with = {"scaling", "llama3"},
    }),
    field<&RopeParams::freq_scale>({
        .name = "freq_scale",
        .label = "Frequency scale",
        .doc = "ggml's name for 1 / factor.",
        .min = 1.0 / 1024,
        .max = 10,
        .log_scale = true,
        .only_with = {"scaling", "yarn_ggml"},
    }),
    field<&RopeParams::ext_factor>({
        .name = "ext_factor",
        .label = "Extrapolation",
        .doc = "How much of their speed fast pairs keep: 1 all of it, 0 none (linear scaling).",
        .min = 0,
        .max = 1,
        .only_with = {"scaling", "yarn yarn_ggml"},
    }),
    field<&RopeParams::attn_factor>({
        .name = "attn_factor",
        .label = "Magnitude ×",
        .doc = "Multiplies the magnitude on cos and sin.",
        .min = 0.01,
        .max = 100,
        .log_scale = true,
        .only_with = {"scaling", "yarn yarn_ggml"},
    }),
};

/// How wide the rotation is. `pairs` turn; with Partial::proportional the others up to rotary_dim / 2 stand still.
struct Width {
  int rotary_dim;
  int exponent_dim;
  std::size_t pairs;
};

Width width_of(const RopeParams& params, const Dims& dims) {
  const int turning = params.rotary_dim.value_or(dims.head_dim);
  const int rotary_dim = params.partial == Partial::proportional ? dims.head_dim : turning;
  return {rotary_dim, rotary_dim, static_cast<std::size_t>(turning) / 2};
}

double extended(const RopeParams& params) {
  return params.max_position ? static_cast<double>(*params.max_position) / params.original_max_position : params.factor;
}

/// DeepSeek's own code leaves everything plain unless the window is extended.
bool deepseek_scales(const RopeParams& params) { return extended(params) > 1.0; }

YarnParams yarn_of(const RopeParams& params) {
  return {.theta = params.theta,
          .factor = params.scaling == Scaling::yarn_ggml ? 1.0 / params.freq_scale : params.factor,
          .original_max_position = static_cast<double>(params.original_max_position),
          .beta_fast = params.beta_fast,
          .beta_slow = params.beta_slow,
          .truncate = params.truncate,
          .ext_factor = params.ext_factor};
}

void fill_longrope(const RopeParams& params, double seq_len, int exponent_dim, std::span<double> out) {
  const std::vector<double>& rescale =
      seq_len > params.original_max_position ? params.long_factor : params.short_factor;
  if (rescale.empty()) return inv_freq(params.theta, exponent_dim, out);
  longrope_inv_freq(params.theta, rescale, exponent_dim, out);
}

/// Frequencies of the pairs that turn.
void fill_inv_freq(const RopeParams& params, double seq_len, int exponent_dim, std::span<double> out) {
  const double original = params.original_max_position;
  switch (params.scaling) {
    case Scaling::none:
      return inv_freq(params.theta, exponent_dim, out);
    case Scaling::linear:
      return linear_inv_freq(params.theta, params.factor, exponent_dim, out);
    case Scaling::ntk:
      return inv_freq(ntk_theta(params.theta, params.factor, exponent_dim), exponent_dim, out);
    case Scaling::dynamic:
      return inv_freq(dynamic_ntk_theta(params.theta, params.factor, original, seq_len, exponent_dim), exponent_dim,
                      out);
    case Scaling::ntk_by_parts:
      return ntk_by_parts_inv_freq(params.theta, params.factor, original, exponent_dim, out);
    case Scaling::yarn_deepseek:
      if (!deepseek_scales(params)) return inv_freq(params.theta, exponent_dim, out);
      return yarn_inv_freq(yarn_of(params), exponent_dim, out);
    case Scaling::yarn:
    case Scaling::yarn_ggml:
      return yarn_inv_freq(yarn_of(params), exponent_dim, out);
    case Scaling::longrope:
      return fill_longrope(params, seq_len, exponent_dim, out);
    case Scaling::llama3:
      return llama3_inv_freq({.theta = params.theta,
                              .factor = params.factor,
                              .original_max_position = original,
                              .low_freq_factor = params.low_freq_factor,
                              .high_freq_factor = params.high_freq_factor},
                             exponent_dim, out);
  }
}

/// Magnitude on cos and sin.
double magnitude_of(const RopeParams& params) {
  switch (params.scaling) {
    case Scaling::yarn:
      return params.attn_factor * params.attention_factor.value_or(yarn_attention_factor(
                                      params.factor, params.mscale.value_or(0.0), params.mscale_all_dim.value_or(0.0)));
    case Scaling::yarn_deepseek:
      if (!deepseek_scales(params) || !params.mscale_all_dim) return 1.0;
      return yarn_attention_factor(params.factor, params.mscale.value_or(1.0), *params.mscale_all_dim);
    case Scaling::yarn_ggml:
      return ggml_attention_factor(params.freq_scale, params.ext_factor, params.attn_factor);
    case Scaling::longrope:
      return params.attention_factor.value_or(
          longrope_attention_factor(extended(params), params.original_max_position));
    default:
      return 1.0;
  }
}

double logit_factor_of(const RopeParams& params) {
  if (params.scaling != Scaling::yarn_deepseek || !deepseek_scales(params)) return 1.0;
  const double magnitude = yarn_magnitude(params.factor, params.mscale_all_dim.value_or(params.mscale.value_or(1.0)));
  return magnitude * magnitude;
}

class RopeRotation final : public RotatesQk {
 public:
  RopeRotation(RopeParams params, const Width& width)
      : params_(std::move(params)),
        width_(width),
        magnitude_(magnitude_of(params_)),
        logit_factor_(logit_factor_of(params_)),
        in_window_(computed(0.0)) {}

  [[nodiscard]] int rotary_dim() const override { return width_.rotary_dim; }
  [[nodiscard]] PairLayout layout() const override { return params_.layout; }
  [[nodiscard]] double logit_factor() const override { return logit_factor_; }

  [[nodiscard]] RotaryFrequencies frequencies(double seq_len) const override {
    return {.inv_freq = inv_freq_at(seq_len), .attention_factor = magnitude_};
  }

  void cos_sin(const RotaryQuery& query, MatrixView<float> cos, MatrixView<float> sin) const override {
    const std::vector<double> frequencies = inv_freq_at(query.seq_len);
    const double farthest = kMaxPosition / std::max(1.0, *std::ranges::max_element(frequencies));
    const std::span<const double> positions = query.positions.all();
    for (const double position : positions) check(position, farthest);
    cos_sin_table(positions, frequencies, {cos}, {sin});
    magnify(cos);
    magnify(sin);
  }

 private:
  [[nodiscard]] std::vector<double> inv_freq_at(double seq_len) const {
    const bool by_length = params_.scaling == Scaling::dynamic || params_.scaling == Scaling::longrope;
    return by_length && seq_len > params_.original_max_position ? computed(seq_len) : in_window_;
  }

  [[nodiscard]] std::vector<double> computed(double seq_len) const {
    std::vector<double> frequencies(static_cast<std::size_t>(width_.rotary_dim) / 2);
    fill_inv_freq(params_, seq_len, width_.exponent_dim, std::span(frequencies).first(width_.pairs));
    return frequencies;
  }

  /// Angles are exact up to kMaxPosition radians; a scaling may turn pairs faster than one radian per token.
  static void check(double position, double farthest) {
    if (std::abs(position) <= farthest) return;
    fail(ErrorCode::position_out_of_range, "rope", "positions",
         "be from " + to_text(-farthest) + " to " + to_text(farthest) + " under this scaling", to_text(position));
  }

  void magnify(MatrixView<float> table) const {
    if (magnitude_ == 1.0) return;
    for (float& value : table.all()) value = static_cast<float>(magnitude_ * static_cast<double>(value));
  }

  RopeParams params_;
  Width width_;
  double magnitude_;
  double logit_factor_;
  std::vector<double> in_window_;
};

[[noreturn]] void refuse(ErrorCode code, const char* name, std::string rule, std::string value) {
  fail(code, "rope", name, std::move(rule), std::move(value));
}

void check_order(const char* low_name, double low, const char* high_name, double high) {
  if (low <= high) return;
  refuse(ErrorCode::out_of_range, high_name, std::string("be at least ") + low_name + " (" + to_text(low) + ")",
         to_text(high));
}

void check_list(const char* name, const std::vector<double>& list, std::size_t pairs) {
  if (list.empty() || list.size() == pairs) return;
  refuse(ErrorCode::shape_mismatch, name, "have " + std::to_string(pairs) + " numbers (rotary_dim / 2), or none",
         std::to_string(list.size()));
}

void check_rules(const RopeParams& params, const Dims& dims) {
  const bool whole_head = !params.rotary_dim.has_value() || params.partial == Partial::proportional;
  if (whole_head && dims.head_dim % 2 != 0) {
    refuse(ErrorCode::out_of_range, "dims.head_dim",
           params.partial == Partial::proportional ? "be even with partial proportional"
                                                   : "be even, or rotary_dim be given",
           std::to_string(dims.head_dim));
  }
  check_order("beta_slow", params.beta_slow, "beta_fast", params.beta_fast);
  check_order("low_freq_factor", params.low_freq_factor, "high_freq_factor", params.high_freq_factor);
  const bool has_ramp = params.scaling >= Scaling::ntk_by_parts && params.scaling <= Scaling::yarn_ggml;
  if (has_ramp && params.theta <= 1.0) {
    refuse(ErrorCode::out_of_range, "theta",
           "be more than 1 with scaling " + std::string(kScalings[static_cast<std::size_t>(params.scaling)].id),
           to_text(params.theta));
  }
}

Encoding make_rope(const RopeParams& params, const Dims& dims) {
  check_rules(params, dims);
  const Width width = width_of(params, dims);
  check_list("short_factor", params.short_factor, width.pairs);
  check_list("long_factor", params.long_factor, width.pairs);
  return {.rotary = std::make_unique<RopeRotation>(params, width)};
}

}  // namespace

constexpr EncodingInfo kRope = define<kFields, make_rope>({
    .id = "rope",
    .name = "RoPE",
    .family = Family::rotated,
    .seams = Seam::rotary,
    .authors = "Su et al.",
    .year = 2021,
    .url = "https://arxiv.org/abs/2104.09864",
    .summary =
        "Turns q and k by an angle that grows with position, so that their product depends on the distance only.",
});

}  // namespace posenc
