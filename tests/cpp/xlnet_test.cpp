#include <catch2/catch_test_macros.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

TEST_CASE("xlnet: a key before and a key after the query differ by the sign of the sines", "[xlnet]") {
  // W keeps sines only (channel 0) and cosines only (channel 1); u = v = 0.
  Spec xlnet = spec("xlnet", {.d_model = 2, .n_heads = 1, .head_dim = 2});
  xlnet.weights = {1, 0, 0, 1, 0, 0, 0, 0};
  const Encoding encoding = make(xlnet);
  Matrix<float> q(1, 2);
  const Matrix<float> k(2, 2);
  const auto dots = [&](float sine, float cosine) {
    q(0, 0) = sine;
    q(0, 1) = cosine;
    Matrix<float> out(1, 2);
    encoding.relative->add_to_dots({q.view(), k.view(), positions({5}).view(), positions({2, 8}).view(), 0},
                                   out.view());
    return out;
  };
  const Matrix<float> sines = dots(1, 0);
  CHECK(sines(0, 0) == -sines(0, 1));
  CHECK(std::abs(static_cast<double>(sines(0, 0)) - std::sin(3.0)) < 1e-6);
  const Matrix<float> cosines = dots(0, 1);
  CHECK(cosines(0, 0) == cosines(0, 1));
}

TEST_CASE("xlnet: later keys count", "[xlnet]") {
  const std::vector<std::string> words{"Tom", "chased", "Jerry", "home"};
  const Matrix<float> both = attend_words(spec("xlnet"), {}, words).logits;
  const Matrix<float> back = attend_words(spec("transformer_xl"), {}, words).logits;
  CHECK(both(0, 3) != back(0, 3));
  CHECK(std::abs(both(3, 0) - back(3, 0)) < 1e-5F);
}
