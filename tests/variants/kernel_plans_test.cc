// SPDX-License-Identifier: Apache-2.0
// How kernels are planned: which operands may be in the memory of a result, and how transposes are
// cut.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/fingerprints/compiled_text.h"
#include "tests/fingerprints/programs.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "tests/variants/text_variants.h"
#include "xla/cpu/kernel/in_place.h"
#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/cpu/kernel/loop_nest.h"
#include "xla/cpu/kernel/row_reduction.h"
#include "xla/cpu/kernel/strategies.h"
#include "xla/cpu/kernel/transpose.h"
#include "xla/hlo/ir/call_rewriting.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"

namespace xla::testing {
namespace {

// All of the entry but its parameters as one fusion; null if the text is no valid program.
const HloInstruction* FuseAll(const std::string& text, std::unique_ptr<HloModule>* module) {
  auto parsed = ParseAndReturnUnverifiedModule(text);
  if (!parsed.ok() || !VerifyModule(**parsed).ok()) return nullptr;
  *module = *std::move(parsed);
  std::vector<HloInstruction*> all;
  for (HloInstruction* instruction : (*module)->entry_computation()->instructions()) {
    if (instruction->opcode() != HloOpcode::kParameter) all.push_back(instruction);
  }
  const auto fusion = FuseInstructions(all, FusionKind::kLoop);
  return fusion.ok() ? *fusion : nullptr;
}

// For each result, a flag for each operand; then what else is known of the fusion.
std::string SharingOf(const HloInstruction& fusion) {
  const HloInstruction* root = fusion.to_apply()->root_instruction();
  const bool updates =
      root->opcode() == HloOpcode::kDynamicUpdateSlice || root->opcode() == HloOpcode::kScatter;
  for (int64_t i = 0; updates && i < root->operand_count() / 2; ++i) {
    if (i > 0 && root->opcode() == HloOpcode::kDynamicUpdateSlice) break;
    if (root->operand(i)->opcode() != HloOpcode::kParameter) return "updates what it computes";
  }
  const int results = root->shape().IsTuple() ? root->shape().tuple_shapes_size() : 1;
  std::string text;
  const bool reduces_rows_first = cpu::StrategyOf({&fusion, &Targets()[0]}).reduces_rows_first;
  for (int r = 0; r < results; ++r) {
    std::vector<bool> written(static_cast<size_t>(fusion.operand_count()));
    for (int64_t i = 0; i < fusion.operand_count(); ++i) {
      written[static_cast<size_t>(i)] = cpu::MayShareMemory(fusion, i, r, reduces_rows_first);
      text.push_back(written[static_cast<size_t>(i)] ? '1' : '0');
    }
    text.push_back(' ');
    const auto plan = cpu::PlanKernel({&fusion, &Targets()[0], written});
    absl::StrAppend(
        &text, Fingerprint(cpu::PlanText(*plan)),
        cpu::ReadsWhatIsWritten(fusion, written, nullptr) ? " reads what it writes, " : ", ");
  }
  return absl::StrCat(text, "updates ", absl::StrJoin(cpu::UpdatedOperands(fusion), ","),
                      cpu::IsLinear(*fusion.to_apply()) ? " linear" : "",
                      cpu::ReducesOwnRows(*fusion.to_apply()) ? " own rows" : "");
}

TEST(KernelPlans, OperandsInTheMemoryOfResults) {
  std::vector<std::string> lines;
  int variants = 0;
  const std::string file = ReadWholeFile(VariantsPath("programs/fusions.txt"));
  const std::vector<std::string> sections = absl::StrSplit(file, "---\n");
  const std::string computations = sections[0].substr(sections[0].find('\n') + 1);
  for (size_t k = 1; k < sections.size(); ++k) {
    const size_t begin = sections[k].find('\n') + 1;
    lines.push_back(absl::StrCat("== ", sections[k].substr(0, begin - 1)));
    for (const char* size : {"63", "64", "65"}) {
      const std::string entry = absl::StrReplaceAll(sections[k].substr(begin), {{"N", size}});
      std::map<std::string, int> counts;
      std::vector<Variant> changes = {{"unchanged", entry, 0, false}};
      for (Variant& variant :
           TextVariants(entry).Make([](absl::string_view) { return true; }, false)) {
        changes.push_back(std::move(variant));
      }
      for (const Variant& variant : changes) {
        std::unique_ptr<HloModule> module;
        const HloInstruction* fusion =
            FuseAll(absl::StrCat("HloModule m\n", computations, "ENTRY e {\n", variant.text, "}\n"),
                    &module);
        if (fusion == nullptr) continue;
        const std::string sharing = SharingOf(*fusion);
        if (variant.line == 0) lines.push_back(absl::StrCat(size, ": unchanged: ", sharing));
        ++counts[WithoutFingerprints(sharing)];
        ++variants;
      }
      for (const auto& [sharing, count] : counts)
        lines.push_back(absl::StrCat(size, ": ", count, " of: ", sharing));
    }
  }
  EXPECT_GT(variants, 500);
  ExpectLines("kernel_sharing", lines);
}

// All arrays of that rank whose sizes are of the list.
std::vector<Sizes> ShapesOf(size_t rank, const Sizes& choices) {
  std::vector<Sizes> shapes = {{}};
  for (size_t d = 0; d < rank; ++d) {
    std::vector<Sizes> longer;
    for (const Sizes& shape : shapes) {
      for (const int64_t size : choices) {
        longer.push_back(shape);
        longer.back().push_back(size);
      }
    }
    shapes = std::move(longer);
  }
  return shapes;
}

TEST(KernelPlans, Transposes) {
  const Sizes of_rank[] = {
      {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 300, 4096},
      {1, 2, 3, 5, 16, 70},
      {1, 3, 17}};
  std::vector<std::string> lines;
  for (const std::string& type : TransposeTypes()) {
    for (const std::string& source : TransposeSources()) {
      for (const Sizes& order : TransposeOrders()) {
        int transposes = 0;
        std::string plans;
        for (const Sizes& sizes : ShapesOf(order.size(), of_rank[order.size() - 2])) {
          std::unique_ptr<HloModule> module;
          const HloInstruction* fusion =
              FuseAll(TransposeProgram(type, source, sizes, order), &module);
          ASSERT_NE(fusion, nullptr) << type << " " << source << " " << absl::StrJoin(sizes, ",");
          const HloInstruction& root = *fusion->to_apply()->root_instruction();
          absl::StrAppend(&plans, cpu::TransposesComputedRows(root), cpu::PicksFromShortRows(root));
          for (const cpu::Target& target : Targets()) {
            const std::string plan = cpu::PlanText(*cpu::PlanKernel({fusion, &target, {false}}));
            transposes += absl::StrContains(plan, "transposes") ? 1 : 0;
            absl::StrAppend(&plans, plan, "\n");
          }
        }
        lines.push_back(absl::StrCat(type, " ", source, " ", absl::StrJoin(order, ","), ": ",
                                     transposes, " in tiles, ", Fingerprint(plans)));
      }
    }
  }
  ExpectLines("kernel_transposes", lines);
}

}  // namespace
}  // namespace xla::testing
