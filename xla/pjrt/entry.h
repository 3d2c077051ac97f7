// SPDX-License-Identifier: Apache-2.0
// From calls through the C interface to functions that return a status.
#ifndef XLA_PJRT_ENTRY_H_
#define XLA_PJRT_ENTRY_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <new>
#include <string>

#include "absl/status/status.h"
#include "xla/pjrt/abi.h"

namespace xla::pjrt {

// Null for OK.
PJRT_Error* MakeError(const absl::Status& status);

// What a caller describes by code and message, which may be null.
absl::Status StatusOf(PJRT_Error_Code code, const char* message, size_t size);

// InvalidArgument for the first argument that is null: the caller did not set it, or is too old to
// know it.
struct NamedPointer {
  const char* name;
  const void* pointer;
};
absl::Status Require(std::initializer_list<NamedPointer> arguments);

// Bytes of an argument struct that all callers have, whatever they say: some headers stated less.
template <typename Args>
inline constexpr size_t kStatedTooSmall = 0;
template <>
inline constexpr size_t kStatedTooSmall<PJRT_Plugin_Attributes_Args> =
    sizeof(PJRT_Plugin_Attributes_Args);

// Calls the function on a copy of the arguments in which fields that the caller does not have are
// zero, and copies back those that it has.
template <auto kFunction, typename Args>
absl::Status CallWithKnownFields(Args* args) {
  if (args == nullptr) return absl::InvalidArgumentError("the argument struct is null");
  const size_t known = std::min(std::max(args->struct_size, kStatedTooSmall<Args>), sizeof(Args));
  Args complete = {};
  std::memcpy(static_cast<void*>(&complete), args, known);
  complete.struct_size = args->struct_size;
  absl::Status status;
  try {
    status = kFunction(complete);
  } catch (const std::bad_alloc&) {
    status = absl::ResourceExhaustedError("out of memory");
  } catch (const std::exception& error) {
    status = absl::InternalError(error.what());
  }
  if (known > sizeof(size_t)) {
    std::memcpy(reinterpret_cast<char*>(args) + sizeof(size_t),
                reinterpret_cast<const char*>(&complete) + sizeof(size_t), known - sizeof(size_t));
  }
  return status;
}

template <auto kFunction, typename Args>
PJRT_Error* Entry(Args* args) {
  return MakeError(CallWithKnownFields<kFunction>(args));
}

// Functions without a result: errors have nowhere to go.
template <auto kFunction, typename Args>
void VoidEntry(Args* args) {
  (void)CallWithKnownFields<kFunction>(args);
}

}  // namespace xla::pjrt

#endif  // XLA_PJRT_ENTRY_H_
