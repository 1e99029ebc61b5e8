#include "models/safetensors.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "posenc/error.hpp"

#include "models/half.hpp"
#include "models/json.hpp"

namespace posenc::models {
namespace {

constexpr std::size_t kSizeBytes = 8;
constexpr std::string_view kMetadata = "__metadata__";

std::size_t bytes_of(FloatWidth width) { return width == FloatWidth::half ? 2 : 4; }

void add_number(std::uint64_t number, std::size_t bytes, std::vector<std::byte>& out) {
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(number >> (8 * i)));
}

/// Little-endian.
std::uint64_t number_at(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8U | std::to_integer<std::uint64_t>(bytes[i]);
  return number;
}

std::string header_of(const TensorFile& file, FloatWidth width) {
  std::string header = "{" + json_string(kMetadata) + ":{";
  for (const auto& [name, text] : file.metadata) {
    if (header.back() != '{') header += ',';
    header += json_string(name) + ":" + json_string(text);
  }
  header += '}';
  std::size_t begin = 0;
  for (const Tensor& tensor : file.tensors) {
    const std::size_t end = begin + tensor.numbers.size() * bytes_of(width);
    header += "," + json_string(tensor.name) + ":{\"dtype\":\"" + (width == FloatWidth::half ? "F16" : "F32") +
              "\",\"shape\":[";
    for (const int size : tensor.shape) header += (header.back() == '[' ? "" : ",") + std::to_string(size);
    header += "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
    begin = end;
  }
  header += '}';
  while (header.size() % kSizeBytes != 0) header += ' ';
  return header;
}

[[noreturn]] void refuse_file(ErrorCode code, std::string_view rule, std::string_view value) {
  fail(code, "safetensors", "file", rule, value);
}

/// A whole number from 0 on, as sizes and offsets are.
std::uint64_t whole(const Json& json, std::string_view field) {
  constexpr double kLargest = 1e12;
  const double* number = json.as<double>();
  if (number == nullptr || !(*number >= 0.0 && *number <= kLargest) || *number != std::floor(*number)) {
    fail(ErrorCode::wrong_type, "safetensors", field, "have whole numbers as shape and offsets", "something else");
  }
  return static_cast<std::uint64_t>(*number);
}

const Json::Array& array(const Json& tensor, std::string_view member, std::string_view field) {
  const Json* found = tensor.find(member);
  const Json::Array* result = found != nullptr ? found->as<Json::Array>() : nullptr;
  if (result == nullptr) fail(ErrorCode::wrong_type, "safetensors", field, "have shape and data_offsets", "none");
  return *result;
}

FloatWidth width_of(const Json& tensor, std::string_view field) {
  const Json* found = tensor.find("dtype");
  const std::string* name = found != nullptr ? found->as<std::string>() : nullptr;
  if (name != nullptr && *name == "F16") return FloatWidth::half;
  if (name != nullptr && *name == "F32") return FloatWidth::single;
  fail(ErrorCode::wrong_type, "safetensors", field, "have the dtype F16 or F32", name != nullptr ? *name : "none");
}

float float_at(std::span<const std::byte> bytes) {
  const std::uint64_t number = number_at(bytes);
  return bytes.size() == 2 ? from_half(static_cast<std::uint16_t>(number))
                           : std::bit_cast<float>(static_cast<std::uint32_t>(number));
}

Tensor read_tensor(const std::string& name, const Json& description, std::span<const std::byte> data) {
  Tensor tensor{.name = name, .shape = {}, .numbers = {}};
  const std::size_t bytes = bytes_of(width_of(description, name));
  std::uint64_t count = 1;
  for (const Json& size : array(description, "shape", name)) {
    const std::uint64_t length = whole(size, name);
    if (length > data.size() || count * length > data.size()) {
      fail(ErrorCode::out_of_range, "safetensors", name, "have a shape no larger than the file",
           std::to_string(length));
    }
    count *= length;
    tensor.shape.push_back(static_cast<int>(length));
  }
  const Json::Array& offsets = array(description, "data_offsets", name);
  const std::uint64_t begin = offsets.size() == 2 ? whole(offsets[0], name) : 1;
  const std::uint64_t end = offsets.size() == 2 ? whole(offsets[1], name) : 0;
  if (begin > end || end > data.size()) {
    fail(ErrorCode::out_of_range, "safetensors", name, "have data_offsets within the file",
         std::to_string(begin) + " to " + std::to_string(end));
  }
  if (end - begin != count * bytes) {
    fail(ErrorCode::shape_mismatch, "safetensors", name, "have as many bytes as its shape says",
         std::to_string(end - begin));
  }
  const auto first = static_cast<std::size_t>(begin);
  const auto size = static_cast<std::size_t>(end - begin);
  for (std::span<const std::byte> rest = data.subspan(first, size); !rest.empty(); rest = rest.subspan(bytes)) {
    tensor.numbers.push_back(float_at(rest.first(bytes)));
    if (!std::isfinite(tensor.numbers.back())) {
      fail(ErrorCode::not_finite, "safetensors", name, "have finite numbers",
           to_text(static_cast<double>(tensor.numbers.back())));
    }
  }
  return tensor;
}

void read_metadata(const Json& json, TensorFile& file) {
  const Json::Object* object = json.as<Json::Object>();
  if (object == nullptr) refuse_file(ErrorCode::wrong_type, "have an object of strings as metadata", "something else");
  for (const JsonMember& member : *object) {
    const std::string* text = member.value.as<std::string>();
    if (text == nullptr) refuse_file(ErrorCode::wrong_type, "have strings as metadata", member.name);
    file.metadata.emplace(member.name, *text);
  }
}

}  // namespace

const std::string& TensorFile::text(std::string_view name) const {
  const auto found = metadata.find(name);
  if (found != metadata.end()) return found->second;
  fail(ErrorCode::wrong_type, "", "metadata." + std::string(name), "be given", "nothing");
}

std::vector<std::byte> write_tensors(const TensorFile& file, FloatWidth width) {
  const std::string header = header_of(file, width);
  std::vector<std::byte> out;
  add_number(header.size(), kSizeBytes, out);
  for (const char letter : header) out.push_back(static_cast<std::byte>(letter));
  for (const Tensor& tensor : file.tensors) {
    for (const float number : tensor.numbers) {
      const std::uint16_t half = to_half(number);
      if (!std::isfinite(width == FloatWidth::half ? from_half(half) : number)) {
        fail(ErrorCode::not_finite, "", tensor.name, "have finite numbers", to_text(static_cast<double>(number)));
      }
      add_number(width == FloatWidth::half ? half : std::bit_cast<std::uint32_t>(number), bytes_of(width), out);
    }
  }
  return out;
}

TensorFile read_tensors(std::span<const std::byte> bytes) {
  if (bytes.size() < kSizeBytes) {
    refuse_file(ErrorCode::out_of_range, "begin with the size of its header", std::to_string(bytes.size()) + " bytes");
  }
  const std::uint64_t stated = number_at(bytes.first(kSizeBytes));
  if (stated > bytes.size() - kSizeBytes) {
    refuse_file(ErrorCode::out_of_range, "be as long as its header says", std::to_string(bytes.size()) + " bytes");
  }
  const auto size = static_cast<std::size_t>(stated);
  std::string text;
  for (const std::byte byte : bytes.subspan(kSizeBytes, size)) text += static_cast<char>(byte);
  const Json header = parse_json(text, "file");
  const Json::Object* members = header.as<Json::Object>();
  if (members == nullptr) refuse_file(ErrorCode::wrong_type, "have an object as header", "something else");
  const std::span<const std::byte> data = bytes.subspan(kSizeBytes + size);
  TensorFile file;
  std::size_t numbers = 0;
  for (const auto& [name, value] : *members) {
    if (name == kMetadata) {
      read_metadata(value, file);
      continue;
    }
    numbers += file.tensors.emplace_back(read_tensor(name, value, data)).numbers.size();
    // A small file whose tensors are all of it would fill the memory.
    if (numbers > data.size()) refuse_file(ErrorCode::out_of_range, "have tensors that do not overlap", name);
  }
  return file;
}

}  // namespace posenc::models
