// SPDX-License-Identifier: Apache-2.0
// xylem ops: lists the operations and describes them.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/ops_page.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/base/suggestion.h"
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
  std::vector<JsonObject> rows;
  for (const HloOpcode opcode : opcodes) {
    std::vector<JsonObject> attributes;
    for (const OpAttribute& attribute : OpAttributes(opcode)) {
      attributes.emplace_back().String("name", attribute.name).Bool("required", attribute.required);
    }
    const std::vector<std::string> builders =
        absl::StrSplit(View(GetOpcodeDoc(opcode).builders), ' ', absl::SkipEmpty());
    JsonObject& row = rows.emplace_back();
    row.String("name", HloOpcodeString(opcode))
        .String("family", OpFamilyTitle(GetOpInfo(opcode).family));
    if (const auto arity = HloOpcodeArity(opcode)) {
      row.Integer("arity", *arity);
    } else {
      row.Null("arity");
    }
    row.Objects("attributes", attributes).Strings("builder", builders);
  }
  return ToString(rows);
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
  std::vector<std::string> names;
  for (int i = 0; i < kNumHloOpcodes; ++i) {
    const auto opcode = static_cast<HloOpcode>(i);
    names.emplace_back(HloOpcodeString(opcode));
    for (const absl::string_view builder :
         absl::StrSplit(View(GetOpcodeDoc(opcode).builders), ' ', absl::SkipEmpty())) {
      names.emplace_back(builder);
    }
  }
  const std::string suggestion =
      Suggestion(name, std::vector<std::string_view>(names.begin(), names.end()));
  return absl::NotFoundError(absl::StrCat("no operation or function of the builder is named '",
                                          name, "'", suggestion,
                                          suggestion.empty() ? "; `xylem ops` lists them" : ""));
}

absl::StatusOr<int> Ops(const Arguments& arguments) {
  std::vector<HloOpcode> opcodes;
  for (const std::string& name : arguments.operands()) {
    XLA_ASSIGN_OR_RETURN(const std::vector<HloOpcode> found, Find(name));
    opcodes.insert(opcodes.end(), found.begin(), found.end());
  }
  const bool named = !opcodes.empty();
  for (int i = 0; i < kNumHloOpcodes && !named; ++i) opcodes.push_back(static_cast<HloOpcode>(i));

  const bool json = arguments.Has("--json");
  std::string out;
  if (json) {
    out = ListAsJson(opcodes);
  } else if (named) {
    for (const HloOpcode opcode : opcodes) absl::StrAppend(&out, OpSection(opcode));
  } else {
    out = List(opcodes);
  }
  std::fputs(out.c_str(), stdout);
  return kExitOk;
}

}  // namespace

Command OpsCommand() {
  return {
      "ops",
      "[NAME...]",
      "list the operations, or describe some of them",
      "Without a name: one line for each operation, with its family, number of operands (n: any)\n"
      "and attributes (optional ones in brackets). With names of operations or of functions of\n"
      "the builder: their documentation.",
      {{"--json", "", "print the list as JSON"}},
      0,
      INT64_MAX,
      Ops};
}

}  // namespace xla
