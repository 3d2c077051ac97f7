// SPDX-License-Identifier: Apache-2.0
// The documentation of operations: docs/operations.md is what the command prints, names of the
// documentation are names of the builder, and the coverage table sees holes.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "tools/command.h"
#include "tools/ops_coverage.h"
#include "tools/ops_data.h"
#include "tools/ops_page.h"
#include "tools/ops_types.h"
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

TEST(OpsPageTest, PageInDocsIsWhatTheCommandPrints) {
  EXPECT_TRUE(testing::ReadTestFile(testing::SourcePath("docs/operations.md")) == OpsPage())
      << "docs/operations.md is out of date; write it again: make operations";
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
    EXPECT_TRUE(named.count(name) > 0) << "no row of opcode_docs_*.def names " << name;
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

TEST(OpsTypesTest, ShapesFollowTheNewType) {
  const auto module = Parse(R"(HloModule m
ENTRY e {
  x = f32[2] constant({1, 2.5})
  y = c64[2] complex(x, x)
  ROOT z = f32[2] abs(y)
})");
  ASSERT_OK_AND_ASSIGN(const auto changed, WithElementTypes(*module, {{F32, F64}}));
  EXPECT_EQ(changed->entry_computation()->root_instruction()->shape().element_type(), F64);
  EXPECT_ERROR(WithElementTypes(*module, {{F32, S32}}), "complex");
}

TEST(OpsTypesTest, UpToCutsTheRestOff) {
  const auto module = Parse(R"(HloModule m
ENTRY e {
  x = f32[2] constant({1, 2})
  y = f32[2] negate(x)
  ROOT z = f32[2] abs(y)
})");
  ASSERT_OK_AND_ASSIGN(const auto cut, UpTo(*module, "y"));
  EXPECT_EQ(cut->instruction_count(), 2);
  EXPECT_STATUS(UpTo(*module, "w"), absl::StatusCode::kNotFound, "no instruction w");
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

TEST(OpsCoverageTest, ElementwiseRow) {
  const OpCoverage row = CoverOperation(HloOpcode::kAnd);
  for (const OpMark& mark : row.aspects) EXPECT_EQ(mark.kind, OpMark::kHolds) << mark.why;
  const std::vector<PrimitiveType> types = ArrayElementTypes();
  ASSERT_EQ(row.types.size(), types.size());
  const auto at = [&](PrimitiveType type) {
    return row
        .types[static_cast<size_t>(std::find(types.begin(), types.end(), type) - types.begin())]
        .kind;
  };
  EXPECT_EQ(at(PRED), OpMark::kHolds);
  EXPECT_EQ(at(S8), OpMark::kHolds);
  EXPECT_EQ(row.holes(), 0);
}

TEST(OpsCoverageTest, OperationsWithoutABuilderFunctionAreNotSpecifiedThere) {
  const OpCoverage row = CoverOperation(HloOpcode::kFusion);
  EXPECT_EQ(row.aspects[static_cast<size_t>(OpAspect::kBuilder)].kind, OpMark::kNotSpecified);
}

TEST(OpsCoverageTest, HolesAreCountedAndTold) {
  OpCoverage row = CoverOperation(HloOpcode::kAdd);
  row.types[0] = {OpMark::kHole, "there is no such kernel"};
  EXPECT_EQ(row.holes(), 1);
  const std::string table = CoverageTable({row});
  EXPECT_NE(table.find("add, pred: there is no such kernel"), std::string::npos);
  EXPECT_NE(table.find(" 1 hole\n"), std::string::npos);
}

}  // namespace
}  // namespace xla
