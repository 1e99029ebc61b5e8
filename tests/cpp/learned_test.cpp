#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

constexpr Dims kDims{.d_model = 4, .n_heads = 1, .head_dim = 4};

Matrix<float> rows(const Spec& spec, const Matrix<double>& at) {
  const Encoding encoding = make(spec);
  Matrix<float> out(at.rows(), spec.dims.d_model);
  encoding.input->rows(at.view(), out.view());
  return out;
}

}  // namespace

TEST_CASE("learned: gives the rows of the table that it was given", "[learned]") {
  Spec given = spec("learned", {.d_model = 2, .n_heads = 1, .head_dim = 2}, {{"max_position", 3.0}});
  given.weights = {1, 2, 3, 4, 5, 6};
  check_close(rows(given, positions({2, 0})), {5, 6, 1, 2}, 0.0);
}

TEST_CASE("learned: the table has a hard end", "[learned]") {
  const double position = GENERATE(4.0, -1.0, 0.5, 1e8);
  const Spec short_table = spec("learned", kDims, {{"max_position", 4.0}});
  const Error error = error_of([&] { static_cast<void>(rows(short_table, positions({0, position}))); });
  CHECK(error.code() == ErrorCode::position_out_of_range);
  CHECK(error.rule() == "be whole numbers from 0 to 3 (max_position - 1)");
}

TEST_CASE("learned: a row does not depend on the length of the table", "[learned]") {
  const Matrix<float> from_short = rows(spec("learned", kDims, {{"max_position", 4.0}}), positions({3}));
  const Matrix<float> from_long = rows(spec("learned", kDims, {{"max_position", 400.0}}), positions({3}));
  check_close<float, float>(from_short.all(), from_long.all(), 0.0);
}

TEST_CASE("learned: another seed is another table", "[learned]") {
  const Matrix<float> seven = rows(spec("learned", kDims), positions({3}));
  const Matrix<float> eight = rows(spec("learned", kDims, {{"seed", 8.0}}), positions({3}));
  CHECK(seven(0, 0) != eight(0, 0));
}

TEST_CASE("learned: a table of another size is refused", "[learned]") {
  Spec given = spec("learned", kDims, {{"max_position", 3.0}});
  given.weights = {1, 2, 3};
  const Error error = error_of([&] { static_cast<void>(make(given)); });
  CHECK(error.code() == ErrorCode::shape_mismatch);
  CHECK(error.field() == "weights");
  CHECK(error.rule() == "have 3 x 4 numbers (max_position, d_model)");
}

TEST_CASE("learned: moving the encoding keeps its table", "[learned]") {
  Encoding first = make(spec("learned", kDims));
  const Encoding moved = std::move(first);
  Matrix<float> out(1, 4);
  moved.input->rows(positions({3}).view(), out.view());
  check_close<float, float>(out.all(), rows(spec("learned", kDims), positions({3})).all(), 0.0);
}

TEST_CASE("learned: a table of 514 rows serves 512 positions when two are for padding", "[learned]") {
  const Spec roberta = spec("learned", kDims, {{"max_position", 514.0}, {"position_offset", 2.0}});
  const Matrix<float> plain = rows(spec("learned", kDims, {{"max_position", 514.0}}), positions({2, 513}));
  check_close<float, float>(rows(roberta, positions({0, 511})).all(), plain.all(), 0.0);
  const Error error = error_of([&] { static_cast<void>(rows(roberta, positions({512}))); });
  CHECK(error.code() == ErrorCode::position_out_of_range);
  CHECK(error.rule() == "be whole numbers from -2 to 511 (max_position - 1 - position_offset)");
}

TEST_CASE("learned: unit rows have the length of the scale, zeros stay zeros", "[learned]") {
  Spec given = spec("learned", {.d_model = 2, .n_heads = 1, .head_dim = 2},
                    {{"max_position", 2.0}, {"l2norm", true}, {"scale", 0.5}});
  given.weights = {3, 4, 0, 0};
  check_close(rows(given, positions({0, 1})), {0.3, 0.4, 0, 0}, 1e-7);
}
