// SPDX-License-Identifier: Apache-2.0
// A custom call through a registry: copies operands to memory in the layouts that the instruction
// states, calls the handler, checks that it stayed within its memory, and copies its results.
#ifndef XLA_RUNTIME_REGISTRY_CALL_H_
#define XLA_RUNTIME_REGISTRY_CALL_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/runtime/custom_call.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla::runtime {

// An array of a call: dense and row-major, as large as the bounds of its shape. Tokens have no
// memory.
struct RegistryArray {
  const Shape* shape = nullptr;
  void* data = nullptr;
  DimensionVector sizes;  // elements that exist in each dimension
  // Nothing else reads the memory afterwards: the handler may get it as it is.
  bool is_exclusive = false;
};

struct RegistryCall {
  std::string_view target, instruction, opaque;
  int api_version = 1;
  const Shape* result_shape = nullptr;
  std::vector<const Shape*> operand_shapes;             // one an operand, tuples whole
  const std::vector<Shape>* operand_layouts = nullptr;  // with layouts; null: row-major
  struct Alias {
    absl::Span<const int64_t> output_index, operand_index;
    int64_t operand = 0;
  };
  std::vector<Alias> aliases;  // results that start with the contents of operands
  int64_t replica_id = 0, partition_id = 0;
  int device_ordinal = 0;
  int64_t run_id = 0;
  std::vector<RegistryArray> arguments;  // leaves
  std::vector<RegistryArray> results;    // leaves; `sizes` are set by the call
};

// Memory that is aligned to 64 bytes and freed with the pointer.
using AllocateMemory = absl::FunctionRef<absl::StatusOr<std::shared_ptr<void>>(int64_t bytes)>;

// INVALID_ARGUMENT for layouts and aliases that do not fit the operands, and for sizes that the
// handler may not set; INTERNAL if it wrote outside of its memory.
absl::Status RunRegistryCall(const CustomCallRegistry& registry, RegistryCall& call,
                             AllocateMemory allocate);

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_REGISTRY_CALL_H_
