// SPDX-License-Identifier: Apache-2.0
// What Highway's headers expect at run time: which instruction sets the machine has, which of them
// was chosen, and a seed for its sort. Defined here so that Highway is a library of headers:
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

// The sets of the machine that the calling thread may use. Each must have all features that Highway
// compiles its code for (ops/set_macros-inl.h).
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

// One for each bound; each is set once, by the first kernel under it.
ChosenTarget& GetChosenTarget() {
  static constinit ChosenTarget chosen[static_cast<int>(xla::InstructionSet::kAny) + 1];
  return chosen[static_cast<int>(xla::MaxInstructionSet())];
}

#if HWY_MAJOR == 1 && HWY_MINOR == 0 && HWY_PATCH < 5
// Of the choice of pivots: what is sorted does not depend on it. Not in the file that sorts, since
// the header passes the address of the first of three members, and a compiler that sees through the
// call takes the other two for uninitialized.
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
