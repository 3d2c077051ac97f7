// SPDX-License-Identifier: Apache-2.0
// Attribute fields of scalar types, lists of integers and enumerations.
#include "xla/hlo/proto/attribute_fields.h"

#include <limits>

#include "google/protobuf/reflection.h"
#include "xla/base/status_macros.h"
#include "xla/comparison_util.h"
#include "xla/hlo/proto/attribute_protos.h"
#include "xla/util.h"

namespace xla::proto {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MutableRepeatedFieldRef;
using google::protobuf::RepeatedFieldRef;

std::string Name(const ProtoPath& path) { return path.field->name(); }

RepeatedFieldRef<int64_t> List(const FieldReader& reader) {
  return reader.reflection().GetRepeatedFieldRef<int64_t>(reader.parent(), reader.path.field);
}

MutableRepeatedFieldRef<int64_t> List(const FieldWriter& writer) {
  Message* parent = writer.parent();
  return parent->GetReflection()->GetMutableRepeatedFieldRef<int64_t>(parent, writer.path.field);
}

absl::Status ExpectOneEntry(const FieldReader& reader, int size) {
  if (size == 1) return absl::OkStatus();
  return InvalidArgument("has %d %s, expected one", size, Name(reader.path));
}

}  // namespace

const Message& FieldReader::parent() const {
  const Message* message = &proto;
  for (const FieldDescriptor* step : path.parents) {
    message = &message->GetReflection()->GetMessage(*message, step);
  }
  return *message;
}

Message* FieldWriter::parent() const {
  Message* message = proto;
  for (const FieldDescriptor* step : path.parents) {
    message = message->GetReflection()->MutableMessage(message, step);
  }
  return message;
}

// One number of a list: exactly one entry if the attribute is required, otherwise at most one.
absl::Status Read(const FieldReader& reader, int64_t* value) {
  if (reader.path.field->is_repeated()) {
    const RepeatedFieldRef<int64_t> list = List(reader);
    if (reader.field.rule == FieldRule::kRequired) {
      XLA_RETURN_IF_ERROR(ExpectOneEntry(reader, list.size()));
    }
    if (!list.empty()) *value = list.Get(0);
    return absl::OkStatus();
  }
  const int64_t number = reader.path.field->cpp_type() == FieldDescriptor::CPPTYPE_INT32
                             ? reader.reflection().GetInt32(reader.parent(), reader.path.field)
                             : reader.reflection().GetInt64(reader.parent(), reader.path.field);
  if (number != 0) *value = number;
  return absl::OkStatus();
}

absl::Status Write(const FieldWriter& writer, int64_t value) {
  const FieldDescriptor* field = writer.path.field;
  Message* parent = writer.parent();
  if (field->is_repeated()) {
    // -1 stands for none.
    if (writer.field.rule == FieldRule::kRequired || value != -1) List(writer).Add(value);
    return absl::OkStatus();
  }
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_INT32) {
    parent->GetReflection()->SetInt64(parent, field, value);
    return absl::OkStatus();
  }
  using Int32 = std::numeric_limits<int32_t>;
  if (value < Int32::min() || value > Int32::max()) {
    return InvalidArgument("cannot write %s %d", Name(writer.path), value);
  }
  parent->GetReflection()->SetInt32(parent, field, static_cast<int32_t>(value));
  return absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, bool* value) {
  *value = reader.reflection().GetBool(reader.parent(), reader.path.field);
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, bool value) {
  Message* parent = writer.parent();
  parent->GetReflection()->SetBool(parent, writer.path.field, value);
  return absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, float* value) {
  *value = reader.reflection().GetFloat(reader.parent(), reader.path.field);
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, float value) {
  Message* parent = writer.parent();
  parent->GetReflection()->SetFloat(parent, writer.path.field, value);
  return absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, std::string* value) {
  *value = reader.reflection().GetString(reader.parent(), reader.path.field);
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const std::string& value) {
  Message* parent = writer.parent();
  parent->GetReflection()->SetString(parent, writer.path.field, value);
  return absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, Int64s* value) {
  const RepeatedFieldRef<int64_t> list = List(reader);
  if (reader.field.is_single) XLA_RETURN_IF_ERROR(ExpectOneEntry(reader, list.size()));
  value->assign(list.begin(), list.end());
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const Int64s& value) {
  const MutableRepeatedFieldRef<int64_t> list = List(writer);
  for (int64_t number : value) list.Add(number);
  return absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, std::optional<Int64s>* value) {
  if (List(reader).empty()) return absl::OkStatus();
  return Read(reader, &value->emplace());
}
absl::Status Write(const FieldWriter& writer, const std::optional<Int64s>& value) {
  return value.has_value() ? Write(writer, *value) : absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, std::optional<int64_t>* value) {
  int64_t number = 0;
  XLA_RETURN_IF_ERROR(Read(reader, &number));
  const bool is_set = reader.path.field->has_presence() ? reader.HasMessage() : number > 0;
  if (is_set) *value = number;
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const std::optional<int64_t>& value) {
  return value.has_value() ? Write(writer, *value) : absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, std::optional<bool>* value) {
  int state = TRI_STATE_UNSPECIFIED;
  XLA_RETURN_IF_ERROR(ReadEnum(reader, &state));
  if (state != TRI_STATE_UNSPECIFIED) *value = state == TRI_STATE_TRUE;
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const std::optional<bool>& value) {
  if (!value.has_value()) return absl::OkStatus();
  return WriteEnum(writer, *value ? TRI_STATE_TRUE : TRI_STATE_FALSE);
}

// An enumeration field of proto3 may hold any number.
absl::Status ReadEnum(const FieldReader& reader, int* number) {
  const int value = reader.reflection().GetEnumValue(reader.parent(), reader.path.field);
  if (reader.path.field->enum_type()->FindValueByNumber(value) == nullptr) {
    return InvalidArgument("%d is not a valid %s", value, reader.path.field->enum_type()->name());
  }
  if (value != 0) *number = value;
  return absl::OkStatus();
}
absl::Status WriteEnum(const FieldWriter& writer, int number) {
  Message* parent = writer.parent();
  parent->GetReflection()->SetEnumValue(parent, writer.path.field, number);
  return absl::OkStatus();
}

// --- Enumerations that the proto has as text

absl::Status Read(const FieldReader& reader, ComparisonDirection* value) {
  XLA_ASSIGN_OR_RETURN(*value, StringToComparisonDirection(reader.proto.comparison_direction()));
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, ComparisonDirection value) {
  writer.proto->set_comparison_direction(ComparisonDirectionToString(value));
  return absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, std::optional<ComparisonType>* value) {
  if (reader.proto.comparison_type().empty()) return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(*value, StringToComparisonType(reader.proto.comparison_type()));
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const std::optional<ComparisonType>& value) {
  if (value.has_value()) writer.proto->set_comparison_type(ComparisonTypeToString(*value));
  return absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, FusionKind* value) {
  const std::optional<FusionKind> kind = FusionKindFromName(reader.proto.fusion_kind());
  if (!kind.has_value()) {
    return InvalidArgument("unknown fusion kind \"%s\"", reader.proto.fusion_kind());
  }
  *value = *kind;
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, FusionKind value) {
  writer.proto->set_fusion_kind(std::string(FusionKindName(value)));
  return absl::OkStatus();
}

}  // namespace xla::proto
