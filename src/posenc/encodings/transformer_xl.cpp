/// Transformer-XL: keys get a second part that is a learned projection of a sinusoid of the distance, and two learned
/// vectors, the same for every query, ask for words and for distances.
///
///   dots[i][j] = (q_i + u) · k_j + (q_i + v) · W r(i - j),  r(d) = [sin(d * inv_freq) | cos(d * inv_freq)] [d_model]
///
/// Made for a causal mask: its rows run from distance klen - 1 down to 0, and what the reference's shift leaves above
/// the diagonal is rows of other queries, to be masked away. Here later keys get u · k and no vector of a distance.
///
/// Weights: W [n_heads][head_dim][d_model] (r_net.weight), then u (r_w_bias) and v (r_r_bias), [n_heads][head_dim]
/// each.
///
/// @source Dai et al. 2019, arXiv:1901.02860, section 3.3; pytorch/mem_transformer.py in its code (clamp_len; -1 there
/// is
///         0 here)

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

struct TransformerXlParams {
  int clamp_len = 0;
  std::uint64_t seed = 7;
  double stddev = 1.0;
};

constexpr std::array kFields{
    field<&TransformerXlParams::clamp_len>({
        .name = "clamp_len",
        .label = "Farthest distance",
        .unit = "tokens",
        .doc = "Longer distances count as this one; 0 for no such limit.",
        .min = 0,
        .max = 65536,
    }),
    field<&TransformerXlParams::seed>({
        .name = "seed",
        .label = "Weights seed",
        .doc = "The weights are random here, not trained; this number chooses them.",
        .min = 0,
        .max = kMaxSeed,
    }),
    field<&TransformerXlParams::stddev>({
        .name = "stddev",
        .label = "Vector size σ",
        .doc = "Standard deviation of W·r with seeded weights. Keys of words here have 1.",
        .min = 0,
        .max = 10,
    }),
};

Encoding make_transformer_xl(const TransformerXlParams& params, const Dims& dims, std::vector<float> given) {
  Encoding encoding;
  // The squares of sines and cosines add up to d_model / 2.
  encoding.weights =
      given_or_seeded(std::move(given), std::int64_t{dims.n_heads} * dims.head_dim, dims.d_model + 2,
                      "(n_heads * head_dim, d_model + 2)", params.seed, params.stddev * std::sqrt(2.0 / dims.d_model));
  encoding.relative = sinusoidal_vectors({.d_model = dims.d_model,
                                          .n_heads = dims.n_heads,
                                          .head_dim = dims.head_dim,
                                          .later_keys = false,
                                          .clamp_len = params.clamp_len},
                                         encoding.weights);
  return encoding;
}

}  // namespace

constexpr EncodingInfo kTransformerXl = define<kFields, make_transformer_xl>({
    .id = "transformer_xl",
    .name = "Transformer-XL",
    .family = Family::relative,
    .seams = Seam::relative,
    .authors = "Dai et al.",
    .year = 2019,
    .url = "https://arxiv.org/abs/1901.02860",
    .summary = "Each key also carries a projected sinusoid of its distance; two learned vectors weigh words and "
               "distances. It looks back only.",
    .weights_shape = "[n_heads][head_dim][d_model], then u and v, [n_heads][head_dim] each",
});

}  // namespace posenc
