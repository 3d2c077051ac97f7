// SPDX-License-Identifier: Apache-2.0
// How convolutions are divided: along batches, features, groups of both, space, and the window.
#ifndef XLA_SPMD_CONVOLUTION_LAYOUTS_H_
#define XLA_SPMD_CONVOLUTION_LAYOUTS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/spmd/dimension_sharding.h"
#include "xla/spmd/row_range.h"
#include "xla/spmd/shard_emitter.h"
#include "xla/spmd/shard_layout.h"

namespace xla::spmd {

// Dimensions that are divided in the same way, or -1.
struct ConvolutionFactor {
  enum class Kind : uint8_t {
    kFree,      // of one operand and the result
    kSummed,    // features that are contracted
    kGrouped,   // groups of features or of the batch
    kSpatial,   // rows of the input and the result
    kParallel,  // spatial, but each row of the result is of one row of the input and of the kernel
    kOuter,     // spatial, but each row of the result is one row of the kernel times the input
    kWindowed,  // positions of the window, and rows of the input: results are summed
  };
  Kind kind;
  int64_t dims[3];  // of the input, the kernel and the result
  int64_t spatial = -1;
};

std::vector<ConvolutionFactor> ConvolutionFactors(const HloInstruction& convolution);

struct ConvolutionLayouts {
  std::vector<DimensionSharding> loops;  // of each factor
  ShardLayout arrays[3];
  PartitionGroups partial;
  // Rows of the input for reversed windows are divided in the order of positions, not of rows.
  bool is_reversed = false;
};

// The input, the kernel or the result.
const Shape& ConvolutionArray(const HloInstruction& convolution, size_t array);

// The rows of the input for some of the positions of the window.
RowRange RowsOfWindowPart(const HloInstruction& convolution, const ConvolutionFactor& loop,
                          int64_t count, bool is_reversed);

// Chooses the layouts with which partitions receive least, of those that follow from how the
// operands are divided (where they are) and from how the result is wanted.
class ConvolutionChoice {
 public:
  ConvolutionChoice(const HloInstruction& convolution, absl::Span<const ConvolutionFactor> factors,
                    std::array<std::optional<ShardLayout>, 2> operands,
                    std::optional<ShardLayout> wanted, const ShardEmitter& emitter);

  // None if nothing is divided, or no layouts fit.
  std::optional<ConvolutionLayouts> Choose();

 private:
  struct Given {
    size_t array;
    DimensionShardings shardings;
  };
  // Which factors may be divided, as the arrays have them in this order.
  struct Attempt {
    absl::Span<const size_t> order;
    bool may_sum, may_window, is_reversed;
  };

  void Consider(const Attempt& attempt);
  std::vector<DimensionSharding> ShardingsOf(const Attempt& attempt) const;
  int64_t BytesReceived(const ConvolutionLayouts& layouts) const;
  // Of rows of the input that other partitions have.
  int64_t BytesOfRows(const ConvolutionLayouts& layouts, size_t factor) const;
  int64_t ShardBytes(const ConvolutionLayouts& layouts, size_t array) const;

  const HloInstruction& convolution_;
  const absl::Span<const ConvolutionFactor> factors_;
  const std::array<std::optional<ShardLayout>, 2> operands_;
  const std::optional<ShardLayout> wanted_;
  const ShardEmitter& emitter_;
  std::vector<Given> given_;
  std::optional<ConvolutionLayouts> best_;
  int64_t least_ = INT64_MAX;
};

}  // namespace xla::spmd

#endif  // XLA_SPMD_CONVOLUTION_LAYOUTS_H_
