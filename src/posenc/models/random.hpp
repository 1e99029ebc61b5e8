#pragma once

#include <cstdint>

#include "posenc/seeded.hpp"

namespace posenc::models {

/// A stream of choices.
class Random {
 public:
  explicit Random(std::uint64_t key) : key_(key) {}

  std::uint64_t bits() { return random_bits(key_, index_++); }
  /// 0 .. count - 1
  int below(int count) { return static_cast<int>((bits() >> 33U) % static_cast<std::uint64_t>(count)); }
  bool chance(int percent) { return below(100) < percent; }

 private:
  std::uint64_t key_;
  std::uint64_t index_ = 0;
};

}  // namespace posenc::models
