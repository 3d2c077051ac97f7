// SPDX-License-Identifier: Apache-2.0
// What the command needs of the operating system: files, Ctrl-C, the terminal, time.
#ifndef XYLEM_TOOLS_PROCESS_H_
#define XYLEM_TOOLS_PROCESS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// The whole file; "-" is standard input. Errors name the file and the reason.
absl::StatusOr<std::string> ReadFile(const std::string& path);
// Writes beside the target, then renames: a file is whole or not there. "-" is standard output.
absl::Status WriteFile(const std::string& path, std::string_view bytes);

// After the first Ctrl-C Interrupted() is true and running work stops at its next check; a second
// one ends the process.
void InstallInterruptHandler();
const std::atomic<bool>& Interrupted();

// A line that is redrawn in place, on a terminal only; nothing is printed otherwise. Shown from one
// second on.
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

// Seven eighths of the memory that the machine, or the control group of this process, has: the
// limit for values, so that a program that asks for more gets an error and not the kernel's kill.
int64_t UsableMemoryBytes();

// Reads a program, whatever its form (text or proto), by content; verifies it unless told not to.
// Parse errors name the file.
absl::StatusOr<std::unique_ptr<HloModule>> LoadModule(const std::string& path, bool verify = true);
absl::StatusOr<std::unique_ptr<HloModule>> LoadModuleFromBytes(std::string_view bytes,
                                                               bool verify = true);

}  // namespace xla

#endif  // XYLEM_TOOLS_PROCESS_H_
