// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/narrow_floats.h"

#include <cstdint>
#include <optional>

#include "xla/types.h"

namespace xla::cpu {
namespace {

constexpr int64_t kFloatInfinity = 0x7f800000, kFloatNaN = 0x7fc00000, kFloatMagnitude = 0x7fffffff;

struct Format {
  int bits, mantissa, bias;
  MiniFloatKind kind;
  int64_t sign, magnitude, infinity, greatest, nan;  // codes
};

template <typename T>
constexpr Format Describe() {
  return {T::kTotalBits,     T::kMantissaBits, T::kExponentBias, T::kFloatKind,   T::kSignMask,
          T::kMagnitudeMask, T::kInfinityBits, T::kMaxBits,      T::kQuietNaNBits};
}

std::optional<Format> FormatOf(PrimitiveType type) {
  switch (type) {
    case F8E3M4:
      return Describe<float8_e3m4>();
    case F8E4M3:
      return Describe<float8_e4m3>();
    case F8E4M3FN:
      return Describe<float8_e4m3fn>();
    case F8E4M3FNUZ:
      return Describe<float8_e4m3fnuz>();
    case F8E4M3B11FNUZ:
      return Describe<float8_e4m3b11fnuz>();
    case F8E5M2:
      return Describe<float8_e5m2>();
    case F8E5M2FNUZ:
      return Describe<float8_e5m2fnuz>();
    case F8E8M0FNU:
      return Describe<float8_e8m0fnu>();
    case F6E2M3FN:
      return Describe<float6_e2m3fn>();
    case F6E3M2FN:
      return Describe<float6_e3m2fn>();
    case F4E2M1FN:
      return Describe<float4_e2m1fn>();
    default:
      return std::nullopt;
  }
}

// Computes with as many integers of 32 bits as there are numbers.
class Converter {
 public:
  Converter(Ir& ir, const Format& format, IrValue value)
      : ir_(ir),
        format_(format),
        ints_(ir.WithElement(ir.TypeOf(value), ir.I32())),
        floats_(ir.WithElement(ints_, ir.F32())),
        bytes_(ir.WithElement(ints_, ir.I8())) {}

  // Like MiniFloat::RoundFloat.
  IrValue Narrow(IrValue value) const {
    const IrValue wide = ir_.BitCast(value, ints_), magnitude = And(wide, kFloatMagnitude);
    if (format_.kind == MiniFloatKind::kScale)
      return ir_.Trunc(NarrowToScale(wide, magnitude), bytes_);
    const int shift = 23 - format_.mantissa;
    const IrValue is_nan = Greater(magnitude, kFloatInfinity);
    const IrValue capped = ir_.Select(is_nan, Int(kFloatInfinity), magnitude);
    const IrValue sign = And(ir_.AShr(wide, Int(32 - format_.bits)), format_.sign);
    const IrValue odd = And(ir_.LShr(capped, Int(shift)), 1);
    const IrValue half = Add(capped, (int64_t{1} << (shift - 1)) - 1);
    const IrValue normal = Add(ir_.LShr(ir_.Add(half, odd), Int(shift)),
                               -(int64_t{127 - format_.bias} << format_.mantissa));
    // The addition of a float whose last bit weighs as much as the least subnormal rounds.
    const int64_t magic = int64_t{127 + 1 - format_.bias - format_.mantissa + 23} << 23;
    const IrValue sum = ir_.FAdd(ir_.BitCast(capped, floats_), ir_.BitCast(Int(magic), floats_));
    const IrValue subnormal = Add(ir_.BitCast(sum, ints_), -magic);
    IrValue code = ir_.Select(Less(capped, LeastNormal()), subnormal, normal);
    code = ir_.Select(Greater(code, format_.greatest), Int(Overflow()), code);
    switch (format_.kind) {
      case MiniFloatKind::kFnuz:  // zero is unsigned, and so is NaN, the code of -0
        code = ir_.Select(Equal(code, 0), code, ir_.Or(code, sign));
        break;
      case MiniFloatKind::kFiniteOnly:  // NaN becomes a zero of the other sign
        code = ir_.Xor(ir_.Select(is_nan, Int(format_.sign), code), sign);
        break;
      default:
        code = ir_.Or(ir_.Select(is_nan, Int(format_.nan), code), sign);
    }
    return ir_.Trunc(code, bytes_);
  }

  // Like MiniFloat::WidenFloat.
  IrValue Widen(IrValue byte) const {
    const IrValue code = ir_.ZExt(byte, ints_), magnitude = And(code, format_.magnitude);
    IrValue wide;
    if (format_.kind == MiniFloatKind::kScale) {
      // 2^-127 is a subnormal float.
      wide = ir_.Select(Equal(code, 0), Int(0x00400000), ir_.Shl(code, Int(23)));
      return ir_.BitCast(ir_.Select(Equal(magnitude, format_.magnitude), Int(kFloatNaN), wide),
                         floats_);
    }
    const IrValue sign = ir_.Shl(And(code, format_.sign), Int(32 - format_.bits));
    const IrValue shifted = ir_.Shl(magnitude, Int(23 - format_.mantissa));
    const IrValue normal = Add(shifted, int64_t{127 - format_.bias} << 23);
    // Puts the bits of the subnormal number after a leading mantissa bit, which is then subtracted.
    const IrValue with_leading = ir_.Or(And(shifted, 0x007fffff), Int(LeastNormal()));
    const IrValue subnormal =
        ir_.FSub(ir_.BitCast(with_leading, floats_), ir_.BitCast(Int(LeastNormal()), floats_));
    wide = ir_.Select(Less(magnitude, int64_t{1} << format_.mantissa),
                      ir_.BitCast(subnormal, ints_), normal);
    switch (format_.kind) {
      case MiniFloatKind::kIeee:
        wide = ir_.Select(Greater(magnitude, format_.infinity), Int(kFloatNaN), wide);
        wide = ir_.Select(Equal(magnitude, format_.infinity), Int(kFloatInfinity), wide);
        break;
      case MiniFloatKind::kFn:
        wide = ir_.Select(Equal(magnitude, format_.magnitude), Int(kFloatNaN), wide);
        break;
      case MiniFloatKind::kFnuz:
        wide = ir_.Select(Equal(code, format_.sign), Int(kFloatNaN), wide);
        break;
      default:
        break;
    }
    return ir_.BitCast(ir_.Or(wide, sign), floats_);
  }

 private:
  // Rounds to an exponent: up from 1.5 times a power of two on, and from more than the least one.
  // Neither zero nor a negative number has a code.
  IrValue NarrowToScale(IrValue wide, IrValue magnitude) const {
    constexpr int64_t kLeast = 0x00400000;  // 2^-127
    IrValue code = ir_.LShr(Add(magnitude, kLeast), Int(23));
    code = ir_.Select(Equal(magnitude, kLeast), Int(0), code);
    const IrValue has_code =
        ir_.And(Greater(wide, 0), ir_.ICmp(LLVMIntSLE, code, Int(format_.greatest)));
    return ir_.Select(has_code, code, Int(format_.nan));
  }

  int64_t LeastNormal() const { return int64_t{128 - format_.bias} << 23; }
  int64_t Overflow() const {
    if (format_.kind == MiniFloatKind::kIeee) return format_.infinity;
    return format_.kind == MiniFloatKind::kFiniteOnly ? format_.greatest : format_.nan;
  }
  IrValue Int(int64_t value) const { return ir_.Const(ints_, value); }
  IrValue Add(IrValue a, int64_t b) const { return ir_.Add(a, Int(b)); }
  IrValue And(IrValue a, int64_t b) const { return ir_.And(a, Int(b)); }
  IrValue Less(IrValue a, int64_t b) const { return ir_.ICmp(LLVMIntSLT, a, Int(b)); }
  IrValue Greater(IrValue a, int64_t b) const { return ir_.ICmp(LLVMIntSGT, a, Int(b)); }
  IrValue Equal(IrValue a, int64_t b) const { return ir_.ICmp(LLVMIntEQ, a, Int(b)); }

  Ir& ir_;
  const Format format_;
  const IrType ints_, floats_, bytes_;
};

}  // namespace

bool IsByteFloat(PrimitiveType type) { return FormatOf(type).has_value(); }

IrValue NarrowToByte(Ir& ir, PrimitiveType type, IrValue value) {
  return Converter(ir, *FormatOf(type), value).Narrow(value);
}

IrValue WidenByte(Ir& ir, PrimitiveType type, IrValue code) {
  return Converter(ir, *FormatOf(type), code).Widen(code);
}

}  // namespace xla::cpu
