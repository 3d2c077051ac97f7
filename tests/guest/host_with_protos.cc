// SPDX-License-Identifier: Apache-2.0
// A host that has XLA's protos itself, linked with the system's protobuf: loads the plugin, whose
// descriptors have the same names.
#include <dlfcn.h>

#include <cstdio>
#include <string>

#include "tests/guest/run_program.h"
#include "xla/pjrt/proto/compile_options.pb.h"
#include "xla/service/hlo.pb.h"

namespace {

bool UsesProtos() {
  xla::HloModuleProto module;
  module.set_name("host");
  module.add_computations()->add_instructions()->mutable_shape()->set_element_type(xla::F32);
  xla::CompileOptionsProto options;
  (*options.mutable_env_option_overrides())["a"].set_int_field(1);
  const std::string text = module.DebugString() + options.DebugString();  // by reflection
  xla::HloModuleProto copy;
  return copy.ParseFromString(module.SerializeAsString()) && copy.name() == "host" &&
         text.find("element_type: F32") != std::string::npos &&
         google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
             "xla.HloModuleProto") == xla::HloModuleProto::descriptor();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || !UsesProtos()) return 1;
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  using Entry = const PJRT_Api* (*)();
  const PJRT_Api* const api = reinterpret_cast<Entry>(dlsym(library, "GetPjrtApi"))();
  return guest::RunProgram(*api) && UsesProtos() && guest::RunProgram(*api) ? 0 : 1;
}
