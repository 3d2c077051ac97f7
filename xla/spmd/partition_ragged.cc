// SPDX-License-Identifier: Apache-2.0
// Ragged products whose rows are divided: each shard has a part of the rows of each group.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/index_arithmetic.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"

namespace xla::spmd {
namespace {

// The dimension of the result that the ragged rows become; -1 if they are no rows of it, or groups
// are of each batch.
int64_t ResultRows(const HloInstruction& product) {
  const auto& dims = product.attributes<RaggedDotAttributes>();
  if (dims.lhs_ragged_dims.size() != 1 || product.operand(2)->shape().rank() != 1) return -1;
  const int64_t ragged = dims.lhs_ragged_dims[0];
  if (absl::c_linear_search(dims.lhs_batch_dims, ragged) ||
      absl::c_linear_search(dims.lhs_contracting_dims, ragged)) {
    return -1;
  }
  int64_t before = 0;  // free dimensions before it
  for (int64_t d = 0; d < ragged; ++d) {
    before += absl::c_linear_search(dims.lhs_batch_dims, d) ||
                      absl::c_linear_search(dims.lhs_contracting_dims, d)
                  ? 0
                  : 1;
  }
  return static_cast<int64_t>(dims.lhs_batch_dims.size()) + before;
}

}  // namespace

HloInstruction* Partitioner::SizesWithin(HloInstruction* sizes, HloInstruction* start,
                                         int64_t rows) {
  HloComputation* computation = start->parent();
  HloInstruction* own = As(sizes, S32);
  const Shape shape = own->shape();
  WindowAttributes window;
  window.window.dims = {{.size = shape.dimensions(0), .padding_low = shape.dimensions(0) - 1}};
  HloInstruction* ends = computation->AddInstruction(
      HloInstruction::Create(HloOpcode::kReduceWindow, shape, {own, ScalarS32(computation, 0)},
                             std::move(window), {emit_.Combiner(S32, UnreducedKind::kSum)}));
  const auto within = [&](HloInstruction* row) {
    return Clamped(Binary(HloOpcode::kSubtract, row, Spread(start, shape)), 0, rows);
  };
  HloInstruction* begins = Binary(HloOpcode::kSubtract, ends, own);
  return As(Binary(HloOpcode::kSubtract, within(ends), within(begins)),
            sizes->shape().element_type());
}

absl::StatusOr<bool> Partitioner::PartitionRaggedDot(HloInstruction* product) {
  const Source source = SourceOf(product->mutable_operand(0));
  const int64_t rows_of_result = ResultRows(*product);
  if (source.shard == nullptr || rows_of_result < 0 ||
      ShapeUtil::IsZeroElementArray(product->shape()) ||
      product->operand(2)->shape().dimensions(0) == 0) {
    return false;
  }
  const int64_t d = product->attributes<RaggedDotAttributes>().lhs_ragged_dims[0];
  const DimensionShardings known = DimensionShardingsOf(source.layout);
  const DimensionSharding& divided = known[static_cast<size_t>(d)];
  const Shape& full = product->operand(0)->shape();
  if (divided.count == 1 || !Holds(S32, full.dimensions(static_cast<int>(d)))) return false;
  DimensionShardings of_rows(known.size());
  of_rows[static_cast<size_t>(d)] = divided;
  DimensionShardings of_result(static_cast<size_t>(product->shape().rank()));
  of_result[static_cast<size_t>(rows_of_result)] = divided;
  const auto rows_layout = ShardLayoutFrom(of_rows, partitions_);
  const auto result_layout = ShardLayoutFrom(of_result, partitions_);
  if (!rows_layout.has_value() || !result_layout.has_value()) return false;
  XLA_ASSIGN_OR_RETURN(HloInstruction * rows, ShardOf(product->mutable_operand(0), *rows_layout));
  const int64_t size = rows->shape().dimensions(static_cast<int>(d));
  HloInstruction* sizes =
      SizesWithin(product->mutable_operand(2),
                  ShardStart(product->parent(), *rows_layout, static_cast<size_t>(d), size), size);
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShardShape(product->shape(), *result_layout));
  HloInstruction* shard = product->parent()->AddInstruction(
      product->CloneWithNewOperands(shape, {rows, product->mutable_operand(1), sizes}));
  SetShard(product, shard, *result_layout);
  return true;
}

}  // namespace xla::spmd
