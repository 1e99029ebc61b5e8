#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <emscripten/val.h>

#include "posenc/posenc.hpp"

/// JavaScript values <-> C++ values. What comes in is checked by type here and by meaning in the library; what goes out
/// is a copy, never a view of WebAssembly memory.
namespace posenc::convert {

using emscripten::val;

// ---- in -----------------------------------------------------------------------------------------------------------

[[noreturn]] inline void wrong_type(const std::string& field, const char* rule, const val& given) {
  fail(ErrorCode::wrong_type, "", field, rule, given.isNull() ? "null" : given.typeOf().as<std::string>());
}

inline double to_number(const val& value, const std::string& field) {
  if (!value.isNumber()) wrong_type(field, "be a number", value);
  return value.as<double>();
}

/// A whole number that fits `int`; rules about its range are the library's.
inline int to_int(const val& value, const std::string& field) {
  const double number = to_number(value, field);
  if (!(number >= -2147483648.0 && number <= 2147483647.0) || number != static_cast<double>(static_cast<int>(number))) {
    fail(ErrorCode::out_of_range, "", field, "be a whole number", to_text(number));
  }
  return static_cast<int>(number);
}

inline std::string to_string(const val& value, const std::string& field) {
  if (!value.isString()) wrong_type(field, "be a string", value);
  return value.as<std::string>();
}

/// A member that may be left out.
inline std::optional<val> member(const val& object, const char* name) {
  const val value = object[name];
  if (value.isUndefined()) return std::nullopt;
  return value;
}

[[gnu::noinline]] inline std::vector<float> to_floats(const val& array) {
  return emscripten::convertJSArrayToNumberVector<float>(array);
}

[[gnu::noinline]] inline Matrix<double> to_positions(const val& array, int axes) {
  const auto numbers = emscripten::convertJSArrayToNumberVector<double>(array);
  Matrix<double> positions(static_cast<int>(numbers.size()) / axes, axes);
  if (positions.all().size() != numbers.size()) {
    fail(ErrorCode::shape_mismatch, "", "positions", "have " + std::to_string(axes) + " numbers for each token",
         std::to_string(numbers.size()));
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) positions.all()[i] = numbers[i];
  return positions;
}

[[gnu::noinline]] inline std::vector<std::string> to_words(const val& array, const std::string& field) {
  std::vector<std::string> words;
  const auto size = array["length"].as<std::size_t>();
  for (std::size_t i = 0; i < size; ++i) words.push_back(to_string(array[i], field));
  return words;
}

inline ParamValue to_param(const val& value, const std::string& field) {
  if (value.isTrue() || value.isFalse()) return value.isTrue();
  if (value.isNumber()) return value.as<double>();
  if (value.isString()) return value.as<std::string>();
  if (value.isArray()) {
    std::vector<double> list;
    const auto size = value["length"].as<std::size_t>();
    for (std::size_t i = 0; i < size; ++i) list.push_back(to_number(value[i], field));
    return list;
  }
  wrong_type(field, "be true or false, a number, a string or a list of numbers", value);
}

inline Dims to_dims(const val& dims) {
  return {.d_model = to_int(dims["d_model"], "dims.d_model"),
          .n_heads = to_int(dims["n_heads"], "dims.n_heads"),
          .head_dim = to_int(dims["head_dim"], "dims.head_dim")};
}

/// { encoding, dims, params, weights? }
inline Spec to_spec(const val& object) {
  Spec spec;
  spec.encoding = to_string(object["encoding"], "encoding");
  spec.dims = to_dims(object["dims"]);
  const val names = val::global("Object").call<val>("keys", object["params"]);
  for (const std::string& name : to_words(names, "params")) {
    spec.params.emplace(name, to_param(object["params"][name], name));
  }
  if (const auto weights = member(object, "weights")) spec.weights = to_floats(*weights);
  return spec;
}

[[gnu::noinline]] inline Mask to_mask(const val& mask) {
  const std::string kind = to_string(mask["kind"], "mask.kind");
  if (kind == "none") return {};
  if (kind == "causal") return {.kind = Mask::Kind::causal};
  if (kind == "window") return {.kind = Mask::Kind::window, .size = to_int(mask["size"], "mask.size")};
  fail(ErrorCode::out_of_range, "", "mask.kind", "be one of none, causal, window", '"' + kind + '"');
}

/// { seed, head, mask, offset }
[[gnu::noinline]] inline Layer to_layer(const val& object) {
  const double seed = to_number(object["seed"], "seed");
  if (!(seed >= 0.0 && seed <= kMaxSeed) || seed != static_cast<double>(static_cast<std::uint64_t>(seed))) {
    fail(ErrorCode::out_of_range, "", "seed", "be a whole number from 0 to 2^53 - 1", to_text(seed));
  }
  return {.seed = static_cast<std::uint64_t>(seed),
          .head = to_int(object["head"], "head"),
          .mask = to_mask(object["mask"]),
          .offset = to_number(object["offset"], "offset")};
}

inline Operand to_operand(const val& value) {
  const std::string name = to_string(value, "operand");
  if (name == "q") return Operand::q;
  if (name == "k") return Operand::k;
  fail(ErrorCode::out_of_range, "", "operand", "be q or k", '"' + name + '"');
}

inline double to_seq_len(const val& value) {
  const double seq_len = to_number(value, "seq_len");
  validate_seq_len(seq_len);
  return seq_len;
}

/// { data, rows, cols }
inline Matrix<float> to_matrix(const val& object, const std::string& field) {
  const int rows = to_int(object["rows"], field + ".rows");
  const int cols = to_int(object["cols"], field + ".cols");
  const auto length = object["data"]["length"].as<double>();
  if (rows < 0 || cols < 0 || length != static_cast<double>(rows) * cols) {
    fail(ErrorCode::shape_mismatch, "", field, "have rows * cols numbers",
         std::to_string(rows) + " x " + std::to_string(cols) + " with " + to_text(length));
  }
  Matrix<float> matrix(rows, cols);
  val(emscripten::typed_memory_view(matrix.all().size(), matrix.all().data())).call<void>("set", object["data"]);
  return matrix;
}

/// The matrix of one head out of a list with one for each.
inline Matrix<float> to_head_matrix(const val& heads, int head, int n_heads, const std::string& field) {
  const int given = heads["length"].as<int>();
  if (given != n_heads) {
    fail(ErrorCode::shape_mismatch, "", field, "have " + std::to_string(n_heads) + " heads, as q has",
         std::to_string(given));
  }
  return to_matrix(heads[head], field);
}

// ---- out ----------------------------------------------------------------------------------------------------------

template <class T>
val copied(const char* array_type, std::span<const T> numbers) {
  return val::global(array_type).new_(emscripten::typed_memory_view(numbers.size(), numbers.data()));
}

[[gnu::noinline]] inline val from_matrix(const Matrix<float>& matrix) {
  val object = val::object();
  object.set("data", copied<float>("Float32Array", matrix.all()));
  object.set("rows", matrix.rows());
  object.set("cols", matrix.cols());
  return object;
}

/// Matrices of one size, as { data, shape: [count, rows, cols] }.
[[gnu::noinline]] inline val from_matrices(const std::vector<Matrix<float>>& matrices) {
  const int rows = matrices.empty() ? 0 : matrices.front().rows();
  const int cols = matrices.empty() ? 0 : matrices.front().cols();
  const std::size_t size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  val data = val::global("Float32Array").new_(static_cast<double>(size * matrices.size()));
  val shape = val::array();
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    data.call<void>("set", val(emscripten::typed_memory_view(size, matrices[i].all().data())),
                    static_cast<double>(i * size));
  }
  shape.call<void>("push", static_cast<double>(matrices.size()), rows, cols);
  val object = val::object();
  object.set("data", data);
  object.set("shape", shape);
  return object;
}

[[gnu::noinline]] inline val from_attention(const HeadAttention& head) {
  val parts = val::object();
  parts.set("content", from_matrix(head.content));
  parts.set("position", from_matrix(head.position));
  parts.set("bias", from_matrix(head.bias));
  val object = val::object();
  object.set("weights", from_matrix(head.weights));
  object.set("logits", from_matrix(head.logits));
  object.set("parts", parts);
  object.set("output", from_matrix(head.output));
  return object;
}

inline val from_comparison(const Comparison& comparison) {
  val largest_at = val::object();
  largest_at.set("query", comparison.max_query);
  largest_at.set("key", comparison.max_key);
  val object = val::object();
  object.set("a", from_attention(comparison.a));
  object.set("b", from_attention(comparison.b));
  object.set("mapping", copied<int>("Int32Array", comparison.mapping));
  object.set("bInOrderOfA", from_matrix(comparison.b_in_a));
  object.set("delta", from_matrix(comparison.delta));
  object.set("maxDelta", comparison.max_delta);
  object.set("maxDeltaAt", largest_at);
  object.set("exact", comparison.max_query >= 0 && comparison.max_delta == 0.0F);
  return object;
}

inline val from_invariance(const Invariance& invariance) {
  val object = val::object();
  object.set("holds", invariance.max_change < kInvarianceTolerance);
  object.set("maxChange", invariance.max_change);
  object.set("exact", invariance.max_change == 0.0F);
  object.set("tried", invariance.tried);
  return object;
}

inline val from_text(std::string_view text) { return val(std::string(text)); }

[[gnu::noinline]] inline val from_error(std::string_view code, const std::string& message,
                                        const std::string& field = "", const std::string& rule = "",
                                        const std::string& value = "") {
  val error = val::object();
  error.set("code", from_text(code));
  error.set("message", message);
  error.set("field", field);
  error.set("rule", rule);
  error.set("value", value);
  val outcome = val::object();
  outcome.set("error", error);
  return outcome;
}

inline val out_of_memory() {
  return from_error(to_string(ErrorCode::out_of_memory), "the result does not fit into memory; ask for less at once");
}

/// What a caught exception says, as { error }. One copy for all functions: call it inside a catch block.
[[gnu::noinline]] inline val from_current_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return from_error(to_string(error.code()), error.what(), error.field(), error.rule(), error.value());
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {  // more elements than a vector can ever hold
    return out_of_memory();
  } catch (const std::exception& error) {
    return from_error("internal", error.what());
  }
}

/// Runs `f` and returns { value } or { error: { code, message, field, rule, value } }: a C++ exception that reaches
/// JavaScript has no message.
template <class Outcome, class F>
Outcome guarded(F f) {
  try {
    val outcome = val::object();
    outcome.set("value", f());
    return Outcome(outcome);
  } catch (...) {
    return Outcome(from_current_exception());
  }
}

}  // namespace posenc::convert
