#include "kernels/kernels.hpp"

// Takes the place of simd.cpp in builds without SIMD.

namespace posenc::kernels {

constinit const Kernels* const simd = nullptr;
constinit const Kernels& best = scalar;

}  // namespace posenc::kernels
