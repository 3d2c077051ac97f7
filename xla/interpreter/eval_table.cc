// SPDX-License-Identifier: Apache-2.0
// The interpreter's table: the function of every opcode, EvalStem for HLO_OP(Stem, ...). An opcode
// without a function does not link.
#include <array>

#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/interpreter/evaluator.h"

namespace xla::interpreter {
namespace {

struct Row {
  HloOpcode opcode;
  EvalFunction function;
};

// Operations that share a function, and elementwise operations with one of their own.
constexpr Row kExceptions[] = {
    {HloOpcode::kSelect, EvalSelect},
    {HloOpcode::kBitcastConvert, EvalBitcastConvert},
    {HloOpcode::kCopy, EvalCopy},
    // The evaluator itself stores the values of these.
    {HloOpcode::kParameter, EvalForward},
    {HloOpcode::kConstant, EvalForward},
    {HloOpcode::kFusion, EvalCall},
    {HloOpcode::kOptimizationBarrier, EvalForward},
    {HloOpcode::kDomain, EvalForward},
    {HloOpcode::kAllReduceStart, EvalAllReduce},
    {HloOpcode::kAllReduceDone, EvalForward},
    {HloOpcode::kAllGatherDone, EvalCollectiveDone},
    {HloOpcode::kCollectivePermuteDone, EvalCollectiveDone},
    {HloOpcode::kPartitionId, EvalParticipantId},
    {HloOpcode::kReplicaId, EvalParticipantId},
};

constexpr std::array<EvalFunction, kNumHloOpcodes> kFunctions = [] {
  std::array<EvalFunction, kNumHloOpcodes> functions = {
#define HLO_OP(stem, name, family, ...) \
  OpFamily::family == OpFamily::kElementwise ? EvalElementwise : Eval##stem,
#include "xla/hlo/ir/opcodes.def"
  };
  for (const Row& row : kExceptions) functions[static_cast<size_t>(row.opcode)] = row.function;
  return functions;
}();

}  // namespace

EvalFunction GetEvalFunction(HloOpcode opcode) { return kFunctions[static_cast<size_t>(opcode)]; }

}  // namespace xla::interpreter
