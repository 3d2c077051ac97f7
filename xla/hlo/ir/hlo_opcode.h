// SPDX-License-Identifier: Apache-2.0
// HLO opcodes and their table (opcodes.def): names, arity, family, traits.
#ifndef XLA_HLO_IR_HLO_OPCODE_H_
#define XLA_HLO_IR_HLO_OPCODE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"

namespace xla {

enum class HloOpcode : uint8_t {
#define HLO_OP(enumerator, ...) enumerator,
#include "xla/hlo/ir/opcodes.def"
#undef HLO_OP
};

inline constexpr int kNumHloOpcodes = 0
#define HLO_OP(...) +1
#include "xla/hlo/ir/opcodes.def"
#undef HLO_OP
    ;

// The family names the file that handles the operation in each phase:
// kGatherScatter -> shape_inference/gather_scatter.cc, interpreter/gather_scatter.cc, ...
enum class OpFamily : uint8_t {
  kElementwise,
  kLeaf,
  kReshape,
  kGatherScatter,
  kReduce,
  kNormalization,
  kWindow,
  kSort,
  kContraction,
  kLinearAlgebra,
  kRandom,
  kControl,
  kAsync,
  kEffect,
  kCollective,
};

// Called computations as text attributes, in the order of HloInstruction::called_computations():
enum class Callees : uint8_t {
  kNone,
  kToApply,        // to_apply=
  kCalls,          // calls=
  kBodyCondition,  // called = {body, condition}; printed condition=, body=
  kSelectScatter,  // select=, scatter=
  kBranches,       // true_computation=, false_computation= (pred) or branch_computations={..} (s32)
  kOptionalCallees,  // custom-call: nothing, to_apply= (one) or called_computations={..}
};

namespace op_traits {
enum : uint32_t {
  kElementwiseTrait = 1u << 0,  // result element i depends on operand elements i only
  kInferable = 1u << 1,         // text may leave out the result shape
  kCommutative = 1u << 2,
  kSideEffect = 1u << 3,
  kHasAccuracy = 1u << 4,  // result_accuracy= allowed
  kCollectiveTrait = (1u << 5) | kSideEffect,
  kUnary = kElementwiseTrait | kInferable,
  kBinary = kElementwiseTrait | kInferable,
};
inline constexpr int8_t kVariadic = -1;
}  // namespace op_traits

struct OpInfo {
  HloOpcode opcode;
  std::string_view name;
  OpFamily family;
  int8_t arity;  // op_traits::kVariadic for any number
  Callees callees;
  uint32_t traits;
  size_t attributes_index;  // index of the attribute struct in xla::Attributes
  bool Has(uint32_t trait) const { return (traits & trait) == trait; }
};

// The table row of an opcode.
const OpInfo& GetOpInfo(HloOpcode opcode);

std::string_view HloOpcodeString(HloOpcode opcode);
// Not found: an error that names the text.
absl::StatusOr<HloOpcode> StringToHloOpcode(std::string_view name);
std::optional<HloOpcode> FindHloOpcode(std::string_view name);

std::optional<int> HloOpcodeArity(HloOpcode opcode);  // nullopt: variadic
bool HloOpcodeIsComparison(HloOpcode opcode);
bool HloOpcodeIsVariadic(HloOpcode opcode);
// -start / -done forms of collectives, copy, async.
bool HloOpcodeIsAsync(HloOpcode opcode);

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_OPCODE_H_
