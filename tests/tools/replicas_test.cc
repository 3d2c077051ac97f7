// SPDX-License-Identifier: Apache-2.0
// Data of several devices from and to files.
#include "tools/replicas.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "tests/tools/tools_test_util.h"
#include "tools/device_grid.h"
#include "tools/named_outputs.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using testing::CommandLine;
using testing::Scalar;
using testing::WriteNpz;

constexpr char kProgram[] = R"(
HloModule m, replica_count=2, num_partitions=3
ENTRY e {
  a = s32[] parameter(0)
  b = (s32[], s32[]) parameter(1)
  ROOT r = s32[] add(a, a)
})";

TEST(ReplicasTest, TheModuleSaysHowManyUnlessTheOptionsDo) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(kProgram));
  ASSERT_OK_AND_ASSIGN(const Arguments none, CommandLine({"x.hlo"}));
  ASSERT_OK_AND_ASSIGN(const DeviceGrid own, ReadDeviceGrid(*module, none));
  EXPECT_EQ(own.replicas, 2);
  EXPECT_EQ(own.partitions, 3);
  ASSERT_OK_AND_ASSIGN(const Arguments given, CommandLine({"--replicas=4", "x.hlo"}));
  ASSERT_OK_AND_ASSIGN(const DeviceGrid grid, ReadDeviceGrid(*module, given));
  EXPECT_EQ(grid.count(), 12);
  ASSERT_OK_AND_ASSIGN(const Arguments many, CommandLine({"--replicas=1000", "x.hlo"}));
  EXPECT_ERROR(ReadDeviceGrid(*module, many), "1000 replicas of 3 partitions are not 1 to 1024");
}

TEST(ReplicasTest, AsManyDevicesAsThereMayBe) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(kProgram));
  const auto count = [&](const std::string& replicas,
                         const std::string& partitions) -> absl::StatusOr<int64_t> {
    XLA_ASSIGN_OR_RETURN(
        const Arguments arguments,
        CommandLine({"--replicas=" + replicas, "--partitions=" + partitions, "x"}));
    XLA_ASSIGN_OR_RETURN(const DeviceGrid grid, ReadDeviceGrid(*module, arguments));
    return grid.count();
  };
  for (const auto& [replicas, partitions] :
       {std::pair("1024", "1"), {"1", "1024"}, {"512", "2"}, {"32", "32"}}) {
    EXPECT_EQ(count(replicas, partitions).value_or(0), 1024) << replicas;
  }
  EXPECT_EQ(count("341", "3").value_or(0), 1023);
  EXPECT_ERROR(count("342", "3"), "342 replicas of 3 partitions are not 1 to 1024 devices");
  EXPECT_ERROR(count("1024", "2"), "1024 replicas of 2 partitions are not 1 to 1024 devices");
  EXPECT_ERROR(count("1025", "1"), "1025");
  EXPECT_ERROR(count("1", "1025"), "1025");
}

TEST(ReplicasTest, ArgumentsForAllAndForOne) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(kProgram));
  std::vector<std::pair<std::string, Literal>> arrays;
  for (int i = 0; i < 3; ++i) arrays.emplace_back(absl::StrCat("arg0", i), Scalar(i));
  arrays.emplace_back("device4/arg02", Scalar(42));
  arrays.emplace_back("device4/arg00", Scalar(40));
  const std::string path = WriteNpz("arguments", arrays);
  ASSERT_OK_AND_ASSIGN(const Arguments arguments, CommandLine({"--input", path, "x.hlo"}));
  ASSERT_OK_AND_ASSIGN(const auto values, ReadDeviceArguments(*module, {2, 3}, arguments));
  ASSERT_EQ(values.size(), 6u);
  for (size_t device = 0; device < 6; ++device) {
    ASSERT_EQ(values[device].size(), 2u);
    EXPECT_EQ(*values[device][0], Scalar(device == 4 ? 40 : 0));
    EXPECT_EQ(LiteralSlice(*values[device][1], {0}).Clone(), Scalar(1));
    EXPECT_EQ(LiteralSlice(*values[device][1], {1}).Clone(), Scalar(device == 4 ? 42 : 2));
  }
  EXPECT_ERROR(ReadDeviceArguments(*module, {1, 3}, arguments), "there is no device 4");
}

TEST(ReplicasTest, EveryDeviceDrawsItsOwnNumbers) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e { ROOT a = f32[8] parameter(0) })"));
  ASSERT_OK_AND_ASSIGN(const Arguments arguments, CommandLine({"--random", "3", "x.hlo"}));
  ASSERT_OK_AND_ASSIGN(const auto values, ReadDeviceArguments(*module, {2, 1}, arguments));
  EXPECT_NE(*values[0][0], *values[1][0]);
  ASSERT_OK_AND_ASSIGN(const Arguments none, CommandLine({"x.hlo"}));
  EXPECT_ERROR(ReadDeviceArguments(*module, {2, 1}, none), "argument 0 of device 0 is missing");
}

TEST(ReplicasTest, OutputsAreNamedByDevice) {
  runtime::Feeds feeds(2);
  runtime::HostChannels channels(2);
  ASSERT_OK(feeds.WriteOutfeed(Scalar(7), 1, {}));
  ASSERT_OK(channels.Send(Scalar(8), 0, 5, {}));
  std::vector<Literal> results;
  results.push_back(Scalar(1));
  results.push_back(Scalar(2));
  ASSERT_OK_AND_ASSIGN(const auto outputs,
                       CollectOutputs({2, 1}, std::move(results), feeds, channels));
  std::vector<std::string> texts;
  for (const NamedLiteral& output : outputs)
    texts.push_back(absl::StrCat(output.name, "=", output.value.ToStringWithoutShapeOneline()));
  EXPECT_EQ(texts, (std::vector<std::string>{"device0/out00=1", "device0/channel5_00=8",
                                             "device1/out00=2", "device1/outfeed00=7"}));
}

}  // namespace
}  // namespace xla
