// SPDX-License-Identifier: Apache-2.0
// Programs as HLO text on a client, for the tests of runs and launches.
#ifndef TESTS_CLIENT_EXECUTION_TEST_UTIL_H_
#define TESTS_CLIENT_EXECUTION_TEST_UTIL_H_

#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"

namespace xla {

inline std::unique_ptr<LocalClient> MakeClient(const LocalClientOptions& options = {}) {
  auto client = ClientLibrary::MakeLocalClient(options);
  EXPECT_OK(client);
  return *std::move(client);
}

inline absl::StatusOr<std::unique_ptr<LocalExecutable>> CompileText(
    LocalClient& client, std::string_view text, const ExecutableBuildOptions& options = {}) {
  XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(text));
  module->SetDefaultEntryLayout();
  XLA_ASSIGN_OR_RETURN(HloModuleProto proto, ModuleToProto(*module));
  std::vector<const Shape*> shapes;
  for (const Shape& shape : module->entry_computation_layout().parameters()) {
    shapes.push_back(&shape);
  }
  ExecutableBuildOptions with_layout = options;
  with_layout.set_result_layout(module->entry_computation_layout().result());
  XLA_ASSIGN_OR_RETURN(auto executables,
                       client.Compile(XlaComputation(std::move(proto)), shapes, with_layout));
  return std::move(executables[0]);
}

inline int64_t ThreadsNow() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

}  // namespace xla

#endif  // TESTS_CLIENT_EXECUTION_TEST_UTIL_H_
