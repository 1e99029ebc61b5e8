#include "posenc/rope.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "posenc/error.hpp"

#include "kernels/kernels.hpp"

namespace posenc {

void inv_freq(double theta, int rotary_dim, std::span<double> out) {
  for (std::size_t pair = 0; pair < out.size(); ++pair) out[pair] = -2.0 * static_cast<double>(pair) / rotary_dim;
  kernels::powers(theta, out, out);
}

void turn(Positions positions, std::span<const AxisPair> pairs, MatrixView<float> cos, MatrixView<float> sin) {
  std::vector<double> angles(pairs.size());
  for (int token = 0; token < positions.rows(); ++token) {
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      angles[pair] = positions(token, pairs[pair].axis) * pairs[pair].inv_freq;
    }
    kernels::best.sin_cos(angles, sin.row(token), cos.row(token));
  }
}

int rotary_width(std::optional<int> given, const Dims& dims, int multiple_of, const char* encoding) {
  if (given.has_value()) return *given;
  if (dims.head_dim % multiple_of == 0) return dims.head_dim;
  const std::string even = multiple_of == 2 ? "be even" : "be a multiple of " + std::to_string(multiple_of);
  throw Error({ErrorCode::out_of_range, encoding, "dims.head_dim", even + ", or rotary_dim be given",
               std::to_string(dims.head_dim)});
}

}  // namespace posenc
