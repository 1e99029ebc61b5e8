#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "posenc/attention.hpp"
#include "posenc/attention_parts.hpp"
#include "posenc/error.hpp"

#include "kernels/kernels.hpp"

namespace posenc {
namespace {

/// Queries of a tile. Packing the keys is paid by all of them; their logits should stay in the nearer caches.
constexpr int kTile = 32;

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
    for (int query = 0; query < logits.rows(); ++query) {
      const Stretch seen = between(at(query, axis_), at(query, axis_));
      const auto first = logits.row(query).begin() - stretch.first;
      std::fill(logits.row(query).begin(), first + seen.first, -std::numeric_limits<float>::infinity());
      std::fill(first + seen.first + seen.count, logits.row(query).end(), -std::numeric_limits<float>::infinity());
    }
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
        query_buffer_(static_cast<std::size_t>(kTile) * static_cast<std::size_t>(input.q.cols())),
        logit_buffer_(static_cast<std::size_t>(kTile) * static_cast<std::size_t>(input.k_positions.rows())),
        bias_buffer_(encoding.bias != nullptr ? logit_buffer_.size() : 0) {
    if (encoding.rotary == nullptr) return;
    rotations_ = rotations_of(*encoding.rotary, input.q_positions, input.k_positions);
    rotated_k_.assign(input.k.all().begin(), input.k.all().end());
    const MatrixView<float> rotated(rotated_k_, input.k.rows(), input.k.cols());
    rotate(rotations_.k, rotated);
    k_ = rotated;
  }

  void into(MatrixView<float> output) {
    const int n_queries = input_.q_positions.rows();
    for (int head = 0; head < input_.n_heads; ++head) {
      for (int first = 0; first < n_queries; first += kTile) {
        const int count = std::min(kTile, n_queries - first);
        tile(head, first, output.slice(head * n_queries + first, count));
      }
    }
  }

 private:
  /// `first`: the first query of the tile, of as many as the output has rows.
  void tile(int head, int first, MatrixView<float> output) {
    const int n_keys = input_.k_positions.rows();
    const int kv_head = head / (input_.n_heads / input_.n_kv_heads);
    const MatrixView<const float> q = input_.q.slice(head * input_.q_positions.rows() + first, output.rows());
    const Positions at = input_.q_positions.slice(first, output.rows());
    const Stretch seen = keys_of(at);
    const MatrixView<const float> k = k_.slice(kv_head * n_keys + seen.first, seen.count);
    const MatrixView<const float> plain_k = input_.k.slice(kv_head * n_keys + seen.first, seen.count);
    const MatrixView<const float> v = input_.v.slice(kv_head * n_keys + seen.first, seen.count);
    const Positions k_at = input_.k_positions.slice(seen.first, seen.count);
    const MatrixView<float> logits = buffer(logit_buffer_, output.rows(), seen.count);

    kernels::best.multiply_transposed(ready(q, head, first), k, logits);
    const RelativeQuery relative{q, plain_k, at, k_at, head};
    if (encoding_.relative != nullptr) {
      encoding_.relative->add_to_dots(relative, logits);
      for (float& logit : logits.all()) logit *= factor_;
    }
    check_logits(logits.all());
    keys_.hide_others(at, seen, logits);
    if (encoding_.bias != nullptr) add_bias({at, k_at, head, q, logits}, logits);
    for (int query = 0; query < logits.rows(); ++query) kernels::best.softmax(logits.row(query));
    kernels::best.multiply(logits, v, output);
    if (encoding_.relative != nullptr) encoding_.relative->add_to_output(relative, logits, output);
  }

  [[nodiscard]] Stretch keys_of(Positions at) const {
    double earliest = at(0, input_.mask_axis);
    double latest = earliest;
    for (int query = 1; query < at.rows(); ++query) {
      earliest = std::min(earliest, at(query, input_.mask_axis));
      latest = std::max(latest, at(query, input_.mask_axis));
    }
    return keys_.between(earliest, latest);
  }

  [[nodiscard]] static MatrixView<float> buffer(std::vector<float>& numbers, int rows, int cols) {
    return {std::span(numbers).first(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols)), rows, cols};
  }

  /// The queries as they meet the keys: rotated, and scaled unless relative vectors come before the factor.
  MatrixView<const float> ready(MatrixView<const float> q, int head, int first) {
    const MatrixView<float> result = buffer(query_buffer_, q.rows(), q.cols());
    std::ranges::copy(q.all(), result.all().begin());
    if (encoding_.rotary != nullptr) rotate(rotations_.q, rotations_.q.first_row(head) + first, result);
    if (encoding_.relative == nullptr) {
      for (float& number : result.all()) number *= factor_;
    }
    return result;
  }

  void add_bias(const BiasQuery& query, MatrixView<float> logits) {
    const MatrixView<float> bias = buffer(bias_buffer_, logits.rows(), logits.cols());
    encoding_.bias->bias(query, bias);
    check_logits(bias.all());
    kernels::best.add_scaled(1.0F, bias.all(), logits.all());
    check_not_above(logits.all());
  }

  const Encoding& encoding_;
  const HeadsInput& input_;
  VisibleKeys keys_;
  float factor_;
  Rotations rotations_;
  std::vector<float> rotated_k_;
  MatrixView<const float> k_;
  std::vector<float> query_buffer_;
  std::vector<float> logit_buffer_;
  std::vector<float> bias_buffer_;
};

}  // namespace

void attend_output(const Encoding& encoding, const HeadsInput& input, MatrixView<float> output) {
  validate(encoding, input, output);
  OutputOfHeads(encoding, input).into(output);
}

}  // namespace posenc
