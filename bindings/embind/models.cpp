/// Readers for JavaScript, which holds them by handle; all else are plain values.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <emscripten/bind.h>

#include "posenc/posenc.hpp"

#include "convert.hpp"

namespace {

using emscripten::val;
using namespace posenc;           // NOLINT: the surface names most of it
using namespace posenc::convert;  // NOLINT

/// A reader and, while it is trained, its training.
struct Held {
  Reader reader;
  std::optional<ReaderTraining> training = std::nullopt;
};

/// The handle is the place; an empty place is free.
std::vector<std::optional<Held>> readers;

val hold(Reader reader) {
  std::size_t place = 0;
  while (place < readers.size() && readers[place]) ++place;
  if (place == readers.size()) readers.emplace_back();
  readers[place].emplace(Held{std::move(reader)});
  return val(place);
}

/// TypeScript has the handles of readers only.
Held& at(const val& handle) { return readers.at(handle.as<std::size_t>()).value(); }

const Reader& reader_at(const val& handle) { return at(handle).reader; }

ReaderHead to_head(const val& object) {
  return {.layer = to_int(object["layer"], "layer"), .head = to_int(object["head"], "head")};
}

FloatWidth to_width(const val& value) {
  const std::string name = to_string(value, "width");
  if (name == "half") return FloatWidth::half;
  if (name == "single") return FloatWidth::single;
  fail(ErrorCode::out_of_range, "", "width", "be half or single", '"' + name + '"');
}

val from_numbers(std::span<const double> numbers) {
  val list = val::array();
  for (const double number : numbers) list.call<void>("push", number);
  return list;
}

val from_param(const ParamValue& value) {
  return std::visit(
      [](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::vector<double>>)
          return from_numbers(held);
        else
          return val(held);
      },
      value);
}

val from_params(const Spec& spec) {
  val params = val::object();
  for (const auto& [name, value] : spec.params) params.set(name, from_param(value));
  return params;
}

val from_mask(const Mask& mask) {
  val object = val::object();
  switch (mask.kind) {
    case Mask::Kind::none:
      object.set("kind", "none");
      break;
    case Mask::Kind::causal:
      object.set("kind", "causal");
      break;
    case Mask::Kind::window:
      object.set("kind", "window");
      object.set("size", mask.size);
      break;
  }
  return object;
}

/// The sizes of every reader.
val sizes() {
  val dims = val::object();
  dims.set("dModel", kReaderDims.d_model);
  dims.set("nHeads", kReaderDims.n_heads);
  dims.set("headDim", kReaderDims.head_dim);
  val object = val::object();
  object.set("dims", dims);
  object.set("layers", kReaderLayers);
  return object;
}

val create(const val& spec, const val& mask, const val& seed) {
  return guarded(
      [&] { return hold(Reader({.encoding = to_spec(spec), .mask = to_mask(mask), .seed = to_seed(seed)})); });
}

val load_file(const val& file) {
  return guarded([&] {
    std::vector<std::uint8_t> bytes(file["length"].as<std::size_t>());
    set_all<std::uint8_t>(bytes, file);
    return hold(Reader::load(std::as_bytes(std::span(bytes))));
  });
}

void release(const val& handle) { readers.at(handle.as<std::size_t>()).reset(); }

/// { encoding, params, mask, seed, steps }
val setup_of(const val& handle) {
  return guarded([&] {
    const auto& [encoding, mask, seed] = reader_at(handle).setup();
    val result = val::object();
    result.set("encoding", encoding.encoding);
    result.set("params", from_params(encoding));
    result.set("mask", from_mask(mask));
    result.set("seed", static_cast<double>(seed));
    result.set("steps", reader_at(handle).steps());
    return result;
  });
}

val answer(const val& handle, const val& words) {
  return guarded([&] {
    const ReaderAnswer answer = reader_at(handle).answer(to_words(words, "words"));
    val result = val::object();
    result.set("who", copied<float>("Float32Array", answer.who));
    result.set("whom", copied<float>("Float32Array", answer.whom));
    return result;
  });
}

val attention(const val& handle, const val& words, const val& head) {
  return guarded([&] { return from_attention(reader_at(handle).attend(to_words(words, "words"), to_head(head))); });
}

val compare_words(const val& handle, const val& a, const val& b, const val& head) {
  return guarded(
      [&] { return from_comparison(reader_at(handle).compare(to_words(a, "a"), to_words(b, "b"), to_head(head))); });
}

val save(const val& handle, const val& width) {
  return guarded([&] {
    const std::vector<std::byte> file = reader_at(handle).save(to_width(width));
    return val::global("Uint8Array")
        .new_(emscripten::typed_memory_view(file.size(), reinterpret_cast<const std::uint8_t*>(file.data())));
  });
}

/// Begins a training of `steps` steps.
val begin(const val& handle, const val& steps) {
  return guarded([&] {
    Held& held = at(handle);
    const ReaderTrainingSettings settings{.steps = to_int(steps, "steps")};
    held.training.emplace(held.reader, settings);
    return val(settings.steps);
  });
}

/// One step of the training that has begun: { loss, accuracy, done }.
val step(const val& handle) {
  return guarded([&] {
    ReaderTraining& training = at(handle).training.value();
    const ReaderStep step = training.step();
    val result = val::object();
    result.set("loss", step.loss);
    result.set("accuracy", step.accuracy);
    result.set("done", training.done());
    return result;
  });
}

}  // namespace

EMSCRIPTEN_BINDINGS(posenc_models) {
  using emscripten::function;

  function("sizes", &sizes);
  function("create(spec, mask, seed)", &create);
  function("load(file)", &load_file);
  function("release(handle)", &release);
  function("setup(handle)", &setup_of);
  function("answer(handle, words)", &answer);
  function("attention(handle, words, head)", &attention);
  function("compare(handle, a, b, head)", &compare_words);
  function("save(handle, width)", &save);
  function("begin(handle, steps)", &begin);
  function("step(handle)", &step);
}
