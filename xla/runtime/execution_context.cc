// SPDX-License-Identifier: Apache-2.0
#include "xla/runtime/execution_context.h"

#include "absl/strings/str_cat.h"

namespace xla::runtime {

absl::Status CheckDeviceCount(int64_t replicas, int64_t partitions, size_t given) {
  if (replicas < 1 || partitions < 1 || replicas > kMaxDevices ||
      partitions > kMaxDevices / replicas) {
    return absl::InvalidArgumentError(absl::StrCat("a run has 1 to ", kMaxDevices, " devices; ",
                                                   replicas, " replicas of ", partitions,
                                                   " partitions were asked for"));
  }
  const int64_t count = replicas * partitions;
  if (static_cast<int64_t>(given) == count) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("arguments of ", given, " devices were given, but the run has ", count));
}

}  // namespace xla::runtime
