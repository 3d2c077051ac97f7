// SPDX-License-Identifier: Apache-2.0
// Helpers of the shape inference rules: dynamic sizes, checked arithmetic, construction of result
// shapes. Internal to this folder and the verifier.
//
// Sizes of dimensions: X is static, <=B dynamic with bound B, ? dynamic without a bound
// (Shape::kUnboundedSize). A rule may only assume that every Shape pointer is non-null; operand
// shapes and attributes are untrusted.
#ifndef XLA_HLO_SHAPE_INFERENCE_INFER_UTIL_H_
#define XLA_HLO_SHAPE_INFERENCE_INFER_UTIL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/shape_inference/result_dimensions.h"
#include "xla/hlo/shape_inference/shape_inference.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla::shape_inference {

inline bool InRange(int64_t dimension, int64_t rank) { return dimension >= 0 && dimension < rank; }

// Whether all entries are in [0, rank) and unique.
bool AllInRange(absl::Span<const int64_t> dimensions, int64_t rank);
bool AllUnique(absl::Span<const int64_t> dimensions);
bool Contains(absl::Span<const int64_t> dimensions, int64_t dimension);
// A flag for each of 0..rank-1; entries out of range are ignored.
std::vector<bool> Membership(absl::Span<const int64_t> dimensions, int64_t rank);

// "1,2,3"
std::string Joined(absl::Span<const int64_t> values);

// For messages: the shape without layout, cut off when it is very long.
std::string Str(const Shape& shape);
std::string Str(const ProgramShape& signature);
std::string TypeName(PrimitiveType type);
inline absl::string_view OpName(HloOpcode opcode) {
  const std::string_view name = HloOpcodeString(opcode);
  return absl::string_view(name.data(), name.size());
}

// "Expected array argument for `what`, but got token[]."
absl::Status ExpectArray(const Shape& shape, absl::string_view what);

// Size and flag of one dimension of a result.
struct Dim {
  int64_t size = 0;
  bool dynamic = false;
  static Dim Unbounded() { return {Shape::kUnboundedSize, true}; }
  bool IsUnbounded() const { return size == Shape::kUnboundedSize; }
};
inline Dim DimOf(const Shape& shape, int64_t i) {
  return {shape.dimensions(static_cast<int>(i)), shape.is_dynamic_dimension(static_cast<int>(i))};
}

// The dimensions of a result under construction.
class Dims {
 public:
  Dims() = default;
  explicit Dims(const Shape& shape);
  void Add(Dim dim) {
    sizes_.push_back(dim.size);
    dynamic_.push_back(dim.dynamic);
  }
  void Set(int64_t i, Dim dim) {
    sizes_[i] = dim.size;
    dynamic_[i] = dim.dynamic;
  }
  void Resize(int64_t rank) {
    sizes_.resize(rank, 1);
    dynamic_.resize(rank, false);
  }
  int64_t rank() const { return static_cast<int64_t>(sizes_.size()); }
  absl::Span<const int64_t> sizes() const { return sizes_; }
  // The array with default layout, or an error if it is too large.
  absl::StatusOr<Shape> Make(PrimitiveType type) const;

 private:
  DimensionVector sizes_;
  std::vector<bool> dynamic_;
};

// The shape with another element type, keeping sizes, flags and order of layout.
absl::StatusOr<Shape> WithElementType(const Shape& shape, PrimitiveType type);
Shape ScalarShape(PrimitiveType type);

// Merges the sizes of one dimension of two operands that must agree:
//   X, X -> X;  X, ? -> X;  X, <=X -> <=X;  ?, ? -> ?;  ?, <=B -> <=B;  <=B, <=C and X, Y -> error.
absl::StatusOr<Dim> MergeDims(int64_t dimension, Dim a, Dim b);

// The attribute struct of the opcode.
template <class T>
const T& Attrs(const InferenceInput& in) {
  return in.attributes.get<T>();
}
inline const Shape& Operand(const InferenceInput& in, int64_t i) { return *in.operands[i]; }
inline int64_t OperandCount(const InferenceInput& in) {
  return static_cast<int64_t>(in.operands.size());
}

// The declared result, for operations that need one.
absl::StatusOr<const Shape*> Declared(const InferenceInput& in);
// The declared result, which must be compatible with `inferred` (layouts aside).
absl::StatusOr<Shape> DeclaredMustBe(const InferenceInput& in, const Shape& inferred);

// Called computation number `i` against its role in the operation table (callees.cc): the number of
// its parameters; a scalar pred as result, where the role returns one.
absl::Status CheckParameterCount(const InferenceInput& in, size_t i);
absl::Status CheckPredResult(const InferenceInput& in, size_t i);

// Whether an elementwise operation with these traits accepts elements of the type, and the types
// that it accepts in words ("floating or complex").
bool AcceptsType(uint32_t traits, PrimitiveType type);
std::string AcceptedTypes(uint32_t traits);

// A single result, or a tuple of several.
Shape MaybeTuple(std::vector<Shape> shapes);

}  // namespace xla::shape_inference

#endif  // XLA_HLO_SHAPE_INFERENCE_INFER_UTIL_H_
