#pragma once

#include <span>

namespace posenc {

/// Inverse frequencies of rotary (and sinusoidal) pairs.
///
///   inv_freq[i] = theta^(-2i / rotary_dim)
///
/// @param theta       > 0
/// @param rotary_dim  > 0; the denominator of the exponent
/// @param out         radians per token, any length
/// @source Su et al. 2021, arXiv:2104.09864, section 3.2.2
void inv_freq(double theta, int rotary_dim, std::span<double> out);

}  // namespace posenc
