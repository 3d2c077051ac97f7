// SPDX-License-Identifier: Apache-2.0
// The state of a program. Private to python/native.
#ifndef XYLEM_PYTHON_NATIVE_PROGRAM_IMPL_H_
#define XYLEM_PYTHON_NATIVE_PROGRAM_IMPL_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "python/native/api.h"
#include "python/native/threads.h"
#include "tools/device_grid.h"
#include "xla/cpu/program.h"
#include "xla/interpreter/interpreter.h"
#include "xla/runtime/buffer_view.h"
#include "xla/runtime/custom_call.h"
#include "xla/runtime/execution_context.h"
#include "xla/shape.h"

namespace xla::python {

struct Program::Impl {
  ModulePtr source;
  std::unique_ptr<const HloModule> module;  // that is compiled or interpreted
  CompileOptions options;
  DeviceGrid grid;
  bool is_compiled = false;
  bool is_sharded = false;
  std::string backend;
  CustomCallRegistry custom_calls;
  int64_t memory_limit = 0;

  std::unique_ptr<CpuProgram> compiled;
  std::unique_ptr<InterpreterProgram> interpreted;
  // Of a partitioned program: compiled by the first run, as its partitioning belongs to that.
  mutable std::mutex mutex;
  mutable std::unique_ptr<HloModule> partitioned;
  mutable std::unique_ptr<CpuProgram> compiled_partition;
  mutable std::unique_ptr<InterpreterProgram> interpreted_partition;

  mutable std::mutex threads_mutex;
  mutable std::shared_ptr<Threads> threads;
  mutable std::atomic<int> generation{0};

  std::vector<ShapeInfo> parameters;
  ShapeInfo result;
  std::vector<Leaf> argument_leaves, result_leaves;
  std::vector<Shape> argument_shapes, result_shapes;  // of the leaves
  std::vector<runtime::ArgumentView> views;           // without addresses

  std::shared_ptr<Threads> CurrentThreads() const;
  absl::Status Describe();
  absl::Status Prepare(const std::atomic<bool>* cancel);
  absl::StatusOr<std::unique_ptr<CpuProgram>> CompileFor(const HloModule& program,
                                                         const std::atomic<bool>* cancel) const;
  InterpreterOptions OptionsOfInterpreter(Threads& own, runtime::Interrupt* interrupt) const;
  runtime::ExecutionContext ContextOf(Threads& own, runtime::Interrupt* interrupt) const;
  CpuRunOptions RunOptionsOf() const;
  absl::Status Fill(std::span<const ArgumentArray> arguments,
                    absl::InlinedVector<runtime::ArgumentView, 8>& filled,
                    std::vector<std::unique_ptr<Shape>>& shapes) const;
  absl::Status Take(absl::Span<const runtime::ResultView> views, std::span<ResultArray> out) const;
  absl::Status RunOne(std::span<const ArgumentArray> arguments, std::span<ResultArray> results,
                      runtime::Interrupt* interrupt, RunStatistics* statistics) const;
  absl::Status RunDevices(std::span<const ArgumentArray> arguments, std::span<ResultArray> results,
                          runtime::Interrupt* interrupt, RunStatistics* statistics) const;
  absl::Status RunSharded(std::span<const ArgumentArray> arguments, std::span<ResultArray> results,
                          runtime::Interrupt* interrupt, RunStatistics* statistics) const;
};

}  // namespace xla::python

#endif  // XYLEM_PYTHON_NATIVE_PROGRAM_IMPL_H_
