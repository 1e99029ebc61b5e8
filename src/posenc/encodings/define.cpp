#include "encodings/define.hpp"

#include <algorithm>
#include <cmath>

#include "posenc/describe.hpp"
#include "posenc/error.hpp"
#include "posenc/seeded.hpp"

namespace posenc {
namespace {

/// One field of one encoding with what was given for it, for messages.
struct Checked {
  const EncodingInfo& info;
  const FieldInfo& field;
  std::string given;

  [[noreturn]] void fail(ErrorCode code, const std::string& rule) const {
    posenc::fail(code, info.id, field.name, rule, given);
  }
};

std::string given_text(const ParamValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<double>(&value)) return to_text(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return '"' + *text + '"';
  return "a list of " + std::to_string(std::get<std::vector<double>>(value).size()) + " numbers";
}

void check_range(const Checked& checked, double number, double max, const std::string& max_text) {
  if (!std::isfinite(number)) checked.fail(ErrorCode::not_finite, "be a finite number");
  const FieldInfo& field = checked.field;
  if (number < field.min || number > max) {
    checked.fail(ErrorCode::out_of_range, "be from " + to_text(field.min) + " to " + max_text);
  }
}

double check_number(const Checked& checked, const ParamValue& value, const Dims& dims) {
  const double* number = std::get_if<double>(&value);
  const FieldInfo& field = checked.field;
  if (number == nullptr) checked.fail(ErrorCode::wrong_type, "be a number");
  double max = field.max;
  std::string max_text = to_text(max);
  if (field.max_from != DimName::none) {
    max = dim_of(dims, field.max_from);
    max_text = std::string(to_string(field.max_from)) + " (" + to_text(max) + ")";
  }
  check_range(checked, *number, max, max_text);
  if (field.integer && *number != std::floor(*number)) checked.fail(ErrorCode::out_of_range, "be a whole number");
  if (field.multiple_of > 1 && std::fmod(*number, field.multiple_of) != 0.0) {
    checked.fail(ErrorCode::out_of_range,
                 field.multiple_of == 2 ? "be even" : "be a multiple of " + std::to_string(field.multiple_of));
  }
  return *number;
}

double check_choice(const Checked& checked, const ParamValue& value) {
  const auto& choices = checked.field.choices;
  std::string ids;
  for (const Choice& choice : choices) ids += (ids.empty() ? "" : ", ") + std::string(choice.id);
  const auto* id = std::get_if<std::string>(&value);
  if (id == nullptr) checked.fail(ErrorCode::wrong_type, "be one of " + ids);
  const auto found = std::ranges::find(choices, *id, &Choice::id);
  if (found == choices.end()) checked.fail(ErrorCode::out_of_range, "be one of " + ids);
  return static_cast<double>(found - choices.begin());
}

ParamValue check(const Checked& checked, const ParamValue& value, const Dims& dims) {
  switch (checked.field.type) {
    case FieldType::boolean:
      if (!std::holds_alternative<bool>(value)) checked.fail(ErrorCode::wrong_type, "be true or false");
      return value;
    case FieldType::number:
      return check_number(checked, value, dims);
    case FieldType::choice:
      return check_choice(checked, value);
    case FieldType::list: {
      const auto* list = std::get_if<std::vector<double>>(&value);
      if (list == nullptr) checked.fail(ErrorCode::wrong_type, "be a list of numbers");
      for (const double number : *list) {
        check_range({checked.info, checked.field, to_text(number)}, number, checked.field.max,
                    to_text(checked.field.max));
      }
      return value;
    }
  }
  return value;
}

}  // namespace

namespace {

const FieldInfo* find_field(const EncodingInfo& info, std::string_view name) {
  const auto found = std::ranges::find(info.fields, name, &FieldInfo::name);
  return found == info.fields.end() ? nullptr : &*found;
}

/// The value of a choice: the given one, else its default.
std::string chosen(const EncodingInfo& info, const Spec& spec, std::string_view name) {
  const auto given = spec.params.find(name);
  const ParamValue value = given != spec.params.end() ? given->second : *default_value(*find_field(info, name));
  const auto* id = std::get_if<std::string>(&value);
  return id == nullptr ? "" : *id;
}

void check_condition(const Checked& checked, const Spec& spec) {
  const OnlyWith& condition = checked.field.only_with;
  if (condition.field.empty() || allows(condition, chosen(checked.info, spec, condition.field))) return;
  checked.fail(ErrorCode::unknown_param,
               "be left out unless " + std::string(condition.field) + " is one of " + std::string(condition.values));
}

}  // namespace

namespace detail {

std::optional<ParamValue> number_param(double number) { return number; }

double number_of(const ParamValue& value) { return std::get<double>(value); }

int whole_of(const ParamValue& value) { return static_cast<int>(std::get<double>(value)); }

void assign_params(const EncodingInfo& info, const Spec& spec, void* params) {
  for (const auto& [name, value] : spec.params) {
    const FieldInfo* field = find_field(info, name);
    if (field == nullptr) {
      std::string names;
      for (const FieldInfo& known : info.fields) names += (names.empty() ? "" : ", ") + std::string(known.name);
      fail(ErrorCode::unknown_param, std::string(info.id), name,
           names.empty() ? "be left out: this encoding has no parameters" : "be one of " + names, name);
    }
    check_condition({info, *field, given_text(value)}, spec);
    field->assign(params, check({info, *field, given_text(value)}, value, spec.dims));
  }
  if (!spec.weights.empty() && !info.learned()) {
    fail(ErrorCode::unknown_param, std::string(info.id), "weights", "be left out: this encoding learns nothing",
         std::to_string(spec.weights.size()) + " numbers");
  }
}

}  // namespace detail

namespace {

std::string shape_text(std::int64_t rows, std::int64_t cols, const char* names) {
  return to_text(static_cast<double>(rows)) + " x " + to_text(static_cast<double>(cols)) + " numbers " + names;
}

/// Numbers of a table, as far as views can count them in int.
std::size_t table_size(std::int64_t rows, std::int64_t cols, const char* names) {
  constexpr std::int64_t kMostNumbers = std::int64_t{1} << 30;
  if (rows > kMostNumbers / cols) {
    fail(ErrorCode::out_of_range, "", "weights", "be at most 2^30 numbers", shape_text(rows, cols, names));
  }
  return static_cast<std::size_t>(rows * cols);
}

void check_given(std::span<const float> given, std::int64_t rows, std::int64_t cols, const char* names) {
  if (given.size() != table_size(rows, cols, names)) {
    fail(ErrorCode::shape_mismatch, "", "weights", "have " + shape_text(rows, cols, names),
         std::to_string(given.size()));
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!std::isfinite(given[i])) {
      fail(ErrorCode::not_finite, "", "weights", "be finite numbers",
           to_text(given[i]) + " at index " + std::to_string(i));
    }
  }
}

}  // namespace

std::vector<float> given_or_seeded(std::vector<float> given, std::int64_t rows, std::int64_t cols, const char* names,
                                   std::uint64_t seed, double stddev) {
  const std::size_t size = table_size(rows, cols, names);
  if (given.empty()) {
    given.resize(size);
    fill_normal(stream_key(seed, Stream::encoding), stddev, given);
    return given;
  }
  check_given(given, rows, cols, names);
  return given;
}

std::vector<float> given_or_uniform(std::vector<float> given, std::span<const double> row_max, int cols,
                                    const char* names, std::uint64_t seed) {
  if (given.empty()) {
    const std::uint64_t key = stream_key(seed, Stream::encoding);
    for (const double largest : row_max) {
      for (int col = 0; col < cols; ++col) {
        const double unit = static_cast<double>(random_bits(key, given.size()) >> 11U) * 0x1p-53;
        given.push_back(static_cast<float>(largest * unit));
      }
    }
    return given;
  }
  check_given(given, static_cast<std::int64_t>(row_max.size()), cols, names);
  return given;
}

}  // namespace posenc
