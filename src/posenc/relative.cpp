#include "posenc/relative.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "posenc/angles.hpp"
#include "posenc/error.hpp"
#include "posenc/rope.hpp"

#include "kernels/kernels.hpp"

namespace posenc {
namespace {

/// Calls f(i, j, token, row) wherever there is a vector: the place in `dots`, the row of q or k, and of the vectors.
template <class F>
void for_each_vector(Operand operand, const VectorIndex& index, MatrixView<const float> dots, F f) {
  for (int i = 0; i < dots.rows(); ++i) {
    const int query = i % index.rows();
    const int first_key = i / index.rows() * index.cols();
    for (int j = 0; j < dots.cols(); ++j) {
      if (index(query, j) != kNoVector) f(i, j, operand == Operand::q ? i : first_key + j, index(query, j));
    }
  }
}

/// What a query with q + v sees: which distances occur, their sinusoids and keys, one row for each.
struct Seen {
  VectorIndex index;
  Matrix<float> waves;     ///< r [distance][d_model], sines then cosines
  Matrix<float> keys;      ///< W r [distance][head_dim]
  Matrix<float> biased_q;  ///< q + v [query][head_dim]
};

/// Learned numbers, or their gradients.
template <class T>
struct Views {
  MatrixView<T> projection;  ///< W [n_heads * head_dim][d_model]
  MatrixView<T> u;           ///< [n_heads][head_dim]
  MatrixView<T> v;

  Views(const SinusoidalVectors& settings, std::span<T> weights) {
    const int rows = settings.n_heads * settings.head_dim;
    const auto size = static_cast<std::size_t>(rows);
    projection = {weights.first(weights.size() - 2 * size), rows, settings.d_model};
    u = {weights.last(2 * size).first(size), settings.n_heads, settings.head_dim};
    v = {weights.last(size), settings.n_heads, settings.head_dim};
  }
};

class ProjectedSinusoids final : public RelativeVectors {
 public:
  ProjectedSinusoids(const SinusoidalVectors& settings, std::span<const float> weights)
      : settings_(settings), weights_(settings, weights), inv_freq_(static_cast<std::size_t>(settings.d_model) / 2) {
    constexpr double kTheta = 10000.0;
    inv_freq(kTheta, settings.d_model, inv_freq_);
  }

  [[nodiscard]] int head_dim() const override { return settings_.head_dim; }

  void add_to_dots(const RelativeQuery& query, MatrixView<float> dots) const override {
    const Seen seen = see(query);
    add_vector_dots(Operand::q, seen.biased_q.view(), seen.keys.view(), seen.index, dots);
    const int queries = query.q_positions.rows();
    for (int key = 0; key < query.k.rows(); ++key) {
      const float of_key = kernels::best.dot(weights_.u.row(query.head), query.k.row(key));
      const int first = key / dots.cols() * queries;
      for (int i = first; i < first + queries; ++i) dots(i, key % dots.cols()) += of_key;
    }
  }

  void collect(const RelativeQuery& query, MatrixView<const float> grad_dots,
               const RelativeGradients& gradients) const override {
    const Seen seen = see(query);
    const Views<float> grads(settings_, gradients.weights);
    Matrix<float> grad_q(seen.biased_q.rows(), seen.biased_q.cols());
    Matrix<float> grad_keys(seen.keys.rows(), seen.keys.cols());
    collect_vector_dots(Operand::q, seen.biased_q.view(), seen.keys.view(), seen.index, grad_dots,
                        {grad_q.view(), grad_keys.view()});
    for (int i = 0; i < grad_q.rows(); ++i) {
      kernels::best.add_scaled(1.0F, grad_q.row(i), gradients.q.row(i));
      kernels::best.add_scaled(1.0F, grad_q.row(i), grads.v.row(query.head));
    }
    const int queries = query.q_positions.rows();
    for (int key = 0; key < query.k.rows(); ++key) {
      float sum = 0.0F;
      const int first = key / grad_dots.cols() * queries;
      for (int i = first; i < first + queries; ++i) sum += grad_dots(i, key % grad_dots.cols());
      kernels::best.add_scaled(sum, query.k.row(key), grads.u.row(query.head));
      kernels::best.add_scaled(sum, weights_.u.row(query.head), gradients.k.row(key));
    }
    for (int row = 0; row < grad_keys.rows(); ++row) {
      for (int channel = 0; channel < grad_keys.cols(); ++channel) {
        kernels::best.add_scaled(grad_keys(row, channel), seen.waves.row(row),
                                 grads.projection.row(query.head * settings_.head_dim + channel));
      }
    }
  }

 private:
  [[nodiscard]] Seen see(const RelativeQuery& query) const {
    Seen seen;
    seen.index = VectorIndex(query.q_positions.rows(), query.k_positions.rows());
    std::map<double, int> rows;
    for (int i = 0; i < seen.index.rows(); ++i) {
      for (int j = 0; j < seen.index.cols(); ++j) {
        const double distance = query.q_positions(i, 0) - query.k_positions(j, 0);
        seen.index(i, j) = settings_.later_keys || distance >= 0.0
                               ? rows.try_emplace(clamped(distance), static_cast<int>(rows.size())).first->second
                               : kNoVector;
      }
    }
    seen.waves = Matrix<float>(static_cast<int>(rows.size()), settings_.d_model);
    seen.keys = Matrix<float>(static_cast<int>(rows.size()), settings_.head_dim);
    std::vector<double> distances(rows.size());
    for (const auto& [distance, row] : rows) distances[static_cast<std::size_t>(row)] = distance;
    cos_sin_table(distances, inv_freq_, {seen.waves.view(), settings_.d_model / 2}, {seen.waves.view()});
    for (int row = 0; row < seen.keys.rows(); ++row) project(seen.waves.row(row), query.head, seen.keys.row(row));
    seen.biased_q = Matrix<float>(query.q.rows(), query.q.cols());
    kernels::best.add_scaled(1.0F, query.q.all(), seen.biased_q.all());
    for (int i = 0; i < query.q.rows(); ++i) {
      kernels::best.add_scaled(1.0F, weights_.v.row(query.head), seen.biased_q.row(i));
    }
    return seen;
  }

  [[nodiscard]] double clamped(double distance) const {
    const double limit = settings_.clamp_len;
    return limit == 0.0 ? distance : std::clamp(distance, -limit, limit);
  }

  /// W r of one head.
  void project(std::span<const float> wave, int head, std::span<float> key) const {
    int row = head * settings_.head_dim;
    for (float& channel : key) channel = kernels::best.dot(weights_.projection.row(row++), wave);
  }

  SinusoidalVectors settings_;
  Views<const float> weights_;
  std::vector<double> inv_freq_;
};

}  // namespace

void add_vector_dots(Operand operand, MatrixView<const float> x, MatrixView<const float> vectors,
                     const VectorIndex& index, MatrixView<float> dots) {
  for_each_vector(operand, index, dots, [&](int i, int j, int token, int row) {
    dots(i, j) += kernels::best.dot(x.row(token), vectors.row(row));
  });
}

void collect_vector_dots(Operand operand, MatrixView<const float> x, MatrixView<const float> vectors,
                         const VectorIndex& index, MatrixView<const float> grad_dots,
                         const VectorGradients& gradients) {
  for_each_vector(operand, index, grad_dots, [&](int i, int j, int token, int row) {
    kernels::best.add_scaled(grad_dots(i, j), vectors.row(row), gradients.x.row(token));
    kernels::best.add_scaled(grad_dots(i, j), x.row(token), gradients.vectors.row(row));
  });
}

std::unique_ptr<const RelativeVectors> sinusoidal_vectors(const SinusoidalVectors& settings,
                                                          std::span<const float> weights) {
  if (settings.d_model % 2 != 0) {
    fail(ErrorCode::out_of_range, "", "dims.d_model", "be even: a cosine for each sine",
         std::to_string(settings.d_model));
  }
  return std::make_unique<ProjectedSinusoids>(settings, weights);
}

}  // namespace posenc
