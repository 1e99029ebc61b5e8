#include "kernels/training.hpp"

// Takes the place of training_simd.cpp in builds without SIMD.

namespace posenc::kernels {

constinit const TrainingKernels* const training_simd = nullptr;
constinit const TrainingKernels& training = training_scalar;

}  // namespace posenc::kernels
