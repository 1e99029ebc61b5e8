#include "encodings/slopes.hpp"

#include <cstddef>

#include "kernels/kernels.hpp"

namespace posenc {
namespace {

std::vector<double> slopes_of_power_of_two(int n_heads, double bias_max) {
  std::vector<double> slopes;
  for (int head = 0; head < n_heads; ++head) slopes.push_back(kernels::pow(2.0, -bias_max * (head + 1) / n_heads));
  return slopes;
}

}  // namespace

std::vector<double> alibi_slopes(int n_heads, double bias_max) {
  int power = 1;
  while (2 * power <= n_heads) power *= 2;
  std::vector<double> result = slopes_of_power_of_two(power, bias_max);
  const std::vector<double> finer = slopes_of_power_of_two(2 * power, bias_max);
  for (std::size_t i = 0; result.size() < static_cast<std::size_t>(n_heads); i += 2) result.push_back(finer[i]);
  return result;
}

}  // namespace posenc
