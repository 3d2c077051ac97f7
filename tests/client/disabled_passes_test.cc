// SPDX-License-Identifier: Apache-2.0
// Programs of LocalClient compiled without passes: xla_disable_hlo_passes of build options, or of
// XLA_FLAGS.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/client/execution_test_util.h"
#include "tests/test_util.h"
#include "xla/cpu/cpu_pipeline.h"
#include "xla/cpu/program.h"
#include "xla/literal_util.h"
#include "xla/service/cpu_compile_options.h"

namespace xla {
namespace {

constexpr char kProgram[] = R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}
less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT is_less = pred[] compare(a, b), direction=LT
}
ENTRY e {
  x = f32[4,4] parameter(0)
  y = f32[4,4] exponential(x)
  z = f32[4,4] subtract(y, x)
  product = f32[4,4] dot(z, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  sorted = f32[4,4] sort(product), dimensions={1}, to_apply=less
  zero = f32[] constant(0)
  ROOT sums = f32[4] reduce(sorted, zero), dimensions={1}, to_apply=add
})";

class DisabledPassesTest : public ::testing::Test {
 protected:
  DisabledPassesTest() { unsetenv("XLA_FLAGS"); }
  ~DisabledPassesTest() override { unsetenv("XLA_FLAGS"); }

  struct Outcome {
    absl::Status status;
    bool has_fusions = false;
    Literal sums;
  };
  static Outcome Run(const ExecutableBuildOptions& options = {}) {
    const auto client = MakeClient();
    const auto executable = CompileText(*client, kProgram, options);
    if (!executable.ok()) return {executable.status()};
    Outcome outcome;
    outcome.has_fusions =
        absl::StrContains((*executable)->executable()->optimized_module().ToString(), " fusion(");
    const auto x = client->LiteralToShapedBuffer(
        LiteralUtil::CreateFullWithDescendingLayout<float>({4, 4}, 1), 0);
    EXPECT_OK(x.status());
    const auto result = (*executable)->Run({&*x}, ExecutableRunOptions());
    EXPECT_OK(result.status());
    if (result.ok()) outcome.sums = *client->ShapedBufferToLiteral(*result);
    return outcome;
  }
};

TEST_F(DisabledPassesTest, AreLeftOut) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "the compiler is not here";
  EXPECT_TRUE(Run().has_fusions);
  ExecutableBuildOptions options;
  options.mutable_debug_options()->add_xla_disable_hlo_passes("fuse");
  options.mutable_debug_options()->add_xla_disable_hlo_passes("a pass of another compiler");
  EXPECT_FALSE(Run(options).has_fusions);
  setenv("XLA_FLAGS", "--xla_disable_hlo_passes=another,fuse", 1);
  EXPECT_FALSE(Run().has_fusions);
}

// Some passes are needed: what is left is then said to be uncompilable.
TEST_F(DisabledPassesTest, TheOthersMakeTheSameProgramOrAnError) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "the compiler is not here";
  const Outcome all = Run();
  ASSERT_OK(all.status);
  int compiled = 0;
  const std::string pipeline = CpuPipeline(DefaultCpuCompileOptions()).ToString();
  for (const absl::string_view pass : absl::StrSplit(pipeline, absl::ByAnyChar(",()"))) {
    if (pass.empty() || pass == "fixpoint") continue;
    setenv("XLA_FLAGS", absl::StrCat("--xla_disable_hlo_passes=", pass).c_str(), 1);
    const Outcome without = Run();
    if (!without.status.ok()) {
      EXPECT_FALSE(without.status.message().empty()) << pass;
      continue;
    }
    ++compiled;
    EXPECT_EQ(without.sums, all.sums) << pass;
  }
  EXPECT_GT(compiled, 20);
}

}  // namespace
}  // namespace xla
