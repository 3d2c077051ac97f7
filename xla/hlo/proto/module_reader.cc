// SPDX-License-Identifier: Apache-2.0
// HloModuleProto to HloModule.
//
// Ids are any 64-bit numbers, in any order; operands and callees may come before or after their
// users. An id that is not found is looked up by its low 32 bits: current XLA writes the
// computation's id into the high bits, and reads the low bits only.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
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

std::string Quote(const std::string& name) {
  constexpr size_t kMaxName = 100;
  return absl::StrCat("\"", name.substr(0, kMaxName), name.size() > kMaxName ? "..\"" : "\"");
}

// Computations or instructions by id.
template <typename T>
class IdMap {
 public:
  // False if the id is taken.
  bool Add(int64_t id, T* value) {
    if (!by_id_.emplace(id, value).second) return false;
    auto [low, is_new] = by_low_bits_.emplace(static_cast<uint32_t>(id), value);
    if (!is_new) low->second = nullptr;  // ambiguous
    return true;
  }
  // Null if there is none.
  T* Find(int64_t id) const {
    if (auto it = by_id_.find(id); it != by_id_.end()) return it->second;
    auto it = by_low_bits_.find(static_cast<uint32_t>(id));
    return it == by_low_bits_.end() ? nullptr : it->second;
  }

 private:
  absl::flat_hash_map<int64_t, T*> by_id_;
  absl::flat_hash_map<uint32_t, T*> by_low_bits_;
};

// The instructions sorted by id, the order in which XLA keeps them. Computations keep the order of
// the proto.
std::vector<const HloInstructionProto*> SortedById(const HloComputationProto& computation) {
  std::vector<const HloInstructionProto*> sorted;
  sorted.reserve(computation.instructions_size());
  for (const HloInstructionProto& proto : computation.instructions()) sorted.push_back(&proto);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->id() < b->id(); });
  return sorted;
}

absl::Status CheckCalleeCount(const HloInstructionProto& proto, HloOpcode opcode) {
  const CalleeSchema& schema = GetOpInfo(opcode).callee_schema();
  const int count = proto.called_computation_ids_size();
  switch (schema.count) {
    case CalleeSchema::kAnyCount:
      return absl::OkStatus();
    case CalleeSchema::kOnePerBranch:
      if (count > 0 && proto.operand_ids_size() == count + 1) return absl::OkStatus();
      return InvalidArgument("%s has %d operands and %d branches, expected one operand more",
                             proto.opcode(), proto.operand_ids_size(), count);
    default:
      if (count == schema.count || schema.may_repeat_start) return absl::OkStatus();
      return InvalidArgument("%s calls %d computations, expected %d", proto.opcode(), count,
                             schema.count);
  }
}

class ModuleReader {
 public:
  explicit ModuleReader(const HloModuleProto& proto) : proto_(proto) {}

  absl::StatusOr<std::unique_ptr<HloModule>> Read(int depth) {
    // Text needs a name.
    module_ = std::make_unique<HloModule>(proto_.name().empty() ? "module"
                                                                : SanitizeHloName(proto_.name()));
    XLA_RETURN_IF_ERROR(AddComputations());
    for (const auto& [computation_proto, computation] : computations_) {
      const absl::Status status = ReadComputation(*computation_proto, computation);
      if (!status.ok()) {
        return AddContext(status, absl::StrCat("computation ", Quote(computation_proto->name())));
      }
    }
    HloComputation* entry = computation_ids_.Find(proto_.entry_computation_id());
    if (entry == nullptr) {
      return InvalidArgument("module %s: no computation has the entry_computation_id %d",
                             Quote(proto_.name()), proto_.entry_computation_id());
    }
    module_->set_entry_computation(entry);
    XLA_RETURN_IF_ERROR(module_->ComputationPostOrder().status());
    XLA_RETURN_IF_ERROR(ReadSchedule());
    XLA_RETURN_IF_ERROR(ReadHeader(proto_, depth, module_.get()));
    return std::move(module_);
  }

 private:
  absl::Status AddComputations() {
    for (const HloComputationProto& computation_proto : proto_.computations()) {
      const HloComputationProto* proto = &computation_proto;
      HloComputation* computation = module_->AddComputation(proto->name());
      if (!computation_ids_.Add(proto->id(), computation)) {
        return InvalidArgument("computation %s: duplicate id %d", Quote(proto->name()),
                               proto->id());
      }
      if (proto->execution_thread() != "main") {
        computation->SetExecutionThread(proto->execution_thread());
      }
      computations_.emplace_back(proto, computation);
    }
    return absl::OkStatus();
  }

  absl::Status ReadComputation(const HloComputationProto& proto, HloComputation* computation) {
    IdMap<HloInstruction> ids;
    std::vector<std::pair<const HloInstructionProto*, HloInstruction*>> instructions;
    for (const HloInstructionProto* instruction_proto : SortedById(proto)) {
      absl::StatusOr<HloInstruction*> instruction = AddInstruction(*instruction_proto, computation);
      absl::Status status = instruction.status();
      if (status.ok() && !ids.Add(instruction_proto->id(), *instruction)) {
        status = InvalidArgument("duplicate id %d", instruction_proto->id());
      }
      if (!status.ok()) return InstructionError(status, *instruction_proto);
      instructions.emplace_back(instruction_proto, *instruction);
    }
    for (const auto& [instruction_proto, instruction] : instructions) {
      const absl::Status status = ReadInstruction(*instruction_proto, ids, instruction);
      if (!status.ok()) return InstructionError(status, *instruction_proto);
    }
    HloInstruction* root = ids.Find(proto.root_id());
    if (root == nullptr)
      return InvalidArgument("no instruction has the root_id %d", proto.root_id());
    computation->set_root_instruction(root);
    XLA_RETURN_IF_ERROR(computation->PostOrder().status());
    XLA_RETURN_IF_ERROR(CheckParameters(*computation));
    instruction_ids_[computation] = std::move(ids);
    return absl::OkStatus();
  }

  static absl::Status InstructionError(const absl::Status& status,
                                       const HloInstructionProto& proto) {
    return AddContext(status, absl::StrCat("instruction ", Quote(proto.name())));
  }

  // Opcode, shape, name; of a parameter also its number, by which computations list them.
  absl::StatusOr<HloInstruction*> AddInstruction(const HloInstructionProto& proto,
                                                 HloComputation* computation) {
    XLA_ASSIGN_OR_RETURN(const HloOpcode opcode, StringToHloOpcode(proto.opcode()));
    if (proto.name().empty()) return InvalidArgument("%s has no name", proto.opcode());
    if (!proto.has_shape()) return InvalidArgument("%s has no shape", proto.opcode());
    XLA_ASSIGN_OR_RETURN(Shape shape, ReadShape(proto.shape()));
    Attributes attributes = NoAttributes{};
    if (opcode == HloOpcode::kParameter) {
      attributes = ParameterAttributes{.parameter_number = proto.parameter_number()};
    }
    return computation->AddInstruction(
        HloInstruction::Create(opcode, std::move(shape), {}, std::move(attributes)), proto.name());
  }

  absl::Status ReadInstruction(const HloInstructionProto& proto, const IdMap<HloInstruction>& ids,
                               HloInstruction* instruction) {
    const HloOpcode opcode = instruction->opcode();
    const std::optional<int> arity = HloOpcodeArity(opcode);
    if (arity.has_value() && proto.operand_ids_size() != *arity) {
      return InvalidArgument("%s has %d operands, expected %d", proto.opcode(),
                             proto.operand_ids_size(), *arity);
    }
    for (int64_t id : proto.operand_ids()) {
      HloInstruction* operand = ids.Find(id);
      if (operand == nullptr) return InvalidArgument("no instruction has the operand id %d", id);
      instruction->AppendOperand(operand);
    }
    for (int64_t id : proto.control_predecessor_ids()) {
      HloInstruction* predecessor = ids.Find(id);
      if (predecessor == nullptr) {
        return InvalidArgument("no instruction has the control predecessor id %d", id);
      }
      XLA_RETURN_IF_ERROR(predecessor->AddControlDependencyTo(instruction));
    }
    XLA_RETURN_IF_ERROR(CheckCalleeCount(proto, opcode));
    if (GetOpInfo(opcode).callee_schema().count != 0) {
      for (int64_t id : proto.called_computation_ids()) {
        HloComputation* callee = computation_ids_.Find(id);
        if (callee == nullptr) {
          return InvalidArgument("no computation has the called computation id %d", id);
        }
        instruction->AppendCalledComputation(callee);
      }
    }
    if (opcode != HloOpcode::kParameter) {
      XLA_ASSIGN_OR_RETURN(Attributes attributes, ReadAttributes(proto, *instruction));
      instruction->set_attributes(std::move(attributes));
    }
    return ReadExtras(proto, proto_, instruction);
  }

  static absl::Status CheckParameters(const HloComputation& computation) {
    int64_t count = 0;
    for (const HloInstruction* instruction : computation.instructions()) {
      if (instruction->opcode() != HloOpcode::kParameter) continue;
      ++count;
      const int64_t number = instruction->parameter_number();
      if (number < 0 || number >= computation.num_parameters() ||
          computation.parameter_instruction(number) != instruction) {
        return InvalidArgument("parameter number %d of %s is out of range or duplicated", number,
                               Quote(instruction->name()));
      }
    }
    if (count != computation.num_parameters()) {
      return InvalidArgument("the %d parameters are not numbered from 0 to %d", count, count - 1);
    }
    return absl::OkStatus();
  }

  // Either all computations of a module are scheduled or none. Computations without a sequence
  // (fused ones) get their post order.
  absl::Status ReadSchedule() {
    absl::flat_hash_map<const HloComputation*, const HloScheduleProto::InstructionSequence*>
        by_computation;
    for (const auto& [id, sequence] : proto_.schedule().sequences()) {
      // Ignores stale sequences of computations that were removed or fused.
      const HloComputation* computation = computation_ids_.Find(id);
      if (computation == nullptr ||
          (computation->IsFusionComputation() && !computation->IsEntryComputation())) {
        continue;
      }
      if (!by_computation.emplace(computation, &sequence).second) {
        return InvalidArgument("schedule: two sequences for computation %s",
                               Quote(computation->name()));
      }
    }
    if (by_computation.empty()) return absl::OkStatus();
    module_->config().is_scheduled = true;
    for (const auto& [computation_proto, computation] : computations_) {
      auto it = by_computation.find(computation);
      if (it == by_computation.end()) {
        XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> order, computation->PostOrder());
        XLA_RETURN_IF_ERROR(computation->SetInstructionOrder(order));
        continue;
      }
      const absl::Status status = SetSchedule(*it->second, computation);
      if (!status.ok()) {
        return AddContext(
            status, absl::StrCat("schedule of computation ", Quote(computation_proto->name())));
      }
    }
    return absl::OkStatus();
  }

  absl::Status SetSchedule(const HloScheduleProto::InstructionSequence& sequence,
                           HloComputation* computation) {
    const IdMap<HloInstruction>& ids = instruction_ids_.at(computation);
    std::vector<HloInstruction*> order;
    absl::flat_hash_map<const HloInstruction*, int64_t> positions;
    for (int64_t id : sequence.instruction_ids()) {
      HloInstruction* instruction = ids.Find(id);
      if (instruction == nullptr) return InvalidArgument("no instruction has the id %d", id);
      positions.emplace(instruction, static_cast<int64_t>(order.size()));
      order.push_back(instruction);
    }
    XLA_RETURN_IF_ERROR(computation->SetInstructionOrder(order));
    for (const HloInstruction* instruction : order) {
      auto check = [&](const HloInstruction* earlier) -> absl::Status {
        if (positions.at(earlier) < positions.at(instruction)) return absl::OkStatus();
        return InvalidArgument("instruction %s comes before %s, on which it depends",
                               Quote(instruction->name()), Quote(earlier->name()));
      };
      for (const HloInstruction* operand : instruction->operands()) {
        XLA_RETURN_IF_ERROR(check(operand));
      }
      for (const HloInstruction* predecessor : instruction->control_predecessors()) {
        XLA_RETURN_IF_ERROR(check(predecessor));
      }
    }
    return absl::OkStatus();
  }

  const HloModuleProto& proto_;
  std::unique_ptr<HloModule> module_;
  IdMap<HloComputation> computation_ids_;
  std::vector<std::pair<const HloComputationProto*, HloComputation*>> computations_;
  absl::flat_hash_map<const HloComputation*, IdMap<HloInstruction>> instruction_ids_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> ReadModule(const HloModuleProto& proto, int depth) {
  return ModuleReader(proto).Read(depth);
}

}  // namespace xla::proto
