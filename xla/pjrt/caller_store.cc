// SPDX-License-Identifier: Apache-2.0
#include "xla/pjrt/caller_store.h"

#include <algorithm>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla/base/status_macros.h"
#include "xla/pjrt/entry.h"
#include "xla/pjrt/objects.h"

namespace xla::pjrt {
namespace {

// Waits are divided, so that none is under way for long when the client is destroyed.
constexpr absl::Duration kLongestWait = absl::Seconds(2);

PJRT_Error* NewError(PJRT_Error_Code code, const char* message, size_t size) {
  return MakeError(StatusOf(code, message, size));
}
PJRT_CallbackError new_error = NewError;

// Returns the status of an error that NewError made, and destroys it.
absl::Status Take(PJRT_Error* error) {
  if (error == nullptr) return absl::OkStatus();
  const std::unique_ptr<PJRT_Error> owned(error);
  return owned->status;
}

template <typename Args>
Args New(absl::string_view key, void* user_arg) {
  Args args = {};
  args.struct_size = sizeof(Args);
  args.key = key.data();
  args.key_size = key.size();
  args.callback_error = &new_error;
  args.user_arg = user_arg;
  return args;
}

template <typename Args>
absl::StatusOr<std::string> TakeValue(const Args& args) {
  std::string value;
  const bool fits = args.value_size <= distributed::kMaxStoreValueBytes;
  if (args.value != nullptr && fits) value.assign(args.value, args.value_size);
  if (args.value_deleter_callback != nullptr) args.value_deleter_callback(args.value);
  if (fits) return value;
  return absl::ResourceExhaustedError(absl::StrCat("the value of key \"",
                                                   absl::string_view(args.key, args.key_size),
                                                   "\" has ", args.value_size, " bytes"));
}

absl::Status Closed(absl::string_view key) {
  return absl::CancelledError(
      absl::StrCat("the client was destroyed; key \"", key, "\" cannot be used any more"));
}

}  // namespace

absl::StatusOr<std::shared_ptr<CallerStore>> CallerStore::Create(
    const PJRT_Client_Create_Args& args) {
  const auto pointer = [](auto function) { return reinterpret_cast<const void*>(function); };
  XLA_RETURN_IF_ERROR(Require({{"kv_get_callback", pointer(args.kv_get_callback)},
                               {"kv_put_callback", pointer(args.kv_put_callback)},
                               {"kv_try_get_callback", pointer(args.kv_try_get_callback)}}));
  std::shared_ptr<CallerStore> store(new CallerStore);
  store->get_ = args.kv_get_callback;
  store->try_get_ = args.kv_try_get_callback;
  store->put_ = args.kv_put_callback;
  store->get_argument_ = args.kv_get_user_arg;
  store->try_get_argument_ = args.kv_try_get_user_arg;
  store->put_argument_ = args.kv_put_user_arg;
  return store;
}

absl::StatusOr<std::string> CallerStore::GetOnce(absl::string_view key, int timeout_in_ms) {
  const std::shared_lock<std::shared_mutex> lock(in_use_);
  if (is_closed_) return Closed(key);
  auto args = New<PJRT_KeyValueGetCallback_Args>(key, get_argument_);
  args.timeout_in_ms = timeout_in_ms;
  XLA_RETURN_IF_ERROR(Take(get_(&args)));
  return TakeValue(args);
}

absl::StatusOr<std::string> CallerStore::Get(absl::string_view key, absl::Duration timeout) {
  const absl::Time end = absl::Now() + timeout;
  while (true) {
    const absl::Duration left = end - absl::Now();
    const int64_t wait = absl::ToInt64Milliseconds(std::min(left, kLongestWait));
    absl::StatusOr<std::string> value = GetOnce(key, static_cast<int>(std::max<int64_t>(wait, 1)));
    if (!absl::IsDeadlineExceeded(value.status()) || left <= kLongestWait) return value;
  }
}

absl::StatusOr<std::string> CallerStore::TryGet(absl::string_view key) {
  const std::shared_lock<std::shared_mutex> lock(in_use_);
  if (is_closed_) return Closed(key);
  auto args = New<PJRT_KeyValueTryGetCallback_Args>(key, try_get_argument_);
  XLA_RETURN_IF_ERROR(Take(try_get_(&args)));
  return TakeValue(args);
}

absl::Status CallerStore::Put(absl::string_view key, absl::string_view value) {
  const std::shared_lock<std::shared_mutex> lock(in_use_);
  if (is_closed_) return Closed(key);
  auto args = New<PJRT_KeyValuePutCallback_Args>(key, put_argument_);
  args.value = value.data();
  args.value_size = value.size();
  return Take(put_(&args));
}

void CallerStore::Close() {
  is_closed_ = true;
  const std::unique_lock<std::shared_mutex> lock(in_use_);
}

}  // namespace xla::pjrt
