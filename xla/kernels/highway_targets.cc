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
#include "xla/base/instruction_set.h"

#if HWY_ARCH_X86
#include <cpuid.h>
#elif HWY_ARCH_ARM
#include <sys/auxv.h>
#endif

namespace hwy {
namespace {

#if HWY_ARCH_X86
bool HasBit(unsigned leaf, unsigned bit_of_ecx) {
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid(leaf, &eax, &ebx, &ecx, &edx) != 0 && ((ecx >> bit_of_ecx) & 1) != 0;
}

// Each set must have all features that Highway compiles its code for (ops/set_macros-inl.h). The
// compiler's functions also ask whether the operating system keeps the registers.
int64_t MachineTargets() {
  int64_t targets = 0;
  if (!__builtin_cpu_supports("ssse3")) return targets;
  targets |= HWY_SSSE3;
  if (!__builtin_cpu_supports("sse4.1") || !__builtin_cpu_supports("sse4.2") ||
      !__builtin_cpu_supports("pclmul") || !__builtin_cpu_supports("aes"))
    return targets;
  targets |= HWY_SSE4;
  const bool has_f16c = HasBit(1, 29), has_lzcnt = HasBit(0x80000001, 5);
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") || !has_f16c || !has_lzcnt)
    return targets;
  targets |= HWY_AVX2;
  // Highway compiles for sets beyond this one only on request.
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512bw"))
    return targets;
  return targets | HWY_AVX3;
}

// The sets that the calling thread may use.
int64_t AllowedTargets() {
  switch (xla::MaxInstructionSet()) {
    case xla::InstructionSet::kSse42:
    case xla::InstructionSet::kAvx:  // Highway has no code for it
      return HWY_SSSE3 | HWY_SSE4;
    case xla::InstructionSet::kAvx2:
      return HWY_SSSE3 | HWY_SSE4 | HWY_AVX2;
    default:
      return ~int64_t{0};
  }
}
#elif HWY_ARCH_ARM
// NEON is part of AArch64, but Highway's code for it also uses the instructions for AES.
int64_t MachineTargets() { return (getauxval(AT_HWCAP) & HWCAP_AES) != 0 ? HWY_NEON : 0; }
int64_t AllowedTargets() { return ~int64_t{0}; }
#else
int64_t MachineTargets() { return 0; }
int64_t AllowedTargets() { return ~int64_t{0}; }
#endif

}  // namespace

int64_t SupportedTargets() {
  return (MachineTargets() & AllowedTargets()) | HWY_ENABLED_BASELINE | HWY_SCALAR | HWY_EMU128;
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
