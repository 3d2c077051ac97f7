// SPDX-License-Identifier: Apache-2.0
// What passes, the compiler and the translation to StableHLO make of random programs
// (tests/cpu/random_chain.h).
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tests/cpu/random_chain.h"
#include "tests/test_util.h"
#include "tests/variants/compiled_text.h"
#include "tests/variants/expected.h"
#include "xla/hlo/text/parser.h"
#include "xla/mlir/ir.h"
#include "xla/stablehlo/translate.h"
#include "xla/stablehlo/translate_from_hlo.h"

namespace xla::testing {
namespace {

// The StableHLO program, and the HLO that becomes of it again.
std::string Translated(const HloModule& module) {
  const auto program = stablehlo::TranslateFromHlo(module);
  if (!program.ok()) return OneLine(program.status().message(), 60);
  const std::string text = mlir::ToString(*(*program)->module);
  const auto again = stablehlo::ReadStableHlo(text, "");
  return absl::StrCat(
      Fingerprint(text), " ",
      again.ok() ? Fingerprint(TextOf(**again)) : OneLine(again.status().message(), 60));
}

// Fingerprints of each program: of its text, of what passes make of it, of the steps and the code
// for one machine of three, and of the translations.
TEST(RandomChains, Outcomes) {
  if (!IsRecordedLlvm())
    GTEST_SKIP() << "the code is recorded as another version of LLVM prints it";
  std::vector<std::string> lines;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const std::string text = RandomChain(seed).Write();
    const auto module = ParseAndReturnUnverifiedModule(text);
    ASSERT_OK(module) << text;
    const absl::Span<const cpu::Target> targets = Targets();
    std::vector<std::string> steps, generated;
    AddCompiled(**module, &steps, &generated, targets.subspan(seed % targets.size(), 1));
    lines.push_back(
        absl::StrCat(seed, " ", Fingerprint(text), " ", Fingerprint(AfterEachPass(**module)), " ",
                     Fingerprint(absl::StrJoin(steps, "\n")), " ",
                     Fingerprint(absl::StrJoin(generated, "\n")), " ", Translated(**module)));
  }
  ExpectLines("random_chains", lines);
}

}  // namespace
}  // namespace xla::testing
