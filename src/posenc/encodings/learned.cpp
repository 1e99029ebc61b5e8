/// Learned absolute encoding: a table with one row for each position, added to the embedding.
///
///   out[token] = table[position],  table [max_position][d_model]
///
/// The table has a hard end: there is no row for a later position, and none between two whole numbers.
///
/// @source Gehring et al. 2017, arXiv:1705.03122, section 3.1; GPT-2, BERT. Seeded numbers here are random, not
/// trained.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "posenc/error.hpp"
#include "posenc/seeded.hpp"

#include "encodings/define.hpp"
#include "encodings/registry.hpp"
#include "kernels/kernels.hpp"

namespace posenc {
namespace {

struct LearnedParams {
  int max_position = 512;
  std::uint64_t seed = 7;
  double stddev = 1.0;
};

constexpr std::array kFields{
    field<&LearnedParams::max_position>({
        .name = "max_position",
        .label = "Table length",
        .unit = "positions",
        .doc = "Rows of the table. A later position has no row and cannot be encoded.",
        .min = 1,
        .max = 65536,
        .log_scale = true,
    }),
    field<&LearnedParams::seed>({
        .name = "seed",
        .label = "Table seed",
        .doc = "The table is random here, not trained; this number chooses it.",
        .min = 0,
        .max = kMaxSeed,
    }),
    field<&LearnedParams::stddev>({
        .name = "stddev",
        .label = "Table size σ",
        .doc = "Standard deviation of the seeded numbers. Word embeddings here have 1.",
        .min = 0,
        .max = 10,
    }),
};

class LearnedRows final : public AddsToInput {
 public:
  LearnedRows(std::span<const float> table, int max_position, int d_model) : table_(table, max_position, d_model) {}

  [[nodiscard]] int d_model() const override { return table_.cols(); }

  void rows(Positions positions, MatrixView<float> out) const override {
    for (int token = 0; token < positions.rows(); ++token) {
      std::ranges::copy(table_.row(row_of(positions(token, 0))), out.row(token).begin());
    }
  }

  void collect(Positions positions, MatrixView<const float> grad_rows, std::span<float> grad_weights) const override {
    const MatrixView grad_table(grad_weights, table_.rows(), table_.cols());
    for (int token = 0; token < positions.rows(); ++token) {
      kernels::best.add_scaled(1.0F, grad_rows.row(token), grad_table.row(row_of(positions(token, 0))));
    }
  }

 private:
  [[nodiscard]] int row_of(double position) const {
    if (position >= 0.0 && position < table_.rows() && position == std::floor(position)) {
      return static_cast<int>(position);
    }
    throw Error({ErrorCode::position_out_of_range, "learned", "positions",
                 "be whole numbers from 0 to " + std::to_string(table_.rows() - 1) + " (max_position - 1)",
                 to_text(position)});
  }

  MatrixView<const float> table_;
};

Encoding make_learned(const LearnedParams& params, const Dims& dims, std::vector<float> given) {
  Encoding encoding;
  encoding.weights = given_or_seeded(std::move(given), params.max_position, dims.d_model, "(max_position, d_model)",
                                     params.seed, params.stddev);
  encoding.input = std::make_unique<LearnedRows>(encoding.weights, params.max_position, dims.d_model);
  return encoding;
}

}  // namespace

constexpr EncodingInfo kLearned = define<kFields, make_learned>({
    .id = "learned",
    .name = "Learned",
    .family = Family::added,
    .seams = Seam::input,
    .authors = "Gehring et al.",
    .year = 2017,
    .url = "https://arxiv.org/abs/1705.03122",
    .summary = "Adds one row of a table to each word, a row for each position; the table ends.",
    .weights_shape = "[max_position][d_model]",
});

}  // namespace posenc
