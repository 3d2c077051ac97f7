// SPDX-License-Identifier: Apache-2.0
// Functions of callers that change programs as they are compiled (jax.extend.xla).
#ifndef XLA_PJRT_TRANSFORMS_H_
#define XLA_PJRT_TRANSFORMS_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/pjrt/abi.h"

namespace xla::pjrt {

absl::Status RegisterTransform(PJRT_Register_Xla_Transform_Args& args);
absl::Status ClearTransform(PJRT_Clear_Xla_Transform_Args& args);

// Calls the registered functions one after another: those for before the scheduler first, though
// all of them see the program before it is optimized. What they return is verified.
absl::StatusOr<std::unique_ptr<HloModule>> ApplyTransforms(std::unique_ptr<HloModule> module);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_TRANSFORMS_H_
