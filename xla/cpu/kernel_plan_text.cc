// SPDX-License-Identifier: Apache-2.0
// Plans of kernels as text.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "xla/cpu/kernel_emitter.h"

namespace xla::cpu {
namespace {

std::string RegionText(const KernelRegion& region) {
  std::string text =
      absl::StrCat(" [", absl::StrJoin(region.dimensions, ","), "] lanes ", region.lanes);
  if (region.source != nullptr)
    absl::StrAppend(&text, " of ", std::string(HloOpcodeString(region.source->opcode())));
  if (region.row_lanes != 1) absl::StrAppend(&text, " row lanes ", region.row_lanes);
  if (region.segments != 1)
    absl::StrAppend(&text, " segments ", region.segments, " of ", region.segment_length);
  if (region.block_a != 0) {
    absl::StrAppend(&text, " blocks ", region.block_a, " by ", region.block_b, " tiles ",
                    region.tile, region.blocks_are_outer ? " outer" : "",
                    region.pads ? " padded" : "");
  }
  if (region.rows_together != 1) absl::StrAppend(&text, " rows together ", region.rows_together);
  if (region.rows_per_unit != 1) absl::StrAppend(&text, " rows ", region.rows_per_unit);
  for (const RowPart& part : region.parts) {
    absl::StrAppend(&text, " part ", part.begin, " ", part.end);
    if (part.period > 0)
      absl::StrAppend(&text, " of ", part.period, " from ", part.origin, " times ", part.repeats);
  }
  if (region.phases > 1) absl::StrAppend(&text, " phases ", region.phases);
  if (region.first > 0) absl::StrAppend(&text, " from ", region.first);
  if (region.offset_dimension >= 0)
    absl::StrAppend(&text, " offset ", region.offset_dimension, " ", region.offset);
  return absl::StrCat(text, " units ", region.units);
}

}  // namespace

std::string PlanText(const KernelPlan& plan) {
  std::string text;
  const auto flag = [&](bool is_set, const char* name) {
    if (is_set) absl::StrAppend(&text, name, " ");
  };
  flag(plan.is_linear, "linear");
  flag(plan.updates_in_place, "in place");
  flag(plan.reduces_own_rows, "own rows");
  flag(plan.keeps_matrix, "keeps matrix");
  flag(plan.interleaves, "interleaves");
  flag(plan.transposes, "transposes");
  flag(plan.reduces_columns, "columns");
  flag(plan.streams, "streams");
  if (plan.epilogue_of >= 0) absl::StrAppend(&text, "epilogue of ", plan.epilogue_of, " ");
  if (plan.merged_columns != 1) absl::StrAppend(&text, "merged ", plan.merged_columns, " ");
  if (plan.columns != 0) absl::StrAppend(&text, "columns ", plan.columns, " ");
  if (plan.rows_at_once != 1) absl::StrAppend(&text, "rows at once ", plan.rows_at_once, " ");
  const auto list = [&](const std::vector<bool>& values, const char* name) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i]) absl::StrAppend(&text, name, " ", i, " ");
    }
  };
  list(plan.is_written, "written");
  list(plan.is_unused, "unused");
  absl::StrAppendFormat(&text, "units %d chunk %d bytes %g operations %g:", plan.units, plan.chunk,
                        plan.bytes, plan.operations);
  for (const KernelRegion& region : plan.regions) absl::StrAppend(&text, RegionText(region));
  return text;
}

}  // namespace xla::cpu
