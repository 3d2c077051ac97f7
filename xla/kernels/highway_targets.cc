// SPDX-License-Identifier: Apache-2.0
// The functions that Highway's headers expect at run time: the instruction sets of the machine, the
// chosen one, and a seed for its sort. Defined here so that Highway is a header-only library:
// distributions ship the rest as shared libraries only, and the plugin shares none with its host.
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "hwy/contrib/sort/vqsort.h"
#include "hwy/highway.h"
#include "hwy/targets.h"
#include "xla/base/machine.h"

namespace hwy {
namespace {

// Returns the sets of the machine that the calling thread may use. Each must have all features for
// which Highway compiles its code (ops/set_macros-inl.h).
int64_t MachineTargets() {
  int64_t targets = 0;
#if HWY_ARCH_X86
  const xla::Machine& machine = xla::MachineOfThread();
  if (!machine.ssse3) return targets;
  targets |= HWY_SSSE3;
  if (!machine.sse4 || !machine.aes) return targets;
  targets |= HWY_SSE4;
  if (!machine.avx2 || !machine.fma || !machine.half || !machine.bmi) return targets;
  targets |= HWY_AVX2;
  // Highway compiles for sets beyond this one only on request.
  if (machine.avx512) targets |= HWY_AVX3;
#elif HWY_ARCH_ARM
  // NEON is part of AArch64, but Highway's code for it also uses the instructions for AES.
  if (xla::MachineOfThread().aes) targets |= HWY_NEON;
#endif
  return targets;
}

}  // namespace

int64_t SupportedTargets() {
  return MachineTargets() | HWY_ENABLED_BASELINE | HWY_SCALAR | HWY_EMU128;
}

// Returns the chosen target for the thread's bound. Each is set once, by the first kernel under
// that bound.
ChosenTarget& GetChosenTarget() {
  static constinit ChosenTarget chosen[static_cast<int>(xla::InstructionSet::kAny) + 1];
  return chosen[static_cast<int>(xla::MaxInstructionSet())];
}

#if HWY_MAJOR == 1 && HWY_MINOR == 0 && HWY_PATCH < 5
// The seed for the choice of pivots, on which results do not depend. It is not in the file that
// sorts, since the header passes the address of the first of three members, and a compiler that
// inlines the call would consider the other two uninitialized.
void Sorter::Fill24Bytes(const void*, size_t, void* bytes) {
  constexpr uint64_t kSeed[3] = {0x9E3779B97F4A7C15u, 0xBF58476D1CE4E5B9u, 0x94D049BB133111EBu};
  std::memcpy(bytes, kSeed, sizeof(kSeed));
}
#endif

void Abort(const char* file, int line, const char* format, ...) {
  std::fprintf(stderr, "%s:%d: ", file, line);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
  std::abort();
}

}  // namespace hwy
