#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "posenc/attention.hpp"
#include "posenc/spec.hpp"

namespace posenc {

/// Which language model: plain data.
struct LanguageModelSetup {
  Spec encoding = {};  ///< its dims are those of the model
  Mask mask = {.kind = Mask::Kind::causal};
  int vocabulary = 128;  ///< different tokens
  int n_layers = 2;
  int d_ff = 256;
  std::uint64_t seed = 7;  ///< of the first parameters

  int steps = 300;  ///< of the whole training
  double learning_rate = 3e-3;
  int warm_up = 50;  ///< steps
};

/// A small transformer that learns to say the next token, with any encoding.
class LanguageModel {
 public:
  /// @throws Error  as make(); out_of_range
  explicit LanguageModel(const LanguageModelSetup& setup);
  LanguageModel(LanguageModel&&) noexcept;
  LanguageModel& operator=(LanguageModel&&) noexcept;
  ~LanguageModel();

  /// One step of training on sequences of one length.
  /// @param inputs   [sequence][seq_len], tokens from 0 to vocabulary - 1
  /// @param targets  likewise: what follows each token
  /// @return         the mean loss before the step, nats for each token
  /// @throws Error   shape_mismatch, out_of_range; position_out_of_range where the encoding ends
  double step(std::span<const int> inputs, std::span<const int> targets, int seq_len);

  /// All numbers that are learned.
  [[nodiscard]] std::span<const float> parameters() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace posenc
