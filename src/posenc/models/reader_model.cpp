#include "models/reader_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "posenc/seeded.hpp"

#include "kernels/kernels.hpp"
#include "kernels/training.hpp"

namespace posenc::models {
namespace {

constexpr int kWidth = kReaderDims.d_model;
constexpr int kFeedForward = 128;
/// Standard deviation of the channels of a word. Small beside what the blocks add and beside an added encoding: where a
/// word stands and what stands around it must not drown in who it is.
constexpr double kWordSize = 0.1;
constexpr int kMarks = kReaderStart + kReaderQuestions;

Spec sized(Spec spec) {
  spec.dims = kReaderDims;
  return spec;
}

int function_count() { return static_cast<int>(function_words().size()); }

float scale_of_pointer() { return 1.0F / std::sqrt(static_cast<float>(kWidth)); }

/// Calls f(sentence, token of the first word, words) for each sentence of the groups.
template <class F>
void for_each_sentence(std::span<const Group> groups, F f) {
  int sentence = 0;
  int token = 0;
  for (const Group& group : groups) {
    for (int i = 0; i < group.count; ++i) {
      f(sentence++, token + kReaderStart, group.places->length() - kMarks);
      token += group.places->length();
    }
  }
}

int count_of(std::span<const Group> groups) {
  int count = 0;
  for (const Group& group : groups) count += group.count;
  return count;
}

int longest_of(std::span<const Group> groups) {
  int longest = 0;
  for (const Group& group : groups) longest = std::max(longest, group.places->length() - kMarks);
  return longest;
}

}  // namespace

ReaderModel::ReaderModel(const ReaderSetup& setup)
    : setup_(setup),
      encoded_(sized(setup.encoding), setup.mask),
      embedding_(layout_.add_matrix("embedding.weight", function_count() + kMarks, kWidth, Decay::no)),
      trunk_({.dims = kReaderDims, .n_layers = kReaderLayers, .d_ff = kFeedForward}, encoded_, layout_),
      queries_(add_linear(layout_, "pointer.query", kWidth, kWidth)),
      keys_(add_linear(layout_, "pointer.key", kWidth, kWidth)),
      parameters_(layout_.size()) {
  const std::uint64_t key = stream_key(setup.seed, Stream::parameters);
  const std::span<float> parameters = parameters_;
  fill_normal(key, kWordSize, embedding_.flat(parameters), embedding_.begin);
  trunk_.seed(key, encoded_, parameters);
  seed(queries_, key, 1.0, parameters);
  seed(keys_, key, 1.0, parameters);
}

void ReaderModel::changed() { encoded_.read(encoding_weights()); }

const Places& ReaderModel::places_of(ReaderBatch& batch, const Sentence& sentence) const {
  const auto tokens = static_cast<int>(sentence.words.size()) + kMarks;
  const auto found = batch.places.find(tokens);
  if (found != batch.places.end()) return found->second;
  std::vector<double> positions(static_cast<std::size_t>(tokens));
  std::iota(positions.begin(), positions.end(), 0.0);
  return batch.places.emplace(tokens, encoded_.at(positions)).first->second;
}

Matrix<float> ReaderModel::word_vectors(std::span<const std::string> words) const {
  Matrix<float> vectors = seeded_embeddings(words, kWidth, setup_.seed);
  for (float& value : vectors.all()) value *= static_cast<float>(kWordSize);
  const MatrixView<const float> known = embedding_.of(parameters());
  for (int word = 0; word < vectors.rows(); ++word) {
    const int index = find_function_word(words[static_cast<std::size_t>(word)]);
    if (index >= 0) std::ranges::copy(known.row(index), vectors.row(word).begin());
  }
  return vectors;
}

void ReaderModel::add_marks(MatrixView<float> x) const {
  const MatrixView<const float> marks = embedding_.of(parameters()).slice(function_count(), kMarks);
  std::ranges::copy(marks.row(0), x.row(0).begin());
  std::ranges::copy(marks.slice(kReaderStart, kReaderQuestions).all(),
                    x.slice(x.rows() - kReaderQuestions, kReaderQuestions).all().begin());
}

void ReaderModel::fill(ReaderBatch& batch, std::vector<Sentence> sentences, std::uint64_t key) const {
  if (!encoding_weights().empty()) batch.places.clear();
  std::ranges::stable_sort(sentences, {}, [](const Sentence& sentence) { return sentence.words.size(); });
  batch.sentences = std::move(sentences);
  batch.groups.clear();
  for (const Sentence& sentence : batch.sentences) {
    const Places& places = places_of(batch, sentence);
    if (batch.groups.empty() || batch.groups.back().places != &places) batch.groups.push_back({&places, 0});
    ++batch.groups.back().count;
  }
  const MatrixView<float> x = batch.x.shaped(tokens_of(batch.groups), kWidth);
  std::uint64_t content_words = 0;
  for_each_sentence(batch.groups, [&](int index, int token, int words) {
    const Sentence& sentence = batch.sentences[static_cast<std::size_t>(index)];
    for (int place = 0; place < words; ++place) {
      const int word = sentence.words[static_cast<std::size_t>(place)];
      const std::span<float> row = x.row(token + place);
      if (word >= 0) {
        std::ranges::copy(embedding_.of(parameters()).row(word), row.begin());
      } else {
        fill_normal(key, kWordSize, row, content_words++ * static_cast<std::uint64_t>(kWidth));
      }
    }
    add_marks(x.slice(token - kReaderStart, words + kMarks));
  });
}

MatrixView<const float> ReaderModel::answer(std::span<const Group> groups, ReaderTrace& trace,
                                            MatrixView<float> x) const {
  trunk_.forward(parameters_, encoded_, groups, trace.trunk, x);
  const int questions = kReaderQuestions * count_of(groups);
  const MatrixView<float> asking = trace.asking.shaped(questions, kWidth);
  for_each_sentence(groups, [&](int sentence, int token, int words) {
    std::ranges::copy(x.slice(token + words, kReaderQuestions).all(),
                      asking.slice(kReaderQuestions * sentence, kReaderQuestions).all().begin());
  });
  const MatrixView<float> queries = trace.queries.shaped(questions, kWidth);
  const MatrixView<float> keys = trace.keys.shaped(x.rows(), kWidth);
  models::forward(queries_, parameters_, asking, queries);
  models::forward(keys_, parameters_, x, keys);

  const MatrixView<float> probabilities = trace.probabilities.zeros(questions, longest_of(groups));
  for_each_sentence(groups, [&](int sentence, int token, int words) {
    for (int question = 0; question < kReaderQuestions; ++question) {
      const int row = kReaderQuestions * sentence + question;
      const std::span<float> of_words = probabilities.row(row).first(static_cast<std::size_t>(words));
      for (int word = 0; word < words; ++word) {
        of_words[static_cast<std::size_t>(word)] =
            scale_of_pointer() * kernels::best.dot(queries.row(row), keys.row(token + word));
      }
      kernels::best.softmax(of_words);
    }
  });
  return probabilities;
}

void ReaderModel::backward(const ReaderBatch& batch, ReaderTrace& trace, std::span<float> gradients) const {
  const MatrixView<const float> queries = std::as_const(trace.queries).view();
  const MatrixView<const float> keys = std::as_const(trace.keys).view();
  const MatrixView<const float> x = batch.x.view();
  const MatrixView<float> grad_queries = trace.grad_queries.zeros(queries.rows(), kWidth);
  const MatrixView<float> grad_keys = trace.grad_keys.zeros(keys.rows(), kWidth);
  const float share = scale_of_pointer() / static_cast<float>(queries.rows());
  for_each_sentence(batch.groups, [&](int index, int token, int words) {
    const Sentence& sentence = batch.sentences[static_cast<std::size_t>(index)];
    for (int question = 0; question < kReaderQuestions; ++question) {
      const int row = kReaderQuestions * index + question;
      const int right = question == 0 ? sentence.who : sentence.whom;
      for (int word = 0; word < words; ++word) {
        const float grad = (trace.probabilities.view()(row, word) - (word == right ? 1.0F : 0.0F)) * share;
        kernels::best.add_scaled(grad, keys.row(token + word), grad_queries.row(row));
        kernels::best.add_scaled(grad, queries.row(row), grad_keys.row(token + word));
      }
    }
  });

  const MatrixView<float> grad_x = trace.grad_x.shaped(x.rows(), kWidth);
  const MatrixView<float> grad_asking = trace.grad_asking.shaped(queries.rows(), kWidth);
  models::backward(keys_, parameters_, x, grad_keys, grad_x, gradients);
  models::backward(queries_, parameters_, std::as_const(trace.asking).view(), grad_queries, grad_asking, gradients);
  for_each_sentence(batch.groups, [&](int index, int token, int words) {
    add(grad_asking.slice(kReaderQuestions * index, kReaderQuestions).all(),
        grad_x.slice(token + words, kReaderQuestions).all());
  });
  trunk_.backward(parameters_, encoded_, batch.groups, trace.trunk, grad_x, gradients);

  const MatrixView<float> grad_embedding = embedding_.of(gradients);
  for_each_sentence(batch.groups, [&](int index, int token, int words) {
    const Sentence& sentence = batch.sentences[static_cast<std::size_t>(index)];
    for (int place = 0; place < words; ++place) {
      const int word = sentence.words[static_cast<std::size_t>(place)];
      if (word >= 0) add(grad_x.row(token + place), grad_embedding.row(word));
    }
    add(grad_x.row(token - kReaderStart), grad_embedding.row(function_count()));
    for (int question = 0; question < kReaderQuestions; ++question) {
      add(grad_x.row(token + words + question), grad_embedding.row(function_count() + kReaderStart + question));
    }
  });
}

}  // namespace posenc::models
