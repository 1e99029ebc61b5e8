#include "models/places.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "posenc/describe.hpp"

#include "kernels/kernels.hpp"

namespace posenc::models {
namespace {

/// Places of words as positions: on every axis, or on the last one of a picture with one row.
Matrix<double> text_positions(const EncodingInfo& info, std::span<const double> places) {
  Matrix<double> positions(static_cast<int>(places.size()), info.axes);
  for (int token = 0; token < positions.rows(); ++token) {
    const double place = places[static_cast<std::size_t>(token)];
    if (info.text_positions == TextPositions::same) std::ranges::fill(positions.row(token), place);
    positions.row(token).back() = place;
  }
  return positions;
}

Turns turns_of(const RotatesQk& rotary, Positions positions, Operand operand) {
  Turns turns{{positions.rows(), rotary.rotary_dim() / 2}, {positions.rows(), rotary.rotary_dim() / 2}, {}};
  rotary.cos_sin({.positions = positions, .operand = operand, .seq_len = length_of(positions)}, turns.cos.view(),
                 turns.sin.view());
  turns.back_sin = turns.sin;
  for (float& value : turns.back_sin.all()) value = -value;
  return turns;
}

/// 0, and -inf where the mask hides a key.
Matrix<float> hidden(const Mask& mask, Positions positions) {
  Matrix<float> result(positions.rows(), positions.rows());
  const int axis = positions.cols() - 1;
  for (int i = 0; i < result.rows(); ++i) {
    for (int j = 0; j < result.cols(); ++j) {
      if (!visible(mask, positions(i, axis), positions(j, axis))) {
        result(i, j) = -std::numeric_limits<float>::infinity();
      }
    }
  }
  return result;
}

/// Calls f(cos, sin, channels) for each part of a row that is laid out on its own.
template <class F>
void for_each_block(const RotatesQk& rotary, std::span<const float> cos, std::span<const float> sin, std::span<float> x,
                    F f) {
  const std::size_t pairs = cos.size() / static_cast<std::size_t>(rotary.blocks());
  const auto row = [](auto span) { return MatrixView(span, 1, static_cast<int>(span.size())); };
  for (std::size_t first = 0; first < cos.size(); first += pairs) {
    f(row(cos.subspan(first, pairs)), row(sin.subspan(first, pairs)), x.subspan(2 * first, 2 * pairs));
  }
}

/// [a b a b] to [a a b b], or the way back.
void reorder(std::span<float> x, bool back) {
  const std::vector<float> before(x.begin(), x.end());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t paired = i / 2 + (i % 2) * (x.size() / 2);
    (back ? x[i] : x[paired]) = before[back ? paired : i];
  }
}

auto kernel_of(const RotatesQk& rotary) {
  return rotary.layout() == PairLayout::half ? kernels::best.rotate_half : kernels::best.rotate_interleaved;
}

}  // namespace

const Matrix<float>* Places::added(int head) const {
  if (biases.empty()) return nullptr;
  return biases.size() == 1 ? &biases.front() : &biases[static_cast<std::size_t>(head)];
}

void PlacesGradients::reset(const Places& places) {
  rows = Matrix<float>(places.rows.rows(), places.rows.cols());
  biases.assign(places.biases.size(), Matrix<float>(places.length(), places.length()));
}

Encoded::Encoded(const Spec& spec, const Mask& mask)
    : encoding_(make(spec)), info_(find_encoding(spec.encoding)), mask_(mask) {
  validate(mask);
}

float Encoded::scale() const {
  const double factor = (encoding_.rotary != nullptr ? encoding_.rotary->logit_factor() : 1.0) *
                        (encoding_.relative != nullptr ? encoding_.relative->logit_factor() : 1.0);
  return static_cast<float>(factor / std::sqrt(static_cast<double>(encoding_.dims.head_dim)));
}

void Encoded::read(std::span<const float> weights) { std::ranges::copy(weights, encoding_.weights.begin()); }

Places Encoded::at(std::span<const double> positions) const {
  Places places{.positions = text_positions(info_, positions), .rows = {}, .q = {}, .k = {}, .biases = {}};
  if (encoding_.input != nullptr) {
    places.rows = Matrix<float>(places.length(), encoding_.dims.d_model);
    encoding_.input->rows(places.positions.view(), places.rows.view());
  }
  if (encoding_.rotary != nullptr) {
    places.q = turns_of(*encoding_.rotary, places.positions.view(), Operand::q);
    places.k = turns_of(*encoding_.rotary, places.positions.view(), Operand::k);
  }
  add_biases(places);
  return places;
}

void Encoded::add_biases(Places& places) const {
  if (encoding_.bias == nullptr && mask_.kind == Mask::Kind::none) return;
  const Matrix<float> mask = hidden(mask_, places.positions.view());
  if (encoding_.bias == nullptr || info_.needs_content) {
    places.biases.push_back(mask);
    return;
  }
  for (int head = 0; head < encoding_.dims.n_heads; ++head) {
    Matrix<float> bias(places.length(), places.length());
    encoding_.bias->bias(bias_query(places, head), bias.view());
    kernels::best.add_scaled(1.0F, mask.all(), bias.all());
    places.biases.push_back(bias);
  }
}

BiasQuery Encoded::bias_query(const Places& places, int head) const {
  return {.q_positions = places.positions.view(), .k_positions = places.positions.view(), .head = head};
}

void Encoded::collect(const Places& places, const PlacesGradients& gradients, std::span<float> grad_weights) const {
  if (encoding_.input != nullptr) {
    encoding_.input->collect(places.positions.view(), gradients.rows.view(), grad_weights);
  }
  if (encoding_.bias == nullptr || info_.needs_content) return;
  for (int head = 0; head < encoding_.dims.n_heads; ++head) {
    encoding_.bias->collect(bias_query(places, head), gradients.biases[static_cast<std::size_t>(head)].view(),
                            {.weights = grad_weights});
  }
}

void turn(const RotatesQk& rotary, std::span<const float> cos, std::span<const float> sin, std::span<float> x) {
  for_each_block(rotary, cos, sin, x, [&](auto block_cos, auto block_sin, std::span<float> block) {
    kernel_of(rotary)(block_cos, block_sin, 1, MatrixView(block, 1, static_cast<int>(block.size())));
    if (rotary.layout() == PairLayout::interleaved_to_half) reorder(block, false);
  });
}

void turn_back(const RotatesQk& rotary, std::span<const float> cos, std::span<const float> back_sin,
               std::span<float> grad) {
  for_each_block(rotary, cos, back_sin, grad, [&](auto block_cos, auto block_sin, std::span<float> block) {
    if (rotary.layout() == PairLayout::interleaved_to_half) reorder(block, true);
    kernel_of(rotary)(block_cos, block_sin, 1, MatrixView(block, 1, static_cast<int>(block.size())));
  });
}

}  // namespace posenc::models
