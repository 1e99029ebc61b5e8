/// T5 relative bias: offsets fall into buckets, near ones singly, far ones by the logarithm; each bucket and head has a
/// learned number that is added to the logit. T5 itself does not scale q·k.
///
///   offset = j - i (key minus query); n = num_buckets, halved if bidirectional (the upper half serves offset > 0);
///   distance d = |offset| (bidirectional) or max(-offset, 0);  e = n / 2
///   d < e: bucket d;  else min(e + floor(ln(d / e) / ln(max_distance / e) * (n - e)), n - 1)
///
/// The logarithm is evaluated in float, as the models were trained: in double 36 of 1789 settings tried put one
/// distance into another bucket. Table [num_buckets][n_heads].
///
/// @source Raffel et al. 2019, arXiv:1910.10683, section 2.1; buckets as in mesh-tensorflow and Hugging Face T5

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "posenc/error.hpp"
#include "posenc/seeded.hpp"

#include "encodings/define.hpp"
#include "encodings/pairs.hpp"
#include "encodings/registry.hpp"
#include "kernels/kernels.hpp"

namespace posenc {
namespace {

struct T5BiasParams {
  bool bidirectional = true;
  int num_buckets = 32;
  int max_distance = 128;
  std::uint64_t seed = 7;
  double stddev = 1.0;
};

constexpr std::array kFields{
    field<&T5BiasParams::bidirectional>({
        .name = "bidirectional",
        .label = "Both directions",
        .doc =
            "Earlier and later keys have buckets of their own (encoder); off: all later keys share bucket 0 (decoder).",
    }),
    field<&T5BiasParams::num_buckets>({
        .name = "num_buckets",
        .label = "Buckets",
        .doc = "How many different distances a head can tell apart.",
        .min = 4,
        .max = 256,
        .multiple_of = 2,
    }),
    field<&T5BiasParams::max_distance>({
        .name = "max_distance",
        .label = "Farthest distance",
        .unit = "tokens",
        .doc = "From here on all distances share the last bucket.",
        .min = 2,
        .max = 1e6,
        .log_scale = true,
    }),
    field<&T5BiasParams::seed>({
        .name = "seed",
        .label = "Table seed",
        .doc = "The table is random here, not trained; this number chooses it.",
        .min = 0,
        .max = kMaxSeed,
    }),
    field<&T5BiasParams::stddev>({
        .name = "stddev",
        .label = "Table size σ",
        .unit = "logits",
        .doc = "Standard deviation of the seeded numbers.",
        .min = 0,
        .max = 10,
    }),
};

class T5Buckets {
 public:
  explicit T5Buckets(const T5BiasParams& params)
      : bidirectional_(params.bidirectional),
        per_direction_(params.bidirectional ? params.num_buckets / 2 : params.num_buckets),
        exact_(per_direction_ / 2),
        log_range_(static_cast<float>(kernels::log(static_cast<double>(params.max_distance) / exact_))) {
    const auto limit = std::bit_cast<std::uint32_t>(static_cast<float>(params.max_distance));
    for (int bucket = exact_ + 1; bucket < per_direction_; ++bucket) starts_.push_back(start_of(bucket, limit));
  }

  [[nodiscard]] int of(double offset) const {
    const int base = bidirectional_ && offset > 0.0 ? per_direction_ : 0;
    const double distance = bidirectional_ ? std::abs(offset) : std::max(-offset, 0.0);
    if (distance < exact_) return base + static_cast<int>(distance);
    const auto next = std::ranges::upper_bound(starts_, static_cast<float>(distance));
    return base + exact_ + static_cast<int>(next - starts_.begin());
  }

 private:
  [[nodiscard]] int far(float distance) const {
    const float ratio = distance / static_cast<float>(exact_);
    const float log_ratio = static_cast<float>(kernels::log(ratio));
    const float steps = log_ratio / log_range_ * static_cast<float>(per_direction_ - exact_);
    return std::min(exact_ + static_cast<int>(steps), per_direction_ - 1);
  }

  /// The smallest distance whose bucket is at least this one, found among the floats up to `limit` by halving: a
  /// logarithm for each distance of each head would take longer than to write the biases.
  [[nodiscard]] float start_of(int bucket, std::uint32_t limit) const {
    auto below = std::bit_cast<std::uint32_t>(static_cast<float>(exact_));
    std::uint32_t reached = 2 * limit - below;  // beyond max_distance, whatever the logarithm rounds to
    while (reached - below > 1) {
      const std::uint32_t middle = below + (reached - below) / 2;
      (far(std::bit_cast<float>(middle)) >= bucket ? reached : below) = middle;
    }
    return std::bit_cast<float>(reached);
  }

  bool bidirectional_;
  int per_direction_;
  int exact_;
  float log_range_;
  std::vector<float> starts_;  ///< distances at which the buckets after the first of the far ones begin
};

class T5Bias final : public BiasesLogits {
 public:
  T5Bias(const T5BiasParams& params, std::span<const float> table, int n_heads)
      : buckets_(params), table_(table, params.num_buckets, n_heads) {}

  void bias(const BiasQuery& query, MatrixView<float> out) const override {
    fill_by_offset(
        query, [&](double offset) { return table_(buckets_.of(offset), query.head); }, out);
  }

  void collect(const BiasQuery& query, MatrixView<const float> grad_bias,
               const BiasGradients& gradients) const override {
    const MatrixView grad_table(gradients.weights, table_.rows(), table_.cols());
    collect_distinct(offsets(query), grad_bias, [&](double offset, double sum) {
      grad_table(buckets_.of(offset), query.head) += static_cast<float>(sum);
    });
  }

 private:
  T5Buckets buckets_;
  MatrixView<const float> table_;
};

Encoding make_t5_bias(const T5BiasParams& params, const Dims& dims, std::vector<float> given) {
  const int exact = params.num_buckets / (params.bidirectional ? 4 : 2);
  if (params.max_distance <= exact) {
    fail(ErrorCode::out_of_range, "t5_bias", "max_distance",
         "be more than " + std::to_string(exact) + ", the distances that have a bucket of their own",
         std::to_string(params.max_distance));
  }
  Encoding encoding;
  encoding.weights = given_or_seeded(std::move(given), params.num_buckets, dims.n_heads, "(num_buckets, n_heads)",
                                     params.seed, params.stddev);
  encoding.bias = std::make_unique<T5Bias>(params, encoding.weights, dims.n_heads);
  return encoding;
}

}  // namespace

constexpr EncodingInfo kT5Bias = define<kFields, make_t5_bias>({
    .id = "t5_bias",
    .name = "T5 bias",
    .family = Family::bias,
    .seams = Seam::bias,
    .authors = "Raffel et al.",
    .year = 2019,
    .url = "https://arxiv.org/abs/1910.10683",
    .summary = "Adds a learned number to each logit, chosen by a bucket of the signed distance.",
    .weights_shape = "[num_buckets][n_heads]",
});

}  // namespace posenc
