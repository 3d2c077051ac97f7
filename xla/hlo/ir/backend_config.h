// SPDX-License-Identifier: Apache-2.0
// Comparison of backend configs. Internal to xla/hlo/ir.
#ifndef XLA_HLO_IR_BACKEND_CONFIG_H_
#define XLA_HLO_IR_BACKEND_CONFIG_H_

#include <string>

namespace xla::ir_internal {

// Equal texts; or JSON objects that differ in blanks and in the order of members only, which the
// writers of JSON do not fix.
bool BackendConfigsEqual(const std::string& a, const std::string& b);

}  // namespace xla::ir_internal

#endif  // XLA_HLO_IR_BACKEND_CONFIG_H_
