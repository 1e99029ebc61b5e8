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
  cos_sin_table(positions, inv_freq, result.cos.view(), result.sin.view());
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
  const Table together = table({1000, 3, 64, 63, 0.5, 1000}, inv_freq);
  const std::vector<double> positions{1000, 3, 64, 63, 0.5, 1000};
  for (int row = 0; row < 6; ++row) {
    const Table alone = table({positions[static_cast<std::size_t>(row)]}, inv_freq);
    check_close<float, float>(together.cos.row(row), alone.cos.row(0), 0.0);
    check_close<float, float>(together.sin.row(row), alone.sin.row(0), 0.0);
  }
}

TEST_CASE("angles: position 0 is exactly no rotation", "[angles]") {
  const Table none = table({0}, frequencies(7));
  for (const float value : none.cos.all()) CHECK(value == 1.0F);
  for (const float value : none.sin.all()) CHECK(value == 0.0F);
}
