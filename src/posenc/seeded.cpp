#include "posenc/seeded.hpp"

#include <cmath>
#include <cstddef>

namespace posenc {
namespace {

constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15U;

// Inlined even where size counts more than speed: tables of half a million numbers are seeded with it.
[[gnu::always_inline]] inline std::uint64_t mix(std::uint64_t bits) {
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
  return random_bits(random_bits(seed, 0), static_cast<std::uint64_t>(stream) - 1);
}

std::uint64_t random_bits(std::uint64_t key, std::uint64_t index) { return mix(key + (index + 1) * kGamma); }

void fill_normal(std::uint64_t key, double stddev, std::span<float> out, std::uint64_t first_index) {
  constexpr std::int32_t kMean = 4 * 65535 / 2;
  constexpr std::uint64_t kEven = 0x0000ffff0000ffffU;  // of the four 16-bit numbers, the first and the third
  const double deviation = std::sqrt(4 * (65536.0 * 65536.0 - 1) / 12);
  const double scale = stddev / deviation;
  std::uint64_t state = key + first_index * kGamma;
  for (float& number : out) {
    state += kGamma;
    const std::uint64_t bits = mix(state);
    const std::uint64_t pairs = (bits & kEven) + ((bits >> 16U) & kEven);
    const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(pairs + (pairs >> 32U)));
    number = static_cast<float>((sum - kMean) * scale);
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
