/// KERPLE, power: a penalty that grows with a power of the distance r, with learned numbers for each head.
///
///   power:  bias = -a * r^p, a not below 0.01, p from 0.01 to 2 (beyond 2 the kernel is not conditionally positive
///           definite)
///   linear: bias = -a * r, an ALiBi whose slopes are learned
///
/// Weights row by row: [a][n_heads], then in power [p][n_heads]. Seeded ones start as the authors' do (a from 0 to 1, p
/// from 0 to 2, uniform).
///
/// The paper has |i - j|; the authors' code sets the distance to 0 above the diagonal (form causal). Its variant
/// power_ap_ap also multiplies the logits by exp(-a' * r^p'); that is no bias and is not offered.
///
/// @source Chi et al. 2022, arXiv:2205.09921, section 4; ParallelKerplePower of chijames/KERPLE (power_ap_n,
///         power_a_n), whose r1 and r2 are a and p

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "posenc/seeded.hpp"

#include "encodings/define.hpp"
#include "encodings/pairs.hpp"
#include "encodings/registry.hpp"
#include "kernels/kernels.hpp"

namespace posenc {
namespace {

enum class Convention { power, linear };

constexpr std::array kConventions{
    Choice{"power", "power", "−a·r^p, a and p learned (power_ap_n of the authors)"},
    Choice{"linear", "linear", "−a·r, only a learned (power_a_n of the authors)"},
};

struct KerplePowerParams {
  Convention convention = Convention::power;
  Form form = Form::symmetric;
  double max_a = 1.0;
  double max_p = 2.0;
  std::uint64_t seed = 7;
};

constexpr std::array kFields{
    field<&KerplePowerParams::convention>({
        .name = "convention",
        .label = "Convention",
        .doc = "Whether the power is learned too.",
        .choices = kConventions,
    }),
    field<&KerplePowerParams::form>({
        .name = "form",
        .label = "Form",
        .doc = "What happens to keys that come later than the query.",
        .choices = kForms,
    }),
    field<&KerplePowerParams::max_a>({
        .name = "max_a",
        .label = "Largest a",
        .unit = "logits",
        .doc = "Each head has an a of its own, seeded from 0 to this: the penalty at distance 1.",
        .min = 0.01,
        .max = 100,
        .log_scale = true,
    }),
    field<&KerplePowerParams::max_p>({
        .name = "max_p",
        .label = "Largest p",
        .doc = "Each head has a power of its own, seeded from 0 to this; at 1 the penalty is ALiBi's.",
        .min = 0.01,
        .max = 2,
        .log_scale = true,
        .only_with = {"convention", "power"},
    }),
    field<&KerplePowerParams::seed>({
        .name = "seed",
        .label = "Seed",
        .doc = "The numbers are random here, not trained; this number chooses them.",
        .min = 0,
        .max = kMaxSeed,
    }),
};

constexpr double kSmallest = 0.01;
constexpr double kLargestPower = 2.0;

class KerplePowerBias final : public BiasesLogits {
 public:
  KerplePowerBias(const KerplePowerParams& params, std::span<const float> weights, int n_heads)
      : form_(params.form), weights_(weights, static_cast<int>(weights.size()) / n_heads, n_heads) {}

  void bias(const BiasQuery& query, MatrixView<float> out) const override {
    const auto penalty = [&](double r) { return static_cast<float>(0.0 - a(query.head) * power(r, query.head)); };
    fill_by_distance(query, form_, penalty, out);
  }

  /// As the authors clamp the numbers themselves, a number beyond its limit gets the gradient at the limit.
  void collect(const BiasQuery& query, MatrixView<const float> grad_bias,
               const BiasGradients& gradients) const override {
    const MatrixView grad(gradients.weights, weights_.rows(), weights_.cols());
    collect_distinct(distances(query, form_), grad_bias, [&](double r, double sum) {
      if (!(r > 0.0)) return;
      const double change = sum * power(r, query.head);
      grad(0, query.head) -= static_cast<float>(change);
      if (grad.rows() > 1) grad(1, query.head) -= static_cast<float>(change * a(query.head) * kernels::log(r));
    });
  }

 private:
  [[nodiscard]] double a(int head) const { return std::max(static_cast<double>(weights_(0, head)), kSmallest); }

  [[nodiscard]] double power(double r, int head) const {
    if (weights_.rows() < 2 || !(r > 0.0)) return r;
    return kernels::pow(r, std::clamp(static_cast<double>(weights_(1, head)), kSmallest, kLargestPower));
  }

  Form form_;
  MatrixView<const float> weights_;
};

Encoding make_kerple_power(const KerplePowerParams& params, const Dims& dims, std::vector<float> given) {
  const bool power = params.convention == Convention::power;
  const std::array row_max{params.max_a, params.max_p};
  Encoding encoding;
  encoding.weights = given_or_uniform(std::move(given), std::span(row_max).first(power ? 2 : 1), dims.n_heads,
                                      power ? "(a p, n_heads)" : "(a, n_heads)", params.seed);
  encoding.bias = std::make_unique<KerplePowerBias>(params, encoding.weights, dims.n_heads);
  return encoding;
}

}  // namespace

constexpr EncodingInfo kKerplePower = define<kFields, make_kerple_power>({
    .id = "kerple_power",
    .name = "KERPLE (power)",
    .family = Family::bias,
    .seams = Seam::bias,
    .authors = "Chi et al.",
    .year = 2022,
    .url = "https://arxiv.org/abs/2205.09921",
    .summary = "Takes a penalty off each logit that grows with a learned power of the distance, another in each head.",
    .weights_shape = "[a, in power p][n_heads]",
});

}  // namespace posenc
