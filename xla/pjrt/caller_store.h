// SPDX-License-Identifier: Apache-2.0
// The keys and values of a job, kept by the caller of the plugin: JAX's coordination service.
#ifndef XLA_PJRT_CALLER_STORE_H_
#define XLA_PJRT_CALLER_STORE_H_

#include <atomic>
#include <memory>
#include <shared_mutex>
#include <string>

#include "absl/status/statusor.h"
#include "xla/distributed/key_value_store.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace xla::pjrt {

class CallerStore : public distributed::KeyValueStore {
 public:
  // InvalidArgument if a function is missing.
  static absl::StatusOr<std::shared_ptr<CallerStore>> Create(const PJRT_Client_Create_Args& args);

  absl::StatusOr<std::string> Get(absl::string_view key, absl::Duration timeout) override;
  absl::StatusOr<std::string> TryGet(absl::string_view key) override;
  absl::Status Put(absl::string_view key, absl::string_view value) override;

  // The caller's functions must not be used from here on; all calls end with CANCELLED. Waits for
  // those that are under way.
  void Close();

 private:
  CallerStore() = default;
  absl::StatusOr<std::string> GetOnce(absl::string_view key, int timeout_in_ms);

  PJRT_KeyValueGetCallback get_ = nullptr;
  PJRT_KeyValueTryGetCallback try_get_ = nullptr;
  PJRT_KeyValuePutCallback put_ = nullptr;
  void* get_argument_ = nullptr;
  void* try_get_argument_ = nullptr;
  void* put_argument_ = nullptr;
  std::atomic<bool> is_closed_{false};
  std::shared_mutex in_use_;
};

}  // namespace xla::pjrt

#endif  // XLA_PJRT_CALLER_STORE_H_
