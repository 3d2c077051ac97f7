// SPDX-License-Identifier: Apache-2.0
// Each instruction alone, with operands of other sizes, types and layouts: what is inferred and
// computed, and that it is the same compiled.
#include "tests/variants/alone.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "tests/variants/values.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/layout_util.h"

namespace xla::testing {
namespace {

// A line for what comes of the program. One of `compiled_one_of` is compiled as well.
void AddOutcome(const std::string& change, const std::string& text, size_t compiled_one_of,
                std::vector<std::string>* lines) {
  const auto module = ParseAndReturnUnverifiedModule(text);
  const absl::Status status = module.ok() ? VerifyModule(**module) : module.status();
  if (!status.ok()) {
    lines->push_back(absl::StrCat("  ", change, ": ", OneLine(status.message(), 100)));
    return;
  }
  const size_t number = HashOf(text);
  const Outcome outcome = OutcomeOf(text, number % compiled_one_of == 0);
  lines->push_back(absl::StrCat("  ", change, ": ", OneLine(outcome.interpreted, 100), " ",
                                Fingerprint(outcome.interpreted)));
  EXPECT_EQ(outcome.difference, "") << "compiled, instead of " << outcome.interpreted << "\n"
                                    << text;
}

// With each dimension of each operand dynamic, and with all.
void AddDynamicSizes(const Alone& alone, std::vector<std::string>* lines) {
  std::vector<Shape> all = alone.operands();
  AddOutcome("fixed", alone.With(all), 4, lines);
  for (size_t k = 0; k < all.size(); ++k) {
    if (!all[k].IsArray()) continue;
    for (int d = 0; d < static_cast<int>(all[k].rank()); ++d) {
      std::vector<Shape> one = alone.operands();
      one[k].set_dynamic_dimension(d, true);
      all[k].set_dynamic_dimension(d, true);
      // Index vectors have as many elements as the operation says.
      if (k == 1 && d == 1 && absl::StrContains(alone.With(one), " scatter(")) continue;
      AddOutcome(absl::StrCat(k, ".", d), alone.With(one), 4, lines);
    }
  }
  AddOutcome("all", alone.With(all), 4, lines);
}

// With each dimension of each operand 0, 1 or one larger, with the same dimension of operands that
// are of the same shape, and of each operand alone.
void AddOtherSizes(const Alone& alone, std::vector<std::string>* lines) {
  const std::vector<Shape>& operands = alone.operands();
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!operands[k].IsArray()) continue;
    for (int d = 0; d < static_cast<int>(operands[k].rank()); ++d) {
      for (const int64_t size : {int64_t{0}, int64_t{1}, operands[k].dimensions(d) + 1}) {
        std::vector<Shape> one = operands, alike = operands;
        one[k].set_dimensions(d, size);
        bool others = false;
        for (size_t i = 0; i < alike.size(); ++i) {
          if (!operands[i].IsArray() || operands[i].dimensions() != operands[k].dimensions())
            continue;
          alike[i].set_dimensions(d, size);
          others |= i != k;
        }
        AddOutcome(absl::StrCat(k, ".", d, "=", size), alone.With(one), 8, lines);
        if (others)
          AddOutcome(absl::StrCat("all like ", k, ".", d, "=", size), alone.With(alike), 8, lines);
      }
    }
  }
}

// Floats as other types.
void AddOtherTypes(const Alone& alone, std::vector<std::string>* lines) {
  const std::string text = alone.With(alone.operands());
  for (const char* from : {"f32[", "s32["}) {
    if (!absl::StrContains(text, from)) continue;
    for (const char* to : {"pred[", "s4[", "u8[", "s16[", "u32[", "s64[", "f8e5m2[", "f8e4m3fn[",
                           "bf16[", "f16[", "f32[", "f64[", "c64[", "c128[", "s32["}) {
      if (absl::string_view(from) == to) continue;
      AddOutcome(absl::StrCat(from, " ", to), absl::StrReplaceAll(text, {{from, to}}), 8, lines);
    }
  }
}

// Operands in another layout, and the result: values stay. Orders of three dimensions or more
// differ from their inverses.
void CheckLayouts(const Alone& alone, std::vector<std::string>* lines) {
  // Of which elements lie where.
  if (absl::StrContains(alone.With(alone.operands()), " bitcast(")) return;
  const Outcome plain = OutcomeOf(alone.With(alone.operands()), /*compiled=*/false);
  if (!plain.is_valid) return;
  const auto reverse = [](Shape* shape) {
    ShapeUtil::ForEachMutableSubshape(shape, [](Shape* part, const ShapeIndex&) {
      if (!part->IsArray()) return;
      std::vector<int64_t> order;
      const int64_t first = part->rank() > 2 ? 1 : 0;
      for (int64_t d = 0; d < part->rank(); ++d) order.push_back((d + first) % part->rank());
      *part->mutable_layout() = LayoutUtil::MakeLayout(order);
    });
  };
  std::vector<Shape> operands = alone.operands();
  for (Shape& operand : operands) reverse(&operand);
  for (const bool result_too : {false, true}) {
    Shape result = alone.result();
    if (result_too) reverse(&result);
    const std::string text = alone.Program(operands, result.ToString(/*print_layout=*/true));
    const Outcome outcome = OutcomeOf(text, /*compiled=*/result_too);
    const auto without_layout = [](const std::string& value) {
      return value.substr(std::min(value.find(' '), value.size()));
    };
    lines->push_back(outcome.is_valid ? absl::StrCat("  ", OneLine(outcome.interpreted, 100))
                                      : "  is not valid in other layouts");
    if (outcome.is_valid) {
      EXPECT_EQ(without_layout(outcome.interpreted), without_layout(plain.interpreted)) << text;
    }
    EXPECT_EQ(outcome.difference, "") << "compiled\n" << text;
  }
}

void ExpectAlone(const std::string& name,
                 const std::function<void(const Alone&, std::vector<std::string>*)>& add) {
  std::vector<std::string> lines;
  const auto add_program = [&](const std::string& text, const std::string& only) {
    const auto module = ParseAndReturnUnverifiedModule(text);
    ASSERT_OK(module);
    const ProgramLines program(text);
    for (size_t i = 0; i < program.size(); ++i) {
      if (!program.IsInstruction(i)) continue;
      const HloInstruction* instruction =
          (*module)->entry_computation()->GetInstructionWithName(program.NameAt(i));
      if (instruction == nullptr || instruction->operand_count() == 0) continue;
      if (!only.empty() && HloOpcodeString(instruction->opcode()) != only) continue;
      const Alone alone(text, program.LineAt(i), *instruction);
      if (!alone.ok()) continue;
      lines.push_back(std::string(instruction->name()));
      add(alone, &lines);
    }
  };
  add_program(ReadWholeFile(VariantsPath("programs/attributes.hlo")), "");
  for (const auto& path : FilesOf(absl::StrCat(XYLEM_SOURCE_DIR, "/tests/operations"), ".hlo")) {
    lines.push_back(absl::StrCat("== ", path.stem().string()));
    add_program(ReadWholeFile(path.string()), path.stem().string());
  }
  EXPECT_GT(lines.size(), 300u);
  WriteOutcomes(name, lines);
}

TEST(Values, DynamicSizes) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "without a compiler";
  ExpectAlone("values_of_dynamic_sizes", AddDynamicSizes);
}

TEST(Values, OtherSizes) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "without a compiler";
  ExpectAlone("values_of_other_sizes", AddOtherSizes);
}

TEST(Values, OtherTypes) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "without a compiler";
  ExpectAlone("values_of_other_types", AddOtherTypes);
}

TEST(Values, OtherLayouts) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "without a compiler";
  ExpectAlone("values_of_other_layouts", CheckLayouts);
}

}  // namespace
}  // namespace xla::testing
