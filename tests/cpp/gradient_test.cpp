#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

// Every gradient of every encoding that learns, against central differences: loss = sum of seeded numbers times what
// the seam gives.

namespace {

constexpr Dims kDims{.d_model = 8, .n_heads = 2, .head_dim = 4};
constexpr int kTokens = 5;

/// Every encoding that learns: with its defaults, and once with every other choice and switch.
std::vector<Spec> learned_specs() {
  std::vector<Spec> specs;
  for (const EncodingInfo* info : encodings()) {
    if (!info->learned()) continue;
    const Spec plain = spec(std::string(info->id), kDims);
    specs.push_back(plain);
    for (const FieldInfo& field : info->fields) {
      Spec other = plain;
      for (const Choice& choice : field.choices) {
        other.params[std::string(field.name)] = std::string(choice.id);
        specs.push_back(other);
      }
      if (field.type != FieldType::boolean) continue;
      other.params[std::string(field.name)] = !std::get<bool>(*default_value(field));
      specs.push_back(other);
    }
  }
  return specs;
}

/// One of learned_specs(), with an encoding of its own weights, which the test may change: the seams read them there.
struct Learned {
  Spec spec = learned_specs()[GENERATE(range(std::size_t{0}, learned_specs().size()))];
  const EncodingInfo& info = find_encoding(spec.encoding);
  Encoding encoding = make(spec);

  [[nodiscard]] std::string name() const {
    std::string result = spec.encoding;
    for (const auto& [id, value] : spec.params) {
      result += " " + id + (std::holds_alternative<std::string>(value) ? " " + std::get<std::string>(value) : "");
    }
    return result;
  }
};

Matrix<double> positions_of(const EncodingInfo& info) {
  Matrix<double> at(kTokens, info.axes);
  for (int token = 0; token < kTokens; ++token) {
    for (int axis = 0; axis < info.axes; ++axis) at(token, axis) = axis == 0 ? token : token % 3;
  }
  return at;
}

double weighted_sum(const Matrix<float>& values, const Matrix<float>& factors) {
  double sum = 0.0;
  for (std::size_t i = 0; i < values.all().size(); ++i) {
    sum += static_cast<double>(values.all()[i]) * static_cast<double>(factors.all()[i]);
  }
  return sum;
}

/// Checks `gradient` of `numbers` against differences of `loss`, which reads `numbers`. At most 40 of them.
/// A wide step loses nothing to rounding, a narrow one seldom steps over a corner (ReLU, CoPE's whole positions): one
/// of them must agree.
void check_gradient(std::span<float> numbers, std::span<const float> gradient, const std::function<double()>& loss) {
  REQUIRE(numbers.size() == gradient.size());
  const std::size_t stride = std::max<std::size_t>(1, numbers.size() / 40);
  for (std::size_t i = 0; i < numbers.size(); i += stride) {
    double best = std::numeric_limits<double>::infinity();
    for (const float step : {1.0F / 64, 1.0F / 1024}) {
      const float before = numbers[i];
      numbers[i] = before + step;
      const double above = loss();
      numbers[i] = before - step;
      const double below = loss();
      numbers[i] = before;
      const double difference = (above - below) / (2.0 * static_cast<double>(step));
      UNSCOPED_INFO("number " << i << " of " << numbers.size() << ": gradient " << gradient[i] << ", difference "
                              << difference << " with step " << step);
      best =
          std::min(best, std::abs(difference - static_cast<double>(gradient[i])) / std::max(1.0, std::abs(difference)));
    }
    // Rounding of float sums divided by the step, and the third derivative times its square.
    CHECK(best <= 2e-3);
  }
}

}  // namespace

TEST_CASE("gradient: rows that are added", "[gradient]") {
  Learned learned;
  auto& [spec, info, encoding] = learned;
  if (encoding.input == nullptr) SKIP("it adds nothing");
  INFO(learned.name());
  const Matrix<double> at = positions_of(info);
  const Matrix<float> factors = random_matrix(kTokens, kDims.d_model, 11);
  std::vector<float> gradient(encoding.weights.size());
  encoding.input->collect(at.view(), factors.view(), gradient);
  check_gradient(encoding.weights, gradient, [&] {
    Matrix<float> rows(kTokens, kDims.d_model);
    encoding.input->rows(at.view(), rows.view());
    return weighted_sum(rows, factors);
  });
}

TEST_CASE("gradient: rotations", "[gradient]") {
  Learned learned;
  auto& [spec, info, encoding] = learned;
  if (encoding.rotary == nullptr) SKIP("it rotates nothing");
  INFO(learned.name());
  const Matrix<double> at = positions_of(info);
  const RotaryQuery query{.positions = at.view(), .seq_len = kTokens};
  const int rows = encoding.rotary->tables() * kTokens;
  const int pairs = encoding.rotary->rotary_dim() / 2;
  Matrix<float> cos(rows, pairs);
  Matrix<float> sin(rows, pairs);
  const Matrix<float> cos_factors = random_matrix(rows, pairs, 11);
  const Matrix<float> sin_factors = random_matrix(rows, pairs, 12);
  encoding.rotary->cos_sin(query, cos.view(), sin.view());
  Matrix<float> grad_angles(rows, pairs);
  for (std::size_t i = 0; i < grad_angles.all().size(); ++i) {
    grad_angles.all()[i] = sin_factors.all()[i] * cos.all()[i] - cos_factors.all()[i] * sin.all()[i];
  }
  std::vector<float> gradient(encoding.weights.size());
  encoding.rotary->collect(query, grad_angles.view(), gradient);
  check_gradient(encoding.weights, gradient, [&] {
    encoding.rotary->cos_sin(query, cos.view(), sin.view());
    return weighted_sum(cos, cos_factors) + weighted_sum(sin, sin_factors);
  });
}

TEST_CASE("gradient: biases", "[gradient]") {
  Learned learned;
  auto& [spec, info, encoding] = learned;
  if (encoding.bias == nullptr) SKIP("it has no bias");
  INFO(learned.name());
  const Matrix<double> at = positions_of(info);
  const Matrix<float> factors = random_matrix(kTokens, kTokens, 11);
  Matrix<float> q = random_matrix(kTokens, kDims.head_dim, 12);
  Matrix<float> logits = random_matrix(kTokens, kTokens, 13);
  const BiasQuery query{at.view(), at.view(), 1, q.view(), logits.view()};
  std::vector<float> gradient(encoding.weights.size());
  Matrix<float> grad_q(kTokens, kDims.head_dim);
  Matrix<float> grad_logits(kTokens, kTokens);
  encoding.bias->collect(query, factors.view(), {gradient, grad_q.view(), grad_logits.view()});
  const auto loss = [&] {
    Matrix<float> bias(kTokens, kTokens);
    encoding.bias->bias(query, bias.view());
    return weighted_sum(bias, factors);
  };
  check_gradient(encoding.weights, gradient, loss);
  if (!info.needs_content) return;
  check_gradient(q.all(), grad_q.all(), loss);
  check_gradient(logits.all(), grad_logits.all(), loss);
}

TEST_CASE("gradient: relative vectors", "[gradient]") {
  Learned learned;
  auto& [spec, info, encoding] = learned;
  if (encoding.relative == nullptr) SKIP("it has no relative vectors");
  INFO(learned.name());
  const Matrix<double> at = positions_of(info);
  Matrix<float> q = random_matrix(kTokens, kDims.head_dim, 12);
  Matrix<float> k = random_matrix(kTokens, kDims.head_dim, 13);
  Matrix<float> attention = random_matrix(kTokens, kTokens, 14);
  const RelativeQuery query{q.view(), k.view(), at.view(), at.view(), 1};
  const Matrix<float> factors = random_matrix(kTokens, kTokens, 11);
  std::vector<float> gradient(encoding.weights.size());
  Matrix<float> grad_q(kTokens, kDims.head_dim);
  Matrix<float> grad_k(kTokens, kDims.head_dim);
  encoding.relative->collect(query, factors.view(), {gradient, grad_q.view(), grad_k.view()});
  const auto loss = [&] {
    Matrix<float> dots(kTokens, kTokens);
    encoding.relative->add_to_dots(query, dots.view());
    return weighted_sum(dots, factors);
  };
  check_gradient(encoding.weights, gradient, loss);
  check_gradient(q.all(), grad_q.all(), loss);
  check_gradient(k.all(), grad_k.all(), loss);

  const Matrix<float> output_factors = random_matrix(kTokens, kDims.head_dim, 15);
  std::vector<float> output_gradient(encoding.weights.size());
  Matrix<float> grad_attention(kTokens, kTokens);
  encoding.relative->collect_output(query, attention.view(), output_factors.view(), grad_attention.view(),
                                    output_gradient);
  const auto output_loss = [&] {
    Matrix<float> output(kTokens, kDims.head_dim);
    encoding.relative->add_to_output(query, attention.view(), output.view());
    return weighted_sum(output, output_factors);
  };
  check_gradient(encoding.weights, output_gradient, output_loss);
  check_gradient(attention.all(), grad_attention.all(), output_loss);
}
