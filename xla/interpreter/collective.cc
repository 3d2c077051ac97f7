// SPDX-License-Identifier: Apache-2.0
// Collectives: all-gather, all-reduce, reduce-scatter, all-to-all, collective-broadcast,
// replica-id, partition-id. collective-permute and ragged-all-to-all have files of their own.
//
// Reductions combine operands in a balanced binary tree over the ranks, f(f(x0, x1), f(x2, x3))..,
// so that results are deterministic, and the same if processes combine their own operands first.
// Associative operations are computed in the wide type of the elements and rounded
// once; other computations run as written.
#include "xla/interpreter/collective.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/async.h"
#include "xla/interpreter/callee.h"
#include "xla/interpreter/eval_state.h"
#include "xla/interpreter/remote_values.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/interpreter/wide_ops.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::interpreter {
namespace {

// What a device contributes to a rendezvous.
struct Contribution {
  const HloInstruction* inst;
  Values operands;
};

int64_t ElementBytes(const Value& value) { return primitive_util::ByteWidth(value.element_type()); }

// --- Reductions

// Combines `parts` parts as a tree whose left subtrees have a power of two of them. load(part,
// place) puts a part on a stack of at most kTreeDepth; combine(place) combines those at `place` and
// the next one.
constexpr size_t kTreeDepth = 12;
static_assert(runtime::kMaxDevices <= 1 << (kTreeDepth - 1));
template <typename Load, typename Combine>
void FoldTree(size_t parts, Load load, Combine combine) {
  size_t height = 0;
  for (size_t part = 0; part < parts; ++part) {
    load(part, height++);
    for (size_t whole = part; whole % 2 == 1; whole /= 2) combine(--height - 1);
  }
  while (height > 1) combine(--height - 1);
}

// The parts combined as a tree, in wide elements. False: the type has no such
// operation.
absl::StatusOr<bool> FoldWide(EvalContext& ctx, HloOpcode opcode,
                              absl::Span<const Value* const> parts, Value& result) {
  const PrimitiveType type = result.element_type();
  const int64_t bytes = ElementBytes(result), count = result.element_count();
  return WithWideOf(type, [&](auto zero) -> absl::StatusOr<bool> {
    using Wide = decltype(zero);
    const WideOps<Wide>* ops = GetWideOps<Wide>(opcode);
    if (ops == nullptr) return false;
    const WidePorts<Wide> ports(type);
    char* const to = static_cast<char*>(result.mutable_untyped_data());
    const int64_t chunk = EvalContext::ChunkFor(count, 2.0 * static_cast<double>(parts.size()));
    XLA_RETURN_IF_ERROR(ctx.ParallelFor(count, chunk, [&](int64_t begin, int64_t end) {
      constexpr int64_t kBlock = 128;
      Wide stack[kTreeDepth][kBlock];
      for (int64_t i = begin; i < end; i += kBlock) {
        const int64_t n = std::min(kBlock, end - i);
        FoldTree(
            parts.size(),
            [&](size_t part, size_t place) {
              ports.Load(parts[part]->data<char>() + i * bytes, 1, n, stack[place]);
            },
            [&](size_t place) { ops->combine(stack[place], stack[place + 1], n); });
        ports.Store(stack[0], n, to + i * bytes, 1);
      }
    }));
    return true;
  });
}

absl::Status FoldByComputation(EvalContext& ctx, const ScalarFunction& function,
                               absl::Span<const Value* const> parts, Value& result) {
  const int64_t bytes = ElementBytes(result), count = result.element_count();
  char* const to = static_cast<char*>(result.mutable_untyped_data());
  const int64_t chunk = EvalContext::ChunkFor(count, 20.0 * static_cast<double>(parts.size()));
  return ctx.ParallelForStatus(count, chunk, [&](int64_t begin, int64_t end) -> absl::Status {
    EvalContext worker = ctx.ForWorker();
    constexpr int64_t kBlock = 1024;
    std::vector<char> stack(static_cast<size_t>(std::min(kBlock, end - begin) * bytes) *
                            kTreeDepth);
    for (int64_t i = begin; i < end; i += kBlock) {
      const int64_t n = std::min(kBlock, end - i);
      const auto at = [&](size_t place) {
        return stack.data() + static_cast<int64_t>(place) * n * bytes;
      };
      absl::Status status;
      FoldTree(
          parts.size(),
          [&](size_t part, size_t place) {
            std::copy_n(parts[part]->data<char>() + i * bytes, n * bytes, at(place));
          },
          [&](size_t place) {
            if (status.ok())
              status = function.ApplyBinary(worker, n, at(place), at(place + 1), at(place));
          });
      XLA_RETURN_IF_ERROR(status);
      std::copy_n(at(0), n * bytes, to + i * bytes);
    }
    return absl::OkStatus();
  });
}

// Operand i of all devices, reduced.
absl::StatusOr<Value> Fold(EvalContext& ctx, const HloInstruction& inst,
                           absl::Span<const Values* const> inputs, size_t i) {
  std::vector<const Value*> parts;
  for (const Values* input : inputs) parts.push_back(&(*input)[i]);
  if (parts.size() == 1) return *parts[0];
  const Value& first = *parts[0];
  const HloComputation& computation = *inst.to_apply();
  const ScalarFunction* function = ctx.GetScalarFunction(computation);
  if (function == nullptr || function->num_inputs() != 2 || function->num_outputs() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its computation ", computation.name(), " is not a function of two scalars to a scalar"));
  }
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.operand(static_cast<int64_t>(i))->shape()));
  result.CopyDynamicSizesFrom(first);
  if (const auto binary = function->binary()) {
    XLA_ASSIGN_OR_RETURN(const bool done, FoldWide(ctx, binary->opcode, parts, result));
    if (done) return result;
  }
  for (const PrimitiveType type :
       {function->input_type(0), function->input_type(1), function->output_type(0)}) {
    if (type == first.element_type()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("its computation ", computation.name(), " works on ",
                     primitive_util::LowercasePrimitiveTypeName(type), ", but operand ", i,
                     " holds ", primitive_util::LowercasePrimitiveTypeName(first.element_type())));
  }
  XLA_RETURN_IF_ERROR(FoldByComputation(ctx, *function, parts, result));
  return result;
}

// --- Blocks along a dimension

// Copies `count` indices of dimension `d` from position `from` of src to position `to` of dst, with
// the existing sizes of src in the other dimensions.
absl::Status CopyAlong(EvalContext& ctx, const Value& src, int64_t d, int64_t from, int64_t count,
                       Value& dst, int64_t to) {
  DimensionVector box = src.existing_dimensions();
  box[static_cast<size_t>(d)] = count;
  if (std::find(box.begin(), box.end(), 0) != box.end()) return absl::OkStatus();
  const DimensionVector src_strides = RowMajorStrides(src.dimensions());
  const DimensionVector dst_strides = RowMajorStrides(dst.dimensions());
  const int64_t bytes = ElementBytes(src);
  return StridedCopy(ctx, bytes, box,
                     src.data<char>() + from * src_strides[static_cast<size_t>(d)] * bytes,
                     src_strides,
                     static_cast<char*>(dst.mutable_untyped_data()) +
                         to * dst_strides[static_cast<size_t>(d)] * bytes,
                     dst_strides);
}

absl::Status ExpectShards(int64_t whole, int64_t part, const DeviceGroup& group) {
  if (absl::int128(part) * group.size() == whole) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "a group of ", group.size(), " devices, {", absl::StrJoin(group.devices, ","),
      "}, does not fit its shapes: ", whole, " indices are not ", group.size(), " times ", part));
}

const Shape& PartOf(const Shape& shape, size_t i) {
  return shape.IsTuple() ? shape.tuple_shapes(static_cast<int>(i)) : shape;
}

// The arrays of an all-gather whose result has `shape`.
absl::StatusOr<Values> Gather(EvalContext& ctx, const HloInstruction& inst, const Shape& shape,
                              absl::Span<Value> operands) {
  const int64_t d = inst.attributes<AllGatherAttributes>().dimensions[0];
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, OwnGroupOf(ctx, inst));
  for (size_t i = 0; i < operands.size(); ++i) {
    XLA_RETURN_IF_ERROR(ExpectShards(PartOf(shape, i).dimensions(static_cast<int>(d)),
                                     operands[i].dimensions()[static_cast<size_t>(d)], *group));
  }
  return Exchange(
      ctx, inst, *group, operands,
      [&](absl::Span<const Values* const> inputs) -> absl::StatusOr<std::vector<Values>> {
        Values results;
        for (size_t i = 0; i < inputs[0]->size(); ++i) {
          XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(PartOf(shape, i)));
          // Existing elements are packed, as in concatenate.
          const Value& first = (*inputs[0])[i];
          DimensionVector sizes = first.existing_dimensions();
          bool is_dynamic = false;
          int64_t position = 0;
          for (size_t rank = 0; rank < inputs.size(); ++rank) {
            const Value& part = (*inputs[rank])[i];
            for (int64_t k = 0; k < part.rank(); ++k) {
              if (k == d || part.dynamic_size(k) == sizes[static_cast<size_t>(k)]) continue;
              return absl::InvalidArgumentError(
                  absl::StrCat("dimension ", k, " of operand ", i, " has dynamic size ",
                               part.dynamic_size(k), " on device ", group->devices[rank], ", but ",
                               first.dynamic_size(k), " on device ", group->devices[0]));
            }
            is_dynamic |= part.has_dynamic_sizes();
            XLA_RETURN_IF_ERROR(CopyAlong(ctx, part, d, 0, part.dynamic_size(d), result, position));
            position += part.dynamic_size(d);
          }
          sizes[static_cast<size_t>(d)] = position;
          if (is_dynamic) result.SetDynamicSizes(sizes);
          results.push_back(std::move(result));
        }
        return ForAll(*group, std::move(results));
      });
}

}  // namespace

// --- Helpers of all collectives

absl::StatusOr<const DeviceGroup*> GroupOf(EvalContext& ctx, const HloInstruction& inst) {
  DeviceRun& device = ctx.device();
  const auto found = device.groups.find(&inst);
  if (found != device.groups.end()) return &found->second;
  XLA_ASSIGN_OR_RETURN(DeviceGroup group, FindGroup(inst, ctx.state().PositionOf(device)));
  return &device.groups.emplace(&inst, std::move(group)).first->second;
}

absl::StatusOr<const DeviceGroup*> OwnGroupOf(EvalContext& ctx, const HloInstruction& inst) {
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, GroupOf(ctx, inst));
  if (!group->empty()) return group;
  const DeviceRun& device = ctx.device();
  return absl::InvalidArgumentError(absl::StrCat("device ", device.device, " (replica ",
                                                 device.replica, ", partition ", device.partition,
                                                 ") is in none of its replica groups"));
}

absl::StatusOr<Values> Exchange(EvalContext& ctx, const HloInstruction& inst,
                                const DeviceGroup& group, absl::Span<Value> operands,
                                CombineFunction combine) {
  auto mine = std::make_shared<Contribution>();
  mine->inst = &inst;
  for (Value& operand : operands) mine->operands.push_back(std::move(operand));
  if (group.size() == 1) {
    const Values* const input = &mine->operands;
    XLA_ASSIGN_OR_RETURN(std::vector<Values> results, combine(absl::MakeConstSpan(&input, 1)));
    return std::move(results[0]);
  }
  const std::optional<int64_t> channel = ChannelOf(inst);
  const runtime::Rendezvous::Place place = {
      channel.has_value(),
      channel.value_or(static_cast<int64_t>(reinterpret_cast<intptr_t>(&inst)))};
  EvalState& state = ctx.state();
  // The devices of this process, by position in the group.
  runtime::ProcessGroup* const processes = state.options().processes;
  std::vector<int64_t> ranks, devices;
  int64_t own = 0;
  for (int64_t rank = 0; rank < group.size(); ++rank) {
    const int64_t device = group.devices[static_cast<size_t>(rank)];
    if (processes != nullptr && !processes->IsLocal(device)) continue;
    if (rank == group.rank) own = static_cast<int64_t>(ranks.size());
    ranks.push_back(rank);
    devices.push_back(device);
  }
  XLA_ASSIGN_OR_RETURN(
      const runtime::Rendezvous::Payload payload,
      state.rendezvous().Meet(
          place, devices, own, inst.name(), std::move(mine),
          [&](absl::Span<const runtime::Rendezvous::Payload> brought)
              -> absl::StatusOr<std::vector<runtime::Rendezvous::Payload>> {
            std::vector<const Values*> inputs(static_cast<size_t>(group.size()));
            size_t next = 0;
            for (const runtime::Rendezvous::Payload& one : brought) {
              const auto* contribution = static_cast<const Contribution*>(one.get());
              if (contribution->inst != &inst)
                XLA_RETURN_IF_ERROR(CheckSameCollective(inst, *contribution->inst));
              inputs[static_cast<size_t>(ranks[next++])] = &contribution->operands;
            }
            std::vector<Values> received;
            if (ranks.size() < inputs.size())
              XLA_RETURN_IF_ERROR(ReceiveOperands(ctx, inst, group, inputs, received));
            XLA_ASSIGN_OR_RETURN(std::vector<Values> results, combine(inputs));
            std::vector<runtime::Rendezvous::Payload> payloads;
            for (const int64_t rank : ranks) {
              payloads.push_back(
                  std::make_shared<Values>(std::move(results[static_cast<size_t>(rank)])));
            }
            return payloads;
          },
          state.Limits(ctx)));
  return std::move(*static_cast<Values*>(payload.get()));
}

Value WithResultShape(const Shape& shape, Values values) {
  if (!shape.IsTuple()) return std::move(values[0]).WithShape(shape);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::move(values[i]).WithShape(shape.tuple_shapes(static_cast<int>(i)));
  return Value::Tuple(shape, std::move(values));
}

std::vector<Values> ForAll(const DeviceGroup& group, Values results) {
  return std::vector<Values>(static_cast<size_t>(group.size()), results);
}

absl::Status ExpectSameSizes(const DeviceGroup& group, absl::Span<const Values* const> inputs,
                             size_t i) {
  const DimensionVector sizes = (*inputs[0])[i].existing_dimensions();
  for (size_t rank = 1; rank < inputs.size(); ++rank) {
    const DimensionVector theirs = (*inputs[rank])[i].existing_dimensions();
    if (theirs == sizes) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("operand ", i, " has dynamic sizes [", absl::StrJoin(theirs, ","),
                     "] on device ", group.devices[rank], ", but [", absl::StrJoin(sizes, ","),
                     "] on device ", group.devices[0]));
  }
  return absl::OkStatus();
}

// --- Operations

absl::StatusOr<Value> EvalAllGather(EvalContext& ctx, const HloInstruction& inst,
                                    absl::Span<Value> operands) {
  XLA_ASSIGN_OR_RETURN(Values results, Gather(ctx, inst, inst.shape(), operands));
  return WithResultShape(inst.shape(), std::move(results));
}

// ((operands), results, contexts...)
absl::StatusOr<Value> EvalAllGatherStart(EvalContext& ctx, const HloInstruction& inst,
                                         absl::Span<Value> operands) {
  Values before(operands.begin(), operands.end());
  const Shape& shape = inst.shape().tuple_shapes(1);
  XLA_ASSIGN_OR_RETURN(Values results, Gather(ctx, inst, shape, operands));
  Values elements;
  elements.push_back(WithResultShape(inst.shape().tuple_shapes(0), std::move(before)));
  elements.push_back(WithResultShape(shape, std::move(results)));
  return StartResult(ctx, inst.shape(), std::move(elements));
}

// (operands, results, contexts...) -> results
absl::StatusOr<Value> EvalCollectiveDone(EvalContext&, const HloInstruction& inst,
                                         absl::Span<Value> operands) {
  return operands[0].TakeElement(1).WithShape(inst.shape());
}

absl::StatusOr<Value> EvalAllReduce(EvalContext& ctx, const HloInstruction& inst,
                                    absl::Span<Value> operands) {
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, OwnGroupOf(ctx, inst));
  XLA_ASSIGN_OR_RETURN(
      Values results,
      Exchange(ctx, inst, *group, operands,
               [&](absl::Span<const Values* const> inputs) -> absl::StatusOr<std::vector<Values>> {
                 Values reduced;
                 for (size_t i = 0; i < inputs[0]->size(); ++i) {
                   XLA_RETURN_IF_ERROR(ExpectSameSizes(*group, inputs, i));
                   XLA_ASSIGN_OR_RETURN(Value value, Fold(ctx, inst, inputs, i));
                   reduced.push_back(std::move(value));
                 }
                 return ForAll(*group, std::move(reduced));
               }));
  return WithResultShape(inst.shape(), std::move(results));
}

absl::StatusOr<Value> EvalReduceScatter(EvalContext& ctx, const HloInstruction& inst,
                                        absl::Span<Value> operands) {
  const int64_t d = inst.attributes<ReduceScatterAttributes>().dimensions[0];
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, OwnGroupOf(ctx, inst));
  for (size_t i = 0; i < operands.size(); ++i) {
    XLA_RETURN_IF_ERROR(ExpectShards(operands[i].dimensions()[static_cast<size_t>(d)],
                                     PartOf(inst.shape(), i).dimensions(static_cast<int>(d)),
                                     *group));
    if (operands[i].dynamic_size(d) != operands[i].dimensions()[static_cast<size_t>(d)]) {
      return absl::UnimplementedError(
          absl::StrCat("the scattered dimension ", d, " of operand ", i, " has dynamic size ",
                       operands[i].dynamic_size(d), ": it must have its full size"));
    }
  }
  XLA_ASSIGN_OR_RETURN(
      Values results,
      Exchange(ctx, inst, *group, operands,
               [&](absl::Span<const Values* const> inputs) -> absl::StatusOr<std::vector<Values>> {
                 std::vector<Values> parts(inputs.size());
                 for (size_t i = 0; i < inputs[0]->size(); ++i) {
                   XLA_RETURN_IF_ERROR(ExpectSameSizes(*group, inputs, i));
                   XLA_ASSIGN_OR_RETURN(const Value whole, Fold(ctx, inst, inputs, i));
                   const Shape& shape = PartOf(inst.shape(), i);
                   const int64_t size = shape.dimensions(static_cast<int>(d));
                   for (size_t rank = 0; rank < inputs.size(); ++rank) {
                     XLA_ASSIGN_OR_RETURN(Value part, ctx.Allocate(shape));
                     XLA_RETURN_IF_ERROR(CopyAlong(ctx, whole, d, static_cast<int64_t>(rank) * size,
                                                   size, part, 0));
                     if (whole.has_dynamic_sizes()) {
                       DimensionVector sizes = whole.existing_dimensions();
                       sizes[static_cast<size_t>(d)] = size;
                       part.SetDynamicSizes(sizes);
                     }
                     parts[rank].push_back(std::move(part));
                   }
                 }
                 return parts;
               }));
  return WithResultShape(inst.shape(), std::move(results));
}

// Block j along the dimension (or operand j, if there is none) of each device goes to the device of
// rank j.
absl::StatusOr<Value> EvalAllToAll(EvalContext& ctx, const HloInstruction& inst,
                                   absl::Span<Value> operands) {
  const auto& dimensions = inst.attributes<AllToAllAttributes>().dimensions;
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, OwnGroupOf(ctx, inst));
  if (!dimensions.has_value()) {
    if (static_cast<int64_t>(operands.size()) != group->size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "it has ", operands.size(), " operands, but a group of ", group->size(), " devices, {",
          absl::StrJoin(group->devices, ","), "}: there must be one for each"));
    }
    XLA_ASSIGN_OR_RETURN(Values results, Exchange(ctx, inst, *group, operands,
                                                  [&](absl::Span<const Values* const> inputs)
                                                      -> absl::StatusOr<std::vector<Values>> {
                                                    std::vector<Values> received(inputs.size());
                                                    for (size_t to = 0; to < inputs.size(); ++to) {
                                                      for (const Values* from : inputs)
                                                        received[to].push_back((*from)[to]);
                                                    }
                                                    return received;
                                                  }));
    return WithResultShape(inst.shape(), std::move(results));
  }
  const int64_t d = (*dimensions)[0];
  const int64_t whole = operands[0].dimensions()[static_cast<size_t>(d)];
  const int64_t block = whole / group->size();
  XLA_RETURN_IF_ERROR(ExpectShards(whole, block, *group));
  if (operands[0].dynamic_size(d) != whole) {
    return absl::UnimplementedError(absl::StrCat("the split dimension ", d, " has dynamic size ",
                                                 operands[0].dynamic_size(d),
                                                 ": it must have its full size"));
  }
  XLA_ASSIGN_OR_RETURN(
      Values results,
      Exchange(ctx, inst, *group, operands,
               [&](absl::Span<const Values* const> inputs) -> absl::StatusOr<std::vector<Values>> {
                 XLA_RETURN_IF_ERROR(ExpectSameSizes(*group, inputs, 0));
                 std::vector<Values> received(inputs.size());
                 for (size_t to = 0; to < inputs.size(); ++to) {
                   XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
                   for (size_t from = 0; from < inputs.size(); ++from) {
                     XLA_RETURN_IF_ERROR(CopyAlong(ctx, (*inputs[from])[0], d,
                                                   static_cast<int64_t>(to) * block, block, result,
                                                   static_cast<int64_t>(from) * block));
                   }
                   result.CopyDynamicSizesFrom((*inputs[0])[0]);
                   received[to].push_back(std::move(result));
                 }
                 return received;
               }));
  return WithResultShape(inst.shape(), std::move(results));
}

// The first device of a group sends to the others; a device outside all groups gets zeros.
absl::StatusOr<Value> EvalCollectiveBroadcast(EvalContext& ctx, const HloInstruction& inst,
                                              absl::Span<Value> operands) {
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, GroupOf(ctx, inst));
  if (group->empty()) return ctx.AllocateZeros(inst.shape());
  XLA_ASSIGN_OR_RETURN(
      Values results,
      Exchange(ctx, inst, *group, operands,
               [&](absl::Span<const Values* const> inputs) -> absl::StatusOr<std::vector<Values>> {
                 return ForAll(*group, *inputs[0]);
               }));
  return WithResultShape(inst.shape(), std::move(results));
}

absl::StatusOr<Value> EvalParticipantId(EvalContext& ctx, const HloInstruction& inst,
                                        absl::Span<Value>) {
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  const DeviceRun& device = ctx.device();
  *result.mutable_data<uint32_t>() = static_cast<uint32_t>(
      inst.opcode() == HloOpcode::kReplicaId ? device.replica : device.partition);
  return result;
}

}  // namespace xla::interpreter
