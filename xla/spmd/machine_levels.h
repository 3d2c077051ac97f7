// SPDX-License-Identifier: Apache-2.0
// What a cluster is to the planner: the rates of a device, and the levels of the network between
// devices, each with the terms of the alpha-beta model (Hockney 1994; Thakur, Rabenseifner, Gropp,
// "Optimization of Collective Communication Operations in MPICH", 2005).
//
//   # Two hosts of 8 devices.
//   name: "cluster"
//   device {
//     memory: 80e9                 # bytes that a device has
//     memory_rate: 2e12            # bytes a second that it reads and writes
//     cache: 40e6 cache_rate: 6e12 # steps on so many bytes are faster
//     flops { f32: 19e12 bf16: 300e12 }  # of products, a second
//   }
//   level { name: "host"    size: 8 alpha: 3e-6  rate: 200e9 }
//   level { name: "network" size: 2 alpha: 15e-6 rate: 25e9 width: 4 }
//
// Units are seconds, bytes, and operations. Everything after "#" on a line is a comment.
#ifndef XLA_SPMD_MACHINE_LEVELS_H_
#define XLA_SPMD_MACHINE_LEVELS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/xla_data_enums.h"

namespace xla::spmd {

// Which algorithms of collectives a level's library has.
enum class CollectiveAlgorithms : uint8_t {
  kAny,       // the cheapest of those below but kMeeting and kDirect
  kRing,      // messages to neighbors only
  kDoubling,  // distances and sizes double
  // Participants share memory and meet; the last one to arrive moves everything, as the runtime of
  // this project does in one process.
  kMeeting,
  // Each participant exchanges messages with each other one at once, as the runtime of this project
  // does between processes of a host.
  kDirect,
};
std::string_view CollectiveAlgorithmsName(CollectiveAlgorithms algorithms);

struct MachineLevel {
  std::string name;
  // Units of the level below in one unit of this one; of the first level, devices. 0, of the last
  // level only: as many as there are.
  int64_t size = 0;
  double alpha = 0;  // seconds that a message takes whatever its size
  double beta = 0;   // seconds for a byte on one link: 1 / rate
  double gamma = 0;  // seconds to combine a byte with another one: 1 / combining
  // The same where devices share memory and all that is moved is in caches: 1 / cached_rate. 0: as
  // above.
  double cached_beta = 0;
  // Links on which messages leave one unit of the level below at the same time. 0: one for each
  // device in it.
  double width = 0;
  // Links between one half of this level's units and the other. 0: as many as are used.
  double bisection = 0;
  // Devices in one unit of this level that share its processors (or memory) together have the rates
  // of so many. 0: they share nothing.
  double shared_compute = 0, shared_memory = 0;
  CollectiveAlgorithms algorithms = CollectiveAlgorithms::kAny;
};

struct MachineDescription {
  std::string name;
  double memory_bytes = 0;  // of a device; 0: not known
  double memory_rate = 0;   // bytes a second
  double cache_bytes = 0;   // steps that read and write at most so many have cache_rate; 0: none
  double cache_rate = 0;    // bytes a second
  // Operations a second of dots and convolutions, by the type of what is multiplied. Never empty.
  std::map<PrimitiveType, double> product_flops;
  double vector_flops = 0;     // of other arithmetic
  double transcendentals = 0;  // a second
  double step = 0;             // seconds that every step takes at least
  double launch = 0;           // seconds to begin a run, for each device of a first-level unit
  std::vector<MachineLevel> levels;  // innermost first; never empty

  // The rate for a type that is not listed is that of f32, or else the least that is.
  double ProductFlops(PrimitiveType type) const;
  // Devices in one unit of a level; kMaxDevices for an open one.
  int64_t DevicesInUnit(size_t level) const;
};

// The largest mesh that is planned for.
inline constexpr int64_t kMaxDevices = int64_t{1} << 20;

// INVALID_ARGUMENT that begins with "line:column: " and ends with the line and a caret.
absl::StatusOr<MachineDescription> ParseMachine(std::string_view text);
// The text form, which ParseMachine reads back.
std::string MachineText(const MachineDescription& machine);

}  // namespace xla::spmd

#endif  // XLA_SPMD_MACHINE_LEVELS_H_
