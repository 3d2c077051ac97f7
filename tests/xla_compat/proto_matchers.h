// SPDX-License-Identifier: Apache-2.0
// Stand-in for matchers of protocol buffers.
#ifndef TESTS_XLA_COMPAT_PROTO_MATCHERS_H_
#define TESTS_XLA_COMPAT_PROTO_MATCHERS_H_

#include <memory>
#include <string>
#include <type_traits>

#include "google/protobuf/text_format.h"
#include "google/protobuf/util/message_differencer.h"
#include "tests/xla_compat/test_macros.h"

namespace tsl::proto_testing {

inline std::string TextOf(const std::string& text) { return text; }
inline std::string TextOf(const google::protobuf::Message& message) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(message, &text);
  return text;
}

// Xylem's own structs where XLA has messages.
inline const google::protobuf::Message& AsMessage(const google::protobuf::Message& message) {
  return message;
}
template <typename T>
auto AsMessage(const T& value) -> decltype(value.ToProto()) {
  return value.ToProto();
}
template <typename T>
auto TextOf(const T& value) -> std::enable_if_t<!std::is_base_of_v<google::protobuf::Message, T>,
                                                decltype(TextOf(value.ToProto()))> {
  return TextOf(value.ToProto());
}

// Equal to a message, or to one given as text.
MATCHER_P(EqualsProtoText, text, "equals " + text) {
  const auto& message = AsMessage(arg);
  const std::unique_ptr<google::protobuf::Message> expected(message.New());
  if (!google::protobuf::TextFormat::ParseFromString(text, expected.get())) {
    *result_listener << "cannot parse the expected message";
    return false;
  }
  google::protobuf::util::MessageDifferencer differencer;
  std::string differences;
  differencer.ReportDifferencesToString(&differences);
  const bool equal = differencer.Compare(*expected, message);
  *result_listener << differences;
  return equal;
}
template <typename Expected>
auto EqualsProto(const Expected& expected) {
  return EqualsProtoText(TextOf(expected));
}

template <typename Message>
Message ParseTextProtoOrDie(const std::string& text) {
  Message message;
  if (!google::protobuf::TextFormat::ParseFromString(text, &message)) std::abort();
  return message;
}
struct AnyTextProto {
  std::string text;
  template <typename Message>
  operator Message() const {
    return ParseTextProtoOrDie<Message>(text);
  }
};
inline AnyTextProto ParseTextProtoOrDie(const std::string& text) { return {text}; }

}  // namespace tsl::proto_testing

#endif  // TESTS_XLA_COMPAT_PROTO_MATCHERS_H_
