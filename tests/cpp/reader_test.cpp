#include "posenc/reader.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

using namespace posenc;

namespace {

const std::vector<std::string> kChase{"Tom", "chased", "Jerry"};
const std::vector<std::string> kBack{"Jerry", "chased", "Tom"};

ReaderSetup setup_of(const char* encoding, Mask::Kind mask = Mask::Kind::none, std::uint64_t seed = 7) {
  ReaderSetup setup;
  setup.encoding.encoding = encoding;
  setup.mask.kind = mask;
  setup.seed = seed;
  return setup;
}

Reader reader_of(const char* encoding, int steps, Mask::Kind mask = Mask::Kind::none) {
  Reader reader(setup_of(encoding, mask));
  ReaderTraining training(reader, {.steps = steps, .batch = 8});
  while (!training.done()) training.step();
  return reader;
}

}  // namespace

TEST_CASE("reader: without encoding and mask, two orders have the same answer to the bit", "[reader]") {
  const Reader reader = reader_of("none", 3);
  const ReaderAnswer forth = reader.answer(kChase);
  const ReaderAnswer back = reader.answer(kBack);
  for (std::size_t word = 0; word < kChase.size(); ++word) {
    CHECK(forth.who[word] == back.who[kChase.size() - 1 - word]);
    CHECK(forth.whom[word] == back.whom[kChase.size() - 1 - word]);
  }
}

TEST_CASE("reader: the same seed trains the same numbers, another seed others", "[reader]") {
  const Reader one = reader_of("rope", 3);
  const Reader same = reader_of("rope", 3);
  CHECK(std::vector<float>(one.parameters().begin(), one.parameters().end()) ==
        std::vector<float>(same.parameters().begin(), same.parameters().end()));
  const Reader other(setup_of("rope", Mask::Kind::none, 8));
  CHECK(other.answer(kChase).who != one.answer(kChase).who);
}

TEST_CASE("reader: training lowers the loss", "[reader]") {
  Reader reader(setup_of("sinusoidal"));
  ReaderTraining training(reader, {.steps = 60, .batch = 32});
  double first = 0.0;
  double last = 0.0;
  for (int step = 0; !training.done(); ++step) {
    const double loss = training.step().loss;
    if (step < 5) first += loss;
    if (step >= 55) last += loss;
  }
  CHECK(last < 0.9 * first);
}

TEST_CASE("reader: any sentence has an answer whose probabilities sum to 1", "[reader]") {
  const Reader reader = reader_of("alibi", 1, Mask::Kind::causal);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"Tom"}, {"Tom", "chased", "Tom"}, {"the", "was", "by"}, {60, "word"}}) {
    float sum = 0.0F;
    for (const float probability : reader.answer(words).who) sum += probability;
    CHECK(std::abs(sum - 1.0F) < 1e-5F);
  }
  CHECK(reader.answer({}).who.empty());
}
