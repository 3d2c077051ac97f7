// SPDX-License-Identifier: Apache-2.0
// The options with which callers create a client or a topology: some of XLA's CPU client and some
// of our own. Hints about the memory of accelerators, as XLA's GPU client takes them, have no
// effect.
#ifndef XLA_PJRT_CLIENT_OPTIONS_H_
#define XLA_PJRT_CLIENT_OPTIONS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "xla/pjrt/c/pjrt_c_api_base.h"

namespace xla::pjrt {

// Devices of a topology at most, for which programs are compiled ahead of time. Fewer run.
inline constexpr int64_t kMaxDevices = int64_t{1} << 16;
// Ids of the devices of a process start at a multiple of this, as those of XLA's CPU client.
inline constexpr int64_t kDeviceIdsOfProcess = 2048;

struct ClientOptions {
  // cpu_device_count, or num_devices; without either the environment variable XYLEM_NUM_DEVICES.
  int64_t num_devices = 1;
  // Whether runs may go on after Execute has returned.
  bool asynchronous = true;
  // The number of the process among cooperating ones. It determines the ids of devices.
  int64_t process_id = 0;
  // Whether programs are compiled to machine code.
  bool compiler = true;
};

// Reads the options. InvalidArgument, with the list of known options, for an unknown one; and for a
// value of another type or out of range.
absl::StatusOr<ClientOptions> ReadClientOptions(const PJRT_NamedValue* options, size_t count);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_CLIENT_OPTIONS_H_
