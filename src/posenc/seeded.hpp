#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "posenc/matrix_view.hpp"
#include "posenc/spec.hpp"

namespace posenc {

/// Largest seed: every whole number up to here is exact in double, so it survives JSON and JavaScript.
inline constexpr double kMaxSeed = 9007199254740991.0;

/// What a seeded stream of numbers is for. Streams of one seed share no numbers.
enum class Stream : std::uint64_t { embeddings = 1, wq, wk, wv, encoding, shuffles, parameters, training, evaluation };

/// Key of one stream of one seed. Integer arithmetic only (SplitMix64), so it is the same everywhere.
/// @source Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators", OOPSLA, figure 17 (mix64)
[[nodiscard]] std::uint64_t stream_key(std::uint64_t seed, Stream stream);

/// The `index`-th 64 random bits of a stream.
[[nodiscard]] std::uint64_t random_bits(std::uint64_t key, std::uint64_t index);

/// Fills `out` with numbers of mean 0 and the given standard deviation: the sum of four uniform 16-bit numbers
/// (Irwin-Hall), bell-shaped within 3.46 deviations, exact integer arithmetic up to the last multiplication.
/// out[i] depends on key and first_index + i alone.
void fill_normal(std::uint64_t key, double stddev, std::span<float> out, std::uint64_t first_index = 0);

/// One attention head of random numbers: q = x · wq and so on, standard deviation 1 / sqrt(d_model) so that q, k and v
/// of a unit-variance x have unit variance. Distinct wq and wk: with equal ones a toy can hide an effect.
struct HeadWeights {
  Matrix<float> wq;  ///< [d_model][head_dim]
  Matrix<float> wk;
  Matrix<float> wv;
};
[[nodiscard]] HeadWeights seeded_head(const Dims& dims, int head, std::uint64_t seed);

/// Embeddings by word: the same word has the same unit-variance vector wherever it stands, and any word has one.
/// @param words  UTF-8; compared byte by byte (normalise them first)
/// @return       [word][d_model]
[[nodiscard]] Matrix<float> seeded_embeddings(std::span<const std::string> words, int d_model, std::uint64_t seed);

}  // namespace posenc
