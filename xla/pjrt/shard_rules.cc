// SPDX-License-Identifier: Apache-2.0
// Rules for operations on shards, as relations between the dimensions of operands and results.
#include "xla/pjrt/shard_rules.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal.h"
#include "xla/pjrt/batch_rules.h"
#include "xla/pjrt/divisions.h"

namespace xla::pjrt {
namespace {

bool Divides(const Tiles& tiles, const Shape& shape) {
  for (size_t d = 0; d < tiles.counts.size(); ++d) {
    if (shape.dimensions(static_cast<int>(d)) % tiles.counts[d] != 0) return false;
  }
  return true;
}

size_t FirstKnown(absl::Span<const Tiles* const> known) {
  size_t i = 0;
  while (i < known.size() && known[i] == nullptr) ++i;
  return i;
}

// --- The rules. `operands` of the form are filled, with as many as there are.

std::optional<ShardForm> ElementwiseForm(const HloInstruction& instruction,
                                         absl::Span<const Tiles* const> known) {
  ShardForm form;
  form.result = *known[FirstKnown(known)];
  for (const HloInstruction* operand : instruction.operands()) {
    const bool is_scalar = operand->shape().rank() == 0;
    form.operands.push_back(is_scalar ? std::nullopt : std::optional<Tiles>(form.result));
  }
  return form;
}

// Dimension i of the result is dimension `source[i]` of the operand, or new if that is -1.
std::optional<ShardForm> MovingForm(const Tiles& operand, absl::Span<const int64_t> source,
                                    int64_t partitions) {
  const Divisions from = DivisionsOf(operand);
  Divisions to;
  for (const int64_t d : source) to.push_back(d < 0 ? Division() : from[static_cast<size_t>(d)]);
  std::optional<Tiles> result = TilesFrom(to, partitions);
  if (!result.has_value()) return std::nullopt;
  return ShardForm{{operand}, *std::move(result), {}};
}

std::optional<ShardForm> BroadcastForm(const HloInstruction& instruction, const Tiles& operand,
                                       int64_t partitions) {
  std::vector<int64_t> source(static_cast<size_t>(instruction.shape().rank()), -1);
  const auto& dimensions = instruction.attributes<DimensionListAttributes>().dimensions;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    source[static_cast<size_t>(dimensions[i])] = static_cast<int64_t>(i);
  }
  return MovingForm(operand, source, partitions);
}

// A divided dimension must begin where one of the result does.
std::optional<ShardForm> ReshapeForm(const HloInstruction& instruction, const Tiles& operand,
                                     int64_t partitions) {
  const Shape& from = instruction.operand(0)->shape();
  const Shape& to = instruction.shape();
  const Divisions divided = DivisionsOf(operand);
  Divisions result(static_cast<size_t>(to.rank()));
  int64_t before = 1;
  for (int d = 0; d < from.rank(); ++d) {
    const Division& division = divided[static_cast<size_t>(d)];
    if (division.count > 1) {
      int64_t to_before = 1;
      int e = 0;
      // Sizes of 1 are passed over.
      while (e < to.rank() && (to_before < before || to.dimensions(e) == 1)) {
        to_before *= to.dimensions(e++);
      }
      if (e == to.rank() || to_before != before || to.dimensions(e) % division.count != 0) {
        return std::nullopt;
      }
      result[static_cast<size_t>(e)] = division;
    }
    before *= from.dimensions(d);
  }
  std::optional<Tiles> tiles = TilesFrom(result, partitions);
  if (!tiles.has_value()) return std::nullopt;
  return ShardForm{{operand}, *std::move(tiles), {}};
}

// The tiles of divided dimensions change places, too: the operand's are those of the result,
// counted from the end.
std::optional<ShardForm> ReverseForm(const HloInstruction& instruction, const Tiles& result) {
  const auto& reversed = instruction.attributes<DimensionListAttributes>().dimensions;
  const auto mirror = [&](int64_t tile) {
    int64_t mirrored = 0, scale = 1;
    for (size_t d = result.counts.size(); d-- > 0;) {
      const int64_t count = result.counts[d];
      const int64_t position = tile % count;
      const bool is_reversed = absl::c_linear_search(reversed, static_cast<int64_t>(d));
      mirrored += scale * (is_reversed ? count - 1 - position : position);
      tile /= count;
      scale *= count;
    }
    return mirrored;
  };
  Tiles operand = result;
  for (int64_t& tile : operand.tile_of) tile = mirror(tile);
  for (size_t g = 0; g < result.groups.size(); ++g) {
    for (size_t tile = 0; tile < result.groups[g].size(); ++tile) {
      operand.groups[g][static_cast<size_t>(mirror(static_cast<int64_t>(tile)))] =
          result.groups[g][tile];
    }
  }
  return ShardForm{{std::move(operand)}, result, {}};
}

// Whether parts that were each begun with the initial value may be combined.
bool MayBeCombined(const HloInstruction& reduce) {
  const HloInstruction& root = *reduce.to_apply()->root_instruction();
  if (root.operand_count() != 2 || root.operand(0)->opcode() != HloOpcode::kParameter ||
      root.operand(1)->opcode() != HloOpcode::kParameter || root.operand(0) == root.operand(1)) {
    return false;
  }
  const HloInstruction& initial = *reduce.operand(1);
  const auto is = [&](int8_t value) {
    return initial.opcode() == HloOpcode::kConstant && initial.literal().IsAll(value);
  };
  switch (root.opcode()) {
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kAnd:
    case HloOpcode::kOr:
      return true;
    case HloOpcode::kAdd:
      return is(0);
    case HloOpcode::kMultiply:
      return is(1);
    default:
      return false;
  }
}

std::optional<ShardForm> ReduceForm(const HloInstruction& instruction, const Tiles& operand,
                                    int64_t partitions) {
  if (instruction.operand_count() != 2) return std::nullopt;
  const auto& dimensions = instruction.attributes<DimensionListAttributes>().dimensions;
  const Divisions from = DivisionsOf(operand);
  Divisions kept, reduced;
  for (size_t d = 0; d < from.size(); ++d) {
    const bool is_reduced = absl::c_linear_search(dimensions, static_cast<int64_t>(d));
    (is_reduced ? reduced : kept).push_back(from[d]);
  }
  auto partial = PartialGroups(kept, reduced, partitions);
  std::optional<Tiles> result = TilesFrom(kept, partitions);
  if (!partial.has_value() || !result.has_value()) return std::nullopt;
  if (!partial->empty() && !MayBeCombined(instruction)) return std::nullopt;
  return ShardForm{{operand, std::nullopt}, *std::move(result), *std::move(partial)};
}

struct DotSide {
  absl::Span<const int64_t> batch, contracting;
  std::vector<int64_t> free;
};

DotSide SideOf(absl::Span<const int64_t> batch, absl::Span<const int64_t> contracting, int rank) {
  DotSide side{batch, contracting, {}};
  for (int64_t d = 0; d < rank; ++d) {
    if (!absl::c_linear_search(batch, d) && !absl::c_linear_search(contracting, d)) {
      side.free.push_back(d);
    }
  }
  return side;
}

bool AreUndivided(const Divisions& divisions, absl::Span<const int64_t> dimensions) {
  return absl::c_all_of(dimensions,
                        [&](int64_t d) { return divisions[static_cast<size_t>(d)].count == 1; });
}

std::optional<ShardForm> DotForm(const HloInstruction& dot, absl::Span<const Tiles* const> known,
                                 int64_t partitions) {
  const auto& numbers = dot.attributes<DotAttributes>();
  const DotSide sides[] = {SideOf(numbers.lhs_batch_dims, numbers.lhs_contracting_dims,
                                  static_cast<int>(dot.operand(0)->shape().rank())),
                           SideOf(numbers.rhs_batch_dims, numbers.rhs_contracting_dims,
                                  static_cast<int>(dot.operand(1)->shape().rank()))};
  Divisions divided[2];
  for (size_t s = 0; s < 2; ++s) {
    if (known[s] != nullptr) {
      divided[s] = DivisionsOf(*known[s]);
    } else {
      divided[s].resize(static_cast<size_t>(dot.operand(static_cast<int64_t>(s))->shape().rank()));
    }
  }
  // The leading side says how batch and contracting dimensions are divided, and its free ones; the
  // free ones of the other are divided only if nothing else is in the way.
  const size_t lead = known[0] != nullptr ? 0 : 1;
  const size_t other = 1 - lead;
  const auto form_with = [&](bool keeps_other) -> std::optional<ShardForm> {
    Divisions follower(divided[other].size());
    if (keeps_other) {
      for (const int64_t d : sides[other].free) {
        follower[static_cast<size_t>(d)] = divided[other][static_cast<size_t>(d)];
      }
    }
    const auto follow = [&](absl::Span<const int64_t> from, absl::Span<const int64_t> to) {
      for (size_t i = 0; i < from.size(); ++i) {
        follower[static_cast<size_t>(to[i])] = divided[lead][static_cast<size_t>(from[i])];
      }
    };
    follow(sides[lead].batch, sides[other].batch);
    follow(sides[lead].contracting, sides[other].contracting);
    const Divisions* of[2];
    of[lead] = &divided[lead];
    of[other] = &follower;
    Divisions result, reduced;
    for (const int64_t d : sides[0].batch) result.push_back((*of[0])[static_cast<size_t>(d)]);
    for (size_t s = 0; s < 2; ++s) {
      for (const int64_t d : sides[s].free) result.push_back((*of[s])[static_cast<size_t>(d)]);
    }
    for (const int64_t d : sides[0].contracting) {
      reduced.push_back((*of[0])[static_cast<size_t>(d)]);
    }
    Divisions all = result;
    all.insert(all.end(), reduced.begin(), reduced.end());
    // Every combination of tiles must be on some partition.
    if (!TilesFrom(all, partitions).has_value()) return std::nullopt;
    const std::optional<Tiles> lhs = TilesFrom(*of[0], partitions);
    const std::optional<Tiles> rhs = TilesFrom(*of[1], partitions);
    const std::optional<Tiles> tiles = TilesFrom(result, partitions);
    auto partial = PartialGroups(result, reduced, partitions);
    if (!lhs || !rhs || !tiles || !partial) return std::nullopt;
    return ShardForm{{lhs, rhs}, *tiles, *std::move(partial)};
  };
  const bool may_keep = known[other] != nullptr && !AreUndivided(divided[other], sides[other].free);
  if (may_keep) {
    if (std::optional<ShardForm> form = form_with(true)) return form;
  }
  return form_with(false);
}

std::optional<ShardForm> FormOf(const HloInstruction& instruction,
                                absl::Span<const Tiles* const> known, int64_t partitions) {
  const size_t first = FirstKnown(known);
  if (first == known.size()) return std::nullopt;
  switch (instruction.opcode()) {
    case HloOpcode::kDot:
      return DotForm(instruction, known, partitions);
    case HloOpcode::kTranspose:
      return MovingForm(*known[0], instruction.attributes<DimensionListAttributes>().dimensions,
                        partitions);
    case HloOpcode::kBroadcast:
      return BroadcastForm(instruction, *known[0], partitions);
    case HloOpcode::kReshape:
      return ReshapeForm(instruction, *known[0], partitions);
    case HloOpcode::kReverse:
      return ReverseForm(instruction, *known[0]);
    case HloOpcode::kReduce:
      return first == 0 ? ReduceForm(instruction, *known[0], partitions) : std::nullopt;
    default:
      if (instruction.info().Has(op_traits::kElementwiseTrait)) {
        return ElementwiseForm(instruction, known);
      }
      return BatchForm(instruction, known, partitions);
  }
}

}  // namespace

std::optional<ShardForm> FormOnShards(const HloInstruction& instruction,
                                      absl::Span<const Tiles* const> known, int64_t partitions) {
  std::optional<ShardForm> form = FormOf(instruction, known, partitions);
  if (!form.has_value()) return std::nullopt;
  if (instruction.shape().IsArray() && !Divides(form->result, instruction.shape())) {
    return std::nullopt;
  }
  for (size_t i = 0; i < form->elements.size(); ++i) {
    if (!Divides(form->elements[i], instruction.shape().tuple_shapes(static_cast<int>(i)))) {
      return std::nullopt;
    }
  }
  for (size_t i = 0; i < form->operands.size(); ++i) {
    const std::optional<Tiles>& tiles = form->operands[i];
    if (tiles && !Divides(*tiles, instruction.operand(static_cast<int64_t>(i))->shape())) {
      return std::nullopt;
    }
  }
  return form;
}

absl::StatusOr<HloSharding> ShardingOfTiles(const Tiles& tiles) {
  if (tiles.AreUndivided()) return HloSharding::Replicate();
  std::vector<int64_t> dims = tiles.counts, devices;
  dims.push_back(static_cast<int64_t>(tiles.groups.size()));
  for (size_t tile = 0; tile < static_cast<size_t>(tiles.size()); ++tile) {
    for (const std::vector<int64_t>& group : tiles.groups) devices.push_back(group[tile]);
  }
  XLA_ASSIGN_OR_RETURN(const TileAssignment assignment, TileAssignment::Create(dims, devices));
  return HloSharding::FromSubgroups(assignment, {OpSharding_Type_REPLICATED});
}

}  // namespace xla::pjrt
