// SPDX-License-Identifier: Apache-2.0
// Changes a protocol message at random, field by field, so that what comes out still parses.
#ifndef FUZZ_PROTO_MUTATOR_H_
#define FUZZ_PROTO_MUTATOR_H_

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla::fuzz {

class ProtoMutator {
 public:
  explicit ProtoMutator(unsigned seed) : random_(seed) {}

  // One change somewhere in the message.
  void Mutate(google::protobuf::Message* message) {
    // Down to a random depth along fields that are set; most of what there is lies deep.
    while (true) {
      std::vector<google::protobuf::Message*> parts = Parts(message);
      if (parts.empty() || Below(8) == 0) break;
      message = parts[Below(parts.size())];
    }
    MutateField(message);
  }

 private:
  using Field = google::protobuf::FieldDescriptor;
  using Message = google::protobuf::Message;

  size_t Below(size_t limit) { return random_() % limit; }

  static std::vector<Message*> Parts(Message* message) {
    const auto* reflection = message->GetReflection();
    std::vector<const Field*> fields;
    reflection->ListFields(*message, &fields);
    std::vector<Message*> parts;
    for (const Field* field : fields) {
      if (field->cpp_type() != Field::CPPTYPE_MESSAGE) continue;
      if (!field->is_repeated()) {
        parts.push_back(reflection->MutableMessage(message, field));
        continue;
      }
      for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
        parts.push_back(reflection->MutableRepeatedMessage(message, field, i));
      }
    }
    return parts;
  }

  // Any field of the type, or more often one that is set.
  void MutateField(Message* message) {
    const auto* reflection = message->GetReflection();
    std::vector<const Field*> fields;
    reflection->ListFields(*message, &fields);
    if (fields.empty() || Below(4) == 0) {
      const auto* descriptor = message->GetDescriptor();
      if (descriptor->field_count() == 0) return;
      fields = {descriptor->field(static_cast<int>(Below(descriptor->field_count())))};
    }
    const Field* field = fields[Below(fields.size())];
    if (!field->is_repeated()) {
      if (Below(8) == 0) {
        reflection->ClearField(message, field);
      } else {
        SetField(message, field);
      }
      return;
    }
    const int size = reflection->FieldSize(*message, field);
    switch (size == 0 ? 0 : Below(4)) {
      case 0:
        AddElement(message, field);
        break;
      case 1:
        reflection->SwapElements(message, field, static_cast<int>(Below(size)), size - 1);
        reflection->RemoveLast(message, field);
        break;
      case 2:
        reflection->SwapElements(message, field, static_cast<int>(Below(size)),
                                 static_cast<int>(Below(size)));
        break;
      default:
        SetElement(message, field, static_cast<int>(Below(size)));
    }
  }

  int64_t Number() {
    static constexpr int64_t kNumbers[] = {0,
                                           1,
                                           2,
                                           3,
                                           4,
                                           7,
                                           8,
                                           16,
                                           -1,
                                           -2,
                                           31,
                                           64,
                                           65,
                                           1000,
                                           255,
                                           100000,
                                           1LL << 31,
                                           1LL << 32,
                                           (1LL << 32) + 1,
                                           1LL << 40,
                                           1LL << 62,
                                           std::numeric_limits<int64_t>::min(),
                                           std::numeric_limits<int64_t>::max()};
    return kNumbers[Below(std::size(kNumbers))];
  }
  double Real() {
    static constexpr double kReals[] = {0,
                                        -0.0,
                                        1,
                                        -1,
                                        0.5,
                                        1e10,
                                        1e-40,
                                        std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::quiet_NaN()};
    return kReals[Below(std::size(kReals))];
  }
  std::string Text(const Field* field) {
    if (field->name() == "opcode") {
      return std::string(HloOpcodeString(static_cast<HloOpcode>(Below(kNumHloOpcodes))));
    }
    static const char* const kTexts[] = {"",   "a",  "add", "x.1", "LT",   "TOTALORDER", "kLoop",
                                         "{}", "%p", "f32", "\"",  "main", "{a={b}}",    "\n"};
    return kTexts[Below(std::size(kTexts))];
  }
  int Enumerator(const Field* field) {
    const auto* type = field->enum_type();
    return type->value(static_cast<int>(Below(type->value_count())))->number();
  }

#define XLA_FOR_EACH_SCALAR(X)                       \
  X(INT32, Int32, static_cast<int32_t>(Number()))    \
  X(INT64, Int64, Number())                          \
  X(UINT32, UInt32, static_cast<uint32_t>(Number())) \
  X(UINT64, UInt64, static_cast<uint64_t>(Number())) \
  X(DOUBLE, Double, Real())                          \
  X(FLOAT, Float, static_cast<float>(Real()))        \
  X(BOOL, Bool, Below(2) == 0)                       \
  X(ENUM, EnumValue, Enumerator(field))              \
  X(STRING, String, Text(field))

  void SetField(Message* message, const Field* field) {
    const auto* reflection = message->GetReflection();
    switch (field->cpp_type()) {
#define XLA_CASE(TYPE, Name, value)               \
  case Field::CPPTYPE_##TYPE:                     \
    reflection->Set##Name(message, field, value); \
    break;
      XLA_FOR_EACH_SCALAR(XLA_CASE)
#undef XLA_CASE
      case Field::CPPTYPE_MESSAGE:
        MutateField(reflection->MutableMessage(message, field));
        break;
    }
  }

  void SetElement(Message* message, const Field* field, int index) {
    const auto* reflection = message->GetReflection();
    switch (field->cpp_type()) {
#define XLA_CASE(TYPE, Name, value)                              \
  case Field::CPPTYPE_##TYPE:                                    \
    reflection->SetRepeated##Name(message, field, index, value); \
    break;
      XLA_FOR_EACH_SCALAR(XLA_CASE)
#undef XLA_CASE
      case Field::CPPTYPE_MESSAGE:
        MutateField(reflection->MutableRepeatedMessage(message, field, index));
        break;
    }
  }

  // A new element, or a copy of one.
  void AddElement(Message* message, const Field* field) {
    const auto* reflection = message->GetReflection();
    switch (field->cpp_type()) {
#define XLA_CASE(TYPE, Name, value)               \
  case Field::CPPTYPE_##TYPE:                     \
    reflection->Add##Name(message, field, value); \
    break;
      XLA_FOR_EACH_SCALAR(XLA_CASE)
#undef XLA_CASE
      case Field::CPPTYPE_MESSAGE: {
        const int size = reflection->FieldSize(*message, field);
        Message* added = reflection->AddMessage(message, field);
        if (size == 0) {
          MutateField(added);
        } else {
          added->CopyFrom(
              reflection->GetRepeatedMessage(*message, field, static_cast<int>(Below(size))));
        }
        break;
      }
    }
  }
#undef XLA_FOR_EACH_SCALAR

  std::minstd_rand random_;
};

}  // namespace xla::fuzz

#endif  // FUZZ_PROTO_MUTATOR_H_
