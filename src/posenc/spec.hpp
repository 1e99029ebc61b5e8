#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "posenc/matrix_view.hpp"

namespace posenc {

/// Sizes of one attention layer. n_heads * head_dim need not be d_model: some models set head_dim on its own.
struct Dims {
  int d_model = 64;
  int n_heads = 4;
  int head_dim = 16;
};

/// Value of a parameter as it comes from JSON, a URL or a control.
using ParamValue = std::variant<bool, double, std::string, std::vector<double>>;

/// Which encoding, with which parameters: plain data. Parameters left out take the defaults of the description.
struct Spec {
  std::string encoding = "none";
  Dims dims;
  std::map<std::string, ParamValue, std::less<>> params;
  /// Numbers of a learned encoding, in the shape that its description names; empty: seeded.
  std::vector<float> weights;
};

/// [token][axis] in tokens: one axis for text, two for images. Fractional and negative positions are allowed.
using Positions = MatrixView<const double>;

/// Largest |position| that any encoding accepts. Up to here an angle in double is good to 1e-7 radians.
inline constexpr double kMaxPosition = 1e9;

}  // namespace posenc
