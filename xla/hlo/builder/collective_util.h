// SPDX-License-Identifier: Apache-2.0
// What the sources of collectives share. Internal to xla/hlo/builder.
#ifndef XLA_HLO_BUILDER_COLLECTIVE_UTIL_H_
#define XLA_HLO_BUILDER_COLLECTIVE_UTIL_H_

#include "absl/types/span.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/xla_data.pb.h"

namespace xla {

CollectiveDeviceList ToDeviceList(absl::Span<const ReplicaGroup> groups);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_COLLECTIVE_UTIL_H_
