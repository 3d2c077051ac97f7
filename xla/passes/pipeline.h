// SPDX-License-Identifier: Apache-2.0
// The runner of passes: runs them in order, repeats groups until nothing changes, and verifies,
// times, dumps and counts each.
//
//   XLA_ASSIGN_OR_RETURN(Pipeline pipeline, Pipeline::Parse("inline-calls,fixpoint(dce,cse)"));
//   PipelineStatistics statistics;
//   XLA_ASSIGN_OR_RETURN(bool changed, pipeline.Run(module, {.dump_dir = "dumps"}, &statistics));
#ifndef XLA_PASSES_PIPELINE_H_
#define XLA_PASSES_PIPELINE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/passes/pass.h"

namespace xla {

// Observes the module between passes: checks, dumps, printers.
class PassInstrumentation {
 public:
  virtual ~PassInstrumentation() = default;
  // Called before each pass that runs. An error ends the run.
  virtual absl::Status BeforePass(std::string_view, const HloModule&) { return absl::OkStatus(); }
  // Called after each pass that ran without an error; `changed`: whether it changed the module.
  virtual absl::Status AfterPass(std::string_view, const HloModule&, bool /*changed*/) {
    return absl::OkStatus();
  }
  // Called after the last pass.
  virtual absl::Status AfterPipeline(const HloModule&) { return absl::OkStatus(); }
};

struct PipelineOptions {
  // Verify the module after each pass that reports a change, and check that passes that report none
  // left the module unchanged. On in debug builds.
#ifdef NDEBUG
  bool verify = false;
#else
  bool verify = true;
#endif
  // Writes "NNN.pass.before.hlo" and "NNN.pass.after.hlo" for each pass that changes something into
  // this folder, which must exist. Empty: nothing is written.
  std::string dump_dir;
  // Names of passes to skip. A name that neither AllPasses nor the pipeline has is an error.
  std::vector<std::string> disabled;
  // A group that is repeated stops after this many rounds.
  int64_t max_rounds = 25;
  // If it is set, by any thread, the run ends before the next pass with CANCELLED. May be null.
  const std::atomic<bool>* cancel = nullptr;
  // Called in this order. They outlive the run.
  std::vector<PassInstrumentation*> instrumentations;
};

struct PassStatistics {
  std::string name;
  int64_t runs = 0;                  // how often it ran
  int64_t changes = 0;               // how often it changed something
  double seconds = 0;                // verification and dumps not counted
  int64_t instructions_removed = 0;  // negative: added
};

struct PipelineStatistics {
  std::vector<PassStatistics> passes;  // in order of first run
  int64_t instructions_before = 0, instructions_after = 0;
  double seconds = 0;
  // Groups that still changed something in their last round.
  int64_t bounds_reached = 0;

  // "12 passes run, 3 changed the module (120 -> 87 instructions) in 1.2 ms: dce 1/4 0.3 ms, ..."
  std::string ToString() const;
};

class Pipeline {
 public:
  using Function = std::function<absl::StatusOr<bool>(HloModule*)>;
  struct Named;

  // Names separated by commas; "fixpoint(a,b)" repeats the group until nothing changes. Groups do
  // not nest. `more` are passes beside those of AllPasses; the name of one of `pipelines`, outside
  // of groups, stands for all of it. An error points at what is wrong.
  static absl::StatusOr<Pipeline> Parse(std::string_view text, absl::Span<const Pass> more = {},
                                        absl::Span<const Named> pipelines = {});

  Pipeline& Add(const Pass& pass) { return Add(pass.name, pass.run); }
  // Adds a function that is not in a table of passes. The name must outlive the pipeline.
  Pipeline& Add(std::string_view name, Function run);
  Pipeline& AddFixedPoint(absl::Span<const Pass> passes);
  Pipeline& Append(const Pipeline& other);

  bool HasPass(std::string_view name) const;
  // Returns the text that Parse reads.
  std::string ToString() const;

  // Returns whether anything changed. Removed instructions are freed after each pass. An error that
  // is INTERNAL, or of the verification after a pass, names the pass; others tell about the
  // program.
  absl::StatusOr<bool> Run(HloModule* module, const PipelineOptions& options = {},
                           PipelineStatistics* statistics = nullptr) const;

 private:
  struct BoundPass {
    std::string_view name;
    Function run;
  };
  struct Step {
    std::vector<BoundPass> passes;
    bool is_fixed_point = false;
  };
  std::vector<Step> steps_;

  friend class PipelineRunner;
};

struct Pipeline::Named {
  std::string_view name;     // "cpu"
  std::string_view summary;  // one line
  Pipeline pipeline;
};

}  // namespace xla

#endif  // XLA_PASSES_PIPELINE_H_
