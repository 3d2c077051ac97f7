// SPDX-License-Identifier: Apache-2.0
// Whether a result may or must share the memory of a parameter: the kinds that XlaBuilder takes.
#ifndef XLA_HLO_IR_HLO_INPUT_OUTPUT_ALIAS_CONFIG_H_
#define XLA_HLO_IR_HLO_INPUT_OUTPUT_ALIAS_CONFIG_H_

namespace xla {

class HloInputOutputAliasConfig {
 public:
  enum AliasKind { kUndefinedAlias, kMayAlias, kMustAlias };
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_INPUT_OUTPUT_ALIAS_CONFIG_H_
