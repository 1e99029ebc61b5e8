/// ALiBi: a penalty that grows linearly with distance, with another slope for each head.
///
///   symmetric: bias = -slope * |i - j|
///   causal:    bias = -slope * (i - j) for j <= i, 0 above the diagonal (meant to be used with a causal mask)
///   key_index: bias = slope * j
///   falcon:    bias = bfloat16(bfloat16(slope) * j) / sqrt(head_dim): Falcon adds before it scales q.k
///
/// Slopes are those of slopes.hpp. Under a causal mask the first three are the same after softmax, and so is MPT's
/// slope * (j - n + 1). Falcon's is weaker by sqrt(head_dim), and from about 256 tokens on neighbours share a bias.
///
/// @source Press et al. 2021, arXiv:2108.12409, section 3, and get_slopes in its code; symmetric: OpenNMT,
///         x-transformers; causal: GPT-NeoX; key_index: BLOOM; falcon: build_alibi_tensor and FalconAttention in
///         Hugging Face; bias_max other than 8: MPT (alibi_bias_max), ggml (max_bias)

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "encodings/define.hpp"
#include "encodings/pairs.hpp"
#include "encodings/registry.hpp"
#include "encodings/slopes.hpp"

namespace posenc {
namespace {

enum class AlibiForm { symmetric, causal, key_index, falcon };

constexpr std::array kAlibiForms{
    Choice{"symmetric", "symmetric", "both directions alike: −slope·|i−j|"},
    Choice{"causal", "causal", "only looking back: −slope·(i−j), 0 for later keys (GPT-NeoX, MPT, ggml)"},
    Choice{"key_index", "by key", "slope·j, for a causal mask: the softmax of a row only sees differences (BLOOM)"},
    Choice{"falcon", "Falcon", "slope·j in bfloat16 (8 bits), scaled with q·k by 1/√head_dim, for a causal mask"},
};

struct AlibiParams {
  AlibiForm form = AlibiForm::symmetric;
  double bias_max = 8.0;
};

constexpr std::array kFields{
    field<&AlibiParams::form>({
        .name = "form",
        .label = "Form",
        .doc = "How a distance becomes a penalty, and what happens to keys that come later than the query.",
        .choices = kAlibiForms,
    }),
    field<&AlibiParams::bias_max>({
        .name = "bias_max",
        .label = "Slope range",
        .doc = "With n heads, a power of two, the slopes run from 2^(−range/n) to 2^(−range).",
        .min = 0.5,
        .max = 64,
        .log_scale = true,
    }),
};

/// The nearest bfloat16 (8 bits), ties to even. Numbers of ordinary size only.
double to_bfloat16(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<double>(std::bit_cast<float>((bits + 0x7fffU + ((bits >> 16U) & 1U)) & 0xffff0000U));
}

class AlibiBias final : public BiasesLogits {
 public:
  AlibiBias(const AlibiParams& params, const Dims& dims)
      : form_(params.form),
        inv_sqrt_head_dim_(1.0 / std::sqrt(static_cast<double>(dims.head_dim))),
        slopes_(alibi_slopes(dims.n_heads, params.bias_max)) {}

  void bias(const BiasQuery& query, MatrixView<float> out) const override {
    const double slope = slopes_[static_cast<std::size_t>(query.head)];
    if (form_ == AlibiForm::symmetric || form_ == AlibiForm::causal) {
      const auto penalty = [&](double distance) { return static_cast<float>(0.0 - slope * distance); };
      return fill_by_distance(query, form_ == AlibiForm::causal ? Form::causal : Form::symmetric, penalty, out);
    }
    for (int j = 0; j < out.cols() && out.rows() > 0; ++j) {
      out(0, j) = static_cast<float>(of_key(slope, query.k_positions(j, 0)));
    }
    for (int i = 1; i < out.rows(); ++i) std::ranges::copy(out.row(0), out.row(i).begin());
  }

 private:
  [[nodiscard]] double of_key(double slope, double k_position) const {
    if (form_ == AlibiForm::key_index) return slope * k_position;
    return inv_sqrt_head_dim_ * to_bfloat16(to_bfloat16(slope) * k_position);
  }

  AlibiForm form_;
  double inv_sqrt_head_dim_;
  std::vector<double> slopes_;
};

Encoding make_alibi(const AlibiParams& params, const Dims& dims) {
  return {.bias = std::make_unique<AlibiBias>(params, dims)};
}

}  // namespace

constexpr EncodingInfo kAlibi = define<kFields, make_alibi>({
    .id = "alibi",
    .name = "ALiBi",
    .family = Family::bias,
    .seams = Seam::bias,
    .authors = "Press et al.",
    .year = 2021,
    .url = "https://arxiv.org/abs/2108.12409",
    .summary = "Takes a penalty off each logit that grows with distance; each head has a slope of its own.",
});

}  // namespace posenc
