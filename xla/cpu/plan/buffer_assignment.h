// SPDX-License-Identifier: Apache-2.0
#ifndef XLA_CPU_PLAN_BUFFER_ASSIGNMENT_H_
#define XLA_CPU_PLAN_BUFFER_ASSIGNMENT_H_

#include "xla/cpu/plan/schedule_builder.h"

namespace xla::cpu {

// Sets the buffers and slices of all values, and scratch_bytes: values that should share memory do
// if their live ranges allow it, and buffers are packed by live range.
void AssignBuffers(ScheduleBuilder& builder);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_BUFFER_ASSIGNMENT_H_
