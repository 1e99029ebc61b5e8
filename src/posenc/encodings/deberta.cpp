/// DeBERTa, disentangled attention: words meet distances in both roles.
///
///   logits[i][j] = (q_i · k_j + q_i · K[r] + k_j · Q[s]) / sqrt(3 head_dim)
///   content to position (c2p): r = b(i - j) + span;   position to content (p2c): s = b(i - j) + span, paper: b(j - i)
///   both clipped to 0 .. 2 span - 1
///
///   log_buckets:    b(d) = d while |d| <= m, m = bucket_size / 2; beyond, with sign,
///                   m + ceil(ln(|d| / m) / ln((max_position - 1) / m) * (m - 1)); span = bucket_size
///   clipped, paper: b(d) = d; span = max_position
///
/// The published code takes p2c at query minus key, where the paper's equation has key minus query: learned tables do
/// not mind, weights do. With one of the two terms the factor is 1 / sqrt(2), without the usual 1 / sqrt(head_dim) in
/// both cases; attention takes it as RelativeVectors::logit_factor. The logarithm is evaluated in float, as the models
/// were trained.
///
/// Weights: K, then Q, [n_heads][2 span][head_dim] each: rel_embeddings after key_proj (pos_key_proj) and query_proj.
///
/// @source He et al. 2020, arXiv:2006.03654, sections 3.1 and 3.2; log_buckets: DeBERTa-v2 and v3 (position_buckets
/// 256),
///         make_log_bucket_position in Hugging Face; clipped: DeBERTa v1

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "posenc/error.hpp"
#include "posenc/relative.hpp"
#include "posenc/seeded.hpp"

#include "encodings/define.hpp"
#include "encodings/registry.hpp"
#include "kernels/kernels.hpp"

namespace posenc {
namespace {

enum class Convention { log_buckets, clipped, paper };

constexpr std::array kConventions{
    Choice{"log_buckets", "log buckets", "far distances share buckets by the logarithm (DeBERTa-v2 and v3)"},
    Choice{"clipped", "clipped", "every distance has its own vectors up to a limit (DeBERTa v1, its code)"},
    Choice{"paper", "paper", "clipped, and keys ask for the distance to the query, not from it (the paper's equation)"},
};

enum class Terms { both, c2p, p2c };

constexpr std::array kTerms{
    Choice{"both", "both", "q meets distances and k meets distances (every published model)"},
    Choice{"c2p", "content to position", "only q meets distances"},
    Choice{"p2c", "position to content", "only k meets distances"},
};

struct DebertaParams {
  Convention convention = Convention::log_buckets;
  Terms terms = Terms::both;
  int bucket_size = 256;
  int max_position = 512;
  std::uint64_t seed = 7;
  double stddev = 1.0;

  [[nodiscard]] int span() const { return convention == Convention::log_buckets ? bucket_size : max_position; }
};

constexpr std::array kFields{
    field<&DebertaParams::convention>({
        .name = "convention",
        .label = "Convention",
        .doc = "Which distances share vectors, and which way keys count them.",
        .choices = kConventions,
    }),
    field<&DebertaParams::terms>({
        .name = "terms",
        .label = "Terms",
        .doc = "Which products join q·k; the logit is divided by the square root of their number.",
        .choices = kTerms,
    }),
    field<&DebertaParams::bucket_size>({
        .name = "bucket_size",
        .label = "Buckets",
        .doc = "Buckets in each direction; the nearer half of them holds one distance each.",
        .min = 4,
        .max = 512,
        .multiple_of = 2,
        .only_with = {"convention", "log_buckets"},
    }),
    field<&DebertaParams::max_position>({
        .name = "max_position",
        .label = "Farthest distance",
        .unit = "tokens",
        .doc = "About from here on all distances of a direction share the last vector.",
        .min = 4,
        .max = 65536,
        .log_scale = true,
    }),
    field<&DebertaParams::seed>({
        .name = "seed",
        .label = "Table seed",
        .doc = "The tables are random here, not trained; this number chooses them.",
        .min = 0,
        .max = kMaxSeed,
    }),
    field<&DebertaParams::stddev>({
        .name = "stddev",
        .label = "Table size σ",
        .doc = "Standard deviation of the seeded numbers. Keys of words here have 1.",
        .min = 0,
        .max = 10,
    }),
};

/// Row of a table for a distance, query minus key.
class Buckets {
 public:
  explicit Buckets(const DebertaParams& params)
      : logarithmic_(params.convention == Convention::log_buckets), span_(params.span()), middle_(span_ / 2) {
    if (!logarithmic_) return;
    const auto range = static_cast<float>(static_cast<double>(params.max_position - 1) / middle_);
    log_range_ = static_cast<float>(kernels::log(static_cast<double>(range)));
    starts_.resize(static_cast<std::size_t>(span_ - middle_));
    int bucket = middle_;
    for (double& start : starts_) start = start_of(++bucket, params.max_position);
  }

  /// Of a fractional distance: the bucket of the whole number next to it towards 0.
  [[nodiscard]] int of(double distance) const {
    const double size = std::floor(std::abs(distance));
    const double bucket = logarithmic_ && size > middle_ ? far(size) : size;
    const double row = (distance < 0.0 ? -bucket : bucket) + span_;
    return static_cast<int>(std::clamp(row, 0.0, 2.0 * span_ - 1.0));
  }

 private:
  [[nodiscard]] double far(double size) const {
    return middle_ + static_cast<double>(std::ranges::upper_bound(starts_, size) - starts_.begin());
  }

  /// The smallest distance of a bucket, or of the next one that has any: buckets never fall as the distance grows.
  [[nodiscard]] double start_of(int bucket, int max_position) const {
    int below = middle_;
    int start = 2 * max_position;  // beyond the last bucket
    while (start - below > 1) {
      const int size = below + (start - below) / 2;
      (bucket_of(size) < bucket ? below : start) = size;
    }
    return start;
  }

  [[nodiscard]] int bucket_of(int size) const {
    const float ratio = static_cast<float>(size) / static_cast<float>(middle_);
    const auto log_ratio = static_cast<float>(kernels::log(static_cast<double>(ratio)));
    return middle_ + static_cast<int>(std::ceil(log_ratio / log_range_ * static_cast<float>(middle_ - 1)));
  }

  bool logarithmic_;
  int span_;
  int middle_;
  float log_range_ = 0.0F;
  std::vector<double> starts_;  ///< of the far buckets: a search instead of a logarithm for each pair of words
};

class DisentangledVectors final : public RelativeVectors {
 public:
  DisentangledVectors(const DebertaParams& params, std::span<const float> weights, const Dims& dims)
      : params_(params), buckets_(params), weights_(weights), n_heads_(dims.n_heads), head_dim_(dims.head_dim) {}

  [[nodiscard]] int head_dim() const override { return head_dim_; }
  [[nodiscard]] double logit_factor() const override {
    return 1.0 / std::sqrt(params_.terms == Terms::both ? 3.0 : 2.0);
  }

  void add_to_dots(const RelativeQuery& query, MatrixView<float> dots) const override {
    for (const Operand operand : {Operand::q, Operand::k}) {
      if (!meets(operand)) continue;
      const MatrixView<const float>& x = operand == Operand::q ? query.q : query.k;
      add_vector_dots(operand, x, table(weights_, operand, query.head), index_of(query, operand), dots);
    }
  }

  void collect(const RelativeQuery& query, MatrixView<const float> grad_dots,
               const RelativeGradients& gradients) const override {
    for (const Operand operand : {Operand::q, Operand::k}) {
      if (!meets(operand)) continue;
      const bool is_q = operand == Operand::q;
      collect_vector_dots(operand, is_q ? query.q : query.k, table(weights_, operand, query.head),
                          index_of(query, operand), grad_dots,
                          {is_q ? gradients.q : gradients.k, table(gradients.weights, operand, query.head)});
    }
  }

 private:
  /// q meets distances in c2p, k in p2c.
  [[nodiscard]] bool meets(Operand operand) const {
    return params_.terms != (operand == Operand::q ? Terms::p2c : Terms::c2p);
  }

  /// The vectors that q or k of a head meets: K for q, Q for k.
  template <class T>
  [[nodiscard]] MatrixView<T> table(std::span<T> weights, Operand operand, int head) const {
    const int rows = 2 * params_.span();
    const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(head_dim_);
    const int place = (operand == Operand::q ? 0 : n_heads_) + head;
    return {weights.subspan(static_cast<std::size_t>(place) * size, size), rows, head_dim_};
  }

  [[nodiscard]] VectorIndex index_of(const RelativeQuery& query, Operand operand) const {
    const bool reversed = params_.convention == Convention::paper && operand == Operand::k;
    VectorIndex index(query.q_positions.rows(), query.k_positions.rows());
    for (int i = 0; i < index.rows(); ++i) {
      for (int j = 0; j < index.cols(); ++j) {
        const double distance = query.q_positions(i, 0) - query.k_positions(j, 0);
        index(i, j) = buckets_.of(reversed ? -distance : distance);
      }
    }
    return index;
  }

  DebertaParams params_;
  Buckets buckets_;
  std::span<const float> weights_;
  int n_heads_;
  int head_dim_;
};

Encoding make_deberta(const DebertaParams& params, const Dims& dims, std::vector<float> given) {
  const int middle = params.bucket_size / 2;
  if (params.convention == Convention::log_buckets && params.max_position - 1 <= middle) {
    fail(ErrorCode::out_of_range, "deberta", "max_position",
         "be more than " + std::to_string(middle + 1) + ", the distances that have a bucket of their own",
         std::to_string(params.max_position));
  }
  Encoding encoding;
  encoding.weights =
      given_or_seeded(std::move(given), std::int64_t{4} * dims.n_heads * params.span(), dims.head_dim,
                      params.convention == Convention::log_buckets ? "(2 * n_heads * 2 * bucket_size, head_dim)"
                                                                   : "(2 * n_heads * 2 * max_position, head_dim)",
                      params.seed, params.stddev);
  encoding.relative = std::make_unique<DisentangledVectors>(params, encoding.weights, dims);
  return encoding;
}

}  // namespace

constexpr EncodingInfo kDeberta = define<kFields, make_deberta>({
    .id = "deberta",
    .name = "DeBERTa",
    .family = Family::relative,
    .seams = Seam::relative,
    .authors = "He et al.",
    .year = 2020,
    .url = "https://arxiv.org/abs/2006.03654",
    .summary =
        "Disentangled attention: queries meet a vector of the distance, and so do keys; far distances share one.",
    .weights_shape = "K, then Q: [n_heads][2 * bucket_size][head_dim] each; without log_buckets 2 * max_position",
});

}  // namespace posenc
