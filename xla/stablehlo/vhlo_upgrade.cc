// SPDX-License-Identifier: Apache-2.0
// What the operations of VHLO stand for.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/stablehlo/syntax.h"
#include "xla/stablehlo/vhlo.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::NamedAttribute;
using mlir::Operation;

// Attributes that become one, with the same names as parameters.
struct Group {
  std::string_view operation;  // all versions
  std::string_view attribute;
  std::string_view kind;  // #stablehlo.kind
  absl::Span<const std::string_view> parameters;
};

constexpr std::string_view kConvolution[] = {
    "input_batch_dimension",           "input_feature_dimension",
    "input_spatial_dimensions",        "kernel_input_feature_dimension",
    "kernel_output_feature_dimension", "kernel_spatial_dimensions",
    "output_batch_dimension",          "output_feature_dimension",
    "output_spatial_dimensions"};
constexpr std::string_view kDot[] = {"lhs_batching_dimensions", "rhs_batching_dimensions",
                                     "lhs_contracting_dimensions", "rhs_contracting_dimensions"};
constexpr std::string_view kAlgorithm[] = {
    "lhs_precision_type",          "rhs_precision_type",  "accumulation_type",
    "lhs_component_count",         "rhs_component_count", "num_primitive_operations",
    "allow_imprecise_accumulation"};
constexpr std::string_view kGather[] = {"offset_dims",           "collapsed_slice_dims",
                                        "operand_batching_dims", "start_indices_batching_dims",
                                        "start_index_map",       "index_vector_dim"};
constexpr std::string_view kScatter[] = {
    "update_window_dims",           "inserted_window_dims",
    "input_batching_dims",          "scatter_indices_batching_dims",
    "scatter_dims_to_operand_dims", "index_vector_dim"};

constexpr Group kGroups[] = {
    {"convolution", "dimension_numbers", "conv", kConvolution},
    {"dynamic_conv", "dimension_numbers", "conv", kConvolution},
    {"dot_general", "dot_dimension_numbers", "dot", kDot},
    {"dot_general", "algorithm", "dot_algorithm", kAlgorithm},
    {"gather", "dimension_numbers", "gather", kGather},
    {"dynamic_gather", "dimension_numbers", "gather", kGather},
    {"scatter", "scatter_dimension_numbers", "scatter", kScatter},
};

// Attributes of the type array<i64: ..> in StableHLO, tensors in VHLO.
constexpr std::string_view kI64Arrays[] = {"base_dilations",
                                           "broadcast_dimensions",
                                           "broadcast_sizes",
                                           "dimensions",
                                           "edge_padding_high",
                                           "edge_padding_low",
                                           "fft_length",
                                           "interior_padding",
                                           "known_expanding_dimensions",
                                           "lhs_dilation",
                                           "known_nonexpanding_dimensions",
                                           "limit_indices",
                                           "permutation",
                                           "rhs_dilation",
                                           "slice_sizes",
                                           "start_indices",
                                           "strides",
                                           "window_dilations",
                                           "window_dimensions",
                                           "window_strides"};

template <typename Range>
bool Contains(const Range& range, std::string_view name) {
  return std::find(std::begin(range), std::end(range), name) != std::end(range);
}

bool IsEmpty(AttributeRef value) {
  if (const auto* array = value->As<mlir::ArrayAttribute>()) return array->elements.empty();
  if (const auto* entries = value->As<mlir::DictionaryAttribute>()) return entries->entries.empty();
  if (const auto* string = value->As<mlir::StringAttribute>()) return string->value.empty();
  if (const auto* dense = value->As<mlir::DenseAttribute>()) return dense->data.empty();
  if (const auto* dense = value->As<mlir::DenseArrayAttribute>()) return dense->count == 0;
  return false;
}

bool IsFalse(AttributeRef value) {
  const auto* integer = value->As<mlir::IntegerAttribute>();
  return integer != nullptr && integer->IsBool() && integer->value == 0;
}

bool IsInteger(AttributeRef value, int64_t expected) {
  const auto* integer = value->As<mlir::IntegerAttribute>();
  return integer != nullptr && integer->value == expected;
}

bool IsKeyword(AttributeRef value, std::string_view keyword) {
  const auto* attribute = value->As<mlir::DialectAttribute>();
  return attribute != nullptr && attribute->text == keyword;
}

bool AreKeywords(AttributeRef value, std::string_view keyword) {
  const auto* array = value->As<mlir::ArrayAttribute>();
  if (array == nullptr) return false;
  for (const AttributeRef element : array->elements) {
    if (!IsKeyword(element, keyword)) return false;
  }
  return true;
}

// All elements are `expected`, and there are some.
bool IsFilledWith(AttributeRef value, int64_t expected) {
  const auto* dense = value->As<mlir::DenseAttribute>();
  if (dense == nullptr || dense->data.empty()) return false;
  const int64_t count = dense->is_splat ? 1 : mlir::NumElements(*dense->type);
  for (int64_t i = 0; i < count; ++i) {
    if (mlir::DenseInteger(*dense->type->element, dense->data, i) != expected) return false;
  }
  return true;
}

bool IsDefaultAccuracy(AttributeRef value) {
  const auto* accuracy = value->As<mlir::DialectAttribute>();
  if (accuracy == nullptr) return false;
  const AttributeRef mode = mlir::FindAttribute(accuracy->parameters, "mode");
  return mode != nullptr && IsKeyword(mode, "DEFAULT");
}

bool IsNone(AttributeRef value) {
  const auto* type = value->As<mlir::TypeAttribute>();
  return type != nullptr && type->type->kind == mlir::TypeKind::kNone;
}

// Of the names in groups: dimensions and maps are lists, all others are one value.
bool IsListName(std::string_view name) {
  return absl::EndsWith(View(name), "dims") || absl::EndsWith(View(name), "dimensions") ||
         absl::EndsWith(View(name), "map");
}

bool IsParameter(const NamedAttribute& parameter) {
  if (IsListName(parameter.name)) {
    const auto* list = parameter.value->As<mlir::DenseArrayAttribute>();
    return list != nullptr && list->element->IsInteger(64);
  }
  return parameter.value->As<mlir::IntegerAttribute>() != nullptr ||
         parameter.value->As<mlir::TypeAttribute>() != nullptr;
}

// Whether StableHLO leaves the attribute away: it has its default value.
bool IsDefault(std::string_view operation, std::string_view name, AttributeRef value) {
  if (name == "use_global_device_ids" || name == "has_dynamic_root" || name == "has_side_effect" ||
      name == "indices_are_sorted" || name == "unique_indices" || name == "is_host_transfer" ||
      name == "is_stable") {
    return IsFalse(value);
  }
  if (operation == "func") return name != "sym_name" && IsEmpty(value);
  if (name == "lower" && operation == "cholesky") return IsFalse(value);
  if (name == "channel_id")
    return operation != "send" && operation != "recv" && IsInteger(value, 0);
  if (name == "compare_type") return IsKeyword(value, "NOTYPE");
  if (name == "version" && operation == "composite") return IsInteger(value, 0);
  if (name == "api_version") return IsKeyword(value, "API_VERSION_ORIGINAL");
  if (name == "precision_config") return AreKeywords(value, "DEFAULT");
  if (name == "result_accuracy") return IsDefaultAccuracy(value);
  if (name == "dimension" && operation == "sort") return IsInteger(value, -1);
  if (name == "window_strides" || name == "base_dilations" || name == "window_dilations" ||
      name == "lhs_dilation" || name == "rhs_dilation") {
    return IsFilledWith(value, 1);
  }
  if (name == "padding" || name == "window_reversal") return IsFilledWith(value, 0);
  if (name == "window_dimensions" && operation == "select_and_scatter") {
    return IsFilledWith(value, 1);
  }
  for (const std::string_view optional :
       {"composite_attributes", "backend_config", "called_computations", "output_operand_aliases",
        "result_tilings", "known_expanding_dimensions", "known_nonexpanding_dimensions",
        "infeed_config", "layout", "outfeed_config", "source_target_pairs"}) {
    if (name == optional) return IsEmpty(value) && operation != "collective_permute";
  }
  return false;
}

class Upgrader {
 public:
  explicit Upgrader(mlir::Source* source) : source_(*source), context_(source->context) {}

  absl::Status Upgrade(Operation& operation) {
    for (mlir::Region& region : operation.regions) {
      for (mlir::Block* block = region.first; block != nullptr; block = block->next) {
        for (Operation& inner : *block) XLA_RETURN_IF_ERROR(Upgrade(inner));
      }
    }
    const mlir::OperationName* const name = operation.name;
    if (name->text.substr(0, 5) != "vhlo.") return absl::OkStatus();
    const auto [known, is_new] = names_.try_emplace(name);
    if (is_new) {
      if (FindVhloOperation(name->text.substr(5)) == nullptr) {
        return absl::InvalidArgumentError(absl::StrCat(source_.name, ": ", View(name->text),
                                                       " is not an operation of VHLO 1.20.0"));
      }
      known->second.base = name->text.substr(5, name->text.rfind("_v") - 5);
    }
    UpgradedName& upgraded = known->second;
    XLA_ASSIGN_OR_RETURN(operation.attributes, UpgradeAttributes(operation, upgraded.base));
    if (upgraded.base == "return" || upgraded.name == nullptr) {
      upgraded.name = source_.Name(NewName(operation, upgraded.base), AllDialects());
    }
    operation.name = upgraded.name;
    return absl::OkStatus();
  }

 private:
  struct UpgradedName {
    std::string_view base;                      // without dialect and version
    const mlir::OperationName* name = nullptr;  // null if it is not known yet
  };
  using Attributes = absl::Span<const NamedAttribute>;

  // Operations of bytecode share lists of attributes: each is upgraded once.
  absl::StatusOr<Attributes> UpgradeAttributes(const Operation& operation, std::string_view base) {
    if (operation.attributes.empty()) return UpgradeList(operation.attributes, base);
    const auto key = std::make_pair(operation.attributes.data(), operation.name);
    const auto known = lists_.find(key);
    if (known != lists_.end() && known->second.first == operation.attributes.size()) {
      return known->second.second;
    }
    XLA_ASSIGN_OR_RETURN(const Attributes result, UpgradeList(operation.attributes, base));
    lists_[key] = {operation.attributes.size(), result};
    return result;
  }

  absl::StatusOr<Attributes> UpgradeList(Attributes list, std::string_view base) {
    std::vector<NamedAttribute> attributes(list.begin(), list.end());
    std::vector<NamedAttribute> result;
    const auto take = [&](std::string_view name) -> AttributeRef {
      for (size_t i = 0; i < attributes.size(); ++i) {
        if (attributes[i].name != name) continue;
        const AttributeRef value = attributes[i].value;
        attributes.erase(attributes.begin() + static_cast<ptrdiff_t>(i));
        return value;
      }
      return nullptr;
    };
    for (const Group& group : kGroups) {
      if (group.operation != base) continue;
      std::vector<NamedAttribute> parameters;
      bool is_none = true;
      for (const std::string_view name : group.parameters) {
        const AttributeRef value = take(name);
        if (value == nullptr) continue;  // of a later version
        is_none = is_none && IsNone(value);
        parameters.push_back({name, AsI64Array(value)});
      }
      if (is_none) continue;
      for (const NamedAttribute& parameter : parameters) {
        if (IsParameter(parameter)) continue;
        return absl::InvalidArgumentError(absl::StrCat(
            source_.name, ": vhlo.", View(base), ": the value of ", View(parameter.name),
            " is not ",
            IsListName(parameter.name) ? "a list of 64-bit integers" : "one number or type"));
      }
      result.push_back(
          {group.attribute, context_.DialectOf("stablehlo", group.kind, {}, parameters)});
    }
    if (base == "send" || base == "recv") {
      const AttributeRef id = take("channel_id");
      const AttributeRef type = take("channel_type");
      if (id != nullptr && type != nullptr) result.push_back({"channel_handle", Channel(id, type)});
    }
    if (base == "dynamic_conv") take("padding");  // of version 1: the operand tells
    if (base == "custom_call") DropEmptyLayouts(attributes);
    for (const NamedAttribute& attribute : attributes) {
      if (IsDefault(base, attribute.name, attribute.value)) continue;
      result.push_back(UpgradeAttribute(base, attribute));
    }
    return context_.arena().Copy(result);
  }

  static void DropEmptyLayouts(std::vector<NamedAttribute>& attributes) {
    const AttributeRef operands = mlir::FindAttribute(attributes, "operand_layouts");
    const AttributeRef results = mlir::FindAttribute(attributes, "result_layouts");
    if (operands == nullptr || results == nullptr || !IsEmpty(operands) || !IsEmpty(results)) {
      return;
    }
    attributes.erase(std::remove_if(attributes.begin(), attributes.end(),
                                    [](const NamedAttribute& attribute) {
                                      return attribute.name == "operand_layouts" ||
                                             attribute.name == "result_layouts";
                                    }),
                     attributes.end());
  }

  std::string NewName(const Operation& operation, std::string_view base) const {
    if (base == "func" || base == "call") return absl::StrCat("func.", View(base));
    if (base == "return") {
      const Operation* parent = operation.block->region->parent;
      const bool in_function =
          parent != nullptr && (parent->Is("func.func") || parent->Is("vhlo.func_v1"));
      return in_function ? "func.return" : "stablehlo.return";
    }
    return absl::StrCat("stablehlo.", View(base));
  }

  AttributeRef Channel(AttributeRef id, AttributeRef type) {
    const NamedAttribute parameters[] = {{"handle", id}, {"type", type}};
    return context_.DialectOf("stablehlo", "channel_handle", {}, parameters);
  }

  AttributeRef Symbol(AttributeRef value) {
    const auto* string = value->As<mlir::StringAttribute>();
    return string == nullptr ? value : context_.Symbol(string->value);
  }

  // Of #stablehlo.replica_group_mesh_axes, the mesh, which may be inlined, too.
  AttributeRef SymbolOfMesh(AttributeRef groups) {
    const auto* structure = groups->As<mlir::DialectAttribute>();
    if (structure == nullptr || structure->name != "replica_group_mesh_axes") return groups;
    std::vector<NamedAttribute> parameters(structure->parameters.begin(),
                                           structure->parameters.end());
    for (NamedAttribute& parameter : parameters) {
      if (parameter.name == "mesh") parameter.value = Symbol(parameter.value);
    }
    return context_.DialectOf("stablehlo", structure->name, {}, parameters);
  }

  NamedAttribute UpgradeAttribute(std::string_view base, const NamedAttribute& attribute) {
    const auto& [name, value] = attribute;
    if (name == "channel_id") {
      return {"channel_handle", Channel(value, context_.IntegerOf(context_.Integer(64), 0))};
    }
    if (name == "use_global_device_ids" || name == "has_dynamic_root") {
      return {name, context_.Unit()};
    }
    if (name == "callee" || name == "decomposition") return {name, Symbol(value)};
    if (name == "replica_groups") return {name, SymbolOfMesh(value)};
    if (name == "called_computations") {
      const auto* array = value->As<mlir::ArrayAttribute>();
      if (array == nullptr) return attribute;
      std::vector<AttributeRef> symbols;
      for (const AttributeRef element : array->elements) symbols.push_back(Symbol(element));
      return {name, context_.Array(symbols)};
    }
    // The sizes of a dynamic gather are an operand; those of the others are attributes.
    if (Contains(kI64Arrays, name) && base != "dynamic_gather") return {name, AsI64Array(value)};
    if (name == "window_reversal") return {name, AsBoolArray(value)};
    return attribute;
  }

  AttributeRef AsI64Array(AttributeRef value) {
    const auto* dense = value->As<mlir::DenseAttribute>();
    if (dense == nullptr || dense->type->sizes.size() != 1 ||
        !dense->type->element->IsInteger(64)) {
      return value;
    }
    std::vector<int64_t> values(static_cast<size_t>(Bounded(*dense)));
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t index = dense->is_splat ? 0 : static_cast<int64_t>(i);
      values[i] = mlir::DenseInteger(*dense->type->element, dense->data, index);
    }
    return context_.I64Array(values);
  }

  AttributeRef AsBoolArray(AttributeRef value) {
    const auto* dense = value->As<mlir::DenseAttribute>();
    if (dense == nullptr || !dense->type->element->IsInteger(1)) return value;
    const absl::Span<bool> flags =
        context_.arena().NewArray<bool>(static_cast<size_t>(Bounded(*dense)));
    for (size_t i = 0; i < flags.size(); ++i) flags[i] = dense->data[dense->is_splat ? 0 : i] != 0;
    return context_.BoolArray(flags);
  }

  // A splat may state any size: lists of dimensions have a few entries.
  static int64_t Bounded(const mlir::DenseAttribute& dense) {
    constexpr int64_t kMaxEntries = 1 << 16;
    return std::min(mlir::NumElements(*dense.type), kMaxEntries);
  }

  mlir::Source& source_;
  mlir::Context& context_;
  absl::flat_hash_map<const mlir::OperationName*, UpgradedName> names_;
  // By the address of a list and the name of its operation; with the number of its attributes.
  absl::flat_hash_map<std::pair<const NamedAttribute*, const mlir::OperationName*>,
                      std::pair<size_t, Attributes>>
      lists_;
};

// Artifacts with operations of other dialects cast between VHLO's types and those. What both types
// stand for is one type here: these casts go.
class CastRemover {
 public:
  void Run(const Operation& module) {
    Find(module);
    if (!sources_.empty()) Replace(module);
  }

 private:
  static bool IsCast(const Operation& operation) {
    return operation.Is("builtin.unrealized_conversion_cast") && operation.operands.size() == 1 &&
           operation.results.size() == 1 &&
           operation.operands[0]->type == operation.results[0].type;
  }

  template <typename Function>
  static void ForEach(const Operation& operation, Function function) {
    for (const mlir::Region& region : operation.regions) {
      for (mlir::Block* block = region.first; block != nullptr; block = block->next) {
        for (Operation* inner = block->first; inner != nullptr;) {
          Operation* next = inner->next;
          function(*block, *inner);
          inner = next;
        }
      }
    }
  }

  // A cast of what is defined later stays, so that no source is one that goes.
  void Find(const Operation& operation) {
    ForEach(operation, [this](const mlir::Block&, const Operation& inner) {
      if (IsCast(inner)) {
        mlir::Value* source = inner.operands[0];
        const auto known = sources_.find(source);
        if (known != sources_.end()) {
          sources_[&inner.results[0]] = known->second;
        } else if (source->operation == nullptr || !IsCast(*source->operation)) {
          sources_[&inner.results[0]] = source;
        }
      }
      Find(inner);
    });
  }

  void Replace(const Operation& operation) {
    ForEach(operation, [this](mlir::Block& block, Operation& inner) {
      if (inner.results.size() == 1 && sources_.contains(&inner.results[0])) {
        return block.Remove(&inner);
      }
      for (mlir::Value*& operand : inner.operands) {
        const auto found = sources_.find(operand);
        if (found != sources_.end()) operand = found->second;
      }
      Replace(inner);
    });
  }

  absl::flat_hash_map<const mlir::Value*, mlir::Value*> sources_;
};

}  // namespace

absl::Status UpgradeVhlo(mlir::Source* source) {
  bool has_vhlo = false;
  for (const auto& [name, operation_name] : source->names) {
    has_vhlo = has_vhlo || name.substr(0, 5) == "vhlo.";
  }
  if (!has_vhlo) return absl::OkStatus();
  XLA_RETURN_IF_ERROR(Upgrader(source).Upgrade(*source->module));
  if (source->names.contains("builtin.unrealized_conversion_cast")) {
    CastRemover().Run(*source->module);
  }
  return absl::OkStatus();
}

}  // namespace xla::stablehlo
