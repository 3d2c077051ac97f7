// SPDX-License-Identifier: Apache-2.0
// xylem test: runs programs that check themselves through custom calls check.expect_*.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/command.h"
#include "tools/custom_calls.h"
#include "tools/execute.h"
#include "tools/files.h"
#include "tools/job.h"
#include "tools/json.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "tools/self_check.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/interpreter.h"

namespace xla {
namespace {

// kUnchecked: the program ran but makes no checks.
enum class Outcome { kPassed, kFailed, kUnsupported, kDisabled, kUnchecked };

struct Result {
  Outcome outcome = Outcome::kFailed;
  std::string detail;                // why, for all but passed
  std::vector<std::string> missing;  // opcodes, when not supported
};

struct TestOptions {
  int threads = 1;
  bool compiled = false;
  distributed::Job* job = nullptr;
  std::string cache;  // a folder of machine code; empty: none
};

// A program without checks would pass whatever it computes. What it prints is for a reader to
// check.
bool HasChecks(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      const auto* call = instruction->attributes_if<CustomCallAttributes>();
      if (call != nullptr && (call->custom_call_target.rfind("check.", 0) == 0 ||
                              call->custom_call_target == "interpreter.print")) {
        return true;
      }
    }
  }
  return false;
}

Result TestModule(const HloModule& module, const TestOptions& test_options,
                  const CustomCallRegistry& custom_calls) {
  const int threads = test_options.threads;
  Result result;
  for (HloOpcode opcode :
       test_options.compiled ? std::vector<HloOpcode>() : UnsupportedOpcodes(module))
    result.missing.emplace_back(HloOpcodeString(opcode));
  if (!result.missing.empty()) {
    result.outcome = Outcome::kUnsupported;
    result.detail = absl::StrJoin(result.missing, ", ");
    return result;
  }
  if (module.entry_computation()->num_parameters() != 0)
    return {Outcome::kFailed, "the program takes arguments", {}};
  InterpreterOptions options;
  options.num_threads = threads;
  options.memory_limit_bytes = UsableMemoryBytes();
  options.cancel = &Interrupted();
  options.custom_calls = CheckCustomCalls();
  options.custom_call_registry = &custom_calls;
  const absl::Status status =
      RunSelfChecking(module, options, test_options.compiled, test_options.job, test_options.cache);
  if (status.ok() && !HasChecks(module))
    return {Outcome::kUnchecked, "the program makes no check", {}};
  if (status.ok()) return {Outcome::kPassed, "", {}};
  const bool unsupported = status.code() == absl::StatusCode::kUnimplemented;
  return {
      unsupported ? Outcome::kUnsupported : Outcome::kFailed, std::string(status.message()), {}};
}

// A file of StableHLO may hold several programs: it passes if all do, and some make checks.
Result TestUnguarded(const std::string& path, const TestOptions& options,
                     const CustomCallRegistry& custom_calls) {
  const auto modules = LoadModules(path);
  if (!modules.ok()) return {Outcome::kFailed, std::string(modules.status().message()), {}};
  Result result = {Outcome::kUnchecked, "the program makes no check", {}};
  for (size_t i = 0; i < modules->size(); ++i) {
    Result one = TestModule(*(*modules)[i], options, custom_calls);
    if (one.outcome == Outcome::kUnchecked) continue;
    if (one.outcome != Outcome::kPassed) {
      if (modules->size() > 1) one.detail = absl::StrCat("program ", i + 1, ": ", one.detail);
      return one;
    }
    result = std::move(one);
  }
  return result;
}

Result TestOne(const std::string& path, const TestOptions& options,
               const CustomCallRegistry& custom_calls) {
  try {
    return TestUnguarded(path, options, custom_calls);
  } catch (const std::bad_alloc&) {
    return {Outcome::kFailed, "out of memory", {}};
  } catch (const std::exception& error) {  // of a library: no thread
    return {Outcome::kFailed, error.what(), {}};
  }
}

// Replaces folders by the .hlo and .pb files in them.
absl::StatusOr<std::vector<std::string>> Expand(const std::vector<std::string>& operands) {
  std::vector<std::string> files;
  for (const std::string& operand : operands) {
    std::error_code error;
    if (!std::filesystem::is_directory(operand, error)) {
      files.push_back(operand);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(operand, error)) {
      const std::string extension = entry.path().extension();
      if (extension == ".hlo" || extension == ".pb" || extension == ".mlir" ||
          extension == ".mlirbc") {
        found.push_back(entry.path().string());
      }
    }
    if (error) return absl::UnavailableError(absl::StrCat(operand, ": ", error.message()));
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

// Lines "name: reason"; '#' begins a comment.
absl::StatusOr<std::map<std::string, std::string>> ReadDisabled(const std::string& path) {
  std::map<std::string, std::string> disabled;
  if (path.empty()) return disabled;
  XLA_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    disabled[std::string(parts.first)] = std::string(absl::StripAsciiWhitespace(parts.second));
  }
  return disabled;
}

absl::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return "passed";
    case Outcome::kFailed:
      return "FAILED";
    case Outcome::kUnsupported:
      return "not supported";
    case Outcome::kDisabled:
      return "disabled";
    case Outcome::kUnchecked:
      return "unchecked";
  }
  return "";
}

absl::StatusOr<int> Test(const Arguments& arguments) {
  XLA_ASSIGN_OR_RETURN(const JobRole role, JobRoleOf(arguments));
  if (role.kind == JobRole::kStarts) return StartProcesses(role);
  const int64_t cpus = std::max<int64_t>(1, std::thread::hardware_concurrency());
  const int64_t jobs = arguments.GetInt("--jobs", cpus), threads = arguments.GetInt("--threads", 1);
  XLA_ASSIGN_OR_RETURN(const std::vector<std::string> files, Expand(arguments.operands()));
  XLA_ASSIGN_OR_RETURN(const auto disabled, ReadDisabled(arguments.Get("--disabled")));
  XLA_ASSIGN_OR_RETURN(const CustomCallRegistry custom_calls, LoadCustomCalls(arguments));
  XLA_ASSIGN_OR_RETURN(const bool compiled, UsesCompiler(arguments));
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<distributed::Job> job, JoinJob(role));
  XLA_ASSIGN_OR_RETURN(const std::string cache, CacheOf(arguments));
  const TestOptions options = {static_cast<int>(threads), compiled, job.get(), cache};
  const bool quiet = arguments.Has("--quiet"), json = arguments.Has("--json");
  if (files.empty()) return absl::InvalidArgumentError("no programs in the folders given");

  std::vector<Result> results(files.size());
  std::vector<char> done(files.size(), 0);  // guarded by mutex
  std::mutex mutex;
  std::condition_variable finished;
  std::atomic<size_t> next{0};
  auto work = [&, bound = MaxInstructionSet()] {
    const ScopedMaxInstructionSet scope(bound);
    for (size_t i; (i = next++) < files.size() && !Interrupted();) {
      auto off = disabled.find(std::filesystem::path(files[i]).filename().string());
      Result result = off != disabled.end() ? Result{Outcome::kDisabled, off->second, {}}
                                            : TestOne(files[i], options, custom_calls);
      std::lock_guard<std::mutex> lock(mutex);
      results[i] = std::move(result);
      done[i] = 1;
      finished.notify_one();
    }
  };
  std::vector<std::thread> workers;
  // Processes run the programs in the same order.
  for (int64_t j = 0; j < (job == nullptr ? jobs : 1); ++j) {
    try {
      workers.emplace_back(work);
    } catch (const std::system_error&) {
      break;  // Fewer threads do the same work.
    }
  }
  if (workers.empty()) work();

  // Results are printed in the order of the files, as soon as all earlier ones are done.
  std::map<Outcome, int64_t> counts;
  std::map<std::string, int64_t> missing;
  ProgressLine line(!json);
  for (size_t i = 0; i < files.size(); ++i) {
    {
      std::unique_lock<std::mutex> lock(mutex);
      while (done[i] == 0 && !Interrupted())
        finished.wait_for(lock, std::chrono::milliseconds(100));
      if (done[i] == 0) break;
    }
    const Result& result = results[i];
    ++counts[result.outcome];
    for (const std::string& opcode : result.missing) ++missing[opcode];
    line.Clear();
    if (!quiet || result.outcome == Outcome::kFailed) {
      const std::string text =
          result.detail.empty() ? files[i] : AboutFile(files[i], result.detail);
      std::printf("%-13s %s\n", std::string(OutcomeName(result.outcome)).c_str(), text.c_str());
    }
    line.Show(absl::StrCat(ProgressBar(i + 1, files.size()), " ", i + 1, " of ", files.size()));
  }
  for (std::thread& worker : workers) worker.join();
  line.Clear();
  if (Interrupted()) return absl::CancelledError("interrupted");
  for (const auto& [opcode, count] : missing)
    std::printf("missing %s: %lld programs\n", opcode.c_str(), static_cast<long long>(count));
  if (json) {
    JsonObject summary;
    summary.Integer("passed", counts[Outcome::kPassed])
        .Integer("failed", counts[Outcome::kFailed])
        .Integer("not_supported", counts[Outcome::kUnsupported])
        .Integer("disabled", counts[Outcome::kDisabled])
        .Integer("unchecked", counts[Outcome::kUnchecked]);
    std::puts(summary.ToString().c_str());
  } else {
    std::string summary =
        absl::StrCat(counts[Outcome::kPassed], " passed, ", counts[Outcome::kFailed], " failed, ",
                     counts[Outcome::kUnsupported], " not supported");
    if (counts[Outcome::kDisabled] > 0)
      absl::StrAppend(&summary, ", ", counts[Outcome::kDisabled], " disabled");
    if (counts[Outcome::kUnchecked] > 0) {
      absl::StrAppend(&summary, ", ", counts[Outcome::kUnchecked], " without checks");
    }
    std::puts(summary.c_str());
  }
  return counts[Outcome::kFailed] == 0 && counts[Outcome::kUnsupported] == 0 ? kExitOk
                                                                             : kExitFailed;
}

}  // namespace

Command TestCommand() {
  return {"test",
          "FILE...",
          "run programs that check their own results",
          "Each program ends in custom calls check.expect_eq, check.expect_close (ulp) or\n"
          "check.expect_almost_eq (absolute 1e-3). A folder stands for the .hlo, .pb, .mlir and\n"
          ".mlirbc files in it.\n"
          "The exit code is 0 if every program passed.",
          WithProcessOptions(
              {BackendOption(),
               {"--jobs",
                "N",
                "number of programs run at a time; the default is the number of processors",
                {},
                IntegerRange{1, 1024}},
               {"--threads",
                "N",
                "number of threads per program; the default is 1, 0 means all",
                {},
                IntegerRange{0, 4096}},
               CustomCallsOption(),
               CacheOption(),
               {"--disabled", "FILE", "list of programs to skip, with lines 'file name: reason'"},
               {"--quiet", "", "report failures only"},
               {"--json", "", "print the summary as JSON"}}),
          1,
          INT64_MAX,
          Test};
}

}  // namespace xla
