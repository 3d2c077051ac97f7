// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/llvm_api.h"

#include <dlfcn.h>

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/llvm_options.h"

namespace xla::cpu {
namespace {

#if defined(__x86_64__)
constexpr char kTarget[] = "X86";
#elif defined(__aarch64__)
constexpr char kTarget[] = "AArch64";
#else
#error "the compiler generates code for x86-64 and AArch64"
#endif

// Throws, as operator new does when there is no memory: LLVM itself would end the process.
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

// Whether the process finds the function in this library or nowhere yet, so that nothing replaces
// it.
bool IsOwn(const char* library, const char* function) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return dlsym(RTLD_DEFAULT, function) == nullptr;
  const bool is_own = dlsym(handle, function) == dlsym(RTLD_DEFAULT, function);
  dlclose(handle);
  return is_own;
}

// LLVM's own functions take precedence, though the host may export another LLVM (as TensorFlow
// does). Not if the host replaces the functions that manage memory: LLVM would then find the
// system's, and one would free what the other has allocated.
int OpenFlags() {
  const bool deep = !kIsSanitized && IsOwn("libc.so.6", "malloc") && IsOwn("libc.so.6", "free") &&
                    IsOwn("libstdc++.so.6", "_Znwm") && IsOwn("libstdc++.so.6", "_ZdlPv");
  return RTLD_NOW | RTLD_LOCAL | (deep ? RTLD_DEEPBIND : 0);
}

// Returns NOT_FOUND if there is no such library.
absl::StatusOr<void*> OpenLibrary(int major) {
  const int flags = OpenFlags();
  std::string reason;
  // The names that LLVM itself, Debian, and builds by older scripts use.
  for (const std::string& name :
       {absl::StrCat("libLLVM.so.", major, ".1"), absl::StrCat("libLLVM-", major, ".so.1"),
        absl::StrCat("libLLVM-", major, ".so")}) {
    if (void* const library = dlopen(name.c_str(), flags)) return library;
    const char* message = dlerror();
    if (message == nullptr) return absl::ResourceExhaustedError("no memory to load LLVM");
    // Another name helps only if there is no such file; a library that this one needs may also be
    // missing. If memory was short, glibc may keep the library as loaded although its constructors
    // have not run.
    if (absl::StartsWith(message, absl::StrCat(name, ": ")) &&
        absl::StrContains(message, "No such file"))
      continue;
    reason = message;
    break;
  }
  if (reason.empty())
    return absl::NotFoundError(absl::StrCat("there is no libLLVM.so.", major, ".1"));
  // The messages of the C library's loader, which needs memory of its own.
  for (const char* lack : {"annot allocate", "annot create", "annot map"}) {
    if (absl::StrContains(reason, lack)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("no memory to load LLVM ", major, ": ", reason));
    }
  }
  return absl::UnavailableError(absl::StrCat("LLVM ", major, " cannot be loaded: ", reason));
}

std::string Versions() {
  std::vector<int> majors;
  for (const LlvmVersion& version : kLlvmVersions) majors.push_back(version.major);
  std::sort(majors.begin(), majors.end());
  return absl::StrCat(majors.front(), " to ", majors.back());
}

absl::StatusOr<LlvmApi> LoadAny() {
  std::vector<std::string> reasons;
  for (const LlvmVersion& version : kLlvmVersions) {
    absl::StatusOr<LlvmApi> api = LlvmApi::Load(version);
    if (api.ok() || absl::IsResourceExhausted(api.status())) return api;
    if (!absl::IsNotFound(api.status())) reasons.emplace_back(api.status().message());
  }
  return absl::UnavailableError(absl::StrCat(
      "the compiler needs LLVM, of a version from ", Versions(), " (Debian's package libllvm",
      kLlvmVersions[0].major,
      "): ", reasons.empty() ? "no libLLVM is installed" : absl::StrJoin(reasons, "; ")));
}

}  // namespace

absl::StatusOr<LlvmApi> LlvmApi::Load(const LlvmVersion& version) {
  XLA_ASSIGN_OR_RETURN(void* const library, OpenLibrary(version.major));
  InstallOutOfMemoryHandler(library);
  LlvmApi api;
  api.version = &version;
  std::string missing;
  const auto find = [&](const char* name) {
    void* const function = dlsym(library, name);
    if (function == nullptr) absl::StrAppend(&missing, " ", name);
    return function;
  };
#define LLVM_FUNCTION(name) api.name = reinterpret_cast<decltype(&::name)>(find(#name));
#include "xla/cpu/codegen/llvm_functions.def"
#undef LLVM_FUNCTION
  for (const char* part : {"TargetInfo", "Target", "TargetMC", "AsmPrinter"}) {
    const auto initialize =
        reinterpret_cast<void (*)()>(find(absl::StrCat("LLVMInitialize", kTarget, part).c_str()));
    if (initialize != nullptr) initialize();
  }
  // Other machines, for objects that are linked elsewhere, where this LLVM generates code for them.
  for (const char* target : {"X86", "AArch64"}) {
    for (const char* part : {"TargetInfo", "Target", "TargetMC", "AsmPrinter"}) {
      void* const initialize = dlsym(library, absl::StrCat("LLVMInitialize", target, part).c_str());
      if (initialize != nullptr) reinterpret_cast<void (*)()>(initialize)();
    }
  }
  if (!missing.empty()) {
    return absl::UnavailableError(
        absl::StrCat("libLLVM lacks functions of LLVM ", version.major, ":", missing));
  }
  SetLlvmOptions(api);
  return api;
}

absl::StatusOr<const LlvmApi*> LlvmApi::Get() {
  // Never destroyed, like the library itself.
  static const auto* const result = new absl::StatusOr<LlvmApi>(LoadAny());
  if (!result->ok()) return result->status();
  return &**result;
}

}  // namespace xla::cpu
