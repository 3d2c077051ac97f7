// SPDX-License-Identifier: Apache-2.0
// Meetings of the devices of a collective, and exchanges between their processes.
#include "xla/cpu/run/collective_parts.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/layout_strides.h"
#include "xla/passes/dynamic_shapes.h"
#include "xla/shape_util.h"
#include "xla/strided_copy.h"

namespace xla::cpu::collective {

std::shared_ptr<Contribution> Contribute(const LibraryCall& call) {
  auto mine = std::make_shared<Contribution>();
  mine->inst = call.instruction;
  mine->operand_memory.assign(call.operands.begin(), call.operands.end());
  mine->result_memory.assign(call.results.begin(), call.results.end());
  mine->shapes.reserve(Position(call.instruction->operand_count() + 1));
  for (int64_t i = 0; i < call.instruction->operand_count(); ++i)
    mine->shapes.push_back(OriginalOperandShape(*call.instruction, i));
  mine->shapes.push_back(OriginalShape(*call.instruction));
  absl::Span<char*const> operands = mine->operand_memory, results = mine->result_memory;
  for (size_t i = 0; i + 1 < mine->shapes.size(); ++i)
    CollectLeafArrays(mine->shapes[i], operands, mine->operands);
  CollectLeafArrays(mine->shapes.back(), results, mine->results);
  return mine;
}

absl::StatusOr<const DeviceGroup*> GroupOf(const LibraryCall& call) {
  DeviceState& device = call.state->device();
  const auto found = device.groups.find(call.instruction);
  if (found != device.groups.end()) return &found->second;
  XLA_ASSIGN_OR_RETURN(DeviceGroup group, FindGroup(*call.instruction, device.position));
  return &device.groups.emplace(call.instruction, std::move(group)).first->second;
}

absl::StatusOr<const DeviceGroup*> OwnGroupOf(const LibraryCall& call) {
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, GroupOf(call));
  if (!group->empty()) return group;
  const DevicePosition& device = call.state->device().position;
  return absl::InvalidArgumentError(absl::StrCat("device ", device.id(), " (replica ",
                                                 device.replica, ", partition ", device.partition,
                                                 ") is in none of its replica groups"));
}

runtime::ProcessGroup* ProcessesOf(const LibraryCall& call, const DeviceGroup& group) {
  runtime::ProcessGroup* const processes = call.state->context().processes;
  return processes == nullptr || processes->AreLocal(group.devices) ? nullptr : processes;
}

absl::Status MeetHere(const LibraryCall& call, const DeviceGroup& group, CombineFunction combine) {
  std::shared_ptr<Contribution> mine = Contribute(call);
  if (group.size() == 1) {
    const Contribution* const parts[] = {mine.get()};
    return combine(parts);
  }
  const HloInstruction& inst = *call.instruction;
  const std::optional<int64_t> channel = ChannelOf(inst);
  const runtime::Rendezvous::Place place = {
      channel.has_value(),
      channel.value_or(static_cast<int64_t>(reinterpret_cast<intptr_t>(&inst)))};
  // The devices of this process, by position in the group.
  const runtime::ProcessGroup* const processes = ProcessesOf(call, group);
  std::vector<size_t> ranks;
  std::vector<int64_t> here;
  int64_t own = group.rank;
  absl::Span<const int64_t> devices = group.devices;
  if (processes != nullptr) {
    for (size_t rank = 0; rank < group.devices.size(); ++rank) {
      if (!processes->IsLocal(group.devices[rank])) continue;
      if (rank == Position(group.rank)) own = static_cast<int64_t>(ranks.size());
      ranks.push_back(rank);
      here.push_back(group.devices[rank]);
    }
    devices = here;
  }
  return call.state->device()
      .Meeting()
      .Meet(
          place, devices, own, inst.name(), std::move(mine),
          [&](absl::Span<const runtime::Rendezvous::Payload> brought)
              -> absl::StatusOr<std::vector<runtime::Rendezvous::Payload>> {
            std::vector<const Contribution*> parts(group.devices.size());
            for (size_t i = 0; i < brought.size(); ++i) {
              const auto* contribution = static_cast<const Contribution*>(brought[i].get());
              if (contribution->inst != &inst)
                XLA_RETURN_IF_ERROR(CheckSameCollective(inst, *contribution->inst));
              parts[ranks.empty() ? i : ranks[i]] = contribution;
            }
            XLA_RETURN_IF_ERROR(combine(parts));
            return std::vector<runtime::Rendezvous::Payload>(brought.size());
          },
          call.state->Limits())
      .status();
}

absl::Status ExchangeWithProcesses(const LibraryCall& call, const DeviceGroup& group,
                                   absl::Span<const runtime::ProcessGroup::Outgoing> outgoing,
                                   absl::Span<const runtime::ProcessGroup::Incoming> incoming) {
  const HloInstruction& inst = *call.instruction;
  return call.state->context().processes->Exchange(
      {inst.name(), OperationShapes(inst), OperationText(inst)}, group.devices, outgoing, incoming,
      call.state->Limits());
}

namespace {

// The bytes of each leaf of each operand in its static form; 0 for tokens.
std::vector<std::vector<int64_t>> LeafBytes(const HloInstruction& inst) {
  std::vector<std::vector<int64_t>> bytes;
  for (const HloInstruction* operand : inst.operands()) {
    std::vector<int64_t>& leaves = bytes.emplace_back();
    ShapeUtil::ForEachSubshape(operand->shape(), [&](const Shape& part, const ShapeIndex&) {
      if (!part.IsTuple()) leaves.push_back(part.IsArray() ? DenseArrayBytes(part) : 0);
    });
  }
  return bytes;
}

// Returns whether this process needs an operand of the other one, or the other way around: both
// say the same.
bool AreConnected(const HloInstruction& inst, const DeviceGroup& group,
                  const runtime::ProcessGroup& processes, int32_t other, NeedsFunction needs) {
  if (other == processes.self()) return false;
  for (size_t rank = 0; rank < group.devices.size(); ++rank) {
    const int32_t owner = processes.ProcessOf(group.devices[rank]);
    if (owner != processes.self() && owner != other) continue;
    const int32_t reader = owner == other ? processes.self() : other;
    for (int64_t i = 0; i < inst.operand_count(); ++i) {
      if (needs(rank, i, reader)) return true;
    }
  }
  return false;
}

// Sends operands of devices here to processes that need them, and receives those of others.
absl::Status ReceiveParts(const LibraryCall& call, const DeviceGroup& group, NeedsFunction needs,
                          std::vector<const Contribution*>& parts,
                          std::vector<std::unique_ptr<Contribution>>& received) {
  const runtime::ProcessGroup& processes = *call.state->context().processes;
  const std::vector<std::vector<int64_t>> bytes = LeafBytes(*call.instruction);
  const Contribution& first = FirstHere(parts);
  std::vector<runtime::ProcessGroup::Outgoing> outgoing;
  std::vector<runtime::ProcessGroup::Incoming> incoming;
  for (const int32_t process : processes.ProcessesOf(group.devices)) {
    if (!AreConnected(*call.instruction, group, processes, process, needs)) continue;
    outgoing.emplace_back().process = process;
    incoming.emplace_back().process = process;
  }
  for (size_t rank = 0; rank < parts.size(); ++rank) {
    const int32_t owner = processes.ProcessOf(group.devices[rank]);
    if (owner == processes.self()) {
      for (runtime::ProcessGroup::Outgoing& message : outgoing) {
        size_t leaf = 0;
        for (size_t i = 0; i < bytes.size(); ++i) {
          const bool is_needed = needs(rank, static_cast<int64_t>(i), message.process);
          for (const int64_t size : bytes[i]) {
            const char* const data = parts[rank]->operand_memory[leaf++];
            if (is_needed && size > 0) message.parts.emplace_back(data, Position(size));
          }
        }
      }
      continue;
    }
    auto copy = std::make_unique<Contribution>();
    copy->inst = call.instruction;
    copy->is_remote = true;
    copy->shapes = first.shapes;
    const auto message = std::find_if(incoming.begin(), incoming.end(),
                                      [&](const auto& one) { return one.process == owner; });
    for (size_t i = 0; i < bytes.size(); ++i) {
      const bool is_needed =
          message != incoming.end() && needs(rank, static_cast<int64_t>(i), processes.self());
      for (const int64_t size : bytes[i]) {
        copy->operand_memory.push_back(nullptr);
        if (!is_needed || size == 0) continue;
        XLA_ASSIGN_OR_RETURN(std::shared_ptr<void> memory, call.state->Allocate(size));
        copy->operand_memory.back() = static_cast<char*>(memory.get());
        message->parts.emplace_back(copy->operand_memory.back(), Position(size));
        copy->copies.push_back(std::move(memory));
      }
    }
    absl::Span<char* const> operands = copy->operand_memory;
    for (size_t i = 0; i + 1 < copy->shapes.size(); ++i)
      CollectLeafArrays(copy->shapes[i], operands, copy->operands);
    parts[rank] = copy.get();
    received.push_back(std::move(copy));
  }
  return ExchangeWithProcesses(call, group, outgoing, incoming);
}

}  // namespace

absl::Status ExchangeParts(const LibraryCall& call, const DeviceGroup& group,
                           CombineFunction combine, NeedsFunction needs) {
  if (ProcessesOf(call, group) == nullptr) return MeetHere(call, group, combine);
  return MeetHere(call, group, [&](Parts here) -> absl::Status {
    std::vector<const Contribution*> parts(here.begin(), here.end());
    std::vector<std::unique_ptr<Contribution>> received;
    XLA_RETURN_IF_ERROR(ReceiveParts(call, group, needs, parts, received));
    return combine(parts);
  });
}

absl::Status ExchangeParts(const LibraryCall& call, const DeviceGroup& group,
                           CombineFunction combine) {
  return ExchangeParts(call, group, combine, [](size_t, int64_t, int32_t) { return true; });
}

const Contribution& FirstHere(Parts parts) {
  size_t rank = 0;
  while (parts[rank] == nullptr || parts[rank]->is_remote) ++rank;
  return *parts[rank];
}

void CopyWhole(const LeafArray& from, const LeafArray& to) {
  if (!from.shape->IsArray()) return;
  if (BytesOf(to) > 0) std::memcpy(to.data, from.data, Position(BytesOf(to)));
  to.SetSizes(from.existing());
}

void CopyAlong(const LeafArray& src, int64_t d, int64_t from, int64_t count, const LeafArray& dst,
               int64_t to) {
  DimensionVector box = src.existing();
  box[Position(d)] = count;
  if (std::find(box.begin(), box.end(), 0) != box.end()) return;
  const DimensionVector src_strides = DenseStrides(src.shape->dimensions());
  const DimensionVector dst_strides = DenseStrides(dst.shape->dimensions());
  const int64_t bytes = ElementBytes(src);
  StridedCopy(bytes, box, dst.data + to * dst_strides[Position(d)] * bytes, dst_strides,
              src.data + from * src_strides[Position(d)] * bytes, src_strides);
}

absl::Status ExpectSameSizes(const DeviceGroup& group, Parts parts, size_t i) {
  const DimensionVector sizes = parts[0]->operands[i].existing();
  for (size_t rank = 1; rank < parts.size(); ++rank) {
    const DimensionVector theirs = parts[rank]->operands[i].existing();
    if (theirs == sizes) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("operand ", i, " has dynamic sizes [", absl::StrJoin(theirs, ","),
                     "] on device ", group.devices[rank], ", but [", absl::StrJoin(sizes, ","),
                     "] on device ", group.devices[0]));
  }
  return absl::OkStatus();
}

}  // namespace xla::cpu::collective
