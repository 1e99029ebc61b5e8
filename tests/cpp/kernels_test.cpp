#include "kernels/kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "support.hpp"

using namespace posenc;
using kernels::Kernels;

namespace {

constexpr std::size_t kLanes = 4;
constexpr std::size_t kMostPairs = 2 * kLanes + 3;

/// Numbers that start `misalignment` floats after an aligned address.
class Numbers {
 public:
  Numbers(std::size_t size, std::size_t misalignment, std::uint64_t seed)
      : storage_(size + misalignment), misalignment_(misalignment) {
    fill_normal(seed, 1.0, storage_);
  }
  [[nodiscard]] std::span<float> all() { return std::span(storage_).subspan(misalignment_); }

 private:
  std::vector<float> storage_;
  std::size_t misalignment_;
};

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

const Kernels& simd_or_skip() {
  if (kernels::simd == nullptr) SKIP("this build has no SIMD");
  return *kernels::simd;
}

/// Runs `f(kernels, numbers)` with both twins on equal numbers and compares every bit that it leaves behind.
template <class F>
void check_twins(std::size_t size, F f) {
  const Kernels& simd = simd_or_skip();
  for (std::size_t misalignment = 0; misalignment < kLanes; ++misalignment) {
    Numbers by_scalar(size, misalignment, 1);
    Numbers by_simd(size, misalignment, 1);
    f(kernels::scalar, by_scalar.all());
    f(simd, by_simd.all());
    INFO("size " << size << ", misaligned by " << misalignment);
    CHECK(same_bits(by_scalar.all(), by_simd.all()));
  }
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

TEST_CASE("multiply: the twins agree to the bit", "[kernel]") {
  const std::size_t cols = any_size();
  constexpr std::size_t kRows = 3;
  constexpr std::size_t kInner = 5;
  const auto view = [](auto span, std::size_t rows, std::size_t columns) {
    return MatrixView(span, static_cast<int>(rows), static_cast<int>(columns));
  };
  check_twins(kRows * kInner + kInner * cols + kRows * cols, [&](const Kernels& k, std::span<float> x) {
    const std::span<float> b = x.subspan(kRows * kInner, kInner * cols);
    k.multiply(view(x.first(kRows * kInner), kRows, kInner), view(b, kInner, cols),
               view(x.last(kRows * cols), kRows, cols));
  });
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

TEST_CASE("rotations: the twins agree to the bit", "[kernel]") {
  const std::size_t pairs = any_size();
  const bool half = GENERATE(false, true);
  check_twins(4 * pairs, [&](const Kernels& k, std::span<float> x) {
    (half ? k.rotate_half : k.rotate_interleaved)(x.first(pairs), x.subspan(pairs, pairs), x.subspan(2 * pairs));
  });
}

TEST_CASE("sin_cos: the twins agree to the bit", "[kernel]") {
  const std::size_t size = any_size();
  const double scale = GENERATE(1.0, 1e3, 1e6, 1e9);
  check_twins(3 * size, [&](const Kernels& k, std::span<float> x) {
    std::vector<double> angles(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(size));
    for (double& angle : angles) angle *= scale / 4;
    k.sin_cos(angles, x.subspan(size, size), x.subspan(2 * size));
  });
}

TEST_CASE("sin_cos_double and add_angles: the twins agree to the bit", "[kernel]") {
  const std::size_t size = any_size();
  check_twins(2 * size, [&](const Kernels& k, std::span<float> x) {
    std::vector<double> angles(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(size));
    std::vector<double> sin(size);
    std::vector<double> cos(size);
    k.sin_cos_double(angles, sin, cos);
    k.add_angles({sin, cos}, {cos, sin}, x.first(size), x.subspan(size));
  });
}

TEST_CASE("sin_cos_double: right to 1e-13", "[kernel]") {
  for (int i = -20000; i <= 20000; ++i) {
    const std::vector<double> angle{i * 0.7318};
    std::vector<double> sin(1);
    std::vector<double> cos(1);
    kernels::best.sin_cos_double(angle, sin, cos);
    REQUIRE(std::abs(sin[0] - std::sin(angle[0])) < 1e-13);
    REQUIRE(std::abs(cos[0] - std::cos(angle[0])) < 1e-13);
  }
}

TEST_CASE("sin_cos: within the bound of the header up to 1e6 radians", "[kernel]") {
  double worst = 0.0;
  for (int i = -200000; i <= 200000; ++i) {
    const std::vector<double> angle{i * 5.000317};
    std::vector<float> sin(1);
    std::vector<float> cos(1);
    kernels::best.sin_cos(angle, sin, cos);
    const auto error = [&](float got, double exact) {
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
  std::vector<float> sin(4);
  std::vector<float> cos(4);
  kernels::best.sin_cos(angles, sin, cos);
  CHECK(sin[0] == 0.0F);
  CHECK(cos[0] == 1.0F);
  CHECK(sin[1] == 1.0F);
  CHECK(sin[2] == -1.0F);
  CHECK(cos[3] == -1.0F);
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
