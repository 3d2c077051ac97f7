// SPDX-License-Identifier: Apache-2.0
// What snapshots recorded of a run, and messages that are told apart without a word of libprotobuf.
#include <gtest/gtest.h>

#include <string>

#include "tests/test_util.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal_util.h"
#include "xla/service/hlo.pb.h"

namespace xla {
namespace {

HloModuleProto AddProto() {
  const auto module = ParseAndReturnUnverifiedModule(
      "HloModule add\nENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] add(x, x) }");
  return ModuleToProto(**module).value();
}

TEST(SnapshotTest, ArgumentsAndResult) {
  HloSnapshot snapshot;
  *snapshot.mutable_hlo()->mutable_hlo_module() = AddProto();
  *snapshot.add_arguments() = LiteralUtil::CreateR1<float>({1, 2}).ToProto();
  ASSERT_OK_AND_ASSIGN(ModuleAndValues read,
                       ParseSnapshotFromProtoBytes(snapshot.SerializeAsString()));
  EXPECT_EQ(read.module->name(), "add");
  ASSERT_EQ(read.arguments.size(), 1u);
  EXPECT_EQ(read.arguments[0], LiteralUtil::CreateR1<float>({1, 2}));
  EXPECT_FALSE(read.result.has_value());
  *snapshot.mutable_result() = LiteralUtil::CreateR1<float>({2, 4}).ToProto();
  ASSERT_OK_AND_ASSIGN(read, ParseSnapshotFromProtoBytes(snapshot.SerializeAsString()));
  ASSERT_TRUE(read.result.has_value());
  EXPECT_EQ(*read.result, LiteralUtil::CreateR1<float>({2, 4}));
}

TEST(SnapshotTest, UnoptimizedSnapshots) {
  HloUnoptimizedSnapshot snapshot;
  *snapshot.mutable_hlo_module() = AddProto();
  *snapshot.add_partitions()->add_arguments() = LiteralUtil::CreateR1<float>({1, 2}).ToProto();
  ASSERT_OK_AND_ASSIGN(ModuleAndValues read,
                       ParseSnapshotFromProtoBytes(snapshot.SerializeAsString()));
  EXPECT_EQ(read.arguments.size(), 1u);
  snapshot.add_partitions();  // the arguments of two devices are not those of one
  ASSERT_OK_AND_ASSIGN(read, ParseSnapshotFromProtoBytes(snapshot.SerializeAsString()));
  EXPECT_EQ(read.arguments.size(), 0u);
}

TEST(SnapshotTest, OtherMessagesRecordNothing) {
  HloProto hlo;
  *hlo.mutable_hlo_module() = AddProto();
  for (const std::string& bytes : {hlo.SerializeAsString(), AddProto().SerializeAsString()}) {
    ASSERT_OK_AND_ASSIGN(const ModuleAndValues read, ParseSnapshotFromProtoBytes(bytes));
    EXPECT_EQ(read.arguments.size(), 0u);
    EXPECT_FALSE(read.result.has_value());
  }
}

TEST(SnapshotTest, LiteralsThatLieAreErrors) {
  HloSnapshot snapshot;
  *snapshot.mutable_hlo()->mutable_hlo_module() = AddProto();
  *snapshot.add_arguments() = LiteralUtil::CreateR1<float>({1, 2}).ToProto();
  snapshot.mutable_arguments(0)->clear_f32s();
  EXPECT_ERROR(ParseSnapshotFromProtoBytes(snapshot.SerializeAsString()),
               "argument 0 of the snapshot: ");
  snapshot.clear_arguments();
  snapshot.mutable_result()->mutable_shape()->set_element_type(F32);
  EXPECT_ERROR(ParseSnapshotFromProtoBytes(snapshot.SerializeAsString()),
               "the result of the snapshot: ");
}

// Bytes of a wrapper are no valid text of a module's name.
TEST(SnapshotTest, NothingIsPrinted) {
  HloSnapshot snapshot;
  *snapshot.mutable_hlo()->mutable_hlo_module() = AddProto();
  ::testing::internal::CaptureStderr();
  EXPECT_OK(ParseModuleFromProtoBytes(snapshot.SerializeAsString()).status());
  EXPECT_OK(ParseSnapshotFromProtoBytes(snapshot.SerializeAsString()).status());
  EXPECT_FALSE(ParseModuleFromProtoBytes("\n\x03\xff\xfe\xfd").ok());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace xla
