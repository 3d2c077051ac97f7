// SPDX-License-Identifier: Apache-2.0
#include "python/native/value_reader.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "python/native/builder_impl.h"
#include "python/native/convert.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"

namespace xla::python {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using Kind = Value::Kind;

constexpr int kMostNested = 16;

absl::Status ReadField(const Value& value, const FieldDescriptor& field, int depth,
                       Message* message);

absl::Status ReadFields(const Value& value, int depth, Message* message) {
  if (depth > kMostNested) return absl::InvalidArgumentError("the dictionary is nested too deeply");
  for (size_t i = 0; i < value.keys.size(); ++i) {
    const auto& type = *message->GetDescriptor();
    const FieldDescriptor* const field = type.FindFieldByName(value.keys[i]);
    if (field == nullptr) {
      std::vector<std::string> names;
      for (int f = 0; f < type.field_count(); ++f) names.emplace_back(type.field(f)->name());
      return absl::InvalidArgumentError(absl::StrCat(std::string(type.name()), " has no '",
                                                     value.keys[i], "': it has ",
                                                     absl::StrJoin(names, ", ")));
    }
    XLA_RETURN_IF_ERROR(ReadField(value.list[i], *field, depth, message));
  }
  return absl::OkStatus();
}

// One value of a field; it is added where the field is repeated.
absl::Status ReadOne(const Value& value, const FieldDescriptor& field, int depth,
                     Message* message) {
  const google::protobuf::Reflection& reflection = *message->GetReflection();
  const bool adds = field.is_repeated();
  const ReadContext context;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64: {
      XLA_ASSIGN_OR_RETURN(const int64_t read, Reader<int64_t>::Read(context, value));
      adds ? reflection.AddInt64(message, &field, read)
           : reflection.SetInt64(message, &field, read);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_INT32: {
      XLA_ASSIGN_OR_RETURN(const int32_t read, Reader<int32_t>::Read(context, value));
      adds ? reflection.AddInt32(message, &field, read)
           : reflection.SetInt32(message, &field, read);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_BOOL: {
      XLA_ASSIGN_OR_RETURN(const bool read, Reader<bool>::Read(context, value));
      adds ? reflection.AddBool(message, &field, read) : reflection.SetBool(message, &field, read);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      XLA_ASSIGN_OR_RETURN(const float read, Reader<float>::Read(context, value));
      const double exact = value.kind == Kind::kNumber ? value.number : static_cast<double>(read);
      adds ? reflection.AddDouble(message, &field, exact)
           : reflection.SetDouble(message, &field, exact);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      XLA_ASSIGN_OR_RETURN(std::string read, Reader<std::string>::Read(context, value));
      adds ? reflection.AddString(message, &field, std::move(read))
           : reflection.SetString(message, &field, std::move(read));
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_ENUM: {
      XLA_ASSIGN_OR_RETURN(const int read, ReadEnum(field.enum_type(), value));
      adds ? reflection.AddEnumValue(message, &field, read)
           : reflection.SetEnumValue(message, &field, read);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      if (value.kind != Kind::kDict) return Unexpected("a dictionary", value);
      return ReadFields(value, depth + 1,
                        adds ? reflection.AddMessage(message, &field)
                             : reflection.MutableMessage(message, &field));
    default:
      return absl::UnimplementedError(
          absl::StrCat("the field ", std::string(field.name()), " cannot be given"));
  }
}

absl::Status ReadField(const Value& value, const FieldDescriptor& field, int depth,
                       Message* message) {
  absl::Status status;
  if (!field.is_repeated()) {
    status = ReadOne(value, field, depth, message);
  } else if (value.kind != Kind::kList) {
    status = Unexpected("a sequence", value);
  } else {
    for (const Value& element : value.list) status.Update(ReadOne(element, field, depth, message));
  }
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(std::string(field.name()), ": ", status.message()));
}

// The fields of short forms: replica groups as lists, channels as numbers, the precision of both
// operands as a word, padding as triples of low, high and interior.
absl::Status ReadShortForm(const Value& value, Message* message) {
  if (auto* group = dynamic_cast<ReplicaGroup*>(message); group != nullptr) {
    XLA_ASSIGN_OR_RETURN(const auto ids, Reader<std::vector<int64_t>>::Read({}, value));
    for (const int64_t id : ids) group->add_replica_ids(id);
    return absl::OkStatus();
  }
  if (auto* channel = dynamic_cast<ChannelHandle*>(message); channel != nullptr) {
    XLA_ASSIGN_OR_RETURN(const int64_t number, Reader<int64_t>::Read({}, value));
    channel->set_handle(number);
    channel->set_type(ChannelHandle::DEVICE_TO_DEVICE);
    return absl::OkStatus();
  }
  if (auto* precision = dynamic_cast<PrecisionConfig*>(message); precision != nullptr) {
    XLA_ASSIGN_OR_RETURN(
        const int number,
        ReadEnum(google::protobuf::GetEnumDescriptor<PrecisionConfig::Precision>(), value));
    for (int i = 0; i < 2; ++i)
      precision->add_operand_precision(static_cast<PrecisionConfig::Precision>(number));
    return absl::OkStatus();
  }
  if (auto* padding = dynamic_cast<PaddingConfig*>(message); padding != nullptr) {
    XLA_ASSIGN_OR_RETURN(const auto dimensions,
                         Reader<std::vector<std::vector<int64_t>>>::Read({}, value));
    for (const std::vector<int64_t>& dimension : dimensions) {
      if (dimension.size() != 2 && dimension.size() != 3)
        return absl::InvalidArgumentError("padding of a dimension is (low, high[, interior])");
      auto* added = padding->add_dimensions();
      added->set_edge_padding_low(dimension[0]);
      added->set_edge_padding_high(dimension[1]);
      if (dimension.size() == 3) added->set_interior_padding(dimension[2]);
    }
    return absl::OkStatus();
  }
  return Unexpected("a dictionary", value);
}

// A Python number as a scalar of the type.
absl::StatusOr<Literal> ScalarOf(const Value& value, PrimitiveType type) {
  Literal exact;
  if (value.kind == Kind::kBool) {
    exact = LiteralUtil::CreateR0<bool>(value.integer != 0);
  } else if (value.kind == Kind::kInteger) {
    exact = LiteralUtil::CreateR0<int64_t>(value.integer);
    if (primitive_util::IsIntegralType(type)) {
      XLA_ASSIGN_OR_RETURN(Literal narrow, exact.Convert(type));
      XLA_ASSIGN_OR_RETURN(const Literal back, narrow.Convert(S64));
      if (back != exact && type != U64) {
        return absl::InvalidArgumentError(
            absl::StrCat(value.integer, " is not a value of ", ElementTypeName(type)));
      }
      return narrow;
    }
  } else if (value.is_complex) {
    exact = LiteralUtil::CreateR0<complex128>({value.number, value.imaginary});
    if (!primitive_util::IsComplexType(type)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a complex number is not a value of ", ElementTypeName(type)));
    }
  } else {
    exact = LiteralUtil::CreateR0<double>(value.number);
    if (primitive_util::IsIntegralType(type) || type == PRED) {
      return absl::InvalidArgumentError(
          absl::StrCat(value.number, " is not a value of ", ElementTypeName(type)));
    }
  }
  return exact.Convert(type);
}

PrimitiveType TypeOfNumber(const Value& value) {
  if (value.kind == Kind::kBool) return PRED;
  if (value.kind == Kind::kInteger) return S32;
  return value.is_complex ? C64 : F32;
}

}  // namespace

std::string KindName(const Value& value) {
  switch (value.kind) {
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return value.integer != 0 ? "True" : "False";
    case Kind::kInteger:
      return absl::StrCat(value.integer);
    case Kind::kNumber:
      return value.is_complex ? "a complex number" : absl::StrCat(value.number);
    case Kind::kText:
      return absl::StrCat("'", value.text, "'");
    case Kind::kOp:
      return "an operation";
    case Kind::kModule:
      return "a computation";
    case Kind::kShape:
      return absl::StrCat("the shape ", value.shape.text);
    case Kind::kList:
      return "a sequence";
    case Kind::kDict:
      return "a dictionary";
    case Kind::kArray:
      return "an array";
  }
  return "";
}

absl::Status Unexpected(const char* expected, const Value& value) {
  return absl::InvalidArgumentError(absl::StrCat("expected ", expected, ", got ", KindName(value)));
}

absl::StatusOr<Literal> ReadLiteral(const ReadContext& context, const Value& value) {
  if (value.kind == Kind::kArray) {
    XLA_ASSIGN_OR_RETURN(const Shape shape,
                         ShapeUtil::MakeValidatedShape(static_cast<PrimitiveType>(value.shape.type),
                                                       value.shape.dimensions));
    return BorrowingLiteral(static_cast<const char*>(value.data), shape).Clone();
  }
  if (value.kind != Kind::kBool && value.kind != Kind::kInteger && value.kind != Kind::kNumber)
    return Unexpected("an operation, a number or an array", value);
  const PrimitiveType own = TypeOfNumber(value);
  const PrimitiveType type = context.number_type.value_or(own);
  return ScalarOf(value, type == PRED ? own : type);
}

absl::StatusOr<XlaOp> ReadOp(const ReadContext& context, const Value& value) {
  if (value.kind == Kind::kOp) {
    if (value.op.builder == nullptr || &value.op.builder->impl() != context.owner) {
      return absl::InvalidArgumentError(
          "the operands belong to different builders: a computation that another one calls takes "
          "all values as parameters");
    }
    return context.owner->Find(value.op);
  }
  XLA_ASSIGN_OR_RETURN(const Literal literal, ReadLiteral(context, value));
  if (context.builder == nullptr)
    return absl::InvalidArgumentError("a constant needs an operation or a builder beside it");
  // What the builder annotates operations with is meant for those that are called.
  const std::optional<OpSharding> sharding = context.builder->SwapSharding(std::nullopt);
  const XlaOp constant = ConstantLiteral(context.builder, literal);
  context.builder->SwapSharding(sharding);
  return constant;
}

absl::StatusOr<XlaComputation> ReadComputation(const Value& value) {
  if (value.kind != Kind::kModule) return Unexpected("a computation", value);
  const Module::Impl& module = value.module->impl();
  if (!module.computation.IsNull()) return module.computation;
  XLA_ASSIGN_OR_RETURN(HloModuleProto proto, ModuleToProto(*module.module));
  return XlaComputation(std::move(proto));
}

absl::Status ReadMessage(const Value& value, Message* message) {
  return value.kind == Kind::kDict ? ReadFields(value, 0, message) : ReadShortForm(value, message);
}

absl::StatusOr<int> ReadEnum(const google::protobuf::EnumDescriptor* type, const Value& value) {
  if (value.kind != Kind::kText) return Unexpected("the name of a constant", value);
  const auto* found = type->FindValueByName(absl::AsciiStrToUpper(value.text));
  if (found != nullptr) return found->number();
  std::vector<std::string> names;
  for (int i = 0; i < type->value_count(); ++i) names.emplace_back(type->value(i)->name());
  return absl::InvalidArgumentError(absl::StrCat("unknown ", std::string(type->name()), " '",
                                                 value.text, "': expected ",
                                                 absl::StrJoin(names, ", ")));
}

absl::StatusOr<PrimitiveType> ReadType(const Value& value) {
  if (value.kind != Kind::kText) return Unexpected("an element type, such as 'f32'", value);
  return primitive_util::StringToPrimitiveType(value.text);
}

absl::StatusOr<Shape> Reader<Shape>::Read(const ReadContext&, const Value& value) {
  if (!Fits(value)) return Unexpected("a shape, such as 'f32[2,3]'", value);
  return ParseShape(value.kind == Kind::kShape ? value.shape.text : value.text);
}

absl::StatusOr<Layout> Reader<Layout>::Read(const ReadContext& context, const Value& value) {
  XLA_ASSIGN_OR_RETURN(const auto order, Reader<std::vector<int64_t>>::Read(context, value));
  return LayoutUtil::MakeLayout(order);
}

absl::StatusOr<ShapeIndex> Reader<ShapeIndex>::Read(const ReadContext& context,
                                                    const Value& value) {
  XLA_ASSIGN_OR_RETURN(const auto index, Reader<std::vector<int64_t>>::Read(context, value));
  return ShapeIndex(index.begin(), index.end());
}

absl::StatusOr<CollectiveDeviceList> Reader<CollectiveDeviceList>::Read(const ReadContext& context,
                                                                        const Value& value) {
  if (value.kind == Kind::kText) return ParseCollectiveDeviceList(value.text);
  XLA_ASSIGN_OR_RETURN(const auto groups,
                       Reader<std::vector<std::vector<int64_t>>>::Read(context, value));
  std::vector<std::string> texts;
  for (const auto& group : groups)
    texts.push_back(absl::StrCat("{", absl::StrJoin(group, ","), "}"));
  return ParseCollectiveDeviceList(absl::StrCat("{", absl::StrJoin(texts, ","), "}"));
}

absl::StatusOr<OpSharding> Reader<OpSharding>::Read(const ReadContext&, const Value& value) {
  if (!Fits(value)) return Unexpected("a sharding, such as '{replicated}'", value);
  XLA_ASSIGN_OR_RETURN(const HloSharding sharding, ParseSharding(value.text));
  return sharding.ToProto();
}

}  // namespace xla::python
