// SPDX-License-Identifier: Apache-2.0
// Entry points of the interpreter: arguments in, results out, on one device or many.
#include "xla/interpreter/interpreter.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/eval_state.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/literal_io.h"
#include "xla/passes/mixed_precision.h"
#include "xla/runtime/feeds.h"
#include "xla/runtime/reusable_threads.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using interpreter::CheckedByteSize;
using interpreter::DeviceRun;
using interpreter::EvalContext;
using interpreter::EvalState;
using interpreter::MemoryBudget;
using interpreter::Value;

// Bytes of all arrays, at their bounds.
absl::StatusOr<int64_t> TotalBytes(const Shape& shape) {
  int64_t total = 0;
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      XLA_ASSIGN_OR_RETURN(const int64_t bytes, TotalBytes(element));
      if (__builtin_add_overflow(total, bytes, &total)) {
        return absl::ResourceExhaustedError(
            absl::StrCat("the size of ", shape.ToString(), " overflows"));
      }
    }
    return total;
  }
  return shape.IsArray() ? CheckedByteSize(shape) : total;
}

// Bytes of arguments and results, which lie in literals, counted while it lives.
class CountedBytes {
 public:
  explicit CountedBytes(MemoryBudget& budget) : budget_(budget) {}
  ~CountedBytes() { budget_.Give(bytes_); }
  absl::Status Add(const Shape& shape) {
    XLA_ASSIGN_OR_RETURN(const int64_t bytes, TotalBytes(shape));
    if (!budget_.Take(bytes)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("arguments and results of ", bytes, " bytes, ", shape.ToString(),
                       ", would pass the memory limit of ", budget_.limit(), " bytes"));
    }
    bytes_ += bytes;
    return absl::OkStatus();
  }

 private:
  MemoryBudget& budget_;
  int64_t bytes_ = 0;
};

// "device 3 (replica 1, partition 1): ", where there are several.
std::string DevicePrefix(int64_t device, int64_t replicas, int64_t partitions) {
  if (replicas * partitions == 1) return "";
  return absl::StrCat("device ", device, " (replica ", device / partitions, ", partition ",
                      device % partitions, "): ");
}

absl::Status CheckArguments(const HloModule& module, absl::Span<const Literal* const> arguments) {
  const HloComputation* entry = module.entry_computation();
  if (static_cast<int64_t>(arguments.size()) != entry->num_parameters()) {
    return absl::InvalidArgumentError(absl::StrCat("module ", module.name(), " takes ",
                                                   entry->num_parameters(), " arguments; ",
                                                   arguments.size(), " were given"));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const HloInstruction* parameter = entry->parameter_instruction(static_cast<int64_t>(i));
    if (parameter == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("the entry computation does not declare parameter ", i));
    }
    if (!LiteralFits(parameter->shape(), arguments[i]->shape())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "argument ", i, " has shape ", arguments[i]->shape().ToString(), ", but parameter ",
          parameter->name(), " has shape ", parameter->shape().ToString()));
    }
  }
  return absl::OkStatus();
}

// Runs the entry computation on one device.
absl::StatusOr<Literal> RunDevice(EvalState& state, DeviceRun& device,
                                  absl::Span<const Literal* const> arguments) {
  const HloModule& module = state.module();
  const HloComputation* entry = module.entry_computation();
  CountedBytes counted(state.budget());
  EvalContext ctx(&state, &device);
  std::vector<Value> values;
  values.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Shape& shape = entry->parameter_instruction(static_cast<int64_t>(i))->shape();
    XLA_RETURN_IF_ERROR(counted.Add(arguments[i]->shape()));
    XLA_ASSIGN_OR_RETURN(Value value, interpreter::ValueFromLiteral(ctx, shape, *arguments[i]));
    values.push_back(std::move(value));
  }

  XLA_ASSIGN_OR_RETURN(const Value value, ctx.Call(*entry, absl::MakeSpan(values)));

  Shape result_shape = entry->root_instruction()->shape();
  if (module.config().entry_computation_layout.has_value() &&
      ShapeUtil::Compatible(module.entry_computation_layout().result(), result_shape)) {
    result_shape = module.entry_computation_layout().result();
  }
  XLA_RETURN_IF_ERROR(counted.Add(result_shape));
  return interpreter::LiteralFromValue(ctx, result_shape, value);
}

}  // namespace

absl::StatusOr<Literal> Interpret(const HloModule& module,
                                  absl::Span<const Literal* const> arguments,
                                  const InterpreterOptions& options, RunStatistics* statistics) {
  const std::vector<const Literal*> only(arguments.begin(), arguments.end());
  XLA_ASSIGN_OR_RETURN(
      std::vector<Literal> results,
      InterpretReplicated(module, 1, 1, absl::MakeConstSpan(&only, 1), options, statistics));
  return std::move(results[0]);
}

absl::StatusOr<std::vector<Literal>> InterpretReplicated(
    const HloModule& module, int64_t replicas, int64_t partitions,
    absl::Span<const std::vector<const Literal*>> arguments, const InterpreterOptions& options,
    RunStatistics* statistics) {
  const HloComputation* entry = module.entry_computation();
  if (entry == nullptr || entry->root_instruction() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("module ", module.name(), " has no entry computation"));
  }
  if (replicas < 1 || partitions < 1 || replicas > kMaxDevices ||
      partitions > kMaxDevices / replicas) {
    return absl::InvalidArgumentError(absl::StrCat("a run has 1 to ", kMaxDevices, " devices; ",
                                                   replicas, " replicas of ", partitions,
                                                   " partitions were asked for"));
  }
  const int64_t count = replicas * partitions;
  if (static_cast<int64_t>(arguments.size()) != count) {
    return absl::InvalidArgumentError(absl::StrCat("arguments of ", arguments.size(),
                                                   " devices were given, but the run has ", count));
  }
  for (int64_t device = 0; device < count; ++device) {
    const absl::Status status = CheckArguments(module, arguments[static_cast<size_t>(device)]);
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat(DevicePrefix(device, replicas, partitions),
                                                      status.message()));
    }
  }

  // Operations are evaluated in one precision each.
  std::unique_ptr<HloModule> resolved;
  if (HasMixedPrecision(module)) {
    resolved = module.Clone();
    XLA_RETURN_IF_ERROR(ResolveMixedPrecision(resolved.get()));
  }
  EvalState state(resolved == nullptr ? module : *resolved, replicas, partitions, options);
  XLA_RETURN_IF_ERROR(state.Prepare());
  std::vector<DeviceRun> devices(static_cast<size_t>(count));
  std::vector<std::optional<Literal>> results(static_cast<size_t>(count));
  runtime::ReusableThreads own_threads;
  runtime::ReusableThreads& threads = options.threads == nullptr ? own_threads : *options.threads;
  XLA_RETURN_IF_ERROR(threads.RunAll(count, [&](int64_t id) {
    DeviceRun& device = devices[static_cast<size_t>(id)];
    device.device = id;
    device.replica = id / partitions;
    device.partition = id % partitions;
    absl::StatusOr<Literal> result = RunDevice(state, device, arguments[static_cast<size_t>(id)]);
    state.rendezvous().Finish(id, result.status());
    if (result.ok()) results[static_cast<size_t>(id)] = *std::move(result);
  }));
  const absl::Status error = state.rendezvous().RootError();
  if (!error.ok()) {
    const std::string prefix = DevicePrefix(state.rendezvous().RootDevice(), replicas, partitions);
    return absl::Status(error.code(), absl::StrCat(prefix, error.message()));
  }
  if (statistics != nullptr) {
    statistics->peak_bytes = state.budget().peak_bytes();
    statistics->instructions = 0;
    for (const DeviceRun& device : devices)
      statistics->instructions += device.executed.load(std::memory_order_relaxed);
  }
  std::vector<Literal> literals;
  for (std::optional<Literal>& result : results) literals.push_back(*std::move(result));
  return literals;
}

std::vector<HloOpcode> UnsupportedOpcodes(const HloModule& module) {
  absl::flat_hash_set<HloOpcode> seen;
  std::vector<HloOpcode> missing;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (interpreter::GetEvalFunction(instruction->opcode()) == nullptr &&
          seen.insert(instruction->opcode()).second) {
        missing.push_back(instruction->opcode());
      }
    }
  }
  return missing;
}

}  // namespace xla
