/// Swin's relative position bias: inside a window of a picture, each head has a learned number for every offset in rows
/// and columns.
///
///   bias = table[(di + height - 1) * (2 * width - 1) + dj + width - 1][head],  di, dj = query minus key
///
///   window 2 x 2, patches row by row:  4 3 1 0 / 5 4 2 1 / 7 6 4 3 / 8 7 5 4
///
/// Weights [(2 height - 1) * (2 width - 1)][n_heads], the order of relative_position_bias_table in published models.
/// Positions are [row, column]; words are one row. Attention stays inside a window, so a larger offset has no number.
///
/// @source Liu et al. 2021, arXiv:2103.14030, section 3.2, equation 4; microsoft/Swin-Transformer and Hugging Face

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "posenc/error.hpp"
#include "posenc/seeded.hpp"

#include "encodings/define.hpp"
#include "encodings/registry.hpp"

namespace posenc {
namespace {

struct SwinBiasParams {
  int window_height = 7;
  int window_width = 7;
  std::uint64_t seed = 7;
  double stddev = 1.0;
};

constexpr std::array kFields{
    field<&SwinBiasParams::window_height>({
        .name = "window_height",
        .label = "Window height",
        .unit = "patches",
        .doc = "Rows of a window; 2·height − 1 different offsets.",
        .min = 1,
        .max = 64,
    }),
    field<&SwinBiasParams::window_width>({
        .name = "window_width",
        .label = "Window width",
        .unit = "patches",
        .doc = "Columns of a window. Of a sentence, which is one row, it is the longest that has a bias.",
        .min = 1,
        .max = 64,
    }),
    field<&SwinBiasParams::seed>({
        .name = "seed",
        .label = "Table seed",
        .doc = "The table is random here, not trained; this number chooses it.",
        .min = 0,
        .max = kMaxSeed,
    }),
    field<&SwinBiasParams::stddev>({
        .name = "stddev",
        .label = "Table size σ",
        .unit = "logits",
        .doc = "Standard deviation of the seeded numbers.",
        .min = 0,
        .max = 10,
    }),
};

class SwinBias final : public BiasesLogits {
 public:
  SwinBias(const SwinBiasParams& params, std::span<const float> table, int n_heads)
      : height_(params.window_height),
        width_(params.window_width),
        table_(table, static_cast<int>(table.size()) / n_heads, n_heads) {}

  void bias(const BiasQuery& query, MatrixView<float> out) const override {
    for (int i = 0; i < out.rows(); ++i) {
      for (int j = 0; j < out.cols(); ++j) out(i, j) = table_(index(query, i, j), query.head);
    }
  }

  void collect(const BiasQuery& query, MatrixView<const float> grad_bias,
               const BiasGradients& gradients) const override {
    const MatrixView grad_table(gradients.weights, table_.rows(), table_.cols());
    for (int i = 0; i < grad_bias.rows(); ++i) {
      for (int j = 0; j < grad_bias.cols(); ++j) grad_table(index(query, i, j), query.head) += grad_bias(i, j);
    }
  }

 private:
  [[nodiscard]] int index(const BiasQuery& query, int i, int j) const {
    const int row = steps(query.q_positions(i, 0) - query.k_positions(j, 0), height_, "height");
    const int column = steps(query.q_positions(i, 1) - query.k_positions(j, 1), width_, "width");
    return row * (2 * width_ - 1) + column;
  }

  /// From the smallest offset of the window.
  static int steps(double offset, int size, const char* side) {
    if (std::abs(offset) < size && offset == std::floor(offset)) return static_cast<int>(offset) + size - 1;
    fail(ErrorCode::position_out_of_range, "swin_bias", "positions",
         "be whole steps apart, at most " + std::to_string(size - 1) + " (window_" + side + " - 1)", to_text(offset));
  }

  int height_;
  int width_;
  MatrixView<const float> table_;
};

Encoding make_swin_bias(const SwinBiasParams& params, const Dims& dims, std::vector<float> given) {
  const int offsets = (2 * params.window_height - 1) * (2 * params.window_width - 1);
  Encoding encoding;
  encoding.weights =
      given_or_seeded(std::move(given), offsets, dims.n_heads, "(offsets, n_heads)", params.seed, params.stddev);
  encoding.bias = std::make_unique<SwinBias>(params, encoding.weights, dims.n_heads);
  return encoding;
}

}  // namespace

constexpr EncodingInfo kSwinBias = define<kFields, make_swin_bias>({
    .id = "swin_bias",
    .name = "Swin bias",
    .family = Family::bias,
    .seams = Seam::bias,
    .authors = "Liu et al.",
    .year = 2021,
    .url = "https://arxiv.org/abs/2103.14030",
    .summary = "Adds a learned number to each logit, chosen by how many rows and columns of a picture lie between.",
    .axes = 2,
    .text_positions = TextPositions::row,
    .weights_shape = "[(2 window_height - 1) (2 window_width - 1)][n_heads]",
});

}  // namespace posenc
