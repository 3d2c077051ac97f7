// SPDX-License-Identifier: Apache-2.0
// Numbers are computed in the next wider type if the accuracy requires it.
#include "xla/cpu/run/math_functions.h"

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/xla_data_enums.h"

namespace xla::cpu {
namespace {

template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

// The functions of the C++ library that are used for real and complex numbers alike. Returns false
// for others.
template <typename T>
bool StandardFunction(HloOpcode opcode, const T& a, T& result) {
  switch (opcode) {
    case HloOpcode::kAcos:
      result = std::acos(a);
      return true;
    case HloOpcode::kAcosh:
      result = std::acosh(a);
      return true;
    case HloOpcode::kAsin:
      result = std::asin(a);
      return true;
    case HloOpcode::kAsinh:
      result = std::asinh(a);
      return true;
    case HloOpcode::kAtanh:
      result = std::atanh(a);
      return true;
    case HloOpcode::kCos:
      result = std::cos(a);
      return true;
    case HloOpcode::kCosh:
      result = std::cosh(a);
      return true;
    case HloOpcode::kLog:
      result = std::log(a);
      return true;
    case HloOpcode::kSin:
      result = std::sin(a);
      return true;
    case HloOpcode::kSinh:
      result = std::sinh(a);
      return true;
    default:
      return false;
  }
}

template <typename W>
W RealFunction(HloOpcode opcode, W a, W b) {
  if (W result; StandardFunction(opcode, a, result)) return result;
  switch (opcode) {
    case HloOpcode::kAtan2:
      return std::atan2(a, b);
    case HloOpcode::kCbrt:
      return std::cbrt(a);
    case HloOpcode::kErf:
      return std::erf(a);
    case HloOpcode::kExp:
      return std::exp(a);
    case HloOpcode::kExpm1:
      return std::expm1(a);
    case HloOpcode::kLog1p:
      return std::log1p(a);
    case HloOpcode::kLogistic:
      return 1 / (1 + std::exp(-a));
    case HloOpcode::kPower:
      return std::pow(a, b);
    case HloOpcode::kRemainder:
      return std::fmod(a, b);
    case HloOpcode::kRsqrt:
      return 1 / std::sqrt(a);
    case HloOpcode::kTan:
      return std::tan(a);
    case HloOpcode::kTanh:
      return std::tanh(a);
    default:
      return std::numeric_limits<W>::quiet_NaN();
  }
}

template <typename W>
using Complex = std::complex<W>;

template <typename W>
bool IsFiniteNumber(const Complex<W>& z) {
  return std::isfinite(z.real()) && std::isfinite(z.imag());
}

// Like XLA's: NaN if the imaginary part is not finite, even for e^-inf, where C returns 0.
template <typename W>
Complex<W> ComplexExp(const Complex<W>& z) {
  constexpr W kNan = std::numeric_limits<W>::quiet_NaN();
  return std::isfinite(z.imag()) ? std::exp(z) : Complex<W>(kNan, kNan);
}

// Like XLA's: NaN if the angle is not finite, even where C returns a real part of 0.
template <typename W>
Complex<W> ComplexTanh(const Complex<W>& z) {
  constexpr W kNan = std::numeric_limits<W>::quiet_NaN();
  if (z.real() == 0 && !std::isfinite(z.imag())) return {kNan, kNan};
  return std::tanh(z);
}

template <typename W>
Complex<W> ComplexTan(const Complex<W>& z) {
  const Complex<W> turned = ComplexTanh(Complex<W>(-z.imag(), z.real()));
  return {turned.imag(), -turned.real()};
}

// expm1(x) cos y - 2 sin^2(y/2), e^x sin y: no cancellation near 0.
template <typename W>
Complex<W> ComplexExpm1(const Complex<W>& z) {
  const W x = z.real(), y = z.imag();
  if (!IsFiniteNumber(z)) {
    const Complex<W> exp = ComplexExp(z);
    return {exp.real() - 1, exp.imag()};
  }
  const W half_sine = std::sin(y / 2);
  return {std::expm1(x) * std::cos(y) - 2 * half_sine * half_sine,
          y == 0 ? y : std::exp(x) * std::sin(y)};
}

// log |1 + z| is half of log1p(x^2 + 2x + y^2), whose terms may cancel: their sum is compensated.
template <typename W>
Complex<W> ComplexLog1p(const Complex<W>& z) {
  const W x = z.real(), y = z.imag();
  constexpr W kLarge = 1ull << 40;
  if (!(std::fabs(x) < kLarge && std::fabs(y) < kLarge)) return std::log(Complex<W>(1 + x, y));
  W sum = 2 * x, error = 0;
  for (const W factor : {x, y}) {
    const W product = factor * factor, next = sum + product, back = next - sum;
    error += (sum - (next - back)) + (product - back) + std::fma(factor, factor, -product);
    sum = next;
  }
  // Near -1, where the sum is near -1 too, 1 + x is exact.
  if (sum < W{-0.5}) return std::log(Complex<W>(1 + x, y));
  return {std::log1p(sum + error) / 2, std::atan2(y, 1 + x)};
}

template <typename W>
Complex<W> ComplexReciprocal(const Complex<W>& z) {
  if (std::isinf(z.real()) || std::isinf(z.imag()))
    return {std::copysign(W{0}, z.real()), -std::copysign(W{0}, z.imag())};
  const W norm = z.real() * z.real() + z.imag() * z.imag();
  if (norm == 0)
    return {std::copysign(std::numeric_limits<W>::infinity(), z.real()),
            std::numeric_limits<W>::quiet_NaN()};
  return {z.real() / norm, -z.imag() / norm};
}

// (r e^(i t))^(c + i d) = r^c e^(-d t) e^(i (c t + d log r))
template <typename W>
Complex<W> ComplexPower(const Complex<W>& base, const Complex<W>& exponent) {
  const W c = exponent.real(), d = exponent.imag();
  if ((c == 0 && d == 0) || base == Complex<W>(1)) return {1, 0};
  const W magnitude = std::hypot(base.real(), base.imag());
  if (magnitude == 0 && c > 0) return {0, 0};
  const W argument = std::atan2(base.imag(), base.real());
  W radius = std::pow(magnitude, c), angle = c * argument;
  if (d != 0) {
    radius *= std::exp(-d * argument);
    angle += d * std::log(magnitude);
  }
  // An infinite radius times the sine of zero would be NaN.
  if (angle == 0) return {radius, angle};
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

// -i log((x + i y) / sqrt(x^2 + y^2))
template <typename W>
Complex<W> ComplexAtan2(const Complex<W>& y, const Complex<W>& x) {
  if (y.imag() == 0 && x.imag() == 0) return {std::atan2(y.real(), x.real()), 0};
  const Complex<W> i(0, 1);
  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
}

template <typename W>
Complex<W> ComplexFunction(HloOpcode opcode, const Complex<W>& a, const Complex<W>& b) {
  if (Complex<W> result; StandardFunction(opcode, a, result)) return result;
  switch (opcode) {
    case HloOpcode::kAbs:
      return {std::hypot(a.real(), a.imag()), 0};
    case HloOpcode::kAtan2:
      return ComplexAtan2(a, b);
    case HloOpcode::kCbrt: {
      const W radius = std::cbrt(std::hypot(a.real(), a.imag())), angle = std::arg(a) / 3;
      return {radius * std::cos(angle), radius * std::sin(angle)};
    }
    case HloOpcode::kDivide:
      return a / b;
    case HloOpcode::kExp:
      return ComplexExp(a);
    case HloOpcode::kExpm1:
      return ComplexExpm1(a);
    case HloOpcode::kLog1p:
      return ComplexLog1p(a);
    case HloOpcode::kLogistic: {
      const Complex<W> exp = std::exp(-a);
      return ComplexReciprocal(Complex<W>(1 + exp.real(), exp.imag()));
    }
    case HloOpcode::kPower:
      return ComplexPower(a, b);
    case HloOpcode::kRsqrt:
      return ComplexReciprocal(std::sqrt(a));
    case HloOpcode::kSign: {
      const W magnitude = std::hypot(a.real(), a.imag());
      return magnitude == 0 ? a : a / magnitude;
    }
    case HloOpcode::kSqrt:
      return std::sqrt(a);
    case HloOpcode::kTan:
      return ComplexTan(a);
    case HloOpcode::kTanh:
      return ComplexTanh(a);
    default:
      return std::numeric_limits<W>::quiet_NaN();
  }
}

// Whether the C library's functions of double are within one unit in the last place, as glibc's
// manual lists them: those of long double take several times as long.
bool IsAccurateInDouble(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAcos:
    case HloOpcode::kAsin:
    case HloOpcode::kAtan2:
    case HloOpcode::kPower:
    case HloOpcode::kTan:
      return true;
    default:
      return false;
  }
}

template <typename T, typename W = Wide<T>>
void RealLoop(HloOpcode opcode, int64_t n, const void* a, const void* b, void* out) {
  for (int64_t i = 0; i < n; ++i) {
    static_cast<T*>(out)[i] = static_cast<T>(
        RealFunction<W>(opcode, static_cast<const T*>(a)[i], static_cast<const T*>(b)[i]));
  }
}

// Complex arguments and results have the real parts of all numbers first, then the imaginary parts.
template <typename T>
void ComplexLoop(HloOpcode opcode, int64_t n, const void* a, const void* b, void* out) {
  const auto read = [n](const void* from, int64_t i) {
    const T* parts = static_cast<const T*>(from);
    return Complex<Wide<T>>(parts[i], parts[n + i]);
  };
  for (int64_t i = 0; i < n; ++i) {
    const Complex<Wide<T>> result = ComplexFunction<Wide<T>>(opcode, read(a, i), read(b, i));
    static_cast<T*>(out)[i] = static_cast<T>(result.real());
    static_cast<T*>(out)[n + i] = static_cast<T>(result.imag());
  }
}

}  // namespace

extern "C" void XlaCpuFunction(int32_t opcode, int32_t type, int64_t n, const void* a,
                               const void* b, void* out) {
  const auto op = static_cast<HloOpcode>(opcode);
  switch (static_cast<PrimitiveType>(type)) {
    case F64:
      return IsAccurateInDouble(op) ? RealLoop<double, double>(op, n, a, b, out)
                                    : RealLoop<double>(op, n, a, b, out);
    case C64:
      return ComplexLoop<float>(op, n, a, b, out);
    case C128:
      return ComplexLoop<double>(op, n, a, b, out);
    default:
      return RealLoop<float>(op, n, a, b, out);
  }
}

}  // namespace xla::cpu
