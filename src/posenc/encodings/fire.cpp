/// FIRE: a small network reads the distance r of a pair as a part of the longest distance there can be, so that a
/// longer text squeezes the distances instead of leaving the range that was trained.
///
///   psi(x) = ln(1 + |c * x|),  x = psi(r) / (psi(max(i, |L_multiplier * L|)) + 1e-6),  i = position of the query
///   bias   = output[head] of an MLP of x, with one hidden layer and ReLU
///
/// Weights: c, L_multiplier, then the MLP: mlp.0.weight [mlp_width][1], mlp.0.bias [mlp_width], mlp.2.weight
/// [n_heads][mlp_width], mlp.2.bias [n_heads]. Seeded: c and L_multiplier start at 0.1 and 1, as in both references.
///
/// Only distances matter while every position is below the threshold; beyond it the position of the query does too.
/// For later keys one reference takes |i - j|, the other 0; the paper's formula is for j <= i.
///
/// @source Li et al. 2023, arXiv:2310.04418, section 3; symmetric: mcleish7/arithmetic; causal:
///         chuanyang-Zheng/DAPE

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "posenc/seeded.hpp"

#include "encodings/define.hpp"
#include "encodings/mlp.hpp"
#include "encodings/pairs.hpp"
#include "encodings/registry.hpp"
#include "kernels/kernels.hpp"

namespace posenc {
namespace {

struct FireParams {
  Form form = Form::symmetric;
  double threshold = 512.0;
  int mlp_width = 32;
  std::uint64_t seed = 7;
  double stddev = 5.0;
};

constexpr std::array kFields{
    field<&FireParams::form>({
        .name = "form",
        .label = "Form",
        .doc = "What happens to keys that come later than the query.",
        .choices = kForms,
    }),
    field<&FireParams::threshold>({
        .name = "threshold",
        .label = "Threshold L",
        .unit = "tokens",
        .doc = "Distances are parts of this; for queries beyond it, parts of the query's own position.",
        .min = 1,
        .max = 1e6,
        .log_scale = true,
    }),
    field<&FireParams::mlp_width>({
        .name = "mlp_width",
        .label = "Hidden width",
        .doc = "Hidden numbers of the network that makes the bias.",
        .min = 1,
        .max = 1024,
        .log_scale = true,
    }),
    field<&FireParams::seed>({
        .name = "seed",
        .label = "Seed",
        .doc = "The network is random here, not trained; this number chooses it.",
        .min = 0,
        .max = kMaxSeed,
    }),
    field<&FireParams::stddev>({
        .name = "stddev",
        .label = "Output size σ",
        .unit = "logits",
        .doc = "How far the seeded network swings between the nearest and the farthest distance.",
        .min = 0,
        .max = 50,
    }),
};

constexpr std::size_t kOwnNumbers = 2;  // c and L_multiplier, before the MLP
constexpr double kEpsilon = 1e-6;

class FireBias final : public BiasesLogits {
 public:
  FireBias(const FireParams& params, const MlpShape& shape, std::span<const float> weights)
      : form_(params.form),
        threshold_(params.threshold),
        weights_(weights),
        mlp_(shape, weights.subspan(kOwnNumbers)) {}

  void bias(const BiasQuery& query, MatrixView<float> out) const override {
    const Interpolation at(*this, query);
    fill_distinct(
        at.parts, [&](double part) { return mlp_.at(input(part), query.head); }, out);
  }

  void collect(const BiasQuery& query, MatrixView<const float> grad_bias,
               const BiasGradients& gradients) const override {
    const Interpolation at(*this, query);
    const Distinct distinct(at.parts);
    const std::vector<double> sums = distinct.sums(grad_bias);
    std::vector<float> slopes;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      slopes.push_back(mlp_.collect(input(distinct.values()[i]), query.head, static_cast<float>(sums[i]),
                                    gradients.weights.subspan(kOwnNumbers))[0]);
    }
    double grad_c = 0.0;
    double grad_multiplier = 0.0;
    for (std::size_t pair = 0; pair < at.parts.size(); ++pair) {
      const double grad =
          static_cast<double>(grad_bias.all()[pair]) * static_cast<double>(slopes[distinct.index()[pair]]);
      grad_c += grad * at.change_with_c(*this, pair);
      grad_multiplier += grad * at.change_with_multiplier(*this, pair);
    }
    gradients.weights[0] += static_cast<float>(grad_c);
    gradients.weights[1] += static_cast<float>(grad_multiplier);
  }

 private:
  /// What the network reads for each pair: psi(r) / (psi(longest) + epsilon), rounded to float.
  struct Interpolation {
    std::vector<double> r;        ///< of each pair
    std::vector<double> psi_r;    ///< of each pair
    std::vector<double> longest;  ///< of each query
    std::vector<double> divisor;  ///< of each query
    std::vector<double> parts;    ///< of each pair
    std::size_t keys;

    Interpolation(const FireBias& fire, const BiasQuery& query)
        : r(distances(query, fire.form_)), keys(static_cast<std::size_t>(query.k_positions.rows())) {
      const Distinct distinct(r);
      std::vector<double> psi_of_value;
      for (const double value : distinct.values()) psi_of_value.push_back(fire.psi(value));
      for (int i = 0; i < query.q_positions.rows(); ++i) {
        longest.push_back(std::max(query.q_positions(i, 0), std::abs(fire.multiplier() * fire.threshold_)));
        divisor.push_back(fire.psi(longest.back()) + kEpsilon);
      }
      for (std::size_t pair = 0; pair < r.size(); ++pair) {
        psi_r.push_back(psi_of_value[distinct.index()[pair]]);
        parts.push_back(static_cast<double>(static_cast<float>(psi_r[pair] / divisor[pair / keys])));
      }
    }

    [[nodiscard]] double change_with_c(const FireBias& fire, std::size_t pair) const {
      const std::size_t i = pair / keys;
      const double sign = fire.c() < 0.0 ? -1.0 : 1.0;
      const auto slope = [&](double x) { return sign * x / (1.0 + std::abs(fire.c() * x)); };
      return (slope(r[pair]) - psi_r[pair] / divisor[i] * slope(longest[i])) / divisor[i];
    }

    /// 0 for queries beyond the threshold.
    [[nodiscard]] double change_with_multiplier(const FireBias& fire, std::size_t pair) const {
      const std::size_t i = pair / keys;
      const double threshold = std::abs(fire.multiplier() * fire.threshold_);
      if (longest[i] > threshold) return 0.0;
      const double c = std::abs(fire.c());
      const double growth = (fire.multiplier() < 0.0 ? -1.0 : 1.0) * fire.threshold_ * c / (1.0 + c * threshold);
      return 0.0 - psi_r[pair] / divisor[i] / divisor[i] * growth;
    }
  };

  [[nodiscard]] double c() const { return static_cast<double>(weights_[0]); }
  [[nodiscard]] double multiplier() const { return static_cast<double>(weights_[1]); }
  [[nodiscard]] double psi(double x) const { return kernels::log(1.0 + std::abs(c() * x)); }
  static std::array<float, 1> input(double part) { return {static_cast<float>(part)}; }

  Form form_;
  double threshold_;
  std::span<const float> weights_;
  Mlp mlp_;
};

Encoding make_fire(const FireParams& params, const Dims& dims, std::vector<float> given) {
  const MlpShape shape{.inputs = 1, .width = params.mlp_width, .outputs = dims.n_heads};
  const bool seeded = given.empty();
  Encoding encoding;
  encoding.weights = given_or_seeded(std::move(given), 1, static_cast<int>(kOwnNumbers + mlp_size(shape)),
                                     "(c, L_multiplier, MLP)", params.seed, params.stddev);
  if (seeded) {
    encoding.weights[0] = 0.1F;
    encoding.weights[1] = 1.0F;
    seed_mlp(shape, params.seed, params.stddev, std::span(encoding.weights).subspan(kOwnNumbers));
  }
  encoding.bias = std::make_unique<FireBias>(params, shape, encoding.weights);
  return encoding;
}

}  // namespace

constexpr EncodingInfo kFire = define<kFields, make_fire>({
    .id = "fire",
    .name = "FIRE",
    .family = Family::bias,
    .seams = Seam::bias,
    .authors = "Li et al.",
    .year = 2023,
    .url = "https://arxiv.org/abs/2310.04418",
    .summary = "Adds what a small network makes of the distance as a part of the longest one there can be.",
    .weights_shape = "c, L_multiplier, [mlp_width][1], [mlp_width], [n_heads][mlp_width], [n_heads]",
});

}  // namespace posenc
