#include "models/json.hpp"

#include <cstdint>
#include <utility>

#include "posenc/error.hpp"

namespace posenc::models {
namespace {

constexpr int kDeepest = 16;
constexpr std::uint64_t kFull = 900000000000000;  ///< a mantissa below this has room for one digit more in double

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

void add_utf8(std::uint32_t point, std::string& text) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto tail = [&](unsigned shift) { add(0x80U | ((point >> shift) & 0x3fU)); };
  if (point < 0x80U) return add(point);
  if (point < 0x800U) {
    add(0xc0U | (point >> 6U));
  } else if (point < 0x10000U) {
    add(0xe0U | (point >> 12U));
    tail(6);
  } else {
    add(0xf0U | (point >> 18U));
    tail(12);
    tail(6);
  }
  tail(0);
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view field) : text_(text), field_(field) {}

  Json whole() {
    Json result = value(0);
    skip_space();
    if (at_ != text_.size()) refuse();
    return result;
  }

 private:
  [[noreturn]] void refuse() const {
    fail(ErrorCode::wrong_type, "", field_, "be JSON", "something else at byte " + std::to_string(at_));
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char next() {
    if (at_ == text_.size()) refuse();
    return text_[at_++];
  }
  bool take(char letter) {
    if (peek() != letter) return false;
    ++at_;
    return true;
  }
  void expect(char letter) {
    if (!take(letter)) refuse();
  }
  void expect(std::string_view word) {
    for (const char letter : word) expect(letter);
  }
  void skip_space() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r') ++at_;
  }

  Json value(int depth) {
    if (depth > kDeepest) refuse();
    skip_space();
    switch (peek()) {
      case '{':
        return {object(depth)};
      case '[':
        return {array(depth)};
      case '"':
        return {string()};
      case 't':
        expect("true");
        return {true};
      case 'f':
        expect("false");
        return {false};
      case 'n':
        expect("null");
        return {nullptr};
      default:
        return {number()};
    }
  }

  /// What stands between brackets, item by item.
  template <class F>
  void items(char open, char close, F item) {
    expect(open);
    skip_space();
    if (take(close)) return;
    do {
      skip_space();
      item();
      skip_space();
    } while (take(','));
    expect(close);
  }

  Json::Object object(int depth) {
    Json::Object result;
    items('{', '}', [&] {
      std::string name = string();
      skip_space();
      expect(':');
      result.push_back({std::move(name), value(depth + 1)});
    });
    return result;
  }

  Json::Array array(int depth) {
    Json::Array result;
    items('[', ']', [&] { result.push_back(value(depth + 1)); });
    return result;
  }

  std::string string() {
    std::string result;
    expect('"');
    for (char letter = next(); letter != '"'; letter = next()) {
      if (static_cast<unsigned char>(letter) < 0x20U) refuse();
      if (letter == '\\') {
        escape(result);
      } else {
        result += letter;
      }
    }
    return result;
  }

  void escape(std::string& result) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char name = next();
    if (name == 'u') return add_utf8(code_point(), result);
    const std::size_t found = kNames.find(name);
    if (found == std::string_view::npos) refuse();
    result += kMeanings[found];
  }

  std::uint32_t code_point() {
    const std::uint32_t first = code_unit();
    if (first < 0xd800U || first > 0xdfffU) return first;
    if (first > 0xdbffU) refuse();
    expect("\\u");
    const std::uint32_t second = code_unit();
    if (second < 0xdc00U || second > 0xdfffU) refuse();
    return 0x10000U + ((first - 0xd800U) << 10U) + (second - 0xdc00U);
  }

  std::uint32_t code_unit() {
    std::uint32_t unit = 0;
    for (int i = 0; i < 4; ++i) {
      const char letter = next();
      const char small = static_cast<char>(letter | 0x20);
      if (!is_digit(letter) && !(small >= 'a' && small <= 'f')) refuse();
      unit = unit * 16U + static_cast<std::uint32_t>(is_digit(letter) ? letter - '0' : small - 'a' + 10);
    }
    return unit;
  }

  /// Fifteen digits or sixteen are read; what follows them is beyond double.
  double number() {
    const bool negative = take('-');
    std::uint64_t mantissa = 0;
    int exponent = 0;
    if (!is_digit(peek())) refuse();
    for (; is_digit(peek()); ++at_) exponent += add_digit(mantissa) ? 0 : 1;
    if (take('.')) {
      if (!is_digit(peek())) refuse();
      for (; is_digit(peek()); ++at_) exponent -= add_digit(mantissa) ? 1 : 0;
    }
    if (take('e') || take('E')) exponent += written_exponent();
    const double size = scaled(static_cast<double>(mantissa), exponent);
    return negative ? -size : size;
  }

  bool add_digit(std::uint64_t& mantissa) const {
    if (mantissa >= kFull) return false;
    mantissa = mantissa * 10U + static_cast<std::uint64_t>(peek() - '0');
    return true;
  }

  int written_exponent() {
    constexpr int kLargest = 1000;
    const bool negative = take('-');
    if (!negative) take('+');
    if (!is_digit(peek())) refuse();
    int size = 0;
    for (; is_digit(peek()); ++at_) size = size < kLargest ? size * 10 + (peek() - '0') : size;
    return negative ? -size : size;
  }

  /// Powers of ten up to 10^22 are exact, so one rounding for numbers as people write them.
  static double scaled(double mantissa, int exponent) {
    if (mantissa == 0.0) return 0.0;
    double power = 1.0;
    for (int i = exponent < 0 ? exponent : -exponent; i < 0; ++i) power *= 10.0;
    return exponent < 0 ? mantissa / power : mantissa * power;
  }

  std::string_view text_;
  std::string_view field_;
  std::size_t at_ = 0;
};

}  // namespace

const Json* Json::find(std::string_view name) const {
  const Object* object = as<Object>();
  if (object == nullptr) return nullptr;
  for (const JsonMember& member : *object) {
    if (member.name == name) return &member.value;
  }
  return nullptr;
}

Json parse_json(std::string_view text, std::string_view field) { return Parser(text, field).whole(); }

std::string json_string(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string result = "\"";
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x20U) {
      result += "\\u00";
      result += kHex[byte >> 4U];
      result += kHex[byte & 15U];
      continue;
    }
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result += '"';
}

}  // namespace posenc::models
