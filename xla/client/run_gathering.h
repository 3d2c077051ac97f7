// SPDX-License-Identifier: Apache-2.0
// Brings together the threads that each run one device of a program. Private to xla/client.
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
  using Arguments = absl::Span<const ShapedBuffer* const>;
  // `inputs`: OK, or why the run cannot be made; it ends with this error then.
  using RunAll = absl::FunctionRef<absl::StatusOr<std::vector<ScopedShapedBuffer>>(
      const absl::Status& inputs, absl::Span<const Arguments>)>;
  using RunAllInto = absl::FunctionRef<absl::Status(
      const absl::Status& inputs, absl::Span<const Arguments>, absl::Span<ShapedBuffer* const>)>;

  // Called by one thread for each of `devices` devices with the same run number. The last to arrive
  // runs them all; each gets its own result. DEADLINE_EXCEEDED, naming the devices that are
  // missing, when that takes longer than the time-out; ALREADY_EXISTS for a device that comes
  // twice. `run_all` is called once for each run, whatever becomes of it.
  absl::StatusOr<ScopedShapedBuffer> Join(int64_t run, int64_t device, int64_t devices,
                                          Arguments arguments, absl::Duration timeout,
                                          RunAll run_all);
  // The same for results that are written to memory that each provides. `inputs`: an error of the
  // arguments of this device, with which the run of all ends.
  absl::Status JoinInto(int64_t run, int64_t device, int64_t devices, const absl::Status& inputs,
                        Arguments arguments, ShapedBuffer* result, absl::Duration timeout,
                        RunAllInto run_all);

 private:
  struct Round;
  // Returns the round when it is done; the last to arrive calls `run_all`, or the first to lose
  // patience.
  absl::StatusOr<std::shared_ptr<Round>> Meet(int64_t run, int64_t device, int64_t devices,
                                              const absl::Status& inputs, Arguments arguments,
                                              ShapedBuffer* result, absl::Duration timeout,
                                              absl::FunctionRef<absl::Status(Round&)> run_all);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int64_t, std::shared_ptr<Round>> rounds_;  // that wait for devices
};

}  // namespace xla

#endif  // XLA_CLIENT_RUN_GATHERING_H_
