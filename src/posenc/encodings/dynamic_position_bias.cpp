/// Dynamic position bias: a small network turns the signed offset of a pair into a bias.
///
///   d = query minus key;  x = d, or sign(d) * ln(1 + |d|) if log_distance
///   bias = output[head] of an MLP of x: `depth` hidden layers with SiLU, then a linear one
///
/// Weights, layer by layer: mlp.0.0.weight [mlp_width][1], mlp.0.0.bias [mlp_width]; then for each further hidden layer
/// weight [mlp_width][mlp_width], bias [mlp_width]; last weight [n_heads][mlp_width], bias [n_heads].
///
/// @source Wang et al. 2021, arXiv:2108.00154, section 3.3, for pictures; for text DynamicPositionBias of
/// x-transformers,
///         which is this one (there mlp_width is a quarter of the model and depth 2; its option of a LayerNorm in the
///         network is not offered)

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

struct DynamicPositionBiasParams {
  bool log_distance = false;
  int mlp_width = 16;
  int depth = 2;
  std::uint64_t seed = 7;
  double stddev = 1.0;
};

constexpr std::array kFields{
    field<&DynamicPositionBiasParams::log_distance>({
        .name = "log_distance",
        .label = "Logarithmic",
        .doc = "The network reads the logarithm of the distance, with the sign of the offset.",
    }),
    field<&DynamicPositionBiasParams::mlp_width>({
        .name = "mlp_width",
        .label = "Hidden width",
        .doc = "Numbers in each hidden layer of the network.",
        .min = 1,
        .max = 512,
        .log_scale = true,
    }),
    field<&DynamicPositionBiasParams::depth>({
        .name = "depth",
        .label = "Hidden layers",
        .doc = "Hidden layers of the network.",
        .min = 1,
        .max = 8,
    }),
    field<&DynamicPositionBiasParams::seed>({
        .name = "seed",
        .label = "Seed",
        .doc = "The network is random here, not trained; this number chooses it.",
        .min = 0,
        .max = kMaxSeed,
    }),
    field<&DynamicPositionBiasParams::stddev>({
        .name = "stddev",
        .label = "Output size σ",
        .unit = "logits",
        .doc = "How far the seeded network swings.",
        .min = 0,
        .max = 10,
    }),
};

class DynamicPositionBias final : public BiasesLogits {
 public:
  DynamicPositionBias(const DynamicPositionBiasParams& params, const MlpShape& shape, std::span<const float> weights)
      : log_distance_(params.log_distance), mlp_(shape, weights) {}

  void bias(const BiasQuery& query, MatrixView<float> out) const override {
    fill_by_offset(
        query, [&](double offset) { return mlp_.at(input(offset), query.head); }, out);
  }

  void collect(const BiasQuery& query, MatrixView<const float> grad_bias,
               const BiasGradients& gradients) const override {
    collect_distinct(offsets(query), grad_bias, [&](double offset, double sum) {
      mlp_.collect(input(offset), query.head, static_cast<float>(sum), gradients.weights);
    });
  }

 private:
  [[nodiscard]] std::array<float, 1> input(double offset) const {
    if (!log_distance_) return {static_cast<float>(0.0 - offset)};
    const double size = kernels::log(1.0 + std::abs(offset));
    return {static_cast<float>(offset > 0.0 ? -size : size)};
  }

  bool log_distance_;
  Mlp mlp_;
};

Encoding make_dynamic_position_bias(const DynamicPositionBiasParams& params, const Dims& dims,
                                    std::vector<float> given) {
  const MlpShape shape{.inputs = 1,
                       .width = params.mlp_width,
                       .depth = params.depth,
                       .outputs = dims.n_heads,
                       .activation = Activation::silu};
  const bool seeded = given.empty();
  Encoding encoding;
  encoding.weights = given_or_seeded(std::move(given), 1, static_cast<int>(mlp_size(shape)), "(layer by layer)",
                                     params.seed, params.stddev);
  if (seeded) seed_mlp(shape, params.seed, params.stddev, encoding.weights);
  encoding.bias = std::make_unique<DynamicPositionBias>(params, shape, encoding.weights);
  return encoding;
}

}  // namespace

constexpr EncodingInfo kDynamicPositionBias = define<kFields, make_dynamic_position_bias>({
    .id = "dynamic_position_bias",
    .name = "Dynamic position bias",
    .family = Family::bias,
    .seams = Seam::bias,
    .authors = "Wang et al.",
    .year = 2021,
    .url = "https://arxiv.org/abs/2108.00154",
    .summary = "Adds what a small network makes of the signed offset.",
    .weights_shape = "layer by layer [to][from], [to]; last [n_heads][mlp_width], [n_heads]",
});

}  // namespace posenc
