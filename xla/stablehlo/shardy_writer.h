// SPDX-License-Identifier: Apache-2.0
// Shardings of instructions as attributes of the StableHLO program that they were translated from:
// what state_shardings.cc and state_reshards.cc share.
#ifndef XLA_STABLEHLO_SHARDY_WRITER_H_
#define XLA_STABLEHLO_SHARDY_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/named_sharding.h"
#include "xla/mlir/source.h"
#include "xla/stablehlo/sdy_editor.h"
#include "xla/stablehlo/sharding.h"
#include "xla/stablehlo/translate.h"

namespace xla::stablehlo {

// What the values of a program became, of the instructions that the module still has.
class KnownInstructions {
 public:
  KnownInstructions(const HloModule& module, const TranslatedValues& values);

  // Null: nothing, or a token or an array of unknown sizes, of which Shardy knows nothing.
  const HloInstruction* Find(const mlir::Value& value) const;
  // The sharding by axes of a leaf; null if it has none.
  static const NamedSharding* NamedOf(const HloInstruction* instruction, size_t leaf = 0);
  // Of the operands of a manual computation: the annotations before its call. Empty if these are
  // not found.
  std::vector<const NamedSharding*> OperandsOfManual(const mlir::Operation& manual) const;

 private:
  const TranslatedValues& values_;
  absl::flat_hash_set<const HloInstruction*> alive_;
};

int64_t RankOf(const mlir::Value& value);

class ShardyWriter {
 public:
  explicit ShardyWriter(mlir::Source* source) : source_(*source), editor_(source) {}

  // The meshes that operations of the module state, which shardings then name.
  absl::Status ReadMeshes(const mlir::Block& functions);
  ShardySharding AsShardy(const NamedSharding& named) const;
  static std::vector<ShardyAxis> AxesOf(const std::vector<AxisRef>& axes, const Mesh& mesh);

  // The attribute of that text.
  absl::StatusOr<mlir::AttributeRef> Read(const std::string& text);
  absl::StatusOr<mlir::AttributeRef> Attribute(const ShardySharding& sharding);
  // Of several results, or operands.
  absl::StatusOr<mlir::AttributeRef> PerValue(const std::vector<ShardySharding>& shardings);
  // Replaces an attribute, adds it, or removes it where `value` is null.
  void Set(mlir::Operation* operation, std::string_view name, mlir::AttributeRef value);

 private:
  mlir::Source& source_;
  ShardyEditor editor_;
  std::vector<std::pair<std::string, Mesh>> meshes_;
};

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_SHARDY_WRITER_H_
