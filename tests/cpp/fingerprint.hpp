#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace posenc::test {

/// FNV-1a of the bytes of numbers.
class Fingerprint {
 public:
  void add(std::span<const float> numbers) {
    for (const float number : numbers) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &number, sizeof bits);
      for (unsigned shift = 0; shift < 32; shift += 8) value_ = (value_ ^ ((bits >> shift) & 0xffU)) * 0x100000001b3U;
    }
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace posenc::test
