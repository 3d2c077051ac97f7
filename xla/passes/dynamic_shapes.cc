// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/dynamic_shapes.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr char kAttributePrefix[] = "_xylem_dynamic_";
constexpr char kResultAttribute[] = "_xylem_dynamic_result";
constexpr char kOperandAttribute[] = "_xylem_dynamic_operand_";

// Depth first: '(' begins a tuple, '.' is a leaf, "<0,2>" an array with these dynamic dimensions.
void Encode(const Shape& shape, std::string& text) {
  if (shape.IsTuple()) {
    text += '(';
    for (const Shape& element : shape.tuple_shapes()) Encode(element, text);
    return;
  }
  if (!shape.IsArray() || !shape.is_dynamic()) {
    text += '.';
    return;
  }
  std::vector<std::string> dimensions;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d)) dimensions.push_back(absl::StrCat(d));
  }
  absl::StrAppend(&text, "<", absl::StrJoin(dimensions, ","), ">");
}

Shape Decode(const Shape& form, absl::string_view& text) {
  const char kind = text.empty() ? '.' : text.front();
  text.remove_prefix(text.empty() ? 0 : 1);
  if (kind == '.' || !form.IsTuple()) return form;
  if (kind == '(') {
    std::vector<Shape> elements;
    for (const Shape& element : form.tuple_shapes()) elements.push_back(Decode(element, text));
    return ShapeUtil::MakeTupleShape(elements);
  }
  if (form.tuple_shapes().empty()) return form;
  Shape array = form.tuple_shapes(0);
  const size_t end = text.find('>');
  for (const absl::string_view digits : absl::StrSplit(text.substr(0, end), ',')) {
    int dimension = 0;
    if (absl::SimpleAtoi(digits, &dimension) && array.IsArray() && dimension >= 0 &&
        dimension < array.rank()) {
      array.set_dynamic_dimension(dimension, true);
    }
  }
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return array;
}

Shape DecodeFrom(const HloInstruction& instruction, const std::string& attribute,
                 const Shape& form) {
  if (!instruction.has_extras()) return form;
  const auto& attributes = instruction.extras().frontend_attributes;
  const auto found = attributes.find(attribute);
  if (found == attributes.end()) return form;
  absl::string_view text = found->second;
  return Decode(form, text);
}

}  // namespace

bool HasDynamicArray(const Shape& shape) {
  if (shape.IsArray()) return shape.is_dynamic();
  if (!shape.IsTuple()) return false;
  for (const Shape& element : shape.tuple_shapes()) {
    if (HasDynamicArray(element)) return true;
  }
  return false;
}

Shape StaticForm(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(StaticForm(element));
    return ShapeUtil::MakeTupleShape(elements);
  }
  if (!shape.IsArray() || !shape.is_dynamic()) return shape;
  std::vector<Shape> parts = {Shape(shape.element_type(), shape.dimensions())};
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d)) parts.emplace_back(S32, std::vector<int64_t>());
  }
  return ShapeUtil::MakeTupleShape(parts);
}

Shape OriginalShape(const HloInstruction& instruction) {
  return DecodeFrom(instruction, kResultAttribute, instruction.shape());
}

Shape OriginalOperandShape(const HloInstruction& instruction, int64_t operand) {
  return DecodeFrom(instruction, absl::StrCat(kOperandAttribute, operand),
                    instruction.operand(operand)->shape());
}

absl::StatusOr<bool> ForgetOriginalShapes(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (!instruction->has_extras()) continue;
      auto& attributes = instruction->mutable_extras().frontend_attributes;
      changed |= std::erase_if(attributes, [](const auto& attribute) {
                   return absl::StartsWith(attribute.first, kAttributePrefix);
                 }) > 0;
    }
  }
  return changed;
}

void KeepOriginalShapes(const HloInstruction& original, HloInstruction* instruction) {
  if (HasDynamicArray(original.shape())) {
    Encode(original.shape(), instruction->mutable_extras().frontend_attributes[kResultAttribute]);
  }
  for (int64_t i = 0; i < original.operand_count(); ++i) {
    if (!HasDynamicArray(original.operand(i)->shape())) continue;
    Encode(original.operand(i)->shape(),
           instruction->mutable_extras().frontend_attributes[absl::StrCat(kOperandAttribute, i)]);
  }
}

}  // namespace xla
