// SPDX-License-Identifier: Apache-2.0
// Dimension relations of each operation, stated beside it in programs/*.hlo; their text form; and
// what holds for all of them.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/test_util.h"
#include "xla/hlo/dimensions/dimension_relations.h"
#include "xla/hlo/dimensions/instruction_relations.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

std::vector<std::string> HloFiles(const char* folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(testing::SourcePath(folder))) {
    if (entry.path().extension() == ".hlo") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

HloInstruction* Find(const HloModule& module, const std::string& name) {
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (instruction->name() == name) return instruction;
    }
  }
  return nullptr;
}

TEST(DimensionRelations, AreThoseStatedInPrograms) {
  std::set<HloOpcode> seen;
  for (const std::string& file : HloFiles("tests/dimensions/programs")) {
    const std::string text = testing::ReadTestFile(file);
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const size_t comment = line.find("  // ");
      if (comment == std::string::npos) continue;
      std::string name = line.substr(0, line.find(" ="));
      name = name.substr(name.find_last_of(' ') + 1);
      const HloInstruction* instruction = Find(*module, name);
      ASSERT_NE(instruction, nullptr) << line;
      seen.insert(instruction->opcode());
      ASSERT_OK_AND_ASSIGN(const auto relations, RelateDimensions(*instruction));
      EXPECT_EQ(relations.has_value() ? relations->ToString() : "none", line.substr(comment + 5))
          << file << ": " << line;
    }
  }
  EXPECT_GE(seen.size(), 40u);
}

// Every dimension has factors; a dimension of several is their product.
void CheckArray(const DimensionRelations& relations, const ArrayFactors& array, const Shape& shape,
                const std::string& what) {
  const size_t rank = shape.IsArray() ? shape.dimensions().size() : 0;
  ASSERT_EQ(array.size(), rank) << what;
  for (size_t d = 0; d < rank; ++d) {
    ASSERT_FALSE(array[d].empty()) << what;
    int64_t product = 1;
    for (const int64_t factor : array[d]) {
      ASSERT_GE(factor, 0) << what;
      ASSERT_LT(factor, relations.num_factors()) << what;
      product *= relations.factors[static_cast<size_t>(factor)].size;
    }
    if (array[d].size() > 1) {
      EXPECT_LE(product, shape.dimensions(static_cast<int>(d))) << what;
    }
  }
}

TEST(DimensionRelations, FitEveryOperation) {
  int related = 0;
  for (const std::string& file : HloFiles("tests/operations")) {
    ASSERT_OK_AND_ASSIGN(const auto module,
                         ParseAndReturnUnverifiedModule(testing::ReadTestFile(file)));
    for (const HloComputation* computation : module->computations()) {
      for (const HloInstruction* instruction : computation->instructions()) {
        for (const bool is_conservative : {false, true}) {
          ASSERT_OK_AND_ASSIGN(
              const auto relations,
              RelateDimensions(*instruction, {.is_conservative = is_conservative}));
          if (!relations.has_value()) continue;
          ++related;
          const std::string what = instruction->ToString() + "\n" + relations->ToString();
          size_t at = 0;
          for (const HloInstruction* operand : instruction->operands()) {
            for (const auto& leaf : ShapeUtil::GetLeafShapes(operand->shape())) {
              CheckArray(*relations, relations->operands.at(at++), leaf.shape, what);
            }
          }
          at = 0;
          for (const auto& leaf : ShapeUtil::GetLeafShapes(instruction->shape())) {
            CheckArray(*relations, relations->results.at(at++), leaf.shape, what);
          }
          ASSERT_OK_AND_ASSIGN(const auto again, ParseDimensionRelations(relations->ToString()));
          EXPECT_EQ(again, *relations) << what;
        }
      }
    }
  }
  EXPECT_GT(related, 200);
}

TEST(DimensionRelations, ConservativeOnesDoNotPermute) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY main {
  a = f32[4,6] parameter(0)
  part = f32[4,3] slice(a), slice={[0:4], [1:4]}
  ROOT joined = f32[8,6] concatenate(a, a), dimensions={0}
}
)"));
  const RelationOptions options{.is_conservative = true};
  ASSERT_OK_AND_ASSIGN(const auto slice, RelateDimensions(*Find(*module, "part"), options));
  EXPECT_EQ(slice->ToString(),
            "([i, j])->([i, j]) {i=4, j=6} permutation={j} blocked_propagation={j}");
  ASSERT_OK_AND_ASSIGN(const auto joined, RelateDimensions(*Find(*module, "joined"), options));
  EXPECT_EQ(joined->ToString(), "([j, i], [k, i])->([l, i]) {i=6, j=1, k=1, l=1}");
}

TEST(DimensionRelations, BroadcastsThatStretchAreOneOperation) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY main {
  a = f32[2,1,13] parameter(0)
  dropped = f32[2,13] reshape(a)
  stretched = f32[2,64,13] broadcast(dropped), dimensions={0,2}
  merged = f32[26] reshape(a)
  ROOT copies = f32[3,26] broadcast(merged), dimensions={1}
}
)"));
  const auto match = MatchStretchingBroadcast(*Find(*module, "stretched"));
  ASSERT_TRUE(match.has_value());
  EXPECT_EQ(match->operand->name(), "a");
  EXPECT_EQ(match->relations.ToString(), "([i, j, l])->([i, k, l]) {i=2, j=1, k=64, l=13}");
  EXPECT_FALSE(MatchStretchingBroadcast(*Find(*module, "copies")).has_value());
}

TEST(DimensionRelations, ManyFactorsHaveNumbers) {
  std::vector<int64_t> sizes(20, 2);
  const DimensionRelations relations = IdentityRelations(sizes, 1, 1);
  EXPECT_NE(relations.ToString().find("y, z, z_1, z_2])->"), std::string::npos);
  ASSERT_OK_AND_ASSIGN(const auto again, ParseDimensionRelations(relations.ToString()));
  EXPECT_EQ(again, relations);
}

TEST(DimensionRelations, TextErrorsNameThePlace) {
  const auto error = [](const char* text, const char* what) {
    EXPECT_STATUS(ParseDimensionRelations(text), absl::StatusCode::kInvalidArgument, what) << text;
  };
  error("", "expected '(' at character 0");
  error("([i])", "expected '->'");
  error("([a])->()", "expected a factor");
  error("([i])->([j]) {i=2}", "no size of factor j");
  error("([i])->([i]) {i=2, i=3}", "two sizes of factor i");
  error("([i])->([i]) {j=2}", "no size of factor i");
  error("([i])->([i]) {i=99999999999999999999}", "expected the size of a factor");
  error("([z_99999999999])->([i]) {i=9}", "expected the number of a factor");
  error("([i])->([i]) {i=2} reduction={j}", "no size of factor j");
  error("([i])->([i]) {i=2} x", "expected the end");
  error("#sdy.op_sharding_rule<([i])->([i]) {i=2}", "expected '>'");
}

TEST(DimensionRelations, GivenOnesMustFit) {
  const auto relate = [](const std::string& rule) -> absl::Status {
    const auto module = ParseAndReturnUnverifiedModule(
        "HloModule m\nENTRY main {\n  a = f32[4,6] parameter(0)\n  ROOT c = f32[4,6] "
        "custom-call(a), custom_call_target=\"x\", "
        "frontend_attributes={xla.sdy.sharding_rule=\"" +
        rule + "\"}\n}\n");
    if (!module.ok()) return module.status();
    return RelateDimensions(*(*module)->entry_computation()->root_instruction()).status();
  };
  EXPECT_OK(relate("([i, j])->([i, j]) {i=4, j=6}"));
  EXPECT_ERROR(relate("([i, j], [i])->([i, j]) {i=4, j=6}"),
               "has 2 operands; the instruction has 1");
  EXPECT_ERROR(relate("([i, j])->([i]) {i=4, j=6}"), "has 1 dimensions for result 0, which has 2");
  EXPECT_ERROR(relate("([i, j"), "expected ']'");
}

}  // namespace
}  // namespace xla
