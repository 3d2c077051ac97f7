// SPDX-License-Identifier: Apache-2.0
// The programs as XLA serialized them: each equals the same program read from text, and survives
// being written.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/test_util.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"

namespace xla {
namespace {

std::vector<std::string> Programs() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(testing::SourcePath("tests/programs"))) {
    if (std::filesystem::exists(entry.path() / "program.hlo.pb")) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Program : public ::testing::TestWithParam<std::string> {
 protected:
  std::string Read(const char* file) const {
    return testing::ReadTestFile(testing::SourcePath("tests/programs/" + GetParam() + "/" + file));
  }
};

TEST_P(Program, ProtoEqualsText) {
  ASSERT_OK_AND_ASSIGN(const auto from_text, ParseAndReturnUnverifiedModule(Read("program.hlo")));
  ASSERT_OK_AND_ASSIGN(const auto from_proto, ParseModuleFromProtoBytes(Read("program.hlo.pb")));
  EXPECT_OK(from_proto->CheckEqual(*from_text));
  EXPECT_EQ(from_proto->Hash(), from_text->Hash());
}

TEST_P(Program, WhatIsWrittenReadsBackEqualAndPrintsTheSame) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseModuleFromProtoBytes(Read("program.hlo.pb")));
  ASSERT_OK_AND_ASSIGN(const HloModuleProto proto, ModuleToProto(*module));
  ASSERT_OK_AND_ASSIGN(const auto again, CreateModuleFromProto(proto));
  EXPECT_OK(again->CheckEqual(*module));
  EXPECT_EQ(again->ToString(), module->ToString());
  ASSERT_OK_AND_ASSIGN(const HloModuleProto proto_again, ModuleToProto(*again));
  EXPECT_EQ(proto_again.SerializeAsString(), proto.SerializeAsString());
}

INSTANTIATE_TEST_SUITE_P(All, Program, ::testing::ValuesIn(Programs()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace xla
