// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/index_arithmetic.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/index_util.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"

namespace xla::spmd {

HloInstruction* Spread(HloInstruction* scalar, const Shape& shape) {
  return Add(scalar->parent(), HloOpcode::kBroadcast,
             ShapeUtil::MakeShape(scalar->shape().element_type(), shape.dimensions()), {scalar},
             Dimensions({}));
}

HloInstruction* Binary(HloOpcode opcode, HloInstruction* a, HloInstruction* b) {
  return Add(a->parent(), opcode, a->shape(), {a, b});
}

HloInstruction* As(HloInstruction* value, PrimitiveType type) {
  if (value->shape().element_type() == type) return value;
  return Add(value->parent(), HloOpcode::kConvert,
             ShapeUtil::MakeShape(type, value->shape().dimensions()), {value});
}

HloInstruction* Clamped(HloInstruction* index, int64_t low, int64_t high) {
  const PrimitiveType type = index->shape().element_type();
  const auto bound = [&](int64_t value) {
    HloInstruction* scalar = As(ScalarS32(index->parent(), value), type);
    return index->shape().rank() == 0 ? scalar : Spread(scalar, index->shape());
  };
  return As(
      Add(index->parent(), HloOpcode::kClamp, index->shape(), {bound(low), index, bound(high)}),
      PrimitiveType::S32);
}

bool Holds(PrimitiveType type, int64_t size) {
  const int bits = primitive_util::BitWidth(type);
  return size <= INT32_MAX && (bits >= 32 || size < (int64_t{1} << (bits - 1)));
}

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

HloInstruction* Padded(HloInstruction* value, int64_t d, int64_t rows) {
  PadAttributes attributes;
  attributes.padding.resize(static_cast<size_t>(value->shape().rank()));
  attributes.padding[static_cast<size_t>(d)] = {rows, rows, 0};
  Shape shape = value->shape();
  shape.set_dimensions(static_cast<int>(d), shape.dimensions(static_cast<int>(d)) + 2 * rows);
  HloInstruction* zero = Zero(value->parent(), ShapeUtil::MakeShape(shape.element_type(), {}));
  return Add(value->parent(), HloOpcode::kPad, shape, {value, zero}, std::move(attributes));
}

HloInstruction* RowsOf(HloInstruction* value, int64_t d, int64_t start, int64_t size) {
  Shape shape = value->shape();
  if (start == 0 && size == shape.dimensions(static_cast<int>(d))) return value;
  SliceAttributes attributes;
  for (const int64_t n : shape.dimensions()) attributes.slice.push_back({0, n, 1});
  attributes.slice[static_cast<size_t>(d)] = {start, start + size, 1};
  shape.set_dimensions(static_cast<int>(d), size);
  return Add(value->parent(), HloOpcode::kSlice, shape, {value}, std::move(attributes));
}

namespace {

// Where a dimension of a reshape's operand is in its result, if only sizes of 1 come and go.
int64_t KeptByReshape(const HloInstruction& reshape, int64_t d) {
  const auto kept = [](const Shape& shape) {
    std::vector<int64_t> dimensions;
    for (int64_t i = 0; i < shape.rank(); ++i) {
      if (shape.dimensions(static_cast<int>(i)) != 1) dimensions.push_back(i);
    }
    return dimensions;
  };
  const Shape &from = reshape.operand(0)->shape(), &to = reshape.shape();
  const std::vector<int64_t> before = kept(from), after = kept(to);
  const auto place = absl::c_find(before, d) - before.begin();
  if (before.size() != after.size() || place == static_cast<int64_t>(before.size())) return -1;
  for (size_t i = 0; i < before.size(); ++i) {
    if (from.dimensions(static_cast<int>(before[i])) != to.dimensions(static_cast<int>(after[i]))) {
      return -1;
    }
  }
  return after[static_cast<size_t>(place)];
}

// The dimension along which a constant is 0, 1, .. and the same along all others; -1 if there is
// none, or the constant is large.
int64_t IotaDimensionOfConstant(const Literal& literal) {
  constexpr int64_t kMostElements = int64_t{1} << 16;
  const Shape& shape = literal.shape();
  if (ShapeUtil::IsZeroElementArray(shape) || ShapeUtil::ElementsIn(shape) > kMostElements) {
    return -1;
  }
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.dimensions(d) == 1) continue;
    std::vector<int64_t> index(static_cast<size_t>(shape.rank()), 0);
    bool is_iota = true;
    do {
      is_iota = literal.GetIntegralAsS64(index) == index[static_cast<size_t>(d)];
    } while (is_iota && IndexUtil::BumpIndices(shape, absl::MakeSpan(index)));
    if (is_iota) return d;
  }
  return -1;
}

}  // namespace

int64_t IotaDimension(const HloInstruction* value) {
  std::vector<const HloInstruction*> moves;
  const auto is_exact = [](const HloInstruction& numbers, int64_t size) {
    const PrimitiveType type = numbers.shape().element_type();
    return primitive_util::IsIntegralType(type) && Holds(type, size);
  };
  int64_t largest = 1;  // no less than the size along the iota
  for (const int64_t n : value->shape().dimensions()) largest = std::max(largest, n);
  while (value->opcode() != HloOpcode::kIota && value->opcode() != HloOpcode::kConstant) {
    if (!is_exact(*value, largest)) return -1;
    switch (value->opcode()) {
      case HloOpcode::kBroadcast:
      case HloOpcode::kTranspose:
      case HloOpcode::kReshape:
        moves.push_back(value);
        break;
      case HloOpcode::kConvert:
      case HloOpcode::kCopy:
        break;
      default:
        if (!IsCall(*value, "Sharding")) return -1;
        break;
    }
    value = value->operand(0);
  }
  if (!is_exact(*value, largest)) return -1;
  int64_t d = value->opcode() == HloOpcode::kIota
                  ? value->attributes<IotaAttributes>().iota_dimension
                  : IotaDimensionOfConstant(value->literal());
  for (; !moves.empty() && d >= 0; moves.pop_back()) {
    const HloInstruction& move = *moves.back();
    if (move.opcode() == HloOpcode::kReshape) {
      d = KeptByReshape(move, d);
      continue;
    }
    const auto& dimensions = move.attributes<DimensionListAttributes>().dimensions;
    d = move.opcode() == HloOpcode::kBroadcast ? dimensions[static_cast<size_t>(d)]
                                               : absl::c_find(dimensions, d) - dimensions.begin();
  }
  return d;
}

std::vector<int64_t> IndexVectors::BatchDimensions() const {
  std::vector<int64_t> batch;
  for (int64_t d = 0; d < indices->shape().rank(); ++d) {
    if (d != vector_dim) batch.push_back(d);
  }
  return batch;
}

HloInstruction* IndexVectors::Component(int64_t component) const {
  if (IsImplicit()) return indices;
  const Shape batch = ShapeUtil::DeleteDimension(vector_dim, indices->shape());
  return Reshape(RowsOf(indices, vector_dim, component, 1), batch.dimensions());
}

HloInstruction* IndexVectors::WithComponent(int64_t component, HloInstruction* value) const {
  if (IsImplicit()) return value;
  HloComputation* computation = value->parent();
  const Shape& shape = indices->shape();
  HloInstruction* all =
      Add(computation, HloOpcode::kBroadcast, shape, {value}, Dimensions(BatchDimensions()));
  const Shape numbers = ShapeUtil::MakeShape(PrimitiveType::S32, shape.dimensions());
  HloInstruction* number =
      Add(computation, HloOpcode::kIota, numbers, {}, IotaAttributes{.iota_dimension = vector_dim});
  HloInstruction* is_component =
      Add(computation, HloOpcode::kCompare, ShapeUtil::MakeShape(PRED, shape.dimensions()),
          {number, Spread(ScalarS32(computation, component), shape)},
          CompareAttributes{.direction = ComparisonDirection::kEq});
  return Add(computation, HloOpcode::kSelect, shape, {is_component, all, indices});
}

int64_t IndexVectors::ParallelDimension(int64_t component) const {
  const HloInstruction* value = WithoutAnnotations(indices);
  if (!IsImplicit()) {
    const int dim = static_cast<int>(vector_dim);
    if (value->opcode() == HloOpcode::kConcatenate &&
        value->attributes<DimensionListAttributes>().dimensions[0] == vector_dim) {
      int64_t before = 0;
      for (const HloInstruction* part : value->operands()) {
        const int64_t size = part->shape().dimensions(dim);
        if (component < before + size) {
          value = size == 1 ? part : nullptr;
          break;
        }
        before += size;
      }
      if (value == nullptr) return -1;
    }
  }
  const int64_t d = IotaDimension(value);
  return d == vector_dim ? -1 : d;
}

}  // namespace xla::spmd
