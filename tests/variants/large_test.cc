// SPDX-License-Identifier: Apache-2.0
// Operations on arrays that are large enough for several threads: what the interpreter gives on one
// thread, on three, and what compiled code gives.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "tools/execute.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/layout_util.h"
#include "xla/literal.h"

namespace xla::testing {
namespace {

// The bytes of the arrays of each device, and their sizes at run time.
std::string BytesOf(const LiteralSlice& literal) {
  std::string bytes;
  if (literal.shape().IsTuple()) {
    for (int64_t i = 0; i < literal.shape().tuple_shapes_size(); ++i)
      absl::StrAppend(&bytes, BytesOf(LiteralSlice(literal, {i})));
    return bytes;
  }
  const Literal array =
      literal.ToStatic().Relayout(LayoutUtil::GetDefaultLayoutForRank(literal.shape().rank()));
  return absl::StrCat(array.shape().ToString(),
                      absl::string_view(static_cast<const char*>(array.untyped_data()),
                                        static_cast<size_t>(array.size_bytes())));
}

std::string Run(const HloModule& module, bool compiled, int threads) {
  InterpreterOptions options;
  options.num_threads = threads;
  const int64_t replicas = module.config().replica_count();
  const auto results = ExecuteReplicated(
      compiled, module, replicas, 1,
      std::vector<std::vector<const Literal*>>(static_cast<size_t>(replicas)), options);
  if (!results.ok()) return OneLine(results.status().message());
  std::string prints;
  for (const Literal& result : *results)
    absl::StrAppend(&prints, prints.empty() ? "" : " ", Fingerprint(BytesOf(result)));
  return prints;
}

void Expect(const std::string& name) {
  std::vector<std::string> lines;
  for (const ProgramOfLine& program : ReadProgramsOfLines(name, "large")) {
    lines.push_back(program.line);
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(program.text));
    ASSERT_OK(VerifyModule(*module)) << program.line;
    const std::string expected = Run(*module, /*compiled=*/false, 1);
    lines.push_back(absl::StrCat("  ", expected));
    EXPECT_EQ(Run(*module, /*compiled=*/false, 3), expected) << program.line;
    EXPECT_EQ(Run(*module, /*compiled=*/true, 3), expected) << program.line;
  }
  WriteOutcomes("large_" + name, lines);
}

TEST(Large, Operations) { Expect("operations"); }
TEST(Large, Devices) { Expect("devices"); }

}  // namespace
}  // namespace xla::testing
