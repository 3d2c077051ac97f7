// SPDX-License-Identifier: Apache-2.0
// xylem run: executes a program on arrays from files.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "tools/command.h"
#include "tools/draw.h"
#include "tools/npz.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_print.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Results of more elements are cut on the terminal.
constexpr int64_t kMostPrinted = 64;

// "arg07" -> 7
std::optional<int64_t> ArgumentNumber(absl::string_view name) {
  int64_t number;
  if (!absl::ConsumePrefix(&name, "arg") || name.empty() || !absl::SimpleAtoi(name, &number) ||
      number < 0) {
    return std::nullopt;
  }
  return number;
}

std::string Signature(const HloModule& module) {
  std::string out;
  const ProgramShape& program = module.entry_computation_layout();
  for (int i = 0; i < program.parameters_size(); ++i) {
    absl::StrAppend(&out, "\n  argument ", i, ": ", program.parameters(i).ToString());
    if (module.entry_computation()->parameter_instruction(i) != nullptr) {
      absl::StrAppend(&out, " ", module.entry_computation()->parameter_instruction(i)->name());
    }
  }
  return out;
}

// Arrays for each argument; tuple arguments take one array a leaf.
absl::StatusOr<std::vector<Literal>> ReadArguments(const HloModule& module,
                                                   const Arguments& arguments) {
  // Leaves of all parameters, in order: what "position" and "argNN" count.
  std::vector<std::pair<int, ShapeIndex>> leaves;
  std::vector<Shape> leaf_shapes;
  const ProgramShape& program = module.entry_computation_layout();
  for (int p = 0; p < program.parameters_size(); ++p) {
    for (const ShapeUtil::IndexedShape& leaf : ShapeUtil::GetLeafShapes(program.parameters(p))) {
      leaves.emplace_back(p, leaf.index);
      leaf_shapes.push_back(leaf.shape);
    }
  }
  std::vector<std::optional<Literal>> values(leaves.size());
  size_t next = 0;
  for (const std::string& path : arguments.All("--input")) {
    XLA_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
    auto arrays = ParseNumpyFile(bytes);
    if (!arrays.ok())
      return absl::InvalidArgumentError(absl::StrCat(path, ": ", arrays.status().message()));
    const bool by_name = std::all_of(arrays->begin(), arrays->end(), [](const NamedLiteral& a) {
      return ArgumentNumber(a.name).has_value();
    });
    for (NamedLiteral& array : *arrays) {
      const std::string name = array.name;
      const size_t position = by_name ? *ArgumentNumber(name) : next++;
      if (position >= leaves.size()) {
        return absl::InvalidArgumentError(absl::StrCat(path, name.empty() ? "" : ":", name,
                                                       ": the program takes ", leaves.size(),
                                                       " arrays", Signature(module)));
      }
      if (values[position].has_value()) {
        return absl::InvalidArgumentError(
            absl::StrCat(path, ": argument ", position, " is given twice"));
      }
      auto value = ArgumentFromNumpy(std::move(array), leaf_shapes[position]);
      if (!value.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(path, name.empty() ? "" : ":", name,
                                                       ": argument ", position, ": ",
                                                       value.status().message()));
      }
      values[position] = *std::move(value);
    }
  }
  XLA_ASSIGN_OR_RETURN(const int64_t seed, arguments.GetInt("--random", 0, 0, INT64_MAX));
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].has_value()) continue;
    if (!arguments.Has("--random")) {
      return absl::InvalidArgumentError(absl::StrCat(
          "argument ", i, " is missing; give it with --input, or --random SEED to make it up",
          Signature(module)));
    }
    XLA_ASSIGN_OR_RETURN(values[i],
                         DrawLiteral(leaf_shapes[i], seed + i * 1000003, DrawKind::kUniform, 100));
  }
  std::vector<Literal> result;
  size_t leaf = 0;
  for (int p = 0; p < program.parameters_size(); ++p) {
    if (program.parameters(p).IsArray()) {
      result.push_back(*std::move(values[leaf++]));
      continue;
    }
    XLA_ASSIGN_OR_RETURN(Literal whole, Literal::Make(program.parameters(p)));
    for (; leaf < leaves.size() && leaves[leaf].first == p; ++leaf) {
      XLA_RETURN_IF_ERROR(whole.MoveFrom(*std::move(values[leaf]), leaves[leaf].second));
    }
    result.push_back(std::move(whole));
  }
  return result;
}

// Small arrays whole, large ones by their first elements.
std::string Readable(const LiteralSlice& array) {
  const Shape& shape = array.shape();
  if (!shape.IsArray()) return shape.ToString();
  if (ShapeUtil::ElementsIn(shape) <= kMostPrinted) return array.ToString();
  std::string out = absl::StrCat(shape.ToString(), " {");
  std::vector<int64_t> index(shape.rank(), 0);
  for (int i = 0; i < 8; ++i) {
    absl::StrAppend(&out, i == 0 ? "" : ", ", array.GetAsString(index));
    for (int64_t d = shape.rank(); d-- > 0;) {
      if (++index[d] < shape.dimensions(d)) break;
      index[d] = 0;
    }
  }
  return absl::StrCat(out, ", ... ", ShapeUtil::ElementsIn(shape) - 8, " more}");
}

absl::StatusOr<int> Run(const Arguments& arguments) {
  const std::string backend = arguments.Get("--backend", "interpreter");
  if (backend != "interpreter") {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown backend '", backend, "'; there is: interpreter"));
  }
  InterpreterOptions options;
  options.memory_limit_bytes = UsableMemoryBytes();
  XLA_ASSIGN_OR_RETURN(options.num_threads, arguments.GetInt("--threads", 0, 0, 4096));
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module,
                       LoadModule(arguments.positional()[0]));
  XLA_ASSIGN_OR_RETURN(const std::vector<Literal> inputs, ReadArguments(*module, arguments));
  std::vector<const Literal*> pointers;
  for (const Literal& input : inputs) pointers.push_back(&input);

  ProgressLine line;
  options.cancel = &Interrupted();
  options.progress = [&line](int64_t executed, const HloInstruction& current) {
    line.Show(absl::StrCat("running: ", executed, " instructions done, now ",
                           HloOpcodeString(current.opcode()).data(), " ",
                           current.shape().ToString()));
  };
  options.custom_calls = CheckCustomCalls();
  RunStatistics statistics;
  const double start = Seconds();
  auto result = Interpret(*module, pointers, options, &statistics);
  const double milliseconds = (Seconds() - start) * 1e3;
  line.Clear();
  if (!result.ok()) return result.status();

  std::vector<std::pair<std::string, LiteralSlice>> outputs;
  for (const ShapeUtil::IndexedShape& leaf : ShapeUtil::GetLeafShapes(result->shape())) {
    if (!leaf.shape.IsArray()) continue;
    outputs.emplace_back(absl::StrFormat("out%02d", outputs.size()),
                         LiteralSlice(*result, leaf.index));
  }
  if (arguments.Has("--output")) {
    XLA_ASSIGN_OR_RETURN(const std::string bytes, ToNpz(outputs));
    XLA_RETURN_IF_ERROR(WriteFile(arguments.Get("--output"), bytes));
  }
  if (arguments.Has("--json")) {
    std::string json =
        absl::StrFormat("{\"name\": \"%s\", \"run_ms\": %.6f, \"peak_bytes\": %d, \"outputs\": [",
                        module->name(), milliseconds, statistics.peak_bytes);
    for (size_t i = 0; i < outputs.size(); ++i) {
      absl::StrAppend(&json, i == 0 ? "" : ", ", "\"", outputs[i].second.shape().ToString(), "\"");
    }
    std::puts(absl::StrCat(json, "]}").c_str());
  } else if (arguments.Get("--output") != "-") {
    if (!arguments.Has("--output")) {
      for (const auto& [name, array] : outputs)
        std::printf("%s = %s\n", name.c_str(), Readable(array).c_str());
    } else {
      for (const auto& [name, array] : outputs) {
        std::printf("%s = %s -> %s\n", name.c_str(), array.shape().ToString().c_str(),
                    arguments.Get("--output").c_str());
      }
    }
    std::fprintf(stderr, "ran %s in %.1f ms, %.1f MB at the peak\n", module->name().c_str(),
                 milliseconds, static_cast<double>(statistics.peak_bytes) / 1e6);
  }
  return kExitOk;
}

}  // namespace

Command RunCommand() {
  return {
      "run",
      "FILE",
      "execute a program on arrays from files",
      "Arguments come from --input, in order: each .npy file is the next argument, each .npz file "
      "holds several,\n"
      "by name (arg00, arg01, ...) or else in the archive's order. A tuple argument takes one "
      "array for each\n"
      "leaf. Shapes and types must be those of the program. Results are printed, or written to "
      "--output as an\n"
      ".npz file with members out00, out01, ...: one for each leaf of the result.",
      {{"--input", "FILE", ".npy or .npz file with arguments; may be repeated"},
       {"--output", "FILE", "write the results to this .npz file ('-': standard output)"},
       {"--random", "SEED",
        "make up the arguments not given: uniform in [-1, 1), integers below 100"},
       {"--backend", "NAME", "what runs the program: interpreter (the reference)", "interpreter"},
       {"--threads", "N", "threads to use; 0, the default: all; results do not depend on it"},
       {"--json", "", "print name, time, memory and result shapes as JSON"}},
      1,
      1,
      Run};
}

}  // namespace xla
