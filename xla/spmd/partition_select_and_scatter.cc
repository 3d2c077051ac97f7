// SPDX-License-Identifier: Apache-2.0
// Select-and-scatter along divided dimensions whose windows lie side by side: each shard has whole
// windows.
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"

namespace xla::spmd {
namespace {

// Whether shards of `size` rows and of `windows` windows have the same windows.
bool HasWholeWindows(const WindowDim& dim, int64_t size, int64_t windows, int64_t count) {
  return dim.padding_low == 0 && dim.padding_high == 0 && dim.base_dilation == 1 &&
         dim.window_dilation == 1 && !dim.window_reversal && dim.size <= dim.stride &&
         windows % count == 0 && size == windows * dim.stride;
}

}  // namespace

absl::StatusOr<bool> Partitioner::PartitionSelectAndScatter(HloInstruction* instruction) {
  Source leading = SourceOf(instruction->mutable_operand(0));
  if (leading.shard == nullptr) leading = SourceOf(instruction->mutable_operand(1));
  if (leading.shard == nullptr || ShapeUtil::IsZeroElementArray(instruction->shape())) return false;
  const ShardLayout layout = leading.layout;
  const WindowDims& window = instruction->attributes<WindowAttributes>().window;
  const Shape &full = instruction->shape(), &source = instruction->operand(1)->shape();
  bool divides_windows = false;
  for (size_t d = 0; d < window.size(); ++d) {
    if (layout.counts[d] == 1 || window[d] == WindowDim()) continue;
    const int at = static_cast<int>(d);
    if (!HasWholeWindows(window[d], full.dimensions(at), source.dimensions(at), layout.counts[d])) {
      return false;
    }
    divides_windows = true;
  }
  if (!divides_windows) return false;
  std::vector<HloInstruction*> operands;
  for (int64_t i = 0; i < 2; ++i) {
    XLA_ASSIGN_OR_RETURN(HloInstruction * shard, ShardOf(instruction->mutable_operand(i), layout));
    operands.push_back(shard);
  }
  operands.push_back(instruction->mutable_operand(2));
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShardShape(full, layout));
  SetShard(
      instruction,
      instruction->parent()->AddInstruction(instruction->CloneWithNewOperands(shape, operands)),
      layout);
  return true;
}

}  // namespace xla::spmd
