// SPDX-License-Identifier: Apache-2.0
// Programs that are divided into partitions, one for each of four devices.
#ifndef TESTS_PJRT_SHARDS_H_
#define TESTS_PJRT_SHARDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/pjrt/plugin.h"
#include "xla/pjrt/proto/compile_options.pb.h"

namespace xla::pjrt::testing {

using Values = std::vector<float>;
using Shards = std::vector<Values>;

inline constexpr int kDevices = 4;

// Null after an error, which goes to `error`.
inline PJRT_LoadedExecutable* CompileForAll(Plugin& plugin, std::string_view body,
                                            std::string* error) {
  CompileOptionsProto options;
  auto* build = options.mutable_executable_build_options();
  build->set_num_replicas(1);
  build->set_num_partitions(kDevices);
  build->set_use_spmd_partitioning(true);
  return plugin.Compile(absl::StrCat("module @program attributes {mhlo.num_partitions = 4 : i32} {",
                                     absl::string_view(body.data(), body.size()), "}"),
                        error, "mlir", options.SerializeAsString());
}

// Runs a program of one argument and one result on shards of the argument.
inline std::string RunOnAll(Plugin& plugin, PJRT_LoadedExecutable* executable,
                            const Shards& arguments, Shards* results) {
  std::string error;
  std::vector<PJRT_Buffer*> buffers(kDevices), outputs(kDevices);
  std::vector<PJRT_Buffer* const*> argument_lists;
  std::vector<PJRT_Buffer**> output_lists;
  for (size_t d = 0; d < kDevices; ++d) {
    buffers[d] = plugin.Floats(arguments[d], d);
    argument_lists.push_back(&buffers[d]);
    output_lists.push_back(&outputs[d]);
  }
  std::vector<PJRT_Event*> done(kDevices);
  auto run_options = New<PJRT_ExecuteOptions>();
  auto args = New<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &run_options;
  args.argument_lists = argument_lists.data();
  args.num_devices = kDevices;
  args.num_args = 1;
  args.output_lists = output_lists.data();
  args.device_complete_events = done.data();
  error = TextOf(Api().PJRT_LoadedExecutable_Execute(&args));
  if (error != "OK") return error;
  for (size_t d = 0; d < kDevices; ++d) {
    const std::string end = Await(done[d]);
    if (end != "OK") error = end;
    plugin.buffers.push_back(outputs[d]);
  }
  if (error != "OK") return error;
  results->clear();
  for (PJRT_Buffer* output : outputs) results->push_back(plugin.ToFloats(output));
  return "OK";
}

inline std::string RunOnShards(std::string_view body, const Shards& arguments, Shards* results) {
  Plugin plugin(kDevices);
  std::string error;
  PJRT_LoadedExecutable* executable = CompileForAll(plugin, body, &error);
  return executable == nullptr ? error : RunOnAll(plugin, executable, arguments, results);
}

}  // namespace xla::pjrt::testing

#endif  // TESTS_PJRT_SHARDS_H_
