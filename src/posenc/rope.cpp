#include "posenc/rope.hpp"

#include <cstddef>

#include "kernels/kernels.hpp"

namespace posenc {

void inv_freq(double theta, int rotary_dim, std::span<double> out) {
  for (std::size_t pair = 0; pair < out.size(); ++pair) out[pair] = -2.0 * static_cast<double>(pair) / rotary_dim;
  kernels::powers(theta, out, out);
}

}  // namespace posenc
