#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "posenc/attention.hpp"
#include "posenc/attention_parts.hpp"
#include "posenc/error.hpp"

#include "kernels/kernels.hpp"

namespace posenc {
namespace {

/// Queries of a tile. Packing the keys is paid by all of them; their logits should stay in the nearer caches.
constexpr int kTile = 32;
/// Keys of a block: as many as keep the logits of a tile in the nearest cache. A multiple of the width of panels.
constexpr int kBlock = 256;
static_assert(kBlock % kernels::kPanel == 0);

/// A stretch of keys in storage order.
struct Stretch {
  int first;
  int count;
};

/// Which keys a mask shows, as one stretch where their positions ascend.
class VisibleKeys {
 public:
  VisibleKeys(const Mask& mask, Positions k_positions, int axis) : mask_(mask), k_positions_(k_positions), axis_(axis) {
    for (int key = 1; key < k_positions.rows(); ++key) ascend_ = ascend_ && at(key - 1) <= at(key);
  }

  /// Puts -inf where a query does not see a key of `stretch`.
  void hide_others(Positions at, Stretch stretch, MatrixView<float> logits) const {
    if (!ascend_) return hide_masked(mask_, at, k_positions_.slice(stretch.first, stretch.count), axis_, logits);
    if (all_see(at, stretch)) return;
    for (int query = 0; query < logits.rows(); ++query) {
      const Stretch seen = between(at(query, axis_), at(query, axis_));
      const int begin = std::clamp(seen.first - stretch.first, 0, stretch.count);
      const int end = std::clamp(seen.first + seen.count - stretch.first, begin, stretch.count);
      const auto row = logits.row(query).begin();
      std::fill(row, row + begin, -std::numeric_limits<float>::infinity());
      std::fill(row + end, row + stretch.count, -std::numeric_limits<float>::infinity());
    }
  }

  /// The first and the last place of some queries.
  [[nodiscard]] std::pair<double, double> ends(Positions at) const {
    double earliest = at(0, axis_);
    double latest = earliest;
    for (int query = 1; query < at.rows(); ++query) {
      earliest = std::min(earliest, at(query, axis_));
      latest = std::max(latest, at(query, axis_));
    }
    return {earliest, latest};
  }

  /// Keys that a query at some place from `earliest` to `latest` may see; all keys where they do not ascend.
  [[nodiscard]] Stretch between(double earliest, double latest) const {
    if (mask_.kind == Mask::Kind::none || !ascend_) return {0, k_positions_.rows()};
    const int end = count_while([&](double key) { return key <= latest; });
    if (mask_.kind == Mask::Kind::causal) return {0, end};
    const int first = std::min(end, count_while([&](double key) { return !(earliest - key < mask_.size); }));
    return {first, end - first};
  }

 private:
  [[nodiscard]] double at(int key) const { return k_positions_(key, axis_); }

  /// Whether every query sees all keys of a stretch.
  [[nodiscard]] bool all_see(Positions at, Stretch stretch) const {
    if (mask_.kind == Mask::Kind::none || stretch.count == 0) return true;
    const auto [earliest, latest] = ends(at);
    const double last_key = this->at(stretch.first + stretch.count - 1);
    return last_key <= earliest && visible(mask_, latest, this->at(stretch.first));
  }

  /// How many keys, from the first one on, are so; the others are not.
  template <class Condition>
  [[nodiscard]] int count_while(const Condition& condition) const {
    int low = 0;
    int high = k_positions_.rows();
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (condition(at(middle))) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  Mask mask_;
  Positions k_positions_;
  int axis_;
  bool ascend_ = true;
};

/// Fails if a sum of finite numbers went beyond them; -inf hides a key.
void check_not_above(std::span<const float> logits) {
  constexpr std::uint32_t kSign = 0x80000000U;
  std::uint32_t largest = 0;
  for (const float logit : logits) {
    const auto bits = std::bit_cast<std::uint32_t>(logit);
    largest = std::max(largest, (bits & kSign) != 0 ? 0U : bits);
  }
  check_logits(std::array{std::bit_cast<float>(largest)});
}

void validate(const Encoding& encoding, const HeadsInput& input, MatrixView<float> output) {
  if (input.n_kv_heads < 1 || input.n_heads < 1 || input.n_heads % input.n_kv_heads != 0) {
    fail(ErrorCode::shape_mismatch, "", "k",
         "have a number of heads that divides those of q (" + std::to_string(input.n_heads) + ")",
         std::to_string(input.n_kv_heads));
  }
  check_shape("k", input.k.cols(), input.q.cols(), "columns (head_dim)");
  check_shape("q_positions", input.q_positions.rows() * input.n_heads, input.q.rows(), "rows in all heads");
  check_shape("k_positions", input.k_positions.rows() * input.n_kv_heads, input.k.rows(), "rows in all heads");
  check_shape("v", input.v.rows(), input.k.rows(), "rows, one for each key");
  check_shape("output", output.rows(), input.q.rows(), "rows, one for each query");
  check_shape("output", output.cols(), input.v.cols(), "columns (value_dim)");
  validate(input.mask);
  validate_positions(input.q_positions, input.q_positions.cols(), "q_positions");
  validate_positions(input.k_positions, input.q_positions.cols(), "k_positions");
  check_head(encoding, input.n_heads - 1);
  if (encoding.rotary != nullptr && encoding.rotary->tables() > 1) {
    check_shape("k", input.n_kv_heads, encoding.rotary->tables(), "heads, each of which turns in its own way");
  }
  if (encoding.relative == nullptr) return;
  check_shape("q", input.q.cols(), encoding.relative->head_dim(), "columns (head_dim)");
  if (encoding.relative->value_dim() > 0) {
    check_shape("v", input.v.cols(), encoding.relative->value_dim(), "columns (value_dim of the encoding)");
  }
}

/// Where sums of a few numbers cannot leave the range of float.
constexpr float kSafe = std::numeric_limits<float>::max() / 8;

/// All heads under one encoding; each tile of queries meets its keys in buffers that are used again.
class OutputOfHeads {
 public:
  OutputOfHeads(const Encoding& encoding, const HeadsInput& input)
      : encoding_(encoding),
        input_(input),
        keys_(input.mask, input.k_positions, input.mask_axis),
        factor_(static_cast<float>(input.scale.value_or(1.0F / std::sqrt(static_cast<float>(input.q.cols()))) *
                                   logit_factor(encoding))),
        k_(input.k),
        query_buffer_(size_of(kTile, input.q.cols())),
        block_(encoding.bias != nullptr && encoding.bias->needs_whole_rows() ? input.k_positions.rows() : kBlock),
        logit_buffer_(size_of(kTile, std::min(block_, input.k_positions.rows()))),
        bias_buffer_(encoding.bias != nullptr ? logit_buffer_.size() : 0),
        k_panels_(kernels::Panels::size(size_of(1, input.k.cols()), size_of(1, input.k_positions.rows()))),
        v_panels_(kernels::Panels::size(size_of(1, input.k_positions.rows()), size_of(1, input.v.cols()))) {
    if (encoding.rotary == nullptr) return;
    rotations_ = rotations_of(*encoding.rotary, input.q_positions, input.k_positions);
    rotated_k_.assign(input.k.all().begin(), input.k.all().end());
    const MatrixView<float> rotated(rotated_k_, input.k.rows(), input.k.cols());
    rotate(rotations_.k, rotated);
    k_ = rotated;
  }

  void into(MatrixView<float> output) {
    const int n_queries = input_.q_positions.rows();
    const int group = input_.n_heads / input_.n_kv_heads;
    for (int head = 0; head < input_.n_heads; ++head) {
      if (head % group == 0) meet(head / group);
      for (int first = 0; first < n_queries; first += kTile) {
        const int count = std::min(kTile, n_queries - first);
        tile(head, first, output.slice(head * n_queries + first, count));
      }
    }
  }

 private:
  [[nodiscard]] static std::size_t size_of(int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  }

  /// Makes the keys and values of a head ready for all queries that meet them.
  void meet(int kv_head) {
    const int n_keys = input_.k_positions.rows();
    first_key_ = kv_head * n_keys;
    const MatrixView<const float> k = k_.slice(first_key_, n_keys);
    largest_k_ = kernels::best.largest_magnitude(k.all());
    packed_k_ = kernels::best.pack_transposed(k, k_panels_);
    packed_v_ = kernels::best.pack(input_.v.slice(first_key_, n_keys), v_panels_);
  }

  /// `first`: the first query of the tile, of as many as the output has rows.
  void tile(int head, int first, MatrixView<float> output) {
    const MatrixView<const float> q = input_.q.slice(head * input_.q_positions.rows() + first, output.rows());
    const MatrixView<const float> ready_q = ready(q, head, first);
    const float bound = static_cast<float>(q.cols()) * kernels::best.largest_magnitude(ready_q.all()) * largest_k_;
    const Tile queries{.head = head,
                       .q = q,
                       .at = input_.q_positions.slice(first, output.rows()),
                       .safe = encoding_.relative == nullptr && bound < kSafe,
                       .output = output};
    largest_.fill(-std::numeric_limits<float>::infinity());
    sums_.fill(0.0F);
    std::ranges::fill(output.all(), 0.0F);
    const Stretch seen = keys_of(queries.at);
    for (int key = 0; key < seen.count; key += block_) {
      add_block(queries, ready_q, {seen.first + key, std::min(block_, seen.count - key)});
    }
    for (int query = 0; query < output.rows(); ++query) {
      const float sum = sums_[static_cast<std::size_t>(query)];
      if (sum > 0.0F) kernels::best.scale(1.0F / sum, output.row(query));
    }
  }

  /// Some queries of one head and their part of the output.
  struct Tile {
    int head;
    MatrixView<const float> q;
    Positions at;
    bool safe;  ///< the products with the keys are far from the end of float
    MatrixView<float> output;
  };

  /// Adds what the queries get from a block of keys: the sum of values by e^(logit - largest so far).
  void add_block(const Tile& queries, MatrixView<const float> ready_q, Stretch keys) {
    const auto& [head, q, at, safe, output] = queries;
    const auto first_key = static_cast<std::size_t>(keys.first);
    const auto n_keys = static_cast<std::size_t>(keys.count);
    const Positions k_at = input_.k_positions.slice(keys.first, keys.count);
    const MatrixView<float> logits = buffer(logit_buffer_, q.rows(), keys.count);
    kernels::best.multiply_panels(ready_q, packed_k_.columns(first_key, n_keys), logits);
    const RelativeQuery relative{q, input_.k.slice(first_key_ + keys.first, keys.count), at, k_at, head};
    if (encoding_.relative != nullptr) {
      encoding_.relative->add_to_dots(relative, logits);
      kernels::best.scale(factor_, logits.all());
    }
    if (!safe) check_logits(logits.all());
    keys_.hide_others(at, keys, logits);
    if (encoding_.bias != nullptr) add_bias({at, k_at, head, q, logits}, safe, logits);
    weigh(logits, output);
    kernels::best.add_panels_product(logits, packed_v_.summands(first_key, n_keys), output);
    if (encoding_.relative != nullptr) encoding_.relative->add_to_output(relative, logits, output);
  }

  /// Logits become weights; what was added before shrinks where a larger logit has come.
  void weigh(MatrixView<float> logits, MatrixView<float> output) {
    std::array<float, kTile> shrink{};
    for (int row = 0; row < logits.rows(); ++row) {
      const auto query = static_cast<std::size_t>(row);
      const float before = largest_[query];
      largest_[query] = std::max(before, kernels::best.maximum(logits.row(row)));
      // Nothing was seen and nothing is: every weight is 0, whatever it is measured from.
      shrink[query] = before - std::max(largest_[query], std::numeric_limits<float>::lowest());
    }
    static_cast<void>(kernels::best.exponentials(0.0F, shrink));
    for (int row = 0; row < logits.rows(); ++row) {
      const auto query = static_cast<std::size_t>(row);
      const float sum =
          kernels::best.exponentials(std::max(largest_[query], std::numeric_limits<float>::lowest()), logits.row(row));
      sums_[query] = sums_[query] * shrink[query] + sum;
      if (shrink[query] != 1.0F) kernels::best.scale(shrink[query], output.row(row));
    }
  }

  /// From a whole panel on.
  [[nodiscard]] Stretch keys_of(Positions at) const {
    const auto [earliest, latest] = keys_.ends(at);
    const auto [first, count] = keys_.between(earliest, latest);
    const int before = first % static_cast<int>(kernels::kPanel);
    return {first - before, count + before};
  }

  [[nodiscard]] static MatrixView<float> buffer(std::vector<float>& numbers, int rows, int cols) {
    return {std::span(numbers).first(size_of(rows, cols)), rows, cols};
  }

  /// The queries as they meet the keys: rotated, and scaled unless relative vectors come before the factor.
  MatrixView<const float> ready(MatrixView<const float> q, int head, int first) {
    const MatrixView<float> result = buffer(query_buffer_, q.rows(), q.cols());
    std::ranges::copy(q.all(), result.all().begin());
    if (encoding_.rotary != nullptr) rotate(rotations_.q, rotations_.q.first_row(head) + first, result);
    if (encoding_.relative == nullptr) kernels::best.scale(factor_, result.all());
    return result;
  }

  /// `safe`: the logits are far from the end of float.
  void add_bias(const BiasQuery& query, bool safe, MatrixView<float> logits) {
    const MatrixView<float> bias = buffer(bias_buffer_, logits.rows(), logits.cols());
    encoding_.bias->bias(query, bias);
    const bool small = kernels::best.add(bias.all(), logits.all()) < kSafe;
    if (!small) check_logits(bias.all());
    if (!safe || !small) check_not_above(logits.all());
  }

  const Encoding& encoding_;
  const HeadsInput& input_;
  VisibleKeys keys_;
  float factor_;
  Rotations rotations_;
  std::vector<float> rotated_k_;
  MatrixView<const float> k_;
  std::vector<float> query_buffer_;
  int block_;  ///< keys at once
  std::vector<float> logit_buffer_;
  std::vector<float> bias_buffer_;
  std::vector<float> k_panels_;
  std::vector<float> v_panels_;
  std::array<float, kTile> largest_{};  ///< logit of each query so far
  std::array<float, kTile> sums_{};     ///< of e^(logit - largest)
  int first_key_ = 0;
  float largest_k_ = 0.0F;
  kernels::Panels packed_k_{};
  kernels::Panels packed_v_{};
};

}  // namespace

void attend_output(const Encoding& encoding, const HeadsInput& input, MatrixView<float> output) {
  validate(encoding, input, output);
  OutputOfHeads(encoding, input).into(output);
}

}  // namespace posenc
