// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/math.h"

#include <initializer_list>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/cpu/codegen/math_exp_log.h"
#include "xla/cpu/codegen/math_hyperbolic.h"
#include "xla/cpu/codegen/math_inverse.h"
#include "xla/cpu/codegen/math_lanes.h"
#include "xla/cpu/codegen/math_power.h"
#include "xla/cpu/codegen/math_remainder.h"
#include "xla/cpu/codegen/math_trigonometric.h"

namespace xla::cpu {

IrValue CallFunctionOfVectors(Ir& ir, HloOpcode opcode, PrimitiveType type,
                              std::initializer_list<IrValue> a, std::initializer_list<IrValue> b,
                              IrValue* im) {
  const IrType vector = ir.TypeOf(*a.begin());
  const int lanes = ir.Lanes(vector);
  const int bytes = ir.Bits(vector) / 8;
  const auto write = [&](std::initializer_list<IrValue> parts) {
    const IrValue memory = ir.Alloca(ir.Int(bytes * 8), lanes * static_cast<int64_t>(parts.size()));
    int64_t offset = 0;
    for (const IrValue part : parts) {
      ir.Store(part, ir.Offset(memory, ir.Index(offset)), bytes);
      offset += lanes * bytes;
    }
    return memory;
  };
  const IrValue in_a = write(a), in_b = write(b);
  const IrValue out = ir.Alloca(ir.Int(bytes * 8), lanes * static_cast<int64_t>(a.size()));
  const IrValue arguments[] = {ir.Const(ir.I32(), static_cast<int64_t>(opcode)),
                               ir.Const(ir.I32(), static_cast<int64_t>(type)),
                               ir.Index(lanes),
                               in_a,
                               in_b,
                               out};
  ir.Call("XlaCpuFunction", ir.Void(), arguments);
  if (im != nullptr) *im = ir.Load(vector, ir.Offset(out, ir.Index(lanes * bytes)), bytes);
  return ir.Load(vector, out, bytes);
}

namespace math {
namespace {

// Return the function of math_*.h for an opcode; null if there is none.
using Unary = Floats (*)(const Floats&);
using Binary = Floats (*)(const Floats&, const Floats&);
Unary UnaryF32(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAcos:
      return AcosF32;
    case HloOpcode::kAcosh:
      return AcoshF32;
    case HloOpcode::kAsin:
      return AsinF32;
    case HloOpcode::kAsinh:
      return AsinhF32;
    case HloOpcode::kAtanh:
      return AtanhF32;
    case HloOpcode::kCbrt:
      return CbrtF32;
    case HloOpcode::kCos:
      return CosF32;
    case HloOpcode::kCosh:
      return CoshF32;
    case HloOpcode::kErf:
      return ErfF32;
    case HloOpcode::kExp:
      return ExpF32;
    case HloOpcode::kExpm1:
      return Expm1F32;
    case HloOpcode::kLog:
      return LogF32;
    case HloOpcode::kLog1p:
      return Log1pF32;
    case HloOpcode::kLogistic:
      return LogisticF32;
    case HloOpcode::kSin:
      return SinF32;
    case HloOpcode::kSinh:
      return SinhF32;
    case HloOpcode::kTan:
      return TanF32;
    case HloOpcode::kTanh:
      return TanhF32;
    default:
      return nullptr;
  }
}
Unary UnaryF64(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAcos:
      return AcosF64;
    case HloOpcode::kAcosh:
      return AcoshF64;
    case HloOpcode::kAsin:
      return AsinF64;
    case HloOpcode::kAsinh:
      return AsinhF64;
    case HloOpcode::kAtanh:
      return AtanhF64;
    case HloOpcode::kCbrt:
      return CbrtF64;
    case HloOpcode::kCos:
      return CosF64;
    case HloOpcode::kCosh:
      return CoshF64;
    case HloOpcode::kErf:
      return ErfF64;
    case HloOpcode::kExp:
      return ExpF64;
    case HloOpcode::kExpm1:
      return Expm1F64;
    case HloOpcode::kLog:
      return LogF64;
    case HloOpcode::kLog1p:
      return Log1pF64;
    case HloOpcode::kLogistic:
      return LogisticF64;
    case HloOpcode::kSin:
      return SinF64;
    case HloOpcode::kSinh:
      return SinhF64;
    case HloOpcode::kTan:
      return TanF64;
    case HloOpcode::kTanh:
      return TanhF64;
    default:
      return nullptr;
  }
}
// Without fused multiply-add, remainders are not exact, and logarithms of f64 have too few bits for
// large exponents.
Binary BinaryF32(HloOpcode opcode, bool has_fma) {
  if (opcode == HloOpcode::kPower) return PowF32;
  if (opcode == HloOpcode::kAtan2) return Atan2F32;
  if (opcode == HloOpcode::kRemainder && has_fma) return RemainderF32;
  return nullptr;
}
Binary BinaryF64(HloOpcode opcode, bool has_fma) {
  if (opcode == HloOpcode::kPower && has_fma) return PowF64;
  if (opcode == HloOpcode::kAtan2) return Atan2F64;
  if (opcode == HloOpcode::kRemainder && has_fma) return RemainderF64;
  return nullptr;
}

// Returns how many copies of a function a kernel may hold; further uses call a function of the
// module. LLVM takes time that grows with the square of the number of blocks, and some functions
// have branches for rare arguments; powers and the like are several times as long as others.
int64_t MostInlined(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAtan2:
    case HloOpcode::kCos:
    case HloOpcode::kPower:
    case HloOpcode::kRemainder:
    case HloOpcode::kSin:
    case HloOpcode::kTan:
      return 8;
    default:
      return 32;
  }
}

// Return the function within one unit in the last place, with fused multiply-add (math_test.cc
// measures them); null if there is none.
Unary AccurateF32(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kExp:
      return AccurateExpF32;
    case HloOpcode::kAcos:
    case HloOpcode::kAsin:
    case HloOpcode::kAtanh:
    case HloOpcode::kCbrt:
    case HloOpcode::kCosh:
    case HloOpcode::kLog:
    case HloOpcode::kLog1p:
    case HloOpcode::kSinh:
      return UnaryF32(opcode);
    default:
      return nullptr;
  }
}
Unary AccurateF64(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kExp:
      return AccurateExpF64;
    case HloOpcode::kLogistic:
      return AccurateLogisticF64;
    case HloOpcode::kRsqrt:
      return AccurateRsqrtF64;
    case HloOpcode::kTanh:
      return AccurateTanhF64;
    case HloOpcode::kAtanh:
    case HloOpcode::kCbrt:
    case HloOpcode::kCos:
    case HloOpcode::kCosh:
    case HloOpcode::kExpm1:
    case HloOpcode::kLog:
    case HloOpcode::kLog1p:
    case HloOpcode::kSin:
    case HloOpcode::kSinh:
    case HloOpcode::kTan:
      return UnaryF64(opcode);
    default:
      return nullptr;
  }
}

// Emits the function, or calls one of the module that further copies share.
IrValue EmitOrCall(Ir& ir, std::string_view name, HloOpcode opcode,
                   absl::Span<const IrValue> arguments,
                   absl::FunctionRef<IrValue(absl::Span<const IrValue>)> emit) {
  const IrType type = ir.TypeOf(arguments[0]);
  const std::string key =
      absl::StrCat("xylem.", std::string(name), ir.Bits(type), "x", ir.Lanes(type));
  return ir.CountUse(key) > MostInlined(opcode) ? ir.CallShared(key, arguments, emit)
                                                : emit(arguments);
}
IrValue EmitUnary(Ir& ir, std::string_view name, HloOpcode opcode, Unary function, IrValue a) {
  return EmitOrCall(ir, name, opcode, {a}, [&](absl::Span<const IrValue> parameters) {
    return function(Floats{&ir, parameters[0]}).v;
  });
}

}  // namespace
}  // namespace math

IrValue EmitMath(Ir& ir, HloOpcode opcode, IrValue a, IrValue b) {
  const IrType type = ir.TypeOf(a);
  const bool is_f32 = ir.Bits(type) == 32;
  if (opcode == HloOpcode::kSqrt) return ir.Unary("llvm.sqrt", a);
  if (opcode == HloOpcode::kRsqrt) {
    if (is_f32 && ir.HasRsqrtEstimate()) {
      return math::EmitUnary(ir, HloOpcodeString(opcode), opcode, math::RsqrtF32, a);
    }
    return ir.FDiv(ir.Const(type, 1.0), ir.Unary("llvm.sqrt", a));
  }
  if (b == nullptr) {
    const math::Unary function = is_f32 ? math::UnaryF32(opcode) : math::UnaryF64(opcode);
    if (function != nullptr)
      return math::EmitUnary(ir, HloOpcodeString(opcode), opcode, function, a);
  } else if (opcode == HloOpcode::kAtan2 && b == ir.Const(type, 1.0)) {
    return math::EmitUnary(ir, "atan", opcode,
                           is_f32 ? math::AtanF32<math::Floats> : math::AtanF64<math::Floats>, a);
  } else {
    const math::Binary function =
        is_f32 ? math::BinaryF32(opcode, ir.HasFma()) : math::BinaryF64(opcode, ir.HasFma());
    if (function != nullptr) {
      return math::EmitOrCall(
          ir, HloOpcodeString(opcode), opcode, {a, b}, [&](absl::Span<const IrValue> parameters) {
            return function(math::Floats{&ir, parameters[0]}, math::Floats{&ir, parameters[1]}).v;
          });
    }
  }
  if (b == nullptr) b = a;
  return CallFunctionOfVectors(ir, opcode, is_f32 ? F32 : F64, {a}, {b});
}

IrValue EmitAccurateMath(Ir& ir, HloOpcode opcode, IrValue a) {
  const IrType type = ir.TypeOf(a);
  if (opcode == HloOpcode::kSqrt) return EmitMath(ir, opcode, a);
  const bool is_f32 = ir.Bits(type) == 32;
  if (opcode == HloOpcode::kRsqrt && is_f32 && ir.HasRsqrtEstimate())
    return EmitMath(ir, opcode, a);
  const math::Unary function = is_f32 ? math::AccurateF32(opcode) : math::AccurateF64(opcode);
  if (function != nullptr && ir.HasFma()) {
    const std::string name = absl::StrCat("accurate.", HloOpcodeString(opcode));
    return math::EmitUnary(ir, name, opcode, function, a);
  }
  if (!is_f32) return CallFunctionOfVectors(ir, opcode, F64, {a}, {a});
  if (opcode != HloOpcode::kRsqrt && math::UnaryF64(opcode) == nullptr)
    return CallFunctionOfVectors(ir, opcode, F32, {a}, {a});
  return ir.FPTrunc(EmitMath(ir, opcode, ir.FPExt(a, ir.WithElement(type, ir.F64()))), type);
}

}  // namespace xla::cpu
