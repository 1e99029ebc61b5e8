#pragma once

#include <vector>

namespace posenc {

/// Slopes of ALiBi, one for each head.
///
///   n heads, a power of two: slope[h] = 2^(-bias_max * (h + 1) / n)
///   any other n: those of the power of two p below n, then every other slope of 2p (not sorted, as in the paper's
///   code)
///
/// @source Press et al. 2021, arXiv:2108.12409, section 3, and get_slopes in its code
[[nodiscard]] std::vector<double> alibi_slopes(int n_heads, double bias_max);

}  // namespace posenc
