// SPDX-License-Identifier: Apache-2.0
// The transports between real processes: Gloo and MPI, each in a module of its own
// (libxylem_gloo.so, libxylem_mpi.so), which is built where the engine is installed and loaded when
// it is asked for.
#ifndef XLA_DISTRIBUTED_ENGINES_H_
#define XLA_DISTRIBUTED_ENGINES_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla/distributed/key_value_store.h"
#include "xla/distributed/transport.h"

namespace xla::distributed {

struct GlooOptions {
  int rank = 0, size = 1;
  // By which the others reach this process: an address, a name, or the name of a network interface
  // (see address.h).
  std::string address;
  // Part of the keys: the store cannot change a value, so each connection needs keys of its own.
  uint32_t epoch = 0;
  absl::Duration timeout = absl::Minutes(5);
  // The folder of the module. Empty: that of the library or command that calls, then where the
  // system's loader looks.
  std::string module_folder;
};

// Connects to all processes of the job, each of which calls it, by TCP. DEADLINE_EXCEEDED or
// UNAVAILABLE names the process that cannot be reached, with its address; UNAVAILABLE with what to
// install where there is no Gloo.
absl::StatusOr<std::unique_ptr<Transport>> ConnectGloo(const GlooOptions& options,
                                                       std::shared_ptr<KeyValueStore> store);

struct MpiOptions {
  std::string module_folder;  // as for Gloo
};

// Connects to all processes of the job, which mpirun (or another launcher of the same MPI) has
// started: MPI says what rank this one is. UNAVAILABLE with what to install where there is no MPI.
// May be called once in a process.
absl::StatusOr<std::unique_ptr<Transport>> ConnectMpi(const MpiOptions& options = {});

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_ENGINES_H_
