#include "plain_loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace plain_loops {
namespace {

constexpr float kTheta = 10000.0F;

std::size_t to_size(int count) { return static_cast<std::size_t>(count); }

/// cos and sin of one token, [pair] each.
void fill_angles(int token, std::span<float> cos, std::span<float> sin) {
  const float step = std::pow(kTheta, -1.0F / static_cast<float>(cos.size()));
  float angle = static_cast<float>(token);
  for (std::size_t pair = 0; pair < cos.size(); ++pair) {
    cos[pair] = std::cos(angle);
    sin[pair] = std::sin(angle);
    angle *= step;
  }
}

/// Calls rotate(row, cos, sin) for each row of each head; the angles of a token serve all heads.
template <class Rotate>
void for_each_row(const Heads& shape, std::span<float> x, const Rotate& rotate) {
  const std::size_t head_dim = to_size(shape.head_dim);
  std::vector<float> cos(head_dim / 2);
  std::vector<float> sin(head_dim / 2);
  for (int token = 0; token < shape.tokens; ++token) {
    fill_angles(token, cos, sin);
    for (int head = 0; head < shape.heads; ++head) {
      const std::size_t row = to_size(head) * to_size(shape.tokens) + to_size(token);
      rotate(x.data() + row * head_dim, cos.data(), sin.data(), head_dim / 2);
    }
  }
}

}  // namespace

void sinusoidal_table(int length, int d_model, std::span<float> out) {
  const std::size_t pairs = to_size(d_model) / 2;
  std::vector<float> inv_freq(pairs);
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    inv_freq[pair] = std::pow(kTheta, -static_cast<float>(pair) / static_cast<float>(pairs));
  }
  float* next = out.data();
  for (int position = 0; position < length; ++position) {
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const float angle = static_cast<float>(position) * inv_freq[pair];
      *next++ = std::sin(angle);
      *next++ = std::cos(angle);
    }
  }
}

void rotate_half(const Heads& shape, std::span<float> x) {
  for_each_row(shape, x, [](float* row, const float* cos, const float* sin, std::size_t pairs) {
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const float left = row[pair];
      const float right = row[pair + pairs];
      row[pair] = left * cos[pair] - right * sin[pair];
      row[pair + pairs] = left * sin[pair] + right * cos[pair];
    }
  });
}

void rotate_interleaved(const Heads& shape, std::span<float> x) {
  for_each_row(shape, x, [](float* row, const float* cos, const float* sin, std::size_t pairs) {
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const float left = row[2 * pair];
      const float right = row[2 * pair + 1];
      row[2 * pair] = left * cos[pair] - right * sin[pair];
      row[2 * pair + 1] = left * sin[pair] + right * cos[pair];
    }
  });
}

void attend_causal(const Heads& shape, std::span<const float> q, std::span<const float> k, std::span<const float> v,
                   std::span<float> out) {
  const std::size_t tokens = to_size(shape.tokens);
  const std::size_t width = to_size(shape.head_dim);
  const float scale = 1.0F / std::sqrt(static_cast<float>(shape.head_dim));
  std::vector<float> weights(tokens);
  for (std::size_t head = 0; head < to_size(shape.heads); ++head) {
    const float slope = std::exp2(-8.0F * static_cast<float>(head + 1) / static_cast<float>(shape.heads));
    const std::size_t first = head * tokens * width;
    for (std::size_t i = 0; i < tokens; ++i) {
      const float* const query = &q[first + i * width];
      float largest = -std::numeric_limits<float>::infinity();
      for (std::size_t j = 0; j <= i; ++j) {
        const float* const key = &k[first + j * width];
        float dot = 0.0F;
        for (std::size_t c = 0; c < width; ++c) dot += query[c] * key[c];
        weights[j] = dot * scale - slope * static_cast<float>(i - j);
        largest = std::max(largest, weights[j]);
      }
      float* const row = &out[first + i * width];
      std::fill_n(row, width, 0.0F);
      float sum = 0.0F;
      for (std::size_t j = 0; j <= i; ++j) {
        const float weight = std::exp(weights[j] - largest);
        sum += weight;
        const float* const value = &v[first + j * width];
        for (std::size_t c = 0; c < width; ++c) row[c] += weight * value[c];
      }
      for (std::size_t c = 0; c < width; ++c) row[c] /= sum;
    }
  }
}

}  // namespace plain_loops
