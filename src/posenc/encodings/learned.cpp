/// Learned absolute encoding: a table with one row for each position, added to the embedding.
///
///   row = table[position + position_offset],  table [max_position][d_model]
///   out[token] = scale * row, or scale * row / |row| with l2norm
///
/// The table has a hard end: there is no row for a later position, and none between two whole numbers.
///
/// @source Gehring et al. 2017, arXiv:1705.03122, section 3.1; GPT-2, BERT. The first rows are left to padding in OPT,
///         RoBERTa and BART (position_offset 2: a table of 514 serves 512 words). x-transformers: scale d_model^-0.5,
///         or l2norm with scale 1. Seeded numbers here are random, not trained.

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
  int position_offset = 0;
  bool l2norm = false;
  double scale = 1.0;
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
    field<&LearnedParams::position_offset>({
        .name = "position_offset",
        .label = "First row",
        .unit = "positions",
        .doc = "Row of position 0: 2 in OPT and RoBERTa, whose first rows are for padding, 0 elsewhere.",
        .min = 0,
        .max = 65535,
    }),
    field<&LearnedParams::l2norm>({
        .name = "l2norm",
        .label = "Unit rows",
        .doc = "Every row is divided by its length (an option of x-transformers).",
    }),
    field<&LearnedParams::scale>({
        .name = "scale",
        .label = "Row scale",
        .doc = "Factor on every row: 1 in GPT-2 and BERT, d_model^(−1/2) in x-transformers.",
        .min = 0,
        .max = 10,
    }),
};

class LearnedRows final : public AddsToInput {
 public:
  LearnedRows(const LearnedParams& params, std::span<const float> table, int d_model)
      : position_offset_(params.position_offset),
        l2norm_(params.l2norm),
        scale_(static_cast<float>(params.scale)),
        table_(table, params.max_position, d_model) {}

  [[nodiscard]] int d_model() const override { return table_.cols(); }

  void rows(Positions positions, MatrixView<float> out) const override {
    for (int token = 0; token < positions.rows(); ++token) {
      const std::span<const float> row = table_.row(row_of(positions(token, 0)));
      std::ranges::copy(row, out.row(token).begin());
      const float factor = scale_ * inverse_length(row);
      if (factor == 1.0F) continue;
      for (float& value : out.row(token)) value *= factor;
    }
  }

  void collect(Positions positions, MatrixView<const float> grad_rows, std::span<float> grad_weights) const override {
    const MatrixView grad_table(grad_weights, table_.rows(), table_.cols());
    for (int token = 0; token < positions.rows(); ++token) {
      const std::span<const float> row = table_.row(row_of(positions(token, 0)));
      const std::span<float> grad_row = grad_table.row(row_of(positions(token, 0)));
      const float inverse = inverse_length(row);
      kernels::best.add_scaled(scale_ * inverse, grad_rows.row(token), grad_row);
      if (!l2norm_) continue;
      // A unit row has no other length: what points along it changes nothing.
      const float along = kernels::best.dot(grad_rows.row(token), row) * inverse * inverse;
      kernels::best.add_scaled(-scale_ * inverse * along, row, grad_row);
    }
  }

 private:
  /// What rows are multiplied by before `scale`; a row of zeros has no direction and stays zero.
  [[nodiscard]] float inverse_length(std::span<const float> row) const {
    if (!l2norm_) return 1.0F;
    const float length = std::sqrt(kernels::best.dot(row, row));
    return length > 0.0F ? 1.0F / length : 0.0F;
  }

  [[nodiscard]] int row_of(double position) const {
    const double row = position + position_offset_;
    if (row >= 0.0 && row < table_.rows() && row == std::floor(row)) return static_cast<int>(row);
    const std::string last = position_offset_ == 0 ? " (max_position - 1)" : " (max_position - 1 - position_offset)";
    fail(ErrorCode::position_out_of_range, "learned", "positions",
         "be whole numbers from " + std::to_string(-position_offset_) + " to " +
             std::to_string(table_.rows() - 1 - position_offset_) + last,
         to_text(position));
  }

  int position_offset_;
  bool l2norm_;
  float scale_;
  MatrixView<const float> table_;
};

Encoding make_learned(const LearnedParams& params, const Dims& dims, std::vector<float> given) {
  Encoding encoding;
  encoding.weights = given_or_seeded(std::move(given), params.max_position, dims.d_model, "(max_position, d_model)",
                                     params.seed, params.stddev);
  encoding.input = std::make_unique<LearnedRows>(params, encoding.weights, dims.d_model);
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
