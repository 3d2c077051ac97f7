// SPDX-License-Identifier: Apache-2.0
// What arguments of the entry and attributes of the module state of its buffers: aliases, donation,
// layouts.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::Operation;

const mlir::ArrayAttribute* FindArray(absl::Span<const mlir::NamedAttribute> attributes,
                                      std::string_view name) {
  const AttributeRef value = mlir::FindAttribute(attributes, name);
  return value == nullptr ? nullptr : value->As<mlir::ArrayAttribute>();
}

const mlir::DictionaryAttribute* FindDictionary(absl::Span<const mlir::NamedAttribute> attributes,
                                                std::string_view name) {
  const AttributeRef value = mlir::FindAttribute(attributes, name);
  return value == nullptr ? nullptr : value->As<mlir::DictionaryAttribute>();
}

// Constants in arrays of arrays, in their order.
void CollectLeaves(const mlir::ArrayAttribute& array, std::vector<AttributeRef>* leaves) {
  for (const AttributeRef element : array.elements) {
    if (const auto* inner = element->As<mlir::ArrayAttribute>()) {
      CollectLeaves(*inner, leaves);
    } else {
      leaves->push_back(element);
    }
  }
}

}  // namespace

// tf.aliasing_output and jax.buffer_donor of arguments.
absl::Status Translator::SetParameterAttributes(const Operation& function,
                                                HloModuleConfig* config) {
  const auto* array = FindArray(function.attributes, "arg_attrs");
  if (array == nullptr) return absl::OkStatus();
  const bool is_tuple = module_->entry_computation()->root_instruction()->shape().IsTuple();
  for (size_t i = 0; i < array->elements.size(); ++i) {
    const auto* entries = array->elements[i]->As<mlir::DictionaryAttribute>();
    if (entries == nullptr) return Error(function, "arg_attrs must be dictionaries");
    for (const auto& [name, value] : entries->entries) {
      const auto* integer = value->As<mlir::IntegerAttribute>();
      if (name == "tf.aliasing_output" && integer != nullptr) {
        InputOutputAlias alias;
        if (is_tuple) alias.output_index.push_back(integer->value);
        alias.parameter_number = static_cast<int64_t>(i);
        config->input_output_alias.push_back(std::move(alias));
      }
      if (name == "jax.buffer_donor" && integer != nullptr && integer->value != 0) {
        BufferDonor donor;
        donor.parameter_number = static_cast<int64_t>(i);
        config->buffer_donor.push_back(std::move(donor));
      }
    }
  }
  return absl::OkStatus();
}

// mhlo.input_output_alias = [{alias = {kind = 0, parameter_index = array<i64>, parameter_number =
// 0}, output_index = array<i64>}]. XLA takes every kind but the name of the weaker one as binding.
absl::Status Translator::SetModuleAliases(const Operation& module, HloModuleConfig* config) {
  const auto* array = FindArray(module.attributes, "mhlo.input_output_alias");
  if (array == nullptr) return absl::OkStatus();
  for (const AttributeRef element : array->elements) {
    const auto* entry = element->As<mlir::DictionaryAttribute>();
    const auto* alias = entry == nullptr ? nullptr : FindDictionary(entry->entries, "alias");
    if (alias == nullptr) {
      return Error(module, "mhlo.input_output_alias must hold dictionaries with an alias");
    }
    InputOutputAlias result;
    result.kind = InputOutputAlias::Kind::kMust;
    const AttributeRef kind = mlir::FindAttribute(alias->entries, "kind");
    const auto* word = kind == nullptr ? nullptr : kind->As<mlir::StringAttribute>();
    if (word != nullptr && word->value == "may_alias") result.kind = InputOutputAlias::Kind::kMay;
    const AttributeRef number = mlir::FindAttribute(alias->entries, "parameter_number");
    const auto* integer = number == nullptr ? nullptr : number->As<mlir::IntegerAttribute>();
    if (integer == nullptr) {
      return Error(module, "an alias of mhlo.input_output_alias needs a parameter_number");
    }
    result.parameter_number = integer->value;
    XLA_ASSIGN_OR_RETURN(result.parameter_index,
                         IndexList(module, alias->entries, "parameter_index"));
    XLA_ASSIGN_OR_RETURN(result.output_index, IndexList(module, entry->entries, "output_index"));
    config->input_output_alias.push_back(std::move(result));
  }
  return absl::OkStatus();
}

// Gives the arrays in `shapes` the layouts of an attribute: dimensions from minor to major.
absl::Status Translator::SetModuleLayouts(const Operation& module, std::string_view name,
                                          absl::Span<Shape* const> shapes) {
  const auto* array = FindArray(module.attributes, name);
  if (array == nullptr) return absl::OkStatus();
  std::vector<AttributeRef> leaves;
  CollectLeaves(*array, &leaves);
  size_t next = 0;
  for (Shape* shape : shapes) {
    absl::Status status;
    ShapeUtil::ForEachMutableSubshape(shape, [&](Shape* part, const ShapeIndex&) {
      if (!part->IsArray() || !status.ok()) return;
      if (next == leaves.size()) {
        status =
            Error(module, absl::StrCat(View(name), " has fewer layouts than there are arrays"));
        return;
      }
      const mlir::NamedAttribute leaf[] = {{name, leaves[next++]}};
      const auto order = IndexList(module, leaf, name);
      if (!order.ok()) {
        status = order.status();
        return;
      }
      const Layout layout = LayoutUtil::MakeLayout(*order);
      const absl::Status valid = LayoutUtil::ValidateLayoutForShape(layout, *part);
      if (!valid.ok()) {
        status = Error(module, std::string(valid.message()));
        return;
      }
      *part->mutable_layout() = layout;
    });
    XLA_RETURN_IF_ERROR(status);
  }
  return absl::OkStatus();
}

absl::Status Translator::SetModuleAttributes(const Operation& module, HloModuleConfig* config) {
  XLA_RETURN_IF_ERROR(SetModuleAliases(module, config));
  ComputationLayout& layout = *config->mutable_entry_computation_layout();
  std::vector<Shape*> parameters;
  for (int i = 0; i < layout.parameters_size(); ++i) {
    parameters.push_back(layout.mutable_parameters(i));
  }
  XLA_RETURN_IF_ERROR(
      SetModuleLayouts(module, "mhlo.xla_entry_computation_parameter_layouts", parameters));
  Shape* const result[] = {layout.mutable_result()};
  return SetModuleLayouts(module, "mhlo.xla_entry_computation_result_layout", result);
}

}  // namespace xla::stablehlo
