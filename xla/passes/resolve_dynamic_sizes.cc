// SPDX-License-Identifier: Apache-2.0
// ResolveDynamicSizes: rebuilds every computation with the static forms of values; single
// operations are resolved in dynamic_resolver*.cc.
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/sparse_kernel.h"
#include "xla/literal.h"
#include "xla/passes/dce.h"
#include "xla/passes/dynamic_resolver.h"
#include "xla/passes/dynamic_shapes.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Whether the operation works on sizes, whatever its operands.
bool ConcernsSizes(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kDynamicReshape:
    case HloOpcode::kGetDimensionSize:
    case HloOpcode::kSetDimensionSize:
      return true;
    case HloOpcode::kCustomCall:
      return instruction.custom_call_target().rfind("Dynamic", 0) == 0;
    default:
      return false;
  }
}

bool HasDynamicShapes(const HloComputation& computation) {
  for (const HloInstruction* instruction : computation.instructions()) {
    if (HasDynamicArray(instruction->shape()) || ConcernsSizes(*instruction)) return true;
  }
  return false;
}

bool HasDynamicShapes(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    if (HasDynamicShapes(*computation)) return true;
  }
  return false;
}

// Whether operands and results of the operation are whole trees of values.
bool IsStructural(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAddDependency:
    case HloOpcode::kAfterAll:
    case HloOpcode::kCall:
    case HloOpcode::kConditional:
    case HloOpcode::kDomain:
    case HloOpcode::kFusion:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kTuple:
    case HloOpcode::kWhile:
      return true;
    default:
      return false;
  }
}

// Whether the operation only states how its operand, an array, is divided.
bool IsSharding(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kCustomCall &&
         instruction.custom_call_target() == "Sharding" && instruction.operand_count() == 1 &&
         instruction.shape().IsArray() && instruction.operand(0)->shape().IsArray();
}

// Whether the operation handles sizes itself: it gets the static forms and keeps the original
// shapes.
bool TakesForms(const HloInstruction& instruction) {
  if (IsSharding(instruction)) return false;
  if (instruction.info().Has(op_traits::kCommunicates)) return true;
  switch (instruction.opcode()) {
    case HloOpcode::kInfeed:
    case HloOpcode::kOutfeed:
    case HloOpcode::kSend:
    case HloOpcode::kSendDone:
    case HloOpcode::kRecv:
    case HloOpcode::kRecvDone:
      return true;
    case HloOpcode::kCustomCall: {
      const std::string& target = instruction.custom_call_target();
      return target.rfind("Dynamic", 0) != 0 && target.rfind("xylem.", 0) != 0;
    }
    default:
      return false;
  }
}

// Converts the static form of a value of shape `from` to that of shape `to`, which may have other
// dynamic dimensions: sizes are dropped, or set to the bounds.
HloInstruction* ConvertForm(GraphBuilder& b, HloInstruction* form, const Shape& from,
                            const Shape& to) {
  if (StaticForm(from) == StaticForm(to)) return form;
  std::vector<HloInstruction*> parts;
  if (from.IsTuple()) {
    for (int i = 0; i < from.tuple_shapes_size(); ++i) {
      parts.push_back(ConvertForm(b, b.Element(form, i), from.tuple_shapes(i), to.tuple_shapes(i)));
    }
    return b.Tuple(parts);
  }
  parts.push_back(from.is_dynamic() ? b.Element(form, 0) : form);
  int64_t next = 1;
  for (int d = 0; d < from.rank(); ++d) {
    HloInstruction* const size = from.is_dynamic_dimension(d) ? b.Element(form, next++) : nullptr;
    if (!to.is_dynamic_dimension(d)) continue;
    parts.push_back(size != nullptr ? size
                                    : b.Scalar(S32, static_cast<double>(from.dimensions(d))));
  }
  return parts.size() == 1 ? parts[0] : b.Tuple(parts);
}

// Returns the shape of an operand that a structural operation expects.
const Shape& ExpectedOperandShape(const HloInstruction& instruction, int64_t i) {
  switch (instruction.opcode()) {
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
      return instruction.called_computations()[0]->parameter_instruction(i)->shape();
    case HloOpcode::kConditional:
      if (i == 0) break;
      return instruction.called_computations()[static_cast<size_t>(i - 1)]
          ->parameter_instruction(0)
          ->shape();
    case HloOpcode::kTuple:
      return instruction.shape().tuple_shapes(static_cast<int>(i));
    case HloOpcode::kAddDependency:
    case HloOpcode::kCopy:
    case HloOpcode::kDomain:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kWhile:
      if (i == 0) return instruction.shape();
      break;
    default:
      break;
  }
  return instruction.operand(i)->shape();
}

class ModuleRewriter {
 public:
  explicit ModuleRewriter(HloModule* module) : module_(module) {}

  absl::Status Run() {
    HloComputation* const entry = module_->entry_computation();
    roots_ = WidenDynamicShapes(module_);
    XLA_RETURN_IF_ERROR(RebuildApplied());
    XLA_ASSIGN_OR_RETURN(HloComputation* const rebuilt, Rebuild(entry));
    module_->set_entry_computation(rebuilt);
    XLA_RETURN_IF_ERROR(module_->RemoveUnusedComputations());
    module_->Cleanup();
    module_->config().set_entry_computation_layout(rebuilt->ComputeProgramShape());
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<HloComputation*> Rebuild(const HloComputation* computation);
  // Rebuilds computations that are applied to elements: these have no sizes, but the computations
  // may contain arrays that do.
  absl::Status RebuildApplied();

  HloModule* const module_;
  RootShapes roots_;
  absl::flat_hash_map<const HloComputation*, HloComputation*> rebuilt_;
  int depth_ = 0;

  friend class ComputationRewriter;
};

class ComputationRewriter {
 public:
  ComputationRewriter(ModuleRewriter& module, HloComputation* target)
      : module_(module), resolver_(module.module_, target), b_(resolver_.builder()) {}

  absl::Status Run(const HloComputation& source) {
    // Parameters are kept even if they are unused.
    for (const HloInstruction* parameter : source.parameter_instructions())
      XLA_RETURN_IF_ERROR(Visit(*parameter));
    for (const HloInstruction* instruction : source.MakeInstructionPostOrder()) {
      if (instruction->opcode() != HloOpcode::kParameter) XLA_RETURN_IF_ERROR(Visit(*instruction));
    }
    const HloInstruction* const root = source.root_instruction();
    b_.computation()->set_root_instruction(
        ConvertForm(b_, FormOf(root), root->shape(), module_.roots_.at(&source)));
    return absl::OkStatus();
  }

 private:
  // Returns the static form of a value.
  HloInstruction* FormOf(const HloInstruction* value) {
    const auto form = forms_.find(value);
    if (form != forms_.end()) return form->second;
    const SizedArray& array = arrays_.at(value);
    HloInstruction* made = array.array;
    if (HasDynamicArray(value->shape())) {
      std::vector<HloInstruction*> parts = {array.array};
      for (int d = 0; d < value->shape().rank(); ++d) {
        if (!value->shape().is_dynamic_dimension(d)) continue;
        HloInstruction* const size = array.size(d);
        parts.push_back(size != nullptr ? size
                                        : b_.Scalar(S32, static_cast<double>(array.bound(d))));
      }
      made = b_.Tuple(parts);
    }
    return forms_[value] = made;
  }

  // Returns the parts of the static form of an array.
  SizedArray ArrayOf(const Shape& shape, HloInstruction* form) {
    SizedArray array;
    array.sizes.resize(static_cast<size_t>(shape.rank()), nullptr);
    if (!shape.is_dynamic()) {
      array.array = form;
      return array;
    }
    array.array = b_.Element(form, 0);
    int64_t next = 1;
    for (int d = 0; d < shape.rank(); ++d) {
      if (shape.is_dynamic_dimension(d))
        array.sizes[static_cast<size_t>(d)] = b_.Element(form, next++);
    }
    return array;
  }

  void SetForm(const HloInstruction& value, HloInstruction* form) {
    forms_[&value] = form;
    if (value.shape().IsArray()) arrays_[&value] = ArrayOf(value.shape(), form);
  }

  void SetResults(const HloInstruction& value, std::vector<SizedArray> results) {
    if (value.shape().IsArray()) {
      arrays_[&value] = std::move(results[0]);
      return;
    }
    std::vector<HloInstruction*> elements;
    for (size_t i = 0; i < results.size(); ++i) {
      const Shape& shape = value.shape().tuple_shapes(static_cast<int>(i));
      std::vector<HloInstruction*> parts = {results[i].array};
      for (int d = 0; d < shape.rank(); ++d) {
        if (!shape.is_dynamic_dimension(d)) continue;
        HloInstruction* const size = results[i].size(d);
        parts.push_back(size != nullptr ? size
                                        : b_.Scalar(S32, static_cast<double>(results[i].bound(d))));
      }
      elements.push_back(parts.size() == 1 ? parts[0] : b_.Tuple(parts));
    }
    forms_[&value] = b_.Tuple(elements);
  }

  absl::Status Visit(const HloInstruction& instruction) {
    XLA_RETURN_IF_ERROR(VisitInstruction(instruction));
    // Control dependencies are those of the instruction that the form consists of.
    HloInstruction* const main = FormOf(&instruction);
    for (const HloInstruction* predecessor : instruction.control_predecessors()) {
      const auto form = forms_.find(predecessor);
      if (form == forms_.end() || form->second == main) continue;
      XLA_RETURN_IF_ERROR(form->second->AddControlDependencyTo(main));
    }
    return absl::OkStatus();
  }

  absl::Status VisitInstruction(const HloInstruction& instruction) {
    const Shape& shape = instruction.shape();
    switch (instruction.opcode()) {
      case HloOpcode::kParameter: {
        HloInstruction* const form = b_.Add(HloInstruction::CreateParameter(
            instruction.parameter_number(), StaticForm(shape), instruction.name()));
        // Its sharding describes the original shape.
        if (!HasDynamicArray(shape)) instruction.SetupDerivedInstruction(form);
        SetForm(instruction, form);
        return absl::OkStatus();
      }
      case HloOpcode::kConstant:
        return VisitConstant(instruction);
      default:
        break;
    }
    if (IsStructural(instruction.opcode()) || TakesForms(instruction) ||
        (instruction.opcode() == HloOpcode::kCopy && shape.IsTuple())) {
      return VisitForms(instruction);
    }
    if (instruction.opcode() == HloOpcode::kConvolution && HasSparseKernel(instruction)) {
      return absl::UnimplementedError(absl::StrCat(
          instruction.ToShortString(), ": dynamic sizes of convolutions with sparse kernels are ",
          "resolved after expand-sparse-convolutions"));
    }
    std::vector<SizedArray> operands;
    bool is_sized = HasDynamicArray(shape) || ConcernsSizes(instruction);
    for (const HloInstruction* operand : instruction.operands()) {
      const auto array = arrays_.find(operand);
      if (array == arrays_.end()) return VisitForms(instruction);
      operands.push_back(array->second);
      is_sized |= HasDynamicArray(operand->shape());
    }
    if (!is_sized) return VisitForms(instruction);
    XLA_ASSIGN_OR_RETURN(std::vector<SizedArray> results, ResolveArrays(instruction, operands));
    SetResults(instruction, std::move(results));
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<SizedArray>> ResolveArrays(const HloInstruction& instruction,
                                                        SizedArrays operands) {
    // An annotation is of the elements; its sizes are those of what it annotates.
    if (IsSharding(instruction)) {
      SizedArray annotated = operands[0];
      annotated.array =
          b_.Add(instruction.CloneWithNewOperands(operands[0].array->shape(), {operands[0].array}));
      return std::vector<SizedArray>{annotated};
    }
    XLA_ASSIGN_OR_RETURN(std::vector<SizedArray> results, resolver_.Resolve(instruction, operands));
    const bool is_operand = absl::c_any_of(
        operands, [&](const SizedArray& operand) { return operand.array == results[0].array; });
    if (instruction.shape().IsArray() && !is_operand)
      instruction.SetupDerivedInstruction(results[0].array);
    return results;
  }

  absl::Status VisitForms(const HloInstruction& instruction) {
    std::vector<HloInstruction*> operands;
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      const HloInstruction* const operand = instruction.operand(i);
      operands.push_back(
          ConvertForm(b_, FormOf(operand), operand->shape(), ExpectedOperandShape(instruction, i)));
    }
    std::unique_ptr<HloInstruction> clone =
        instruction.CloneWithNewOperands(StaticForm(instruction.shape()), operands);
    // The sharding described the original shape.
    if (HasDynamicArray(instruction.shape()) && clone->has_extras())
      clone->mutable_extras().sharding.reset();
    switch (instruction.opcode()) {
      case HloOpcode::kCall:
      case HloOpcode::kConditional:
      case HloOpcode::kFusion:
      case HloOpcode::kWhile:
        for (size_t i = 0; i < instruction.called_computations().size(); ++i) {
          XLA_ASSIGN_OR_RETURN(HloComputation* const callee,
                               module_.Rebuild(instruction.called_computations()[i]));
          clone->set_called_computation(static_cast<int64_t>(i), callee);
        }
        break;
      default:
        break;
    }
    // A tuple element may be declared with other dynamic dimensions than the tuple's.
    const bool is_element = instruction.opcode() == HloOpcode::kGetTupleElement;
    const Shape& shape = is_element ? instruction.operand(0)->shape().tuple_shapes(
                                          static_cast<int>(instruction.tuple_index()))
                                    : instruction.shape();
    if (is_element) *clone->mutable_shape() = StaticForm(shape);
    HloInstruction* const added =
        ConvertForm(b_, b_.Add(std::move(clone)), shape, instruction.shape());
    if (TakesForms(instruction)) KeepOriginalShapes(instruction, added);
    SetForm(instruction, added);
    return absl::OkStatus();
  }

  absl::Status VisitConstant(const HloInstruction& instruction) {
    const Shape& shape = instruction.shape();
    if (!shape.IsArray() || !shape.is_dynamic()) return VisitForms(instruction);
    const Literal& literal = instruction.literal();
    Shape bounds(shape.element_type(), shape.dimensions());
    XLA_ASSIGN_OR_RETURN(Literal elements, Literal::Make(bounds));
    Shape given(shape.element_type(), literal.shape().dimensions());
    if (literal.shape().has_layout()) *given.mutable_layout() = literal.shape().layout();
    const BorrowingLiteral borrowed(static_cast<const char*>(literal.untyped_data()), given);
    std::vector<int64_t> origin(static_cast<size_t>(shape.rank()), 0);
    XLA_RETURN_IF_ERROR(elements.CopySliceFrom(borrowed, origin, origin, given.dimensions()));
    SizedArray array;
    array.array = b_.Add(HloInstruction::CreateConstant(std::move(elements)));
    for (int d = 0; d < shape.rank(); ++d) {
      array.sizes.push_back(
          shape.is_dynamic_dimension(d) ? b_.Scalar(S32, literal.GetDynamicSize(d)) : nullptr);
    }
    arrays_[&instruction] = std::move(array);
    return absl::OkStatus();
  }

  ModuleRewriter& module_;
  DynamicResolver resolver_;
  GraphBuilder& b_;
  absl::flat_hash_map<const HloInstruction*, SizedArray> arrays_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> forms_;
};

absl::Status ModuleRewriter::RebuildApplied() {
  // Callees come first: finds out whether they, or their callees, have dynamic shapes.
  absl::flat_hash_map<const HloComputation*, bool> is_dynamic;
  for (HloComputation* computation : module_->MakeComputationPostOrder()) {
    bool has_dynamic = HasDynamicShapes(*computation);
    for (HloInstruction* instruction : computation->instructions()) {
      const auto& called = instruction->called_computations();
      const bool applies =
          !IsStructural(instruction->opcode()) && instruction->opcode() != HloOpcode::kCustomCall;
      for (size_t i = 0; i < called.size(); ++i) {
        if (!is_dynamic[called[i]]) continue;
        if (applies) {
          XLA_ASSIGN_OR_RETURN(HloComputation* const callee, Rebuild(called[i]));
          instruction->set_called_computation(static_cast<int64_t>(i), callee);
        } else {
          has_dynamic = true;
        }
      }
    }
    is_dynamic[computation] = has_dynamic;
  }
  return absl::OkStatus();
}

absl::StatusOr<HloComputation*> ModuleRewriter::Rebuild(const HloComputation* computation) {
  const auto found = rebuilt_.find(computation);
  if (found != rebuilt_.end()) return found->second;
  if (++depth_ > 500) return absl::ResourceExhaustedError("calls are nested too deeply");
  HloComputation* const target = module_->AddComputation(computation->name());
  XLA_RETURN_IF_ERROR(ComputationRewriter(*this, target).Run(*computation));
  --depth_;
  return rebuilt_[computation] = target;
}

}  // namespace

absl::StatusOr<bool> ResolveDynamicSizes(HloModule* module) {
  if (!HasDynamicShapes(*module)) return false;
  module->config().is_scheduled = false;
  XLA_RETURN_IF_ERROR(ModuleRewriter(module).Run());
  // Removes unused sizes: the root of a fusion must not have users.
  XLA_RETURN_IF_ERROR(EliminateDeadCode(module).status());
  return true;
}

}  // namespace xla
