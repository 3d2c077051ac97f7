// SPDX-License-Identifier: Apache-2.0
// Edits of programs that the two directions of sdy_round_trip.h share.
#ifndef XLA_STABLEHLO_SDY_EDITOR_H_
#define XLA_STABLEHLO_SDY_EDITOR_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/string_view.h"
#include "xla/mlir/source.h"
#include "xla/stablehlo/syntax.h"

namespace xla::stablehlo {

inline constexpr char kFrontendAttributes[] = "mhlo.frontend_attributes";
inline constexpr char kRoundTripPrefix[] = "xla.sdy.";
inline constexpr char kManualBody[] = "xla.sdy.manual_computation_body";

// The names of Shardy's attributes of operations, which frontend attributes hold under another.
struct RoundTripName {
  std::string_view shardy, frontend;
};
inline constexpr RoundTripName kRoundTripNames[] = {
    {"sdy.sharding", "xla.sdy.sharding"},
    {"sdy.sharding_rule", "xla.sdy.sharding_rule"},
    {"sdy.propagation_edges", "xla.sdy.propagation_edges"},
    {"sdy.result_propagation_edges", "xla.sdy.result_propagation_edges"},
    {"sdy.block_arg_propagation_edges", "xla.sdy.block_arg_propagation_edges"},
};

class ShardyEditor {
 public:
  explicit ShardyEditor(mlir::Source* source) : source_(*source) {}

  mlir::Context& context() { return source_.context; }
  mlir::Operation& module() { return *source_.module; }
  // The body of the module; null if it has no region.
  mlir::Block* functions() {
    if (module().regions.empty()) return nullptr;
    mlir::Region& region = module().regions[0];
    if (region.empty()) region.Append(context().lasting_arena().New<mlir::Block>());
    return region.first;
  }

  mlir::Operation* New(std::string_view name, absl::Span<mlir::Value* const> operands,
                       absl::Span<const mlir::TypeRef> results,
                       absl::Span<const mlir::NamedAttribute> attributes,
                       mlir::AttributeRef location) {
    mlir::Arena& arena = context().lasting_arena();
    auto* operation = arena.New<mlir::Operation>();
    operation->name = source_.Name(name, AllDialects());
    SetOperands(operation, operands);
    operation->results = arena.NewArray<mlir::Value>(results.size());
    for (size_t i = 0; i < results.size(); ++i) {
      operation->results[i].type = results[i];
      operation->results[i].operation = operation;
      operation->results[i].index = static_cast<uint32_t>(i);
    }
    SetAttributes(operation, attributes);
    operation->location = location;
    return operation;
  }

  void SetName(mlir::Operation* operation, std::string_view name) {
    operation->name = source_.Name(name, AllDialects());
  }
  void SetAttributes(mlir::Operation* operation,
                     absl::Span<const mlir::NamedAttribute> attributes) {
    operation->attributes = context().lasting_arena().Copy(attributes);
  }
  void SetOperands(mlir::Operation* operation, absl::Span<mlir::Value* const> operands) {
    operation->operands = context().lasting_arena().NewArray<mlir::Value*>(operands.size());
    for (size_t i = 0; i < operands.size(); ++i) operation->operands[i] = operands[i];
  }
  // Gives the regions of one operation to another.
  static void MoveRegions(mlir::Operation* from, mlir::Operation* to) {
    to->regions = from->regions;
    for (mlir::Region& region : to->regions) region.parent = to;
    from->regions = {};
  }
  static void InsertBefore(mlir::Operation* place, mlir::Operation* operation) {
    mlir::Block& block = *place->block;
    operation->block = &block;
    operation->previous = place->previous;
    operation->next = place;
    (place->previous == nullptr ? block.first : place->previous->next) = operation;
    place->previous = operation;
  }

  static std::vector<mlir::Value*> ValuesOf(absl::Span<mlir::Value> values) {
    std::vector<mlir::Value*> pointers;
    for (mlir::Value& value : values) pointers.push_back(&value);
    return pointers;
  }

  // The frontend attributes of an operation, or in a dictionary of an argument.
  static std::vector<mlir::NamedAttribute> FrontendOf(
      absl::Span<const mlir::NamedAttribute> attributes) {
    const mlir::AttributeRef value = mlir::FindAttribute(attributes, kFrontendAttributes);
    const auto* dictionary = value == nullptr ? nullptr : value->As<mlir::DictionaryAttribute>();
    if (dictionary == nullptr) return {};
    return {dictionary->entries.begin(), dictionary->entries.end()};
  }
  // Those attributes with other frontend attributes; without, if there are none.
  std::vector<mlir::NamedAttribute> WithFrontend(absl::Span<const mlir::NamedAttribute> attributes,
                                                 absl::Span<const mlir::NamedAttribute> frontend) {
    std::vector<mlir::NamedAttribute> result;
    for (const mlir::NamedAttribute& attribute : attributes) {
      if (attribute.name != kFrontendAttributes) result.push_back(attribute);
    }
    if (!frontend.empty()) {
      result.push_back({kFrontendAttributes, context().Dictionary(frontend)});
    }
    return result;
  }

 private:
  mlir::Source& source_;
};

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_SDY_EDITOR_H_
