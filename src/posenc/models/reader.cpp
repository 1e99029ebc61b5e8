#include "posenc/reader.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "posenc/error.hpp"
#include "posenc/seeded.hpp"

#include "models/reader_parts.hpp"

namespace posenc {
namespace {

using models::Group;
using models::Places;
using models::ReaderModel;
using models::ReaderTrace;
using Words = std::span<const std::string>;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Function words as function_words() has them, so that "The" and "the" are the same word.
std::vector<std::string> in_one_spelling(Words words) {
  std::vector<std::string> result(words.begin(), words.end());
  for (std::string& word : result) {
    const int index = models::find_function_word(word);
    if (index >= 0) word = models::function_words()[at(index)];
  }
  return result;
}

/// The places of a sentence in an order that depends on the words alone; a word that comes again, by its place.
std::vector<int> by_word(Words words) {
  std::vector<int> order(words.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int place) -> const std::string& { return words[at(place)]; });
  return order;
}

/// Places of `b` in the order of those of `a`, as far as they have partners; then the rest.
std::vector<int> in_order_of(std::span<const int> order_a, std::span<const int> mapping, Words b) {
  std::vector<int> order;
  for (const int place : order_a) {
    if (mapping[at(place)] >= 0) order.push_back(mapping[at(place)]);
  }
  for (const int place : by_word(b)) {
    if (std::ranges::find(mapping, place) == mapping.end()) order.push_back(place);
  }
  return order;
}

/// Tokens for places of words: the start, a token for each place (-1 stays), the questions of a sentence of n_words.
std::vector<int> tokens_at(std::span<const int> places, std::size_t n_words) {
  std::vector<int> tokens{0};
  for (const int place : places) tokens.push_back(place < 0 ? place : kReaderStart + place);
  for (int question = 0; question < kReaderQuestions; ++question) {
    tokens.push_back(kReaderStart + static_cast<int>(n_words) + question);
  }
  return tokens;
}

/// A sentence with its start and questions, its words stored in some order.
struct Stored {
  Places places;
  Matrix<float> x;

  Stored(const ReaderModel& model, Words words, std::span<const int> order) {
    std::vector<std::string> stored;
    for (const int place : order) stored.push_back(words[at(place)]);
    const std::vector<int> tokens = tokens_at(order, words.size());
    places = model.encoded().at(std::vector<double>(tokens.begin(), tokens.end()));
    const Matrix<float> vectors = model.word_vectors(stored);
    x = Matrix<float>(places.length(), vectors.cols());
    std::ranges::copy(vectors.all(), x.view().slice(kReaderStart, vectors.rows()).all().begin());
    model.add_marks(x.view());
  }
};

std::vector<float> in_reading_order(std::span<const float> stored, std::span<const int> order) {
  std::vector<float> result(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) result[at(order[i])] = stored[i];
  return result;
}

Matrix<float> in_reading_order(const Matrix<float>& stored, std::span<const int> order) {
  Matrix<float> result(stored.rows(), stored.cols());
  for (int i = 0; i < stored.rows(); ++i) {
    for (int j = 0; j < stored.cols(); ++j) result(order[at(i)], order[at(j)]) = stored(i, j);
  }
  return result;
}

HeadAttention in_reading_order(const HeadAttention& stored, std::span<const int> order) {
  HeadAttention result{
      in_reading_order(stored.weights, order), in_reading_order(stored.logits, order),
      in_reading_order(stored.content, order), in_reading_order(stored.position, order),
      in_reading_order(stored.bias, order),    Matrix<float>(stored.output.rows(), stored.output.cols())};
  for (int i = 0; i < stored.output.rows(); ++i) {
    std::ranges::copy(stored.output.row(i), result.output.row(order[at(i)]).begin());
  }
  return result;
}

void check(const char* field, int value, int count) {
  if (value >= 0 && value < count) return;
  fail(ErrorCode::out_of_range, "", field, "be from 0 to " + std::to_string(count - 1), std::to_string(value));
}

/// Attention of one head, its tokens stored in `order` and given back in reading order.
HeadAttention attend_stored(const ReaderModel& model, Words words, std::span<const int> order, const ReaderHead& head) {
  check("layer", head.layer, kReaderLayers);
  check("head", head.head, kReaderDims.n_heads);
  Stored stored(model, words, order);
  ReaderTrace trace = model.trace_for_training();
  const Group group{&stored.places, 1};
  model.answer({&group, 1}, trace, stored.x.view());
  const models::HeadsTrace& heads = trace.trunk.blocks[at(head.layer)].heads;
  const int tokens = stored.places.length();
  const auto rows = [&](const models::Buffer& all) { return all.view().slice(head.head * tokens, tokens); };
  const HeadAttention attention =
      posenc::attend(model.encoded().encoding(), {.q = rows(heads.q),
                                                  .k = rows(heads.k),
                                                  .v = rows(heads.v),
                                                  .q_positions = stored.places.positions.view(),
                                                  .k_positions = stored.places.positions.view(),
                                                  .mask = model.encoded().mask(),
                                                  .mask_axis = model.encoded().info().axes - 1,
                                                  .head = head.head});
  return in_reading_order(attention, tokens_at(order, words.size()));
}

}  // namespace

Reader::Reader(const ReaderSetup& setup) {
  if (static_cast<double>(setup.seed) > kMaxSeed) {
    fail(ErrorCode::out_of_range, "", "seed", "be at most " + to_text(kMaxSeed), std::to_string(setup.seed));
  }
  parts_ = std::make_unique<Parts>(setup);
}

Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

ReaderAnswer Reader::answer(std::span<const std::string> as_written) const {
  const std::vector<std::string> words = in_one_spelling(as_written);
  const std::vector<int> order = by_word(words);
  Stored stored(parts_->model, words, order);
  ReaderTrace trace = parts_->model.trace_for_answer();
  const Group group{&stored.places, 1};
  const MatrixView<const float> answer = parts_->model.answer({&group, 1}, trace, stored.x.view());
  return {in_reading_order(answer.row(0), order), in_reading_order(answer.row(1), order)};
}

HeadAttention Reader::attend(std::span<const std::string> as_written, const ReaderHead& head) const {
  const std::vector<std::string> words = in_one_spelling(as_written);
  return attend_stored(parts_->model, words, by_word(words), head);
}

Comparison Reader::compare(std::span<const std::string> a_as_written, std::span<const std::string> b_as_written,
                           const ReaderHead& head) const {
  const std::vector<std::string> a = in_one_spelling(a_as_written);
  const std::vector<std::string> b = in_one_spelling(b_as_written);
  Comparison result;
  const std::vector<int> partners = align_words(a, b);
  const std::vector<int> order = by_word(a);
  result.a = attend_stored(parts_->model, a, order, head);
  result.b = attend_stored(parts_->model, b, in_order_of(order, partners, b), head);
  result.mapping = tokens_at(partners, b.size());
  add_differences(result);
  return result;
}

const ReaderSetup& Reader::setup() const { return parts_->setup; }
int Reader::steps() const { return parts_->steps; }
std::span<const float> Reader::parameters() const { return std::as_const(parts_->model).parameters(); }

Spec Reader::trained_encoding() const {
  Spec spec = parts_->setup.encoding;
  spec.dims = kReaderDims;
  spec.weights = parts_->model.encoded().encoding().weights;
  return spec;
}

}  // namespace posenc
