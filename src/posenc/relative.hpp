#pragma once

#include <memory>
#include <span>

#include "posenc/encoding.hpp"
#include "posenc/matrix_view.hpp"

namespace posenc {

/// What encodings of relative vectors share: products of q or k with the vector that stands between query and key.

/// Which row of a table of vectors stands between each query and key, [query][key]; kNoVector where there is none.
using VectorIndex = Matrix<int>;
inline constexpr int kNoVector = -1;

/// dots[i][j] += x · vectors[index[i][j]], where x is q[i] or k[j]; for each sequence of a RelativeQuery
/// @param x        [sequence, query or key][head_dim]
/// @param vectors  [row][head_dim]
/// @param dots     [sequence, query][key]
void add_vector_dots(Operand operand, MatrixView<const float> x, MatrixView<const float> vectors,
                     const VectorIndex& index, MatrixView<float> dots);

/// Where collect_vector_dots() adds gradients, in the shapes of x and of the vectors.
struct VectorGradients {
  MatrixView<float> x;
  MatrixView<float> vectors;
};

/// Backward of add_vector_dots().
void collect_vector_dots(Operand operand, MatrixView<const float> x, MatrixView<const float> vectors,
                         const VectorIndex& index, MatrixView<const float> grad_dots, const VectorGradients& gradients);

/// Settings of sinusoidal_vectors().
struct SinusoidalVectors {
  int d_model = 0;  ///< even
  int n_heads = 0;
  int head_dim = 0;
  bool later_keys = true;  ///< keys after the query have a distance too; off: nothing but u · k for them
  int clamp_len = 0;       ///< farther distances count as this one; 0: never
};

/// Relative vectors that are a projection of sinusoids of the distance:
///
///   dots[i][j] = q_i · k_j + u · k_j + (q_i + v) · W r(i - j),  r(d) = [sin(d * inv_freq) | cos(d * inv_freq)]
///
/// @param weights  W [n_heads][head_dim][d_model], then u and v, [n_heads][head_dim] each; read at every call
/// @throws Error   out_of_range (odd d_model)
/// @source Dai et al. 2019, arXiv:1901.02860, section 3.3
[[nodiscard]] std::unique_ptr<const RelativeVectors> sinusoidal_vectors(const SinusoidalVectors& settings,
                                                                        std::span<const float> weights);

}  // namespace posenc
