#include <cstdio>

#include <posenc/posenc.hpp>

// Prints what the npm consumer prints, so that the two can be compared.
int main() {
  const posenc::Dims dims{.d_model = 8, .n_heads = 1, .head_dim = 8};
  const posenc::Encoding encoding = posenc::make({.encoding = "sinusoidal", .dims = dims, .params = {}, .weights = {}});
  posenc::Matrix<double> positions(2, 1);
  positions(0, 0) = 3;
  positions(1, 0) = 1048575;
  posenc::Matrix<float> rows(2, 8);
  encoding.input->rows(positions.view(), rows.view());
  for (const float value : rows.all()) std::printf("%.9g\n", static_cast<double>(value));
  try {
    static_cast<void>(posenc::make({.encoding = "ropee", .dims = {}, .params = {}, .weights = {}}));
  } catch (const posenc::Error& error) {
    std::printf("%s\n", error.what());
  }
}
