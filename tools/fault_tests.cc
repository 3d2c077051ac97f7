// SPDX-License-Identifier: Apache-2.0
#include "tools/fault_tests.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "tools/child.h"
#include "tools/files.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/hlo/proto/hlo_proto.h"

namespace xla {
namespace {

constexpr char kError[] = "error:";

class ChildTest {
 public:
  explicit ChildTest(FaultTestOptions options)
      : options_(std::move(options)), limit_(options_.limit) {}

  absl::StatusOr<bool> operator()(const ReducibleProgram& program) {
    const int64_t number = next_.fetch_add(1);
    XLA_ASSIGN_OR_RETURN(
        const std::string path,
        WriteProgramFile(program, absl::StrCat(options_.folder, "/candidate", number)));
    const absl::Cleanup remove = [&path] { ::unlink(path.c_str()); };
    const absl::Time start = absl::Now();
    const absl::StatusOr<bool> shows = ShowsFault(path);
    // The first program is the one that is reduced: smaller ones that take much longer are loops
    // that an edit has made endless.
    if (number == 0) {
      limit_ = std::min(options_.limit, absl::Seconds(1) + 20 * (absl::Now() - start));
    }
    return shows;
  }

 private:
  absl::StatusOr<ChildResult> Xylem(const std::string& program,
                                    std::vector<std::string> words) const {
    words.insert(words.begin(), program);
    words.insert(words.end(), options_.options.begin(), options_.options.end());
    return RunChild(words, limit_, &Interrupted());
  }

  absl::StatusOr<bool> ShowsFault(const std::string& path) const {
    const std::string own = OwnExecutable();
    if (options_.kind == "differs") {
      XLA_ASSIGN_OR_RETURN(const ChildResult child,
                           Xylem(own, {"diff", "--json", "--results-only", path}));
      return absl::StrContains(child.output, "\"agree\":false");
    }
    if (options_.kind == "nan") {
      XLA_ASSIGN_OR_RETURN(const ChildResult child,
                           Xylem(own, {"run", "--json", "--check-nans", path}));
      return absl::StrContains(child.output, "\"nan\":{");
    }
    if (options_.kind == "slower") return IsSlower(path);
    if (options_.kind == "crash") {
      XLA_ASSIGN_OR_RETURN(const ChildResult child, Xylem(own, RunWords(path)));
      return child.signal != 0 && !child.is_timed_out && !Interrupted().load();
    }
    if (absl::StartsWith(options_.kind, kError)) {
      XLA_ASSIGN_OR_RETURN(const ChildResult child, Xylem(own, RunWords(path)));
      return child.exit_code == 1 &&
             absl::StrContains(child.errors, absl::StripPrefix(options_.kind, kError));
    }
    XLA_ASSIGN_OR_RETURN(const ChildResult child,
                         RunChild({options_.kind, path}, limit_, &Interrupted()));
    return child.exit_code == 0;
  }

  static std::vector<std::string> RunWords(const std::string& path) {
    std::vector<std::string> words = {"run", "--json", path};
    // Without arguments of its own.
    if (!absl::EndsWith(path, ".pb")) words.emplace_back("--random=1");
    return words;
  }

  // The time of a run by `program`, in milliseconds, the best of three; none if it does not run.
  absl::StatusOr<double> Time(const std::string& program, const std::string& path) const {
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) {
      XLA_ASSIGN_OR_RETURN(const ChildResult child, Xylem(program, RunWords(path)));
      const size_t place = child.output.find("\"run_ms\":");
      double milliseconds;
      if (child.exit_code != 0 || place == std::string::npos ||
          !absl::SimpleAtod(NumberAt(child.output, place + 9), &milliseconds)) {
        return absl::FailedPreconditionError("the program does not run");
      }
      best = std::min(best, milliseconds);
    }
    return best;
  }

  static std::string NumberAt(const std::string& text, size_t begin) {
    const size_t end = text.find_first_not_of("0123456789.eE+-", begin);
    return text.substr(begin, end == std::string::npos ? end : end - begin);
  }

  absl::StatusOr<bool> IsSlower(const std::string& path) const {
    const absl::StatusOr<double> own = Time(OwnExecutable(), path);
    const absl::StatusOr<double> other = Time(options_.baseline, path);
    // Less than a millisecond is noise of the start.
    return own.ok() && other.ok() && *own > *other * options_.factor && *own - *other > 1;
  }

  const FaultTestOptions options_;
  std::atomic<int64_t> next_ = 0;
  absl::Duration limit_;  // set by the first test, which runs alone
};

}  // namespace

bool TestsValues(const std::string& kind) { return kind == "differs" || kind == "nan"; }

absl::StatusOr<FaultTest> MakeFaultTest(const FaultTestOptions& options) {
  const std::string& kind = options.kind;
  if (kind == "slower" && options.baseline.empty()) {
    return absl::InvalidArgumentError(
        "--if slower needs --baseline COMMAND, another xylem that the time is compared with");
  }
  const bool is_known = TestsValues(kind) || kind == "crash" || kind == "slower" ||
                        (absl::StartsWith(kind, kError) && kind.size() > sizeof(kError) - 1);
  if (!is_known && ::access(kind.c_str(), X_OK) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--if ", kind,
        ": it is crash, differs, nan, slower, error:TEXT, or an executable that exits with 0 for "
        "the programs that show the fault"));
  }
  auto test = std::make_shared<ChildTest>(options);
  return FaultTest([test](const ReducibleProgram& program) { return (*test)(program); });
}

absl::StatusOr<std::string> WriteProgramFile(const ReducibleProgram& program,
                                             const std::string& path_without_extension) {
  if (!program.has_arguments) {
    const std::string path = path_without_extension + ".hlo";
    HloPrintOptions options;
    options.print_large_constants = true;
    XLA_RETURN_IF_ERROR(WriteFile(path, program.module->ToString(options)));
    return path;
  }
  std::vector<const Literal*> arguments;
  for (const Literal& argument : program.arguments) arguments.push_back(&argument);
  XLA_ASSIGN_OR_RETURN(const std::string bytes,
                       SnapshotToProtoBytes(*program.module, arguments, nullptr));
  const std::string path = path_without_extension + ".pb";
  XLA_RETURN_IF_ERROR(WriteFile(path, bytes));
  return path;
}

}  // namespace xla
