/// ALiBi: a penalty that grows linearly with distance, with another slope for each head.
///
///   symmetric: bias = -slope * |i - j|
///   causal:    bias = -slope * (i - j) for j <= i, 0 above the diagonal (meant to be used with a causal mask)
///
///   n heads, a power of two: slope[h] = 2^(-bias_max * (h + 1) / n)
///   any other n: those of the power of two p below n, then every other slope of 2p (not sorted, as in the paper's
///   code)
///
/// Under a causal mask both forms are the same, and equal BLOOM's slope * j and MPT's slope * (j - n + 1) after
/// softmax.
///
/// @source Press et al. 2021, arXiv:2108.12409, section 3, and get_slopes in its code; symmetric: OpenNMT,
///         x-transformers; causal: GPT-NeoX; bias_max other than 8: MPT (alibi_bias_max), ggml (max_bias)

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "encodings/define.hpp"
#include "encodings/registry.hpp"
#include "kernels/kernels.hpp"

namespace posenc {
namespace {

enum class Form { symmetric, causal };

constexpr std::array kForms{
    Choice{"symmetric", "symmetric", "both directions alike: −slope·|i−j|"},
    Choice{"causal", "causal", "only looking back: −slope·(i−j), 0 for later keys"},
};

struct AlibiParams {
  Form form = Form::symmetric;
  double bias_max = 8.0;
};

constexpr std::array kFields{
    field<&AlibiParams::form>({
        .name = "form",
        .label = "Form",
        .doc = "What happens to keys that come later than the query.",
        .choices = kForms,
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

std::vector<double> slopes_of_power_of_two(int n_heads, double bias_max) {
  std::vector<double> slopes;
  for (int head = 0; head < n_heads; ++head) slopes.push_back(kernels::pow(2.0, -bias_max * (head + 1) / n_heads));
  return slopes;
}

std::vector<double> slopes(int n_heads, double bias_max) {
  int power = 1;
  while (2 * power <= n_heads) power *= 2;
  std::vector<double> result = slopes_of_power_of_two(power, bias_max);
  const std::vector<double> finer = slopes_of_power_of_two(2 * power, bias_max);
  for (std::size_t i = 0; result.size() < static_cast<std::size_t>(n_heads); i += 2) result.push_back(finer[i]);
  return result;
}

class AlibiBias final : public BiasesLogits {
 public:
  AlibiBias(const AlibiParams& params, int n_heads) : form_(params.form), slopes_(slopes(n_heads, params.bias_max)) {}

  void bias(const BiasQuery& query, MatrixView<float> out) const override {
    const double slope = slopes_[static_cast<std::size_t>(query.head)];
    for (int i = 0; i < out.rows(); ++i) {
      for (int j = 0; j < out.cols(); ++j) {
        const double behind = query.q_positions(i, 0) - query.k_positions(j, 0);
        const double distance = form_ == Form::symmetric ? std::abs(behind) : (behind > 0.0 ? behind : 0.0);
        out(i, j) = static_cast<float>(0.0 - slope * distance);
      }
    }
  }

 private:
  Form form_;
  std::vector<double> slopes_;
};

Encoding make_alibi(const AlibiParams& params, const Dims& dims) {
  return {.bias = std::make_unique<AlibiBias>(params, dims.n_heads)};
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
