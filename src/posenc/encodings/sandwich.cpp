/// Sandwich: the inner product of two sinusoidal positions, which depends on their distance r only, as a bias.
///
///   bias = (sum over i = 1 .. width / 2 of cos(r * theta^(-2i / width)) - width / 2) / (8 * (head + 1) / n_heads)
///
/// The sum is largest at r = 0, where the bias is 0. Frequencies run from i = 1: NeMo's, one step lower than those of
/// the sinusoidal table, which run from i = 0. width is the model's in NeMo.
///
/// @source Chi et al. 2022, arXiv:2212.10356; SandwichRelativePositionEmbedding of NVIDIA/NeMo (causal there
///         unless bidirectional)

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "posenc/error.hpp"

#include "encodings/define.hpp"
#include "encodings/pairs.hpp"
#include "encodings/registry.hpp"
#include "kernels/kernels.hpp"

namespace posenc {
namespace {

struct SandwichParams {
  Form form = Form::symmetric;
  std::optional<int> width;
  double theta = 10000.0;
};

constexpr std::array kFields{
    field<&SandwichParams::form>({
        .name = "form",
        .label = "Form",
        .doc = "What happens to keys that come later than the query.",
        .choices = kForms,
    }),
    field<&SandwichParams::width>({
        .name = "width",
        .label = "Width",
        .doc = "Twice the number of cosines that are added up; the larger, the stronger the penalty.",
        .min = 2,
        .max = 65536,
        .multiple_of = 2,
        .log_scale = true,
        .default_from = DimName::d_model,
    }),
    field<&SandwichParams::theta>({
        .name = "theta",
        .label = "Base θ",
        .doc = "Wavelengths run up to 2π·θ tokens.",
        .min = 1.0,
        .max = 1e10,
        .log_scale = true,
    }),
};

class SandwichBias final : public BiasesLogits {
 public:
  SandwichBias(const SandwichParams& params, int width, int n_heads)
      : form_(params.form), n_heads_(n_heads), inv_freq_(static_cast<std::size_t>(width) / 2) {
    for (std::size_t i = 0; i < inv_freq_.size(); ++i) inv_freq_[i] = -2.0 * static_cast<double>(i + 1) / width;
    kernels::powers(params.theta, inv_freq_, inv_freq_);
  }

  void bias(const BiasQuery& query, MatrixView<float> out) const override {
    const double compression = 8.0 * (query.head + 1) / n_heads_;
    const auto compressed = [&](double r) { return static_cast<float>(penalty(r) / compression); };
    fill_by_distance(query, form_, compressed, out);
  }

 private:
  [[nodiscard]] double penalty(double r) const {
    std::vector<double> sin(inv_freq_.size());
    std::vector<double> cos(inv_freq_.size());
    kernels::best.sin_cos(r, inv_freq_, sin, cos);
    double sum = 0.0;
    for (const double value : cos) sum += static_cast<double>(static_cast<float>(value)) - 1.0;
    return sum;
  }

  Form form_;
  int n_heads_;
  std::vector<double> inv_freq_;
};

Encoding make_sandwich(const SandwichParams& params, const Dims& dims) {
  if (!params.width.has_value() && dims.d_model % 2 != 0) {
    fail(ErrorCode::out_of_range, "sandwich", "dims.d_model", "be even, or width be given",
         std::to_string(dims.d_model));
  }
  return {.bias = std::make_unique<SandwichBias>(params, params.width.value_or(dims.d_model), dims.n_heads)};
}

}  // namespace

constexpr EncodingInfo kSandwich = define<kFields, make_sandwich>({
    .id = "sandwich",
    .name = "Sandwich",
    .family = Family::bias,
    .seams = Seam::bias,
    .authors = "Chi et al.",
    .year = 2022,
    .url = "https://arxiv.org/abs/2212.10356",
    .summary = "Takes a penalty off each logit: how much less alike two sinusoidal positions are than one with itself.",
});

}  // namespace posenc
