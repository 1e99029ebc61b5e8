/// Sinusoidal encoding, added to the embedding of each token. Shape [position][d_model].
///
///   inv_freq[i] = theta^(-2i / d_model), angle[i] = position * inv_freq[i]
///   interleaved:         [s c s c ...]   row[2i] = sin, row[2i + 1] = cos; an odd d_model ends with a sine
///   concatenated:        [s s .. c c ..] (d_model + 1) / 2 sines, then d_model / 2 cosines
///   concatenated_half_1: the same order, but inv_freq[i] = theta^(-i / (d_model / 2 - 1)); an odd d_model ends with 0
///
/// Not permutations of one another: the third has other frequencies.
///
/// @source interleaved: Vaswani et al. 2017, arXiv:1706.03762, section 3.5; concatenated: Marian, RoFormer, XLM;
///         concatenated_half_1: tensor2tensor, fairseq, M2M100, Whisper

#include <array>
#include <cstddef>
#include <vector>

#include "posenc/rope.hpp"

#include "encodings/define.hpp"
#include "encodings/registry.hpp"
#include "kernels/kernels.hpp"

namespace posenc {
namespace {

enum class Convention { interleaved, concatenated, concatenated_half_1 };

constexpr std::array kConventions{
    Choice{"interleaved", "interleaved", "sin, cos, sin, cos ... as the paper writes it"},
    Choice{"concatenated", "concatenated", "all sines, then all cosines (Marian, RoFormer)"},
    Choice{"concatenated_half_1", "concatenated, half − 1",
           "all sines, then all cosines, exponents up to exactly 1 (tensor2tensor, fairseq, Whisper)"},
};

struct SinusoidalParams {
  Convention convention = Convention::interleaved;
  double theta = 10000.0;
};

constexpr std::array kFields{
    field<&SinusoidalParams::convention>({
        .name = "convention",
        .label = "Convention",
        .doc = "Order of sines and cosines, and how the exponents are spaced.",
        .choices = kConventions,
    }),
    field<&SinusoidalParams::theta>({
        .name = "theta",
        .label = "Base θ",
        .doc = "Wavelengths run from 2π tokens to about 2π·θ tokens.",
        .min = 1.0,
        .max = 1e8,
        .log_scale = true,
    }),
};

class SinusoidalRows final : public AddsToInput {
 public:
  SinusoidalRows(const SinusoidalParams& params, const Dims& dims)
      : convention_(params.convention),
        d_model_(dims.d_model),
        inv_freq_(frequencies(params, static_cast<std::size_t>(dims.d_model))) {}

  [[nodiscard]] int d_model() const override { return d_model_; }

  void rows(Positions positions, MatrixView<float> out) const override {
    const std::size_t pairs = inv_freq_.size();
    std::vector<double> angles(pairs);
    std::vector<float> sin(pairs);
    std::vector<float> cos(pairs);
    for (int token = 0; token < positions.rows(); ++token) {
      for (std::size_t pair = 0; pair < pairs; ++pair) angles[pair] = positions(token, 0) * inv_freq_[pair];
      kernels::best.sin_cos(angles, sin, cos);
      lay_out(sin, cos, out.row(token));
    }
  }

 private:
  static std::vector<double> frequencies(const SinusoidalParams& params, std::size_t d_model) {
    if (params.convention == Convention::concatenated_half_1) {
      std::vector<double> result(d_model / 2);
      inv_freq(params.theta, static_cast<int>(result.size() > 1 ? 2 * (result.size() - 1) : 2), result);
      return result;
    }
    std::vector<double> result((d_model + 1) / 2);
    inv_freq(params.theta, static_cast<int>(d_model), result);
    return result;
  }

  void lay_out(std::span<const float> sin, std::span<const float> cos, std::span<float> row) const {
    const bool interleaved = convention_ == Convention::interleaved;
    const std::size_t cosines = row.size() / 2;
    if (sin.size() + cosines < row.size()) row.back() = 0.0F;
    for (std::size_t i = 0; i < sin.size(); ++i) row[interleaved ? 2 * i : i] = sin[i];
    for (std::size_t i = 0; i < cosines; ++i) row[interleaved ? 2 * i + 1 : sin.size() + i] = cos[i];
  }

  Convention convention_;
  int d_model_;
  std::vector<double> inv_freq_;
};

Encoding make_sinusoidal(const SinusoidalParams& params, const Dims& dims) {
  return {.input = std::make_unique<SinusoidalRows>(params, dims)};
}

}  // namespace

constexpr EncodingInfo kSinusoidal = define<kFields, make_sinusoidal>({
    .id = "sinusoidal",
    .name = "Sinusoidal",
    .family = Family::added,
    .seams = Seam::input,
    .authors = "Vaswani et al.",
    .year = 2017,
    .url = "https://arxiv.org/abs/1706.03762",
    .summary = "Adds a fingerprint of sines and cosines to each word: fast waves in the first dimensions, slow ones in "
               "the last.",
});

}  // namespace posenc
