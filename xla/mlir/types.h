// SPDX-License-Identifier: Apache-2.0
// The types of MLIR: immutable nodes, one for each distinct type of a context, so that equal types
// have equal addresses.
//
//   TypeRef type = context.RankedTensor({2, kDynamic}, context.Float(FloatKind::kF32));
//   ToString(type);  // "tensor<2x?xf32>"
#ifndef XLA_MLIR_TYPES_H_
#define XLA_MLIR_TYPES_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "absl/types/span.h"
#include "xla/mlir/float_format.h"

namespace xla::mlir {

struct Attribute;
using AttributeRef = const Attribute*;
struct Type;
using TypeRef = const Type*;

// A size that is not known, written "?".
inline constexpr int64_t kDynamic = std::numeric_limits<int64_t>::min();

enum class TypeKind : uint8_t {
  kInteger,
  kIndex,
  kFloat,
  kNone,
  kComplex,
  kRankedTensor,
  kUnrankedTensor,
  kVector,
  kMemRef,
  kTuple,
  kFunction,
  kQuantized,
  kDialect,  // any other "!dialect.name<..>"
};

enum class Signedness : uint8_t { kSignless, kSigned, kUnsigned };

// !quant.uniform. One scale and zero point; or one per index of the quantized dimension; or one
// per block of a grid (sub-channel), in row-major order.
struct QuantizedParameters {
  int64_t storage_min = 0;
  int64_t storage_max = 0;
  absl::Span<const double> scales;
  absl::Span<const int64_t> zero_points;
  absl::Span<const int64_t> dimensions;   // none, the quantized dimension, or those of the blocks
  absl::Span<const int64_t> block_sizes;  // of sub-channel quantization, one per dimension
};

struct Type {
  TypeKind kind = TypeKind::kNone;
  Signedness signedness = Signedness::kSignless;  // kInteger, the storage of kQuantized
  FloatKind float_kind = FloatKind::kF32;         // kFloat
  uint32_t width = 0;                             // kInteger: bits

  // Of complex, tensors, vectors and memrefs; of kQuantized the expressed type.
  TypeRef element = nullptr;
  TypeRef storage = nullptr;        // kQuantized
  absl::Span<const int64_t> sizes;  // ranked types; kDynamic
  AttributeRef encoding = nullptr;  // kRankedTensor, may be null
  absl::Span<const TypeRef>
      types;  // elements of tuples, inputs of functions, parameters of kDialect
  absl::Span<const TypeRef> results;               // kFunction
  const QuantizedParameters* quantized = nullptr;  // kQuantized
  std::string_view dialect;                        // kDialect: "stablehlo"
  std::string_view name;                           // kDialect: "token"
  // kDialect: the text between < and >. kMemRef: what follows the element type; its name is "*" if
  // it is unranked. kVector: the sizes as written if some are scalable. kQuantized: the text
  // between < and > of sub-channel quantization.
  std::string_view text;

  bool IsDialect(std::string_view a_dialect, std::string_view a_name) const {
    return kind == TypeKind::kDialect && dialect == a_dialect && name == a_name;
  }
  bool IsInteger(uint32_t bits) const { return kind == TypeKind::kInteger && width == bits; }
};

// The least and the greatest value of the storage of a quantized type, of 1 to 32 bits.
std::pair<int64_t, int64_t> StorageRange(const Type& type);

// What is wrong with a quantized type of these parameters, as "the storage must be ..."; empty if
// nothing is: integers of at most 32 bits, a range within them, a float, scales with zero points.
// CheckScale: scales are positive and in the range of the expressed type.
std::string CheckQuantized(const Type& type, const QuantizedParameters& parameters);
std::string CheckScale(const Type& expressed, double scale);

// True of tensors and vectors of static sizes.
bool HasStaticSizes(const Type& type);
// The number of elements of such a type; -1 where it is dynamic or exceeds 64 bits.
int64_t NumElements(const Type& type);
// Bytes of one element of dense constants: at least one, complex twice its part. 0 where the type
// has no such size.
int64_t ElementBytes(const Type& element);

// The text of types and attributes, and of what holds them, ends where it becomes longer than this:
// they may share their parts, and so have text that is exponentially longer than their own.
inline constexpr size_t kMaxTextBytes = (size_t{1} << 31) - 1;

std::string ToString(TypeRef type);
void AppendTo(std::string* out, TypeRef type);

}  // namespace xla::mlir

#endif  // XLA_MLIR_TYPES_H_
