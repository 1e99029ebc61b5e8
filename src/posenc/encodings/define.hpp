#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "posenc/encoding.hpp"
#include "posenc/info.hpp"

/// What the file of an encoding uses to describe itself: `field` for a parameter, `define` for the whole.
namespace posenc {
namespace detail {

template <class T>
struct MemberOf;
template <class Params, class Value>
struct MemberOf<Value Params::*> {
  using params_type = Params;
  using value_type = Value;
};

template <class T>
struct Unwrapped {
  using type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using type = T;
};

template <class Value>
constexpr FieldType field_type() {
  if constexpr (std::is_same_v<Value, bool>) return FieldType::boolean;
  if constexpr (std::is_enum_v<Value>) return FieldType::choice;
  if constexpr (std::is_same_v<Value, std::vector<double>>) return FieldType::list;
  return FieldType::number;
}

/// What a member can hold of a parameter, which is a double.
template <class Value>
inline constexpr double kLargest = std::numeric_limits<double>::infinity();
template <>
inline constexpr double kLargest<int> = std::numeric_limits<int>::max();
template <>
inline constexpr double kLargest<std::uint64_t> = 0x1p53;

// Not inline: every field of every encoding would have a copy.
[[nodiscard]] std::optional<ParamValue> number_param(double number);
[[nodiscard]] double number_of(const ParamValue& value);
[[nodiscard]] int whole_of(const ParamValue& value);

/// A member's value as JSON has it; the id of a choice is found by the caller, who knows the list.
template <class Value>
std::optional<ParamValue> to_param(const Value& value) {
  if constexpr (std::is_same_v<Value, bool> || std::is_same_v<Value, std::vector<double>>) {
    return value;
  } else {
    return number_param(static_cast<double>(value));
  }
}

template <class Value>
Value from_param(const ParamValue& value) {
  if constexpr (std::is_same_v<Value, bool> || std::is_same_v<Value, std::vector<double>>) {
    return std::get<Value>(value);
  } else if constexpr (std::is_enum_v<Value>) {
    return static_cast<Value>(whole_of(value));
  } else if constexpr (std::is_same_v<Value, int>) {
    return whole_of(value);
  } else {
    return static_cast<Value>(number_of(value));
  }
}

template <class Function>
struct MakeTraits;
template <class P>
struct MakeTraits<Encoding (*)(const P&, const Dims&)> {
  using Params = P;
  static constexpr bool kTakesWeights = false;
};
template <class P>
struct MakeTraits<Encoding (*)(const P&, const Dims&, std::vector<float>)> {
  using Params = P;
  static constexpr bool kTakesWeights = true;
};

/// Checks the parameters of `spec` against the description of `info` and hands each one, checked and translated
/// (a choice becomes its index), to its member.
void assign_params(const EncodingInfo& info, const Spec& spec, void* params);

}  // namespace detail

/// Describes the parameter that `Member` holds: bool, int, double, std::uint64_t, an enum (with `choices` in its
/// order), a list, or an optional of these (`default_from`, or computed when left out).
template <auto Member>
constexpr FieldInfo field(FieldInfo info) {
  using Params = typename detail::MemberOf<decltype(Member)>::params_type;
  using Stored = typename detail::MemberOf<decltype(Member)>::value_type;
  using Value = typename detail::Unwrapped<Stored>::type;
  // Descriptions are constants: this is an error of the compiler.
  if (info.max_from == DimName::none && info.max > detail::kLargest<Value>) throw "max does not fit the member";
  if constexpr (!kKeepsProse) info.label = info.unit = info.doc = "";
  info.type = detail::field_type<Value>();
  info.integer = std::is_integral_v<Value> && !std::is_same_v<Value, bool>;
  info.raw_default = []() -> std::optional<ParamValue> {
    const Stored stored = Params{}.*Member;
    if constexpr (std::is_same_v<Stored, Value>) {
      return detail::to_param(stored);
    } else {
      if (!stored.has_value()) return std::nullopt;
      return detail::to_param(*stored);
    }
  };
  info.assign = [](void* params, const ParamValue& value) {
    static_cast<Params*>(params)->*Member = detail::from_param<Value>(value);
  };
  return info;
}

/// Completes a description: the fields, and how to build the encoding from a Spec.
/// `Make` is `Encoding make_x(const XParams&, const Dims&)`; of a learned encoding it takes the given weights too.
template <const auto& Fields, auto Make>
constexpr EncodingInfo define(EncodingInfo info) {
  using Traits = detail::MakeTraits<decltype(Make)>;
  if constexpr (!kKeepsProse) {
    info.name = info.authors = info.url = info.summary = "";
    if (info.learned()) info.weights_shape = "[]";
  }
  info.fields = Fields;
  info.make = [](const EncodingInfo& self, const Spec& spec) {
    typename Traits::Params params{};
    detail::assign_params(self, spec, &params);
    if constexpr (Traits::kTakesWeights) {
      return Make(params, spec.dims, spec.weights);
    } else {
      return Make(params, spec.dims);
    }
  };
  return info;
}

/// Table of a learned encoding, [rows][cols]: the given numbers if there are any, else seeded normal ones.
///
/// @param names   of rows and columns for the message, for example "(num_buckets, n_heads)"
/// @param stddev  of the seeded numbers
/// @throws Error  shape_mismatch, not_finite, out_of_range (more numbers than a table can have)
[[nodiscard]] std::vector<float> given_or_seeded(std::vector<float> given, std::int64_t rows, std::int64_t cols,
                                                 const char* names, std::uint64_t seed, double stddev);

/// The same for a table whose rows are parameters that must be positive: row i is seeded uniformly from 0 to
/// row_max[i].
[[nodiscard]] std::vector<float> given_or_uniform(std::vector<float> given, std::span<const double> row_max, int cols,
                                                  const char* names, std::uint64_t seed);

}  // namespace posenc
