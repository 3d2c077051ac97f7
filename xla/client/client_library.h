// SPDX-License-Identifier: Apache-2.0
// ClientLibrary: the process's client of each platform, made on first use. A program that wants
// clients of its own, or none shared, makes them with MakeLocalClient.
#ifndef XLA_CLIENT_CLIENT_LIBRARY_H_
#define XLA_CLIENT_CLIENT_LIBRARY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla/client/compile_only_client.h"
#include "xla/client/local_client.h"
#include "xla/runtime/custom_call.h"
#include "xla/stream_executor/platform.h"

namespace xla {

// Not in XLA: the job that a client is one process of (docs/distributed.md).
struct LocalJobOptions {
  int64_t process = 0, num_processes = 1;
  // A folder that all processes see, where they find each other; empty at first. Not of "mpi",
  // whose launcher has started the processes.
  std::string folder;
  // What moves data between the processes: "gloo", "tcp" (Gloo alone, also between processes of one
  // host) or "mpi".
  std::string engine = "gloo";
  // Where the others reach this process: an address, a name or a network interface. Empty: an
  // address of this host that is not loopback.
  std::string address;
  // How long processes wait for all to come.
  absl::Duration timeout = absl::Minutes(5);
};

// Setters give *this, so that they chain.
class LocalClientOptions {
 public:
  LocalClientOptions(se::Platform* platform = nullptr, int number_of_replicas = 1,
                     int intra_op_parallelism_threads = -1,
                     const std::optional<std::set<int>>& allowed_devices = std::nullopt);

  // The default platform if null.
  LocalClientOptions& set_platform(se::Platform* platform);
  se::Platform* platform() const { return platform_; }

  // At least as many devices are made.
  LocalClientOptions& set_number_of_replicas(int number_of_replicas);
  int number_of_replicas() const { return number_of_replicas_; }

  // Threads for an operation; below 1: as many as the process may use.
  LocalClientOptions& set_intra_op_parallelism_threads(int num_threads);
  int intra_op_parallelism_threads() const { return intra_op_parallelism_threads_; }

  // Devices that may be used; at least as many are made.
  LocalClientOptions& set_allowed_devices(const std::optional<std::set<int>>& allowed_devices);
  const std::optional<std::set<int>>& allowed_devices() const { return allowed_devices_; }

  // --- Not in XLA
  // Devices are threads of this process: any number up to 1024. By default as many as the flag
  // xla_force_host_platform_device_count says (debug_options_flags.h), which is 1 unless it is set.
  LocalClientOptions& set_device_count(int device_count);
  std::optional<int> device_count() const { return device_count_; }
  // Custom calls of all programs that the client compiles.
  LocalClientOptions& set_custom_calls(CustomCallRegistry custom_calls);
  const CustomCallRegistry& custom_calls() const { return custom_calls_; }
  // Of values while a program runs; 0: no limit.
  LocalClientOptions& set_memory_limit_bytes(int64_t memory_limit_bytes);
  int64_t memory_limit_bytes() const { return memory_limit_bytes_; }
  // False: the interpreter runs all programs. True, the default: they are compiled.
  LocalClientOptions& set_use_compiler(bool use_compiler);
  bool use_compiler() const { return use_compiler_; }
  // MakeLocalClient waits for the other processes. Programs may then run on the devices of all of
  // them: see LocalExecutable::Run.
  LocalClientOptions& set_job(LocalJobOptions job);
  const std::optional<LocalJobOptions>& job() const { return job_; }

 private:
  se::Platform* platform_;
  int number_of_replicas_;
  int intra_op_parallelism_threads_;
  std::optional<std::set<int>> allowed_devices_;
  std::optional<int> device_count_;
  CustomCallRegistry custom_calls_;
  int64_t memory_limit_bytes_ = 0;
  bool use_compiler_ = true;
  std::optional<LocalJobOptions> job_;
};

class ClientLibrary {
 public:
  ClientLibrary() = delete;

  // The platform's client. The options of the call that makes it count; later ones are ignored.
  static absl::StatusOr<LocalClient*> GetOrCreateLocalClient(
      se::Platform* platform = nullptr,
      const std::optional<std::set<int>>& allowed_devices = std::nullopt);
  static absl::StatusOr<LocalClient*> GetOrCreateLocalClient(const LocalClientOptions& options);
  // Programs are compiled in the process that runs them: the local client.
  static absl::StatusOr<CompileOnlyClient*> GetOrCreateCompileOnlyClient(
      se::Platform* platform = nullptr) {
    return GetOrCreateLocalClient(platform);
  }
  // Ends the process if there is none (out of memory).
  static LocalClient* LocalClientOrDie();
  // The service of XLA's clients is the client itself. Ends the process for an unknown platform.
  static LocalClient* GetXlaService(se::Platform* platform);
  // Clients given before are not valid any more. Executables and values of theirs still are.
  static void DestroyLocalInstances();

  // Not in XLA: a client that belongs to the caller. InvalidArgument for numbers out of range; the
  // error of the job where the processes do not come together.
  static absl::StatusOr<std::unique_ptr<LocalClient>> MakeLocalClient(
      const LocalClientOptions& options);
};

}  // namespace xla

#endif  // XLA_CLIENT_CLIENT_LIBRARY_H_
