#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "posenc/seeded.hpp"

/// What tests of kernels share: every kernel exists twice, and the twins leave the same bits behind.
namespace posenc::test {

inline constexpr std::size_t kLanes = 4;

/// Seeded numbers that start `misalignment` floats after an aligned address.
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

inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

/// Runs `f(kernels, numbers)` with both twins on equal numbers and compares every bit that it leaves behind.
template <class Table, class F>
void check_twins(const Table& scalar, const Table* simd, std::size_t size, F f) {
  if (simd == nullptr) SKIP("this build has no SIMD");
  for (std::size_t misalignment = 0; misalignment < kLanes; ++misalignment) {
    Numbers by_scalar(size, misalignment, 1);
    Numbers by_simd(size, misalignment, 1);
    f(scalar, by_scalar.all());
    f(*simd, by_simd.all());
    if (same_bits(by_scalar.all(), by_simd.all())) continue;
    INFO("size " << size << ", misaligned by " << misalignment);
    FAIL_CHECK("the twins differ");
  }
  SUCCEED();
}

}  // namespace posenc::test
