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

namespace {

/// Whether tokens stand at p, p + 1, p + 2 … with a whole p.
bool are_consecutive(Positions positions) {
  if (positions.rows() == 0 || positions(0, 0) != std::floor(positions(0, 0))) return false;
  for (int token = 1; token < positions.rows(); ++token) {
    if (positions(token, 0) != positions(0, 0) + token) return false;
  }
  return true;
}

}  // namespace

namespace detail {

void fill_by_offset(const BiasQuery& query, float (*f)(const void* context, double offset), const void* context,
                    MatrixView<float> out) {
  if (!are_consecutive(query.q_positions) || !are_consecutive(query.k_positions)) {
    return fill_distinct(offsets(query), f, context, out);
  }
  const int last = out.rows() - 1;
  const auto n_keys = static_cast<std::size_t>(out.cols());
  const double smallest = query.k_positions(0, 0) - query.q_positions(last, 0);
  std::vector<float> by_offset;
  by_offset.reserve(static_cast<std::size_t>(last) + n_keys);
  for (int i = 0; i < last + out.cols(); ++i) by_offset.push_back(f(context, smallest + i));
  for (int row = 0; row <= last; ++row) {
    std::ranges::copy(std::span(by_offset).subspan(static_cast<std::size_t>(last - row), n_keys), out.row(row).begin());
  }
}

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
