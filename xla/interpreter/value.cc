// SPDX-License-Identifier: Apache-2.0
// Values of the interpreter: counted buffers and tuples.
#include "xla/interpreter/value.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/overflow_util.h"
#include "xla/primitive_util.h"
#include "xla/runtime/buffer_view.h"
#include "xla/runtime/host_memory.h"

namespace xla::interpreter {
namespace {

using internal::ValueRep;
using internal::ValueRepPtr;

using internal::Storage;

// Small buffers share one allocation with their header.
constexpr int64_t kInlineBytes = 64;
constexpr size_t kHeaderBytes = sizeof(ValueRep);

}  // namespace

namespace internal {

void DestroyValueRep(ValueRep* rep) {
  if (rep->budget != nullptr) rep->budget->Give(rep->bytes);
  if (rep->storage == Storage::kHostMemory) runtime::FreeHostMemory(rep->data);
  rep->~ValueRep();
  std::free(rep);
}

}  // namespace internal

absl::StatusOr<int64_t> CheckedElementCount(const Shape& shape) {
  if (shape.is_unbounded_dynamic()) {
    return absl::InvalidArgumentError(
        absl::StrCat("an array of shape ", shape.ToString(),
                     " has no size: it has a dimension without a bound"));
  }
  const int64_t count = SaturatingProduct(shape.dimensions());
  if (count == std::numeric_limits<int64_t>::max()) {
    return absl::ResourceExhaustedError(absl::StrCat("an array of shape ", shape.ToString(),
                                                     " has more elements than 64 bits count"));
  }
  return count;
}

absl::StatusOr<int64_t> CheckedByteSize(const Shape& shape) {
  absl::StatusOr<int64_t> count = CheckedElementCount(shape);
  if (!count.ok()) return count;
  const int64_t bytes =
      MultiplyWithoutOverflow(*count, primitive_util::ByteWidth(shape.element_type()));
  if (bytes < 0) {
    return absl::ResourceExhaustedError(absl::StrCat("an array of shape ", shape.ToString(),
                                                     ": its size in bytes overflows int64"));
  }
  return bytes;
}

absl::StatusOr<Value> Value::Allocate(const Shape& shape, MemoryBudget& budget) {
  if (shape.rank() == 0) {
    const int64_t bytes = primitive_util::ByteWidth(shape.element_type());
    return AllocateBytes(shape, bytes, bytes, budget);
  }
  XLA_ASSIGN_OR_RETURN(const int64_t bytes, CheckedByteSize(shape));
  if (shape.is_static()) return AllocateBytes(shape, bytes, bytes, budget);
  // With room for the sizes, so that the memory can become a buffer of the client.
  XLA_ASSIGN_OR_RETURN(const int64_t capacity, runtime::ArrayBytes(shape));
  XLA_ASSIGN_OR_RETURN(Value value, AllocateBytes(shape, bytes, capacity, budget));
  // What lies beyond dynamic sizes is computed with, though it never shows: it must be valid, a
  // PRED 0 or 1 above all.
  std::memset(value.mutable_untyped_data(), 0, static_cast<size_t>(capacity));
  return value;
}

absl::StatusOr<Value> Value::AllocateScratch(int64_t bytes, MemoryBudget& budget) {
  static const Shape* const kUntyped = new Shape(U8, {0});
  return AllocateBytes(*kUntyped, bytes, bytes, budget);
}

absl::StatusOr<Value> Value::AllocateBytes(const Shape& shape, int64_t bytes, int64_t capacity,
                                           MemoryBudget& budget) {
  if (!budget.Take(bytes)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "a value of ", bytes, " bytes, ", shape.ToString(), ", would exceed the memory limit of ",
        budget.limit(), " bytes; ", budget.live_bytes(), " bytes are in use"));
  }
  const bool is_inline = capacity <= kInlineBytes;
  void* block = std::malloc(
      kHeaderBytes + (is_inline ? runtime::kHostMemoryPrefix + static_cast<size_t>(capacity) : 0));
  void* data = nullptr;
  if (block != nullptr) {
    data = is_inline ? runtime::PlaceHostMemory(block, kHeaderBytes)
                     : runtime::AllocateHostMemory(static_cast<size_t>(capacity));
  }
  if (data == nullptr) {
    std::free(block);
    budget.Give(bytes);
    return absl::ResourceExhaustedError(absl::StrCat("the system has no memory for a value of ",
                                                     bytes, " bytes, ", shape.ToString()));
  }
  ValueRep* rep = new (block) ValueRep;
  rep->storage = is_inline ? Storage::kInline : Storage::kHostMemory;
  rep->bytes = bytes;
  rep->capacity = capacity;
  rep->data = data;
  rep->budget = &budget;
  Value value;
  value.shape_ = &shape;
  value.rep_ = ValueRepPtr(rep);
  return value;
}

void* Value::ReleaseMemory() && {
  Value self = std::move(*this);
  if (!self.IsArray() || !self.IsUnique() || self.is_external()) return nullptr;
  ValueRep* const rep = self.rep_.Release();
  rep->budget->Give(rep->bytes);
  void* const data = rep->data;
  const bool is_inline = rep->storage == Storage::kInline;
  rep->~ValueRep();
  if (!is_inline) std::free(rep);  // an inline header goes with the data
  return data;
}

namespace {

ValueRep* NewRep() {
  void* memory = std::malloc(sizeof(ValueRep));
  if (memory == nullptr) throw std::bad_alloc();  // the evaluator makes a status of it
  return new (memory) ValueRep;
}

}  // namespace

Value Value::Borrow(const Shape& shape, const void* data) {
  Value value = External(shape, const_cast<void*>(data), 0);
  value.rep_->storage = Storage::kBorrowed;
  return value;
}

Value Value::External(const Shape& shape, void* data, int64_t capacity) {
  ValueRep* rep = NewRep();
  rep->storage = Storage::kExternal;
  rep->data = data;
  rep->capacity = capacity;
  Value value;
  value.shape_ = &shape;
  value.rep_ = ValueRepPtr(rep);
  return value;
}

Value Value::Tuple(const Shape& shape, std::vector<Value> elements) {
  ValueRep* rep = NewRep();
  rep->storage = Storage::kTuple;
  rep->elements = std::make_unique<std::vector<Value>>(std::move(elements));
  Value value;
  value.shape_ = &shape;
  value.rep_ = ValueRepPtr(rep);
  return value;
}

Value Value::Token(const Shape& shape) {
  Value value;
  value.shape_ = &shape;
  return value;
}

int64_t Value::element_count() const {
  int64_t count = 1;
  for (const int64_t size : shape_->dimensions()) count *= size;
  return count;
}

int64_t Value::byte_size() const {
  return element_count() * primitive_util::ByteWidth(element_type());
}

int64_t Value::IntegerAt(int64_t linear_index) const {
  return primitive_util::ArrayTypeSwitch<int64_t>(
      [&](auto type) -> int64_t {
        using T = primitive_util::NativeTypeOf<type>;
        if constexpr (is_integer_v<T> || std::is_same_v<T, bool>) {
          return static_cast<int64_t>(data<T>()[linear_index]);
        }
        XLA_CHECK(false) << "an integer of " << shape_->ToString();
        return 0;
      },
      element_type());
}

DimensionVector Value::existing_dimensions() const {
  if (dynamic_sizes_ != nullptr) return *dynamic_sizes_;
  return DimensionVector(shape_->dimensions().begin(), shape_->dimensions().end());
}

void Value::SetDynamicSize(int64_t dimension, int64_t size) {
  DimensionVector sizes = existing_dimensions();
  sizes[dimension] = size;
  SetDynamicSizes(sizes);
}

void Value::SetDynamicSizes(absl::Span<const int64_t> sizes) {
  XLA_DCHECK(static_cast<int64_t>(sizes.size()) == rank());
  // All at their bounds is the same as none set: then one representation for equal values.
  if (sizes == shape_->dimensions()) {
    dynamic_sizes_ = nullptr;
  } else {
    dynamic_sizes_ = std::make_shared<const DimensionVector>(sizes.begin(), sizes.end());
  }
}

Value Value::TakeElement(int64_t i) {
  Value& element = (*rep_->elements)[i];
  return IsUnique() ? std::move(element) : element;
}

std::vector<Value> Value::TakeElements() && {
  std::vector<Value> elements = IsUnique() ? std::move(*rep_->elements) : *rep_->elements;
  *this = Value();
  return elements;
}

Value Value::WithShape(const Shape& shape) && {
  Value result = std::move(*this);
  if (result.dynamic_sizes_ != nullptr && shape.rank() != result.shape_->rank())
    result.dynamic_sizes_ = nullptr;
  result.shape_ = &shape;
  return result;
}

DimensionVector RowMajorStrides(absl::Span<const int64_t> dimensions) {
  DimensionVector strides(dimensions.size());
  int64_t stride = 1;
  for (size_t i = dimensions.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dimensions[i];
  }
  return strides;
}

}  // namespace xla::interpreter
