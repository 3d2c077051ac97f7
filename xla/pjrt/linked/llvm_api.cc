// SPDX-License-Identifier: Apache-2.0
// LLVM's C API if LLVM is part of the same library: replaces xla/cpu/codegen/llvm_api.cc.
#include "xla/cpu/codegen/llvm_api.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/Support/ErrorHandling.h>

#include <cstddef>
#include <iterator>
#include <new>

#include "xla/cpu/codegen/llvm_options.h"

namespace xla::cpu {
namespace {

// Throws, as operator new does when there is no memory: LLVM itself would end the process.
void OnOutOfMemory(void*, const char*, bool) {
  if (const std::new_handler handler = std::get_new_handler()) handler();
  throw std::bad_alloc();
}

#if defined(__x86_64__)
#define XYLEM_LLVM_TARGET(part) LLVMInitializeX86##part
#elif defined(__aarch64__)
#define XYLEM_LLVM_TARGET(part) LLVMInitializeAArch64##part
#else
#error "the compiler generates code for x86-64 and AArch64"
#endif

// Returns the index in the table, or its size.
constexpr size_t PlaceOf(int major) {
  size_t i = 0;
  while (i < std::size(kLlvmVersions) && kLlvmVersions[i].major != major) ++i;
  return i;
}
static_assert(PlaceOf(LLVM_VERSION_MAJOR) < std::size(kLlvmVersions),
              "see xla/cpu/codegen/llvm_versions.h");

LlvmApi Initialize() {
  llvm::install_bad_alloc_error_handler(OnOutOfMemory);
  LlvmApi api;
  api.version = &kLlvmVersions[PlaceOf(LLVM_VERSION_MAJOR)];
#define LLVM_FUNCTION(name) api.name = &::name;
#include "xla/cpu/codegen/llvm_functions.def"
#undef LLVM_FUNCTION
  XYLEM_LLVM_TARGET(TargetInfo)();
  XYLEM_LLVM_TARGET(Target)();
  XYLEM_LLVM_TARGET(TargetMC)();
  XYLEM_LLVM_TARGET(AsmPrinter)();
  SetLlvmOptions(api);
  return api;
}

}  // namespace

absl::StatusOr<LlvmApi> LlvmApi::Load(const LlvmVersion& version) {
  if (version.major == LLVM_VERSION_MAJOR) return Initialize();
  return absl::NotFoundError("another version of LLVM is linked in");
}

absl::StatusOr<const LlvmApi*> LlvmApi::Get() {
  static const LlvmApi api = Initialize();
  return &api;
}

}  // namespace xla::cpu
