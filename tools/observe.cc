// SPDX-License-Identifier: Apache-2.0
#include "tools/observe.h"

#include <cstdio>
#include <functional>
#include <regex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/file_kinds.h"
#include "tools/json.h"
#include "tools/npz.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<std::function<bool(const std::string&)>> SelectorOf(const std::string& pattern) {
  try {
    const std::regex regex(pattern);
    return std::function<bool(const std::string&)>(
        [regex](const std::string& name) { return std::regex_match(name, regex); });
  } catch (const std::regex_error& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("--values ", pattern, " is no regular expression: ", error.what()));
  }
}

std::string ElementName(const NonFinite& element) {
  std::string name;
  for (const int64_t i : element.leaf) absl::StrAppend(&name, "element ", i, " ");
  return absl::StrCat(name, "[", absl::StrJoin(element.index, ","), "]");
}

std::string Describe(const NonFiniteOrigin& origin) {
  std::string text =
      absl::StrCat(origin.text, "\n  ", ElementName(origin.element), " is ", origin.element.value);
  if (origin.evaluation > 1) absl::StrAppend(&text, " in evaluation ", origin.evaluation);
  absl::StrAppend(&text, "\n  in ", origin.computation);
  if (origin.device > 0) absl::StrAppend(&text, ", on device ", origin.device);
  if (!origin.op_name.empty()) absl::StrAppend(&text, "\n  ", origin.op_name);
  if (!origin.source.empty()) absl::StrAppend(&text, "\n  ", origin.source);
  return text;
}

std::string OriginAsJson(const NonFiniteOrigin& origin) {
  JsonObject json;
  json.String("instruction", origin.instruction)
      .String("computation", origin.computation)
      .Integers("index", origin.element.index)
      .String("value", origin.element.value)
      .Integer("evaluation", origin.evaluation)
      .Integer("device", origin.device)
      .String("op_name", origin.op_name)
      .String("source", origin.source);
  return json.ToString();
}

}  // namespace

std::vector<OptionSpec> ObserveOptions() {
  return {{"--check-nans", "",
           "stop at the first instruction that makes a NaN of numbers, and print it"},
          {"--check-infinities", "", "the same, also for infinities of finite numbers"},
          {"--operands", "FILE", "write the operands of that instruction to this .npz file"},
          {"--values", "REGEX",
           "print the values of the instructions with such names, or write them to --output"},
          {"--statistics", "",
           "print the least, largest and mean number of each instruction, and how many are NaN,\n"
           "infinite or zero"}};
}

absl::StatusOr<std::unique_ptr<RunObserver>> RunObserver::Create(const Arguments& arguments) {
  const bool searches = arguments.Has("--check-nans") || arguments.Has("--check-infinities");
  const bool records = arguments.Has("--values") || arguments.Has("--statistics");
  if (arguments.Has("--operands")) {
    if (!searches) return absl::InvalidArgumentError("--operands goes with --check-nans");
    XLA_RETURN_IF_ERROR(CheckOutputName(arguments.Get("--operands"), "npz"));
  }
  if (!searches && !records) return nullptr;
  if (arguments.Get("--backend") == "cpu") {
    return absl::InvalidArgumentError(
        "values of instructions are those of the interpreter: without --backend=cpu");
  }
  if (searches && records) {
    return absl::InvalidArgumentError(
        "--check-nans and --check-infinities do not go with --values and --statistics");
  }
  std::unique_ptr<RunObserver> observer(new RunObserver(arguments));
  if (searches) observer->search_.emplace(arguments.Has("--check-infinities"));
  if (records) {
    std::function<bool(const std::string&)> selector;
    if (arguments.Has("--values")) {
      XLA_ASSIGN_OR_RETURN(selector, SelectorOf(arguments.Get("--values")));
    }
    observer->recorder_.emplace(std::move(selector));
  }
  return observer;
}

void RunObserver::Attach(InterpreterOptions& options) {
  options.observe = search_.has_value() ? search_->Observer()
                                        : recorder_->Observer(arguments_.Has("--statistics"));
}

absl::StatusOr<bool> RunObserver::ReportOrigin(const absl::Status& status) {
  if (!search_.has_value()) return false;
  const bool has_nan = search_->nan().has_value();
  const std::optional<NonFiniteOrigin>& infinity = search_->infinity();
  if (status.ok()) {
    if (!arguments_.Has("--json")) {
      std::fprintf(stderr, "no instruction makes a NaN of numbers%s\n",
                   infinity.has_value() ? "; some are infinite" : ", and all are finite");
    }
    return false;
  }
  if (!absl::IsAborted(status) || (!has_nan && !infinity.has_value())) return false;
  const NonFiniteOrigin& origin = has_nan ? *search_->nan() : *infinity;
  if (arguments_.Has("--json")) {
    std::printf("{\"%s\":%s}\n", has_nan ? "nan" : "infinity", OriginAsJson(origin).c_str());
  } else {
    std::printf("first %s: %s\n", has_nan ? "NaN" : "infinity", Describe(origin).c_str());
    if (has_nan && infinity.has_value())
      std::printf("first infinity, before that: %s\n", Describe(*infinity).c_str());
  }
  if (arguments_.Has("--operands")) {
    std::vector<std::pair<std::string, LiteralSlice>> members;
    for (size_t i = 0; i < origin.operands.size(); ++i) {
      if (origin.operands[i].shape().IsArray())
        members.emplace_back(absl::StrCat("operand", i), LiteralSlice(origin.operands[i]));
    }
    XLA_RETURN_IF_ERROR(WriteNpz(arguments_.Get("--operands"), members));
  }
  return true;
}

absl::Status RunObserver::Report(std::vector<NamedLiteral>& outputs) {
  if (!recorder_.has_value()) return absl::OkStatus();
  std::vector<std::pair<std::string, Literal>> values = recorder_->TakeValues();
  if (arguments_.Has("--values") && values.empty()) {
    return absl::NotFoundError(absl::StrCat("--values ", arguments_.Get("--values"),
                                            ": no instruction that is computed has such a name"));
  }
  for (auto& [name, value] : values) outputs.push_back({name, std::move(value)});
  if (!arguments_.Has("--statistics")) return absl::OkStatus();
  const std::vector<ValueRecorder::Row> rows = recorder_->TakeStatistics();
  if (arguments_.Has("--json")) {
    for (const ValueRecorder::Row& row : rows) {
      const ValueStatistics& of = row.statistics;
      JsonObject json;
      json.String("instruction", row.instruction)
          .Integer("evaluations", of.evaluations)
          .Integer("elements", of.elements)
          .Number("least", of.least)
          .Number("most", of.most)
          .Number("mean", of.mean)
          .Integer("nans", of.nans)
          .Integer("infinities", of.infinities)
          .Integer("zeros", of.zeros)
          .Integer("subnormals", of.subnormals);
      std::puts(json.ToString().c_str());
    }
    return absl::OkStatus();
  }
  std::printf("%12s %12s %12s %10s %10s %10s  %s\n", "least", "most", "mean", "zeros", "infinite",
              "NaN", "instruction");
  for (const ValueRecorder::Row& row : rows) {
    const ValueStatistics& of = row.statistics;
    std::printf("%12.5g %12.5g %12.5g %10lld %10lld %10lld  %s%s\n", of.least, of.most, of.mean,
                static_cast<long long>(of.zeros), static_cast<long long>(of.infinities),
                static_cast<long long>(of.nans), row.text.c_str(),
                of.evaluations > 1 ? absl::StrCat(" (", of.evaluations, " times)").c_str() : "");
  }
  return absl::OkStatus();
}

}  // namespace xla
