// SPDX-License-Identifier: Apache-2.0
// Programs as text and bytes.
#include "tools/convert.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/program_files.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/printer.h"
#include "xla/mlir/ir.h"
#include "xla/passes/expand.h"
#include "xla/stablehlo/operation_text.h"
#include "xla/stablehlo/portable_artifact.h"
#include "xla/stablehlo/translate_from_hlo.h"

namespace xla {
namespace {

// Operations of MHLO that StableHLO lacks.
bool HasMhlo(const mlir::Source& source) {
  return std::any_of(source.names.begin(), source.names.end(), [](const auto& entry) {
    return absl::StartsWith(View(entry.first), "mhlo.");
  });
}

}  // namespace

absl::StatusOr<std::string> HloText(const HloModule& module, const HloTextStyle& style) {
  HloPrintOptions options;
  if (style.set == "short") {
    options = HloPrintOptions::ShortParsable();
  } else if (style.set == "canonical") {
    options = HloPrintOptions::Canonical();
  } else if (style.set == "fingerprint") {
    options = HloPrintOptions::Fingerprint();
  } else if (style.set != "long") {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown options '", style.set,
                     "' of HLO text: expected long, short, canonical or fingerprint"));
  }
  if (style.operand_shapes) options.print_operand_shape = true;
  if (style.large_constants) options.print_large_constants = true;
  if (!style.metadata) options.print_metadata = false;
  std::string out;
  XLA_RETURN_IF_ERROR(PrintModule(module, options, &out));
  return out;
}

absl::StatusOr<std::string> HloProtoBytes(const HloModule& module) {
  XLA_ASSIGN_OR_RETURN(const HloModuleProto proto, ModuleToProto(module));
  std::string out;
  if (!proto.SerializeToString(&out))
    return absl::ResourceExhaustedError("the module is too large for a proto");
  return out;
}

absl::StatusOr<std::string> StableHloOf(
    std::unique_ptr<mlir::Source> source,
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<HloModule>>()> hlo,
    const StableHloStyle& style) {
  if (source == nullptr || HasMhlo(*source)) {
    XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, hlo());
    // Operations that start and end later become what they start.
    XLA_RETURN_IF_ERROR(ExpandAsync(module.get()).status());
    XLA_ASSIGN_OR_RETURN(source, stablehlo::TranslateFromHlo(*module));
  }
  if (!style.bytecode) {
    // What has locations keeps them; MLIR, which has them of every program, asks for an option.
    const bool locations = style.locations && mlir::HasLocations(*source->module);
    return CompleteText(style.generic ? mlir::ToString(*source->module, locations)
                                      : stablehlo::PrettyText(*source->module, locations));
  }
  XLA_ASSIGN_OR_RETURN(const stablehlo::Version version, stablehlo::ParseVersion(style.version));
  return stablehlo::WritePortableArtifact(source.get(), version);
}

}  // namespace xla
