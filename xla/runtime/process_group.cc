// SPDX-License-Identifier: Apache-2.0
// The devices of a run, by process.
#include "xla/runtime/process_group.h"

#include <algorithm>

namespace xla::runtime {

ProcessGroup::ProcessGroup(std::vector<int32_t> processes, int32_t self)
    : processes_(std::move(processes)), self_(self) {
  for (int64_t device = 0; device < num_devices(); ++device) {
    if (IsLocal(device)) local_devices_.push_back(device);
  }
}

bool ProcessGroup::AreLocal(absl::Span<const int64_t> devices) const {
  return std::all_of(devices.begin(), devices.end(),
                     [&](int64_t device) { return IsLocal(device); });
}

std::vector<int32_t> ProcessGroup::ProcessesOf(absl::Span<const int64_t> devices) const {
  std::vector<int32_t> processes;
  for (const int64_t device : devices) {
    const int32_t process = ProcessOf(device);
    if (std::find(processes.begin(), processes.end(), process) == processes.end())
      processes.push_back(process);
  }
  return processes;
}

}  // namespace xla::runtime
