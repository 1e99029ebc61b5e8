#include "models/optimizer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "kernels/kernels.hpp"
#include "kernels/training.hpp"

namespace posenc::models {
namespace {

double cosine(double angle) {
  const std::array frequency{1.0};
  std::array<double, 1> sin{};
  std::array<double, 1> cos{};
  kernels::best.sin_cos(angle, frequency, sin, cos);
  return cos[0];
}

void clip(std::span<float> gradients) {
  const float length = std::sqrt(kernels::best.dot(gradients, gradients));
  if (!(length > Optimizer::kLongestGradient)) return;
  const float factor = Optimizer::kLongestGradient / length;
  for (float& value : gradients) value *= factor;
}

}  // namespace

double learning_rate_at(const Schedule& schedule, int step) {
  const double warm = schedule.warm_up > 0 ? std::min(1.0, (step + 1.0) / schedule.warm_up) : 1.0;
  const double done = std::min(1.0, static_cast<double>(step) / schedule.steps);
  const double left = schedule.decline == Decline::linear ? 1.0 - done : 0.5 * (1.0 + cosine(std::numbers::pi * done));
  return schedule.learning_rate * warm * left;
}

Optimizer::Optimizer(const Layout& layout, const Schedule& schedule)
    : schedule_(schedule), first_(layout.size()), second_(layout.size()) {
  for (const NamedSlice& named : layout.slices()) {
    if (runs_.empty() || runs_.back().decay != named.decay) runs_.push_back({named.slice.begin, 0, named.decay});
    runs_.back().size += named.slice.size();
  }
}

void Optimizer::step(std::span<float> gradients, std::span<float> parameters) {
  clip(gradients);
  kernels::AdamStep adam;
  power1_ *= static_cast<double>(adam.beta1);
  power2_ *= static_cast<double>(adam.beta2);
  adam.learning_rate = static_cast<float>(learning_rate_at(schedule_, steps_++));
  adam.correction1 = static_cast<float>(1.0 - power1_);
  adam.correction2 = static_cast<float>(1.0 - power2_);
  for (const Run& run : runs_) {
    adam.weight_decay = run.decay == Decay::yes ? kWeightDecay : 0.0F;
    kernels::training.adamw(adam, gradients.subspan(run.begin, run.size),
                            std::span(first_).subspan(run.begin, run.size),
                            std::span(second_).subspan(run.begin, run.size), parameters.subspan(run.begin, run.size));
  }
}

}  // namespace posenc::models
