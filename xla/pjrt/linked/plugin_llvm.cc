// SPDX-License-Identifier: Apache-2.0
// LLVM's C API from the plugin, for a command or library that is installed with it: replaces
// xla/cpu/codegen/llvm_api.cc.
#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/cpu/codegen/llvm_api.h"
#include "xla/pjrt/abi_llvm.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace xla::cpu {
namespace {

// Returns PREFIX/lib/libxylem_pjrt.so if this is PREFIX/bin/xylem or PREFIX/lib/libxylem_native.so.
std::string PluginPath() {
  // The name of an executable is what it was called by, which need not be a path.
  Dl_info info;
  const bool is_known = dladdr(reinterpret_cast<void*>(&PluginPath), &info) != 0;
  const absl::string_view name = is_known ? info.dli_fname : "";
  char path[PATH_MAX];
  const char* const file = absl::EndsWith(name, ".so") ? info.dli_fname : "/proc/self/exe";
  std::string prefix = realpath(file, path) != nullptr ? path : "";
  for (int level = 0; level < 2; ++level) {
    const size_t slash = prefix.rfind('/');
    prefix.resize(slash == std::string::npos ? 0 : slash);
  }
  return absl::StrCat(prefix, "/lib/libxylem_pjrt.so");
}

absl::StatusOr<const LlvmApi*> LoadFromPlugin() {
  const std::string path = PluginPath();
  const auto error = [&](const char* reason) {
    return absl::UnavailableError(absl::StrCat(
        "the compiler is in the plugin that was installed with this: ", path, ": ", reason));
  };
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return error(dlerror());
  const auto entry = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
  if (entry == nullptr) return error("it is not a plugin");
  for (const PJRT_Extension_Base* extension = entry()->extension_start; extension != nullptr;
       extension = extension->next) {
    if (extension->type != kXylemLlvmExtension) continue;
    const auto* llvm = reinterpret_cast<const Xylem_Llvm_Extension*>(extension);
    if (std::string(llvm->version) != XYLEM_VERSION) return error("it has another version");
    const void* const functions = llvm->functions(sizeof(LlvmApi));
    if (functions == nullptr) break;
    return static_cast<const LlvmApi*>(functions);
  }
  return error("it has no LLVM");
}

}  // namespace

absl::StatusOr<LlvmApi> LlvmApi::Load(const LlvmVersion& version) {
  const absl::StatusOr<const LlvmApi*> api = Get();
  if (!api.ok()) return api.status();
  if (version.major == (*api)->version->major) return **api;
  return absl::NotFoundError("the plugin has another version of LLVM");
}

absl::StatusOr<const LlvmApi*> LlvmApi::Get() {
  static const absl::StatusOr<const LlvmApi*> result = LoadFromPlugin();
  return result;
}

}  // namespace xla::cpu
