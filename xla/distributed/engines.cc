// SPDX-License-Identifier: Apache-2.0
// Loads the modules of engines. They stay loaded: their threads may outlive what uses them.
#include "xla/distributed/engines.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "xla/base/status_macros.h"
#include "xla/distributed/address.h"
#include "xla/distributed/engine_module.h"

namespace xla::distributed {
namespace {

// The folder of the library or command that this code is linked into; empty if it is unknown.
std::string OwnFolder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&OwnFolder), &info) == 0 || info.dli_fname == nullptr)
    return "";
  const std::filesystem::path file = info.dli_fname;
  if (file.has_parent_path()) return file.parent_path().string();
  // A command is named as it was called, perhaps without its folder, which is one of PATH.
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path().string();
}

absl::StatusOr<EngineFunction*> LoadEngine(absl::string_view name, const std::string& folder,
                                           absl::string_view packages, int mode) {
  const std::string file = absl::StrCat("libxylem_", name, ".so");
  std::vector<std::string> candidates;
  if (!folder.empty()) {
    candidates = {absl::StrCat(folder, "/", file)};
  } else {
    const std::string own = OwnFolder();
    if (!own.empty()) {
      // They are installed beside the plugin, in a folder below that of the libraries, of which
      // Debian has one for each architecture: seen from the plugin, the library, the command.
      for (const char* const from : {"/", "/xylem/", "/../lib/xylem/", "/../lib64/xylem/",
                                     "/../lib/" XYLEM_LIBRARY_ARCHITECTURE "/xylem/"}) {
        candidates.push_back(absl::StrCat(own, from, file));
      }
    }
    candidates.push_back(file);
  }
  std::vector<std::string> failures;
  for (const std::string& candidate : candidates) {
    void* const module = dlopen(candidate.c_str(), RTLD_NOW | mode);
    if (module == nullptr) {
      const char* const error = dlerror();
      failures.emplace_back(error == nullptr ? candidate : error);
      continue;
    }
    void* const function = dlsym(module, kEngineFunction);
    if (function != nullptr) return reinterpret_cast<EngineFunction*>(function);
    failures.push_back(absl::StrCat(candidate, " is no module of Xylem"));
  }
  return absl::UnavailableError(absl::StrCat(
      "connecting processes by ", name, " needs ", file, ", which is built where ", packages,
      " installed, and loads its libraries: ", absl::StrJoin(failures, "; ")));
}

absl::StatusOr<std::unique_ptr<Transport>> Connect(EngineFunction* function,
                                                   EngineRequest request) {
  if (function(&request) != sizeof(EngineRequest))
    return absl::UnavailableError("the module that connects processes is of another build");
  XLA_RETURN_IF_ERROR(request.status);
  return std::move(request.transport);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> ConnectGloo(const GlooOptions& options,
                                                       std::shared_ptr<KeyValueStore> store) {
  XLA_ASSIGN_OR_RETURN(EngineFunction* const function,
                       LoadEngine("gloo", options.module_folder, "Debian's libgloo-dev is", 0));
  GlooOptions resolved = options;
  XLA_ASSIGN_OR_RETURN(resolved.address, ResolveAddress(options.address));
  EngineRequest request;
  request.gloo = &resolved;
  request.store = std::move(store);
  return Connect(function, std::move(request));
}

absl::StatusOr<std::unique_ptr<Transport>> ConnectMpi(const MpiOptions& options) {
  // MPI loads components that look for its symbols among those of the process.
  XLA_ASSIGN_OR_RETURN(
      EngineFunction* const function,
      LoadEngine("mpi", options.module_folder,
                 "an MPI (Debian's libopenmpi-dev or libmpich-dev) is", RTLD_GLOBAL));
  return Connect(function, EngineRequest());
}

}  // namespace xla::distributed
