// SPDX-License-Identifier: Apache-2.0
// Attributes of an instruction by walking the description of their struct, and the few attributes
// whose form in the proto depends on more than their own value.
#include "xla/hlo/proto/attribute_protos.h"

#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/hlo/proto/attribute_fields.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::proto {
namespace {

// The paths of the fields of a struct, in the order of its description; found once.
struct PathCollector {
  std::vector<ProtoPath> paths;
  template <typename S, typename T>
  void operator()(const Field& field, T S::*) {
    paths.push_back(FindProtoPath(field));
  }
};

template <typename S>
const std::vector<ProtoPath>& PathsOf() {
  static const auto* paths = [] {
    PathCollector collector;
    S::Describe(collector);
    return new std::vector<ProtoPath>(std::move(collector.paths));
  }();
  return *paths;
}

// Visitors of a description.
template <typename S>
struct ReadFields {
  const HloInstructionProto& proto;
  const HloInstruction& instruction;
  S* attributes;
  absl::Status status = absl::OkStatus();
  size_t index = 0;

  template <typename T>
  void operator()(const Field& field, T S::*member) {
    const ProtoPath& path = PathsOf<S>()[index++];
    if (path.field == nullptr || !status.ok()) return;
    status = Read(FieldReader{proto, instruction, field, path}, &(attributes->*member));
  }
};

template <typename S>
struct WriteFields {
  const HloInstruction& instruction;
  const S& attributes;
  HloInstructionProto* proto;
  absl::Status status = absl::OkStatus();
  size_t index = 0;

  template <typename T>
  void operator()(const Field& field, T S::*member) {
    const ProtoPath& path = PathsOf<S>()[index++];
    if (path.field == nullptr || !status.ok()) return;
    status = Write(FieldWriter{instruction, field, path, proto}, attributes.*member);
  }
};

// --- What depends on the instruction or on several fields

template <typename S>
absl::Status FinishReading(const HloInstructionProto&, const HloInstruction&, S*) {
  return absl::OkStatus();
}
template <typename S>
void FinishWriting(const HloInstruction&, const S&, HloInstructionProto*) {}

absl::Status FinishReading(const HloInstructionProto&, const HloInstruction& instruction,
                           ConstantAttributes* a) {
  if (a->literal.literal == nullptr) return absl::InvalidArgumentError("a constant has no literal");
  const Shape& literal = a->literal.literal->shape();
  const Shape& shape = instruction.shape();
  // The layout is the order of the literal in memory; tiles and memory spaces are the
  // instruction's.
  const bool same = shape.IsTuple() || !LayoutUtil::HasLayout(shape)
                        ? ShapeUtil::Compatible(literal, shape)
                        : Shape::Equal().MinorToMajorOnlyInLayout()(literal, shape);
  if (same) return absl::OkStatus();
  return InvalidArgument("the literal has shape %s, the instruction %s", literal.ToString(true),
                         shape.ToString(true));
}

// XLA always writes the comparison type.
void FinishWriting(const HloInstruction& instruction, const CompareAttributes& a,
                   HloInstructionProto* proto) {
  if (a.type.has_value() || instruction.operand_count() == 0) return;
  proto->set_comparison_type(ComparisonTypeToString(
      Comparison::DefaultComparisonType(instruction.operand(0)->shape().element_type())));
}

// all_reduce_id is the former name of the channel.
absl::Status FinishReading(const HloInstructionProto& proto, const HloInstruction&,
                           AllReduceAttributes* a) {
  if (proto.all_reduce_id() > 0) a->channel_id = proto.all_reduce_id();
  return absl::OkStatus();
}

// Only the start has the thread; "main" is the default.
absl::Status FinishReading(const HloInstructionProto&, const HloInstruction& instruction,
                           AsyncAttributes* a) {
  if (instruction.opcode() != HloOpcode::kAsyncStart || a->async_execution_thread == "main") {
    a->async_execution_thread.clear();
  }
  return absl::OkStatus();
}
void FinishWriting(const HloInstruction& instruction, const AsyncAttributes&,
                   HloInstructionProto* proto) {
  if (instruction.opcode() != HloOpcode::kAsyncStart) proto->clear_async_execution_thread();
}

// XLA needs the shape.
void FinishWriting(const HloInstruction& instruction, const OutfeedAttributes& a,
                   HloInstructionProto* proto) {
  if (a.outfeed_shape.has_value() || instruction.operand_count() == 0) return;
  *proto->mutable_outfeed_shape() = instruction.operand(0)->shape().ToProto();
}

}  // namespace

ProtoPath FindProtoPath(const Field& field) {
  ProtoPath path;
  if (field.rule == FieldRule::kParseOnly) return path;
  const google::protobuf::Descriptor* message = HloInstructionProto::descriptor();
  const std::string_view names = field.proto_path();
  for (absl::string_view name :
       absl::StrSplit(absl::string_view(names.data(), names.size()), '.')) {
    if (path.field != nullptr) {
      path.parents.push_back(path.field);
      message = path.field->message_type();
    }
    path.field = message->FindFieldByName(std::string(name));
    XLA_CHECK(path.field != nullptr) << "HloInstructionProto has no field " << names;
  }
  return path;
}

absl::StatusOr<Attributes> ReadAttributes(const HloInstructionProto& proto,
                                          const HloInstruction& instruction) {
  Attributes attributes = MakeDefaultAttributes(instruction.opcode());
  XLA_RETURN_IF_ERROR(attributes.visit([&](auto& value) {
    using S = std::decay_t<decltype(value)>;
    ReadFields<S> fields{proto, instruction, &value};
    S::Describe(fields);
    if (!fields.status.ok()) return fields.status;
    return FinishReading(proto, instruction, &value);
  }));
  return attributes;
}

absl::Status WriteAttributes(const HloInstruction& instruction, HloInstructionProto* proto) {
  return instruction.attributes().visit([&](const auto& value) {
    using S = std::decay_t<decltype(value)>;
    WriteFields<S> fields{instruction, value, proto};
    S::Describe(fields);
    if (fields.status.ok()) FinishWriting(instruction, value, proto);
    return fields.status;
  });
}

}  // namespace xla::proto
