// SPDX-License-Identifier: Apache-2.0
// Shardy's dialect in bytecode. Attributes become what the text has between < and >. Codes and
// order: Shardy's bytecode.td; properties are in alphabetical order.
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/stablehlo/vhlo.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::BytecodeEntry;
using mlir::NamedAttribute;

enum ShardyCode : uint64_t {
  kSdyManualAxes,
  kSdyMeshAxis,
  kSdyMesh,
  kSdySubAxis,
  kSdyAxis,
  kSdyDimension,
  kSdySharding,
  kSdyShardings,
  kSdyDimensionMapping,
  kSdyTensorMapping,
  kSdyRule,
  kSdyAxes,
  kSdyAxesLists,
  kSdyAllToAll,
  kSdyAllToAlls,
  kSdyUnreducedSharding,
  kSdyUnreducedShardings,
  kSdyUnreducedByKind,
};

// Writes the text of an attribute while it reads its fields; the first error stays.
class ShardyDecoder {
 public:
  explicit ShardyDecoder(BytecodeEntry& entry) : entry_(entry) {}

  void Text(std::string_view text) { out_.append(text); }

  void Name() {
    std::string_view name;
    if (Check(entry_.Text(&name))) mlir::AppendQuoted(&out_, name);
  }
  void Number() {
    int64_t value = 0;
    if (Check(entry_.SignedVarInt(&value))) absl::StrAppend(&out_, value);
  }
  // Returns whether there is one.
  bool Child() {
    AttributeRef child;
    return Check(entry_.Attribute(&child)) && Append(child);
  }
  void OptionalChild() {
    AttributeRef child;
    if (Check(entry_.OptionalAttribute(&child)) && child != nullptr) Append(child);
  }
  // Returns how many there are.
  uint64_t Children(std::string_view open = {}, std::string_view close = {}) {
    uint64_t count = 0;
    if (!Check(entry_.cursor().Count(&count))) return 0;
    for (uint64_t i = 0; i < count && ok_; ++i) {
      if (i > 0) out_.append(", ");
      out_.append(open);
      Child();
      out_.append(close);
    }
    return count;
  }
  void Numbers(std::string_view open) {
    std::vector<int64_t> values;
    if (!Check(entry_.SignedVarInts(&values)) || values.empty()) return;
    out_.append(open);
    for (size_t i = 0; i < values.size(); ++i) absl::StrAppend(&out_, i > 0 ? ", " : "", values[i]);
    out_.push_back(']');
  }
  // "ij", the names of the factors.
  void Factors(std::string_view separator) {
    std::vector<int64_t> factors;
    if (!Check(entry_.SignedVarInts(&factors))) return;
    for (size_t i = 0; i < factors.size(); ++i) {
      if (i > 0) out_.append(separator);
      Factor(factors[i]);
    }
  }
  // " reduction={i, j}" if the list is not empty.
  void FactorList(std::string_view name) {
    const size_t begin = out_.size();
    absl::StrAppend(&out_, " ", View(name), "={");
    const size_t first = out_.size();
    Factors(", ");
    if (out_.size() == first) {
      out_.resize(begin);
    } else {
      out_.push_back('}');
    }
  }
  // "([i, j])->([i]) {i=2, j=4}": the sizes come first in bytecode.
  void RuleOfFactors() {
    std::vector<int64_t> sizes;
    if (!Check(entry_.SignedVarInts(&sizes))) return;
    out_.push_back('(');
    Children();
    out_.append(")->(");
    Children();
    out_.push_back(')');
    for (size_t i = 0; i < sizes.size(); ++i) {
      out_.append(i == 0 ? " {" : ", ");
      Factor(static_cast<int64_t>(i));
      absl::StrAppend(&out_, "=", sizes[i]);
    }
    if (!sizes.empty()) out_.push_back('}');
  }
  bool Flag() {
    uint8_t value = 0;
    return Check(entry_.cursor().Byte(&value)) && value != 0;
  }
  void Priority() {
    uint64_t value = 0;
    bool is_present = false;
    if (Check(entry_.cursor().VarIntWithFlag(&value, &is_present)) && is_present) {
      absl::StrAppend(&out_, "p", value);
    }
  }
  // ", name={..}" if the list is not empty.
  void AxisList(std::string_view name) {
    const size_t begin = out_.size();
    absl::StrAppend(&out_, ", ", View(name), "={");
    if (Children() == 0) {
      out_.resize(begin);
    } else {
      out_.push_back('}');
    }
  }
  // ", unreduced=max{..}": the kind comes last in bytecode.
  void UnreducedByKind() {
    const std::string text = std::exchange(out_, std::string());
    const bool is_empty = Children() == 0;
    const std::string axes = std::exchange(out_, text);
    constexpr std::string_view kKinds[] = {"", "max", "min"};
    int64_t kind = 0;
    if (!Check(entry_.SignedVarInt(&kind))) return;
    if (kind < 0 || kind >= static_cast<int64_t>(std::size(kKinds))) {
      Check(entry_.Fail(absl::StrCat("sdy reduction ", kind, " is not known")));
    } else if (!is_empty) {
      absl::StrAppend(&out_, ", unreduced=", View(kKinds[static_cast<size_t>(kind)]), "{", axes,
                      "}");
    }
  }

  AttributeRef Finish(std::string_view name) {
    if (!ok_) return nullptr;
    mlir::Context& context = entry_.context();
    return context.DialectOf("sdy", name, context.InternText(out_));
  }
  bool ok() const { return ok_; }

 private:
  bool Check(bool ok) {
    ok_ = ok_ && ok;
    return ok_;
  }
  // Letters from i to z, then z_1, z_2 and so on.
  void Factor(int64_t number) {
    constexpr int64_t kLetters = 'z' - 'i' + 1;
    if (number < 0) {
      Check(entry_.Fail("a factor of a sharding rule is negative"));
    } else if (number < kLetters) {
      out_.push_back(static_cast<char>('i' + number));
    } else {
      absl::StrAppend(&out_, "z_", number - kLetters + 1);
    }
  }
  bool Append(AttributeRef child) {
    constexpr size_t kMaxText = size_t{1} << 24;
    if (const auto* attribute = child->As<mlir::DialectAttribute>()) {
      // An inlined mesh keeps its name.
      if (attribute->name == "mesh") out_.append("mesh<");
      out_.append(attribute->text);
      if (attribute->name == "mesh") out_.push_back('>');
    } else if (const auto* string = child->As<mlir::StringAttribute>()) {
      mlir::AppendQuoted(&out_, string->value);
    } else {
      mlir::AppendTo(&out_, child);
    }
    if (out_.size() > kMaxText) return Check(entry_.Fail("a sharding is too long"));
    return true;
  }

  BytecodeEntry& entry_;
  std::string out_;
  bool ok_ = true;
};

AttributeRef ReadSharding(ShardyDecoder& decoder, ShardyCode code) {
  decoder.Child();
  decoder.Text(", [");
  decoder.Children();
  decoder.Text("]");
  decoder.AxisList("replicated");
  if (code == kSdyUnreducedSharding) decoder.AxisList("unreduced");
  if (code == kSdyUnreducedByKind) decoder.UnreducedByKind();
  return decoder.Finish("sharding");
}

AttributeRef DecodeShardyAttribute(BytecodeEntry& entry) {
  uint64_t code;
  if (!entry.VarInt(&code)) return nullptr;
  ShardyDecoder decoder(entry);
  switch (code) {
    case kSdyManualAxes:
      decoder.Text("{");
      decoder.Children();
      decoder.Text("}");
      return decoder.Finish("manual_axes");
    case kSdyMeshAxis:
      decoder.Name();
      decoder.Text("=");
      decoder.Number();
      return decoder.Finish("mesh_axis");
    case kSdyMesh:
      decoder.Text("[");
      decoder.Children();
      decoder.Text("]");
      decoder.Numbers(", device_ids=[");
      return decoder.Finish("mesh");
    case kSdySubAxis:
      decoder.Text(":(");
      decoder.Number();
      decoder.Text(")");
      decoder.Number();
      return decoder.Finish("sub_axis_info");
    case kSdyAxis:
      decoder.Name();
      decoder.OptionalChild();
      return decoder.Finish("axis_ref");
    case kSdyDimension: {
      decoder.Text("{");
      const uint64_t count = decoder.Children();
      if (!decoder.Flag()) decoder.Text(count > 0 ? ", ?" : "?");
      decoder.Text("}");
      decoder.Priority();
      return decoder.Finish("dimension_sharding");
    }
    case kSdySharding:
    case kSdyUnreducedSharding:
    case kSdyUnreducedByKind:
      return ReadSharding(decoder, static_cast<ShardyCode>(code));
    case kSdyShardings:
    case kSdyUnreducedShardings:
      decoder.Text("[");
      decoder.Children("<", ">");
      decoder.Text("]");
      return decoder.Finish("sharding_per_value");
    case kSdyAxes:
      decoder.Text("{");
      decoder.Children();
      decoder.Text("}");
      return decoder.Finish("axis_ref_list");
    case kSdyAxesLists:
      decoder.Text("[");
      decoder.Children();
      decoder.Text("]");
      return decoder.Finish("list_of_axis_ref_lists");
    case kSdyAllToAll:
      decoder.Text("{");
      decoder.Children();
      decoder.Text("}: ");
      decoder.Number();
      decoder.Text("->");
      decoder.Number();
      return decoder.Finish("all_to_all_param");
    case kSdyAllToAlls:
      decoder.Text("[");
      decoder.Children();
      decoder.Text("]");
      return decoder.Finish("all_to_all_param_list");
    case kSdyDimensionMapping:
      decoder.Factors("");
      return decoder.Finish("dim_mapping");
    case kSdyTensorMapping:
      decoder.Text("[");
      decoder.Children();
      decoder.Text("]");
      return decoder.Finish("tensor_mapping");
    case kSdyRule:
      decoder.RuleOfFactors();
      for (const char* name :
           {"reduction", "need_replication", "permutation", "blocked_propagation"}) {
        decoder.FactorList(name);
      }
      if (decoder.Flag()) decoder.Text(", custom");
      return decoder.Finish("op_sharding_rule");
    default:
      entry.Fail(absl::StrCat("sdy attribute code ", code, " is not known"));
      return nullptr;
  }
}

struct ShardyProperties {
  std::string_view operation;
  std::string_view attributes;  // '?': may be absent
};

constexpr ShardyProperties kShardyProperties[] = {
    {"all_gather", "gathering_axes out_sharding"},
    {"all_reduce", "out_sharding reduction_axes"},
    {"all_slice", "out_sharding slicing_axes"},
    {"all_to_all", "out_sharding params"},
    {"collective_permute", "out_sharding"},
    {"constant", "value"},
    {"data_flow_edge", "sharding?"},
    {"manual_computation", "in_shardings manual_axes out_shardings"},
    {"mesh", "mesh sym_name"},
    {"named_computation", "in_shardings? name out_shardings?"},
    {"propagation_barrier", "allowed_direction"},
    {"reduce_scatter", "out_sharding reduce_scatter_axes"},
    {"reshard", "sharding"},
    {"sharding_constraint", "sharding"},
    {"sharding_group", "group_id"},
};

bool ReadShardyProperties(std::string_view name, BytecodeEntry& entry,
                          std::vector<NamedAttribute>* attributes) {
  for (const ShardyProperties& known : kShardyProperties) {
    if (known.operation == name) return ReadListedProperties(known.attributes, entry, attributes);
  }
  return true;
}

}  // namespace

mlir::DialectBytecode ShardyBytecode() {
  return {"sdy", DecodeShardyAttribute, nullptr, ReadShardyProperties, nullptr};
}

}  // namespace xla::stablehlo
