#include "posenc/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>

#include "posenc/describe.hpp"
#include "posenc/error.hpp"
#include "posenc/seeded.hpp"

#include "kernels/kernels.hpp"

namespace posenc {
namespace {

using Words = std::span<const std::string>;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

void validate(const Spec& spec, const Layer& layer) {
  validate(spec.dims);
  validate(layer.mask);
  if (layer.head < 0 || layer.head >= spec.dims.n_heads) {
    fail(ErrorCode::out_of_range, "", "head",
         "be from 0 to " + std::to_string(spec.dims.n_heads - 1) + " (n_heads - 1)", std::to_string(layer.head));
  }
  const double offset = layer.offset;
  validate_positions(Positions({&offset, 1}, 1, 1), 1, "offset");
}

void require_words(Words words, const char* field) {
  if (words.empty()) fail(ErrorCode::empty_input, "", field, "have at least one word", "none");
}

Matrix<float> project(MatrixView<const float> x, MatrixView<const float> w) {
  Matrix<float> out(x.rows(), w.cols());
  kernels::best.multiply(x, w, out.view());
  return out;
}

/// The layer over a fixed set of stored words; each ordering is a choice of their positions.
class WordLayer {
 public:
  enum class Output { wanted, not_wanted };

  WordLayer(const Spec& spec, const Layer& layer, Words stored, Output output = Output::wanted)
      : layer_(layer),
        info_(find_encoding(spec.encoding)),
        encoding_(make(spec)),
        weights_(seeded_head(spec.dims, layer.head, layer.seed)),
        x_(seeded_embeddings(stored, spec.dims.d_model, layer.seed)) {
    Matrix<float> content = x_;
    const float scale = encoding_.input != nullptr ? encoding_.input->embedding_scale() : 1.0F;
    for (float& value : content.all()) value *= scale;
    q_ = project(content.view(), weights_.wq.view());
    k_ = project(content.view(), weights_.wk.view());
    if (output == Output::wanted) v_ = project(content.view(), weights_.wv.view());
  }

  /// @param places  place of each stored word in the sentence; the first place has position layer.offset + shift
  [[nodiscard]] HeadAttention attend_at(std::span<const int> places, double shift = 0.0) const {
    Matrix<double> positions(x_.rows(), info_.axes);
    for (int word = 0; word < positions.rows(); ++word) {
      const double position = layer_.offset + shift + places[at(word)];
      if (info_.text_positions == TextPositions::same) std::ranges::fill(positions.row(word), position);
      positions.row(word).back() = position;
    }
    validate_positions(positions.view(), info_.axes, "offset");
    HeadInput input{.q = q_.view(),
                    .k = k_.view(),
                    .v = v_.view(),
                    .q_positions = positions.view(),
                    .k_positions = positions.view(),
                    .mask = layer_.mask,
                    .mask_axis = info_.axes - 1,
                    .head = layer_.head};
    if (encoding_.input == nullptr) return attend(encoding_, input);

    Matrix<float> x = x_;
    add_rows(*encoding_.input, positions.view(), x.view());
    const Matrix<float> q = project(x.view(), weights_.wq.view());
    const Matrix<float> k = project(x.view(), weights_.wk.view());
    const Matrix<float> v = v_.rows() > 0 ? project(x.view(), weights_.wv.view()) : Matrix<float>();
    input.content_q = input.q;
    input.content_k = input.k;
    input.q = q.view();
    input.k = k.view();
    input.v = v.view();
    return attend(encoding_, input);
  }

 private:
  Layer layer_;
  const EncodingInfo& info_;
  Encoding encoding_;
  HeadWeights weights_;
  Matrix<float> x_;
  Matrix<float> q_;
  Matrix<float> k_;
  Matrix<float> v_;
};

/// out(i, j) = from(index[i], index[j]).
Matrix<float> picked(const Matrix<float>& from, std::span<const int> index) {
  const int size = static_cast<int>(index.size());
  Matrix<float> out(size, size);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) out(i, j) = from(index[at(i)], index[at(j)]);
  }
  return out;
}

HeadAttention picked(const HeadAttention& from, std::span<const int> index) {
  HeadAttention out{picked(from.weights, index), picked(from.logits, index),
                    picked(from.content, index), picked(from.position, index),
                    picked(from.bias, index),    Matrix<float>(static_cast<int>(index.size()), from.output.cols())};
  for (int i = 0; i < out.output.rows(); ++i) {
    std::ranges::copy(from.output.row(index[at(i)]), out.output.row(i).begin());
  }
  return out;
}

std::vector<int> counted(std::size_t size) {
  std::vector<int> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// One sentence in canonical storage: its words, where each stands in the sentence, and the way back.
struct Stored {
  std::vector<std::string> words;
  std::vector<int> places;
  std::vector<int> storage_of_place;

  void add(const std::string& word, int place) {
    storage_of_place[at(place)] = static_cast<int>(words.size());
    words.push_back(word);
    places.push_back(place);
  }
};

/// Words that both sentences have come first, in a's order; then the rest.
std::pair<Stored, Stored> canonical(Words a, Words b, std::span<const int> mapping) {
  Stored stored_a{{}, {}, std::vector<int>(a.size())};
  Stored stored_b{{}, {}, std::vector<int>(b.size(), -1)};
  for (int i = 0; i < static_cast<int>(a.size()); ++i) {
    if (mapping[at(i)] < 0) continue;
    stored_a.add(a[at(i)], i);
    stored_b.add(a[at(i)], mapping[at(i)]);
  }
  for (int i = 0; i < static_cast<int>(a.size()); ++i) {
    if (mapping[at(i)] < 0) stored_a.add(a[at(i)], i);
  }
  for (int i = 0; i < static_cast<int>(b.size()); ++i) {
    if (stored_b.storage_of_place[at(i)] < 0) stored_b.add(b[at(i)], i);
  }
  return {stored_a, stored_b};
}

float largest_change(const Matrix<float>& before, const Matrix<float>& after) {
  float largest = 0.0F;
  for (std::size_t i = 0; i < before.all().size(); ++i) {
    largest = std::max(largest, std::abs(after.all()[i] - before.all()[i]));
  }
  return largest;
}

/// Measures how attention by word changes when the words of one sentence move.
class Experiment {
 public:
  Experiment(const Spec& spec, const Layer& layer, Words words)
      : words_(words),
        layer_(spec, layer, words, WordLayer::Output::not_wanted),
        places_(counted(words.size())),
        before_(layer_.attend_at(places_).weights) {}

  /// Nothing is tried if the sentence reads the same afterwards.
  void rearrange(std::span<const int> places, Invariance& result) const {
    bool same = true;
    for (std::size_t word = 0; word < words_.size(); ++word) same &= words_[at(places[word])] == words_[word];
    if (same) return;
    ++result.tried;
    result.max_change = std::max(result.max_change, largest_change(before_, layer_.attend_at(places).weights));
  }

  /// Nothing is tried where the encoding has no such positions.
  void shift(double tokens, Invariance& result) const {
    if (words_.size() < 2) return;
    try {
      const float change = largest_change(before_, layer_.attend_at(places_, tokens).weights);
      ++result.tried;
      result.max_change = std::max(result.max_change, change);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::position_out_of_range) throw;
    }
  }

  [[nodiscard]] const std::vector<int>& places() const { return places_; }

 private:
  Words words_;
  WordLayer layer_;
  std::vector<int> places_;
  Matrix<float> before_;
};

std::vector<int> shuffled(std::vector<int> places, std::uint64_t key) {
  for (std::size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[random_bits(key, i) % i]);
  return places;
}

void test_shuffles(const Experiment& experiment, Invariance& result) {
  const std::vector<int>& places = experiment.places();
  const std::size_t size = places.size();
  constexpr std::size_t kMostSwaps = 8;
  const std::size_t step = std::max<std::size_t>(1, size / kMostSwaps);
  for (std::size_t i = 0; i + 1 < size; i += step) {
    std::vector<int> swapped = places;
    std::swap(swapped[i], swapped[i + 1]);
    experiment.rearrange(swapped, result);
  }
  if (size < 2) return;
  std::vector<int> moved = places;
  std::ranges::rotate(moved, moved.begin() + 1);
  experiment.rearrange(moved, result);
  for (const std::uint64_t seed : {1U, 2U}) {
    experiment.rearrange(shuffled(places, stream_key(seed, Stream::shuffles)), result);
  }
}

}  // namespace

void add_differences(Comparison& result) {
  const int size = result.a.weights.rows();
  constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
  result.b_in_a = Matrix<float>(size, size);
  result.delta = Matrix<float>(size, size);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      const int query = result.mapping[at(i)];
      const int key = result.mapping[at(j)];
      const bool both = query >= 0 && key >= 0;
      result.b_in_a(i, j) = both ? result.b.weights(query, key) : kNothing;
      result.delta(i, j) = both ? result.b_in_a(i, j) - result.a.weights(i, j) : kNothing;
      if (!both) continue;
      const float change = std::abs(result.delta(i, j));
      if (result.max_query < 0 || change > result.max_delta) {
        result.max_delta = change;
        result.max_query = i;
        result.max_key = j;
      }
    }
  }
}

HeadAttention attend_words(const Spec& spec, const Layer& layer, std::span<const std::string> words) {
  validate(spec, layer);
  require_words(words, "tokens");
  return WordLayer(spec, layer, words).attend_at(counted(words.size()));
}

std::vector<int> align_words(std::span<const std::string> a, std::span<const std::string> b) {
  std::vector<int> mapping(a.size(), -1);
  const bool mirrored = std::equal(a.begin(), a.end(), b.rbegin(), b.rend()) && !std::ranges::equal(a, b);
  if (mirrored) {
    for (std::size_t i = 0; i < a.size(); ++i) mapping[i] = static_cast<int>(a.size() - 1 - i);
    return mapping;
  }
  std::map<std::string_view, std::vector<int>> places;  // of each word in b, last one first
  for (std::size_t i = b.size(); i-- > 0;) places[b[i]].push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<int>& left = places[a[i]];
    if (left.empty()) continue;
    mapping[i] = left.back();
    left.pop_back();
  }
  return mapping;
}

Comparison compare(const Spec& spec, const Layer& layer, std::span<const std::string> a,
                   std::span<const std::string> b) {
  validate(spec, layer);
  require_words(a, "a");
  require_words(b, "b");
  Comparison result;
  result.mapping = align_words(a, b);
  const auto [stored_a, stored_b] = canonical(a, b, result.mapping);
  const WordLayer layer_a(spec, layer, stored_a.words);
  result.a = picked(layer_a.attend_at(stored_a.places), stored_a.storage_of_place);
  const bool same_words = stored_a.words == stored_b.words;
  const HeadAttention b_stored = same_words ? layer_a.attend_at(stored_b.places)
                                            : WordLayer(spec, layer, stored_b.words).attend_at(stored_b.places);
  result.b = picked(b_stored, stored_b.storage_of_place);
  add_differences(result);
  return result;
}

Invariances invariances(const Spec& spec, const Layer& layer, std::span<const std::string> words) {
  validate(spec, layer);
  require_words(words, "tokens");
  const Experiment experiment(spec, layer, words);
  Invariances result;
  std::vector<int> backwards = experiment.places();
  std::ranges::reverse(backwards);
  experiment.rearrange(backwards, result.mirror);
  test_shuffles(experiment, result.shuffle);
  experiment.rearrange(backwards, result.shuffle);
  for (const double tokens : {1.0, 7.0, 64.0}) experiment.shift(tokens, result.shift);
  return result;
}

}  // namespace posenc
