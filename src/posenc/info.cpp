#include "posenc/info.hpp"

#include <algorithm>
#include <cstddef>

namespace posenc {

std::string_view to_string(Family family) {
  switch (family) {
    case Family::none:
      return "none";
    case Family::added:
      return "added";
    case Family::rotated:
      return "rotated";
    case Family::bias:
      return "bias";
    case Family::relative:
      return "relative";
    case Family::content:
      return "content";
  }
  return "none";
}

std::string_view to_string(DimName name) {
  switch (name) {
    case DimName::none:
      return "";
    case DimName::d_model:
      return "d_model";
    case DimName::n_heads:
      return "n_heads";
    case DimName::head_dim:
      return "head_dim";
  }
  return "";
}

bool allows(const OnlyWith& condition, std::string_view value) {
  std::string_view rest = condition.values;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == value) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

int dim_of(const Dims& dims, DimName name) {
  switch (name) {
    case DimName::none:
      return 0;
    case DimName::d_model:
      return dims.d_model;
    case DimName::n_heads:
      return dims.n_heads;
    case DimName::head_dim:
      return dims.head_dim;
  }
  return 0;
}

}  // namespace posenc
