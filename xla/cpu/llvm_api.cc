// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/llvm_api.h"

#include <dlfcn.h>

#include <new>
#include <string>

#include "absl/strings/match.h"
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

// As operator new does where there is no memory: LLVM itself ends the process otherwise.
void OnOutOfMemory(void*, const char*, bool) {
  if (const std::new_handler handler = std::get_new_handler()) handler();
  throw std::bad_alloc();
}

// LLVM's C API has no function for this: llvm::install_bad_alloc_error_handler.
void InstallOutOfMemoryHandler(void* library) {
  using Handler = void (*)(void*, const char*, bool);
  void* const install = dlsym(library, "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");
  if (install != nullptr)
    reinterpret_cast<void (*)(Handler, void*)>(install)(OnOutOfMemory, nullptr);
}

#if defined(__SANITIZE_ADDRESS__) || defined(XYLEM_THREAD_SANITIZER)
constexpr bool kIsSanitized = true;
#elif defined(__clang__)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif
#else
constexpr bool kIsSanitized = false;
#endif

// Whether the process finds the function in this library, or nowhere yet: nothing replaces it.
bool IsOwn(const char* library, const char* function) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return dlsym(RTLD_DEFAULT, function) == nullptr;
  const bool is_own = dlsym(handle, function) == dlsym(RTLD_DEFAULT, function);
  dlclose(handle);
  return is_own;
}

// LLVM's own functions come first, though the host may have another LLVM for all to find (as
// TensorFlow has). Not if memory is managed by the host's functions: LLVM would then find the
// system's, and one would free what the other has allocated.
int OpenFlags() {
  const bool deep = !kIsSanitized && IsOwn("libc.so.6", "malloc") && IsOwn("libc.so.6", "free") &&
                    IsOwn("libstdc++.so.6", "_Znwm") && IsOwn("libstdc++.so.6", "_ZdlPv");
  return RTLD_NOW | RTLD_LOCAL | (deep ? RTLD_DEEPBIND : 0);
}

absl::StatusOr<const LlvmApi*> Load() {
  std::string reason;
  void* library = nullptr;
  const int flags = OpenFlags();
  for (const char* name : {"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so"}) {
    library = dlopen(name, flags);
    if (library != nullptr) break;
    const char* message = dlerror();
    if (message != nullptr && reason.empty()) reason = message;
    // Another name helps only where there is no such file. Where memory was short, glibc may keep
    // the library as one that is loaded, though its constructors have not run.
    if (message == nullptr || !absl::StrContains(message, "No such file")) break;
  }
  // As the C library's loader says it, which needs memory of its own.
  for (const char* lack : {"annot allocate", "annot create", "annot map"}) {
    if (library == nullptr && absl::StrContains(reason, lack))
      return absl::ResourceExhaustedError(absl::StrCat("no memory to load LLVM 19: ", reason));
  }
  if (library == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("the compiler needs LLVM 19 (Debian's package libllvm19): ",
                     reason.empty() ? "libLLVM.so.19.1 cannot be loaded" : reason));
  }
  InstallOutOfMemoryHandler(library);
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
