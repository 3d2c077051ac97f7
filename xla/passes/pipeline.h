// SPDX-License-Identifier: Apache-2.0
// The one runner of passes: runs them in order, repeats groups until nothing changes, and verifies,
// times, dumps and counts each.
//
//   XLA_ASSIGN_OR_RETURN(Pipeline pipeline, Pipeline::Parse("inline-calls,fixpoint(dce,cse)"));
//   PipelineStatistics statistics;
//   XLA_ASSIGN_OR_RETURN(bool changed, pipeline.Run(module, {.dump_dir = "dumps"}, &statistics));
#ifndef XLA_PASSES_PIPELINE_H_
#define XLA_PASSES_PIPELINE_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/passes/pass.h"

namespace xla {

struct PipelineOptions {
  // Verify the module after each pass that says it changed something, and check that one that says
  // it did not left the module equal. On in debug builds.
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
  // Set from any thread to stop before the next pass: the run ends with CANCELLED. May be null.
  const std::atomic<bool>* cancel = nullptr;
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
  // Names separated by commas; "fixpoint(a,b)" repeats the group until nothing changes. Groups do
  // not nest. `more` are passes beside those of AllPasses. An error points at what is wrong.
  static absl::StatusOr<Pipeline> Parse(std::string_view text, absl::Span<const Pass> more = {});

  Pipeline& Add(const Pass& pass);
  Pipeline& AddFixedPoint(absl::Span<const Pass> passes);

  // Returns whether anything changed. Removed instructions are freed after each pass. An error of a
  // pass, or of the verification after it, names the pass.
  absl::StatusOr<bool> Run(HloModule* module, const PipelineOptions& options = {},
                           PipelineStatistics* statistics = nullptr) const;

 private:
  bool HasPass(std::string_view name) const;

  struct Step {
    std::vector<Pass> passes;
    bool is_fixed_point = false;
  };
  std::vector<Step> steps_;
};

}  // namespace xla

#endif  // XLA_PASSES_PIPELINE_H_
