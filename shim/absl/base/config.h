// SPDX-License-Identifier: Apache-2.0
// The parts of Abseil that the kernels use, as headers of a few lines: the runtime of programs
// compiled ahead of time (xla/aot/runtime) is built with them, so that it needs no library but
// C++'s. Names are those of Abseil in an inline namespace of their own, so that both may be part of
// one process.
#ifndef SHIM_ABSL_BASE_CONFIG_H_
#define SHIM_ABSL_BASE_CONFIG_H_

#define ABSL_NAMESPACE_BEGIN inline namespace xylem_runtime {
#define ABSL_NAMESPACE_END }

#endif  // SHIM_ABSL_BASE_CONFIG_H_
