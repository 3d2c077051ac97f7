// SPDX-License-Identifier: Apache-2.0
// Collectives. The devices of a group meet at a rendezvous; the last one to arrive reads the
// operands of all and writes the results of all, while the others wait.
//
// Reductions combine operands in a balanced tree over the ranks, so that results are deterministic,
// and the same however the devices are divided between processes. Where a group has devices in
// several processes, the last device to arrive of each exchanges operands with the others
// (collective_parts.h, remote_collectives.h).
#include "xla/cpu/run/library_collectives.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/run/collective_parts.h"
#include "xla/cpu/run/literal_memory.h"
#include "xla/cpu/run/remote_collectives.h"
#include "xla/layout_strides.h"
#include "xla/passes/collective_group.h"
#include "xla/passes/dynamic_shapes.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/strided_copy.h"

namespace xla::cpu::collective {
namespace {

// --- Arrays

void ZeroResult(const LibraryCall& call) {
  const std::shared_ptr<Contribution> mine = Contribute(call);
  for (const LeafArray& result : mine->results) {
    if (!result.shape->IsArray()) continue;
    if (BytesOf(result) > 0) std::memset(result.data, 0, Position(BytesOf(result)));
    result.SetSizes(result.shape->dimensions());
  }
}

// Returns INVALID_ARGUMENT unless `whole` is `part` times the number of devices.
absl::Status ExpectShards(int64_t whole, int64_t part, const DeviceGroup& group) {
  if (absl::int128(part) * group.size() == whole) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "a group of ", group.size(), " devices, {", absl::StrJoin(group.devices, ","),
      "}, does not fit its shapes: ", whole, " indices are not ", group.size(), " times ", part));
}

// --- Reductions

// Reduces operand i of all devices to memory of its size.
absl::Status Fold(const LibraryCall& call, Parts parts, size_t i, char* result) {
  const LeafArray& first = parts[0]->operands[i];
  std::vector<char*> arrays;
  for (const Contribution* part : parts) arrays.push_back(part->operands[i].data);
  return FoldArrays(call, i, arrays, first.shape->element_type(),
                    BytesOf(first) / ElementBytes(first), result);
}

absl::Status CallAllReduce(const LibraryCall& call) {
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, OwnGroupOf(call));
  if (IsDividedStatically(call, *group)) return AllReduceAcross(call, *group);
  return ExchangeParts(call, *group, [&](Parts parts) -> absl::Status {
    const Contribution& first = FirstHere(parts);
    for (size_t i = 0; i < first.operands.size(); ++i) {
      XLA_RETURN_IF_ERROR(ExpectSameSizes(*group, parts, i));
      XLA_RETURN_IF_ERROR(Fold(call, parts, i, first.results[i].data));
      first.results[i].SetSizes(parts[0]->operands[i].existing());
      for (const Contribution* part : parts) {
        if (part != &first && !part->is_remote) CopyWhole(first.results[i], part->results[i]);
      }
    }
    return absl::OkStatus();
  });
}

absl::Status CallReduceScatter(const LibraryCall& call) {
  const int64_t d = call.instruction->attributes<ReduceScatterAttributes>().dimensions[0];
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, OwnGroupOf(call));
  const std::shared_ptr<Contribution> own = Contribute(call);
  for (size_t i = 0; i < own->operands.size(); ++i) {
    const LeafArray& operand = own->operands[i];
    const int64_t whole = operand.shape->dimensions(static_cast<int>(d));
    XLA_RETURN_IF_ERROR(
        ExpectShards(whole, own->results[i].shape->dimensions(static_cast<int>(d)), *group));
    if (const int64_t size = operand.existing()[Position(d)]; size != whole) {
      return absl::UnimplementedError(absl::StrCat("the scattered dimension ", d, " of operand ", i,
                                                   " has dynamic size ", size,
                                                   ": it must have its full size"));
    }
  }
  if (IsDividedStatically(call, *group)) return ReduceScatterAcross(call, *group, d);
  return ExchangeParts(call, *group, [&](Parts parts) -> absl::Status {
    for (size_t i = 0; i < parts[0]->operands.size(); ++i) {
      XLA_RETURN_IF_ERROR(ExpectSameSizes(*group, parts, i));
      LeafArray whole = parts[0]->operands[i];
      XLA_ASSIGN_OR_RETURN(const std::shared_ptr<void> memory,
                           call.state->Allocate(std::max<int64_t>(BytesOf(whole), 1)));
      XLA_RETURN_IF_ERROR(Fold(call, parts, i, static_cast<char*>(memory.get())));
      whole.data = static_cast<char*>(memory.get());
      for (size_t rank = 0; rank < parts.size(); ++rank) {
        if (parts[rank]->is_remote) continue;
        const LeafArray& part = parts[rank]->results[i];
        const int64_t size = part.shape->dimensions(static_cast<int>(d));
        CopyAlong(whole, d, static_cast<int64_t>(rank) * size, size, part, 0);
        DimensionVector sizes = whole.existing();
        sizes[Position(d)] = size;
        part.SetSizes(sizes);
      }
    }
    return absl::OkStatus();
  });
}

// --- Data

absl::Status CallAllGather(const LibraryCall& call) {
  const int64_t d = call.instruction->attributes<AllGatherAttributes>().dimensions[0];
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, OwnGroupOf(call));
  const std::shared_ptr<Contribution> own = Contribute(call);
  for (size_t i = 0; i < own->operands.size(); ++i) {
    const auto dimension = static_cast<int>(d);
    XLA_RETURN_IF_ERROR(ExpectShards(own->results[i].shape->dimensions(dimension),
                                     own->operands[i].shape->dimensions(dimension), *group));
  }
  if (IsDividedStatically(call, *group)) return AllGatherAcross(call, *group, d);
  return ExchangeParts(call, *group, [&](Parts parts) -> absl::Status {
    const Contribution& here = FirstHere(parts);
    for (size_t i = 0; i < here.operands.size(); ++i) {
      const LeafArray& result = here.results[i];
      // Valid elements are packed, as in concatenate.
      const LeafArray& first = parts[0]->operands[i];
      DimensionVector sizes = first.existing();
      if (BytesOf(result) > 0) std::memset(result.data, 0, Position(BytesOf(result)));
      int64_t position = 0;
      for (size_t rank = 0; rank < parts.size(); ++rank) {
        const LeafArray& part = parts[rank]->operands[i];
        const DimensionVector theirs = part.existing();
        for (size_t k = 0; k < theirs.size(); ++k) {
          if (k == Position(d) || theirs[k] == sizes[k]) continue;
          return absl::InvalidArgumentError(
              absl::StrCat("dimension ", k, " of operand ", i, " has dynamic size ", theirs[k],
                           " on device ", group->devices[rank], ", but ", first.existing()[k],
                           " on device ", group->devices[0]));
        }
        CopyAlong(part, d, 0, theirs[Position(d)], result, position);
        position += theirs[Position(d)];
      }
      sizes[Position(d)] = position;
      result.SetSizes(sizes);
      for (const Contribution* part : parts) {
        if (part != &here && !part->is_remote) CopyWhole(result, part->results[i]);
      }
    }
    return absl::OkStatus();
  });
}

// Block j along the dimension (or operand j, if there is none) of each device goes to the device of
// rank j.
absl::Status CallAllToAll(const LibraryCall& call) {
  const auto& dimensions = call.instruction->attributes<AllToAllAttributes>().dimensions;
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, OwnGroupOf(call));
  const std::shared_ptr<Contribution> own = Contribute(call);
  if (!dimensions.has_value()) {
    if (static_cast<int64_t>(own->operands.size()) != group->size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "it has ", own->operands.size(), " operands, but a group of ", group->size(),
          " devices, {", absl::StrJoin(group->devices, ","), "}: there must be one for each"));
    }
    return ExchangeParts(
        call, *group,
        [](Parts parts) -> absl::Status {
          for (size_t to = 0; to < parts.size(); ++to) {
            if (parts[to]->is_remote) continue;
            for (size_t from = 0; from < parts.size(); ++from)
              CopyWhole(parts[from]->operands[to], parts[to]->results[from]);
          }
          return absl::OkStatus();
        },
        [&](size_t, int64_t operand, int32_t process) {
          const int64_t target = group->devices[Position(operand)];
          return call.state->context().processes->ProcessOf(target) == process;
        });
  }
  const int64_t d = (*dimensions)[0];
  const int64_t whole = own->operands[0].shape->dimensions(static_cast<int>(d));
  const int64_t block = whole / group->size();
  XLA_RETURN_IF_ERROR(ExpectShards(whole, block, *group));
  if (const int64_t size = own->operands[0].existing()[Position(d)]; size != whole) {
    return absl::UnimplementedError(absl::StrCat("the split dimension ", d, " has dynamic size ",
                                                 size, ": it must have its full size"));
  }
  if (IsDividedStatically(call, *group)) return AllToAllAcross(call, *group, d);
  return ExchangeParts(call, *group, [&](Parts parts) -> absl::Status {
    XLA_RETURN_IF_ERROR(ExpectSameSizes(*group, parts, 0));
    for (size_t to = 0; to < parts.size(); ++to) {
      if (parts[to]->is_remote) continue;
      const LeafArray& result = parts[to]->results[0];
      for (size_t from = 0; from < parts.size(); ++from) {
        CopyAlong(parts[from]->operands[0], d, static_cast<int64_t>(to) * block, block, result,
                  static_cast<int64_t>(from) * block);
      }
      result.SetSizes(parts[0]->operands[0].existing());
    }
    return absl::OkStatus();
  });
}

// The first device of a group sends to the others; a device outside all groups gets zeros.
absl::Status CallCollectiveBroadcast(const LibraryCall& call) {
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, GroupOf(call));
  if (group->empty()) {
    ZeroResult(call);
    return absl::OkStatus();
  }
  return ExchangeParts(
      call, *group,
      [](Parts parts) -> absl::Status {
        for (const Contribution* part : parts) {
          for (size_t i = 0; i < part->results.size(); ++i)
            CopyWhole(parts[0]->operands[i], part->results[i]);
        }
        return absl::OkStatus();
      },
      [](size_t rank, int64_t, int32_t) { return rank == 0; });
}

// --- collective-permute

size_t RankOf(const DeviceGroup& group, int64_t device) {
  return static_cast<size_t>(std::lower_bound(group.devices.begin(), group.devices.end(), device) -
                             group.devices.begin());
}

// The operands of a collective-permute in place: (input, output, input offsets, output offsets),
// whose leaves follow each other.
struct SlicedOperand {
  std::vector<LeafArray> arrays;
  // The first index by array and slice, from tuples of scalars or tuples of such tuples.
  std::vector<std::vector<DimensionVector>> starts;
};

int64_t IntegerOf(const LeafArray& scalar) {
  int64_t value = 0;
  const int64_t bytes = ElementBytes(scalar);
  std::memcpy(&value, scalar.data, Position(bytes));
  const int shift = static_cast<int>(64 - 8 * bytes);
  const auto shifted = static_cast<int64_t>(static_cast<uint64_t>(value) << shift);
  return primitive_util::IsSignedIntegralType(scalar.shape->element_type())
             ? shifted >> shift
             : static_cast<int64_t>(static_cast<uint64_t>(shifted) >> shift);
}

absl::StatusOr<SlicedOperand> SlicedOperandOf(const Contribution& from, size_t buffers,
                                              size_t offsets) {
  SlicedOperand sliced;
  const auto leaves_before = [&](size_t operand) {
    int64_t count = 0;
    for (size_t i = 0; i < operand; ++i) count += ShapeUtil::GetLeafCount(from.shapes[i]);
    return static_cast<size_t>(count);
  };
  const Shape &shape = from.shapes[buffers], &offset_shape = from.shapes[offsets];
  const size_t first = leaves_before(buffers);
  const auto count = static_cast<size_t>(ShapeUtil::GetLeafCount(shape));
  sliced.arrays.assign(from.operands.begin() + static_cast<std::ptrdiff_t>(first),
                       from.operands.begin() + static_cast<std::ptrdiff_t>(first + count));
  size_t next = leaves_before(offsets);
  const auto read_tuple = [&](const Shape& tuple) -> absl::StatusOr<DimensionVector> {
    DimensionVector start;
    for (const Shape& index : tuple.tuple_shapes()) {
      if (!index.IsArray() || !primitive_util::IsIntegralType(index.element_type()) ||
          ShapeUtil::ElementsIn(index) != 1) {
        return absl::InvalidArgumentError(
            absl::StrCat("an offset is ", index.ToString(), ", not an integer scalar"));
      }
      start.push_back(IntegerOf(from.operands[next++]));
    }
    return start;
  };
  for (size_t a = 0; a < sliced.arrays.size(); ++a) {
    const Shape& own =
        shape.IsTuple() ? offset_shape.tuple_shapes(static_cast<int>(a)) : offset_shape;
    sliced.starts.emplace_back();
    const bool is_nested = own.tuple_shapes_size() > 0 && own.tuple_shapes(0).IsTuple();
    for (int i = 0; i < (is_nested ? own.tuple_shapes_size() : 1); ++i) {
      XLA_ASSIGN_OR_RETURN(DimensionVector start,
                           read_tuple(is_nested ? own.tuple_shapes(i) : own));
      sliced.starts.back().push_back(std::move(start));
    }
  }
  return sliced;
}

absl::Status CheckSlice(const LeafArray& array, const DimensionVector& start,
                        absl::Span<const int64_t> size, int64_t device) {
  const auto limits = array.shape->dimensions();
  bool fits = size.size() == limits.size() && start.size() == size.size();
  for (size_t d = 0; fits && d < size.size(); ++d) {
    fits =
        size[d] >= 0 && start[d] >= 0 && start[d] <= limits[d] && size[d] <= limits[d] - start[d];
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the slice of sizes {", absl::StrJoin(size, ","), "} at {", absl::StrJoin(start, ","),
      "} does not lie in ", array.shape->ToString(), " of device ", device));
}

// Copies slices of the inputs to the copies of the outputs.
absl::Status PermuteSlices(const DeviceGroup& group, Parts parts) {
  const auto& sizes = parts[0]->inst->attributes<CollectivePermuteAttributes>().slice_sizes;
  std::vector<SlicedOperand> inputs, outputs;
  for (const Contribution* part : parts) {
    XLA_ASSIGN_OR_RETURN(SlicedOperand input, SlicedOperandOf(*part, 0, 2));
    XLA_ASSIGN_OR_RETURN(SlicedOperand output, SlicedOperandOf(*part, 1, 3));
    for (size_t a = 0; a < output.arrays.size() && !part->is_remote; ++a) {
      CopyWhole(output.arrays[a], part->results[a]);
      output.arrays[a] = part->results[a];
    }
    inputs.push_back(std::move(input));
    outputs.push_back(std::move(output));
  }
  std::map<int64_t, size_t> sent, received;
  for (const auto& [source, target] : group.pairs) {
    const size_t out_slice = sent[source]++, in_slice = received[target]++;
    if (parts[RankOf(group, target)]->is_remote) continue;
    const SlicedOperand& from = inputs[RankOf(group, source)];
    const SlicedOperand& to = outputs[RankOf(group, target)];
    size_t first_size = 0;  // of this array in slice_sizes
    for (size_t a = 0; a < from.arrays.size(); ++a) {
      const size_t slices = from.starts[a].size();
      if (a >= to.arrays.size() || out_slice >= slices || in_slice >= to.starts[a].size() ||
          first_size + slices > sizes.size()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "the pair {", source, ",", target, "} needs more slices than there are: ", slices,
            " sent, ", a < to.starts.size() ? to.starts[a].size() : 0, " received, ", sizes.size(),
            " slice_sizes"));
      }
      const absl::Span<const int64_t> size = sizes[first_size + out_slice];
      first_size += slices;
      const LeafArray &src = from.arrays[a], &dst = to.arrays[a];
      const DimensionVector &start = from.starts[a][out_slice], &end = to.starts[a][in_slice];
      XLA_RETURN_IF_ERROR(CheckSlice(src, start, size, source));
      XLA_RETURN_IF_ERROR(CheckSlice(dst, end, size, target));
      if (src.shape->element_type() != dst.shape->element_type()) {
        return absl::InvalidArgumentError(absl::StrCat("input ", src.shape->ToString(),
                                                       " and output ", dst.shape->ToString(),
                                                       " hold different types"));
      }
      if (std::find(size.begin(), size.end(), 0) != size.end()) continue;
      const DimensionVector src_strides = DenseStrides(src.shape->dimensions()),
                            dst_strides = DenseStrides(dst.shape->dimensions());
      int64_t src_offset = 0, dst_offset = 0;
      for (size_t d = 0; d < size.size(); ++d) {
        src_offset += start[d] * src_strides[d];
        dst_offset += end[d] * dst_strides[d];
      }
      const int64_t bytes = ElementBytes(src);
      StridedCopy(bytes, size, dst.data + dst_offset * bytes, dst_strides,
                  src.data + src_offset * bytes, src_strides);
    }
  }
  return absl::OkStatus();
}

absl::Status CallCollectivePermute(const LibraryCall& call) {
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, GroupOf(call));
  if (!call.instruction->attributes<CollectivePermuteAttributes>().slice_sizes.empty()) {
    if (!group->empty()) {
      return ExchangeParts(call, *group, [&](Parts parts) { return PermuteSlices(*group, parts); });
    }
    const std::shared_ptr<Contribution> own = Contribute(call);
    const auto first = static_cast<size_t>(ShapeUtil::GetLeafCount(own->shapes[0]));
    for (size_t i = 0; i < own->results.size(); ++i)
      CopyWhole(own->operands[first + i], own->results[i]);
    return absl::OkStatus();
  }
  if (group->empty()) {
    ZeroResult(call);
    return absl::OkStatus();
  }
  const auto combine = [&](Parts parts) -> absl::Status {
    std::vector<bool> is_target(parts.size(), false);
    for (const auto& [source, target] : group->pairs) {
      const Contribution &from = *parts[RankOf(*group, source)],
                         &to = *parts[RankOf(*group, target)];
      if (is_target[RankOf(*group, target)]) {
        return absl::InvalidArgumentError(
            absl::StrCat("device ", target, " is the target of two pairs"));
      }
      is_target[RankOf(*group, target)] = true;
      for (size_t i = 0; i < to.results.size(); ++i) CopyWhole(from.operands[i], to.results[i]);
    }
    for (size_t rank = 0; rank < parts.size(); ++rank) {
      if (is_target[rank]) continue;
      for (const LeafArray& result : parts[rank]->results) {
        if (BytesOf(result) > 0) std::memset(result.data, 0, Position(BytesOf(result)));
        result.SetSizes(result.shape->dimensions());
      }
    }
    return absl::OkStatus();
  };
  return ExchangeParts(call, *group, combine, [&](size_t rank, int64_t, int32_t process) {
    return std::any_of(group->pairs.begin(), group->pairs.end(), [&](const auto& pair) {
      return pair.first == group->devices[rank] &&
             call.state->context().processes->ProcessOf(pair.second) == process;
    });
  });
}

// --- ragged-all-to-all

enum RaggedOperand : size_t {
  kInput,
  kOutput,
  kInputOffsets,
  kSendSizes,
  kOutputOffsets,
  kRecvSizes
};

// Returns element k of an array of integers.
int64_t IntegerAt(const LeafArray& array, int64_t k) {
  LeafArray element = array;
  element.data += k * ElementBytes(array);
  return IntegerOf(element);
}

absl::Status ReceiveRows(const DeviceGroup& group, Parts parts, size_t to, int64_t updates) {
  const std::vector<LeafArray>& own = parts[to]->operands;
  const LeafArray& result = parts[to]->results[0];
  CopyWhole(own[kOutput], result);
  const int64_t rows = result.shape->dimensions(0);
  const int64_t row_bytes = rows == 0 ? 0 : BytesOf(result) / rows;
  for (size_t from = 0; from < parts.size(); ++from) {
    const std::vector<LeafArray>& sent = parts[from]->operands;
    for (int64_t u = 0; u < updates; ++u) {
      const int64_t k = static_cast<int64_t>(to) * updates + u;
      const RaggedUpdate update = {
          IntegerAt(sent[kInputOffsets], k), IntegerAt(sent[kSendSizes], k),
          IntegerAt(sent[kOutputOffsets], k),
          IntegerAt(own[kRecvSizes], static_cast<int64_t>(from) * updates + u)};
      XLA_RETURN_IF_ERROR(CheckRaggedUpdate(update, sent[kInput].shape->dimensions(0), rows,
                                            group.devices[from], group.devices[to]));
      if (update.size == 0 || row_bytes == 0) continue;
      std::memcpy(result.data + update.target * row_bytes,
                  sent[kInput].data + update.source * row_bytes, Position(update.size * row_bytes));
    }
  }
  return absl::OkStatus();
}

absl::Status CallRaggedAllToAll(const LibraryCall& call) {
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, OwnGroupOf(call));
  const HloInstruction& inst = *call.instruction;
  XLA_ASSIGN_OR_RETURN(
      const int64_t updates,
      RaggedUpdateCount(OriginalOperandShape(inst, kInput), OriginalOperandShape(inst, kOutput),
                        OriginalOperandShape(inst, kInputOffsets), *group));
  return ExchangeParts(call, *group, [&](Parts parts) -> absl::Status {
    for (size_t to = 0; to < parts.size(); ++to) {
      if (!parts[to]->is_remote) XLA_RETURN_IF_ERROR(ReceiveRows(*group, parts, to, updates));
    }
    return absl::OkStatus();
  });
}

}  // namespace
}  // namespace xla::cpu::collective

namespace xla::cpu {

LibraryFunction FindCollective(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kAllGather:
      return collective::CallAllGather;
    case HloOpcode::kAllReduce:
      return collective::CallAllReduce;
    case HloOpcode::kAllToAll:
      return collective::CallAllToAll;
    case HloOpcode::kCollectiveBroadcast:
      return collective::CallCollectiveBroadcast;
    case HloOpcode::kCollectivePermute:
      return collective::CallCollectivePermute;
    case HloOpcode::kRaggedAllToAll:
      return collective::CallRaggedAllToAll;
    case HloOpcode::kReduceScatter:
      return collective::CallReduceScatter;
    default:
      return nullptr;
  }
}

}  // namespace xla::cpu
