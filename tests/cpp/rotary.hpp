#pragma once

#include <cmath>
#include <initializer_list>
#include <span>
#include <utility>

#include "support.hpp"

/// What tests of rotations need.
namespace posenc::test {

/// One head, as wide as the model.
inline Dims one_head(int head_dim) { return {.d_model = head_dim, .n_heads = 1, .head_dim = head_dim}; }

/// [token][axis]
inline Matrix<double> places(std::initializer_list<std::initializer_list<double>> tokens) {
  Matrix<double> out(static_cast<int>(tokens.size()), static_cast<int>(tokens.begin()->size()));
  std::size_t i = 0;
  for (const auto& token : tokens) {
    for (const double position : token) out.all()[i++] = position;
  }
  return out;
}

inline Matrix<float> turned(const Spec& spec, Matrix<float> x, const Matrix<double>& at, Operand operand = Operand::q) {
  rotate(*make(spec).rotary, {.positions = at.view(), .operand = operand, .seq_len = length_of(at.view())}, x.view());
  return x;
}

struct CosSin {
  Matrix<float> cos;
  Matrix<float> sin;
};

inline CosSin cos_sin(const Spec& spec, const Matrix<double>& at, Operand operand = Operand::q) {
  const Encoding encoding = make(spec);
  const int rows = encoding.rotary->tables() * at.rows();
  CosSin out{Matrix<float>(rows, encoding.rotary->rotary_dim() / 2),
             Matrix<float>(rows, encoding.rotary->rotary_dim() / 2)};
  encoding.rotary->cos_sin({.positions = at.view(), .operand = operand, .seq_len = length_of(at.view())},
                           out.cos.view(), out.sin.view());
  return out;
}

/// 'x' for each pair that turns at `place` and '.' for each that does not.
inline std::string turning(const Spec& spec, std::initializer_list<double> place) {
  const CosSin pairs = cos_sin(spec, places({place}));
  std::string marks;
  for (const float sin : pairs.sin.all()) marks += sin == 0.0F ? '.' : 'x';
  return marks;
}

inline Matrix<float> logits(const Spec& spec, const Matrix<float>& q, const Matrix<float>& k,
                            const Matrix<double>& q_at, const Matrix<double>& k_at) {
  return attend(make(spec), {.q = q.view(),
                             .k = k.view(),
                             .v = {},
                             .q_positions = q_at.view(),
                             .k_positions = k_at.view(),
                             .mask = {}})
      .logits;
}

inline Matrix<double> moved(Matrix<double> at, const std::vector<double>& by) {
  for (int token = 0; token < at.rows(); ++token) {
    for (int axis = 0; axis < at.cols(); ++axis) at(token, axis) += by[static_cast<std::size_t>(axis)];
  }
  return at;
}

inline double norm(std::span<const float> x) {
  double sum = 0.0;
  for (const float value : x) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum);
}

inline void check_norms_kept(const Spec& spec, const Matrix<double>& at) {
  const Matrix<float> x = random_matrix(at.rows(), spec.dims.head_dim, 4);
  const Matrix<float> y = turned(spec, x, at);
  for (int row = 0; row < x.rows(); ++row)
    CHECK(std::abs(norm(x.row(row)) - norm(y.row(row))) < 1e-6 * norm(x.row(row)));
}

/// Scores after all positions have moved by whole numbers, along each axis by its own: equal to the bit.
inline void check_offsets_alone_matter(const Spec& spec, const Matrix<double>& at, const std::vector<double>& by) {
  const Matrix<float> q = random_matrix(at.rows(), spec.dims.head_dim, 1);
  const Matrix<float> k = random_matrix(at.rows(), spec.dims.head_dim, 2);
  const Matrix<double> there = moved(at, by);
  check_close<float, float>(logits(spec, q, k, there, there).all(), logits(spec, q, k, at, at).all(), 0.0);
}

}  // namespace posenc::test
