// SPDX-License-Identifier: Apache-2.0
// Programs are compiled and prepared once, so that a call only fills in addresses.
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "python/native/api.h"
#include "python/native/convert.h"
#include "python/native/program_impl.h"
#include "tools/execute.h"
#include "tools/process.h"
#include "tools/sharded.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/interpreter/interpreter.h"
#include "xla/layout_strides.h"
#include "xla/layout_util.h"
#include "xla/runtime/custom_call.h"
#include "xla/runtime/host_memory.h"
#include "xla/runtime/interrupt.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/service/dump.h"
#include "xla/shape_util.h"
#include "xla/spmd/partition.h"

namespace xla::python {
namespace {

class PythonInterrupt final : public runtime::Interrupt {
 public:
  explicit PythonInterrupt(const InterruptCheck& check) : check_(check) {}
  bool IsRequested() override { return check_.is_requested(check_.context); }

 private:
  const InterruptCheck& check_;
};

absl::StatusOr<Leaf> LeafOf(const Shape& shape) {
  Leaf leaf;
  leaf.text = shape.ToString();
  leaf.is_token = shape.IsToken();
  if (!shape.IsArray()) return leaf;
  leaf.type = shape.element_type();
  leaf.is_dynamic = shape.is_dynamic();
  leaf.dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
  XLA_ASSIGN_OR_RETURN(leaf.bytes, runtime::ElementBytes(shape));
  leaf.element_bytes = ShapeUtil::ByteSizeOfPrimitiveType(shape.element_type());
  for (const int64_t stride : StridesOfLayout(shape))
    leaf.byte_strides.push_back(stride * leaf.element_bytes);
  return leaf;
}

// The arrays and tokens of a shape, depth first; `row_major`: in that layout, whatever the shape
// says.
void AppendLeaves(const Shape& shape, bool row_major, std::vector<Shape>& leaves) {
  for (const auto& leaf : ShapeUtil::GetLeafShapes(shape)) {
    Shape& added = leaves.emplace_back(leaf.shape);
    if (added.IsArray() && (row_major || !added.has_layout()))
      LayoutUtil::SetToDefaultLayout(&added);
  }
}

absl::StatusOr<DeviceGrid> GridOf(const HloModule& module, const CompileOptions& options) {
  DeviceGrid grid;
  grid.replicas = options.replicas > 0 ? options.replicas : module.config().replica_count();
  int64_t partitions = module.config().num_partitions();
  if (partitions == 1) partitions = std::max<int64_t>(spmd::CountShardedDevices(module), 1);
  grid.partitions = options.partitions > 0 ? options.partitions : partitions;
  return CheckDeviceGrid(grid);
}

absl::StatusOr<bool> IsCompiled(const std::string& backend) {
  if (backend == "interpreter") return false;
  if (!backend.empty() && backend != "cpu") {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown backend '", backend, "': expected cpu or interpreter"));
  }
  const absl::Status status = CheckCpuCompiler();
  if (!status.ok() && backend == "cpu") return status;
  return status.ok();
}

}  // namespace

// After a fork there are new threads: those of the parent did not come along.
std::shared_ptr<Threads> Program::Impl::CurrentThreads() const {
  const int current = ForkGeneration();
  if (generation.load(std::memory_order_acquire) != current) {
    const std::lock_guard lock(threads_mutex);
    if (generation.load(std::memory_order_relaxed) != current) {
      new std::shared_ptr<Threads>(threads);  // its destructor would wait for the parent's threads
      threads = SharedThreads(options.threads);
      generation.store(current, std::memory_order_release);
    }
  }
  return threads;
}

absl::Status Program::Impl::Describe() {
  const ProgramShape& program = module->result_and_parameters();
  for (const Shape& parameter : program.parameters()) {
    if (parameter.is_unbounded_dynamic()) {
      return absl::InvalidArgumentError(
          absl::StrCat("a parameter is ", parameter.ToString(),
                       ": its sizes are open; `xylem refine` sets them"));
    }
    parameters.push_back(ShapeInfoOf(parameter));
    AppendLeaves(parameter, /*row_major=*/true, argument_shapes);
  }
  result = ShapeInfoOf(program.result());
  // Full results of partitioned programs are put together in row-major order.
  AppendLeaves(program.result(), is_sharded, result_shapes);
  for (const Shape& shape : argument_shapes) {
    XLA_ASSIGN_OR_RETURN(Leaf leaf, LeafOf(shape));
    argument_leaves.push_back(std::move(leaf));
  }
  for (const Shape& shape : result_shapes) {
    XLA_ASSIGN_OR_RETURN(Leaf leaf, LeafOf(shape));
    result_leaves.push_back(std::move(leaf));
  }
  for (size_t i = 0; i < argument_shapes.size(); ++i) {
    views.push_back({.shape = &argument_shapes[i], .size_bytes = argument_leaves[i].bytes});
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<CpuProgram>> Program::Impl::CompileFor(
    const HloModule& program, const std::atomic<bool>* cancel) const {
  const std::shared_ptr<Threads> own = CurrentThreads();
  CpuCompileOptions compile = DefaultCpuCompileOptions();
  compile.pool = &own->pool;
  compile.cancel = cancel;
  compile.custom_calls = &custom_calls;
  compile.cache_directory = options.cache;
  compile.pipeline.disabled = options.disabled_passes;
  compile.flush_subnormals |= options.flush_subnormals;
  XLA_ASSIGN_OR_RETURN(auto result, CpuProgram::Compile(program, compile));
  XLA_RETURN_IF_ERROR(CheckCustomCallTargets(result->optimized_module(), custom_calls));
  return result;
}

absl::Status Program::Impl::Prepare(const std::atomic<bool>* cancel) {
  if (is_sharded) return absl::OkStatus();
  if (is_compiled) {
    XLA_ASSIGN_OR_RETURN(compiled, CompileFor(*module, cancel));
    return absl::OkStatus();
  }
  XLA_RETURN_IF_ERROR(CheckCustomCallTargets(*module, custom_calls));
  XLA_ASSIGN_OR_RETURN(interpreted, InterpreterProgram::Create(*module));
  return absl::OkStatus();
}

Program::Program(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Program::~Program() = default;

Result<std::shared_ptr<const Program>> Program::Compile(const ModulePtr& module,
                                                        const CompileOptions& options,
                                                        const std::atomic<bool>* cancel) {
  return Guarded([&]() -> absl::StatusOr<std::shared_ptr<const Program>> {
    auto impl = std::make_unique<Impl>();
    impl->source = module;
    impl->options = options;
    XLA_ASSIGN_OR_RETURN(impl->is_compiled, IsCompiled(options.backend));
    impl->backend = impl->is_compiled ? "cpu" : "interpreter";
    impl->memory_limit = options.memory_limit > 0 ? options.memory_limit : UsableMemoryBytes();
    for (const std::string& path : options.custom_calls)
      XLA_RETURN_IF_ERROR(impl->custom_calls.LoadLibrary(path));
    impl->threads = SharedThreads(options.threads);
    impl->generation = ForkGeneration();
    std::unique_ptr<HloModule> copy = module->impl().module->Clone();
    copy->config().mutable_debug_options().MergeFrom(CompilerOptionsOf(DebugOptionsFromEnv()));
    XLA_ASSIGN_OR_RETURN(impl->grid, GridOf(*copy, options));
    impl->is_sharded = IsSharded(*copy, impl->grid.partitions);
    if (!impl->is_sharded && spmd::HasShardings(*copy))
      XLA_RETURN_IF_ERROR(spmd::RemoveAnnotations(copy.get()));
    impl->module = std::move(copy);
    XLA_RETURN_IF_ERROR(impl->Describe());
    XLA_RETURN_IF_ERROR(impl->Prepare(cancel));
    return std::make_shared<const Program>(std::move(impl));
  });
}

const ModulePtr& Program::module() const { return impl_->source; }
const std::vector<ShapeInfo>& Program::parameters() const { return impl_->parameters; }
const ShapeInfo& Program::result() const { return impl_->result; }
const std::vector<Leaf>& Program::argument_leaves() const { return impl_->argument_leaves; }
const std::vector<Leaf>& Program::result_leaves() const { return impl_->result_leaves; }
const std::string& Program::backend() const { return impl_->backend; }
int64_t Program::devices() const { return impl_->grid.count(); }
int64_t Program::result_devices() const {
  return impl_->is_sharded ? impl_->grid.replicas : devices();
}

Result<Nothing> Program::Run(std::span<const ArgumentArray> arguments,
                             std::span<ResultArray> results, const InterruptCheck& interrupt,
                             RunCounts* counts) const {
  return Guarded([&]() -> absl::StatusOr<Nothing> {
    PythonInterrupt asked(interrupt);
    runtime::Interrupt* const given = interrupt.is_requested == nullptr ? nullptr : &asked;
    RunStatistics statistics;
    RunStatistics* const told = counts == nullptr ? nullptr : &statistics;
    if (impl_->is_sharded) {
      XLA_RETURN_IF_ERROR(impl_->RunSharded(arguments, results, given, told));
    } else if (devices() == 1) {
      XLA_RETURN_IF_ERROR(impl_->RunOne(arguments, results, given, told));
    } else {
      XLA_RETURN_IF_ERROR(impl_->RunDevices(arguments, results, given, told));
    }
    if (counts != nullptr) {
      *counts = {statistics.peak_bytes, statistics.instructions, statistics.copies,
                 statistics.copied_bytes};
    }
    return Nothing();
  });
}

Result<std::vector<ProfileRow>> Program::Profile(std::span<const ArgumentArray> arguments,
                                                 const InterruptCheck& interrupt) const {
  return Guarded([&]() -> absl::StatusOr<std::vector<ProfileRow>> {
    if (impl_->compiled == nullptr || devices() != 1) {
      return absl::UnimplementedError("only compiled programs of one device are profiled");
    }
    PythonInterrupt asked(interrupt);
    absl::InlinedVector<runtime::ArgumentView, 8> filled;
    std::vector<std::unique_ptr<Shape>> shapes;
    XLA_RETURN_IF_ERROR(impl_->Fill(arguments, filled, shapes));
    const std::shared_ptr<Threads> own = impl_->CurrentThreads();
    const runtime::ExecutionContext context =
        impl_->ContextOf(*own, interrupt.is_requested == nullptr ? nullptr : &asked);
    XLA_RETURN_IF_ERROR(impl_->compiled->Profile(filled, context).status());  // first use of memory
    XLA_ASSIGN_OR_RETURN(const auto entries, impl_->compiled->Profile(filled, context));
    std::vector<ProfileRow> rows;
    for (const CpuProgram::ProfileEntry& entry : entries) {
      rows.push_back({entry.name, entry.text, entry.depth, entry.runs, entry.seconds,
                      entry.self_seconds, entry.bytes, entry.operations});
    }
    return rows;
  });
}

Result<ModulePtr> Program::OptimizedModule() const {
  return Guarded([&]() -> absl::StatusOr<ModulePtr> {
    const HloModule& module =
        impl_->compiled != nullptr ? impl_->compiled->optimized_module() : *impl_->module;
    return MakeModule(module.Clone());
  });
}

int64_t Program::generated_bytes() const {
  return impl_->compiled == nullptr ? 0 : impl_->compiled->GeneratedBytes();
}

int64_t Program::scratch_bytes() const {
  return impl_->compiled == nullptr
             ? 0
             : impl_->compiled->ScratchBytes(impl_->CurrentThreads()->pool.num_threads());
}

void FreeArray(void* data) { runtime::FreeHostMemory(data); }

}  // namespace xla::python
