#include "posenc/reader.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "posenc/error.hpp"

#include "models/reader_parts.hpp"

namespace posenc {
namespace {

using models::Group;
using models::Places;
using models::ReaderModel;
using models::ReaderTrace;
using Words = std::span<const std::string>;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

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

/// A sentence with its questions, stored in some order.
struct Stored {
  Places places;
  Matrix<float> x;

  Stored(const ReaderModel& model, Words words, std::span<const int> order) {
    std::vector<std::string> stored;
    std::vector<double> positions;
    for (const int place : order) {
      stored.push_back(words[at(place)]);
      positions.push_back(place);
    }
    for (int question = 0; question < kReaderQuestions; ++question) {
      positions.push_back(static_cast<double>(words.size()) + question);
    }
    places = model.encoded().at(positions);
    const Matrix<float> vectors = model.word_vectors(stored);
    x = Matrix<float>(places.length(), vectors.cols());
    std::ranges::copy(vectors.all(), x.all().begin());
    model.add_questions(x.view());
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
HeadAttention attend_stored(const ReaderModel& model, Words words, std::vector<int> order, const ReaderHead& head) {
  check("layer", head.layer, kReaderLayers);
  check("head", head.head, kReaderDims.n_heads);
  Stored stored(model, words, order);
  ReaderTrace trace = model.trace_for_training();
  const Group group{&stored.places, 1};
  model.answer({&group, 1}, trace, stored.x.view());
  const models::HeadsTrace& heads = trace.trunk.blocks[at(head.layer)].heads;
  const int tokens = stored.places.length();
  const auto rows = [&](const models::Buffer& all) { return models::rows_of(all.view(), head.head * tokens, tokens); };
  const HeadAttention attention =
      posenc::attend(model.encoded().encoding(), {.q = rows(heads.q),
                                                  .k = rows(heads.k),
                                                  .v = rows(heads.v),
                                                  .q_positions = stored.places.positions.view(),
                                                  .k_positions = stored.places.positions.view(),
                                                  .mask = model.encoded().mask(),
                                                  .mask_axis = model.encoded().info().axes - 1,
                                                  .head = head.head});
  for (int question = 0; question < kReaderQuestions; ++question) order.push_back(static_cast<int>(order.size()));
  return in_reading_order(attention, order);
}

}  // namespace

Reader::Reader(const ReaderSetup& setup) : parts_(std::make_unique<Parts>(setup)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

ReaderAnswer Reader::answer(std::span<const std::string> words) const {
  const std::vector<int> order = by_word(words);
  Stored stored(parts_->model, words, order);
  ReaderTrace trace = parts_->model.trace_for_answer();
  const Group group{&stored.places, 1};
  const MatrixView<const float> answer = parts_->model.answer({&group, 1}, trace, stored.x.view());
  return {in_reading_order(answer.row(0), order), in_reading_order(answer.row(1), order)};
}

HeadAttention Reader::attend(std::span<const std::string> words, const ReaderHead& head) const {
  return attend_stored(parts_->model, words, by_word(words), head);
}

Comparison Reader::compare(std::span<const std::string> a, std::span<const std::string> b,
                           const ReaderHead& head) const {
  Comparison result;
  result.mapping = align_words(a, b);
  const std::vector<int> order = by_word(a);
  result.a = attend_stored(parts_->model, a, order, head);
  result.b = attend_stored(parts_->model, b, in_order_of(order, result.mapping, b), head);
  for (int question = 0; question < kReaderQuestions; ++question) {
    result.mapping.push_back(static_cast<int>(b.size()) + question);
  }
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
