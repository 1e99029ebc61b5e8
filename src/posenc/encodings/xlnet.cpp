/// XLNet: the relative vectors of Transformer-XL in both directions.
///
///   dots[i][j] = (q_i + u) · k_j + (q_i + v) · W r(i - j),  r(d) = [sin(d * inv_freq) | cos(d * inv_freq)] [d_model]
///
/// Its rows run from distance klen down to -qlen + 1. With attn_type "uni" they end at -1; under the causal mask that
/// it needs, it is the same. Its third term, (q_i + r_s_bias) · s, tells segments apart, not positions, and is not
/// here.
///
/// Weights: W [n_heads][head_dim][d_model] (`r`, which is [d_model][n_heads][head_dim] there), then u (r_w_bias) and
/// v (r_r_bias), [n_heads][head_dim] each.
///
/// @source Yang et al. 2019, arXiv:1906.08237, section 2.4 and appendix A; Hugging Face modeling_xlnet.py (clamp_len;
/// -1
///         there is 0 here)

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "posenc/relative.hpp"
#include "posenc/seeded.hpp"

#include "encodings/define.hpp"
#include "encodings/registry.hpp"

namespace posenc {
namespace {

struct XlnetParams {
  int clamp_len = 0;
  std::uint64_t seed = 7;
  double stddev = 1.0;
};

constexpr std::array kFields{
    field<&XlnetParams::clamp_len>({
        .name = "clamp_len",
        .label = "Farthest distance",
        .unit = "tokens",
        .doc = "Longer distances count as this one, in each direction; 0 for no such limit.",
        .min = 0,
        .max = 65536,
    }),
    field<&XlnetParams::seed>({
        .name = "seed",
        .label = "Weights seed",
        .doc = "The weights are random here, not trained; this number chooses them.",
        .min = 0,
        .max = kMaxSeed,
    }),
    field<&XlnetParams::stddev>({
        .name = "stddev",
        .label = "Vector size σ",
        .doc = "Standard deviation of W·r with seeded weights. Keys of words here have 1.",
        .min = 0,
        .max = 10,
    }),
};

Encoding make_xlnet(const XlnetParams& params, const Dims& dims, std::vector<float> given) {
  Encoding encoding;
  // The squares of sines and cosines add up to d_model / 2.
  encoding.weights =
      given_or_seeded(std::move(given), std::int64_t{dims.n_heads} * dims.head_dim, dims.d_model + 2,
                      "(n_heads * head_dim, d_model + 2)", params.seed, params.stddev * std::sqrt(2.0 / dims.d_model));
  encoding.relative = sinusoidal_vectors(
      {.d_model = dims.d_model, .n_heads = dims.n_heads, .head_dim = dims.head_dim, .clamp_len = params.clamp_len},
      encoding.weights);
  return encoding;
}

}  // namespace

constexpr EncodingInfo kXlnet = define<kFields, make_xlnet>({
    .id = "xlnet",
    .name = "XLNet",
    .family = Family::relative,
    .seams = Seam::relative,
    .authors = "Yang et al.",
    .year = 2019,
    .url = "https://arxiv.org/abs/1906.08237",
    .summary = "Transformer-XL in both directions: each key also carries a projected sinusoid of its signed distance.",
    .weights_shape = "[n_heads][head_dim][d_model], then u and v, [n_heads][head_dim] each",
});

}  // namespace posenc
