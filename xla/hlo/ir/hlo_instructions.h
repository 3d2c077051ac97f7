// SPDX-License-Identifier: Apache-2.0
// What XLA's subclasses of HloInstruction offer beyond attributes. There are no subclasses here
// (attributes.h): these only hold static functions. Defined in xla/hlo/proto.
#ifndef XLA_HLO_IR_HLO_INSTRUCTIONS_H_
#define XLA_HLO_IR_HLO_INSTRUCTIONS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"  // IWYU pragma: export
#include "xla/xla_data_enums.h"

namespace xla {

struct HloGatherInstruction {
  static GatherDimensionNumbers MakeGatherDimNumbers(
      absl::Span<const int64_t> offset_dims, absl::Span<const int64_t> collapsed_slice_dims,
      absl::Span<const int64_t> start_index_map, int64_t index_vector_dim,
      absl::Span<const int64_t> operand_batching_dims = {},
      absl::Span<const int64_t> start_indices_batching_dims = {});
};

struct HloScatterInstruction {
  static ScatterDimensionNumbers MakeScatterDimNumbers(
      absl::Span<const int64_t> update_window_dims, absl::Span<const int64_t> inserted_window_dims,
      absl::Span<const int64_t> scatter_dims_to_operand_dims, int64_t index_vector_dim,
      absl::Span<const int64_t> input_batching_dims = {},
      absl::Span<const int64_t> scatter_indices_batching_dims = {});
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_INSTRUCTIONS_H_
