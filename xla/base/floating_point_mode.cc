// SPDX-License-Identifier: Apache-2.0
#include "xla/base/floating_point_mode.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace xla {
namespace {

#if defined(__x86_64__)

constexpr uint64_t kFlags = 0x3f;                   // of exceptions that there were
constexpr uint64_t kIeee = 0x1f80;                  // all exceptions are masked
constexpr uint64_t kFlush = kIeee | 0x8000 | 0x40;  // FTZ: results, DAZ: operands
uint64_t ReadRegister() { return _mm_getcsr(); }
void WriteRegister(uint64_t value) { _mm_setcsr(static_cast<unsigned>(value)); }

#elif defined(__aarch64__)

constexpr uint64_t kFlags = 0;  // in FPSR
constexpr uint64_t kIeee = 0;
constexpr uint64_t kFlush = uint64_t{1} << 24;  // FZ: operands and results
uint64_t ReadRegister() {
  uint64_t value;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void WriteRegister(uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value) : "memory"); }

#else

constexpr uint64_t kFlags = 0, kIeee = 0, kFlush = 0;
uint64_t ReadRegister() { return 0; }
void WriteRegister(uint64_t) {}

#endif

}  // namespace

FloatingPointMode FloatingPointMode::Ieee() { return FloatingPointMode(kIeee); }
FloatingPointMode FloatingPointMode::FlushingSubnormals() { return FloatingPointMode(kFlush); }
FloatingPointMode FloatingPointMode::OfThread() {
  return FloatingPointMode(ReadRegister() & ~kFlags);
}

ScopedFloatingPointMode::ScopedFloatingPointMode(FloatingPointMode mode)
    : outer_(ReadRegister()), changes_((outer_ & ~kFlags) != mode.control_) {
  if (changes_) WriteRegister(mode.control_);
}

ScopedFloatingPointMode::~ScopedFloatingPointMode() {
  if (changes_) WriteRegister(outer_);
}

}  // namespace xla
