/// Sinusoidal encoding, added to the embedding of each token. Shape [position][d_model].
///
///   inv_freq[i] = theta^(-2i / d_model), angle[i] = position * inv_freq[i]
///   interleaved:         [s c s c ...]   row[2i] = sin, row[2i + 1] = cos; an odd d_model ends with a sine
///   concatenated:        [s s .. c c ..] (d_model + 1) / 2 sines, then d_model / 2 cosines
///   concatenated_half_1: the same order, but inv_freq[i] = theta^(-i / (d_model / 2 - 1)); an odd d_model ends with 0
///
/// Not permutations of one another: the third has other frequencies.
///
/// Libraries differ in more than the order; in the words of fairseq,
///   position = place in the sentence + position_offset; the row of position padding_idx is zero; the rest times scale
///
/// @source interleaved: Vaswani et al. 2017, arXiv:1706.03762, section 3.5; concatenated: Marian, RoFormer, XLM,
///         x-transformers (scale d_model^-0.5, learned from there); concatenated_half_1: tensor2tensor, Whisper,
///         OpenNMT
///         ("SinusoidalConcat"), fairseq and M2M100 (padding_idx 1, position_offset 2). Embeddings are multiplied by
///         sqrt(d_model) in the paper (section 3.4), OpenNMT, fairseq, Marian, M2M100, and are not in Whisper

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "posenc/angles.hpp"
#include "posenc/rope.hpp"

#include "encodings/define.hpp"
#include "encodings/registry.hpp"

namespace posenc {
namespace {

enum class Convention { interleaved, concatenated, concatenated_half_1 };

constexpr std::array kConventions{
    Choice{"interleaved", "interleaved", "sin, cos, sin, cos ... as the paper writes it"},
    Choice{"concatenated", "concatenated", "all sines, then all cosines (Marian, RoFormer)"},
    Choice{"concatenated_half_1", "concatenated, half − 1",
           "all sines, then all cosines, exponents up to exactly 1 (tensor2tensor, fairseq, Whisper)"},
};

enum class EmbeddingScale { one, sqrt_d_model };

constexpr std::array kEmbeddingScales{
    Choice{"one", "as it is", "the embedding stays as it is (Whisper, x-transformers)"},
    Choice{"sqrt_d_model", "times √d_model",
           "the embedding is multiplied by √d_model first (the paper, OpenNMT, fairseq, M2M100)"},
};

struct SinusoidalParams {
  Convention convention = Convention::interleaved;
  double theta = 10000.0;
  int position_offset = 0;
  int padding_idx = -1;
  double scale = 1.0;
  EmbeddingScale embedding_scale = EmbeddingScale::one;
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
        .max = 1e10,
        .log_scale = true,
    }),
    field<&SinusoidalParams::position_offset>({
        .name = "position_offset",
        .label = "First position",
        .unit = "positions",
        .doc = "Added to every position: 2 in fairseq and M2M100, which start after the padding word, 0 elsewhere.",
        .min = 0,
        .max = 65536,
    }),
    field<&SinusoidalParams::padding_idx>({
        .name = "padding_idx",
        .label = "Row of padding",
        .unit = "positions",
        .doc = "The row of this position is zero: 1 in fairseq and M2M100; −1 for none.",
        .min = -1,
        .max = 65536,
    }),
    field<&SinusoidalParams::scale>({
        .name = "scale",
        .label = "Row scale",
        .doc = "Factor on every row: 1 in the paper, d_model^(−1/2) at first in x-transformers, which learns it.",
        .min = 0,
        .max = 10,
    }),
    field<&SinusoidalParams::embedding_scale>({
        .name = "embedding_scale",
        .label = "Embedding scale",
        .doc = "What happens to the embedding before the row is added.",
        .choices = kEmbeddingScales,
    }),
};

class SinusoidalRows final : public AddsToInput {
 public:
  SinusoidalRows(const SinusoidalParams& params, const Dims& dims)
      : convention_(params.convention),
        position_offset_(params.position_offset),
        padding_idx_(params.padding_idx),
        scale_(static_cast<float>(params.scale)),
        embedding_scale_(params.embedding_scale == EmbeddingScale::one ? 1.0F
                                                                       : std::sqrt(static_cast<float>(dims.d_model))),
        d_model_(dims.d_model),
        inv_freq_(frequencies(params, static_cast<std::size_t>(dims.d_model))) {}

  [[nodiscard]] int d_model() const override { return d_model_; }
  [[nodiscard]] float embedding_scale() const override { return embedding_scale_; }

  void rows(Positions positions, MatrixView<float> out) const override {
    std::vector<double> moved(positions.all().begin(), positions.all().end());
    if (position_offset_ != 0) {
      for (double& position : moved) position += position_offset_;
    }
    fill(moved, out);
    for (int token = 0; padding_idx_ >= 0 && token < out.rows(); ++token) {
      if (moved[static_cast<std::size_t>(token)] == padding_idx_) std::ranges::fill(out.row(token), 0.0F);
    }
    if (scale_ == 1.0F) return;
    for (float& value : out.all()) value *= scale_;
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

  void fill(std::span<const double> positions, MatrixView<float> out) const {
    const int sines = static_cast<int>(inv_freq_.size());
    const auto whole_pairs = static_cast<std::size_t>(d_model_) / 2;
    const std::span<const double> inv_freq = std::span(inv_freq_).first(whole_pairs);
    if (convention_ == Convention::interleaved) {
      cos_sin_table(positions, inv_freq, {out, 1}, {out}, SinCos::interleaved);
    } else {
      cos_sin_table(positions, inv_freq, {out, sines}, {out});
    }
    if (d_model_ % 2 == 0) return;
    Matrix<float> rest(out.rows(), 1);  // of an odd d_model: zero, or a sine without its cosine
    Matrix<float> unused = rest;
    if (inv_freq_.size() > whole_pairs) {
      cos_sin_table(positions, std::span(inv_freq_).last(1), {unused.view()}, {rest.view()});
    }
    const int at = convention_ == Convention::concatenated ? sines - 1 : d_model_ - 1;
    for (int token = 0; token < out.rows(); ++token) out(token, at) = rest(token, 0);
  }

  Convention convention_;
  int position_offset_;
  int padding_idx_;
  float scale_;
  float embedding_scale_;
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
