#include "posenc/relative.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "posenc/error.hpp"
#include "posenc/rope.hpp"

#include "kernels/kernels.hpp"

namespace posenc {
namespace {

/// Calls f(i, j, row) wherever there is a vector.
template <class F>
void for_each_vector(const VectorIndex& index, F f) {
  for (int i = 0; i < index.rows(); ++i) {
    for (int j = 0; j < index.cols(); ++j) {
      if (index(i, j) != kNoVector) f(i, j, index(i, j));
    }
  }
}

/// The distances that occur, ascending, and which one lies between each query and key: query minus key.
struct Distances {
  std::vector<double> values;
  VectorIndex index;
};

class ProjectedSinusoids final : public RelativeVectors {
 public:
  ProjectedSinusoids(const SinusoidalVectors& settings, std::span<const float> weights)
      : settings_(settings),
        projection_(weights.first(projection_size()), settings.n_heads * settings.head_dim, settings.d_model),
        u_(weights.subspan(projection_size(), bias_size()), settings.n_heads, settings.head_dim),
        v_(weights.last(bias_size()), settings.n_heads, settings.head_dim),
        inv_freq_(static_cast<std::size_t>(settings.d_model) / 2) {
    constexpr double kTheta = 10000.0;
    inv_freq(kTheta, settings.d_model, inv_freq_);
  }

  [[nodiscard]] int head_dim() const override { return settings_.head_dim; }

  void add_to_dots(const RelativeQuery& query, MatrixView<float> dots) const override {
    const Distances distances = distances_of(query);
    const Matrix<float> keys = projected(sinusoids(distances.values), query.head);
    add_query_dots(with_bias(query.q, query.head).view(), keys.view(), distances.index, dots);
    for (int j = 0; j < dots.cols(); ++j) {
      const float of_key = kernels::best.dot(u_.row(query.head), query.k.row(j));
      for (int i = 0; i < dots.rows(); ++i) dots(i, j) += of_key;
    }
  }

  void collect(const RelativeQuery& query, MatrixView<const float> grad_dots,
               const RelativeGradients& gradients) const override {
    const Distances distances = distances_of(query);
    const Matrix<float> waves = sinusoids(distances.values);
    const Matrix<float> keys = projected(waves, query.head);
    const Matrix<float> biased = with_bias(query.q, query.head);
    Matrix<float> grad_biased(biased.rows(), biased.cols());
    Matrix<float> grad_keys(keys.rows(), keys.cols());
    collect_query_dots(biased.view(), keys.view(), distances.index, grad_dots, grad_biased.view(), grad_keys.view());
    kernels::best.add_scaled(1.0F, grad_biased.all(), gradients.q.all());

    const auto head = static_cast<std::size_t>(query.head);
    const auto width = static_cast<std::size_t>(settings_.head_dim);
    const std::span<float> grad_v = gradients.weights.last(bias_size()).subspan(head * width, width);
    for (int i = 0; i < grad_biased.rows(); ++i) kernels::best.add_scaled(1.0F, grad_biased.row(i), grad_v);
    collect_projection(waves, grad_keys, query.head, gradients.weights.first(projection_size()));
    const std::span<float> grad_u =
        gradients.weights.subspan(projection_size(), bias_size()).subspan(head * width, width);
    for (int j = 0; j < grad_dots.cols(); ++j) {
      float of_key = 0.0F;
      for (int i = 0; i < grad_dots.rows(); ++i) of_key += grad_dots(i, j);
      kernels::best.add_scaled(of_key, query.k.row(j), grad_u);
      kernels::best.add_scaled(of_key, u_.row(query.head), gradients.k.row(j));
    }
  }

 private:
  [[nodiscard]] std::size_t bias_size() const {
    return static_cast<std::size_t>(settings_.n_heads) * static_cast<std::size_t>(settings_.head_dim);
  }
  [[nodiscard]] std::size_t projection_size() const {
    return bias_size() * static_cast<std::size_t>(settings_.d_model);
  }

  /// The distance that query and key see, or nothing to see.
  [[nodiscard]] bool sees(double distance) const { return settings_.later_keys || distance >= 0.0; }
  [[nodiscard]] double clamped(double distance) const {
    if (settings_.clamp_len == 0) return distance;
    return std::clamp(distance, -1.0 * settings_.clamp_len, 1.0 * settings_.clamp_len);
  }

  [[nodiscard]] Distances distances_of(const RelativeQuery& query) const {
    const int queries = query.q_positions.rows();
    const int keys = query.k_positions.rows();
    const auto distance = [&](int i, int j) { return clamped(query.q_positions(i, 0) - query.k_positions(j, 0)); };
    Distances result{{}, VectorIndex(queries, keys)};
    for (int i = 0; i < queries; ++i) {
      for (int j = 0; j < keys; ++j) {
        if (sees(distance(i, j))) result.values.push_back(distance(i, j));
      }
    }
    std::ranges::sort(result.values);
    result.values.erase(std::ranges::unique(result.values).begin(), result.values.end());
    for (int i = 0; i < queries; ++i) {
      for (int j = 0; j < keys; ++j) {
        const auto found = std::ranges::lower_bound(result.values, distance(i, j));
        result.index(i, j) = sees(distance(i, j)) ? static_cast<int>(found - result.values.begin()) : kNoVector;
      }
    }
    return result;
  }

  /// r: [distance][d_model], sines then cosines.
  [[nodiscard]] Matrix<float> sinusoids(const std::vector<double>& distances) const {
    Matrix<float> waves(static_cast<int>(distances.size()), settings_.d_model);
    std::vector<double> angles(inv_freq_.size());
    for (int row = 0; row < waves.rows(); ++row) {
      const double distance = distances[static_cast<std::size_t>(row)];
      for (std::size_t pair = 0; pair < angles.size(); ++pair) angles[pair] = distance * inv_freq_[pair];
      kernels::best.sin_cos(angles, waves.row(row).first(angles.size()), waves.row(row).last(angles.size()));
    }
    return waves;
  }

  /// W r of one head: [distance][head_dim].
  [[nodiscard]] Matrix<float> projected(const Matrix<float>& waves, int head) const {
    Matrix<float> keys(waves.rows(), settings_.head_dim);
    for (int row = 0; row < keys.rows(); ++row) {
      for (int channel = 0; channel < keys.cols(); ++channel) {
        keys(row, channel) = kernels::best.dot(projection_.row(head * settings_.head_dim + channel), waves.row(row));
      }
    }
    return keys;
  }

  void collect_projection(const Matrix<float>& waves, const Matrix<float>& grad_keys, int head,
                          std::span<float> grad_projection) const {
    const MatrixView grads(grad_projection, projection_.rows(), projection_.cols());
    for (int row = 0; row < grad_keys.rows(); ++row) {
      for (int channel = 0; channel < grad_keys.cols(); ++channel) {
        kernels::best.add_scaled(grad_keys(row, channel), waves.row(row),
                                 grads.row(head * settings_.head_dim + channel));
      }
    }
  }

  /// q + v
  [[nodiscard]] Matrix<float> with_bias(MatrixView<const float> q, int head) const {
    Matrix<float> biased(q.rows(), q.cols());
    for (int i = 0; i < q.rows(); ++i) {
      std::ranges::copy(q.row(i), biased.row(i).begin());
      kernels::best.add_scaled(1.0F, v_.row(head), biased.row(i));
    }
    return biased;
  }

  SinusoidalVectors settings_;
  MatrixView<const float> projection_;  ///< W
  MatrixView<const float> u_;
  MatrixView<const float> v_;
  std::vector<double> inv_freq_;
};

}  // namespace

void add_query_dots(MatrixView<const float> q, MatrixView<const float> vectors, const VectorIndex& index,
                    MatrixView<float> dots) {
  for_each_vector(index, [&](int i, int j, int row) { dots(i, j) += kernels::best.dot(q.row(i), vectors.row(row)); });
}

void add_key_dots(MatrixView<const float> k, MatrixView<const float> vectors, const VectorIndex& index,
                  MatrixView<float> dots) {
  for_each_vector(index, [&](int i, int j, int row) { dots(i, j) += kernels::best.dot(k.row(j), vectors.row(row)); });
}

void collect_query_dots(MatrixView<const float> q, MatrixView<const float> vectors, const VectorIndex& index,
                        MatrixView<const float> grad_dots, MatrixView<float> grad_q, MatrixView<float> grad_vectors) {
  for_each_vector(index, [&](int i, int j, int row) {
    kernels::best.add_scaled(grad_dots(i, j), vectors.row(row), grad_q.row(i));
    kernels::best.add_scaled(grad_dots(i, j), q.row(i), grad_vectors.row(row));
  });
}

void collect_key_dots(MatrixView<const float> k, MatrixView<const float> vectors, const VectorIndex& index,
                      MatrixView<const float> grad_dots, MatrixView<float> grad_k, MatrixView<float> grad_vectors) {
  for_each_vector(index, [&](int i, int j, int row) {
    kernels::best.add_scaled(grad_dots(i, j), vectors.row(row), grad_k.row(j));
    kernels::best.add_scaled(grad_dots(i, j), k.row(j), grad_vectors.row(row));
  });
}

std::unique_ptr<const RelativeVectors> sinusoidal_vectors(const SinusoidalVectors& settings,
                                                          std::span<const float> weights) {
  if (settings.d_model % 2 != 0) {
    throw Error({ErrorCode::out_of_range, "", "dims.d_model", "be even: a cosine for each sine",
                 std::to_string(settings.d_model)});
  }
  return std::make_unique<ProjectedSinusoids>(settings, weights);
}

}  // namespace posenc
