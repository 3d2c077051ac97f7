// SPDX-License-Identifier: Apache-2.0
// The memories that a program names for its arguments and results. All of them are the memory of
// the host: the kinds are kept for those who ask.
#ifndef XLA_PJRT_MEMORY_KINDS_H_
#define XLA_PJRT_MEMORY_KINDS_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/mlir/source.h"
#include "xla/shape.h"

namespace xla::pjrt {

// The memories of each device in order; the first is its default one.
inline constexpr std::string_view kMemoryKinds[] = {"device", "pinned_host", "unpinned_host"};

// Positions in kMemoryKinds, by argument and result. Shorter than the signature: the rest is 0.
struct MemoryKinds {
  std::vector<size_t> parameters, results;
};

// The attributes mhlo.memory_kind of the function @main. InvalidArgument for an unknown kind.
absl::StatusOr<MemoryKinds> ReadMemoryKinds(const mlir::Source& source);

// Of a shape of an entry computation layout: whether it is in the memory space of the host.
size_t MemoryKindOf(const Shape& array);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_MEMORY_KINDS_H_
