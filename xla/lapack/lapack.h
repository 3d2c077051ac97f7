// SPDX-License-Identifier: Apache-2.0
// The custom calls of LAPACK that JAX lowers linear algebra to on a CPU (lapack_dpotrf_ffi, ...),
// as prepared kernels: known to every client without registration.
//
//   XLA_ASSIGN_OR_RETURN(std::unique_ptr<const kernels::Kernel> kernel, MakeLapackKernel(call));
//
// Matrices are what the program says they are, whatever their memory: layouts of operands and
// results say only which index a handler of LAPACK would take for the row.
#ifndef XLA_LAPACK_LAPACK_H_
#define XLA_LAPACK_LAPACK_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/kernels/kernel.h"
#include "xla/shape.h"

namespace xla::lapack {

// A custom call as the program has it.
struct LapackCall {
  absl::string_view target;
  absl::string_view instruction;  // its name, for messages
  absl::string_view attributes;   // backend_config: the text of a dictionary
  bool is_typed = true;           // API_VERSION_TYPED_FFI
  // With the layouts that a handler would see; row-major without.
  std::vector<Shape> operands;
  Shape result;
};

// Whether the target is one of this library's.
bool IsLapackTarget(absl::string_view target);

// Checks the call against the signature of its target and prepares what depends on sizes. Buffers
// of the kernel are the operands, then the leaves of the result, each dense and row-major; a result
// may have the memory of the operand that it starts as. INVALID_ARGUMENT names the instruction, the
// shape or attribute and the rule; RESOURCE_EXHAUSTED is for matrices that LAPACK's 32-bit integers
// cannot count.
absl::StatusOr<std::unique_ptr<const kernels::Kernel>> MakeLapackKernel(const LapackCall& call);

}  // namespace xla::lapack

#endif  // XLA_LAPACK_LAPACK_H_
