// SPDX-License-Identifier: Apache-2.0
// ShapeUtil: traversal of tuples and of array indices.
#include <algorithm>
#include <ostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/shape_util.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {

std::string ShapeIndex::ToString() const {
  return absl::StrCat("{", absl::StrJoin(*this, ","), "}");
}
std::ostream& operator<<(std::ostream& out, const ShapeIndex& index) {
  return out << index.ToString();
}

ShapeIndex ShapeIndex::FromProto(const ShapeIndexProto& proto) {
  return ShapeIndex(proto.indexes().begin(), proto.indexes().end());
}
ShapeIndexProto ShapeIndex::ToProto() const {
  ShapeIndexProto proto;
  proto.mutable_indexes()->Assign(begin(), end());
  return proto;
}

// ---- Tuples ----

bool ShapeUtil::IsNestedTuple(const Shape& shape) {
  return std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(),
                     [](const Shape& element) { return element.IsTuple(); });
}
const Shape& ShapeUtil::GetTupleElementShape(const Shape& shape, int64_t index) {
  XLA_CHECK(index >= 0 && index < TupleElementCount(shape))
      << "no element " << index << " in " << shape;
  return shape.tuple_shapes(static_cast<int>(index));
}
int64_t ShapeUtil::TupleDepth(const Shape& shape) {
  if (!shape.IsTuple()) return 0;
  int64_t depth = 0;
  for (const Shape& element : shape.tuple_shapes()) depth = std::max(depth, TupleDepth(element));
  return depth + 1;
}
int64_t ShapeUtil::SubshapeCount(const Shape& shape) {
  int64_t count = 1;
  for (const Shape& element : shape.tuple_shapes()) count += SubshapeCount(element);
  return count;
}
int64_t ShapeUtil::GetLeafCount(const Shape& shape) {
  if (!shape.IsTuple()) return 1;
  int64_t count = 0;
  for (const Shape& element : shape.tuple_shapes()) count += GetLeafCount(element);
  return count;
}

absl::StatusOr<const Shape*> ShapeUtil::TryGetSubshape(const Shape& shape, ShapeIndexView index) {
  const Shape* subshape = &shape;
  for (const int64_t i : index) {
    if (!subshape->IsTuple() || i < 0 || i >= TupleElementCount(*subshape)) {
      return InvalidArgumentStrCat("shape index ", ShapeIndex(index).ToString(),
                                   " is not a subshape of ", shape.ToString());
    }
    subshape = &subshape->tuple_shapes(static_cast<int>(i));
  }
  return subshape;
}
bool ShapeUtil::IndexIsValid(const Shape& shape, ShapeIndexView index) {
  return TryGetSubshape(shape, index).ok();
}
const Shape& ShapeUtil::GetSubshape(const Shape& shape, ShapeIndexView index) {
  const absl::StatusOr<const Shape*> subshape = TryGetSubshape(shape, index);
  XLA_CHECK_OK(subshape.status());
  return **subshape;
}
Shape* ShapeUtil::GetMutableSubshape(Shape* shape, ShapeIndexView index) {
  return const_cast<Shape*>(&GetSubshape(*shape, index));
}

std::vector<ShapeUtil::IndexedShape> ShapeUtil::GetLeafShapes(const Shape& shape) {
  std::vector<IndexedShape> leaves;
  ForEachLeafShape(
      shape, [&](const Shape& leaf, const ShapeIndex& index) { leaves.emplace_back(index, leaf); });
  return leaves;
}

void ShapeUtil::FlattenTupleShape(const Shape& shape, std::vector<const Shape*>& flattened) {
  if (!shape.IsTuple()) return flattened.push_back(&shape);
  for (const Shape& element : shape.tuple_shapes()) FlattenTupleShape(element, flattened);
}
std::vector<const Shape*> ShapeUtil::FlattenTupleShape(const Shape& shape) {
  std::vector<const Shape*> flattened;
  FlattenTupleShape(shape, flattened);
  return flattened;
}

namespace {

using MutableVisitor = absl::FunctionRef<absl::Status(Shape*, const ShapeIndex&)>;

absl::Status VisitSubshapes(Shape* shape, ShapeIndex* index, MutableVisitor visitor) {
  XLA_RETURN_IF_ERROR(visitor(shape, *index));
  // Evaluated in each iteration, because the visitor may change the shape.
  for (int i = 0; i < shape->tuple_shapes_size(); ++i) {
    index->push_back(i);
    XLA_RETURN_IF_ERROR(VisitSubshapes(shape->mutable_tuple_shapes(i), index, visitor));
    index->pop_back();
  }
  return absl::OkStatus();
}

absl::Status VisitPostOrder(Shape* shape, ShapeIndex* index, MutableVisitor visitor) {
  for (int i = 0; i < shape->tuple_shapes_size(); ++i) {
    index->push_back(i);
    XLA_RETURN_IF_ERROR(VisitPostOrder(shape->mutable_tuple_shapes(i), index, visitor));
    index->pop_back();
  }
  return visitor(shape, *index);
}

using Visitor = absl::FunctionRef<void(const Shape&, const ShapeIndex&)>;

void VisitConstSubshapes(const Shape& shape, bool leaves_only, ShapeIndex* index, Visitor visitor) {
  if (!leaves_only || !shape.IsTuple()) visitor(shape, *index);
  for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
    index->push_back(i);
    VisitConstSubshapes(shape.tuple_shapes(i), leaves_only, index, visitor);
    index->pop_back();
  }
}

}  // namespace

void ShapeUtil::ForEachSubshape(const Shape& shape, Visitor visitor) {
  ShapeIndex index;
  VisitConstSubshapes(shape, /*leaves_only=*/false, &index, visitor);
}
void ShapeUtil::ForEachLeafShape(const Shape& shape, Visitor visitor) {
  ShapeIndex index;
  VisitConstSubshapes(shape, /*leaves_only=*/true, &index, visitor);
}
void ShapeUtil::ForEachMutableSubshape(Shape* shape,
                                       absl::FunctionRef<void(Shape*, const ShapeIndex&)> visitor) {
  ShapeIndex index;
  XLA_CHECK_OK(VisitSubshapes(shape, &index, [&](Shape* subshape, const ShapeIndex& at) {
    visitor(subshape, at);
    return absl::OkStatus();
  }));
}
absl::Status ShapeUtil::ForEachSubshapeWithStatus(
    const Shape& shape, absl::FunctionRef<absl::Status(const Shape&, const ShapeIndex&)> visitor) {
  ShapeIndex index;
  return VisitSubshapes(
      const_cast<Shape*>(&shape), &index,
      [&](Shape* subshape, const ShapeIndex& at) { return visitor(*subshape, at); });
}
absl::Status ShapeUtil::ForEachMutableSubshapeWithStatus(Shape* shape, MutableVisitor visitor) {
  ShapeIndex index;
  return VisitSubshapes(shape, &index, visitor);
}

absl::Status ShapeUtil::ForEachMutableLeafShapeWithStatus(Shape* shape, MutableVisitor visitor) {
  return ForEachMutableSubshapeWithStatus(shape, [&](Shape* part, const ShapeIndex& index) {
    return part->IsTuple() ? absl::OkStatus() : visitor(part, index);
  });
}
void ShapeUtil::ForEachMutableLeafShape(
    Shape* shape, absl::FunctionRef<void(Shape*, const ShapeIndex&)> visitor) {
  ForEachMutableSubshape(shape, [&](Shape* part, const ShapeIndex& index) {
    if (!part->IsTuple()) visitor(part, index);
  });
}
absl::Status ShapeUtil::ForEachLeafShapeWithStatus(
    const Shape& shape, absl::FunctionRef<absl::Status(const Shape&, const ShapeIndex&)> visitor) {
  return ForEachSubshapeWithStatus(shape, [&](const Shape& part, const ShapeIndex& index) {
    return part.IsTuple() ? absl::OkStatus() : visitor(part, index);
  });
}
absl::Status ShapeUtil::ForEachMutableSubshapePostOrderWithStatus(Shape* shape,
                                                                  MutableVisitor visitor) {
  ShapeIndex index;
  return VisitPostOrder(shape, &index, visitor);
}
absl::Status ShapeUtil::ForEachSubshapePostOrderWithStatus(
    const Shape& shape, absl::FunctionRef<absl::Status(const Shape&, const ShapeIndex&)> visitor) {
  ShapeIndex index;
  return VisitPostOrder(const_cast<Shape*>(&shape), &index,
                        [&](Shape* part, const ShapeIndex& at) { return visitor(*part, at); });
}
void ShapeUtil::ForEachMutableSubshapePostOrder(
    Shape* shape, absl::FunctionRef<void(Shape*, const ShapeIndex&)> visitor) {
  XLA_CHECK_OK(
      ForEachMutableSubshapePostOrderWithStatus(shape, [&](Shape* part, const ShapeIndex& index) {
        visitor(part, index);
        return absl::OkStatus();
      }));
}
void ShapeUtil::ForEachSubshapePostOrder(const Shape& shape, Visitor visitor) {
  XLA_CHECK_OK(
      ForEachSubshapePostOrderWithStatus(shape, [&](const Shape& part, const ShapeIndex& index) {
        visitor(part, index);
        return absl::OkStatus();
      }));
}

// ---- Indices ----

namespace {

// Iterates over base[d], base[d] + incr[d], .. below base[d] + count[d], minor dimension fastest.
class IndexIterator {
 public:
  IndexIterator(const Shape& shape, absl::Span<const int64_t> base, absl::Span<const int64_t> count,
                absl::Span<const int64_t> incr)
      : shape_(shape), base_(base), count_(count), incr_(incr), index_(base.begin(), base.end()) {
    const size_t rank = shape.rank();
    XLA_CHECK(base.size() == rank && count.size() == rank && incr.size() == rank);
    for (const int64_t step : incr) XLA_CHECK(step >= 0);  // 0: the dimension stays at its base
  }

  // As in XLA, a count of 0 with an increment of 0 pins the dimension at its base.
  bool Empty() const {
    for (size_t d = 0; d < count_.size(); ++d) {
      if (count_[d] <= 0 && (incr_[d] > 0 || count_[d] < 0)) return true;
    }
    return ShapeUtil::IsZeroElementArray(shape_);
  }
  absl::Span<const int64_t> index() const { return index_; }

  // Returns false after the last index.
  bool Next() {
    const int64_t rank = static_cast<int64_t>(index_.size());
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t d =
          shape_.has_layout() ? shape_.layout().minor_to_major(static_cast<int>(i)) : rank - 1 - i;
      // Written so that it cannot overflow.
      if (incr_[d] > 0 && incr_[d] < count_[d] - (index_[d] - base_[d])) {
        index_[d] += incr_[d];
        return true;
      }
      index_[d] = base_[d];
    }
    return false;
  }

 private:
  const Shape& shape_;
  const absl::Span<const int64_t> base_, count_, incr_;
  DimensionVector index_;
};

}  // namespace

absl::Status ShapeUtil::ForEachIndexWithStatus(const Shape& shape, absl::Span<const int64_t> base,
                                               absl::Span<const int64_t> count,
                                               absl::Span<const int64_t> incr,
                                               ForEachVisitorFunction visitor) {
  IndexIterator it(shape, base, count, incr);
  if (it.Empty()) return absl::OkStatus();
  do {
    XLA_ASSIGN_OR_RETURN(const bool go_on, visitor(it.index()));
    if (!go_on) break;
  } while (it.Next());
  return absl::OkStatus();
}
absl::Status ShapeUtil::ForEachIndexWithStatus(const Shape& shape, ForEachVisitorFunction visitor) {
  const DimensionVector base(shape.rank(), 0), incr(shape.rank(), 1);
  return ForEachIndexWithStatus(shape, base, shape.dimensions(), incr, visitor);
}
void ShapeUtil::ForEachIndexNoStatus(const Shape& shape, absl::Span<const int64_t> base,
                                     absl::Span<const int64_t> count,
                                     absl::Span<const int64_t> incr,
                                     ForEachVisitorFunctionNoStatus visitor) {
  IndexIterator it(shape, base, count, incr);
  if (it.Empty()) return;
  while (visitor(it.index()) && it.Next()) {
  }
}
void ShapeUtil::ForEachIndexNoStatus(const Shape& shape, ForEachVisitorFunctionNoStatus visitor) {
  const DimensionVector base(shape.rank(), 0), incr(shape.rank(), 1);
  ForEachIndexNoStatus(shape, base, shape.dimensions(), incr, visitor);
}

}  // namespace xla
