#include "posenc/angles.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

struct Table {
  Matrix<float> cos;
  Matrix<float> sin;
};

Table table(const std::vector<double>& positions, const std::vector<double>& inv_freq) {
  const int rows = static_cast<int>(positions.size());
  const int pairs = static_cast<int>(inv_freq.size());
  Table result{Matrix<float>(rows, pairs), Matrix<float>(rows, pairs)};
  cos_sin_table(positions, inv_freq, {result.cos.view()}, {result.sin.view()});
  return result;
}

std::vector<double> frequencies(int pairs) {
  std::vector<double> result(static_cast<std::size_t>(pairs));
  inv_freq(10000.0, 2 * pairs, result);
  return result;
}

}  // namespace

TEST_CASE("angles: half a unit in the last place at every kind of position", "[angles]") {
  const std::vector<double> inv_freq = frequencies(32);
  std::vector<double> positions;
  for (double position = 0; position < 300; ++position) positions.push_back(position);
  for (const double far : {4095.0, 131071.0, 1048575.0, -7.0, 0.5, -1000.25}) positions.push_back(far);
  const Table got = table(positions, inv_freq);
  for (std::size_t row = 0; row < positions.size(); ++row) {
    for (std::size_t pair = 0; pair < inv_freq.size(); ++pair) {
      const double angle = positions[row] * inv_freq[pair];
      const double cos_error =
          std::abs(static_cast<double>(got.cos(static_cast<int>(row), static_cast<int>(pair))) - std::cos(angle));
      const double sin_error =
          std::abs(static_cast<double>(got.sin(static_cast<int>(row), static_cast<int>(pair))) - std::sin(angle));
      INFO("position " << positions[row] << ", pair " << pair);
      REQUIRE(std::max(cos_error, sin_error) <= 3.05e-8);  // 0.51 units of numbers below 1
    }
  }
}

TEST_CASE("angles: a row depends on its position alone", "[angles]") {
  const std::vector<double> inv_freq = frequencies(5);
  std::vector<double> positions{1000, 3, 64, 63, 0.5, 1000, 0.5, 0.25, -1, -2, 1e9, -1e9};
  for (double position = -20; position < 300; ++position) positions.push_back(position);  // whole tiles
  const Table together = table(positions, inv_freq);
  for (int row = 0; row < together.cos.rows(); ++row) {
    const Table alone = table({positions[static_cast<std::size_t>(row)]}, inv_freq);
    check_close<float, float>(together.cos.row(row), alone.cos.row(0), 0.0);
    check_close<float, float>(together.sin.row(row), alone.sin.row(0), 0.0);
  }
}

TEST_CASE("angles: both orders have the same numbers, in the columns that were asked for", "[angles]") {
  std::vector<double> positions{7, 0.5, 3};
  for (double position = 0; position < 40; ++position) positions.push_back(position);
  const std::vector<double> inv_freq = frequencies(6);
  const Table expected = table(positions, inv_freq);
  constexpr int kWidth = 17;
  Matrix<float> apart(expected.cos.rows(), kWidth);
  Matrix<float> beside(expected.cos.rows(), kWidth);
  cos_sin_table(positions, inv_freq, {apart.view(), 9}, {apart.view(), 1});
  cos_sin_table(positions, inv_freq, {beside.view(), 4}, {beside.view(), 3}, SinCos::interleaved);
  for (int row = 0; row < apart.rows(); ++row) {
    for (int pair = 0; pair < 6; ++pair) {
      CHECK(apart(row, 9 + pair) == expected.cos(row, pair));
      CHECK(apart(row, 1 + pair) == expected.sin(row, pair));
      CHECK(beside(row, 4 + 2 * pair) == expected.cos(row, pair));
      CHECK(beside(row, 3 + 2 * pair) == expected.sin(row, pair));
    }
    for (const int outside : {0, 7, 8, 15, 16}) CHECK(apart(row, outside) == 0.0F);
    for (const int outside : {0, 1, 2, 15, 16}) CHECK(beside(row, outside) == 0.0F);
  }
}

TEST_CASE("angles: position 0 is exactly no rotation", "[angles]") {
  const Table none = table({0}, frequencies(7));
  for (const float value : none.cos.all()) CHECK(value == 1.0F);
  for (const float value : none.sin.all()) CHECK(value == 0.0F);
}
