// SPDX-License-Identifier: Apache-2.0
// Runs of programs: on one device from prepared views, on several, and on shards.
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "python/native/program_impl.h"
#include "tools/sharded.h"
#include "xla/base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/runtime/host_memory.h"
#include "xla/shape_util.h"

namespace xla::python {
namespace {

// Handlers of check.expect_eq and the like, which the command has, too.
const std::vector<std::pair<std::string, CustomCallHandler>>& Checks() {
  static const auto* const checks =
      new std::vector<std::pair<std::string, CustomCallHandler>>(CheckCustomCalls());
  return *checks;
}

}  // namespace

InterpreterOptions Program::Impl::OptionsOfInterpreter(Threads& own,
                                                       runtime::Interrupt* interrupt) const {
  InterpreterOptions result;
  result.pool = &own.pool;
  result.threads = &own.devices;
  result.interrupt = interrupt;
  result.custom_calls = Checks();
  result.custom_call_registry = &custom_calls;
  result.memory_limit_bytes = memory_limit;
  result.wait_timeout = absl::Seconds(options.timeout);
  return result;
}

runtime::ExecutionContext Program::Impl::ContextOf(Threads& own,
                                                   runtime::Interrupt* interrupt) const {
  runtime::ExecutionContext context;
  context.pool = &own.pool;
  context.threads = &own.devices;
  context.interrupt = interrupt;
  context.custom_calls = &custom_calls;
  context.wait_timeout = absl::Seconds(options.timeout);
  return context;
}

CpuRunOptions Program::Impl::RunOptionsOf() const {
  CpuRunOptions result;
  result.custom_calls = &Checks();
  result.memory_limit_bytes = memory_limit;
  return result;
}

absl::Status Program::Impl::Fill(std::span<const ArgumentArray> arguments,
                                 absl::InlinedVector<runtime::ArgumentView, 8>& filled,
                                 std::vector<std::unique_ptr<Shape>>& shapes) const {
  filled.assign(views.begin(), views.end());
  for (size_t i = 0; i < filled.size(); ++i) {
    filled[i].data = const_cast<void*>(arguments[i].data);
    if (arguments[i].dimensions == nullptr) continue;
    shapes.push_back(std::make_unique<Shape>(
        ShapeUtil::MakeShape(argument_shapes[i].element_type(), *arguments[i].dimensions)));
    filled[i].shape = shapes.back().get();
    XLA_ASSIGN_OR_RETURN(filled[i].size_bytes, runtime::ElementBytes(*shapes.back()));
  }
  return absl::OkStatus();
}

absl::Status Program::Impl::Take(absl::Span<const runtime::ResultView> computed,
                                 std::span<ResultArray> out) const {
  absl::Status status;
  for (size_t i = 0; i < computed.size(); ++i) {
    ResultArray& result_array = out[i];
    if (result_leaves[i].is_token) {
      if (computed[i].is_new) runtime::FreeHostMemory(computed[i].data);
      continue;
    }
    result_array.data = computed[i].data;
    if (!computed[i].is_new) {
      const auto bytes = static_cast<size_t>(computed[i].size_bytes);
      result_array.data = runtime::AllocateHostMemory(bytes);
      if (result_array.data == nullptr) {
        status = absl::ResourceExhaustedError(
            absl::StrCat("the system has no memory for a result of ", bytes, " bytes"));
        continue;
      }
      std::memcpy(result_array.data, computed[i].data, bytes);
    }
    if (result_leaves[i].is_dynamic && status.ok()) {
      result_array.dynamic_sizes.resize(result_leaves[i].dimensions.size());
      status = runtime::ReadDynamicSizes(result_shapes[i], result_array.data,
                                         absl::MakeSpan(result_array.dynamic_sizes));
    }
  }
  if (status.ok()) return status;
  for (ResultArray& result_array : out) {
    FreeArray(result_array.data);
    result_array.data = nullptr;
  }
  return status;
}

absl::Status Program::Impl::RunOne(std::span<const ArgumentArray> arguments,
                                   std::span<ResultArray> results, runtime::Interrupt* interrupt,
                                   RunStatistics* statistics) const {
  absl::InlinedVector<runtime::ArgumentView, 8> filled;
  std::vector<std::unique_ptr<Shape>> shapes;
  XLA_RETURN_IF_ERROR(Fill(arguments, filled, shapes));
  absl::InlinedVector<runtime::ResultView, 8> computed(result_leaves.size());
  const std::shared_ptr<Threads> own = CurrentThreads();
  if (is_compiled) {
    XLA_RETURN_IF_ERROR(compiled->RunOnBuffers(
        filled, absl::MakeSpan(computed), ContextOf(*own, interrupt), statistics, RunOptionsOf()));
  } else {
    const absl::Span<const runtime::ArgumentView> of_device = filled;
    const absl::Span<runtime::ResultView> to_device = absl::MakeSpan(computed);
    XLA_RETURN_IF_ERROR(interpreted->RunOnBuffers(
        1, 1, {&of_device, 1}, {&to_device, 1}, OptionsOfInterpreter(*own, interrupt), statistics));
  }
  return Take(computed, results);
}

absl::Status Program::Impl::RunDevices(std::span<const ArgumentArray> arguments,
                                       std::span<ResultArray> results,
                                       runtime::Interrupt* interrupt,
                                       RunStatistics* statistics) const {
  const auto devices = static_cast<size_t>(grid.count());
  std::vector<absl::InlinedVector<runtime::ArgumentView, 8>> filled(devices);
  std::vector<std::vector<runtime::ResultView>> computed(devices);
  std::vector<absl::Span<const runtime::ArgumentView>> given;
  std::vector<absl::Span<runtime::ResultView>> taken;
  std::vector<std::unique_ptr<Shape>> shapes;
  for (size_t d = 0; d < devices; ++d) {
    XLA_RETURN_IF_ERROR(Fill(arguments.subspan(d * views.size(), views.size()), filled[d], shapes));
    computed[d].resize(result_leaves.size());
    given.emplace_back(filled[d]);
    taken.push_back(absl::MakeSpan(computed[d]));
  }
  const std::shared_ptr<Threads> own = CurrentThreads();
  if (is_compiled) {
    XLA_RETURN_IF_ERROR(compiled->RunOnDevices(grid.replicas, grid.partitions, given, taken,
                                               ContextOf(*own, interrupt), statistics,
                                               RunOptionsOf()));
  } else {
    XLA_RETURN_IF_ERROR(interpreted->RunOnBuffers(grid.replicas, grid.partitions, given, taken,
                                                  OptionsOfInterpreter(*own, interrupt),
                                                  statistics));
  }
  absl::Status status;
  for (size_t d = 0; d < devices; ++d) {
    status.Update(
        Take(computed[d], results.subspan(d * result_leaves.size(), result_leaves.size())));
  }
  return status;
}

namespace {

// A value of a parameter from its leaves in memory.
absl::StatusOr<Literal> LiteralOf(const Shape& shape, const ArgumentArray*& next) {
  Shape row_major = shape;
  LayoutUtil::SetToDefaultLayout(&row_major);
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(row_major));
  absl::Status status;
  ShapeUtil::ForEachSubshape(row_major, [&](const Shape& part, const ShapeIndex& index) {
    if (part.IsTuple()) return;
    const ArgumentArray& array = *next++;
    if (!part.IsArray()) return;
    if (array.dimensions != nullptr) {
      status.Update(
          absl::UnimplementedError("arguments of dynamic sizes are not divided among partitions"));
      return;
    }
    const auto bytes = static_cast<size_t>(literal.size_bytes(index));
    if (bytes > 0) std::memcpy(literal.untyped_data(index), array.data, bytes);
  });
  if (!status.ok()) return status;
  return literal;
}

absl::Status GiveLeaves(const Literal& literal, std::span<ResultArray> out) {
  absl::Status status;
  size_t next = 0;
  ShapeUtil::ForEachSubshape(literal.shape(), [&](const Shape& part, const ShapeIndex& index) {
    if (part.IsTuple() || !status.ok()) return;
    ResultArray& array = out[next++];
    if (!part.IsArray()) return;
    const Literal row_major =
        LiteralSlice(literal, index).Relayout(LayoutUtil::GetDefaultLayoutForShape(part));
    const auto bytes = static_cast<size_t>(row_major.size_bytes());
    array.data = runtime::AllocateHostMemory(bytes);
    if (array.data == nullptr) {
      status = absl::ResourceExhaustedError("the system has no memory for a result");
      return;
    }
    if (bytes > 0) std::memcpy(array.data, row_major.untyped_data(), bytes);
  });
  return status;
}

}  // namespace

absl::Status Program::Impl::RunSharded(std::span<const ArgumentArray> arguments,
                                       std::span<ResultArray> results,
                                       runtime::Interrupt* interrupt,
                                       RunStatistics* statistics) const {
  const auto devices = static_cast<size_t>(grid.count());
  std::vector<std::vector<Literal>> values(devices);
  std::vector<std::vector<const Literal*>> pointers(devices);
  for (size_t d = 0; d < devices; ++d) {
    const ArgumentArray* next = arguments.data() + d * views.size();
    for (const Shape& parameter : module->result_and_parameters().parameters()) {
      XLA_ASSIGN_OR_RETURN(Literal literal, LiteralOf(parameter, next));
      values[d].push_back(std::move(literal));
    }
    for (const Literal& literal : values[d]) pointers[d].push_back(&literal);
  }
  const std::shared_ptr<Threads> own = CurrentThreads();
  const auto execute = [&](const HloModule& partition,
                           absl::Span<const std::vector<const Literal*>> shards)
      -> absl::StatusOr<std::vector<Literal>> {
    {
      const std::lock_guard lock(mutex);
      if (partitioned == nullptr) {
        std::unique_ptr<HloModule> kept = partition.Clone();
        if (is_compiled) {
          XLA_ASSIGN_OR_RETURN(compiled_partition, CompileFor(*kept, nullptr));
        } else {
          XLA_ASSIGN_OR_RETURN(interpreted_partition, InterpreterProgram::Create(*kept));
        }
        partitioned = std::move(kept);
      }
    }
    if (is_compiled) {
      return compiled_partition->RunReplicated(grid.replicas, grid.partitions, shards,
                                               ContextOf(*own, interrupt), statistics,
                                               RunOptionsOf());
    }
    return interpreted_partition->RunReplicated(grid.replicas, grid.partitions, shards,
                                                OptionsOfInterpreter(*own, interrupt), statistics);
  };
  XLA_ASSIGN_OR_RETURN(const std::vector<Literal> full,
                       ExecuteSharded(*module, grid.replicas, grid.partitions, pointers, execute));
  for (size_t r = 0; r < full.size(); ++r) {
    XLA_RETURN_IF_ERROR(
        GiveLeaves(full[r], results.subspan(r * result_leaves.size(), result_leaves.size())));
  }
  return absl::OkStatus();
}

}  // namespace xla::python
