#pragma once

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "posenc/posenc.hpp"

/// What several test files need.
namespace posenc::test {

inline Matrix<double> positions(std::initializer_list<double> numbers) {
  Matrix<double> matrix(static_cast<int>(numbers.size()), 1);
  std::size_t i = 0;
  for (const double number : numbers) matrix.all()[i++] = number;
  return matrix;
}

/// first, first + 1, ...
inline Matrix<double> count(int length, double first = 0.0) {
  Matrix<double> matrix(length, 1);
  for (int i = 0; i < length; ++i) matrix(i, 0) = first + i;
  return matrix;
}

inline Matrix<float> matrix(int rows, int cols, std::vector<float> numbers) {
  Matrix<float> result(rows, cols);
  REQUIRE(numbers.size() == result.all().size());
  std::copy(numbers.begin(), numbers.end(), result.all().begin());
  return result;
}

/// Seeded numbers of unit variance.
inline Matrix<float> random_matrix(int rows, int cols, std::uint64_t seed) {
  Matrix<float> result(rows, cols);
  fill_normal(seed, 1.0, result.all());
  return result;
}

inline Spec spec(std::string encoding, Dims dims = {}, decltype(Spec::params) params = {}) {
  return {.encoding = std::move(encoding), .dims = dims, .params = std::move(params), .weights = {}};
}

/// Fails with the index, the number got and the number expected.
template <class Got, class Expected>
void check_close(std::span<const Got> got, std::span<const Expected> expected, double tolerance) {
  REQUIRE(got.size() == expected.size());
  std::size_t worst = 0;
  double largest = -1.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double difference = std::abs(static_cast<double>(got[i]) - static_cast<double>(expected[i]));
    if (!(difference <= largest)) {
      largest = difference;
      worst = i;
    }
  }
  if (got.empty()) return;
  INFO("index " << worst << ": got " << got[worst] << ", expected " << expected[worst]);
  CHECK(largest <= tolerance);
}

inline void check_close(const Matrix<float>& got, std::vector<double> expected, double tolerance) {
  check_close<float, double>(got.all(), expected, tolerance);
}

/// The error that `f` throws; fails if it throws none.
template <class F>
Error error_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error was thrown");
  throw std::logic_error("unreachable");
}

}  // namespace posenc::test
