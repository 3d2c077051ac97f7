// SPDX-License-Identifier: Apache-2.0
// What each option of the printer, the verifier and the parser changes about programs, and whether
// what is printed reads back.
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "tests/variants/text_variants.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"

namespace xla::testing {
namespace {

struct PrintOption {
  const char* name;
  bool HloPrintOptions::*member;
};
using P = HloPrintOptions;
constexpr PrintOption kPrintOptions[] = {
    {"large_constants", &P::print_large_constants},
    {"metadata", &P::print_metadata},
    {"only_op_name", &P::print_metadata_only_op_name},
    {"backend_config", &P::print_backend_config},
    {"operand_shape", &P::print_operand_shape},
    {"interval", &P::print_operand_index_annotation_interval_comments},
    {"program_shape", &P::print_program_shape},
    {"percent", &P::print_percent},
    {"control", &P::print_control_dependencies},
    {"result_shape", &P::print_result_shape},
    {"ids", &P::print_ids},
    {"extra", &P::print_extra_attributes},
    {"closing", &P::print_name_after_closing_brace},
    {"canonical_names", &P::canonicalize_instruction_names},
    {"canonical_computations", &P::canonicalize_computations},
    {"sugar", &P::syntax_sugar_async_ops},
    {"essential", &P::print_only_essential_constants},
    {"layouts", &P::include_layout_in_shapes},
    {"in_place", &P::print_subcomputation_in_place},
    {"frames", &P::print_stack_frames},
    {"header", &P::print_header},
};

// The module, a computation and an instruction in one text.
std::string AllTexts(const HloModule& module, const HloPrintOptions& options) {
  std::string text = ModuleToString(module, options);
  PrintComputation(*module.entry_computation(), options, &text);
  for (const HloInstruction* instruction : module.entry_computation()->instructions()) {
    absl::StrAppend(&text, "\n");
    PrintInstruction(*instruction, options, &text);
  }
  return text;
}

// Whether the text reads back as the same program.
std::string ReadBack(const HloModule& module, const HloPrintOptions& options) {
  const auto again = ParseAndReturnUnverifiedModule(ModuleToString(module, options));
  if (!again.ok()) return "-";
  return module.CheckEqual(**again).ok() ? "=" : "~";
}

// For each option, turned from what it is in four sets of options, whether the texts read back.
void AddPrintedForms(const std::string& name, const HloModule& module,
                     std::vector<std::string>* lines) {
  const HloPrintOptions sets[] = {HloPrintOptions::Default(), HloPrintOptions::ShortParsable(),
                                  HloPrintOptions::Canonical(), HloPrintOptions::Fingerprint()};
  const auto add = [&](absl::string_view option,
                       const std::function<void(HloPrintOptions*)>& change) {
    std::string texts, line = absl::StrCat(name, ": ", option, " ");
    for (HloPrintOptions options : sets) {
      change(&options);
      absl::StrAppend(&texts, AllTexts(module, options), "\n");
      absl::StrAppend(&line, ReadBack(module, options));
    }
    lines->push_back(absl::StrCat(line, " ", Fingerprint(texts)));
  };
  add("sets", [](HloPrintOptions*) {});
  add("indent", [](HloPrintOptions* options) { options->indent_amount = 2; });
  for (const PrintOption& option : kPrintOptions) {
    add(option.name,
        [&](HloPrintOptions* options) { options->*option.member = !(options->*option.member); });
  }
}

TEST(Options, OfThePrinter) {
  std::vector<std::string> lines, others;
  for (const char* folder : {"variants/programs", "hlo", "operations", "stablehlo/programs"}) {
    const bool is_fixed = absl::string_view(folder) == "variants/programs";
    for (const auto& path : FilesOf(absl::StrCat(XYLEM_SOURCE_DIR, "/tests/", folder), ".hlo")) {
      const std::string text = ReadWholeFile(path.string());
      constexpr size_t kMostBytes = 20'000;
      if (text.size() > kMostBytes) continue;
      const auto module = ParseAndReturnUnverifiedModule(text);
      ASSERT_OK(module) << path;
      AddPrintedForms(path.stem().string(), **module, is_fixed ? &lines : &others);
    }
  }
  ExpectKinds("printed_forms", lines);
  WriteOutcomes("printed_forms_of_others", others);
}

struct VerifierOption {
  const char* name;
  HloVerifierOptions options;
};

std::vector<VerifierOption> VerifierSettings() {
  return {{"layouts", {.layout_sensitive = true}},
          {"one precision", {.allow_mixed_precision = false}},
          {"ordered broadcasts", {.verify_broadcast_dimensions_order = true}},
          {"reshapes are bitcasts", {.verify_reshape_is_bitcast = true}},
          {"threads", {.verify_call_nested_computation_thread_name = true}},
          {"no host memory", {.verify_no_host_memory_space = true}},
          {"names", {.verify_instruction_name_unchanged = true}},
          {"deadlocks", {.verify_no_collective_deadlocks = true}},
          {"any devices", {.verify_sharding_device_numbers = false}},
          {"any groups", {.check_replica_groups = false}},
          {"bitcasts of any size",
           {.layout_sensitive = true, .allow_bitcast_to_have_different_size = true}},
          {"bounded", {.allow_unbounded_dynamism = false}},
          {"layouts stay",
           {.layout_sensitive = true,
            .instruction_can_change_layout =
                [](const HloInstruction* instruction) {
                  return instruction->opcode() == HloOpcode::kCopy;
                }}},
          {"bytes of words", {.layout_sensitive = true, .shape_size = [](const Shape& shape) {
                                int64_t bytes = 4;
                                for (const int64_t size : shape.dimensions()) bytes *= size;
                                return bytes;
                              }}}};
}

// What options say where the verdict is another one than without them.
std::string OtherVerdicts(const HloModule& module) {
  const std::string plain(VerifyModule(module).message());
  std::string line;
  for (const VerifierOption& option : VerifierSettings()) {
    const std::string message(VerifyModule(module, option.options).message());
    if (message != plain)
      absl::StrAppend(&line, line.empty() ? "" : "; ", option.name, " ",
                      message.empty() ? "valid" : OneLine(message, 30));
  }
  return line;
}

TEST(Options, OfTheVerifier) {
  std::vector<std::string> lines;
  for (const auto& path : FilesOf(VariantsPath("programs"), ".hlo")) {
    const std::string text = ReadWholeFile(path.string());
    lines.push_back(absl::StrCat("== ", path.stem().string()));
    const auto add = [&](const std::string& change, const std::string& program) {
      HloParserOptions options;
      options.max_elided_bytes = 1 << 16;
      const auto module = ParseAndReturnUnverifiedModule(program, options);
      if (!module.ok()) return;
      const std::string verdicts = OtherVerdicts(**module);
      if (!verdicts.empty())
        lines.push_back(
            absl::StrCat(absl::StrReplaceAll(OneLine(change), {{": ", ":"}}), ": ", verdicts));
    };
    add("unchanged", text);
    for (const Variant& variant : TextVariants(text).Make(
             [](absl::string_view line) { return !absl::StartsWith(line, "//"); },
             /*characters=*/false)) {
      add(variant.change, variant.text);
    }
  }
  ExpectKinds("verifier_options", lines);
}

// Without layouts where the text has none, and with a limit for nesting.
TEST(Options, OfTheParser) {
  std::vector<std::string> lines, others;
  for (const char* folder : {"variants/programs", "operations"}) {
    const bool is_fixed = absl::string_view(folder) == "variants/programs";
    for (const auto& path : FilesOf(absl::StrCat(XYLEM_SOURCE_DIR, "/tests/", folder), ".hlo")) {
      const std::string text = ReadWholeFile(path.string());
      std::string line = absl::StrCat(path.stem().string(), ":");
      HloParserOptions without;
      without.fill_missing_layouts = false;
      const auto module = ParseAndReturnUnverifiedModule(text, without);
      absl::StrAppend(&line, " ",
                      module.ok()
                          ? absl::StrCat(Fingerprint(ModuleToString(**module, HloPrintOptions())),
                                         " ", OneLine(VerifyModule(**module).message(), 80))
                          : OneLine(module.status().message(), 120));
      for (int depth = 0; depth < 12; ++depth) {
        HloParserOptions nested;
        nested.max_nesting_depth = depth;
        const auto shallow = ParseAndReturnUnverifiedModule(text, nested);
        if (shallow.ok()) {
          absl::StrAppend(&line, " nested ", depth);
          break;
        }
        if (depth < 3) absl::StrAppend(&line, " ", OneLine(shallow.status().message(), 120));
      }
      (is_fixed ? lines : others).push_back(line);
    }
  }
  ExpectLines("parser_options", lines);
  WriteOutcomes("parser_options_of_others", others);
}

// Every part of a program that can be read alone: each character left out, doubled, or another one.
template <typename Parse>
void AddParts(const std::string& kind, const std::vector<std::string>& texts, Parse parse,
              std::vector<std::string>* lines) {
  for (const std::string& text : texts) {
    lines->push_back(absl::StrCat(kind, " ", text, ": ", OneLine(parse(text))));
    for (size_t i = 0; i < text.size(); ++i) {
      for (const std::string& with : {std::string(), text.substr(i, 1) + text.substr(i, 1),
                                      std::string("0"), std::string("x"), std::string(",")}) {
        const std::string changed = text.substr(0, i) + with + text.substr(i + 1);
        lines->push_back(absl::StrCat("  ", i, ": ", kind, " ", OneLine(parse(changed))));
      }
    }
  }
}

TEST(Options, PartsOfPrograms) {
  std::vector<std::string> lines;
  const auto of = [](const auto& result, const auto& text_of) {
    return result.ok() ? std::string(text_of(*result)) : std::string(result.status().message());
  };
  AddParts(
      "shape",
      {"f32[2,3]{1,0}", "(s4[5]{0:E(4)}, (), pred[])", "bf16[<=4,?]{0,1:T(8,128)(2,1)S(5)}",
       "token[]", "f8e4m3fn[7]{0:T(*)L(4)}", "u1[3]", "c128[0]"},
      [&](const std::string& text) {
        return of(ParseShape(text), [](const Shape& shape) { return shape.ToString(true); });
      },
      &lines);
  AddParts(
      "layout", {"{1,0}", "{0,1:T(2,4)(1)#(u32)*(u64)E(16)S(2)SC(0:1,2)M(16)}", "{}"},
      [&](const std::string& text) {
        return of(ParseLayout(text), [](const Layout& layout) { return layout.ToString(); });
      },
      &lines);
  AddParts(
      "sharding",
      {"{replicated}", "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
       "{maximal device=3}", "{{manual}, {devices=[2]0,1}}", "{unknown shard_like 7}",
       "{mesh['x'=2,'y'=2], [{'x'}, {'y', ?}], replicated={}}",
       "{devices=[1,1,4]<=[4] last_tile_dims={manual, replicated} metadata={op_name=\"a\"}}"},
      [&](const std::string& text) {
        return of(ParseSharding(text),
                  [](const HloSharding& sharding) { return sharding.ToString(); });
      },
      &lines);
  AddParts(
      "window",
      {"size=3x2 stride=2x1 pad=0_1x-1_0 lhs_dilate=1x2 rhs_dilate=2x1 rhs_reversal=1x0", "size=1"},
      [&](const std::string& text) {
        return of(ParseWindowDims(text), [](const WindowDims& window) {
          std::string printed;
          for (const WindowDim& dim : window.dims) {
            absl::StrAppend(&printed, dim.size, " ", dim.stride, " ", dim.padding_low, " ",
                            dim.padding_high, " ", dim.base_dilation, " ", dim.window_dilation, " ",
                            dim.window_reversal, "; ");
          }
          return printed;
        });
      },
      &lines);
  AddParts(
      "labels", {"b01f_01io->b01f", "bf?0_io0->f0b", "b012f_0i1o2->bf012"},
      [&](const std::string& text) { return of(ParseConvDims(text), ConvDimsToString); }, &lines);
  AddParts(
      "padding", {"1_2_3x-1_0", "0_0"},
      [&](const std::string& text) { return of(ParsePadDims(text), PadDimsToString); }, &lines);
  AddParts(
      "devices", {"{{0,1},{2,3}}", "{}", "[2,4]<=[4,2]T(1,0)", "mesh['x'=2,'y'=4] {'y':(1)2}"},
      [&](const std::string& text) {
        return of(ParseCollectiveDeviceList(text),
                  [](const CollectiveDeviceList& devices) { return devices.ToString(); });
      },
      &lines);
  const std::pair<const char*, const char*> literals[] = {{"s32[2,2]", "{ {1, -2}, {3, 4} }"},
                                                          {"f32[3]", "{1.5e2, -inf, nan(0x12)}"},
                                                          {"pred[2]", "{true, 0}"},
                                                          {"c64[2]", "{(1, -2.5), (3, 0)}"},
                                                          {"(s8[], f16[2])", "(-7, {1, 2})"},
                                                          {"u4[<=3]", "{1, 15}"},
                                                          {"f64[0,2]", "{}"},
                                                          {"s2[2]", "{-2, 1}"}};
  for (const auto& [shape_text, value] : literals) {
    ASSERT_OK_AND_ASSIGN(const Shape shape, ParseShape(shape_text));
    AddParts(
        shape_text, {value},
        [&](const std::string& text) {
          return of(ParseLiteral(shape, text),
                    [](const Literal& literal) { return literal.ToStringOneline(); });
        },
        &lines);
  }
  ExpectKinds("parts_of_programs", lines);
}

}  // namespace
}  // namespace xla::testing
