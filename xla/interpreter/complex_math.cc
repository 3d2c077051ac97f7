// SPDX-License-Identifier: Apache-2.0
// Complex arithmetic and functions of two complex numbers.
#include "xla/interpreter/complex_math.h"

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

namespace xla::interpreter {
namespace {

template <typename T>
using Up = std::conditional_t<std::is_same_v<T, float>, double, long double>;

// a*b + c*d, accurate to one rounding even under cancellation.
template <typename W>
W SumOfProducts(W a, W b, W c, W d) {
  const W second = c * d;
  const W second_error = std::fma(c, d, -second);
  const W sum = std::fma(a, b, second);
  return sum + second_error;
}

template <typename T>
std::complex<T> Multiply(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <typename T>
std::complex<T> Divide(std::complex<T> numerator, std::complex<T> denominator) {
  using W = Up<T>;
  W a = numerator.real(), b = numerator.imag(), c = denominator.real(), d = denominator.imag();
  // The wider exponent range keeps the squares finite and nonzero.
  const W norm = c * c + d * d;
  W x = SumOfProducts<W>(a, c, b, d) / norm;
  W y = SumOfProducts<W>(b, c, -a, d) / norm;
  if (std::isnan(x) && std::isnan(y)) {
    const W infinity = std::numeric_limits<W>::infinity();
    if (norm == 0 && (!std::isnan(a) || !std::isnan(b))) {
      x = std::copysign(infinity, c) * a;
      y = std::copysign(infinity, c) * b;
    } else if ((std::isinf(a) || std::isinf(b)) && std::isfinite(c) && std::isfinite(d)) {
      a = std::copysign(std::isinf(a) ? W{1} : W{0}, a);
      b = std::copysign(std::isinf(b) ? W{1} : W{0}, b);
      x = infinity * (a * c + b * d);
      y = infinity * (b * c - a * d);
    } else if ((std::isinf(c) || std::isinf(d)) && std::isfinite(a) && std::isfinite(b)) {
      c = std::copysign(std::isinf(c) ? W{1} : W{0}, c);
      d = std::copysign(std::isinf(d) ? W{1} : W{0}, d);
      x = W{0} * (a * c + b * d);
      y = W{0} * (b * c - a * d);
    }
  }
  return {static_cast<T>(x), static_cast<T>(y)};
}

// |a|^c e^(-d arg a), at the angle c arg a + d log |a|.
template <typename T>
std::complex<T> Power(std::complex<T> base, std::complex<T> exponent) {
  using W = Up<T>;
  const W c = exponent.real(), d = exponent.imag();
  if ((c == 0 && d == 0) || base == std::complex<T>(1)) return {1, 0};
  const W magnitude = std::hypot(static_cast<W>(base.real()), static_cast<W>(base.imag()));
  if (magnitude == 0 && c > 0) return {0, 0};
  const W argument = std::atan2(static_cast<W>(base.imag()), static_cast<W>(base.real()));
  const W log_magnitude = std::log(magnitude);
  W radius = std::pow(magnitude, c);
  W angle = c * argument;
  if (d != 0) {
    radius *= std::exp(-d * argument);
    angle += d * log_magnitude;
  }
  // An infinite radius times the sine of zero would be no number.
  if (angle == 0) return {static_cast<T>(radius), static_cast<T>(angle)};
  return {static_cast<T>(radius * std::cos(angle)), static_cast<T>(radius * std::sin(angle))};
}

// -i log((x + i y) / sqrt(x^2 + y^2))
template <typename T>
std::complex<T> Atan2(std::complex<T> y, std::complex<T> x) {
  using C = std::complex<Up<T>>;
  const C wide_y(y.real(), y.imag()), wide_x(x.real(), x.imag());
  const C sum(wide_x.real() - wide_y.imag(), wide_x.imag() + wide_y.real());
  const C squares = Multiply(wide_x, wide_x) + Multiply(wide_y, wide_y);
  const C logarithm = std::log(sum / std::sqrt(squares));
  return {static_cast<T>(logarithm.imag()), static_cast<T>(-logarithm.real())};
}

}  // namespace

complex64 ComplexMultiply(complex64 a, complex64 b) { return Multiply(a, b); }
complex128 ComplexMultiply(complex128 a, complex128 b) { return Multiply(a, b); }
complex64 ComplexDivide(complex64 a, complex64 b) { return Divide(a, b); }
complex128 ComplexDivide(complex128 a, complex128 b) { return Divide(a, b); }
complex64 ComplexPower(complex64 a, complex64 b) { return Power(a, b); }
complex128 ComplexPower(complex128 a, complex128 b) { return Power(a, b); }
complex64 ComplexAtan2(complex64 y, complex64 x) { return Atan2(y, x); }
complex128 ComplexAtan2(complex128 y, complex128 x) { return Atan2(y, x); }

}  // namespace xla::interpreter
