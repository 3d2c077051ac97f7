// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/entry_layouts.h"

#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/movement/bitcast.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/xla_data.pb.h"

namespace xla::cpu {
namespace {

// Returns the dimensions from major to minor in the layout; empty if that is the order of the
// dimensions.
std::vector<int64_t> OrderOf(const Shape& shape) {
  std::vector<int64_t> order;
  if (!shape.IsArray() || !shape.has_layout() || shape.is_dynamic()) return order;
  const auto minor_to_major = shape.layout().minor_to_major();
  order.assign(minor_to_major.rbegin(), minor_to_major.rend());
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int64_t>(i)) return order;
  }
  return {};
}

Shape Permuted(const Shape& shape, const std::vector<int64_t>& order) {
  std::vector<int64_t> dimensions;
  for (const int64_t d : order) dimensions.push_back(shape.dimensions(static_cast<int>(d)));
  return Shape(shape.element_type(), dimensions);
}

std::vector<int64_t> Inverse(const std::vector<int64_t>& order) {
  std::vector<int64_t> inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  return inverse;
}

HloInstruction* Transpose(HloComputation* computation, HloInstruction* operand, const Shape& shape,
                          std::vector<int64_t> dimensions) {
  return computation->AddInstruction(HloInstruction::Create(
      HloOpcode::kTranspose, shape, {operand}, DimensionListAttributes{std::move(dimensions)}));
}

bool IsDense(const Shape& shape) {
  if (!shape.has_layout()) return true;
  const Layout& layout = shape.layout();
  const int64_t bits = layout.element_size_in_bits();
  return !layout.has_padding() && layout.tiles_size() == 0 &&
         (bits == 0 || bits == int64_t{8} * primitive_util::ByteWidth(shape.element_type()));
}

// Returns the text of the program shape, with the default layout for shapes that have none.
std::string WithDefaults(ProgramShape program) {
  const auto set = [](Shape* shape) {
    ShapeUtil::ForEachMutableSubshape(shape, [](Shape* part, const ShapeIndex&) {
      if (part->IsArray() && !part->has_layout()) LayoutUtil::SetToDefaultLayout(part);
    });
  };
  std::string text;
  for (int i = 0; i < program.parameters_size(); ++i) {
    set(program.mutable_parameters(i));
    absl::StrAppend(&text, program.parameters(i).ToString(/*print_layout=*/true), ", ");
  }
  set(program.mutable_result());
  return absl::StrCat(text, "-> ", program.result().ToString(/*print_layout=*/true));
}

}  // namespace

NormalizedLayouts LayoutsToNormalize(const HloModule& module) {
  const HloComputation& entry = *module.entry_computation();
  const HloInstruction& root = *entry.root_instruction();
  NormalizedLayouts normalized;
  normalized.parameters.assign(static_cast<size_t>(entry.num_parameters()), false);
  normalized.results.assign(root.shape().IsTuple() ? root.shape().tuple_shapes().size() : 1, false);
  if (!module.config().has_entry_computation_layout()) return normalized;
  const ProgramShape& layout = module.entry_computation_layout();
  for (size_t i = 0; i < normalized.parameters.size(); ++i)
    normalized.parameters[i] = !OrderOf(layout.parameters(static_cast<int>(i))).empty();
  const Shape& result = layout.result();
  if (result.IsArray()) {
    normalized.results[0] = !OrderOf(result).empty();
  } else if (root.opcode() == HloOpcode::kTuple) {
    for (size_t i = 0; i < normalized.results.size(); ++i)
      normalized.results[i] = !OrderOf(result.tuple_shapes(static_cast<int>(i))).empty();
  }
  return normalized;
}

absl::StatusOr<bool> NormalizeEntryLayouts(HloModule* module) {
  HloComputation* const entry = module->entry_computation();
  if (!module->config().has_entry_computation_layout()) return false;
  const NormalizedLayouts normalized = LayoutsToNormalize(*module);
  const ProgramShape layout = module->entry_computation_layout();
  for (int64_t i = 0; i < entry->num_parameters(); ++i) {
    if (!normalized.parameters[static_cast<size_t>(i)]) continue;
    HloInstruction* const parameter = entry->parameter_instruction(i);
    const Shape& shape = layout.parameters(static_cast<int>(i));
    const std::vector<int64_t> order = OrderOf(shape);
    const Shape logical(shape.element_type(), shape.dimensions());
    HloInstruction* const transpose = Transpose(entry, parameter, logical, Inverse(order));
    const HloInstruction::InstructionVector users(parameter->users());
    for (HloInstruction* user : users) {
      if (user == transpose) continue;
      XLA_RETURN_IF_ERROR(parameter->ReplaceUseWith(user, transpose));
    }
    if (entry->root_instruction() == parameter) entry->set_root_instruction(transpose);
    *parameter->mutable_shape() = Permuted(shape, order);
  }
  HloInstruction* const root = entry->root_instruction();
  const auto permuted = [&](HloInstruction* value, const Shape& shape) {
    const std::vector<int64_t> order = OrderOf(shape);
    return Transpose(entry, value, Permuted(shape, order), order);
  };
  if (layout.result().IsArray()) {
    if (normalized.results[0]) entry->set_root_instruction(permuted(root, layout.result()));
  } else if (absl::c_linear_search(normalized.results, true)) {
    std::vector<HloInstruction*> elements;
    std::vector<Shape> shapes;
    for (int64_t i = 0; i < root->operand_count(); ++i) {
      HloInstruction* element = root->operand(i);
      if (normalized.results[static_cast<size_t>(i)])
        element = permuted(element, layout.result().tuple_shapes(static_cast<int>(i)));
      elements.push_back(element);
      shapes.push_back(element->shape());
    }
    Shape tuple = ShapeUtil::MakeTupleShape(shapes);
    entry->set_root_instruction(entry->AddInstruction(
        HloInstruction::Create(HloOpcode::kTuple, std::move(tuple), elements)));
  }
  module->config().set_entry_computation_layout(entry->ComputeProgramShape());
  return WithDefaults(module->entry_computation_layout()) != WithDefaults(layout);
}

absl::StatusOr<Shape> BitcastResult(const HloInstruction& call) {
  // Abseil changed the signature of its function for this in 2024.
  const std::string& digits = call.raw_backend_config_string();
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    bytes.push_back(static_cast<char>(byte));
  }
  ShapeProto proto;
  if (!proto.ParseFromString(bytes)) return absl::InternalError("a bitcast has no shape");
  return Shape::FromProto(proto);
}

absl::StatusOr<bool> ExpandBitcasts(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* bitcast : computation->instructions()) {
      if (bitcast->opcode() != HloOpcode::kBitcast || !bitcast->shape().IsArray()) continue;
      HloInstruction* value = bitcast->operand(0);
      const Shape from = value->shape(), to = bitcast->shape();
      const bool moves_elements = from.element_type() == to.element_type() &&
                                  primitive_util::BitWidth(from.element_type()) >= 8 &&
                                  IsDense(from) && IsDense(to);
      if (!moves_elements && !kernels::IsPlainBitcast(from, to)) {
        CustomCallAttributes attributes;
        attributes.custom_call_target = kBitcastTarget;
        Shape constraint = from;
        if (!constraint.has_layout()) LayoutUtil::SetToDefaultLayout(&constraint);
        attributes.operand_layout_constraints = {std::move(constraint)};
        std::unique_ptr<HloInstruction> call = HloInstruction::Create(
            HloOpcode::kCustomCall, Shape(to.element_type(), to.dimensions()), {value},
            std::move(attributes));
        call->set_raw_backend_config_string(
            absl::BytesToHexString(to.ToProto().SerializeAsString()));
        XLA_RETURN_IF_ERROR(
            computation->ReplaceWithNewInstruction(bitcast, std::move(call)).status());
        changed = true;
        continue;
      }
      const std::vector<int64_t> from_order = OrderOf(from), to_order = OrderOf(to);
      if (from_order.empty() && to_order.empty()) continue;
      if (!from_order.empty()) {
        value = Transpose(computation, value, Permuted(from, from_order), from_order);
      }
      const Shape logical(to.element_type(), to.dimensions());
      const Shape physical = to_order.empty() ? logical : Permuted(to, to_order);
      if (value->shape().dimensions() != physical.dimensions()) {
        value = computation->AddInstruction(
            HloInstruction::Create(HloOpcode::kReshape, physical, {value}));
      }
      if (!to_order.empty()) value = Transpose(computation, value, logical, Inverse(to_order));
      XLA_RETURN_IF_ERROR(computation->ReplaceInstruction(bitcast, value));
      changed = true;
    }
  }
  module->Cleanup();
  return changed;
}

}  // namespace xla::cpu
