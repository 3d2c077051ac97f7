// SPDX-License-Identifier: Apache-2.0
// LAPACK's custom calls, by the kernels that compiled programs use.
#include <algorithm>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/interpreter/builtin_custom_calls.h"
#include "xla/interpreter/eval_state.h"
#include "xla/interpreter/kernel_context.h"
#include "xla/lapack/lapack.h"
#include "xla/layout_util.h"

namespace xla::interpreter {
namespace {

lapack::LapackCall CallOf(const HloInstruction& inst) {
  const auto& attributes = inst.attributes<CustomCallAttributes>();
  lapack::LapackCall call;
  call.target = attributes.custom_call_target;
  call.instruction = inst.name();
  call.attributes = inst.extras().backend_config;
  call.is_typed = attributes.api_version == CustomCallApiVersion::API_VERSION_TYPED_FFI;
  call.result = inst.shape();
  if (attributes.operand_layout_constraints.has_value()) {
    call.operands = *attributes.operand_layout_constraints;
  } else {
    for (const HloInstruction* operand : inst.operands()) {
      call.operands.push_back(operand->shape());
      LayoutUtil::SetToDefaultLayout(&call.operands.back());
    }
  }
  return call;
}

// What runs a kernel: `caller` is a KernelContext.
struct Host {
  KernelContext context;
  absl::Status failure;

  static void ParallelFor(void* caller, int64_t count, void (*body)(void*, int64_t),
                          void* argument) {
    Host& host = *static_cast<Host*>(caller);
    const absl::Status status = host.context.ParallelFor(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) body(argument, i);
      return absl::OkStatus();
    });
    if (!status.ok()) host.failure = status;
  }
  static int32_t Poll(void* caller) {
    return static_cast<int32_t>(static_cast<Host*>(caller)->context.Poll().code());
  }
};

}  // namespace

absl::StatusOr<Value> EvalLapackCall(EvalContext& ctx, const HloInstruction& inst,
                                     absl::Span<Value> operands) {
  XLA_ASSIGN_OR_RETURN(const auto kernel, lapack::MakeLapackKernel(CallOf(inst)));
  std::vector<void*> buffers;
  for (const Value& operand : operands)
    buffers.push_back(const_cast<void*>(operand.untyped_data()));
  std::vector<Value> results;
  const bool is_tuple = inst.shape().IsTuple();
  for (int i = 0; i < (is_tuple ? inst.shape().tuple_shapes_size() : 1); ++i) {
    XLA_ASSIGN_OR_RETURN(Value result,
                         ctx.Allocate(is_tuple ? inst.shape().tuple_shapes(i) : inst.shape()));
    buffers.push_back(result.mutable_untyped_data());
    results.push_back(std::move(result));
  }
  Host host = {KernelContext(ctx), absl::OkStatus()};
  const int32_t workers = ctx.in_worker() ? 1 : ctx.state().num_threads();
  const kernels::KernelHost kernel_host = {&host, workers, Host::ParallelFor, Host::Poll};
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<void> scratch,
                       host.context.Allocate(kernel->ScratchBytes(workers)));
  const absl::Status status = kernel->Run({&kernel_host, buffers.data(), scratch.get()});
  if (!status.ok()) {
    XLA_RETURN_IF_ERROR(host.failure);
    XLA_RETURN_IF_ERROR(host.context.Poll());
    return status;
  }
  XLA_RETURN_IF_ERROR(host.failure);
  if (!is_tuple) return std::move(results[0]);
  return ctx.MakeTuple(inst.shape(), std::move(results));
}

}  // namespace xla::interpreter
