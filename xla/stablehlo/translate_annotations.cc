// SPDX-License-Identifier: Apache-2.0
// What operations, arguments and results carry besides their own attributes: shardings, frontend
// attributes, locations.
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/hlo/ir/sharding_attributes.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/sharding.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::LocationAttribute;
using mlir::Operation;

// The first file that a location names: of the callee, not of its callers. Locations may share
// others, and so have exponentially many parts; looks at `*left` of them.
const LocationAttribute* FindFile(const LocationAttribute* location, int depth, int* left) {
  using Form = LocationAttribute::Form;
  if (location == nullptr || depth == 0 || (*left)-- <= 0) return nullptr;
  if (location->form == Form::kFile) return location;
  const size_t count = location->form == Form::kCallSite ? 1 : location->children.size();
  for (size_t i = 0; i < count && i < location->children.size(); ++i) {
    const auto* child = location->children[i]->As<LocationAttribute>();
    if (const LocationAttribute* file = FindFile(child, depth - 1, left)) return file;
  }
  return nullptr;
}

InstructionMetadata MetadataOf(const LocationAttribute* location) {
  using Form = LocationAttribute::Form;
  constexpr int kMaxDepth = 64;
  InstructionMetadata metadata;
  const LocationAttribute* at = location;
  for (int depth = 0; depth < kMaxDepth && at != nullptr; ++depth) {
    if (at->form == Form::kName) {
      metadata.set_op_name(std::string(at->text));
      break;
    }
    if (at->children.empty() || at->form == Form::kFused) break;
    at = at->children[0]->As<LocationAttribute>();
  }
  int left = 1000;
  if (const LocationAttribute* file = FindFile(location, kMaxDepth, &left)) {
    metadata.set_source_file(std::string(file->text));
    const auto number = [](int64_t value) { return static_cast<int32_t>(value); };
    metadata.set_source_line(number(file->line));
    metadata.set_source_column(number(file->column));
    metadata.set_source_end_line(number(file->is_range() ? file->end_line : file->line));
    metadata.set_source_end_column(number(file->is_range() ? file->end_column : file->column));
  }
  return metadata;
}

bool IsProjection(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kGetTupleElement;
}

// A loop also carries what its regions see of the values around it. These are divided as they are.
HloSharding WithCaptures(const Operation& operation, const HloSharding& sharding,
                         const HloInstruction& loop) {
  if (loop.opcode() != HloOpcode::kWhile || !loop.shape().IsTuple() ||
      loop.operand(0)->opcode() != HloOpcode::kTuple) {
    return sharding;
  }
  const size_t stated = operation.results.size();
  std::vector<HloSharding> elements = sharding.tuple_elements();
  if (!sharding.IsTuple()) elements = {sharding};
  if (elements.size() != stated) return sharding;
  for (size_t i = stated; i < loop.shape().tuple_shapes().size(); ++i) {
    const HloInstruction* captured = loop.operand(0)->operand(static_cast<int64_t>(i));
    if (captured->shape().IsTuple()) return sharding;
    elements.push_back(captured->has_sharding() ? captured->sharding() : HloSharding::Replicate());
  }
  return HloSharding::Tuple(std::move(elements));
}

// The shardings of results that have an instruction each: each its own.
void AnnotateEach(const Translator& translator, const Operation& operation,
                  const HloSharding& sharding, absl::Span<HloInstruction* const> emitted) {
  for (size_t i = 0; i < operation.results.size(); ++i) {
    HloInstruction* result = translator.Get(&operation.results[i]);
    if (!absl::c_linear_search(emitted, result)) continue;  // a value of another operation
    result->mutable_extras().sharding =
        sharding.tuple_elements()[i].NormalizeTupleSharding(result->shape());
  }
}

// In HLO the results of branches and bodies have the sharding of what the instruction gives. Where
// the program states another one of the value that is returned, a copy is returned.
void SeparateRoots(const HloInstruction& instruction) {
  const HloInstruction* known = instruction.has_sharding() ? &instruction : nullptr;
  for (HloComputation* computation : instruction.called_computations()) {
    if (instruction.opcode() == HloOpcode::kWhile && computation != instruction.while_body()) {
      continue;
    }
    HloInstruction* root = computation->root_instruction();
    if (!root->has_sharding()) continue;
    if (known == nullptr) known = root;
    if (known->sharding() == root->sharding()) continue;
    HloInstruction* copy = computation->AddInstruction(
        HloInstruction::Create(HloOpcode::kCopy, root->shape(), {root}, NoAttributes{}));
    computation->set_root_instruction(copy);
  }
}

}  // namespace

absl::Status Translator::ReadFrontendAttributes(const Operation& operation,
                                                const mlir::Attribute& attribute,
                                                std::map<std::string, std::string>* result) {
  const auto* dictionary = attribute.As<mlir::DictionaryAttribute>();
  if (dictionary == nullptr) {
    return Error(operation, "mhlo.frontend_attributes must be a dictionary");
  }
  for (const auto& [name, value] : dictionary->entries) {
    XLA_ASSIGN_OR_RETURN((*result)[std::string(name)], OwnText(operation, value));
  }
  return absl::OkStatus();
}

absl::Status Translator::Annotate(const Operation& operation,
                                  absl::Span<const mlir::NamedAttribute> attributes,
                                  absl::Span<HloInstruction* const> instructions) {
  for (const auto& [name, value] : attributes) {
    if (name == "mhlo.sharding" || name == "sdy.sharding") {
      XLA_ASSIGN_OR_RETURN(const HloSharding sharding, Sharding(operation, value));
      for (size_t i = instructions.size(); i-- > 0;) {
        if (IsProjection(*instructions[i])) continue;
        if (operation.results.size() > 1 && !instructions[i]->shape().IsTuple() &&
            sharding.IsTuple() && sharding.tuple_elements().size() == operation.results.size()) {
          AnnotateEach(*this, operation, sharding, instructions);
          break;
        }
        instructions[i]->mutable_extras().sharding =
            WithCaptures(operation, sharding, *instructions[i])
                .NormalizeTupleSharding(instructions[i]->shape());
        break;
      }
    } else if (name == "sdy.sharding_rule") {
      // As Shardy's export: under the name that its import reads.
      for (HloInstruction* instruction : instructions) {
        if (IsProjection(*instruction)) continue;
        XLA_ASSIGN_OR_RETURN(
            instruction->mutable_extras().frontend_attributes[kShardingRuleAttribute],
            OwnText(operation, value));
      }
    } else if (name == "mhlo.frontend_attributes") {
      // What is said of the result itself is said of the last one.
      bool is_last = true;
      for (size_t i = instructions.size(); i-- > 0;) {
        if (IsProjection(*instructions[i])) continue;
        auto& facts = instructions[i]->mutable_extras().frontend_attributes;
        XLA_RETURN_IF_ERROR(ReadFrontendAttributes(operation, *value, &facts));
        if (!is_last) facts.erase("xla.sdy.sharding");
        is_last = false;
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Translator::AnnotateEmitted(const Operation& operation, size_t first) {
  const absl::Span<HloInstruction* const> emitted = absl::MakeConstSpan(emitted_).subspan(first);
  XLA_RETURN_IF_ERROR(Annotate(operation, operation.attributes, emitted));
  for (const HloInstruction* instruction : emitted) {
    if (instruction->opcode() == HloOpcode::kConditional ||
        instruction->opcode() == HloOpcode::kWhile) {
      SeparateRoots(*instruction);
    }
  }
  const auto* location =
      operation.location == nullptr ? nullptr : operation.location->As<LocationAttribute>();
  if (location == nullptr || location->form == LocationAttribute::Form::kUnknown) {
    return absl::OkStatus();
  }
  return SetMetadata(operation, MetadataOf(location), emitted);
}

absl::Status Translator::SetMetadata(const Operation& operation,
                                     const InstructionMetadata& metadata,
                                     absl::Span<HloInstruction* const> instructions) {
  if (metadata.IsEmpty()) return absl::OkStatus();
  const size_t bytes = metadata.op_name().size() + metadata.source_file().size();
  XLA_RETURN_IF_ERROR(CountText(operation, bytes * instructions.size()));
  for (HloInstruction* instruction : instructions) instruction->set_metadata(metadata);
  return absl::OkStatus();
}

absl::Status Translator::AnnotateArguments(const Operation& function,
                                           const HloComputation& computation) {
  if (!function.regions.empty() && !function.regions[0].empty()) {
    const absl::Span<const AttributeRef> locations = function.regions[0].first->argument_locations;
    const auto known = static_cast<int64_t>(locations.size());
    for (int64_t i = 0; i < std::min(known, computation.num_parameters()); ++i) {
      const AttributeRef location = locations[static_cast<size_t>(i)];
      if (location == nullptr || location->As<LocationAttribute>() == nullptr) continue;
      InstructionMetadata metadata = MetadataOf(location->As<LocationAttribute>());
      if (metadata.IsEmpty()) continue;
      XLA_RETURN_IF_ERROR(
          CountText(function, metadata.op_name().size() + metadata.source_file().size()));
      computation.parameter_instruction(i)->set_metadata(std::move(metadata));
    }
  }
  const AttributeRef attribute = function.Find("arg_attrs");
  const auto* array = attribute == nullptr ? nullptr : attribute->As<mlir::ArrayAttribute>();
  if (array == nullptr) return absl::OkStatus();
  const auto count = static_cast<size_t>(computation.num_parameters());
  for (size_t i = 0; i < array->elements.size() && i < count; ++i) {
    const auto* entries = array->elements[i]->As<mlir::DictionaryAttribute>();
    if (entries == nullptr) return Error(function, "arg_attrs must be dictionaries");
    HloInstruction* parameter = computation.parameter_instruction(static_cast<int64_t>(i));
    XLA_RETURN_IF_ERROR(Annotate(function, entries->entries, {parameter}));
  }
  return absl::OkStatus();
}

// A sharding is that of the result, not of what computes it: of the tuple of all results, or, for a
// single one, of the element of a tuple of one.
absl::Status Translator::AnnotateResults(const Operation& function,
                                         std::vector<HloInstruction*>* returned,
                                         BoxedOptional<HloSharding>* tuple_sharding) {
  const AttributeRef attribute = function.Find("res_attrs");
  const auto* array = attribute == nullptr ? nullptr : attribute->As<mlir::ArrayAttribute>();
  if (array == nullptr) return absl::OkStatus();
  std::vector<HloSharding> elements;
  bool any = false;
  for (size_t i = 0; i < returned->size(); ++i) {
    const auto* entries =
        i < array->elements.size() ? array->elements[i]->As<mlir::DictionaryAttribute>() : nullptr;
    AttributeRef sharding = nullptr;
    if (entries != nullptr) {
      sharding = mlir::FindAttribute(entries->entries, "mhlo.sharding");
      if (sharding == nullptr) sharding = mlir::FindAttribute(entries->entries, "sdy.sharding");
    }
    elements.push_back(keeps_axes() ? HloSharding::Unknown() : HloSharding::Replicate());
    if (sharding == nullptr) continue;
    any = true;
    XLA_ASSIGN_OR_RETURN(elements.back(), Sharding(function, sharding));
  }
  if (!any) return absl::OkStatus();
  if (returned->size() > 1) {
    *tuple_sharding = HloSharding::Tuple(std::move(elements));
    return absl::OkStatus();
  }
  HloInstruction*& result = (*returned)[0];
  const Shape tuple_shape = ShapeUtil::MakeTupleShape({result->shape()});
  result = Element(Emit(HloOpcode::kTuple, tuple_shape, {result}), 0);
  result->mutable_extras().sharding = std::move(elements[0]);
  return absl::OkStatus();
}

}  // namespace xla::stablehlo
