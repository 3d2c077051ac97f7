// SPDX-License-Identifier: Apache-2.0
#include "xla/tools/hlo_module_loader.h"

#include <cctype>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"

namespace xla {
namespace {

// Where the text of a line starts: behind "I0102 03:04:05.678901 7 file.cc:8] ".
size_t HeaderLength(absl::string_view line) {
  const auto is_digit = [&](size_t i) {
    return i < line.size() && std::isdigit(static_cast<unsigned char>(line[i])) != 0;
  };
  if (line.empty() || absl::string_view("IWEF").find(line[0]) == absl::string_view::npos) return 0;
  for (size_t i = 1; i <= 4; ++i) {
    if (!is_digit(i)) return 0;
  }
  const size_t end = line.find("] ");
  const size_t place = line.rfind(':', end);
  if (end == absl::string_view::npos || place == absl::string_view::npos || !is_digit(place + 1)) {
    return 0;
  }
  return end + 2;
}

// One of the three messages that hold programs, read by `read`. A message of another type may read
// as well: the right one has a program.
template <typename Read>
absl::StatusOr<std::unique_ptr<HloModule>> FromProto(Read read, BufferAssignmentProto* buffers) {
  HloSnapshot snapshot;
  if (read(snapshot) && snapshot.hlo().hlo_module().computations_size() > 0) {
    if (buffers != nullptr) *buffers = snapshot.hlo().buffer_assignment();
    return CreateModuleFromProto(snapshot.hlo().hlo_module());
  }
  HloProto proto;
  if (read(proto) && proto.hlo_module().computations_size() > 0) {
    if (buffers != nullptr) *buffers = proto.buffer_assignment();
    return CreateModuleFromProto(proto.hlo_module());
  }
  HloModuleProto module;
  if (read(module) && module.computations_size() > 0) return CreateModuleFromProto(module);
  return absl::InvalidArgumentError(
      "the data are no HloSnapshot, HloProto or HloModuleProto with a program");
}

// Errors of text formats are told by what is returned, not by the log.
class NoErrors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, int, const std::string&) override {}
};

absl::StatusOr<std::unique_ptr<HloModule>> Read(absl::string_view data, absl::string_view format,
                                                BufferAssignmentProto* buffers) {
  if (format == "hlo" || format == "txt") {
    return ParseAndReturnUnverifiedModule(StripLogHeaders(data));
  }
  const std::string bytes(data);
  if (format == "pb") {
    return FromProto([&](auto& message) { return message.ParseFromString(bytes); }, buffers);
  }
  if (format == "pbtxt") {
    return FromProto(
        [&](auto& message) {
          NoErrors errors;
          google::protobuf::TextFormat::Parser parser;
          parser.RecordErrorsTo(&errors);
          return parser.ParseFromString(bytes, &message);
        },
        buffers);
  }
  return absl::InvalidArgumentError(absl::StrCat("Invalid format from file extension: '", format,
                                                 "'. Expected: hlo, txt, pb, or pbtxt"));
}

}  // namespace

std::string StripLogHeaders(absl::string_view hlo_string) {
  std::vector<absl::string_view> lines = absl::StrSplit(hlo_string, '\n');
  for (absl::string_view& line : lines) line.remove_prefix(HeaderLength(line));
  return absl::StrJoin(lines, "\n");
}

absl::StatusOr<std::unique_ptr<HloModule>> LoadModuleFromData(
    absl::string_view data, absl::string_view format,
    const hlo_module_loader_details::Config& ovr_config,
    const std::function<void(HloModuleConfig*)>& config_modifier_hook,
    BufferAssignmentProto* buffer_assignment_proto, bool fill_missing_layouts) {
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module,
                       Read(data, format, buffer_assignment_proto));
  if (module->entry_computation() == nullptr) {
    return absl::InvalidArgumentError("the program has no entry computation");
  }
  HloModuleConfig& config = module->config();
  if (ovr_config.num_replicas > 0) config.set_replica_count(ovr_config.num_replicas);
  if (ovr_config.num_partitions > 0) config.set_num_partitions(ovr_config.num_partitions);
  if (config_modifier_hook) config_modifier_hook(&config);
  if (fill_missing_layouts) module->SetDefaultEntryLayout();
  return module;
}

absl::StatusOr<std::unique_ptr<HloModule>> LoadModuleFromFile(
    const std::string& path, std::string format,
    const hlo_module_loader_details::Config& ovr_config,
    const std::function<void(HloModuleConfig*)>& config_modifier_hook,
    BufferAssignmentProto* buffer_assignment_proto, bool fill_missing_layouts) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot open ", path));
  const std::string data{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (format.empty()) {
    const size_t dot = path.rfind('.');
    if (dot != std::string::npos) format = path.substr(dot + 1);
  }
  return LoadModuleFromData(data, format, ovr_config, config_modifier_hook, buffer_assignment_proto,
                            fill_missing_layouts);
}

}  // namespace xla
