// SPDX-License-Identifier: Apache-2.0
// xylem ops: the operations, their documentation, and what of each works.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tools/command.h"
#include "tools/ops_coverage.h"
#include "tools/ops_page.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/hlo/ir/opcode_docs.h"

namespace xla {
namespace {

std::string ArityOf(HloOpcode opcode) {
  const auto arity = HloOpcodeArity(opcode);
  return arity.has_value() ? absl::StrCat(*arity) : "n";
}

std::string List(const std::vector<HloOpcode>& opcodes) {
  std::string out;
  for (const HloOpcode opcode : opcodes) {
    std::vector<std::string> attributes;
    for (const OpAttribute& attribute : OpAttributes(opcode))
      attributes.push_back(attribute.required ? attribute.name
                                              : absl::StrCat("[", attribute.name, "]"));
    std::string line = absl::StrFormat("%-26s %-31s %s  %s", View(HloOpcodeString(opcode)),
                                       View(OpFamilyTitle(GetOpInfo(opcode).family)),
                                       ArityOf(opcode), absl::StrJoin(attributes, " "));
    while (line.back() == ' ') line.pop_back();
    absl::StrAppend(&out, line, "\n");
  }
  return out;
}

std::string ListAsJson(const std::vector<HloOpcode>& opcodes) {
  std::string out = "[\n";
  for (const HloOpcode opcode : opcodes) {
    std::vector<std::string> attributes;
    for (const OpAttribute& attribute : OpAttributes(opcode)) {
      attributes.push_back(absl::StrCat("{\"name\": \"", attribute.name, "\", \"required\": ",
                                        attribute.required ? "true" : "false", "}"));
    }
    const auto arity = HloOpcodeArity(opcode);
    const std::string_view builders = GetOpcodeDoc(opcode).builders;
    absl::StrAppend(
        &out, opcode == opcodes.front() ? "" : ",\n", "  {\"name\": \"",
        View(HloOpcodeString(opcode)), "\", \"family\": \"",
        View(OpFamilyTitle(GetOpInfo(opcode).family)),
        "\", \"arity\": ", arity.has_value() ? absl::StrCat(*arity) : "null", ", \"attributes\": [",
        absl::StrJoin(attributes, ", "), "], \"builder\": [",
        builders.empty()
            ? ""
            : absl::StrCat("\"", absl::StrReplaceAll(View(builders), {{" ", "\", \""}}), "\""),
        "]}");
  }
  return out + "\n]\n";
}

// The operation of this text name, or those that the builder's function of this name makes.
absl::StatusOr<std::vector<HloOpcode>> Find(const std::string& name) {
  if (const auto opcode = FindHloOpcode(name)) return std::vector<HloOpcode>{*opcode};
  std::vector<HloOpcode> found;
  for (int i = 0; i < kNumHloOpcodes; ++i) {
    const auto opcode = static_cast<HloOpcode>(i);
    const std::vector<absl::string_view> builders =
        absl::StrSplit(View(GetOpcodeDoc(opcode).builders), ' ', absl::SkipEmpty());
    if (std::find(builders.begin(), builders.end(), name) != builders.end())
      found.push_back(opcode);
  }
  if (!found.empty()) return found;
  return absl::NotFoundError(absl::StrCat("there is no operation and no function of the builder '",
                                          name, "'; `xylem ops` lists them"));
}

// Rows in order, several at a time.
absl::StatusOr<std::vector<OpCoverage>> Cover(const std::vector<HloOpcode>& opcodes, int64_t jobs) {
  std::vector<OpCoverage> rows(opcodes.size());
  std::atomic<size_t> next{0};
  std::vector<std::thread> workers;
  for (int64_t j = 0; j < jobs; ++j) {
    workers.emplace_back([&] {
      for (size_t i; (i = next++) < opcodes.size() && !Interrupted();)
        rows[i] = CoverOperation(opcodes[i]);
    });
  }
  for (std::thread& worker : workers) worker.join();
  if (Interrupted()) return absl::CancelledError("interrupted");
  return rows;
}

absl::StatusOr<int> Ops(const Arguments& arguments) {
  std::vector<HloOpcode> opcodes;
  for (const std::string& name : arguments.positional()) {
    XLA_ASSIGN_OR_RETURN(const std::vector<HloOpcode> found, Find(name));
    opcodes.insert(opcodes.end(), found.begin(), found.end());
  }
  const bool named = !opcodes.empty();
  for (int i = 0; i < kNumHloOpcodes && !named; ++i) opcodes.push_back(static_cast<HloOpcode>(i));

  const bool json = arguments.Has("--json");
  if (arguments.Has("--coverage")) {
    const int64_t cpus = std::max<int64_t>(1, std::thread::hardware_concurrency());
    XLA_ASSIGN_OR_RETURN(const int64_t jobs, arguments.GetInt("--jobs", cpus, 1, 1024));
    XLA_ASSIGN_OR_RETURN(const std::vector<OpCoverage> rows, Cover(opcodes, jobs));
    std::fputs((json ? CoverageJson(rows) : CoverageTable(rows)).c_str(), stdout);
    const bool holes = std::any_of(rows.begin(), rows.end(),
                                   [](const OpCoverage& row) { return row.holes() > 0; });
    return holes ? kExitFailed : kExitOk;
  }
  std::string out;
  if (json) {
    out = ListAsJson(opcodes);
  } else if (named) {
    for (const HloOpcode opcode : opcodes) absl::StrAppend(&out, OpSection(opcode));
  } else {
    out = arguments.Has("--markdown") ? OpsPage() : List(opcodes);
  }
  std::fputs(out.c_str(), stdout);
  return kExitOk;
}

}  // namespace

Command OpsCommand() {
  return {
      "ops",
      "[NAME...]",
      "list the operations, explain them, show what of each works",
      "Without a name: a line for each operation with family, number of operands (n: any) and\n"
      "attributes (in brackets: optional). With names, also of the builder's functions: their\n"
      "documentation. --coverage works out from the example of each operation which parts of\n"
      "the system have it and for which element types it runs; the exit code is 1 if there is a\n"
      "hole.",
      {{"--coverage", "", "what of each operation works"},
       {"--markdown", "", "all of the documentation as one page, docs/operations.md"},
       {"--json", "", "the list, or the coverage, as JSON"},
       {"--jobs", "N", "operations at a time; the default is the number of processors"}},
      0,
      INT64_MAX,
      Ops};
}

}  // namespace xla
