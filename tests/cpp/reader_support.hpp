#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "support.hpp"

#include "models/reader_model.hpp"
#include "models/reader_task.hpp"

/// What tests of the models share.
namespace posenc::test {

constexpr std::array kBothMasks{Mask::Kind::none, Mask::Kind::causal};

/// The reader with an encoding; a picture's window is made wide enough for a sentence.
inline ReaderSetup reader_setup(std::string_view encoding, Mask::Kind mask) {
  ReaderSetup setup{.encoding = spec(std::string(encoding), kReaderDims), .mask = {.kind = mask}};
  for (const FieldInfo& field : find_encoding(encoding).fields) {
    if (field.name == "window_width") setup.encoding.params["window_width"] = 64.0;
  }
  return setup;
}

/// Sentences as training shows them.
inline std::vector<models::Sentence> some_sentences(int count, std::uint64_t seed) {
  models::Random random(seed);
  std::vector<models::Sentence> sentences;
  for (int i = 0; i < count; ++i) {
    sentences.push_back(models::make_sentence(models::choose_pattern(models::Use::training, random), random));
  }
  return sentences;
}

/// Mean of -ln(probability of the right word), in double.
inline double loss_of(const models::ReaderBatch& batch, MatrixView<const float> probabilities) {
  double sum = 0.0;
  for (int row = 0; row < probabilities.rows(); ++row) {
    const models::Sentence& sentence = batch.sentences[static_cast<std::size_t>(row / kReaderQuestions)];
    sum -= std::log(static_cast<double>(probabilities(row, row % 2 == 0 ? sentence.who : sentence.whom)));
  }
  return sum / probabilities.rows();
}

}  // namespace posenc::test
