// SPDX-License-Identifier: Apache-2.0
#include "xla/distributed/key_value_store.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace xla::distributed {
namespace {

class MemoryStore : public KeyValueStore {
 public:
  absl::StatusOr<std::string> Get(absl::string_view key, absl::Duration timeout) override {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto has_value = [&] { return values_.find(key) != values_.end(); };
    if (!changed_.wait_for(lock, absl::ToChronoNanoseconds(timeout), has_value)) {
      return absl::DeadlineExceededError(
          absl::StrCat("key \"", key, "\" has no value after ", absl::FormatDuration(timeout)));
    }
    return values_.find(key)->second;
  }

  absl::StatusOr<std::string> TryGet(absl::string_view key) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = values_.find(key);
    if (found != values_.end()) return found->second;
    return absl::NotFoundError(absl::StrCat("key \"", key, "\" has no value"));
  }

  absl::Status Put(absl::string_view key, absl::string_view value) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!values_.try_emplace(std::string(key), value).second) {
      return absl::AlreadyExistsError(absl::StrCat("key \"", key, "\" has a value"));
    }
    changed_.notify_all();
    return absl::OkStatus();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string, std::less<>> values_;
};

class PrefixedStore : public KeyValueStore {
 public:
  PrefixedStore(std::shared_ptr<KeyValueStore> store, absl::string_view prefix)
      : store_(std::move(store)), prefix_(prefix) {}

  absl::StatusOr<std::string> Get(absl::string_view key, absl::Duration timeout) override {
    return store_->Get(absl::StrCat(prefix_, key), timeout);
  }
  absl::StatusOr<std::string> TryGet(absl::string_view key) override {
    return store_->TryGet(absl::StrCat(prefix_, key));
  }
  absl::Status Put(absl::string_view key, absl::string_view value) override {
    return store_->Put(absl::StrCat(prefix_, key), value);
  }

 private:
  const std::shared_ptr<KeyValueStore> store_;
  const std::string prefix_;
};

// The beginning of a value, readable.
std::string Shown(absl::string_view value) {
  constexpr size_t kShown = 400;
  std::string text = absl::CHexEscape(value.substr(0, kShown));
  if (value.size() > kShown) text += "...";
  return text;
}

}  // namespace

absl::Status PutOnce(KeyValueStore& store, absl::string_view key, absl::string_view value) {
  absl::Status put = store.Put(key, value);
  if (!absl::IsAlreadyExists(put)) return put;
  const absl::StatusOr<std::string> present = store.TryGet(key);
  if (!present.ok()) return present.status();
  if (*present == value) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat("key \"", key, "\" has the value \"",
                                               Shown(*present), "\" and should have \"",
                                               Shown(value), "\""));
}

std::shared_ptr<KeyValueStore> WithPrefix(std::shared_ptr<KeyValueStore> store,
                                          absl::string_view prefix) {
  return std::make_shared<PrefixedStore>(std::move(store), prefix);
}

std::shared_ptr<KeyValueStore> MakeMemoryStore() { return std::make_shared<MemoryStore>(); }

}  // namespace xla::distributed
