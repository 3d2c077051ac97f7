// SPDX-License-Identifier: Apache-2.0
// Rules of Shardy's shardings, and what they need to know of the program around an operation.
#ifndef XLA_STABLEHLO_VERIFY_SHARDING_H_
#define XLA_STABLEHLO_VERIFY_SHARDING_H_

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "xla/mlir/ir.h"
#include "xla/stablehlo/sdy_axes.h"
#include "xla/stablehlo/sharding.h"
#include "xla/stablehlo/verify_rules.h"

namespace xla::stablehlo {

// The meshes of a module, and the uses of its values.
class ShardyScope {
 public:
  explicit ShardyScope(const mlir::Operation& module);

  // Null if there is none of that name. A name for each mesh.
  const ShardyMesh* Mesh(std::string_view name) const;
  // The one that is inlined in the sharding, or that it names.
  const ShardyMesh* Mesh(const ShardySharding& sharding) const;

  struct Uses {
    size_t count = 0;
    const mlir::Operation* first = nullptr;
  };
  // By all operations of the module.
  Uses UsesOf(const mlir::Value& value) const;

 private:
  const mlir::Operation& module_;
  absl::flat_hash_map<std::string_view, ShardyMesh> meshes_;
  mutable std::optional<absl::flat_hash_map<const mlir::Value*, Uses>> uses_;  // once asked for
};

// Checks shardings of one operation; the first error goes to its Check, after a text that says
// which of them it is.
class ShardingCheck {
 public:
  ShardingCheck(Check& check, const ShardyScope& scope, std::string prefix = {})
      : check_(check), scope_(scope), prefix_(std::move(prefix)) {}

  const ShardyScope& scope() const { return scope_; }
  template <typename... Parts>
  bool Fail(const Parts&... parts) {
    return check_.Fail(prefix_, parts...);
  }
  // The same for another of its shardings.
  ShardingCheck For(std::string prefix) const { return {check_, scope_, std::move(prefix)}; }

  // A sharding of a value of the given type, by the axes that no manual computation around the
  // operation has.
  bool Sharding(const ShardySharding& sharding, mlir::TypeRef type);
  // One for each of the types; where there are none, one that says which device runs the operation.
  bool Shardings(const std::vector<ShardySharding>& shardings,
                 const std::vector<mlir::TypeRef>& types);
  bool Rule(const mlir::Attribute& attribute);
  bool PropagationEdges(const mlir::Attribute& attribute);

  // The axes exist, none is used twice, none could be written as one with the next.
  struct Seen {
    std::vector<ShardyAxis> axes;
  };
  bool Axes(const std::vector<ShardyAxis>& axes, const ShardyMesh& mesh, Seen* seen);
  bool SortedAxes(const std::vector<ShardyAxis>& axes, const ShardyMesh& mesh, Seen* seen,
                  std::string_view what);

 private:
  bool Parts(const ShardyMesh& mesh, const Seen& seen);
  bool NotManual(const Seen& seen);
  bool Mappings(const std::vector<std::vector<std::vector<int64_t>>>& mappings,
                const std::vector<mlir::TypeRef>& types, const std::vector<int64_t>& sizes,
                std::string_view what, std::vector<bool>* seen);
  bool SpecialFactors(const std::vector<int64_t>& factors, int64_t count);
  bool EdgeValue(bool is_result, int64_t index);

  Check& check_;
  const ShardyScope& scope_;
  std::string prefix_;
};

// Of values, or of pointers to them.
template <typename Range>
std::vector<mlir::TypeRef> TypesOfValues(const Range& values) {
  std::vector<mlir::TypeRef> types;
  for (const auto& value : values) {
    if constexpr (std::is_pointer_v<std::decay_t<decltype(value)>>) {
      types.push_back(value->type);
    } else {
      types.push_back(value.type);
    }
  }
  return types;
}

// "x" or "x":(1)2; ["x", "y"]
std::string AxisText(const ShardyAxis& axis);
std::string AxesText(const std::vector<ShardyAxis>& axes);

// An attribute of an operation; none if it is absent, or malformed.
std::optional<ShardySharding> FindSharding(const mlir::Operation& operation, std::string_view name);
std::optional<std::vector<ShardySharding>> FindShardings(const mlir::Operation& operation,
                                                         std::string_view name);
std::vector<std::string> ManualAxesOf(const mlir::Operation& operation);

// The sharding that a value has where it is defined.
std::optional<ShardySharding> ShardingOf(const mlir::Value& value, const ShardyScope& scope);

// "sum", "max" or "min"
const char* ReductionText(UnreducedKind kind);
// Checks that an operation that changes a sharding keeps how axes that stay unreduced are reduced,
// and adds such axes for sums only: a value becomes unreduced as the terms of a sum.
bool KeepsReduction(Check& check, const ShardySharding& before, const ShardySharding& after);

// The operation in whose regions this one is; null for the module.
const mlir::Operation* ParentOf(const mlir::Operation& operation);

// Rules of attributes: sdy.sharding, sdy.sharding_rule and others, of any operation.
bool CheckShardyAttributes(Check& check, const ShardyScope& scope);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_VERIFY_SHARDING_H_
