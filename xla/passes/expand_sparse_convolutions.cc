// SPDX-License-Identifier: Apache-2.0
// Expands convolutions whose kernels hold one element of each block of their input features to
// convolutions with dense kernels.
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/sparse_kernel.h"
#include "xla/passes/expand.h"
#include "xla/passes/graph_builder.h"

namespace xla {

absl::StatusOr<bool> ExpandSparseConvolutions(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* convolution : computation->MakeInstructionPostOrder()) {
      if (convolution->opcode() != HloOpcode::kConvolution || !HasSparseKernel(*convolution))
        continue;
      const absl::StatusOr<Shape> shape = WholeKernelShape(*convolution);
      if (!shape.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat(convolution->ToShortString(), ": ", shape.status().message()));
      }
      auto attributes = convolution->attributes<ConvolutionAttributes>();
      CustomCallAttributes call;
      call.custom_call_target = kWholeKernelTarget;
      GraphBuilder b(computation, convolution);
      HloInstruction* const sparse = convolution->mutable_operand(1);
      HloInstruction* const kernel =
          b.Make(HloOpcode::kCustomCall, *shape, {b.Element(sparse, 0), b.Element(sparse, 1)},
                 std::move(call));
      kernel->mutable_extras().backend_config = absl::StrCat(
          attributes.sparsity.rhs->dimension, ",", attributes.sparsity.rhs->block_size);
      attributes.sparsity = {};
      HloInstruction* const whole =
          b.Make(HloOpcode::kConvolution, convolution->shape(),
                 {convolution->mutable_operand(0), kernel}, std::move(attributes));
      XLA_RETURN_IF_ERROR(computation->ReplaceInstruction(convolution, whole));
      changed = true;
    }
  }
  return changed;
}

}  // namespace xla
