// SPDX-License-Identifier: Apache-2.0
// Reader<T>: the arguments that Python gives as those that functions of the builder take. Private
// to python/native.
#ifndef XYLEM_PYTHON_NATIVE_VALUE_READER_H_
#define XYLEM_PYTHON_NATIVE_VALUE_READER_H_

#include <google/protobuf/generated_enum_reflection.h>
#include <google/protobuf/message.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "python/native/api.h"
#include "xla/base/status_macros.h"
#include "xla/comparison_util.h"
#include "xla/hlo/builder/padding.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/literal.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla::python {

struct ReadContext {
  XlaBuilder* builder = nullptr;
  Builder::Impl* owner = nullptr;
  // Of the first operand that has one: Python's numbers become constants of this type.
  std::optional<PrimitiveType> number_type;
};

std::string KindName(const Value& value);
absl::Status Unexpected(const char* expected, const Value& value);

// The functions behind the readers below.
absl::StatusOr<XlaOp> ReadOp(const ReadContext& context, const Value& value);
absl::StatusOr<Literal> ReadLiteral(const ReadContext& context, const Value& value);
absl::StatusOr<XlaComputation> ReadComputation(const Value& value);
absl::Status ReadMessage(const Value& value, google::protobuf::Message* message);
absl::StatusOr<int> ReadEnum(const google::protobuf::EnumDescriptor* type, const Value& value);
absl::StatusOr<PrimitiveType> ReadType(const Value& value);

template <typename T>
concept IsMessage = std::is_base_of_v<google::protobuf::Message, T>;
template <typename T>
concept IsProtoEnum = google::protobuf::is_proto_enum<T>::value;

template <typename T>
struct Reader;

template <>
struct Reader<bool> {
  static bool Fits(const Value& value) { return value.kind == Value::Kind::kBool; }
  static absl::StatusOr<bool> Read(const ReadContext&, const Value& value) {
    if (!Fits(value)) return Unexpected("a bool", value);
    return value.integer != 0;
  }
};

template <typename T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) struct Reader<T> {
  static bool Fits(const Value& value) { return value.kind == Value::Kind::kInteger; }
  static absl::StatusOr<T> Read(const ReadContext&, const Value& value) {
    if (!Fits(value)) return Unexpected("an integer", value);
    if (!std::in_range<T>(value.integer))
      return absl::InvalidArgumentError(absl::StrCat(value.integer, " is out of range"));
    return static_cast<T>(value.integer);
  }
};

template <>
struct Reader<float> {
  static bool Fits(const Value& value) {
    return (value.kind == Value::Kind::kNumber && !value.is_complex) ||
           value.kind == Value::Kind::kInteger;
  }
  static absl::StatusOr<float> Read(const ReadContext&, const Value& value) {
    if (!Fits(value)) return Unexpected("a number", value);
    return value.kind == Value::Kind::kInteger ? static_cast<float>(value.integer)
                                               : static_cast<float>(value.number);
  }
};

template <>
struct Reader<std::string> {
  static bool Fits(const Value& value) { return value.kind == Value::Kind::kText; }
  static absl::StatusOr<std::string> Read(const ReadContext&, const Value& value) {
    if (!Fits(value)) return Unexpected("a str", value);
    return value.text;
  }
};

template <>
struct Reader<XlaOp> {
  static bool Fits(const Value& value) {
    using Kind = Value::Kind;
    return value.kind == Kind::kOp || value.kind == Kind::kArray || value.kind == Kind::kBool ||
           value.kind == Kind::kInteger || value.kind == Kind::kNumber;
  }
  static absl::StatusOr<XlaOp> Read(const ReadContext& context, const Value& value) {
    return ReadOp(context, value);
  }
};

template <>
struct Reader<Literal> {
  static bool Fits(const Value& value) {
    return value.kind != Value::Kind::kOp && Reader<XlaOp>::Fits(value);
  }
  static absl::StatusOr<Literal> Read(const ReadContext& context, const Value& value) {
    return ReadLiteral(context, value);
  }
};

template <>
struct Reader<XlaComputation> {
  static bool Fits(const Value& value) { return value.kind == Value::Kind::kModule; }
  static absl::StatusOr<XlaComputation> Read(const ReadContext&, const Value& value) {
    return ReadComputation(value);
  }
};

template <>
struct Reader<Shape> {
  static bool Fits(const Value& value) {
    return value.kind == Value::Kind::kShape || value.kind == Value::Kind::kText;
  }
  static absl::StatusOr<Shape> Read(const ReadContext&, const Value& value);
};

template <>
struct Reader<Layout> {  // minor to major
  static bool Fits(const Value& value) { return value.kind == Value::Kind::kList; }
  static absl::StatusOr<Layout> Read(const ReadContext& context, const Value& value);
};

template <>
struct Reader<ShapeIndex> {
  static bool Fits(const Value& value) { return value.kind == Value::Kind::kList; }
  static absl::StatusOr<ShapeIndex> Read(const ReadContext& context, const Value& value);
};

template <>
struct Reader<PrimitiveType> {
  static bool Fits(const Value& value) { return value.kind == Value::Kind::kText; }
  static absl::StatusOr<PrimitiveType> Read(const ReadContext&, const Value& value) {
    return ReadType(value);
  }
};

template <>
struct Reader<Comparison::Direction> {  // "LT"
  static bool Fits(const Value& value) { return value.kind == Value::Kind::kText; }
  static absl::StatusOr<Comparison::Direction> Read(const ReadContext&, const Value& value) {
    if (!Fits(value)) return Unexpected("a direction, such as 'LT'", value);
    return StringToComparisonDirection(value.text);
  }
};

template <>
struct Reader<Comparison::Type> {  // "FLOAT"
  static bool Fits(const Value& value) { return value.kind == Value::Kind::kText; }
  static absl::StatusOr<Comparison::Type> Read(const ReadContext&, const Value& value) {
    if (!Fits(value)) return Unexpected("a type of comparison, such as 'TOTALORDER'", value);
    return StringToComparisonType(value.text);
  }
};

template <>
struct Reader<Padding> {
  static bool Fits(const Value& value) {
    return value.kind == Value::Kind::kText && (value.text == "same" || value.text == "valid");
  }
  static absl::StatusOr<Padding> Read(const ReadContext&, const Value& value) {
    if (!Fits(value)) return Unexpected("'same' or 'valid'", value);
    return value.text == "same" ? Padding::kSame : Padding::kValid;
  }
};

template <>
struct Reader<CollectiveDeviceList> {
  static bool Fits(const Value& value) {
    return value.kind == Value::Kind::kText || value.kind == Value::Kind::kList;
  }
  static absl::StatusOr<CollectiveDeviceList> Read(const ReadContext& context, const Value& value);
};

template <>
struct Reader<OpSharding> {  // as HLO text
  static bool Fits(const Value& value) { return value.kind == Value::Kind::kText; }
  static absl::StatusOr<OpSharding> Read(const ReadContext&, const Value& value);
};

template <IsProtoEnum T>
struct Reader<T> {
  static bool Fits(const Value& value) { return value.kind == Value::Kind::kText; }
  static absl::StatusOr<T> Read(const ReadContext&, const Value& value) {
    XLA_ASSIGN_OR_RETURN(const int number,
                         ReadEnum(google::protobuf::GetEnumDescriptor<T>(), value));
    return static_cast<T>(number);
  }
};

// A dictionary with the names of the fields. Messages of one field, or that are usually written
// otherwise, have a short form: ReadMessage.
template <IsMessage T>
struct Reader<T> {
  static bool Fits(const Value& value) {
    return value.kind != Value::Kind::kOp && value.kind != Value::Kind::kModule &&
           value.kind != Value::Kind::kShape && value.kind != Value::Kind::kArray;
  }
  static absl::StatusOr<T> Read(const ReadContext&, const Value& value) {
    T message;
    XLA_RETURN_IF_ERROR(ReadMessage(value, &message));
    return message;
  }
};

template <typename T>
struct Reader<std::optional<T>> {
  static bool Fits(const Value& value) {
    return value.kind == Value::Kind::kNone || Reader<T>::Fits(value);
  }
  static absl::StatusOr<std::optional<T>> Read(const ReadContext& context, const Value& value) {
    if (value.kind == Value::Kind::kNone) return std::optional<T>();
    XLA_ASSIGN_OR_RETURN(T read, Reader<T>::Read(context, value));
    return std::optional<T>(std::move(read));
  }
};

template <typename T>
struct Reader<std::vector<T>> {
  static bool Fits(const Value& value) {
    if (value.kind != Value::Kind::kList) return false;
    for (const Value& element : value.list) {
      if (!Reader<T>::Fits(element)) return false;
    }
    return true;
  }
  static absl::StatusOr<std::vector<T>> Read(const ReadContext& context, const Value& value) {
    if (value.kind != Value::Kind::kList) return Unexpected("a sequence", value);
    std::vector<T> read;
    for (const Value& element : value.list) {
      XLA_ASSIGN_OR_RETURN(T one, Reader<T>::Read(context, element));
      read.push_back(std::move(one));
    }
    return read;
  }
};

template <typename First, typename Second>
struct Reader<std::pair<First, Second>> {
  static bool Fits(const Value& value) {
    return value.kind == Value::Kind::kList && value.list.size() == 2 &&
           Reader<First>::Fits(value.list[0]) && Reader<Second>::Fits(value.list[1]);
  }
  static absl::StatusOr<std::pair<First, Second>> Read(const ReadContext& context,
                                                       const Value& value) {
    if (value.kind != Value::Kind::kList || value.list.size() != 2)
      return Unexpected("a pair", value);
    XLA_ASSIGN_OR_RETURN(First first, Reader<First>::Read(context, value.list[0]));
    XLA_ASSIGN_OR_RETURN(Second second, Reader<Second>::Read(context, value.list[1]));
    return std::make_pair(std::move(first), std::move(second));
  }
};

}  // namespace xla::python

#endif  // XYLEM_PYTHON_NATIVE_VALUE_READER_H_
