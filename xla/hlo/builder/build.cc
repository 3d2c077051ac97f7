// SPDX-License-Identifier: Apache-2.0
// From builder to program: Build, sub-builders, constant subgraphs, aliases.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/ir/clone.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Whether the value is constant if the operands are; called computations are not considered.
bool MayBeConstant(const HloInstruction& instruction) {
  return !instruction.info().HasAny(op_traits::kSideEffect | op_traits::kDependsOnRun |
                                    op_traits::kNeverConstant);
}

// Looks through get-tuple-element of a tuple.
const HloInstruction* LookThrough(const HloInstruction* instruction) {
  while (instruction->opcode() == HloOpcode::kGetTupleElement &&
         instruction->operand(0)->opcode() == HloOpcode::kTuple) {
    instruction = instruction->operand(0)->operand(instruction->tuple_index());
  }
  return instruction;
}

}  // namespace

void XlaBuilder::State::Reset() {
  first_handle += static_cast<int64_t>(instructions.size());
  instructions.clear();
  parameter_numbers.clear();
  bound_parameters.clear();
  protos.clear();
  embedded.clear();
  aliases.clear();
  donors.clear();
  infeed_token = outfeed_token = XlaOp();
  module = std::make_unique<HloModule>(name);
  computation = module->AddComputation(name);
}

absl::StatusOr<const HloInstruction*> XlaBuilder::State::LastInstruction() const {
  XLA_RETURN_IF_ERROR(first_error);
  if (instructions.empty()) {
    return InvalidArgumentStrCat("Builder ", name, " has no operation to be the root.");
  }
  return instructions.back();
}

absl::StatusOr<ProgramShape> XlaBuilder::State::SignatureFor(const HloInstruction* root) const {
  ProgramShape signature;
  const auto& parameters = computation->parameter_instructions();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i] == nullptr) {
      return InvalidArgumentStrCat("The parameters of ", name,
                                   " have a gap: there is no parameter ", i, " of ",
                                   parameter_numbers.size(), ".");
    }
    signature.AddParameter(parameters[i]->shape(), parameters[i]->name());
  }
  *signature.mutable_result() = root->shape();
  return signature;
}

absl::StatusOr<ProgramShape> XlaBuilder::GetProgramShape() const {
  XLA_ASSIGN_OR_RETURN(const HloInstruction* root, state_->LastInstruction());
  return state_->SignatureFor(root);
}

absl::StatusOr<ProgramShape> XlaBuilder::GetProgramShape(XlaOp root) const {
  XLA_ASSIGN_OR_RETURN(const HloInstruction* instruction, state_->Find(root));
  return state_->SignatureFor(instruction);
}

absl::Status XlaBuilder::State::RemoveDynamicDimensions() {
  for (HloInstruction* instruction : instructions) {
    absl::Status status = ShapeUtil::ForEachMutableSubshapeWithStatus(
        instruction->mutable_shape(), [&](Shape* part, const ShapeIndex&) {
          if (part->IsArray() && part->is_unbounded_dynamic()) {
            return InvalidArgumentStrCat("Dimensions of ", instruction->ToShortString(),
                                         " have no bound to be made static at.");
          }
          if (part->IsArray()) {
            for (int i = 0; i < part->rank(); ++i) part->set_dynamic_dimension(i, false);
          }
          return absl::OkStatus();
        });
    XLA_RETURN_IF_ERROR(status);
  }
  return absl::OkStatus();
}

absl::Status XlaBuilder::State::SetAliases(const ProgramShape& signature,
                                           HloModuleConfig* config) const {
  const auto parameter_part = [&](int64_t number,
                                  const Int64s& index) -> absl::StatusOr<const Shape*> {
    if (number < 0 || number >= signature.parameters_size()) {
      return InvalidArgument("Invalid parameter number %d (total %d)", number,
                             signature.parameters_size());
    }
    const Shape& parameter = signature.parameters(static_cast<int>(number));
    if (!ShapeUtil::IndexIsValid(parameter, index)) {
      return InvalidArgumentStrCat("Invalid parameter ", number,
                                   " index: ", ShapeIndex(index).ToString(), " in ",
                                   ShapeUtil::HumanString(parameter));
    }
    return &ShapeUtil::GetSubshape(parameter, index);
  };
  for (size_t i = 0; i < aliases.size(); ++i) {
    const InputOutputAlias& alias = aliases[i];
    XLA_RETURN_IF_ERROR(parameter_part(alias.parameter_number, alias.parameter_index).status());
    const std::string output = ShapeIndex(alias.output_index).ToString();
    if (!ShapeUtil::IndexIsValid(signature.result(), alias.output_index)) {
      return InvalidArgumentStrCat("Trying to set up alias at ", output,
                                   " which is an invalid index for shape ",
                                   ShapeUtil::HumanString(signature.result()));
    }
    for (size_t j = 0; j < i; ++j) {
      if (aliases[j].output_index == alias.output_index) {
        return InvalidArgumentStrCat("Output index ", output, " already has an alias setup");
      }
    }
  }
  for (const BufferDonor& donor : donors) {
    XLA_RETURN_IF_ERROR(parameter_part(donor.parameter_number, donor.parameter_index).status());
    for (const InputOutputAlias& alias : aliases) {
      if (alias.parameter_number == donor.parameter_number &&
          alias.parameter_index == donor.parameter_index) {
        return InvalidArgumentStrCat(
            "Parameter ", donor.parameter_number, " index ",
            ShapeIndex(donor.parameter_index).ToString(),
            " is already aliased with one output, thus it cannot be added as a buffer donor for "
            "any output.");
      }
    }
  }
  config->input_output_alias = aliases;
  config->buffer_donor = donors;
  return absl::OkStatus();
}

absl::StatusOr<XlaComputation> XlaBuilder::State::Build(HloInstruction* root,
                                                        bool remove_dynamic_dimensions) {
  XLA_RETURN_IF_ERROR(TakeEdits());
  if (remove_dynamic_dimensions) XLA_RETURN_IF_ERROR(RemoveDynamicDimensions());
  XLA_ASSIGN_OR_RETURN(ProgramShape signature, SignatureFor(root));
  XLA_RETURN_IF_ERROR(SetAliases(signature, &module->config()));
  computation->set_root_instruction(root);
  module->set_entry_computation(computation);
  module->config().set_entry_computation_layout(std::move(signature));

  auto data = std::make_shared<XlaComputation::Data>();
  {
    absl::MutexLock lock(&data->mutex);
    data->name = name;
    data->unique_id = XlaComputation::Data::NextId();
    for (const auto& [token, copy] : embedded) data->tokens.emplace(copy, token);
    data->module = std::shared_ptr<const HloModule>(std::move(module));
  }
  Reset();
  return XlaComputation(std::move(data));
}

absl::StatusOr<XlaComputation> XlaBuilder::Build(bool remove_dynamic_dimensions) {
  XLA_RETURN_IF_ERROR(state_->LastInstruction().status());
  return state_->Build(state_->instructions.back(), remove_dynamic_dimensions);
}

absl::StatusOr<XlaComputation> XlaBuilder::Build(XlaOp root, bool remove_dynamic_dimensions) {
  if (root.builder_ != this) {
    return InvalidArgument("Given root operation is not in this computation.");
  }
  XLA_ASSIGN_OR_RETURN(HloInstruction * instruction, state_->Find(root));
  return state_->Build(instruction, remove_dynamic_dimensions);
}

absl::StatusOr<XlaComputation> XlaBuilder::Build(XlaComputationId entry) {
  return state_->Resolve(entry);
}

XlaComputation XlaBuilder::BuildAndNoteError() {
  absl::StatusOr<XlaComputation> built = Build();
  if (built.ok()) return *std::move(built);
  if (state_->parent != nullptr) {
    state_->parent->ReportError(AddContext(built.status(), absl::StrCat("error from: ", name())));
  }
  return XlaComputation();
}

// --- Sub-builders

std::unique_ptr<XlaBuilder> XlaBuilder::CreateSubBuilder(const std::string& computation_name) {
  auto sub_builder = std::make_unique<XlaBuilder>(computation_name);
  sub_builder->state_->parent = this;
  sub_builder->state_->shared_computations = state_->shared_computations;
  sub_builder->state_->die_immediately_on_error = state_->die_immediately_on_error;
  return sub_builder;
}

absl::StatusOr<XlaComputationId> XlaBuilder::BuildSubComputation(std::optional<XlaOp> root,
                                                                 bool remove_dynamic_dimensions) {
  if (state_->parent == nullptr) {
    return InvalidArgumentStrCat("BuildSubComputation of ", name(),
                                 ", which is not a sub-builder.");
  }
  absl::StatusOr<XlaComputation> built =
      root.has_value() ? Build(*root, remove_dynamic_dimensions) : Build(remove_dynamic_dimensions);
  XLA_RETURN_IF_ERROR(built.status());
  return AddSubComputation(*built);
}

XlaComputationId XlaBuilder::AddSubComputation(const XlaComputation& computation) {
  if (!state_->first_error.ok() || computation.IsNull()) return XlaComputationId();
  std::vector<XlaComputation>& shared = *state_->shared_computations;
  shared.push_back(computation);
  return XlaComputationId(&shared, static_cast<int64_t>(shared.size()) - 1);
}

// --- Constants

absl::StatusOr<bool> XlaBuilder::IsConstant(XlaOp operand) const {
  XLA_ASSIGN_OR_RETURN(const HloInstruction* root, state_->Find(operand));
  std::vector<const HloInstruction*> pending = {LookThrough(root)};
  absl::flat_hash_set<const HloInstruction*> seen = {pending[0]};
  while (!pending.empty()) {
    const HloInstruction* instruction = pending.back();
    pending.pop_back();
    // Sizes count as constant: they have bounds.
    if (instruction->opcode() == HloOpcode::kGetDimensionSize) continue;
    if (!MayBeConstant(*instruction)) return false;
    for (const HloInstruction* operand : instruction->operands()) {
      const HloInstruction* next = LookThrough(operand);
      if (seen.insert(next).second) pending.push_back(next);
    }
  }
  return true;
}

absl::StatusOr<XlaComputation> XlaBuilder::BuildConstantSubGraph(
    XlaOp root_op, bool dynamic_dimension_is_minus_one) {
  XLA_RETURN_IF_ERROR(state_->TakeEdits());
  XLA_ASSIGN_OR_RETURN(const bool is_constant, IsConstant(root_op));
  XLA_ASSIGN_OR_RETURN(const HloInstruction* root, state_->Find(root_op));
  if (!is_constant) {
    return InvalidArgumentStrCat(
        "BuildConstantSubGraph: ", root->ToShortString(),
        " is not a compile-time constant: it depends on a parameter or an effect.");
  }
  root = LookThrough(root);
  absl::flat_hash_set<const HloInstruction*> needed = {root};
  absl::flat_hash_set<const HloComputation*> called;
  std::vector<const HloInstruction*> pending = {root};
  while (!pending.empty()) {
    const HloInstruction* instruction = pending.back();
    pending.pop_back();
    if (instruction->opcode() == HloOpcode::kGetDimensionSize) continue;
    called.insert(instruction->called_computations().begin(),
                  instruction->called_computations().end());
    for (const HloInstruction* operand : instruction->operands()) {
      operand = LookThrough(operand);
      if (needed.insert(operand).second) pending.push_back(operand);
    }
  }

  // The builder's module lists callees before callers.
  auto program = std::make_unique<HloModule>(absl::StrCat(name(), "_compute_constant"));
  HloComputation* entry = program->AddComputation(program->name());
  CloneMap map;
  const std::vector<HloComputation*> computations = state_->module->computations();
  for (auto it = computations.rbegin(); it != computations.rend(); ++it) {
    if (!called.contains(*it)) continue;
    for (const HloInstruction* instruction : (*it)->instructions()) {
      called.insert(instruction->called_computations().begin(),
                    instruction->called_computations().end());
    }
  }
  for (const HloComputation* computation : computations) {
    if (called.contains(computation)) CloneComputation(*computation, program.get(), &map);
  }

  for (const HloInstruction* instruction : state_->instructions) {
    if (!needed.contains(instruction)) continue;
    if (instruction->opcode() == HloOpcode::kGetDimensionSize) {
      const int dimension = static_cast<int>(instruction->dimensions()[0]);
      const Shape& shape = instruction->operand(0)->shape();
      const bool unknown = shape.is_dynamic_dimension(dimension) && dynamic_dimension_is_minus_one;
      const int32_t size = unknown ? -1 : static_cast<int32_t>(shape.dimensions(dimension));
      map.instructions[instruction] = entry->AddInstruction(
          HloInstruction::CreateConstant(LiteralUtil::CreateR0<int32_t>(size)));
      continue;
    }
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* operand : instruction->operands()) {
      operands.push_back(map.Find(LookThrough(operand)));
    }
    entry->AddInstruction(CloneInstruction(*instruction, instruction->shape(), operands, &map));
  }
  entry->set_root_instruction(map.Find(root));
  program->set_entry_computation(entry);
  program->SetDefaultEntryLayout();

  auto data = std::make_shared<XlaComputation::Data>();
  absl::MutexLock lock(&data->mutex);
  data->name = program->name();
  data->unique_id = XlaComputation::Data::NextId();
  data->module = std::shared_ptr<const HloModule>(std::move(program));
  return XlaComputation(data);
}

}  // namespace xla
