// SPDX-License-Identifier: Apache-2.0
// What the devices of a collective bring to their meeting, in one process or several. For the files
// of collectives.
#ifndef XLA_CPU_RUN_COLLECTIVE_PARTS_H_
#define XLA_CPU_RUN_COLLECTIVE_PARTS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/cpu/run/literal_memory.h"
#include "xla/cpu/run/thunk.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/passes/collective_group.h"
#include "xla/primitive_util.h"
#include "xla/runtime/process_group.h"
#include "xla/shape.h"

namespace xla::cpu::collective {

// The operands and results of a device. The memory is kept until all devices have ended, and so are
// the shapes, in `shapes`.
struct Contribution {
  const HloInstruction* inst = nullptr;
  // On another process: its operands are a copy, or absent where no device here needs them, and it
  // has no results.
  bool is_remote = false;
  std::vector<Shape> shapes;
  std::vector<char*> operand_memory, result_memory;
  std::vector<LeafArray> operands, results;  // all leaves
  std::vector<std::shared_ptr<void>> copies;
};
using Parts = absl::Span<const Contribution* const>;
using CombineFunction = absl::FunctionRef<absl::Status(Parts parts)>;
// Whether a process needs an operand of the device of a rank.
using NeedsFunction = absl::FunctionRef<bool(size_t rank, int64_t operand, int32_t process)>;

std::shared_ptr<Contribution> Contribute(const LibraryCall& call);

// Returns the group of this device, which may be empty; computed once per run.
absl::StatusOr<const DeviceGroup*> GroupOf(const LibraryCall& call);
// INVALID_ARGUMENT if it is empty.
absl::StatusOr<const DeviceGroup*> OwnGroupOf(const LibraryCall& call);

// The processes of the run, if the group has devices in several; else null.
runtime::ProcessGroup* ProcessesOf(const LibraryCall& call, const DeviceGroup& group);

// Meets the other devices of the group in this process. The last to arrive calls `combine` with the
// parts in order of rank; those of devices elsewhere are null.
absl::Status MeetHere(const LibraryCall& call, const DeviceGroup& group, CombineFunction combine);

// The same with copies of the operands of devices elsewhere.
absl::Status ExchangeParts(const LibraryCall& call, const DeviceGroup& group,
                           CombineFunction combine, NeedsFunction needs);
absl::Status ExchangeParts(const LibraryCall& call, const DeviceGroup& group,
                           CombineFunction combine);

// A round with the other processes of the group.
absl::Status ExchangeWithProcesses(const LibraryCall& call, const DeviceGroup& group,
                                   absl::Span<const runtime::ProcessGroup::Outgoing> outgoing,
                                   absl::Span<const runtime::ProcessGroup::Incoming> incoming);

// Returns the first part of a device in this process.
const Contribution& FirstHere(Parts parts);

inline int64_t BytesOf(const LeafArray& array) { return DenseArrayBytes(*array.shape); }
inline int64_t ElementBytes(const LeafArray& array) {
  return primitive_util::ByteWidth(array.shape->element_type());
}
inline size_t Position(int64_t i) { return static_cast<size_t>(i); }

void CopyWhole(const LeafArray& from, const LeafArray& to);

// Copies `count` indices of dimension `d` from position `from` of src to position `to` of dst,
// within the valid extents of src in the other dimensions.
void CopyAlong(const LeafArray& src, int64_t d, int64_t from, int64_t count, const LeafArray& dst,
               int64_t to);

absl::Status ExpectSameSizes(const DeviceGroup& group, Parts parts, size_t i);

}  // namespace xla::cpu::collective

#endif  // XLA_CPU_RUN_COLLECTIVE_PARTS_H_
