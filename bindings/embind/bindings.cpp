/// The whole surface between C++ and JavaScript. Each function takes and returns plain values; the only memory that
/// JavaScript holds are WasmArrays, by handle.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <emscripten/bind.h>

#include "posenc/posenc.hpp"

#include "convert.hpp"

namespace {

using emscripten::val;

using namespace posenc;           // NOLINT: the surface names most of it
using namespace posenc::convert;  // NOLINT

/// The encoding with its spec and axes, and a complaint if the seam that a function needs is empty.
struct Made {
  Spec spec;
  const EncodingInfo& info;
  Encoding encoding;

  explicit Made(const val& raw) : spec(to_spec(raw)), info(find_encoding(spec.encoding)), encoding(make(spec)) {}

  [[nodiscard]] Matrix<double> positions(const val& raw) const {
    Matrix<double> result = to_positions(raw, info.axes);
    validate_positions(result.view(), info.axes, "positions");
    return result;
  }

  [[noreturn]] void missing(const char* what) const {
    fail(ErrorCode::missing_seam, "", "encoding", what, '"' + spec.encoding + '"');
  }
};

/// { operand, seq_len? }; the length follows from the positions if it is left out.
RotaryQuery rotary_query(const Matrix<double>& positions, const val& raw) {
  const auto seq_len = member(raw, "seq_len");
  return {.positions = positions.view(),
          .operand = to_operand(raw["operand"]),
          .seq_len = seq_len ? to_seq_len(*seq_len) : length_of(positions.view())};
}

val table(const val& raw_spec, const val& raw_positions, const val& out) {
  return guarded([&] {
    const Made made(raw_spec);
    if (made.encoding.input == nullptr) made.missing("be one that is added to the input");
    const Matrix<double> positions = made.positions(raw_positions);
    const Shape shape{.rows = positions.rows(), .cols = made.spec.dims.d_model};
    const Floats rows = to_target(out, shape.count(), "out");
    made.encoding.input->rows(positions.view(), shape.head(rows.all, 0));
    return from_matrix(from_floats(rows), shape.rows, shape.cols);
  });
}

val rotation(const val& raw_spec, const val& raw_positions, const val& rotary, const val& out_cos, const val& out_sin) {
  return guarded([&] {
    const Made made(raw_spec);
    if (made.encoding.rotary == nullptr) made.missing("be one that rotates q and k");
    const Matrix<double> positions = made.positions(raw_positions);
    const RotatesQk& rotation = *made.encoding.rotary;
    const Shape shape{.rows = rotation.tables() * positions.rows(), .cols = rotation.rotary_dim() / 2};
    const Floats cos = to_target(out_cos, shape.count(), "out.cos");
    const Floats sin = to_target(out_sin, shape.count(), "out.sin");
    rotation.cos_sin(rotary_query(positions, rotary), shape.head(cos.all, 0), shape.head(sin.all, 0));
    val result = val::object();
    result.set("cos", from_matrix(from_floats(cos), shape.rows, shape.cols));
    result.set("sin", from_matrix(from_floats(sin), shape.rows, shape.cols));
    return result;
  });
}

val frequencies(const val& raw_spec, const val& seq_len) {
  return guarded([&] {
    const Made made(raw_spec);
    if (made.encoding.rotary == nullptr) made.missing("be one that rotates q and k");
    const RotaryFrequencies frequencies = made.encoding.rotary->frequencies(to_seq_len(seq_len));
    val result = val::object();
    result.set("invFreq", copied<double>("Float64Array", frequencies.inv_freq));
    result.set("attentionFactor", frequencies.attention_factor);
    result.set("logitFactor", made.encoding.rotary->logit_factor());
    return result;
  });
}

/// Adds to or rotates each head of x; `out` may be x itself.
val apply(const val& raw_spec, const val& raw_x, const val& raw_positions, const val& rotary, const val& out) {
  return guarded([&] {
    const Made made(raw_spec);
    if (made.encoding.input == nullptr && made.encoding.rotary == nullptr) {
      made.missing("be one that is added or rotates");
    }
    const Shape shape = to_shape(raw_x);
    const Matrix<double> positions = made.positions(raw_positions);
    if (positions.rows() != shape.rows) {
      fail(ErrorCode::shape_mismatch, "", "positions",
           "have " + std::to_string(shape.rows) + " rows, one for each row of x", std::to_string(positions.rows()));
    }
    const Floats x = to_target(out, shape.count(), "out");
    set_floats(x.all, raw_x["data"], "x");
    if (made.encoding.input == nullptr) {
      rotate(rotation_of(*made.encoding.rotary, rotary_query(positions, rotary)), shape.all(x.all));
    } else {
      for (int head = 0; head < shape.heads; ++head) {
        add_rows(*made.encoding.input, positions.view(), shape.head(x.all, head));
      }
    }
    return from_floats(x);
  });
}

val bias(const val& raw_spec, const val& q_positions, const val& k_positions, const val& out) {
  return guarded([&] {
    const Made made(raw_spec);
    if (made.encoding.bias == nullptr) made.missing("be one that adds a bias to the logits");
    const Matrix<double> q = made.positions(q_positions);
    const Matrix<double> k = made.positions(k_positions);
    const Shape shape{made.spec.dims.n_heads, q.rows(), k.rows()};
    const Floats biases = to_target(out, shape.count(), "out");
    for (int head = 0; head < shape.heads; ++head) {
      made.encoding.bias->bias({q.view(), k.view(), head}, shape.head(biases.all, head));
    }
    return from_tensor(from_floats(biases), shape);
  });
}

/// { q, k, v?, mask, scale?, q_positions, k_positions }
struct Attended {
  Matrix<double> q_positions;
  Matrix<double> k_positions;
  Heads q;
  Heads k;
  std::optional<Heads> v;
  Mask mask;
  std::optional<float> scale;

  Attended(const Made& made, const val& raw)
      : q_positions(made.positions(raw["q_positions"])),
        k_positions(made.positions(raw["k_positions"])),
        q(raw["q"], "q"),
        k(raw["k"], "k"),
        mask(to_mask(raw["mask"])) {
    if (const auto raw_v = member(raw, "v")) v.emplace(*raw_v, "v");
    if (const auto raw_scale = member(raw, "scale")) scale = static_cast<float>(to_number(*raw_scale, "scale"));
  }
};

val attend_heads(const val& raw_spec, const val& raw) {
  return guarded([&] {
    const Made made(raw_spec);
    const Attended given(made, raw);
    const auto& [q_positions, k_positions, q, k, v, mask, scale] = given;
    // TypeScript has checked that all have as many heads.
    const int n_heads = std::min({q.shape.heads, k.shape.heads, v ? v->shape.heads : q.shape.heads});
    HeadByHead weights({n_heads, q.shape.rows, k.shape.rows});
    HeadByHead logits({n_heads, q.shape.rows, k.shape.rows});
    HeadByHead outputs({n_heads, q.shape.rows, v ? v->shape.cols : 0});
    for (int head = 0; head < n_heads; ++head) {
      const HeadAttention result = attend(made.encoding, {.q = q.head(head),
                                                          .k = k.head(head),
                                                          .v = v ? v->head(head) : MatrixView<const float>(),
                                                          .q_positions = q_positions.view(),
                                                          .k_positions = k_positions.view(),
                                                          .mask = mask,
                                                          .head = head,
                                                          .scale = scale});
      weights.set(head, result.weights);
      logits.set(head, result.logits);
      outputs.set(head, result.output);
    }
    val result = val::object();
    result.set("weights", weights.tensor());
    result.set("logits", logits.tensor());
    result.set("output", v ? outputs.tensor() : val::null());
    return result;
  });
}

/// The output of attention alone, without any matrix [query][key]. v is given.
val attend_output_of(const val& raw_spec, const val& raw, const val& out) {
  return guarded([&] {
    const Made made(raw_spec);
    const Attended given(made, raw);
    const auto& [q_positions, k_positions, q, k, v, mask, scale] = given;
    const Shape shape{q.shape.heads, q.shape.rows, v.value().shape.cols};
    const Floats output = to_target(out, shape.count(), "out");
    attend_output(made.encoding,
                  {.q = q.all(),
                   .k = k.all(),
                   .v = v->all(),
                   .n_heads = q.shape.heads,
                   .n_kv_heads = k.shape.heads,
                   .q_positions = q_positions.view(),
                   .k_positions = k_positions.view(),
                   .mask = mask,
                   .scale = scale},
                  shape.all(output.all));
    return from_floats(output);
  });
}

val attention(const val& spec, const val& layer, const val& tokens) {
  return guarded(
      [&] { return from_attention(attend_words(to_spec(spec), to_layer(layer), to_words(tokens, "tokens"))); });
}

val compare_words(const val& spec, const val& layer, const val& a, const val& b) {
  return guarded(
      [&] { return from_comparison(compare(to_spec(spec), to_layer(layer), to_words(a, "a"), to_words(b, "b"))); });
}

val invariances_of(const val& spec, const val& layer, const val& tokens) {
  return guarded([&] {
    const Invariances tests = invariances(to_spec(spec), to_layer(layer), to_words(tokens, "tokens"));
    val result = val::object();
    result.set("shuffle", from_invariance(tests.shuffle));
    result.set("mirror", from_invariance(tests.mirror));
    result.set("shift", from_invariance(tests.shift));
    return result;
  });
}

/// Grids are whole numbers, three for each: TypeScript has looked.
std::vector<MediaGrid> to_grids(const val& array) {
  const Matrix<double> rows = to_positions(array, 3);
  std::vector<MediaGrid> grids(static_cast<std::size_t>(rows.rows()));
  for (std::size_t i = 0; i < grids.size(); ++i) {
    const std::span<const double> sizes = rows.row(static_cast<int>(i));
    grids[i] = {static_cast<int>(sizes[0]), static_cast<int>(sizes[1]), static_cast<int>(sizes[2])};
  }
  return grids;
}

val multimodal_positions_of(const val& token_types, const val& image_grids, const val& video_grids, int merge_size,
                            double steps_per_frame) {
  return guarded([&] {
    const Matrix<double> types = to_positions(token_types, 1);
    std::vector<TokenKind> kinds(types.all().size());
    for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = static_cast<TokenKind>(types.all()[i]);
    const MultimodalPositions places =
        multimodal_positions(kinds, to_grids(image_grids), to_grids(video_grids),
                             {.merge_size = merge_size, .steps_per_frame = steps_per_frame});
    val result = val::object();
    result.set("positions", copied<double>("Float64Array", places.positions.all()));
    result.set("next", places.next);
    result.set("delta", places.delta);
    return result;
  });
}

val hold(const val& length) {
  return guarded([&] {
    Floats floats = allocate(to_number(length, "length"));
    std::ranges::fill(floats.all, 0.0F);
    std::size_t place = 0;
    while (place < wasm_arrays.size() && wasm_arrays[place].own != nullptr) ++place;
    if (place == wasm_arrays.size()) wasm_arrays.emplace_back();
    wasm_arrays[place] = std::move(floats);
    return val(place);
  });
}

/// The only view of WebAssembly memory that leaves: it is made anew when memory has grown.
val view(const val& handle) {
  const std::span<float> floats = wasm_arrays.at(handle.as<std::size_t>()).all;
  return val(emscripten::typed_memory_view(floats.size(), floats.data()));
}

void release(const val& handle) { wasm_arrays.at(handle.as<std::size_t>()) = {}; }

std::string version_text() { return std::string(version()); }

bool has_simd() { return built_with_simd(); }

}  // namespace

EMSCRIPTEN_BINDINGS(posenc) {
  using emscripten::function;

  function("version", &version_text);
  function("hasSimd", &has_simd);
  function("hold(length)", &hold);
  function("view(handle)", &view);
  function("release(handle)", &release);
  function("table(spec, positions, out)", &table);
  function("rotation(spec, positions, rotary, outCos, outSin)", &rotation);
  function("frequencies(spec, seqLen)", &frequencies);
  function("apply(spec, x, positions, rotary, out)", &apply);
  function("bias(spec, qPositions, kPositions, out)", &bias);
  function("attend(spec, input)", &attend_heads);
  function("attendOutput(spec, input, out)", &attend_output_of);
  function("attention(spec, layer, tokens)", &attention);
  function("compare(spec, layer, a, b)", &compare_words);
  function("invariances(spec, layer, tokens)", &invariances_of);
  function("multimodalPositions(tokenTypes, imageGrids, videoGrids, mergeSize, stepsPerFrame)",
           &multimodal_positions_of);
}
