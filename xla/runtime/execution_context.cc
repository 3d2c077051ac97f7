// SPDX-License-Identifier: Apache-2.0
#include "xla/runtime/execution_context.h"

#include "absl/strings/str_cat.h"
#include "xla/runtime/process_group.h"

namespace xla::runtime {

absl::Status CheckDeviceCount(int64_t replicas, int64_t partitions, size_t given,
                              const ProcessGroup* processes) {
  if (replicas < 1 || partitions < 1 || replicas > kMaxDevices ||
      partitions > kMaxDevices / replicas) {
    return absl::InvalidArgumentError(absl::StrCat("a run has 1 to ", kMaxDevices, " devices; ",
                                                   replicas, " replicas of ", partitions,
                                                   " partitions were asked for"));
  }
  int64_t count = replicas * partitions;
  if (processes != nullptr) {
    if (processes->num_devices() != count) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the processes have ", processes->num_devices(), " devices of a run that has ", count));
    }
    count = static_cast<int64_t>(processes->local_devices().size());
  }
  if (static_cast<int64_t>(given) == count) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("arguments of ", given,
                                                 " devices were given, but the run has ", count,
                                                 processes == nullptr ? "" : " in this process"));
}

}  // namespace xla::runtime
