/// posenc's C++ API beside plain loops and what memory allows, with Google Benchmark. Names of the benchmarks are those
/// of `npm run bench`: workload/title/size/who/how.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "posenc/posenc.hpp"

#include "plain_loops.hpp"

namespace {

using posenc::Matrix;
using posenc::MatrixView;

/// Registers work that is run again and again; it owns its data.
template <class Work>
void add(const std::string& name, Work work) {
  // Shared, for a benchmark is a function that can be copied, and some work cannot.
  benchmark::RegisterBenchmark(name.c_str(), [work = std::make_shared<Work>(std::move(work))](benchmark::State& state) {
    for (auto _ : state) {
      (*work)();
      benchmark::ClobberMemory();
    }
  })->Unit(benchmark::kMillisecond);
}

posenc::Encoding encoding_of(const std::string& id, const posenc::Dims& dims, const std::string& layout = "") {
  posenc::Spec spec;
  spec.encoding = id;
  spec.dims = dims;
  if (!layout.empty()) spec.params["layout"] = layout;
  return posenc::make(spec);
}

/// 0, 1, 2, ... on one axis.
Matrix<double> positions_to(int length) {
  Matrix<double> positions(length, 1);
  for (int row = 0; row < length; ++row) positions(row, 0) = row;
  return positions;
}

std::vector<float> some_numbers(std::size_t count) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(i % 1021) / 1021.0F;
  return numbers;
}

void add_sinusoidal(int length, int d_model) {
  const std::string name = "W1/sinusoidal table/" + std::to_string(length) + " x " + std::to_string(d_model);
  posenc::Encoding encoding = encoding_of("sinusoidal", {.d_model = d_model, .n_heads = 1, .head_dim = d_model});
  add(name + "/posenc/rows()",
      [encoding = std::move(encoding), positions = positions_to(length),
       out = Matrix<float>(length, d_model)]() mutable { encoding.input->rows(positions.view(), out.view()); });
  const std::size_t count = static_cast<std::size_t>(length) * static_cast<std::size_t>(d_model);
  add(name + "/limit/fill", [out = std::vector<float>(count)]() mutable { std::ranges::fill(out, 1.0F); });
  add(name + "/plain/sinf and cosf",
      [=, out = std::vector<float>(count)]() mutable { plain_loops::sinusoidal_table(length, d_model, out); });
}

using PlainRotate = void (*)(const plain_loops::Heads&, std::span<float>);

void add_rope(const std::string& layout, const plain_loops::Heads& shape, PlainRotate plain_rotate) {
  const std::string size = "2 x " + std::to_string(shape.heads) + " x " + std::to_string(shape.tokens) + " x " +
                           std::to_string(shape.head_dim);
  const std::string name = "W2/RoPE on q and k/" + layout + ", " + size;
  const std::size_t one_head = static_cast<std::size_t>(shape.tokens) * static_cast<std::size_t>(shape.head_dim);
  const std::size_t count = 2 * static_cast<std::size_t>(shape.heads) * one_head;
  posenc::Encoding encoding = encoding_of("rope", {.head_dim = shape.head_dim}, layout);
  add(name + "/posenc/rotate()",
      [=, encoding = std::move(encoding), qk = some_numbers(count), positions = positions_to(shape.tokens)]() mutable {
        const posenc::RotaryQuery query{.positions = positions.view(), .seq_len = static_cast<double>(shape.tokens)};
        posenc::rotate(*encoding.rotary, query, MatrixView<float>(qk, 2 * shape.heads * shape.tokens, shape.head_dim));
      });
  add(name + "/limit/scale in place", [qk = some_numbers(count)]() mutable {
    for (float& x : qk) x *= 1.0001F;
  });
  add(name + "/plain/loops, in place", [=, qk = some_numbers(count)]() mutable {
    const std::span<float> both(qk);
    plain_rotate(shape, both.first(count / 2));
    plain_rotate(shape, both.last(count / 2));
  });
}

void add_alibi(const plain_loops::Heads& shape) {
  const int tokens = shape.tokens;
  const std::string name =
      "W3/bias/ALiBi, " + std::to_string(shape.heads) + " x " + std::to_string(tokens) + " x " + std::to_string(tokens);
  const std::size_t count =
      static_cast<std::size_t>(shape.heads) * static_cast<std::size_t>(tokens) * static_cast<std::size_t>(tokens);
  posenc::Encoding encoding = encoding_of("alibi", {.n_heads = shape.heads});
  add(name + "/posenc/bias()", [=, encoding = std::move(encoding), positions = positions_to(tokens),
                                out = Matrix<float>(shape.heads * tokens, tokens)]() mutable {
    for (int head = 0; head < shape.heads; ++head) {
      encoding.bias->bias({.q_positions = positions.view(), .k_positions = positions.view(), .head = head},
                          out.view().slice(head * tokens, tokens));
    }
  });
  add(name + "/limit/fill", [out = std::vector<float>(count)]() mutable { std::ranges::fill(out, 1.0F); });
}

void add_attention(const plain_loops::Heads& shape) {
  const std::string name = "W4/causal attention with ALiBi/" + std::to_string(shape.heads) + " x " +
                           std::to_string(shape.tokens) + " x " + std::to_string(shape.head_dim);
  const int rows = shape.heads * shape.tokens;
  const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(shape.head_dim);
  posenc::Encoding encoding = encoding_of(
      "alibi", {.d_model = shape.heads * shape.head_dim, .n_heads = shape.heads, .head_dim = shape.head_dim});
  add(name + "/posenc/attend_output()",
      [=, encoding = std::move(encoding), positions = positions_to(shape.tokens), qkv = some_numbers(count),
       out = Matrix<float>(rows, shape.head_dim)]() mutable {
        const MatrixView<const float> all(qkv, rows, shape.head_dim);
        posenc::attend_output(encoding,
                              {.q = all,
                               .k = all,
                               .v = all,
                               .n_heads = shape.heads,
                               .n_kv_heads = shape.heads,
                               .q_positions = positions.view(),
                               .k_positions = positions.view(),
                               .mask = {.kind = posenc::Mask::Kind::causal}},
                              out.view());
      });
  add(name + "/plain/loops", [=, qkv = some_numbers(count), out = std::vector<float>(count)]() mutable {
    plain_loops::attend_causal(shape, qkv, qkv, qkv, out);
  });
}

void add_training() {
  constexpr int kLength = 64;
  constexpr int kBatch = 32;
  posenc::LanguageModelSetup setup;
  setup.encoding.encoding = "sinusoidal";
  setup.encoding.dims = {.d_model = 64, .n_heads = 4, .head_dim = 16};
  std::vector<int> tokens(kBatch * kLength);
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<int>(i % 128);
  add("W5/training step/2 layers, d 64, 32 x 64 tokens/posenc/LanguageModel::step()",
      [model = posenc::LanguageModel(setup), tokens]() mutable { model.step(tokens, tokens, kLength); });
}

}  // namespace

int main(int argc, char** argv) {
  add_sinusoidal(4096, 512);
  add_sinusoidal(131072, 128);
  const plain_loops::Heads shape{.heads = 32, .tokens = 4096, .head_dim = 128};
  add_rope("half", shape, plain_loops::rotate_half);
  add_rope("interleaved", shape, plain_loops::rotate_interleaved);
  add_alibi({.heads = 16, .tokens = 1024, .head_dim = 64});
  add_attention({.heads = 8, .tokens = 1024, .head_dim = 64});
  add_attention({.heads = 8, .tokens = 4096, .head_dim = 64});
  add_training();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
