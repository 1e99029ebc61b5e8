#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "posenc/attention.hpp"
#include "posenc/matrix_view.hpp"
#include "posenc/spec.hpp"

namespace posenc {

/// One seeded attention head, apart from the encoding: see seeded.hpp for its numbers. Sizes are those of Spec::dims.
struct Layer {
  std::uint64_t seed = 7;
  int head = 0;
  Mask mask = {};
  double offset = 0.0;  ///< position of the first word, tokens
};

/// Attention of the layer over words, in reading order.
/// @throws Error  empty_input, out_of_range, and what make() and attend() throw
[[nodiscard]] HeadAttention attend_words(const Spec& spec, const Layer& layer, std::span<const std::string> words);

/// Index in `b` of each word of `a`, -1 where it has none. The k-th time a word stands in `a` goes to the k-th time it
/// stands in `b`; where `b` is `a` read backwards, each word goes to its mirror image.
[[nodiscard]] std::vector<int> align_words(std::span<const std::string> a, std::span<const std::string> b);

/// Two orderings under one encoding, laid over each other by word.
struct Comparison {
  HeadAttention a;           ///< in reading order of a
  HeadAttention b;           ///< in reading order of b
  std::vector<int> mapping;  ///< see align_words
  Matrix<float> b_in_a;      ///< weights of b in a's word order, [query][key]; NaN where a word has no partner
  Matrix<float> delta;       ///< b_in_a - weights of a; NaN likewise
  float max_delta = 0.0F;    ///< largest |delta|
  int max_query = -1;        ///< where it is; -1 when there is nothing to compare
  int max_key = -1;
};

/// Fills b_in_a, delta and the largest change from a, b and mapping.
void add_differences(Comparison& result);

/// Both orderings are stored in one canonical order of words, each with positions of its own, so that every sum runs in
/// the same order and what mathematics says is equal is equal to the bit.
/// @throws Error  as attend_words; field "a" or "b" names the empty one
[[nodiscard]] Comparison compare(const Spec& spec, const Layer& layer, std::span<const std::string> a,
                                 std::span<const std::string> b);

/// Changes below this are rounding: attention is invariant. Exact zeros are told apart from it.
inline constexpr float kInvarianceTolerance = 1e-6F;

/// How much attention, by word, changes when words move.
struct Invariance {
  float max_change = 0.0F;
  int tried = 0;  ///< rearrangements; 0 when the sentence has none that changes it
};

struct Invariances {
  Invariance shuffle;  ///< words exchange places (swaps of neighbours, reversal, rotation, two seeded shuffles)
  Invariance mirror;   ///< the sentence read backwards
  Invariance shift;    ///< all positions + 1, + 7, + 64 (those that the encoding has)
};

/// @throws Error  as attend_words
[[nodiscard]] Invariances invariances(const Spec& spec, const Layer& layer, std::span<const std::string> words);

}  // namespace posenc
