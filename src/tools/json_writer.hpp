#pragma once

#include <string>
#include <string_view>

namespace posenc {

/// Writes JSON as a stream of calls; commas and quotes are its business. Numbers are shortest round-trip, an infinite
/// one is null.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(double number);
  JsonWriter& value(bool flag);
  JsonWriter& null();

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();
  void quote(std::string_view text);

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace posenc
