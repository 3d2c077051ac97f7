// SPDX-License-Identifier: Apache-2.0
// The documentation of operations: the functions and examples that it names exist.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "tools/ops_data.h"
#include "tools/ops_page.h"
#include "tools/self_check.h"
#include "xla/hlo/ir/opcode_docs.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/interpreter.h"

namespace xla {
namespace {

std::vector<HloOpcode> AllOpcodes() {
  std::vector<HloOpcode> opcodes;
  for (int i = 0; i < kNumHloOpcodes; ++i) opcodes.push_back(static_cast<HloOpcode>(i));
  return opcodes;
}

std::vector<std::string> BuildersOf(HloOpcode opcode) {
  const std::string_view names = GetOpcodeDoc(opcode).builders;
  return absl::StrSplit(absl::string_view(names.data(), names.size()), ' ', absl::SkipEmpty());
}

std::unique_ptr<HloModule> Parse(std::string_view text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module);
  return *std::move(module);
}

TEST(OpsPageTest, EveryNamedBuilderFunctionIsDeclared) {
  for (const HloOpcode opcode : AllOpcodes()) {
    for (const std::string& name : BuildersOf(opcode))
      EXPECT_FALSE(BuilderSignatures(name).empty()) << HloOpcodeString(opcode) << ": " << name;
  }
}

TEST(OpsPageTest, EveryBuilderFunctionIsNamed) {
  std::set<std::string> named;
  for (const HloOpcode opcode : AllOpcodes()) {
    for (std::string& name : BuildersOf(opcode)) named.insert(std::move(name));
  }
  for (const std::string& name : BuilderFunctions())
    EXPECT_TRUE(named.count(name) > 0) << "no row of opcodes_*.def names " << name;
}

TEST(OpsPageTest, SignaturesComeFromTheHeader) {
  EXPECT_EQ(
      BuilderSignatures("Rev"),
      std::vector<std::string>{"XlaOp Rev(XlaOp operand, absl::Span<const int64_t> dimensions)"});
  EXPECT_EQ(BuilderSignatures("Abs"), std::vector<std::string>{"XlaOp Abs(XlaOp operand)"});
  EXPECT_EQ(BuilderSignatures("Reshape").size(), 2u);
  EXPECT_TRUE(BuilderSignatures("Revs").empty());
}

TEST(OpsPageTest, EveryRowNamesAsManyOperandsAsTheTableSays) {
  for (const HloOpcode opcode : AllOpcodes()) {
    const OpInfo& info = GetOpInfo(opcode);
    // In place of operands: the number of a parameter, the value of a constant.
    if (info.attributes_index == GetOpInfo(HloOpcode::kParameter).attributes_index ||
        info.attributes_index == GetOpInfo(HloOpcode::kConstant).attributes_index)
      continue;
    const std::string_view operands = GetOpcodeDoc(opcode).operands;
    const auto commas = std::count(operands.begin(), operands.end(), ',');
    const int64_t count = operands.empty() ? 0 : commas + 1;
    if (info.arity == op_traits::kVariadic) {
      EXPECT_GE(count, 1) << info.name;
    } else {
      EXPECT_EQ(count, info.arity) << info.name;
    }
  }
}

TEST(OpsPageTest, EveryOperationHasAnExample) {
  for (const HloOpcode opcode : AllOpcodes()) {
    const OpExample* example = ExampleOf(opcode);
    ASSERT_NE(example, nullptr) << HloOpcodeString(opcode);
    // The file on disk is the one in the command.
    const std::string path = std::string("tests/operations/") + std::string(example->name) + ".hlo";
    EXPECT_EQ(testing::ReadTestFile(testing::SourcePath(path)), example->text);
  }
}

TEST(OpsPageTest, AttributesAreThoseOfTheTable) {
  const std::vector<OpAttribute> attributes = OpAttributes(HloOpcode::kReduce);
  ASSERT_EQ(attributes.size(), 2u);
  EXPECT_EQ(attributes[0].name, "dimensions");
  EXPECT_EQ(attributes[1].name, "to_apply");
  EXPECT_EQ(OpSynopsis(HloOpcode::kIota), "result = shape iota(), iota_dimension=..");
}

TEST(SelfCheckTest, HostSendsBack) {
  const auto module = Parse(std::string_view(R"(HloModule m, replica_count=2
ENTRY e {
  t = token[] after-all()
  id = u32[] replica-id()
  sent = token[] outfeed(id, t)
  received = (u32[], token[]) infeed(sent)
  value = u32[] get-tuple-element(received), index=0
  ROOT check = () custom-call(value, id), custom_call_target="check.expect_eq"
})"));
  InterpreterOptions options;
  options.custom_calls = CheckCustomCalls();
  EXPECT_OK(RunSelfChecking(*module, options));
}

TEST(SelfCheckTest, NothingWaitsForWhatWillNotCome) {
  const auto module = Parse(R"(HloModule m
ENTRY e {
  t = token[] after-all()
  ROOT received = (f32[], token[]) infeed(t)
})");
  EXPECT_ERROR(RunSelfChecking(*module, {}), "infeed queue of device 0 is empty");
}

TEST(SelfCheckTest, FailedCheckIsAnError) {
  const auto module = Parse(R"(HloModule m
ENTRY e {
  a = f32[] constant(1)
  b = f32[] constant(2)
  ROOT check = () custom-call(a, b), custom_call_target="check.expect_eq"
})");
  InterpreterOptions options;
  options.custom_calls = CheckCustomCalls();
  EXPECT_ERROR(RunSelfChecking(*module, options), "check failed");
}

}  // namespace
}  // namespace xla
