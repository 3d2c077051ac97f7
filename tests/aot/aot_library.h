// SPDX-License-Identifier: Apache-2.0
// Libraries of programs, linked with C programs and run in processes of their own.
#ifndef TESTS_AOT_AOT_LIBRARY_H_
#define TESTS_AOT_AOT_LIBRARY_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/aot/compile.h"
#include "xla/literal.h"

namespace xla::testing {

struct CommandOutput {
  int exit_code = -1;
  std::string output;  // and errors
};
CommandOutput RunShell(const std::string& command);

// A library in a folder of its own.
class BuiltLibrary {
 public:
  // Compiles HLO text. The name of the program is `program` unless the options have another.
  static absl::StatusOr<BuiltLibrary> Build(std::string_view hlo, aot::AotOptions options = {});

  // Files of the library: FOLDER/NAME.h and so on.
  const std::string& folder() const { return folder_; }
  const aot::AotLibrary& library() const { return library_; }

  // Compiles C or C++ sources with the library, to FOLDER/main. The message of an error is the
  // compiler's.
  absl::Status Link(const std::string& sources, const std::string& flags = "") const;
  // Runs FOLDER/main of run_list.c on the arguments; returns the results' bytes, joined.
  absl::StatusOr<std::string> RunList(absl::Span<const Literal> arguments) const;
  // What the compiler of this process computes for the same target, likewise.
  absl::StatusOr<std::string> RunHere(absl::Span<const Literal> arguments) const;

 private:
  std::string folder_, hlo_;
  aot::AotOptions options_;
  aot::AotLibrary library_;
};

// Whether a library of the text, built for the targets, computes the same bits as the compiler of
// this process. On error, says what differs.
absl::Status CheckSameBits(std::string_view hlo, const aot::AotOptions& options = {});

}  // namespace xla::testing

#endif  // TESTS_AOT_AOT_LIBRARY_H_
