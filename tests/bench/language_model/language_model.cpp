/// The language model of posenc for W5: one model, trained step by step. The package trains readers; this model is in
/// the C++ library only, so here it has a module of its own, compiled as that of the package is.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "posenc/language_model.hpp"

namespace {

std::optional<posenc::LanguageModel> model;
std::vector<int> tokens;

}  // namespace

extern "C" {

/// A causal one with sinusoids, as those of the peers.
[[gnu::used]] void create(int layers, int d_model, int heads, int ff, int vocabulary) {
  posenc::LanguageModelSetup setup;
  setup.encoding.encoding = "sinusoidal";
  setup.encoding.dims = {.d_model = d_model, .n_heads = heads, .head_dim = d_model / heads};
  setup.vocabulary = vocabulary;
  setup.n_layers = layers;
  setup.d_ff = ff;
  model.emplace(setup);
}

/// Room for the tokens of all texts, and then for what follows each of them.
[[gnu::used]] int* reserve(int count) {
  tokens.assign(2 * static_cast<std::size_t>(count), 0);
  return tokens.data();
}

/// The loss before the step.
[[gnu::used]] double step(int length) {
  const std::span<const int> all(tokens);
  return model->step(all.first(all.size() / 2), all.last(all.size() / 2), length);
}

}  // extern "C"
