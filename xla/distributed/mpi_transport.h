// SPDX-License-Identifier: Apache-2.0
// MPI, from a module that is loaded when it is asked for: libxylem_mpi.so, built where there is an
// MPI.
#ifndef XLA_DISTRIBUTED_MPI_TRANSPORT_H_
#define XLA_DISTRIBUTED_MPI_TRANSPORT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "xla/distributed/transport.h"

namespace xla::distributed {

// Connects to all processes of the job, which mpirun (or another launcher of the same MPI) has
// started; the transport says what rank this is. `module`: the file of the module; empty: beside
// the library or command that calls, or where the loader finds it. UNAVAILABLE, with what to
// install, where there is none. May be called once in a process.
absl::StatusOr<std::unique_ptr<Transport>> ConnectMpi(const std::string& module = "");

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_MPI_TRANSPORT_H_
