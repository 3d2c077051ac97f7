// SPDX-License-Identifier: Apache-2.0
// Machines and modules for tests of the planner.
#ifndef TESTS_SPMD_PLAN_TEST_UTIL_H_
#define TESTS_SPMD_PLAN_TEST_UTIL_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/spmd/machine_levels.h"
#include "xla/spmd/plan.h"

namespace xla::spmd::testing {

// Two hosts of four devices, in round numbers.
inline absl::StatusOr<MachineDescription> TwoHosts() {
  return ParseMachine(
      xla::testing::ReadTestFile(xla::testing::SourcePath("tests/spmd/plan_programs/machine.txt")));
}

inline absl::StatusOr<std::unique_ptr<HloModule>> VerifiedModule(absl::string_view text) {
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module,
                       ParseAndReturnUnverifiedModule(std::string_view(text.data(), text.size())));
  XLA_RETURN_IF_ERROR(VerifyModule(*module));
  return module;
}

inline absl::StatusOr<Plan> PlanOf(absl::string_view text, absl::string_view mesh) {
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, VerifiedModule(text));
  PlanOptions options;
  if (!mesh.empty()) {
    XLA_ASSIGN_OR_RETURN(options.mesh, ParsePlanMesh(std::string_view(mesh.data(), mesh.size())));
  }
  XLA_ASSIGN_OR_RETURN(options.machine, TwoHosts());
  return MakePlan(*module, options);
}

}  // namespace xla::spmd::testing

#endif  // TESTS_SPMD_PLAN_TEST_UTIL_H_
