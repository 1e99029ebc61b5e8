#include "posenc/seeded.hpp"

#include <cmath>
#include <cstddef>

namespace posenc {
namespace {

constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15U;

std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

/// FNV-1a, 64 bits.
std::uint64_t hash(const std::string& text) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char byte : text) value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  return value;
}

Matrix<float> projection(const Dims& dims, int head, std::uint64_t key) {
  Matrix<float> matrix(dims.d_model, dims.head_dim);
  const std::uint64_t first = static_cast<std::uint64_t>(head) * matrix.all().size();
  fill_normal(key, 1.0 / std::sqrt(dims.d_model), matrix.all(), first);
  return matrix;
}

}  // namespace

std::uint64_t stream_key(std::uint64_t seed, Stream stream) {
  return mix(mix(seed + kGamma) + static_cast<std::uint64_t>(stream) * kGamma);
}

std::uint64_t random_bits(std::uint64_t key, std::uint64_t index) { return mix(key + (index + 1) * kGamma); }

void fill_normal(std::uint64_t key, double stddev, std::span<float> out, std::uint64_t first_index) {
  constexpr double kMean = 4 * 65535 / 2.0;
  const double deviation = std::sqrt(4 * (65536.0 * 65536.0 - 1) / 12);
  const double scale = stddev / deviation;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t bits = random_bits(key, first_index + i);
    const std::uint64_t sum = (bits & 0xffffU) + ((bits >> 16U) & 0xffffU) + ((bits >> 32U) & 0xffffU) + (bits >> 48U);
    out[i] = static_cast<float>((static_cast<double>(sum) - kMean) * scale);
  }
}

HeadWeights seeded_head(const Dims& dims, int head, std::uint64_t seed) {
  return {projection(dims, head, stream_key(seed, Stream::wq)), projection(dims, head, stream_key(seed, Stream::wk)),
          projection(dims, head, stream_key(seed, Stream::wv))};
}

Matrix<float> seeded_embeddings(std::span<const std::string> words, int d_model, std::uint64_t seed) {
  Matrix<float> rows(static_cast<int>(words.size()), d_model);
  const std::uint64_t key = stream_key(seed, Stream::embeddings);
  for (int word = 0; word < rows.rows(); ++word) {
    fill_normal(mix(key ^ hash(words[static_cast<std::size_t>(word)])), 1.0, rows.row(word));
  }
  return rows;
}

}  // namespace posenc
