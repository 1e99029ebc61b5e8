#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "posenc/build_options.hpp"
#include "posenc/spec.hpp"

namespace posenc {

struct Encoding;

/// Places where position can enter attention. An encoding fills some of them.
enum class Seam : unsigned { none = 0, input = 1, rotary = 2, bias = 4, relative = 8 };
[[nodiscard]] constexpr Seam operator|(Seam a, Seam b) {
  return static_cast<Seam>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
[[nodiscard]] constexpr bool has(Seam set, Seam one) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(one)) != 0;
}

/// Groups in which people look for an encoding.
enum class Family { none, added, rotated, bias, relative, content };
[[nodiscard]] std::string_view to_string(Family family);

/// Member of Dims that a rule of a field refers to.
enum class DimName { none, d_model, n_heads, head_dim };
[[nodiscard]] std::string_view to_string(DimName name);
[[nodiscard]] int dim_of(const Dims& dims, DimName name);

/// One value of a parameter that is a choice; `id` is what JSON and URLs hold.
struct Choice {
  constexpr Choice(std::string_view id_of, std::string_view label_of, std::string_view doc_of)
      : id(id_of), label(kKeepsProse ? label_of : ""), doc(kKeepsProse ? doc_of : "") {}

  std::string_view id;
  std::string_view label;
  std::string_view doc;
};

/// Another parameter, a choice, that must have one of some values for a parameter to have a meaning.
struct OnlyWith {
  std::string_view field = {};   ///< name of the choice; empty: no condition
  std::string_view values = {};  ///< ids, separated by one space
};
[[nodiscard]] bool allows(const OnlyWith& condition, std::string_view value);

/// How words in a line become positions of an encoding with more than one axis.
enum class TextPositions {
  same,  ///< every axis has the place of the word (M-RoPE)
  row,   ///< the words are one row of a picture: the last axis has the place, the others 0
};

enum class FieldType { boolean, number, choice, list };

/// One parameter of an encoding: what it means, what it may be, and how it reaches its member.
struct FieldInfo {
  // Written by the author of the encoding.
  std::string_view name = {};  ///< equals the C++ member
  std::string_view label = {};
  std::string_view unit = {};
  std::string_view doc = {};
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  int multiple_of = 1;  ///< integers only
  bool log_scale = false;
  DimName default_from = DimName::none;  ///< the default of an optional member; none: computed when left out
  DimName max_from = DimName::none;
  std::span<const Choice> choices = {};
  OnlyWith only_with = {};

  // Filled in by field<>().
  FieldType type = FieldType::number;
  bool integer = false;
  /// Empty: taken from `default_from`, or computed from the other parameters as `doc` says. Of a choice: its index in
  /// `choices`; see default_value() in describe.hpp.
  std::optional<ParamValue> (*raw_default)() = nullptr;
  void (*assign)(void* params, const ParamValue& value) = nullptr;
};

/// An encoding of the registry. Everything that other layers know of it is in here.
struct EncodingInfo {
  // Written by the author of the encoding.
  std::string_view id = {};
  std::string_view name = {};
  Family family = Family::none;
  Seam seams = Seam::none;
  std::string_view authors = {};
  int year = 0;
  std::string_view url = {};
  std::string_view summary = {};
  int axes = 1;
  TextPositions text_positions = TextPositions::same;
  bool needs_content = false;           ///< its bias depends on q and on the logits so far
  std::string_view weights_shape = {};  ///< of a learned encoding, for example "[max_position][d_model]"; else empty

  // Filled in by define<>().
  std::span<const FieldInfo> fields = {};
  Encoding (*make)(const EncodingInfo& self, const Spec& spec) = nullptr;

  [[nodiscard]] constexpr bool learned() const { return !weights_shape.empty(); }
};

}  // namespace posenc
