/// RoPE over rows and columns: half of the pairs turns with the row of a patch, the other half with its column.
///
/// positions are [row, column]. What models do differently (y: pairs that turn with the row, x: with the column; f0 f1
/// .. fall from 1 to about 1 / theta):
///
///   convention  pairs          frequencies of y | x   two channels of a pair        models
///   qwen2_vl    y y .. x x ..  f0 f1 .. | f0 f1 ..    half of the head apart        Qwen2-VL vision, DINOv3, ggml
///   pixtral     y y .. x x ..  f0 f2 .. | f1 f3 ..    half of the head apart        Pixtral
///   chatglm     y y .. x x ..  f0 f1 .. | f0 f1 ..    half of the axis' part apart  ChatGLM-6B
///   eva02       y y .. x x ..  f0 f1 .. | f0 f1 ..    neighbours                    EVA-02, lucidrains axial
///   llama4      x x .. y y ..  f0 f1 .. | f0 f1 ..    neighbours                    Llama-4 vision, rope-vit axial
///
///   geometric: f[i] = theta^(-i / n), n frequencies      (theta 100 in DINOv3 and rope-vit, else 10000)
///   linear:    f[i] = pi * (1 .. max_freq / 2), evenly   (lucidrains freqs_for='pixel')
///
///   coordinate of patch i of n along an axis:
///   index:   i * scale                       (EVA-02: scale = side of the grid in pretraining / side now; others: 1)
///   centres: 2 pi * (2 (i + 1/2) / n - 1)    (DINOv3)
///   edges:   2 i / (n - 1) - 1               (lucidrains freqs_for='pixel')
///
/// Left to the caller, since they are only a choice of positions: Llama-4 counts patches from 1, the others from 0.
/// ChatGLM has no picture: its rows are places in the text, its columns places in the blank that is being filled. A
/// class token that is not turned stands where angles are 0: at (0, 0), and in DINOv3 in the middle of the picture,
/// ((height - 1) / 2, (width - 1) / 2).
///
/// @source Fang et al. 2023, arXiv:2303.11331, and EVA-02/asuka/rope.py;
///         Heo et al. 2024, arXiv:2403.13298, section 3.2, and naver-ai/rope-vit (axial);
///         Hugging Face transformers: qwen2_vl, dinov3_vit, pixtral, llama4; ggml GGML_ROPE_TYPE_VISION;
///         ChatGLM-6B in THUDM/SwissArmyTransformer; lucidrains/rotary-embedding-torch, get_axial_freqs

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <vector>

#include "posenc/error.hpp"
#include "posenc/rope.hpp"

#include "encodings/define.hpp"
#include "encodings/registry.hpp"

namespace posenc {
namespace {

enum class Convention { qwen2_vl, pixtral, chatglm, eva02, llama4 };
enum class Frequencies { geometric, linear };
enum class Coordinates { index, centres, edges };

constexpr std::array kConventions{
    Choice{"qwen2_vl", "Qwen2-VL, DINOv3",
           "rows, then columns, each with all frequencies; channel i pairs with i + rotary_dim / 2"},
    Choice{"pixtral", "Pixtral",
           "rows, then columns; rows take frequencies 0, 2, 4 …, columns 1, 3, 5 …; channel i pairs with i + "
           "rotary_dim / 2"},
    Choice{"chatglm", "ChatGLM",
           "rows in the first half of the channels, columns in the second; channel i pairs with i + rotary_dim / 4"},
    Choice{"eva02", "EVA-02, lucidrains",
           "rows, then columns, each with all frequencies; channel 2i pairs with 2i + 1"},
    Choice{"llama4", "Llama-4, rope-vit",
           "columns, then rows, each with all frequencies; channel 2i pairs with 2i + 1"},
};

constexpr std::array kFrequencies{
    Choice{"geometric", "geometric", "from 1 down to about 1/θ, as in RoPE (all models)"},
    Choice{"linear", "linear",
           "π to π · max_freq / 2 in even steps (lucidrains, for pixels, with coordinates from edge to edge)"},
};

constexpr std::array kCoordinates{
    Choice{"index", "index", "the row and the column, times a scale (all models but DINOv3)"},
    Choice{"centres", "−2π … 2π, centres", "2π times the centre of the patch in a picture from −1 to 1 (DINOv3)"},
    Choice{"edges", "−1 … 1, edges", "the first patch is at −1, the last at 1 (lucidrains, for pixels)"},
};

struct Rope2dParams {
  Convention convention = Convention::qwen2_vl;
  Frequencies frequencies = Frequencies::geometric;
  double theta = 10000.0;
  double max_freq = 10.0;
  Coordinates coordinates = Coordinates::index;
  double scale = 1.0;
  int height = 16;
  int width = 16;
  std::optional<int> rotary_dim;
};

constexpr std::array kFields{
    field<&Rope2dParams::convention>({
        .name = "convention",
        .label = "Convention",
        .doc = "Which pair turns with the row or the column, at which frequency, and which two channels it is.",
        .choices = kConventions,
    }),
    field<&Rope2dParams::frequencies>({
        .name = "frequencies",
        .label = "Frequencies",
        .doc = "How fast the pairs of an axis turn.",
        .choices = kFrequencies,
    }),
    field<&Rope2dParams::theta>({
        .name = "theta",
        .label = "Base θ",
        .doc = "The first pair of an axis turns by one radian per unit, the last by about 1/θ (100 in DINOv3 and "
               "rope-vit).",
        .min = 1.0,
        .max = 1e10,
        .log_scale = true,
        .only_with = {"frequencies", "geometric"},
    }),
    field<&Rope2dParams::max_freq>({
        .name = "max_freq",
        .label = "Largest frequency",
        .doc = "The last pair of an axis turns max_freq / 2 times between the edges of the picture.",
        .min = 2.0,
        .max = 4096.0,
        .log_scale = true,
        .only_with = {"frequencies", "linear"},
    }),
    field<&Rope2dParams::coordinates>({
        .name = "coordinates",
        .label = "Coordinates",
        .doc = "What an angle is proportional to.",
        .choices = kCoordinates,
    }),
    field<&Rope2dParams::scale>({
        .name = "scale",
        .label = "Scale of positions",
        .doc = "EVA-02: patches per side in pretraining / patches per side now, so that a finer picture spans the same "
               "angles.",
        .min = 0.01,
        .max = 100.0,
        .log_scale = true,
        .only_with = {"coordinates", "index"},
    }),
    field<&Rope2dParams::height>({
        .name = "height",
        .label = "Height",
        .unit = "patches",
        .doc = "Rows of the picture that coordinates run over.",
        .min = 1,
        .max = 65536,
        .log_scale = true,
        .only_with = {"coordinates", "centres edges"},
    }),
    field<&Rope2dParams::width>({
        .name = "width",
        .label = "Width",
        .unit = "patches",
        .doc = "Columns of the picture that coordinates run over.",
        .min = 1,
        .max = 65536,
        .log_scale = true,
        .only_with = {"coordinates", "centres edges"},
    }),
    field<&Rope2dParams::rotary_dim>({
        .name = "rotary_dim",
        .label = "Rotary width",
        .unit = "channels",
        .doc = "Channels of a head that turn, half of them for each axis; the rest knows no position.",
        .min = 4,
        .multiple_of = 4,
        .default_from = DimName::head_dim,
        .max_from = DimName::head_dim,
    }),
};

std::vector<double> series(const Rope2dParams& params, int size) {
  std::vector<double> result(static_cast<std::size_t>(size));
  if (params.frequencies == Frequencies::geometric) {
    inv_freq(params.theta, 2 * size, result);
    return result;
  }
  const double step = size > 1 ? (params.max_freq / 2.0 - 1.0) / (size - 1) : 0.0;
  for (int i = 0; i < size; ++i) result[static_cast<std::size_t>(i)] = std::numbers::pi * (1.0 + i * step);
  return result;
}

std::vector<AxisPair> pairs_of(const Rope2dParams& params, int rotary_dim) {
  const int per_axis = rotary_dim / 4;
  const bool take_turns = params.convention == Convention::pixtral;
  const std::vector<double> frequencies = series(params, take_turns ? 2 * per_axis : per_axis);
  std::vector<AxisPair> pairs;
  for (int half = 0; half < 2; ++half) {
    const int axis = params.convention == Convention::llama4 ? 1 - half : half;
    for (int i = 0; i < per_axis; ++i) {
      pairs.push_back({axis, frequencies[static_cast<std::size_t>(take_turns ? 2 * i + axis : i)]});
    }
  }
  return pairs;
}

/// coordinate = position * step + first
struct Axis {
  double step = 1.0;
  double first = 0.0;
};

Axis axis_of(const Rope2dParams& params, int patches) {
  switch (params.coordinates) {
    case Coordinates::index:
      return {params.scale, 0.0};
    case Coordinates::centres: {
      constexpr double kTurn = 2.0 * std::numbers::pi;
      return {2.0 * kTurn / patches, kTurn / patches - kTurn};
    }
    case Coordinates::edges:
      return {patches > 1 ? 2.0 / (patches - 1) : 0.0, -1.0};
  }
  return {};
}

class Rope2dRotation final : public RotatesQk {
 public:
  Rope2dRotation(const Rope2dParams& params, int rotary_dim)
      : convention_(params.convention),
        axes_{axis_of(params, params.height), axis_of(params, params.width)},
        pairs_(pairs_of(params, rotary_dim)) {
    for (const AxisPair& pair : pairs_) fastest_ = std::max(fastest_, pair.inv_freq);
  }

  [[nodiscard]] int rotary_dim() const override { return static_cast<int>(2 * pairs_.size()); }
  [[nodiscard]] PairLayout layout() const override {
    return convention_ == Convention::eva02 || convention_ == Convention::llama4 ? PairLayout::interleaved
                                                                                 : PairLayout::half;
  }
  [[nodiscard]] int blocks() const override { return convention_ == Convention::chatglm ? 2 : 1; }

  [[nodiscard]] RotaryFrequencies frequencies(double /*seq_len*/) const override {
    std::vector<double> per_patch = inv_freq_of(pairs_);
    for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
      per_patch[pair] *= axes_[static_cast<std::size_t>(pairs_[pair].axis)].step;
    }
    return {.inv_freq = per_patch};
  }

  void cos_sin(const RotaryQuery& query, MatrixView<float> cos, MatrixView<float> sin) const override {
    Matrix<double> coordinates(query.positions.rows(), 2);
    for (int token = 0; token < coordinates.rows(); ++token) {
      for (int axis = 0; axis < 2; ++axis) coordinates(token, axis) = coordinate(query.positions(token, axis), axis);
    }
    turn(coordinates.view(), pairs_, cos, sin);
  }

 private:
  [[nodiscard]] double coordinate(double position, int axis) const {
    const auto& [step, first] = axes_[static_cast<std::size_t>(axis)];
    const double result = position * step + first;
    static_cast<void>(checked_angle(result * fastest_, position, "rope_2d"));
    return result;
  }

  Convention convention_;
  std::array<Axis, 2> axes_;
  std::vector<AxisPair> pairs_;
  double fastest_ = 0.0;
};

Encoding make_rope_2d(const Rope2dParams& params, const Dims& dims) {
  return {.rotary = std::make_unique<Rope2dRotation>(params, rotary_width(params.rotary_dim, dims, 4, "rope_2d"))};
}

}  // namespace

constexpr EncodingInfo kRope2d = define<kFields, make_rope_2d>({
    .id = "rope_2d",
    .name = "2-D RoPE",
    .family = Family::rotated,
    .seams = Seam::rotary,
    .authors = "Fang et al.",
    .year = 2023,
    .url = "https://arxiv.org/abs/2303.11331",
    .summary = "RoPE for pictures: half of the pairs turns with the row of a patch, the other half with its column.",
    .axes = 2,
    .text_positions = TextPositions::row,
});

}  // namespace posenc
