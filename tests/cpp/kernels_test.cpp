#include "kernels/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "twins.hpp"

using namespace posenc;
using kernels::Kernels;
using test::kLanes;
using test::Numbers;

namespace {

constexpr std::size_t kMostPairs = 2 * kLanes + 3;

template <class F>
void check_twins(std::size_t size, F f) {
  test::check_twins(kernels::scalar, kernels::simd, size, f);
}

std::size_t any_size() { return GENERATE(range(std::size_t{0}, kMostPairs + 1)); }

}  // namespace

TEST_CASE("dot: the twins agree to the bit", "[kernel]") {
  const std::size_t size = any_size();
  check_twins(2 * size + 1,
              [&](const Kernels& k, std::span<float> x) { x[2 * size] = k.dot(x.first(size), x.subspan(size, size)); });
}

TEST_CASE("add_scaled: the twins agree to the bit", "[kernel]") {
  const std::size_t size = any_size();
  check_twins(2 * size,
              [&](const Kernels& k, std::span<float> x) { k.add_scaled(1.7F, x.first(size), x.subspan(size)); });
}

TEST_CASE("softmax: the twins agree to the bit", "[kernel]") {
  const std::size_t size = any_size();
  const bool masked = GENERATE(false, true);
  check_twins(size, [&](const Kernels& k, std::span<float> x) {
    for (std::size_t i = 0; i < size; ++i) x[i] *= 40.0F;
    if (masked && size > 0) x[size / 2] = -std::numeric_limits<float>::infinity();
    k.softmax(x);
  });
}

TEST_CASE("add, scale, maximum and exponentials: the twins agree to the bit", "[kernel]") {
  const std::size_t size = any_size();
  check_twins(2 * size, [&](const Kernels& k, std::span<float> x) {
    const std::span<float> y = x.last(size);
    const float largest = k.add(x.first(size), y);
    CHECK(largest == k.largest_magnitude(x.first(size)));
    k.scale(0.75F, y);
    if (size == 0) return;
    x[0] = largest;
    x[size - 1] = k.exponentials(k.maximum(y), y);
  });
}

TEST_CASE("largest_magnitude: signs do not count, and NaN is larger than infinity", "[kernel]") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (std::size_t size = 0; size < 11; ++size) {
    std::vector<float> x(size, 0.5F);
    CHECK(kernels::best.largest_magnitude(x) == (size == 0 ? 0.0F : 0.5F));
    for (std::size_t i = 0; i < size; ++i) {
      x.assign(size, 0.5F);
      x[i] = -2.0F;
      CHECK(kernels::best.largest_magnitude(x) == 2.0F);
      x[i] = -kInfinity;
      CHECK(kernels::best.largest_magnitude(x) == kInfinity);
      x[size - 1 - i] = kInfinity;
      x[i] = std::numeric_limits<float>::quiet_NaN();
      CHECK(std::isnan(kernels::best.largest_magnitude(x)));
    }
  }
}

TEST_CASE("exponentials: what is hidden is 0, whatever is largest", "[kernel]") {
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  std::vector<float> x{kHidden, 0.0F, kHidden, -1.0F, kHidden};
  CHECK(kernels::best.maximum(x) == 0.0F);
  const float sum = kernels::best.exponentials(0.0F, x);
  CHECK(x[0] == 0.0F);
  CHECK(x[1] == 1.0F);
  CHECK(std::abs(x[3] - std::exp(-1.0F)) < 1e-7F);
  CHECK(sum == 1.0F + x[3]);
  std::vector<float> none(5, kHidden);
  CHECK(kernels::best.maximum(none) == kHidden);
  CHECK(kernels::best.maximum({}) == kHidden);
  CHECK(kernels::best.exponentials(std::numeric_limits<float>::lowest(), none) == 0.0F);
  CHECK(none == std::vector<float>(5, 0.0F));
}

TEST_CASE("exponentials: within the bound of the header", "[kernel]") {
  std::vector<float> x;
  for (int i = 0; i < 8600; ++i) x.push_back(static_cast<float>(-0.01 * i - 0.003));
  const std::vector<float> before = x;
  static_cast<void>(kernels::best.exponentials(0.0F, x));
  double worst = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = std::exp(static_cast<double>(before[i]));
    worst = std::max(worst, std::abs(static_cast<double>(x[i]) - exact) / exact);
  }
  CHECK(worst <= 4 * std::ldexp(1.0, -24));
}

TEST_CASE("sigmoid: the twins agree to the bit", "[kernel]") {
  const std::size_t size = any_size();
  const float scale = GENERATE(1.0F, 40.0F);
  check_twins(size, [&](const Kernels& k, std::span<float> x) {
    for (float& value : x) value *= scale;
    if (size > 2) x[size / 2] = -std::numeric_limits<float>::infinity();
    k.sigmoid(x);
  });
}

TEST_CASE("sigmoid: within the bound of the header, exact at its ends and in the middle", "[kernel]") {
  double worst = 0.0;
  for (int i = -8700; i <= 8700; ++i) {
    std::vector<float> x{static_cast<float>(i) * 0.01F};
    const double exact = 1.0 / (1.0 + std::exp(-static_cast<double>(x[0])));
    kernels::best.sigmoid(x);
    worst = std::max(worst, std::abs(static_cast<double>(x[0]) - exact) / exact);
  }
  CHECK(worst <= 3e-7);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> ends{-kInfinity, -1000.0F, 0.0F, -0.0F, 1000.0F, kInfinity};
  kernels::best.sigmoid(ends);
  CHECK(ends == std::vector{0.0F, 0.0F, 0.5F, 0.5F, 1.0F, 1.0F});
}

TEST_CASE("rotations: the twins agree to the bit, and leave the rest of a row alone", "[kernel]") {
  const std::size_t pairs_in_block = any_size();
  const bool half = GENERATE(false, true);
  const int blocks = GENERATE(1, 2);
  constexpr int kTokens = 2;
  constexpr int kRows = 6 * kTokens;  // heads are taken by fours
  constexpr int kRest = 2;
  const int pairs = blocks * static_cast<int>(pairs_in_block);
  const int width = 2 * pairs + kRest;
  const auto table = static_cast<std::size_t>(kTokens * pairs);
  check_twins(2 * table + static_cast<std::size_t>(kRows * width), [&](const Kernels& k, std::span<float> numbers) {
    const MatrixView<float> x(numbers.subspan(2 * table), kRows, width);
    const std::vector<float> before(x.all().begin(), x.all().end());
    const auto kernel = half ? k.rotate_half : k.rotate_interleaved;
    kernel(MatrixView<float>(numbers.first(table), kTokens, pairs),
           MatrixView<float>(numbers.subspan(table, table), kTokens, pairs), blocks, x);
    for (int row = 0; row < kRows; ++row) {
      for (int rest = 2 * pairs; rest < width; ++rest) {
        CHECK(x(row, rest) == before[static_cast<std::size_t>(row * width + rest)]);
      }
    }
  });
}

TEST_CASE("rotations: pairs of a block turn by their own angle", "[kernel]") {
  const std::vector<float> cos{0.0F, 1.0F, -1.0F, 0.0F};
  const std::vector<float> sin{1.0F, 0.0F, 0.0F, -1.0F};
  const auto rotated = [&](auto kernel, int blocks) {
    std::vector<float> x{1, 2, 3, 4, 5, 6, 7, 8};
    kernel(MatrixView<const float>(cos, 1, 4), MatrixView<const float>(sin, 1, 4), blocks, MatrixView<float>(x, 1, 8));
    return x;
  };
  for (const Kernels* k : {&kernels::scalar, &kernels::best}) {
    CHECK(rotated(k->rotate_half, 1) == std::vector<float>{-5, 2, -3, 8, 1, 6, -7, -4});
    CHECK(rotated(k->rotate_half, 2) == std::vector<float>{-3, 2, 1, 4, -5, 8, -7, -6});
    CHECK(rotated(k->rotate_interleaved, 1) == std::vector<float>{-2, 1, 3, 4, -5, -6, 8, -7});
    CHECK(rotated(k->rotate_interleaved, 2) == std::vector<float>{-2, 1, 3, 4, -5, -6, 8, -7});
  }
}

TEST_CASE("sin_cos: the twins agree to the bit", "[kernel]") {
  const std::size_t size = any_size();
  const double scale = GENERATE(1.0, 1e3, 1e6, 5e8);
  if (kernels::simd == nullptr) SKIP("this build has no SIMD");
  std::vector<float> seeded(size);
  fill_normal(1, scale / 4, seeded);
  const auto computed = [&](const Kernels& k) {
    std::vector<double> angles(seeded.begin(), seeded.end());
    std::vector<double> cos(size);
    std::vector<double> sin(size);
    k.sin_cos(1.7, angles, sin, cos);
    std::vector<std::uint64_t> bits;
    for (const double value : sin) bits.push_back(std::bit_cast<std::uint64_t>(value));
    for (const double value : cos) bits.push_back(std::bit_cast<std::uint64_t>(value));
    return bits;
  };
  CHECK(computed(kernels::scalar) == computed(*kernels::simd));
}

TEST_CASE("add_angles: the twins agree to the bit, and both orders have the same numbers", "[kernel]") {
  const std::size_t size = any_size();
  constexpr std::size_t kGap = 3;
  const std::size_t stride = 2 * size + kGap;
  const auto angles = [&](std::uint64_t seed, std::size_t count) {
    std::vector<float> numbers(2 * count);
    fill_normal(seed, 1.0, numbers);
    return std::vector<double>(numbers.begin(), numbers.end());
  };
  const std::vector<double> a = angles(1, size);
  const std::vector<double> b = angles(2, size);
  const std::vector<double> steps = angles(3, kernels::kHalfTile * size);
  const auto view = [](const std::vector<double>& both) {
    const std::span all(both);
    return kernels::AnglesView{all.first(all.size() / 2), all.last(all.size() / 2)};
  };
  check_twins(2 * kernels::kTileRows * stride + 1, [&](const Kernels& k, std::span<float> x) {
    const std::span<float> apart = x.first(kernels::kTileRows * stride);
    const std::span<float> beside = x.subspan(apart.size());
    k.add_angles(view(a), view(b), view(steps), {apart, apart.subspan(size), stride});
    k.add_angles_interleaved(view(a), view(b), view(steps), {beside, beside.subspan(1), stride});
    for (std::size_t row = 0; row < kernels::kTileRows; ++row) {
      for (std::size_t i = 0; i < size; ++i) {
        CHECK(apart[row * stride + i] == beside[row * stride + 2 * i]);
        CHECK(apart[row * stride + size + i] == beside[row * stride + 2 * i + 1]);
      }
    }
  });
}

TEST_CASE("add_angles: the rows of a tile are steps below and above its centre", "[kernel]") {
  constexpr std::size_t kPairs = 5;
  std::vector<double> a(2 * kPairs);
  std::vector<double> b(2 * kPairs);
  std::vector<double> steps(2 * kPairs * kernels::kHalfTile);
  const auto speed = [](std::size_t pair) { return 0.3 / static_cast<double>(pair + 1); };
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    a[pair] = std::sin(100.0 * speed(pair)), a[kPairs + pair] = std::cos(100.0 * speed(pair));
    b[pair] = std::sin(7.0 * speed(pair)), b[kPairs + pair] = std::cos(7.0 * speed(pair));
    for (std::size_t row = 0; row < kernels::kHalfTile; ++row) {
      const double angle = (static_cast<double>(row) + 0.5) * speed(pair);
      steps[row * kPairs + pair] = std::sin(angle);
      steps[steps.size() / 2 + row * kPairs + pair] = std::cos(angle);
    }
  }
  const std::span all_steps(steps);
  std::vector<float> out(2 * kPairs * kernels::kTileRows);
  const std::span cosines = std::span(out).subspan(kPairs);
  kernels::best.add_angles(
      {std::span(a).first(kPairs), std::span(a).last(kPairs)}, {std::span(b).first(kPairs), std::span(b).last(kPairs)},
      {all_steps.first(steps.size() / 2), all_steps.last(steps.size() / 2)}, {out, cosines, 2 * kPairs});
  for (std::size_t row = 0; row < kernels::kTileRows; ++row) {
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      const double angle = (99.5 + static_cast<double>(row)) * speed(pair);
      CHECK(std::abs(out[2 * kPairs * row + pair] - std::sin(angle)) <= 3.0e-8);
      CHECK(std::abs(cosines[2 * kPairs * row + pair] - std::cos(angle)) <= 3.0e-8);
    }
  }
}

TEST_CASE("sin_cos: right to 1e-13", "[kernel]") {
  for (int i = -20000; i <= 20000; ++i) {
    const std::vector<double> angle{i * 0.7318};
    std::vector<double> sin(1);
    std::vector<double> cos(1);
    kernels::best.sin_cos(1.0, angle, sin, cos);
    REQUIRE(std::abs(sin[0] - std::sin(angle[0])) < 1e-13);
    REQUIRE(std::abs(cos[0] - std::cos(angle[0])) < 1e-13);
  }
}

TEST_CASE("sin_cos: within the bound of the header up to 1e6 radians", "[kernel]") {
  double worst = 0.0;
  for (int i = -200000; i <= 200000; ++i) {
    const std::vector<double> angle{i * 5.000317};
    std::vector<double> sin(1);
    std::vector<double> cos(1);
    kernels::best.sin_cos(1.0, angle, sin, cos);
    const auto error = [&](double in_double, double exact) {
      const auto got = static_cast<float>(in_double);
      const double ulp =
          std::nextafter(std::abs(static_cast<float>(exact)), 2.0F) - std::abs(static_cast<float>(exact));
      return std::abs(got - exact) / ulp;
    };
    worst = std::max({worst, error(sin[0], std::sin(angle[0])), error(cos[0], std::cos(angle[0]))});
  }
  CHECK(worst <= 0.51);
}

TEST_CASE("sin_cos: exact at zero and at quarter turns of small numbers", "[kernel]") {
  const std::vector<double> angles{0.0, std::numbers::pi / 2, -std::numbers::pi / 2, std::numbers::pi};
  std::vector<double> sin(4);
  std::vector<double> cos(4);
  kernels::best.sin_cos(1.0, angles, sin, cos);
  CHECK(sin[0] == 0.0);
  CHECK(cos[0] == 1.0);
  CHECK(sin[1] == 1.0);
  CHECK(sin[2] == -1.0);
  CHECK(cos[3] == -1.0);
}

TEST_CASE("dot: within the bound of the header", "[kernel]") {
  for (const std::size_t size : {1U, 3U, 16U, 64U, 1000U}) {
    Numbers a(size, 0, 3);
    Numbers b(size, 0, 4);
    double exact = 0.0;
    double magnitude = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      const double product = static_cast<double>(a.all()[i]) * static_cast<double>(b.all()[i]);
      exact += product;
      magnitude += std::abs(product);
    }
    const double bound = (static_cast<double>(size) / 4 + 4) * std::ldexp(1.0, -24) * magnitude;
    INFO("size " << size);
    CHECK(std::abs(static_cast<double>(kernels::best.dot(a.all(), b.all())) - exact) <= bound);
  }
}

TEST_CASE("softmax: within the bound of the header, rows sum to 1", "[kernel]") {
  for (const std::size_t size : {1U, 2U, 7U, 64U, 513U}) {
    Numbers x(size, 0, 5);
    for (float& value : x.all()) value *= 6.0F;
    std::vector<double> exact(x.all().begin(), x.all().end());
    const double largest = *std::ranges::max_element(exact);
    double sum = 0.0;
    for (double& value : exact) sum += value = std::exp(value - largest);
    kernels::best.softmax(x.all());
    const double bound = (static_cast<double>(size) / 4 + 8) * std::ldexp(1.0, -24);
    double total = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      INFO("size " << size << ", index " << i);
      CHECK(std::abs(x.all()[i] - exact[i] / sum) <= bound * exact[i] / sum);
      total += x.all()[i];
    }
    CHECK(std::abs(total - 1.0) <= 1e-6);
  }
}

TEST_CASE("softmax: what is masked is exactly 0, and everything masked gives zeros", "[kernel]") {
  constexpr float kMasked = -std::numeric_limits<float>::infinity();
  std::vector<float> some{1.0F, kMasked, 1.0F};
  kernels::best.softmax(some);
  CHECK(some == std::vector<float>{0.5F, 0.0F, 0.5F});
  std::vector<float> none{kMasked, kMasked, kMasked, kMasked, kMasked};
  kernels::best.softmax(none);
  CHECK(none == std::vector<float>(5, 0.0F));
}

TEST_CASE("softmax: logits far below the largest vanish without a trace", "[kernel]") {
  std::vector<float> x{0.0F, -86.9F, -87.1F, -1000.0F};
  kernels::best.softmax(x);
  CHECK(x[0] == 1.0F);
  CHECK(x[1] > 0.0F);
  CHECK(x[2] == 0.0F);
  CHECK(x[3] == 0.0F);
}
