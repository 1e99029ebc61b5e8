#pragma once

#include <string_view>

namespace posenc {

/// Version of the library, for example "0.1.0".
[[nodiscard]] std::string_view version();

/// Whether the kernels of this build use SIMD. They give the same bytes either way.
[[nodiscard]] bool built_with_simd();

}  // namespace posenc
