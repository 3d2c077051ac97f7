// SPDX-License-Identifier: Apache-2.0
// The xylem command. With XYLEM_COMMAND_IN_LIBRARY it is a function of a library that others load,
// too: what it needs of the process is then set when it is called.
#include <execinfo.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/color.h"
#include "tools/command.h"
#include "tools/process.h"

// Highway's library measures its timer when it is loaded, which takes 3 ms, a third of a short
// command. Nothing here uses that timer: the dynamic linker prefers this definition.
namespace hwy::platform {
uint64_t TimerResolution();
uint64_t TimerResolution() { return 1; }
}  // namespace hwy::platform

namespace {

// What allocates without asking for memory in a way that can fail, the readers above all, ends
// here.
absl::StatusOr<int> RunGuarded(const xla::Command& command, const xla::Arguments& arguments) {
  try {
    return command.run(arguments);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("out of memory");
  } catch (const std::length_error&) {
    return absl::ResourceExhaustedError("more memory than can be addressed");
  } catch (const std::exception& error) {  // of a library: no thread, no file
    return absl::UnavailableError(error.what());
  }
}

int Run(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const xla::ParsedCommandLine parsed = xla::ParseCommandLine(xla::Commands(), words);
  if (parsed.command == nullptr) {
    std::fputs(parsed.text.c_str(), parsed.exit_code == xla::kExitOk ? stdout : stderr);
    return parsed.exit_code;
  }
  const absl::StatusOr<xla::InstructionSet> bound = xla::MaxInstructionSetFor(parsed.arguments);
  if (!bound.ok()) {
    xla::PrintDiagnostic(parsed.arguments, std::string(bound.status().message()));
    return xla::kExitUsage;
  }
  const xla::ScopedMaxInstructionSet scope(*bound);
  const absl::StatusOr<int> code = RunGuarded(*parsed.command, parsed.arguments);
  if (code.ok()) return *code;
  xla::PrintDiagnostic(parsed.arguments, std::string(code.status().message()));
  return code.status().code() == absl::StatusCode::kCancelled ? xla::kExitInterrupted
                                                              : xla::kExitFailed;
}

// The C library loads the unwinder when an exception first passes through one of its functions,
// which would end the process if there is no memory left then.
#ifndef XYLEM_COMMAND_IN_LIBRARY
[[gnu::constructor(101)]]
#endif
void LoadUnwinder() {
  void* frame;
  backtrace(&frame, 1);
}

#ifndef XYLEM_COMMAND_IN_LIBRARY
// Before the initializers of shared libraries, which allocate and take their time.
void InstallEarly(int, char**, char**) { xla::InstallHandlers(); }
[[gnu::section(".preinit_array"), gnu::used]] void (*const install_early)(int, char**,
                                                                          char**) = InstallEarly;
#endif

}  // namespace

#ifdef XYLEM_COMMAND_IN_LIBRARY
extern "C" int xylem_command_main(int argc, char** argv);
extern "C" int xylem_command_main(int argc, char** argv) {
  xla::InstallHandlers();
  LoadUnwinder();
#else
int main(int argc, char** argv) {
#endif
  xla::OpenStandardStreams();
  int code = xla::kExitFailed;
  try {
    code = Run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("xylem: out of memory\n", stderr);
  }
  // Output that did not arrive is a failure: the disk is full, or stdout is closed.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "xylem: standard output: %s\n", std::strerror(errno));
    return code == xla::kExitOk ? static_cast<int>(xla::kExitFailed) : code;
  }
  return code;
}
