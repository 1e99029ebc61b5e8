#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "posenc/language_model.hpp"

#include "double_reader.hpp"
#include "models/optimizer.hpp"
#include "reader_support.hpp"

using namespace posenc;
using namespace posenc::models;
using namespace posenc::test;

// The trunk under every encoding: gradients against differences, batches against single sentences, the optimiser
// against its formula, and that it learns.

namespace {

const EncodingInfo& any_encoding() { return *encodings()[GENERATE(range(std::size_t{0}, encodings().size()))]; }

Mask::Kind any_mask() { return GENERATE(from_range(kBothMasks)); }

/// A reader, a few sentences, the gradient of their loss, and the same loss in double.
class Example {
 public:
  explicit Example(const ReaderSetup& setup)
      : model_(setup), trace_(model_.trace_for_training()), batch_(batch_of(model_)), reference_(model_, batch_) {
    loss_ = loss_of(batch_, model_.answer(batch_.groups, trace_, batch_.x.view()));
    gradient_.resize(model_.layout().size());
    model_.backward(batch_, trace_, gradient_);
  }

  [[nodiscard]] double loss() const { return loss_; }
  [[nodiscard]] const DoubleReader& reference() const { return reference_; }
  [[nodiscard]] std::span<const NamedSlice> slices() const { return model_.layout().slices(); }
  [[nodiscard]] std::span<float> gradient() { return gradient_; }

  /// How far the gradient of a slice is from differences of the loss, as a part of it: along the gradient, and along a
  /// half of its numbers. Where numbers pass through float or by corners (ReLU in FIRE, whole positions in
  /// CoPE), a wide step loses nothing to rounding and a narrow one seldom meets a corner: the best one counts.
  [[nodiscard]] double error(const NamedSlice& named) {
    double worst = 0.0;
    Random random(named.slice.begin + 1);
    for (int part = 0; part < 2; ++part) {
      std::vector<float> direction(named.slice.size());
      std::ranges::copy(named.slice.flat(gradient()), direction.begin());
      for (float& number : direction) number = part > 0 && random.chance(50) ? 0.0F : number;
      worst = std::max(worst, error_along(named, direction));
    }
    return worst;
  }

  /// Of the error() of a slice. Gradients are float: sums of a few hundred products. The weights of an encoding and a
  /// bias of content pass through float tables, which a step of 0.01 sees to a thousandth.
  [[nodiscard]] double tolerance(const NamedSlice& named) const {
    return passes_float(named) || model_.encoded().bias_of_content() ? 5e-3 : 1e-4;
  }

 private:
  static ReaderBatch batch_of(const ReaderModel& model) {
    ReaderBatch batch;
    model.fill(batch, some_sentences(6, 5), 99);
    return batch;
  }

  static bool passes_float(const NamedSlice& named) { return named.name == "encoding.weights"; }

  double error_along(const NamedSlice& named, std::span<const float> direction) {
    double square = 0.0;
    for (const float number : direction) square += static_cast<double>(number) * static_cast<double>(number);
    const double slope = std::sqrt(square);
    constexpr double kNothing = 1e-5;  // the gradient is one of rounding: keys have a bias that softmax does not see
    if (slope < kNothing) return 0.0;
    double best = std::numeric_limits<double>::infinity();
    for (const double step : {0.004, 0.02, 0.001}) {
      const double above = loss_at(named, direction, step / slope);
      const double below = loss_at(named, direction, -step / slope);
      best = std::min(best, std::abs((above - below) / (2.0 * step) - slope) / slope);
      if (best <= tolerance(named)) break;
    }
    return best;
  }

  double loss_at(const NamedSlice& named, std::span<const float> direction, double factor) {
    const Slice& slice = named.slice;
    const std::vector<double> before = reference_.parameters();
    for (std::size_t i = 0; i < direction.size(); ++i) {
      reference_.parameters()[slice.begin + i] += factor * static_cast<double>(direction[i]);
    }
    const double result = passes_float(named) ? loss_with_encoding(slice) : reference_.loss();
    reference_.parameters() = before;
    return result;
  }

  double loss_with_encoding(const Slice& slice) {
    const std::span<float> weights = slice.flat(model_.mutable_parameters());
    const std::vector<float> before(weights.begin(), weights.end());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = static_cast<float>(reference_.parameters()[slice.begin + i]);
    }
    model_.changed();
    reference_.look_at_encoding();
    const double result = reference_.loss();
    std::ranges::copy(before, weights.begin());
    model_.changed();
    reference_.look_at_encoding();
    return result;
  }

  ReaderModel model_;
  ReaderTrace trace_;
  ReaderBatch batch_;
  DoubleReader reference_;
  double loss_ = 0.0;
  std::vector<float> gradient_;
};

}  // namespace

TEST_CASE("transformer: its loss is that of the formulas in double", "[transformer]") {
  const EncodingInfo& info = any_encoding();
  const Example example(reader_setup(info.id, any_mask()));
  INFO(info.id);
  // Two layers of float sums of up to 128 products.
  CHECK(std::abs(example.loss() - example.reference().loss()) <= 2e-6);
}

TEST_CASE("transformer: every gradient, slice by slice", "[transformer]") {
  Example example(reader_setup(GENERATE("shaw", "cope", "learned"), any_mask()));
  for (const NamedSlice& named : example.slices()) {
    INFO(named.name);
    CHECK(example.error(named) <= example.tolerance(named));
  }
}

TEST_CASE("transformer: gradients under every encoding", "[transformer]") {
  const EncodingInfo& info = any_encoding();
  Example example(reader_setup(info.id, any_mask()));
  INFO(info.id);
  for (const NamedSlice& named : example.slices()) {
    if (!named.name.ends_with("qkv.weight") && !named.name.starts_with("e")) continue;  // words and encoding
    INFO(named.name);
    CHECK(example.error(named) <= example.tolerance(named));
  }
}

TEST_CASE("transformer: the comparison of gradients notices an error of a hundredth", "[transformer]") {
  Example example(reader_setup("t5_bias", Mask::Kind::none));
  for (const NamedSlice& named : example.slices()) {
    if (example.error(named) == 0.0) continue;
    for (float& number : named.slice.flat(example.gradient())) number *= 1.01F;
    INFO(named.name);
    CHECK(example.error(named) > example.tolerance(named));
  }
}

TEST_CASE("transformer: a batch answers as its sentences do one by one", "[transformer]") {
  const EncodingInfo& info = any_encoding();
  INFO(info.id);
  const ReaderModel model(reader_setup(info.id, any_mask()));
  ReaderTrace trace = model.trace_for_answer();
  ReaderBatch together;
  model.fill(together, some_sentences(12, 3), 1);
  const Matrix<float> x = [&] {
    Matrix<float> copy(together.x.view().rows(), together.x.view().cols());
    std::ranges::copy(together.x.view().all(), copy.all().begin());
    return copy;
  }();
  const MatrixView<const float> answers = model.answer(together.groups, trace, together.x.view());
  ReaderTrace trace_of_one = model.trace_for_training();
  int token = 0;
  int row = 0;
  for (const Group& group : together.groups) {
    for (int i = 0; i < group.count; ++i) {
      const Group one{group.places, 1};
      Matrix<float> x_of_one(one.tokens(), x.cols());
      std::ranges::copy(x.view().slice(token, one.tokens()).all(), x_of_one.all().begin());
      const MatrixView<const float> answer = model.answer({&one, 1}, trace_of_one, x_of_one.view());
      for (int question = 0; question < kReaderQuestions; ++question) {
        CHECK(std::ranges::equal(answers.row(row + question).first(static_cast<std::size_t>(answer.cols())),
                                 answer.row(question)));
      }
      token += one.tokens();
      row += kReaderQuestions;
    }
  }
}

TEST_CASE("transformer: learning rate rises, then falls", "[transformer]") {
  const Schedule linear{.steps = 100, .learning_rate = 1.0, .warm_up = 10, .decline = Decline::linear};
  CHECK(learning_rate_at(linear, 0) == 0.1);
  CHECK(std::abs(learning_rate_at(linear, 9) - 0.91) < 1e-12);
  CHECK(learning_rate_at(linear, 50) == 0.5);
  CHECK(learning_rate_at(linear, 100) == 0.0);
  const Schedule cosine{.steps = 100, .learning_rate = 1.0, .warm_up = 0, .decline = Decline::cosine};
  CHECK(std::abs(learning_rate_at(cosine, 50) - 0.5) < 1e-12);
  CHECK(std::abs(learning_rate_at(cosine, 25) - (0.5 + std::sqrt(0.125))) < 1e-12);
}

TEST_CASE("transformer: the optimiser clips, and decays matrices only", "[transformer]") {
  Layout layout;
  static_cast<void>(layout.add_matrix("matrix", 1, 2, Decay::yes));
  static_cast<void>(layout.add_vector("vector", 2));
  Optimizer optimizer(layout, {.steps = 10, .learning_rate = 0.1, .warm_up = 0});
  std::vector<float> gradients{3.0F, 0.0F, 4.0F, 0.0F};
  std::vector<float> parameters{1.0F, 1.0F, 1.0F, 1.0F};
  optimizer.step(gradients, parameters);
  // Length 5 becomes 1. The first step of Adam goes one learning rate against the sign of the gradient.
  check_close<float, double>(gradients, std::vector{0.6, 0.0, 0.8, 0.0}, 1e-6);
  check_close<float, double>(parameters, std::vector{0.9 - 0.001, 1.0 - 0.001, 0.9, 1.0}, 1e-6);
}

TEST_CASE("language model: learns a text by heart", "[language_model]") {
  LanguageModelSetup setup{.encoding = spec("rope", {.d_model = 16, .n_heads = 2, .head_dim = 8})};
  setup.vocabulary = 12;
  setup.d_ff = 32;
  setup.steps = 200;
  LanguageModel model(setup);
  std::vector<int> inputs;
  std::vector<int> targets;
  for (int i = 0; i < 64; ++i) {
    inputs.push_back((i * i + i / 7) % setup.vocabulary);
    targets.push_back(((i + 1) * (i + 1) + (i + 1) / 7) % setup.vocabulary);
  }
  const double before = model.step(inputs, targets, 16);
  CHECK(std::abs(before - std::log(12.0)) < 0.8);
  double after = before;
  for (int i = 1; i < setup.steps; ++i) after = model.step(inputs, targets, 16);
  CHECK(after < 0.1);
}

TEST_CASE("language model: refuses what is no sequence", "[language_model]") {
  LanguageModel model({});
  const std::vector<int> tokens{1, 2, 3, 4};
  const auto error = [&](std::vector<int> inputs, std::vector<int> targets, int seq_len) {
    const Error got = error_of([&] { model.step(inputs, targets, seq_len); });
    return std::string(to_string(got.code())) + " " + got.field();
  };
  CHECK(error(tokens, tokens, 3) == "shape_mismatch inputs");
  CHECK(error(tokens, {1, 2}, 4) == "shape_mismatch targets");
  CHECK(error(tokens, tokens, 0) == "out_of_range seq_len");
  CHECK(error({}, {}, 4) == "shape_mismatch inputs");
  CHECK(error({1, 2, 3, 128}, tokens, 4) == "out_of_range inputs");
  CHECK(error(tokens, {1, 2, 3, -1}, 4) == "out_of_range targets");
  CHECK(error_of([] { LanguageModel({.vocabulary = 0}); }).field() == "vocabulary");
}
