// SPDX-License-Identifier: Apache-2.0
// Instructions that take or put elements at indices along dimensions that are divided: each
// partition works on the indices that fall into its shard, and the parts are added.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/spmd/dimension_sharding.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

HloInstruction* Spread(HloInstruction* scalar, const Shape& shape) {
  return Add(scalar->parent(), HloOpcode::kBroadcast,
             ShapeUtil::MakeShape(scalar->shape().element_type(), shape.dimensions()), {scalar},
             Dimensions({}));
}

HloInstruction* Binary(HloOpcode opcode, HloInstruction* a, HloInstruction* b) {
  return Add(a->parent(), opcode, a->shape(), {a, b});
}

// Integers of any type as s32 in [low, high], which fit.
HloInstruction* Clamped(HloInstruction* index, int64_t low, int64_t high) {
  HloComputation* computation = index->parent();
  const PrimitiveType type = index->shape().element_type();
  const auto bound = [&](int64_t value) {
    HloInstruction* scalar = ScalarS32(computation, value);
    if (type != PrimitiveType::S32) {
      scalar = Add(computation, HloOpcode::kConvert, ShapeUtil::MakeShape(type, {}), {scalar});
    }
    return index->shape().rank() == 0 ? scalar : Spread(scalar, index->shape());
  };
  HloInstruction* clamped =
      Add(computation, HloOpcode::kClamp, index->shape(), {bound(low), index, bound(high)});
  if (type == PrimitiveType::S32) return clamped;
  return Add(computation, HloOpcode::kConvert,
             ShapeUtil::MakeShape(PrimitiveType::S32, index->shape().dimensions()), {clamped});
}

// Whether indices of the type can state all positions of a dimension.
bool Holds(PrimitiveType type, int64_t size) {
  const int bits = primitive_util::BitWidth(type);
  return size <= INT32_MAX && (bits >= 32 || size < (int64_t{1} << (bits - 1)));
}

// Dimensions of an operand that are divided and for which the predicate does not hold.
template <typename Predicate>
std::vector<int64_t> DividedUnless(const ShardLayout& layout, Predicate is_kept) {
  std::vector<int64_t> dimensions;
  for (size_t d = 0; d < layout.counts.size(); ++d) {
    if (layout.counts[d] > 1 && !is_kept(static_cast<int64_t>(d))) {
      dimensions.push_back(static_cast<int64_t>(d));
    }
  }
  return dimensions;
}

HloInstruction* Padded(HloInstruction* value, int64_t d, int64_t rows) {
  PadAttributes attributes;
  attributes.padding.resize(static_cast<size_t>(value->shape().rank()));
  attributes.padding[static_cast<size_t>(d)] = {rows, rows, 0};
  Shape shape = value->shape();
  shape.set_dimensions(static_cast<int>(d), shape.dimensions(static_cast<int>(d)) + 2 * rows);
  HloInstruction* zero = Zero(value->parent(), ShapeUtil::MakeShape(shape.element_type(), {}));
  return Add(value->parent(), HloOpcode::kPad, shape, {value, zero}, std::move(attributes));
}

// Where `row`, an s32 of any shape, is within [0, size).
HloInstruction* Within(HloInstruction* row, int64_t size) {
  HloComputation* computation = row->parent();
  const Shape mask = ShapeUtil::MakeShape(PRED, row->shape().dimensions());
  const auto compare = [&](int64_t value, ComparisonDirection direction) {
    return Add(computation, HloOpcode::kCompare, mask,
               {row, Spread(ScalarS32(computation, value), row->shape())},
               CompareAttributes{.direction = direction});
  };
  return Add(computation, HloOpcode::kAnd, mask,
             {compare(0, ComparisonDirection::kGe), compare(size, ComparisonDirection::kLt)});
}

// Unsigned integers of as many bits, for floating-point numbers.
PrimitiveType BitsOf(PrimitiveType type) {
  if (!primitive_util::IsFloatingPointType(type)) return type;
  switch (primitive_util::BitWidth(type)) {
    case 64:
      return U64;
    case 32:
      return U32;
    case 16:
      return U16;
    case 8:
      return U8;
    default:
      return type;
  }
}

}  // namespace

HloInstruction* Partitioner::CombineDisjoint(HloInstruction* part, const PartitionGroups& groups) {
  const PrimitiveType type = part->shape().element_type();
  const PrimitiveType bits = BitsOf(type);
  const auto as = [&](HloInstruction* value, PrimitiveType to) {
    return Add(value->parent(), HloOpcode::kBitcastConvert,
               ShapeUtil::MakeShape(to, value->shape().dimensions()), {value});
  };
  HloInstruction* summands = bits == type ? part : as(part, bits);
  // Of booleans the larger one.
  const auto reduction = type == PRED ? UnreducedKind::kMax : UnreducedKind::kSum;
  HloInstruction* sum = emit_.Combine(summands, groups, emit_.Combiner(bits, reduction));
  return bits == type ? sum : as(sum, type);
}

absl::StatusOr<bool> Partitioner::PartitionDynamicSlice(HloInstruction* slice) {
  const Source source = SourceOf(slice->mutable_operand(0));
  const Shape& full = slice->operand(0)->shape();
  if (source.shard == nullptr || !IsEven(full, source.layout)) return false;
  const std::vector<int64_t> divided = DividedUnless(source.layout, [&](int64_t d) {
    return slice->shape().dimensions(static_cast<int>(d)) == full.dimensions(static_cast<int>(d));
  });
  if (divided.size() != 1 || ShapeUtil::IsZeroElementArray(slice->shape())) return false;
  const int64_t d = divided[0];
  const int dim = static_cast<int>(d);
  HloInstruction* index = slice->mutable_operand(d + 1);
  if (index->shape().rank() != 0 || !Holds(index->shape().element_type(), full.dimensions(dim))) {
    return false;
  }
  DimensionShardings kept = DimensionShardingsOf(source.layout);
  const DimensionShardings reduced = {std::exchange(kept[static_cast<size_t>(d)], {})};
  const auto layout = ShardLayoutFrom(kept, partitions_);
  const auto groups = PartialGroups(kept, reduced, partitions_);
  if (!layout.has_value() || !groups.has_value()) return false;
  const int64_t rows = slice->shape().dimensions(dim);
  const int64_t size = source.shard->shape().dimensions(dim);
  HloComputation* computation = slice->parent();
  HloInstruction* start =
      Binary(HloOpcode::kSubtract, Clamped(index, 0, full.dimensions(dim) - rows),
             ShardStart(computation, source.layout, static_cast<size_t>(d), size));
  HloInstruction* at =
      Clamped(Binary(HloOpcode::kAdd, start, ScalarS32(computation, rows)), 0, size + rows);
  Instructions operands = {Padded(source.shard, d, rows)};
  for (int64_t e = 0; e < full.rank(); ++e) {
    HloInstruction* other = slice->mutable_operand(e + 1);
    const bool is_divided = source.layout.counts[static_cast<size_t>(e)] > 1;
    if (e == d) {
      other = at;
    } else if (is_divided) {
      other = ScalarS32(computation, 0);
    } else {
      other = Clamped(
          other, 0,
          full.dimensions(static_cast<int>(e)) - slice->shape().dimensions(static_cast<int>(e)));
    }
    operands.push_back(other);
  }
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShardShape(slice->shape(), *layout));
  DynamicSliceAttributes attributes;
  attributes.dynamic_slice_sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
  HloInstruction* part =
      Add(computation, HloOpcode::kDynamicSlice, shape, operands, std::move(attributes));
  const Shape numbers = ShapeUtil::MakeShape(PrimitiveType::S32, shape.dimensions());
  HloInstruction* row =
      Binary(HloOpcode::kAdd,
             Add(computation, HloOpcode::kIota, numbers, {}, IotaAttributes{.iota_dimension = d}),
             Spread(start, shape));
  part = emit_.Masked(part, Within(row, size),
                      Zero(computation, ShapeUtil::MakeShape(shape.element_type(), {})));
  XLA_RETURN_IF_ERROR(SetResult(slice, CombineDisjoint(part, *groups), *layout));
  return true;
}

absl::StatusOr<bool> Partitioner::PartitionDynamicUpdateSlice(HloInstruction* update) {
  const Source source = SourceOf(update->mutable_operand(0));
  const Shape& full = update->shape();
  const Shape& part = update->operand(1)->shape();
  if (source.shard == nullptr || !IsEven(full, source.layout)) return false;
  const std::vector<int64_t> divided = DividedUnless(source.layout, [&](int64_t d) {
    return part.dimensions(static_cast<int>(d)) == full.dimensions(static_cast<int>(d));
  });
  if (divided.size() != 1 || ShapeUtil::IsZeroElementArray(part)) return false;
  const int64_t d = divided[0];
  const int dim = static_cast<int>(d);
  HloInstruction* index = update->mutable_operand(d + 2);
  if (!Holds(index->shape().element_type(), full.dimensions(dim))) return false;
  DimensionShardings kept = DimensionShardingsOf(source.layout);
  kept[static_cast<size_t>(d)] = {};
  const auto layout = ShardLayoutFrom(kept, partitions_);
  if (!layout.has_value()) return false;
  XLA_ASSIGN_OR_RETURN(HloInstruction * rows, ShardOf(update->mutable_operand(1), *layout));
  const int64_t count = part.dimensions(dim), size = source.shard->shape().dimensions(dim);
  HloComputation* computation = update->parent();
  HloInstruction* start =
      Binary(HloOpcode::kSubtract, Clamped(index, 0, full.dimensions(dim) - count),
             ShardStart(computation, source.layout, static_cast<size_t>(d), size));
  // What falls beside the shard is put into padding.
  HloInstruction* at =
      Clamped(Binary(HloOpcode::kAdd, start, ScalarS32(computation, count)), 0, size + count);
  HloInstruction* padded = Padded(source.shard, d, count);
  Instructions operands = {padded, rows};
  for (int64_t e = 0; e < full.rank(); ++e) {
    HloInstruction* other = update->mutable_operand(e + 2);
    const int i = static_cast<int>(e);
    if (e == d) {
      other = at;
    } else if (source.layout.counts[static_cast<size_t>(e)] > 1) {
      other = ScalarS32(computation, 0);
    } else {
      other = Clamped(other, 0, full.dimensions(i) - part.dimensions(i));
    }
    operands.push_back(other);
  }
  HloInstruction* updated =
      Add(computation, HloOpcode::kDynamicUpdateSlice, padded->shape(), operands);
  SliceAttributes attributes;
  for (const int64_t n : source.shard->shape().dimensions()) attributes.slice.push_back({0, n, 1});
  attributes.slice[static_cast<size_t>(d)] = {count, count + size, 1};
  SetShard(
      update,
      Add(computation, HloOpcode::kSlice, source.shard->shape(), {updated}, std::move(attributes)),
      source.layout);
  return true;
}

namespace {

// Index vectors, and which of their components a divided dimension has.
struct IndexVectors {
  HloInstruction* indices;
  int64_t vector_dim;  // the rank of `indices` if each is a vector of one element
  int64_t component;

  bool IsImplicit() const { return vector_dim == indices->shape().rank(); }
  Shape BatchShape() const {
    return IsImplicit() ? ShapeUtil::MakeShape(PrimitiveType::S32, indices->shape().dimensions())
                        : ShapeUtil::DeleteDimension(
                              vector_dim, ShapeUtil::MakeShape(PrimitiveType::S32,
                                                               indices->shape().dimensions()));
  }
};

// The component of all vectors, an array of their batch.
HloInstruction* ComponentOf(const IndexVectors& vectors) {
  if (vectors.IsImplicit()) return vectors.indices;
  SliceAttributes attributes;
  Shape shape = vectors.indices->shape();
  for (const int64_t n : shape.dimensions()) attributes.slice.push_back({0, n, 1});
  attributes.slice[static_cast<size_t>(vectors.vector_dim)] = {vectors.component,
                                                               vectors.component + 1, 1};
  shape.set_dimensions(static_cast<int>(vectors.vector_dim), 1);
  HloInstruction* slice = Add(vectors.indices->parent(), HloOpcode::kSlice, shape,
                              {vectors.indices}, std::move(attributes));
  return Reshape(slice, vectors.BatchShape().dimensions());
}

// The vectors with another component, which has the type of the vectors.
HloInstruction* WithComponent(const IndexVectors& vectors, HloInstruction* component) {
  if (vectors.IsImplicit()) return component;
  HloComputation* computation = component->parent();
  const Shape& shape = vectors.indices->shape();
  std::vector<int64_t> batch;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d != vectors.vector_dim) batch.push_back(d);
  }
  HloInstruction* all =
      Add(computation, HloOpcode::kBroadcast, shape, {component}, Dimensions(std::move(batch)));
  const Shape numbers = ShapeUtil::MakeShape(PrimitiveType::S32, shape.dimensions());
  HloInstruction* number = Add(computation, HloOpcode::kIota, numbers, {},
                               IotaAttributes{.iota_dimension = vectors.vector_dim});
  HloInstruction* is_component =
      Add(computation, HloOpcode::kCompare, ShapeUtil::MakeShape(PRED, shape.dimensions()),
          {number, Spread(ScalarS32(computation, vectors.component), shape)},
          CompareAttributes{.direction = ComparisonDirection::kEq});
  return Add(computation, HloOpcode::kSelect, shape, {is_component, all, vectors.indices});
}

HloInstruction* As(HloInstruction* value, PrimitiveType type) {
  if (value->shape().element_type() == type) return value;
  return Add(value->parent(), HloOpcode::kConvert,
             ShapeUtil::MakeShape(type, value->shape().dimensions()), {value});
}

}  // namespace

namespace {

// The dimensions of a gather's result that are not of slices.
std::vector<int64_t> BatchDimensions(const HloInstruction& gather) {
  const auto& numbers = gather.attributes<GatherAttributes>();
  std::vector<int64_t> batch;
  for (int64_t e = 0; e < gather.shape().rank(); ++e) {
    if (!absl::c_linear_search(numbers.offset_dims, e)) batch.push_back(e);
  }
  return batch;
}

// The result's shardings where slices keep dimensions of the operand, but for one that is indexed.
std::optional<DimensionShardings> KeptShardings(const HloInstruction& gather,
                                                const ShardLayout& operand, int64_t indexed) {
  const auto& numbers = gather.attributes<GatherAttributes>();
  const DimensionShardings given = DimensionShardingsOf(operand);
  DimensionShardings result(static_cast<size_t>(gather.shape().rank()));
  size_t offset = 0;
  for (int64_t e = 0; e < static_cast<int64_t>(given.size()); ++e) {
    const DimensionSharding& sharding = given[static_cast<size_t>(e)];
    if (absl::c_linear_search(numbers.collapsed_slice_dims, e) ||
        absl::c_linear_search(numbers.operand_batching_dims, e)) {
      if (e != indexed && sharding.count > 1) return std::nullopt;
      continue;
    }
    const int64_t to = numbers.offset_dims[offset++];
    if (e != indexed) result[static_cast<size_t>(to)] = sharding;
  }
  return result;
}

// The same with the shardings of the indices; none if vectors of indices are divided, or shards
// are not of one size.
std::optional<DimensionShardings> WithIndexShardings(const HloInstruction& gather,
                                                     DimensionShardings result,
                                                     const ShardLayout& layout) {
  const int64_t vector_dim = gather.attributes<GatherAttributes>().index_vector_dim;
  const Shape& indices = gather.operand(1)->shape();
  if (!IsEven(indices, layout)) return std::nullopt;
  DimensionShardings per_index = DimensionShardingsOf(layout);
  if (vector_dim < indices.rank()) {
    if (per_index[static_cast<size_t>(vector_dim)].count > 1) return std::nullopt;
    per_index.erase(per_index.begin() + vector_dim);
  }
  const std::vector<int64_t> batch = BatchDimensions(gather);
  for (size_t i = 0; i < batch.size(); ++i) {
    result[static_cast<size_t>(batch[i])] = per_index[i];
  }
  return result;
}

}  // namespace

absl::StatusOr<bool> Partitioner::PartitionGather(HloInstruction* gather) {
  const auto& numbers = gather->attributes<GatherAttributes>();
  const Source source = SourceOf(gather->mutable_operand(0));
  const Shape& full = gather->operand(0)->shape();
  if (source.shard == nullptr || !IsEven(full, source.layout)) return false;
  const std::vector<int64_t> divided = DividedUnless(source.layout, [&](int64_t d) {
    return numbers.slice_sizes[static_cast<size_t>(d)] == full.dimensions(static_cast<int>(d)) &&
           !absl::c_linear_search(numbers.start_index_map, d);
  });
  if (divided.size() != 1) return false;
  const int64_t d = divided[0];
  const auto mapped = absl::c_find(numbers.start_index_map, d);
  if (mapped == numbers.start_index_map.end() || numbers.slice_sizes[static_cast<size_t>(d)] != 1) {
    return false;
  }
  HloInstruction* indices = gather->mutable_operand(1);
  if (!Holds(indices->shape().element_type(), full.dimensions(static_cast<int>(d)))) return false;
  const DimensionSharding reduced = DimensionShardingsOf(source.layout)[static_cast<size_t>(d)];
  std::optional<DimensionShardings> result = KeptShardings(*gather, source.layout, d);
  if (!result.has_value()) return false;
  const std::vector<int64_t> batch = BatchDimensions(*gather);
  // Indices may be divided along other axes.
  if (const Source of_indices = SourceOf(indices); of_indices.shard != nullptr) {
    auto more = WithIndexShardings(*gather, *result, of_indices.layout);
    if (more.has_value()) {
      DimensionShardings all = *more;
      all.push_back(reduced);
      if (ShardLayoutFrom(all, partitions_).has_value()) {
        result = std::move(more);
        indices = of_indices.shard;
      }
    }
  }
  const IndexVectors vectors = {indices, numbers.index_vector_dim,
                                mapped - numbers.start_index_map.begin()};
  const auto layout = ShardLayoutFrom(*result, partitions_);
  const auto groups = PartialGroups(*result, {reduced}, partitions_);
  if (!layout.has_value() || !groups.has_value()) return false;
  HloComputation* computation = gather->parent();
  const int64_t size = source.shard->shape().dimensions(static_cast<int>(d));
  HloInstruction* component =
      Clamped(ComponentOf(vectors), 0, full.dimensions(static_cast<int>(d)) - 1);
  HloInstruction* local =
      Binary(HloOpcode::kSubtract, component,
             Spread(ShardStart(computation, source.layout, static_cast<size_t>(d), size),
                    component->shape()));
  HloInstruction* own = As(Clamped(local, 0, size - 1), indices->shape().element_type());
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShardShape(gather->shape(), *layout));
  HloInstruction* part = computation->AddInstruction(
      gather->CloneWithNewOperands(shape, {source.shard, WithComponent(vectors, own)}));
  auto& sizes = part->mutable_attributes<GatherAttributes>()->slice_sizes;
  for (size_t e = 0; e < sizes.size(); ++e) {
    sizes[e] = std::min(sizes[e], source.shard->shape().dimensions(static_cast<int>(e)));
  }
  HloInstruction* mask =
      Add(computation, HloOpcode::kBroadcast, ShapeUtil::MakeShape(PRED, shape.dimensions()),
          {Within(local, size)}, Dimensions(batch));
  part =
      emit_.Masked(part, mask, Zero(computation, ShapeUtil::MakeShape(shape.element_type(), {})));
  ShardLayout partial = *layout;
  partial.partial_groups = *groups;
  HloInstruction* sum = CombineDisjoint(part, *groups);
  if (const auto wanted = WantedLayout(*gather);
      wanted.has_value() && emit_.CanReduceScatter(gather->shape(), partial, *wanted)) {
    sum = emit_.ReduceScatter(part, partial, *wanted);
    SetShard(gather, sum, *wanted);
    return true;
  }
  XLA_RETURN_IF_ERROR(SetResult(gather, sum, *layout));
  return true;
}

absl::StatusOr<bool> Partitioner::PartitionScatter(HloInstruction* scatter) {
  const auto& numbers = scatter->attributes<ScatterAttributes>();
  if (scatter->shape().IsTuple()) return false;
  const Source source = SourceOf(scatter->mutable_operand(0));
  const Shape& full = scatter->shape();
  if (source.shard == nullptr || !IsEven(full, source.layout)) return false;
  const std::vector<int64_t> divided = DividedUnless(source.layout, [&](int64_t d) {
    return !absl::c_linear_search(numbers.scatter_dims_to_operand_dims, d) &&
           !absl::c_linear_search(numbers.inserted_window_dims, d);
  });
  if (divided.size() != 1) return false;
  const int64_t d = divided[0];
  const auto mapped = absl::c_find(numbers.scatter_dims_to_operand_dims, d);
  if (mapped == numbers.scatter_dims_to_operand_dims.end() ||
      !absl::c_linear_search(numbers.inserted_window_dims, d) ||
      !numbers.input_batching_dims.empty()) {
    return false;
  }
  HloInstruction* indices = scatter->mutable_operand(1);
  if (!Holds(indices->shape().element_type(), full.dimensions(static_cast<int>(d)))) return false;
  // Windows fill the other dimensions that are divided.
  const Shape& updates = scatter->operand(2)->shape();
  const DimensionShardings given = DimensionShardingsOf(source.layout);
  DimensionShardings of_updates(static_cast<size_t>(updates.rank()));
  size_t window = 0;
  for (int64_t e = 0; e < full.rank(); ++e) {
    if (absl::c_linear_search(numbers.inserted_window_dims, e)) continue;
    const int64_t to = numbers.update_window_dims[window++];
    if (given[static_cast<size_t>(e)].count == 1) continue;
    if (updates.dimensions(static_cast<int>(to)) != full.dimensions(static_cast<int>(e))) {
      return false;
    }
    of_updates[static_cast<size_t>(to)] = given[static_cast<size_t>(e)];
  }
  const auto layout = ShardLayoutFrom(of_updates, partitions_);
  if (!layout.has_value()) return false;
  XLA_ASSIGN_OR_RETURN(HloInstruction * own, ShardOf(scatter->mutable_operand(2), *layout));
  HloComputation* computation = scatter->parent();
  const int64_t size = source.shard->shape().dimensions(static_cast<int>(d));
  const int64_t limit = full.dimensions(static_cast<int>(d));
  // Updates at indices outside of the array are dropped: so are those outside of the shard.
  const IndexVectors vectors = {As(indices, PrimitiveType::S64), numbers.index_vector_dim,
                                mapped - numbers.scatter_dims_to_operand_dims.begin()};
  HloInstruction* component = Clamped(ComponentOf(vectors), -1, limit);
  HloInstruction* local =
      Binary(HloOpcode::kSubtract, component,
             Spread(ShardStart(computation, source.layout, static_cast<size_t>(d), size),
                    component->shape()));
  HloInstruction* shard = computation->AddInstruction(scatter->CloneWithNewOperands(
      source.shard->shape(),
      {source.shard, WithComponent(vectors, As(local, PrimitiveType::S64)), own}));
  SetShard(scatter, shard, source.layout);
  return true;
}

}  // namespace xla::spmd
