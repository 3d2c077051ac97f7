// SPDX-License-Identifier: Apache-2.0
// Turns operations into instructions: infers the shape, sets the defaults for new operations,
// copies called computations into the program.
#include <deque>
#include <map>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/ir/clone.h"
#include "xla/hlo/proto/extras_proto.h"
#include "xla/hlo/shape_inference/shape_inference.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla {

absl::StatusOr<XlaOp> XlaBuilder::State::Add(HloOpcode opcode, absl::Span<const XlaOp> operands,
                                             Attributes attributes, const Shape* declared,
                                             absl::Span<const XlaComputationRef> callees) {
  absl::InlinedVector<HloInstruction*, 4> operand_instructions;
  absl::InlinedVector<const Shape*, 4> operand_shapes;
  for (size_t i = 0; i < operands.size(); ++i) {
    absl::StatusOr<HloInstruction*> operand = Find(operands[i]);
    if (!operand.ok()) {
      if (!first_error.ok()) return first_error;
      return AddContext(operand.status(), absl::StrCat("operand ", i));
    }
    operand_instructions.push_back(*operand);
    operand_shapes.push_back(&(*operand)->shape());
  }
  std::deque<ProgramShape> signatures;
  std::vector<const ProgramShape*> signature_pointers;
  for (const XlaComputationRef& callee : callees) {
    XLA_ASSIGN_OR_RETURN(ProgramShape signature, SignatureOf(callee));
    signatures.push_back(std::move(signature));
    signature_pointers.push_back(&signatures.back());
  }
  if (attributes.index() == 0) attributes = MakeDefaultAttributes(opcode);
  XLA_ASSIGN_OR_RETURN(Shape shape, InferShape({.opcode = opcode,
                                                .operands = operand_shapes,
                                                .attributes = attributes,
                                                .callees = signature_pointers,
                                                .declared = declared}));
  shape = WithLayouts(std::move(shape));

  std::vector<HloComputation*> called;
  for (const XlaComputationRef& callee : callees) {
    XLA_ASSIGN_OR_RETURN(HloComputation * copy, Embed(callee));
    called.push_back(copy);
  }
  std::unique_ptr<HloInstruction> instruction = HloInstruction::Create(
      opcode, std::move(shape), operand_instructions, std::move(attributes), called);
  XLA_RETURN_IF_ERROR(Decorate(instruction.get()));
  return Adopt(std::move(instruction));
}

Shape XlaBuilder::State::WithLayouts(Shape shape) {
  ShapeUtil::ForEachMutableSubshape(&shape, [](Shape* part, const ShapeIndex&) {
    if (part->IsArray() && !part->has_layout()) LayoutUtil::SetToDefaultLayout(part);
  });
  return shape;
}

absl::StatusOr<XlaOp> XlaBuilder::State::AddConstant(Literal literal) {
  XLA_RETURN_IF_ERROR(first_error);
  std::unique_ptr<HloInstruction> instruction = HloInstruction::CreateConstant(std::move(literal));
  XLA_RETURN_IF_ERROR(Decorate(instruction.get()));
  return Adopt(std::move(instruction));
}

absl::StatusOr<XlaOp> XlaBuilder::State::AddToken() { return Add(HloOpcode::kAfterAll, {}); }

absl::Status XlaBuilder::State::Decorate(HloInstruction* instruction) {
  if (one_shot_metadata.has_value()) {
    instruction->set_metadata(
        InstructionMetadata::FromProto(*std::exchange(one_shot_metadata, std::nullopt)));
  } else if (metadata.ByteSizeLong() > 0) {
    instruction->set_metadata(InstructionMetadata::FromProto(metadata));
  }
  if (original_value.has_value()) {
    // The proto reader builds the tree from the leaves.
    HloInstructionProto proto;
    *proto.mutable_original_value() = *original_value;
    XLA_RETURN_IF_ERROR(proto::ReadExtras(proto, HloModuleProto(), instruction));
  }
  if (sharding.has_value()) {
    XLA_ASSIGN_OR_RETURN(HloSharding parsed, HloSharding::FromProto(*sharding));
    parsed = parsed.NormalizeTupleSharding(instruction->shape());
    XLA_RETURN_IF_ERROR(parsed.Validate(instruction->shape()));
    instruction->mutable_extras().sharding = std::move(parsed);
  }
  if (!frontend_attributes.map().empty()) {
    auto& attributes = instruction->mutable_extras().frontend_attributes;
    for (const auto& [key, value] : frontend_attributes.map()) attributes[key] = value;
  }
  return absl::OkStatus();
}

// As XLA's builder names instructions: by the last part of op_name, with '_' for '.'.
static void NameByMetadata(HloInstruction* instruction) {
  const std::string& op_name = instruction->metadata().op_name();
  if (op_name.empty() || !instruction->name().empty()) return;
  std::string name = op_name.substr(op_name.rfind('/') + 1);
  absl::c_replace(name, '.', '_');
  if (!name.empty()) instruction->SetName(SanitizeHloName(name));
}

XlaOp XlaBuilder::State::Adopt(std::unique_ptr<HloInstruction> instruction) {
  NameByMetadata(instruction.get());
  instructions.push_back(computation->AddInstruction(std::move(instruction)));
  return XlaOp(self, first_handle + static_cast<int64_t>(instructions.size()) - 1);
}

// --- Computations that are called

absl::StatusOr<XlaComputation> XlaBuilder::State::Resolve(const XlaComputationRef& ref) const {
  XLA_RETURN_IF_ERROR(first_error);
  if (ref.computation_ != nullptr) {
    if (ref.computation_->IsNull()) return InvalidArgument("A computation to call is null.");
    return *ref.computation_;
  }
  const XlaComputationId id = ref.id_;
  const bool known = id.tree_ == shared_computations.get() && id.handle_ >= 0 &&
                     id.handle_ < static_cast<int64_t>(shared_computations->size());
  if (!known) {
    return InvalidArgumentStrCat("Builder ", name, " has no computation with id ", id.handle_, ".");
  }
  return (*shared_computations)[id.handle_];
}

absl::StatusOr<ProgramShape> XlaBuilder::State::SignatureOf(const XlaComputationRef& ref) const {
  XLA_ASSIGN_OR_RETURN(const XlaComputation callee, Resolve(ref));
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<const HloModule> program, callee.module());
  return program->entry_computation()->ComputeProgramShape();
}

absl::StatusOr<HloComputation*> XlaBuilder::State::Embed(const XlaComputationRef& ref) {
  XLA_ASSIGN_OR_RETURN(const XlaComputation callee, Resolve(ref));
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<const HloModule> program, callee.module());
  const HloComputation* entry = program->entry_computation();
  const auto known = embedded.find(callee.data_->TokenOf(entry));
  if (known != embedded.end()) return known->second;

  // What the entry reaches, callees before callers.
  XLA_ASSIGN_OR_RETURN(const std::vector<HloComputation*> order, program->ComputationPostOrder());
  absl::flat_hash_set<const HloComputation*> needed = {entry};
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if (!needed.contains(*it)) continue;
    for (const HloInstruction* instruction : (*it)->instructions()) {
      needed.insert(instruction->called_computations().begin(),
                    instruction->called_computations().end());
    }
  }
  CloneMap map;
  for (const HloComputation* source : order) {
    if (!needed.contains(source)) continue;
    HloComputation*& copy = embedded[callee.data_->TokenOf(source)];
    if (copy == nullptr) {
      copy = CloneComputation(*source, module.get(), &map);
    } else {
      map.computations[source] = copy;
    }
  }
  return map.Find(entry);
}

}  // namespace xla
