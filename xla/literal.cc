// SPDX-License-Identifier: Apache-2.0
// Literals: memory, construction, moving, tuples, views.
#include "xla/literal.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/index_util.h"
#include "xla/layout_util.h"
#include "xla/literal_access.h"
#include "xla/primitive_util.h"
#include "xla/shape_tree.h"
#include "xla/shape_util.h"
#include "xla/strided_copy.h"
#include "xla/util.h"

namespace xla {
namespace {

// Buffers are aligned to cache lines. The pointer that calloc returned is stored in the word
// before the buffer.
constexpr size_t kAlignment = 64;

char* AllocateZeroed(int64_t bytes) {
  char* raw = static_cast<char*>(std::calloc(1, static_cast<size_t>(bytes) + kAlignment));
  if (raw == nullptr) return nullptr;
  char* aligned = raw + kAlignment - reinterpret_cast<uintptr_t>(raw) % kAlignment;
  std::memcpy(aligned - sizeof(raw), &raw, sizeof(raw));
  return aligned;
}

void Deallocate(char* buffer) {
  char* raw;
  std::memcpy(&raw, buffer - sizeof(raw), sizeof(raw));
  std::free(raw);
}

const Shape& NilShape() {
  static const Shape* const shape = new Shape(ShapeUtil::MakeNil());
  return *shape;
}

bool IsPlainScalar(const Shape& shape) {
  return shape.rank() == 0 && shape.IsArrayExcludingBuffer() &&
         (!shape.has_layout() || shape.layout().IsPlain());
}

void AddMissingLayouts(Shape* shape) {
  ShapeUtil::ForEachMutableSubshape(shape, [](Shape* subshape, const ShapeIndex&) {
    if (subshape->IsArray() && !subshape->has_layout()) {
      *subshape->mutable_layout() = LayoutUtil::GetDefaultLayoutForShape(*subshape);
    }
  });
}

}  // namespace

// Pieces

const Shape& LiteralAccess::ScalarShape(PrimitiveType type) {
  static const auto* const shapes = [] {
    auto* all = new std::array<Shape, primitive_util::internal::kTypeCount>;
    for (int i = 0; i < primitive_util::internal::kTypeCount; ++i) {
      const auto each = static_cast<PrimitiveType>(i);
      if (primitive_util::IsArrayType(each)) (*all)[i] = ShapeUtil::MakeShape(each, {});
    }
    return all;
  }();
  return (*shapes)[type];
}

LiteralBase::Piece::~Piece() {
  if (owns_buffer) Deallocate(buffer);
}

LiteralBase::Piece::Piece(Piece&& other) noexcept
    : subshape(other.subshape),
      buffer(other.is_inline() ? inline_bytes : other.buffer),
      owns_buffer(std::exchange(other.owns_buffer, false)),
      state(other.state),
      dynamic_sizes(std::move(other.dynamic_sizes)),
      children(std::move(other.children)) {
  if (is_inline()) std::memcpy(inline_bytes, other.inline_bytes, kInlineBytes);
  other.buffer = nullptr;
}

LiteralBase::Piece& LiteralBase::Piece::operator=(Piece&& other) noexcept {
  if (this == &other) return *this;
  if (owns_buffer) Deallocate(buffer);
  subshape = other.subshape;
  owns_buffer = std::exchange(other.owns_buffer, false);
  state = other.state;
  if (other.is_inline()) {
    buffer = inline_bytes;
    std::memcpy(inline_bytes, other.inline_bytes, kInlineBytes);
  } else {
    buffer = other.buffer;
  }
  other.buffer = nullptr;
  dynamic_sizes = std::move(other.dynamic_sizes);
  // `other` may be a descendant of this piece.
  std::vector<Piece> taken = std::move(other.children);
  children = std::move(taken);
  return *this;
}

int64_t LiteralBase::Piece::buffer_elements() const {
  return ShapeUtil::PaddedElementsIn(*subshape);
}

int64_t LiteralBase::Piece::existing_size(int64_t dim) const {
  return dynamic_sizes != nullptr ? dynamic_sizes[dim] : subshape->dimensions(dim);
}

void LiteralBase::Piece::CheckType(PrimitiveType type) const {
  XLA_CHECK(subshape->element_type() == type && subshape->IsArray())
      << "access to a literal of shape " << subshape->ToString() << " as "
      << primitive_util::LowercasePrimitiveTypeName(type);
}

int64_t LiteralBase::Piece::LinearIndex(absl::Span<const int64_t> multi_index) const {
  const Shape& shape = *subshape;
  const bool in_bounds = IndexUtil::IndexInBounds(shape, multi_index);
  XLA_CHECK(in_bounds) << "index " << DimensionsToString(multi_index) << " in a literal of shape "
                       << shape.ToString();
  if (multi_index.empty()) return 0;
  const absl::Span<const int64_t> order = shape.layout().minor_to_major();
  int64_t linear = 0;
  if (!shape.layout().has_padding()) {
    for (size_t i = order.size(); i-- > 0;)
      linear = linear * shape.dimensions(order[i]) + multi_index[order[i]];
    return linear;
  }
  for (size_t i = order.size(); i-- > 0;) {
    linear = linear * shape.layout().padded_dimensions(order[i]) + multi_index[order[i]];
  }
  return linear;
}

void LiteralBase::Piece::ForEachIndex(
    bool only_existing, absl::FunctionRef<void(absl::Span<const int64_t>, int64_t)> f) const {
  const int64_t rank = subshape->rank();
  DimensionVector sizes(subshape->dimensions().begin(), subshape->dimensions().end());
  if (only_existing) sizes = LiteralAccess::ExistingSizes(*this);
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  const DimensionVector strides = IndexUtil::DimensionStrides(*subshape);
  DimensionVector index(rank, 0);
  int64_t linear = 0;
  while (true) {
    f(index, linear);
    int64_t d = rank - 1;
    for (; d >= 0; --d) {
      linear += strides[d];
      if (++index[d] < sizes[d]) break;
      linear -= strides[d] * sizes[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

DimensionVector LiteralAccess::ExistingSizes(const Piece& piece) {
  DimensionVector sizes(piece.subshape->dimensions().begin(), piece.subshape->dimensions().end());
  if (piece.dynamic_sizes != nullptr) {
    for (size_t d = 0; d < sizes.size(); ++d) sizes[d] = piece.dynamic_sizes[d];
  }
  return sizes;
}

void LiteralAccess::SetExistingSize(int64_t dim, int64_t size, Piece* piece) {
  if (piece->dynamic_sizes == nullptr) {
    const absl::Span<const int64_t> bounds = piece->subshape->dimensions();
    piece->dynamic_sizes = std::make_unique<int64_t[]>(bounds.size());
    std::copy(bounds.begin(), bounds.end(), piece->dynamic_sizes.get());
  }
  piece->dynamic_sizes[dim] = size;
}

bool LiteralAccess::AllExist(const Piece& piece) {
  for (int64_t d = 0; d < piece.subshape->rank(); ++d) {
    if (piece.existing_size(d) != piece.subshape->dimensions(d)) return false;
  }
  return true;
}

bool LiteralAccess::SameMemory(const Shape& a, const Shape& b) {
  if (a.dimensions() != b.dimensions()) return false;
  if (a.rank() == 0) return true;
  return a.layout().minor_to_major() == b.layout().minor_to_major() &&
         a.layout().padded_dimensions() == b.layout().padded_dimensions() &&
         a.layout().padding_value() == b.layout().padding_value();
}

bool LiteralAccess::IsRowMajor(const Shape& shape) {
  return shape.rank() == 0 ||
         (LayoutUtil::IsMonotonicWithDim0Major(shape.layout()) && !shape.layout().has_padding());
}

void LiteralAccess::ForEachRun(const Shape& shape, absl::FunctionRef<void(int64_t, int64_t)> f) {
  if (shape.rank() == 0 || !shape.layout().has_padding()) {
    const int64_t count = ShapeUtil::ElementsIn(shape);
    if (count > 0) f(0, count);
    return;
  }
  if (ShapeUtil::IsZeroElementArray(shape)) return;
  // Odometer over all dimensions but the most minor, in memory order.
  const Layout& layout = shape.layout();
  const int64_t run = shape.dimensions(layout.minor_to_major(0));
  DimensionVector index(shape.rank(), 0);
  const DimensionVector strides = IndexUtil::DimensionStrides(shape);
  int64_t linear = 0;
  while (true) {
    f(linear, run);
    int64_t i = 1;
    for (; i < shape.rank(); ++i) {
      const int64_t d = layout.minor_to_major(i);
      linear += strides[d];
      if (++index[d] < shape.dimensions(d)) break;
      linear -= strides[d] * shape.dimensions(d);
      index[d] = 0;
    }
    if (i == shape.rank()) return;
  }
}

void LiteralAccess::CopyBox(const Piece& from, const Piece& to, absl::Span<const int64_t> sizes) {
  StridedCopy(to.element_bytes(), sizes, to.buffer, IndexUtil::DimensionStrides(*to.subshape),
              from.buffer, IndexUtil::DimensionStrides(*from.subshape));
}

void LiteralBase::Piece::FillPadding() {
  if (subshape->rank() == 0 || !subshape->layout().has_padding()) return;
  SpecialValue value;
  switch (subshape->layout().padding_value()) {
    case ZERO_PAD:
      value = SpecialValue::kZero;
      break;
    case ONE_PAD:
      value = SpecialValue::kOne;
      break;
    case LOWEST_PAD:
      value = SpecialValue::kLeast;
      break;
    case HIGHEST_PAD:
      value = SpecialValue::kGreatest;
      break;
    default:
      return;  // unspecified content
  }
  const ElementBytes element = MakeSpecial(subshape->element_type(), value);
  // The gaps between the runs of elements.
  const int64_t bytes = element_bytes();
  int64_t next = 0;
  const auto fill_to = [&](int64_t end) {
    for (; next < end; ++next) std::memcpy(buffer + next * bytes, element.bytes, bytes);
  };
  LiteralAccess::ForEachRun(*subshape, [&](int64_t begin, int64_t count) {
    fill_to(begin);
    next = begin + count;
  });
  fill_to(buffer_elements());
}

void LiteralBase::ForEachPiece(const Piece& root,
                               absl::FunctionRef<void(const ShapeIndex&, const Piece&)> f) {
  // The stack holds the next child to visit on each level.
  ShapeIndex index;
  std::vector<const Piece*> path = {&root};
  f(index, root);
  int64_t child = 0;
  while (true) {
    const Piece& parent = *path.back();
    if (child < static_cast<int64_t>(parent.children.size())) {
      index.push_back(child);
      path.push_back(&parent.children[child]);
      f(index, *path.back());
      child = 0;
    } else {
      if (index.empty()) return;
      child = index.back() + 1;
      index.pop_back();
      path.pop_back();
    }
  }
}

const LiteralBase::Piece& LiteralBase::piece(const ShapeIndex& shape_index) const {
  const Piece* piece = &root_piece();
  for (int64_t i : shape_index) {
    XLA_CHECK(i >= 0 && i < static_cast<int64_t>(piece->children.size()))
        << "no element " << shape_index << " in a literal of shape " << shape().ToString();
    piece = &piece->children[i];
  }
  return *piece;
}

// Construction

struct MakePiece {
  using Piece = LiteralAccess::Piece;

  // Initializes `piece` and its descendants for `shape`, which must outlive them. Without
  // `allocate` arrays have no buffer.
  static absl::Status Build(const Shape& shape, bool allocate, Piece* piece) {
    piece->subshape = &shape;
    if (shape.IsTuple()) {
      piece->children.resize(shape.tuple_shapes_size());
      for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
        XLA_RETURN_IF_ERROR(Build(shape.tuple_shapes(i), allocate, &piece->children[i]));
      }
      return absl::OkStatus();
    }
    if (!shape.IsArray() || !allocate) return absl::OkStatus();
    const int64_t bytes = piece->buffer_bytes();
    if (bytes <= Piece::kInlineBytes) {
      piece->buffer = piece->inline_bytes;
      std::memset(piece->inline_bytes, 0, Piece::kInlineBytes);
    } else {
      piece->buffer = AllocateZeroed(bytes);
      if (piece->buffer == nullptr) {
        return ResourceExhausted("Out of memory: %d bytes for a literal of shape %s.", bytes,
                                 shape.ToString(true));
      }
      piece->owns_buffer = true;
    }
    piece->FillPadding();
    return absl::OkStatus();
  }

  // The bytes of all arrays. Returns an error if a size is unbounded or overflows.
  static absl::StatusOr<int64_t> TotalBytes(const Shape& shape) {
    int64_t total = 0;
    XLA_RETURN_IF_ERROR(ShapeUtil::ForEachSubshapeWithStatus(
        shape, [&](const Shape& subshape, const ShapeIndex&) -> absl::Status {
          if (!subshape.IsArray()) return absl::OkStatus();
          if (subshape.is_unbounded_dynamic()) {
            return InvalidArgument("A literal cannot have shape %s: a dimension has no bound.",
                                   shape.ToString());
          }
          const int64_t elements = ShapeUtil::PaddedElementsIn(subshape);
          int64_t bytes;
          if (elements < 0 ||
              __builtin_mul_overflow(elements, primitive_util::ByteWidth(subshape.element_type()),
                                     &bytes) ||
              __builtin_add_overflow(total, bytes, &total)) {
            return InvalidArgument("A literal cannot have shape %s: its size in bytes overflows.",
                                   shape.ToString(true));
          }
          return absl::OkStatus();
        }));
    return total;
  }
};

Literal::Literal() { root_piece_.subshape = &NilShape(); }

Literal::Literal(const Shape& shape) : Literal(shape, /*allocate_arrays=*/true) {}

Literal::Literal(const Shape& shape, bool allocate_arrays) {
  if (IsPlainScalar(shape)) {
    XLA_CHECK_OK(MakePiece::Build(LiteralAccess::ScalarShape(shape.element_type()), allocate_arrays,
                                  &root_piece_));
    return;
  }
  shape_ = std::make_unique<Shape>(shape);
  AddMissingLayouts(shape_.get());
  XLA_CHECK_OK(MakePiece::TotalBytes(*shape_).status());
  XLA_CHECK_OK(MakePiece::Build(*shape_, allocate_arrays, &root_piece_));
}

absl::StatusOr<Literal> Literal::Make(const Shape& shape, bool allocate_arrays) {
  return MakeChecked(shape, kMaxBytes, allocate_arrays);
}

absl::StatusOr<Literal> Literal::MakeBounded(const Shape& shape, int64_t max_bytes) {
  return MakeChecked(shape, max_bytes, /*allocate_arrays=*/true);
}

absl::StatusOr<Literal> Literal::MakeChecked(const Shape& shape, int64_t max_bytes,
                                             bool allocate_arrays) {
  Literal literal;
  if (IsPlainScalar(shape)) {
    XLA_RETURN_IF_ERROR(MakePiece::Build(LiteralAccess::ScalarShape(shape.element_type()),
                                         allocate_arrays, &literal.root_piece_));
    return literal;
  }
  XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
  XLA_ASSIGN_OR_RETURN(const int64_t bytes, MakePiece::TotalBytes(shape));
  if (bytes > max_bytes) {
    return ResourceExhausted("A literal of shape %s takes %d bytes; the limit is %d.",
                             shape.ToString(true), bytes, max_bytes);
  }
  literal.shape_ = std::make_unique<Shape>(shape);
  AddMissingLayouts(literal.shape_.get());
  XLA_RETURN_IF_ERROR(MakePiece::Build(*literal.shape_, allocate_arrays, &literal.root_piece_));
  return literal;
}

Literal LiteralBase::CreateFromShape(const Shape& shape) { return Literal(shape); }

Literal::Literal(Literal&& other) noexcept
    : shape_(std::move(other.shape_)), root_piece_(std::move(other.root_piece_)) {
  other.root_piece_ = Piece();
  other.root_piece_.subshape = &NilShape();
}

Literal& Literal::operator=(Literal&& other) noexcept {
  if (this == &other) return *this;
  root_piece_ = std::move(other.root_piece_);
  shape_ = std::move(other.shape_);
  other.root_piece_ = Piece();
  other.root_piece_.subshape = &NilShape();
  return *this;
}

Literal::~Literal() = default;

Shape* Literal::owned_shape() {
  if (shape_ == nullptr) {
    shape_ = std::make_unique<Shape>(*root_piece_.subshape);
    root_piece_.subshape = shape_.get();
  }
  return shape_.get();
}

Shape* MutableLiteralBase::mutable_shape_do_not_use() {
  Shape* shape = owned_shape();
  XLA_CHECK(shape != nullptr) << "the shape of a borrowing literal cannot be changed";
  return shape;
}

// Tuples

namespace {

// Points `piece` and its descendants at the parts of `shape`, which equals the former shape. Called
// after a move.
void Rebind(const Shape& shape, LiteralAccess::Piece* piece) {
  piece->subshape = &shape;
  for (size_t i = 0; i < piece->children.size(); ++i)
    Rebind(shape.tuple_shapes(i), &piece->children[i]);
}

}  // namespace

absl::Status Literal::MoveFrom(Literal&& src_literal, const ShapeIndex& dest_shape_index) {
  if (!ShapeUtil::IndexIsValid(shape(), dest_shape_index)) {
    return InvalidArgument("MoveFrom: shape %s has no element %s.", shape().ToString(),
                           dest_shape_index.ToString());
  }
  Piece& dest = piece(dest_shape_index);
  const Shape& dest_shape = *dest.subshape;
  if (dest_shape != src_literal.shape()) {
    return InvalidArgument("MoveFrom: destination shape %s is not source shape %s.",
                           dest_shape.ToString(true), src_literal.shape().ToString(true));
  }
  Literal source = std::move(src_literal);
  dest = std::move(source.root_piece_);
  Rebind(dest_shape, &dest);
  return absl::OkStatus();
}

Literal MutableLiteralBase::MoveIntoTuple(absl::Span<Literal> elements) {
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const Literal& element : elements) shapes.push_back(element.shape());
  Literal tuple;
  tuple.shape_ = std::make_unique<Shape>(ShapeUtil::MakeTupleShape(std::move(shapes)));
  tuple.root_piece_.subshape = tuple.shape_.get();
  tuple.root_piece_.children.resize(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    Literal element = std::move(elements[i]);
    tuple.root_piece_.children[i] = std::move(element.root_piece_);
    Rebind(tuple.shape_->tuple_shapes(i), &tuple.root_piece_.children[i]);
  }
  return tuple;
}

std::vector<Literal> Literal::DecomposeTuple() {
  XLA_CHECK(shape().IsTuple()) << "DecomposeTuple of a literal of shape " << shape().ToString();
  Literal whole = std::move(*this);
  std::vector<Literal> elements(whole.root_piece_.children.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    const Shape& shape = whole.shape().tuple_shapes(i);
    elements[i].root_piece_ = std::move(whole.root_piece_.children[i]);
    if (IsPlainScalar(shape)) {
      elements[i].root_piece_.subshape = &LiteralAccess::ScalarShape(shape.element_type());
    } else {
      elements[i].shape_ = std::make_unique<Shape>(shape);
      Rebind(*elements[i].shape_, &elements[i].root_piece_);
    }
  }
  return elements;
}

Literal Literal::SubLiteral(const ShapeIndex& shape_index) {
  Literal whole = std::move(*this);
  if (shape_index.empty()) return whole;
  Piece& part = whole.piece(shape_index);
  Literal result;
  result.shape_ = std::make_unique<Shape>(*part.subshape);
  result.root_piece_ = std::move(part);
  Rebind(*result.shape_, &result.root_piece_);
  return result;
}

// Views

LiteralSlice::LiteralSlice() {
  static const Literal* const nil = new Literal();
  root_piece_ = &LiteralAccess::Root(*nil);
}
LiteralSlice::LiteralSlice(const LiteralBase& literal)
    : root_piece_(&LiteralAccess::Root(literal)) {}
LiteralSlice::LiteralSlice(const LiteralBase& literal, const ShapeIndex& view_root)
    : root_piece_(&LiteralAccess::At(literal, view_root)) {}

namespace {

// Gives the array leaves of `piece` these buffers, in order.
void Borrow(absl::Span<const char* const> buffers, LiteralAccess::Piece* root) {
  size_t next = 0;
  std::vector<LiteralAccess::Piece*> stack = {root};
  while (!stack.empty()) {
    LiteralAccess::Piece* piece = stack.back();
    stack.pop_back();
    if (piece->subshape->IsArray()) {
      XLA_CHECK(next < buffers.size()) << "fewer buffers than arrays";
      piece->buffer = const_cast<char*>(buffers[next++]);
    }
    for (size_t i = piece->children.size(); i-- > 0;) stack.push_back(&piece->children[i]);
  }
  XLA_CHECK(next == buffers.size()) << "more buffers than arrays";
}

std::unique_ptr<Shape> BorrowShape(const Shape& shape, absl::Span<const char* const> buffers,
                                   LiteralAccess::Piece* root) {
  auto owned = std::make_unique<Shape>(shape);
  AddMissingLayouts(owned.get());
  XLA_CHECK_OK(MakePiece::Build(*owned, /*allocate=*/false, root));
  Borrow(buffers, root);
  return owned;
}

}  // namespace

BorrowingLiteral::BorrowingLiteral() { root_piece_.subshape = &NilShape(); }
BorrowingLiteral::BorrowingLiteral(const char* src_buf_ptr, const Shape& shape)
    : BorrowingLiteral(absl::MakeConstSpan(&src_buf_ptr, 1), shape) {}
BorrowingLiteral::BorrowingLiteral(absl::Span<const char* const> src_buf_ptrs, const Shape& shape) {
  shape_ = BorrowShape(shape, src_buf_ptrs, &root_piece_);
}

namespace {

// The pointers of the leaves, in order of the tuple.
template <typename Pointer>
std::vector<Pointer> LeafPointers(const ShapeTree<Pointer>& tree) {
  std::vector<Pointer> pointers;
  for (const auto& [index, pointer] : tree.leaves()) pointers.push_back(pointer);
  return pointers;
}

}  // namespace

BorrowingLiteral::BorrowingLiteral(const ShapeTree<const char*>& src_buf_ptrs)
    : BorrowingLiteral(LeafPointers(src_buf_ptrs), src_buf_ptrs.shape()) {}
MutableBorrowingLiteral::MutableBorrowingLiteral(const ShapeTree<char*>& src_buf_ptrs)
    : MutableBorrowingLiteral(LeafPointers(src_buf_ptrs), src_buf_ptrs.shape()) {}

struct MutableBorrowingLiteral::Borrowed {
  std::unique_ptr<Shape> shape;
  Piece root;
};

MutableBorrowingLiteral::MutableBorrowingLiteral() : borrowed_(std::make_shared<Borrowed>()) {
  root_piece_ = &borrowed_->root;
  root_piece_->subshape = &NilShape();
}
MutableBorrowingLiteral::MutableBorrowingLiteral(MutableLiteralBase* literal)
    : root_piece_(const_cast<Piece*>(&LiteralAccess::Root(*literal))) {}
MutableBorrowingLiteral::MutableBorrowingLiteral(MutableLiteralBase* literal,
                                                 const ShapeIndex& view_root)
    : root_piece_(const_cast<Piece*>(&LiteralAccess::At(*literal, view_root))) {}
MutableBorrowingLiteral::MutableBorrowingLiteral(char* src_buf_ptr, const Shape& shape)
    : MutableBorrowingLiteral(absl::MakeConstSpan(&src_buf_ptr, 1), shape) {}
MutableBorrowingLiteral::MutableBorrowingLiteral(absl::Span<char* const> src_buf_ptrs,
                                                 const Shape& shape)
    : borrowed_(std::make_shared<Borrowed>()) {
  const std::vector<const char*> buffers(src_buf_ptrs.begin(), src_buf_ptrs.end());
  borrowed_->shape = BorrowShape(shape, buffers, &borrowed_->root);
  root_piece_ = &borrowed_->root;
}

// State of values

Literal LiteralBase::CreateWithState(const Shape& shape, ValueState state) {
  Shape with_layout = shape;
  ShapeUtil::ForEachMutableLeafShape(&with_layout, [](Shape* leaf, const ShapeIndex&) {
    if (leaf->IsArray() && !leaf->has_layout()) LayoutUtil::SetToDefaultLayout(leaf);
  });
  Literal literal(with_layout);
  ForEachPiece(literal.root_piece(), [&](const ShapeIndex&, const Piece& part) {
    if (part.subshape->IsArray()) const_cast<Piece&>(part).state = state;
  });
  return literal;
}
Literal LiteralBase::CreateFromShapeWithUnknownLeafArrays(const Shape& shape) {
  return CreateWithState(shape, ValueState::kUnknown);
}
Literal LiteralBase::CreateFromShapeWithUndeterminedLeafArrays(const Shape& shape) {
  return CreateWithState(shape, ValueState::kUndetermined);
}

bool LiteralBase::IsKnown(const ShapeIndex& shape_index) const {
  bool all = true;
  ForEachPiece(piece(shape_index), [&](const ShapeIndex&, const Piece& part) {
    all = all && part.state == ValueState::kKnown;
  });
  return all;
}
bool LiteralBase::IsDetermined(const ShapeIndex& shape_index) const {
  bool all = true;
  ForEachPiece(piece(shape_index), [&](const ShapeIndex&, const Piece& part) {
    all = all && part.state != ValueState::kUndetermined;
  });
  return all;
}

// Sizes

const void* LiteralBase::untyped_data(const ShapeIndex& shape_index) const {
  return piece(shape_index).buffer;
}
void* MutableLiteralBase::untyped_data(const ShapeIndex& shape_index) {
  return piece(shape_index).buffer;
}

int64_t LiteralBase::size_bytes(const ShapeIndex& shape_index) const {
  const Piece& p = piece(shape_index);
  return p.subshape->IsArray() ? p.buffer_bytes() : 0;
}

int64_t LiteralBase::element_count(const ShapeIndex& shape_index) const {
  return ShapeUtil::ElementsIn(*piece(shape_index).subshape);
}

int64_t LiteralBase::byte_offset(absl::Span<const int64_t> multi_index,
                                 const ShapeIndex& shape_index) const {
  const Piece& p = piece(shape_index);
  return p.LinearIndex(multi_index) * p.element_bytes();
}

int32_t LiteralBase::GetDynamicSize(int64_t dim_index, const ShapeIndex& shape_index) const {
  const Piece& p = piece(shape_index);
  XLA_CHECK(dim_index >= 0 && dim_index < p.subshape->rank())
      << "dimension " << dim_index << " of shape " << p.subshape->ToString();
  // The return type is XLA's; only sizes above 2^31 - 1 do not fit.
  return static_cast<int32_t>(
      std::min<int64_t>(p.existing_size(dim_index), std::numeric_limits<int32_t>::max()));
}

void MutableLiteralBase::SetDynamicSize(int64_t dim_index, const ShapeIndex& shape_index,
                                        int32_t size) {
  Piece& p = piece(shape_index);
  XLA_CHECK(p.subshape->IsArray() && dim_index >= 0 && dim_index < p.subshape->rank())
      << "dimension " << dim_index << " of shape " << p.subshape->ToString();
  XLA_CHECK(size >= 0 && size <= p.subshape->dimensions(dim_index))
      << "dynamic size " << size << " of dimension " << dim_index << " of shape "
      << p.subshape->ToString();
  if (!p.subshape->is_dynamic_dimension(dim_index)) {
    ShapeUtil::GetMutableSubshape(mutable_shape_do_not_use(), shape_index)
        ->set_dynamic_dimension(dim_index, true);
  }
  LiteralAccess::SetExistingSize(dim_index, size, &p);
}

absl::Status MutableLiteralBase::CheckNativeType(PrimitiveType type) const {
  if (shape().IsArray() && shape().element_type() == type) return absl::OkStatus();
  return InvalidArgument("Failing to populate a literal of shape %s using data of type %s.",
                         shape().ToString(), primitive_util::LowercasePrimitiveTypeName(type));
}

void MutableLiteralBase::CheckSizes(absl::Span<const int64_t> sizes) const {
  bool same = shape().IsArray() && static_cast<int64_t>(sizes.size()) == shape().rank();
  for (size_t d = 0; same && d < sizes.size(); ++d)
    same = sizes[d] == root_piece().existing_size(d);
  XLA_CHECK(same) << "values of dimensions " << DimensionsToString(sizes)
                  << " for a literal of shape " << shape().ToString();
}

absl::Status MutableLiteralBase::PopulateInplace(
    absl::FunctionRef<void(void*, absl::Span<const int64_t>)> populator) {
  const Piece& root = root_piece();
  const int64_t bytes = root.element_bytes();
  root.ForEachIndex(/*only_existing=*/false, [&](absl::Span<const int64_t> index, int64_t linear) {
    populator(root.buffer + linear * bytes, index);
  });
  return absl::OkStatus();
}

absl::Status MutableLiteralBase::PopulateInplaceParallel(
    absl::FunctionRef<void(void*, absl::Span<const int64_t>, int)> populator) {
  return PopulateInplace([&](void* element, absl::Span<const int64_t> index) {
    populator(element, index, /*thread_id=*/-1);
  });
}

absl::Status MutableLiteralBase::PopulateLinearInplace(
    absl::FunctionRef<void(void*, int64_t)> populator) {
  const Piece& root = root_piece();
  const int64_t bytes = root.element_bytes();
  for (int64_t i = 0; i < root.buffer_elements(); ++i) populator(root.buffer + i * bytes, i);
  return absl::OkStatus();
}

absl::Status MutableLiteralBase::PopulateLinearInplaceParallel(
    absl::FunctionRef<void(void*, int64_t, int)> populator) {
  return PopulateLinearInplace(
      [&](void* element, int64_t linear) { populator(element, linear, /*thread_id=*/-1); });
}

absl::StatusOr<std::unique_ptr<Literal>> Literal::MakeUnique(const Shape& shape,
                                                             bool allocate_arrays) {
  absl::StatusOr<Literal> literal = Make(shape, allocate_arrays);
  if (!literal.ok()) return literal.status();
  return std::make_unique<Literal>(*std::move(literal));
}

}  // namespace xla
