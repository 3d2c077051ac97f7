// SPDX-License-Identifier: Apache-2.0
// Metadata of instructions keeps every field of OpMetadata, known or not.
#include "xla/hlo/ir/instruction_metadata.h"

#include <string>

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

OpMetadata Parse(const std::string& text) {
  OpMetadata proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

std::string RoundTrip(const OpMetadata& proto) {
  return InstructionMetadata::FromProto(proto).ToProto().SerializeAsString();
}

TEST(InstructionMetadata, NoFieldIsLost) {
  for (const char* text : {
           "",
           "op_type: 'add' op_name: 'jit(f)/add'",
           "source_file: 'f.py' source_line: 1 source_end_line: 2 source_column: 3 "
           "source_end_column: 4",
           "stack_frame_id: 5",
           "profile_type: WINDOW profile_type: INTEGER",
           "profile_info { profile_type: FLAG relative_speedup: 1.5 "
           "profile_generation_strategy: PROFILE_GENERATION_STRATEGY_CFO }",
           "size_of_generated_code_in_bytes: 6 size_of_memory_working_set_in_bytes: 7",
           "deduplicated_name: 'add.1' scheduling_name: 'first'",
           "metadata_payload { value: 'bytes' }",
           "metadata_payload { value: '' }",
           "metadata_payload { id: 3 }",
           "metadata_payload { }",
           "op_name: 'all' deduplicated_name: 'd' metadata_payload { value: 'v' } "
           "profile_info { }",
       }) {
    const OpMetadata proto = Parse(text);
    EXPECT_EQ(RoundTrip(proto), proto.SerializeAsString()) << text;
  }
}

// What most instructions have takes no memory beside the instruction.
TEST(InstructionMetadata, CommonFieldsNeedNoExtraMemory) {
  for (const std::string text :
       {"op_type: 'a'", "op_name: 'a'", "source_file: 'a'", "source_line: 1", "source_end_line: 2",
        "source_column: 3", "source_end_column: 4", "stack_frame_id: 5"}) {
    EXPECT_FALSE(InstructionMetadata::FromProto(Parse(text)).rare.has_value()) << text;
  }
  for (const std::string text :
       {"profile_type: WINDOW", "deduplicated_name: 'a'", "scheduling_name: 'a'"}) {
    EXPECT_TRUE(InstructionMetadata::FromProto(Parse(text)).rare.has_value()) << text;
  }
}

TEST(InstructionMetadata, UnknownFieldsAreKept) {
  OpMetadata proto = Parse("op_name: 'n' metadata_payload { value: 'v' } profile_info { }");
  const auto add_unknown = [](google::protobuf::Message* message, int number) {
    message->GetReflection()->MutableUnknownFields(message)->AddVarint(number, 9);
  };
  add_unknown(&proto, 1000);
  add_unknown(proto.mutable_metadata_payload(), 1001);
  add_unknown(proto.mutable_profile_info(), 1002);
  EXPECT_EQ(RoundTrip(proto), proto.SerializeAsString());
}

TEST(InstructionMetadata, FieldsThatFewProgramsSetTakeNoRoom) {
  EXPECT_FALSE(InstructionMetadata::FromProto(Parse("op_name: 'n' stack_frame_id: 1")).rare);
  const InstructionMetadata named = InstructionMetadata::FromProto(Parse("scheduling_name: 's'"));
  ASSERT_TRUE(named.rare);
  EXPECT_EQ(named.rare->scheduling_name, "s");
  EXPECT_TRUE(InstructionMetadata().IsEmpty());
  EXPECT_FALSE(named.IsEmpty());
}

}  // namespace
}  // namespace xla
