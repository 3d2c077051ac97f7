// SPDX-License-Identifier: Apache-2.0
// The passes by name. Each is a free function in a header of its own; this table is how the runner
// (pipeline.h), the command and the tests find them.
#ifndef XLA_PASSES_PASS_H_
#define XLA_PASSES_PASS_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

struct Pass {
  std::string_view name;     // "dce"
  std::string_view summary;  // one line
  // Changes a verified module to a verified module that computes the same. Returns whether anything
  // changed. After an error the module is still well-formed, though it may be partly changed.
  absl::StatusOr<bool> (*run)(HloModule* module);
};

// In alphabetical order.
absl::Span<const Pass> AllPasses();
// Returns the pass with the name, of `more` or of AllPasses. NotFound, naming the nearest name, if
// there is none.
absl::StatusOr<const Pass*> FindPass(std::string_view name, absl::Span<const Pass> more = {});

}  // namespace xla

#endif  // XLA_PASSES_PASS_H_
