#include "models/reader_task.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace posenc::models {
namespace {

constexpr std::array<std::string_view, 36> kFunctionWords{
    "the", "a",    "was",       "is",    "by",       "and",  "who", "whom", "that", "which", "it", "did",
    "not", "will", "yesterday", "today", "tomorrow", "now",  "被",  "把",   "了",   "的",    "是", "在",
    "没",  "没有", "而",        "昨天",  "今天",     "刚才", "昨",  "今",   "天",   "刚",    "才", "有",
};

using Words = std::initializer_list<std::string_view>;

constexpr std::array kPatterns{
    Pattern{"active", "~A V ~P", Use::training, 10, false},
    Pattern{"active_time", "~A V ~P @", Use::training, 3, false},
    Pattern{"time_active", "@ ~A V ~P", Use::training, 3, false},
    Pattern{"passive", "~P BE V by ~A", Use::training, 6, false},
    Pattern{"passive_time", "~P BE V by ~A @", Use::training, 3, false},
    Pattern{"progressive", "~A BE V ~P", Use::training, 3, false},
    Pattern{"negated", "~A did not V ~P", Use::training, 3, false},
    Pattern{"future", "~A will V ~P", Use::training, 3, false},
    Pattern{"question", "did ~A V ~P", Use::training, 3, false},
    Pattern{"cleft_subject", "it BE ~A who V ~P", Use::training, 3, false},
    Pattern{"cleft_object", "it BE ~P WHOM ~A V", Use::training, 3, false},
    Pattern{"relative_subject", "the A who V ~P", Use::training, 3, false},
    Pattern{"relative_object", "the P WHOM ~A V", Use::training, 3, false},
    Pattern{"and_slept", "~A V ~P and ~X W", Use::training, 6, false},
    Pattern{"slept_and", "~X W and ~A V ~P", Use::training, 8, false},
    Pattern{"two_clauses", "~A V ~P and ~X W ~Y", Use::training, 6, false},

    Pattern{"zh_active", "A V 了 P", Use::training, 4, true},
    Pattern{"zh_time_active", "@ A V 了 P", Use::training, 3, true},
    Pattern{"zh_active_time", "A @ V 了 P", Use::training, 3, true},
    Pattern{"zh_bei", "P 被 A V 了", Use::training, 4, true},
    Pattern{"zh_bei_time", "P @ 被 A V 了", Use::training, 3, true},
    Pattern{"zh_ba", "A 把 P V 了", Use::training, 4, true},
    Pattern{"zh_time_ba", "@ A 把 P V 了", Use::training, 3, true},
    Pattern{"zh_negated", "A NOT V P", Use::training, 3, true},
    Pattern{"zh_progressive", "A 在 V P", Use::training, 3, true},
    Pattern{"zh_relative_object", "A V 的 P", Use::training, 3, true},
    Pattern{"zh_relative_bei", "被 A V 的 P", Use::training, 3, true},
    Pattern{"zh_cleft", "是 A V 了 P", Use::training, 3, true},
    Pattern{"zh_two_clauses", "A V 了 P 而 X W 了 Y", Use::training, 3, true},

    Pattern{"time_passive", "@ ~P BE V by ~A", Use::unseen, 1, false},
    Pattern{"cleft_subject_time", "it BE ~A who V ~P @", Use::unseen, 1, false},
    Pattern{"time_question", "@ did ~A V ~P", Use::unseen, 1, false},
    Pattern{"future_negated", "~A will not V ~P", Use::unseen, 1, false},
    Pattern{"future_time", "~A will V ~P @", Use::unseen, 1, false},
    Pattern{"zh_time_bei", "@ P 被 A V 了", Use::unseen, 1, true},
    Pattern{"zh_ba_time", "A @ 把 P V 了", Use::unseen, 1, true},
    Pattern{"zh_time_progressive", "@ A 在 V P", Use::unseen, 1, true},

    Pattern{"time_two_clauses", "@ ~A V ~P and ~X W ~Y", Use::longer, 1, false},
    Pattern{"three_clauses", "~A V ~P and ~X W ~Y and ~U Z", Use::longer, 1, false},
    Pattern{"two_clauses_time", "~A V ~P and ~X W ~Y @", Use::longer, 1, false},
    Pattern{"zh_time_two_clauses", "@ A V 了 P 而 X W 了 Y", Use::longer, 1, true},
};

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

int function_word(std::string_view word) {
  const auto found = std::ranges::find(kFunctionWords, word);
  return static_cast<int>(found - kFunctionWords.begin());
}

/// Writes a sentence word by word.
class Writer {
 public:
  Writer(const Pattern& pattern, Random& random) : chinese_(pattern.chinese), random_(random) {}

  void add(std::string_view part) {
    if (part.front() == '~') {
      if (random_.chance(30)) say(one_of({"the", "a"}));
      part.remove_prefix(1);
    }
    if (part == "@") return add_time();
    if (part == "BE") return say(one_of({"was", "is"}));
    if (part == "WHOM") return say(one_of({"that", "whom", "which"}));
    if (part == "NOT") return say_all(random_.chance(50) ? Words{"没有"} : Words{"没", "有"});
    if (part.size() == 1 && part.front() >= 'A' && part.front() <= 'Z') return add_content(part.front());
    say(part);
  }

  [[nodiscard]] Sentence sentence() && { return std::move(sentence_); }

 private:
  std::string_view one_of(Words words) { return *(words.begin() + random_.below(static_cast<int>(words.size()))); }

  void say(std::string_view word) { sentence_.words.push_back(function_word(word)); }
  void say_all(Words words) {
    for (const std::string_view word : words) say(word);
  }

  /// Chinese text is cut into signs unless a reader cuts it into words: the reader knows both.
  void add_time() {
    if (!chinese_) return say(one_of({"yesterday", "today", "tomorrow", "now"}));
    switch (random_.below(6)) {
      case 0:
        return say_all({"昨", "天"});
      case 1:
        return say_all({"今", "天"});
      case 2:
        return say_all({"刚", "才"});
      default:
        return say(one_of({"昨天", "今天", "刚才"}));
    }
  }

  void add_content(char role) {
    const auto place = static_cast<int>(sentence_.words.size());
    if (role == 'A') sentence_.who = place;
    if (role == 'P') sentence_.whom = place;
    sentence_.words.push_back(-1 - sentence_.content_words++);
  }

  bool chinese_;
  Random& random_;
  Sentence sentence_;
};

}  // namespace

std::span<const std::string_view> function_words() { return kFunctionWords; }

int find_function_word(std::string_view word) {
  const auto same = [&](std::string_view known) { return std::ranges::equal(word, known, {}, lower); };
  const auto found = std::ranges::find_if(kFunctionWords, same);
  return found == kFunctionWords.end() ? -1 : static_cast<int>(found - kFunctionWords.begin());
}

std::span<const Pattern> patterns() { return kPatterns; }

Sentence make_sentence(const Pattern& pattern, Random& random) {
  Writer writer(pattern, random);
  std::string_view left = pattern.text;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(' '), left.size());
    writer.add(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return std::move(writer).sentence();
}

const Pattern& choose_pattern(Use use, Random& random) {
  int shares = 0;
  for (const Pattern& pattern : kPatterns) shares += pattern.use == use ? pattern.share : 0;
  int left = random.below(shares);
  for (const Pattern& pattern : kPatterns) {
    if (pattern.use != use) continue;
    left -= pattern.share;
    if (left < 0) return pattern;
  }
  return kPatterns.front();
}

}  // namespace posenc::models
