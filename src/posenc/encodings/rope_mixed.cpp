/// RoPE over rows and columns where each pair of each head turns with both, at speeds of its own that are learned
/// ("mixed"): a direction in the picture for each pair.
///
///   angle[head][token][i] = column * f[0][head][i] + row * f[1][head][i];  pairs (2i, 2i + 1)
///
/// positions are [row, column]. The seeded numbers are those that training starts from: half of the pairs of a head
/// look along a random direction, the other half across it, at speeds that fall from 1 to about 1 / theta:
///
///   f[0] = speed[i] * cos(direction), f[1] = speed[i] * sin(direction),  speed[i] = theta^(-i / n),  n = head_dim / 4;
///   direction: one angle of each head for its first n pairs, and a right angle more for the last n
///
/// Models have such numbers in every layer; here all layers have the same. Random directions are whole degrees.
///
/// @source Heo et al. 2024, arXiv:2403.13298, section 3.3; naver-ai/rope-vit, init_random_2d_freqs, compute_mixed_cis

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "posenc/error.hpp"
#include "posenc/rope.hpp"
#include "posenc/seeded.hpp"

#include "encodings/define.hpp"
#include "encodings/registry.hpp"
#include "kernels/kernels.hpp"

namespace posenc {
namespace {

struct RopeMixedParams {
  double theta = 10.0;
  std::uint64_t seed = 7;
};

constexpr std::array kFields{
    field<&RopeMixedParams::theta>({
        .name = "theta",
        .label = "Base θ",
        .doc = "Before training the first pair turns by one radian per patch, the last one by about 1/θ.",
        .min = 1.0,
        .max = 1e10,
        .log_scale = true,
    }),
    field<&RopeMixedParams::seed>({
        .name = "seed",
        .label = "Direction seed",
        .doc = "The directions of the heads are random here, not trained; this number chooses them.",
        .min = 0,
        .max = kMaxSeed,
    }),
};

class RopeMixedRotation final : public RotatesQk {
 public:
  RopeMixedRotation(std::span<const float> weights, const Dims& dims)
      : n_heads_(dims.n_heads), head_dim_(dims.head_dim), weights_(weights) {}

  [[nodiscard]] int rotary_dim() const override { return head_dim_; }
  [[nodiscard]] PairLayout layout() const override { return PairLayout::interleaved; }
  [[nodiscard]] int tables() const override { return n_heads_; }

  /// Along the direction of each pair.
  [[nodiscard]] RotaryFrequencies frequencies(double /*seq_len*/) const override {
    RotaryFrequencies result{.inv_freq = std::vector<double>(along_columns().size())};
    for (std::size_t i = 0; i < result.inv_freq.size(); ++i) {
      const double column = along_columns()[i];
      const double row = along_rows()[i];
      result.inv_freq[i] = std::sqrt(column * column + row * row);
    }
    return result;
  }

  void cos_sin(const RotaryQuery& query, MatrixView<float> cos, MatrixView<float> sin) const override {
    const int n_tokens = query.positions.rows();
    const auto n_pairs = static_cast<std::size_t>(cos.cols());
    std::vector<double> numbers(3 * n_pairs);
    const std::span<double> angles = std::span(numbers).first(n_pairs);
    const std::span<double> exact_cos = std::span(numbers).subspan(n_pairs, n_pairs);
    const std::span<double> exact_sin = std::span(numbers).last(n_pairs);
    for (int row = 0; row < cos.rows(); ++row) {
      const std::span<const double> position = query.positions.row(row % n_tokens);
      const std::size_t first = static_cast<std::size_t>(row / n_tokens) * n_pairs;
      for (std::size_t pair = 0; pair < n_pairs; ++pair) {
        const double angle = position[1] * static_cast<double>(along_columns()[first + pair]) +
                             position[0] * static_cast<double>(along_rows()[first + pair]);
        angles[pair] = checked_angle(angle, position[1], "rope_mixed");
      }
      kernels::best.sin_cos(1.0, angles, exact_sin, exact_cos);
      for (std::size_t pair = 0; pair < n_pairs; ++pair) {
        cos.row(row)[pair] = static_cast<float>(exact_cos[pair]);
        sin.row(row)[pair] = static_cast<float>(exact_sin[pair]);
      }
    }
  }

  void collect(const RotaryQuery& query, MatrixView<const float> grad_angles,
               std::span<float> grad_weights) const override {
    const int n_tokens = query.positions.rows();
    const auto n_pairs = static_cast<std::size_t>(grad_angles.cols());
    const std::size_t half = grad_weights.size() / 2;
    for (int row = 0; row < grad_angles.rows(); ++row) {
      const std::span<const double> position = query.positions.row(row % n_tokens);
      const std::size_t first = static_cast<std::size_t>(row / n_tokens) * n_pairs;
      for (std::size_t pair = 0; pair < n_pairs; ++pair) {
        const float grad = grad_angles.row(row)[pair];
        grad_weights[first + pair] += grad * static_cast<float>(position[1]);
        grad_weights[half + first + pair] += grad * static_cast<float>(position[0]);
      }
    }
  }

 private:
  [[nodiscard]] std::span<const float> along_columns() const { return weights_.first(weights_.size() / 2); }
  [[nodiscard]] std::span<const float> along_rows() const { return weights_.last(weights_.size() / 2); }

  int n_heads_;
  int head_dim_;
  std::span<const float> weights_;  ///< [columns, rows][head][pair]
};

/// Sine and cosine of a direction that `key` gives to a head.
std::array<double, 2> direction_of(std::uint64_t key, int head) {
  constexpr std::uint64_t kDegrees = 360;
  const double degrees = static_cast<double>(random_bits(key, static_cast<std::uint64_t>(head)) % kDegrees);
  const std::array angle{degrees * std::numbers::pi / 180.0};
  std::array<double, 2> result{};
  kernels::best.sin_cos(1.0, angle, std::span(result).first(1), std::span(result).last(1));
  return result;
}

void seed_weights(const RopeMixedParams& params, const Dims& dims, std::span<float> weights) {
  const auto per_direction = static_cast<std::size_t>(dims.head_dim) / 4;
  std::vector<double> speeds(per_direction);
  inv_freq(params.theta, dims.head_dim / 2, speeds);
  const std::uint64_t key = stream_key(params.seed, Stream::encoding);
  float* column = weights.data();
  float* row = column + weights.size() / 2;
  for (int head = 0; head < dims.n_heads; ++head) {
    const auto [sine, cosine] = direction_of(key, head);
    for (std::size_t i = 0; i < per_direction; ++i) {
      column[i] = static_cast<float>(speeds[i] * cosine);
      row[i] = static_cast<float>(speeds[i] * sine);
      column[i + per_direction] = -row[i];
      row[i + per_direction] = column[i];
    }
    column += 2 * per_direction;
    row += 2 * per_direction;
  }
}

Encoding make_rope_mixed(const RopeMixedParams& params, const Dims& dims, std::vector<float> given) {
  static_cast<void>(rotary_width(std::nullopt, dims, 4, "rope_mixed"));
  const bool seeded = given.empty();
  Encoding encoding;
  encoding.weights = given_or_seeded(std::move(given), 2 * dims.n_heads, dims.head_dim / 2, "(2 n_heads, head_dim / 2)",
                                     params.seed, 1.0);
  if (seeded) seed_weights(params, dims, encoding.weights);
  encoding.rotary = std::make_unique<RopeMixedRotation>(encoding.weights, dims);
  return encoding;
}

}  // namespace

constexpr EncodingInfo kRopeMixed = define<kFields, make_rope_mixed>({
    .id = "rope_mixed",
    .name = "Mixed RoPE",
    .family = Family::rotated,
    .seams = Seam::rotary,
    .authors = "Heo et al.",
    .year = 2024,
    .url = "https://arxiv.org/abs/2403.13298",
    .summary = "RoPE for pictures: each pair of a head turns along a learned direction, with rows and columns mixed.",
    .axes = 2,
    .text_positions = TextPositions::row,
    .weights_shape = "[columns, rows][n_heads][head_dim / 2]",
});

}  // namespace posenc
