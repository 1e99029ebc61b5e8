#include "posenc/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

using Words = std::vector<std::string>;

const Words kTomJerry{"Tom", "chased", "Jerry"};
const Words kJerryTom{"Jerry", "chased", "Tom"};
const Words kYesterdayTom{"yesterday", "Tom", "chased", "Jerry"};
const Words kYesterdayJerry{"yesterday", "Jerry", "chased", "Tom"};
/// What sees |i - j| only.
const std::set<std::string> kMirrorBlind{"alibi", "kerple_log", "kerple_power", "sandwich", "fire"};
constexpr Mask kCausal{.kind = Mask::Kind::causal};

Comparison compared(const std::string& id, const Words& a, const Words& b, Mask mask = {}) {
  return compare(spec(id), {.mask = mask}, a, b);
}

std::string any_id() { return std::string(encodings()[GENERATE(range(std::size_t{0}, encodings().size()))]->id); }

}  // namespace

TEST_CASE("align: by word, and the k-th time to the k-th time", "[compare]") {
  CHECK(align_words(kTomJerry, kJerryTom) == std::vector{2, 1, 0});
  CHECK(align_words(Words{"a", "b", "a"}, Words{"a", "a", "b"}) == std::vector{0, 2, 1});
  CHECK(align_words(Words{"a", "b"}, Words{"b", "c"}) == std::vector{-1, 0});
  CHECK(align_words(Words{"a", "a"}, Words{"a"}) == std::vector{0, -1});
  CHECK(align_words(Words{}, Words{"a"}).empty());
}

TEST_CASE("align: a sentence read backwards goes to its mirror image, also where words repeat", "[compare]") {
  CHECK(align_words(Words{"a", "b", "a", "c"}, Words{"c", "a", "b", "a"}) == std::vector{3, 2, 1, 0});
  CHECK(align_words(Words{"a", "b", "a"}, Words{"a", "b", "a"}) == std::vector{0, 1, 2});
}

TEST_CASE("compare: no encoding, both ways: every change is exactly 0", "[compare]") {
  for (const auto& [a, b] : {std::pair{kTomJerry, kJerryTom}, std::pair{kYesterdayTom, kYesterdayJerry}}) {
    const Comparison result = compared("none", a, b);
    for (const float delta : result.delta.all()) CHECK(delta == 0.0F);
    CHECK(result.max_delta == 0.0F);
    CHECK(result.max_query >= 0);
  }
}

TEST_CASE("compare: no encoding, repeated words and any order: exactly 0", "[compare]") {
  Words a{"the", "dog", "saw", "the", "cat", "and", "the", "bird", "ran"};
  Words b = a;
  std::ranges::rotate(b, b.begin() + 4);
  std::swap(b[0], b[3]);
  CHECK(compared("none", a, b).max_delta == 0.0F);
}

TEST_CASE("compare: a symmetric bias and a mirror image, both ways: exactly 0", "[compare]") {
  CHECK(compared("alibi", kTomJerry, kJerryTom).max_delta == 0.0F);
  const Words repeated{"a", "b", "a", "c", "d"};
  CHECK(compared("alibi", repeated, Words(repeated.rbegin(), repeated.rend())).max_delta == 0.0F);
}

TEST_CASE("compare: the weights of the page hide no effect", "[compare]") {
  // Whatever mathematics does not force to be equal must be seen to differ, at the page's seed, on its sentences.
  const std::string id = any_id();
  INFO(id);
  constexpr float kSeen = 0.02F;
  const bool blind = id == "none";
  const bool mirror_blind = blind || kMirrorBlind.contains(id);
  CHECK(compared(id, kTomJerry, kJerryTom).max_delta >= (mirror_blind ? 0.0F : kSeen));
  CHECK(compared(id, kTomJerry, kJerryTom, kCausal).max_delta >= kSeen);
  CHECK(compared(id, kYesterdayTom, kYesterdayJerry).max_delta >= (blind ? 0.0F : kSeen));
  CHECK(compared(id, {"我", "爱", "你"}, {"你", "爱", "我"}).max_delta >= (mirror_blind ? 0.0F : kSeen));
  CHECK(compared(id, {"我", "爱", "你"}, {"你", "爱", "我"}, kCausal).max_delta >= kSeen);
}

TEST_CASE("compare: the difference is B in A's order minus A", "[compare]") {
  const Comparison result = compared("rope", kTomJerry, kJerryTom);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      CHECK(result.b_in_a(i, j) == result.b.weights(2 - i, 2 - j));
      CHECK(result.delta(i, j) == result.b_in_a(i, j) - result.a.weights(i, j));
    }
  }
  CHECK(std::abs(result.delta(result.max_query, result.max_key)) == result.max_delta);
}

TEST_CASE("compare: each sentence is what attention alone gives", "[compare]") {
  const std::string id = any_id();
  INFO(id);
  const Comparison result = compared(id, kTomJerry, kJerryTom);
  // Sums may run in another order: equal up to rounding.
  check_close<float, float>(result.a.weights.all(), attend_words(spec(id), {}, kTomJerry).weights.all(), 1e-6);
  check_close<float, float>(result.b.weights.all(), attend_words(spec(id), {}, kJerryTom).weights.all(), 1e-6);
}

TEST_CASE("compare: words without a partner are NaN, the others still compared", "[compare]") {
  const Comparison result = compared("rope", kTomJerry, {"Tom", "saw", "Jerry"});
  CHECK(result.mapping == std::vector{0, -1, 2});
  CHECK(std::isnan(result.delta(1, 0)));
  CHECK(std::isnan(result.delta(0, 1)));
  CHECK(std::isfinite(result.delta(0, 2)));
  CHECK(result.max_query >= 0);
}

TEST_CASE("compare: nothing in common, nothing to compare", "[compare]") {
  const Comparison result = compared("rope", {"a"}, {"b", "c"});
  CHECK(result.max_query == -1);
  CHECK(result.max_delta == 0.0F);
}

TEST_CASE("compare: an empty sentence is refused by name", "[compare]") {
  CHECK(error_of([] { static_cast<void>(compared("none", {}, kTomJerry)); }).field() == "a");
  CHECK(error_of([] { static_cast<void>(compared("none", kTomJerry, {})); }).field() == "b");
  CHECK(error_of([] { static_cast<void>(attend_words(spec("none"), {}, Words{})); }).code() == ErrorCode::empty_input);
}

TEST_CASE("compare: a head that does not exist is refused", "[compare]") {
  const int head = GENERATE(-1, 4);
  const Error error = error_of([&] { static_cast<void>(attend_words(spec("none"), {.head = head}, kTomJerry)); });
  CHECK(error.field() == "head");
}

TEST_CASE("compare: heads have weights of their own", "[compare]") {
  const Matrix<float> first = attend_words(spec("none"), {.head = 0}, kTomJerry).weights;
  const Matrix<float> second = attend_words(spec("none"), {.head = 1}, kTomJerry).weights;
  CHECK(first(0, 1) != second(0, 1));
}

TEST_CASE("invariances: the three tests tell the encodings apart, to the bit", "[compare]") {
  struct Row {
    bool shuffle;
    bool mirror;
    bool shift;
  };
  // From the definitions: what sees no position, only |i - j|, only i - j.
  const std::map<std::string, Row> expected{{"none", {true, true, true}},
                                            {"sinusoidal", {false, false, false}},
                                            {"learned", {false, false, false}},
                                            {"sincos2d", {false, false, false}},
                                            {"rope", {false, false, true}},
                                            {"xpos", {false, false, true}},
                                            {"mrope", {false, false, true}},
                                            {"rope_2d", {false, false, true}},
                                            {"alibi", {false, true, true}},
                                            {"t5_bias", {false, false, true}},
                                            {"shaw", {false, false, true}},
                                            {"transformer_xl", {false, false, true}},
                                            {"xlnet", {false, false, true}},
                                            {"deberta", {false, false, true}},
                                            {"kerple_log", {false, true, true}},
                                            {"kerple_power", {false, true, true}},
                                            {"sandwich", {false, true, true}},
                                            {"fire", {false, true, true}},
                                            {"dynamic_position_bias", {false, false, true}},
                                            {"swin_bias", {false, false, true}},
                                            {"swin_v2_bias", {false, false, true}},
                                            {"cope", {false, false, true}}};
  for (const auto& [id, row] : expected) {
    INFO(id);
    const Invariances tests = invariances(spec(id), {}, kYesterdayTom);
    CHECK((tests.shuffle.max_change == 0.0F) == row.shuffle);
    CHECK((tests.mirror.max_change == 0.0F) == row.mirror);
    CHECK((tests.shift.max_change == 0.0F) == row.shift);
  }
}

TEST_CASE("invariances: with a causal mask even no encoding sees order, and a shift changes nothing", "[compare]") {
  const Invariances tests = invariances(spec("none"), {.mask = kCausal}, kTomJerry);
  CHECK(tests.shuffle.max_change > 0.02F);
  CHECK(tests.mirror.max_change > 0.02F);
  CHECK(tests.shift.max_change == 0.0F);
}

TEST_CASE("invariances: one word has nothing to move, equal words neither", "[compare]") {
  const Words words = GENERATE(Words{"Tom"}, Words{"ha", "ha", "ha"});
  const Invariances tests = invariances(spec("rope"), {}, words);
  CHECK(tests.shuffle.tried == 0);
  CHECK(tests.mirror.tried == 0);
  CHECK(tests.shift.tried == (words.size() < 2 ? 0 : 3));
}

TEST_CASE("invariances: a palindrome of words has no mirror image to compare", "[compare]") {
  const Invariances tests = invariances(spec("learned"), {}, Words{"a", "b", "a"});
  CHECK(tests.mirror.tried == 0);
  CHECK(tests.shuffle.tried > 0);
}

TEST_CASE("invariances: shifts beyond the end of a learned table are not tried", "[compare]") {
  const Invariances tests = invariances(spec("learned", {}, {{"max_position", 4.0}}), {}, kTomJerry);
  CHECK(tests.shift.tried == 1);
  CHECK(tests.shift.max_change > 0.0F);
}

TEST_CASE("shift: start positions leave relative encodings unchanged to the bit, and change added ones", "[compare]") {
  const std::string id = any_id();
  INFO(id);
  const double offset = GENERATE(1.0, 5.0, 100.0);
  const Matrix<float> from_zero = attend_words(spec(id), {}, kTomJerry).weights;
  const Matrix<float> shifted = attend_words(spec(id), {.offset = offset}, kTomJerry).weights;
  const bool same = std::ranges::equal(from_zero.all(), shifted.all());
  CHECK(same == (make(spec(id)).input == nullptr));
}

TEST_CASE("compare: 512 words", "[compare]") {
  Words a;
  for (int i = 0; i < 512; ++i) a.push_back("word" + std::to_string(i % 200));
  const Words b(a.rbegin(), a.rend());
  CHECK(compared("alibi", a, b).max_delta == 0.0F);
  CHECK(compared("rope", a, b).max_delta > 0.0F);
}
