// SPDX-License-Identifier: Apache-2.0
// xylem diff: finds the first instruction whose compiled value differs from the interpreter's.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/execute.h"
#include "tools/process.h"
#include "tools/replicas.h"
#include "tools/tolerance.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/hlo/ir/call_rewriting.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Where two arrays differ most.
struct Difference {
  std::vector<int64_t> index;
  std::string compiled, interpreted;
  double error = 0;  // relative to the largest element; infinite for values of another kind
};

// The elements as complex numbers; integers beyond 2^53 lose bits, so that they are compared apart.
std::optional<Difference> Compare(const LiteralSlice& compiled, const LiteralSlice& interpreted,
                                  double limit) {
  const Shape& shape = interpreted.shape();
  const PrimitiveType type = shape.element_type();
  std::optional<Difference> worst;
  const bool is_inexact =
      primitive_util::IsFloatingPointType(type) || primitive_util::IsComplexType(type);
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()), 0);
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const int32_t a = compiled.GetDynamicSize(d), b = interpreted.GetDynamicSize(d);
    if (a == b) continue;
    return Difference{{}, absl::StrCat("size ", a), absl::StrCat("size ", b), HUGE_VAL};
  }
  double largest = 0;
  // From zeros to zeros of the index.
  const auto for_each = [&](auto&& f) {
    if (ShapeUtil::IsZeroElementArray(shape)) return;
    while (true) {
      bool exists = true;
      for (int64_t d = 0; d < shape.rank(); ++d)
        exists &= index[static_cast<size_t>(d)] < interpreted.GetDynamicSize(d);
      if (exists) f();
      int64_t d = shape.rank() - 1;
      for (; d >= 0; --d) {
        if (++index[static_cast<size_t>(d)] < shape.dimensions(static_cast<int>(d))) break;
        index[static_cast<size_t>(d)] = 0;
      }
      if (d < 0) return;
    }
  };
  const auto number = [&](const LiteralSlice& literal) -> std::complex<double> {
    if (const auto value = literal.GetAsComplex128(index); value.has_value()) return *value;
    return {0, 0};
  };
  for_each([&] {
    const double magnitude = std::abs(number(interpreted));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  });
  for_each([&] {
    const std::string a = compiled.GetAsString(index), b = interpreted.GetAsString(index);
    if (a == b) return;
    const std::complex<double> x = number(compiled), y = number(interpreted);
    double error = std::abs(x - y) / (largest > 0 ? largest : 1);
    if (!is_inexact || std::isnan(error)) error = HUGE_VAL;
    if (error <= limit || (worst.has_value() && worst->error >= error)) return;
    worst = Difference{index, a, b, error};
  });
  return worst;
}

class Bisection {
 public:
  Bisection(const HloModule& module, const std::vector<const Literal*>& arguments, int threads)
      : module_(module), arguments_(arguments), threads_(threads) {}

  absl::StatusOr<int> Run() {
    const HloInstruction* const root = module_.entry_computation()->root_instruction();
    std::vector<const HloInstruction*> results = {root};
    if (root->opcode() == HloOpcode::kTuple)
      results.assign(root->operands().begin(), root->operands().end());
    for (const HloInstruction* result : results) {
      if (!result->shape().IsArray()) continue;
      XLA_ASSIGN_OR_RETURN(std::optional<Difference> difference, Check(*result));
      if (!difference.has_value()) continue;
      return Search(*result, *std::move(difference));
    }
    std::printf("%zu results agree\n", results.size());
    return kExitOk;
  }

 private:
  // The first instruction that differs, of those that a result that differs is computed from: what
  // is computed from one that differs is taken to differ as well.
  absl::StatusOr<int> Search(const HloInstruction& result, Difference difference) {
    XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> order,
                         module_.entry_computation()->PostOrder());
    absl::flat_hash_set<const HloInstruction*> needed = {&result};
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (needed.contains(*it)) needed.insert((*it)->operands().begin(), (*it)->operands().end());
    }
    std::vector<const HloInstruction*> candidates;
    for (const HloInstruction* instruction : order) {
      if (needed.contains(instruction) && instruction != &result &&
          instruction->shape().IsArray() && instruction->opcode() != HloOpcode::kParameter &&
          instruction->opcode() != HloOpcode::kConstant) {
        candidates.push_back(instruction);
      }
    }
    candidates.push_back(&result);
    size_t low = 0, high = candidates.size() - 1;
    while (low < high) {
      const size_t middle = (low + high) / 2;
      XLA_ASSIGN_OR_RETURN(std::optional<Difference> here, Check(*candidates[middle]));
      std::printf("%-8s %s\n", here.has_value() ? "differs" : "agrees",
                  candidates[middle]->ToShortString().c_str());
      if (here.has_value()) {
        difference = *std::move(here);
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    Report(*candidates[high], difference);
    return kExitFailed;
  }

  void Report(const HloInstruction& instruction, const Difference& difference) const {
    std::string index;
    for (const int64_t i : difference.index) absl::StrAppend(&index, index.empty() ? "" : ",", i);
    std::printf("first difference: %s\n  at [%s]: compiled %s, interpreted %s",
                instruction.ToShortString().c_str(), index.c_str(), difference.compiled.c_str(),
                difference.interpreted.c_str());
    if (std::isfinite(difference.error))
      std::printf(", %.3g of the largest element", difference.error);
    std::puts("");
  }

  // The value of the instruction alone, both ways.
  absl::StatusOr<std::optional<Difference>> Check(const HloInstruction& instruction) const {
    if (Interrupted()) return absl::CancelledError("interrupted");
    const std::unique_ptr<HloModule> clone = module_.Clone();
    HloComputation* const entry = clone->entry_computation();
    HloInstruction* const root = entry->GetInstructionWithName(instruction.name());
    if (root == nullptr) return absl::InternalError("the copy lacks an instruction");
    entry->set_root_instruction(root);
    clone->config().set_entry_computation_layout(entry->ComputeProgramShape());
    clone->config().input_output_alias.clear();
    clone->config().is_scheduled = false;
    InterpreterOptions options;
    options.num_threads = threads_;
    options.cancel = &Interrupted();
    const std::vector<std::vector<const Literal*>> arguments = {arguments_};
    XLA_ASSIGN_OR_RETURN(const std::vector<Literal> compiled,
                         ExecuteReplicated(true, *clone, 1, 1, arguments, options));
    XLA_ASSIGN_OR_RETURN(const std::vector<Literal> interpreted,
                         ExecuteReplicated(false, *clone, 1, 1, arguments, options));
    XLA_ASSIGN_OR_RETURN(const std::vector<ExpectedError> errors, ExpectedErrors(*clone));
    return Compare(compiled[0], interpreted[0], errors[0].OfElements(root->shape().element_type()));
  }

  const HloModule& module_;
  const std::vector<const Literal*>& arguments_;
  const int threads_;
};

absl::StatusOr<int> Diff(const Arguments& arguments) {
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module,
                       LoadModule(arguments.operands()[0]));
  XLA_RETURN_IF_ERROR(LoadCompiler());
  if (module->config().replica_count() * module->config().num_partitions() != 1)
    return absl::InvalidArgumentError("programs of several devices are not compared");
  XLA_RETURN_IF_ERROR(InlineAllCalls(module.get()).status());
  const DeviceGrid grid;
  XLA_ASSIGN_OR_RETURN(const std::vector<DeviceArguments> inputs,
                       ReadDeviceArguments(*module, grid, arguments));
  std::vector<const Literal*> pointers;
  for (const auto& input : inputs[0]) pointers.push_back(input.get());
  return Bisection(*module, pointers, static_cast<int>(arguments.GetInt("--threads", 0))).Run();
}

}  // namespace

Command DiffCommand() {
  return {"diff",
          "FILE",
          "find the first instruction whose compiled value differs from the interpreter's",
          "Runs the program on the interpreter and compiled, with arguments from --input and\n"
          "--random as in `xylem run`, and searches by bisection for the first instruction of the\n"
          "entry computation whose values differ by more than rounding explains. The exit code is\n"
          "0 if there is none.",
          {{"--input", "FILE", ".npy or .npz file with arguments; may be repeated"},
           {"--random",
            "SEED",
            "generate missing arguments: uniform in [-1, 1), integers below 100",
            {},
            IntegerRange{0, INT64_MAX}},
           {"--threads",
            "N",
            "number of threads; the default, 0, means all",
            {},
            IntegerRange{0, 4096}}},
          1,
          1,
          Diff};
}

}  // namespace xla
