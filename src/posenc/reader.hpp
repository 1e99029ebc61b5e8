#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "posenc/attention.hpp"
#include "posenc/compare.hpp"
#include "posenc/matrix_view.hpp"
#include "posenc/spec.hpp"

namespace posenc {

/// The reader: a two-layer transformer that reads a sentence and points at who did it and to whom, in English and
/// Chinese. It learns from sentences whose names and verbs are new random vectors each time, so it knows order and
/// function words and nothing else; any word can be asked about.
///
/// Where two clauses both have a who and a whom, the first one is asked.

/// Sizes of the reader.
inline constexpr Dims kReaderDims{.d_model = 32, .n_heads = 4, .head_dim = 8};
inline constexpr int kReaderLayers = 2;
/// What the reader sees of a sentence: a token that starts it, the words, and a token for each question. So word i is
/// token i + kReaderStart. Without a start, a reader that only looks back has nothing to count from.
inline constexpr int kReaderStart = 1;
inline constexpr int kReaderQuestions = 2;

/// Which reader: plain data.
struct ReaderSetup {
  /// Id and parameters. Its dims are kReaderDims whatever stands here; weights, if given, are where a learned encoding
  /// starts.
  Spec encoding = {};
  Mask mask = {};
  std::uint64_t seed = 7;  ///< of the first parameters, of the vectors of words, and of what training shows
};

/// Probability of each word, in reading order; each question sums to 1. No words: empty.
struct ReaderAnswer {
  std::vector<float> who;
  std::vector<float> whom;
};

/// One attention head of the reader.
struct ReaderHead {
  int layer = 0;
  int head = 0;
};

/// How wide the numbers of a file are.
enum class FloatWidth { half, single };

struct ReaderScores;

class Reader {
 public:
  /// An untrained reader.
  /// @throws Error  as make(); out_of_range (mask, seed)
  explicit Reader(const ReaderSetup& setup);
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  /// The reader in a safetensors file that save() made.
  /// @throws Error  wrong_type, out_of_range, shape_mismatch, not_finite (field "file", "metadata.<name>" or the name
  ///                of a tensor); as the constructor
  [[nodiscard]] static Reader load(std::span<const std::byte> file);
  /// Setup, steps and all parameters as a safetensors file: the same bytes everywhere.
  [[nodiscard]] std::vector<std::byte> save(FloatWidth width = FloatWidth::single) const;

  /// Words are stored in an order that does not depend on the sentence, each with its own position, so that what
  /// mathematics says is equal is equal to the bit: without encoding and mask, two orderings have the same answer.
  /// Any words have an answer: where nothing is done to anybody, it says which words look most like it.
  /// @param words   UTF-8, in reading order; the same bytes are the same word, function words in any case
  /// @throws Error  position_out_of_range where the encoding ends
  [[nodiscard]] ReaderAnswer answer(std::span<const std::string> words) const;

  /// Attention of one head over all tokens, in reading order: the start, the words, the two questions. An added
  /// encoding is in the words by then, so that `position` holds what rotations and relative vectors bring.
  /// @throws Error  as answer(); out_of_range (layer, head); not_finite
  [[nodiscard]] HeadAttention attend(std::span<const std::string> words, const ReaderHead& head) const;

  /// Two orderings laid over each other by word, as compare() in compare.hpp does for a seeded layer. Rows,
  /// columns and mapping are those of tokens, as in attend().
  /// @throws Error  as attend()
  [[nodiscard]] Comparison compare(std::span<const std::string> a, std::span<const std::string> b,
                                   const ReaderHead& head) const;

  [[nodiscard]] const ReaderSetup& setup() const;
  /// Steps of training behind it.
  [[nodiscard]] int steps() const;
  /// All numbers that are learned, those of the encoding among them.
  [[nodiscard]] std::span<const float> parameters() const;
  /// The encoding as training has left it; make() builds it.
  [[nodiscard]] Spec trained_encoding() const;

 private:
  friend class ReaderTraining;
  friend ReaderScores evaluate(const Reader& reader, int sentences, std::uint64_t seed);
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

struct ReaderTrainingSettings {
  int steps = 500;
  int batch = 64;  ///< sentences in a step
  double learning_rate = 6e-3;
  int warm_up = 30;  ///< steps
};

/// How a step of training went.
struct ReaderStep {
  int step = 0;           ///< steps done, this one included
  double loss = 0.0;      ///< nats for each question, before the step
  double accuracy = 0.0;  ///< of both questions, from 0 to 1
};

/// Trains a reader, step by step. The same setup and settings give the same bytes everywhere.
class ReaderTraining {
 public:
  /// @param reader  must outlive the training; may be asked between steps
  /// @throws Error  out_of_range
  explicit ReaderTraining(Reader& reader, const ReaderTrainingSettings& settings = {});
  ReaderTraining(ReaderTraining&&) noexcept;
  ReaderTraining& operator=(ReaderTraining&&) noexcept;
  ~ReaderTraining();

  /// @throws Error  position_out_of_range where the encoding ends before the sentences do
  ReaderStep step();
  [[nodiscard]] bool done() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// How often the reader is right in sentences of one kind.
struct ReaderScore {
  std::string name;
  int sentences = 0;
  double accuracy = 0.0;  ///< of both questions, from 0 to 1
  double chance = 0.0;    ///< of somebody who knows which words are no function words, and no order
};

/// Every sentence is new: names and verbs are vectors that the reader has never seen.
struct ReaderScores {
  ReaderScore trained;                ///< patterns that training shows
  ReaderScore unseen;                 ///< patterns that it does not show
  ReaderScore longer;                 ///< longer ones than it shows
  std::vector<ReaderScore> patterns;  ///< one by one
};

/// @param sentences  about as many for each of the three groups
/// @param seed       of the sentences; they differ from those of every training
/// @throws Error     out_of_range; as ReaderTraining::step()
[[nodiscard]] ReaderScores evaluate(const Reader& reader, int sentences, std::uint64_t seed);

/// How sure the reader is of the right word.
struct ReaderCertainty {
  double mean = 0.0;   ///< probability
  double worst = 0.0;  ///< the smallest one
};

/// Asks both questions about "X verb Y" for all ordered pairs of different names.
/// @throws Error  empty_input (fewer than two names); as Reader::answer()
[[nodiscard]] ReaderCertainty certainty(const Reader& reader, std::span<const std::string> names,
                                        const std::string& verb);

}  // namespace posenc
