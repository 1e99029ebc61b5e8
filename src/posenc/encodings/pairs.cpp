#include "encodings/pairs.hpp"

#include <algorithm>
#include <cmath>

namespace posenc {

double distance(Form form, double offset) {
  return form == Form::symmetric ? std::abs(offset) : std::max(0.0 - offset, 0.0);
}

std::vector<double> offsets(const BiasQuery& query, int axis) {
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(query.q_positions.rows()) *
                 static_cast<std::size_t>(query.k_positions.rows()));
  for (int i = 0; i < query.q_positions.rows(); ++i) {
    for (int j = 0; j < query.k_positions.rows(); ++j) {
      result.push_back(query.k_positions(j, axis) - query.q_positions(i, axis));
    }
  }
  return result;
}

std::vector<double> distances(const BiasQuery& query, Form form) {
  std::vector<double> result = offsets(query);
  for (double& number : result) number = distance(form, number);
  return result;
}

Distinct::Distinct(std::span<const double> of_pairs) : values_(of_pairs.begin(), of_pairs.end()) {
  std::ranges::make_heap(values_);  // less code than std::sort, and the module is short of room
  std::ranges::sort_heap(values_);
  values_.erase(std::ranges::unique(values_).begin(), values_.end());
  index_.reserve(of_pairs.size());
  for (const double value : of_pairs) {
    index_.push_back(static_cast<std::size_t>(std::ranges::lower_bound(values_, value) - values_.begin()));
  }
}

void Distinct::spread(std::span<const float> of_values, MatrixView<float> out) const {
  for (std::size_t pair = 0; pair < index_.size(); ++pair) out.all()[pair] = of_values[index_[pair]];
}

std::vector<double> Distinct::sums(MatrixView<const float> of_pairs) const {
  std::vector<double> result(values_.size());
  for (std::size_t pair = 0; pair < index_.size(); ++pair) {
    result[index_[pair]] += static_cast<double>(of_pairs.all()[pair]);
  }
  return result;
}

namespace detail {

void fill_distinct(std::span<const double> of_pairs, float (*f)(const void* context, double number),
                   const void* context, MatrixView<float> out) {
  const Distinct distinct(of_pairs);
  std::vector<float> values;
  values.reserve(distinct.values().size());
  for (const double number : distinct.values()) values.push_back(f(context, number));
  distinct.spread(values, out);
}

void collect_distinct(std::span<const double> of_pairs, MatrixView<const float> grads,
                      void (*f)(const void* context, double number, double sum), const void* context) {
  const Distinct distinct(of_pairs);
  const std::vector<double> sums = distinct.sums(grads);
  for (std::size_t i = 0; i < sums.size(); ++i) f(context, distinct.values()[i], sums[i]);
}

}  // namespace detail

}  // namespace posenc
