/// Swin v2's continuous position bias: a small network turns the offset in rows and columns, on a logarithmic scale,
/// into a bias, so that a model can change its window after training.
///
///   x(d, size) = sign(d) * log2(1 + |8 * d / (size - 1)|) / log2(8),  d = query minus key
///   bias       = 16 * sigmoid(output[head] of an MLP of [x(di, height), x(dj, width)])
///
/// size is the window, or the window that the model was trained with if that was another one; with a window of 1 the
/// offset is not divided. The MLP has one hidden layer with ReLU and no bias at its output.
///
/// Weights: cpb_mlp.0.weight [mlp_width][2], cpb_mlp.0.bias [mlp_width], cpb_mlp.2.weight [n_heads][mlp_width].
/// Positions are [row, column]; words are one row. Being continuous it has a value for every offset, also between two
/// patches and beyond the window. Swin v2 adds it to a scaled cosine of q and k instead of q · k / sqrt(head_dim).
///
/// @source Liu et al. 2021, arXiv:2111.09883, section 3.3; microsoft/Swin-Transformer and Hugging Face Swinv2

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "posenc/error.hpp"
#include "posenc/seeded.hpp"

#include "encodings/define.hpp"
#include "encodings/mlp.hpp"
#include "encodings/pairs.hpp"
#include "encodings/registry.hpp"
#include "kernels/kernels.hpp"

namespace posenc {
namespace {

struct SwinV2BiasParams {
  int window_height = 8;
  int window_width = 8;
  int pretrained_height = 0;
  int pretrained_width = 0;
  int mlp_width = 512;
  std::uint64_t seed = 7;
  double stddev = 1.0;
};

constexpr std::array kFields{
    field<&SwinV2BiasParams::window_height>({
        .name = "window_height",
        .label = "Window height",
        .unit = "patches",
        .doc = "Rows of a window: the farthest offset comes to log₂(9)/3.",
        .min = 1,
        .max = 1024,
        .log_scale = true,
    }),
    field<&SwinV2BiasParams::window_width>({
        .name = "window_width",
        .label = "Window width",
        .unit = "patches",
        .doc = "Columns of a window.",
        .min = 1,
        .max = 1024,
        .log_scale = true,
    }),
    field<&SwinV2BiasParams::pretrained_height>({
        .name = "pretrained_height",
        .label = "Trained height",
        .unit = "patches",
        .doc = "Rows of the window that the model was trained with; 0: the same window.",
        .min = 0,
        .max = 1024,
    }),
    field<&SwinV2BiasParams::pretrained_width>({
        .name = "pretrained_width",
        .label = "Trained width",
        .unit = "patches",
        .doc = "Columns of the window that the model was trained with; 0: the same window.",
        .min = 0,
        .max = 1024,
    }),
    field<&SwinV2BiasParams::mlp_width>({
        .name = "mlp_width",
        .label = "Hidden width",
        .doc = "Hidden numbers of the network that makes the bias.",
        .min = 1,
        .max = 4096,
        .log_scale = true,
    }),
    field<&SwinV2BiasParams::seed>({
        .name = "seed",
        .label = "Seed",
        .doc = "The network is random here, not trained; this number chooses it.",
        .min = 0,
        .max = kMaxSeed,
    }),
    field<&SwinV2BiasParams::stddev>({
        .name = "stddev",
        .label = "Output size σ",
        .doc = "How far the seeded network swings; the bias itself stays between 0 and 16.",
        .min = 0,
        .max = 10,
    }),
};

constexpr float kLargestBias = 16.0F;

/// One axis: offsets of all pairs, each different one kept once, and what they are on the logarithmic scale.
class LogOffsets {
 public:
  LogOffsets(const BiasQuery& query, int axis, double divisor) : distinct_(offsets(query, axis)) {
    const double log_8 = kernels::log(8.0);
    for (const double offset : distinct_.values()) {
      const double size = kernels::log(1.0 + 8.0 * std::abs(offset) / divisor) / log_8;
      scaled_.push_back(static_cast<float>(offset > 0.0 ? -size : size));  // query minus key
    }
  }

  [[nodiscard]] std::size_t count() const { return scaled_.size(); }
  [[nodiscard]] float scaled(std::size_t value) const { return scaled_[value]; }
  [[nodiscard]] std::size_t pairs() const { return distinct_.index().size(); }
  [[nodiscard]] std::size_t index(std::size_t pair) const { return distinct_.index()[pair]; }

 private:
  Distinct distinct_;
  std::vector<float> scaled_;
};

class SwinV2Bias final : public BiasesLogits {
 public:
  SwinV2Bias(const SwinV2BiasParams& params, const MlpShape& shape, std::span<const float> weights)
      : divisors_{divisor(params.window_height, params.pretrained_height),
                  divisor(params.window_width, params.pretrained_width)},
        mlp_(shape, weights) {}

  void bias(const BiasQuery& query, MatrixView<float> out) const override {
    const Offsets at(query, divisors_);
    fill_distinct(
        at.numbers, [&](double number) { return kLargestBias * gate(at.input(number), query.head); }, out);
  }

  void collect(const BiasQuery& query, MatrixView<const float> grad_bias,
               const BiasGradients& gradients) const override {
    const Offsets at(query, divisors_);
    collect_distinct(at.numbers, grad_bias, [&](double number, double sum) {
      const float opened = gate(at.input(number), query.head);
      const float slope = kLargestBias * opened * (1.0F - opened);
      mlp_.collect(at.input(number), query.head, static_cast<float>(sum) * slope, gradients.weights);
    });
  }

 private:
  /// Both axes; a pair of offsets is numbered row * columns + column.
  struct Offsets {
    LogOffsets rows;
    LogOffsets columns;
    std::vector<double> numbers;  ///< of each pair of patches

    Offsets(const BiasQuery& query, const std::array<double, 2>& divisors)
        : rows(query, 0, divisors[0]), columns(query, 1, divisors[1]) {
      for (std::size_t pair = 0; pair < rows.pairs(); ++pair) {
        numbers.push_back(static_cast<double>(rows.index(pair) * columns.count() + columns.index(pair)));
      }
    }

    [[nodiscard]] std::array<float, 2> input(double number) const {
      const auto whole = static_cast<std::size_t>(number);
      return {rows.scaled(whole / columns.count()), columns.scaled(whole % columns.count())};
    }
  };

  [[nodiscard]] float gate(const std::array<float, 2>& input, int head) const {
    std::array result{mlp_.at(input, head)};
    kernels::best.sigmoid(result);
    return result[0];
  }

  static double divisor(int window, int pretrained) {
    if (pretrained > 0) return pretrained - 1;
    return window > 1 ? window - 1 : 1;
  }

  std::array<double, 2> divisors_;
  Mlp mlp_;
};

void refuse_one(const char* field, int pretrained) {
  if (pretrained != 1) return;
  throw Error(
      {ErrorCode::out_of_range, "swin_v2_bias", field, "be 0 or at least 2: a window of 1 has no offsets", "1"});
}

Encoding make_swin_v2_bias(const SwinV2BiasParams& params, const Dims& dims, std::vector<float> given) {
  refuse_one("pretrained_height", params.pretrained_height);
  refuse_one("pretrained_width", params.pretrained_width);
  const MlpShape shape{.inputs = 2, .width = params.mlp_width, .outputs = dims.n_heads, .output_bias = false};
  const bool seeded = given.empty();
  Encoding encoding;
  encoding.weights = given_or_seeded(std::move(given), params.mlp_width, 3 + dims.n_heads,
                                     "(mlp_width, 2 + 1 + n_heads)", params.seed, params.stddev);
  if (seeded) seed_mlp(shape, params.seed, params.stddev, encoding.weights);
  encoding.bias = std::make_unique<SwinV2Bias>(params, shape, encoding.weights);
  return encoding;
}

}  // namespace

constexpr EncodingInfo kSwinV2Bias = define<kFields, make_swin_v2_bias>({
    .id = "swin_v2_bias",
    .name = "Swin v2 bias",
    .family = Family::bias,
    .seams = Seam::bias,
    .authors = "Liu et al.",
    .year = 2021,
    .url = "https://arxiv.org/abs/2111.09883",
    .summary = "Adds what a small network makes of the offset in rows and columns, on a logarithmic scale.",
    .axes = 2,
    .text_positions = TextPositions::row,
    .weights_shape = "[mlp_width][2], [mlp_width], [n_heads][mlp_width]",
});

}  // namespace posenc
