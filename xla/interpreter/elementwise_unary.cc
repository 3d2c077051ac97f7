// SPDX-License-Identifier: Apache-2.0
// Kernels of elementwise operations with one operand. Transcendental functions of float are
// computed in double, those of double in long double where the C library's double functions are off
// by more than one unit in the last place.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "xla/interpreter/elementwise_loops.h"
#include "xla/types.h"

namespace xla::interpreter {
namespace {

using Function = ElementwiseKernel::WideFunction;

// The types that functions of T are computed in: Up has at least the precision of double, More has
// extra bits.
template <typename T>
using More = std::conditional_t<std::is_same_v<T, float>, double, long double>;

#define XLA_FLOAT_FUNCTION(Name, Intermediate, expression) \
  struct Name {                                            \
    template <typename T>                                  \
    T operator()(T a) const {                              \
      const Intermediate x = a;                            \
      return static_cast<T>(expression);                   \
    }                                                      \
  };
XLA_FLOAT_FUNCTION(Acos, More<T>, std::acos(x))
XLA_FLOAT_FUNCTION(Acosh, More<T>, std::acosh(x))
XLA_FLOAT_FUNCTION(Asin, More<T>, std::asin(x))
XLA_FLOAT_FUNCTION(Asinh, More<T>, std::asinh(x))
XLA_FLOAT_FUNCTION(Atanh, More<T>, std::atanh(x))
XLA_FLOAT_FUNCTION(Cbrt, More<T>, std::cbrt(x))
XLA_FLOAT_FUNCTION(Ceil, T, std::ceil(x))
XLA_FLOAT_FUNCTION(Cos, double, std::cos(x))
XLA_FLOAT_FUNCTION(Cosh, More<T>, std::cosh(x))
XLA_FLOAT_FUNCTION(Erf, More<T>, std::erf(x))
XLA_FLOAT_FUNCTION(Exp, double, std::exp(x))
XLA_FLOAT_FUNCTION(Expm1, More<T>, std::expm1(x))
XLA_FLOAT_FUNCTION(Floor, T, std::floor(x))
XLA_FLOAT_FUNCTION(Log, double, std::log(x))
XLA_FLOAT_FUNCTION(Log1p, More<T>, std::log1p(x))
XLA_FLOAT_FUNCTION(Logistic, More<T>, 1 / (1 + std::exp(-x)))
XLA_FLOAT_FUNCTION(RoundAwayFromZero, T, std::round(x))
XLA_FLOAT_FUNCTION(RoundToEven, T, std::nearbyint(x))
XLA_FLOAT_FUNCTION(Rsqrt, More<T>, 1 / std::sqrt(x))
XLA_FLOAT_FUNCTION(Sin, double, std::sin(x))
XLA_FLOAT_FUNCTION(Sinh, More<T>, std::sinh(x))
XLA_FLOAT_FUNCTION(Sqrt, T, std::sqrt(x))
XLA_FLOAT_FUNCTION(Tan, More<T>, std::tan(x))
XLA_FLOAT_FUNCTION(Tanh, More<T>, std::tanh(x))
#undef XLA_FLOAT_FUNCTION

struct Abs {
  template <typename T>
  T operator()(T a) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fabs(a);
    } else if constexpr (std::is_signed_v<T>) {
      using U = std::make_unsigned_t<T>;
      return a < 0 ? static_cast<T>(U{0} - static_cast<U>(a)) : a;
    } else {
      return a;
    }
  }
};
struct Negate {
  template <typename T>
  T operator()(T a) const {
    if constexpr (std::is_floating_point_v<T>) {
      return -a;
    } else {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(U{0} - static_cast<U>(a));
    }
  }
};
// NaNs and zeros are unchanged.
struct Sign {
  template <typename T>
  T operator()(T a) const {
    return a > T{0} ? T{1} : a < T{0} ? static_cast<T>(-1) : a;
  }
};
struct Not {
  template <typename T>
  T operator()(T a) const {
    if constexpr (std::is_same_v<T, bool>) {
      return !a;
    } else {
      return ~a;
    }
  }
};
// Of the element's own width, i0 bits.
struct Clz {
  template <typename T>
  T operator()(T a, const KernelParameters& p) const {
    using U = std::make_unsigned_t<T>;
    const int64_t unused = static_cast<int64_t>(sizeof(U) * 8) - p.i0;
    const U own = static_cast<U>(a) & (~U{0} >> unused);
    return static_cast<T>(std::countl_zero(own) - unused);
  }
};
struct PopulationCount {
  template <typename T>
  T operator()(T a, const KernelParameters& p) const {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(
        std::popcount(static_cast<U>(a) & (~U{0} >> (static_cast<int64_t>(sizeof(U) * 8) - p.i0))));
  }
};
struct IsFinite {
  template <typename T>
  bool operator()(T a) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::isfinite(a);
    } else {
      return true;
    }
  }
};
struct Identity {
  template <typename T>
  T operator()(T a) const {
    return a;
  }
};
struct Zero {
  template <typename T>
  T operator()(T) const {
    return T{0};
  }
};

// On the bits of an IEEE format with d0 exponent and d1 mantissa bits: rounds the mantissa to i1
// bits (to nearest even), then gives what an exponent of i0 bits cannot hold the value infinity or
// zero of the same sign.
struct ReducePrecision {
  template <typename U>
  U operator()(U bits, const KernelParameters& p) const {
    const auto source_exponent = static_cast<int64_t>(p.d0),
               source_mantissa = static_cast<int64_t>(p.d1);
    const U sign_mask = U{1} << (source_exponent + source_mantissa);
    const U infinity = sign_mask - (U{1} << source_mantissa);
    const U magnitude = bits & ~sign_mask, sign = bits & sign_mask;
    if (magnitude > infinity) return bits;
    U reduced = bits;
    if (p.i1 < source_mantissa) {
      const int64_t dropped = source_mantissa - p.i1;
      const U last_kept = (reduced >> dropped) & 1;
      // A carry runs into the exponent, as it should.
      reduced += (U{1} << (dropped - 1)) - 1 + last_kept;
      reduced &= ~((U{1} << dropped) - 1);
    }
    if (p.i0 < source_exponent) {
      const int64_t source_bias = (int64_t{1} << (source_exponent - 1)) - 1;
      const int64_t reduced_bias = (int64_t{1} << (p.i0 - 1)) - 1;
      const U exponent_mask = infinity;
      const U max_exponent = static_cast<U>(source_bias + reduced_bias) << source_mantissa;
      const U min_exponent = static_cast<U>(source_bias - reduced_bias) << source_mantissa;
      const U exponent = reduced & exponent_mask;
      if (exponent > max_exponent) return sign | infinity;
      if (exponent <= min_exponent) return sign;
    }
    return reduced;
  }
};

template <typename T>
Function FloatFunction(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAbs:
      return UnaryLoop<T, T, Abs>;
    case HloOpcode::kAcos:
      return UnaryLoop<T, T, Acos>;
    case HloOpcode::kAcosh:
      return UnaryLoop<T, T, Acosh>;
    case HloOpcode::kAsin:
      return UnaryLoop<T, T, Asin>;
    case HloOpcode::kAsinh:
      return UnaryLoop<T, T, Asinh>;
    case HloOpcode::kAtanh:
      return UnaryLoop<T, T, Atanh>;
    case HloOpcode::kCbrt:
      return UnaryLoop<T, T, Cbrt>;
    case HloOpcode::kCeil:
      return UnaryLoop<T, T, Ceil>;
    case HloOpcode::kCos:
      return UnaryLoop<T, T, Cos>;
    case HloOpcode::kCosh:
      return UnaryLoop<T, T, Cosh>;
    case HloOpcode::kErf:
      return UnaryLoop<T, T, Erf>;
    case HloOpcode::kExp:
      return UnaryLoop<T, T, Exp>;
    case HloOpcode::kExpm1:
      return UnaryLoop<T, T, Expm1>;
    case HloOpcode::kFloor:
      return UnaryLoop<T, T, Floor>;
    case HloOpcode::kImag:
      return UnaryLoop<T, T, Zero>;
    case HloOpcode::kIsFinite:
      return UnaryLoop<T, bool, IsFinite>;
    case HloOpcode::kLog:
      return UnaryLoop<T, T, Log>;
    case HloOpcode::kLog1p:
      return UnaryLoop<T, T, Log1p>;
    case HloOpcode::kLogistic:
      return UnaryLoop<T, T, Logistic>;
    case HloOpcode::kNegate:
      return UnaryLoop<T, T, Negate>;
    case HloOpcode::kReal:
      return UnaryLoop<T, T, Identity>;
    case HloOpcode::kRoundNearestAfz:
      return UnaryLoop<T, T, RoundAwayFromZero>;
    case HloOpcode::kRoundNearestEven:
      return UnaryLoop<T, T, RoundToEven>;
    case HloOpcode::kRsqrt:
      return UnaryLoop<T, T, Rsqrt>;
    case HloOpcode::kSign:
      return UnaryLoop<T, T, Sign>;
    case HloOpcode::kSin:
      return UnaryLoop<T, T, Sin>;
    case HloOpcode::kSinh:
      return UnaryLoop<T, T, Sinh>;
    case HloOpcode::kSqrt:
      return UnaryLoop<T, T, Sqrt>;
    case HloOpcode::kTan:
      return UnaryLoop<T, T, Tan>;
    case HloOpcode::kTanh:
      return UnaryLoop<T, T, Tanh>;
    default:
      return nullptr;
  }
}

template <typename T>
Function IntegerFunction(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAbs:
      return UnaryLoop<T, T, Abs>;
    case HloOpcode::kClz:
      return UnaryParameterLoop<T, T, Clz>;
    case HloOpcode::kIsFinite:
      return UnaryLoop<T, bool, IsFinite>;
    case HloOpcode::kNegate:
      return UnaryLoop<T, T, Negate>;
    case HloOpcode::kNot:
      return UnaryLoop<T, T, Not>;
    case HloOpcode::kPopulationCount:
      return UnaryParameterLoop<T, T, PopulationCount>;
    case HloOpcode::kSign:
      return UnaryLoop<T, T, Sign>;
    case HloOpcode::kReal:
    case HloOpcode::kRoundNearestAfz:
    case HloOpcode::kRoundNearestEven:
    case HloOpcode::kCeil:
    case HloOpcode::kFloor:
      return UnaryLoop<T, T, Identity>;
    case HloOpcode::kImag:
      return UnaryLoop<T, T, Zero>;
    case HloOpcode::kReducePrecision:
      if constexpr (std::is_unsigned_v<T>) return UnaryParameterLoop<T, T, ReducePrecision>;
      return nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

Function UnaryFunction(HloOpcode opcode, WideType type) {
  switch (type) {
    case WideType::kPred:
      return opcode == HloOpcode::kNot ? UnaryLoop<bool, bool, Not> : nullptr;
    case WideType::kI32:
      return IntegerFunction<int32_t>(opcode);
    case WideType::kU32:
      return IntegerFunction<uint32_t>(opcode);
    case WideType::kI64:
      return IntegerFunction<int64_t>(opcode);
    case WideType::kU64:
      return IntegerFunction<uint64_t>(opcode);
    case WideType::kF32:
      return FloatFunction<float>(opcode);
    case WideType::kF64:
      return FloatFunction<double>(opcode);
    case WideType::kC64:
    case WideType::kC128:
      return ComplexUnaryFunction(opcode, type);
  }
  return nullptr;
}

}  // namespace xla::interpreter
