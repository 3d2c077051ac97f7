// SPDX-License-Identifier: Apache-2.0
// HloModule to HloModuleProto, as XLA writes it: computations as listed, instructions in post
// order, ids by order of creation, an instruction's with the computation's above its low 32 bits.
// Its builder writes instructions in order of creation, numbered from 1.
#include <limits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/proto/attribute_protos.h"
#include "xla/hlo/proto/extras_proto.h"
#include "xla/hlo/proto/module_proto.h"
#include "xla/util.h"

namespace xla::proto {
namespace {

using InstructionIds = absl::flat_hash_map<const HloInstruction*, int64_t>;
using ComputationIds = absl::flat_hash_map<const HloComputation*, int64_t>;

absl::Status WriteInstruction(const HloInstruction& instruction, const InstructionIds& ids,
                              const ComputationIds& computation_ids, HloInstructionProto* proto) {
  proto->set_name(instruction.name());
  proto->set_opcode(std::string(HloOpcodeString(instruction.opcode())));
  *proto->mutable_shape() = instruction.shape().ToProto();
  proto->set_id(ids.at(&instruction));
  for (const HloInstruction* operand : instruction.operands()) {
    proto->add_operand_ids(ids.at(operand));
  }
  for (const HloInstruction* predecessor : instruction.control_predecessors()) {
    proto->add_control_predecessor_ids(ids.at(predecessor));
  }
  for (const HloComputation* callee : instruction.called_computations()) {
    auto it = computation_ids.find(callee);
    if (it == computation_ids.end()) {
      return InvalidArgument("calls computation %s of another module", callee->name());
    }
    proto->add_called_computation_ids(it->second);
  }
  XLA_RETURN_IF_ERROR(WriteAttributes(instruction, proto));
  return WriteExtras(instruction, proto);
}

absl::Status WriteComputation(const HloComputation& computation, int64_t id,
                              const ComputationIds& computation_ids, const WriteOptions& options,
                              HloModuleProto* module_proto) {
  if (computation.root_instruction() == nullptr) {
    return absl::InvalidArgumentError("the computation has no root");
  }
  InstructionIds ids;
  const std::vector<HloInstruction*> instructions = computation.instructions_by_id();
  if (instructions.size() > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError("more instructions than ids");
  }
  ids.reserve(instructions.size());
  for (const HloInstruction* instruction : instructions) {
    ids.emplace(instruction,
                (id << 32) + options.first_local_id + static_cast<int64_t>(ids.size()));
  }

  HloComputationProto* proto = module_proto->add_computations();
  proto->set_name(computation.name());
  proto->set_id(id);
  proto->set_root_id(ids.at(computation.root_instruction()));
  proto->set_is_fusion_computation(computation.IsFusionComputation());
  proto->set_execution_thread(computation.execution_thread());
  *proto->mutable_program_shape() = computation.ComputeProgramShape().ToProto();
  std::vector<HloInstruction*> order = instructions;
  if (!options.creation_order) {
    XLA_ASSIGN_OR_RETURN(order, computation.PostOrder());
  }
  for (const HloInstruction* instruction : order) {
    const absl::Status status =
        WriteInstruction(*instruction, ids, computation_ids, proto->add_instructions());
    if (!status.ok()) return AddContext(status, absl::StrCat("instruction ", instruction->name()));
  }

  // Fused computations have no schedule.
  if (computation.parent()->config().is_scheduled &&
      (!computation.IsFusionComputation() || computation.IsEntryComputation())) {
    auto& sequence = (*module_proto->mutable_schedule()->mutable_sequences())[id];
    for (const HloInstruction* instruction : computation.instructions()) {
      sequence.add_instruction_ids(ids.at(instruction));
    }
  }
  return absl::OkStatus();
}

// XLA reads callees before callers. Keeps the order of the module if it satisfies this.
absl::StatusOr<std::vector<HloComputation*>> WriteOrder(const HloModule& module) {
  const std::vector<HloComputation*> listed = module.computations();
  absl::flat_hash_set<const HloComputation*> written;
  for (const HloComputation* computation : listed) {
    for (const HloInstruction* instruction : computation->instructions()) {
      for (const HloComputation* callee : instruction->called_computations()) {
        if (!written.contains(callee)) return module.ComputationPostOrder();
      }
    }
    written.insert(computation);
  }
  return listed;
}

}  // namespace

absl::StatusOr<HloModuleProto> WriteModule(const HloModule& module, int depth,
                                           const WriteOptions& options) {
  if (module.entry_computation() == nullptr) {
    return InvalidArgument("module %s has no entry computation", module.name());
  }
  ComputationIds ids;
  for (const HloComputation* computation : module.computations()) {
    ids.emplace(computation, static_cast<int64_t>(ids.size()));
  }
  HloModuleProto proto;
  proto.set_name(module.name());
  proto.set_entry_computation_name(module.entry_computation()->name());
  proto.set_entry_computation_id(ids.at(module.entry_computation()));
  XLA_ASSIGN_OR_RETURN(const std::vector<HloComputation*> order, WriteOrder(module));
  for (const HloComputation* computation : order) {
    const absl::Status status =
        WriteComputation(*computation, ids.at(computation), ids, options, &proto);
    if (!status.ok()) return AddContext(status, absl::StrCat("computation ", computation->name()));
  }
  XLA_RETURN_IF_ERROR(WriteHeader(module, depth, &proto));
  return proto;
}

}  // namespace xla::proto
