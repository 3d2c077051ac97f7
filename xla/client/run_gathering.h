// SPDX-License-Identifier: Apache-2.0
// Meeting of the threads that each run one device of a program. Private to xla/client.
#ifndef XLA_CLIENT_RUN_GATHERING_H_
#define XLA_CLIENT_RUN_GATHERING_H_

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "xla/service/shaped_buffer.h"

namespace xla {

// Thread-safe.
class RunGathering {
 public:
  using Arguments = std::vector<const ShapedBuffer*>;
  using RunAll = absl::FunctionRef<absl::StatusOr<std::vector<ScopedShapedBuffer>>(
      absl::Span<const Arguments>)>;

  // Called by one thread for each of `devices` devices with the same run number. The last to come
  // runs them all; each gets its own result. DeadlineExceeded, naming the devices that did not
  // come, when that takes longer than the time-out; AlreadyExists for a device that comes twice.
  absl::StatusOr<ScopedShapedBuffer> Join(int64_t run, int64_t device, int64_t devices,
                                          Arguments arguments, absl::Duration timeout,
                                          RunAll run_all);

 private:
  struct Round;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int64_t, std::shared_ptr<Round>> rounds_;  // that wait for devices
};

}  // namespace xla

#endif  // XLA_CLIENT_RUN_GATHERING_H_
