#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "posenc/error.hpp"
#include "posenc/reader.hpp"
#include "posenc/seeded.hpp"

#include "kernels/kernels.hpp"
#include "models/optimizer.hpp"
#include "models/reader_parts.hpp"
#include "models/reader_task.hpp"

namespace posenc {
namespace {

using models::Pattern;
using models::Random;
using models::ReaderBatch;
using models::ReaderModel;
using models::ReaderTrace;
using models::Sentence;
using models::Use;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

void at_least_1(const char* field, int value) {
  if (value < 1) fail(ErrorCode::out_of_range, "", field, "be at least 1", std::to_string(value));
}

/// Two streams of one purpose: choices and vectors. `part` tells batches apart.
struct Keys {
  std::uint64_t choices;
  std::uint64_t vectors;

  Keys(std::uint64_t seed, Stream stream, std::uint64_t part)
      : choices(random_bits(stream_key(seed, stream), 2 * part)),
        vectors(random_bits(stream_key(seed, stream), 2 * part + 1)) {}
};

int right_word(const Sentence& sentence, int question) { return question == 0 ? sentence.who : sentence.whom; }

bool is_right(std::span<const float> probabilities, int right) {
  return std::ranges::max_element(probabilities) - probabilities.begin() == right;
}

/// Mean of -ln(probability of the right word).
double loss_of(const ReaderBatch& batch, MatrixView<const float> probabilities) {
  constexpr auto kSmallest = static_cast<double>(std::numeric_limits<float>::min());
  double sum = 0.0;
  for (int row = 0; row < probabilities.rows(); ++row) {
    const Sentence& sentence = batch.sentences[at(row / kReaderQuestions)];
    const float right = probabilities(row, right_word(sentence, row % kReaderQuestions));
    sum -= kernels::log(std::max(static_cast<double>(right), kSmallest));
  }
  return sum / probabilities.rows();
}

int count_right(const Sentence& sentence, MatrixView<const float> probabilities, int index) {
  int right = 0;
  for (int question = 0; question < kReaderQuestions; ++question) {
    right += is_right(probabilities.row(kReaderQuestions * index + question), right_word(sentence, question)) ? 1 : 0;
  }
  return right;
}

double accuracy_of(const ReaderBatch& batch, MatrixView<const float> probabilities) {
  int right = 0;
  for (int i = 0; i < static_cast<int>(batch.sentences.size()); ++i) {
    right += count_right(batch.sentences[at(i)], probabilities, i);
  }
  return static_cast<double>(right) / probabilities.rows();
}

/// Counts answers to sentences of one kind.
struct Tally {
  int sentences = 0;
  int right = 0;
  double chance = 0.0;

  void add(const Tally& other) {
    sentences += other.sentences;
    right += other.right;
    chance += other.chance;
  }
  [[nodiscard]] ReaderScore score(std::string name) const {
    const double questions = static_cast<double>(kReaderQuestions) * sentences;
    return {std::move(name), sentences, sentences > 0 ? right / questions : 0.0,
            sentences > 0 ? chance / sentences : 0.0};
  }
};

/// Answers to sentences of one pattern.
Tally tally_of(const ReaderModel& model, const Pattern& pattern, int count, const Keys& keys) {
  constexpr int kBatch = 64;
  Tally tally;
  Random random(keys.choices);
  ReaderTrace trace = model.trace_for_answer();
  ReaderBatch batch;
  for (int part = 0; tally.sentences < count; ++part) {
    std::vector<Sentence> sentences;
    const int size = std::min(kBatch, count - tally.sentences);
    for (int i = 0; i < size; ++i) sentences.push_back(models::make_sentence(pattern, random));
    model.fill(batch, std::move(sentences), random_bits(keys.vectors, static_cast<std::uint64_t>(part)));
    const MatrixView<const float> probabilities = model.answer(batch.groups, trace, batch.x.view());
    for (int i = 0; i < size; ++i) {
      tally.right += count_right(batch.sentences[at(i)], probabilities, i);
      tally.chance += 1.0 / batch.sentences[at(i)].content_words;
    }
    tally.sentences += size;
  }
  return tally;
}

/// How many of `sentences` each pattern of a use gets: by its share, at least one.
int count_for(const Pattern& pattern, int sentences) {
  int shares = 0;
  for (const Pattern& other : models::patterns()) shares += other.use == pattern.use ? other.share : 0;
  return std::max(1, (sentences * pattern.share + shares / 2) / shares);
}

}  // namespace

struct ReaderTraining::Parts {
  Reader::Parts& reader;
  ReaderTrainingSettings settings;
  models::Optimizer optimizer;
  ReaderTrace trace;
  ReaderBatch batch;
  std::vector<float> gradients;
};

ReaderTraining::ReaderTraining(Reader& reader, const ReaderTrainingSettings& settings) {
  at_least_1("steps", settings.steps);
  at_least_1("batch", settings.batch);
  if (!(settings.learning_rate > 0.0 && settings.learning_rate <= 1.0)) {
    fail(ErrorCode::out_of_range, "", "learning_rate", "be above 0, at most 1", to_text(settings.learning_rate));
  }
  if (settings.warm_up < 0) {
    fail(ErrorCode::out_of_range, "", "warm_up", "be at least 0", std::to_string(settings.warm_up));
  }
  Reader::Parts& parts = *reader.parts_;
  const models::Schedule schedule{settings.steps, settings.learning_rate, settings.warm_up, models::Decline::linear};
  parts_ = std::make_unique<Parts>(Parts{parts,
                                         settings,
                                         models::Optimizer(parts.model.layout(), schedule),
                                         parts.model.trace_for_training(),
                                         {},
                                         std::vector<float>(parts.model.layout().size())});
}

ReaderTraining::ReaderTraining(ReaderTraining&&) noexcept = default;
ReaderTraining& ReaderTraining::operator=(ReaderTraining&&) noexcept = default;
ReaderTraining::~ReaderTraining() = default;

ReaderStep ReaderTraining::step() {
  auto& [reader, settings, optimizer, trace, batch, gradients] = *parts_;
  const Keys keys(reader.setup.seed, Stream::training, static_cast<std::uint64_t>(reader.steps));
  Random random(keys.choices);
  std::vector<Sentence> sentences;
  for (int i = 0; i < settings.batch; ++i) {
    sentences.push_back(models::make_sentence(models::choose_pattern(Use::training, random), random));
  }
  reader.model.fill(batch, std::move(sentences), keys.vectors);
  const MatrixView<const float> probabilities = reader.model.answer(batch.groups, trace, batch.x.view());
  ReaderStep result{
      .step = ++reader.steps, .loss = loss_of(batch, probabilities), .accuracy = accuracy_of(batch, probabilities)};
  std::ranges::fill(gradients, 0.0F);
  reader.model.backward(batch, trace, gradients);
  optimizer.step(gradients, reader.model.mutable_parameters());
  reader.model.changed();
  return result;
}

bool ReaderTraining::done() const { return parts_->optimizer.steps() >= parts_->settings.steps; }

ReaderScores evaluate(const Reader& reader, int sentences, std::uint64_t seed) {
  at_least_1("sentences", sentences);
  const ReaderModel& model = reader.parts_->model;
  Tally trained;
  Tally unseen;
  Tally longer;
  ReaderScores scores;
  for (const Pattern& pattern : models::patterns()) {
    const Keys keys(seed, Stream::evaluation, scores.patterns.size());
    const Tally tally = tally_of(model, pattern, count_for(pattern, sentences), keys);
    (pattern.use == Use::training ? trained : pattern.use == Use::unseen ? unseen : longer).add(tally);
    scores.patterns.push_back(tally.score(std::string(pattern.name)));
  }
  scores.trained = trained.score("trained");
  scores.unseen = unseen.score("unseen");
  scores.longer = longer.score("longer");
  return scores;
}

ReaderCertainty certainty(const Reader& reader, std::span<const std::string> names, const std::string& verb) {
  ReaderCertainty result{.mean = 0.0, .worst = 1.0};
  int asked = 0;
  for (const std::string& who : names) {
    for (const std::string& whom : names) {
      if (who == whom) continue;
      const std::vector<std::string> words{who, verb, whom};
      const ReaderAnswer answer = reader.answer(words);
      for (const float right : {answer.who.front(), answer.whom.back()}) {
        result.mean += static_cast<double>(right);
        result.worst = std::min(result.worst, static_cast<double>(right));
        ++asked;
      }
    }
  }
  if (asked == 0) fail(ErrorCode::empty_input, "", "names", "be at least two different words", "fewer");
  result.mean /= asked;
  return result;
}

}  // namespace posenc
