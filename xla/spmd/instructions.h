// SPDX-License-Identifier: Apache-2.0
// The small instructions that partitioning adds to a computation.
#ifndef XLA_SPMD_INSTRUCTIONS_H_
#define XLA_SPMD_INSTRUCTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/ir/named_sharding.h"
#include "xla/shape.h"

namespace xla::spmd {

// Whether this is a custom call of this target.
bool IsCall(const HloInstruction& instruction, std::string_view target);

// What the custom calls "Sharding" and "InspectSharding" annotate.
HloInstruction* WithoutAnnotations(HloInstruction* value);
// A custom call "Sharding" of a value.
HloInstruction* Annotation(HloInstruction* value, const HloSharding& sharding);

// Replicated if nothing else is stated.
HloSharding ShardingOf(const HloInstruction& instruction);
// The sharding of a leaf of a value, of which the leaves are numbered in order.
HloSharding LeafSharding(const HloSharding& sharding, size_t leaf);

// The computation and those that it calls, directly or not.
std::vector<HloComputation*> ReachableComputations(HloComputation* computation);

// The dimensions that an annotation leaves to the partitioner: unspecified_dims=[0,2] in its
// backend_config. None if that is something else.
std::vector<int64_t> UnspecifiedDims(const HloInstruction& annotation);

// An instruction of the default layout.
HloInstruction* Add(HloComputation* computation, HloOpcode opcode, Shape shape,
                    absl::Span<HloInstruction* const> operands,
                    Attributes attributes = NoAttributes{});
HloInstruction* Reshape(HloInstruction* value, absl::Span<const int64_t> dimensions);
DimensionListAttributes Dimensions(std::vector<int64_t> dimensions);
// A constant, an s32. Precondition: it fits.
HloInstruction* ScalarS32(HloComputation* computation, int64_t value);
// The number of this partition, an s32.
HloInstruction* PartitionNumber(HloComputation* computation);
// The entry of a table at a position, both s32.
HloInstruction* TableEntry(HloComputation* computation, absl::Span<const int32_t> table,
                           HloInstruction* position);
// Zeros of a shape; of a token, a new one.
HloInstruction* Zero(HloComputation* computation, const Shape& shape);
// Zeros behind the end of each dimension; the value itself if it has the shape.
HloInstruction* WithPadding(HloInstruction* value, const Shape& shape);
// The elements before the padding; the value itself if it has the shape.
HloInstruction* WithoutPadding(HloInstruction* padded, const Shape& shape);
HloInstruction* Element(HloInstruction* tuple, int64_t index);

// What a combiner makes of two values, if a sharding can state it.
std::optional<UnreducedKind> ReductionOf(const HloComputation& combiner);
std::optional<UnreducedKind> ReductionOf(const HloInstruction& operation);

}  // namespace xla::spmd

#endif  // XLA_SPMD_INSTRUCTIONS_H_
