#include "posenc/language_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "posenc/error.hpp"
#include "posenc/seeded.hpp"

#include "kernels/kernels.hpp"
#include "models/layers.hpp"
#include "models/optimizer.hpp"
#include "models/transformer.hpp"

namespace posenc {
namespace {

using models::Buffer;
using models::Decay;
using models::Group;

constexpr double kTokenSize = 0.1;  ///< standard deviation of the channels of a token, as in the reader

std::size_t at(int index) { return static_cast<std::size_t>(index); }

void at_least_1(const char* field, int value) {
  if (value < 1) fail(ErrorCode::out_of_range, "", field, "be at least 1", std::to_string(value));
}

const LanguageModelSetup& checked(const LanguageModelSetup& setup) {
  at_least_1("vocabulary", setup.vocabulary);
  at_least_1("n_layers", setup.n_layers);
  at_least_1("d_ff", setup.d_ff);
  at_least_1("steps", setup.steps);
  return setup;
}

void check_tokens(const char* field, std::span<const int> tokens, int vocabulary) {
  for (const int token : tokens) {
    if (token >= 0 && token < vocabulary) continue;
    fail(ErrorCode::out_of_range, "", field, "be from 0 to " + std::to_string(vocabulary - 1) + " (vocabulary - 1)",
         std::to_string(token));
  }
}

/// Sum of -ln of probabilities. Several are multiplied before the logarithm, which is slow, is taken.
class LogSum {
 public:
  void add(float probability) {
    product_ *= std::max(static_cast<double>(probability), kSmallest);
    if (++factors_ == kMostFactors) take();
  }
  [[nodiscard]] double total() {
    take();
    return sum_;
  }

 private:
  static constexpr auto kSmallest = static_cast<double>(std::numeric_limits<float>::min());
  static constexpr int kMostFactors = 8;  ///< kSmallest^8 is still a normal double

  void take() {
    sum_ -= kernels::log(product_);
    product_ = 1.0;
    factors_ = 0;
  }

  double sum_ = 0.0;
  double product_ = 1.0;
  int factors_ = 0;
};

}  // namespace

struct LanguageModel::Parts {
  explicit Parts(const LanguageModelSetup& from)
      : setup(checked(from)),
        encoded(from.encoding, from.mask),
        embedding(layout.add_matrix("embedding.weight", from.vocabulary, from.encoding.dims.d_model, Decay::no)),
        trunk({.dims = from.encoding.dims, .n_layers = from.n_layers, .d_ff = from.d_ff}, encoded, layout),
        head(models::add_linear(layout, "head", from.encoding.dims.d_model, from.vocabulary)),
        optimizer(layout, {from.steps, from.learning_rate, from.warm_up, models::Decline::cosine}),
        parameters(layout.size()),
        gradients(layout.size()),
        trace(trunk.trace_for_training()) {
    const std::uint64_t key = stream_key(from.seed, Stream::parameters);
    fill_normal(key, kTokenSize, embedding.flat(std::span(parameters)), embedding.begin);
    trunk.seed(key, encoded, parameters);
    models::seed(head, key, 1.0, parameters);
  }

  double forward(std::span<const int> inputs, std::span<const int> targets, std::span<const Group> groups) {
    const MatrixView<float> in = x.shaped(static_cast<int>(inputs.size()), embedding.cols);
    const MatrixView<const float> rows = embedding.of(std::span<const float>(parameters));
    for (int token = 0; token < in.rows(); ++token) {
      std::ranges::copy(rows.row(inputs[at(token)]), in.row(token).begin());
    }
    trunk.forward(parameters, encoded, groups, trace, in);
    const MatrixView<float> logits = probabilities.shaped(in.rows(), setup.vocabulary);
    models::forward(head, parameters, in, logits);
    LogSum loss;
    for (int token = 0; token < in.rows(); ++token) {
      kernels::best.softmax(logits.row(token));
      loss.add(logits(token, targets[at(token)]));
    }
    return loss.total() / in.rows();
  }

  void backward(std::span<const int> inputs, std::span<const int> targets, std::span<const Group> groups) {
    std::ranges::fill(gradients, 0.0F);
    const MatrixView<float> grad_logits = probabilities.view();
    const float share = 1.0F / static_cast<float>(inputs.size());
    for (int token = 0; token < grad_logits.rows(); ++token) grad_logits(token, targets[at(token)]) -= 1.0F;
    for (float& value : grad_logits.all()) value *= share;
    const MatrixView<float> grad = grad_x.shaped(grad_logits.rows(), embedding.cols);
    models::backward(head, parameters, x.view(), grad_logits, grad, gradients);
    trunk.backward(parameters, encoded, groups, trace, grad, gradients);
    const MatrixView<float> grad_embedding = embedding.of(std::span(gradients));
    for (int token = 0; token < grad.rows(); ++token) {
      models::add(grad.row(token), grad_embedding.row(inputs[at(token)]));
    }
  }

  LanguageModelSetup setup;
  models::Encoded encoded;
  models::Layout layout;
  models::Slice embedding;  ///< [token][d_model]
  models::Transformer trunk;
  models::Linear head;
  models::Optimizer optimizer;
  std::vector<float> parameters;
  std::vector<float> gradients;
  models::Transformer::Trace trace;
  Buffer x;
  Buffer probabilities;  ///< [token][vocabulary]
  Buffer grad_x;
};

LanguageModel::LanguageModel(const LanguageModelSetup& setup) : parts_(std::make_unique<Parts>(setup)) {}
LanguageModel::LanguageModel(LanguageModel&&) noexcept = default;
LanguageModel& LanguageModel::operator=(LanguageModel&&) noexcept = default;
LanguageModel::~LanguageModel() = default;

double LanguageModel::step(std::span<const int> inputs, std::span<const int> targets, int seq_len) {
  at_least_1("seq_len", seq_len);
  if (inputs.empty() || inputs.size() % at(seq_len) != 0) {
    fail(ErrorCode::shape_mismatch, "", "inputs", "be whole sequences of " + std::to_string(seq_len) + " tokens",
         std::to_string(inputs.size()));
  }
  if (targets.size() != inputs.size()) {
    fail(ErrorCode::shape_mismatch, "", "targets", "be as many as inputs", std::to_string(targets.size()));
  }
  check_tokens("inputs", inputs, parts_->setup.vocabulary);
  check_tokens("targets", targets, parts_->setup.vocabulary);

  std::vector<double> positions(at(seq_len));
  std::iota(positions.begin(), positions.end(), 0.0);
  const models::Places places = parts_->encoded.at(positions);
  const Group group{&places, static_cast<int>(inputs.size()) / seq_len};
  const double loss = parts_->forward(inputs, targets, {&group, 1});
  parts_->backward(inputs, targets, {&group, 1});
  parts_->optimizer.step(parts_->gradients, parts_->parameters);
  parts_->encoded.read(parts_->trunk.encoding_weights().flat(std::span<const float>(parts_->parameters)));
  return loss;
}

std::span<const float> LanguageModel::parameters() const { return parts_->parameters; }

}  // namespace posenc
