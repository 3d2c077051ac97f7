// SPDX-License-Identifier: Apache-2.0
// Kernels of elementwise operations with one complex operand: computed in complex of the next wider
// type, by the C library's functions where it has them.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "xla/interpreter/complex_math.h"
#include "xla/interpreter/elementwise_loops.h"
#include "xla/types.h"

namespace xla::interpreter {
namespace {

using Function = ElementwiseKernel::WideFunction;

template <typename T>
using Up = std::conditional_t<std::is_same_v<T, float>, double, long double>;

template <typename W>
bool IsFinite(const std::complex<W>& z) {
  return std::isfinite(z.real()) && std::isfinite(z.imag());
}

// e^x (cos y + i sin y), as XLA: NaN if y is not finite, also for x = -inf, where C has 0.
template <typename W>
std::complex<W> Exp(const std::complex<W>& z) {
  constexpr W kNan = std::numeric_limits<W>::quiet_NaN();
  return std::isfinite(z.imag()) ? std::exp(z) : std::complex<W>(kNan, kNan);
}

// expm1(x) cos y - 2 sin^2(y/2), e^x sin y: no cancellation near 0.
template <typename W>
std::complex<W> Expm1(const std::complex<W>& z) {
  const W x = z.real(), y = z.imag();
  if (!IsFinite(z)) {
    const std::complex<W> exp = Exp(z);
    return {exp.real() - 1, exp.imag()};
  }
  const W half_sine = std::sin(y / 2);
  return {std::expm1(x) * std::cos(y) - 2 * half_sine * half_sine,
          y == 0 ? y : std::exp(x) * std::sin(y)};
}

// Adds and returns the rounding error separately.
template <typename W>
struct ExactSum {
  W sum = 0, error = 0;
  void Add(W term) {
    const W next = sum + term;
    const W back = next - sum;
    error += (sum - (next - back)) + (term - back);
    sum = next;
  }
  void AddProduct(W a, W b) {
    const W product = a * b;
    Add(product);
    error += std::fma(a, b, -product);
  }
};

// log |1 + z| is half of log1p(x^2 + 2x + y^2), where the terms may cancel.
template <typename W>
std::complex<W> Log1p(const std::complex<W>& z) {
  const W x = z.real(), y = z.imag();
  constexpr W kLarge = 1ull << 40;
  if (!(std::fabs(x) < kLarge && std::fabs(y) < kLarge)) return std::log(std::complex<W>(1 + x, y));
  ExactSum<W> square;
  square.Add(2 * x);
  square.AddProduct(x, x);
  square.AddProduct(y, y);
  // Near -1, where the sum is near -1 too, 1 + x is exact.
  if (square.sum < W{-0.5}) return std::log(std::complex<W>(1 + x, y));
  return {std::log1p(square.sum + square.error) / 2, std::atan2(y, 1 + x)};
}

// The reciprocal of 0 is (Inf, NaN), as 1 / 0 is; that of an infinity 0.
template <typename W>
std::complex<W> Reciprocal(const std::complex<W>& z) {
  if (std::isinf(z.real()) || std::isinf(z.imag()))
    return {std::copysign(W{0}, z.real()), -std::copysign(W{0}, z.imag())};
  const W norm = z.real() * z.real() + z.imag() * z.imag();
  if (norm == 0)
    return {std::copysign(std::numeric_limits<W>::infinity(), z.real()),
            std::numeric_limits<W>::quiet_NaN()};
  return {z.real() / norm, -z.imag() / norm};
}

template <typename W>
std::complex<W> Cbrt(const std::complex<W>& z) {
  const W radius = std::cbrt(std::hypot(z.real(), z.imag()));
  const W angle = std::arg(z) / 3;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

template <typename W>
std::complex<W> Logistic(const std::complex<W>& z) {
  const std::complex<W> exp = std::exp(-z);
  return Reciprocal(std::complex<W>(1 + exp.real(), exp.imag()));
}

// As XLA: NaN if the angle is not finite, also where C has a real part of 0.
template <typename W>
std::complex<W> Tanh(const std::complex<W>& z) {
  constexpr W kNan = std::numeric_limits<W>::quiet_NaN();
  if (z.real() == 0 && !std::isfinite(z.imag())) return {kNan, kNan};
  return std::tanh(z);
}

template <typename W>
std::complex<W> Tan(const std::complex<W>& z) {
  const std::complex<W> turned = Tanh(std::complex<W>(-z.imag(), z.real()));
  return {turned.imag(), -turned.real()};
}

#define XLA_COMPLEX_FUNCTION(Name, expression)                                \
  struct Name##Of {                                                           \
    template <typename C>                                                     \
    C operator()(C a) const {                                                 \
      using T = typename C::value_type;                                       \
      const std::complex<Up<T>> z(a.real(), a.imag());                        \
      const std::complex<Up<T>> result = expression;                          \
      return C(static_cast<T>(result.real()), static_cast<T>(result.imag())); \
    }                                                                         \
  };
XLA_COMPLEX_FUNCTION(Acos, std::acos(z))
XLA_COMPLEX_FUNCTION(Acosh, std::acosh(z))
XLA_COMPLEX_FUNCTION(Asin, std::asin(z))
XLA_COMPLEX_FUNCTION(Asinh, std::asinh(z))
XLA_COMPLEX_FUNCTION(Atanh, std::atanh(z))
XLA_COMPLEX_FUNCTION(Cbrt, Cbrt(z))
XLA_COMPLEX_FUNCTION(Cos, std::cos(z))
XLA_COMPLEX_FUNCTION(Cosh, std::cosh(z))
XLA_COMPLEX_FUNCTION(Exp, Exp(z))
XLA_COMPLEX_FUNCTION(Expm1, Expm1(z))
XLA_COMPLEX_FUNCTION(Log, std::log(z))
XLA_COMPLEX_FUNCTION(Log1p, Log1p(z))
XLA_COMPLEX_FUNCTION(Logistic, Logistic(z))
XLA_COMPLEX_FUNCTION(Rsqrt, Reciprocal(std::sqrt(z)))
XLA_COMPLEX_FUNCTION(Sin, std::sin(z))
XLA_COMPLEX_FUNCTION(Sinh, std::sinh(z))
XLA_COMPLEX_FUNCTION(Sqrt, std::sqrt(z))
XLA_COMPLEX_FUNCTION(Tan, Tan(z))
XLA_COMPLEX_FUNCTION(Tanh, Tanh(z))
#undef XLA_COMPLEX_FUNCTION

struct Abs {
  template <typename C>
  auto operator()(C a) const {
    using T = typename C::value_type;
    return static_cast<T>(std::hypot(static_cast<Up<T>>(a.real()), static_cast<Up<T>>(a.imag())));
  }
};
struct Negate {
  template <typename C>
  C operator()(C a) const {
    return C(-a.real(), -a.imag());
  }
};
struct Real {
  template <typename C>
  auto operator()(C a) const {
    return a.real();
  }
};
struct Imag {
  template <typename C>
  auto operator()(C a) const {
    return a.imag();
  }
};
// z / |z|; zeros are unchanged.
struct Sign {
  template <typename C>
  C operator()(C a) const {
    using T = typename C::value_type;
    const Up<T> magnitude = std::hypot(static_cast<Up<T>>(a.real()), static_cast<Up<T>>(a.imag()));
    if (magnitude == 0) return a;
    return C(static_cast<T>(a.real() / magnitude), static_cast<T>(a.imag() / magnitude));
  }
};
struct BothFinite {
  template <typename C>
  bool operator()(C a) const {
    return IsFinite(a);
  }
};

template <typename C>
Function FunctionOf(HloOpcode opcode) {
  using T = typename C::value_type;
  switch (opcode) {
    case HloOpcode::kAbs:
      return UnaryLoop<C, T, Abs>;
    case HloOpcode::kAcos:
      return UnaryLoop<C, C, AcosOf>;
    case HloOpcode::kAcosh:
      return UnaryLoop<C, C, AcoshOf>;
    case HloOpcode::kAsin:
      return UnaryLoop<C, C, AsinOf>;
    case HloOpcode::kAsinh:
      return UnaryLoop<C, C, AsinhOf>;
    case HloOpcode::kAtanh:
      return UnaryLoop<C, C, AtanhOf>;
    case HloOpcode::kCbrt:
      return UnaryLoop<C, C, CbrtOf>;
    case HloOpcode::kCos:
      return UnaryLoop<C, C, CosOf>;
    case HloOpcode::kCosh:
      return UnaryLoop<C, C, CoshOf>;
    case HloOpcode::kExp:
      return UnaryLoop<C, C, ExpOf>;
    case HloOpcode::kExpm1:
      return UnaryLoop<C, C, Expm1Of>;
    case HloOpcode::kImag:
      return UnaryLoop<C, T, Imag>;
    case HloOpcode::kIsFinite:
      return UnaryLoop<C, bool, BothFinite>;
    case HloOpcode::kLog:
      return UnaryLoop<C, C, LogOf>;
    case HloOpcode::kLog1p:
      return UnaryLoop<C, C, Log1pOf>;
    case HloOpcode::kLogistic:
      return UnaryLoop<C, C, LogisticOf>;
    case HloOpcode::kNegate:
      return UnaryLoop<C, C, Negate>;
    case HloOpcode::kReal:
      return UnaryLoop<C, T, Real>;
    case HloOpcode::kRsqrt:
      return UnaryLoop<C, C, RsqrtOf>;
    case HloOpcode::kSign:
      return UnaryLoop<C, C, Sign>;
    case HloOpcode::kSin:
      return UnaryLoop<C, C, SinOf>;
    case HloOpcode::kSinh:
      return UnaryLoop<C, C, SinhOf>;
    case HloOpcode::kSqrt:
      return UnaryLoop<C, C, SqrtOf>;
    case HloOpcode::kTan:
      return UnaryLoop<C, C, TanOf>;
    case HloOpcode::kTanh:
      return UnaryLoop<C, C, TanhOf>;
    default:
      return nullptr;
  }
}

}  // namespace

Function ComplexUnaryFunction(HloOpcode opcode, WideType type) {
  return type == WideType::kC64 ? FunctionOf<complex64>(opcode) : FunctionOf<complex128>(opcode);
}

}  // namespace xla::interpreter
