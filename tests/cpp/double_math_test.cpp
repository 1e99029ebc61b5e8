#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "kernels/kernels.hpp"

namespace {

/// The long double functions of musl (WebAssembly) are those of double in disguise: no reference. That WebAssembly
/// agrees with the builds that are checked here is what same_bytes_test.cpp shows.
void skip_without_reference() {
  if (std::numeric_limits<long double>::digits != 64) SKIP("no long double functions of more than double precision");
}

/// In units of the last place of the double nearest to `exact`.
double error_in_ulps(double got, long double exact) {
  const auto nearest = static_cast<double>(exact);
  const double ulp = std::nextafter(std::abs(nearest), std::numeric_limits<double>::infinity()) - std::abs(nearest);
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) / static_cast<long double>(ulp));
}

}  // namespace

TEST_CASE("pow: correctly rounded for inverse frequencies", "[kernel]") {
  skip_without_reference();
  for (const double theta : {1.0, 100.0, 10000.0, 500000.0, 1e6, 1e8, 1e10}) {
    for (int width = 2; width <= 256; width += 6) {
      for (int pair = 0; pair < width / 2; ++pair) {
        const double exponent = -2.0 * pair / width;
        const long double exact = std::pow(static_cast<long double>(theta), static_cast<long double>(exponent));
        INFO(theta << " ^ " << exponent);
        REQUIRE(error_in_ulps(posenc::kernels::pow(theta, exponent), exact) <= 0.502);
      }
    }
  }
}

TEST_CASE("pow: whole powers of two are exact", "[kernel]") {
  for (int exponent = -64; exponent <= 64; ++exponent) {
    CHECK(posenc::kernels::pow(2.0, exponent) == std::ldexp(1.0, exponent));
  }
}

TEST_CASE("exp and log: correctly rounded", "[kernel]") {
  skip_without_reference();
  for (int i = -3000; i <= 3000; ++i) {
    const double x = i * 0.0731;
    INFO("x = " << x);
    REQUIRE(error_in_ulps(posenc::kernels::exp(x), std::exp(static_cast<long double>(x))) <= 0.502);
    const double y = std::exp(x / 10);
    if (y != 1.0) REQUIRE(error_in_ulps(posenc::kernels::log(y), std::log(static_cast<long double>(y))) <= 0.502);
  }
  CHECK(posenc::kernels::log(1.0) == 0.0);
  CHECK(posenc::kernels::exp(0.0) == 1.0);
}
