#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

TEST_CASE("error: says whose field, the rule and the value", "[error]") {
  const Error error({ErrorCode::out_of_range, "rope", "theta", "be at least 1", "0"});
  CHECK(std::string(error.what()) == "rope: theta must be at least 1, got 0");
  CHECK(to_string(error.code()) == "out_of_range");
  CHECK(error.field() == "theta");
  CHECK(error.rule() == "be at least 1");
  CHECK(error.value() == "0");
}

TEST_CASE("to_text: short decimals, as people write them", "[error]") {
  CHECK(to_text(0.0) == "0");
  CHECK(to_text(16.0) == "16");
  CHECK(to_text(-0.5) == "-0.5");
  CHECK(to_text(0.1) == "0.1");
  CHECK(to_text(123.456) == "123.456");
  CHECK(to_text(0.001) == "0.001");
  CHECK(to_text(1e8) == "100000000");
  CHECK(to_text(9007199254740991.0) == "9.007199254740991e15");
  CHECK(to_text(1e300) == "1e300");
  CHECK(to_text(1e15) == "1e15");
  CHECK(to_text(999.0) == "999");
  CHECK(to_text(1000.0) == "1000");
  CHECK(to_text(1e-9) == "1e-9");
  CHECK(to_text(std::numeric_limits<double>::max()) == "1.797693134862316e308");
  CHECK(to_text(5e-308) == "0.5e-307");
  CHECK(to_text(1e-7) == "1e-7");
  CHECK(to_text(std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(to_text(-std::numeric_limits<double>::infinity()) == "-inf");
}

TEST_CASE("positions: what is not finite or too far is refused with its place", "[error]") {
  const Error nan = error_of([] { validate_positions(positions({1, NAN}).view(), 1, "positions"); });
  CHECK(std::string(nan.what()) == "positions must be finite numbers, got nan at token 1");
  const Error far = error_of([] { validate_positions(positions({-2e9}).view(), 1, "positions"); });
  CHECK(far.code() == ErrorCode::position_out_of_range);
  const Error axes = error_of([] { validate_positions(positions({1}).view(), 2, "positions"); });
  CHECK(axes.code() == ErrorCode::shape_mismatch);
}

TEST_CASE("dims: sizes below 1 and absurd ones are refused", "[error]") {
  CHECK(error_of([] { static_cast<void>(make(spec("none", {.d_model = 0}))); }).field() == "dims.d_model");
  CHECK(error_of([] { static_cast<void>(make(spec("none", {.n_heads = -1}))); }).field() == "dims.n_heads");
  CHECK(error_of([] { static_cast<void>(make(spec("none", {.head_dim = 1 << 30}))); }).field() == "dims.head_dim");
}
