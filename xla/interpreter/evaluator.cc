// SPDX-License-Identifier: Apache-2.0
// Runs computations: frames of values, operands released at their last use.
#include "xla/interpreter/evaluator.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "absl/container/fixed_array.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/eval_state.h"
#include "xla/interpreter/literal_io.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/kernels/context.h"
#include "xla/primitive_util.h"
#include "xla/runtime/interrupt.h"

namespace xla::interpreter {
namespace {

// Marks a status that names its instruction already.
constexpr char kNamedPayload[] = "xla.interpreter.instruction";
// Instructions between two looks at the clock.
constexpr int64_t kPollInterval = 64;

// Working memory of kernels comes from the standard library, which throws where the system has none
// left. This is the one place where that becomes a status.
template <typename F>
auto GuardAllocation(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("the system has no memory left");
  } catch (const std::length_error&) {
    return absl::ResourceExhaustedError("more working memory than can be addressed");
  }
}

absl::Status Named(const HloInstruction& instruction, absl::Status status) {
  if (status.GetPayload(kNamedPayload).has_value()) return status;
  return InstructionError(instruction, status.code(), status.message());
}

}  // namespace

absl::Status InstructionError(const HloInstruction& inst, absl::StatusCode code,
                              absl::string_view message) {
  absl::Status status(code, absl::StrCat(inst.ToShortString(), ": ", message));
  status.SetPayload(kNamedPayload, absl::Cord(inst.name()));
  return status;
}

// --- EvalState

EvalState::EvalState(const EvalProgram& program, int64_t replicas, int64_t partitions,
                     const InterpreterOptions& options)
    : program_(program),
      replicas_(replicas),
      partitions_(partitions),
      options_(options),
      budget_(options.memory_limit_bytes) {
  if (replicas * partitions > 1) rendezvous_.emplace(replicas * partitions);
}

runtime::ThreadPool& EvalState::Pool() {
  if (options_.pool != nullptr) return *options_.pool;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (own_pool_ == nullptr) {
    own_pool_ = std::make_unique<runtime::ThreadPool>(options_.num_threads);
  }
  return *own_pool_;
}

absl::StatusOr<Value> EvalState::Run(EvalContext& ctx, const HloComputation& computation,
                                     absl::Span<Value> arguments) {
  const ComputationPlan& plan = program_.plan(computation);
  XLA_CHECK(arguments.size() == plan.parameter_slots.size())
      << computation.name() << " takes " << plan.parameter_slots.size() << " arguments, not "
      << arguments.size();
  absl::FixedArray<Value, 16> slots(static_cast<size_t>(plan.slot_count));
  absl::FixedArray<Value, 4> operands(static_cast<size_t>(plan.max_operands));
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (plan.parameter_slots[i] < 0) {
      arguments[i] = Value();
    } else {
      slots[static_cast<size_t>(plan.parameter_slots[i])] = std::move(arguments[i]);
    }
  }

  const bool is_observed = options_.observe != nullptr && !ctx.in_worker();
  std::vector<Value> observed;  // the operands
  DeviceRun& device = ctx.device();
  int64_t since_poll = device.executed.load(std::memory_order_relaxed) % kPollInterval;
  for (const ComputationPlan::Step& step : plan.steps) {
    if (!ctx.in_worker()) device.current = step.instruction;
    if (++since_poll >= kPollInterval) {
      since_poll = 0;
      XLA_RETURN_IF_ERROR(Poll(ctx));
    }
    const auto count = static_cast<size_t>(step.operand_count);
    for (size_t k = 0; k < count; ++k) {
      const ComputationPlan::Operand operand =
          plan.operands[static_cast<size_t>(step.first_operand) + k];
      if (operand.slot < 0) {
        operands[k] = plan.constants[static_cast<size_t>(-1 - operand.slot)];
      } else if (operand.is_last_use) {
        operands[k] = std::move(slots[static_cast<size_t>(operand.slot)]);
      } else {
        operands[k] = slots[static_cast<size_t>(operand.slot)];
      }
    }
    const absl::Span<Value> inputs = absl::MakeSpan(operands.data(), count);
    if (step.result_leaf >= 0 && ctx.depth() == 1 && !device.destinations.empty()) {
      Destination& destination = device.destinations[static_cast<size_t>(step.result_leaf)];
      destination.shape = &step.instruction->shape();
      ctx.set_destination(destination.data == nullptr ? nullptr : &destination);
    }
    // Values that are used twice are not overwritten.
    if (is_observed) observed.assign(inputs.begin(), inputs.end());
    absl::StatusOr<Value> result = GuardAllocation([&] {
      return step.kernel >= 0
                 ? EvalWithKernel(ctx, *step.instruction,
                                  plan.kernels[static_cast<size_t>(step.kernel)], inputs)
                 : step.function(ctx, *step.instruction, inputs);
    });
    ctx.set_destination(nullptr);
    if (!result.ok()) return Named(*step.instruction, std::move(result).status());
    for (Value& operand : inputs) operand = Value();
    if (is_observed) {
      XLA_RETURN_IF_ERROR(Observe(ctx, *step.instruction, observed, *result));
      observed.clear();
    }
    if (step.result_slot >= 0) slots[static_cast<size_t>(step.result_slot)] = *std::move(result);
  }
  const auto steps = static_cast<int64_t>(plan.steps.size());
  const int64_t executed = steps + device.executed.fetch_add(steps, std::memory_order_relaxed);
  if (options_.most_instructions > 0 && executed > options_.most_instructions) {
    return absl::ResourceExhaustedError(
        absl::StrCat("more than ", options_.most_instructions, " instructions were executed"));
  }

  if (plan.root.slot < 0) return plan.constants[static_cast<size_t>(-1 - plan.root.slot)];
  return std::move(slots[static_cast<size_t>(plan.root.slot)]);
}

absl::Status EvalState::Observe(EvalContext& ctx, const HloInstruction& instruction,
                                absl::Span<const Value> operands, const Value& result) {
  const auto literal_of = [&ctx](const Shape& shape, const Value& value) {
    return LiteralFromValue(ctx, shape, value);
  };
  XLA_ASSIGN_OR_RETURN(const Literal literal, literal_of(instruction.shape(), result));
  const auto copies = [&]() -> absl::StatusOr<std::vector<Literal>> {
    std::vector<Literal> literals;
    for (size_t i = 0; i < operands.size(); ++i) {
      XLA_ASSIGN_OR_RETURN(
          Literal operand,
          literal_of(instruction.operand(static_cast<int64_t>(i))->shape(), operands[i]));
      literals.push_back(std::move(operand));
    }
    return literals;
  };
  return options_.observe({instruction, ctx.device().device, literal, copies});
}

absl::Status EvalState::Poll(const EvalContext& ctx) {
  if ((options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed)) ||
      (options_.interrupt != nullptr && options_.interrupt->IsRequested())) {
    return absl::CancelledError("the run was cancelled");
  }
  if (rendezvous_.has_value() && rendezvous_->stopped()) return rendezvous_->StopStatus();
  if (ctx.in_worker() || options_.progress == nullptr || !ctx.has_device()) return absl::OkStatus();
  DeviceRun& device = ctx.device();
  if (device.index != 0 || device.current == nullptr) return absl::OkStatus();
  const auto now = std::chrono::steady_clock::now();
  if (now - device.last_progress >= std::chrono::milliseconds(100)) {
    device.last_progress = now;
    options_.progress(device.executed.load(std::memory_order_relaxed), *device.current);
  }
  return absl::OkStatus();
}

runtime::WaitLimits EvalState::Limits(const EvalContext& ctx) {
  return {options_.wait_timeout, [this, ctx] { return Poll(ctx); }};
}

absl::Status EvalState::ParallelFor(const EvalContext& ctx, int64_t count, int64_t chunk,
                                    absl::FunctionRef<absl::Status(int64_t, int64_t)> body) {
  if (count <= 0) return absl::OkStatus();
  chunk = std::max<int64_t>(chunk, 1);
  if (count <= chunk) return body(0, count);
  const auto guarded = [&](int64_t begin, int64_t end) {
    return GuardAllocation([&] { return body(begin, end); });
  };
  return Pool().ParallelFor(count, chunk, guarded, [&] { return Poll(ctx); });
}

absl::Status EvalState::KeepOutput(const Value& value) {
  if (!options_.outputs_are_kept) return absl::OkStatus();
  if (value.IsTuple()) {
    for (const Value& element : value.elements()) XLA_RETURN_IF_ERROR(KeepOutput(element));
    return absl::OkStatus();
  }
  if (!value.IsArray() || budget_.Take(value.byte_size())) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("the memory limit of ", budget_.limit(),
                                                   " bytes does not allow ", value.byte_size(),
                                                   " bytes more of output for the host"));
}

const CustomCallHandler* EvalState::FindCustomCall(std::string_view target) const {
  for (const auto& [name, handler] : options_.custom_calls) {
    if (name == target) return &handler;
  }
  return nullptr;
}

// --- EvalContext

absl::StatusOr<Value> EvalContext::Allocate(const Shape& shape) {
  if (destination_ != nullptr && destination_->shape == &shape) return TakeDestination();
  XLA_ASSIGN_OR_RETURN(Value value, Value::Allocate(shape, state_->budget()));
  // See Value::Allocate. Operands may have fewer elements than the shape.
  if (state_->program().has_dynamic_sizes() && shape.is_static()) {
    std::memset(value.mutable_untyped_data(), 0, static_cast<size_t>(value.byte_size()));
  }
  return value;
}

Value EvalContext::TakeDestination() {
  const Destination& destination = *std::exchange(destination_, nullptr);
  Value value = Value::External(*destination.shape, destination.data, destination.capacity);
  if (state_->program().has_dynamic_sizes()) {
    std::memset(destination.data, 0, static_cast<size_t>(value.byte_size()));
  }
  return value;
}

absl::StatusOr<Value> EvalContext::ReuseOrAllocate(const Shape& shape, Value& operand) {
  if (destination_ != nullptr && destination_->shape == &shape) return TakeDestination();
  if (operand.IsArray() && operand.IsUnique()) {
    if (&operand.shape() == &shape) return std::move(operand);
    if (primitive_util::ByteWidth(shape.element_type()) ==
            primitive_util::ByteWidth(operand.element_type()) &&
        shape.dimensions() == operand.dimensions()) {
      return std::move(operand).WithShape(shape);
    }
  }
  return Allocate(shape);
}

absl::StatusOr<Value> EvalContext::MakeMutable(const Shape& shape, Value&& operand) {
  if (operand.IsUnique()) return std::move(operand).WithShape(shape);
  XLA_ASSIGN_OR_RETURN(Value copy, Allocate(shape));
  const int64_t count = operand.element_count();
  XLA_RETURN_IF_ERROR(StridedCopy(*this, primitive_util::ByteWidth(shape.element_type()), {count},
                                  operand.untyped_data(), {1}, copy.mutable_untyped_data(), {1}));
  copy.CopyDynamicSizesFrom(operand);
  return copy;
}

absl::StatusOr<Value> EvalContext::AllocateZeros(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Value> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      XLA_ASSIGN_OR_RETURN(Value zeros, AllocateZeros(element));
      elements.push_back(std::move(zeros));
    }
    return Value::Tuple(shape, std::move(elements));
  }
  if (!shape.IsArray()) return Value::Token(shape);
  XLA_ASSIGN_OR_RETURN(Value zeros, Allocate(shape));
  std::memset(zeros.mutable_untyped_data(), 0, static_cast<size_t>(zeros.byte_size()));
  return zeros;
}

absl::StatusOr<Value> EvalContext::AllocateScratch(int64_t bytes) {
  return Value::AllocateScratch(bytes, state_->budget());
}

Value EvalContext::MakeTuple(const Shape& shape, std::vector<Value> elements) {
  return Value::Tuple(shape, std::move(elements));
}

const Shape& EvalContext::InternShape(Shape shape) {
  return state_->program().InternShape(std::move(shape));
}

absl::Status EvalContext::ParallelFor(int64_t count, int64_t chunk,
                                      absl::FunctionRef<void(int64_t, int64_t)> body) {
  // Small loops, of scalars above all, skip the machinery.
  if (count <= chunk) {
    if (count > 0) body(0, count);
    return absl::OkStatus();
  }
  return state_->ParallelFor(*this, count, chunk, [&](int64_t begin, int64_t end) {
    body(begin, end);
    return absl::OkStatus();
  });
}

absl::Status EvalContext::ParallelForStatus(
    int64_t count, int64_t chunk, absl::FunctionRef<absl::Status(int64_t, int64_t)> body) {
  return state_->ParallelFor(*this, count, chunk, body);
}

int64_t EvalContext::ChunkFor(int64_t count, double cost_per_item) {
  return kernels::ChunkFor(count, cost_per_item);
}

absl::StatusOr<Value> EvalContext::Call(const HloComputation& computation,
                                        absl::Span<Value> arguments) {
  if (depth_ >= kMaxCallDepth) {
    return absl::ResourceExhaustedError(absl::StrCat("calls nest deeper than ", kMaxCallDepth,
                                                     " at computation ", computation.name()));
  }
  EvalContext callee(state_, device_, depth_ + 1, in_worker_);
  return state_->Run(callee, computation, arguments);
}

const ScalarFunction* EvalContext::GetScalarFunction(const HloComputation& computation) {
  return state_->program().GetScalarFunction(computation);
}

absl::Status EvalContext::CheckCancelled() { return state_->Poll(*this); }

uint64_t EvalContext::TakeRandomCounters(uint64_t count) {
  return device_->random_counter.fetch_add(count, std::memory_order_relaxed);
}

}  // namespace xla::interpreter
