// SPDX-License-Identifier: Apache-2.0
// Dumps of programs as they are compiled, under XLA's names: DIR/module_0007.NAME.STAGE.txt, where
// DIR is what xla_dump_to says.
#ifndef XLA_SERVICE_DUMP_H_
#define XLA_SERVICE_DUMP_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "xla/xla.pb.h"

namespace xla {

class HloModule;

// The fields that differ from DefaultDebugOptionsIgnoringFlags, in protobuf's text format, as
// ParseFlagsFromDebugOptionsFile reads them. Lists that are empty are left out.
std::string GetNonDefaultDebugOptions(const DebugOptions& options);

// The fields xla_dump_* and xla_cpu_max_isa that the environment variable XLA_FLAGS sets.
// Everything else there is left to those who read it with ParseDebugOptionFlagsFromEnv.
DebugOptions DebugOptionsFromEnv();

// The dumps of one program. Does nothing without xla_dump_to, and for programs whose name does not
// match xla_dump_hlo_module_re. Formats are text and, if xla_dump_hlo_as_proto says so, protos; "-"
// stands for stdout. What cannot be written is said on stderr: it does not stop a compilation.
class HloDumper {
 public:
  HloDumper(DebugOptions options, const HloModule& module);
  // Stages: "before_optimizations", "cpu_after_optimizations".
  void Dump(const HloModule& module, absl::string_view stage) const;

 private:
  void Write(absl::string_view stage, absl::string_view extension, const std::string& text) const;

  DebugOptions options_;
  bool is_on_ = false;
  std::string prefix_;  // "module_0007.NAME"
};

}  // namespace xla

#endif  // XLA_SERVICE_DUMP_H_
