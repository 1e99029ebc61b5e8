#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "posenc/info.hpp"

namespace posenc {

/// Every encoding of the registry, in the order in which people meet them.
[[nodiscard]] std::span<const EncodingInfo* const> encodings();

/// The encoding with this id.
/// @throws Error  unknown_encoding; the rule lists the ids that exist
[[nodiscard]] const EncodingInfo& find_encoding(std::string_view id);

/// Default of a parameter as JSON has it (a choice by its id); empty where the field's `default_from` gives it, or
/// where it is computed from the other parameters.
[[nodiscard]] std::optional<ParamValue> default_value(const FieldInfo& field);

}  // namespace posenc
