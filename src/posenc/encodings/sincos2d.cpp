/// 2-D sinusoids, added to the embedding of each patch of a picture. Positions are (row y, column x).
///
///   mae:          [sin x | cos x | sin y | cos y]   omega[i] = theta^(-4i / d_model), d_model / 4 of each
///   detr:         [y y y .. x x x ..]               pairs (sin, cos) of theta^(-4i / d_model) * 2 pi * n / (size +
///   1e-6),
///                                                   n = y + 1 or x + 1, size = height or width: a picture is one turn
///   detr_counted: the same with n alone
///
/// MAE's code calls its first half "h" and fills it with the column (np.meshgrid(grid_w, grid_h) puts w first);
/// measured: constant down a column. RT-DETR and OmDet-Turbo have the same rows, but number patches column by column.
///
/// @source mae: He et al. 2021, arXiv:2111.06377, util/pos_embed.py; RT-DETR, OmDet-Turbo; detr: Carion et al. 2020,
///         arXiv:2005.12872, its code with normalize=True; detr_counted: normalize=False, the default of its class. The
///         row of zeros that MAE puts in front for its class token is not a position and not here

#include <array>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "posenc/angles.hpp"
#include "posenc/error.hpp"
#include "posenc/rope.hpp"

#include "encodings/define.hpp"
#include "encodings/registry.hpp"

namespace posenc {
namespace {

enum class Convention { mae, detr, detr_counted };

constexpr std::array kConventions{
    Choice{"mae", "MAE", "column first, all sines, then all cosines, counted from 0 (MAE, RT-DETR, OmDet-Turbo)"},
    Choice{"detr", "DETR", "row first, sine beside cosine, counted from 1, the whole picture is one turn (DETR)"},
    Choice{"detr_counted", "DETR, not normalised", "as DETR, but the angles grow patch by patch (normalize=False)"},
};

struct Sincos2dParams {
  Convention convention = Convention::mae;
  double theta = 10000.0;
  int height = 16;
  int width = 16;
};

constexpr std::array kFields{
    field<&Sincos2dParams::convention>({
        .name = "convention",
        .label = "Convention",
        .doc = "Which half holds the column, the order of sines and cosines, and how patches are counted.",
        .choices = kConventions,
    }),
    field<&Sincos2dParams::theta>({
        .name = "theta",
        .label = "Base θ",
        .doc = "Wavelengths along each axis run from 2π patches to about 2π·θ patches.",
        .min = 1.0,
        .max = 1e10,
        .log_scale = true,
    }),
    field<&Sincos2dParams::height>({
        .name = "height",
        .label = "Picture height",
        .unit = "patches",
        .doc = "Rows of the picture, which make one turn.",
        .min = 1,
        .max = 65536,
        .log_scale = true,
        .only_with = {"convention", "detr"},
    }),
    field<&Sincos2dParams::width>({
        .name = "width",
        .label = "Picture width",
        .unit = "patches",
        .doc = "Columns of the picture, which make one turn.",
        .min = 1,
        .max = 65536,
        .log_scale = true,
        .only_with = {"convention", "detr"},
    }),
};

class Sincos2dRows final : public AddsToInput {
 public:
  Sincos2dRows(const Sincos2dParams& params, int d_model)
      : params_(params), d_model_(d_model), inv_freq_(static_cast<std::size_t>(d_model) / 4) {
    inv_freq(params.theta, d_model / 2, inv_freq_);
  }

  [[nodiscard]] int d_model() const override { return d_model_; }

  void rows(Positions positions, MatrixView<float> out) const override {
    const int half = d_model_ / 2;
    const bool x_first = params_.convention == Convention::mae;
    fill(places(along(0, positions), params_.height), x_first ? half : 0, out);
    fill(places(along(1, positions), params_.width), x_first ? 0 : half, out);
  }

 private:
  [[nodiscard]] std::vector<double> places(std::vector<double> positions, int size) const {
    constexpr double kOneTurn = 2.0 * std::numbers::pi;
    constexpr double kEps = 1e-6;  // DETR's own
    if (params_.convention == Convention::mae) return positions;
    for (double& position : positions) {
      position += 1.0;
      if (params_.convention == Convention::detr) position = position / (size + kEps) * kOneTurn;
    }
    return positions;
  }

  /// One axis, in the columns of its half.
  void fill(std::span<const double> places, int first, MatrixView<float> out) const {
    if (params_.convention == Convention::mae) {
      cos_sin_table(places, inv_freq_, {out, first + d_model_ / 4}, {out, first});
    } else {
      cos_sin_table(places, inv_freq_, {out, first + 1}, {out, first}, SinCos::interleaved);
    }
  }

  Sincos2dParams params_;
  int d_model_;
  std::vector<double> inv_freq_;
};

Encoding make_sincos2d(const Sincos2dParams& params, const Dims& dims) {
  if (dims.d_model % 4 != 0) {
    fail(ErrorCode::out_of_range, "sincos2d", "dims.d_model",
         "be a multiple of 4: a sine and a cosine for each of two axes", std::to_string(dims.d_model));
  }
  return {.input = std::make_unique<Sincos2dRows>(params, dims.d_model)};
}

}  // namespace

constexpr EncodingInfo kSincos2d = define<kFields, make_sincos2d>({
    .id = "sincos2d",
    .name = "2-D sinusoidal",
    .family = Family::added,
    .seams = Seam::input,
    .authors = "Carion et al.",
    .year = 2020,
    .url = "https://arxiv.org/abs/2005.12872",
    .summary =
        "Adds sines and cosines of the column and of the row to each patch of a picture, half the width for each.",
    .axes = 2,
    .text_positions = TextPositions::row,
});

}  // namespace posenc
