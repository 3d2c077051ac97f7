// SPDX-License-Identifier: Apache-2.0
// Attributes of operations to and from the fields of HloInstructionProto. Internal to
// xla/hlo/proto.
//
// One pair of functions for each attribute struct, in the file of its family. Readers check what
// makes the struct meaningless (an enumeration value that does not exist, a list that must have one
// entry); whether it fits the operands is the verifier's to say. Messages say only what is wrong:
// the caller adds computation and instruction.
#ifndef XLA_HLO_PROTO_ATTRIBUTE_PROTOS_H_
#define XLA_HLO_PROTO_ATTRIBUTE_PROTOS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/service/hlo.pb.h"

namespace xla::proto_internal {

// The attributes of `instruction`, whose opcode, shape and operands are set.
absl::StatusOr<Attributes> ReadAttributes(const HloInstructionProto& proto,
                                          const HloInstruction& instruction);
absl::Status WriteAttributes(const HloInstruction& instruction, HloInstructionProto* proto);

#define XLA_ATTRIBUTE_PROTO(Struct)                                                      \
  absl::Status Read(const HloInstructionProto& proto, const HloInstruction& instruction, \
                    Struct* attributes);                                                 \
  absl::Status Write(const HloInstruction& instruction, const Struct& attributes,        \
                     HloInstructionProto* proto)

// attribute_protos_array.cc
XLA_ATTRIBUTE_PROTO(NoAttributes);
XLA_ATTRIBUTE_PROTO(ParameterAttributes);
XLA_ATTRIBUTE_PROTO(ConstantAttributes);
XLA_ATTRIBUTE_PROTO(IotaAttributes);
XLA_ATTRIBUTE_PROTO(DimensionListAttributes);
XLA_ATTRIBUTE_PROTO(MapAttributes);
XLA_ATTRIBUTE_PROTO(OneDimensionAttributes);
XLA_ATTRIBUTE_PROTO(ReshapeAttributes);
XLA_ATTRIBUTE_PROTO(SliceAttributes);
XLA_ATTRIBUTE_PROTO(PadAttributes);
XLA_ATTRIBUTE_PROTO(ReducePrecisionAttributes);
XLA_ATTRIBUTE_PROTO(CompareAttributes);
XLA_ATTRIBUTE_PROTO(GatherAttributes);
XLA_ATTRIBUTE_PROTO(ScatterAttributes);
XLA_ATTRIBUTE_PROTO(DynamicSliceAttributes);
XLA_ATTRIBUTE_PROTO(SortAttributes);
XLA_ATTRIBUTE_PROTO(TopKAttributes);
XLA_ATTRIBUTE_PROTO(ScanAttributes);

// attribute_protos_math.cc
XLA_ATTRIBUTE_PROTO(DotAttributes);
XLA_ATTRIBUTE_PROTO(RaggedDotAttributes);
XLA_ATTRIBUTE_PROTO(ConvolutionAttributes);
XLA_ATTRIBUTE_PROTO(WindowAttributes);
XLA_ATTRIBUTE_PROTO(BatchNormAttributes);
XLA_ATTRIBUTE_PROTO(FftAttributes);
XLA_ATTRIBUTE_PROTO(CholeskyAttributes);
XLA_ATTRIBUTE_PROTO(TriangularSolveAttributes);
XLA_ATTRIBUTE_PROTO(RngAttributes);
XLA_ATTRIBUTE_PROTO(RngBitGeneratorAttributes);
XLA_ATTRIBUTE_PROTO(RngDeltaAttributes);

// attribute_protos_control.cc
XLA_ATTRIBUTE_PROTO(TupleIndexAttributes);
XLA_ATTRIBUTE_PROTO(CallAttributes);
XLA_ATTRIBUTE_PROTO(FusionAttributes);
XLA_ATTRIBUTE_PROTO(CustomCallAttributes);
XLA_ATTRIBUTE_PROTO(DomainAttributes);
XLA_ATTRIBUTE_PROTO(CopyStartAttributes);
XLA_ATTRIBUTE_PROTO(AsyncAttributes);
XLA_ATTRIBUTE_PROTO(InfeedAttributes);
XLA_ATTRIBUTE_PROTO(OutfeedAttributes);

// attribute_protos_collective.cc
XLA_ATTRIBUTE_PROTO(SendRecvAttributes);
XLA_ATTRIBUTE_PROTO(CollectiveAttributes);
XLA_ATTRIBUTE_PROTO(AllGatherAttributes);
XLA_ATTRIBUTE_PROTO(AllReduceAttributes);
XLA_ATTRIBUTE_PROTO(ReduceScatterAttributes);
XLA_ATTRIBUTE_PROTO(AllToAllAttributes);
XLA_ATTRIBUTE_PROTO(CollectivePermuteAttributes);

#undef XLA_ATTRIBUTE_PROTO

// Parts that several families have.
// A valid shape, its layout (if any) included.
absl::StatusOr<Shape> ReadShape(const ShapeProto& proto);
// A literal whose memory is in proportion to the proto's.
absl::StatusOr<Literal> ReadLiteral(const LiteralProto& proto);
// Empty, or one precision for each of `count` operands at least.
absl::StatusOr<Precisions> ReadPrecisions(const PrecisionConfig& proto, int64_t count);
// One precision for each of `count` operands, default where there is none.
void WritePrecisions(const Precisions& precisions, int64_t count, PrecisionConfig* proto);
WindowDims ReadWindow(const Window& proto);
Window WriteWindow(const WindowDims& window);
// Dimensions below the last that no number names are unknown (`?` in text).
absl::StatusOr<ConvDims> ReadConvDims(const ConvolutionDimensionNumbers& proto);
ConvolutionDimensionNumbers WriteConvDims(const ConvDims& dims);
std::vector<OutputOperandAlias> ReadAliases(const HloInstructionProto& proto);
void WriteAliases(const std::vector<OutputOperandAlias>& aliases, HloInstructionProto* proto);
// proto.dimensions, which must have one entry.
absl::StatusOr<Int64s> ReadOneDimension(const HloInstructionProto& proto);

template <typename Repeated>
Int64s ToInt64s(const Repeated& values) {
  return Int64s(values.begin(), values.end());
}
template <typename Repeated>
void AddAll(const Int64s& values, Repeated* field) {
  field->Add(values.begin(), values.end());
}
// An enumeration value of a proto3 field may be any number.
#define XLA_CHECK_ENUM(Enum, value)                                                \
  do {                                                                             \
    if (!Enum##_IsValid(value)) {                                                  \
      return InvalidArgument("%d is no value of " #Enum, static_cast<int>(value)); \
    }                                                                              \
  } while (false)

}  // namespace xla::proto_internal

#endif  // XLA_HLO_PROTO_ATTRIBUTE_PROTOS_H_
