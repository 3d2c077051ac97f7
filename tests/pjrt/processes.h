// SPDX-License-Identifier: Apache-2.0
// Clients of several processes, which here are threads, on one store of keys.
#ifndef TESTS_PJRT_PROCESSES_H_
#define TESTS_PJRT_PROCESSES_H_

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/pjrt/plugin.h"
#include "xla/distributed/key_value_store.h"

namespace xla::pjrt::testing {

inline PJRT_NamedValue NumberOption(const char* name, int64_t value) {
  PJRT_NamedValue option = {};
  option.struct_size = sizeof(option);
  option.name = name;
  option.name_size = std::strlen(name);
  option.type = PJRT_NamedValue_kInt64;
  option.int64_value = value;
  option.value_size = 1;
  return option;
}

// The caller's side of the callbacks, as jaxlib's.
struct JobStore {
  std::shared_ptr<distributed::KeyValueStore> keys = distributed::MakeMemoryStore();

  static PJRT_Error* ErrorOf(PJRT_CallbackError* callback_error, const absl::Status& status) {
    return (*callback_error)(static_cast<PJRT_Error_Code>(status.code()), status.message().data(),
                             status.message().size());
  }
  template <typename Args>
  static PJRT_Error* Give(const absl::StatusOr<std::string>& value, Args* args) {
    if (!value.ok()) return ErrorOf(args->callback_error, value.status());
    args->value = new char[value->size()];
    std::memcpy(args->value, value->data(), value->size());
    args->value_size = value->size();
    args->value_deleter_callback = [](char* data) { delete[] data; };
    return nullptr;
  }
  static PJRT_Error* Get(PJRT_KeyValueGetCallback_Args* args) {
    auto& store = *static_cast<JobStore*>(args->user_arg);
    return Give(
        store.keys->Get({args->key, args->key_size}, absl::Milliseconds(args->timeout_in_ms)),
        args);
  }
  static PJRT_Error* TryGet(PJRT_KeyValueTryGetCallback_Args* args) {
    auto& store = *static_cast<JobStore*>(args->user_arg);
    return Give(store.keys->TryGet({args->key, args->key_size}), args);
  }
  static PJRT_Error* Put(PJRT_KeyValuePutCallback_Args* args) {
    auto& store = *static_cast<JobStore*>(args->user_arg);
    const absl::Status put =
        store.keys->Put({args->key, args->key_size}, {args->value, args->value_size});
    return put.ok() ? nullptr : ErrorOf(args->callback_error, put);
  }
};

// The client of one process; null after an error, which goes to `error`.
inline PJRT_Client* JoinJob(JobStore& store, std::vector<PJRT_NamedValue> options,
                            std::string* error) {
  auto create = New<PJRT_Client_Create_Args>();
  create.create_options = options.data();
  create.num_options = options.size();
  create.kv_get_callback = JobStore::Get;
  create.kv_try_get_callback = JobStore::TryGet;
  create.kv_put_callback = JobStore::Put;
  create.kv_get_user_arg = create.kv_try_get_user_arg = create.kv_put_user_arg = &store;
  *error = TextOf(Api().PJRT_Client_Create(&create));
  return *error == "OK" ? create.client : nullptr;
}

// A job of processes with so many devices each.
struct Job {
  JobStore store;
  std::vector<PJRT_Client*> clients;
  std::vector<std::string> errors;

  explicit Job(const std::vector<int64_t>& devices,
               const std::vector<std::vector<PJRT_NamedValue>>& more = {}) {
    clients.resize(devices.size());
    errors.resize(devices.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < devices.size(); ++i) {
      threads.emplace_back([&, i] {
        std::vector<PJRT_NamedValue> options = {
            NumberOption("node_id", static_cast<int64_t>(i)),
            NumberOption("num_nodes", static_cast<int64_t>(devices.size())),
            NumberOption("num_devices", devices[i])};
        if (i < more.size()) options.insert(options.end(), more[i].begin(), more[i].end());
        clients[i] = JoinJob(store, options, &errors[i]);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  ~Job() { End(); }
  void End() {
    // At the same time, as processes end.
    std::vector<std::thread> threads;
    for (PJRT_Client*& client : clients) {
      if (client == nullptr) continue;
      threads.emplace_back([client = std::exchange(client, nullptr)] {
        auto args = New<PJRT_Client_Destroy_Args>();
        args.client = client;
        EXPECT_CALL_OK(Api().PJRT_Client_Destroy(&args));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  // This build has no engine that connects processes.
  bool CannotConnect() const { return errors[0].find("libxylem_gloo.so") != std::string::npos; }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
};

}  // namespace xla::pjrt::testing

#endif  // TESTS_PJRT_PROCESSES_H_
