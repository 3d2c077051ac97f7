// SPDX-License-Identifier: Apache-2.0
// Dimension relations of operations that move elements without computing.
#include <algorithm>
#include <numeric>

#include "xla/hlo/dimensions/instruction_relations.h"
#include "xla/hlo/dimensions/rules.h"
#include "xla/shape_util.h"

namespace xla::dimensions {
namespace {

// One side of a reshape: the dimension that is being factored, the product of the sizes up to and
// including it, and the product of the factors found so far. The two are equal between dimensions.
struct Side {
  Sizes sizes;
  int64_t dim = 0;
  int64_t product = 1, factored = 1;

  bool AtEnd() const { return dim == static_cast<int64_t>(sizes.size()); }
  bool IsOne() const { return !AtEnd() && sizes[dim] == 1; }
  void Enter() {
    if (!AtEnd() && product == factored) product *= sizes[dim];
  }
  int64_t Next() const { return product / factored; }  // what remains of the dimension
  void Take(int64_t size) { factored *= size; }
  void Leave() {
    if (!AtEnd() && product == factored) ++dim;
  }
};

// The next factor of the side that is behind, where the sides have diverged: the one that lets them
// meet again, if it divides the dimension; else one that keeps the common divisor for later.
int64_t DivergedFactor(int64_t next, int64_t gcd, int64_t behind, int64_t ahead) {
  if (ahead % behind == 0 && next % (ahead / behind) == 0) return ahead / behind;
  return next > gcd ? next / gcd : next;
}

// Whether the operand in a slice's or the value itself.
const HloInstruction* BeforeSlice(const HloInstruction* value) {
  return value->opcode() == HloOpcode::kSlice ? value->operand(0) : value;
}

// Slices of arrays put together again: rotations and halos. Elements move to neighbors.
bool IsShift(const HloInstruction& concatenate) {
  const auto is_slice = [](const HloInstruction* operand) {
    return operand->opcode() == HloOpcode::kSlice;
  };
  const auto& operands = concatenate.operands();
  if (std::all_of(operands.begin(), operands.end(), is_slice)) return true;
  return std::any_of(operands.begin(), operands.end(), is_slice) &&
         std::all_of(operands.begin(), operands.end(), [&](const HloInstruction* operand) {
           return BeforeSlice(operand) == BeforeSlice(operands[0]);
         });
}

}  // namespace

// Common factors of the operand's and the result's dimensions, major to minor.
Relations RelateReshape(const RelationInput& in) {
  if (ShapeUtil::ElementsIn(in.operand(0)) == 0) return std::nullopt;
  RelationBuilder builder(in);
  Side from{in.operand(0).dimensions()}, to{in.result().dimensions()};
  while (!from.AtEnd() || !to.AtEnd()) {
    if (from.IsOne()) {
      builder.Add({from.dim++}, {kNoDim}, {});
      continue;
    }
    if (to.IsOne()) {
      builder.Add({kNoDim}, {to.dim++}, {});
      continue;
    }
    from.Enter();
    to.Enter();
    const int64_t gcd = std::gcd(from.Next(), to.Next());
    const auto take_from = [&](int64_t size) {
      builder.Add({from.dim}, {kNoDim}, {.size = size});
      from.Take(size);
    };
    const auto take_to = [&](int64_t size) {
      builder.Add({kNoDim}, {to.dim}, {.size = size});
      to.Take(size);
    };
    if (from.factored == to.factored) {
      if (gcd > 1) {
        builder.Add({from.dim}, {to.dim}, {.size = gcd});
        from.Take(gcd);
        to.Take(gcd);
      } else {
        // Nothing in common until the products meet again.
        take_from(from.Next());
        take_to(to.Next());
      }
    } else if (from.factored < to.factored) {
      take_from(DivergedFactor(from.Next(), gcd, from.factored, to.factored));
    } else {
      take_to(DivergedFactor(to.Next(), gcd, to.factored, from.factored));
    }
    from.Leave();
    to.Leave();
  }
  return std::move(builder).Build();
}

// The same elements in memory: a reshape, a transpose or another element type. Only where the
// layouts are row-major is it known which.
Relations RelateBitcast(const RelationInput& in) {
  if (!in.operand(0).IsArray() || !in.result().IsArray()) return std::nullopt;
  const Shape &operand = in.operand(0), &result = in.result();
  if (ShapeUtil::ReshapeIsBitcast(operand, result)) return RelateReshape(in);
  return std::nullopt;
}

Relations RelateBroadcast(const RelationInput& in) {
  return RelateBroadcastInDim(in.operand(0), in.result(),
                              in.attributes<DimensionListAttributes>().dimensions);
}

Relations RelateConcatenate(const RelationInput& in) {
  const int64_t along = in.attributes<DimensionListAttributes>().dimensions[0];
  const FactorKind kind =
      IsShift(in.instruction) ? FactorKind::kPermutation : FactorKind::kNeedReplication;
  RelationBuilder builder(in);
  const Sizes sizes = in.result().dimensions();
  for (int64_t d = 0; d < in.result().rank(); ++d) {
    if (d != along) {
      builder.AddEverywhere(d, {.size = sizes[d]});
    } else if (!in.is_conservative) {
      builder.AddEverywhere(d, {.size = sizes[d], .kind = kind});
    }
  }
  return std::move(builder).Build();
}

Relations RelatePad(const RelationInput& in) {
  RelationBuilder builder(in);
  builder.AddPointwise(in.operand(0).dimensions(), in.result().dimensions(),
                       FactorKind::kPermutation, in.is_conservative);
  return std::move(builder).Build();
}

Relations RelateReverse(const RelationInput& in) {
  const auto& reversed = in.attributes<DimensionListAttributes>().dimensions;
  RelationBuilder builder(in);
  for (int64_t d = 0; d < in.result().rank(); ++d) {
    builder.AddEverywhere(
        d, {.size = in.result().dimensions(static_cast<int>(d)),
            .kind = Contains(reversed, d) ? FactorKind::kPermutation : FactorKind::kPassThrough});
  }
  return std::move(builder).Build();
}

// Starts are known, so that slices of divided dimensions are shifts.
Relations RelateSlice(const RelationInput& in) {
  RelationBuilder builder(in);
  builder.AddPointwise(in.operand(0).dimensions(), in.result().dimensions(),
                       FactorKind::kPermutation, in.is_conservative);
  return std::move(builder).Build();
}

Relations RelateTranspose(const RelationInput& in) {
  const auto& permutation = in.attributes<DimensionListAttributes>().dimensions;
  RelationBuilder builder(in);
  for (size_t d = 0; d < permutation.size(); ++d) {
    builder.Add({permutation[d]}, {static_cast<int64_t>(d)},
                {.size = in.result().dimensions(static_cast<int>(d))});
  }
  return std::move(builder).Build();
}

// The size is that of the whole array, whatever part of it a device has.
Relations RelateGetDimensionSize(const RelationInput& in) {
  RelationBuilder builder(in);
  builder.AddPointwise(in.operand(0).dimensions());
  return std::move(builder).Build();
}

// A run-time size decides which elements of the dimension count, on whatever device they are.
Relations RelateSetDimensionSize(const RelationInput& in) {
  const int64_t sized = in.attributes<OneDimensionAttributes>().dimension();
  RelationBuilder builder(in);
  for (int64_t d = 0; d < in.result().rank(); ++d) {
    builder.Add({d, kNoDim}, {d},
                {.size = in.result().dimensions(static_cast<int>(d)),
                 .kind = d == sized ? FactorKind::kNeedReplication : FactorKind::kPassThrough});
  }
  return std::move(builder).Build();
}

}  // namespace xla::dimensions

namespace xla {

DimensionRelations RelateBroadcastInDim(const Shape& operand, const Shape& result,
                                        absl::Span<const int64_t> dimensions) {
  using dimensions::kNoDim;
  dimensions::RelationBuilder builder({&operand}, {&result});
  for (int64_t d = 0; d < result.rank(); ++d) {
    const auto found = std::find(dimensions.begin(), dimensions.end(), d);
    int64_t from = found == dimensions.end() ? kNoDim : found - dimensions.begin();
    const int64_t size = result.dimensions(static_cast<int>(d));
    if (from != kNoDim && size != 1 && operand.dimensions(static_cast<int>(from)) == 1) {
      builder.Add({from}, {kNoDim}, {});
      from = kNoDim;
    }
    builder.Add({from}, {d}, {.size = size});
  }
  return std::move(builder).Build();
}

std::optional<StretchingBroadcast> MatchStretchingBroadcast(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kBroadcast) return std::nullopt;
  const HloInstruction* reshape = instruction.operand(0);
  if (reshape->opcode() != HloOpcode::kReshape || reshape->user_count() != 1) return std::nullopt;
  const absl::Span<const int64_t> from = reshape->operand(0)->shape().dimensions();
  const absl::Span<const int64_t> to = reshape->shape().dimensions();
  const absl::Span<const int64_t> result = instruction.shape().dimensions();
  if (to.empty() || from.size() <= to.size()) return std::nullopt;
  // A dropped dimension stretches into one between those of its neighbors.
  const auto& places = instruction.attributes<DimensionListAttributes>().dimensions;
  std::vector<int64_t> dimensions;
  size_t kept = 0;
  for (size_t d = 0; d < from.size(); ++d) {
    if (kept < to.size() && from[d] == to[kept]) {
      dimensions.push_back(places[kept++]);
      continue;
    }
    const auto is_free = [&](int64_t place) {
      return result[place] != 1 && std::find(places.begin(), places.end(), place) == places.end() &&
             std::find(dimensions.begin(), dimensions.end(), place) == dimensions.end();
    };
    int64_t place = dimensions.empty() ? 0 : dimensions.back() + 1;
    const int64_t end = static_cast<int64_t>(result.size());
    while (place < end && !is_free(place)) ++place;
    if (from[d] != 1 || place == end) return std::nullopt;
    dimensions.push_back(place);
  }
  if (kept != to.size()) return std::nullopt;
  return StretchingBroadcast{
      reshape->mutable_operand(0),
      RelateBroadcastInDim(reshape->operand(0)->shape(), instruction.shape(), dimensions)};
}

}  // namespace xla
