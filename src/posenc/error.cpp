#include "posenc/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "kernels/kernels.hpp"

namespace posenc {
namespace {

std::string sentence(const Error::Parts& parts) {
  std::string text(parts.subject);
  if (!text.empty()) text += ": ";
  text.append(parts.field).append(" must ").append(parts.rule);
  if (!parts.value.empty()) text.append(", got ").append(parts.value);
  return text;
}

/// Digits of 0 <= number < 2^53 with as few decimals as read back as the same number, or else `most`.
std::string plain_decimal(double number, int most) {
  double power = 1.0;
  int decimals = 0;
  while (decimals < most && std::nearbyint(number * power) / power != number) {
    power *= 10.0;
    ++decimals;
  }
  std::string digits = std::to_string(static_cast<std::uint64_t>(std::nearbyint(number * power)));
  if (decimals == 0) return digits;
  const auto point = static_cast<std::size_t>(decimals);
  if (digits.size() <= point) digits.insert(0, point + 1 - digits.size(), '0');
  return digits.insert(digits.size() - point, ".");
}

}  // namespace

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::unknown_encoding:
      return "unknown_encoding";
    case ErrorCode::unknown_param:
      return "unknown_param";
    case ErrorCode::wrong_type:
      return "wrong_type";
    case ErrorCode::not_finite:
      return "not_finite";
    case ErrorCode::out_of_range:
      return "out_of_range";
    case ErrorCode::shape_mismatch:
      return "shape_mismatch";
    case ErrorCode::missing_seam:
      return "missing_seam";
    case ErrorCode::position_out_of_range:
      return "position_out_of_range";
    case ErrorCode::empty_input:
      return "empty_input";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
  }
  return "unknown";
}

Error::Error(const Parts& parts)
    : std::runtime_error(sentence(parts)),
      code_(parts.code),
      field_(parts.field),
      rule_(parts.rule),
      value_(parts.value) {}

void fail(ErrorCode code, std::string_view subject, std::string_view field, std::string_view rule,
          std::string_view value) {
  throw Error({code, subject, field, rule, value});
}

// Not std::to_chars: its tables alone would double the size of the WebAssembly module.
std::string to_text(double number) {
  if (std::isnan(number)) return "nan";
  if (number < 0.0 || std::signbit(number)) return "-" + to_text(-number);
  if (std::isinf(number)) return "inf";
  constexpr int kMostDecimals = 15;
  // Powers of ten are normal numbers from here to 1e308.
  constexpr double kSmallest = 1e-307;
  int exponent = static_cast<int>(std::floor(kernels::log(std::max(number, kSmallest)) / std::numbers::ln10));
  if (number / 10.0 >= kernels::pow(10.0, exponent)) ++exponent;
  if (number == 0.0 || (number >= 1e-5 && number < 1e15)) {
    return plain_decimal(number, kMostDecimals - std::max(exponent, 0));
  }
  return plain_decimal(number / kernels::pow(10.0, exponent), kMostDecimals) + "e" + std::to_string(exponent);
}

}  // namespace posenc
