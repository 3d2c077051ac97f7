// SPDX-License-Identifier: Apache-2.0
// Indices of elements in generated code: affine in the lane wherever possible, so that contiguous
// lanes stay contiguous loads.
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

// The index of lane i in one dimension: base + i * step, or lanes[i] where `lanes` is set.
struct IndexTerm {
  IrValue base = nullptr;
  int64_t step = 0;
  int64_t align = 1;  // divides base; 0: base is 0
  IrValue lanes = nullptr;
  // All lanes are at least `low` and at most `high`, where that is known: low <= high then.
  int64_t low = 0, high = -1;
  // How the index is made of a quotient and a remainder, where that is known beforehand: no lane
  // need be divided then.
  std::shared_ptr<const IndexSplit> split = nullptr;

  bool is_uniform() const { return step == 0 && lanes == nullptr; }
  bool has_bounds() const { return low <= high; }
  // Whether it is known that all lanes are in [begin, end), or that none is.
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
  // a is not negative, nor is the divisor: 0, a dimension without elements, gives 0.
  IndexTerm Divide(const IndexTerm& a, int64_t divisor) const;
  IndexTerm Modulo(const IndexTerm& a, int64_t divisor) const;
  // Of an index whose split says so, which may be negative: rounded down.
  struct Quotient {
    IndexTerm quotient, remainder;
  };
  std::optional<Quotient> KnownQuotient(const IndexTerm& a, int64_t divisor) const;
  // The term with a split.
  IndexTerm WithSplit(IndexTerm term, IndexSplit split) const;
  // The same in all lanes, and known.
  bool IsConstant(const IndexTerm& a, int64_t* constant) const;
  // One value for uniform terms, else one per lane.
  IrValue ToVector(const IndexTerm& a) const;
  IndexTerm FromVector(IrValue value) const;
  // low <= a < high, one bit per lane or one for all.
  IrValue InRange(const IndexTerm& a, int64_t low, int64_t high) const;
  // Uniform and vector terms are moved into the range where they are outside of it.
  IndexTerm ClampUnlessAffine(const IndexTerm& a, int64_t low, int64_t high) const;

  // The position in row-major order of an array of these dimensions. What Delinearize gave for them
  // is not computed again.
  IndexTerm Linearize(absl::Span<const IndexTerm> index,
                      absl::Span<const int64_t> dimensions) const;
  IndexVector Delinearize(IndexTerm linear, absl::Span<const int64_t> dimensions) const;
  // The index in an array of dimensions `to` of the element at the same row-major position.
  IndexVector Reshape(absl::Span<const IndexTerm> index, absl::Span<const int64_t> from,
                      absl::Span<const int64_t> to) const;

 private:
  // The same where each dimension of `to` is made of whole dimensions of `from` and parts of them:
  // only these are divided. None elsewhere.
  IndexVector ReshapeByDimensions(absl::Span<const IndexTerm> index, absl::Span<const int64_t> from,
                                  absl::Span<const int64_t> to) const;
  // Of an affine index, which is not negative, and a small divisor: one division for all lanes, and
  // multiplications of small numbers for each.
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
  // That of the last dimensions of an array; null if they are of no such position.
  const Division* DivisionAtEnd(absl::Span<const IndexTerm> index,
                                absl::Span<const int64_t> dimensions) const;

  Ir& ir_;
  const int lanes_;
  mutable std::vector<Division> divisions_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_INDEX_H_
