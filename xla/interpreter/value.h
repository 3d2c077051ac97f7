// SPDX-License-Identifier: Apache-2.0
// Value: what an instruction evaluates to. Cheap to copy; arrays are dense, row-major, whatever the
// layout.
//
// An array is a counted buffer plus a shape. The buffer holds the elements in row-major order of
// the shape's dimensions, one native C++ object each (primitive_util::NativeTypeOf): PRED, the
// 1/2/4-bit integers and the narrow floats take a byte. Layouts of shapes are ignored here: they
// only matter where a program says so (bitcast) and where values enter and leave (ValueFromLiteral,
// ValueToLiteral).
//
// Dynamic dimensions. The buffer is as large as the bounds. dynamic_size(i) is the number of
// indices that exist in dimension i; elements beyond hold anything and never influence results.
//
// Ownership. A buffer with one reference may be written in place: see IsUnique and
// EvalContext::ReuseOrAllocate. Buffers that borrow (arguments, constants) are never unique. Those
// of donated arguments and of results that the caller gave the memory for may be written, but are
// not freed here.
//
// Lifetime. A Value points at its Shape: an instruction's, or one kept by EvalContext::InternShape.
// Both outlive it.
#ifndef XLA_INTERPRETER_VALUE_H_
#define XLA_INTERPRETER_VALUE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/check.h"
#include "xla/runtime/memory_budget.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla::interpreter {

using runtime::MemoryBudget;

class Value;

namespace internal {

// Where the data of a value is.
enum class Storage : uint8_t {
  kInline,      // in the same block as the ValueRep; see PlaceHostMemory
  kHostMemory,  // from AllocateHostMemory
  kBorrowed,    // owned by another party, which may read it at the same time
  kExternal,    // owned by another party, which leaves it to the run
  kTuple,       // no data, but elements
};

// The counted part of a value: a buffer, or the elements of a tuple.
struct ValueRep {
  std::atomic<int32_t> references{1};
  Storage storage = Storage::kBorrowed;
  int64_t bytes = 0;     // counted in the budget
  int64_t capacity = 0;  // of the memory at `data`
  void* data = nullptr;
  MemoryBudget* budget = nullptr;
  std::unique_ptr<std::vector<Value>> elements;
};

void DestroyValueRep(ValueRep* rep);

// A reference to a ValueRep.
class ValueRepPtr {
 public:
  ValueRepPtr() = default;
  explicit ValueRepPtr(ValueRep* rep) : rep_(rep) {}  // takes over one reference
  ValueRepPtr(const ValueRepPtr& other) : rep_(other.rep_) {
    if (rep_ != nullptr) rep_->references.fetch_add(1, std::memory_order_relaxed);
  }
  ValueRepPtr(ValueRepPtr&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  ValueRepPtr& operator=(ValueRepPtr other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~ValueRepPtr() {
    if (rep_ != nullptr && (rep_->references.load(std::memory_order_acquire) == 1 ||
                            rep_->references.fetch_sub(1, std::memory_order_acq_rel) == 1)) {
      DestroyValueRep(rep_);
    }
  }
  ValueRep* get() const { return rep_; }
  // Gives the reference to the caller.
  ValueRep* Release() { return std::exchange(rep_, nullptr); }
  ValueRep* operator->() const { return rep_; }

 private:
  ValueRep* rep_ = nullptr;
};

}  // namespace internal

class Value {
 public:
  // Nothing: the state after a move.
  Value() = default;
  Value(const Value&) = default;
  Value& operator=(const Value&) = default;
  Value(Value&& other) noexcept
      : shape_(std::exchange(other.shape_, nullptr)),
        rep_(std::move(other.rep_)),
        dynamic_sizes_(std::move(other.dynamic_sizes_)) {}
  Value& operator=(Value&& other) noexcept {
    shape_ = std::exchange(other.shape_, nullptr);
    rep_ = std::move(other.rep_);
    dynamic_sizes_ = std::move(other.dynamic_sizes_);
    return *this;
  }

  // An array, uninitialized unless the shape is dynamic (then zeros), aligned to 64 bytes.
  // RESOURCE_EXHAUSTED when the size overflows, the budget's limit
  // would be passed, or the system has no memory. INVALID_ARGUMENT for an unbounded dimension.
  static absl::StatusOr<Value> Allocate(const Shape& shape, MemoryBudget& budget);
  // Working memory without a shape of its own.
  static absl::StatusOr<Value> AllocateScratch(int64_t bytes, MemoryBudget& budget);
  // An array over external memory, which outlives the value; never written.
  static Value Borrow(const Shape& shape, const void* data);
  // An array over external memory, which outlives the value, holds `capacity` bytes, and
  // may be written.
  static Value External(const Shape& shape, void* data, int64_t capacity);
  static Value Tuple(const Shape& shape, std::vector<Value> elements);
  // A token, or any other shape without contents.
  static Value Token(const Shape& shape);

  bool has_value() const { return shape_ != nullptr; }
  const Shape& shape() const { return *shape_; }
  PrimitiveType element_type() const { return shape_->element_type(); }
  bool IsArray() const {
    return rep_.get() != nullptr && rep_->storage != internal::Storage::kTuple;
  }
  bool IsTuple() const {
    return rep_.get() != nullptr && rep_->storage == internal::Storage::kTuple;
  }

  // --- Arrays. Sizes are bounds where a dimension is dynamic.
  int64_t rank() const { return shape_->rank(); }
  absl::Span<const int64_t> dimensions() const { return shape_->dimensions(); }
  int64_t element_count() const;
  int64_t byte_size() const;
  const void* untyped_data() const { return rep_->data; }
  // Only for the one who made the value, before it is shared, or when IsUnique().
  void* mutable_untyped_data() {
    XLA_DCHECK(rep_->storage != internal::Storage::kBorrowed);
    return rep_->data;
  }
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(untyped_data());
  }
  template <typename T>
  T* mutable_data() {
    return static_cast<T*>(mutable_untyped_data());
  }
  // The element of a scalar (or the first one).
  template <typename T>
  T scalar() const {
    return *data<T>();
  }
  // The first element of an integral or PRED array, widened; U64 wraps.
  int64_t IntegerAt(int64_t linear_index) const;

  // The only reference to a buffer (or tuple) that is not borrowed: it may be written in place.
  bool IsUnique() const {
    return rep_.get() != nullptr && rep_->storage != internal::Storage::kBorrowed &&
           rep_->references.load(std::memory_order_acquire) == 1;
  }

  // Bytes of the memory: at least those of the elements and, after them, of the dynamic sizes that
  // a buffer of the shape has (runtime/buffer_view.h).
  int64_t capacity() const { return rep_->capacity; }
  bool is_external() const { return rep_->storage == internal::Storage::kExternal; }
  // The memory of a unique array that Allocate made: the caller frees it with
  // FreeHostMemory (runtime/host_memory.h). Null for other arrays. This value is empty afterwards.
  void* ReleaseMemory() &&;

  // --- Dynamic sizes
  bool has_dynamic_sizes() const { return dynamic_sizes_ != nullptr; }
  // Indices that exist in the dimension; the dimension's size unless set.
  int64_t dynamic_size(int64_t dimension) const {
    return dynamic_sizes_ == nullptr ? shape_->dimensions(static_cast<int>(dimension))
                                     : (*dynamic_sizes_)[dimension];
  }
  // All sizes, for loops over what exists.
  DimensionVector existing_dimensions() const;
  void SetDynamicSize(int64_t dimension, int64_t size);
  void SetDynamicSizes(absl::Span<const int64_t> sizes);
  // Takes the sizes of another value of the same rank.
  void CopyDynamicSizesFrom(const Value& other) { dynamic_sizes_ = other.dynamic_sizes_; }
  void ClearDynamicSizes() { dynamic_sizes_ = nullptr; }

  // --- Tuples
  absl::Span<const Value> elements() const { return *rep_->elements; }
  const Value& element(int64_t i) const { return (*rep_->elements)[i]; }
  // The element, moved out if this tuple is unique (its place is empty then), else shared.
  Value TakeElement(int64_t i);
  // All elements, moved out or shared; this value is empty afterwards.
  std::vector<Value> TakeElements() &&;

  // The same contents under another shape of as many bytes (reshape; a layout change; a tuple's
  // equal shape). Dynamic sizes stay if the rank does.
  Value WithShape(const Shape& shape) &&;
  Value WithShape(const Shape& shape) const& { return Value(*this).WithShape(shape); }

 private:
  static absl::StatusOr<Value> AllocateBytes(const Shape& shape, int64_t bytes, int64_t capacity,
                                             MemoryBudget& budget);

  const Shape* shape_ = nullptr;
  internal::ValueRepPtr rep_;
  std::shared_ptr<const DimensionVector> dynamic_sizes_;
};

// Row-major strides, in elements.
DimensionVector RowMajorStrides(absl::Span<const int64_t> dimensions);

// Number of elements and bytes of an array shape; RESOURCE_EXHAUSTED (naming the shape) when they
// overflow, INVALID_ARGUMENT for an unbounded dimension.
absl::StatusOr<int64_t> CheckedElementCount(const Shape& shape);
absl::StatusOr<int64_t> CheckedByteSize(const Shape& shape);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_VALUE_H_
