// SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/op_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tools/ops_page.h"
#include "xla/base/string_view.h"

namespace xla {
namespace {

// "Dot" of kDot.
constexpr std::string_view kStems[] = {
#define HLO_OP(Stem, ...) #Stem,
#include "xla/hlo/ir/opcodes.def"
};

// Where operations are compiled, below xla/: several if there are several ways.
struct CompiledIn {
  const char* operations;  // text names
  const char* files;
};
constexpr CompiledIn kCompiledIn[] = {
    {"parameter constant tuple get-tuple-element after-all call", "cpu/plan/schedule.cc"},
    {"while",
     "cpu/plan/schedule.cc cpu/lower/scalar_while.cc cpu/lower/compiled_while.cc "
     "cpu/lower/thunk_builder.cc cpu/codegen/element_emitter_apply.cc"},
    {"conditional",
     "cpu/plan/schedule.cc cpu/lower/compiled_while.cc cpu/lower/thunk_builder.cc "
     "cpu/codegen/element_emitter_apply.cc"},
    {"fusion", "cpu/kernel/kernel_code.cc cpu/lower/generated_functions.cc"},
    {"opt-barrier domain add-dependency", "cpu/plan/assign_lowering.cc"},
    {"custom-call", "cpu/run/library_custom_calls.cc cpu/run/prepared_kernels.cc"},
    {"iota broadcast pad reverse slice dynamic-slice gather", "cpu/codegen/element_emitter.cc"},
    {"bitcast reshape", "cpu/plan/assign_lowering.cc cpu/codegen/element_emitter.cc"},
    {"concatenate",
     "cpu/codegen/element_emitter.cc cpu/kernel/loop_nest.cc cpu/kernel/interleaved_columns.cc"},
    {"transpose", "cpu/kernel/transpose.cc cpu/codegen/element_emitter.cc"},
    {"dynamic-reshape get-dimension-size set-dimension-size", "passes/resolve_dynamic_sizes.cc"},
    {"dynamic-update-slice",
     "cpu/kernel/loop_nest.cc cpu/kernel/in_place.cc cpu/codegen/element_emitter.cc"},
    {"scatter", "cpu/kernel/scatter.cc passes/split_scatters.cc passes/expand_scatters.cc"},
    {"map", "cpu/codegen/element_emitter.cc cpu/codegen/element_emitter_apply.cc"},
    {"reduce",
     "cpu/codegen/element_emitter_reduce.cc cpu/codegen/element_emitter_reduce_rows.cc "
     "cpu/kernel/row_reduction.cc cpu/kernel/column_reduction.cc passes/split_reductions.cc"},
    {"scan", "passes/expand_scan.cc"},
    {"batch-norm-grad batch-norm-inference batch-norm-training", "passes/expand_batch_norm.cc"},
    {"reduce-window",
     "cpu/codegen/element_emitter_window.cc cpu/run/prepared_kernels.cc "
     "kernels/scan/scan_kernel.cc passes/prefix_scan.cc passes/expand_wide_windows.cc"},
    {"select-and-scatter", "cpu/kernel/select_and_scatter.cc cpu/codegen/nested_computation.cc"},
    {"sort",
     "cpu/run/prepared_kernels.cc kernels/sort/sort_kernel.cc cpu/codegen/comparator.cc "
     "passes/sort_keys.cc"},
    {"topk", "cpu/run/prepared_kernels.cc kernels/sort/sort_kernel.cc passes/topk_rewriter.cc"},
    {"convolution",
     "cpu/run/prepared_kernels.cc kernels/convolution/convolution_kernel.cc "
     "passes/expand_sparse_convolutions.cc"},
    {"dot",
     "cpu/run/prepared_kernels.cc kernels/dot/dot_kernel.cc cpu/codegen/element_emitter_dot.cc "
     "cpu/plan/small_dot.cc"},
    {"ragged-dot", "cpu/run/library_calls.cc kernels/dot/ragged_dot.cc"},
    {"scaled-dot", "passes/expand_scaled_dot.cc"},
    {"cholesky triangular-solve",
     "cpu/run/prepared_kernels.cc kernels/linear_algebra/linear_algebra_kernel.cc"},
    {"fft", "cpu/run/prepared_kernels.cc kernels/fft/fft_kernel.cc cpu/run/library_calls.cc"},
    {"rng rng-get-and-update-state", "cpu/run/library_calls.cc"},
    {"rng-bit-generator", "cpu/run/prepared_kernels.cc kernels/random/random_bits_kernel.cc"},
    {"copy-start copy-done async-start async-update async-done all-gather-start all-gather-done "
     "all-reduce-start all-reduce-done collective-permute-start collective-permute-done",
     "passes/expand_async.cc"},
    {"infeed outfeed send send-done recv recv-done", "cpu/run/library_transfers.cc"},
    {"all-reduce reduce-scatter",
     "cpu/run/library_collectives.cc cpu/codegen/combiner_emitter.cc "
     "cpu/lower/generated_functions.cc"},
    {"all-gather all-to-all ragged-all-to-all collective-broadcast collective-permute",
     "cpu/run/library_collectives.cc"},
    {"partition-id replica-id", "cpu/run/library_calls.cc"},
    {"bitcast-convert", "cpu/codegen/elementwise.cc cpu/run/library_calls.cc"},
    {"stochastic-convert", "cpu/run/library_calls.cc"},
    {"copy", "cpu/plan/assign_lowering.cc cpu/codegen/elementwise.cc"},
};
// All other elementwise operations.
constexpr char kElementwiseFiles[] = "cpu/codegen/elementwise.cc";

using Texts = std::map<std::string, std::string>;

// The sources of a folder, by path from the root.
Texts ReadFolder(const std::string& root, const std::string& folder) {
  Texts texts;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(absl::StrCat(root, "/", folder), error)) {
    if (entry.path().extension() != ".cc") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    texts[absl::StrCat(folder, "/", entry.path().filename().string())] =
        std::string(std::istreambuf_iterator<char>(in), {});
  }
  return texts;
}

bool IsPartOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Where the word stands in the text: at the start of a definition, or anywhere.
bool HasWord(const std::string& text, const std::string& word, bool is_definition) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const size_t end = at + word.size();
    if (IsPartOfName(before) || (end < text.size() && IsPartOfName(text[end]))) continue;
    if (!is_definition) return true;
    // A definition starts its line, and its parameters follow.
    const size_t line = text.find_last_of('\n', at) + 1;
    if (end < text.size() && text[end] == '(' && at > line && IsPartOfName(text[line])) return true;
  }
  return false;
}

// The files with a definition of the function; or else those that name it, as tables do.
std::vector<std::string> FilesWith(const Texts& texts, const std::string& function) {
  for (const bool is_definition : {true, false}) {
    std::vector<std::string> files;
    for (const auto& [path, text] : texts) {
      if (HasWord(text, function, is_definition)) files.push_back(path);
    }
    if (!files.empty()) return files;
  }
  return {};
}

std::vector<std::string> CompiledFiles(HloOpcode opcode) {
  const std::string name(HloOpcodeString(opcode));
  std::string files;
  for (const CompiledIn& row : kCompiledIn) {
    const std::vector<std::string> names = absl::StrSplit(row.operations, ' ');
    if (std::find(names.begin(), names.end(), name) != names.end()) files = row.files;
  }
  if (files.empty() && GetOpInfo(opcode).family == OpFamily::kElementwise)
    files = kElementwiseFiles;
  std::vector<std::string> paths;
  for (const std::string& file :
       std::vector<std::string>(absl::StrSplit(files, ' ', absl::SkipEmpty())))
    paths.push_back(absl::StrCat("xla/", file));
  return paths;
}

OpFiles FilesIn(HloOpcode opcode, const Texts& inference, const Texts& interpreter) {
  const std::string stem(kStems[static_cast<size_t>(opcode)]);
  OpFiles files;
  files.compiled = CompiledFiles(opcode);
  if (GetOpInfo(opcode).family == OpFamily::kElementwise) {
    // They share the functions of their family.
    files.inferred = {"xla/hlo/shape_inference/elementwise.cc"};
    files.evaluated = {"xla/interpreter/elementwise.cc"};
  } else {
    files.inferred = FilesWith(inference, absl::StrCat("Infer", stem));
    files.evaluated = FilesWith(interpreter, absl::StrCat("Eval", stem));
  }
  // Operations whose function is that of another one, or part of the evaluator itself.
  if (files.inferred.empty()) files.inferred = {"xla/hlo/shape_inference/shape_inference.cc"};
  if (files.evaluated.empty()) files.evaluated = {"xla/interpreter/eval_table.cc"};
  return files;
}

std::string Cell(const std::vector<std::string>& files, absl::string_view folder) {
  std::vector<std::string> names;
  for (const std::string& file : files) {
    absl::string_view name = file;
    absl::ConsumePrefix(&name, folder);
    names.push_back(absl::StrCat("`", name, "`"));
  }
  return absl::StrJoin(names, ", ");
}

constexpr std::string_view kFilesIntroduction =
    R"(# Where operations are inferred, evaluated and compiled

For each operation the files of shape inference (`xla/hlo/shape_inference`), of the interpreter (`xla/interpreter`), and of the
compiler (below `xla`): passes that replace it, the strategy or emitter of its code, the prepared kernel, the function of the
runtime. `cpu.md` says what these are. Made by `op_coverage --files .` (`make operations`) from the table in
`tests/coverage/op_files.cc`, which a test compares with the sources.

)";

}  // namespace

OpFiles FilesOf(HloOpcode opcode, const std::string& root) {
  return FilesIn(opcode, ReadFolder(root, "xla/hlo/shape_inference"),
                 ReadFolder(root, "xla/interpreter"));
}

std::string CheckOpFiles(const std::string& root) {
  std::string findings;
  std::map<std::string, Texts> folders;
  const auto text_of = [&](const std::string& path) -> const std::string* {
    const std::string folder = path.substr(0, path.rfind('/'));
    if (!folders.contains(folder)) folders[folder] = ReadFolder(root, folder);
    const auto text = folders[folder].find(path);
    return text == folders[folder].end() ? nullptr : &text->second;
  };
  for (int i = 0; i < kNumHloOpcodes; ++i) {
    const auto opcode = static_cast<HloOpcode>(i);
    const std::string enumerator = absl::StrCat("k", View(kStems[i]));
    bool is_mentioned = false;
    for (const std::string& path : CompiledFiles(opcode)) {
      const std::string* text = text_of(path);
      if (text == nullptr) absl::StrAppend(&findings, path, " does not exist\n");
      is_mentioned |= text != nullptr && HasWord(*text, enumerator, /*is_definition=*/false);
    }
    if (!is_mentioned) {
      absl::StrAppend(&findings, View(HloOpcodeString(opcode)),
                      ": no file of its row mentions it\n");
    }
  }
  return findings;
}

std::string OpFilesPage(const std::string& root) {
  const Texts inference = ReadFolder(root, "xla/hlo/shape_inference");
  const Texts interpreter = ReadFolder(root, "xla/interpreter");
  std::string out(kFilesIntroduction);
  absl::StrAppend(&out, "| operation | inferred | evaluated | compiled |\n|---|---|---|---|\n");
  for (int i = 0; i < kNumHloOpcodes; ++i) {
    const auto opcode = static_cast<HloOpcode>(i);
    const OpFiles files = FilesIn(opcode, inference, interpreter);
    const std::string_view name = HloOpcodeString(opcode);
    absl::StrAppend(&out, "| [", View(name), "](operations.md#", OpAnchor(name), ") | ",
                    Cell(files.inferred, "xla/hlo/shape_inference/"), " | ",
                    Cell(files.evaluated, "xla/interpreter/"), " | ", Cell(files.compiled, "xla/"),
                    " |\n");
  }
  return out;
}

}  // namespace xla
