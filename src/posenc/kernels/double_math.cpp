#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "kernels/kernels.hpp"

// Double-double arithmetic (Dekker 1971): a number is the unevaluated sum hi + lo, about 106 bits. Slow and exact; it
// runs once per frequency, slope or bucket edge, never per element.

namespace posenc::kernels {
namespace {

struct DoubleDouble {
  double hi;
  double lo;
};

constexpr DoubleDouble quick_sum(double a, double b) {  // |a| >= |b|
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

constexpr DoubleDouble sum(double a, double b) {
  const double s = a + b;
  const double b_part = s - a;
  return {s, (a - (s - b_part)) + (b - b_part)};
}

constexpr DoubleDouble split(double a) {
  const double scaled = 134217729.0 * a;  // 2^27 + 1
  const double hi = scaled - (scaled - a);
  return {hi, a - hi};
}

constexpr DoubleDouble product(double a, double b) {
  const double p = a * b;
  const DoubleDouble x = split(a);
  const DoubleDouble y = split(b);
  return {p, ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}

constexpr DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble hi = sum(a.hi, b.hi);
  const DoubleDouble lo = sum(a.lo, b.lo);
  const DoubleDouble partial = quick_sum(hi.hi, hi.lo + lo.hi);
  return quick_sum(partial.hi, partial.lo + lo.lo);
}

constexpr DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }

constexpr DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = product(a.hi, b.hi);
  return quick_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

constexpr DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.hi / b.hi;
  const DoubleDouble rest = a + -(b * DoubleDouble{first, 0.0});
  const double second = rest.hi / b.hi;
  const DoubleDouble rest2 = rest + -(b * DoubleDouble{second, 0.0});
  return quick_sum(first, second) + DoubleDouble{rest2.hi / b.hi, 0.0};
}

constexpr DoubleDouble kLn2{6.931471805599452862e-01, 2.319046813846299558e-17};

constexpr DoubleDouble whole(double number) { return {number, 0.0}; }

/// 1, 1/3, 1/5, ... of the series of artanh; |ratio| < 0.172, so what is left out is below 2^-112.
constexpr auto kArtanh = [] {
  std::array<DoubleDouble, 23> terms{};
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = whole(1.0) / whole(2.0 * static_cast<double>(i) + 1.0);
  return terms;
}();

/// 1, 1/2!, 1/3!, ... of the series of e^r - 1; |r| < 0.0055, so what is left out is below 2^-120.
constexpr auto kExpMinusOne = [] {
  std::array<DoubleDouble, 13> terms{};
  DoubleDouble term = whole(1.0);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    term = term / whole(static_cast<double>(i) + 1.0);
    terms[i] = term;
  }
  return terms;
}();

/// terms[0] + terms[1] * x + terms[2] * x^2 + ...
template <std::size_t N>
DoubleDouble polynomial(const std::array<DoubleDouble, N>& terms, DoubleDouble x) {
  DoubleDouble value = terms[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) value = value * x + terms[i];
  return value;
}

/// ln x = 2 * artanh((m - 1) / (m + 1)) + e * ln 2 with x = m * 2^e, m in [sqrt(1/2), sqrt(2)).
DoubleDouble log_dd(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2.0;
    --exponent;
  }
  const DoubleDouble ratio = whole(mantissa - 1.0) / sum(mantissa, 1.0);
  const DoubleDouble log_mantissa = whole(2.0) * ratio * polynomial(kArtanh, ratio * ratio);
  return log_mantissa + whole(static_cast<double>(exponent)) * kLn2;
}

/// e^x = 2^n * (e^(r / 64))^64 with r = x - n ln 2.
double exp_dd(DoubleDouble x) {
  const double n = std::nearbyint(x.hi / kLn2.hi);
  const DoubleDouble r = (x + -(whole(n) * kLn2)) * whole(1.0 / 64.0);
  DoubleDouble minus_one = polynomial(kExpMinusOne, r) * r;
  for (int doubling = 0; doubling < 6; ++doubling) {  // (1 + e)^2 - 1 = 2 e + e^2
    minus_one = minus_one * whole(2.0) + minus_one * minus_one;
  }
  const DoubleDouble result = minus_one + whole(1.0);
  return std::ldexp(result.hi + result.lo, static_cast<int>(n));
}

}  // namespace

double exp(double x) {
  assert(std::abs(x) <= 700.0);
  return exp_dd({x, 0.0});
}

double log(double x) {
  assert(x > 0.0);
  const DoubleDouble result = log_dd(x);
  return result.hi + result.lo;
}

double pow(double x, double y) {
  assert(x > 0.0);
  return exp_dd(log_dd(x) * whole(y));
}

void powers(double x, std::span<const double> exponents, std::span<double> out) {
  assert(x > 0.0 && exponents.size() == out.size());
  const DoubleDouble log_x = log_dd(x);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = exp_dd(log_x * whole(exponents[i]));
}

}  // namespace posenc::kernels
