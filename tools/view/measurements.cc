// SPDX-License-Identifier: Apache-2.0
#include "tools/view/measurements.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/view/graph_json.h"
#include "xla/base/status_macros.h"

namespace xla {
namespace {

using LineJson = nlohmann::json;

double NumberOr(const LineJson& line, const char* key, double otherwise) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number() ? found->get<double>() : otherwise;
}

std::string TextOr(const LineJson& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Calls `use` with each line of a file, which are JSON objects. `use` says what is wrong with one.
absl::Status ForEachLine(const std::string& path,
                         absl::FunctionRef<std::string(const LineJson&)> use) {
  XLA_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  int64_t number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    bool is_deep = false;
    const auto check = [&](int depth, LineJson::parse_event_t, LineJson&) {
      is_deep = is_deep || depth > 8;
      return !is_deep;
    };
    const LineJson json = LineJson::parse(line.begin(), line.end(), check, false);
    const std::string problem = is_deep || !json.is_object() ? "expected a JSON object" : use(json);
    if (!problem.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(DisplayName(path), ":", number, ": ", problem));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<JsonObject> ReadProfile(const std::string& path) {
  std::vector<CpuProgram::ProfileEntry> entries;
  double bytes_a_second = 0, operations_a_second = 0;
  XLA_RETURN_IF_ERROR(ForEachLine(path, [&](const LineJson& line) -> std::string {
    if (!line.contains("us") || !line.contains("self_us"))
      return "expected what `xylem profile --json` prints, with \"us\" and \"self_us\"";
    CpuProgram::ProfileEntry& entry = entries.emplace_back();
    entry.name = TextOr(line, "name");
    entry.text = TextOr(line, "text");
    entry.depth = static_cast<int>(std::min(std::max(NumberOr(line, "depth", 0), 0.0), 64.0));
    entry.runs = static_cast<int64_t>(std::min(std::max(NumberOr(line, "runs", 1), 1.0), 1e15));
    entry.seconds = NumberOr(line, "us", 0) * 1e-6;
    entry.self_seconds = NumberOr(line, "self_us", 0) * 1e-6;
    const double share = NumberOr(line, "limit_share", 0);
    const double runs = static_cast<double>(entry.runs);
    const double bytes = NumberOr(line, "bytes_a_second", 0);
    const double operations = NumberOr(line, "operations_a_second", 0);
    entry.has_parts = !line.contains("bytes_a_second");
    entry.bytes = bytes * entry.seconds / runs;
    entry.operations = operations * entry.seconds / runs;
    // The share is that of the limit which is nearer.
    if (share > 0) bytes_a_second = std::max(bytes_a_second, bytes / share);
    if (share > 0) operations_a_second = std::max(operations_a_second, operations / share);
    return "";
  }));
  return ProfileToJson(entries, {}, std::max(bytes_a_second, 1.0),
                       std::max(operations_a_second, 1.0));
}

absl::StatusOr<JsonObject> ReadErrors(const std::string& path) {
  JsonObject errors;
  XLA_RETURN_IF_ERROR(ForEachLine(path, [&](const LineJson& line) -> std::string {
    const std::string name = TextOr(line, "instruction");
    // "agree" alone: nothing differs. Infinite errors are null.
    if (!name.empty()) errors.Number(name, NumberOr(line, "error", 1e300));
    return name.empty() && !line.contains("agree")
               ? "expected what `xylem diff --json` prints, with \"instruction\" and \"error\""
               : "";
  }));
  return errors;
}

}  // namespace xla
