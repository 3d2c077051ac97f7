// SPDX-License-Identifier: Apache-2.0
// Working memory of kernels as values of a run.
#include "xla/interpreter/kernel_context.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "xla/base/status_macros.h"
#include "xla/interpreter/value.h"

namespace xla::interpreter {

absl::StatusOr<std::shared_ptr<void>> KernelContext::Allocate(int64_t bytes) {
  // Smaller values lie next to their header and are not aligned to 64 bytes.
  constexpr int64_t kLeastBytes = 128;
  XLA_ASSIGN_OR_RETURN(Value value, ctx_.AllocateScratch(std::max(bytes, kLeastBytes)));
  auto owner = std::make_shared<Value>(std::move(value));
  return std::shared_ptr<void>(owner, owner->mutable_untyped_data());
}

}  // namespace xla::interpreter
