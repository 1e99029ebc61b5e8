#include "encodings/registry.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "posenc/describe.hpp"
#include "posenc/error.hpp"

namespace posenc {
namespace {

constexpr std::array kRegistry{
    &kNone,                                      //
    &kSinusoidal,  &kLearned,       &kSincos2d,  //
    &kRope,        &kXpos,          &kMrope,
    &kRope2d,      &kRopeMixed,  //
    &kAlibi,       &kT5Bias,        &kKerpleLog,
    &kKerplePower,                                          //
    &kSandwich,    &kFire,          &kDynamicPositionBias,  //
    &kSwinBias,    &kSwinV2Bias,                            //
    &kShaw,        &kTransformerXl, &kXlnet,
    &kDeberta,  //
    &kCope,
};

}  // namespace

std::span<const EncodingInfo* const> encodings() { return kRegistry; }

const EncodingInfo& find_encoding(std::string_view id) {
  const auto found = std::ranges::find(kRegistry, id, &EncodingInfo::id);
  if (found != kRegistry.end()) return **found;
  std::string ids;
  for (const EncodingInfo* info : kRegistry) ids += (ids.empty() ? "" : ", ") + std::string(info->id);
  fail(ErrorCode::unknown_encoding, "", "encoding", "be one of " + ids, '"' + std::string(id) + '"');
}

std::optional<ParamValue> default_value(const FieldInfo& field) {
  const std::optional<ParamValue> raw = field.raw_default();
  if (field.type != FieldType::choice || !raw.has_value()) return raw;
  return std::string(field.choices[static_cast<std::size_t>(std::get<double>(*raw))].id);
}

}  // namespace posenc
