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
#include "tests/test_util.h"
#include "tests/variants/compiled_text.h"
#include "tests/variants/expected.h"
#include "tests/variants/text_variants.h"
#include "xla/cpu/kernel/in_place.h"
#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/cpu/kernel/loop_nest.h"
#include "xla/cpu/kernel/row_reduction.h"
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
  for (int r = 0; r < results; ++r) {
    std::vector<bool> written(static_cast<size_t>(fusion.operand_count()));
    for (int64_t i = 0; i < fusion.operand_count(); ++i) {
      written[static_cast<size_t>(i)] = cpu::MayShareMemory(fusion, i, r);
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
  const std::string file = ReadWholeFile(VariantsPath("programs/fusions.txt"));
  const std::vector<std::string> sections = absl::StrSplit(file, "---\n");
  const std::string computations = sections[0].substr(sections[0].find('\n') + 1);
  for (size_t k = 1; k < sections.size(); ++k) {
    const size_t begin = sections[k].find('\n') + 1;
    lines.push_back(absl::StrCat("== ", sections[k].substr(0, begin - 1)));
    for (const char* size : {"63", "64", "65"}) {
      const std::string entry = absl::StrReplaceAll(sections[k].substr(begin), {{"N", size}});
      std::map<size_t, std::pair<int, std::string>> by_line;
      std::vector<Variant> variants = {{"unchanged", entry, 0, false}};
      for (Variant& variant :
           TextVariants(entry).Make([](absl::string_view) { return true; }, false)) {
        variants.push_back(std::move(variant));
      }
      for (const Variant& variant : variants) {
        std::unique_ptr<HloModule> module;
        const HloInstruction* fusion =
            FuseAll(absl::StrCat("HloModule m\n", computations, "ENTRY e {\n", variant.text, "}\n"),
                    &module);
        if (fusion == nullptr) continue;
        lines.push_back(
            absl::StrCat(size, ": ", OneLine(variant.change), ": ", SharingOf(*fusion)));
      }
    }
  }
  EXPECT_GT(lines.size(), 500u);
  ExpectLines("kernel_sharing", lines);
}

using Sizes = std::vector<int64_t>;

std::string Array(const std::string& type, const Sizes& sizes) {
  return absl::StrCat(type, "[", absl::StrJoin(sizes, ","), "]");
}

// What is transposed: an array, what is computed from one, or that as another shape.
constexpr const char* kSources[] = {"array", "computed", "reshaped"};

std::string TransposeProgram(const std::string& type, const std::string& source, const Sizes& sizes,
                             const Sizes& order) {
  Sizes moved, flat = {1};
  for (const int64_t d : order) moved.push_back(sizes[static_cast<size_t>(d)]);
  for (const int64_t size : sizes) flat[0] *= size;
  const std::string array = Array(type, sizes);
  std::string text = absl::StrCat(
      "HloModule m\nENTRY e {\n  p = ", source == "reshaped" ? Array(type, flat) : array,
      " parameter(0)\n");
  const char* const opcode = type == "pred" ? "not" : "negate";
  if (source == "computed") absl::StrAppend(&text, "  x = ", array, " ", opcode, "(p)\n");
  if (source == "reshaped") {
    absl::StrAppend(&text, "  n = ", Array(type, flat), " ", opcode, "(p)\n  x = ", array,
                    " reshape(n)\n");
  }
  return absl::StrCat(text, "  ROOT r = ", Array(type, moved), " transpose(",
                      source == "array" ? "p" : "x", "), dimensions={", absl::StrJoin(order, ","),
                      "}\n}\n");
}

const std::vector<Sizes>& Orders() {
  static const auto* const orders =
      new std::vector<Sizes>{{1, 0},    {0, 2, 1},    {2, 1, 0},    {1, 0, 2},    {1, 2, 0},
                             {2, 0, 1}, {0, 3, 1, 2}, {0, 2, 3, 1}, {0, 2, 1, 3}, {3, 1, 0, 2}};
  return *orders;
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

constexpr const char* kTypes[] = {"u8", "bf16", "f32", "f64", "c64", "c128", "pred", "s4"};

TEST(KernelPlans, Transposes) {
  const Sizes of_rank[] = {
      {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 300, 4096},
      {1, 2, 3, 5, 16, 70},
      {1, 3, 17}};
  std::vector<std::string> lines;
  for (const std::string type : kTypes) {
    for (const std::string source : kSources) {
      for (const Sizes& order : Orders()) {
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

// What is generated for some of them.
TEST(KernelPlans, GeneratedTransposes) {
  if (!IsRecordedLlvm())
    GTEST_SKIP() << "the code is recorded as another version of LLVM prints it";
  const Sizes shapes[] = {{16, 16}, {70, 17},    {3, 70},     {70, 3},     {130, 65},     {64, 5},
                          {7, 64},  {2, 40, 33}, {33, 2, 40}, {300, 4096}, {2, 3, 20, 17}};
  std::vector<std::string> lines;
  for (const std::string type : kTypes) {
    for (const std::string source : kSources) {
      for (const Sizes& sizes : shapes) {
        std::vector<std::string> steps, generated;
        for (const Sizes& order : Orders()) {
          if (order.size() != sizes.size()) continue;
          const auto module =
              ParseAndReturnUnverifiedModule(TransposeProgram(type, source, sizes, order));
          ASSERT_OK(module);
          AddCompiled(**module, &steps, &generated);
        }
        lines.push_back(absl::StrCat(source, " ", Array(type, sizes), ": ",
                                     Fingerprint(absl::StrJoin(steps, "\n")), " ",
                                     Fingerprint(absl::StrJoin(generated, "\n"))));
      }
    }
  }
  ExpectLines("kernel_transposes_generated", lines);
}

}  // namespace
}  // namespace xla::testing
