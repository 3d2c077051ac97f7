// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/llvm_table.h"

#include "xla/cpu/codegen/llvm_api.h"

namespace xla::cpu {

const void* LlvmFunctionTable(size_t size) {
  if (size != sizeof(LlvmApi)) return nullptr;
  const absl::StatusOr<const LlvmApi*> api = LlvmApi::Get();
  return api.ok() ? *api : nullptr;
}

}  // namespace xla::cpu
