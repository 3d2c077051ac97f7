// SPDX-License-Identifier: Apache-2.0
// The groups of devices that collectives work in, under the name that XLA's newer headers use.
#ifndef XLA_HLO_IR_REPLICA_GROUP_H_
#define XLA_HLO_IR_REPLICA_GROUP_H_

#include "xla/hlo/ir/collective_device_list.h"  // IWYU pragma: export

namespace xla {

// One type holds explicit groups, iota groups and meshes here.
using CollectiveDeviceListBase = CollectiveDeviceList;
using CollectiveDeviceListVersion = CollectiveDeviceList::Version;

}  // namespace xla

#endif  // XLA_HLO_IR_REPLICA_GROUP_H_
