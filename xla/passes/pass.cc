// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/pass.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/passes/algebraic_simplifier.h"
#include "xla/passes/calls.h"
#include "xla/passes/dce.h"
#include "xla/passes/mixed_precision.h"

namespace xla {
namespace {

constexpr Pass kPasses[] = {
    {"algebraic-simplifier", "replaces expressions by cheaper ones of the same value",
     &SimplifyAlgebra},
    {"dce", "removes what no result and no effect depends on", &EliminateDeadCode},
    {"flatten-calls", "copies computations until each is called from one place only",
     &RunFlattenCalls},
    {"inline-calls", "replaces call instructions by what they call", &RunInlineCalls},
    {"mixed-precision", "writes conversions out where floating-point types meet",
     &RunResolveMixedPrecision},
};

}  // namespace

absl::Span<const Pass> AllPasses() { return kPasses; }

absl::StatusOr<const Pass*> FindPass(std::string_view name) {
  for (const Pass& pass : kPasses) {
    if (pass.name == name) return &pass;
  }
  return absl::NotFoundError(absl::StrCat(
      "there is no pass '", std::string(name), "'; there are: ",
      absl::StrJoin(kPasses, ", ", [](std::string* out, const Pass& pass) { *out += pass.name; })));
}

}  // namespace xla
