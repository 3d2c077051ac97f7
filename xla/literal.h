// SPDX-License-Identifier: Apache-2.0
// Literals: values of any shape in host memory.
//
//   Literal                  owns its shape and buffers; movable, copied only by Clone()
//   LiteralSlice             read-only view of a literal, or of one element of a tuple literal
//   BorrowingLiteral         read-only literal on buffers that others own
//   MutableBorrowingLiteral  the same, writable
//
// Memory. An array's buffer holds one element after the other in the order of the shape's layout
// (row-major where the shape has none). padded_dimensions widen a dimension in memory; padding
// elements hold the layout's padding_value (zero if it has none). Tiles, element_size_in_bits and
// memory spaces describe how a device stores an array; a literal ignores them. PRED, integers below
// 8 bits and the narrow floats take one byte per element. Buffers of a Literal are initialized to
// zero.
//
// Dynamic dimensions. The buffer has the size of the bound; GetDynamicSize returns the number of
// elements of the dimension that exist. Elements beyond it are not compared, printed or hashed.
//
// Errors. Accessors XLA_CHECK their arguments (wrong element type, index out of range): they are
// for shapes that the program itself made. Use Literal::Make and CreateFromProto, which return a
// Status, for shapes from input.
#ifndef XLA_LITERAL_H_
#define XLA_LITERAL_H_

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/array.h"
#include "xla/array2d.h"
#include "xla/array3d.h"
#include "xla/array4d.h"
#include "xla/base/check.h"
#include "xla/primitive_util.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/types.h"
#include "xla/xla_data_enums.h"

namespace xla {

class Literal;
class LiteralSlice;
template <typename T>
class ShapeTree;

// The read-only interface of all literals.
class LiteralBase {
 public:
  virtual ~LiteralBase() = default;

  // Equal shapes (layouts aside) and equal bits in every element: NaN equals the same NaN, -0
  // differs from +0.
  bool operator==(const LiteralBase& other) const {
    return Equal(other, /*layout_sensitive=*/false);
  }
  bool operator!=(const LiteralBase& other) const { return !(*this == other); }
  bool Equal(const LiteralBase& other, bool layout_sensitive) const;

  const Shape& shape() const { return *root_piece().subshape; }

  // Proto in XLA's format. Array data is in memory order (of the layout in the proto), without
  // padding.
  LiteralProto ToProto() const;
  // The bytes of ToProto().
  absl::StatusOr<std::string> SerializeAsString() const;

  // The elements of an array in memory order, padding included.
  template <typename NativeT>
  absl::Span<const NativeT> data(const ShapeIndex& shape_index = {}) const {
    return piece(shape_index).template data<NativeT>();
  }
  const void* untyped_data(const ShapeIndex& shape_index = {}) const;
  // Bytes of the array's buffer, padding included.
  int64_t size_bytes(const ShapeIndex& shape_index = {}) const;
  // Number of elements of the array (at its bounds, where dynamic), without padding.
  int64_t element_count(const ShapeIndex& shape_index = {}) const;
  // Byte offset of an element from untyped_data().
  int64_t byte_offset(absl::Span<const int64_t> multi_index,
                      const ShapeIndex& shape_index = {}) const;

  // The bytes of a U8[n].
  std::string GetR1U8AsString() const;

  // Text. ToString prints the shape without layout and the value; a tuple over several lines:
  //   f32[2] {1, 2}
  // The Oneline forms put everything on one line. All are in xla/literal_print.h's number format.
  std::string ToString() const;
  std::string ToStringOneline() const;
  std::string ToStringWithoutShape() const;
  std::string ToStringWithoutShapeOneline() const;
  std::string ToStringWithLayout() const;
  std::string ToStringWithLayoutOneline() const;

  template <typename NativeT>
  NativeT Get(absl::Span<const int64_t> multi_index, const ShapeIndex& shape_index) const {
    const Piece& p = piece(shape_index);
    return p.data<NativeT>()[p.LinearIndex(multi_index)];
  }
  template <typename NativeT>
  NativeT Get(absl::Span<const int64_t> multi_index) const {
    return root_piece().data<NativeT>()[root_piece().LinearIndex(multi_index)];
  }
  // Element (0, .., 0).
  template <typename NativeT>
  NativeT GetFirstElement() const {
    const auto elements = root_piece().data<NativeT>();
    XLA_CHECK(!elements.empty()) << "GetFirstElement of an array without elements";
    return elements[0];
  }
  // The element at a position in memory.
  template <typename NativeT>
  NativeT GetLinear(int64_t linear_index, const ShapeIndex& shape_index) const {
    return piece(shape_index).data<NativeT>()[linear_index];
  }
  template <typename NativeT>
  NativeT GetLinear(int64_t linear_index) const {
    return root_piece().data<NativeT>()[linear_index];
  }
  // The first element of an integral array; nullopt for other types.
  std::optional<int64_t> GetFirstInteger() const;

  // Number of elements that exist in a dimension: its size, unless set below its bound.
  int32_t GetDynamicSize(int64_t dim_index, const ShapeIndex& shape_index) const;
  int32_t GetDynamicSize(int64_t dim_index) const { return GetDynamicSize(dim_index, {}); }

  // Elements of any type.
  std::string GetAsString(absl::Span<const int64_t> multi_index,
                          const ShapeIndex& shape_index = {}) const;
  // nullopt unless PRED or integral; U64 wraps.
  std::optional<int64_t> GetIntegralAsS64(absl::Span<const int64_t> multi_index) const;
  // nullopt for complex types.
  std::optional<double> GetAsDouble(absl::Span<const int64_t> multi_index) const;
  // nullopt for PRED and integers too.
  std::optional<complex128> GetAsComplex128(absl::Span<const int64_t> multi_index) const;
  // The sum of the elements at these positions in memory.
  std::optional<double> GetSumAsDouble(absl::Span<const int64_t> linear_indices) const;
  // The sum of the elements as complex128, for scalars and arrays of numbers; nullopt otherwise.
  std::optional<complex128> GetSumAsComplex128() const;

  template <typename T, std::enable_if_t<std::is_arithmetic_v<T> || is_mini_float_v<T>, int> = 0>
  bool IsEqualAt(absl::Span<const int64_t> multi_index, T value) const {
    if (auto as_s64 = GetIntegralAsS64(multi_index)) return *as_s64 == value;
    const complex128 element = *GetAsComplex128(multi_index);
    return element.imag() == 0 && element.real() == static_cast<double>(value);
  }
  bool IsEqualAt(absl::Span<const int64_t> multi_index, complex128 value) const;

  // Calls f(index, value) for every element that exists, in row-major order.
  void EachCellAsString(
      absl::FunctionRef<void(absl::Span<const int64_t>, const std::string&)> per_cell) const;
  template <typename NativeT>
  void EachCell(absl::FunctionRef<void(absl::Span<const int64_t>, NativeT)> per_cell) const {
    const auto elements = root_piece().data<NativeT>();
    root_piece().ForEachIndex(/*only_existing=*/true,
                              [&](absl::Span<const int64_t> index, int64_t linear) {
                                per_cell(index, elements[linear]);
                              });
  }

  // The same until f returns false; whether it never did.
  template <typename NativeT>
  bool EachCellUntilFailure(
      absl::FunctionRef<bool(absl::Span<const int64_t>, NativeT)> per_cell) const {
    const auto elements = root_piece().data<NativeT>();
    bool go_on = true;
    root_piece().ForEachIndex(/*only_existing=*/true,
                              [&](absl::Span<const int64_t> index, int64_t linear) {
                                if (go_on) go_on = per_cell(index, elements[linear]);
                              });
    return go_on;
  }
  // The elements that equal `value`, converted to the element type; 0 if that changes it.
  // NaN equals NaN.
  template <typename T>
  int64_t CountEqual(T value) const {
    int64_t count = 0;
    primitive_util::ArrayTypeSwitch<void>(
        [&](auto type) {
          using E = primitive_util::NativeTypeOf<type>;
          const E element = static_cast<E>(value);
          if constexpr (!is_complex_v<E>) {
            if (static_cast<T>(element) != value && value == value) return;
          }
          for (const E& e : root_piece().data<E>()) {
            count += e == element || (e != e && element != element);
          }
        },
        shape().element_type());
    return count;
  }
  template <typename T>
  int64_t CountEqual(std::complex<T> value) const {
    if (!primitive_util::IsComplexType(shape().element_type())) {
      return value.imag() == 0 ? CountEqual(value.real()) : 0;
    }
    int64_t count = 0;
    primitive_util::ComplexTypeSwitch<void>(
        [&](auto type) {
          using E = primitive_util::NativeTypeOf<type>;
          for (const E& e : root_piece().data<E>()) count += e == static_cast<E>(value);
        },
        shape().element_type());
    return count;
  }

  // True if the literal is an array, and every element: equals the scalar (same type); equals
  // `value`; ... An array without elements satisfies all of these.
  bool IsAll(const LiteralBase& scalar) const;
  // False where the type cannot hold `value`.
  bool IsAll(int8_t value) const;
  // Floating-point and complex types only. Compares values; NaN matches NaN.
  bool IsAllFloat(float value) const;
  bool IsAllComplex(complex64 value) const;
  bool IsAllFirst() const;  // false for an array without elements
  // 0, 1, 2, ... ; start may not differ from 0.
  bool IsR1Iota() const;
  // 0, n, 2n, ... for an n != 0: gives n.
  std::optional<int64_t> IsR1StridedIota() const;
  bool IsZero(absl::Span<const int64_t> multi_index) const;

  // Equal literals hash alike. Of each array at most byte_limit bytes count.
  uint64_t HashValue(int64_t byte_limit = std::numeric_limits<int64_t>::max()) const;
  template <typename H>
  friend H AbslHashValue(H state, const LiteralBase& literal) {
    return H::combine(std::move(state), literal.HashValue());
  }

  template <typename H, bool kIsLayoutSensitive = true,
            int64_t kByteLimit = std::numeric_limits<int64_t>::max()>
  static H Hash(H state, const LiteralBase& literal) {
    state = Shape::Hash<H, kIsLayoutSensitive>(std::move(state), literal.shape());
    return H::combine(std::move(state), literal.HashValue(kByteLimit));
  }
  // For hash maps: whether layouts count.
  template <bool layout_sensitive>
  struct AbslHashable {
    explicit AbslHashable(const LiteralBase& l) : literal(l) {}
    template <typename H>
    friend H AbslHashValue(H state, const AbslHashable& hashable) {
      return LiteralBase::Hash<H, layout_sensitive>(std::move(state), hashable.literal);
    }
    const LiteralBase& literal;
  };

  // Conversion of values as HLO's convert does it: towards zero, saturating and NaN to 0 from
  // floating-point to integral types; one rounding to nearest even to floating-point types; != 0 to
  // PRED; complex to real drops the imaginary part. Integers wrap to narrower integers.
  absl::StatusOr<Literal> Convert(PrimitiveType primitive_dest_type) const;
  // Type by type over a tuple; layouts are taken from dest_shape.
  absl::StatusOr<Literal> ConvertToShape(const Shape& dest_shape) const;
  // As HLO's bitcast-convert: where widths differ, a minor-most dimension of the ratio appears or
  // vanishes.
  absl::StatusOr<Literal> BitcastConvert(const Shape& dest_shape) const;

  Literal Clone() const;
  std::unique_ptr<Literal> CloneToUnique() const;

  // The same value under another layout.
  Literal Relayout(const Layout& new_layout, const ShapeIndex& shape_index = {}) const;
  Literal Relayout(const Shape& shape_with_layout) const;

  // Sizes become the dynamic sizes; the reverse gives `bounded_shape` with this literal's sizes.
  Literal ToStatic() const;
  Literal ToBoundedDynamic(const Shape& bounded_shape) const;

  // Arrays only. Elements in row-major order are kept; the result has default layout.
  absl::StatusOr<Literal> Reshape(absl::Span<const int64_t> dimensions) const;
  // Dimension i of this array becomes dimension dimensions[i] of the result; the others repeat it.
  absl::StatusOr<Literal> Broadcast(const Shape& result_shape,
                                    absl::Span<const int64_t> dimensions) const;
  // Dimension i of the result is dimension permutation[i] of this array. The layout moves along, so
  // that the memory order stays.
  Literal Transpose(absl::Span<const int64_t> permutation) const;
  // Indices [start, limit) of each dimension.
  Literal Slice(absl::Span<const int64_t> start_indices,
                absl::Span<const int64_t> limit_indices) const;
  // A new major-most dimension of size `times`.
  template <typename NativeT>
  Literal Replicate(int64_t times) const;

  static Literal CreateFromShape(const Shape& shape);

  // Whether all array leaves within the index have values. Evaluation of programs in part marks
  // those that it cannot compute as unknown, and those that it has not reached as undetermined;
  // copies keep the marks. The values of such leaves mean nothing.
  bool IsKnown(const ShapeIndex& shape_index = {}) const;
  bool IsDetermined(const ShapeIndex& shape_index = {}) const;
  static Literal CreateFromShapeWithUnknownLeafArrays(const Shape& shape);
  static Literal CreateFromShapeWithUndeterminedLeafArrays(const Shape& shape);

 protected:
  enum class ValueState : uint8_t { kKnown, kUnknown, kUndetermined };
  static Literal CreateWithState(const Shape& shape, ValueState state);

  // The root, or one element of a tuple.
  struct Piece {
    static constexpr int64_t kInlineBytes = 16;

    Piece() = default;
    Piece(Piece&& other) noexcept;
    Piece& operator=(Piece&& other) noexcept;
    ~Piece();

    // Points into the shape that the literal holds (or borrows).
    const Shape* subshape = nullptr;
    // Arrays: the elements; at inline_bytes when few. Null for tuples and tokens.
    char* buffer = nullptr;
    bool owns_buffer = false;
    ValueState state = ValueState::kKnown;
    alignas(kInlineBytes) char inline_bytes[kInlineBytes];
    // Dynamic sizes of all dimensions; null if every dimension is at its bound.
    std::unique_ptr<int64_t[]> dynamic_sizes;
    std::vector<Piece> children;

    bool is_inline() const { return buffer == inline_bytes; }
    int64_t element_bytes() const { return primitive_util::ByteWidth(subshape->element_type()); }
    // Elements in memory, padding included.
    int64_t buffer_elements() const;
    int64_t buffer_bytes() const { return buffer_elements() * element_bytes(); }
    int64_t existing_size(int64_t dim) const;

    template <typename NativeT>
    absl::Span<NativeT> data() const {
      CheckType(primitive_util::NativeToPrimitiveType<NativeT>());
      return absl::Span<NativeT>(reinterpret_cast<NativeT*>(buffer), buffer_elements());
    }
    void CheckType(PrimitiveType type) const;
    // Memory position, in elements, of an index; checks rank and bounds.
    int64_t LinearIndex(absl::Span<const int64_t> multi_index) const;
    // Calls f(index, linear index) in row-major order of indices, up to bounds or to dynamic sizes.
    void ForEachIndex(bool only_existing,
                      absl::FunctionRef<void(absl::Span<const int64_t>, int64_t)> f) const;
    // Fills the elements that are padding.
    void FillPadding();
  };

  const Piece& piece(const ShapeIndex& shape_index) const;
  virtual const Piece& root_piece() const = 0;

  Literal ReplicateElements(int64_t times) const;
  // Calls f(index, piece) for every piece, parents first.
  static void ForEachPiece(const Piece& root,
                           absl::FunctionRef<void(const ShapeIndex&, const Piece&)> f);

  friend class MutableLiteralBase;
  friend class LiteralSlice;
  friend class BorrowingLiteral;
  friend class MutableBorrowingLiteral;
  friend class Literal;
  friend struct LiteralAccess;  // the .cc files
};

// The interface of writable literals.
class MutableLiteralBase : public LiteralBase {
 public:
  template <typename NativeT>
  absl::Span<NativeT> data(const ShapeIndex& shape_index = {}) {
    return piece(shape_index).template data<NativeT>();
  }
  using LiteralBase::data;
  void* untyped_data(const ShapeIndex& shape_index = {});
  using LiteralBase::untyped_data;

  // Marks the dimension dynamic (owned shapes only; others must have it so already) and sets its
  // size, at most its bound.
  void SetDynamicSize(int64_t dim_index, const ShapeIndex& shape_index, int32_t size);
  void SetDynamicSize(int64_t dim_index, int32_t size) { SetDynamicSize(dim_index, {}, size); }

  template <typename NativeT>
  void MutableEachCell(absl::FunctionRef<NativeT(absl::Span<const int64_t>, NativeT)> per_cell) {
    const auto elements = root_piece().data<NativeT>();
    root_piece().ForEachIndex(/*only_existing=*/true,
                              [&](absl::Span<const int64_t> index, int64_t linear) {
                                elements[linear] = per_cell(index, elements[linear]);
                              });
  }

  // Copies the (sub)literal; shapes must be compatible, layouts may differ. With only_dynamic_bound
  // only elements that exist in both are copied (sizes may then differ).
  absl::Status CopyFrom(const LiteralSlice& src_literal, const ShapeIndex& dest_shape_index = {},
                        const ShapeIndex& src_shape_index = {}, bool only_dynamic_bound = false);
  // Copies the box at src_base to dest_base.
  absl::Status CopySliceFrom(const LiteralSlice& src_literal, absl::Span<const int64_t> src_base,
                             absl::Span<const int64_t> dest_base,
                             absl::Span<const int64_t> copy_size);
  absl::Status CopyElementFrom(const LiteralSlice& src_literal, absl::Span<const int64_t> src_index,
                               absl::Span<const int64_t> dest_index);

  template <typename NativeT>
  void Set(absl::Span<const int64_t> multi_index, const ShapeIndex& shape_index, NativeT value) {
    const Piece& p = piece(shape_index);
    p.data<NativeT>()[p.LinearIndex(multi_index)] = value;
  }
  template <typename NativeT>
  void Set(absl::Span<const int64_t> multi_index, NativeT value) {
    root_piece().data<NativeT>()[root_piece().LinearIndex(multi_index)] = value;
  }
  // Converts to the element type (integers wrap; floating-point values round). InvalidArgument for
  // types that cannot take such a value.
  absl::Status SetIntegralAsS64(absl::Span<const int64_t> multi_index, int64_t value);
  absl::Status SetFromDouble(absl::Span<const int64_t> multi_index, double value);

  // Fill the whole literal; its type and sizes must be those of the values.
  template <typename NativeT>
  void PopulateR1(absl::Span<const NativeT> values);
  template <typename NativeT>
  void PopulateR2(std::initializer_list<std::initializer_list<NativeT>> values);
  template <typename NativeT>
  void PopulateFromArray(const Array<NativeT>& values);
  template <typename NativeT>
  void PopulateR2FromArray2D(const Array2D<NativeT>& values) {
    PopulateFromArray<NativeT>(values);
  }
  template <typename NativeT>
  void PopulateR3FromArray3D(const Array3D<NativeT>& values) {
    PopulateFromArray<NativeT>(values);
  }
  template <typename NativeT>
  void PopulateR4FromArray4D(const Array4D<NativeT>& values) {
    PopulateFromArray<NativeT>(values);
  }
  // Calls generator(index) for each element in row-major order. InvalidArgument for another element
  // type.
  template <typename NativeT>
  absl::Status Populate(absl::FunctionRef<NativeT(absl::Span<const int64_t>)> generator);
  // As Populate; the second argument, a thread number, is always -1: this library keeps the order
  // fixed.
  template <typename NativeT>
  absl::Status PopulateParallel(
      absl::FunctionRef<NativeT(absl::Span<const int64_t>, int)> generator);
  // Calls generator(linear index in row-major order).
  template <typename NativeT>
  absl::Status PopulateLinear(absl::FunctionRef<NativeT(int64_t)> generator);
  // Calls populator(address of the element, index[, thread number -1]).
  absl::Status PopulateInplace(absl::FunctionRef<void(void*, absl::Span<const int64_t>)> populator);
  absl::Status PopulateInplaceParallel(
      absl::FunctionRef<void(void*, absl::Span<const int64_t>, int)> populator);
  // The same with the position in memory instead of the index.
  template <typename NativeT>
  absl::Status PopulateLinearParallel(absl::FunctionRef<NativeT(int64_t, int)> generator) {
    return PopulateLinear<NativeT>([&](int64_t linear) { return generator(linear, -1); });
  }
  absl::Status PopulateLinearInplace(absl::FunctionRef<void(void*, int64_t)> populator);
  absl::Status PopulateLinearInplaceParallel(
      absl::FunctionRef<void(void*, int64_t, int)> populator);
  template <typename NativeT>
  void PopulateWithValue(NativeT value);
  // Every element of every array, from a scalar of the same type.
  void PopulateWithScalar(const LiteralBase& scalar);

  // Moves elements into a tuple; they become empty tuples.
  static Literal MoveIntoTuple(absl::Span<Literal> elements);
  // InvalidArgument where the shape is invalid or the data does not fit it. With
  // prohibit_empty_literal an array with elements must have data; otherwise its elements may be
  // absent and are zero.
  static absl::StatusOr<Literal> CreateFromProto(const LiteralProto& proto,
                                                 bool prohibit_empty_literal = true);

  // For changes of a layout's or shape's annotations in place; the memory layout must not change.
  Shape* mutable_shape_do_not_use();

 protected:
  Piece& piece(const ShapeIndex& shape_index) {
    return const_cast<Piece&>(LiteralBase::piece(shape_index));
  }
  // The shape if this literal owns it.
  virtual Shape* owned_shape() { return nullptr; }
  absl::Status CheckNativeType(PrimitiveType type) const;
  void CheckSizes(absl::Span<const int64_t> sizes) const;
};

class Literal : public MutableLiteralBase {
 public:
  // The empty tuple.
  Literal();
  // Elements are zero; padding is as the layout says. XLA_CHECKs a valid shape and enough memory:
  // for shapes that the program made.
  explicit Literal(const Shape& shape);
  Literal(const Shape& shape, bool allocate_arrays);
  Literal(Literal&& other) noexcept;
  Literal& operator=(Literal&& other) noexcept;
  Literal(const Literal&) = delete;
  Literal& operator=(const Literal&) = delete;
  ~Literal() override;

  // The same for shapes from input. InvalidArgument for an invalid shape, a negative or unbounded
  // dimension, a size that overflows or tuples nested too deep; ResourceExhausted above
  // max_bytes or out of memory.
  static constexpr int64_t kMaxBytes = int64_t{1} << 40;
  static absl::StatusOr<Literal> Make(const Shape& shape, bool allocate_arrays = true);
  static absl::StatusOr<std::unique_ptr<Literal>> MakeUnique(const Shape& shape,
                                                             bool allocate_arrays = true);
  static absl::StatusOr<Literal> MakeBounded(const Shape& shape, int64_t max_bytes);

  // The reverse of SerializeAsString.
  static absl::StatusOr<Literal> DeserializeFromString(absl::string_view bytes);

  // Replaces the element at dest_shape_index, whose shape (layout included) must be the same, by
  // src_literal. src_literal becomes the empty tuple.
  absl::Status MoveFrom(Literal&& src_literal, const ShapeIndex& dest_shape_index = {});
  // The elements of a tuple, moved out; this literal becomes the empty tuple.
  std::vector<Literal> DecomposeTuple();
  // One element, moved out; this literal becomes the empty tuple.
  Literal SubLiteral(const ShapeIndex& shape_index);

 private:
  friend class LiteralBase;
  friend class MutableLiteralBase;
  friend struct LiteralAccess;

  static absl::StatusOr<Literal> MakeChecked(const Shape& shape, int64_t max_bytes,
                                             bool allocate_arrays);
  const Piece& root_piece() const override { return root_piece_; }
  Shape* owned_shape() override;

  // Scalars of each type share an immutable shape, so that they need no allocation.
  std::unique_ptr<Shape> shape_;
  Piece root_piece_;
};

// A read-only view; the literal viewed must stay alive and in place.
class LiteralSlice : public LiteralBase {
 public:
  LiteralSlice();
  LiteralSlice(const LiteralBase& literal);  // NOLINT: converts implicitly, as in XLA
  LiteralSlice(const LiteralSlice&) = default;
  LiteralSlice& operator=(const LiteralSlice&) = default;
  LiteralSlice(const LiteralBase& literal, const ShapeIndex& view_root);

 private:
  const Piece& root_piece() const override { return *root_piece_; }

  const Piece* root_piece_;
};

// Buffers must be as large as the shape says, aligned to the element type, and outlive the literal.
class BorrowingLiteral : public LiteralBase {
 public:
  BorrowingLiteral();
  BorrowingLiteral(const char* src_buf_ptr, const Shape& shape);
  // One buffer per array leaf, in order of the tuple.
  BorrowingLiteral(absl::Span<const char* const> src_buf_ptrs, const Shape& shape);
  explicit BorrowingLiteral(const ShapeTree<const char*>& src_buf_ptrs);
  BorrowingLiteral(BorrowingLiteral&&) = default;
  BorrowingLiteral& operator=(BorrowingLiteral&&) = default;

 private:
  const Piece& root_piece() const override { return root_piece_; }

  std::unique_ptr<Shape> shape_;
  Piece root_piece_;
};

class MutableBorrowingLiteral : public MutableLiteralBase {
 public:
  MutableBorrowingLiteral();
  MutableBorrowingLiteral(MutableLiteralBase* literal);  // NOLINT: converts implicitly, as in XLA
  MutableBorrowingLiteral(MutableLiteralBase* literal, const ShapeIndex& view_root);
  MutableBorrowingLiteral(char* src_buf_ptr, const Shape& shape);
  MutableBorrowingLiteral(absl::Span<char* const> src_buf_ptrs, const Shape& shape);
  explicit MutableBorrowingLiteral(const ShapeTree<char*>& src_buf_ptrs);
  // Copies view the same buffers.
  MutableBorrowingLiteral(const MutableBorrowingLiteral&) = default;
  MutableBorrowingLiteral& operator=(const MutableBorrowingLiteral&) = default;

 private:
  struct Borrowed;

  const Piece& root_piece() const override { return *root_piece_; }

  // Null where another literal's pieces are viewed.
  std::shared_ptr<Borrowed> borrowed_;
  Piece* root_piece_;
};

std::ostream& operator<<(std::ostream& out, const LiteralBase& literal);

// Implementation of the templates.

template <typename NativeT>
void MutableLiteralBase::PopulateR1(absl::Span<const NativeT> values) {
  CheckSizes({static_cast<int64_t>(values.size())});
  const auto elements = root_piece().data<NativeT>();
  for (size_t i = 0; i < values.size(); ++i) elements[i] = values[i];
}

template <typename NativeT>
void MutableLiteralBase::PopulateR2(std::initializer_list<std::initializer_list<NativeT>> values) {
  const size_t columns = values.size() == 0 ? 0 : values.begin()->size();
  CheckSizes({static_cast<int64_t>(values.size()), static_cast<int64_t>(columns)});
  int64_t row = 0;
  for (const auto& row_values : values) {
    XLA_CHECK(row_values.size() == columns) << "rows of different length";
    int64_t column = 0;
    for (const NativeT& value : row_values) Set<NativeT>({row, column++}, value);
    ++row;
  }
}

template <typename NativeT>
void MutableLiteralBase::PopulateFromArray(const Array<NativeT>& values) {
  CheckSizes(values.dimensions());
  values.Each(
      [this](absl::Span<const int64_t> index, NativeT value) { Set<NativeT>(index, value); });
}

template <typename NativeT>
absl::Status MutableLiteralBase::Populate(
    absl::FunctionRef<NativeT(absl::Span<const int64_t>)> generator) {
  absl::Status status = CheckNativeType(primitive_util::NativeToPrimitiveType<NativeT>());
  if (!status.ok()) return status;
  const auto elements = root_piece().data<NativeT>();
  root_piece().ForEachIndex(/*only_existing=*/false,
                            [&](absl::Span<const int64_t> index, int64_t linear) {
                              elements[linear] = generator(index);
                            });
  return absl::OkStatus();
}

template <typename NativeT>
absl::Status MutableLiteralBase::PopulateParallel(
    absl::FunctionRef<NativeT(absl::Span<const int64_t>, int)> generator) {
  return Populate<NativeT>([&](absl::Span<const int64_t> index) { return generator(index, -1); });
}

template <typename NativeT>
absl::Status MutableLiteralBase::PopulateLinear(absl::FunctionRef<NativeT(int64_t)> generator) {
  absl::Status status = CheckNativeType(primitive_util::NativeToPrimitiveType<NativeT>());
  if (!status.ok()) return status;
  int64_t next = 0;
  for (NativeT& element : root_piece().data<NativeT>()) element = generator(next++);
  const_cast<Piece&>(root_piece()).FillPadding();
  return absl::OkStatus();
}

template <typename NativeT>
void MutableLiteralBase::PopulateWithValue(NativeT value) {
  for (NativeT& element : root_piece().data<NativeT>()) element = value;
  const_cast<Piece&>(root_piece()).FillPadding();
}

template <typename NativeT>
Literal LiteralBase::Replicate(int64_t times) const {
  return ReplicateElements(times);
}

}  // namespace xla

#endif  // XLA_LITERAL_H_
