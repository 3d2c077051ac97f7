// SPDX-License-Identifier: Apache-2.0
// Values of attribute fields to and from HloInstructionProto: one pair of overloads for each type
// that a field can have. Internal to xla/hlo/proto.
//
// The description of an attribute struct (attributes.h) names the proto field of each member, so a
// new attribute of one of these types needs no code here.
#ifndef XLA_HLO_PROTO_ATTRIBUTE_FIELDS_H_
#define XLA_HLO_PROTO_ATTRIBUTE_FIELDS_H_

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/service/hlo.pb.h"

namespace xla::proto {

// Where HloInstructionProto has an attribute: the messages on the way, and the field.
struct ProtoPath {
  absl::InlinedVector<const google::protobuf::FieldDescriptor*, 2> parents;
  const google::protobuf::FieldDescriptor* field = nullptr;  // null: not part of the proto
};
ProtoPath FindProtoPath(const Field& field);

// One field of one instruction that is being read.
struct FieldReader {
  const HloInstructionProto& proto;
  const HloInstruction& instruction;  // its opcode, shape and operands are set
  const Field& field;
  const ProtoPath& path;

  // The message that holds the field.
  const google::protobuf::Message& parent() const;
  const google::protobuf::Reflection& reflection() const { return *parent().GetReflection(); }
  template <typename M>
  const M& message() const {
    return static_cast<const M&>(reflection().GetMessage(parent(), path.field));
  }
  bool HasMessage() const { return reflection().HasField(parent(), path.field); }
};

// One field of one instruction that is being written.
struct FieldWriter {
  const HloInstruction& instruction;
  const Field& field;
  const ProtoPath& path;
  HloInstructionProto* proto;

  google::protobuf::Message* parent() const;
  template <typename M>
  M* message() const {
    google::protobuf::Message* holder = parent();
    return static_cast<M*>(holder->GetReflection()->MutableMessage(holder, path.field));
  }
};

// Zero, which is also what proto3 has for a field that is not set, leaves the default of the
// struct.
absl::Status Read(const FieldReader& reader, int64_t* value);
absl::Status Write(const FieldWriter& writer, int64_t value);
absl::Status Read(const FieldReader& reader, bool* value);
absl::Status Write(const FieldWriter& writer, bool value);
absl::Status Read(const FieldReader& reader, float* value);
absl::Status Write(const FieldWriter& writer, float value);
absl::Status Read(const FieldReader& reader, std::string* value);
absl::Status Write(const FieldWriter& writer, const std::string& value);
absl::Status Read(const FieldReader& reader, Int64s* value);
absl::Status Write(const FieldWriter& writer, const Int64s& value);
// Unset: no entry.
absl::Status Read(const FieldReader& reader, std::optional<Int64s>* value);
absl::Status Write(const FieldWriter& writer, const std::optional<Int64s>& value);
// Unset: the field is not set, or without presence 0 or negative (channel ids).
absl::Status Read(const FieldReader& reader, std::optional<int64_t>* value);
absl::Status Write(const FieldWriter& writer, const std::optional<int64_t>& value);
// A TriState.
absl::Status Read(const FieldReader& reader, std::optional<bool>* value);
absl::Status Write(const FieldWriter& writer, const std::optional<bool>& value);
// Enumerations whose numbers are those of the proto; those that the proto has as text are below.
absl::Status ReadEnum(const FieldReader& reader, int* number);
absl::Status WriteEnum(const FieldWriter& writer, int number);

absl::Status Read(const FieldReader& reader, ComparisonDirection* value);
absl::Status Write(const FieldWriter& writer, ComparisonDirection value);
absl::Status Read(const FieldReader& reader, std::optional<ComparisonType>* value);
absl::Status Write(const FieldWriter& writer, const std::optional<ComparisonType>& value);
absl::Status Read(const FieldReader& reader, FusionKind* value);
absl::Status Write(const FieldWriter& writer, FusionKind value);

absl::Status Read(const FieldReader& reader, std::vector<SliceDim>* value);
absl::Status Write(const FieldWriter& writer, const std::vector<SliceDim>& value);
absl::Status Read(const FieldReader& reader, std::vector<PadDim>* value);
absl::Status Write(const FieldWriter& writer, const std::vector<PadDim>& value);
absl::Status Read(const FieldReader& reader, WindowDims* value);
absl::Status Write(const FieldWriter& writer, const WindowDims& value);
absl::Status Read(const FieldReader& reader, std::optional<WindowDims>* value);
absl::Status Write(const FieldWriter& writer, const std::optional<WindowDims>& value);
absl::Status Read(const FieldReader& reader, ConvDims* value);
absl::Status Write(const FieldWriter& writer, const ConvDims& value);
absl::Status Read(const FieldReader& reader, std::optional<ConvDims>* value);
absl::Status Write(const FieldWriter& writer, const std::optional<ConvDims>& value);
absl::Status Read(const FieldReader& reader, Sparsity* value);
absl::Status Write(const FieldWriter& writer, const Sparsity& value);
absl::Status Read(const FieldReader& reader, Precisions* value);
absl::Status Write(const FieldWriter& writer, const Precisions& value);
absl::Status Read(const FieldReader& reader, LiteralRef* value);
absl::Status Write(const FieldWriter& writer, const LiteralRef& value);
absl::Status Read(const FieldReader& reader, std::optional<Shape>* value);
absl::Status Write(const FieldWriter& writer, const std::optional<Shape>& value);
absl::Status Read(const FieldReader& reader, std::optional<std::vector<Shape>>* value);
absl::Status Write(const FieldWriter& writer, const std::optional<std::vector<Shape>>& value);
absl::Status Read(const FieldReader& reader, std::vector<OutputOperandAlias>* value);
absl::Status Write(const FieldWriter& writer, const std::vector<OutputOperandAlias>& value);
absl::Status Read(const FieldReader& reader, DomainAttributes::Value* value);
absl::Status Write(const FieldWriter& writer, const DomainAttributes::Value& value);
absl::Status Read(const FieldReader& reader, CollectiveDeviceList* value);
absl::Status Write(const FieldWriter& writer, const CollectiveDeviceList& value);
absl::Status Read(const FieldReader& reader, std::vector<std::pair<int64_t, int64_t>>* value);
absl::Status Write(const FieldWriter& writer,
                   const std::vector<std::pair<int64_t, int64_t>>& value);
absl::Status Read(const FieldReader& reader, std::vector<Int64s>* value);
absl::Status Write(const FieldWriter& writer, const std::vector<Int64s>& value);

template <typename T>
requires std::is_enum_v<T> absl::Status Read(const FieldReader& reader, T* value) {
  int number = static_cast<int>(*value);
  absl::Status status = ReadEnum(reader, &number);
  *value = static_cast<T>(number);
  return status;
}
template <typename T>
requires std::is_enum_v<T> absl::Status Write(const FieldWriter& writer, T value) {
  return WriteEnum(writer, static_cast<int>(value));
}

}  // namespace xla::proto

#endif  // XLA_HLO_PROTO_ATTRIBUTE_FIELDS_H_
