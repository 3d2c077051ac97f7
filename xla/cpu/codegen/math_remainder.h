// SPDX-License-Identifier: Apache-2.0
// The remainder of floating-point numbers, as C's fmod, over a type of lanes (math_exp_log.h).
#ifndef XLA_CPU_CODEGEN_MATH_REMAINDER_H_
#define XLA_CPU_CODEGEN_MATH_REMAINDER_H_

#include "xla/cpu/codegen/math_exp_log.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla::cpu::math {

// |x| - n |y| is exact for the n of the quotient rounded and truncated, if that is less than
// `limit`: a multiple of the last place of y and not larger than y. n is too large by one at most.
// Needs fused multiply-add.
template <class F>
F RemainderBelow(const F& x, const F& y, double limit) {
  const F dividend = Abs(x), divisor = Abs(y), zero = Like(x, 0);
  const F n = Truncate(dividend / divisor);
  const F rest = Fma(-n, divisor, dividend);
  const F positive = Select(rest < zero, rest + divisor, rest);
  const auto is_finite = dividend < Infinity(x);
  const F value = CopySign(Select(is_finite & (divisor == Infinity(x)), dividend, positive), x);
  return PerLane((n >= Like(x, limit)) & is_finite & (divisor > zero), HloOpcode::kRemainder, x, y,
                 value);
}
template <class F>
F RemainderF32(const F& x, const F& y) {
  return RemainderBelow(x, y, 0x1p23);
}
template <class F>
F RemainderF64(const F& x, const F& y) {
  return RemainderBelow(x, y, 0x1p52);
}

}  // namespace xla::cpu::math

#endif  // XLA_CPU_CODEGEN_MATH_REMAINDER_H_
