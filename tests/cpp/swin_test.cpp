#include <cmath>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

constexpr Dims kOneHead{.d_model = 1, .n_heads = 1, .head_dim = 1};

/// Patches of a window, row by row.
Matrix<double> window(int height, int width) {
  Matrix<double> at(height * width, 2);
  for (int patch = 0; patch < at.rows(); ++patch) {
    at(patch, 0) = patch / width;
    at(patch, 1) = patch % width;
  }
  return at;
}

Matrix<float> bias(const Spec& spec, const Matrix<double>& at) {
  Matrix<float> out(at.rows(), at.rows());
  make(spec).bias->bias({at.view(), at.view(), 0}, out.view());
  return out;
}

Spec swin(int height, int width) {
  return spec("swin_bias", kOneHead,
              {{"window_height", static_cast<double>(height)}, {"window_width", static_cast<double>(width)}});
}

/// Which row of the table each pair reads: the table holds its own row numbers.
std::vector<int> index(int height, int width) {
  Spec numbered = swin(height, width);
  for (int i = 0; i < (2 * height - 1) * (2 * width - 1); ++i) numbered.weights.push_back(static_cast<float>(i));
  std::vector<int> result;
  const Matrix<float> rows = bias(numbered, window(height, width));
  for (const float row : rows.all()) result.push_back(static_cast<int>(row));
  return result;
}

Spec swin_v2(decltype(Spec::params) params) { return spec("swin_v2_bias", kOneHead, std::move(params)); }

}  // namespace

TEST_CASE("swin_bias: the index of a 2 x 2 window", "[swin]") {
  CHECK(index(2, 2) == std::vector{4, 3, 1, 0, 5, 4, 2, 1, 7, 6, 4, 3, 8, 7, 5, 4});
}

TEST_CASE("swin_bias: as many numbers as there are offsets", "[swin]") {
  CHECK(make(swin(7, 7)).weights.size() == 169);
  CHECK(make(swin(12, 12)).weights.size() == 529);
  CHECK(make(swin(2, 3)).weights.size() == 15);
  CHECK(make(spec("swin_bias")).weights.size() == std::size_t{169} * 4);
}

TEST_CASE("swin_bias: a window need not be square: a row of offsets has 2 * width - 1", "[swin]") {
  const std::vector<int> of_2x3 = index(2, 3);
  for (std::size_t patch = 0; patch < 6; ++patch) CHECK(of_2x3[patch * 6 + patch] == 7);
  CHECK(of_2x3[0 * 6 + 3] == 7 - 5);  // one row further down, the same column
  CHECK(of_2x3[0 * 6 + 1] == 7 - 1);  // one column further right
  CHECK(of_2x3.back() == 7);
  CHECK(index(3, 2)[0 * 6 + 2] == 7 - 3);
}

TEST_CASE("swin_bias: words are one row of a picture", "[swin]") {
  const std::vector<std::string> words{"Tom", "chased", "Jerry"};
  const HeadAttention attention = attend_words(spec("swin_bias"), {}, words);
  const Encoding encoding = make(spec("swin_bias"));
  const auto table = [&](int row, int column) {
    return encoding.weights[static_cast<std::size_t>((row * 13 + column) * 4)];
  };
  CHECK(attention.bias(0, 0) == table(6, 6));
  CHECK(attention.bias(0, 1) == table(6, 5));
  CHECK(attention.bias(2, 0) == table(6, 8));
}

TEST_CASE("swin_bias: offsets that the window has not are refused", "[swin]") {
  const auto refused = [](const Matrix<double>& at) {
    const Error error = error_of([&] { static_cast<void>(bias(swin(2, 3), at)); });
    CHECK(error.field() == "positions");
    return error.code() == ErrorCode::position_out_of_range;
  };
  Matrix<double> at(2, 2);
  at(1, 1) = 3.0;
  CHECK(refused(at));
  at(1, 1) = 0.5;
  CHECK(refused(at));
  at(1, 1) = 0.0;
  at(1, 0) = -2.0;
  CHECK(refused(at));
  at(0, 0) = -1.0;
  CHECK_NOTHROW(bias(swin(2, 3), at));
}

TEST_CASE("swin_v2_bias: between 0 and 16, 8 where the network says 0", "[swin]") {
  const Matrix<float> out = bias(swin_v2({{"stddev", 10.0}}), window(8, 8));
  for (const float value : out.all()) CHECK((value >= 0.0F && value <= 16.0F));
  CHECK(bias(swin_v2({{"stddev", 0.0}}), window(2, 2))(0, 1) == 8.0F);
}

TEST_CASE("swin_v2_bias: a larger window of the same model keeps the bias of its old offsets", "[swin]") {
  const Matrix<float> trained = bias(swin_v2({{"window_height", 8.0}, {"window_width", 8.0}}), window(8, 8));
  const Matrix<float> larger = bias(
      swin_v2({{"window_height", 16.0}, {"window_width", 16.0}, {"pretrained_height", 8.0}, {"pretrained_width", 8.0}}),
      window(8, 8));
  check_close<float, float>(larger.all(), trained.all(), 0.0);
}

TEST_CASE("swin_v2_bias: continuous: a place between two patches has a bias, and so has one outside", "[swin]") {
  Matrix<double> at(3, 2);
  at(1, 1) = 0.5;
  at(2, 1) = 100.0;
  const Matrix<float> out = bias(swin_v2({}), at);
  for (const float value : out.all()) CHECK(std::isfinite(value));
  CHECK(out(0, 0) != out(0, 1));
}

TEST_CASE("swin_v2_bias: a trained window of 1 is refused by name", "[swin]") {
  const std::string field = GENERATE("pretrained_height", "pretrained_width");
  const Error error = error_of([&] { static_cast<void>(make(swin_v2({{field, 1.0}}))); });
  CHECK(error.code() == ErrorCode::out_of_range);
  CHECK(error.field() == field);
}
