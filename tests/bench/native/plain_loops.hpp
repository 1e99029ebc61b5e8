#pragma once

#include <span>

/// What posenc is measured beside: the loops that inference engines in C write, as ggml does. One thread, float.
namespace plain_loops {

/// @param out  [length][d_model], sin and cos in turn
void sinusoidal_table(int length, int d_model, std::span<float> out);

struct Heads {
  int heads;
  int tokens;
  int head_dim;
};

/// Rotates in place: x [head][token][head_dim]. The angle of each pair is the one before it times a constant.
void rotate_half(const Heads& shape, std::span<float> x);
void rotate_interleaved(const Heads& shape, std::span<float> x);

/// Causal attention with ALiBi: row after row, q, k, v and out [head][token][head_dim].
void attend_causal(const Heads& shape, std::span<const float> q, std::span<const float> k, std::span<const float> v,
                   std::span<float> out);

}  // namespace plain_loops
