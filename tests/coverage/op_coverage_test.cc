// SPDX-License-Identifier: Apache-2.0
// docs/operations.md is up to date, and the coverage table reports holes.
#include "tests/coverage/op_coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/coverage/op_files.h"
#include "tests/coverage/op_page.h"
#include "tests/coverage/op_types.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"

namespace xla {
namespace {

TEST(OpsPageTest, DocsPageIsUpToDate) {
  EXPECT_TRUE(testing::ReadTestFile(testing::SourcePath("docs/operations.md")) == OpsPage())
      << "docs/operations.md is out of date; write it again: make operations";
}

TEST(OpFilesTest, DocsPageIsUpToDate) {
  EXPECT_EQ(CheckOpFiles(testing::SourcePath(".")), "");
  EXPECT_TRUE(testing::ReadTestFile(testing::SourcePath("docs/emitters.md")) ==
              OpFilesPage(testing::SourcePath(".")))
      << "docs/emitters.md is out of date; write it again: make operations";
}

TEST(OpFilesTest, FindsFunctionsByName) {
  const OpFiles gather = FilesOf(HloOpcode::kGather, testing::SourcePath("."));
  EXPECT_EQ(gather.inferred, std::vector<std::string>{"xla/hlo/shape_inference/gather_scatter.cc"});
  EXPECT_EQ(gather.evaluated, std::vector<std::string>{"xla/interpreter/gather_scatter.cc"});
  EXPECT_EQ(gather.compiled, std::vector<std::string>{"xla/cpu/codegen/element_emitter.cc"});
}

TEST(OpsTypesTest, ShapesFollowTheNewType) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(HloModule m
ENTRY e {
  x = f32[2] constant({1, 2.5})
  y = c64[2] complex(x, x)
  ROOT z = f32[2] abs(y)
})"));
  ASSERT_OK_AND_ASSIGN(const auto changed, WithElementTypes(*module, {{F32, F64}}));
  EXPECT_EQ(changed->entry_computation()->root_instruction()->shape().element_type(), F64);
  EXPECT_ERROR(WithElementTypes(*module, {{F32, S32}}), "complex");
}

TEST(OpsTypesTest, UpToCutsTheRestOff) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(HloModule m
ENTRY e {
  x = f32[2] constant({1, 2})
  y = f32[2] negate(x)
  ROOT z = f32[2] abs(y)
})"));
  ASSERT_OK_AND_ASSIGN(const auto cut, UpTo(*module, "y"));
  EXPECT_EQ(cut->instruction_count(), 2);
  EXPECT_STATUS(UpTo(*module, "w"), absl::StatusCode::kNotFound, "no instruction w");
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
