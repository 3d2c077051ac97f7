// SPDX-License-Identifier: Apache-2.0
// What the processes of a job tell each other before they are connected: keys with values, which
// never change. Where they are kept is the launcher's affair: JAX's coordination service, a folder
// that all processes see, or the memory of one process.
#ifndef XLA_DISTRIBUTED_KEY_VALUE_STORE_H_
#define XLA_DISTRIBUTED_KEY_VALUE_STORE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace xla::distributed {

// Thread-safe. Values come from other processes: readers must check them.
class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;

  // Waits until the key has a value. DEADLINE_EXCEEDED when it has none after `timeout`.
  virtual absl::StatusOr<std::string> Get(absl::string_view key, absl::Duration timeout) = 0;
  // NOT_FOUND, at once, if the key has no value yet.
  virtual absl::StatusOr<std::string> TryGet(absl::string_view key) = 0;
  // ALREADY_EXISTS if the key has a value, which stays as it is.
  virtual absl::Status Put(absl::string_view key, absl::string_view value) = 0;
};

// The largest value that a store gives back: of what processes tell each other nothing is nearly as
// large.
inline constexpr size_t kMaxStoreValueBytes = size_t{64} << 20;

// Puts a value, or finds that the key has the same one already. ALREADY_EXISTS if it has another
// one, with both in the message.
absl::Status PutOnce(KeyValueStore& store, absl::string_view key, absl::string_view value);

// The keys of `store` that begin with `prefix`, without it.
std::shared_ptr<KeyValueStore> WithPrefix(std::shared_ptr<KeyValueStore> store,
                                          absl::string_view prefix);

// In the memory of this process: for tests, and for jobs whose processes are threads.
std::shared_ptr<KeyValueStore> MakeMemoryStore();

// In a folder, which is made if there is none, with a file for each key. The folder may be on a
// file system that hosts share; it serves one job. Files appear with their contents or not at all.
absl::StatusOr<std::shared_ptr<KeyValueStore>> MakeFileStore(const std::string& folder);

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_KEY_VALUE_STORE_H_
