// SPDX-License-Identifier: Apache-2.0
// Results that a run is expected to have, from a file: --expect of `xylem run`.
#ifndef XYLEM_TOOLS_EXPECTATION_H_
#define XYLEM_TOOLS_EXPECTATION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/array_file.h"
#include "tools/command.h"
#include "tools/named_outputs.h"
#include "xla/error_spec.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// --expect, --abs, --rel and --ulp.
std::vector<OptionSpec> ExpectOptions();

class Expectation {
 public:
  // Empty without --expect. INVALID_ARGUMENT for bounds that are no numbers, or without a file.
  static absl::StatusOr<std::optional<Expectation>> Create(const Arguments& arguments);

  // A sentence for each output that is not as expected: within the bounds that were given, else
  // within what rounding explains. Outputs are matched by name, or by position where no name of the
  // file is that of an output. An error if one of them is missing on either side.
  absl::StatusOr<std::vector<std::string>> Differences(
      const HloModule& module, const std::vector<NamedLiteral>& outputs) const;

 private:
  Expectation(std::string path, ArrayFile file, std::optional<ErrorSpec> bounds)
      : path_(std::move(path)), file_(std::move(file)), bounds_(bounds) {}
  absl::StatusOr<std::vector<size_t>> Match(const std::vector<NamedLiteral>& outputs) const;

  std::string path_;
  ArrayFile file_;
  std::optional<ErrorSpec> bounds_;
};

}  // namespace xla

#endif  // XYLEM_TOOLS_EXPECTATION_H_
