#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

// What must hold for every encoding that is in the registry, today's and tomorrow's.

namespace {

const EncodingInfo& any_encoding() { return *encodings()[GENERATE(range(std::size_t{0}, encodings().size()))]; }

/// The encoding with one parameter, and the choice that gives it a meaning where it needs one.
Spec with(const EncodingInfo& info, const FieldInfo& field, ParamValue value) {
  Spec result = spec(std::string(info.id), {}, {{std::string(field.name), std::move(value)}});
  if (!field.only_with.field.empty()) {
    const std::string values(field.only_with.values);
    result.params.emplace(field.only_with.field, values.substr(0, values.find(' ')));
  }
  return result;
}

ErrorCode code_of(const Spec& wrong) {
  return error_of([&] { static_cast<void>(make(wrong)); }).code();
}

/// It has no default: what it is when left out follows from the other parameters.
bool is_computed(const FieldInfo& field) {
  return !default_value(field).has_value() && field.default_from == DimName::none;
}

double max_of(const FieldInfo& field) {
  return field.max_from == DimName::none ? field.max : dim_of(Dims{}, field.max_from);
}

}  // namespace

TEST_CASE("registry: ids are unique and fit for URLs", "[registry]") {
  std::set<std::string_view> ids;
  for (const EncodingInfo* info : encodings()) {
    CHECK(ids.insert(info->id).second);
    CHECK(info->id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos);
  }
}

TEST_CASE("registry: every encoding is described", "[registry]") {
  if (!kKeepsProse) SKIP("this build leaves descriptions out");
  const EncodingInfo& info = any_encoding();
  INFO(info.id);
  CHECK_FALSE(info.name.empty());
  CHECK_FALSE(info.summary.empty());
  CHECK_FALSE(info.authors.empty());
  CHECK(info.year > 2000);
  CHECK(info.url.starts_with("https://"));
  CHECK(info.axes >= 1);
  for (const FieldInfo& field : info.fields) {
    INFO(field.name);
    CHECK_FALSE(field.label.empty());
    CHECK_FALSE(field.doc.empty());
    if (field.type == FieldType::choice) CHECK(field.choices.size() >= 2);
    if (is_computed(field)) CHECK(field.doc.find("left out") != std::string_view::npos);
    if (field.type == FieldType::number) CHECK((std::isfinite(field.max) || field.max_from != DimName::none));
  }
}

TEST_CASE("registry: defaults construct, and fill the seams that the description names", "[registry]") {
  const EncodingInfo& info = any_encoding();
  INFO(info.id);
  const Encoding encoding = make(spec(std::string(info.id)));
  CHECK((encoding.input != nullptr) == has(info.seams, Seam::input));
  CHECK((encoding.rotary != nullptr) == has(info.seams, Seam::rotary));
  CHECK((encoding.bias != nullptr) == has(info.seams, Seam::bias));
  CHECK((encoding.relative != nullptr) == has(info.seams, Seam::relative));
  CHECK(encoding.weights.empty() != info.learned());
}

TEST_CASE("registry: a parameter given its default changes nothing", "[registry]") {
  const EncodingInfo& info = any_encoding();
  const std::vector<std::string> words{"Tom", "chased", "Jerry", "home"};
  for (const FieldInfo& field : info.fields) {
    INFO(info.id << "." << field.name);
    if (is_computed(field)) continue;
    const auto value = default_value(field).value_or(static_cast<double>(dim_of(Dims{}, field.default_from)));
    const Spec given = with(info, field, value);
    Spec left_out = given;
    left_out.params.erase(std::string(field.name));
    check_close<float, float>(attend_words(given, {}, words).weights.all(),
                              attend_words(left_out, {}, words).weights.all(), 0.0);
  }
}

TEST_CASE("registry: numbers outside their bounds are refused, the bounds themselves are not", "[registry]") {
  const EncodingInfo& info = any_encoding();
  for (const FieldInfo& field : info.fields) {
    if (field.type != FieldType::number) continue;
    INFO(info.id << "." << field.name);
    CHECK(code_of(with(info, field, field.min - 1.0)) == ErrorCode::out_of_range);
    CHECK(code_of(with(info, field, max_of(field) * 2.0 + 2.0)) == ErrorCode::out_of_range);
    CHECK(code_of(with(info, field, std::numeric_limits<double>::quiet_NaN())) == ErrorCode::not_finite);
    CHECK(code_of(with(info, field, std::numeric_limits<double>::infinity())) == ErrorCode::not_finite);
    if (field.integer) CHECK(code_of(with(info, field, field.min + 0.5)) == ErrorCode::out_of_range);
    if (field.multiple_of > 1) CHECK(code_of(with(info, field, field.min + 1.0)) == ErrorCode::out_of_range);
    CHECK_NOTHROW(make(with(info, field, max_of(field))));
  }
}

TEST_CASE("registry: values of the wrong type are refused", "[registry]") {
  const EncodingInfo& info = any_encoding();
  for (const FieldInfo& field : info.fields) {
    INFO(info.id << "." << field.name);
    if (field.type != FieldType::boolean) CHECK(code_of(with(info, field, true)) == ErrorCode::wrong_type);
    if (field.type != FieldType::number) CHECK(code_of(with(info, field, 8.0)) == ErrorCode::wrong_type);
    if (field.type != FieldType::list) CHECK(code_of(with(info, field, std::vector{1.0})) == ErrorCode::wrong_type);
    CHECK(code_of(with(info, field, std::string("8"))) ==
          (field.type == FieldType::choice ? ErrorCode::out_of_range : ErrorCode::wrong_type));
  }
}

TEST_CASE("registry: every choice constructs", "[registry]") {
  const EncodingInfo& info = any_encoding();
  for (const FieldInfo& field : info.fields) {
    for (const Choice& choice : field.choices) {
      INFO(info.id << "." << field.name << " = " << choice.id);
      CHECK_NOTHROW(make(with(info, field, std::string(choice.id))));
    }
  }
}

TEST_CASE("registry: an unknown parameter is refused with the names that exist", "[registry]") {
  const EncodingInfo& info = any_encoding();
  const Error error = error_of([&] { static_cast<void>(make(spec(std::string(info.id), {}, {{"thetta", 1.0}}))); });
  CHECK(error.code() == ErrorCode::unknown_param);
  CHECK(error.field() == "thetta");
  for (const FieldInfo& field : info.fields) CHECK(error.rule().find(field.name) != std::string::npos);
}

TEST_CASE("registry: an unknown encoding is refused with the ids that exist", "[registry]") {
  const Error error = error_of([] { static_cast<void>(make(spec("ropee"))); });
  CHECK(error.code() == ErrorCode::unknown_encoding);
  CHECK(error.value() == "\"ropee\"");
  for (const EncodingInfo* info : encodings()) CHECK(error.rule().find(info->id) != std::string::npos);
}

TEST_CASE("registry: weights for an encoding that has none are refused", "[registry]") {
  const EncodingInfo& info = any_encoding();
  if (info.learned()) SKIP("it learns");
  Spec wrong = spec(std::string(info.id));
  wrong.weights = {1.0F};
  CHECK(code_of(wrong) == ErrorCode::unknown_param);
}

TEST_CASE("registry: a parameter without its condition is refused", "[registry]") {
  const EncodingInfo& info = any_encoding();
  for (const FieldInfo& field : info.fields) {
    if (field.only_with.field.empty()) continue;
    INFO(info.id << "." << field.name);
    const auto condition = std::ranges::find(info.fields, field.only_with.field, &FieldInfo::name);
    REQUIRE(condition != info.fields.end());
    REQUIRE(condition->type == FieldType::choice);
    for (const Choice& choice : condition->choices) {
      Spec conditional = with(info, field, default_value(field).value_or(2.0));
      conditional.params[std::string(condition->name)] = std::string(choice.id);
      if (allows(field.only_with, choice.id)) {
        CHECK_NOTHROW(make(conditional));
      } else {
        CHECK(code_of(conditional) == ErrorCode::unknown_param);
      }
    }
  }
}
