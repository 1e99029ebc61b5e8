#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "models/random.hpp"

/// The task of the reader: who did it, and to whom? Sentences are made from patterns. Names and verbs are fresh in each
/// sentence, so only order and function words can tell.
///
/// Where two clauses both have a who and a whom, the first one is asked. A clause without a whom ("and Spike slept") is
/// never asked.
namespace posenc::models {

/// Function words: the reader knows each by a vector of its own. Everything else is a content word.
[[nodiscard]] std::span<const std::string_view> function_words();

/// Index in function_words(), ASCII letters of any case; -1 for a content word.
[[nodiscard]] int find_function_word(std::string_view word);

/// What a pattern serves for.
enum class Use {
  training,
  unseen,  ///< patterns that training does not show, as long as those that it does
  longer,  ///< patterns longer than any in training
};

/// A kind of sentence.
///
/// A, P and V are who, whom and what is done; other capitals are further names and verbs. "~" may put an article
/// before a name; @ is a word of time, BE was or is. Nothing but function words tells a name from a verb, so "who"
/// always stands for the one who does it, and WHOM (that, whom or which) for the other.
struct Pattern {
  std::string_view name;
  std::string_view text;
  Use use;
  int share;  ///< of the sentences of its use
  bool chinese;
};
[[nodiscard]] std::span<const Pattern> patterns();

/// A sentence of the task.
struct Sentence {
  std::vector<int> words;  ///< index of a function word; -1 - n: the n-th content word
  int content_words = 0;   ///< all different
  int who = 0;             ///< place of the word
  int whom = 0;
};

[[nodiscard]] Sentence make_sentence(const Pattern& pattern, Random& random);

/// A pattern for a use, by their shares.
[[nodiscard]] const Pattern& choose_pattern(Use use, Random& random);

}  // namespace posenc::models
