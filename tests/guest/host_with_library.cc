// SPDX-License-Identifier: Apache-2.0
// A host that uses libxylem.so, compiles and runs a program with it, and the plugin beside it.
#include <dlfcn.h>

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "tests/guest/run_program.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/literal.h"
#include "xla/literal_util.h"

namespace {

absl::Status RunOnLibrary() {
  xla::XlaBuilder builder("beside");
  const xla::Shape shape = xla::ShapeUtil::MakeShape(xla::F32, {4});
  const xla::XlaOp x = xla::Parameter(&builder, 0, shape, "x");
  xla::Add(xla::Sin(x), x);
  auto computation = builder.Build();
  if (!computation.ok()) return computation.status();
  auto client = xla::ClientLibrary::GetOrCreateLocalClient();
  if (!client.ok()) return client.status();
  auto executables = (*client)->Compile(*computation, {&shape}, xla::ExecutableBuildOptions());
  if (!executables.ok()) return executables.status();
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  const auto succeeds = [] {
    const absl::Status status = RunOnLibrary();
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return status.ok();
  };
  if (argc > 2 && !succeeds()) return 1;  // the library first
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  using Entry = const PJRT_Api* (*)();
  const PJRT_Api* const api = reinterpret_cast<Entry>(dlsym(library, "GetPjrtApi"))();
  return guest::RunProgram(*api) && succeeds() && guest::RunProgram(*api) ? 0 : 1;
}
