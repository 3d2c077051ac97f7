// SPDX-License-Identifier: Apache-2.0
// Programs that passes refuse, and what they say.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/passes/pipeline.h"

namespace xla {
namespace {

absl::Status RunPasses(const std::string& passes, const std::string& program) {
  const auto module = ParseAndReturnUnverifiedModule(absl::StrCat("HloModule m\n", program));
  if (!module.ok()) return module.status();
  EXPECT_OK(VerifyModule(**module));
  const auto pipeline = Pipeline::Parse(passes);
  if (!pipeline.ok()) return pipeline.status();
  return pipeline->Run(module->get(), {.verify = true}).status();
}

std::string ApproxTopK(const std::string& comparator) {
  return absl::StrCat("f {\n", comparator, R"(}
ENTRY e {
  x = f32[2,5] parameter(0)
  i = s32[2,5] parameter(1)
  low = f32[] constant(-inf)
  none = s32[] constant(-1)
  ROOT r = (f32[2,3], s32[2,3]) custom-call(x, i, low, none), custom_call_target="ApproxTopK", called_computations={f}, backend_config={reduction_dim = 1 : i64}
})");
}

constexpr char kFits[] = "the computation of ApproxTopK takes two elements of each array";

TEST(Refusals, ComparatorsThatDoNotFit) {
  const std::string a = "  a = f32[] parameter(0)\n", b = "  b = f32[] parameter(1)\n",
                    i = "  i = s32[] parameter(2)\n", j = "  j = s32[] parameter(3)\n",
                    r = "  ROOT r = pred[] compare(a, b), direction=GT\n";
  EXPECT_OK(RunPasses("expand-custom-calls", ApproxTopK(absl::StrCat(a, b, i, j, r))));
  // A precision of its own is that of mixed programs.
  EXPECT_OK(RunPasses("expand-custom-calls,mixed-precision",
                      ApproxTopK(absl::StrCat("  a = bf16[] parameter(0)\n",
                                              "  b = bf16[] parameter(1)\n", i, j, r))));
  EXPECT_ERROR(RunPasses("expand-custom-calls",
                         ApproxTopK(absl::StrCat(a, b, i, "  j = f32[] parameter(3)\n", r))),
               kFits);
  EXPECT_ERROR(RunPasses("expand-custom-calls", ApproxTopK(absl::StrCat(a, b, r))), kFits);
  EXPECT_ERROR(RunPasses("expand-custom-calls",
                         ApproxTopK(absl::StrCat(a, b, i, j, "  ROOT r = f32[] add(a, b)\n"))),
               kFits);
}

TEST(Refusals, DynamicSizesOfSparseConvolutions) {
  constexpr char kProgram[] = R"(
ENTRY e {
  x0 = f32[2,6] parameter(0)
  n = s32[] constant(1)
  x = f32[<=2,6] set-dimension-size(x0, n), dimensions={0}
  values = f32[3,4] parameter(1)
  positions = s32[3,4] parameter(2)
  kernel = (f32[3,4], s32[3,4]) tuple(values, positions)
  ROOT r = f32[<=2,4] convolution(x, kernel), dim_labels=bf_io->bf, sparsity_config={rhs={sparsity=1x2 dimension=0 stride=1}}
})";
  EXPECT_STATUS(RunPasses("resolve-dynamic-sizes", kProgram), absl::StatusCode::kUnimplemented,
                "after expand-sparse-convolutions");
  EXPECT_OK(RunPasses("expand-sparse-convolutions,resolve-dynamic-sizes", kProgram));
}

TEST(Refusals, CustomCallsWhoseOperandsDoNotFit) {
  // The interpreter has TopK with indices of s32 alone, others are converted.
  EXPECT_OK(RunPasses("expand-custom-calls", R"(
ENTRY e {
  x = f32[2,5] parameter(0)
  ROOT r = (f32[2,3], s64[2,3]) custom-call(x), custom_call_target="TopK"
})"));
  EXPECT_ERROR(RunPasses("expand-custom-calls", R"(
ENTRY e {
  x = f32[] parameter(0)
  ROOT r = (f32[3], s32[3]) custom-call(x), custom_call_target="TopK"
})"),
               "TopK takes one array of at least one dimension");
  EXPECT_ERROR(RunPasses("expand-custom-calls", R"(
ENTRY e {
  x = f32[2,5] parameter(0)
  ROOT r = (f32[3,3], s32[3,3]) custom-call(x), custom_call_target="TopK"
})"),
               "the results of TopK have the sizes of the operand, but for the last dimension");
}

}  // namespace
}  // namespace xla
