#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "rotary.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

Spec xpos(int head_dim, decltype(Spec::params) params = {}) { return spec("xpos", one_head(head_dim), params); }

double shrink(int pair, int rotary_dim, double gamma) { return (2.0 * pair / rotary_dim + gamma) / (1.0 + gamma); }

/// What q · k keeps of pair 0 .. in size, for a query and a key at these positions.
std::vector<double> kept(const Spec& spec, double query, double key) {
  const Matrix<double> at = positions({query, key, 100});  // the third one keeps the centre where it is
  const CosSin q = cos_sin(spec, at, Operand::q);
  const CosSin k = cos_sin(spec, at, Operand::k);
  std::vector<double> out;
  for (int pair = 0; pair < q.cos.cols(); ++pair) {
    out.push_back(std::hypot(static_cast<double>(q.cos(0, pair)), q.sin(0, pair)) *
                  std::hypot(static_cast<double>(k.cos(1, pair)), k.sin(1, pair)));
  }
  return out;
}

}  // namespace

TEST_CASE("xpos: pairs are neighbours, turned and scaled", "[xpos]") {
  const Matrix<float> x = matrix(1, 4, {1, 0, 0, 0});
  const Spec paper = xpos(4, {{"centre", "none"}, {"scale_base", 16.0}});
  const double scale = std::pow(0.4 / 1.4, 1.0 / 16.0);
  check_close(turned(paper, x, positions({1}), Operand::q), {0.540302 * scale, 0.841471 * scale, 0, 0}, 1e-6);
  check_close(turned(paper, x, positions({1}), Operand::k), {0.540302 / scale, 0.841471 / scale, 0, 0}, 1e-6);
}

TEST_CASE("xpos: at distance 0 the scales of q and k cancel", "[xpos]") {
  const double position = GENERATE(0.0, 3.0, 64.5, 100.0);
  for (const double size : kept(xpos(16, {{"scale_base", 16.0}}), position, position)) {
    CHECK(std::abs(size - 1.0) < 2e-7);
  }
}

TEST_CASE("xpos: pairs decay with distance into the past, by the formula, the fast ones most", "[xpos]") {
  const double gamma = GENERATE(0.1, 0.4, 2.0);
  const Spec fading = xpos(16, {{"scale_base", 16.0}, {"gamma", gamma}});
  std::vector<double> nearer(8, 1.0);
  for (const double distance : {1.0, 5.0, 20.0, 80.0}) {
    const std::vector<double> sizes = kept(fading, 90, 90 - distance);
    for (int pair = 0; pair < 8; ++pair) {
      const auto at = static_cast<std::size_t>(pair);
      const double expected = std::pow(shrink(pair, 16, gamma), distance / 16.0);
      CHECK(std::abs(sizes[at] - expected) < 1e-6 * expected);
      CHECK(sizes[at] < nearer[at]);
      if (pair > 0) CHECK(sizes[at] > sizes[at - 1]);
    }
    nearer = sizes;
  }
}

TEST_CASE("xpos: a large scale base is rope", "[xpos]") {
  const Matrix<double> at = count(6);
  const CosSin fading = cos_sin(xpos(16, {{"scale_base", 1e6}}), at);
  const CosSin rope = cos_sin(spec("rope", one_head(16)), at);
  check_close<float, float>(fading.cos.all(), rope.cos.all(), 1e-5);
  check_close<float, float>(fading.sin.all(), rope.sin.all(), 1e-5);
}

TEST_CASE("xpos: the centre changes vectors but not scores", "[xpos]") {
  const int n = GENERATE(5, 6);
  const Matrix<float> q = random_matrix(n, 8, 1);
  const Matrix<float> k = random_matrix(n, 8, 2);
  const Spec torchscale = xpos(8, {{"scale_base", 16.0}});
  const Spec lucidrains = xpos(8, {{"scale_base", 16.0}, {"centre", "lucidrains"}});
  const Spec paper = xpos(8, {{"scale_base", 16.0}, {"centre", "none"}});
  const Matrix<float> expected = logits(torchscale, q, k, count(n), count(n));
  check_close<float, float>(logits(lucidrains, q, k, count(n), count(n)).all(), expected.all(), 2e-6);
  check_close<float, float>(logits(paper, q, k, count(n), count(n)).all(), expected.all(), 2e-6);
  // ceil(n / 2) and floor(n / 2) are the same for an even n.
  const float first = turned(torchscale, q, count(n))(0, 0);
  CHECK((turned(lucidrains, q, count(n))(0, 0) == first) == (n % 2 == 0));
  CHECK(turned(paper, q, count(n))(0, 0) != first);
}

TEST_CASE("xpos: scores depend on q - k only, to the bit, under whole shifts", "[xpos]") {
  const auto* const centre = GENERATE("torchscale", "lucidrains", "none");
  const double shift = GENERATE(1.0, 7.0, 1024.0, 1e6);
  check_offsets_alone_matter(xpos(16, {{"centre", centre}}), count(5), {shift});
}

TEST_CASE("xpos: the last token alone has the scores that it has among all", "[xpos]") {
  const Matrix<float> q = random_matrix(7, 16, 1);
  const Matrix<float> k = random_matrix(7, 16, 2);
  const Matrix<float> all = logits(xpos(16), q, k, count(7), count(7));
  Matrix<float> last(1, 16);
  std::ranges::copy(q.row(6), last.all().begin());
  check_close<float, float>(logits(xpos(16), last, k, positions({6}), count(7)).all(), all.row(6), 0.0);
}

TEST_CASE("xpos: positions whose scale is no float are refused", "[xpos]") {
  const Spec fast = xpos(16, {{"scale_base", 1.0}});
  CHECK_NOTHROW(turned(fast, random_matrix(2, 16, 1), positions({0, 125})));
  const Error error = error_of([&] { turned(fast, random_matrix(2, 16, 1), positions({0, 127})); });
  CHECK(error.code() == ErrorCode::position_out_of_range);
  CHECK(std::string(error.what()) ==
        "xpos: positions must be within 63 tokens of the centre, where float ends, got -64 from it");
  CHECK_NOTHROW(turned(xpos(16), random_matrix(2, 16, 1), positions({0, 65000})));
}

TEST_CASE("xpos: a partial rotation leaves the rest untouched, an odd head needs one", "[xpos]") {
  const Matrix<float> ones = matrix(1, 5, std::vector<float>(5, 1.0F));
  CHECK(turned(xpos(5, {{"rotary_dim", 4.0}}), ones, positions({9}))(0, 4) == 1.0F);
  const Error error = error_of([] { static_cast<void>(make(xpos(5))); });
  CHECK(std::string(error.what()) == "xpos: dims.head_dim must be even, or rotary_dim be given, got 5");
}
