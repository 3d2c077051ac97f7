// SPDX-License-Identifier: Apache-2.0
// Memory of buffers: allocated, copied, shared.
#ifndef XLA_PJRT_BUFFER_MEMORY_H_
#define XLA_PJRT_BUFFER_MEMORY_H_

#include <cstdint>
#include <memory>

#include "absl/container/inlined_vector.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/pjrt/objects.h"
#include "xla/runtime/device_buffer.h"
#include "xla/shape.h"

namespace xla::pjrt {

// Returns the memory that a caller names by `memory` or, if that is null, the default memory of
// `device`. InvalidArgument if both are null or belong to another client.
absl::StatusOr<PJRT_Memory*> MemoryOf(const ClientState& client, PJRT_Memory* memory,
                                      PJRT_Device* device);

// Allocates uninitialized memory for an array, whose elements of less than a byte are packed.
absl::StatusOr<std::shared_ptr<runtime::ArrayMemory>> Allocate(const ClientState& client,
                                                               int device_ordinal,
                                                               const Shape& shape);

// Makes a buffer whose memory `make` returns, called with the memory of `source` as soon as that is
// ready; an error of either is the error of the buffer.
using MakeMemory = absl::AnyInvocable<absl::StatusOr<std::shared_ptr<runtime::ArrayMemory>>(
    const runtime::DeviceBuffer::Use& source)>;
absl::StatusOr<std::shared_ptr<runtime::DeviceBuffer>> Derive(
    const std::shared_ptr<runtime::DeviceBuffer>& source, Shape shape, int device_ordinal,
    MakeMemory make);

// Copies a buffer, with the same layout.
absl::StatusOr<std::shared_ptr<runtime::DeviceBuffer>> CopyBuffer(
    const ClientPointer& client, const std::shared_ptr<runtime::DeviceBuffer>& source,
    int device_ordinal);
// Returns a read-only view of the same memory as another array of at most as many bytes. The source
// may be deleted meanwhile; donating it waits for the view.
absl::StatusOr<std::shared_ptr<runtime::DeviceBuffer>> ViewBuffer(
    const std::shared_ptr<runtime::DeviceBuffer>& source, Shape shape, int device_ordinal);

// --- Copies between the host, where each element has bytes of its own, and memory of an array.
// Elements of the host may have strides of any sign, in bytes that are multiples of the element
// size.
using ByteStrides = absl::Span<const int64_t>;
// Returns InvalidArgument for strides that are not multiples of the element size, and for a wrong
// number of strides.
absl::StatusOr<absl::InlinedVector<int64_t, 6>> ElementStridesOf(const Shape& array,
                                                                 ByteStrides byte_strides);
// Strides are in elements.
void CopyFromHost(const void* source, absl::Span<const int64_t> strides, const Shape& array,
                  void* memory);
void CopyToHost(const Shape& array, const void* memory, void* destination,
                absl::Span<const int64_t> strides);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_BUFFER_MEMORY_H_
