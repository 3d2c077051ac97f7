// SPDX-License-Identifier: Apache-2.0
// Runs executables on shaped buffers.
#include "xla/service/shaped_run.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/runtime/host_memory.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Most programs have one device and few leaves.
using Arguments = absl::InlinedVector<runtime::ArgumentView, 4>;
using Results = absl::InlinedVector<runtime::ResultView, 2>;

// Calls f(index, memory, shape) for the leaves of a buffer.
template <typename Buffers, typename F>
void ForEachLeaf(Buffers& buffers, F f) {
  for (auto& [index, memory] : buffers) {
    const Shape& part =
        index.empty() ? buffers.shape() : ShapeUtil::GetSubshape(buffers.shape(), index);
    if (!part.IsTuple()) f(memory, part);
  }
}

absl::InlinedVector<Arguments, 1> ViewsOf(const ShapedRun& run) {
  absl::InlinedVector<Arguments, 1> views(run.arguments.size());
  for (size_t d = 0; d < views.size(); ++d) {
    for (const ShapedBuffer* argument : run.arguments[d]) {
      ForEachLeaf(argument->buffers(), [&](const se::DeviceMemoryBase& memory, const Shape& part) {
        views[d].push_back({.shape = &part,
                            .data = const_cast<void*>(memory.opaque()),
                            .size_bytes = static_cast<int64_t>(memory.size())});
      });
    }
  }
  return views;
}

absl::Status Execute(const Executable& executable, const ShapedRun& run,
                     absl::Span<Results> results) {
  const absl::InlinedVector<Arguments, 1> arguments = ViewsOf(run);
  const absl::InlinedVector<absl::Span<const runtime::ArgumentView>, 1> argument_spans(
      arguments.begin(), arguments.end());
  absl::InlinedVector<absl::Span<runtime::ResultView>, 1> result_spans;
  for (Results& device : results) result_spans.push_back(absl::MakeSpan(device));
  ExecuteRequest request;
  request.arguments = argument_spans;
  request.results = result_spans;
  request.context = run.context;
  request.statistics = run.statistics;
  return executable.Execute(request);
}

}  // namespace

absl::Status RunIntoShapedBuffers(const Executable& executable, const ShapedRun& run,
                                  absl::Span<ShapedBuffer* const> results) {
  absl::InlinedVector<Results, 1> views(results.size());
  for (size_t d = 0; d < results.size(); ++d) {
    ForEachLeaf(results[d]->buffers(), [&](se::DeviceMemoryBase& memory, const Shape&) {
      views[d].push_back(
          {.data = memory.opaque(), .size_bytes = static_cast<int64_t>(memory.size())});
    });
  }
  XLA_RETURN_IF_ERROR(Execute(executable, run, absl::MakeSpan(views)));
  // A leaf without bytes has no memory here, but may have got some.
  for (size_t d = 0; d < results.size(); ++d) {
    for (const runtime::ResultView& view : views[d]) {
      if (view.is_new) runtime::FreeHostMemory(view.data);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ScopedShapedBuffer>> RunOnShapedBuffers(const Executable& executable,
                                                                   const ShapedRun& run) {
  const Shape& shape = executable.module().entry_computation_layout().result();
  std::vector<ScopedShapedBuffer> buffers;
  buffers.reserve(run.device_ordinals.size());
  if (!run.allocator_takes_host_memory) {
    absl::InlinedVector<ShapedBuffer*, 1> results;
    for (const int ordinal : run.device_ordinals) {
      XLA_ASSIGN_OR_RETURN(ScopedShapedBuffer buffer,
                           AllocateShapedBuffer(shape, ordinal, run.allocator));
      buffers.push_back(std::move(buffer));
    }
    for (ScopedShapedBuffer& buffer : buffers) results.push_back(&buffer);
    XLA_RETURN_IF_ERROR(RunIntoShapedBuffers(executable, run, results));
    return buffers;
  }

  absl::InlinedVector<Results, 1> views(run.device_ordinals.size(),
                                        Results(executable.result_leaves().size()));
  XLA_RETURN_IF_ERROR(Execute(executable, run, absl::MakeSpan(views)));
  for (size_t d = 0; d < views.size(); ++d) {
    const int ordinal = run.device_ordinals[d];
    ScopedShapedBuffer& buffer = buffers.emplace_back(shape, run.allocator, ordinal);
    size_t leaf = 0;
    ForEachLeaf(buffer.buffers(), [&](se::DeviceMemoryBase& memory, const Shape&) {
      const runtime::ResultView& view = views[d][leaf++];
      memory = se::DeviceMemoryBase(view.data, static_cast<uint64_t>(view.size_bytes));
    });
  }
  // The lists of pointers of tuples; only now, when all memory has its owner.
  if (!shape.IsTuple()) return buffers;
  for (ScopedShapedBuffer& buffer : buffers) {
    for (auto& [index, memory] : buffer.buffers()) {
      const Shape& part = ShapeUtil::GetSubshape(buffer.on_device_shape(), index);
      if (!part.IsTuple()) continue;
      XLA_ASSIGN_OR_RETURN(const int64_t bytes, BufferBytes(part));
      XLA_ASSIGN_OR_RETURN(
          se::OwningDeviceMemory table,
          run.allocator->Allocate(buffer.device_ordinal(), static_cast<uint64_t>(bytes)));
      memory = table.Release();
    }
    WriteTupleTables(buffer);
  }
  return buffers;
}

}  // namespace xla
