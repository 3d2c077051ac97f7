// SPDX-License-Identifier: Apache-2.0
// What the command needs of the operating system besides files: Ctrl-C, the terminal, memory, time;
// and loading programs.
#ifndef XYLEM_TOOLS_PROCESS_H_
#define XYLEM_TOOLS_PROCESS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Keeps files from being opened as stdin, stdout or stderr when these are closed.
void OpenStandardStreams();

// After the first Ctrl-C Interrupted() is true and running work stops at its next check; a second
// one, or one and a half seconds, end the process with kExitInterrupted. Lack of memory where no
// error can be returned ends it with kExitFailed.
void InstallHandlers();
const std::atomic<bool>& Interrupted();

// While one lives, an abort ends the process as lack of memory does: what LLVM runs when it is
// loaded aborts where it gets no memory. Not to be nested.
class AbortsAreLackOfMemory {
 public:
  AbortsAreLackOfMemory();
  ~AbortsAreLackOfMemory();
  AbortsAreLackOfMemory(const AbortsAreLackOfMemory&) = delete;
  AbortsAreLackOfMemory& operator=(const AbortsAreLackOfMemory&) = delete;
};

// The file that is removed if the process is ended as above; empty: none.
void SetTemporaryFile(const std::string& path);

// A line on stderr that is redrawn in place after the first second; only if stderr is a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled = true);
  ~ProgressLine();
  void Show(std::string_view text);
  void Clear();

 private:
  bool enabled_;
  bool shown_ = false;
  double start_;
};

// A bar of 30 characters for done of total.
std::string ProgressBar(int64_t done, int64_t total);

double Seconds();  // monotonic

// Seven eighths of the memory of the machine, the control group or the limits of this process: the
// limit for values, so that a program that needs more returns an error before the kernel kills the
// process.
int64_t UsableMemoryBytes();

// Reads a program in any format (HLO text or proto, StableHLO text or bytecode, detected from its
// content) and verifies it unless `verify` is false. Errors name the file.
absl::StatusOr<std::unique_ptr<HloModule>> LoadModule(const std::string& path, bool verify = true);
// The same in two steps, for standard input can be read once only.
absl::StatusOr<std::string> ReadProgram(const std::string& path);
absl::StatusOr<std::unique_ptr<HloModule>> LoadModuleFrom(const std::string& path,
                                                          std::string_view bytes,
                                                          bool verify = true);
// Whether the bytes are StableHLO, as text or bytecode; the programs of a text, which are parts
// between lines "// -----", without parts of comments alone.
bool IsStableHlo(std::string_view bytes);
std::vector<std::string_view> StableHloPrograms(std::string_view bytes);

// The same of a file of several StableHLO programs, in parts between lines "// -----". Errors also
// name the part.
absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> LoadModules(const std::string& path,
                                                                    bool verify = true);
// An error where the text of StableHLO was cut for its length.
absl::StatusOr<std::string> CompleteText(std::string text);
absl::StatusOr<std::unique_ptr<HloModule>> LoadModuleFromBytes(std::string_view bytes,
                                                               bool verify = true);

}  // namespace xla

#endif  // XYLEM_TOOLS_PROCESS_H_
