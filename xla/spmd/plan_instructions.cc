// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/plan_instructions.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/operation_cost.h"
#include "xla/passes/loop_analysis.h"
#include "xla/spmd/plan_steps.h"

namespace xla::spmd {
namespace {

// The number of XLA's loop annotation: backend_config={"known_trip_count":{"n":"12"}}.
std::optional<int64_t> AnnotatedTrips(const HloInstruction& loop) {
  const std::string& config = loop.raw_backend_config_string();
  size_t at = config.find("known_trip_count");
  if (at == std::string::npos) return std::nullopt;
  at = config.find_first_of("0123456789", at);
  if (at == std::string::npos) return std::nullopt;
  int64_t trips = 0;
  const size_t end = config.find_first_not_of("0123456789", at);
  if (!absl::SimpleAtoi(config.substr(at, end - at), &trips)) return std::nullopt;
  return trips;
}

}  // namespace

std::string SourceOf(const HloInstruction& instruction) {
  const InstructionMetadata& metadata = instruction.metadata();
  if (!metadata.source_file().empty())
    return absl::StrCat(metadata.source_file(), ":", metadata.source_line());
  const StackFrameTable& table = instruction.GetModule()->stack_frames();
  const auto entry = [](const auto& list, int64_t id) {
    return id > 0 && id <= static_cast<int64_t>(list.size()) ? &list[static_cast<size_t>(id - 1)]
                                                             : nullptr;
  };
  if (const auto* frame = entry(table.frames, metadata.stack_frame_id())) {
    if (const auto* location = entry(table.locations, frame->file_location_id)) {
      if (const auto* file = entry(table.file_names, location->file_name_id))
        return absl::StrCat(*file, ":", location->line);
    }
  }
  return metadata.op_name();
}

std::optional<CollectiveKind> KindOfCollective(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceStart:
      return CollectiveKind::kAllReduce;
    case HloOpcode::kReduceScatter:
      return CollectiveKind::kReduceScatter;
    case HloOpcode::kAllGather:
    case HloOpcode::kAllGatherStart:
      return CollectiveKind::kAllGather;
    case HloOpcode::kAllToAll:
    case HloOpcode::kRaggedAllToAll:
      return CollectiveKind::kAllToAll;
    case HloOpcode::kCollectiveBroadcast:
      return CollectiveKind::kBroadcast;
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kCollectivePermuteStart:
      return CollectiveKind::kPermute;
    default:
      return std::nullopt;
  }
}

double CollectiveBytes(const HloInstruction& collective, CollectiveKind kind, int64_t group_size) {
  // The others of these are where and how updates go.
  const bool has_one_array =
      collective.opcode() == HloOpcode::kRaggedAllToAll ||
      (kind == CollectiveKind::kPermute && collective.operand_count() == 4 &&
       !collective.attributes<CollectivePermuteAttributes>().slice_sizes.empty());
  double bytes = 0;
  for (const HloInstruction* operand : collective.operands()) {
    bytes += PlanBytes(operand->shape());
    if (has_one_array) break;
  }
  return kind == CollectiveKind::kAllGather ? bytes * static_cast<double>(group_size) : bytes;
}

std::optional<int64_t> KnownTrips(const HloInstruction& loop) {
  if (const std::optional<int64_t> annotated = AnnotatedTrips(loop)) return annotated;
  if (const std::optional<CountedLoop> counted = AnalyzeCountedLoop(loop)) return counted->trips;
  return std::nullopt;
}

// A collective that a partitioner made may have no source of its own: that of its operand, or of
// the first instruction that uses it.
std::string SourceOfCollective(const HloInstruction& collective) {
  std::string source = SourceOf(collective);
  if (source.empty() && collective.operand_count() > 0)
    source = SourceOf(*SkipViews(collective.operand(0)));
  for (const HloInstruction* user = &collective; source.empty() && user->user_count() > 0;) {
    user = user->users()[0];
    source = SourceOf(*user);
    if (!IsView(user->opcode()) && user->info().async_role != AsyncRole::kDone) break;
  }
  return source;
}

bool RunsCallees(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kCall:
    case HloOpcode::kWhile:
    case HloOpcode::kConditional:
    case HloOpcode::kAsyncStart:
      return true;
    default:
      return false;
  }
}

}  // namespace xla::spmd
