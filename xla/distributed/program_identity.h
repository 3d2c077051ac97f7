// SPDX-License-Identifier: Apache-2.0
// What a program is to other processes.
#ifndef XLA_DISTRIBUTED_PROGRAM_IDENTITY_H_
#define XLA_DISTRIBUTED_PROGRAM_IDENTITY_H_

#include <cstdint>
#include <string>

#include "xla/hlo/ir/hlo_module.h"

namespace xla::distributed {

struct ProgramIdentity {
  std::string name;
  uint64_t fingerprint = 0;  // equal on all processes that compiled the same program
  // Whether it has collectives or messages between devices.
  bool communicates = false;
};

// Computed once when the program is compiled: it prints the module.
ProgramIdentity IdentifyProgram(const HloModule& module);

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_PROGRAM_IDENTITY_H_
