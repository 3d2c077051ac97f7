// SPDX-License-Identifier: Apache-2.0
// Dumps of programs as they are compiled, under XLA's names: DIR/module_0007.NAME.STAGE.txt, where
// DIR is what xla_dump_to says and a stage is one of compilation or stands between two passes.
#ifndef XLA_SERVICE_DUMP_H_
#define XLA_SERVICE_DUMP_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla/passes/pipeline.h"
#include "xla/xla.pb.h"

namespace xla {

class HloModule;

// The fields that differ from DefaultDebugOptionsIgnoringFlags, in protobuf's text format, as
// ParseFlagsFromDebugOptionsFile reads them. Lists that are empty are left out.
std::string GetNonDefaultDebugOptions(const DebugOptions& options);

// The fields xla_dump_*, xla_cpu_max_isa, xla_cpu_ftz and xla_disable_hlo_passes that the
// environment variable XLA_FLAGS sets. Everything else there is left to those who read it with
// ParseDebugOptionFlagsFromEnv.
DebugOptions DebugOptionsFromEnv();

// The dumps of one program, as XLA has them: of the flags xla_dump_to ("-": stdout),
// xla_dump_hlo_{module,pass,pipeline}_re, xla_dump_hlo_as_{text,long_text,proto},
// xla_dump_large_constants, xla_dump_disable_metadata, xla_dump_include_timestamp,
// xla_dump_max_hlo_modules and xla_enable_dumping. A format without xla_dump_to dumps to stdout.
// What cannot be written is said on stderr: it does not stop a compilation.
class HloDumper : public PassInstrumentation {
 public:
  HloDumper(DebugOptions options, const HloModule& module);
  // Stages: "before_optimizations", "cpu_after_optimizations".
  void Dump(const HloModule& module, absl::string_view stage) const;

  // What dumps the module between passes, as "NUMBER.cpu.after_PASS.before_PASS", if one of the two
  // matches xla_dump_hlo_pass_re; null if nothing is to be dumped. With ".*" only after passes that
  // change something.
  PassInstrumentation* between_passes();

  absl::Status BeforePass(std::string_view pass, const HloModule& module) override;
  absl::Status AfterPass(std::string_view pass, const HloModule& module, bool changed) override;
  absl::Status AfterPipeline(const HloModule& module) override;

 private:
  void Write(absl::string_view stage, absl::string_view extension, const std::string& text) const;
  void DumpBetween(const HloModule& module, std::string_view next);

  DebugOptions options_;
  bool is_on_ = false;
  std::string prefix_;  // "module_0007"
  std::string name_;    // of the module
  std::string last_pass_ = "pipeline-start";
  bool is_new_ = true;  // since the last dump, for the pass_re
  int64_t dumps_ = 0;   // between passes
};

}  // namespace xla

#endif  // XLA_SERVICE_DUMP_H_
