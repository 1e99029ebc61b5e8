#pragma once

#include <optional>
#include <span>
#include <vector>

#include "posenc/matrix_view.hpp"
#include "posenc/spec.hpp"

/// How fast rotary pairs turn, and how long-context scalings change that: pure functions of plain numbers.
///
/// In all of them `rotary_dim` is the denominator of the exponent (2i / rotary_dim), even and > 0, and `out` takes any
/// number of pairs, radians per token. Nothing is thrown; what must hold of a parameter stands beside it.
namespace posenc {

/// Inverse frequencies of rotary (and sinusoidal) pairs.
///
///   inv_freq[i] = theta^(-2i / rotary_dim)
///
/// @param theta       > 0
/// @param rotary_dim  > 0; the denominator of the exponent
/// @param out         radians per token, any length
/// @source Su et al. 2021, arXiv:2104.09864, section 3.2.2
void inv_freq(double theta, int rotary_dim, std::span<double> out);

/// Position interpolation ("linear"): all pairs slow down alike, as if positions were divided by the factor.
///
///   inv_freq[i] = theta^(-2i / rotary_dim) / factor
///
/// @param theta   > 0
/// @param factor  > 0
/// @param out     radians per token
/// @source Chen et al. 2023, arXiv:2306.15595, section 3; Hugging Face "linear"
void linear_inv_freq(double theta, double factor, int rotary_dim, std::span<double> out);

/// Base of NTK-aware scaling: pair 0 keeps its speed, the last pair slows down by the factor.
///
///   theta * factor^(rotary_dim / (rotary_dim - 2));  theta itself where there is but one pair
///
/// @param theta   > 0
/// @param factor  > 0, often called alpha
/// @source bloc97 2023, "NTK-Aware Scaled RoPE"; jquesnelle/yarn, rotary-embedding-torch (theta_rescale_factor)
[[nodiscard]] double ntk_theta(double theta, double factor, int rotary_dim);

/// Base of dynamic NTK scaling: grows with the sequence, and is theta until the trained window is passed.
///
///   ntk_theta of alpha = factor * seq_len / original_max_position - (factor - 1)   if seq_len > original_max_position
///
/// A function of the length alone. Hugging Face keeps the largest base that it has met until a sequence fits into the
/// window again, so there the same tokens may get other numbers after a longer sequence; that is not reproduced here.
///
/// @param theta                  > 0
/// @param factor                 > 0
/// @param original_max_position  > 0, tokens
/// @param seq_len                tokens of the whole sequence, the largest position + 1
/// @source emozilla 2023, "Dynamically Scaled RoPE"; Hugging Face "dynamic"; jquesnelle/yarn (ntk = factor)
[[nodiscard]] double dynamic_ntk_theta(double theta, double factor, double original_max_position, double seq_len,
                                       int rotary_dim);

/// What YaRN needs to know.
struct YarnParams {
  double theta = 10000.0;                 ///< > 1
  double factor = 4.0;                    ///< > 0
  double original_max_position = 2048.0;  ///< > 0, tokens
  double beta_fast = 32.0;                ///< >= beta_slow; pairs with more rotations over the original window stay
  double beta_slow = 1.0;                 ///< > 0; pairs with fewer rotations are interpolated
  bool truncate = true;                   ///< round the two edges outwards to whole pairs
  double ext_factor = 1.0;                ///< 0 to 1; 0: every pair is interpolated, plain linear scaling
};

/// Inverse frequencies under YaRN: fast pairs stay, slow ones are interpolated, those between are mixed.
///
///   edge(beta)  = rotary_dim * ln(original_max_position / (2 pi beta)) / (2 ln theta)
///   low, high   = edge(beta_fast), edge(beta_slow); with truncate floor and ceil; within 0 and rotary_dim - 1
///   keep[i]     = ext_factor * (1 - clamp((i - low) / (high - low), 0, 1))
///   inv_freq[i] = (1 - keep[i]) * theta^(-2i / rotary_dim) / factor + keep[i] * theta^(-2i / rotary_dim)
///
/// Where the edges meet or cross (tiny windows, tiny bases) high - low counts as 0.001, as in ggml: a hard edge.
/// Hugging Face does so only where they meet; where they cross its ramp runs backwards.
///
/// @param out  radians per token
/// @source Peng et al. 2023, arXiv:2309.00071, section 3.2; jquesnelle/yarn, Hugging Face, ggml, DeepSeek-V3
void yarn_inv_freq(const YarnParams& params, int rotary_dim, std::span<double> out);

/// YaRN's magnitude: 0.1 * mscale * ln(factor) + 1, and 1 for factor <= 1. It sharpens attention, which long windows
/// flatten.
///
/// @param factor  > 0
/// @source Peng et al. 2023, arXiv:2309.00071, section 3.4; mscale: DeepSeek-V2
[[nodiscard]] double yarn_magnitude(double factor, double mscale = 1.0);

/// Magnitude on cos and sin as Hugging Face has it for YaRN.
///
///   yarn_magnitude(factor, mscale) / yarn_magnitude(factor, mscale_all_dim)   if neither is 0
///   yarn_magnitude(factor)                                                    else
///
/// @param factor  > 0
/// @source Hugging Face transformers, modeling_rope_utils.py
[[nodiscard]] double yarn_attention_factor(double factor, double mscale, double mscale_all_dim);

/// Magnitude on cos and sin as ggml has it: attn_factor * (1 - 0.1 * ln(freq_scale)), without a guard for
/// freq_scale > 1; attn_factor alone where ext_factor is 0.
///
/// @param freq_scale  > 0, 1 / factor
/// @source ggml-org/ggml, rope_yarn in ggml-cpu/ops.cpp
[[nodiscard]] double ggml_attention_factor(double freq_scale, double ext_factor, double attn_factor);

/// Inverse frequencies under "NTK-by-parts" as its author first wrote it: the slowest pairs are interpolated, the
/// fastest stay, those between follow NTK-aware scaling. Its edges are fixed (rotations 1.25 and 0.75, 16 and 2).
///
/// @param theta                  > 1
/// @param factor                 > 0
/// @param original_max_position  > 0, tokens
/// @param out                    radians per token
/// @source jquesnelle/yarn, LlamaPartNTKScaledRotaryEmbedding; the paper's section 3.2 calls "NTK-by-parts" what
///         yarn_inv_freq computes
void ntk_by_parts_inv_freq(double theta, double factor, double original_max_position, int rotary_dim,
                           std::span<double> out);

/// Inverse frequencies under LongRoPE: each pair is slowed down by a number of its own, found by search.
///
///   inv_freq[i] = theta^(-2i / rotary_dim) / rescale[i]
///
/// @param theta    > 0
/// @param rescale  one for each pair of `out`, > 0
/// @param out      radians per token
/// @source Ding et al. 2024, arXiv:2402.13753, section 3; Phi-3
void longrope_inv_freq(double theta, std::span<const double> rescale, int rotary_dim, std::span<double> out);

/// LongRoPE's magnitude: sqrt(1 + ln(factor) / ln(original_max_position)), and 1 for factor <= 1.
///
/// @param factor                 > 0: extended by original length, unless the model names another
/// @param original_max_position  > 1, tokens
/// @source Ding et al. 2024, arXiv:2402.13753; Phi-3, Hugging Face "longrope"
[[nodiscard]] double longrope_attention_factor(double factor, double original_max_position);

/// What Llama 3's scaling needs to know.
struct Llama3Params {
  double theta = 500000.0;                ///< > 0
  double factor = 8.0;                    ///< > 0
  double original_max_position = 8192.0;  ///< > 0, tokens
  double low_freq_factor = 1.0;           ///< pairs with fewer rotations over the original window are interpolated
  double high_freq_factor = 4.0;          ///< >= low_freq_factor; pairs with more stay
};

/// Inverse frequencies under Llama 3's scaling: YaRN's idea with a ramp over rotations instead of pairs.
///
///   turns[i]    = original_max_position * theta^(-2i / rotary_dim) / (2 pi)
///   keep[i]     = clamp((turns[i] - low_freq_factor) / (high_freq_factor - low_freq_factor), 0, 1)
///   inv_freq[i] = (1 - keep[i]) * theta^(-2i / rotary_dim) / factor + keep[i] * theta^(-2i / rotary_dim)
///
/// @param out  radians per token
/// @source Meta llama-models, apply_scaling in models/llama3/model.py; Hugging Face "llama3"
void llama3_inv_freq(const Llama3Params& params, int rotary_dim, std::span<double> out);

/// A rotary pair: it turns by inv_freq radians for each token along one axis of positions.
struct AxisPair {
  int axis = 0;
  double inv_freq = 0.0;
};

/// cos and sin of pairs of which each turns along an axis of its own.
///
///   angle[token][pair] = positions[token][pairs[pair].axis] * pairs[pair].inv_freq
///
/// @param positions  [token][axes]
/// @param cos, sin   [token][pair]
void turn(Positions positions, std::span<const AxisPair> pairs, MatrixView<float> cos, MatrixView<float> sin);

/// Frequencies of the pairs, in their order, without the axes.
[[nodiscard]] std::vector<double> inv_freq_of(std::span<const AxisPair> pairs);

/// An angle as it came, for it is exact: up to kMaxPosition radians.
///
/// @param position  that it comes from, for the message
/// @throws Error    position_out_of_range
[[nodiscard]] double checked_angle(double angle, double position, const char* encoding);

/// Channels that turn: the given ones, else the whole head.
///
/// @param multiple_of  what the head must be divisible by to turn as a whole
/// @throws Error       out_of_range (a head that cannot turn as a whole, and nothing given)
[[nodiscard]] int rotary_width(std::optional<int> given, const Dims& dims, int multiple_of, const char* encoding);

}  // namespace posenc
