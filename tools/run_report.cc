// SPDX-License-Identifier: Apache-2.0
// The report of xylem run.
#include "tools/run_report.h"

#include <cstdio>

#include "tools/command.h"
#include "tools/json.h"
#include "tools/process.h"

namespace xla {

void PrintReportAsJson(const RunTarget& target, const RunReport& report,
                       const std::vector<NamedLiteral>& outputs, bool is_expected) {
  std::vector<std::string> shapes;
  for (const NamedLiteral& value : outputs) shapes.push_back(value.value.shape().ToString());
  JsonObject json;
  if (target.is_one_of_many) json.String("file", target.path);
  json.String("name", report.name)
      .Number("run_ms", report.milliseconds)
      .Integer("peak_bytes", report.peak_bytes)
      .Strings("outputs", shapes);
  if (report.is_compared) json.Bool("as_recorded", report.failures.empty());
  if (is_expected) json.Bool("as_expected", report.failures.empty());
  std::puts(json.ToString().c_str());
}

void PrintReport(const RunTarget& target, const RunReport& report,
                 const std::vector<NamedLiteral>& outputs, bool is_expected) {
  for (const NamedLiteral& value : outputs) {
    if (target.output.empty()) {
      std::printf("%s = %s\n", value.name.c_str(), AbbreviatedText(value.value).c_str());
    } else {
      std::printf("%s = %s -> %s\n", value.name.c_str(), value.value.shape().ToString().c_str(),
                  target.output.c_str());
    }
  }
  std::fflush(stdout);
  const bool agrees = report.failures.empty();
  std::fprintf(stderr, "ran %s in %s, peak memory %s%s%s\n", report.name.c_str(),
               ReadableSeconds(report.milliseconds / 1e3).c_str(),
               ReadableBytes(report.peak_bytes).c_str(),
               report.is_compared && agrees ? "; the result is as recorded" : "",
               is_expected && agrees ? "; the results are as expected" : "");
}

}  // namespace xla
