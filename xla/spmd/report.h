// SPDX-License-Identifier: Apache-2.0
// What a partitioned program communicates, and for what.
#ifndef XLA_SPMD_REPORT_H_
#define XLA_SPMD_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::spmd {

struct CollectiveUse {
  std::string name, opcode, shape;  // of the instruction in the partitioned program
  int64_t devices = 1;              // of a group
  // What each device receives: of the ring algorithms for gathers and reductions, of n bytes and p
  // devices n (p - 1) / p, for all-reduce twice that; of collective-permute the whole operand.
  int64_t bytes = 0;
  std::string computation;  // empty: the entry
  // The operation of the original program that needs it, by its framework's name or its own, and
  // where that is in the user's program ("file.py:12"; empty if it is not known).
  std::string cause, source;
  // An array was gathered because its user has no strategy for shards.
  bool is_full_gather = false;
};

struct CommunicationReport {
  std::vector<CollectiveUse> collectives;  // in program order, of the entry first
  // Of the device that receives most, if each collective is executed once.
  int64_t bytes = 0;
};

// Of a program of config().num_partitions() partitions and one replica.
CommunicationReport ReportCommunication(const HloModule& module);

// The bytes that a device receives; 0 for what is no collective. `devices` of a group is set.
int64_t BytesReceived(const HloInstruction& instruction, int64_t partitions, int64_t* devices);
// Of all, by the device that receives most.
int64_t BytesReceived(absl::Span<HloInstruction* const> collectives, int64_t partitions);

}  // namespace xla::spmd

#endif  // XLA_SPMD_REPORT_H_
