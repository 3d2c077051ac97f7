// SPDX-License-Identifier: Apache-2.0
// How many CPUs this process may use.
#ifndef XLA_RUNTIME_CPU_COUNT_H_
#define XLA_RUNTIME_CPU_COUNT_H_

#include <cstdint>
#include <optional>
#include <string>

namespace xla::runtime {

// The CPUs of the process's affinity mask, at most as many as the CPU quota of its control groups
// (version 1 or 2) pays for, rounded up. At least 1.
int UsableCpus();

// The part of one of so many processes of this host that all compute: at most what it may use
// itself, and at least 1.
int UsableCpusOfOne(int64_t processes);

namespace internal {

// The CPU quota, in CPUs, of the control groups that `self` (a file like /proc/self/cgroup) lists,
// and of their parents; the lowest one applies. nullopt without a quota. `root` is where the
// hierarchies are mounted: for version 2 the files cpu.max, for version 1 cpu/cpu.cfs_quota_us and
// cpu/cpu.cfs_period_us.
std::optional<double> CgroupCpuQuota(const std::string& root, const std::string& self);

}  // namespace internal

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_CPU_COUNT_H_
