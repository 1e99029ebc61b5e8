#include "posenc/attention.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "posenc/attention_parts.hpp"
#include "posenc/error.hpp"

#include "kernels/kernels.hpp"

namespace posenc {
namespace {

void validate(const HeadInput& input) {
  check_shape("k", input.k.cols(), input.q.cols(), "columns (head_dim)");
  check_shape("q_positions", input.q_positions.rows(), input.q.rows(), "rows, one for each query");
  check_shape("k_positions", input.k_positions.rows(), input.k.rows(), "rows, one for each key");
  if (input.v.rows() > 0) check_shape("v", input.v.rows(), input.k.rows(), "rows, one for each key");
  validate(input.mask);
  validate_positions(input.q_positions, input.q_positions.cols(), "q_positions");
  validate_positions(input.k_positions, input.q_positions.cols(), "k_positions");
}

void validate(const RelativeVectors& relative, const HeadInput& input) {
  check_shape("q", input.q.cols(), relative.head_dim(), "columns (head_dim)");
  if (input.v.rows() > 0 && relative.value_dim() > 0) {
    check_shape("v", input.v.cols(), relative.value_dim(), "columns (value_dim of the encoding)");
  }
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

/// q · k after rotation.
Matrix<float> rotated_products(const RotatesQk& rotary, const HeadInput& input) {
  const Rotations rotations = rotations_of(rotary, input.q_positions, input.k_positions);
  Matrix<float> q = copy(input.q);
  Matrix<float> k = copy(input.k);
  rotate_head(rotations.q, input.head, q.view());
  rotate_head(rotations.k, input.head, k.view());
  return products(q.view(), k.view());
}

void scale_all(Matrix<float>& matrix, float scale) {
  for (float& value : matrix.all()) value *= scale;
}

/// [a b a b] to [a a b b].
void deinterleave(std::span<float> pairs) {
  const std::vector<float> mixed(pairs.begin(), pairs.end());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i / 2 + (i % 2) * (pairs.size() / 2)] = mixed[i];
}

void check_width(const Rotation& rotation, MatrixView<const float> x) {
  const int rotary_dim = 2 * rotation.cos.cols();
  if (rotary_dim <= x.cols()) return;
  fail(ErrorCode::shape_mismatch, "", "x", "have at least " + std::to_string(rotary_dim) + " columns (rotary_dim)",
       std::to_string(x.cols()));
}

void rotate_by(const Rotation& rotation, MatrixView<const float> cos, MatrixView<const float> sin,
               MatrixView<float> x) {
  const auto kernel =
      rotation.layout == PairLayout::half ? kernels::best.rotate_half : kernels::best.rotate_interleaved;
  kernel(cos, sin, rotation.blocks, x);
  if (rotation.layout != PairLayout::interleaved_to_half) return;
  const auto rotary_dim = 2 * static_cast<std::size_t>(cos.cols());
  for (int row = 0; row < x.rows(); ++row) deinterleave(x.row(row).first(rotary_dim));
}

RelativeQuery relative_query(const HeadInput& input) {
  return {input.q, input.k, input.q_positions, input.k_positions, input.head};
}

void hide_masked(const HeadInput& input, MatrixView<float> logits) {
  hide_masked(input.mask, input.q_positions, input.k_positions, input.mask_axis, logits);
}

Matrix<float> bias_of(const BiasesLogits& bias, const HeadInput& input, const Matrix<float>& logits) {
  Matrix<float> result(logits.rows(), logits.cols());
  Matrix<float> seen = logits;
  hide_masked(input, seen.view());
  bias.bias({input.q_positions, input.k_positions, input.head, input.q, seen.view()}, result.view());
  return result;
}

/// Fills logits, content, position and bias.
void add_logits(const Encoding& encoding, const HeadInput& input, HeadAttention& result) {
  const float scale = input.scale.value_or(1.0F / std::sqrt(static_cast<float>(input.q.cols())));
  const bool has_content = input.content_q.rows() > 0;
  result.content = products(has_content ? input.content_q : input.q, has_content ? input.content_k : input.k);
  result.logits = encoding.rotary != nullptr ? rotated_products(*encoding.rotary, input)
                  : has_content              ? products(input.q, input.k)
                                             : result.content;
  if (encoding.relative != nullptr) encoding.relative->add_to_dots(relative_query(input), result.logits.view());
  scale_all(result.content, scale);
  scale_all(result.logits, static_cast<float>(scale * logit_factor(encoding)));
  result.position = Matrix<float>(input.q.rows(), input.k.rows());
  for (std::size_t i = 0; i < result.logits.all().size(); ++i) {
    result.position.all()[i] = result.logits.all()[i] - result.content.all()[i];
  }
  result.bias = encoding.bias != nullptr ? bias_of(*encoding.bias, input, result.logits)
                                         : Matrix<float>(input.q.rows(), input.k.rows());
  for (std::size_t i = 0; i < result.logits.all().size(); ++i) {
    result.logits.all()[i] += result.bias.all()[i];
  }
  check_logits(result.logits.all());
}

void add_weights(const HeadInput& input, HeadAttention& result) {
  result.weights = copy(result.logits.view());
  hide_masked(input, result.weights.view());
  for (int i = 0; i < result.weights.rows(); ++i) kernels::best.softmax(result.weights.row(i));
}

void add_output(const Encoding& encoding, const HeadInput& input, HeadAttention& result) {
  result.output = Matrix<float>(input.q.rows(), input.v.cols());
  for (int i = 0; i < result.output.rows(); ++i) {
    for (int j = 0; j < input.v.rows(); ++j) {
      kernels::best.add_scaled(result.weights(i, j), input.v.row(j), result.output.row(i));
    }
  }
  if (encoding.relative != nullptr && input.v.rows() > 0) {
    encoding.relative->add_to_output(relative_query(input), result.weights.view(), result.output.view());
  }
}

}  // namespace

void check_shape(const char* field, int got, int wanted, const char* what) {
  if (got == wanted) return;
  fail(ErrorCode::shape_mismatch, "", field, "have " + std::to_string(wanted) + " " + what, std::to_string(got));
}

void check_head(const Encoding& encoding, int head) {
  const bool by_head = encoding.bias != nullptr || encoding.relative != nullptr ||
                       (encoding.rotary != nullptr && encoding.rotary->tables() > 1);
  if (head >= 0 && (!by_head || head < encoding.dims.n_heads)) return;
  fail(ErrorCode::out_of_range, "", "head", "be below n_heads (" + std::to_string(encoding.dims.n_heads) + ")",
       std::to_string(head));
}

Rotations rotations_of(const RotatesQk& rotary, Positions q_positions, Positions k_positions) {
  const std::vector<double> origin = smallest(q_positions, k_positions);
  const Matrix<double> q_at = measured_from(origin, q_positions);
  const Matrix<double> k_at = measured_from(origin, k_positions);
  const double seq_len = std::max(length_of(q_positions), length_of(k_positions));
  const double first = std::ranges::min(origin);
  const auto of = [&](const Matrix<double>& at, Operand operand) {
    return rotation_of(rotary, {.positions = at.view(), .operand = operand, .seq_len = seq_len, .origin = first});
  };
  return {of(q_at, Operand::q), of(k_at, Operand::k)};
}

double logit_factor(const Encoding& encoding) {
  return (encoding.rotary != nullptr ? encoding.rotary->logit_factor() : 1.0) *
         (encoding.relative != nullptr ? encoding.relative->logit_factor() : 1.0);
}

void hide_masked(const Mask& mask, Positions q_positions, Positions k_positions, int axis, MatrixView<float> logits) {
  for (int i = 0; i < logits.rows(); ++i) {
    for (int j = 0; j < logits.cols(); ++j) {
      if (!visible(mask, q_positions(i, axis), k_positions(j, axis))) {
        logits(i, j) = -std::numeric_limits<float>::infinity();
      }
    }
  }
}

void check_logits(std::span<const float> logits) {
  if (std::isfinite(kernels::best.largest_magnitude(logits))) return;
  const auto wrong = std::ranges::find_if_not(logits, [](float logit) { return std::isfinite(logit); });
  fail(ErrorCode::not_finite, "", "logits", "be finite: q, k or the bias are too large for float", to_text(*wrong));
}

bool visible(const Mask& mask, double q_position, double k_position) {
  if (mask.kind == Mask::Kind::none) return true;
  if (k_position > q_position) return false;
  return mask.kind == Mask::Kind::causal || q_position - k_position < mask.size;
}

void validate(const Mask& mask) {
  if (mask.kind != Mask::Kind::window || mask.size >= 1) return;
  fail(ErrorCode::out_of_range, "", "mask.size", "be at least 1", std::to_string(mask.size));
}

double length_of(Positions positions) {
  double largest = -1.0;
  for (const double position : positions.all()) largest = std::max(largest, position);
  return largest + 1.0;
}

void add_rows(const AddsToInput& input, Positions positions, MatrixView<float> x) {
  check_shape("positions", positions.rows(), x.rows(), "rows, one for each row of x");
  check_shape("x", x.cols(), input.d_model(), "columns (d_model)");
  Matrix<float> rows(x.rows(), x.cols());
  input.rows(positions, rows.view());
  for (float& value : x.all()) value *= input.embedding_scale();
  kernels::best.add_scaled(1.0F, rows.all(), x.all());
}

Rotation rotation_of(const RotatesQk& rotary, const RotaryQuery& query) {
  const int n_rows = rotary.tables() * query.positions.rows();
  const int n_pairs = rotary.rotary_dim() / 2;
  Rotation result{rotary.layout(), rotary.blocks(), rotary.tables(), {n_rows, n_pairs}, {n_rows, n_pairs}};
  rotary.cos_sin(query, result.cos.view(), result.sin.view());
  return result;
}

void rotate(const Rotation& rotation, MatrixView<float> x) {
  check_width(rotation, x);
  if (x.rows() == 0) return;
  if (rotation.cos.rows() == 0 || x.rows() % rotation.cos.rows() != 0) {
    fail(ErrorCode::shape_mismatch, "", "x",
         "have " + (rotation.tables == 1 ? "" : std::to_string(rotation.tables) + " heads (n_heads) and ") +
             "as many rows for each head as there are positions (" + std::to_string(rotation.tokens()) + ")",
         std::to_string(x.rows()));
  }
  rotate_by(rotation, rotation.cos.view(), rotation.sin.view(), x);
}

void rotate_head(const Rotation& rotation, int head, MatrixView<float> x) {
  if (rotation.tables == 1) return rotate(rotation, x);
  const int first = rotation.first_row(head);
  rotate_by(rotation, rotation.cos.view().slice(first, rotation.tokens()),
            rotation.sin.view().slice(first, rotation.tokens()), x);
}

void rotate(const Rotation& rotation, int first, MatrixView<float> x) {
  check_width(rotation, x);
  if (x.rows() == 0) return;
  rotate_by(rotation, rotation.cos.view().slice(first, x.rows()), rotation.sin.view().slice(first, x.rows()), x);
}

void rotate(const RotatesQk& rotary, const RotaryQuery& query, MatrixView<float> x) {
  rotate(rotation_of(rotary, query), x);
}

HeadAttention attend(const Encoding& encoding, const HeadInput& input) {
  validate(input);
  check_head(encoding, input.head);
  if (encoding.relative != nullptr) validate(*encoding.relative, input);
  HeadAttention result;
  add_logits(encoding, input, result);
  add_weights(input, result);
  add_output(encoding, input, result);
  return result;
}

}  // namespace posenc
