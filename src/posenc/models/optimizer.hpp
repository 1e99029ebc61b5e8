#pragma once

#include <span>
#include <vector>

#include "models/parameters.hpp"

namespace posenc::models {

/// How the learning rate falls after the warm-up.
enum class Decline { linear, cosine };

struct Schedule {
  int steps = 500;              ///< of the whole training
  double learning_rate = 3e-3;  ///< at its highest
  int warm_up = 30;             ///< steps that it takes to get there
  Decline decline = Decline::linear;
};

/// @param step  from 0
[[nodiscard]] double learning_rate_at(const Schedule& schedule, int step);

/// AdamW with decoupled weight decay on matrices, after gradients are clipped to a norm.
class Optimizer {
 public:
  Optimizer(const Layout& layout, const Schedule& schedule);

  /// One step. Scales gradients that are longer than kLongestGradient, in place.
  void step(std::span<float> gradients, std::span<float> parameters);

  [[nodiscard]] int steps() const { return steps_; }

  static constexpr float kLongestGradient = 1.0F;
  static constexpr float kWeightDecay = 0.01F;

 private:
  /// Neighbouring slices with the same decay.
  struct Run {
    std::size_t begin;
    std::size_t size;
    Decay decay;
  };

  Schedule schedule_;
  std::vector<Run> runs_;
  std::vector<float> first_;
  std::vector<float> second_;
  int steps_ = 0;
  double power1_ = 1.0;  ///< beta1^steps
  double power2_ = 1.0;
};

}  // namespace posenc::models
