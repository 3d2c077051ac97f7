// SPDX-License-Identifier: Apache-2.0
// What the command needs of the operating system besides files: Ctrl-C, the terminal, memory, time.
#ifndef XYLEM_TOOLS_PROCESS_H_
#define XYLEM_TOOLS_PROCESS_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

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

// A line on stderr that says what is going on, with the seconds that it takes: redrawn in place
// after the first second, also while nothing new is shown; only if stderr is a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled = true);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void Show(std::string_view text);
  // Removes the line, so that something else can be printed.
  void Clear();

 private:
  void Draw();  // with the mutex held
  void Watch();

  const bool enabled_;
  const double start_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::string text_;
  bool shown_ = false, has_ended_ = false;
  std::thread watcher_;
};

// A bar of 30 characters for done of total.
std::string ProgressBar(int64_t done, int64_t total);

double Seconds();  // monotonic

// "1 array", "2 arrays".
std::string Counted(int64_t count, std::string_view noun);

// "950 us", "14.4 ms", "3.2 s": three digits.
std::string ReadableSeconds(double seconds);

// "0 B", "812 B", "4.0 KB", "1.5 MB": powers of 1000.
std::string ReadableBytes(int64_t bytes);

// Seven eighths of the memory of the machine, the control group or the limits of this process: the
// limit for values, so that a program that needs more returns an error before the kernel kills the
// process.
int64_t UsableMemoryBytes();

}  // namespace xla

#endif  // XYLEM_TOOLS_PROCESS_H_
