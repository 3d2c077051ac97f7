// SPDX-License-Identifier: Apache-2.0
// Runs programs on several devices, with arguments and results as plain vectors.
#ifndef TESTS_INTERP_REPLICATED_TEST_UTIL_H_
#define TESTS_INTERP_REPLICATED_TEST_UTIL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"

namespace xla::testing {

// Parses, verifies and runs. arguments[device][parameter].
inline absl::StatusOr<std::vector<Literal>> RunReplicated(
    const std::string& text, int64_t replicas, int64_t partitions,
    const std::vector<std::vector<Literal>>& arguments = {},
    const InterpreterOptions& options = {}) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseAndReturnUnverifiedModule(text);
  if (!module.ok()) return module.status();
  if (const absl::Status status = VerifyModule(**module); !status.ok()) return status;
  std::vector<std::vector<const Literal*>> pointers(static_cast<size_t>(replicas * partitions));
  for (size_t device = 0; device < arguments.size(); ++device) {
    for (const Literal& argument : arguments[device]) pointers[device].push_back(&argument);
  }
  return InterpretReplicated(**module, replicas, partitions, pointers, options);
}

// What each device gives, on one line; or the error.
inline std::vector<std::string> RunToStrings(
    const std::string& text, int64_t replicas, int64_t partitions,
    const std::vector<std::vector<Literal>>& arguments = {},
    const InterpreterOptions& options = {}) {
  const auto results = RunReplicated(text, replicas, partitions, arguments, options);
  if (!results.ok()) return {std::string(results.status().message())};
  std::vector<std::string> strings;
  for (const Literal& result : *results) strings.push_back(result.ToStringWithoutShapeOneline());
  return strings;
}

}  // namespace xla::testing

#endif  // TESTS_INTERP_REPLICATED_TEST_UTIL_H_
