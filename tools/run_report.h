// SPDX-License-Identifier: Apache-2.0
// What xylem run says of a run.
#ifndef XYLEM_TOOLS_RUN_REPORT_H_
#define XYLEM_TOOLS_RUN_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/named_outputs.h"

namespace xla {

// One of the programs of a command line.
struct RunTarget {
  std::string path;
  std::string output;  // where its results go; empty: they are printed
  bool is_one_of_many = false;
};

// What a run has to say besides its outputs.
struct RunReport {
  std::string name;
  double milliseconds = 0;
  int64_t peak_bytes = 0;
  bool is_compared = false;           // with what a snapshot recorded
  std::vector<std::string> failures;  // why the results are not as recorded or expected
};

// The results of a run and how it went, in words or as a line of JSON. `is_expected`: they were
// compared with those of --expect.
void PrintReport(const RunTarget& target, const RunReport& report,
                 const std::vector<NamedLiteral>& outputs, bool is_expected);
void PrintReportAsJson(const RunTarget& target, const RunReport& report,
                       const std::vector<NamedLiteral>& outputs, bool is_expected);

}  // namespace xla

#endif  // XYLEM_TOOLS_RUN_REPORT_H_
