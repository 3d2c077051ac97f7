// SPDX-License-Identifier: Apache-2.0
#include "tools/encoded_files.h"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"
#include "xla/base/text_format.h"
#include "xla/service/hlo.pb.h"

namespace xla {
namespace {

// Inflates one gzip file at a time.
class Inflater {
 public:
  Inflater() { is_ready_ = inflateInit2(&stream_, kGzip) == Z_OK; }
  ~Inflater() {
    if (is_ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  absl::StatusOr<std::string> Run(std::string_view bytes, int64_t max_bytes) {
    if (!is_ready_) return absl::ResourceExhaustedError("out of memory");
    std::string out;
    // Output may be left when all input is taken.
    while (!bytes.empty() || is_full_) XLA_RETURN_IF_ERROR(Step(bytes, max_bytes, out));
    if (!has_ended_) return absl::InvalidArgumentError("the gzip-compressed data are truncated");
    return out;
  }

 private:
  static constexpr int kGzip = 15 + 16;  // zlib's number for windows of 32 KB and gzip's header
  static constexpr size_t kBlock = size_t{1} << 18;

  absl::Status Step(std::string_view& bytes, int64_t max_bytes, std::string& out) {
    if (Interrupted()) return absl::CancelledError("interrupted");
    if (has_ended_) {  // there is more input
      // Zeros pad files on tapes.
      if (bytes[0] == '\0') {
        bytes.remove_prefix(1);
        return absl::OkStatus();
      }
      if (inflateReset(&stream_) != Z_OK) return absl::InternalError("zlib cannot begin again");
      has_ended_ = false;
    }
    const size_t given = std::min<size_t>(bytes.size(), 1 << 30), before = out.size();
    out.resize(before + kBlock);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream_.avail_out = static_cast<uInt>(kBlock);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    const size_t made = kBlock - stream_.avail_out;
    bytes.remove_prefix(given - stream_.avail_in);
    out.resize(before + made);
    is_full_ = made == kBlock && code == Z_OK;
    if (static_cast<int64_t>(out.size()) > max_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the decompressed data have more than ", max_bytes, " bytes"));
    }
    if (code == Z_MEM_ERROR) return absl::ResourceExhaustedError("out of memory");
    has_ended_ = code == Z_STREAM_END;
    const bool is_stuck = code == Z_BUF_ERROR && made == 0;
    if ((code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) || is_stuck) {
      return absl::InvalidArgumentError(
          is_stuck ? std::string("the gzip-compressed data are truncated")
                   : absl::StrCat("the gzip-compressed data are damaged: ",
                                  stream_.msg == nullptr ? "no dictionary" : stream_.msg));
    }
    return absl::OkStatus();
  }

  z_stream stream_ = {};
  bool is_ready_ = false, has_ended_ = false, is_full_ = false;
};

std::string_view WithoutSpaceAndComments(std::string_view text) {
  while (!text.empty()) {
    if (std::isspace(static_cast<unsigned char>(text[0])) != 0) {
      text.remove_prefix(1);
    } else if (text[0] == '#') {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else {
      break;
    }
  }
  return text;
}

// Takes the identifier that the text begins with, and the space after it.
std::string TakeWord(std::string_view& text) {
  const auto end = std::find_if(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_';
  });
  std::string word(text.begin(), end);
  text = WithoutSpaceAndComments(text.substr(word.size()));
  return word;
}

// The kinds of protos, in the order in which they are tried.
template <typename Use>
auto WithTextProto(const std::string& field, Use use) {
  HloModuleProto module;
  HloProto hlo;
  HloSnapshot snapshot;
  HloUnoptimizedSnapshot unoptimized;
  for (google::protobuf::Message* message :
       std::initializer_list<google::protobuf::Message*>{&module, &hlo, &snapshot, &unoptimized}) {
    if (message->GetDescriptor()->FindFieldByName(field) != nullptr) return use(message);
  }
  return use(static_cast<google::protobuf::Message*>(nullptr));
}

}  // namespace

bool IsGzip(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

absl::StatusOr<std::string> Gunzip(std::string_view bytes, int64_t max_bytes) {
  return Inflater().Run(bytes, max_bytes);
}

bool IsTextProto(std::string_view text) {
  text = WithoutSpaceAndComments(text);
  const std::string field = TakeWord(text);
  // Most programs end here: to ask protobuf for its messages takes longer than to read a small one.
  if (field.empty() || text.empty() || (text[0] != ':' && text[0] != '{')) return false;
  const bool is_known =
      WithTextProto(field, [](google::protobuf::Message* message) { return message != nullptr; });
  if (!is_known) return false;
  if (text[0] == ':') return true;
  // A computation of HLO text may have such a name: its instructions have '=' after theirs.
  text = WithoutSpaceAndComments(text.substr(1));
  const std::string inner = TakeWord(text);
  return text.empty() || text[0] == '}' || (!inner.empty() && (text[0] == ':' || text[0] == '{'));
}

absl::StatusOr<std::string> TextProtoToBytes(std::string_view text) {
  std::string_view rest = WithoutSpaceAndComments(text);
  const std::string field = TakeWord(rest);
  return WithTextProto(
      field, [&](google::protobuf::Message* message) -> absl::StatusOr<std::string> {
        if (message == nullptr)
          return absl::InvalidArgumentError(absl::StrCat("no proto has a field '", field, "'"));
        // A HloUnoptimizedSnapshot begins as a HloProto does.
        absl::Status status = ParseTextFormat(std::string(text), *message);
        HloUnoptimizedSnapshot unoptimized;
        if (!status.ok() && ParseTextFormat(std::string(text), unoptimized).ok()) {
          message = &unoptimized;
          status = absl::OkStatus();
        }
        XLA_RETURN_IF_ERROR(status);
        std::string bytes;
        if (!message->SerializeToString(&bytes))
          return absl::ResourceExhaustedError("the proto is too large to be serialized");
        return bytes;
      });
}

absl::StatusOr<std::string> ProtoAsText(const google::protobuf::Message& message, bool json) {
  std::string text;
  bool is_written;
  if (json) {
    google::protobuf::util::JsonPrintOptions options;
    options.add_whitespace = true;
    options.preserve_proto_field_names = true;
    is_written = google::protobuf::util::MessageToJsonString(message, &text, options).ok();
  } else {
    is_written = google::protobuf::TextFormat::PrintToString(message, &text);
  }
  if (!is_written) return absl::ResourceExhaustedError("the program is too large for a text");
  return text;
}

absl::StatusOr<std::string> DecodeProgram(std::string bytes, int64_t max_bytes) {
  if (IsGzip(bytes)) {
    XLA_ASSIGN_OR_RETURN(bytes, Gunzip(bytes, max_bytes));
  }
  if (IsTextProto(bytes)) return TextProtoToBytes(bytes);
  return bytes;
}

}  // namespace xla
