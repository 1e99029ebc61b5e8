/// CoPE: position counts what the query finds relevant. Each key opens a gate by how well it matches the query, and the
/// position of a key is the sum of the gates from it up to the query.
///
///   gate[i][k] = sigmoid(scaled logit[i][k])
///   p[i][j]    = min(sum of gate[i][k] over keys k from j on, max_position - 1)
///   bias[i][j] = q[i] . e[p], between two whole p by linear interpolation;  q not scaled
///
///   up_to_query: keys later than the query have no gate, whatever the mask (the paper; DAPE)
///   visible:     every key that the mask lets the query see has one (x-transformers)
///
/// Equal under a causal mask. Without a mask, up_to_query gives all later keys position 0; visible counts them down to
/// the end of the text. "From j on" goes by position; keys of one position count in the order they are stored.
///
/// Weights [max_position][head_dim], the same for all heads: pos_emb of x-transformers (DAPE stores it transposed).
///
/// @source Golovneva et al. 2024, arXiv:2405.18719, section 4; CoPE of lucidrains/x-transformers (without talking heads
///         and soft one-hot) and of chuanyang-Zheng/DAPE

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
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

enum class Gates { up_to_query, visible };

constexpr std::array kGates{
    Choice{"up_to_query", "up to the query", "later keys are not counted, also without a mask (the paper, DAPE)"},
    Choice{"visible", "visible keys", "every key that the mask shows is counted (x-transformers)"},
};

struct CopeParams {
  Gates gates = Gates::up_to_query;
  int max_position = 64;
  std::uint64_t seed = 7;
  double stddev = 0.5;
};

constexpr std::array kFields{
    field<&CopeParams::gates>({
        .name = "gates",
        .label = "Counted keys",
        .doc = "Which keys can add to a position. Under a causal mask both are the same.",
        .choices = kGates,
    }),
    field<&CopeParams::max_position>({
        .name = "max_position",
        .label = "Table length",
        .unit = "positions",
        .doc = "Rows of the table. Everything farther shares the last one.",
        .min = 2,
        .max = 65536,
        .log_scale = true,
    }),
    field<&CopeParams::seed>({
        .name = "seed",
        .label = "Table seed",
        .doc = "The table is random here, not trained; this number chooses it.",
        .min = 0,
        .max = kMaxSeed,
    }),
    field<&CopeParams::stddev>({
        .name = "stddev",
        .label = "Table size σ",
        .doc = "Standard deviation of the seeded numbers. Queries here have 1.",
        .min = 0,
        .max = 10,
    }),
};

/// A place between two rows of the table: (1 - part) of row `below` and part of the next.
struct Place {
  int below;
  double part;
};

/// Gates and places of one query; keys in the order of their positions.
class Counted {
 public:
  Counted(const BiasQuery& query, int i, Gates gates, std::span<const int> order, int max_position)
      : gates_(order.size()), places_(order.size()) {
    for (std::size_t k = 0; k < order.size(); ++k) {
      const bool later = query.k_positions(order[k], 0) > query.q_positions(i, 0);
      const bool closed = later && gates == Gates::up_to_query;
      gates_[k] = closed ? -std::numeric_limits<float>::infinity() : query.logits(i, order[k]);
    }
    kernels::best.sigmoid(gates_);
    const double last = max_position - 1;
    double sum = 0.0;
    for (std::size_t k = order.size(); k-- > 0;) {
      sum += static_cast<double>(gates_[k]);
      const double below = std::floor(std::min(sum, last));
      places_[k] = {static_cast<int>(below), std::min(sum, last) - below};
    }
  }

  [[nodiscard]] bool empty() const { return places_.empty(); }
  [[nodiscard]] double gate(std::size_t k) const { return static_cast<double>(gates_[k]); }
  [[nodiscard]] const Place& place(std::size_t k) const { return places_[k]; }

 private:
  std::vector<float> gates_;
  std::vector<Place> places_;
};

class CopeBias final : public BiasesLogits {
 public:
  CopeBias(const CopeParams& params, std::span<const float> table, int head_dim)
      : gates_(params.gates), table_(table, params.max_position, head_dim) {}

  [[nodiscard]] bool needs_whole_rows() const override { return true; }

  void bias(const BiasQuery& query, MatrixView<float> out) const override {
    check(query);
    const std::vector<int> order = by_position(query);
    for (int i = 0; i < out.rows(); ++i) {
      const Counted counted(query, i, gates_, order, table_.rows());
      const std::vector<float> dots = dots_with(query.q.row(i), counted);
      for (std::size_t k = 0; k < order.size(); ++k) {
        const Place& place = counted.place(k);
        const auto below = static_cast<std::size_t>(place.below);
        const double value =
            (1.0 - place.part) * static_cast<double>(dots[below]) + place.part * static_cast<double>(dots[below + 1]);
        out(i, order[k]) = static_cast<float>(value);
      }
    }
  }

  void collect(const BiasQuery& query, MatrixView<const float> grad_bias,
               const BiasGradients& gradients) const override {
    check(query);
    const MatrixView grad_table(gradients.weights, table_.rows(), table_.cols());
    const std::vector<int> order = by_position(query);
    for (int i = 0; i < grad_bias.rows(); ++i) {
      const Counted counted(query, i, gates_, order, table_.rows());
      const std::vector<float> dots = dots_with(query.q.row(i), counted);
      double grad_sum = 0.0;  // of the gate of a key: what all keys up to it get from their places
      for (std::size_t k = 0; k < order.size(); ++k) {
        const double grad = static_cast<double>(grad_bias(i, order[k]));
        const Place& place = counted.place(k);
        add_row(place.below, grad * (1.0 - place.part), query.q.row(i), gradients.q.row(i), grad_table);
        if (place.below + 1 < table_.rows()) {
          add_row(place.below + 1, grad * place.part, query.q.row(i), gradients.q.row(i), grad_table);
          const auto below = static_cast<std::size_t>(place.below);
          grad_sum += grad * (static_cast<double>(dots[below + 1]) - static_cast<double>(dots[below]));
        }
        const double gate = counted.gate(k);
        gradients.logits(i, order[k]) += static_cast<float>(grad_sum * gate * (1.0 - gate));
      }
    }
  }

 private:
  static void check(const BiasQuery& query) {
    const bool fits = query.q.rows() == query.q_positions.rows() && query.logits.rows() == query.q_positions.rows() &&
                      query.logits.cols() == query.k_positions.rows();
    if (fits) return;
    fail(ErrorCode::shape_mismatch, "cope", "q", "be given, with the logits: this bias depends on the words",
         std::to_string(query.q.rows()) + " rows");
  }

  static std::vector<int> by_position(const BiasQuery& query) {
    const Distinct distinct(query.k_positions.all());
    std::vector<std::size_t> place(distinct.values().size() + 1);  // of the first key of each position
    for (const std::size_t value : distinct.index()) ++place[value + 1];
    for (std::size_t value = 1; value < place.size(); ++value) place[value] += place[value - 1];
    std::vector<int> order(distinct.index().size());
    for (std::size_t key = 0; key < order.size(); ++key) {
      order[place[distinct.index()[key]]++] = static_cast<int>(key);
    }
    return order;
  }

  /// q . e[row] for each row that a key needs, the first key being the farthest; one more that is 0.
  [[nodiscard]] std::vector<float> dots_with(std::span<const float> q, const Counted& counted) const {
    const int rows = counted.empty() ? 0 : std::min(counted.place(0).below + 2, table_.rows());
    std::vector<float> dots;
    for (int row = 0; row < rows; ++row) dots.push_back(kernels::best.dot(q, table_.row(row)));
    dots.push_back(0.0F);
    return dots;
  }

  void add_row(int row, double grad, std::span<const float> q, std::span<float> grad_q,
               MatrixView<float> grad_table) const {
    kernels::best.add_scaled(static_cast<float>(grad), q, grad_table.row(row));
    kernels::best.add_scaled(static_cast<float>(grad), table_.row(row), grad_q);
  }

  Gates gates_;
  MatrixView<const float> table_;
};

Encoding make_cope(const CopeParams& params, const Dims& dims, std::vector<float> given) {
  Encoding encoding;
  encoding.weights = given_or_seeded(std::move(given), params.max_position, dims.head_dim, "(max_position, head_dim)",
                                     params.seed, params.stddev);
  encoding.bias = std::make_unique<CopeBias>(params, encoding.weights, dims.head_dim);
  return encoding;
}

}  // namespace

constexpr EncodingInfo kCope = define<kFields, make_cope>({
    .id = "cope",
    .name = "CoPE",
    .family = Family::content,
    .seams = Seam::bias,
    .authors = "Golovneva et al.",
    .year = 2024,
    .url = "https://arxiv.org/abs/2405.18719",
    .summary = "Counts only the words that the query finds relevant, and adds what it says to that position.",
    .needs_content = true,
    .weights_shape = "[max_position][head_dim]",
});

}  // namespace posenc
