/// Rotary position embedding (RoPE): each pair of channels of q and k turns by position * inv_freq[pair].
///
///   inv_freq[i] = theta^(-2i / rotary_dim);  only the first rotary_dim channels turn, the rest passes through
///   half:        [a a b b]  pairs (i, i + rotary_dim / 2)
///   interleaved: [a b a b]  pairs (2i, 2i + 1)
///
/// The same weights do not work across the two layouts.
///
/// @source Su et al. 2021, arXiv:2104.09864, section 3.2; layouts: half in LLaMA (Hugging Face), GPT-NeoX, Qwen;
///         interleaved in GPT-J, RoFormer, GLM, Meta's own Llama

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

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
};

struct RopeParams {
  PairLayout layout = PairLayout::half;
  double theta = 10000.0;
  std::optional<int> rotary_dim;
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
        .max = 1e8,
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
};

class RopeRotation final : public RotatesQk {
 public:
  RopeRotation(const RopeParams& params, int rotary_dim)
      : layout_(params.layout), inv_freq_(static_cast<std::size_t>(rotary_dim) / 2) {
    inv_freq(params.theta, rotary_dim, inv_freq_);
  }

  [[nodiscard]] int rotary_dim() const override { return static_cast<int>(2 * inv_freq_.size()); }
  [[nodiscard]] PairLayout layout() const override { return layout_; }

  void cos_sin(const RotaryQuery& query, MatrixView<float> cos, MatrixView<float> sin) const override {
    std::vector<double> angles(inv_freq_.size());
    for (int token = 0; token < query.positions.rows(); ++token) {
      const double position = query.positions(token, 0);
      for (std::size_t pair = 0; pair < angles.size(); ++pair) angles[pair] = position * inv_freq_[pair];
      kernels::best.sin_cos(angles, sin.row(token), cos.row(token));
    }
  }

 private:
  PairLayout layout_;
  std::vector<double> inv_freq_;
};

Encoding make_rope(const RopeParams& params, const Dims& dims) {
  if (!params.rotary_dim.has_value() && dims.head_dim % 2 != 0) {
    throw Error({ErrorCode::out_of_range, "rope", "dims.head_dim", "be even, or rotary_dim be given",
                 std::to_string(dims.head_dim)});
  }
  return {.rotary = std::make_unique<RopeRotation>(params, params.rotary_dim.value_or(dims.head_dim))};
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
