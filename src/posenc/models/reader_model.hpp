#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "posenc/matrix_view.hpp"
#include "posenc/reader.hpp"

#include "models/layers.hpp"
#include "models/reader_task.hpp"
#include "models/transformer.hpp"

namespace posenc::models {

/// Sentences of a batch side by side, sorted by length.
struct ReaderBatch {
  std::vector<Sentence> sentences;
  std::vector<Group> groups;
  std::map<int, Places> places;  ///< by number of tokens; kept from batch to batch unless the encoding learns
  Buffer x;                      ///< [token][d_model]: the words of each sentence, then the questions
};

/// Memory of a forward and a backward pass.
struct ReaderTrace {
  explicit ReaderTrace(Transformer::Trace of_trunk) : trunk(std::move(of_trunk)) {}

  Transformer::Trace trunk;
  Buffer asking;         ///< [sentence, question][d_model], the questions after the trunk
  Buffer queries;        ///< [sentence, question][d_model]
  Buffer keys;           ///< [token][d_model]
  Buffer probabilities;  ///< [sentence, question][longest sentence], words beyond its own 0
  Buffer grad_queries;
  Buffer grad_keys;
  Buffer grad_asking;
  Buffer grad_x;
};

/// The parameters of a reader, and what is computed with them.
class ReaderModel {
 public:
  explicit ReaderModel(const ReaderSetup& setup);

  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] std::span<const float> parameters() const { return parameters_; }
  [[nodiscard]] std::span<const float> encoding_weights() const {
    return trunk_.encoding_weights().flat(std::span<const float>(parameters_));
  }
  [[nodiscard]] const Encoded& encoded() const { return encoded_; }
  /// The parameters, to be changed; changed() must follow.
  [[nodiscard]] std::span<float> mutable_parameters() { return parameters_; }
  void changed();

  [[nodiscard]] ReaderTrace trace_for_training() const { return ReaderTrace(trunk_.trace_for_training()); }
  [[nodiscard]] ReaderTrace trace_for_answer() const { return ReaderTrace(trunk_.trace_for_answer()); }

  /// Vectors of words that stand in a text, [word][d_model].
  [[nodiscard]] Matrix<float> word_vectors(std::span<const std::string> words) const;
  /// Writes the vectors of the start and of the two questions around the words of a sentence.
  void add_marks(MatrixView<float> x) const;
  /// Lays sentences side by side.
  /// @param key  of the vectors of their content words
  void fill(ReaderBatch& batch, std::vector<Sentence> sentences, std::uint64_t key) const;

  /// @param groups  sentences with their start and questions
  /// @param x       in place, [token][d_model]
  /// @return        probabilities of the words, [sentence, question][longest sentence]
  MatrixView<const float> answer(std::span<const Group> groups, ReaderTrace& trace, MatrixView<float> x) const;

  /// Backward of the mean of -ln(probability of the right word) over a batch that answer() has seen.
  void backward(const ReaderBatch& batch, ReaderTrace& trace, std::span<float> gradients) const;

 private:
  /// Places of the tokens of a sentence in reading order.
  const Places& places_of(ReaderBatch& batch, const Sentence& sentence) const;

  ReaderSetup setup_;
  Encoded encoded_;
  Layout layout_;
  Slice embedding_;  ///< [function word, then start and questions][d_model]
  Transformer trunk_;
  Linear queries_;
  Linear keys_;
  std::vector<float> parameters_;
};

}  // namespace posenc::models
