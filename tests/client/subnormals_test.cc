// SPDX-License-Identifier: Apache-2.0
// Whether programs of LocalClient flush subnormal numbers: build options, or else XLA_FLAGS.
#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

#include "tests/client/execution_test_util.h"
#include "tests/test_util.h"
#include "xla/cpu/program.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

class ClientSubnormalsTest : public ::testing::Test {
 protected:
  ClientSubnormalsTest() { unsetenv("XLA_FLAGS"); }
  ~ClientSubnormalsTest() override { unsetenv("XLA_FLAGS"); }

  static float HalfOfLeastNormal(const ExecutableBuildOptions& options = {}) {
    const auto client = MakeClient();
    const auto executable = CompileText(*client, R"(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  half = f32[] constant(0.5)
  ROOT y = f32[] multiply(x, half)
})",
                                        options);
    EXPECT_OK(executable.status());
    const auto x = client->LiteralToShapedBuffer(LiteralUtil::CreateR0<float>(0x1p-126f), 0);
    EXPECT_OK(x.status());
    const auto result = (*executable)->Run({&*x}, ExecutableRunOptions());
    EXPECT_OK(result.status());
    return client->ShapedBufferToLiteral(*result)->data<float>()[0];
  }
};

TEST_F(ClientSubnormalsTest, AreKeptUnlessAskedOtherwise) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "the compiler is not here";
  EXPECT_EQ(HalfOfLeastNormal(), 0x1p-127f);
  ExecutableBuildOptions options;
  // Has XLA's default, true.
  options.mutable_debug_options()->set_xla_dump_hlo_as_text(false);
  EXPECT_EQ(HalfOfLeastNormal(options), 0x1p-127f);
  options.set_flush_subnormals(true);
  EXPECT_EQ(HalfOfLeastNormal(options), 0);
  setenv("XLA_FLAGS", "--xla_cpu_ftz=true", 1);
  EXPECT_EQ(HalfOfLeastNormal(), 0);
  options.set_flush_subnormals(false);
  EXPECT_EQ(HalfOfLeastNormal(options), 0x1p-127f);
}

}  // namespace
}  // namespace xla
