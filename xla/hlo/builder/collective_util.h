// SPDX-License-Identifier: Apache-2.0
// Helpers for collectives. Internal to xla/hlo/builder.
#ifndef XLA_HLO_BUILDER_COLLECTIVE_UTIL_H_
#define XLA_HLO_BUILDER_COLLECTIVE_UTIL_H_

#include <optional>

#include "absl/types/span.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/xla_data.pb.h"

namespace xla {

CollectiveDeviceList ToDeviceList(absl::Span<const ReplicaGroup> groups);

// The channel id. Valid ids are positive: protos use 0 for none.
inline std::optional<int64_t> ChannelOf(const std::optional<ChannelHandle>& channel) {
  if (!channel.has_value() || channel->handle() <= 0) return std::nullopt;
  return channel->handle();
}

}  // namespace xla

#endif  // XLA_HLO_BUILDER_COLLECTIVE_UTIL_H_
