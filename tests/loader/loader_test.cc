// SPDX-License-Identifier: Apache-2.0
// Programs from data in all formats, and arguments for them.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "google/protobuf/text_format.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/tests/test_utils.h"
#include "xla/tools/hlo_module_loader.h"

namespace xla {
namespace {

constexpr char kText[] =
    "HloModule add\n\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT r = f32[2] add(x, x)\n}\n";

TEST(HloModuleLoaderTest, ReadsAllFormats) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(kText));
  HloSnapshot snapshot;
  ASSERT_OK_AND_ASSIGN(*snapshot.mutable_hlo()->mutable_hlo_module(), ModuleToProto(*module));
  std::string text;
  ASSERT_TRUE(google::protobuf::TextFormat::PrintToString(snapshot.hlo(), &text));
  for (const auto& [data, format] : std::vector<std::pair<std::string, std::string>>{
           {kText, "hlo"},
           {kText, "txt"},
           {snapshot.SerializeAsString(), "pb"},
           {snapshot.hlo().SerializeAsString(), "pb"},
           {snapshot.hlo().hlo_module().SerializeAsString(), "pb"},
           {text, "pbtxt"}}) {
    SCOPED_TRACE(format);
    ASSERT_OK_AND_ASSIGN(const auto read, LoadModuleFromData(data, format));
    EXPECT_EQ(read->name(), "add");
    EXPECT_EQ(read->entry_computation()->root_instruction()->opcode(), HloOpcode::kAdd);
    EXPECT_TRUE(read->entry_computation_layout().result().has_layout());
  }
  EXPECT_ERROR(LoadModuleFromData(kText, "xyz"), "Invalid format from file extension: 'xyz'");
  EXPECT_ERROR(LoadModuleFromData("nothing", "pb"), "no HloSnapshot, HloProto or HloModuleProto");
  EXPECT_ERROR(LoadModuleFromData("nothing", "pbtxt"), "no HloSnapshot");
  EXPECT_ERROR(LoadModuleFromFile("/does/not/exist.hlo"), "cannot open /does/not/exist.hlo");
}

TEST(HloModuleLoaderTest, FilesAndConfigs) {
  const std::string path = ::testing::TempDir() + "loader_test.hlo";
  std::ofstream(path) << kText;
  hlo_module_loader_details::Config config;
  config.num_replicas = 4;
  ASSERT_OK_AND_ASSIGN(const auto module,
                       LoadModuleFromFile(path, "", config, [](HloModuleConfig* changed) {
                         changed->set_num_partitions(2);
                       }));
  EXPECT_EQ(module->config().replica_count(), 4);
  EXPECT_EQ(module->config().num_partitions(), 2);
}

TEST(HloModuleLoaderTest, HeadersOfLogsAreLeftOut) {
  EXPECT_EQ(StripLogHeaders("I0102 03:04:05.678901 7 file.cc:8] HloModule m\nE  x = 1\n"),
            "HloModule m\nE  x = 1\n");
  EXPECT_EQ(StripLogHeaders("I0102 03:04:05.678901    7 a/b.cc:812] \nplain"), "\nplain");
  ASSERT_OK(
      LoadModuleFromData("I0102 03:04:05.678901 7 f.cc:8] HloModule m\n"
                         "I0102 03:04:05.678901 7 f.cc:8] ENTRY e { ROOT x = f32[] parameter(0) }",
                         "txt"));
}

TEST(FakeArgumentsTest, FitTheProgram) {
  ASSERT_OK_AND_ASSIGN(const auto module, LoadModuleFromData(R"(HloModule m
less {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT
}
ENTRY e {
  x = f32[100] parameter(0)
  start = s32[] parameter(1)
  keys = s32[50] parameter(2)
  pair = (f32[2], token[]) parameter(3)
  part = f32[10] dynamic-slice(x, start), dynamic_slice_sizes={10}
  sorted = s32[50] sort(keys), dimensions={0}, to_apply=less
  ROOT r = (f32[10], s32[50]) tuple(part, sorted)
})",
                                                             "hlo"));
  std::minstd_rand0 engine;
  for (int i = 0; i < 20; ++i) {
    ASSERT_OK_AND_ASSIGN(const auto arguments, MakeFakeArguments(module.get(), &engine));
    ASSERT_EQ(arguments.size(), 4u);
    EXPECT_TRUE(arguments[0].shape().IsArray());
    EXPECT_GE(arguments[1].Get<int32_t>({}), 0);
    EXPECT_LE(arguments[1].Get<int32_t>({}), 90);
    const auto keys = arguments[2].data<int32_t>();
    EXPECT_EQ(std::set<int32_t>(keys.begin(), keys.end()).size(), 50u);
    EXPECT_TRUE(arguments[3].shape().IsTuple());
  }
  ASSERT_OK_AND_ASSIGN(const auto once, MakeFakeArguments(module.get()));
  ASSERT_OK_AND_ASSIGN(const auto again, MakeFakeArguments(module.get()));
  EXPECT_EQ(once[0], again[0]);
}

}  // namespace
}  // namespace xla
