// SPDX-License-Identifier: Apache-2.0
// Kernels that finish the results of a contraction block by block (see epilogue.h).
#ifndef XLA_CPU_KERNEL_EPILOGUE_LOOP_H_
#define XLA_CPU_KERNEL_EPILOGUE_LOOP_H_

#include <memory>

#include "xla/cpu/kernel/kernel_plan.h"

namespace xla::cpu {

// Suits requests for an epilogue.
bool FitsEpilogueLoop(const KernelRequest& request);
std::unique_ptr<const KernelPlan> PlanEpilogueLoop(const KernelRequest& request);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_EPILOGUE_LOOP_H_
