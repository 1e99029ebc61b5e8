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
  struct Parts {
    ErrorCode code;
    std::string subject;  ///< whose field it is, for example an encoding id; may be empty
    std::string field;    ///< snake_case path, for example "rotary_dim" or "dims.n_heads"
    std::string rule;     ///< completes the sentence "<field> must ..."
    std::string value;    ///< what was given
  };

  explicit Error(Parts parts);

  [[nodiscard]] ErrorCode code() const noexcept { return parts_.code; }
  [[nodiscard]] const std::string& field() const noexcept { return parts_.field; }
  [[nodiscard]] const std::string& rule() const noexcept { return parts_.rule; }
  [[nodiscard]] const std::string& value() const noexcept { return parts_.value; }

 private:
  Parts parts_;
};

/// Throws the error; see Error::Parts. Out of line: building the parts in place is half a kilobyte of code each time.
[[noreturn]] void fail(ErrorCode code, std::string_view subject, std::string_view field, std::string_view rule,
                       std::string_view value);

/// Decimal text for a message, up to 16 digits ("0.1", "16", "1e-7", "nan").
[[nodiscard]] std::string to_text(double number);

}  // namespace posenc
