#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "posenc/error.hpp"
#include "posenc/reader.hpp"
#include "posenc/seeded.hpp"

#include "models/json.hpp"
#include "models/reader_parts.hpp"
#include "models/safetensors.hpp"

namespace posenc {
namespace {

using models::Json;
using models::NamedSlice;
using models::Tensor;
using models::TensorFile;

constexpr std::string_view kModel = "posenc reader";
constexpr std::string_view kVersion = "1";  ///< of the meaning of the file; another one cannot be read
constexpr std::string_view kWindow = "window:";

std::string mask_text(const Mask& mask) {
  switch (mask.kind) {
    case Mask::Kind::none:
      return "none";
    case Mask::Kind::causal:
      return "causal";
    case Mask::Kind::window:
      return std::string(kWindow) + std::to_string(mask.size);
  }
  return "none";
}

std::string param_text(const ParamValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const double* number = std::get_if<double>(&value)) return to_text(*number);
  if (const std::string* text = std::get_if<std::string>(&value)) return models::json_string(*text);
  std::string list = "[";
  for (const double number : std::get<std::vector<double>>(value))
    list += (list.size() > 1 ? "," : "") + to_text(number);
  return list += ']';
}

std::string params_text(const Spec& spec) {
  std::string text = "{";
  for (const auto& [name, value] : spec.params) {
    text += (text.size() > 1 ? "," : "") + models::json_string(name) + ":" + param_text(value);
  }
  return text += '}';
}

[[noreturn]] void refuse(std::string_view name, std::string_view rule, std::string_view value) {
  fail(ErrorCode::out_of_range, "", "metadata." + std::string(name), rule, value);
}

void require(const TensorFile& file, std::string_view name, std::string_view wanted) {
  if (file.text(name) != wanted) refuse(name, "be " + std::string(wanted), file.text(name));
}

std::uint64_t whole_number(std::string_view text, std::string_view name, double largest) {
  double number = 0.0;
  const bool digits = !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  for (const char digit : text) number = number * 10.0 + (digit - '0');
  if (!digits || number > largest) refuse(name, "be a whole number up to " + to_text(largest), text);
  return static_cast<std::uint64_t>(number);
}

Mask mask_of(const std::string& text) {
  constexpr double kLargest = 1e9;
  if (text == "none") return {};
  if (text == "causal") return {.kind = Mask::Kind::causal};
  if (!text.starts_with(kWindow)) refuse("mask", "be none, causal or window:size", text);
  const auto size = whole_number(std::string_view(text).substr(kWindow.size()), "mask", kLargest);
  return {.kind = Mask::Kind::window, .size = static_cast<int>(size)};
}

ParamValue param_of(const Json& json, const std::string& name) {
  if (const bool* flag = json.as<bool>()) return *flag;
  if (const double* number = json.as<double>()) return *number;
  if (const std::string* text = json.as<std::string>()) return *text;
  const Json::Array* array = json.as<Json::Array>();
  std::vector<double> list;
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
    if (const double* number = (*array)[i].as<double>()) list.push_back(*number);
  }
  if (array == nullptr || list.size() != array->size()) {
    fail(ErrorCode::wrong_type, "", name, "be true or false, a number, a string or a list of numbers",
         "something else");
  }
  return list;
}

Spec encoding_of(const TensorFile& file) {
  Spec spec;
  spec.encoding = file.text("encoding");
  const Json params = models::parse_json(file.text("params"), "metadata.params");
  const Json::Object* members = params.as<Json::Object>();
  if (members == nullptr) fail(ErrorCode::wrong_type, "", "metadata.params", "be an object", "something else");
  for (const auto& [name, value] : *members) spec.params.emplace(name, param_of(value, name));
  return spec;
}

void read(const TensorFile& file, const NamedSlice& named, std::span<float> parameters) {
  const auto found = std::ranges::find(file.tensors, named.name, &Tensor::name);
  if (found == file.tensors.end()) fail(ErrorCode::shape_mismatch, "", named.name, "be in the file", "nothing");
  if (found->shape != named.shape) {
    std::string got;
    for (const int size : found->shape) got += (got.empty() ? "" : " x ") + std::to_string(size);
    fail(ErrorCode::shape_mismatch, "", named.name,
         "be " + std::to_string(named.slice.rows) + " x " + std::to_string(named.slice.cols), got);
  }
  std::ranges::copy(found->numbers, named.slice.flat(parameters).begin());
}

}  // namespace

std::vector<std::byte> Reader::save(FloatWidth width) const {
  TensorFile file;
  file.metadata = {{"model", std::string(kModel)},
                   {"version", std::string(kVersion)},
                   {"encoding", parts_->setup.encoding.encoding},
                   {"params", params_text(parts_->setup.encoding)},
                   {"mask", mask_text(parts_->setup.mask)},
                   {"seed", std::to_string(parts_->setup.seed)},
                   {"steps", std::to_string(parts_->steps)}};
  for (const NamedSlice& named : parts_->model.layout().slices()) {
    const std::span<const float> numbers = named.slice.flat(parameters());
    file.tensors.push_back({named.name, named.shape, {numbers.begin(), numbers.end()}});
  }
  return models::write_tensors(file, width);
}

Reader Reader::load(std::span<const std::byte> bytes) {
  const TensorFile file = models::read_tensors(bytes);
  require(file, "model", kModel);
  require(file, "version", kVersion);
  Reader reader({.encoding = encoding_of(file),
                 .mask = mask_of(file.text("mask")),
                 .seed = whole_number(file.text("seed"), "seed", kMaxSeed)});
  constexpr double kMostSteps = 1e9;
  reader.parts_->steps = static_cast<int>(whole_number(file.text("steps"), "steps", kMostSteps));
  models::ReaderModel& model = reader.parts_->model;
  for (const Tensor& tensor : file.tensors) {
    if (std::ranges::find(model.layout().slices(), tensor.name, &NamedSlice::name) == model.layout().slices().end()) {
      fail(ErrorCode::shape_mismatch, "", tensor.name, "be a tensor of the reader", "another one");
    }
  }
  for (const NamedSlice& named : model.layout().slices()) read(file, named, model.mutable_parameters());
  model.changed();
  return reader;
}

}  // namespace posenc
