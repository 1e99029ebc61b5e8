/// The whole surface between C++ and JavaScript. Each function takes and returns plain values; no handles, no memory.

#include <string>
#include <vector>

#include <emscripten/bind.h>

#include "posenc/posenc.hpp"

#include "convert.hpp"

namespace {

using emscripten::val;
using namespace posenc;           // NOLINT: the surface names most of it
using namespace posenc::convert;  // NOLINT

EMSCRIPTEN_DECLARE_VAL_TYPE(RawSpec);
EMSCRIPTEN_DECLARE_VAL_TYPE(RawLayer);
EMSCRIPTEN_DECLARE_VAL_TYPE(RawMatrix);
EMSCRIPTEN_DECLARE_VAL_TYPE(RawPositions);
EMSCRIPTEN_DECLARE_VAL_TYPE(RawWords);
EMSCRIPTEN_DECLARE_VAL_TYPE(RawRotary);
EMSCRIPTEN_DECLARE_VAL_TYPE(RawLength);
EMSCRIPTEN_DECLARE_VAL_TYPE(RawAttend);
EMSCRIPTEN_DECLARE_VAL_TYPE(MatrixOutcome);
EMSCRIPTEN_DECLARE_VAL_TYPE(RotationOutcome);
EMSCRIPTEN_DECLARE_VAL_TYPE(FrequenciesOutcome);
EMSCRIPTEN_DECLARE_VAL_TYPE(TensorOutcome);
EMSCRIPTEN_DECLARE_VAL_TYPE(AttendOutcome);
EMSCRIPTEN_DECLARE_VAL_TYPE(AttentionOutcome);
EMSCRIPTEN_DECLARE_VAL_TYPE(ComparisonOutcome);
EMSCRIPTEN_DECLARE_VAL_TYPE(InvariancesOutcome);

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

MatrixOutcome table(const RawSpec& raw_spec, const RawPositions& raw_positions) {
  return guarded<MatrixOutcome>([&] {
    const Made made(raw_spec);
    if (made.encoding.input == nullptr) made.missing("be one that is added to the input");
    const Matrix<double> positions = made.positions(raw_positions);
    Matrix<float> rows(positions.rows(), made.spec.dims.d_model);
    made.encoding.input->rows(positions.view(), rows.view());
    return from_matrix(rows);
  });
}

RotationOutcome rotation(const RawSpec& raw_spec, const RawPositions& raw_positions, const RawRotary& rotary) {
  return guarded<RotationOutcome>([&] {
    const Made made(raw_spec);
    if (made.encoding.rotary == nullptr) made.missing("be one that rotates q and k");
    const Matrix<double> positions = made.positions(raw_positions);
    Matrix<float> cos(positions.rows(), made.encoding.rotary->rotary_dim() / 2);
    Matrix<float> sin(cos.rows(), cos.cols());
    made.encoding.rotary->cos_sin(rotary_query(positions, rotary), cos.view(), sin.view());
    val result = val::object();
    result.set("cos", from_matrix(cos));
    result.set("sin", from_matrix(sin));
    return result;
  });
}

FrequenciesOutcome frequencies(const RawSpec& raw_spec, const RawLength& seq_len) {
  return guarded<FrequenciesOutcome>([&] {
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

MatrixOutcome apply(const RawSpec& raw_spec, const RawMatrix& raw_x, const RawPositions& raw_positions,
                    const RawRotary& rotary) {
  return guarded<MatrixOutcome>([&] {
    const Made made(raw_spec);
    Matrix<float> x = to_matrix(raw_x, "x");
    const Matrix<double> positions = made.positions(raw_positions);
    if (made.encoding.input != nullptr) {
      add_rows(*made.encoding.input, positions.view(), x.view());
    } else if (made.encoding.rotary != nullptr) {
      rotate(*made.encoding.rotary, rotary_query(positions, rotary), x.view());
    } else {
      made.missing("be one that is added or rotates");
    }
    return from_matrix(x);
  });
}

TensorOutcome bias(const RawSpec& raw_spec, const RawPositions& q_positions, const RawPositions& k_positions) {
  return guarded<TensorOutcome>([&] {
    const Made made(raw_spec);
    if (made.encoding.bias == nullptr) made.missing("be one that adds a bias to the logits");
    const Matrix<double> q = made.positions(q_positions);
    const Matrix<double> k = made.positions(k_positions);
    std::vector<Matrix<float>> heads;
    for (int head = 0; head < made.spec.dims.n_heads; ++head) {
      heads.emplace_back(q.rows(), k.rows());
      made.encoding.bias->bias({q.view(), k.view(), head}, heads.back().view());
    }
    return from_matrices(heads);
  });
}

/// { q: [matrix], k, v?, mask, scale?, q_positions, k_positions }: one matrix for each head.
AttendOutcome attend_heads(const RawSpec& raw_spec, const RawAttend& raw) {
  return guarded<AttendOutcome>([&] {
    const Made made(raw_spec);
    const Matrix<double> q_positions = made.positions(raw["q_positions"]);
    const Matrix<double> k_positions = made.positions(raw["k_positions"]);
    const auto raw_v = member(raw, "v");
    const auto scale = member(raw, "scale");
    std::vector<Matrix<float>> weights;
    std::vector<Matrix<float>> logits;
    std::vector<Matrix<float>> outputs;
    const int n_heads = made.spec.dims.n_heads;
    for (int head = 0; head < n_heads; ++head) {
      const Matrix<float> q = to_head_matrix(raw["q"], head, n_heads, "q");
      const Matrix<float> k = to_head_matrix(raw["k"], head, n_heads, "k");
      const Matrix<float> v = raw_v ? to_head_matrix(*raw_v, head, n_heads, "v") : Matrix<float>();
      HeadInput input{.q = q.view(),
                      .k = k.view(),
                      .v = v.view(),
                      .q_positions = q_positions.view(),
                      .k_positions = k_positions.view(),
                      .mask = to_mask(raw["mask"]),
                      .head = head};
      if (scale) input.scale = static_cast<float>(to_number(*scale, "scale"));
      HeadAttention result = attend(made.encoding, input);
      weights.push_back(std::move(result.weights));
      logits.push_back(std::move(result.logits));
      outputs.push_back(std::move(result.output));
    }
    val result = val::object();
    result.set("weights", from_matrices(weights));
    result.set("logits", from_matrices(logits));
    result.set("output", raw_v ? from_matrices(outputs) : val::null());
    return result;
  });
}

AttentionOutcome attention(const RawSpec& spec, const RawLayer& layer, const RawWords& tokens) {
  return guarded<AttentionOutcome>(
      [&] { return from_attention(attend_words(to_spec(spec), to_layer(layer), to_words(tokens, "tokens"))); });
}

ComparisonOutcome compare_words(const RawSpec& spec, const RawLayer& layer, const RawWords& a, const RawWords& b) {
  return guarded<ComparisonOutcome>(
      [&] { return from_comparison(compare(to_spec(spec), to_layer(layer), to_words(a, "a"), to_words(b, "b"))); });
}

InvariancesOutcome invariances_of(const RawSpec& spec, const RawLayer& layer, const RawWords& tokens) {
  return guarded<InvariancesOutcome>([&] {
    const Invariances tests = invariances(to_spec(spec), to_layer(layer), to_words(tokens, "tokens"));
    val result = val::object();
    result.set("shuffle", from_invariance(tests.shuffle));
    result.set("mirror", from_invariance(tests.mirror));
    result.set("shift", from_invariance(tests.shift));
    return result;
  });
}

std::string version_text() { return std::string(version()); }

bool has_simd() { return built_with_simd(); }

/// A type of bindings/src/raw_types.ts.
#define RAW_TYPE(name) "import('../raw_types.ts')." name

}  // namespace

EMSCRIPTEN_BINDINGS(posenc) {
  using emscripten::function;
  using emscripten::register_type;

  register_type<RawSpec>(RAW_TYPE("Spec"));
  register_type<RawLayer>(RAW_TYPE("Layer"));
  register_type<RawMatrix>(RAW_TYPE("Matrix"));
  register_type<RawPositions>(RAW_TYPE("Positions"));
  register_type<RawWords>(RAW_TYPE("Words"));
  register_type<RawRotary>(RAW_TYPE("Rotary"));
  register_type<RawLength>(RAW_TYPE("Length"));
  register_type<RawAttend>(RAW_TYPE("Attend"));
  register_type<MatrixOutcome>(RAW_TYPE("MatrixOutcome"));
  register_type<RotationOutcome>(RAW_TYPE("RotationOutcome"));
  register_type<FrequenciesOutcome>(RAW_TYPE("FrequenciesOutcome"));
  register_type<TensorOutcome>(RAW_TYPE("TensorOutcome"));
  register_type<AttendOutcome>(RAW_TYPE("AttendOutcome"));
  register_type<AttentionOutcome>(RAW_TYPE("AttentionOutcome"));
  register_type<ComparisonOutcome>(RAW_TYPE("ComparisonOutcome"));
  register_type<InvariancesOutcome>(RAW_TYPE("InvariancesOutcome"));

  function("version", &version_text);
  function("hasSimd", &has_simd);
  function("table(spec, positions)", &table);
  function("rotation(spec, positions, rotary)", &rotation);
  function("frequencies(spec, seqLen)", &frequencies);
  function("apply(spec, x, positions, rotary)", &apply);
  function("bias(spec, qPositions, kPositions)", &bias);
  function("attend(spec, input)", &attend_heads);
  function("attention(spec, layer, tokens)", &attention);
  function("compare(spec, layer, a, b)", &compare_words);
  function("invariances(spec, layer, tokens)", &invariances_of);
}
