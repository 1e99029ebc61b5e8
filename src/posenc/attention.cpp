#include "posenc/attention.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "posenc/error.hpp"

#include "kernels/kernels.hpp"

namespace posenc {
namespace {

void check_shape(const char* field, int got, int wanted, const char* what) {
  if (got == wanted) return;
  throw Error(
      {ErrorCode::shape_mismatch, "", field, "have " + std::to_string(wanted) + " " + what, std::to_string(got)});
}

void validate(const HeadInput& input) {
  check_shape("k", input.k.cols(), input.q.cols(), "columns (head_dim)");
  check_shape("q_positions", input.q_positions.rows(), input.q.rows(), "rows, one for each query");
  check_shape("k_positions", input.k_positions.rows(), input.k.rows(), "rows, one for each key");
  if (input.v.rows() > 0) check_shape("v", input.v.rows(), input.k.rows(), "rows, one for each key");
  validate(input.mask);
  validate_positions(input.q_positions, input.q_positions.cols(), "q_positions");
  validate_positions(input.k_positions, input.q_positions.cols(), "k_positions");
}

Matrix<float> copy(MatrixView<const float> from) {
  Matrix<float> to(from.rows(), from.cols());
  std::ranges::copy(from.all(), to.all().begin());
  return to;
}

Matrix<float> products(MatrixView<const float> q, MatrixView<const float> k) {
  Matrix<float> result(q.rows(), k.rows());
  for (int i = 0; i < q.rows(); ++i) {
    for (int j = 0; j < k.rows(); ++j) result(i, j) = kernels::best.dot(q.row(i), k.row(j));
  }
  return result;
}

std::vector<double> smallest(Positions a, Positions b) {
  std::vector<double> origin(static_cast<std::size_t>(a.cols()), std::numeric_limits<double>::infinity());
  for (const Positions& positions : {a, b}) {
    for (int token = 0; token < positions.rows(); ++token) {
      for (std::size_t axis = 0; axis < origin.size(); ++axis) {
        origin[axis] = std::min(origin[axis], positions(token, static_cast<int>(axis)));
      }
    }
  }
  return origin;
}

Matrix<double> measured_from(const std::vector<double>& origin, Positions positions) {
  Matrix<double> moved(positions.rows(), positions.cols());
  for (int token = 0; token < moved.rows(); ++token) {
    for (int axis = 0; axis < moved.cols(); ++axis) {
      moved(token, axis) = positions(token, axis) - origin[static_cast<std::size_t>(axis)];
    }
  }
  return moved;
}

/// q · k after rotation. Only offsets matter, so positions count from the smallest one: a shift of all of them by a
/// whole number gives the same bytes, and far positions lose nothing.
Matrix<float> rotated_products(const RotatesQk& rotary, const HeadInput& input) {
  const std::vector<double> origin = smallest(input.q_positions, input.k_positions);
  Matrix<float> q = copy(input.q);
  Matrix<float> k = copy(input.k);
  rotate(rotary, measured_from(origin, input.q_positions).view(), Operand::q, q.view());
  rotate(rotary, measured_from(origin, input.k_positions).view(), Operand::k, k.view());
  return products(q.view(), k.view());
}

std::vector<double> offsets_of(const HeadInput& input, int query) {
  std::vector<double> offsets;
  for (int key = 0; key < input.k_positions.rows(); ++key) {
    offsets.push_back(input.k_positions(key, 0) - input.q_positions(query, 0));
  }
  return offsets;
}

void add_relative_keys(const RelativeKv& relative, const HeadInput& input, Matrix<float>& dots) {
  Matrix<float> keys(dots.cols(), input.q.cols());
  for (int i = 0; i < dots.rows(); ++i) {
    relative.keys(offsets_of(input, i), input.head, keys.view());
    for (int j = 0; j < dots.cols(); ++j) dots(i, j) += kernels::best.dot(input.q.row(i), keys.row(j));
  }
}

void add_relative_values(const RelativeKv& relative, const HeadInput& input, HeadAttention& result) {
  if (!relative.has_values() || input.v.rows() == 0) return;
  Matrix<float> values(result.weights.cols(), result.output.cols());
  for (int i = 0; i < result.output.rows(); ++i) {
    relative.values(offsets_of(input, i), input.head, values.view());
    for (int j = 0; j < values.rows(); ++j) {
      kernels::best.add_scaled(result.weights(i, j), values.row(j), result.output.row(i));
    }
  }
}

void scale_all(Matrix<float>& matrix, float scale) {
  for (float& value : matrix.all()) value *= scale;
}

/// Fills logits, content, position and bias.
void add_logits(const Encoding& encoding, const HeadInput& input, HeadAttention& result) {
  const float scale = input.scale.value_or(1.0F / std::sqrt(static_cast<float>(input.q.cols())));
  const bool has_content = input.content_q.rows() > 0;
  result.content = products(has_content ? input.content_q : input.q, has_content ? input.content_k : input.k);
  result.logits = encoding.rotary != nullptr ? rotated_products(*encoding.rotary, input)
                  : has_content              ? products(input.q, input.k)
                                             : result.content;
  if (encoding.relative != nullptr) add_relative_keys(*encoding.relative, input, result.logits);
  scale_all(result.content, scale);
  scale_all(result.logits, scale);
  result.position = Matrix<float>(input.q.rows(), input.k.rows());
  result.bias = Matrix<float>(input.q.rows(), input.k.rows());
  if (encoding.bias != nullptr) {
    encoding.bias->bias({input.q_positions, input.k_positions, input.head}, result.bias.view());
  }
  for (std::size_t i = 0; i < result.logits.all().size(); ++i) {
    result.position.all()[i] = result.logits.all()[i] - result.content.all()[i];
    result.logits.all()[i] += result.bias.all()[i];
    if (!std::isfinite(result.logits.all()[i])) {
      throw Error({ErrorCode::not_finite, "", "logits", "be finite: q, k or the bias are too large for float",
                   to_text(result.logits.all()[i])});
    }
  }
}

void add_weights(const HeadInput& input, HeadAttention& result) {
  result.weights = copy(result.logits.view());
  for (int i = 0; i < result.weights.rows(); ++i) {
    for (int j = 0; j < result.weights.cols(); ++j) {
      if (!visible(input.mask, input.q_positions(i, 0), input.k_positions(j, 0))) {
        result.weights(i, j) = -std::numeric_limits<float>::infinity();
      }
    }
    kernels::best.softmax(result.weights.row(i));
  }
}

void add_output(const Encoding& encoding, const HeadInput& input, HeadAttention& result) {
  result.output = Matrix<float>(input.q.rows(), input.v.cols());
  for (int i = 0; i < result.output.rows(); ++i) {
    for (int j = 0; j < input.v.rows(); ++j) {
      kernels::best.add_scaled(result.weights(i, j), input.v.row(j), result.output.row(i));
    }
  }
  if (encoding.relative != nullptr) add_relative_values(*encoding.relative, input, result);
}

}  // namespace

bool visible(const Mask& mask, double q_position, double k_position) {
  if (mask.kind == Mask::Kind::none) return true;
  if (k_position > q_position) return false;
  return mask.kind == Mask::Kind::causal || q_position - k_position < mask.size;
}

void validate(const Mask& mask) {
  if (mask.kind != Mask::Kind::window || mask.size >= 1) return;
  throw Error({ErrorCode::out_of_range, "", "mask.size", "be at least 1", std::to_string(mask.size)});
}

void add_rows(const AddsToInput& input, Positions positions, MatrixView<float> x) {
  check_shape("positions", positions.rows(), x.rows(), "rows, one for each row of x");
  check_shape("x", x.cols(), input.d_model(), "columns (d_model)");
  Matrix<float> rows(x.rows(), x.cols());
  input.rows(positions, rows.view());
  kernels::best.add_scaled(1.0F, rows.all(), x.all());
}

void rotate(const RotatesQk& rotary, Positions positions, Operand operand, MatrixView<float> x) {
  const int rotary_dim = rotary.rotary_dim();
  if (rotary_dim > x.cols()) {
    throw Error({ErrorCode::shape_mismatch, "", "x",
                 "have at least " + std::to_string(rotary_dim) + " columns (rotary_dim)", std::to_string(x.cols())});
  }
  check_shape("positions", positions.rows(), x.rows(), "rows, one for each row of x");
  Matrix<float> cos(positions.rows(), rotary_dim / 2);
  Matrix<float> sin(positions.rows(), rotary_dim / 2);
  rotary.cos_sin(positions, operand, cos.view(), sin.view());
  const auto kernel =
      rotary.layout() == PairLayout::half ? kernels::best.rotate_half : kernels::best.rotate_interleaved;
  for (int token = 0; token < x.rows(); ++token) {
    kernel(cos.row(token), sin.row(token), x.row(token).first(static_cast<std::size_t>(rotary_dim)));
  }
}

HeadAttention attend(const Encoding& encoding, const HeadInput& input) {
  validate(input);
  HeadAttention result;
  add_logits(encoding, input, result);
  add_weights(input, result);
  add_output(encoding, input, result);
  return result;
}

}  // namespace posenc
