// SPDX-License-Identifier: Apache-2.0
// Collectives. The devices of a group meet at a rendezvous; the last one to arrive reads the
// operands of all and writes the results of all, while the others wait.
//
// Reductions combine operands in order of rank, so that results are deterministic.
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
#include "xla/cpu/run/literal_memory.h"
#include "xla/layout_strides.h"
#include "xla/passes/collective_group.h"
#include "xla/passes/dynamic_shapes.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/strided_copy.h"

namespace xla::cpu {
namespace {

// The operands and results of a device. The memory is kept until all devices have ended, and so are
// the shapes, in `shapes`.
struct Contribution {
  const HloInstruction* inst;
  std::vector<Shape> shapes;
  std::vector<char*> operand_memory, result_memory;
  std::vector<LeafArray> operands, results;  // all leaves
};
using Parts = absl::Span<const Contribution* const>;
using CombineFunction = absl::FunctionRef<absl::Status(Parts parts)>;

std::shared_ptr<Contribution> Contribute(const LibraryCall& call) {
  auto mine = std::make_shared<Contribution>();
  mine->inst = call.instruction;
  mine->operand_memory.assign(call.operands.begin(), call.operands.end());
  mine->result_memory.assign(call.results.begin(), call.results.end());
  for (int64_t i = 0; i < call.instruction->operand_count(); ++i)
    mine->shapes.push_back(OriginalOperandShape(*call.instruction, i));
  mine->shapes.push_back(OriginalShape(*call.instruction));
  absl::Span<char*const> operands = mine->operand_memory, results = mine->result_memory;
  for (size_t i = 0; i + 1 < mine->shapes.size(); ++i)
    CollectLeafArrays(mine->shapes[i], operands, mine->operands);
  CollectLeafArrays(mine->shapes.back(), results, mine->results);
  return mine;
}

// Returns the group of this device, which may be empty; computed once per run.
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

absl::Status ExchangeParts(const LibraryCall& call, const DeviceGroup& group,
                           CombineFunction combine) {
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
  return call.state->device()
      .Meeting()
      .Meet(
          place, group.devices, group.rank, inst.name(), std::move(mine),
          [&](absl::Span<const runtime::Rendezvous::Payload> brought)
              -> absl::StatusOr<std::vector<runtime::Rendezvous::Payload>> {
            std::vector<const Contribution*> parts;
            for (const runtime::Rendezvous::Payload& one : brought) {
              const auto* contribution = static_cast<const Contribution*>(one.get());
              if (contribution->inst != &inst)
                XLA_RETURN_IF_ERROR(CheckSameCollective(inst, *contribution->inst));
              parts.push_back(contribution);
            }
            XLA_RETURN_IF_ERROR(combine(parts));
            return std::vector<runtime::Rendezvous::Payload>(brought.size());
          },
          call.state->Limits())
      .status();
}

// --- Arrays

int64_t BytesOf(const LeafArray& array) { return DenseArrayBytes(*array.shape); }
int64_t ElementBytes(const LeafArray& array) {
  return primitive_util::ByteWidth(array.shape->element_type());
}
size_t Position(int64_t i) { return static_cast<size_t>(i); }

void CopyWhole(const LeafArray& from, const LeafArray& to) {
  if (!from.shape->IsArray()) return;
  if (BytesOf(to) > 0) std::memcpy(to.data, from.data, Position(BytesOf(to)));
  to.SetSizes(from.existing());
}

void ZeroResult(const LibraryCall& call) {
  const std::shared_ptr<Contribution> mine = Contribute(call);
  for (const LeafArray& result : mine->results) {
    if (!result.shape->IsArray()) continue;
    if (BytesOf(result) > 0) std::memset(result.data, 0, Position(BytesOf(result)));
    result.SetSizes(result.shape->dimensions());
  }
}

// Copies `count` indices of dimension `d` from position `from` of src to position `to` of dst,
// within the valid extents of src in the other dimensions.
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
  const int64_t bytes = BytesOf(first);
  if (bytes == 0) return absl::OkStatus();
  if (parts.size() == 1) {
    std::memcpy(result, first.data, Position(bytes));
    return absl::OkStatus();
  }
  if (call.combiners.size() <= i || call.combiners[i] == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("its computation is not a function of two scalars to a scalar of the type of "
                     "operand ",
                     i));
  }
  std::vector<char*> arrays;
  for (const Contribution* part : parts) arrays.push_back(part->operands[i].data);
  arrays.push_back(result);
  arrays.push_back(reinterpret_cast<char*>(call.state));
  return call.state->ParallelFor(
      bytes / ElementBytes(first), 65536, [&](int64_t begin, int64_t end) {
        call.combiners[i](arrays.data(), static_cast<int64_t>(parts.size()), begin, end);
        return absl::OkStatus();
      });
}

absl::Status CallAllReduce(const LibraryCall& call) {
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, OwnGroupOf(call));
  return ExchangeParts(call, *group, [&](Parts parts) -> absl::Status {
    for (size_t i = 0; i < parts[0]->operands.size(); ++i) {
      XLA_RETURN_IF_ERROR(ExpectSameSizes(*group, parts, i));
      XLA_RETURN_IF_ERROR(Fold(call, parts, i, parts[0]->results[i].data));
      parts[0]->results[i].SetSizes(parts[0]->operands[i].existing());
      for (const Contribution* part : parts.subspan(1))
        CopyWhole(parts[0]->results[i], part->results[i]);
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
  return ExchangeParts(call, *group, [&](Parts parts) -> absl::Status {
    for (size_t i = 0; i < parts[0]->operands.size(); ++i) {
      XLA_RETURN_IF_ERROR(ExpectSameSizes(*group, parts, i));
      LeafArray whole = parts[0]->operands[i];
      XLA_ASSIGN_OR_RETURN(const std::shared_ptr<void> memory,
                           call.state->Allocate(std::max<int64_t>(BytesOf(whole), 1)));
      XLA_RETURN_IF_ERROR(Fold(call, parts, i, static_cast<char*>(memory.get())));
      whole.data = static_cast<char*>(memory.get());
      for (size_t rank = 0; rank < parts.size(); ++rank) {
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
  return ExchangeParts(call, *group, [&](Parts parts) -> absl::Status {
    for (size_t i = 0; i < parts[0]->operands.size(); ++i) {
      const LeafArray& result = parts[0]->results[i];
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
      for (const Contribution* part : parts.subspan(1)) CopyWhole(result, part->results[i]);
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
    return ExchangeParts(call, *group, [](Parts parts) -> absl::Status {
      for (size_t to = 0; to < parts.size(); ++to) {
        for (size_t from = 0; from < parts.size(); ++from)
          CopyWhole(parts[from]->operands[to], parts[to]->results[from]);
      }
      return absl::OkStatus();
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
  return ExchangeParts(call, *group, [&](Parts parts) -> absl::Status {
    XLA_RETURN_IF_ERROR(ExpectSameSizes(*group, parts, 0));
    for (size_t to = 0; to < parts.size(); ++to) {
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
  return ExchangeParts(call, *group, [](Parts parts) -> absl::Status {
    for (const Contribution* part : parts) {
      for (size_t i = 0; i < part->results.size(); ++i)
        CopyWhole(parts[0]->operands[i], part->results[i]);
    }
    return absl::OkStatus();
  });
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
    for (size_t a = 0; a < output.arrays.size(); ++a) {
      CopyWhole(output.arrays[a], part->results[a]);
      output.arrays[a] = part->results[a];
    }
    inputs.push_back(std::move(input));
    outputs.push_back(std::move(output));
  }
  std::map<int64_t, size_t> sent, received;
  for (const auto& [source, target] : group.pairs) {
    const size_t out_slice = sent[source]++, in_slice = received[target]++;
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
  return ExchangeParts(call, *group, [&](Parts parts) -> absl::Status {
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
    for (size_t to = 0; to < parts.size(); ++to)
      XLA_RETURN_IF_ERROR(ReceiveRows(*group, parts, to, updates));
    return absl::OkStatus();
  });
}

}  // namespace

LibraryFunction FindCollective(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kAllGather:
      return CallAllGather;
    case HloOpcode::kAllReduce:
      return CallAllReduce;
    case HloOpcode::kAllToAll:
      return CallAllToAll;
    case HloOpcode::kCollectiveBroadcast:
      return CallCollectiveBroadcast;
    case HloOpcode::kCollectivePermute:
      return CallCollectivePermute;
    case HloOpcode::kRaggedAllToAll:
      return CallRaggedAllToAll;
    case HloOpcode::kReduceScatter:
      return CallReduceScatter;
    default:
      return nullptr;
  }
}

}  // namespace xla::cpu
