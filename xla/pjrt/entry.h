// SPDX-License-Identifier: Apache-2.0
// Adapts functions that return a status to the C interface.
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

// Returns null for OK.
PJRT_Error* MakeError(const absl::Status& status);

// Returns the status that a caller describes by code and message, which may be null.
absl::Status StatusOf(PJRT_Error_Code code, const char* message, size_t size);

// Returns InvalidArgument for the first argument that is null: the caller did not set it, or is too
// old to know it.
struct NamedPointer {
  const char* name;
  const void* pointer;
};
absl::Status Require(std::initializer_list<NamedPointer> arguments);

// The least struct_size that is accepted: that of callers of minor version 29. Most structs have
// not changed since; the size that their headers state excludes padding at the end.
template <typename Args>
inline constexpr size_t kOldestSize = sizeof(Args) - (alignof(Args) - 1);
template <>
inline constexpr size_t kOldestSize<PJRT_Plugin_Attributes_Args> = 24;
template <>
inline constexpr size_t kOldestSize<PJRT_Client_Create_Args> = 72;
template <>
inline constexpr size_t kOldestSize<PJRT_Client_CreateViewOfDeviceBuffer_Args> = 104;
template <>
inline constexpr size_t kOldestSize<PJRT_Client_CreateErrorBuffer_Args> = 96;
template <>
inline constexpr size_t kOldestSize<PJRT_Device_MemoryStats_Args> = 185;
template <>
inline constexpr size_t kOldestSize<PJRT_Device_PoisonExecution_Args> = 56;
template <>
inline constexpr size_t kOldestSize<PJRT_Executable_GetCompiledMemoryStats_Args> = 64;
template <>
inline constexpr size_t kOldestSize<PJRT_Executable_DeserializeAndLoad_Args> = 48;
template <>
inline constexpr size_t kOldestSize<PJRT_FFI_Type_Register_Args> = 40;
template <>
inline constexpr size_t kOldestSize<PJRT_FFI_Register_Handler_Args> = 48;

// The bytes that callers have, whatever they state: early headers stated too few.
template <typename Args>
inline constexpr size_t kStatedTooSmall = 0;
template <>
inline constexpr size_t kStatedTooSmall<PJRT_Plugin_Attributes_Args> =
    sizeof(PJRT_Plugin_Attributes_Args);

absl::Status StructTooSmall(size_t struct_size, size_t oldest);

// Calls the function on a copy of the arguments in which fields that the caller does not have are
// zero, and copies back those that it has.
template <auto kFunction, typename Args>
absl::Status CallWithKnownFields(Args* args) {
  if (args == nullptr) return absl::InvalidArgumentError("the argument struct is null");
  if (args->struct_size < kOldestSize<Args>) {
    return StructTooSmall(args->struct_size, kOldestSize<Args>);
  }
  const size_t known = std::min(std::max(args->struct_size, kStatedTooSmall<Args>), sizeof(Args));
  Args complete = {};
  std::memcpy(static_cast<void*>(&complete), args, known);
  absl::Status status;
  try {
    status = kFunction(complete);
  } catch (const std::bad_alloc&) {
    status = absl::ResourceExhaustedError("out of memory");
  } catch (const std::exception& error) {
    status = absl::InternalError(error.what());
  }
  std::memcpy(static_cast<void*>(args), &complete, known);
  return status;
}

template <auto kFunction, typename Args>
PJRT_Error* Entry(Args* args) {
  return MakeError(CallWithKnownFields<kFunction>(args));
}

// For functions without a result, whose errors cannot be reported.
template <auto kFunction, typename Args>
void VoidEntry(Args* args) {
  (void)CallWithKnownFields<kFunction>(args);
}

}  // namespace xla::pjrt

#endif  // XLA_PJRT_ENTRY_H_
