#include <cassert>
#include <cmath>

#include "kernels/kernels.hpp"

// Double-double arithmetic (Dekker 1971): a number is the unevaluated sum hi + lo, about 106 bits. Slow and exact; it
// runs once per frequency, slope or bucket edge, never per element.

namespace posenc::kernels {
namespace {

struct DoubleDouble {
  double hi;
  double lo;
};

DoubleDouble quick_sum(double a, double b) {  // |a| >= |b|
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

DoubleDouble sum(double a, double b) {
  const double s = a + b;
  const double b_part = s - a;
  return {s, (a - (s - b_part)) + (b - b_part)};
}

DoubleDouble split(double a) {
  const double scaled = 134217729.0 * a;  // 2^27 + 1
  const double hi = scaled - (scaled - a);
  return {hi, a - hi};
}

DoubleDouble product(double a, double b) {
  const double p = a * b;
  const DoubleDouble x = split(a);
  const DoubleDouble y = split(b);
  return {p, ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}

DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble hi = sum(a.hi, b.hi);
  const DoubleDouble lo = sum(a.lo, b.lo);
  const DoubleDouble partial = quick_sum(hi.hi, hi.lo + lo.hi);
  return quick_sum(partial.hi, partial.lo + lo.lo);
}

DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }

DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = product(a.hi, b.hi);
  return quick_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.hi / b.hi;
  const DoubleDouble rest = a + -(b * DoubleDouble{first, 0.0});
  const double second = rest.hi / b.hi;
  const DoubleDouble rest2 = rest + -(b * DoubleDouble{second, 0.0});
  return quick_sum(first, second) + DoubleDouble{rest2.hi / b.hi, 0.0};
}

constexpr DoubleDouble kLn2{6.931471805599452862e-01, 2.319046813846299558e-17};

/// ln x = 2 * artanh((m - 1) / (m + 1)) + e * ln 2 with x = m * 2^e, m in [sqrt(1/2), sqrt(2)).
DoubleDouble log_dd(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2.0;
    --exponent;
  }
  const DoubleDouble ratio = DoubleDouble{mantissa - 1.0, 0.0} / sum(mantissa, 1.0);
  const DoubleDouble square = ratio * ratio;
  constexpr int kTerms = 22;  // |ratio| < 0.172, so the next term is below 2^-112
  DoubleDouble series{0.0, 0.0};
  for (int term = kTerms; term >= 0; --term) {
    series = series * square + DoubleDouble{1.0, 0.0} / DoubleDouble{2.0 * term + 1.0, 0.0};
  }
  const DoubleDouble log_mantissa = DoubleDouble{2.0, 0.0} * ratio * series;
  return log_mantissa + DoubleDouble{static_cast<double>(exponent), 0.0} * kLn2;
}

/// e^x = 2^n * (e^(r / 64))^64 with r = x - n ln 2.
double exp_dd(DoubleDouble x) {
  const double n = std::nearbyint(x.hi / kLn2.hi);
  const DoubleDouble r = (x + -(DoubleDouble{n, 0.0} * kLn2)) * DoubleDouble{1.0 / 64.0, 0.0};
  constexpr int kTerms = 13;  // |r| < 0.0055, so the next term is below 2^-120
  DoubleDouble series{0.0, 0.0};
  for (int term = kTerms; term >= 1; --term) {
    series = (series + DoubleDouble{1.0, 0.0}) * r / DoubleDouble{static_cast<double>(term), 0.0};
  }
  DoubleDouble minus_one = series;  // e^r - 1, doubled six times: (1 + e)^2 - 1 = 2 e + e^2
  for (int doubling = 0; doubling < 6; ++doubling) {
    minus_one = minus_one * DoubleDouble{2.0, 0.0} + minus_one * minus_one;
  }
  const DoubleDouble result = minus_one + DoubleDouble{1.0, 0.0};
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
  return exp_dd(log_dd(x) * DoubleDouble{y, 0.0});
}

}  // namespace posenc::kernels
