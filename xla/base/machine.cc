// SPDX-License-Identifier: Apache-2.0
#include "xla/base/machine.h"

#include <sched.h>

#include <array>
#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace xla {
namespace {

// Sets what follows from the instructions.
void SetVectors(Machine& machine) {
  machine.vector_bytes = machine.avx512 ? 64 : machine.avx2 ? 32 : 16;
  machine.vector_registers = machine.avx512 ? 32 : 16;
}

// Takes away the instructions beyond a bound.
void ApplyBound(InstructionSet bound, Machine& machine) {
  if (bound < InstructionSet::kAvx2)
    machine.avx2 = machine.fma = machine.half = machine.bmi = false;
  if (bound < InstructionSet::kAvx512) machine.avx512 = false;
  if (bound < InstructionSet::kAvx512Vnni) machine.vnni = false;
  if (bound < InstructionSet::kAvx512Bf16) machine.bf16 = false;
  if (bound < InstructionSet::kAny) machine.amx = false;
  SetVectors(machine);
}

int Cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

#if defined(__x86_64__)
bool HasBit(unsigned leaf, unsigned bit_of_ecx) {
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid(leaf, &eax, &ebx, &ecx, &edx) != 0 && ((ecx >> bit_of_ecx) & 1) != 0;
}

// Whether the processor multiplies matrices of bytes and of bfloat16, and Linux lets the process do
// so: registers of 8 KB are more than a context switch saves unless it is asked to.
bool MayUseAmx() {
  constexpr unsigned kFeatures = 7, kBf16 = 22, kTiles = 24, kInt8 = 25;
  unsigned eax, ebx, ecx, edx;
  if (__get_cpuid_count(kFeatures, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  for (const unsigned bit : {kBf16, kTiles, kInt8})
    if (((edx >> bit) & 1) == 0) return false;
#if defined(__linux__)
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

// The compiler's functions also ask whether the operating system keeps the registers.
Machine FindHost() {
  __builtin_cpu_init();
  Machine machine;
  machine.ssse3 = __builtin_cpu_supports("ssse3") != 0;
  machine.sse4 = __builtin_cpu_supports("sse4.1") != 0 && __builtin_cpu_supports("sse4.2") != 0;
  machine.aes = __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("aes") != 0;
  machine.avx2 = __builtin_cpu_supports("avx2") != 0;
  machine.fma = __builtin_cpu_supports("fma") != 0;
  machine.half = __builtin_cpu_supports("avx") != 0 && HasBit(1, 29);
  machine.bmi = __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
                HasBit(0x80000001, 5);
  machine.avx512 =
      machine.avx2 && machine.fma && machine.half && machine.bmi &&
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0;
  machine.vnni = machine.avx512 && __builtin_cpu_supports("avx512vnni") != 0;
  machine.bf16 = machine.avx512 && __builtin_cpu_supports("avx512bf16") != 0;
  machine.amx = machine.vnni && machine.bf16 && MayUseAmx();
  machine.underflows_slowly = __builtin_cpu_is("intel") != 0;
  SetVectors(machine);
  return machine;
}
#elif defined(__aarch64__)
Machine FindHost() {
  Machine machine = NeonMachine();
  machine.aes = (getauxval(AT_HWCAP) & HWCAP_AES) != 0;
  return machine;
}
#else
Machine FindHost() { return Machine(); }
#endif

constexpr size_t kBounds = static_cast<size_t>(InstructionSet::kAny) + 1;

std::array<Machine, kBounds> FindHosts() {
  std::array<Machine, kBounds> hosts;
  Machine host = FindHost();
  host.cores = Cores();
  hosts.fill(host);
#if defined(__x86_64__)
  for (size_t i = 0; i < kBounds; ++i) ApplyBound(static_cast<InstructionSet>(i), hosts[i]);
#endif
  return hosts;
}

}  // namespace

Machine MachineWith(InstructionSet set) {
  Machine machine;
  machine.ssse3 = machine.sse4 = machine.aes = machine.avx2 = machine.fma = machine.half =
      machine.bmi = machine.avx512 = machine.vnni = machine.bf16 = machine.amx = true;
  ApplyBound(set, machine);
  return machine;
}

Machine NeonMachine() {
  Machine machine;
  machine.aes = machine.fma = machine.half = true;
  machine.vector_registers = 32;
  return machine;
}

const Machine& HostMachine(InstructionSet bound) {
  static const std::array<Machine, kBounds> hosts = FindHosts();
  return hosts[static_cast<size_t>(bound)];
}

}  // namespace xla
