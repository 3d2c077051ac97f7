// SPDX-License-Identifier: Apache-2.0
// Indices of elements in generated code. They are affine in the lane wherever possible, so that
// contiguous lanes remain contiguous loads.
#ifndef XLA_CPU_CODEGEN_INDEX_H_
#define XLA_CPU_CODEGEN_INDEX_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "xla/cpu/codegen/ir.h"

namespace xla::cpu {

struct IndexSplit;

// Lanes that are near each other: base + offsets[i], where the offsets are 32-bit numbers from 0 to
// `most` and the base is a 64-bit scalar.
struct NearbyLanes {
  IrValue base = nullptr;
  IrValue offsets = nullptr;
  int64_t most = 0;
};

// The index of lane i in one dimension: base + i * step, or lanes[i] where `lanes` is set.
struct IndexTerm {
  IrValue base = nullptr;
  int64_t step = 0;
  int64_t align = 1;  // divides base; 0 if base is 0
  IrValue lanes = nullptr;
  // Bounds for all lanes, inclusive. Known if low <= high.
  int64_t low = 0, high = -1;
  // The quotient and remainder that the index consists of, if they are known: no lane need be
  // divided then.
  std::shared_ptr<const IndexSplit> split = nullptr;
  // The same as `lanes`, if they are known to be near each other: dividing them takes one division
  // and multiplications of small numbers.
  std::optional<NearbyLanes> nearby = std::nullopt;

  bool is_uniform() const { return step == 0 && lanes == nullptr; }
  bool has_bounds() const { return low <= high; }
  // Whether all lanes, or none of them, are known to be in [begin, end).
  bool IsWithin(int64_t begin, int64_t end) const {
    return has_bounds() && low >= begin && high < end;
  }
  bool IsOutside(int64_t begin, int64_t end) const {
    return has_bounds() && (high < begin || low >= end);
  }
  bool operator==(const IndexTerm& o) const {
    return base == o.base && step == o.step && lanes == o.lanes;
  }
};
// origin + period * quotient + remainder, where 0 <= remainder < period.
struct IndexSplit {
  int64_t period = 1, origin = 0;
  IndexTerm quotient, remainder;
};
using IndexVector = absl::InlinedVector<IndexTerm, 4>;

class IndexMath {
 public:
  IndexMath(Ir& ir, int lanes) : ir_(ir), lanes_(lanes) {}

  IndexTerm Constant(int64_t value) const;
  IndexTerm Add(const IndexTerm& a, const IndexTerm& b) const;
  IndexTerm AddConstant(const IndexTerm& a, int64_t c) const;
  IndexTerm Multiply(const IndexTerm& a, int64_t factor) const;
  // Divides; neither `a` nor the divisor is negative. A divisor of 0, of a dimension without
  // elements, gives 0.
  IndexTerm Divide(const IndexTerm& a, int64_t divisor) const;
  IndexTerm Modulo(const IndexTerm& a, int64_t divisor) const;
  // A quotient, rounded down, and its remainder, both known from the split of an index that may be
  // negative. By multiples of the period, the quotient of a negative index is beyond any dimension.
  struct Quotient {
    IndexTerm quotient, remainder;
  };
  std::optional<Quotient> KnownQuotient(const IndexTerm& a, int64_t divisor) const;
  // Returns the term with a split.
  IndexTerm WithSplit(IndexTerm term, IndexSplit split) const;
  // Whether the term is a known constant, the same in all lanes.
  bool IsConstant(const IndexTerm& a, int64_t* constant) const;
  // Returns one value for uniform terms, otherwise one for each lane.
  IrValue ToVector(const IndexTerm& a) const;
  IndexTerm FromVector(IrValue value) const;
  // Lanes of 32 bits, from 0 to `most`, which is at most kMostOffset.
  static constexpr int64_t kMostOffset = int64_t{1} << 30;
  IndexTerm FromOffsets(IrValue offsets, int64_t most) const {
    return FromNearby({ir_.Index(0), offsets, most});
  }
  // Emits low <= a < high: one bit for each lane, or one for all.
  IrValue InRange(const IndexTerm& a, int64_t low, int64_t high) const;
  // Clamps uniform and vector terms to the range. Affine terms stay affine and are not clamped.
  IndexTerm ClampUnlessAffine(const IndexTerm& a, int64_t low, int64_t high) const;

  // Returns the row-major position in an array of these dimensions. Does not recompute positions
  // that Delinearize took apart.
  IndexTerm Linearize(absl::Span<const IndexTerm> index,
                      absl::Span<const int64_t> dimensions) const;
  IndexVector Delinearize(IndexTerm linear, absl::Span<const int64_t> dimensions) const;
  // Returns the index in an array of dimensions `to` of the element at the same row-major position.
  IndexVector Reshape(absl::Span<const IndexTerm> index, absl::Span<const int64_t> from,
                      absl::Span<const int64_t> to) const;

 private:
  // Reshapes an index if each dimension of `to` consists of whole dimensions of `from` and parts of
  // them, so that only parts are divided. Returns no index otherwise.
  IndexVector ReshapeByDimensions(absl::Span<const IndexTerm> index, absl::Span<const int64_t> from,
                                  absl::Span<const int64_t> to) const;
  // Returns lanes that are near each other as such; nothing for others.
  std::optional<NearbyLanes> AsNearby(const IndexTerm& a) const;
  IndexTerm FromNearby(const NearbyLanes& nearby) const;
  // Divides an index of nearby lanes that is not negative: one division for all lanes, and
  // multiplications or comparisons of small numbers for each.
  std::optional<Quotient> QuotientOfLanes(const IndexTerm& a, int64_t divisor) const;
  // Whether all lanes have the same quotient.
  bool LanesStayTogether(const IndexTerm& a, int64_t divisor) const;

  // A position that was divided into indices.
  struct Division {
    IndexTerm linear;
    std::vector<int64_t> dimensions;
    IndexVector index;
  };
  void Remember(const IndexTerm& linear, absl::Span<const int64_t> dimensions,
                const IndexVector& index) const;
  // Returns the division that gave the last dimensions of the index; null if there is none.
  const Division* DivisionAtEnd(absl::Span<const IndexTerm> index,
                                absl::Span<const int64_t> dimensions) const;

  Ir& ir_;
  const int lanes_;
  mutable std::vector<Division> divisions_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_INDEX_H_
