/// KERPLE, logarithmic: a penalty that grows with the logarithm of the distance r, with learned numbers for each head.
///
///   original: bias = -p * ln(1 + a * r), a and p not below 0.01
///   nemo:     bias = -b * ln(1 + a * r^p), a not below 0, p from 0 to 8 (beyond, r^p would leave double)
///
/// Weights row by row: original [a][n_heads], [p][n_heads]; nemo [a][n_heads], [p][n_heads], [b][n_heads]. Seeded ones
/// start as the authors' do (a from 0 to 1, p from 0 to 2, uniform); b starts at the slopes of ALiBi, as NeMo's does.
/// NeMo itself starts with a = 0, so with no bias at all.
///
/// The paper has |i - j|; both references set the distance to 0 above the diagonal (form causal).
///
/// @source Chi et al. 2022, arXiv:2205.09921, section 4; original: ParallelKerpleLog of chijames/KERPLE, whose r1 and
///         r2 are p and a; nemo: KERPLERelativePositionEmbedding of NVIDIA/NeMo

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
#include "encodings/slopes.hpp"
#include "kernels/kernels.hpp"

namespace posenc {
namespace {

enum class Convention { original, nemo };

constexpr std::array kConventions{
    Choice{"original", "original", "−p·ln(1 + a·r), as the paper and its code have it"},
    Choice{"nemo", "NeMo", "−b·ln(1 + a·r^p), with b from ALiBi (NVIDIA NeMo)"},
};

struct KerpleLogParams {
  Convention convention = Convention::original;
  Form form = Form::symmetric;
  double max_a = 1.0;
  double max_p = 2.0;
  std::uint64_t seed = 7;
};

constexpr std::array kFields{
    field<&KerpleLogParams::convention>({
        .name = "convention",
        .label = "Convention",
        .doc = "Where the power stands in the formula.",
        .choices = kConventions,
    }),
    field<&KerpleLogParams::form>({
        .name = "form",
        .label = "Form",
        .doc = "What happens to keys that come later than the query.",
        .choices = kForms,
    }),
    field<&KerpleLogParams::max_a>({
        .name = "max_a",
        .label = "Largest a",
        .unit = "1/token",
        .doc = "Each head has an a of its own, seeded from 0 to this; the larger, the sooner the penalty sets in.",
        .min = 0.01,
        .max = 100,
        .log_scale = true,
    }),
    field<&KerpleLogParams::max_p>({
        .name = "max_p",
        .label = "Largest p",
        .doc = "Each head has a p of its own, seeded from 0 to this; the larger, the stronger the penalty.",
        .min = 0.01,
        .max = 8,
        .log_scale = true,
    }),
    field<&KerpleLogParams::seed>({
        .name = "seed",
        .label = "Seed",
        .doc = "The numbers are random here, not trained; this number chooses them.",
        .min = 0,
        .max = kMaxSeed,
    }),
};

constexpr double kSmallest = 0.01;
constexpr double kLargestPower = 8.0;

/// -p * ln(1 + a * r) of one head, and what it changes by.
struct Original {
  double a;
  double p;

  [[nodiscard]] double at(double r) const { return 0.0 - p * kernels::log(1.0 + a * r); }
  [[nodiscard]] std::array<double, 2> slopes(double r) const {
    return {0.0 - p * r / (1.0 + a * r), 0.0 - kernels::log(1.0 + a * r)};
  }
};

/// -b * ln(1 + a * r^p) likewise.
struct Nemo {
  double a;
  double p;
  double b;

  [[nodiscard]] double power(double r) const { return r > 0.0 ? kernels::pow(r, p) : (p > 0.0 ? 0.0 : 1.0); }
  [[nodiscard]] double at(double r) const { return 0.0 - b * kernels::log(1.0 + a * power(r)); }
  [[nodiscard]] std::array<double, 3> slopes(double r) const {
    const double inside = 1.0 + a * power(r);
    const double log_r = r > 0.0 ? kernels::log(r) : 0.0;
    return {0.0 - b * power(r) / inside, 0.0 - b * a * power(r) * log_r / inside, 0.0 - kernels::log(inside)};
  }
};

class KerpleLogBias final : public BiasesLogits {
 public:
  KerpleLogBias(const KerpleLogParams& params, std::span<const float> weights, int n_heads)
      : convention_(params.convention),
        form_(params.form),
        weights_(weights, static_cast<int>(weights.size()) / n_heads, n_heads) {}

  void bias(const BiasQuery& query, MatrixView<float> out) const override {
    if (convention_ == Convention::original) {
      fill(original(query.head), query, out);
    } else {
      fill(nemo(query.head), query, out);
    }
  }

  void collect(const BiasQuery& query, MatrixView<const float> grad_bias,
               const BiasGradients& gradients) const override {
    if (convention_ == Convention::original) {
      collect_of(original(query.head), query, grad_bias, gradients);
    } else {
      collect_of(nemo(query.head), query, grad_bias, gradients);
    }
  }

 private:
  [[nodiscard]] double number(int row, int head) const { return static_cast<double>(weights_(row, head)); }
  [[nodiscard]] Original original(int head) const {
    return {std::max(number(0, head), kSmallest), std::max(number(1, head), kSmallest)};
  }
  [[nodiscard]] Nemo nemo(int head) const {
    return {std::max(number(0, head), 0.0), std::clamp(number(1, head), 0.0, kLargestPower), number(2, head)};
  }

  template <class Kernel>
  void fill(const Kernel& kernel, const BiasQuery& query, MatrixView<float> out) const {
    fill_by_distance(
        query, form_, [&](double r) { return static_cast<float>(kernel.at(r)); }, out);
  }

  /// As the authors clamp the numbers themselves, a number beyond its limit gets the gradient at the limit.
  template <class Kernel>
  void collect_of(const Kernel& kernel, const BiasQuery& query, MatrixView<const float> grad_bias,
                  const BiasGradients& gradients) const {
    const MatrixView grad(gradients.weights, weights_.rows(), weights_.cols());
    collect_distinct(distances(query, form_), grad_bias, [&](double r, double sum) {
      const auto slopes = kernel.slopes(r);
      for (int row = 0; row < grad.rows(); ++row) {
        grad(row, query.head) += static_cast<float>(sum * slopes[static_cast<std::size_t>(row)]);
      }
    });
  }

  Convention convention_;
  Form form_;
  MatrixView<const float> weights_;
};

Encoding make_kerple_log(const KerpleLogParams& params, const Dims& dims, std::vector<float> given) {
  const bool nemo = params.convention == Convention::nemo;
  const bool seeded = given.empty();
  const std::array row_max{params.max_a, params.max_p, 0.0};
  Encoding encoding;
  encoding.weights = given_or_uniform(std::move(given), std::span(row_max).first(nemo ? 3 : 2), dims.n_heads,
                                      nemo ? "(a p b, n_heads)" : "(a p, n_heads)", params.seed);
  if (nemo && seeded) {
    const std::vector<double> slopes = alibi_slopes(dims.n_heads, 8.0);
    std::ranges::transform(slopes, encoding.weights.end() - dims.n_heads,
                           [](double slope) { return static_cast<float>(slope); });
  }
  encoding.bias = std::make_unique<KerpleLogBias>(params, encoding.weights, dims.n_heads);
  return encoding;
}

}  // namespace

constexpr EncodingInfo kKerpleLog = define<kFields, make_kerple_log>({
    .id = "kerple_log",
    .name = "KERPLE (log)",
    .family = Family::bias,
    .seams = Seam::bias,
    .authors = "Chi et al.",
    .year = 2022,
    .url = "https://arxiv.org/abs/2205.09921",
    .summary = "Takes a penalty off each logit that grows with the logarithm of the distance; how fast is learned by "
               "each head.",
    .weights_shape = "[a, p, in nemo b][n_heads]",
});

}  // namespace posenc
