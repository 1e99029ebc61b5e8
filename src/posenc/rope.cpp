#include "posenc/rope.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "posenc/angles.hpp"
#include "posenc/error.hpp"

#include "kernels/kernels.hpp"

namespace posenc {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

/// Between the interpolated and the kept frequency.
double mixed(double inv_freq, double factor, double keep) {
  return (1.0 - keep) * (inv_freq / factor) + keep * inv_freq;
}

/// 1 up to pair `low`, 0 from pair `high` on; a hard edge where they meet or cross.
struct Ramp {
  double low;
  double high;

  [[nodiscard]] double keep(std::size_t pair) const {
    return 1.0 - std::clamp((static_cast<double>(pair) - low) / std::max(high - low, 0.001), 0.0, 1.0);
  }
};

/// The pair, as a fraction, that makes `rotations` over the original window.
double edge(const YarnParams& params, int rotary_dim, double rotations) {
  return rotary_dim * kernels::log(params.original_max_position / (rotations * kTurn)) /
         (2.0 * kernels::log(params.theta));
}

Ramp yarn_ramp(const YarnParams& params, int rotary_dim) {
  const double low = edge(params, rotary_dim, params.beta_fast);
  const double high = edge(params, rotary_dim, params.beta_slow);
  return {std::max(params.truncate ? std::floor(low) : low, 0.0),
          std::min(params.truncate ? std::ceil(high) : high, rotary_dim - 1.0)};
}

}  // namespace

void inv_freq(double theta, int rotary_dim, std::span<double> out) {
  for (std::size_t pair = 0; pair < out.size(); ++pair) out[pair] = -2.0 * static_cast<double>(pair) / rotary_dim;
  kernels::powers(theta, out, out);
}

void linear_inv_freq(double theta, double factor, int rotary_dim, std::span<double> out) {
  inv_freq(theta, rotary_dim, out);
  for (double& frequency : out) frequency /= factor;
}

double ntk_theta(double theta, double factor, int rotary_dim) {
  if (rotary_dim <= 2) return theta;
  return theta * kernels::pow(factor, rotary_dim / (rotary_dim - 2.0));
}

double dynamic_ntk_theta(double theta, double factor, double original_max_position, double seq_len, int rotary_dim) {
  if (seq_len <= original_max_position) return theta;
  return ntk_theta(theta, factor * seq_len / original_max_position - (factor - 1.0), rotary_dim);
}

void yarn_inv_freq(const YarnParams& params, int rotary_dim, std::span<double> out) {
  inv_freq(params.theta, rotary_dim, out);
  const Ramp ramp = yarn_ramp(params, rotary_dim);
  for (std::size_t pair = 0; pair < out.size(); ++pair) {
    out[pair] = mixed(out[pair], params.factor, params.ext_factor * ramp.keep(pair));
  }
}

double yarn_magnitude(double factor, double mscale) {
  return factor <= 1.0 ? 1.0 : 0.1 * mscale * kernels::log(factor) + 1.0;
}

double yarn_attention_factor(double factor, double mscale, double mscale_all_dim) {
  if (mscale == 0.0 || mscale_all_dim == 0.0) return yarn_magnitude(factor);
  return yarn_magnitude(factor, mscale) / yarn_magnitude(factor, mscale_all_dim);
}

double ggml_attention_factor(double freq_scale, double ext_factor, double attn_factor) {
  return ext_factor == 0.0 ? attn_factor : attn_factor * (1.0 - 0.1 * kernels::log(freq_scale));
}

void ntk_by_parts_inv_freq(double theta, double factor, double original_max_position, int rotary_dim,
                           std::span<double> out) {
  YarnParams params{
      .theta = theta, .original_max_position = original_max_position, .beta_fast = 1.25, .beta_slow = 0.75};
  const Ramp slow = yarn_ramp(params, rotary_dim);
  params.beta_fast = 16.0;
  params.beta_slow = 2.0;
  const Ramp fast = yarn_ramp(params, rotary_dim);
  const double new_theta = ntk_theta(theta, factor, rotary_dim);
  for (std::size_t pair = 0; pair < out.size(); ++pair) {
    const double exponent = -2.0 * static_cast<double>(pair) / rotary_dim;
    const double plain = kernels::pow(theta, exponent);
    const double ntk = kernels::pow(new_theta, exponent);
    const double scaled = plain / factor * (1.0 - slow.keep(pair)) + ntk * slow.keep(pair);
    out[pair] = scaled * (1.0 - fast.keep(pair)) + plain * fast.keep(pair);
  }
}

void longrope_inv_freq(double theta, std::span<const double> rescale, int rotary_dim, std::span<double> out) {
  assert(rescale.size() == out.size());
  inv_freq(theta, rotary_dim, out);
  for (std::size_t pair = 0; pair < out.size(); ++pair) out[pair] /= rescale[pair];
}

double longrope_attention_factor(double factor, double original_max_position) {
  return factor <= 1.0 ? 1.0 : std::sqrt(1.0 + kernels::log(factor) / kernels::log(original_max_position));
}

void llama3_inv_freq(const Llama3Params& params, int rotary_dim, std::span<double> out) {
  inv_freq(params.theta, rotary_dim, out);
  for (double& frequency : out) {
    const double above = params.original_max_position * frequency / kTurn - params.low_freq_factor;
    const double band = params.high_freq_factor - params.low_freq_factor;
    const double keep = above >= band ? 1.0 : above <= 0.0 ? 0.0 : above / band;
    frequency = mixed(frequency, params.factor, keep);
  }
}

namespace {

/// The pairs that turn along one axis, and where they stand among all pairs.
struct AxisPart {
  std::vector<double> inv_freq;
  std::vector<std::size_t> pair;

  [[nodiscard]] bool together() const { return pair.back() - pair.front() + 1 == pair.size(); }
};

AxisPart part_of(std::span<const AxisPair> pairs, int axis) {
  AxisPart part;
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    if (pairs[pair].axis != axis) continue;
    part.inv_freq.push_back(pairs[pair].inv_freq);
    part.pair.push_back(pair);
  }
  return part;
}

void scatter(const Matrix<float>& from, std::span<const std::size_t> columns, MatrixView<float> to) {
  for (int token = 0; token < from.rows(); ++token) {
    const std::span<const float> values = from.row(token);
    const std::span<float> row = to.row(token);
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = values[i];
  }
}

}  // namespace

void turn(Positions positions, std::span<const AxisPair> pairs, MatrixView<float> cos, MatrixView<float> sin) {
  for (int axis = 0; axis < positions.cols(); ++axis) {
    const AxisPart part = part_of(pairs, axis);
    if (part.pair.empty()) continue;
    const std::vector<double> places = along(axis, positions);
    if (part.together()) {
      const int first = static_cast<int>(part.pair.front());
      cos_sin_table(places, part.inv_freq, {cos, first}, {sin, first});
      continue;
    }
    Matrix<float> part_cos(positions.rows(), static_cast<int>(part.pair.size()));
    Matrix<float> part_sin(part_cos.rows(), part_cos.cols());
    cos_sin_table(places, part.inv_freq, {part_cos.view()}, {part_sin.view()});
    scatter(part_cos, part.pair, cos);
    scatter(part_sin, part.pair, sin);
  }
}

std::vector<double> inv_freq_of(std::span<const AxisPair> pairs) {
  std::vector<double> result;
  for (const AxisPair& pair : pairs) result.push_back(pair.inv_freq);
  return result;
}

double checked_angle(double angle, double position, const char* encoding) {
  if (std::abs(angle) <= kMaxPosition) return angle;
  fail(ErrorCode::position_out_of_range, encoding, "positions",
       "be nearer to 0: angles end at " + to_text(kMaxPosition) + " radians", to_text(position));
}

int rotary_width(std::optional<int> given, const Dims& dims, int multiple_of, const char* encoding) {
  if (given.has_value()) return *given;
  if (dims.head_dim % multiple_of == 0) return dims.head_dim;
  const std::string even = multiple_of == 2 ? "be even" : "be a multiple of " + std::to_string(multiple_of);
  fail(ErrorCode::out_of_range, encoding, "dims.head_dim", even + ", or rotary_dim be given",
       std::to_string(dims.head_dim));
}

}  // namespace posenc
