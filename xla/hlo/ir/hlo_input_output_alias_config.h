// SPDX-License-Identifier: Apache-2.0
// Which results share the memory of which parameters, under XLA's names
// (HloModuleConfig::input_output_alias).
#ifndef XLA_HLO_IR_HLO_INPUT_OUTPUT_ALIAS_CONFIG_H_
#define XLA_HLO_IR_HLO_INPUT_OUTPUT_ALIAS_CONFIG_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "xla/hlo/ir/hlo_module_config.h"
#include "xla/shape_util.h"

namespace xla {

class HloInputOutputAliasConfig {
 public:
  // Whether a result may or must share the memory of its parameter.
  enum AliasKind { kUndefinedAlias, kMayAlias, kMustAlias };

  struct Alias {
    int64_t parameter_number;
    ShapeIndex parameter_index;
    AliasKind kind;
    bool must_alias() const { return kind == kMustAlias; }
  };

  HloInputOutputAliasConfig() = default;
  explicit HloInputOutputAliasConfig(std::vector<InputOutputAlias> aliases)
      : aliases_(std::move(aliases)) {}

  bool ParameterHasAlias(int64_t number, const ShapeIndex& index) const;
  bool ParameterMustAlias(int64_t number, const ShapeIndex& index) const;
  bool OutputHasAlias(const ShapeIndex& output_index) const;
  // The result that shares memory with an element of a parameter, and the reverse.
  std::optional<ShapeIndex> GetAliasedOutput(int64_t number, const ShapeIndex& index) const;
  std::optional<Alias> GetAliasedParameter(const ShapeIndex& output_index) const;

 private:
  const InputOutputAlias* Find(int64_t number, const ShapeIndex& index) const;
  std::vector<InputOutputAlias> aliases_;
};

// Parameters that the caller gives up without naming the result that takes their memory.
class HloBufferDonorConfig {
 public:
  HloBufferDonorConfig() = default;
  explicit HloBufferDonorConfig(std::vector<BufferDonor> donors) : donors_(std::move(donors)) {}
  bool ParameterIsBufferDonor(int64_t number, const ShapeIndex& index) const;

 private:
  std::vector<BufferDonor> donors_;
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_INPUT_OUTPUT_ALIAS_CONFIG_H_
