/// xPos: RoPE whose pairs also shrink with distance, so that far words weigh less and the fast pairs fade first.
///
///   q is multiplied by xi[i]^e and k by xi[i]^-e, e = (position - centre) / scale_base, beside the rotation of RoPE
///   xi[i] = (2i / rotary_dim + gamma) / (1 + gamma), between gamma / (1 + gamma) and 1
///
/// so q · k has the factor xi[i]^((q - k) / scale_base): 1 at distance 0, below 1 for keys before the query, and above
/// 1 for keys after it, which is why it is meant for a causal mask. The centre cancels in q · k and keeps the two
/// factors within the range of float. Pairs are interleaved, [a b a b], as in both references:
///
///   torchscale: centre ceil(n / 2) of n tokens (its exponents start at -n // 2, rounded down)
///   lucidrains: centre floor(n / 2)
///   none:       centre 0, the formula of the paper
///
/// For an odd n the rotated vectors of the two differ, their products do not.
///
/// @source Sun et al. 2022, arXiv:2212.10554, algorithm 1; microsoft/torchscale, component/xpos_relative_position.py
///         (gamma 0.4); lucidrains/rotary-embedding-torch (use_xpos)

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "posenc/error.hpp"
#include "posenc/rope.hpp"

#include "encodings/define.hpp"
#include "encodings/registry.hpp"
#include "kernels/kernels.hpp"

namespace posenc {
namespace {

enum class Centre { torchscale, lucidrains, none };

constexpr std::array kCentres{
    Choice{"torchscale", "⌈n/2⌉", "the middle of the sequence, rounded up (torchscale, by the authors)"},
    Choice{"lucidrains", "⌊n/2⌋", "the middle of the sequence, rounded down (rotary-embedding-torch)"},
    Choice{"none", "0", "position 0, as in the paper's formula; long sequences leave the range of float sooner"},
};

struct XposParams {
  double scale_base = 512.0;
  double gamma = 0.4;
  Centre centre = Centre::torchscale;
  double theta = 10000.0;
  std::optional<int> rotary_dim;
};

constexpr std::array kFields{
    field<&XposParams::scale_base>({
        .name = "scale_base",
        .label = "Scale base",
        .unit = "tokens",
        .doc = "Distance at which pair 0 has shrunk to γ/(1+γ); small values forget fast.",
        .min = 1.0,
        .max = 1e6,
        .log_scale = true,
    }),
    field<&XposParams::gamma>({
        .name = "gamma",
        .label = "γ",
        .doc = "Keeps pair 0 from shrinking at once: it is scaled by γ/(1+γ) for each scale base of distance.",
        .min = 0.01,
        .max = 100.0,
        .log_scale = true,
    }),
    field<&XposParams::centre>({
        .name = "centre",
        .label = "Centre",
        .doc = "Position at which q and k keep their length; it changes the vectors but not the scores.",
        .choices = kCentres,
    }),
    field<&XposParams::theta>({
        .name = "theta",
        .label = "Base θ",
        .doc = "Pair 0 turns by one radian per token, the last pair by about 1/θ.",
        .min = 1.0,
        .max = 1e10,
        .log_scale = true,
    }),
    field<&XposParams::rotary_dim>({
        .name = "rotary_dim",
        .label = "Rotary width",
        .unit = "channels",
        .doc = "Channels of a head that turn and shrink; the rest knows no position.",
        .min = 2,
        .multiple_of = 2,
        .default_from = DimName::head_dim,
        .max_from = DimName::head_dim,
    }),
};

/// e^80 and its inverse are floats, and still are when a channel multiplies them.
constexpr double kLargestLog = 80.0;

/// base^exponent; relative error below (exponent + 1) * 2^-52.
double whole_power(double base, std::int64_t exponent) {
  double result = 1.0;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result;
}

/// How a pair shrinks.
struct Shrink {
  double xi;
  double per_token;  ///< xi^(1 / scale_base)
};

/// xi^(distance / scale_base) of all pairs, as a product of those of a multiple of 64 and of what is left.
class Powers {
 public:
  Powers(const std::vector<Shrink>& shrink, double scale_base)
      : shrink_(shrink), scale_base_(scale_base), block_(shrink.size()), product_(shrink.size()) {}

  [[nodiscard]] std::span<const double> at(double distance) {
    const double whole = std::floor(distance);
    const double block = kBlock * std::floor(whole / kBlock);
    if (block != block_at_) fill(block, block_);
    block_at_ = block;
    std::vector<double>& rest = rest_[static_cast<std::size_t>(whole - block)];
    if (rest.empty()) {
      rest.resize(shrink_.size());
      fill(whole - block, rest);
    }
    for (std::size_t pair = 0; pair < product_.size(); ++pair) product_[pair] = block_[pair] * rest[pair];
    if (distance > whole) {  // the exact kernel is slow, so it serves the fraction of a token alone
      for (std::size_t pair = 0; pair < product_.size(); ++pair) {
        product_[pair] *= kernels::pow(shrink_[pair].xi, (distance - whole) / scale_base_);
      }
    }
    return product_;
  }

 private:
  static constexpr double kBlock = 64.0;

  void fill(double whole, std::vector<double>& out) const {
    for (std::size_t pair = 0; pair < out.size(); ++pair) {
      const double size = whole_power(shrink_[pair].per_token, static_cast<std::int64_t>(std::abs(whole)));
      out[pair] = whole < 0.0 ? 1.0 / size : size;
    }
  }

  const std::vector<Shrink>& shrink_;
  double scale_base_;
  double block_at_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> block_;
  std::array<std::vector<double>, static_cast<std::size_t>(kBlock)> rest_;
  std::vector<double> product_;
};

class XposRotation final : public RotatesQk {
 public:
  XposRotation(const XposParams& params, int rotary_dim)
      : centre_(params.centre), scale_base_(params.scale_base), pairs_(static_cast<std::size_t>(rotary_dim) / 2) {
    std::vector<double> frequencies(pairs_.size());
    inv_freq(params.theta, rotary_dim, frequencies);
    for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
      pairs_[pair].inv_freq = frequencies[pair];
      const double xi = (2.0 * static_cast<double>(pair) / rotary_dim + params.gamma) / (1.0 + params.gamma);
      shrink_.push_back({xi, kernels::pow(xi, 1.0 / scale_base_)});
    }
    farthest_ = kLargestLog * scale_base_ / -kernels::log(shrink_.front().xi);
  }

  [[nodiscard]] int rotary_dim() const override { return static_cast<int>(2 * pairs_.size()); }
  [[nodiscard]] PairLayout layout() const override { return PairLayout::interleaved; }

  /// The magnitude of xPos depends on the position; it is not in here.
  [[nodiscard]] RotaryFrequencies frequencies(double /*seq_len*/) const override {
    return {.inv_freq = inv_freq_of(pairs_)};
  }

  void cos_sin(const RotaryQuery& query, MatrixView<float> cos, MatrixView<float> sin) const override {
    turn(query.positions, pairs_, cos, sin);
    const double centre = centre_of(query);
    Powers powers(shrink_, scale_base_);
    for (int token = 0; token < cos.rows(); ++token) {
      const double distance = checked(query.positions(token, 0) - centre);
      const std::span<const double> factors = powers.at(query.operand == Operand::q ? distance : -distance);
      const std::span<float> cosines = cos.row(token);
      const std::span<float> sines = sin.row(token);
      for (std::size_t pair = 0; pair < factors.size(); ++pair) {
        cosines[pair] = static_cast<float>(cosines[pair] * factors[pair]);
        sines[pair] = static_cast<float>(sines[pair] * factors[pair]);
      }
    }
  }

 private:
  [[nodiscard]] double centre_of(const RotaryQuery& query) const {
    if (centre_ == Centre::none) return 0.0;
    const double half = (query.seq_len - query.origin) / 2.0;
    return centre_ == Centre::torchscale ? std::ceil(half) : std::floor(half);
  }

  [[nodiscard]] double checked(double distance) const {
    if (std::abs(distance) <= farthest_) return distance;
    fail(ErrorCode::position_out_of_range, "xpos", "positions",
         "be within " + to_text(std::floor(farthest_)) + " tokens of the centre, where float ends",
         to_text(distance) + " from it");
  }

  Centre centre_;
  double scale_base_;
  double farthest_;  ///< tokens from the centre
  std::vector<AxisPair> pairs_;
  std::vector<Shrink> shrink_;
};

Encoding make_xpos(const XposParams& params, const Dims& dims) {
  return {.rotary = std::make_unique<XposRotation>(params, rotary_width(params.rotary_dim, dims, 2, "xpos"))};
}

}  // namespace

constexpr EncodingInfo kXpos = define<kFields, make_xpos>({
    .id = "xpos",
    .name = "xPos",
    .family = Family::rotated,
    .seams = Seam::rotary,
    .authors = "Sun et al.",
    .year = 2022,
    .url = "https://arxiv.org/abs/2212.10554",
    .summary = "RoPE that also fades with distance: q and k are scaled against each other, the fast pairs most.",
});

}  // namespace posenc
