// SPDX-License-Identifier: Apache-2.0
// Shardings: text, fit to a shape.
#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/ir/tile_assignment_check.h"
#include "xla/shape_util.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

std::string MetadataToString(const InstructionMetadata& metadata) {
  std::vector<std::string> parts;
  auto add_string = [&](const char* name, const std::string& value) {
    if (!value.empty()) parts.push_back(absl::StrCat(name, "=\"", absl::CEscape(value), "\""));
  };
  auto add_number = [&](const char* name, int64_t value) {
    if (value != 0) parts.push_back(absl::StrCat(name, "=", value));
  };
  add_string("op_type", metadata.op_type());
  add_string("op_name", metadata.op_name());
  add_string("source_file", metadata.source_file());
  add_number("source_line", metadata.source_line());
  add_number("source_end_line", metadata.source_end_line());
  add_number("source_column", metadata.source_column());
  add_number("source_end_column", metadata.source_end_column());
  add_number("stack_frame_id", metadata.stack_frame_id());
  return absl::StrJoin(parts, " ");
}

// {a} for one entry, where `is_list` is false; else {{a}, {b}}.
std::string MetadataListToString(const std::vector<InstructionMetadata>& metadata, bool is_list) {
  if (!is_list && metadata.size() == 1) {
    return absl::StrCat("{", MetadataToString(metadata[0]), "}");
  }
  std::vector<std::string> parts;
  for (const InstructionMetadata& entry : metadata)
    parts.push_back(absl::StrCat("{", MetadataToString(entry), "}"));
  return absl::StrCat("{", absl::StrJoin(parts, ", "), "}");
}

const char* SubgroupTypeName(OpSharding::Type type) {
  switch (type) {
    case OpSharding::MANUAL:
      return "manual";
    case OpSharding::MAXIMAL:
      return "maximal";
    case OpSharding::UNREDUCED:
      return "unreduced";
    default:
      return "replicated";
  }
}

// The tiles and what their last dimensions are.
std::string TiledToString(const HloSharding& sharding) {
  std::string text = sharding.tile_assignment().ToString();
  if (sharding.ReplicateOnLastTileDim()) return text + " last_tile_dim_replicate";
  const absl::Span<const OpSharding_Type> types = sharding.subgroup_types();
  if (types.empty()) return text;
  const auto append_name = [](std::string* out, OpSharding_Type type) {
    absl::StrAppend(out, SubgroupTypeName(type));
  };
  return absl::StrCat(text, " last_tile_dims={", absl::StrJoin(types, ", ", append_name), "}");
}

std::string LeafToString(const HloSharding& sharding) {
  switch (sharding.kind()) {
    case HloSharding::Kind::kManual:
      return "manual";
    case HloSharding::Kind::kUnknown:
      return "unknown";
    case HloSharding::Kind::kUnreduced:
      return "unreduced";
    case HloSharding::Kind::kMaximal:
      return absl::StrCat("maximal device=", sharding.tile_assignment().first());
    case HloSharding::Kind::kNamed:
      return sharding.named_sharding().ToString();
    case HloSharding::Kind::kTiled:
      return TiledToString(sharding);
    default:
      return "replicated";
  }
}

}  // namespace

std::string HloSharding::ToString(bool include_metadata) const {
  std::string text = "{";
  if (IsTuple()) {
    const std::vector<HloSharding>& elements = tuple_elements();
    for (size_t i = 0; i < elements.size(); ++i) {
      if (i > 0) text += ", ";
      if (i > 0 && i % 5 == 0) absl::StrAppend(&text, "/*index=", i, "*/");
      text += elements[i].ToString(include_metadata);
    }
    return text + "}";
  }
  text += LeafToString(*this);
  if (IsShardAs()) absl::StrAppend(&text, " shard_as ", shard_group_.id);
  if (IsShardLike()) absl::StrAppend(&text, " shard_like ", shard_group_.id);
  if (include_metadata && !metadata_.empty()) {
    const bool is_named = UseNamedShardingLeaf();
    absl::StrAppend(&text, is_named ? ", metadata=" : " metadata=",
                    MetadataListToString(metadata_, /*is_list=*/is_named));
  }
  return text + "}";
}

std::ostream& operator<<(std::ostream& out, const HloSharding& sharding) {
  return out << sharding.ToString();
}

HloSharding HloSharding::NormalizeTupleSharding(const Shape& shape) const {
  if (!shape.IsTuple() || IsTuple()) return *this;
  // Even a tuple without leaves has one element.
  const int64_t leaves = std::max<int64_t>(1, ShapeUtil::GetLeafCount(shape));
  return Tuple(std::vector<HloSharding>(leaves, *this));
}

namespace {

absl::Status CheckDevice(int64_t device, std::optional<int64_t> num_devices) {
  if (device < 0) return InvalidArgument("device %d is negative in tile assignment", device);
  if (num_devices.has_value() && device >= *num_devices) {
    return InvalidArgument("device %d >= num_devices (%d) in tile assignment", device,
                           *num_devices);
  }
  return absl::OkStatus();
}

// What holds whatever is sharded.
absl::Status ValidateOfToken(const HloSharding& sharding) {
  if (sharding.kind() == HloSharding::Kind::kMaximal)
    return CheckDevice(sharding.tile_assignment().first(), std::nullopt);
  // Outfeeds return a token and have the shardings of what they send, and of the token.
  for (const HloSharding& element : sharding.tuple_elements())
    XLA_RETURN_IF_ERROR(ValidateOfToken(element));
  return absl::OkStatus();
}

absl::Status ValidateLeaf(const HloSharding& sharding, const Shape& shape,
                          std::optional<int64_t> num_devices) {
  if (shape.IsTuple())
    return absl::InvalidArgumentError("Validation shape is a tuple but sharding is not.");
  if (shape.IsToken()) return ValidateOfToken(sharding);
  int64_t count = 0;
  switch (sharding.kind()) {
    case HloSharding::Kind::kMaximal:
      return CheckDevice(sharding.tile_assignment().first(), num_devices);
    case HloSharding::Kind::kTiled: {
      count = sharding.num_devices();
      if (count == 1) {
        return absl::InvalidArgumentError(
            "Tile assignment only contains a single device. If a replicated sharding was intended, "
            "use {replicated}. "
            "If a device placement was intended, use {maximal device=N}.");
      }
      XLA_RETURN_IF_ERROR(CheckIotaCount(sharding.tile_assignment()));
      if (sharding.tile_assignment().iota().has_value()) break;
      for (int64_t device : sharding.tile_assignment().array())
        XLA_RETURN_IF_ERROR(CheckDevice(device, num_devices));
      break;
    }
    case HloSharding::Kind::kNamed: {
      if (const std::optional<int64_t> device = sharding.UniqueDevice())
        return CheckDevice(*device, num_devices);
      count = sharding.num_devices();
      if (sharding.TiledDataRank() == 0) return absl::OkStatus();
      break;
    }
    default:
      return absl::OkStatus();
  }
  if (sharding.TiledDataRank() != shape.rank()) {
    return InvalidArgument(
        "Number of tile assignment dimensions (excluding subgroups) is different than the input "
        "rank. sharding=%s, "
        "input_shape=%s",
        sharding.ToString(), shape.ToString());
  }
  // A mesh without axes, or with axes of size 1 alone, divides nothing, whatever the number of
  // devices: as of programs that were exported for one device.
  const bool is_of_any = sharding.UseNamedShardingLeaf() &&
                         !sharding.named_sharding().mesh().IsMaximal() && count == 1;
  if (num_devices.has_value() && count != *num_devices && !is_of_any) {
    return InvalidArgument("sharding should have %d devices but has %d", *num_devices, count);
  }
  return absl::OkStatus();
}

absl::Status ValidateTuple(const HloSharding& sharding, const Shape& shape,
                           std::optional<int64_t> num_devices) {
  if (!shape.IsTuple())
    return absl::InvalidArgumentError("Sharding is tuple-shaped but validation shape is not.");
  const int64_t leaves = ShapeUtil::GetLeafCount(shape);
  const int64_t elements = static_cast<int64_t>(sharding.tuple_elements().size());
  // A tuple without leaves may have one sharding.
  if (leaves == 0 && elements <= 1) return absl::OkStatus();
  if (leaves != elements) {
    return InvalidArgument("Shape %s has %d leaf nodes while this sharding has %d",
                           shape.ToString(), leaves, elements);
  }
  size_t next = 0;
  absl::Status status;
  ShapeUtil::ForEachLeafShape(shape, [&](const Shape& leaf, const ShapeIndex& index) {
    const HloSharding& element = sharding.tuple_elements()[next++];
    if (!status.ok()) return;
    status = ValidateLeaf(element, leaf, num_devices);
    if (!status.ok()) {
      status =
          AddContext(status, absl::StrCat("sharding tuple element {", absl::StrJoin(index, ","),
                                          "}, which is ", element.ToString()));
    }
  });
  return status;
}

}  // namespace

absl::Status HloSharding::Validate(const Shape& shape, std::optional<int64_t> num_devices) const {
  if (shape.IsToken()) return ValidateOfToken(*this);
  const absl::Status status = IsTuple() ? ValidateTuple(*this, shape, num_devices)
                                        : ValidateLeaf(*this, shape, num_devices);
  if (status.ok()) return status;
  return AddContext(status, absl::StrCat("while validating sharding ", ToString(),
                                         " against shape ", shape.ToString()));
}

}  // namespace xla
