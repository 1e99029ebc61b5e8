/// M-RoPE: RoPE over three axes, time, height and width; each pair turns along one of them. Text has the same position
/// on all three, which makes it plain RoPE.
///
///   inv_freq[i] = theta^(-2i / rotary_dim), one series over all pairs; angle[i] = position[axis[i]] * inv_freq[i]
///   half:        [a a b b]  pairs (i, i + rotary_dim / 2)   (Qwen)
///   interleaved: [a b a b]  pairs (2i, 2i + 1)              (GLM-4.1V, which turns half of the head)
///
///   contiguous:       T T .. H H .. W W ..   time has the fast pairs                (Qwen2-VL, GLM-4.1V, ggml MROPE)
///   interleaved:      T H W T H W .. T T     every axis has fast and slow pairs     (Qwen3-VL)
///   interleaved_ggml: T H W T H W ..         pairs after the last of their axis read a fourth row of positions,
///                                            which is 0 here, so they do not turn   (ggml IMROPE)
///
/// A picture stands at one time; its patches have the time, and time + row, time + column as height and width. Which
/// positions the tokens of a prompt get: multimodal_positions().
///
/// @source Wang et al. 2024, arXiv:2409.12191, section 2.1; ggml-cpu/ops.cpp, ggml_mrope_cache_init;
///         Hugging Face transformers: qwen2_vl, apply_multimodal_rotary_pos_emb ([16, 24, 24] of 64 pairs),
///         qwen3_vl, apply_interleaved_mrope ([24, 20, 20]), glm4v

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "posenc/error.hpp"
#include "posenc/rope.hpp"

#include "encodings/define.hpp"
#include "encodings/registry.hpp"

namespace posenc {
namespace {

enum class Order { contiguous, interleaved, interleaved_ggml };

constexpr std::array kOrders{
    Choice{"contiguous", "T..H..W..",
           "time has the fast pairs, then height, then width (Qwen2-VL, GLM-4.1V, ggml MROPE)"},
    Choice{"interleaved", "THWTHW..", "the axes take turns, time has what is left (Qwen3-VL)"},
    Choice{"interleaved_ggml", "THWTHW.., ggml", "the axes take turns, what is left does not turn (ggml IMROPE)"},
};

constexpr std::array kLayouts{
    Choice{"half", "half", "channel i pairs with i + rotary_dim / 2 (Qwen2-VL, Qwen3-VL, ggml)"},
    Choice{"interleaved", "interleaved", "channel 2i pairs with 2i + 1 (GLM-4.1V)"},
};

struct MropeParams {
  Order order = Order::contiguous;
  PairLayout layout = PairLayout::half;
  std::vector<double> mrope_section = {};
  double theta = 10000.0;
  std::optional<int> rotary_dim;
};

constexpr std::array kFields{
    field<&MropeParams::order>({
        .name = "order",
        .label = "Order of axes",
        .doc = "Which axis each pair turns along.",
        .choices = kOrders,
    }),
    field<&MropeParams::layout>({
        .name = "layout",
        .label = "Pair layout",
        .doc = "Which two channels turn together.",
        .choices = kLayouts,
    }),
    field<&MropeParams::mrope_section>({
        .name = "mrope_section",
        .label = "Pairs of each axis",
        .unit = "pairs",
        .doc = "Time, height, width; empty: shared as in Qwen2-VL (2:3:3), interleaved as in Qwen3-VL (6:5:5).",
        .min = 0,
        .max = 65536,
    }),
    field<&MropeParams::theta>({
        .name = "theta",
        .label = "Base θ",
        .doc = "Pair 0 turns by one radian per token, the last pair by about 1/θ (10⁶ in Qwen2-VL, 5·10⁶ in Qwen3-VL).",
        .min = 1.0,
        .max = 1e10,
        .log_scale = true,
    }),
    field<&MropeParams::rotary_dim>({
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

/// Pairs of time, height and width.
using Section = std::array<int, 3>;

Section shared_as_in_qwen(Order order, int n_pairs) {
  const int each = order == Order::contiguous ? 3 * n_pairs / 8 : 5 * n_pairs / 16;
  return {n_pairs - 2 * each, each, each};
}

[[noreturn]] void refuse(ErrorCode code, std::string rule, const std::vector<double>& section) {
  std::string given;
  for (const double pairs : section) given += (given.empty() ? "[" : ", ") + to_text(pairs);
  fail(code, "mrope", "mrope_section", std::move(rule), given + "]");
}

Section given_section(Order order, const std::vector<double>& given, int n_pairs) {
  if (given.size() != 3) refuse(ErrorCode::shape_mismatch, "have 3 numbers: time, height, width", given);
  double sum = 0.0;
  for (const double pairs : given) {
    if (pairs != std::floor(pairs)) refuse(ErrorCode::out_of_range, "be whole numbers", given);
    sum += pairs;
  }
  if (sum != n_pairs) {
    refuse(ErrorCode::out_of_range, "add up to " + std::to_string(n_pairs) + " (rotary_dim / 2)", given);
  }
  const Section section{static_cast<int>(given[0]), static_cast<int>(given[1]), static_cast<int>(given[2])};
  // The last pairs of height and width are 3 * (height - 1) + 1 and 3 * (width - 1) + 2.
  if (order != Order::contiguous && (3 * section[1] - 2 >= n_pairs || 3 * section[2] - 1 >= n_pairs)) {
    refuse(ErrorCode::out_of_range, "give height and width no more than every third pair", given);
  }
  return section;
}

/// Of a pair that turns along no axis: axis 0 with frequency 0.
constexpr int kNoAxis = -1;

int axis_of(int pair, Order order, const Section& section) {
  if (order == Order::contiguous) return pair < section[0] ? 0 : pair < section[0] + section[1] ? 1 : 2;
  const int axis = pair % 3;
  if (pair < 3 * section[static_cast<std::size_t>(axis)]) return axis;
  return order == Order::interleaved ? 0 : kNoAxis;
}

class MropeRotation final : public RotatesQk {
 public:
  MropeRotation(const MropeParams& params, int rotary_dim) : layout_(params.layout) {
    const int n_pairs = rotary_dim / 2;
    const Section section = params.mrope_section.empty() ? shared_as_in_qwen(params.order, n_pairs)
                                                         : given_section(params.order, params.mrope_section, n_pairs);
    std::vector<double> frequencies(static_cast<std::size_t>(n_pairs));
    inv_freq(params.theta, rotary_dim, frequencies);
    for (int pair = 0; pair < n_pairs; ++pair) {
      const int axis = axis_of(pair, params.order, section);
      pairs_.push_back(axis == kNoAxis ? AxisPair{} : AxisPair{axis, frequencies[static_cast<std::size_t>(pair)]});
    }
  }

  [[nodiscard]] int rotary_dim() const override { return static_cast<int>(2 * pairs_.size()); }
  [[nodiscard]] PairLayout layout() const override { return layout_; }

  [[nodiscard]] RotaryFrequencies frequencies(double /*seq_len*/) const override {
    return {.inv_freq = inv_freq_of(pairs_)};
  }

  void cos_sin(const RotaryQuery& query, MatrixView<float> cos, MatrixView<float> sin) const override {
    turn(query.positions, pairs_, cos, sin);
  }

 private:
  PairLayout layout_;
  std::vector<AxisPair> pairs_;
};

Encoding make_mrope(const MropeParams& params, const Dims& dims) {
  return {.rotary = std::make_unique<MropeRotation>(params, rotary_width(params.rotary_dim, dims, 2, "mrope"))};
}

}  // namespace

constexpr EncodingInfo kMrope = define<kFields, make_mrope>({
    .id = "mrope",
    .name = "M-RoPE",
    .family = Family::rotated,
    .seams = Seam::rotary,
    .authors = "Wang et al.",
    .year = 2024,
    .url = "https://arxiv.org/abs/2409.12191",
    .summary =
        "RoPE along time, height and width, for text, pictures and video in one line; for text alone it is RoPE.",
    .axes = 3,
});

}  // namespace posenc
