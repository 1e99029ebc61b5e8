#pragma once

#include <span>

#include "posenc/matrix_view.hpp"

#include "kernels/kernels.hpp"

/// Matrix products with SIMD, for the tables of simd.cpp and training_simd.cpp.
namespace posenc::kernels::by_simd {

void multiply(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);
void multiply_transposed(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);
Panels pack(MatrixView<const float> b, std::span<float> panels);
Panels pack_transposed(MatrixView<const float> b, std::span<float> panels);
void multiply_panels(MatrixView<const float> a, const Panels& b, MatrixView<float> out);
void add_panels_product(MatrixView<const float> a, const Panels& b, MatrixView<float> out);
void add_transposed_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);

}  // namespace posenc::kernels::by_simd
