// SPDX-License-Identifier: Apache-2.0
// The examples of docs/operations.md, changed in one place, give compiled what the interpreter
// gives.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/interp/bounded_run.h"
#include "tests/variants/expected.h"
#include "tests/variants/text_variants.h"
#include "tools/self_check.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"

namespace xla::testing {
namespace {

// Of a check that fails, how many elements differ: fusions have other names, and of several equal
// errors any may be called the worst. Of several devices, any may fail first.
std::string ResultOf(const absl::Status& status, bool several) {
  if (status.ok()) return "runs";
  absl::string_view message = status.message();
  const size_t check = message.find("check failed");
  if (check != absl::string_view::npos) message.remove_prefix(check);
  if (several) return "fails";
  return OneLine(RoundedNumbers(message.substr(0, message.find("; the worst"))));
}

// On the module's devices; stopped after a while if the interpreter does not end.
absl::Status Run(const HloModule& module, bool compiled) {
  BoundedOptions bounded(/*most_reports=*/10);
  InterpreterOptions& options = bounded.options;
  options.wait_timeout = absl::Seconds(20);
  options.custom_calls = CheckCustomCalls();
  return RunSelfChecking(module, options, compiled);
}

// What both give where they differ; else nothing.
std::string DifferenceOf(const std::string& text) {
  const auto module = ParseAndReturnUnverifiedModule(text);
  if (!module.ok() || !VerifyModule(**module).ok()) return "";
  const HloModuleConfig& config = (*module)->config();
  if ((*module)->entry_computation()->num_parameters() != 0 || config.replica_count() > 4 ||
      config.num_partitions() > 4) {
    return "";
  }
  const absl::Status interpreted = Run(**module, /*compiled=*/false);
  if (interpreted.code() == absl::StatusCode::kCancelled) return "";
  const absl::Status compiled = Run(**module, /*compiled=*/true);
  const bool several = config.replica_count() * config.num_partitions() > 1;
  const std::string expected = ResultOf(interpreted, several), result = ResultOf(compiled, several);
  // Errors may be worded otherwise.
  if (expected == result || (interpreted.code() == compiled.code() && !interpreted.ok() &&
                             !absl::StartsWith(expected, "check failed"))) {
    return "";
  }
  return absl::StrCat(expected, " | compiled: ", result);
}

TEST(CompiledVariants, Operations) {
  int64_t count = 0;
#ifndef NDEBUG
  GTEST_SKIP() << "debug builds verify programs after each pass, and refuse more of them";
#endif
  for (const auto& path : FilesOf(absl::StrCat(XYLEM_SOURCE_DIR, "/tests/operations"), ".hlo")) {
    const std::string name = path.stem().string(), call = absl::StrCat(" ", name, "(");
    std::vector<Variant> variants =
        TextVariants(ReadWholeFile(path.string()))
            .Make([&](absl::string_view text) { return absl::StrContains(text, call); }, false);
    for (const Variant& variant : variants) {
      ++count;
      EXPECT_EQ(DifferenceOf(variant.text), "") << name << " " << variant.change;
    }
  }
  EXPECT_GT(count, 1000);
}

}  // namespace
}  // namespace xla::testing
