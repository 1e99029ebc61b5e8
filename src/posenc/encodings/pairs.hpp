#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "posenc/encoding.hpp"
#include "posenc/info.hpp"

/// What biases share that depend on the offset of a pair (query, key) and on nothing else of it.
namespace posenc {

/// What a bias that is written for earlier keys does with later ones.
enum class Form { symmetric, causal };

inline constexpr std::array kForms{
    Choice{"symmetric", "symmetric", "both directions alike: the distance is |i − j|"},
    Choice{"causal", "causal", "only looking back: later keys have distance 0"},
};

/// @param offset  key minus query
[[nodiscard]] double distance(Form form, double offset);

/// Key minus query of every pair, [query][key].
[[nodiscard]] std::vector<double> offsets(const BiasQuery& query, int axis = 0);

/// distance() of every pair, [query][key].
[[nodiscard]] std::vector<double> distances(const BiasQuery& query, Form form);

/// Numbers of all pairs with each different one kept once: n words have 2n - 1 offsets, not n * n.
class Distinct {
 public:
  /// @param of_pairs  [query][key], finite
  explicit Distinct(std::span<const double> of_pairs);

  /// Ascending.
  [[nodiscard]] std::span<const double> values() const { return values_; }
  /// Of each pair, where its value stands in values().
  [[nodiscard]] std::span<const std::size_t> index() const { return index_; }
  /// out[pair] = of_values[index()[pair]]
  void spread(std::span<const float> of_values, MatrixView<float> out) const;
  /// For each value the sum over its pairs, the backward of spread().
  [[nodiscard]] std::vector<double> sums(MatrixView<const float> of_pairs) const;

 private:
  std::vector<double> values_;
  std::vector<std::size_t> index_;
};

namespace detail {
void fill_by_offset(const BiasQuery& query, float (*f)(const void* context, double offset), const void* context,
                    MatrixView<float> out);
void fill_distinct(std::span<const double> of_pairs, float (*f)(const void* context, double number),
                   const void* context, MatrixView<float> out);
void collect_distinct(std::span<const double> of_pairs, MatrixView<const float> grads,
                      void (*f)(const void* context, double number, double sum), const void* context);
}  // namespace detail

/// out[pair] = f(key minus query), with one call for each different offset. Where positions are whole and follow one
/// another, a row is the one above it moved by one place, so all rows are parts of one: [f(1 - n) … f(n - 1)].
template <class F>
void fill_by_offset(const BiasQuery& query, const F& f, MatrixView<float> out) {
  const auto call = [](const void* context, double offset) { return (*static_cast<const F*>(context))(offset); };
  detail::fill_by_offset(query, call, &f, out);
}

/// out[pair] = f(distance of the pair), likewise.
template <class F>
void fill_by_distance(const BiasQuery& query, Form form, const F& f, MatrixView<float> out) {
  fill_by_offset(
      query, [&](double offset) { return f(distance(form, offset)); }, out);
}

/// out[pair] = f(number of the pair), with one call for each different number.
template <class F>
void fill_distinct(std::span<const double> of_pairs, const F& f, MatrixView<float> out) {
  const auto call = [](const void* context, double number) { return (*static_cast<const F*>(context))(number); };
  detail::fill_distinct(of_pairs, call, &f, out);
}

/// The backward of fill_distinct(): f(number, sum of the gradients of its pairs), once for each different number.
template <class F>
void collect_distinct(std::span<const double> of_pairs, MatrixView<const float> grads, const F& f) {
  const auto call = [](const void* context, double number, double sum) {
    (*static_cast<const F*>(context))(number, sum);
  };
  detail::collect_distinct(of_pairs, grads, call, &f);
}

}  // namespace posenc
