// SPDX-License-Identifier: Apache-2.0
// HLO opcodes and their table (opcodes.def): names, arity, family, called computations, traits.
#ifndef XLA_HLO_IR_HLO_OPCODE_H_
#define XLA_HLO_IR_HLO_OPCODE_H_

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/string_view.h"
#include "xla/base/status_fwd.h"
#include "xla/hlo/ir/callee_schema.h"

namespace xla {

enum class HloOpcode : uint8_t {
#define HLO_OP(stem, ...) k##stem,
#include "xla/hlo/ir/opcodes.def"
};

inline constexpr int kNumHloOpcodes = 0
#define HLO_OP(...) +1
#include "xla/hlo/ir/opcodes.def"
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

// What computing an element of the result is like, whatever the machine: the machine's numbers for
// each class stand in xla/cpu/codegen/cost_model.h, XLA's terms in operation_cost.h.
enum class CostClass : uint8_t {
  kFree,            // a name for values that are elsewhere; nothing is read or written
  kView,            // the elements of the operand under another shape, where they are
  kMove,            // an element of the operand, at another index
  kSelect,          // one of several elements, or one whose place is computed
  kArithmetic,      // an instruction of the processor, or a few
  kDivide,          // quotients and remainders
  kRoot,            // square roots: as quotients, but transcendental to XLA
  kTranscendental,  // functions of one argument
  kPower,           // functions of two arguments, which take several of those
  kApply,           // what the computation costs that is applied to elements
  kContraction,     // sums of products
  kAlgorithm,       // by a formula of its own, or not known
  kControl,         // what the called computations cost
  kCommunication,   // with other devices, or with the host
};
inline constexpr int kNumCostClasses = static_cast<int>(CostClass::kCommunication) + 1;
// "free", "view", ...
std::string_view CostClassName(CostClass cost);

namespace op_traits {
enum : uint32_t {
  // --- Form
  kElementwiseTrait = 1u << 0,  // result element i depends on operand elements i only
  kInferable = 1u << 1,         // text may omit the result shape
  kCommutative = 1u << 2,
  kHasAccuracy = 1u << 3,  // result_accuracy= is allowed

  // --- Effects (HloInstruction::HasSideEffect, IsConstant)
  kSideEffect = 1u << 4,  // must run even if nothing uses the result
  // Must run if the attributes say so: custom_call_has_side_effect, constrain_layout, or a channel
  // outside SPMD partitioning. Otherwise an unused one may be removed.
  kAttributeEffect = 1u << 5,
  kCommunicates = 1u << 6,  // with other devices or with the host
  // The result is not a function of operands and attributes: it may differ between runs or devices.
  kDependsOnRun = 1u << 7,
  // XlaBuilder::IsConstant answers no without looking at called computations, as XLA does.
  kNeverConstant = 1u << 8,

  // --- Floating-point precision
  // Operands of different precision are allowed, even where mixed precision is not; the result has
  // the type that is inferred.
  kMixedOperands = 1u << 9,
  // As above, and the declared result type is part of what the operation means (dot, convert) or
  // values pass through unchanged (tuple, while).
  kOwnPrecision = 1u << 10,
  // Operands are converted to the declared result type.
  kDeclaredPrecision = 1u << 11,

  // --- How the declared shape must match the inferred one where layouts are compared
  kSameLayout = 1u << 12,          // layouts must be equal
  kSameDimensionOrder = 1u << 13,  // of layouts, the minor-to-major orders must be equal

  // --- Element types of the operands of elementwise operations; none: all types
  kOnPred = 1u << 14,
  kOnSigned = 1u << 15,
  kOnUnsigned = 1u << 16,
  kOnFloat = 1u << 17,
  kOnComplex = 1u << 18,
  kAllElementTypes = kOnPred | kOnSigned | kOnUnsigned | kOnFloat | kOnComplex,

  // --- Names for combinations that rows have in common
  kUnary = kElementwiseTrait | kInferable,
  kBinary = kElementwiseTrait | kInferable,
  kFloats = kOnFloat,
  kFloatsAndComplex = kOnFloat | kOnComplex,
  kIntegers = kOnSigned | kOnUnsigned,
  kPredAndIntegers = kOnPred | kIntegers,
  kNumbers = kIntegers | kFloatsAndComplex,
  kSignedNumbers = kOnSigned | kFloatsAndComplex,
  kMath = kUnary | kFloatsAndComplex | kHasAccuracy,
  kRealMath = kUnary | kFloats | kHasAccuracy,
  kPassesValues = kOwnPrecision | kSameLayout,
  kRandomEffect = kSideEffect | kDependsOnRun,
  kTransfer = kCommunicates | kSideEffect | kDependsOnRun | kOwnPrecision,
  kCollectiveTrait = kCommunicates | kDependsOnRun | kMixedOperands,
};
inline constexpr int8_t kVariadic = -1;
}  // namespace op_traits

// The part that an operation plays in a chain of asynchronous operations (HLO_START_DONE).
enum class AsyncRole : uint8_t { kNone, kStart, kUpdate, kDone };

struct OpInfo {
  HloOpcode opcode;
  std::string_view name;
  OpFamily family;
  int8_t arity;  // op_traits::kVariadic for any number
  Callees callees;
  uint32_t traits;
  size_t attributes_index;  // index of the attribute struct in xla::Attributes
  CostClass cost;
  AsyncRole async_role = AsyncRole::kNone;
  HloOpcode async_partner = {};  // of a start its done; of an update or done its start

  // Whether the operation has all of these traits.
  bool Has(uint32_t trait) const { return (traits & trait) == trait; }
  bool HasAny(uint32_t set) const { return (traits & set) != 0; }
  const CalleeSchema& callee_schema() const { return GetCalleeSchema(callees); }
};

// The table row of an opcode.
const OpInfo& GetOpInfo(HloOpcode opcode);

// Whether the operation only names values: nothing is read, written or computed.
bool IsFree(HloOpcode opcode);
// Whether the result has the operand's elements in their order, so that it can be where they are.
bool IsView(HloOpcode opcode);
// Whether XLA counts the operation as transcendental rather than as flops.
bool IsTranscendental(HloOpcode opcode);

int HloOpcodeCount();
// Converts to both std::string_view and absl::string_view.
const std::string& HloOpcodeString(HloOpcode opcode);
std::ostream& operator<<(std::ostream& out, HloOpcode opcode);
// Not found: an error that quotes the name.
absl::StatusOr<HloOpcode> StringToHloOpcode(absl::string_view name);
std::optional<HloOpcode> FindHloOpcode(std::string_view name);

std::optional<int> HloOpcodeArity(HloOpcode opcode);  // nullopt: variadic
bool HloOpcodeIsComparison(HloOpcode opcode);
bool HloOpcodeIsVariadic(HloOpcode opcode);
// async-start, async-update and async-done; as in XLA, not the pairs with opcodes of their own.
bool HloOpcodeIsAsync(HloOpcode opcode);

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_OPCODE_H_
