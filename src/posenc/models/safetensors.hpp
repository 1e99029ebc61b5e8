#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "posenc/reader.hpp"

namespace posenc::models {

/// The safetensors format: the size of a header, a header in JSON, then numbers.
/// @source https://github.com/huggingface/safetensors#format

struct Tensor {
  std::string name;
  std::vector<int> shape;
  std::vector<float> numbers;
};

struct TensorFile {
  std::map<std::string, std::string, std::less<>> metadata;
  std::vector<Tensor> tensors;

  /// @throws Error  wrong_type where the metadata lack it, field metadata.<name>
  [[nodiscard]] const std::string& text(std::string_view name) const;
};

/// The same bytes everywhere.
/// @throws Error  not_finite, field is the name of the tensor (beyond 65504 in half precision)
[[nodiscard]] std::vector<std::byte> write_tensors(const TensorFile& file, FloatWidth width);

/// Reads tensors of half (F16) and single precision (F32).
/// @throws Error  wrong_type, out_of_range, shape_mismatch, not_finite; field "file" or the name of a tensor
[[nodiscard]] TensorFile read_tensors(std::span<const std::byte> bytes);

}  // namespace posenc::models
