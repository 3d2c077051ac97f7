// SPDX-License-Identifier: Apache-2.0
// The process's clients.
#include "xla/client/client_library.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/client/client_core.h"
#include "xla/cpu/program.h"
#include "xla/debug_options_flags.h"
#include "xla/distributed/job.h"
#include "xla/distributed/key_value_store.h"
#include "xla/distributed/topology.h"
#include "xla/service/platform_util.h"

namespace xla {
namespace {

// The state that ClientLibrary's contract asks for: one client a platform.
struct Instances {
  std::mutex mutex;
  std::map<se::Platform::Id, std::unique_ptr<LocalClient>> clients;
};

Instances& TheInstances() {
  // Never destroyed: static objects may hold on to clients until the very end.
  static auto* const instances = new Instances;
  return *instances;
}

// Waits for all processes, and connects them.
absl::StatusOr<std::shared_ptr<distributed::Job>> JoinJob(const LocalJobOptions& options,
                                                          const BackendOptions& backend) {
  distributed::ProcessDescription self;
  // Another compiler may give other bits.
  self.version = "Xylem " XYLEM_VERSION ", interpreter";
  if (backend.use_compiler) {
    if (const absl::StatusOr<std::string> compiler = CpuCompilerVersion(); compiler.ok())
      self.version = absl::StrCat("Xylem " XYLEM_VERSION ", ", *compiler);
  }
  self.platform = backend.platform->Name();
  self.num_devices = backend.device_count;
  std::shared_ptr<distributed::KeyValueStore> store;
  if (options.engine != "mpi") {
    if (options.folder.empty())
      return absl::InvalidArgumentError("a job needs a folder where its processes find each other");
    XLA_ASSIGN_OR_RETURN(store, distributed::MakeFileStore(options.folder));
  }
  return distributed::Job::Join({.process = options.process,
                                 .num_processes = options.num_processes,
                                 .engine = options.engine,
                                 .address = options.address,
                                 .timeout = options.timeout},
                                std::move(self), std::move(store));
}

}  // namespace

LocalClientOptions::LocalClientOptions(se::Platform* platform, int number_of_replicas,
                                       int intra_op_parallelism_threads,
                                       const std::optional<std::set<int>>& allowed_devices)
    : platform_(platform),
      number_of_replicas_(number_of_replicas),
      intra_op_parallelism_threads_(intra_op_parallelism_threads),
      allowed_devices_(allowed_devices) {}

LocalClientOptions& LocalClientOptions::set_platform(se::Platform* platform) {
  platform_ = platform;
  return *this;
}
LocalClientOptions& LocalClientOptions::set_number_of_replicas(int number_of_replicas) {
  number_of_replicas_ = number_of_replicas;
  return *this;
}
LocalClientOptions& LocalClientOptions::set_intra_op_parallelism_threads(int num_threads) {
  intra_op_parallelism_threads_ = num_threads;
  return *this;
}
LocalClientOptions& LocalClientOptions::set_allowed_devices(
    const std::optional<std::set<int>>& allowed_devices) {
  allowed_devices_ = allowed_devices;
  return *this;
}
LocalClientOptions& LocalClientOptions::set_device_count(int device_count) {
  device_count_ = device_count;
  return *this;
}
LocalClientOptions& LocalClientOptions::set_custom_calls(CustomCallRegistry custom_calls) {
  custom_calls_ = std::move(custom_calls);
  return *this;
}
LocalClientOptions& LocalClientOptions::set_use_compiler(bool use_compiler) {
  use_compiler_ = use_compiler;
  return *this;
}
LocalClientOptions& LocalClientOptions::set_job(LocalJobOptions job) {
  job_ = std::move(job);
  return *this;
}

LocalClientOptions& LocalClientOptions::set_memory_limit_bytes(int64_t memory_limit_bytes) {
  memory_limit_bytes_ = memory_limit_bytes;
  return *this;
}

absl::StatusOr<std::unique_ptr<LocalClient>> ClientLibrary::MakeLocalClient(
    const LocalClientOptions& options) {
  if (options.number_of_replicas() < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("a client for ", options.number_of_replicas(), " replicas"));
  }
  BackendOptions backend_options;
  backend_options.platform = options.platform();
  XLA_ASSIGN_OR_RETURN(const int device_count, options.device_count().has_value()
                                                   ? absl::StatusOr<int>(*options.device_count())
                                                   : HostPlatformDeviceCountFromFlags());
  backend_options.device_count =
      device_count < 1 ? device_count : std::max(device_count, options.number_of_replicas());
  if (options.allowed_devices().has_value() && !options.allowed_devices()->empty()) {
    if (*options.allowed_devices()->begin() < 0) {
      return absl::InvalidArgumentError(absl::StrCat("device ", *options.allowed_devices()->begin(),
                                                     " is allowed, but negative"));
    }
    backend_options.device_count = std::max<int>(
        backend_options.device_count, std::min(*options.allowed_devices()->rbegin(), 1 << 30) + 1);
  }
  backend_options.num_threads = std::max(options.intra_op_parallelism_threads(), 0);
  backend_options.memory_limit_bytes = options.memory_limit_bytes();
  backend_options.use_compiler = options.use_compiler();
  XLA_RETURN_IF_ERROR(Backend::Check(&backend_options));
  std::shared_ptr<distributed::Job> job;
  if (options.job().has_value() && options.job()->num_processes != 1) {
    XLA_ASSIGN_OR_RETURN(job, JoinJob(*options.job(), backend_options));
    if (backend_options.num_threads == 0) backend_options.num_threads = job->UsableCpus();
  }
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<Backend> backend, Backend::Create(backend_options));
  return std::make_unique<LocalClient>(
      std::make_shared<ClientCore>(std::move(backend), options.custom_calls(), std::move(job)));
}

absl::StatusOr<LocalClient*> ClientLibrary::GetOrCreateLocalClient(
    const LocalClientOptions& options) {
  se::Platform* platform = options.platform();
  if (platform == nullptr) {
    XLA_ASSIGN_OR_RETURN(platform, PlatformUtil::GetDefaultPlatform());
  }
  Instances& instances = TheInstances();
  const std::lock_guard<std::mutex> lock(instances.mutex);
  std::unique_ptr<LocalClient>& client = instances.clients[platform->id()];
  if (client == nullptr) {
    XLA_ASSIGN_OR_RETURN(client, MakeLocalClient(options));
  }
  return client.get();
}

absl::StatusOr<LocalClient*> ClientLibrary::GetOrCreateLocalClient(
    se::Platform* platform, const std::optional<std::set<int>>& allowed_devices) {
  LocalClientOptions options(platform);
  options.set_allowed_devices(allowed_devices);
  return GetOrCreateLocalClient(options);
}

LocalClient* ClientLibrary::GetXlaService(se::Platform* platform) {
  absl::StatusOr<LocalClient*> client = GetOrCreateLocalClient(platform);
  XLA_CHECK_OK(client.status());
  return *client;
}

LocalClient* ClientLibrary::LocalClientOrDie() {
  absl::StatusOr<LocalClient*> client = GetOrCreateLocalClient();
  XLA_CHECK(client.ok()) << client.status();
  return *client;
}

void ClientLibrary::DestroyLocalInstances() {
  Instances& instances = TheInstances();
  const std::lock_guard<std::mutex> lock(instances.mutex);
  instances.clients.clear();
}

}  // namespace xla
