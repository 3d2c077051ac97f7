// SPDX-License-Identifier: Apache-2.0
// Handlers that go on after they returned: they return a Future, whose promise is kept later. Part
// of xla/ffi/api/ffi.h; include that.
#ifndef XLA_FFI_API_FUTURES_H_
#define XLA_FFI_API_FUTURES_H_

#include <iostream>
#include <mutex>

#include "xla/ffi/api/values.h"

namespace xla::ffi {

namespace internal {

// What a promise and its future share. One waiter at most.
struct FutureState {
  using Waiter = std::function<void(const std::optional<Error>& error)>;

  void Complete(std::optional<Error> with) {
    Waiter then;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      assert(!is_complete && "a promise is kept once");
      error = std::move(with);
      is_complete = true;
      then = std::move(waiter);
    }
    if (then) then(error);
  }
  void OnReady(Waiter then) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!is_complete) {
        waiter = std::move(then);
        return;
      }
    }
    then(error);
  }

  std::mutex mutex;
  bool is_complete = false;
  std::optional<Error> error;
  Waiter waiter;
};

}  // namespace internal

// Copies keep the same promise.
class Promise {
 public:
  Promise() : state_(std::make_shared<internal::FutureState>()) {}
  void SetAvailable() { state_->Complete(std::nullopt); }
  void SetError(Error error) {
    assert(error.failure());
    state_->Complete(std::move(error));
  }

 private:
  friend class Future;
  std::shared_ptr<internal::FutureState> state_;
};

// Is kept after so many counts down, with the last error of them.
class CountDownPromise {
 public:
  CountDownPromise() = default;
  CountDownPromise(Promise promise, int64_t count)
      : state_(std::make_shared<State>(std::move(promise), count)) {
    assert(count > 0);
  }
  explicit CountDownPromise(int64_t count) : CountDownPromise(Promise(), count) {}

  // True for the last one.
  bool CountDown(size_t count, const Error& error = Error::Success()) {
    std::optional<Error> failed;
    {
      const std::lock_guard<std::mutex> lock(state_->mutex);
      if (error.failure()) state_->error = error;
      state_->count -= static_cast<int64_t>(count);
      assert(state_->count >= 0);
      if (state_->count > 0) return false;
      failed = state_->error;
    }
    if (failed.has_value()) {
      state_->promise.SetError(*failed);
    } else {
      state_->promise.SetAvailable();
    }
    return true;
  }
  bool CountDown(Error error = Error::Success()) { return CountDown(1, error); }

 private:
  friend class Future;
  struct State {
    State(Promise given, int64_t counts) : promise(std::move(given)), count(counts) {}
    Promise promise;
    std::mutex mutex;
    int64_t count;
    std::optional<Error> error;
  };
  std::shared_ptr<State> state_;
};

class Future {
 public:
  explicit Future(const Promise& promise) : state_(promise.state_) {}
  explicit Future(const CountDownPromise& promise) : Future(promise.state_->promise) {}
  Future(Future&&) = default;
  Future& operator=(Future&&) = default;

  // Calls f(const std::optional<Error>&), at once if the promise is kept.
  template <typename F>
  void OnReady(F&& f) {
    static_assert(std::is_invocable_v<F, const std::optional<Error>&>);
    state_->OnReady(std::forward<F>(f));
  }

 private:
  std::shared_ptr<internal::FutureState> state_;
};

template <ExecutionStage stage>
struct ResultEncoding<stage, Future> {
  static std::variant<XLA_FFI_Error*, XLA_FFI_Future*> Encode(const XLA_FFI_Api* api,
                                                              XLA_FFI_InvokeContext*,
                                                              Future future) {
    XLA_FFI_Future_Create_Args create = {};
    create.struct_size = XLA_FFI_Future_Create_Args_STRUCT_SIZE;
    if (XLA_FFI_Error* error = api->XLA_FFI_Future_Create(&create)) return error;
    future.OnReady([api, made = create.future](const std::optional<Error>& error) {
      XLA_FFI_Error* failed;
      if (error.has_value()) {
        XLA_FFI_Future_SetError_Args args = {};
        args.struct_size = XLA_FFI_Future_SetError_Args_STRUCT_SIZE;
        args.future = made;
        args.error = internal::MakeError(api, static_cast<XLA_FFI_Error_Code>(*error->errc()),
                                         error->message());
        failed = api->XLA_FFI_Future_SetError(&args);
      } else {
        XLA_FFI_Future_SetAvailable_Args args = {};
        args.struct_size = XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE;
        args.future = made;
        failed = api->XLA_FFI_Future_SetAvailable(&args);
      }
      // Nobody can be told: the run would wait for ever.
      if (failed != nullptr) {
        std::cerr << "Failed to signal XLA_FFI_Future completion: "
                  << internal::GetErrorMessage(api, failed) << std::endl;
        std::abort();
      }
    });
    return create.future;
  }
};

}  // namespace xla::ffi

#endif  // XLA_FFI_API_FUTURES_H_
