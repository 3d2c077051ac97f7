// SPDX-License-Identifier: Apache-2.0
// The functions that callers of a program call: NAME_create, NAME_run and so on, which hand their
// arguments to the runtime (xla/aot/runtime/load.h).
#ifndef XLA_AOT_ENTRY_CODE_H_
#define XLA_AOT_ENTRY_CODE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/aot/signature.h"
#include "xla/cpu/codegen/target.h"

namespace xla::aot {

// Their names.
std::vector<std::string> EntryFunctions(const std::string& name);

// The object that defines them, for the architecture of a target and any processor of it. `table`
// is the symbol of the program's ProgramTable.
absl::StatusOr<std::string> EntryObject(const Signature& signature, const cpu::Target& target,
                                        const std::string& table);

}  // namespace xla::aot

#endif  // XLA_AOT_ENTRY_CODE_H_
