#include "models/transformer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "kernels/kernels.hpp"
#include "kernels/training.hpp"

namespace posenc::models {
namespace {

/// Calls f(places, rows of the sequence, group) for each sequence of each group.
template <class F>
void for_each_sequence(std::span<const Group> groups, MatrixView<float> x, F f) {
  int first = 0;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const Places& places = *groups[group].places;
    for (int sequence = 0; sequence < groups[group].count; ++sequence) {
      f(places, x.slice(first, places.length()), group);
      first += places.length();
    }
  }
}

void scale_all(std::span<float> x, float factor) {
  if (factor == 1.0F) return;
  for (float& value : x) value *= factor;
}

}  // namespace

Transformer::Transformer(const TransformerShape& shape, const Encoded& encoded, Layout& layout) : shape_(shape) {
  const int d_model = shape.dims.d_model;
  const auto n_weights = static_cast<int>(encoded.encoding().weights.size());
  if (n_weights > 0) encoding_ = layout.add_vector("encoding.weights", n_weights);
  for (int i = 0; i < shape.n_layers; ++i) {
    const std::string name = "blocks." + std::to_string(i) + ".";
    const int width = shape.dims.n_heads * shape.dims.head_dim;
    blocks_.push_back({.norm1 = add_norm(layout, name + "norm1", d_model),
                       .qkv = add_linear(layout, name + "attn.qkv", d_model, 3 * width),
                       .proj = add_linear(layout, name + "attn.proj", width, d_model),
                       .norm2 = add_norm(layout, name + "norm2", d_model),
                       .fc1 = add_linear(layout, name + "mlp.fc1", d_model, shape.d_ff),
                       .fc2 = add_linear(layout, name + "mlp.fc2", shape.d_ff, d_model)});
  }
  norm_ = add_norm(layout, "norm", d_model);
}

void Transformer::seed(std::uint64_t key, const Encoded& encoded, std::span<float> parameters) const {
  std::ranges::copy(encoded.encoding().weights, encoding_.flat(parameters).begin());
  const double gain = 1.0 / std::sqrt(3.0);  // PyTorch's for linear layers
  // What a block adds to x starts small, so that all of them together do not drown it (GPT-2).
  const double residual = 1.0 / std::sqrt(2.0 * shape_.n_layers);
  for (const Block& block : blocks_) {
    models::seed(block.norm1, parameters);
    models::seed(block.qkv, key, gain, parameters);
    models::seed(block.proj, key, residual, parameters);
    models::seed(block.norm2, parameters);
    models::seed(block.fc1, key, gain, parameters);
    models::seed(block.fc2, key, residual, parameters);
  }
  models::seed(norm_, parameters);
}

void Transformer::forward(std::span<const float> parameters, const Encoded& encoded, std::span<const Group> groups,
                          Trace& trace, MatrixView<float> x) const {
  if (const AddsToInput* input = encoded.encoding().input.get()) {
    scale_all(x.all(), input->embedding_scale());
    for_each_sequence(groups, x, [](const Places& places, MatrixView<float> rows, std::size_t /*group*/) {
      add(places.rows.all(), rows.all());
    });
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    BlockTrace& of_block = trace.blocks[std::min(i, trace.blocks.size() - 1)];
    forward(blocks_[i], parameters, encoded, groups, trace, of_block, x);
  }
  const MatrixView<float> out = trace.out.shaped(x.rows(), x.cols());
  models::forward(norm_, parameters, x, trace.norm, out);
  std::ranges::copy(out.all(), x.all().begin());
}

void Transformer::forward(const Block& block, std::span<const float> parameters, const Encoded& encoded,
                          std::span<const Group> groups, Trace& trace, BlockTrace& of_block,
                          MatrixView<float> x) const {
  const int tokens = x.rows();
  const MatrixView<float> out = trace.out.shaped(tokens, x.cols());

  const MatrixView<float> normed1 = of_block.normed1.shaped(tokens, x.cols());
  const MatrixView<float> qkv = trace.qkv.shaped(tokens, block.qkv.weight.rows);
  const MatrixView<float> attended = of_block.attended.shaped(tokens, block.proj.weight.cols);
  models::forward(block.norm1, parameters, x, of_block.norm1, normed1);
  models::forward(block.qkv, parameters, normed1, qkv);
  attend_all(encoded, groups, qkv, of_block.heads, attended);
  models::forward(block.proj, parameters, attended, out);
  add(out.all(), x.all());

  const MatrixView<float> normed2 = of_block.normed2.shaped(tokens, x.cols());
  const MatrixView<float> hidden = of_block.hidden.shaped(tokens, shape_.d_ff);
  const MatrixView<float> active = of_block.active.shaped(tokens, shape_.d_ff);
  models::forward(block.norm2, parameters, x, of_block.norm2, normed2);
  models::forward(block.fc1, parameters, normed2, hidden);
  kernels::training.gelu(hidden.all(), active.all());
  models::forward(block.fc2, parameters, active, out);
  add(out.all(), x.all());
}

void Transformer::backward(std::span<const float> parameters, const Encoded& encoded, std::span<const Group> groups,
                           Trace& trace, MatrixView<float> grad_x, std::span<float> gradients) const {
  trace.places.resize(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) trace.places[i].reset(*groups[i].places);

  const MatrixView<float> grad = trace.grad.zeros(grad_x.rows(), grad_x.cols());
  models::backward(norm_, parameters, trace.norm, grad_x, grad, gradients);
  std::ranges::copy(grad.all(), grad_x.all().begin());
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    backward(blocks_[i], parameters, encoded, groups, trace, trace.blocks[i], grad_x, gradients);
  }
  if (const AddsToInput* input = encoded.encoding().input.get()) {
    for_each_sequence(groups, grad_x, [&](const Places& /*places*/, MatrixView<float> rows, std::size_t group) {
      add(rows.all(), trace.places[group].rows.all());
    });
    scale_all(grad_x.all(), input->embedding_scale());
  }
  if (encoding_.size() == 0) return;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    encoded.collect(*groups[i].places, trace.places[i], encoding_.flat(gradients));
  }
}

void Transformer::backward(const Block& block, std::span<const float> parameters, const Encoded& encoded,
                           std::span<const Group> groups, Trace& trace, const BlockTrace& of_block,
                           MatrixView<float> grad_x, std::span<float> gradients) const {
  const int tokens = grad_x.rows();
  const MatrixView<float> grad = trace.grad.shaped(tokens, grad_x.cols());

  const MatrixView<float> grad_ff = trace.grad_ff.shaped(tokens, shape_.d_ff);
  models::backward(block.fc2, parameters, of_block.active.view(), grad_x, grad_ff, gradients);
  kernels::training.gelu_backward(of_block.hidden.view().all(), grad_ff.all());
  models::backward(block.fc1, parameters, of_block.normed2.view(), grad_ff, grad, gradients);
  models::backward(block.norm2, parameters, of_block.norm2, grad, grad_x, gradients);

  const MatrixView<float> grad_attended = trace.out.shaped(tokens, block.proj.weight.cols);
  const MatrixView<float> grad_qkv = trace.qkv.shaped(tokens, block.qkv.weight.rows);
  models::backward(block.proj, parameters, of_block.attended.view(), grad_x, grad_attended, gradients);
  attend_all_backward(encoded, groups, of_block.heads, grad_attended,
                      {.places = trace.places, .encoding = encoding_.flat(gradients)}, trace.heads, grad_qkv);
  models::backward(block.qkv, parameters, of_block.normed1.view(), grad_qkv, grad, gradients);
  models::backward(block.norm1, parameters, of_block.norm1, grad, grad_x, gradients);
}

}  // namespace posenc::models
