// SPDX-License-Identifier: Apache-2.0
// Programs with shardings: arguments and results are shards.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/test_util.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

TEST(LocalClientSharding, ArgumentsAndResultsAreShards) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=4
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
ENTRY e {
  x = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  y = f32[8] multiply(x, x)
  z = f32[] constant(0)
  s = f32[] reduce(y, z), dimensions={0}, to_apply=add
  b = f32[8] broadcast(s), dimensions={}
  ROOT r = f32[8] add(b, x), sharding={devices=[4]<=[4]}
})"));
  ASSERT_OK_AND_ASSIGN(const auto client,
                       ClientLibrary::MakeLocalClient(LocalClientOptions().set_device_count(4)));
  const Shape full = ShapeUtil::MakeShape(F32, {8});
  ExecutableBuildOptions options;
  options.set_num_partitions(4).set_use_spmd_partitioning(true);
  ASSERT_OK_AND_ASSIGN(const auto executables,
                       client->Compile(XlaComputation(module->ToProto()), {&full}, options));
  std::vector<ScopedShapedBuffer> buffers;
  std::vector<std::vector<const ShapedBuffer*>> arguments;
  DeviceAssignment assignment(1, 4);
  for (int p = 0; p < 4; ++p) {
    assignment(0, p) = p;
    const auto shard = LiteralUtil::CreateR1<float>({2.0f * p, 2.0f * p + 1});
    ASSERT_OK_AND_ASSIGN(ScopedShapedBuffer buffer, client->LiteralToShapedBuffer(shard, p));
    buffers.push_back(std::move(buffer));
  }
  for (const ScopedShapedBuffer& buffer : buffers) arguments.push_back({&buffer});
  ExecutableRunOptions run_options;
  run_options.set_device_assignment(&assignment);
  ASSERT_OK_AND_ASSIGN(const auto results, executables[0]->RunReplicated(arguments, run_options));
  for (int p = 0; p < 4; ++p) {
    ASSERT_OK_AND_ASSIGN(const Literal result, client->ShapedBufferToLiteral(results[p]));
    EXPECT_EQ(result, LiteralUtil::CreateR1<float>({140 + 2.0f * p, 141 + 2.0f * p}));
  }
}

}  // namespace
}  // namespace xla
