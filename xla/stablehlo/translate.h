// SPDX-License-Identifier: Apache-2.0
// Translates StableHLO programs to HLO modules.
#ifndef XLA_STABLEHLO_TRANSLATE_H_
#define XLA_STABLEHLO_TRANSLATE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/mlir/source.h"

namespace xla::stablehlo {

// What becomes of Shardy's operations and attributes.
enum class ShardyForm : uint8_t {
  // Shardings of HLO by tiles. Of what guides propagation, open dimensions of constraints and the
  // last sharding group of a value stay.
  kTiles,
  // Shardings by axes (NamedSharding), and all that guides propagation: as programs that are to be
  // partitioned need it (xla/spmd).
  kAxes,
  // They stay what they are, in the form in which XLA keeps them in HLO (sdy_round_trip.h).
  kRoundTrip,
};

// The function that is the entry, and what its arguments are where their types leave sizes open.
struct EntryArguments {
  // Empty: "main", else the only function, else the only public one.
  std::string function;
  std::map<int64_t, std::vector<int64_t>> sizes;  // by the number of the argument
  // Values of scalar integers, such as the sizes that dynamic programs take. The parameters stay.
  std::map<int64_t, int64_t> constants;
  // Sizes of the axes of these names in all meshes, in place of those that the meshes state.
  std::map<std::string, int64_t> mesh_axes;
  ShardyForm shardy = ShardyForm::kTiles;
};

// The number of arguments of the entry if types of some leave sizes open; 0 otherwise, also where
// there is no entry.
int64_t CountOpenArguments(const mlir::Source& source, const std::string& function = {});

// The HLO of the module's entry, and of the functions that it calls. InvalidArgument names
// the place and the operation; Unimplemented what is not translated yet. Numbers the values of the
// source.
// Sizes that are open follow from the arguments: functions with open sizes are inlined, and sizes
// that are operands must follow from constants then.
// `releases`: frees the operations while they are translated, so that a large program is not in
// memory twice. The source must not be used afterwards.
absl::StatusOr<std::unique_ptr<HloModule>> TranslateToHlo(mlir::Source* source,
                                                          const EntryArguments& arguments = {},
                                                          bool releases = false);

// What the values of the source became, by their ids (mlir::Value); null: nothing of their own. The
// instructions may be elements of tuples.
using TranslatedValues = std::vector<const HloInstruction*>;

// The same, with the values.
absl::StatusOr<std::unique_ptr<HloModule>> TranslateToHlo(mlir::Source* source,
                                                          const EntryArguments& arguments,
                                                          TranslatedValues* values);

// True of MLIR bytecode, and of text that starts as MLIR does rather than as HLO text.
bool LooksLikeMlir(std::string_view bytes);

// True of text that holds nothing but space and comments.
bool IsComment(std::string_view text);

// Reads text or bytecode of StableHLO, VHLO included, and verifies it (verifier.h).
absl::StatusOr<std::unique_ptr<mlir::Source>> LoadStableHlo(std::string bytes, std::string name,
                                                            bool verify = true);

// The same, and translates it.
absl::StatusOr<std::unique_ptr<HloModule>> ReadStableHlo(std::string bytes, std::string name,
                                                         const EntryArguments& arguments = {});

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_TRANSLATE_H_
