#pragma once

#include "posenc/matrix_view.hpp"

/// Matrix products with SIMD, for the tables of simd.cpp and training_simd.cpp.
namespace posenc::kernels::by_simd {

void multiply(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);
void multiply_transposed(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);
void add_transposed_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);

}  // namespace posenc::kernels::by_simd
