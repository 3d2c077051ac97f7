// SPDX-License-Identifier: Apache-2.0
// Objects that the caller of a run hands to its handlers of custom calls, one of each type:
//
//   ffi::ExecutionContext context;
//   XLA_RETURN_IF_ERROR(context.Emplace<Counter>(1));
//   run_options.set_ffi_execution_context(&context);
//
// A handler bound with Ctx<ffi::UserData<Counter>>() takes a Counter*.
#ifndef XLA_FFI_EXECUTION_CONTEXT_H_
#define XLA_FFI_EXECUTION_CONTEXT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <typeinfo>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla/ffi/type_id.h"

namespace xla::ffi {

// Must outlive the runs that it is given to. Thread-compatible.
class ExecutionContext {
 public:
  ExecutionContext() = default;
  ExecutionContext(ExecutionContext&&) = default;
  ExecutionContext& operator=(ExecutionContext&&) = default;

  // An object that belongs to the caller. ALREADY_EXISTS for a second one of the type.
  template <typename T>
  absl::Status Insert(T* data) {
    return Add<T>(std::shared_ptr<void>(data, [](void*) {}));
  }
  // A new object, made from the arguments.
  template <typename T, typename... Args>
  absl::Status Emplace(Args&&... args) {
    return Add<T>(std::make_shared<T>(std::forward<Args>(args)...));
  }
  // NOT_FOUND if there is none of the type.
  template <typename T>
  absl::StatusOr<T*> Lookup() const {
    const auto found = data_.find(internal::TypeIdOf<T>().type_id);
    if (found == data_.end()) {
      return absl::NotFoundError(
          absl::StrCat("the execution context has no object of type ", typeid(T).name()));
    }
    return static_cast<T*>(found->second.get());
  }

  // By type id.
  std::map<int64_t, void*> pointers() const {
    std::map<int64_t, void*> pointers;
    for (const auto& [id, object] : data_) pointers.emplace(id, object.get());
    return pointers;
  }

 private:
  template <typename T>
  absl::Status Add(std::shared_ptr<void> object) {
    if (data_.emplace(internal::TypeIdOf<T>().type_id, std::move(object)).second) {
      return absl::OkStatus();
    }
    return absl::AlreadyExistsError(
        absl::StrCat("the execution context has an object of type ", typeid(T).name()));
  }

  std::map<int64_t, std::shared_ptr<void>> data_;
};

}  // namespace xla::ffi

#endif  // XLA_FFI_EXECUTION_CONTEXT_H_
