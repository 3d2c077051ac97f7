// SPDX-License-Identifier: Apache-2.0
// Jobs whose processes are threads of this one, for tests.
#ifndef TESTS_DISTRIBUTED_JOBS_H_
#define TESTS_DISTRIBUTED_JOBS_H_

#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "xla/base/status_macros.h"
#include "xla/distributed/communicator.h"
#include "xla/distributed/engines.h"
#include "xla/distributed/host_transport.h"
#include "xla/distributed/key_value_store.h"
#include "xla/distributed/memory_transport.h"

namespace xla::distributed {

// Calls run(rank) on a thread for each rank.
template <typename Run>
void OnRanks(int size, Run run) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) threads.emplace_back([&run, rank] { run(rank); });
  for (std::thread& thread : threads) thread.join();
}

inline GlooOptions GlooOptionsOf(int rank, int size) {
  GlooOptions options;
  options.rank = rank;
  options.size = size;
  options.address = "127.0.0.1";
  options.timeout = absl::Minutes(4);
  options.module_folder = XYLEM_ENGINE_FOLDER;
  return options;
}

// By Gloo, or by memory as far as the processes are on one host, as all are.
inline absl::StatusOr<std::unique_ptr<Transport>> ConnectRank(int rank, int size,
                                                              std::shared_ptr<KeyValueStore> store,
                                                              bool shares_memory) {
  XLA_ASSIGN_OR_RETURN(auto transport, ConnectGloo(GlooOptionsOf(rank, size), store));
  if (!shares_memory) return transport;
  HostTransportOptions host;
  host.timeout = absl::Minutes(4);
  host.processes.resize(static_cast<size_t>(size));
  std::iota(host.processes.begin(), host.processes.end(), 0);
  return ShareHostMemory(std::move(transport), *store, host);
}

inline std::vector<std::unique_ptr<Transport>> MakeGlooTransports(int size, std::string* error,
                                                                  bool shares_memory = false) {
  const std::shared_ptr<KeyValueStore> store = MakeMemoryStore();
  std::vector<std::unique_ptr<Transport>> transports(static_cast<size_t>(size));
  std::vector<absl::Status> statuses(static_cast<size_t>(size));
  OnRanks(size, [&](int rank) {
    auto transport = ConnectRank(rank, size, store, shares_memory);
    statuses[static_cast<size_t>(rank)] = transport.status();
    if (transport.ok()) transports[static_cast<size_t>(rank)] = *std::move(transport);
  });
  for (const absl::Status& status : statuses) {
    if (!status.ok()) *error = std::string(status.message());
  }
  return transports;
}

class Job {
 public:
  Job(std::vector<std::unique_ptr<Transport>> transports, CommunicatorOptions options = {}) {
    for (size_t i = 0; i < transports.size(); ++i)
      options.process_names.push_back(absl::StrCat("process ", i, " (host h", i, ", pid 7)"));
    for (auto& transport : transports) {
      auto communicator = Communicator::Create(std::move(transport), options);
      EXPECT_TRUE(communicator.ok()) << communicator.status();
      communicators_.push_back(*std::move(communicator));
    }
  }
  int size() const { return static_cast<int>(communicators_.size()); }
  Communicator& at(int rank) { return *communicators_[static_cast<size_t>(rank)]; }
  void End(int rank) { communicators_[static_cast<size_t>(rank)].reset(); }

 private:
  std::vector<std::unique_ptr<Communicator>> communicators_;
};

}  // namespace xla::distributed

#endif  // TESTS_DISTRIBUTED_JOBS_H_
