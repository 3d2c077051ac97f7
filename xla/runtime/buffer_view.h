// SPDX-License-Identifier: Apache-2.0
// Arrays in memory, as executables take and return them.
//
// An array's memory holds its elements in the order of the layout; integers of less than 8 bits
// take a byte each. The elements of an array with dynamic dimensions are followed by the sizes of
// all its dimensions, an int32 each, aligned to 4 bytes.
#ifndef XLA_RUNTIME_BUFFER_VIEW_H_
#define XLA_RUNTIME_BUFFER_VIEW_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/shape.h"

namespace xla::runtime {

// A leaf of an argument: an array, or a token (without memory).
struct ArgumentView {
  const Shape* shape = nullptr;  // with the layout that the memory has
  void* data = nullptr;
  int64_t size_bytes = 0;
  // The run may write to the memory, and may make a result of it.
  bool is_donated = false;
};

// A leaf of a result. Where `data` is set before the run, the result is written there: the memory
// is at least as large as the result's shape needs. Otherwise the run says where the result is.
struct ResultView {
  void* data = nullptr;
  int64_t size_bytes = 0;
  // The result is in the memory of this leaf of the arguments, which was donated; -1: it is not.
  int32_t donor = -1;
  // The memory is new, from AllocateHostMemory (host_memory.h), and the caller's from now on.
  bool is_new = false;
};

// Bytes of the elements alone, padding included. RESOURCE_EXHAUSTED when they overflow,
// INVALID_ARGUMENT for an unbounded dimension.
absl::StatusOr<int64_t> ElementBytes(const Shape& array);
// The same, followed by the dynamic sizes.
absl::StatusOr<int64_t> ArrayBytes(const Shape& array);

// The dynamic sizes that follow the elements. Preconditions: array.is_dynamic(); the memory holds
// ArrayBytes.
void WriteDynamicSizes(const Shape& array, void* data, absl::Span<const int64_t> sizes);
// INVALID_ARGUMENT if a size of a dynamic dimension is not within its bound.
absl::Status ReadDynamicSizes(const Shape& array, const void* data, absl::Span<int64_t> sizes);

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_BUFFER_VIEW_H_
