// SPDX-License-Identifier: Apache-2.0
#include "xla/debugging/reduction.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "xla/base/status_macros.h"
#include "xla/debugging/reduction_edits.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// What an instruction counts: those that compute more than those that bring data.
int64_t WeightOf(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kParameter:
      return 2;
    case HloOpcode::kConstant:
    case HloOpcode::kIota:
      return 1;
    case HloOpcode::kBroadcast:
      return instruction.operand(0)->IsConstant() ? 1 : 10;
    default:
      return 10;
  }
}

int64_t DetailsOf(const HloInstruction& instruction) {
  int64_t details = 0;
  if (instruction.has_extras()) {
    const InstructionExtras& extras = instruction.extras();
    details += static_cast<int64_t>(extras.frontend_attributes.size());
    details += extras.sharding.has_value() + extras.metadata.has_value() +
               extras.statistics.has_value() + extras.original_value.has_value() +
               !extras.backend_config.empty() + (extras.backend_decision != nullptr) +
               !(extras.result_accuracy == AccuracySpec());
  }
  if (instruction.IsConstant() && instruction.shape().IsArray() &&
      !instruction.literal().IsAll(0)) {
    details += instruction.literal().IsAll(1) ? 1 : 2;
  }
  return details;
}

class Reducer {
 public:
  Reducer(ReducibleProgram program, const FaultTest& test, const ReductionOptions& options,
          ReductionStatistics& statistics)
      : current_(std::move(program)), test_(test), options_(options), statistics_(statistics) {
    size_ = SizeOf(*current_.module);
  }

  absl::StatusOr<ReducibleProgram> Run() {
    if (current_.has_arguments) SetLimit();
    ++statistics_.tests;
    XLA_ASSIGN_OR_RETURN(const bool is_faulty, test_(current_));
    if (!is_faulty) {
      return absl::FailedPreconditionError(
          "the program does not show what it is to be reduced for");
    }
    bool changed = true;
    while (changed && !IsCancelled()) {
      const int64_t before = statistics_.successes;
      XLA_RETURN_IF_ERROR(DropResults());
      XLA_RETURN_IF_ERROR(MoveRoot());
      XLA_RETURN_IF_ERROR(TryChunks(EditKind::kCut));
      XLA_RETURN_IF_ERROR(TryChunks(EditKind::kZero));
      XLA_RETURN_IF_ERROR(TryEach(EditKind::kInline, 8));
      XLA_RETURN_IF_ERROR(TryEach(EditKind::kOperand, 3));
      XLA_RETURN_IF_ERROR(Shrink());
      XLA_RETURN_IF_ERROR(TryChunks(EditKind::kDropDetails));
      XLA_RETURN_IF_ERROR(TryChunks(EditKind::kSplatConstant));
      XLA_RETURN_IF_ERROR(TryChunks(EditKind::kOne));
      changed = statistics_.successes > before;
    }
    statistics_.is_complete = !IsCancelled();
    return std::move(current_);
  }

 private:
  // Ten times what the program executes, if it runs at all.
  void SetLimit() {
    std::atomic<int64_t> executed = 0;
    InterpreterOptions options;
    options.cancel = options_.cancel;
    options.observe = [&executed](const Observation&) {
      ++executed;
      return absl::OkStatus();
    };
    InterpretProgram(current_, options).IgnoreError();
    current_.most_instructions = 10 * executed.load() + 10000;
  }

  bool IsCancelled() const { return options_.cancel != nullptr && options_.cancel->load(); }

  // Tries edits in order, some at once, and takes the first whose program is smaller and shows the
  // fault. Returns its position.
  absl::StatusOr<std::optional<size_t>> TryFirst(const std::vector<Edit>& edits) {
    const auto jobs = static_cast<size_t>(std::max(1, options_.jobs));
    for (size_t begin = 0; begin < edits.size() && !IsCancelled(); begin += jobs) {
      const size_t end = std::min(edits.size(), begin + jobs);
      std::vector<Outcome> outcomes(end - begin);
      std::vector<std::thread> threads;
      for (size_t i = 1; i < outcomes.size(); ++i)
        threads.emplace_back([&, i] { outcomes[i] = Try(edits[begin + i]); });
      outcomes[0] = Try(edits[begin]);
      for (std::thread& thread : threads) thread.join();
      for (size_t i = 0; i < outcomes.size(); ++i) {
        XLA_RETURN_IF_ERROR(outcomes[i].status);
        statistics_.tests += outcomes[i].is_tested ? 1 : 0;
        if (!outcomes[i].program.has_value()) continue;
        current_ = *std::move(outcomes[i].program);
        size_ = SizeOf(*current_.module);
        ++statistics_.successes;
        if (options_.on_smaller) XLA_RETURN_IF_ERROR(options_.on_smaller(current_));
        return begin + i;
      }
      if (options_.progress) {
        options_.progress({EditKindName(edits[begin].kind), statistics_.tests,
                           current_.module->instruction_count()});
      }
    }
    return std::nullopt;
  }

  struct Outcome {
    absl::Status status;  // of the test
    bool is_tested = false;
    std::optional<ReducibleProgram> program;  // smaller, with the fault
  };
  Outcome Try(const Edit& edit) const {
    Outcome outcome;
    absl::StatusOr<ReducibleProgram> edited = ApplyEdit(current_, edit);
    if (!edited.ok() || !(SizeOf(*edited->module) < size_)) return outcome;
    outcome.is_tested = true;
    const absl::StatusOr<bool> is_faulty = test_(*edited);
    outcome.status = is_faulty.status();
    if (is_faulty.ok() && *is_faulty) outcome.program = *std::move(edited);
    return outcome;
  }

  // Chunks of all targets, halves, quarters, ..., single ones.
  absl::Status TryChunks(EditKind kind) {
    for (size_t chunk = EditTargets(*current_.module, kind).size(); chunk > 0; chunk /= 2) {
      size_t position = 0;
      while (!IsCancelled()) {
        const std::vector<InstructionName> targets = EditTargets(*current_.module, kind);
        std::vector<Edit> edits;
        for (size_t begin = position; begin < targets.size(); begin += chunk) {
          Edit& edit = edits.emplace_back();
          edit.kind = kind;
          edit.targets.assign(targets.begin() + static_cast<std::ptrdiff_t>(begin),
                              targets.begin() + static_cast<std::ptrdiff_t>(
                                                    std::min(targets.size(), begin + chunk)));
        }
        XLA_ASSIGN_OR_RETURN(const std::optional<size_t> taken, TryFirst(edits));
        if (!taken.has_value()) break;
        // What comes before has been tried.
        position += *taken * chunk;
      }
    }
    return absl::OkStatus();
  }

  // Each target alone, with each argument below `arguments`.
  absl::Status TryEach(EditKind kind, int64_t arguments) {
    size_t position = 0;
    while (!IsCancelled()) {
      const std::vector<InstructionName> targets = EditTargets(*current_.module, kind);
      std::vector<Edit> edits;
      for (size_t i = position; i < targets.size(); ++i) {
        for (int64_t argument = 0; argument < arguments; ++argument)
          edits.push_back({kind, {targets[i]}, {}, argument});
      }
      XLA_ASSIGN_OR_RETURN(const std::optional<size_t> taken, TryFirst(edits));
      if (!taken.has_value()) return absl::OkStatus();
      position += *taken / static_cast<size_t>(arguments);
    }
    return absl::OkStatus();
  }

  absl::Status DropResults() {
    const auto count = [&] {
      const HloInstruction* root = current_.module->entry_computation()->root_instruction();
      return root->opcode() == HloOpcode::kTuple ? root->operand_count() : 0;
    };
    for (int64_t chunk = count() / 2; chunk > 0 && !IsCancelled();) {
      std::vector<Edit> edits;
      const int64_t results = count();
      // One chunk alone, then all without one.
      for (const bool is_kept : {true, false}) {
        for (int64_t begin = 0; begin < results; begin += chunk) {
          Edit& edit = edits.emplace_back();
          edit.kind = EditKind::kDropResults;
          for (int64_t i = 0; i < results; ++i) {
            if ((i >= begin && i < begin + chunk) == is_kept) edit.elements.push_back(i);
          }
        }
      }
      XLA_ASSIGN_OR_RETURN(const std::optional<size_t> taken, TryFirst(edits));
      chunk = taken.has_value() ? std::min(chunk, std::max<int64_t>(count() / 2, 1)) : chunk / 2;
      if (count() == 0) break;
    }
    return absl::OkStatus();
  }

  absl::Status MoveRoot() {
    while (!IsCancelled()) {
      // Targets are in order from the root to what it is made of: the middle first, then the
      // quarters, and so on; then the neighbors of the root.
      const std::vector<InstructionName> targets =
          EditTargets(*current_.module, EditKind::kMoveRoot);
      std::vector<size_t> positions;
      for (size_t parts = 2; parts <= 64 && parts <= 2 * targets.size(); parts *= 2) {
        for (size_t i = parts - 1; i > 0 && i < parts; i -= 2)
          positions.push_back(targets.size() * i / parts);
      }
      for (size_t i = 0; i < std::min<size_t>(16, targets.size()); ++i) positions.push_back(i);
      std::vector<Edit> edits;
      absl::flat_hash_set<size_t> listed;
      for (const size_t position : positions) {
        if (position >= targets.size() || !listed.insert(position).second) continue;
        edits.push_back({EditKind::kMoveRoot, {targets[position]}, {}, 0});
      }
      XLA_ASSIGN_OR_RETURN(const std::optional<size_t> taken, TryFirst(edits));
      if (!taken.has_value()) return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  absl::Status Shrink() {
    size_t position = 0;
    while (!IsCancelled()) {
      std::vector<Edit> edits = ShrinkEdits(*current_.module);
      if (position >= edits.size()) return absl::OkStatus();
      edits.erase(edits.begin(), edits.begin() + static_cast<std::ptrdiff_t>(position));
      XLA_ASSIGN_OR_RETURN(const std::optional<size_t> taken, TryFirst(edits));
      if (!taken.has_value()) return absl::OkStatus();
      position += *taken;  // what comes before has been tried
    }
    return absl::OkStatus();
  }

  ReducibleProgram current_;
  ProgramSize size_;
  const FaultTest& test_;
  const ReductionOptions& options_;
  ReductionStatistics& statistics_;
};

}  // namespace

ReducibleProgram ReducibleProgram::Clone() const {
  ReducibleProgram copy;
  copy.module = module->Clone();
  copy.has_arguments = has_arguments;
  copy.most_instructions = most_instructions;
  for (const Literal& argument : arguments) copy.arguments.push_back(argument.Clone());
  return copy;
}

absl::StatusOr<Literal> InterpretProgram(const ReducibleProgram& program,
                                         InterpreterOptions options) {
  std::vector<const Literal*> arguments;
  for (const Literal& argument : program.arguments) arguments.push_back(&argument);
  options.num_threads = 1;
  options.most_instructions = program.most_instructions;
  return Interpret(*program.module, arguments, options);
}

ProgramSize SizeOf(const HloModule& module) {
  ProgramSize size;
  for (const HloComputation* computation : module.computations()) {
    size.instructions += 1;  // a computation less is a gain
    for (const HloInstruction* instruction : computation->instructions()) {
      size.instructions += WeightOf(*instruction);
      size.details += DetailsOf(*instruction);
      for (const auto& leaf : ShapeUtil::GetLeafShapes(instruction->shape())) {
        if (!leaf.shape.IsArray()) continue;
        size.elements += std::min(ShapeUtil::ElementsIn(leaf.shape), int64_t{1} << 40);
      }
    }
  }
  return size;
}

absl::StatusOr<ReducibleProgram> ReduceProgram(const ReducibleProgram& program,
                                               const FaultTest& test,
                                               const ReductionOptions& options,
                                               ReductionStatistics* statistics) {
  ReductionStatistics unused;
  return Reducer(program.Clone(), test, options, statistics != nullptr ? *statistics : unused)
      .Run();
}

}  // namespace xla
