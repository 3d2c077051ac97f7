// SPDX-License-Identifier: Apache-2.0
// How the processor rounds, and what it does with subnormal numbers: a register of each thread
// (MXCSR of x86-64, FPCR of AArch64), which the code that calls a program may have set to anything.
//
// Programs run in a mode of their own, whichever thread calls them: IEEE arithmetic, or with
// subnormal numbers taken and returned as zeros where the program asks for it (xla_cpu_ftz). Pools
// of threads (xla/runtime) pass the mode of a run on to their workers, as they do the bound on
// instruction sets.
#ifndef XLA_BASE_FLOATING_POINT_MODE_H_
#define XLA_BASE_FLOATING_POINT_MODE_H_

#include <cstdint>

namespace xla {

class FloatingPointMode {
 public:
  // To nearest, ties to even; subnormal numbers are kept; exceptions do not trap.
  static FloatingPointMode Ieee();
  // The same, but subnormal operands and results of arithmetic in f32 and f64 are zeros, which keep
  // the sign. IEEE arithmetic on processors that cannot do that.
  static FloatingPointMode FlushingSubnormals();
  // That of the calling thread.
  static FloatingPointMode OfThread();

  bool operator==(const FloatingPointMode&) const = default;

 private:
  friend class ScopedFloatingPointMode;
  explicit FloatingPointMode(uint64_t control) : control_(control) {}
  uint64_t control_;  // the register without flags of exceptions
};

// Sets the mode of the calling thread until the end of the scope, which restores all of the
// register.
class ScopedFloatingPointMode {
 public:
  explicit ScopedFloatingPointMode(FloatingPointMode mode);
  ~ScopedFloatingPointMode();
  ScopedFloatingPointMode(const ScopedFloatingPointMode&) = delete;
  ScopedFloatingPointMode& operator=(const ScopedFloatingPointMode&) = delete;

 private:
  const uint64_t outer_;
  bool changes_;
};

}  // namespace xla

#endif  // XLA_BASE_FLOATING_POINT_MODE_H_
