// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/pass.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/suggestion.h"
#include "xla/passes/algebraic_simplifier.h"
#include "xla/passes/calls.h"
#include "xla/passes/canonicalize_contractions.h"
#include "xla/passes/compute_before_transposes.h"
#include "xla/passes/cse.h"
#include "xla/passes/dce.h"
#include "xla/passes/dynamic_shapes.h"
#include "xla/passes/expand.h"
#include "xla/passes/expand_prefix_windows.h"
#include "xla/passes/expand_wide_windows.h"
#include "xla/passes/merge_transposed_dimensions.h"
#include "xla/passes/mixed_precision.h"
#include "xla/passes/simplify_loops.h"
#include "xla/passes/sort_keys.h"
#include "xla/passes/split_concatenations.h"
#include "xla/passes/split_reductions.h"
#include "xla/passes/topk_rewriter.h"
#include "xla/passes/widen_short_rows.h"

namespace xla {
namespace {

constexpr Pass kPasses[] = {
    {"algebraic-simplifier", "replaces expressions by cheaper ones of the same value",
     &SimplifyAlgebra},
    {"canonicalize-contractions", "makes transposes dimension numbers of dots and convolutions",
     &CanonicalizeContractions},
    {"compute-before-transposes", "moves functions of transposed arrays in front of the transposes",
     &ComputeBeforeTransposes},
    {"cse", "computes equal expressions once", &EliminateCommonSubexpressions},
    {"dce", "removes what no result and no effect depends on", &EliminateDeadCode},
    {"expand-async", "writes asynchronous operations as ordinary ones", &ExpandAsync},
    {"expand-batch-norms", "writes batch normalization as arithmetic", &ExpandBatchNorms},
    {"expand-composites", "turns composite calls into plain ones", &ExpandComposites},
    {"expand-custom-calls", "writes custom calls that stand for operations as these",
     &ExpandCustomCalls},
    {"expand-depthwise-convolutions",
     "writes convolutions of single features as sums of shifted arrays",
     &ExpandDepthwiseConvolutions},
    {"expand-maps", "writes maps as operations on arrays", &ExpandMaps},
    {"expand-prefix-windows", "writes reduce-windows that are prefix scans as scans",
     &ExpandPrefixWindows},
    {"expand-scaled-dots", "writes scaled dots as products and dots", &ExpandScaledDots},
    {"expand-scans", "writes scans as loops", &ExpandScans},
    {"expand-scatters", "writes scatters of one window as updates of slices", &ExpandScatters},
    {"expand-select-and-scatters", "writes select-and-scatter as operations on shifted arrays",
     &ExpandSelectAndScatters},
    {"expand-sparse-convolutions", "makes sparse kernels of convolutions whole ones",
     &ExpandSparseConvolutions},
    {"expand-tuple-constants", "writes constants that are tuples as tuples of constants",
     &ExpandTupleConstants},
    {"expand-wide-windows", "combines wide windows from smaller ones", &ExpandWideWindows},
    {"flatten-calls", "copies computations until each is called from one place only",
     &RunFlattenCalls},
    {"forget-original-shapes", "removes what an earlier resolve-dynamic-sizes noted",
     &ForgetOriginalShapes},
    {"hoist-loop-invariants", "moves what never changes in front of loops", &HoistLoopInvariants},
    {"inline-calls", "replaces call instructions by what they call", &RunInlineCalls},
    {"inline-known-branches", "replaces conditionals by the branch that they always take",
     &InlineKnownBranches},
    {"merge-transposed-dimensions", "makes one of dimensions that a transpose moves together",
     &MergeTransposedDimensions},
    {"mixed-precision", "writes conversions out where floating-point types meet",
     &RunResolveMixedPrecision},
    {"move-features-last", "transposes images for convolutions that are faster so",
     &MoveFeaturesLast},
    {"resolve-dynamic-sizes", "makes dynamic shapes static, and their sizes values",
     &ResolveDynamicSizes},
    {"separate-fills", "makes an array of one number for each operation that changes a part of it",
     &SeparateFills},
    {"simplify-loops", "uses loop state that never changes directly", &SimplifyLoops},
    {"split-concatenations", "joins many operands in steps of few", &SplitConcatenations},
    {"split-reductions", "computes long reductions in two steps", &SplitReductions},
    {"split-scatters", "scatters many elements to few in two steps", &SplitScatters},
    {"split-sort-keys", "sorts by one operand at a time", &SplitSortKeys},
    {"sorts-to-topk", "selects the first elements where no others of a sort are read",
     &RewriteSortsToTopK},
    {"unify-contraction-types", "converts operands of contractions of several kinds of numbers",
     &UnifyContractionTypes},
    {"unroll-loops", "replaces loops of few trips by copies of their bodies", &UnrollLoops},
    {"widen-short-rows", "computes many short rows as fewer long ones", &WidenShortRows},
};

}  // namespace

absl::Span<const Pass> AllPasses() { return kPasses; }

absl::StatusOr<const Pass*> FindPass(std::string_view name, absl::Span<const Pass> more) {
  std::vector<std::string_view> names;
  for (const absl::Span<const Pass> passes : {more, AllPasses()}) {
    for (const Pass& pass : passes) {
      if (pass.name == name) return &pass;
      names.push_back(pass.name);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::string suggestion = Suggestion(name, names);
  return absl::NotFoundError(absl::StrCat(
      "there is no pass '", std::string(name), "'", suggestion,
      suggestion.empty() ? "; there are: " : " There are: ",
      absl::StrJoin(names, ", ", [](std::string* out, std::string_view pass) { *out += pass; })));
}

}  // namespace xla
