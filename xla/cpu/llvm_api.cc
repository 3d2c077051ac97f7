// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/llvm_api.h"

#include <dlfcn.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"

namespace xla::cpu {
namespace {

#if defined(__x86_64__)
constexpr char kTarget[] = "X86";
#elif defined(__aarch64__)
constexpr char kTarget[] = "AArch64";
#else
#error "the compiler generates code for x86-64 and AArch64"
#endif

absl::StatusOr<const LlvmApi*> Load() {
  void* library = nullptr;
  for (const char* name : {"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so"}) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) {
    const char* reason = dlerror();
    return absl::UnavailableError(
        absl::StrCat("the compiler needs LLVM 19 (Debian's package libllvm19): ",
                     reason == nullptr ? "libLLVM.so.19.1 cannot be loaded" : reason));
  }
  // Lives as long as the process, as the library does.
  static LlvmApi api;
  std::string missing;
  const auto find = [&](const char* name) {
    void* const function = dlsym(library, name);
    if (function == nullptr) absl::StrAppend(&missing, " ", name);
    return function;
  };
#define LLVM_FUNCTION(name) api.name = reinterpret_cast<decltype(&::name)>(find(#name));
#include "xla/cpu/llvm_functions.def"
#undef LLVM_FUNCTION
  for (const char* part : {"TargetInfo", "Target", "TargetMC", "AsmPrinter"}) {
    const auto initialize =
        reinterpret_cast<void (*)()>(find(absl::StrCat("LLVMInitialize", kTarget, part).c_str()));
    if (initialize != nullptr) initialize();
  }
  if (!missing.empty()) {
    return absl::UnavailableError(absl::StrCat("libLLVM lacks functions of LLVM 19:", missing));
  }
  return &api;
}

}  // namespace

absl::StatusOr<const LlvmApi*> LlvmApi::Get() {
  static const absl::StatusOr<const LlvmApi*> result = Load();
  return result;
}

}  // namespace xla::cpu
