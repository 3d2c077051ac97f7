// SPDX-License-Identifier: Apache-2.0
#include "xla/stablehlo/vhlo_downgrade.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::Context;
using mlir::NamedAttribute;
using mlir::Operation;
using mlir::TypeRef;

bool ReadVersion(std::string_view text, Version* version) {
  int* parts[] = {&version->major, &version->minor, &version->patch};
  const char* at = text.data();
  const char* end = text.data() + text.size();
  for (int i = 0; i < 3; ++i) {
    if (i > 0 && (at == end || *at++ != '.')) return false;
    const auto [next, error] = std::from_chars(at, end, *parts[i]);
    if (error != std::errc()) return false;
    at = next;
  }
  return at == end;
}

// Row of the operation `base` that the version has.
const VhloOperation* FindRow(std::string_view base, const Version& version) {
  for (int number = 1; number <= 9; ++number) {
    const VhloOperation* row = FindVhloOperation(absl::StrCat(View(base), "_v", number));
    if (row == nullptr) return nullptr;
    Version first, last = kLatestVersion;
    ReadVersion(row->first, &first);
    if (row->last != "current") ReadVersion(row->last, &last);
    last.patch = 1 << 20;  // of any patch
    if (first <= version && version <= last) return row;
  }
  return nullptr;
}

// Builds the attributes of one operation.
class Downgrader {
 public:
  Downgrader(const Operation& operation, std::string_view base, Context* context)
      : operation_(operation), base_(base), context_(*context) {
    for (const NamedAttribute& attribute : operation.attributes) Take(attribute);
  }

  absl::StatusOr<VhloForm> Finish(const VhloOperation& row) {
    VhloForm form;
    form.operation = &row;
    for (absl::string_view word : absl::StrSplit(View(row.attributes), ' ', absl::SkipEmpty())) {
      const std::string_view name(word.data(), word.size());
      AttributeRef value = Remove(name);
      if (value == nullptr) value = Default(name);
      if (value == nullptr) {
        return Error(absl::StrCat("needs the attribute '", View(name), "'"));
      }
      form.properties.push_back(value);
    }
    // What later versions of the operation have, the default value aside, cannot be stated.
    for (const NamedAttribute& attribute : attributes_) {
      if (IsInherent(attribute.name)) {
        if (IsNeutral(attribute)) continue;
        return Error(absl::StrCat("'", View(attribute.name), "' is not in ", View(row.name)));
      }
      form.discardable.push_back(attribute);
    }
    return form;
  }

  absl::Status Error(std::string_view message) const {
    return absl::InvalidArgumentError(
        absl::StrCat(View(operation_.name->text), ": ", View(message)));
  }

 private:
  void Add(std::string_view name, AttributeRef value) { attributes_.push_back({name, value}); }
  AttributeRef Remove(std::string_view name) {
    for (size_t i = 0; i < attributes_.size(); ++i) {
      if (attributes_[i].name != name) continue;
      const AttributeRef value = attributes_[i].value;
      attributes_.erase(attributes_.begin() + static_cast<ptrdiff_t>(i));
      return value;
    }
    return nullptr;
  }

  AttributeRef I64(int64_t value) { return context_.IntegerOf(context_.Integer(64), value); }
  AttributeRef Tensor(absl::Span<const int64_t> sizes, absl::Span<const char> data, TypeRef element,
                      bool is_splat) {
    return context_.arena().New<mlir::DenseAttribute>(
        mlir::Attribute{mlir::AttributeKind::kDense}, is_splat,
        context_.RankedTensor(sizes, element), context_.arena().Copy(data));
  }
  // `count` (rows of two, if `pairs`) times the value.
  AttributeRef Filled(int64_t count, int64_t value, bool pairs = false) {
    const int64_t sizes[] = {count, 2};
    const auto* data = reinterpret_cast<const char*>(&value);
    return Tensor(absl::MakeConstSpan(sizes, pairs ? 2 : 1),
                  absl::MakeConstSpan(data, count == 0 ? 0 : 8), context_.Integer(64), count != 0);
  }

  // Lists are tensors in VHLO; flags booleans; symbols strings.
  AttributeRef Convert(AttributeRef value) {
    if (const auto* list = value->As<mlir::DenseArrayAttribute>()) {
      const int64_t sizes[] = {list->count};
      const bool is_splat = list->count == 1;
      return Tensor(sizes, list->data, list->element, is_splat);
    }
    if (const auto* symbol = value->As<mlir::SymbolRefAttribute>()) {
      return context_.String(symbol->root);
    }
    if (value->kind == mlir::AttributeKind::kUnit) return context_.Bool(true);
    return value;
  }

  void TakeParameters(const mlir::DialectAttribute& attribute) {
    for (const NamedAttribute& parameter : attribute.parameters) {
      Add(parameter.name, Convert(parameter.value));
    }
  }

  void Take(const NamedAttribute& attribute) {
    const auto& [name, value] = attribute;
    const auto* structure = value->As<mlir::DialectAttribute>();
    const bool is_numbers = name == "dimension_numbers" || name == "dot_dimension_numbers" ||
                            name == "scatter_dimension_numbers" ||
                            (name == "algorithm" && base_ == "dot_general");
    if (is_numbers && structure != nullptr) {
      TakeParameters(*structure);
    } else if (name == "channel_handle" && structure != nullptr) {
      const AttributeRef handle = mlir::FindAttribute(structure->parameters, "handle");
      const AttributeRef type = mlir::FindAttribute(structure->parameters, "type");
      Add("channel_id", handle == nullptr ? I64(0) : handle);
      if (base_ == "send" || base_ == "recv") {
        Add("channel_type", type == nullptr ? I64(0) : type);
      }
    } else if (name == "called_computations" && value->kind == mlir::AttributeKind::kArray) {
      std::vector<AttributeRef> names;
      for (const AttributeRef element : value->As<mlir::ArrayAttribute>()->elements) {
        names.push_back(Convert(element));
      }
      Add(name, context_.Array(names));
    } else if (name == "replica_groups" && structure != nullptr) {
      std::vector<NamedAttribute> parameters;
      for (const auto& [part, part_value] : structure->parameters) {
        parameters.push_back({part, part == "mesh" ? Convert(part_value) : part_value});
      }
      Add(name, context_.DialectOf("stablehlo", structure->name, {}, parameters));
    } else if (name == "api_version" && value->kind == mlir::AttributeKind::kInteger) {
      static constexpr std::string_view kNames[] = {
          "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
          "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
      const int64_t index = value->As<mlir::IntegerAttribute>()->value;
      Add(name, context_.DialectOf("stablehlo", "custom_call_api_version",
                                   kNames[index >= 0 && index < 5 ? index : 0]));
    } else {
      Add(name, IsInherent(name) ? Convert(value) : value);
    }
  }

  // Attributes of the operation itself, in any version.
  bool IsInherent(std::string_view name) const {
    for (int number = 9; number >= 1; --number) {
      const VhloOperation* row = FindVhloOperation(absl::StrCat(View(base_), "_v", number));
      if (row == nullptr) continue;
      for (absl::string_view word : absl::StrSplit(View(row->attributes), ' ')) {
        if (word == View(name)) return true;
      }
    }
    return false;
  }

  // Whether an older version, which lacks the attribute, means the same.
  bool IsNeutral(const NamedAttribute& attribute) {
    const AttributeRef value = attribute.value;
    if (const auto* dense = value->As<mlir::DenseAttribute>()) return dense->data.empty();
    // The parts of a dot algorithm that is not stated.
    if (const auto* type = value->As<mlir::TypeAttribute>()) {
      return type->type->kind == mlir::TypeKind::kNone;
    }
    if (const auto* list = value->As<mlir::ArrayAttribute>()) return list->elements.empty();
    if (const auto* integer = value->As<mlir::IntegerAttribute>()) {
      return integer->IsBool() && integer->value == 0;
    }
    const auto* structure = value->As<mlir::DialectAttribute>();
    const AttributeRef mode =
        structure == nullptr ? nullptr : mlir::FindAttribute(structure->parameters, "mode");
    const auto* keyword = mode == nullptr ? nullptr : mode->As<mlir::DialectAttribute>();
    return keyword != nullptr && keyword->text == "DEFAULT";
  }

  // The number of dimensions of the operation's window.
  int64_t WindowRank() const {
    if (base_ == "convolution" || base_ == "dynamic_conv") {
      return static_cast<int64_t>(operation_.operands[1]->type->sizes.size()) - 2;
    }
    return static_cast<int64_t>(operation_.operands[0]->type->sizes.size());
  }

  AttributeRef Keyword(std::string_view name, std::string_view keyword) {
    return context_.DialectOf("stablehlo", name, keyword);
  }

  AttributeRef DefaultAccuracy() {
    const TypeRef f64 = context_.Float(mlir::FloatKind::kF64);
    const NamedAttribute parameters[] = {{"atol", context_.FloatOf(f64, {})},
                                         {"rtol", context_.FloatOf(f64, {})},
                                         {"ulps", I64(0)},
                                         {"mode", Keyword("result_accuracy_mode", "DEFAULT")}};
    return context_.DialectOf("stablehlo", "result_accuracy", {}, parameters);
  }

  AttributeRef Default(std::string_view name) {
    for (const std::string_view flag :
         {"use_global_device_ids", "has_dynamic_root", "has_side_effect", "indices_are_sorted",
          "unique_indices", "is_host_transfer", "is_stable", "lower"}) {
      if (name == flag) return context_.Bool(false);
    }
    for (const std::string_view list :
         {"precision_config", "output_operand_aliases", "called_computations", "operand_layouts",
          "result_layouts", "result_tilings", "arg_attrs", "res_attrs", "layout"}) {
      if (name == list) return context_.Array({});
    }
    for (const std::string_view text :
         {"sym_visibility", "backend_config", "infeed_config", "outfeed_config"}) {
      if (name == text) return context_.String("");
    }
    for (const std::string_view type :
         {"lhs_precision_type", "rhs_precision_type", "accumulation_type", "lhs_component_count",
          "rhs_component_count", "num_primitive_operations", "allow_imprecise_accumulation"}) {
      if (name == type) return context_.TypeOf(context_.None());
    }
    if (name == "feature_group_count" || name == "batch_group_count") return I64(1);
    for (const std::string_view index :
         {"channel_id", "channel_type", "index_vector_dim", "input_batch_dimension",
          "input_feature_dimension", "kernel_input_feature_dimension",
          "kernel_output_feature_dimension", "output_batch_dimension",
          "output_feature_dimension"}) {
      if (name == index) return I64(0);
    }
    for (const std::string_view none :
         {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
          "rhs_contracting_dimensions", "offset_dims", "collapsed_slice_dims",
          "operand_batching_dims", "start_indices_batching_dims", "start_index_map",
          "update_window_dims", "inserted_window_dims", "input_batching_dims",
          "scatter_indices_batching_dims", "scatter_dims_to_operand_dims",
          "input_spatial_dimensions", "kernel_spatial_dimensions", "output_spatial_dimensions",
          "known_expanding_dimensions", "known_nonexpanding_dimensions"}) {
      if (name == none) return Filled(0, 0);
    }
    if (name == "dimension" && base_ == "sort") return I64(-1);
    if (name == "version") return context_.IntegerOf(context_.Integer(32), 0);
    if (name == "composite_attributes") return context_.Dictionary({});
    if (name == "compare_type") return Keyword("comparison_type", "NOTYPE");
    if (name == "api_version") return Keyword("custom_call_api_version", "API_VERSION_ORIGINAL");
    if (name == "result_accuracy") return DefaultAccuracy();
    if (name == "source_target_pairs") {
      const int64_t sizes[] = {0, 0};
      return Tensor(sizes, {}, context_.Integer(64), false);
    }
    const bool has_operands = operation_.operands.size() > 1;
    if (!has_operands) return nullptr;
    if (name == "padding") return Filled(WindowRank(), 0, /*pairs=*/true);
    if (name == "window_reversal") {
      const int64_t sizes[] = {WindowRank()};
      const char no = 0;
      return Tensor(sizes, absl::MakeConstSpan(&no, sizes[0] > 0 ? 1 : 0), context_.Integer(1),
                    sizes[0] > 0);
    }
    for (const std::string_view ones : {"window_strides", "base_dilations", "window_dilations",
                                        "lhs_dilation", "rhs_dilation", "window_dimensions"}) {
      if (name == ones) return Filled(WindowRank(), 1);
    }
    return nullptr;
  }

  const Operation& operation_;
  std::string_view base_;
  Context& context_;
  std::vector<NamedAttribute> attributes_;
};

}  // namespace

absl::StatusOr<Version> ParseVersion(std::string_view text) {
  if (text == "current") return kLatestVersion;
  if (text == "minimum") return Version();
  Version version;
  if (!ReadVersion(text, &version)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", View(text), "' is not a version of StableHLO; expected one as 1.10.3"));
  }
  if (version < Version() || version.major > kLatestVersion.major ||
      version.minor > kLatestVersion.minor) {
    return absl::InvalidArgumentError(absl::StrCat(
        "portable artifacts are written for StableHLO 1.0.0 to 1.20, not ", View(text)));
  }
  return version;
}

absl::StatusOr<VhloForm> DowngradeToVhlo(const Operation& operation, const Version& version,
                                         Context* context) {
  const std::string_view name = operation.name->text;
  const size_t point = name.find('.');
  const std::string_view dialect = name.substr(0, point);
  const std::string_view base = name.substr(point + 1);
  const bool is_known =
      point != std::string_view::npos &&
      (dialect == "stablehlo" ||
       (dialect == "func" && (base == "func" || base == "return" || base == "call")));
  if (!is_known || FindVhloOperation(absl::StrCat(View(base), "_v1")) == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(View(name), ": is not an operation of portable artifacts"));
  }
  Downgrader downgrader(operation, base, context);
  const VhloOperation* row = FindRow(base, version);
  if (row == nullptr) {
    return downgrader.Error(absl::StrCat("is not in StableHLO ", version.major, ".", version.minor,
                                         ".", version.patch));
  }
  const bool is_single =
      row->name == "all_gather_v1" || row->name == "all_reduce_v1" || row->name == "all_to_all_v1";
  if (is_single && operation.operands.size() != 1) {
    return downgrader.Error("takes several operands since StableHLO 1.5.0");
  }
  if (row->name == "composite_v1" && !operation.regions.empty()) {
    return downgrader.Error("has regions since StableHLO 1.14.0");
  }
  return downgrader.Finish(*row);
}

}  // namespace xla::stablehlo
