// SPDX-License-Identifier: Apache-2.0
// Internals of literals that the sources xla/literal*.cc share. Not for other files.
#ifndef XLA_LITERAL_ACCESS_H_
#define XLA_LITERAL_ACCESS_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "xla/literal.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla {

struct LiteralAccess {
  using Piece = LiteralBase::Piece;

  static const Piece& Root(const LiteralBase& literal) { return literal.root_piece(); }
  static const Piece& At(const LiteralBase& literal, const ShapeIndex& index) {
    return literal.piece(index);
  }
  static void ForEachPiece(const LiteralBase& literal,
                           absl::FunctionRef<void(const ShapeIndex&, const Piece&)> f) {
    LiteralBase::ForEachPiece(literal.root_piece(), f);
  }

  // The shape that all scalars of an array type share.
  static const Shape& ScalarShape(PrimitiveType type);
  // Dynamic sizes of all dimensions.
  static DimensionVector ExistingSizes(const Piece& piece);
  static bool AllExist(const Piece& piece);
  // Sets the dynamic size of a dimension that is dynamic in the shape.
  static void SetExistingSize(int64_t dim, int64_t size, Piece* piece);
  static Piece& MutableRoot(MutableLiteralBase& literal) {
    return const_cast<Piece&>(literal.root_piece());
  }
  // Whether both arrays store elements, including padding, at the same positions.
  static bool SameMemory(const Shape& a, const Shape& b);
  // Whether the array is row-major without padding, so that the buffer is the list of elements.
  static bool IsRowMajor(const Shape& shape);
  // Calls f(linear index of the first element, number of elements) for each row of consecutive
  // elements in memory, in memory order; padding is left out.
  static void ForEachRun(const Shape& shape, absl::FunctionRef<void(int64_t, int64_t)> f);
  // The elements that exist, in row-major order: the buffer itself if possible, else a copy in
  // `*storage`.
  static const char* RowMajorData(const Piece& piece, std::vector<char>* storage);
  // Copies the box [0, sizes) of equal element types.
  static void CopyBox(const Piece& from, const Piece& to, absl::Span<const int64_t> sizes);
};

// Special values of each type. The least and greatest values are infinities if the type has them;
// for a complex type their imaginary part is 0. NaN of a type without one is its zero. F8E8M0FNU's
// zero is its least value.
enum class SpecialValue { kZero, kOne, kLeast, kGreatest, kNaN };

struct ElementBytes {
  alignas(16) char bytes[16] = {};
};
ElementBytes MakeSpecial(PrimitiveType type, SpecialValue value);

}  // namespace xla

#endif  // XLA_LITERAL_ACCESS_H_
