// SPDX-License-Identifier: Apache-2.0
// Kernels of elementwise operations with two and three operands.
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "xla/interpreter/complex_math.h"
#include "xla/interpreter/elementwise_loops.h"
#include "xla/types.h"

namespace xla::interpreter {
namespace {

using Function = ElementwiseKernel::WideFunction;

template <typename T>
constexpr bool kIsInt = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// Signed arithmetic wraps: it is computed in the unsigned type.
template <typename T>
struct UnsignedOf {
  using type = std::make_unsigned_t<T>;
};

struct Add {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a | b;
    } else if constexpr (kIsInt<T>) {
      using U = typename UnsignedOf<T>::type;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
};
struct Subtract {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a ^ b;
    } else if constexpr (kIsInt<T>) {
      using U = typename UnsignedOf<T>::type;
      return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
    } else {
      return a - b;
    }
  }
};
struct Multiply {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a & b;
    } else if constexpr (kIsInt<T>) {
      using U = typename UnsignedOf<T>::type;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else if constexpr (is_complex_v<T>) {
      return ComplexMultiply(a, b);
    } else {
      return a * b;
    }
  }
};
// Integers: x / 0 has all bits set, and the lowest value divided by -1 is itself.
struct Divide {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (kIsInt<T>) {
      if (b == 0) return static_cast<T>(-1);
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return Subtract()(T{0}, a);
      }
      return a / b;
    } else if constexpr (is_complex_v<T>) {
      return ComplexDivide(a, b);
    } else {
      return a / b;
    }
  }
};
// The result has the sign of the dividend; x % 0 is x.
struct Remainder {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (kIsInt<T>) {
      if (b == 0) return a;
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return 0;
      }
      return a % b;
    } else {
      return std::fmod(a, b);
    }
  }
};
// NaN if either is; +0 is greater than -0.
struct Maximum {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      const T larger = a > b ? a : b;
      const T zeros = std::signbit(a) ? b : a;
      return a != a ? a : b != b ? b : a == b ? zeros : larger;
    } else {
      return a > b ? a : b;
    }
  }
};
struct Minimum {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      const T smaller = a < b ? a : b;
      const T zeros = std::signbit(a) ? a : b;
      return a != a ? a : b != b ? b : a == b ? zeros : smaller;
    } else {
      return a < b ? a : b;
    }
  }
};
// For maximum and minimum, complex numbers are ordered lexicographically.
struct ComplexMaximum {
  template <typename T>
  T operator()(T a, T b) const {
    if (std::isnan(a.real()) || std::isnan(a.imag())) return a;
    if (std::isnan(b.real()) || std::isnan(b.imag())) return b;
    return a.real() != b.real() ? (a.real() > b.real() ? a : b) : (a.imag() >= b.imag() ? a : b);
  }
};
struct ComplexMinimum {
  template <typename T>
  T operator()(T a, T b) const {
    if (std::isnan(a.real()) || std::isnan(a.imag())) return a;
    if (std::isnan(b.real()) || std::isnan(b.imag())) return b;
    return a.real() != b.real() ? (a.real() < b.real() ? a : b) : (a.imag() <= b.imag() ? a : b);
  }
};
// Integers: by squaring, modulo 2^n; a negative exponent gives the truncated reciprocal.
struct Power {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (kIsInt<T>) {
      if constexpr (std::is_signed_v<T>) {
        if (b < 0) {
          if (a == 1) return 1;
          if (a == -1) return b % 2 == 0 ? 1 : -1;
          return 0;
        }
      }
      using U = typename UnsignedOf<T>::type;
      U base = static_cast<U>(a), result = 1;
      for (U exponent = static_cast<U>(b); exponent != 0; exponent >>= 1) {
        if ((exponent & 1) != 0) result *= base;
        base *= base;
      }
      return static_cast<T>(result);
    } else if constexpr (is_complex_v<T>) {
      return ComplexPower(a, b);
    } else if constexpr (std::is_same_v<T, float>) {
      return static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
    } else {
      return std::pow(a, b);
    }
  }
};
struct Atan2 {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (is_complex_v<T>) {
      return ComplexAtan2(a, b);
    } else if constexpr (std::is_same_v<T, float>) {
      return static_cast<float>(std::atan2(static_cast<double>(a), static_cast<double>(b)));
    } else {
      return std::atan2(a, b);
    }
  }
};
struct And {
  template <typename T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct Or {
  template <typename T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct Xor {
  template <typename T>
  T operator()(T a, T b) const {
    return a ^ b;
  }
};

// Shifts of elements of width i0. The amount is unsigned; all bits are shifted out if it is at
// least the width.
template <typename T>
bool Within(T amount, const KernelParameters& p) {
  return static_cast<std::make_unsigned_t<T>>(amount) < static_cast<std::make_unsigned_t<T>>(p.i0);
}
struct ShiftLeft {
  template <typename T>
  T operator()(T a, T b, const KernelParameters& p) const {
    using U = std::make_unsigned_t<T>;
    return Within(b, p) ? static_cast<T>(static_cast<U>(a) << b) : T{0};
  }
};
// The element's bits, without the sign extension of narrow types.
template <typename T>
std::make_unsigned_t<T> OwnBits(T a, const KernelParameters& p) {
  using U = std::make_unsigned_t<T>;
  return static_cast<U>(a) & (~U{0} >> (static_cast<int64_t>(sizeof(U) * 8) - p.i0));
}
struct ShiftRightLogical {
  template <typename T>
  T operator()(T a, T b, const KernelParameters& p) const {
    return Within(b, p) ? static_cast<T>(OwnBits(a, p) >> b) : T{0};
  }
};
struct ShiftRightArithmetic {
  template <typename T>
  T operator()(T a, T b, const KernelParameters& p) const {
    // Unsigned types shift in their top bit too.
    using S = std::make_signed_t<T>;
    const int64_t unused = static_cast<int64_t>(sizeof(T) * 8) - p.i0;
    const S extended =
        static_cast<S>(static_cast<S>(static_cast<std::make_unsigned_t<T>>(a) << unused) >> unused);
    return static_cast<T>(Within(b, p) ? static_cast<S>(extended >> b)
                                       : static_cast<S>(extended < 0 ? -1 : 0));
  }
};
// The upper half of the product.
struct MulHi {
  template <typename T>
  T operator()(T a, T b, const KernelParameters& p) const {
    using Wide =
        std::conditional_t<sizeof(T) == 4,
                           std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                           std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>;
    return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> p.i0);
  }
};

struct MakeComplex {
  template <typename T>
  std::complex<T> operator()(T a, T b) const {
    return {a, b};
  }
};

// Operations of all numbers.
template <typename T>
Function ArithmeticFunction(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAdd:
      return BinaryLoop<T, T, Add>;
    case HloOpcode::kSubtract:
      return BinaryLoop<T, T, Subtract>;
    case HloOpcode::kMultiply:
      return BinaryLoop<T, T, Multiply>;
    case HloOpcode::kDivide:
      return BinaryLoop<T, T, Divide>;
    case HloOpcode::kPower:
      return BinaryLoop<T, T, Power>;
    default:
      return nullptr;
  }
}

// Operations of real numbers.
template <typename T>
Function RealFunction(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kRemainder:
      return BinaryLoop<T, T, Remainder>;
    case HloOpcode::kMaximum:
      return BinaryLoop<T, T, Maximum>;
    case HloOpcode::kMinimum:
      return BinaryLoop<T, T, Minimum>;
    default:
      return ArithmeticFunction<T>(opcode);
  }
}

template <typename T>
Function IntegerFunction(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAnd:
      return BinaryLoop<T, T, And>;
    case HloOpcode::kOr:
      return BinaryLoop<T, T, Or>;
    case HloOpcode::kXor:
      return BinaryLoop<T, T, Xor>;
    case HloOpcode::kShiftLeft:
      return BinaryParameterLoop<T, T, ShiftLeft>;
    case HloOpcode::kShiftRightLogical:
      return BinaryParameterLoop<T, T, ShiftRightLogical>;
    case HloOpcode::kShiftRightArithmetic:
      return BinaryParameterLoop<T, T, ShiftRightArithmetic>;
    case HloOpcode::kMulhi:
      return BinaryParameterLoop<T, T, MulHi>;
    default:
      return RealFunction<T>(opcode);
  }
}

template <typename T>
Function FloatFunction(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAtan2:
      return BinaryLoop<T, T, Atan2>;
    case HloOpcode::kComplex:
      return BinaryLoop<T, std::complex<T>, MakeComplex>;
    default:
      return RealFunction<T>(opcode);
  }
}

template <typename T>
Function ComplexFunction(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kMaximum:
      return BinaryLoop<T, T, ComplexMaximum>;
    case HloOpcode::kMinimum:
      return BinaryLoop<T, T, ComplexMinimum>;
    case HloOpcode::kAtan2:
      return BinaryLoop<T, T, Atan2>;
    default:
      return ArithmeticFunction<T>(opcode);
  }
}

Function PredFunction(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAdd:
    case HloOpcode::kOr:
    case HloOpcode::kMaximum:
      return BinaryLoop<bool, bool, Or>;
    case HloOpcode::kMultiply:
    case HloOpcode::kAnd:
    case HloOpcode::kMinimum:
      return BinaryLoop<bool, bool, And>;
    case HloOpcode::kSubtract:
    case HloOpcode::kXor:
      return BinaryLoop<bool, bool, Xor>;
    default:
      return nullptr;
  }
}

struct Eq {
  template <typename T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct Ne {
  template <typename T>
  bool operator()(T a, T b) const {
    return a != b;
  }
};
struct Ge {
  template <typename T>
  bool operator()(T a, T b) const {
    return a >= b;
  }
};
struct Gt {
  template <typename T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};
struct Le {
  template <typename T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct Lt {
  template <typename T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};

template <typename T>
Function CompareOf(Comparison::Direction direction) {
  switch (direction) {
    case Comparison::Direction::kEq:
      return BinaryLoop<T, bool, Eq>;
    case Comparison::Direction::kNe:
      return BinaryLoop<T, bool, Ne>;
    default:
      break;
  }
  if constexpr (!is_complex_v<T>) {
    switch (direction) {
      case Comparison::Direction::kGe:
        return BinaryLoop<T, bool, Ge>;
      case Comparison::Direction::kGt:
        return BinaryLoop<T, bool, Gt>;
      case Comparison::Direction::kLe:
        return BinaryLoop<T, bool, Le>;
      case Comparison::Direction::kLt:
        return BinaryLoop<T, bool, Lt>;
      default:
        break;
    }
  }
  return nullptr;
}

template <typename T>
void ClampLoop(const KernelParameters&, int64_t n, const void* const* in, void* out) {
  const T* low = static_cast<const T*>(in[0]);
  const T* value = static_cast<const T*>(in[1]);
  const T* high = static_cast<const T*>(in[2]);
  T* r = static_cast<T*>(out);
  XLA_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) r[i] = Minimum()(Maximum()(value[i], low[i]), high[i]);
}

struct Bytes16 {
  uint64_t low, high;
};

template <typename T>
void SelectLoop(const KernelParameters&, int64_t n, const void* const* in, void* out) {
  const bool* predicate = static_cast<const bool*>(in[0]);
  const T* on_true = static_cast<const T*>(in[1]);
  const T* on_false = static_cast<const T*>(in[2]);
  T* r = static_cast<T*>(out);
  XLA_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) {
    const T a = on_true[i], b = on_false[i];
    r[i] = predicate[i] ? a : b;
  }
}

}  // namespace

Function BinaryFunction(HloOpcode opcode, WideType type) {
  switch (type) {
    case WideType::kPred:
      return PredFunction(opcode);
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
      return ComplexFunction<complex64>(opcode);
    case WideType::kC128:
      return ComplexFunction<complex128>(opcode);
  }
  return nullptr;
}

Function CompareFunction(Comparison::Direction direction, WideType type) {
  switch (type) {
    case WideType::kPred:
      return CompareOf<bool>(direction);
    case WideType::kI32:
      return CompareOf<int32_t>(direction);
    case WideType::kU32:
      return CompareOf<uint32_t>(direction);
    case WideType::kI64:
      return CompareOf<int64_t>(direction);
    case WideType::kU64:
      return CompareOf<uint64_t>(direction);
    case WideType::kF32:
      return CompareOf<float>(direction);
    case WideType::kF64:
      return CompareOf<double>(direction);
    case WideType::kC64:
      return CompareOf<complex64>(direction);
    case WideType::kC128:
      return CompareOf<complex128>(direction);
  }
  return nullptr;
}

Function ClampFunction(WideType type) {
  switch (type) {
    case WideType::kPred:
      return ClampLoop<bool>;
    case WideType::kI32:
      return ClampLoop<int32_t>;
    case WideType::kU32:
      return ClampLoop<uint32_t>;
    case WideType::kI64:
      return ClampLoop<int64_t>;
    case WideType::kU64:
      return ClampLoop<uint64_t>;
    case WideType::kF32:
      return ClampLoop<float>;
    case WideType::kF64:
      return ClampLoop<double>;
    case WideType::kC64:
    case WideType::kC128:
      return nullptr;
  }
  return nullptr;
}

Function SelectFunction(int element_bytes) {
  switch (element_bytes) {
    case 1:
      return SelectLoop<uint8_t>;
    case 2:
      return SelectLoop<uint16_t>;
    case 4:
      return SelectLoop<uint32_t>;
    case 8:
      return SelectLoop<uint64_t>;
    case 16:
      return SelectLoop<Bytes16>;
    default:
      return nullptr;
  }
}

}  // namespace xla::interpreter
