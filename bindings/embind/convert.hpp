#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <emscripten/val.h>

#include "posenc/posenc.hpp"

/// JavaScript values <-> C++ values. What comes in is checked by type here and by meaning in the library; what goes out
/// is a copy, never a view of WebAssembly memory, but for the view of a WasmArray.
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

/// Sizes multiplied in double, where they cannot wrap around; malloc knows how much less there is.
inline std::size_t to_count(double product) {
  if (product > PTRDIFF_MAX / sizeof(float)) throw std::bad_alloc();
  return static_cast<std::size_t>(product);
}

/// Copies a typed array of the same length.
template <class T>
void set_all(std::span<T> to, const val& array) {
  val(emscripten::typed_memory_view(to.size(), to.data())).call<void>("set", array);
}

[[gnu::noinline]] inline Matrix<double> to_positions(const val& array, int axes) {
  const std::size_t count = to_count(array["length"].as<double>());
  Matrix<double> positions(static_cast<int>(count / static_cast<std::size_t>(axes)), axes);
  if (positions.all().size() != count) {
    fail(ErrorCode::shape_mismatch, "", "positions", "have " + std::to_string(axes) + " numbers for each token",
         std::to_string(count));
  }
  set_all<double>(positions.all(), array);
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
  if (const auto weights = member(object, "weights"))
    spec.weights = emscripten::convertJSArrayToNumberVector<float>(*weights);
  return spec;
}

[[gnu::noinline]] inline Mask to_mask(const val& mask) {
  const std::string kind = to_string(mask["kind"], "mask.kind");
  if (kind == "none") return {};
  if (kind == "causal") return {.kind = Mask::Kind::causal};
  if (kind == "window") return {.kind = Mask::Kind::window, .size = to_int(mask["size"], "mask.size")};
  fail(ErrorCode::out_of_range, "", "mask.kind", "be one of none, causal, window", '"' + kind + '"');
}

inline std::uint64_t to_seed(const val& value) {
  const double seed = to_number(value, "seed");
  if (!(seed >= 0.0 && seed <= kMaxSeed) || seed != static_cast<double>(static_cast<std::uint64_t>(seed))) {
    fail(ErrorCode::out_of_range, "", "seed", "be a whole number from 0 to 2^53 - 1", to_text(seed));
  }
  return static_cast<std::uint64_t>(seed);
}

/// { seed, head, mask, offset }
[[gnu::noinline]] inline Layer to_layer(const val& object) {
  return {.seed = to_seed(object["seed"]),
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

// ---- floats, in and out -------------------------------------------------------------------------------------------

/// Floats in WebAssembly memory: `own`, which leaves as a copy, or those of a WasmArray, and then `own` is null.
struct Floats {
  std::unique_ptr<float[]> own;
  std::span<float> all;
};

/// Floats that nobody has set yet.
inline Floats allocate(double count) {
  const std::size_t size = to_count(count);
  Floats floats{.own = std::make_unique_for_overwrite<float[]>(size), .all = {}};
  floats.all = {floats.own.get(), size};
  return floats;
}

/// What WasmArrays hold. The handle is the place; a place without memory is free.
inline std::vector<Floats> wasm_arrays;

/// The floats of a WasmArray, which must be `count`.
[[gnu::noinline]] inline std::span<float> held(const val& handle, double count, const std::string& field) {
  const std::span<float> floats = wasm_arrays.at(handle.as<std::size_t>()).all;
  if (static_cast<double>(floats.size()) != count) {
    fail(ErrorCode::shape_mismatch, "", field, "have " + to_text(count) + " numbers", std::to_string(floats.size()));
  }
  return floats;
}

/// Where a result goes: into the WasmArray that was given, or into floats of its own.
[[gnu::noinline]] inline Floats to_target(const val& out, double count, const std::string& field) {
  if (out.isUndefined()) return allocate(count);
  return {.own = nullptr, .all = held(out, count, field)};
}

/// Copies a typed array or a WasmArray of the same length, unless it is already there.
[[gnu::noinline]] inline void set_floats(std::span<float> to, const val& data, const std::string& field) {
  if (!data.isNumber()) return set_all(to, data);
  const std::span<float> from = held(data, static_cast<double>(to.size()), field);
  if (from.data() != to.data()) std::ranges::copy(from, to.begin());
}

/// Row-major [head][row][col].
struct Shape {
  int heads = 1;
  int rows = 0;
  int cols = 0;

  [[nodiscard]] double count() const { return static_cast<double>(heads) * rows * cols; }
  [[nodiscard]] MatrixView<float> head(std::span<float> all, int head) const {
    const std::size_t size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    return {all.subspan(static_cast<std::size_t>(head) * size, size), rows, cols};
  }
  /// [head * row][col]
  [[nodiscard]] MatrixView<float> all(std::span<float> all) const {
    return {all, static_cast<int>(to_count(static_cast<double>(heads) * rows)), cols};
  }
};

/// The sizes of { data, heads, rows, cols }, which agree with the data: TypeScript has looked.
[[gnu::noinline]] inline Shape to_shape(const val& object) {
  return {object["heads"].as<int>(), object["rows"].as<int>(), object["cols"].as<int>()};
}

/// An input of attention, [head][token][channel]: a typed array is copied, a WasmArray is not.
struct Heads {
  Shape shape;
  Floats floats;

  [[gnu::noinline]] Heads(const val& object, const std::string& field) : shape(to_shape(object)) {
    const val data = object["data"];
    if (data.isNumber()) {
      floats.all = held(data, shape.count(), field);
    } else {
      floats = allocate(shape.count());
      set_all(floats.all, data);
    }
  }
  [[nodiscard]] MatrixView<const float> head(int head) const { return shape.head(floats.all, head); }
  [[nodiscard]] MatrixView<const float> all() const { return shape.all(floats.all); }
};

// ---- out ----------------------------------------------------------------------------------------------------------

template <class T>
val copied(const char* array_type, std::span<const T> numbers) {
  return val::global(array_type).new_(emscripten::typed_memory_view(numbers.size(), numbers.data()));
}

/// { data, rows, cols }
[[gnu::noinline]] inline val from_matrix(const val& data, int rows, int cols) {
  val object = val::object();
  object.set("data", data);
  object.set("rows", rows);
  object.set("cols", cols);
  return object;
}

[[gnu::noinline]] inline val from_matrix(const Matrix<float>& matrix) {
  return from_matrix(copied<float>("Float32Array", matrix.all()), matrix.rows(), matrix.cols());
}

/// The floats of a result as a copy; null: they are in a WasmArray, which the caller has.
[[gnu::noinline]] inline val from_floats(const Floats& floats) {
  return floats.own == nullptr ? val::null() : copied<float>("Float32Array", floats.all);
}

/// { data, shape }
[[gnu::noinline]] inline val from_tensor(const val& data, const Shape& shape) {
  val sizes = val::array();
  sizes.call<void>("push", shape.heads, shape.rows, shape.cols);
  val object = val::object();
  object.set("data", data);
  object.set("shape", sizes);
  return object;
}

/// One matrix for each head, of one size, written one after the other into a JavaScript array.
class HeadByHead {
 public:
  explicit HeadByHead(const Shape& shape)
      : shape_(shape), data_(val::global("Float32Array").new_(static_cast<double>(to_count(shape.count())))) {}

  void set(int head, const Matrix<float>& matrix) {
    data_.call<void>("set", val(emscripten::typed_memory_view(matrix.all().size(), matrix.all().data())),
                     static_cast<double>(head) * shape_.rows * shape_.cols);
  }
  [[nodiscard]] val tensor() const { return from_tensor(data_, shape_); }

 private:
  Shape shape_;
  val data_;
};

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
template <class Outcome = val, class F>
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
