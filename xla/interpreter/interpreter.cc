// SPDX-License-Identifier: Apache-2.0
// Entry points of the interpreter: arguments in, results out, on one device or many.
#include "xla/interpreter/interpreter.h"

#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/eval_program.h"
#include "xla/interpreter/eval_state.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/literal_io.h"
#include "xla/runtime/feeds.h"
#include "xla/runtime/host_memory.h"
#include "xla/runtime/process_group.h"
#include "xla/runtime/reusable_threads.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using interpreter::CheckedByteSize;
using interpreter::DeviceRun;
using interpreter::EvalContext;
using interpreter::EvalProgram;
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
    return Add(bytes, shape);
  }
  absl::Status Add(int64_t bytes, const Shape& shape) {
    if (!budget_.Take(bytes)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("arguments and results of ", bytes, " bytes, ", shape.ToString(),
                       ", would exceed the memory limit of ", budget_.limit(), " bytes"));
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
    if (!runtime::LiteralFits(parameter->shape(), arguments[i]->shape())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "argument ", i, " has shape ", arguments[i]->shape().ToString(), ", but parameter ",
          parameter->name(), " has shape ", parameter->shape().ToString()));
    }
  }
  return absl::OkStatus();
}

// Calls run(state, device) for every device at once; the error of the run, if any.
absl::Status RunOnDevices(
    const EvalProgram& program, int64_t replicas, int64_t partitions,
    const InterpreterOptions& options, RunStatistics* statistics,
    absl::FunctionRef<absl::Status(EvalState& state, DeviceRun& device)> run) {
  runtime::ProcessGroup* const processes = options.processes;
  const int64_t count = processes == nullptr
                            ? replicas * partitions
                            : static_cast<int64_t>(processes->local_devices().size());
  EvalState state(program, replicas, partitions, options);
  CountedBytes counted(state.budget());
  if (program.constant_bytes() > 0) {
    XLA_RETURN_IF_ERROR(
        counted.Add(program.constant_bytes(), program.entry().root_instruction()->shape()));
  }
  std::vector<DeviceRun> devices(static_cast<size_t>(count));
  for (size_t d = 0; d < devices.size(); ++d) {
    DeviceRun& device = devices[d];
    const int64_t id =
        processes == nullptr ? static_cast<int64_t>(d) : processes->local_devices()[d];
    device.index = d;
    device.device = id;
    device.replica = id / partitions;
    device.partition = id % partitions;
    if (options.progress != nullptr) device.last_progress = std::chrono::steady_clock::now();
  }
  // An exception would leave the other devices waiting for this one.
  const auto run_guarded = [&](DeviceRun& device) -> absl::Status {
    try {
      return run(state, device);
    } catch (const std::bad_alloc&) {
      return absl::ResourceExhaustedError("the system has no memory left");
    }
  };
  if (count == 1) {
    const absl::Status status = run_guarded(devices[0]);
    if (!status.ok()) {
      return absl::Status(
          status.code(),
          absl::StrCat(DevicePrefix(devices[0].device, replicas, partitions), status.message()));
    }
  } else {
    runtime::ReusableThreads own_threads;
    runtime::ReusableThreads& threads = options.threads == nullptr ? own_threads : *options.threads;
    XLA_RETURN_IF_ERROR(threads.RunAll(count, [&](int64_t d) {
      DeviceRun& device = devices[static_cast<size_t>(d)];
      state.rendezvous().Finish(device.device, run_guarded(device));
    }));
    const absl::Status error = state.rendezvous().RootError();
    if (!error.ok()) {
      const std::string prefix =
          DevicePrefix(state.rendezvous().RootDevice(), replicas, partitions);
      return absl::Status(error.code(), absl::StrCat(prefix, error.message()));
    }
  }
  if (statistics != nullptr) {
    *statistics = RunStatistics();
    statistics->peak_bytes = state.budget().peak_bytes();
    for (const DeviceRun& device : devices) {
      statistics->instructions += device.executed.load(std::memory_order_relaxed);
      statistics->copies += device.copies;
      statistics->copied_bytes += device.copied_bytes;
    }
  }
  return absl::OkStatus();
}

// The position of the leaf at an index.
int64_t LeafPosition(const Shape& shape, absl::Span<const int64_t> index) {
  if (index.empty()) return 0;
  int64_t position = 0;
  for (int i = 0; i < index[0]; ++i) position += ShapeUtil::GetLeafCount(shape.tuple_shapes(i));
  return position + LeafPosition(shape.tuple_shapes(static_cast<int>(index[0])), index.subspan(1));
}

// The work of RunOnBuffers on one device.
absl::Status RunOnViews(EvalState& state, DeviceRun& device, const Shape& result_shape,
                        absl::Span<const int32_t> donors,
                        absl::Span<const runtime::ArgumentView> arguments,
                        absl::Span<runtime::ResultView> results) {
  const HloComputation& entry = state.program().entry();
  CountedBytes counted(state.budget());
  EvalContext ctx(&state, &device);
  absl::InlinedVector<Value, 4> values;
  absl::Span<const runtime::ArgumentView> rest = arguments;
  for (const HloInstruction* parameter : entry.parameter_instructions()) {
    XLA_RETURN_IF_ERROR(counted.Add(parameter->shape()));
    XLA_ASSIGN_OR_RETURN(Value value,
                         ValueFromViews(ctx, parameter->shape(), parameter->name(), rest));
    values.push_back(std::move(value));
  }

  // Instructions write straight to the memory that was given for their results.
  for (size_t i = 0; i < results.size(); ++i) {
    runtime::ResultView& result = results[i];
    const int32_t donor = donors.empty() ? -1 : donors[i];
    if (donor >= 0 && arguments[static_cast<size_t>(donor)].is_donated) {
      const runtime::ArgumentView& argument = arguments[static_cast<size_t>(donor)];
      result = {.data = argument.data, .size_bytes = argument.size_bytes, .donor = donor};
    } else if (result.data != nullptr) {
      if (device.destinations.empty()) device.destinations.resize(results.size());
      device.destinations[i] = {.data = result.data, .capacity = result.size_bytes};
    }
  }
  if (!device.destinations.empty()) {
    size_t i = 0;
    absl::Status status;
    ShapeUtil::ForEachSubshape(result_shape, [&](const Shape& part, const ShapeIndex&) {
      if (part.IsTuple()) return;
      interpreter::Destination& destination = device.destinations[i++];
      if (destination.data == nullptr) return;
      const absl::StatusOr<int64_t> bytes = runtime::ArrayBytes(part);
      if (!bytes.ok() || destination.capacity < *bytes) {
        status = absl::InvalidArgumentError(absl::StrCat("the memory for a result of shape ",
                                                         part.ToString(), " has ",
                                                         destination.capacity, " bytes"));
      }
      // Elements in another order are copied at the end.
      if (!interpreter::IsDenseRowMajor(part)) destination.data = nullptr;
    });
    XLA_RETURN_IF_ERROR(status);
  }

  XLA_ASSIGN_OR_RETURN(Value value, ctx.Call(entry, absl::MakeSpan(values)));
  return ResultToViews(ctx, result_shape, std::move(value), arguments, results);
}

// The work of RunReplicated on one device.
absl::StatusOr<Literal> RunOnLiterals(EvalState& state, DeviceRun& device,
                                      const Shape& result_shape,
                                      absl::Span<const Literal* const> arguments) {
  const HloComputation& entry = state.program().entry();
  CountedBytes counted(state.budget());
  EvalContext ctx(&state, &device);
  std::vector<Value> values;
  values.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Shape& shape = entry.parameter_instruction(static_cast<int64_t>(i))->shape();
    XLA_RETURN_IF_ERROR(counted.Add(arguments[i]->shape()));
    XLA_ASSIGN_OR_RETURN(Value value, ValueFromLiteral(ctx, shape, *arguments[i]));
    values.push_back(std::move(value));
  }
  XLA_ASSIGN_OR_RETURN(const Value value, ctx.Call(entry, absl::MakeSpan(values)));
  XLA_RETURN_IF_ERROR(counted.Add(result_shape));
  return LiteralFromValue(ctx, result_shape, value);
}

}  // namespace

InterpreterProgram::InterpreterProgram(const HloModule& module,
                                       std::unique_ptr<EvalProgram> program)
    : module_(module),
      program_(std::move(program)),
      result_shape_(module.entry_computation()->root_instruction()->shape()) {
  if (module.config().has_entry_computation_layout() &&
      ShapeUtil::Compatible(module.entry_computation_layout().result(), result_shape_)) {
    result_shape_ = module.entry_computation_layout().result();
  }
  result_leaves_ = ShapeUtil::GetLeafCount(result_shape_);
  std::vector<int64_t> first_leaf;  // of each parameter
  for (const HloInstruction* parameter : module.entry_computation()->parameter_instructions()) {
    first_leaf.push_back(argument_leaves_);
    if (parameter != nullptr) argument_leaves_ += ShapeUtil::GetLeafCount(parameter->shape());
  }
  for (const InputOutputAlias& alias : module.config().input_output_alias) {
    if (alias.kind != InputOutputAlias::Kind::kMust) continue;
    if (donors_.empty()) donors_.assign(static_cast<size_t>(result_leaves_), -1);
    const HloInstruction* parameter =
        module.entry_computation()->parameter_instruction(alias.parameter_number);
    donors_[static_cast<size_t>(LeafPosition(result_shape_, alias.output_index))] =
        static_cast<int32_t>(first_leaf[static_cast<size_t>(alias.parameter_number)] +
                             LeafPosition(parameter->shape(), alias.parameter_index));
  }
}

InterpreterProgram::~InterpreterProgram() = default;

absl::StatusOr<std::unique_ptr<InterpreterProgram>> InterpreterProgram::Create(
    const HloModule& module) {
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<EvalProgram> program, EvalProgram::Create(module));
  return std::unique_ptr<InterpreterProgram>(new InterpreterProgram(module, std::move(program)));
}

absl::StatusOr<Literal> InterpreterProgram::Run(absl::Span<const Literal* const> arguments,
                                                const InterpreterOptions& options,
                                                RunStatistics* statistics) const {
  const std::vector<const Literal*> only(arguments.begin(), arguments.end());
  XLA_ASSIGN_OR_RETURN(std::vector<Literal> results,
                       RunReplicated(1, 1, absl::MakeConstSpan(&only, 1), options, statistics));
  return std::move(results[0]);
}

absl::StatusOr<std::vector<Literal>> InterpreterProgram::RunReplicated(
    int64_t replicas, int64_t partitions, absl::Span<const std::vector<const Literal*>> arguments,
    const InterpreterOptions& options, RunStatistics* statistics) const {
  XLA_RETURN_IF_ERROR(
      runtime::CheckDeviceCount(replicas, partitions, arguments.size(), options.processes));
  for (size_t device = 0; device < arguments.size(); ++device) {
    const absl::Status status = CheckArguments(module_, arguments[device]);
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat(DevicePrefix(static_cast<int64_t>(device),
                                                                   replicas, partitions),
                                                      status.message()));
    }
  }
  std::vector<Literal> results(arguments.size());
  XLA_RETURN_IF_ERROR(RunOnDevices(
      *program_, replicas, partitions, options, statistics,
      [&](EvalState& state, DeviceRun& device) -> absl::Status {
        const size_t d = device.index;
        XLA_ASSIGN_OR_RETURN(results[d], RunOnLiterals(state, device, result_shape_, arguments[d]));
        return absl::OkStatus();
      }));
  return results;
}

absl::Status InterpreterProgram::RunOnBuffers(
    int64_t replicas, int64_t partitions,
    absl::Span<const absl::Span<const runtime::ArgumentView>> arguments,
    absl::Span<const absl::Span<runtime::ResultView>> results, const InterpreterOptions& options,
    RunStatistics* statistics) const {
  for (const size_t given : {arguments.size(), results.size()}) {
    XLA_RETURN_IF_ERROR(runtime::CheckDeviceCount(replicas, partitions, given, options.processes));
  }
  for (size_t d = 0; d < arguments.size(); ++d) {
    if (static_cast<int64_t>(arguments[d].size()) != argument_leaves_ ||
        static_cast<int64_t>(results[d].size()) != result_leaves_) {
      return absl::InvalidArgumentError(absl::StrCat(
          "module ", module_.name(), " takes ", argument_leaves_, " buffers and makes ",
          result_leaves_, "; ", arguments[d].size(), " and ", results[d].size(), " were given"));
    }
  }
  const absl::Status status = RunOnDevices(*program_, replicas, partitions, options, statistics,
                                           [&](EvalState& state, DeviceRun& device) {
                                             const size_t d = device.index;
                                             return RunOnViews(state, device, result_shape_,
                                                               donors_, arguments[d], results[d]);
                                           });
  if (status.ok()) return status;
  for (const absl::Span<runtime::ResultView> device : results) {
    for (runtime::ResultView& result : device) {
      if (result.is_new) runtime::FreeHostMemory(result.data);
      result = runtime::ResultView();
    }
  }
  return status;
}

absl::StatusOr<Literal> Interpret(const HloModule& module,
                                  absl::Span<const Literal* const> arguments,
                                  const InterpreterOptions& options, RunStatistics* statistics) {
  XLA_ASSIGN_OR_RETURN(const auto program, InterpreterProgram::Create(module));
  return program->Run(arguments, options, statistics);
}

absl::StatusOr<std::vector<Literal>> InterpretReplicated(
    const HloModule& module, int64_t replicas, int64_t partitions,
    absl::Span<const std::vector<const Literal*>> arguments, const InterpreterOptions& options,
    RunStatistics* statistics) {
  XLA_ASSIGN_OR_RETURN(const auto program, InterpreterProgram::Create(module));
  return program->RunReplicated(replicas, partitions, arguments, options, statistics);
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
