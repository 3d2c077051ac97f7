// SPDX-License-Identifier: Apache-2.0
// Attributes of the arguments and results of programs.
#include "xla/pjrt/entry_attributes.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/layout.h"
#include "xla/layout_util.h"
#include "xla/mlir/ir.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/stablehlo/sharding.h"

namespace xla::pjrt {
namespace {

using Value = EntryAttributes::Value;

absl::StatusOr<size_t> MemoryKind(std::string_view text) {
  const auto kind = std::find(std::begin(kMemoryKinds), std::end(kMemoryKinds), text);
  if (kind != std::end(kMemoryKinds)) return static_cast<size_t>(kind - std::begin(kMemoryKinds));
  return absl::InvalidArgumentError(absl::StrCat(
      "memory kind \"", std::string(text), "\"; known are ",
      absl::StrJoin(kMemoryKinds, ", ",
                    [](std::string* out, std::string_view known) { out->append(known); })));
}

// Parses "default", "auto", or the dimensions, minor ones first: "{1,0}". Tiles, after a colon, are
// not supported on this platform.
absl::StatusOr<std::vector<int64_t>> MinorToMajor(std::string text) {
  std::vector<int64_t> order;
  if (text == "default" || text == "auto" || text == "{}") return order;
  const auto error = [&] {
    return absl::InvalidArgumentError(absl::StrCat("the layout \"", text, "\" is not known"));
  };
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return error();
  const std::string numbers = text.substr(1, text.size() - 2);
  for (const absl::string_view part : absl::StrSplit(numbers, ',')) {
    if (!absl::SimpleAtoi(part, &order.emplace_back())) return error();
  }
  std::vector<int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) return error();
  }
  return order;
}

// Whether a sharding of Shardy leaves all dimensions to the partitioner.
bool IsOpen(const mlir::Attribute& sharding) {
  const auto* dialect = sharding.As<mlir::DialectAttribute>();
  if (dialect == nullptr || dialect->name != "sharding") return false;
  const auto parsed = stablehlo::ParseShardySharding(dialect->text);
  return parsed.ok() && parsed->replicated.empty() && parsed->unreduced.empty() &&
         std::all_of(parsed->dimensions.begin(), parsed->dimensions.end(),
                     [](const stablehlo::ShardyDimension& dimension) {
                       return !dimension.is_closed && dimension.axes.empty();
                     });
}

absl::Status ReadValues(mlir::AttributeRef attributes, std::vector<Value>& values) {
  const auto* array = attributes == nullptr ? nullptr : attributes->As<mlir::ArrayAttribute>();
  if (array == nullptr) return absl::OkStatus();
  for (const mlir::AttributeRef element : array->elements) {
    Value& value = values.emplace_back();
    const auto* entries = element->As<mlir::DictionaryAttribute>();
    if (entries == nullptr) continue;
    for (const auto& [name, attribute] : entries->entries) {
      if (name == "mhlo.sharding") value.states_sharding = true;
      if (name == "sdy.sharding") value.states_sharding = !IsOpen(*attribute);
      const auto* text = attribute->As<mlir::StringAttribute>();
      if (text == nullptr) continue;
      if (name == "mhlo.memory_kind") {
        XLA_ASSIGN_OR_RETURN(value.memory, MemoryKind(text->value));
      } else if (name == "mhlo.layout_mode") {
        XLA_ASSIGN_OR_RETURN(value.minor_to_major, MinorToMajor(std::string(text->value)));
        value.may_choose_layout = text->value == "auto";
      }
    }
  }
  return absl::OkStatus();
}

Value ValueOf(const Shape& leaf) {
  Value value;
  if (leaf.IsArray() && leaf.has_layout() &&
      leaf.layout().memory_space() == Layout::kHostMemorySpace) {
    value.memory = 1;
  }
  return value;
}

// Returns the results of the entry, without the tuple of several results.
std::vector<const HloInstruction*> ResultsOf(const HloModule& module) {
  const HloInstruction* root = module.entry_computation()->root_instruction();
  // The sharding of a single result may be stated by an element of a tuple of one.
  const bool is_element = root->opcode() == HloOpcode::kGetTupleElement &&
                          root->operand(0)->opcode() == HloOpcode::kTuple;
  if (is_element) root = root->operand(0)->operand(root->tuple_index());
  std::vector<const HloInstruction*> results = {root};
  if (root->opcode() == HloOpcode::kTuple) {
    results.assign(root->operands().begin(), root->operands().end());
  }
  return results;
}

}  // namespace

absl::StatusOr<EntryAttributes> ReadEntryAttributes(const mlir::Source& source) {
  EntryAttributes attributes;
  if (source.module->regions.empty() || source.module->regions[0].empty()) return attributes;
  for (const mlir::Operation& operation : *source.module->regions[0].first) {
    if (!operation.Is("func.func")) continue;
    const mlir::AttributeRef name = operation.Find("sym_name");
    const auto* text = name == nullptr ? nullptr : name->As<mlir::StringAttribute>();
    if (text == nullptr || text->value != "main") continue;
    XLA_RETURN_IF_ERROR(ReadValues(operation.Find("arg_attrs"), attributes.parameters));
    XLA_RETURN_IF_ERROR(ReadValues(operation.Find("res_attrs"), attributes.results));
  }
  return attributes;
}

EntryAttributes AttributesOfLayout(const ProgramShape& layout) {
  EntryAttributes attributes;
  for (const Shape& parameter : layout.parameters()) {
    ShapeUtil::ForEachLeafShape(parameter, [&](const Shape& leaf, const ShapeIndex&) {
      attributes.parameters.push_back(ValueOf(leaf));
    });
  }
  ShapeUtil::ForEachLeafShape(layout.result(), [&](const Shape& leaf, const ShapeIndex&) {
    attributes.results.push_back(ValueOf(leaf));
  });
  return attributes;
}

absl::Status TakeLayoutConstraints(HloModule* module, EntryAttributes& attributes) {
  constexpr std::string_view kConstraint = "LayoutConstraint";
  const std::vector<const HloInstruction*> results = ResultsOf(*module);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!spmd::IsCall(*results[i], kConstraint) || !results[i]->shape().has_layout()) continue;
    if (attributes.results.size() <= i) attributes.results.resize(i + 1);
    std::vector<int64_t>& layout = attributes.results[i].minor_to_major;
    const auto& stated = results[i]->shape().layout().minor_to_major();
    if (layout.empty()) layout.assign(stated.begin(), stated.end());
  }
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (!spmd::IsCall(*instruction, kConstraint) || instruction->operand_count() != 1 ||
          !ShapeUtil::Compatible(instruction->shape(), instruction->operand(0)->shape())) {
        continue;
      }
      XLA_RETURN_IF_ERROR(computation->ReplaceInstruction(instruction, instruction->operand(0)));
    }
  }
  return absl::OkStatus();
}

void ChooseLayouts(const HloModule& module, EntryAttributes& attributes) {
  const std::vector<const HloInstruction*> results = ResultsOf(module);
  for (size_t i = 0; i < results.size() && i < attributes.results.size(); ++i) {
    Value& value = attributes.results[i];
    if (!value.may_choose_layout || !value.minor_to_major.empty() ||
        results[i]->opcode() != HloOpcode::kTranspose) {
      continue;
    }
    // The operand is row-major, so that its last dimension is the minor one.
    const auto& dimensions = results[i]->dimensions();
    value.minor_to_major.resize(dimensions.size());
    for (size_t d = 0; d < dimensions.size(); ++d) {
      const size_t from_the_end = dimensions.size() - 1 - static_cast<size_t>(dimensions[d]);
      value.minor_to_major[from_the_end] = static_cast<int64_t>(d);
    }
  }
}

absl::Status SetLayouts(const std::vector<Value>& values, size_t first, Shape* shape) {
  LayoutUtil::SetToDefaultLayout(shape);
  size_t number = first;
  absl::Status status;
  ShapeUtil::ForEachMutableLeafShape(shape, [&](Shape* leaf, const ShapeIndex&) {
    const size_t i = number++;
    if (i >= values.size() || values[i].minor_to_major.empty() || !leaf->IsArray()) return;
    if (static_cast<int64_t>(values[i].minor_to_major.size()) != leaf->rank()) {
      status = absl::InvalidArgumentError(absl::StrCat(
          "a layout of ", values[i].minor_to_major.size(), " dimensions for ", leaf->ToString()));
      return;
    }
    *leaf->mutable_layout() = LayoutUtil::MakeLayout(values[i].minor_to_major);
  });
  return status;
}

}  // namespace xla::pjrt
