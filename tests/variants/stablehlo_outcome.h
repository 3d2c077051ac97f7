// SPDX-License-Identifier: Apache-2.0
// What comes of a StableHLO program: the error, or its text, artifacts and HLO as fingerprints.
#ifndef TESTS_VARIANTS_STABLEHLO_OUTCOME_H_
#define TESTS_VARIANTS_STABLEHLO_OUTCOME_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/variants/expected.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/mlir/ir.h"
#include "xla/stablehlo/portable_artifact.h"
#include "xla/stablehlo/translate.h"
#include "xla/stablehlo/vhlo_downgrade.h"

namespace xla::testing {

// The HLO of a program, as a fingerprint.
inline std::string TranslationOf(mlir::Source* source) {
  const auto module = stablehlo::TranslateToHlo(source);
  if (!module.ok())
    return absl::StrCat("not translated: ", OneLine(module.status().message(), 120));
  if (const absl::Status status = VerifyModule(**module); !status.ok())
    return absl::StrCat("HLO is not valid: ", OneLine(status.message(), 120));
  return absl::StrCat("HLO ", Fingerprint(ModuleToString(**module, HloPrintOptions())));
}

inline std::string StableHloOutcome(const std::string& bytes) {
  const auto source = stablehlo::LoadStableHlo(bytes, "");
  if (!source.ok()) {
    const absl::string_view message = source.status().message();
    return OneLine(message.substr(0, message.find('\n')));
  }
  std::string outcome = absl::StrCat("text ", Fingerprint(mlir::ToString(*(*source)->module)));
  for (const stablehlo::Version version : {stablehlo::Version{1, 0, 0}, {1, 9, 0}}) {
    const auto artifact = stablehlo::WritePortableArtifact(source->get(), version);
    absl::StrAppend(
        &outcome, ", artifact ",
        artifact.ok() ? Fingerprint(*artifact) : OneLine(artifact.status().message(), 80));
  }
  return absl::StrCat(outcome, ", ", TranslationOf(source->get()));
}

}  // namespace xla::testing

#endif  // TESTS_VARIANTS_STABLEHLO_OUTCOME_H_
