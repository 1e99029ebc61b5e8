#include "models/heads.hpp"

#include <algorithm>
#include <cstddef>

#include "kernels/kernels.hpp"
#include "kernels/training.hpp"
#include "models/layers.hpp"

namespace posenc::models {
namespace {

using In = MatrixView<const float>;
using Out = MatrixView<float>;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Pairs of query and key in one head of a group.
std::size_t pairs_of(const Group& group) { return at(group.tokens()) * at(group.places->length()); }

std::size_t pairs_of(std::span<const Group> groups) {
  std::size_t pairs = 0;
  for (const Group& group : groups) pairs += pairs_of(group);
  return pairs;
}

/// One head of one group.
struct Part {
  const Group& group;
  int index;  ///< of the group
  int head;
  int row;           ///< where its q, k and v begin
  std::size_t pair;  ///< where its weights begin, in the row of the head

  [[nodiscard]] const Places& places() const { return *group.places; }
  [[nodiscard]] int length() const { return places().length(); }

  template <class T>
  [[nodiscard]] MatrixView<T> vectors(const MatrixView<T>& of_heads) const {
    return of_heads.slice(row, group.tokens());
  }
  template <class T>
  [[nodiscard]] MatrixView<T> pairs(const MatrixView<T>& of_heads) const {
    return {of_heads.row(head).subspan(pair, pairs_of(group)), group.tokens(), length()};
  }
  /// Rows of one sequence.
  template <class T>
  [[nodiscard]] MatrixView<T> one(const MatrixView<T>& rows, int sequence) const {
    return rows.slice(sequence * length(), length());
  }
};

template <class F>
void for_each_part(std::span<const Group> groups, int n_heads, F f) {
  const int tokens = tokens_of(groups);
  for (int head = 0; head < n_heads; ++head) {
    int row = head * tokens;
    std::size_t pair = 0;
    for (std::size_t index = 0; index < groups.size(); ++index) {
      f(Part{groups[index], static_cast<int>(index), head, row, pair});
      row += groups[index].tokens();
      pair += pairs_of(groups[index]);
    }
  }
}

/// Copies channels first .. of each token to one row for each head and token, or back.
void split(In tokens, int first, Out of_heads) {
  const int head_dim = of_heads.cols();
  for (int row = 0; row < of_heads.rows(); ++row) {
    const int head = row / tokens.rows();
    const auto from = tokens.row(row % tokens.rows()).subspan(at(first + head * head_dim), at(head_dim));
    std::ranges::copy(from, of_heads.row(row).begin());
  }
}

void merge(In of_heads, int first, Out tokens) {
  const int head_dim = of_heads.cols();
  for (int row = 0; row < of_heads.rows(); ++row) {
    const int head = row / tokens.rows();
    const auto to = tokens.row(row % tokens.rows()).subspan(at(first + head * head_dim), at(head_dim));
    std::ranges::copy(of_heads.row(row), to.begin());
  }
}

void scale_all(Out x, float factor) {
  if (factor == 1.0F) return;
  for (float& value : x.all()) value *= factor;
}

RelativeQuery relative_query(const Part& part, In q, In k) {
  return {q, k, part.places().positions.view(), part.places().positions.view(), part.head};
}

BiasQuery content_query(const Part& part, In q, In logits) {
  return {part.places().positions.view(), part.places().positions.view(), part.head, q, logits};
}

/// What the forward and the backward pass read of one head of a group.
struct Vectors {
  In q;
  In k;
  In v;
  In turned_q;
  In turned_k;
};

Vectors vectors_of(const Part& part, const HeadsTrace& trace, bool turned) {
  const In q = part.vectors(trace.q.view());
  const In k = part.vectors(trace.k.view());
  return {q, k, part.vectors(trace.v.view()), turned ? part.vectors(trace.turned_q.view()) : q,
          turned ? part.vectors(trace.turned_k.view()) : k};
}

void add_biases(const Encoded& encoded, const Part& part, In q, HeadsTrace& trace, Out logits) {
  const Matrix<float>* added = part.places().added(part.head);
  Matrix<float> bias(part.length(), part.length());
  for (int sequence = 0; sequence < part.group.count; ++sequence) {
    const Out of_one = part.one(logits, sequence);
    if (added != nullptr) add(added->all(), of_one.all());
    if (!encoded.bias_of_content()) continue;
    const Out scaled = part.one(part.pairs(trace.scaled.view()), sequence);
    std::ranges::copy(of_one.all(), scaled.all().begin());
    encoded.encoding().bias->bias(content_query(part, part.one(q, sequence), scaled), bias.view());
    add(bias.all(), of_one.all());
  }
}

void attend_part(const Encoded& encoded, const Part& part, HeadsTrace& trace, Out output) {
  const RelativeVectors* relative = encoded.encoding().relative.get();
  const Vectors in = vectors_of(part, trace, encoded.encoding().rotary != nullptr);
  const Out logits = part.pairs(trace.weights.view());
  for (int sequence = 0; sequence < part.group.count; ++sequence) {
    kernels::best.multiply_transposed(part.one(in.turned_q, sequence), part.one(in.turned_k, sequence),
                                      part.one(logits, sequence));
  }
  if (relative != nullptr) relative->add_to_dots(relative_query(part, in.q, in.k), logits);
  scale_all(logits, encoded.scale());
  add_biases(encoded, part, in.q, trace, logits);
  for (int query = 0; query < logits.rows(); ++query) kernels::best.softmax(logits.row(query));
  for (int sequence = 0; sequence < part.group.count; ++sequence) {
    kernels::best.multiply(part.one(logits, sequence), part.one(in.v, sequence), part.one(output, sequence));
  }
  if (relative != nullptr) relative->add_to_output(relative_query(part, in.q, in.k), logits, output);
}

/// Gradients of one head of a group, in the shapes of Vectors.
struct VectorsGradients {
  Out q;
  Out k;
  Out v;
  Out turned_q;
  Out turned_k;
  Out logits;
};

/// From the gradient of the output to that of the logits, and of v.
void softmax_part_backward(const Encoded& encoded, const Part& part, const HeadsTrace& trace, In grad_output,
                           const HeadsGradients& gradients, const VectorsGradients& grad) {
  const Vectors in = vectors_of(part, trace, false);
  const In weights = part.pairs(trace.weights.view());
  for (int sequence = 0; sequence < part.group.count; ++sequence) {
    kernels::best.multiply_transposed(part.one(grad_output, sequence), part.one(in.v, sequence),
                                      part.one(grad.logits, sequence));
    kernels::training.add_transposed_product(part.one(weights, sequence), part.one(grad_output, sequence),
                                             part.one(grad.v, sequence));
  }
  if (encoded.encoding().relative != nullptr) {
    encoded.encoding().relative->collect_output(relative_query(part, in.q, in.k), weights, grad_output, grad.logits,
                                                gradients.encoding);
  }
  for (int query = 0; query < weights.rows(); ++query) {
    kernels::training.softmax_backward(weights.row(query), grad.logits.row(query));
  }
}

void biases_backward(const Encoded& encoded, const Part& part, const HeadsTrace& trace, const HeadsGradients& gradients,
                     const VectorsGradients& grad, HeadsScratch& scratch) {
  if (encoded.encoding().bias == nullptr || encoded.encoding().weights.empty()) return;
  for (int sequence = 0; sequence < part.group.count; ++sequence) {
    const Out grad_logits = part.one(grad.logits, sequence);
    if (!encoded.bias_of_content()) {
      add(grad_logits.all(), gradients.places[at(part.index)].biases[at(part.head)].all());
      continue;
    }
    const Out of_bias = scratch.of_bias.zeros(part.length(), part.length());
    const In q = part.one(part.vectors(trace.q.view()), sequence);
    const In scaled = part.one(part.pairs(trace.scaled.view()), sequence);
    encoded.encoding().bias->collect(content_query(part, q, scaled), grad_logits,
                                     {gradients.encoding, part.one(grad.q, sequence), of_bias});
    add(of_bias.all(), grad_logits.all());
  }
}

void angles_backward(const Part& part, const Vectors& in, const VectorsGradients& grad, PlacesGradients& places) {
  for (int sequence = 0; sequence < part.group.count; ++sequence) {
    part.places().q.add_angle_gradients(part.head, part.one(in.turned_q, sequence), part.one(grad.turned_q, sequence),
                                        places.q_angles.view());
    part.places().k.add_angle_gradients(part.head, part.one(in.turned_k, sequence), part.one(grad.turned_k, sequence),
                                        places.k_angles.view());
  }
}

/// From the gradient of the dots to those of q and k.
void dots_backward(const Encoded& encoded, const Part& part, const HeadsTrace& trace, const HeadsGradients& gradients,
                   const VectorsGradients& grad) {
  const RotatesQk* rotary = encoded.encoding().rotary.get();
  const Vectors in = vectors_of(part, trace, rotary != nullptr);
  for (int sequence = 0; sequence < part.group.count; ++sequence) {
    const In grad_dots = part.one(grad.logits, sequence);
    kernels::best.multiply(grad_dots, part.one(in.turned_k, sequence), part.one(grad.turned_q, sequence));
    kernels::training.add_transposed_product(grad_dots, part.one(in.turned_q, sequence),
                                             part.one(grad.turned_k, sequence));
  }
  if (encoded.learns_rotation()) angles_backward(part, in, grad, gradients.places[at(part.index)]);
  if (rotary != nullptr) {
    part.places().q.turn_back(part.head, grad.turned_q);
    part.places().k.turn_back(part.head, grad.turned_k);
  }
  add(grad.turned_q.all(), grad.q.all());
  add(grad.turned_k.all(), grad.k.all());
  if (encoded.encoding().relative == nullptr) return;
  encoded.encoding().relative->collect(relative_query(part, in.q, in.k), grad.logits,
                                       {gradients.encoding, grad.q, grad.k});
}

}  // namespace

int tokens_of(std::span<const Group> groups) {
  int tokens = 0;
  for (const Group& group : groups) tokens += group.tokens();
  return tokens;
}

MatrixView<const float> HeadsTrace::weights_of(std::span<const Group> groups, int group, int head) const {
  const std::size_t pair = pairs_of(groups.first(at(group)));
  return Part{groups[at(group)], group, head, 0, pair}.pairs(weights.view());
}

void attend_all(const Encoded& encoded, std::span<const Group> groups, MatrixView<const float> qkv, HeadsTrace& trace,
                MatrixView<float> out) {
  const auto& [d_model, n_heads, head_dim] = encoded.encoding().dims;
  const int tokens = qkv.rows();
  const int width = n_heads * head_dim;
  split(qkv, 0, trace.q.shaped(n_heads * tokens, head_dim));
  split(qkv, width, trace.k.shaped(n_heads * tokens, head_dim));
  split(qkv, 2 * width, trace.v.shaped(n_heads * tokens, head_dim));
  const RotatesQk* rotary = encoded.encoding().rotary.get();
  if (rotary != nullptr) {
    std::ranges::copy(trace.q.view().all(), trace.turned_q.shaped(n_heads * tokens, head_dim).all().begin());
    std::ranges::copy(trace.k.view().all(), trace.turned_k.shaped(n_heads * tokens, head_dim).all().begin());
  }
  const int pairs = static_cast<int>(pairs_of(groups));
  trace.weights.shaped(n_heads, pairs);
  if (encoded.bias_of_content()) trace.scaled.shaped(n_heads, pairs);
  const Out output = trace.output.shaped(n_heads * tokens, head_dim);
  for_each_part(groups, n_heads, [&](const Part& part) {
    if (rotary != nullptr) {
      rotate_head(part.places().q.there, part.head, part.vectors(trace.turned_q.view()));
      rotate_head(part.places().k.there, part.head, part.vectors(trace.turned_k.view()));
    }
    attend_part(encoded, part, trace, part.vectors(output));
  });
  merge(output, 0, out);
}

void attend_all_backward(const Encoded& encoded, std::span<const Group> groups, const HeadsTrace& trace,
                         MatrixView<const float> grad_out, const HeadsGradients& gradients, HeadsScratch& scratch,
                         MatrixView<float> grad_qkv) {
  const auto& [d_model, n_heads, head_dim] = encoded.encoding().dims;
  const int rows = n_heads * grad_out.rows();
  const int width = n_heads * head_dim;
  split(grad_out, 0, scratch.out.shaped(rows, head_dim));
  scratch.q.zeros(rows, head_dim);
  scratch.k.zeros(rows, head_dim);
  scratch.v.zeros(rows, head_dim);
  scratch.turned_q.shaped(rows, head_dim);
  scratch.turned_k.zeros(rows, head_dim);
  for_each_part(groups, n_heads, [&](const Part& part) {
    const VectorsGradients grad{
        part.vectors(scratch.q.view()),        part.vectors(scratch.k.view()),
        part.vectors(scratch.v.view()),        part.vectors(scratch.turned_q.view()),
        part.vectors(scratch.turned_k.view()), scratch.logits.shaped(part.group.tokens(), part.length())};
    softmax_part_backward(encoded, part, trace, part.vectors(scratch.out.view()), gradients, grad);
    biases_backward(encoded, part, trace, gradients, grad, scratch);
    scale_all(grad.logits, encoded.scale());
    dots_backward(encoded, part, trace, gradients, grad);
  });
  merge(scratch.q.view(), 0, grad_qkv);
  merge(scratch.k.view(), width, grad_qkv);
  merge(scratch.v.view(), 2 * width, grad_qkv);
}

}  // namespace posenc::models
