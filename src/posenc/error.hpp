#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace posenc {

/// What kind of rule an input broke. The names are the codes that every language sees (`to_string`).
enum class ErrorCode {
  unknown_encoding,
  unknown_param,
  wrong_type,
  not_finite,
  out_of_range,
  shape_mismatch,
  missing_seam,
  position_out_of_range,
  empty_input,
  out_of_memory,
};

/// The code as it is written in JSON and JavaScript, for example "out_of_range".
[[nodiscard]] std::string_view to_string(ErrorCode code);

/// Bad input: which field, the rule that it broke, and the value that was given.
///
/// what() reads "rope: rotary_dim must be even, got 7"; the parts are there for programs.
class Error : public std::runtime_error {
 public:
  /// Views: they only need to live until the constructor has returned.
  struct Parts {
    ErrorCode code;
    std::string_view subject;  ///< whose field it is, for example an encoding id; may be empty
    std::string_view field;    ///< snake_case path, for example "rotary_dim" or "dims.n_heads"
    std::string_view rule;     ///< completes the sentence "<field> must ..."
    std::string_view value;    ///< what was given
  };

  explicit Error(const Parts& parts);

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] const std::string& field() const noexcept { return field_; }
  [[nodiscard]] const std::string& rule() const noexcept { return rule_; }
  [[nodiscard]] const std::string& value() const noexcept { return value_; }

 private:
  ErrorCode code_;
  std::string field_;
  std::string rule_;
  std::string value_;
};

/// Throws the error; see Error::Parts. Out of line, for a smaller module.
[[noreturn]] void fail(ErrorCode code, std::string_view subject, std::string_view field, std::string_view rule,
                       std::string_view value);

/// Decimal text for a message, up to 16 digits ("0.1", "16", "1e-7", "nan").
[[nodiscard]] std::string to_text(double number);

}  // namespace posenc
