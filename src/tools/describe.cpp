/// posenc-describe: prints the registry as JSON, with snake_case names. The TypeScript types are made from it.

#include <array>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "posenc/describe.hpp"
#include "posenc/info.hpp"
#include "posenc/version.hpp"

#include "json_writer.hpp"

namespace posenc {
namespace {

constexpr std::array kSeams{
    std::pair{Seam::input, std::string_view("input")}, std::pair{Seam::rotary, std::string_view("rotary")},
    std::pair{Seam::bias, std::string_view("bias")}, std::pair{Seam::relative, std::string_view("relative")}};

std::string_view type_name(FieldType type) {
  switch (type) {
    case FieldType::boolean:
      return "bool";
    case FieldType::number:
      return "number";
    case FieldType::choice:
      return "choice";
    case FieldType::list:
      return "list";
  }
  return "";
}

void write_default(JsonWriter& json, const FieldInfo& field) {
  const std::optional<ParamValue> value = default_value(field);
  if (!value.has_value()) {
    json.null();
  } else if (const auto* list = std::get_if<std::vector<double>>(&*value)) {
    json.begin_array();
    for (const double number : *list) json.value(number);
    json.end_array();
  } else if (const auto* text = std::get_if<std::string>(&*value)) {
    json.value(*text);
  } else if (const auto* flag = std::get_if<bool>(&*value)) {
    json.value(*flag);
  } else {
    json.value(std::get<double>(*value));
  }
}

void write(JsonWriter& json, const FieldInfo& field) {
  json.begin_object();
  json.key("name").value(field.name).key("type").value(type_name(field.type)).key("label").value(field.label);
  json.key("unit").value(field.unit).key("doc").value(field.doc).key("default");
  write_default(json, field);
  json.key("integer").value(field.integer).key("min").value(field.min).key("max").value(field.max);
  json.key("multiple_of").value(static_cast<double>(field.multiple_of)).key("log_scale").value(field.log_scale);
  json.key("default_from").value(to_string(field.default_from)).key("max_from").value(to_string(field.max_from));
  json.key("only_with").begin_object().key("field").value(field.only_with.field);
  json.key("values").value(field.only_with.values).end_object();
  json.key("choices").begin_array();
  for (const Choice& choice : field.choices) {
    json.begin_object().key("id").value(choice.id).key("label").value(choice.label);
    json.key("doc").value(choice.doc).end_object();
  }
  json.end_array().end_object();
}

void write(JsonWriter& json, const EncodingInfo& info) {
  json.begin_object().key("id").value(info.id).key("name").value(info.name);
  json.key("family").value(to_string(info.family)).key("summary").value(info.summary);
  json.key("authors").value(info.authors).key("year").value(static_cast<double>(info.year));
  json.key("url").value(info.url).key("axes").value(static_cast<double>(info.axes));
  json.key("seams").begin_array();
  for (const auto& [seam, name] : kSeams) {
    if (has(info.seams, seam)) json.value(name);
  }
  json.end_array();
  json.key("weights_shape").value(info.weights_shape).key("fields").begin_array();
  for (const FieldInfo& field : info.fields) write(json, field);
  json.end_array().end_object();
}

}  // namespace
}  // namespace posenc

int main() {
  posenc::JsonWriter json;
  json.begin_object().key("version").value(posenc::version()).key("encodings").begin_array();
  for (const posenc::EncodingInfo* info : posenc::encodings()) posenc::write(json, *info);
  json.end_array().end_object();
  std::printf("%s\n", json.text().c_str());
  return 0;
}
