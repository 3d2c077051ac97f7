// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/cpu_pipeline.h"

#include <string_view>
#include <vector>

namespace xla {
namespace {

Pass Named(std::string_view name) { return **FindPass(name); }

std::vector<Pass> AllNamed(std::initializer_list<std::string_view> names) {
  std::vector<Pass> passes;
  for (const std::string_view name : names) passes.push_back(Named(name));
  return passes;
}

}  // namespace

Pipeline CpuPipeline(const std::optional<Pass>& constant_folding) {
  Pipeline pipeline;
  for (const Pass& pass : AllNamed(
           {"expand-tuple-constants", "expand-composites", "expand-async", "mixed-precision",
            "expand-prefix-windows", "expand-wide-windows", "expand-scans", "inline-calls",
            "sorts-to-topk", "split-sort-keys", "expand-scatters", "expand-maps",
            "expand-batch-norms", "expand-scaled-dots", "unify-contraction-types", "dce", "cse"})) {
    pipeline.Add(pass);
  }
  std::vector<Pass> simplification =
      AllNamed({"simplify-loops", "inline-known-branches", "unroll-loops", "algebraic-simplifier"});
  if (constant_folding.has_value()) simplification.push_back(*constant_folding);
  simplification.push_back(Named("cse"));
  simplification.push_back(Named("dce"));
  pipeline.AddFixedPoint(simplification);
  for (const Pass& pass : AllNamed({"canonicalise-contractions", "split-reductions",
                                    "split-scatters", "flatten-calls", "hoist-loop-invariants"})) {
    pipeline.Add(pass);
  }
  pipeline.AddFixedPoint(AllNamed({"algebraic-simplifier", "cse", "dce"}));
  pipeline.Add(Named("merge-transposed-dimensions"));
  pipeline.Add(Named("split-concatenations"));
  pipeline.Add(Named("widen-short-rows"));
  pipeline.Add(Named("separate-fills"));
  return pipeline;
}

}  // namespace xla
