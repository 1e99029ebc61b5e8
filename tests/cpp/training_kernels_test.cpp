#include "kernels/training.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "twins.hpp"

using namespace posenc;
using kernels::TrainingKernels;
using test::kLanes;
using test::Numbers;

namespace {

const double kEpsilon = std::ldexp(1.0, -24);  // half a unit in the last place of 1

template <class F>
void check_twins(std::size_t size, F f) {
  test::check_twins(kernels::training_scalar, kernels::training_simd, size, f);
}

std::size_t any_size() { return GENERATE(range(std::size_t{0}, 2 * kLanes + 4)); }

/// Part `index` of numbers that are so many arrays of one size.
std::span<float> part(std::span<float> numbers, std::size_t size, std::size_t index) {
  return numbers.subspan(index * size, size);
}

std::vector<double> doubles(std::span<const float> numbers) { return {numbers.begin(), numbers.end()}; }

double largest(std::span<const float> numbers) {
  double result = 0.0;
  for (const float number : numbers) result = std::max(result, std::abs(static_cast<double>(number)));
  return result;
}

double gelu(double x) {
  return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

/// (x - mean) / sqrt(variance + epsilon)
std::vector<double> normed_of(std::vector<double> x, double epsilon) {
  const auto size = static_cast<double>(x.size());
  double mean = 0.0;
  for (const double value : x) mean += value / size;
  double variance = 0.0;
  for (const double value : x) variance += (value - mean) * (value - mean) / size;
  for (double& value : x) value = (value - mean) / std::sqrt(variance + epsilon);
  return x;
}

}  // namespace

TEST_CASE("gelu and its backward: the twins agree to the bit", "[kernel]") {
  const std::size_t size = any_size();
  const float scale = GENERATE(1.0F, 30.0F);
  check_twins(3 * size, [&](const TrainingKernels& k, std::span<float> numbers) {
    const std::span<float> x = part(numbers, size, 0);
    for (float& value : x) value *= scale;
    k.gelu(x, part(numbers, size, 1));
    k.gelu_backward(x, part(numbers, size, 2));
  });
}

TEST_CASE("layer_norm and its backward: the twins agree to the bit", "[kernel]") {
  const std::size_t size = any_size();
  check_twins(9 * size + 1, [&](const TrainingKernels& k, std::span<float> all) {
    const auto at = [&](std::size_t index) { return part(all, size, index); };
    const float scale = k.layer_norm(at(0), at(1), at(2), 1e-5F, at(3), at(4));
    k.layer_norm_backward(at(5), at(3), scale, at(1), at(6), at(7), at(8));
    all.back() = scale;
  });
}

TEST_CASE("softmax_backward: the twins agree to the bit", "[kernel]") {
  const std::size_t size = any_size();
  check_twins(2 * size, [&](const TrainingKernels& k, std::span<float> numbers) {
    k.softmax_backward(part(numbers, size, 0), part(numbers, size, 1));
  });
}

TEST_CASE("adamw: the twins agree to the bit", "[kernel]") {
  const std::size_t size = any_size();
  check_twins(4 * size, [&](const TrainingKernels& k, std::span<float> numbers) {
    for (float& square : part(numbers, size, 2)) square *= square;
    k.adamw({.learning_rate = 0.01F, .weight_decay = 0.1F, .correction1 = 0.19F, .correction2 = 0.002F},
            part(numbers, size, 0), part(numbers, size, 1), part(numbers, size, 2), part(numbers, size, 3));
  });
}

TEST_CASE("gelu and its backward: within the bounds of the header", "[kernel]") {
  for (int i = -2000; i <= 2000; ++i) {
    const std::vector<float> x{static_cast<float>(i) * 0.01F};
    const auto exact_x = static_cast<double>(x[0]);
    std::vector<float> out(1);
    std::vector<float> grad{3.0F};
    kernels::training.gelu(x, out);
    kernels::training.gelu_backward(x, grad);
    constexpr double kStep = 1e-5;  // its square and the rounding of double divided by it are both below 1e-9
    const double slope = (gelu(exact_x + kStep) - gelu(exact_x - kStep)) / (2.0 * kStep);
    INFO("x " << x[0]);
    REQUIRE(std::abs(static_cast<double>(out[0]) - gelu(exact_x)) <= 4e-7 * std::abs(exact_x));
    REQUIRE(std::abs(static_cast<double>(grad[0]) - 3.0 * slope) <= 3.0 * 3e-6);
  }
}

TEST_CASE("layer_norm: within the bound of the header", "[kernel]") {
  constexpr float kSmall = 1e-5F;
  for (const std::size_t size : {1U, 5U, 64U, 300U}) {
    Numbers numbers(3 * size, 0, 5);
    const std::span<float> x = part(numbers.all(), size, 0);
    const std::span<float> gain = part(numbers.all(), size, 1);
    const std::span<float> bias = part(numbers.all(), size, 2);
    for (float& value : x) value += 2.0F;
    std::vector<float> normed(size);
    std::vector<float> out(size);
    const auto scale = static_cast<double>(kernels::training.layer_norm(x, gain, bias, kSmall, normed, out));
    const std::vector<double> exact = normed_of(doubles(x), static_cast<double>(kSmall));
    const double bound = (static_cast<double>(size) + 32.0) * kEpsilon * largest(x) * scale;
    for (std::size_t i = 0; i < size; ++i) {
      INFO("size " << size << ", index " << i);
      CHECK(std::abs(static_cast<double>(normed[i]) - exact[i]) <= bound);
      CHECK(out[i] == normed[i] * gain[i] + bias[i]);
    }
  }
}

TEST_CASE("layer_norm_backward: the gradients are those of layer_norm, within the bound of the header", "[kernel]") {
  constexpr float kSmall = 1e-5F;
  for (const std::size_t size : {1U, 3U, 16U, 130U}) {
    Numbers numbers(4 * size, 0, 6);
    const auto at = [&](std::size_t index) { return part(numbers.all(), size, index); };
    const std::span<float> grad_out = at(3);
    std::vector<float> normed(size);
    std::vector<float> out(size);
    const float scale = kernels::training.layer_norm(at(0), at(1), at(2), kSmall, normed, out);
    std::vector<float> grad_x(size, 0.5F);
    std::vector<float> grad_gain(size, 0.5F);
    std::vector<float> grad_bias(size, 0.5F);
    kernels::training.layer_norm_backward(grad_out, normed, scale, at(1), grad_x, grad_gain, grad_bias);
    const auto loss = [&](const std::vector<double>& x) {
      const std::vector<double> y = normed_of(x, static_cast<double>(kSmall));
      double sum = 0.0;
      for (std::size_t i = 0; i < size; ++i) {
        sum += static_cast<double>(grad_out[i]) * static_cast<double>(at(1)[i]) * y[i];
      }
      return sum;
    };
    double g = 0.0;
    for (std::size_t i = 0; i < size; ++i) g = std::max(g, std::abs(static_cast<double>(grad_out[i] * at(1)[i])));
    const double n = largest(normed);
    // Beside the bound: normed itself is only as good as layer_norm makes it, and the difference quotient errs by 1e-7.
    const double bound = (static_cast<double>(size) + 48.0) * kEpsilon * static_cast<double>(scale) * g *
                             (1.0 + n * n) * (1.0 + largest(at(0)) * static_cast<double>(scale)) +
                         1e-7 + kEpsilon;
    for (std::size_t i = 0; i < size; ++i) {
      constexpr double kStep = 1e-5;
      std::vector<double> more = doubles(at(0));
      std::vector<double> less = more;
      more[i] += kStep;
      less[i] -= kStep;
      INFO("size " << size << ", index " << i);
      CHECK(std::abs(static_cast<double>(grad_x[i]) - 0.5 - (loss(more) - loss(less)) / (2.0 * kStep)) <= bound);
      CHECK(grad_gain[i] == 0.5F + grad_out[i] * normed[i]);
      CHECK(grad_bias[i] == 0.5F + grad_out[i]);
    }
  }
}

TEST_CASE("softmax_backward: within the bound of the header", "[kernel]") {
  for (const std::size_t size : {1U, 7U, 64U, 513U}) {
    Numbers numbers(2 * size, 0, 7);
    const std::span<float> weights = part(numbers.all(), size, 0);
    const std::span<float> grad = part(numbers.all(), size, 1);
    for (float& weight : weights) weight = std::abs(weight) / static_cast<float>(size);
    const std::vector<double> before = doubles(grad);
    double sum = 0.0;
    double magnitude = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      sum += static_cast<double>(weights[i]) * before[i];
      magnitude += std::abs(static_cast<double>(weights[i]) * before[i]);
    }
    kernels::training.softmax_backward(weights, grad);
    for (std::size_t i = 0; i < size; ++i) {
      const auto weight = static_cast<double>(weights[i]);
      const double bound =
          (static_cast<double>(size) / 4.0 + 8.0) * kEpsilon * weight * (std::abs(before[i]) + magnitude);
      INFO("size " << size << ", index " << i);
      CHECK(std::abs(static_cast<double>(grad[i]) - weight * (before[i] - sum)) <= bound);
    }
  }
}

TEST_CASE("adamw: within the bound of the header over many steps, each from the same state", "[kernel]") {
  constexpr double kRate = 0.01;
  constexpr double kDecay = 0.1;
  std::vector<float> first(5);
  std::vector<float> second(5);
  std::vector<float> x{1.0F, -2.0F, 0.0F, 0.5F, 3.0F};
  for (int t = 1; t <= 20; ++t) {
    Numbers grad(x.size(), 0, static_cast<std::uint64_t>(t));
    const kernels::AdamStep step{.learning_rate = static_cast<float>(kRate),
                                 .weight_decay = static_cast<float>(kDecay),
                                 .correction1 = static_cast<float>(1.0 - std::pow(0.9, t)),
                                 .correction2 = static_cast<float>(1.0 - std::pow(0.999, t))};
    const std::vector<double> m = doubles(first);
    const std::vector<double> v = doubles(second);
    const std::vector<double> before = doubles(x);
    kernels::training.adamw(step, grad.all(), first, second, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto g = static_cast<double>(grad.all()[i]);
      const double mean = 0.9 * m[i] + 0.1 * g;
      const double square = 0.999 * v[i] + 0.001 * g * g;
      const double size = std::sqrt(square / (1.0 - std::pow(0.999, t))) + 1e-8;
      const double correction = 1.0 - std::pow(0.9, t);
      const double moved = before[i] - kRate * (mean / correction / size + kDecay * before[i]);
      const double terms =
          std::abs(before[i]) +
          kRate * ((0.9 * std::abs(m[i]) + 0.1 * std::abs(g)) / correction / size + kDecay * std::abs(before[i]));
      // The constants 0.9, 0.999 and what follows from them are rounded to float: (1 - beta2) errs by 1.7e-5.
      INFO("step " << t << ", index " << i);
      CHECK(std::abs(static_cast<double>(first[i]) - mean) <= 16.0 * kEpsilon * (std::abs(m[i]) + std::abs(g)));
      CHECK(std::abs(static_cast<double>(second[i]) - square) <= 16.0 * kEpsilon * v[i] + 2e-5 * 0.001 * g * g);
      CHECK(std::abs(static_cast<double>(x[i]) - moved) <= 16.0 * kEpsilon * terms + 2e-5 * kRate);
    }
  }
}
