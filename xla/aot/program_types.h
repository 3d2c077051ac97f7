// SPDX-License-Identifier: Apache-2.0
// The text of xla/aot/runtime/program.h, which the header of each program contains.
#ifndef XLA_AOT_PROGRAM_TYPES_H_
#define XLA_AOT_PROGRAM_TYPES_H_

namespace xla::aot {

extern const char* const kProgramTypes;

}  // namespace xla::aot

#endif  // XLA_AOT_PROGRAM_TYPES_H_
