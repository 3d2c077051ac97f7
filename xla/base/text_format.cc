// SPDX-License-Identifier: Apache-2.0
#include "xla/base/text_format.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"

namespace xla {
namespace {

constexpr int kMaxDepth = 100;  // protobuf's own for binary messages; for text it has none

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (!status_.ok()) return;
    status_ = absl::InvalidArgumentError(absl::StrCat(line + 1, ":", column + 1, ": ", message));
  }
  const absl::Status& status() const { return status_; }

 private:
  absl::Status status_;
};

}  // namespace

absl::Status ParseTextFormat(const std::string& text, google::protobuf::Message& message,
                             std::vector<const google::protobuf::FieldDescriptor*>* mentioned) {
  google::protobuf::TextFormat::Parser parser;
  google::protobuf::TextFormat::ParseInfoTree places;
  FirstError error;
  parser.SetRecursionLimit(kMaxDepth);
  parser.RecordErrorsTo(&error);
  if (mentioned != nullptr) parser.WriteLocationsTo(&places);
  if (!parser.ParseFromString(text, &message)) {
    return error.status().ok() ? absl::InvalidArgumentError("the text cannot be read")
                               : error.status();
  }
  if (mentioned == nullptr) return absl::OkStatus();
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const int index = type.field(i)->is_repeated() ? 0 : -1;
    if (places.GetLocation(type.field(i), index).line != -1) mentioned->push_back(type.field(i));
  }
  return absl::OkStatus();
}

}  // namespace xla
