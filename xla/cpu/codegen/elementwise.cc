// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/elementwise.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/comparison_util.h"
#include "xla/cpu/codegen/constant_divisor.h"
#include "xla/cpu/codegen/math.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

using Operands = absl::Span<const Element>;

absl::Status NotCompiled(const HloInstruction& instruction) {
  return absl::UnimplementedError(
      absl::StrCat("the CPU compiler does not implement ", instruction.ToShortString()));
}

bool IsConvertedInteger(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kConvert &&
         primitive_util::IsIntegralType(instruction.operand(0)->shape().element_type());
}

// Emits one operation on elements of one type.
class Emitter {
 public:
  Emitter(ElementOps& ops, const HloInstruction& instruction, PrimitiveType type, IrType vector)
      : ops_(ops),
        ir_(ops.ir()),
        instruction_(instruction),
        type_(type),
        vector_(vector),
        is_signed_(primitive_util::IsSignedIntegralType(type)) {}

  absl::StatusOr<Element> Emit(Operands operands) {
    if (primitive_util::IsComplexType(type_)) return Complex(operands);
    const IrValue a = operands[0].re;
    const IrValue b = operands.size() > 1 ? operands[1].re : nullptr;
    IrValue result = nullptr;
    if (type_ == PRED) {
      result = Pred(a, b);
    } else if (primitive_util::IsIntegralType(type_)) {
      result = Integer(a, b);
    } else {
      result = Real(a, b);
    }
    if (result == nullptr) return NotCompiled(instruction_);
    return Element{result};
  }

  // Returns NaN if either operand is NaN; +0 is greater than -0.
  IrValue Maximum(IrValue a, IrValue b) { return Extreme(a, b, true); }
  IrValue Minimum(IrValue a, IrValue b) { return Extreme(a, b, false); }
  IrValue Extreme(IrValue a, IrValue b, bool is_max) {
    if (type_ == PRED) return is_max ? ir_.Or(a, b) : ir_.And(a, b);
    if (!ir_.IsFloat(vector_)) {
      return ir_.Binary(is_max ? (is_signed_ ? "llvm.smax" : "llvm.umax")
                               : (is_signed_ ? "llvm.smin" : "llvm.umin"),
                        a, b);
    }
    double bound = 0;
    if (ir_.IsConst(a, &bound)) std::swap(a, b);
    if (ir_.IsConst(b, &bound) && !std::isnan(bound)) return ExtremeOfBound(a, b, bound, is_max);
    if (ir_.Lanes(vector_) == 1) {
      return is_max ? ir_.FNeg(MinimumOfScalars(ir_.FNeg(a), ir_.FNeg(b))) : MinimumOfScalars(a, b);
    }
    if (!ir_.HasAvx512Binary(vector_) || ops_.visits_rows())
      return ir_.Binary(is_max ? "llvm.maximum" : "llvm.minimum", a, b);
    return ir_.ByRegisters(a, b, [&](IrValue x, IrValue y) {
      // Orders zeros, but gives the number where one is NaN.
      constexpr int kMinimum = 4, kMaximum = 5;
      const IrValue ordered = ir_.Avx512Binary("range", x, y, is_max ? kMaximum : kMinimum);
      return ir_.Select(ir_.FCmp(LLVMRealUNO, x, y), ir_.FAdd(x, y), ordered);
    });
  }
  // Takes the smaller operand by the processor's instruction in either order. The two results
  // differ only for zeros, where -0 has the sign bit that +0 lacks, and for NaN, which keeps its
  // bits. Short, because loops on scalars wait for it.
  IrValue MinimumOfScalars(IrValue a, IrValue b) {
    const IrType bits = ir_.IntsLike(vector_);
    const auto smaller = [&](IrValue x, IrValue y) {
      return ir_.BitCast(ir_.Select(ir_.FCmp(LLVMRealOLT, x, y), x, y), bits);
    };
    return ir_.BitCast(ir_.Or(smaller(a, b), smaller(b, a)), vector_);
  }
  // The extreme of a number and a constant that is not NaN, by a comparison that is false for NaN.
  IrValue ExtremeOfBound(IrValue a, IrValue b, double bound, bool is_max) {
    const IrValue result = ir_.Select(ir_.FCmp(is_max ? LLVMRealOGT : LLVMRealOLT, b, a), b, a);
    if (bound != 0 || std::signbit(bound) == is_max) return result;
    // A zero of the other sign in `a` has been kept.
    return is_max ? ir_.FAdd(result, b) : ir_.Select(ir_.FCmp(LLVMRealOEQ, result, b), b, result);
  }

 private:
  IrValue Const(int64_t value) const { return ir_.Const(vector_, value); }
  HloOpcode opcode() const { return instruction_.opcode(); }

  IrValue Pred(IrValue a, IrValue b) {
    switch (opcode()) {
      case HloOpcode::kAdd:
      case HloOpcode::kOr:
      case HloOpcode::kMaximum:
        return ir_.Or(a, b);
      case HloOpcode::kMultiply:
      case HloOpcode::kAnd:
      case HloOpcode::kMinimum:
        return ir_.And(a, b);
      case HloOpcode::kSubtract:
      case HloOpcode::kXor:
        return ir_.Xor(a, b);
      case HloOpcode::kNot:
        return ir_.Not(a);
      default:
        return nullptr;
    }
  }

  // Returns the bits of the element type, which may be fewer than those of the register.
  int Width() const { return primitive_util::BitWidth(type_); }
  IrValue OwnBits(IrValue a) {
    const int unused = ir_.Bits(vector_) - Width();
    return unused == 0 ? a : ir_.And(a, Const((int64_t{1} << Width()) - 1));
  }
  // Shifts by at least the width give `beyond`.
  IrValue Shift(IrValue shifted, IrValue amount, IrValue beyond) {
    return ir_.Select(ir_.ICmp(LLVMIntULT, OwnBits(amount), Const(Width())), shifted, beyond);
  }
  IrValue Limited(IrValue amount) {
    return ir_.Binary("llvm.umin", OwnBits(amount), Const(Width() - 1));
  }

  // Emits operations with the same form for integers and floating-point numbers; null for others.
  IrValue Number(IrValue a, IrValue b) {
    switch (opcode()) {
      case HloOpcode::kMaximum:
        return Maximum(a, b);
      case HloOpcode::kMinimum:
        return Minimum(a, b);
      case HloOpcode::kReal:
      case HloOpcode::kCopy:
        return a;
      case HloOpcode::kImag:
        return Const(0);
      default:
        return nullptr;
    }
  }

  // Returns null for operations without an integer form.
  // Long: a table with one entry for each operation.
  IrValue Integer(IrValue a, IrValue b) {
    switch (opcode()) {
      case HloOpcode::kAdd:
        return ir_.Add(a, b);
      case HloOpcode::kSubtract:
        return ir_.Sub(a, b);
      case HloOpcode::kMultiply:
        return ir_.Mul(a, b);
      case HloOpcode::kDivide:
        return DivideInteger(a, b);
      case HloOpcode::kRemainder:
        return RemainderInteger(a, b);
      case HloOpcode::kPower:
        return PowerInteger(a, b);
      case HloOpcode::kAnd:
        return ir_.And(a, b);
      case HloOpcode::kOr:
        return ir_.Or(a, b);
      case HloOpcode::kXor:
        return ir_.Xor(a, b);
      case HloOpcode::kNot:
        return ir_.Not(a);
      case HloOpcode::kShiftLeft:
        return Shift(ir_.Shl(a, Limited(b)), b, Const(0));
      case HloOpcode::kShiftRightLogical:
        return Shift(ir_.LShr(OwnBits(a), Limited(b)), b, Const(0));
      case HloOpcode::kShiftRightArithmetic: {
        IrValue extended = a;
        const int unused = ir_.Bits(vector_) - Width();
        if (unused > 0) extended = ir_.AShr(ir_.Shl(a, Const(unused)), Const(unused));
        return ir_.AShr(extended, Limited(b));
      }
      case HloOpcode::kMulhi: {
        const IrType wide = ir_.WithElement(vector_, ir_.Int(2 * ir_.Bits(vector_)));
        const auto widen = [&](IrValue v) {
          return is_signed_ ? ir_.SExt(v, wide) : ir_.ZExt(v, wide);
        };
        const IrValue product = ir_.Mul(widen(a), widen(b));
        return ir_.Trunc(ir_.LShr(product, ir_.Const(wide, int64_t{Width()})), vector_);
      }
      case HloOpcode::kAbs:
        return is_signed_ ? ir_.Select(ir_.ICmp(LLVMIntSLT, a, Const(0)), ir_.Sub(Const(0), a), a)
                          : a;
      case HloOpcode::kNegate:
        return ir_.Sub(Const(0), a);
      case HloOpcode::kSign:
        return ir_.Select(ir_.ICmp(is_signed_ ? LLVMIntSGT : LLVMIntUGT, a, Const(0)), Const(1),
                          is_signed_ ? ir_.AShr(a, Const(ir_.Bits(vector_) - 1)) : a);
      case HloOpcode::kClz: {
        const IrValue count =
            ir_.Intrinsic("llvm.ctlz", {vector_}, {OwnBits(a), ir_.Const(ir_.I1(), int64_t{0})});
        return ir_.Sub(count, Const(ir_.Bits(vector_) - Width()));
      }
      case HloOpcode::kPopulationCount:
        return ir_.Unary("llvm.ctpop", OwnBits(a));
      case HloOpcode::kCeil:
      case HloOpcode::kFloor:
      case HloOpcode::kRoundNearestAfz:
      case HloOpcode::kRoundNearestEven:
        return a;
      default:
        return Number(a, b);
    }
  }

  // Divides, rounding towards zero; the divisor is neither 0 nor -1. Processors have no vector
  // division of integers, but of floating-point numbers: a quotient of n bits that is not whole
  // differs from the next whole number by more than 2^-n of it, which f32 for 16 bits and f64 for
  // 32 bits do not round away.
  IrValue Quotient(IrValue a, IrValue b) {
    const IrType type = ir_.TypeOf(a);
    if (ir_.Lanes(type) == 1 || Width() > 32 || ir_.IsConstant(b)) {
      return is_signed_ ? ir_.SDiv(a, b) : ir_.UDiv(a, b);
    }
    const IrType words = ir_.WithElement(type, ir_.I32());
    const IrType floats = ir_.WithElement(type, Width() > 16 ? ir_.F64() : ir_.F32());
    const auto widen = [&](IrValue x) {
      if (Width() < 32)
        return ir_.SIToFP(is_signed_ ? ir_.SExt(x, words) : ir_.ZExt(x, words), floats);
      return is_signed_ ? ir_.SIToFP(x, floats) : ir_.UIToFP(x, floats);
    };
    const IrValue quotient = ir_.FDiv(widen(a), widen(b));
    if (Width() < 32) return ir_.Trunc(ir_.FPToSI(quotient, words), type);
    return is_signed_ ? ir_.FPToSI(quotient, words) : ir_.FPToUI(quotient, words);
  }

  // x / 0 has all bits set; the lowest value divided by -1 is itself.
  IrValue DivideInteger(IrValue a, IrValue b) {
    const IrValue by_zero = ir_.ICmp(LLVMIntEQ, b, Const(0));
    if (!is_signed_) {
      return ir_.Select(by_zero, Const(-1), Quotient(a, ir_.Select(by_zero, Const(1), b)));
    }
    const IrValue by_minus_one = ir_.ICmp(LLVMIntEQ, b, Const(-1));
    const IrValue safe = ir_.Select(ir_.Or(by_zero, by_minus_one), Const(1), b);
    IrValue quotient = Quotient(a, safe);
    quotient = ir_.Select(by_minus_one, ir_.Sub(Const(0), a), quotient);
    return ir_.Select(by_zero, Const(-1), quotient);
  }

  IrValue Rest(IrValue a, IrValue b) { return ir_.Sub(a, ir_.Mul(Quotient(a, b), b)); }

  // x % 0 is x.
  IrValue RemainderInteger(IrValue a, IrValue b) {
    const IrValue by_zero = ir_.ICmp(LLVMIntEQ, b, Const(0));
    if (!is_signed_) {
      return ir_.Select(by_zero, a, Rest(a, ir_.Select(by_zero, Const(1), b)));
    }
    const IrValue by_minus_one = ir_.ICmp(LLVMIntEQ, b, Const(-1));
    const IrValue safe = ir_.Select(ir_.Or(by_zero, by_minus_one), Const(1), b);
    return ir_.Select(by_zero, a, Rest(a, safe));
  }

  // Computes powers by squaring, modulo 2^n; a negative exponent gives the truncated reciprocal.
  IrValue PowerInteger(IrValue a, IrValue b) {
    const int lanes = ir_.Lanes(vector_);
    const auto any = [&](IrValue bits) {
      const IrValue joined =
          lanes == 1 ? bits : ir_.Intrinsic("llvm.vector.reduce.or", {vector_}, {bits});
      return ir_.ICmp(LLVMIntNE, joined, ir_.Zero(ir_.TypeOf(joined)));
    };
    const Ir::Carried last = ir_.While(
        {a, Const(1), b}, [&](const Ir::Carried& c) { return any(c[2]); },
        [&](const Ir::Carried& c) -> Ir::Carried {
          const IrValue odd = ir_.ICmp(LLVMIntNE, ir_.And(c[2], Const(1)), Const(0));
          return {ir_.Mul(c[0], c[0]), ir_.Select(odd, ir_.Mul(c[1], c[0]), c[1]),
                  ir_.LShr(c[2], Const(1))};
        });
    if (!is_signed_) return last[1];
    const IrValue odd = ir_.ICmp(LLVMIntNE, ir_.And(b, Const(1)), Const(0));
    const IrValue of_minus_one = ir_.Select(odd, Const(-1), Const(1));
    const IrValue reciprocal =
        ir_.Select(ir_.ICmp(LLVMIntEQ, a, Const(1)), Const(1),
                   ir_.Select(ir_.ICmp(LLVMIntEQ, a, Const(-1)), of_minus_one, Const(0)));
    return ir_.Select(ir_.ICmp(LLVMIntSLT, b, Const(0)), reciprocal, last[1]);
  }

  // Returns null for operations without a floating-point form.
  IrValue Real(IrValue a, IrValue b) {
    switch (opcode()) {
      case HloOpcode::kAdd:
        return ir_.FAdd(a, b);
      case HloOpcode::kSubtract:
        return ir_.FSub(a, b);
      case HloOpcode::kMultiply:
        return ir_.FMul(a, b);
      case HloOpcode::kDivide:
        return EmitQuotient(ir_, a, b, IsConvertedInteger(*instruction_.operand(0)));
      case HloOpcode::kAbs:
        return ir_.Unary("llvm.fabs", a);
      case HloOpcode::kNegate:
        return ir_.FNeg(a);
      case HloOpcode::kCeil:
        return ir_.Unary("llvm.ceil", a);
      case HloOpcode::kFloor:
        return ir_.Unary("llvm.floor", a);
      case HloOpcode::kRoundNearestEven:
        return ir_.Unary("llvm.roundeven", a);
      case HloOpcode::kRoundNearestAfz:
        return ir_.Unary("llvm.round", a);
      case HloOpcode::kSign: {
        const IrValue negative = ir_.FCmp(LLVMRealOLT, a, Const(0));
        const IrValue positive = ir_.FCmp(LLVMRealOGT, a, Const(0));
        return ir_.Select(positive, Const(1), ir_.Select(negative, Const(-1), a));
      }
      case HloOpcode::kIsFinite:
        return ir_.FCmp(
            LLVMRealONE, ir_.Unary("llvm.fabs", a),
            ir_.ConstBits(vector_, ir_.Bits(vector_) == 32 ? 0x7f800000 : 0x7ff0000000000000));
      case HloOpcode::kReducePrecision:
        return ReducePrecision(a);
      case HloOpcode::kAcos:
      case HloOpcode::kAcosh:
      case HloOpcode::kAsin:
      case HloOpcode::kAsinh:
      case HloOpcode::kAtan2:
      case HloOpcode::kAtanh:
      case HloOpcode::kCbrt:
      case HloOpcode::kCos:
      case HloOpcode::kCosh:
      case HloOpcode::kErf:
      case HloOpcode::kExp:
      case HloOpcode::kExpm1:
      case HloOpcode::kLog:
      case HloOpcode::kLog1p:
      case HloOpcode::kLogistic:
      case HloOpcode::kPower:
      case HloOpcode::kRemainder:
      case HloOpcode::kRsqrt:
      case HloOpcode::kSin:
      case HloOpcode::kSinh:
      case HloOpcode::kSqrt:
      case HloOpcode::kTan:
      case HloOpcode::kTanh:
        if (b == nullptr && AsksForOneUnit()) return EmitAccurateMath(ir_, opcode(), a);
        return EmitMath(ir_, opcode(), a, b);
      default:
        return Number(a, b);
    }
  }

  // Whether result_accuracy asks for less than the two units in the last place of all functions.
  bool AsksForOneUnit() const {
    const AccuracySpec& accuracy = instruction_.extras().result_accuracy;
    if (accuracy.mode != AccuracySpec::Mode::kTolerance)
      return accuracy.mode == AccuracySpec::Mode::kHighest;
    return accuracy.ulps < 2 && accuracy.rtol < (ir_.Bits(vector_) == 32 ? 0x1p-22 : 0x1p-51);
  }

  // Rounds the mantissa to nearest even; exponents that do not fit become infinity or zero. Works
  // on the bits of the element type: F16 and narrower types have other exponents than float.
  IrValue ReducePrecision(IrValue a) {
    const auto& attributes = instruction_.attributes<ReducePrecisionAttributes>();
    const int source_mantissa = primitive_util::SignificandWidth(type_) - 1;
    const int source_exponent = primitive_util::ExponentWidth(type_);
    const IrValue bits = ops_.ToBits(type_, a);
    const IrType type = ir_.TypeOf(bits);
    const auto word = [&](uint64_t value) { return ir_.Const(type, static_cast<int64_t>(value)); };
    const uint64_t sign_mask = uint64_t{1} << (source_exponent + source_mantissa);
    const uint64_t infinity = sign_mask - (uint64_t{1} << source_mantissa);
    const IrValue sign = ir_.And(bits, word(sign_mask));
    IrValue reduced = bits;
    if (attributes.mantissa_bits < source_mantissa) {
      const int64_t dropped = source_mantissa - attributes.mantissa_bits;
      const IrValue last = ir_.And(ir_.LShr(bits, word(static_cast<uint64_t>(dropped))), word(1));
      reduced = ir_.Add(bits, ir_.Add(last, word((uint64_t{1} << (dropped - 1)) - 1)));
      reduced = ir_.And(reduced, word(~((uint64_t{1} << dropped) - 1)));
    }
    if (attributes.exponent_bits < source_exponent) {
      const uint64_t source_bias = (uint64_t{1} << (source_exponent - 1)) - 1;
      const uint64_t bias = (uint64_t{1} << (attributes.exponent_bits - 1)) - 1;
      const IrValue exponent = ir_.And(reduced, word(infinity));
      const IrValue overflows =
          ir_.ICmp(LLVMIntUGT, exponent, word((source_bias + bias) << source_mantissa));
      const IrValue underflows =
          ir_.ICmp(LLVMIntULE, exponent, word((source_bias - bias) << source_mantissa));
      reduced = ir_.Select(underflows, sign, reduced);
      reduced = ir_.Select(overflows, ir_.Or(sign, word(infinity)), reduced);
    }
    const IrValue magnitude = ir_.And(bits, word(sign_mask - 1));
    const IrValue is_nan = ir_.ICmp(LLVMIntUGT, magnitude, word(infinity));
    return ops_.FromBits(type_, ir_.Select(is_nan, bits, reduced));
  }

  // Compares in lexicographic order; an operand with a NaN wins.
  Element ComplexExtreme(const Element& a, const Element& b, bool is_max) {
    const auto has_nan = [&](const Element& z) {
      return ir_.Or(ir_.FCmp(LLVMRealUNO, z.re, z.re), ir_.FCmp(LLVMRealUNO, z.im, z.im));
    };
    const IrValue by_re = ir_.FCmp(is_max ? LLVMRealOGT : LLVMRealOLT, a.re, b.re);
    const IrValue by_im = ir_.FCmp(is_max ? LLVMRealOGE : LLVMRealOLE, a.im, b.im);
    const IrValue first = ir_.Select(ir_.FCmp(LLVMRealUNE, a.re, b.re), by_re, by_im);
    const Element ordered = ops_.Select(first, a, b);
    return ops_.Select(has_nan(a), a, ops_.Select(has_nan(b), b, ordered));
  }

  absl::StatusOr<Element> Complex(Operands operands) {
    const Element& a = operands[0];
    const Element b = operands.size() > 1 ? operands[1] : Element();
    switch (opcode()) {
      case HloOpcode::kAdd:
        return Element{ir_.FAdd(a.re, b.re), ir_.FAdd(a.im, b.im)};
      case HloOpcode::kSubtract:
        return Element{ir_.FSub(a.re, b.re), ir_.FSub(a.im, b.im)};
      case HloOpcode::kMultiply:
        return Element{ir_.FSub(ir_.FMul(a.re, b.re), ir_.FMul(a.im, b.im)),
                       ir_.FAdd(ir_.FMul(a.re, b.im), ir_.FMul(a.im, b.re))};
      case HloOpcode::kNegate:
        return Element{ir_.FNeg(a.re), ir_.FNeg(a.im)};
      case HloOpcode::kReal:
        return Element{a.re};
      case HloOpcode::kImag:
        return Element{a.im};
      case HloOpcode::kCopy:
        return a;
      case HloOpcode::kMaximum:
        return ComplexExtreme(a, b, true);
      case HloOpcode::kMinimum:
        return ComplexExtreme(a, b, false);
      case HloOpcode::kIsFinite: {
        const IrValue zero = ir_.FSub(a.re, a.re), zero_im = ir_.FSub(a.im, a.im);
        return Element{ir_.FCmp(LLVMRealORD, ir_.FAdd(zero, zero_im), zero)};
      }
      case HloOpcode::kAbs:
      case HloOpcode::kAcos:
      case HloOpcode::kAcosh:
      case HloOpcode::kAsin:
      case HloOpcode::kAsinh:
      case HloOpcode::kAtan2:
      case HloOpcode::kAtanh:
      case HloOpcode::kCbrt:
      case HloOpcode::kCos:
      case HloOpcode::kCosh:
      case HloOpcode::kDivide:
      case HloOpcode::kExp:
      case HloOpcode::kExpm1:
      case HloOpcode::kLog:
      case HloOpcode::kLog1p:
      case HloOpcode::kLogistic:
      case HloOpcode::kPower:
      case HloOpcode::kRsqrt:
      case HloOpcode::kSign:
      case HloOpcode::kSin:
      case HloOpcode::kSinh:
      case HloOpcode::kSqrt:
      case HloOpcode::kTan:
      case HloOpcode::kTanh:
        break;
      default:
        return NotCompiled(instruction_);
    }
    Element result;
    EmitComplexMath(ir_, opcode(), a.re, a.im, b.re, b.im, &result.re, &result.im);
    if (opcode() == HloOpcode::kAbs) result.im = nullptr;
    return result;
  }

  ElementOps& ops_;
  Ir& ir_;
  const HloInstruction& instruction_;
  const PrimitiveType type_;
  const IrType vector_;
  const bool is_signed_;
};

absl::StatusOr<Element> EmitCompare(ElementOps& ops, const HloInstruction& instruction,
                                    PrimitiveType type, Operands operands) {
  Ir& ir = ops.ir();
  const auto& attributes = instruction.attributes<CompareAttributes>();
  const auto direction = static_cast<size_t>(attributes.direction);
  constexpr LLVMIntPredicate kSigned[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSGE,
                                          LLVMIntSGT, LLVMIntSLE, LLVMIntSLT};
  constexpr LLVMIntPredicate kUnsigned[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntUGE,
                                            LLVMIntUGT, LLVMIntULE, LLVMIntULT};
  constexpr LLVMRealPredicate kReal[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOGE,
                                         LLVMRealOGT, LLVMRealOLE, LLVMRealOLT};
  IrValue a = operands[0].re, b = operands[1].re;
  if (primitive_util::IsComplexType(type)) {
    const IrValue equal =
        ir.And(ir.FCmp(LLVMRealOEQ, a, b), ir.FCmp(LLVMRealOEQ, operands[0].im, operands[1].im));
    return Element{attributes.direction == ComparisonDirection::kEq ? equal : ir.Not(equal)};
  }
  if (primitive_util::IsFloatingPointType(type)) {
    if (attributes.type != ComparisonType::kFloatTotalOrder) {
      return Element{ir.FCmp(kReal[direction], a, b)};
    }
    // In types without a negative zero, NaN has its code and is less than all numbers.
    const bool has_one_nan = type == F8E4M3FNUZ || type == F8E5M2FNUZ || type == F8E4M3B11FNUZ;
    // The bits of negative numbers have the reverse order.
    const auto key = [&](IrValue value) {
      if (has_one_nan) {
        const IrValue negative = ir.FNeg(ir.Unary("llvm.fabs", value));
        value = ir.Select(ir.FCmp(LLVMRealUNO, value, value), negative, value);
      }
      const IrType bits_type = ir.IntsLike(ir.TypeOf(value));
      const IrValue bits = ir.BitCast(value, bits_type);
      const int width = ir.Bits(bits_type);
      const IrValue flip = ir.LShr(ir.AShr(bits, ir.Const(bits_type, int64_t{width - 1})),
                                   ir.Const(bits_type, int64_t{1}));
      return ir.Xor(bits, flip);
    };
    return Element{ir.ICmp(kSigned[direction], key(a), key(b))};
  }
  const bool is_signed = primitive_util::IsSignedIntegralType(type);
  return Element{ir.ICmp((is_signed ? kSigned : kUnsigned)[direction], a, b)};
}

// Between types of the same width only.
absl::StatusOr<Element> EmitBitcastConvert(ElementOps& ops, const HloInstruction& instruction,
                                           PrimitiveType from, PrimitiveType to,
                                           const Element& operand) {
  if (from == to) return operand;
  const auto bits = [](PrimitiveType type) {
    return type == PRED ? 8 : primitive_util::BitWidth(type);  // a byte that is 0 or 1
  };
  if (bits(from) != bits(to) || primitive_util::IsComplexType(from) ||
      primitive_util::IsComplexType(to)) {
    return NotCompiled(instruction);
  }
  return ops.Round(to, {ops.FromBits(to, ops.ToBits(from, operand.re))});
}

}  // namespace

bool IsElementwise(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBitcastConvert:
      return instruction.operand(0)->shape().rank() == instruction.shape().rank();
    case HloOpcode::kStochasticConvert:
      return false;
    default:
      return instruction.info().Has(op_traits::kElementwiseTrait);
  }
}

absl::StatusOr<Element> EmitElementwise(ElementOps& ops, const HloInstruction& instruction,
                                        absl::Span<const Element> operands) {
  const PrimitiveType type = instruction.operand(0)->shape().element_type();
  const PrimitiveType result_type = instruction.shape().element_type();
  Emitter emitter(ops, instruction, type, ops.ir().TypeOf(operands[0].re));
  switch (instruction.opcode()) {
    case HloOpcode::kConvert:
      return ops.Convert(type, result_type, operands[0]);
    case HloOpcode::kCopy:
      return operands[0];
    case HloOpcode::kBitcastConvert:
      return EmitBitcastConvert(ops, instruction, type, result_type, operands[0]);
    case HloOpcode::kCompare:
      return EmitCompare(ops, instruction, type, operands);
    case HloOpcode::kSelect:
      return ops.Select(operands[0].re, operands[1], operands[2]);
    case HloOpcode::kClamp: {
      if (primitive_util::IsComplexType(type)) return NotCompiled(instruction);
      return Element{
          emitter.Minimum(emitter.Maximum(operands[1].re, operands[0].re), operands[2].re)};
    }
    case HloOpcode::kComplex:
      return Element{operands[0].re, operands[1].re};
    default:
      break;
  }
  XLA_ASSIGN_OR_RETURN(const Element result, emitter.Emit(operands));
  // Exact operations need no rounding.
  switch (instruction.opcode()) {
    case HloOpcode::kAbs:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kReal:
    case HloOpcode::kImag:
    case HloOpcode::kIsFinite:
      if (!primitive_util::IsIntegralType(type)) return result;
      break;
    case HloOpcode::kNegate:
      if (type == F16 || type == BF16) return result;
      break;
    default:
      break;
  }
  return result_type == type ? ops.RoundResult(type, result) : ops.Round(result_type, result);
}

}  // namespace xla::cpu
