#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace posenc::models {

struct JsonMember;

/// A value of a JSON text.
struct Json {
  using Array = std::vector<Json>;
  using Object = std::vector<JsonMember>;

  std::variant<std::nullptr_t, bool, double, std::string, Array, Object> value = nullptr;

  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&value);
  }
  /// Member of an object; null where it is no object or has none of that name.
  [[nodiscard]] const Json* find(std::string_view name) const;
};

struct JsonMember {
  std::string name;
  Json value;
};

/// @param field   names the text in errors
/// @throws Error  wrong_type
[[nodiscard]] Json parse_json(std::string_view text, std::string_view field);

/// The text between quotes, with them.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace posenc::models
