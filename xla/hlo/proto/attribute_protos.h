// SPDX-License-Identifier: Apache-2.0
// Attributes of operations to and from the fields of HloInstructionProto. Internal to
// xla/hlo/proto.
//
// Reading checks what would make the attributes meaningless (an enumeration value that does not
// exist, a list that must have one entry); the verifier checks whether they fit the operands. The
// caller adds computation and instruction to error messages.
#ifndef XLA_HLO_PROTO_ATTRIBUTE_PROTOS_H_
#define XLA_HLO_PROTO_ATTRIBUTE_PROTOS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"
#include "xla/service/hlo.pb.h"
#include "xla/util.h"

namespace xla::proto {

// The attributes of `instruction`, whose opcode, shape and operands are set.
absl::StatusOr<Attributes> ReadAttributes(const HloInstructionProto& proto,
                                          const HloInstruction& instruction);
absl::Status WriteAttributes(const HloInstruction& instruction, HloInstructionProto* proto);

// --- Conversions of structures (attribute_structures.cc)

// A valid shape, its layout (if any) included.
absl::StatusOr<Shape> ReadShape(const ShapeProto& proto);
// A literal. An error if its memory is out of proportion to the size of the proto.
absl::StatusOr<Literal> ReadLiteral(const LiteralProto& proto);
// Empty, or one precision for each of `count` operands at least.
absl::StatusOr<Precisions> ReadPrecisions(const PrecisionConfig& proto, int64_t count);
// One precision for each of `count` operands, default where there is none.
void WritePrecisions(const Precisions& precisions, int64_t count, PrecisionConfig* proto);
WindowDims ReadWindow(const Window& proto);
Window WriteWindow(const WindowDims& window);
// Dimensions below the highest named one that no number names are unknown (`?` in text).
absl::StatusOr<ConvDims> ReadConvDims(const ConvolutionDimensionNumbers& proto);
ConvolutionDimensionNumbers WriteConvDims(const ConvDims& dims);
Sparsity ReadSparsity(const SparsityConfig& proto);
SparsityConfig WriteSparsity(const Sparsity& sparsity);

template <typename Repeated>
Int64s ToInt64s(const Repeated& values) {
  return Int64s(values.begin(), values.end());
}
template <typename Repeated>
void AddAll(const Int64s& values, Repeated* field) {
  field->Add(values.begin(), values.end());
}
// An enumeration field of proto3 may hold any number.
#define XLA_CHECK_ENUM(Enum, value)                                                \
  do {                                                                             \
    if (!Enum##_IsValid(value)) {                                                  \
      return InvalidArgument("%d is not a valid " #Enum, static_cast<int>(value)); \
    }                                                                              \
  } while (false)

}  // namespace xla::proto

#endif  // XLA_HLO_PROTO_ATTRIBUTE_PROTOS_H_
