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
  Turns turns;
  turns.there = rotation_of(rotary, {.positions = positions, .operand = operand, .seq_len = length_of(positions)});
  turns.back = turns.there;
  if (turns.back.layout == PairLayout::interleaved_to_half) turns.back.layout = PairLayout::interleaved;
  for (float& value : turns.back.sin.all()) value = -value;
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

/// [a a b b] to [a b a b].
void interleave(std::span<float> pairs) {
  const std::vector<float> apart(pairs.begin(), pairs.end());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = apart[i / 2 + (i % 2) * (pairs.size() / 2)];
}

}  // namespace

void Turns::turn_back(int head, MatrixView<float> grad) const {
  if (there.layout != back.layout) {
    const auto rotary_dim = static_cast<std::size_t>(2 * there.cos.cols());
    for (int row = 0; row < grad.rows(); ++row) interleave(grad.row(row).first(rotary_dim));
  }
  rotate_head(back, head, grad);
}

void Turns::add_angle_gradients(int head, MatrixView<const float> turned, MatrixView<const float> grad,
                                MatrixView<float> grad_angles) const {
  const int per_block = grad_angles.cols() / there.blocks;
  const bool neighbours = there.layout == PairLayout::interleaved;
  for (int token = 0; token < turned.rows(); ++token) {
    for (int pair = 0; pair < grad_angles.cols(); ++pair) {
      const int block = 2 * per_block * (pair / per_block);
      const int place = pair % per_block;
      const int a = block + (neighbours ? 2 * place : place);
      const int b = neighbours ? a + 1 : a + per_block;
      grad_angles(there.first_row(head) + token, pair) +=
          turned(token, a) * grad(token, b) - turned(token, b) * grad(token, a);
    }
  }
}

const Matrix<float>* Places::added(int head) const {
  if (biases.empty()) return nullptr;
  return biases.size() == 1 ? &biases.front() : &biases[static_cast<std::size_t>(head)];
}

void PlacesGradients::reset(const Places& places) {
  rows = Matrix<float>(places.rows.rows(), places.rows.cols());
  biases.assign(places.biases.size(), Matrix<float>(places.length(), places.length()));
  q_angles = Matrix<float>(places.q.there.cos.rows(), places.q.there.cos.cols());
  k_angles = Matrix<float>(places.k.there.cos.rows(), places.k.there.cos.cols());
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
  if (learns_rotation()) {
    const Positions positions = places.positions.view();
    const double seq_len = length_of(positions);
    encoding_.rotary->collect({positions, Operand::q, seq_len}, gradients.q_angles.view(), grad_weights);
    encoding_.rotary->collect({positions, Operand::k, seq_len}, gradients.k_angles.view(), grad_weights);
  }
  if (encoding_.bias == nullptr || info_.needs_content) return;
  for (int head = 0; head < encoding_.dims.n_heads; ++head) {
    encoding_.bias->collect(bias_query(places, head), gradients.biases[static_cast<std::size_t>(head)].view(),
                            {.weights = grad_weights});
  }
}

}  // namespace posenc::models
