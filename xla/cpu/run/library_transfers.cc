// SPDX-License-Identifier: Apache-2.0
// infeed, outfeed, send and recv.
//
// A send stores its data and returns at once. A recv names a message, by the order of its channel,
// and gives (buffer, request number, token); recv-done waits for that message.
#include "xla/cpu/run/library_transfers.h"

#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/run/literal_memory.h"
#include "xla/passes/communication.h"
#include "xla/passes/dynamic_shapes.h"
#include "xla/runtime/channels.h"
#include "xla/runtime/feeds.h"
#include "xla/runtime/process_group.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

absl::StatusOr<runtime::Feeds*> FeedsOf(const LibraryCall& call) {
  runtime::Feeds* const feeds = call.state->context().feeds;
  if (feeds != nullptr) return feeds;
  return absl::FailedPreconditionError("the run has no infeed and outfeed queues");
}

absl::StatusOr<runtime::HostChannels*> HostOf(const LibraryCall& call) {
  runtime::HostChannels* const channels = call.state->context().host_channels;
  if (channels != nullptr) return channels;
  return absl::FailedPreconditionError(
      "it is a transfer with the host, but the run has no channels to the host");
}

// The result is (data, token). An empty tuple needs no data.
absl::Status CallInfeed(const LibraryCall& call) {
  const Shape shape = OriginalShape(*call.instruction).tuple_shapes(0);
  if (shape.IsTuple() && shape.tuple_shapes_size() == 0) return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(runtime::Feeds* const feeds, FeedsOf(call));
  XLA_ASSIGN_OR_RETURN(
      const Literal literal,
      feeds->ReadInfeed(shape, call.state->device().position.id(), call.state->Limits()));
  absl::Span<char* const> leaves = call.results;
  LiteralToLeaves(literal, shape, leaves);
  return absl::OkStatus();
}

absl::Status CallOutfeed(const LibraryCall& call) {
  XLA_ASSIGN_OR_RETURN(runtime::Feeds* const feeds, FeedsOf(call));
  const auto& declared = call.instruction->attributes<OutfeedAttributes>().outfeed_shape;
  Shape shape = OriginalOperandShape(*call.instruction, 0);
  if (declared.has_value() && ShapeUtil::Compatible(*declared, shape)) shape = *declared;
  absl::Span<char* const> leaves = call.operands;
  XLA_ASSIGN_OR_RETURN(Literal literal, LiteralFromLeaves(shape, leaves));
  return feeds->WriteOutfeed(std::move(literal), call.state->device().position.id(),
                             call.state->Limits());
}

runtime::Rendezvous::Place PlaceOf(const HloInstruction& inst) {
  return {/*is_channel=*/true, inst.attributes<SendRecvAttributes>().channel_id.value_or(0)};
}

// Returns the number of leaves of the data of a transfer, the first element of its tuple.
size_t DataLeaves(const HloInstruction& inst) {
  return static_cast<size_t>(ShapeUtil::GetLeafCount(inst.shape().tuple_shapes(0)));
}

// A send and its recv are one operation to other processes: a message of a channel.
runtime::ProcessGroup::Operation TransferOperation(const HloInstruction& inst, const Shape& data) {
  return {"message", data.ToString(), OperationText(inst)};
}

// INVALID_ARGUMENT for a message without source and target, whose other side may be anywhere.
absl::Status ExpectOneProcess(const LibraryCall& call) {
  if (call.state->context().processes == nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "it has no source-target pairs, without which messages stay in one process");
}

// Copies the arrays of a shape's static form.
void CopyLeaves(const Shape& form, absl::Span<char* const> from, absl::Span<char* const> to) {
  size_t leaf = 0;
  ShapeUtil::ForEachSubshape(form, [&](const Shape& part, const ShapeIndex&) {
    if (part.IsTuple()) return;
    if (part.IsArray() && DenseArrayBytes(part) > 0)
      std::memcpy(to[leaf], from[leaf], static_cast<size_t>(DenseArrayBytes(part)));
    ++leaf;
  });
}

// Writes zeros to the arrays of a shape's static form. Returns the number of its leaves.
size_t ZeroLeaves(const Shape& form, absl::Span<char* const> leaves) {
  size_t leaf = 0;
  ShapeUtil::ForEachSubshape(form, [&](const Shape& part, const ShapeIndex&) {
    if (part.IsTuple()) return;
    if (part.IsArray() && DenseArrayBytes(part) > 0)
      std::memset(leaves[leaf], 0, static_cast<size_t>(DenseArrayBytes(part)));
    ++leaf;
  });
  return leaf;
}

std::shared_ptr<const Message> MakeMessage(const Shape& shape, const Shape& form,
                                           absl::Span<char* const> leaves) {
  auto message = std::make_shared<Message>();
  message->shape = shape;
  size_t leaf = 0;
  ShapeUtil::ForEachSubshape(form, [&](const Shape& part, const ShapeIndex&) {
    if (part.IsTuple()) return;
    message->leaves.emplace_back();
    if (part.IsArray() && DenseArrayBytes(part) > 0)
      message->leaves.back().assign(leaves[leaf], leaves[leaf] + DenseArrayBytes(part));
    ++leaf;
  });
  return message;
}

// The result is (data, context, token).
absl::Status CallSend(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  DeviceState& device = call.state->device();
  const Shape& form = inst.operand(0)->shape();
  const Shape shape = OriginalOperandShape(inst, 0);
  const auto data = static_cast<size_t>(ShapeUtil::GetLeafCount(form));
  CopyLeaves(form, call.operands.subspan(0, data), call.results.subspan(0, data));
  std::memset(call.results[data], 0, sizeof(uint32_t));
  if (inst.attributes<SendRecvAttributes>().is_host_transfer) {
    XLA_ASSIGN_OR_RETURN(runtime::HostChannels* const host, HostOf(call));
    absl::Span<char* const> leaves = call.operands;
    XLA_ASSIGN_OR_RETURN(Literal literal, LiteralFromLeaves(shape, leaves));
    return host->Send(std::move(literal), device.position.id(), PlaceOf(inst).id,
                      call.state->Limits());
  }
  XLA_ASSIGN_OR_RETURN(const std::optional<DevicePairList> pairs,
                       TransferPairs(inst, device.position));
  const int64_t self = device.position.id();
  runtime::ProcessGroup* const processes = call.state->context().processes;
  const auto send = [&](int64_t source, int64_t target) {
    if (processes != nullptr && target >= 0 && !processes->IsLocal(target)) {
      std::vector<absl::Span<const char>> parts;
      size_t leaf = 0;
      ShapeUtil::ForEachSubshape(form, [&](const Shape& part, const ShapeIndex&) {
        if (part.IsTuple()) return;
        if (part.IsArray())
          parts.emplace_back(call.operands[leaf], static_cast<size_t>(DenseArrayBytes(part)));
        ++leaf;
      });
      return processes->Send(TransferOperation(inst, shape), {PlaceOf(inst), source, target},
                             processes->ProcessOf(target), parts);
    }
    return device.Meeting().Send(
        {PlaceOf(inst), source, target}, self,
        std::const_pointer_cast<Message>(MakeMessage(shape, form, call.operands)));
  };
  if (!pairs.has_value()) {
    XLA_RETURN_IF_ERROR(ExpectOneProcess(call));
    return send(-1, -1);
  }
  for (const auto& [source, target] : *pairs) {
    if (source == self) XLA_RETURN_IF_ERROR(send(source, target));
  }
  return absl::OkStatus();
}

absl::Status CallNothing(const LibraryCall&) { return absl::OkStatus(); }

absl::Status CallRecv(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  DeviceState& device = call.state->device();
  std::optional<PendingReceives::Source> source;
  if (inst.attributes<SendRecvAttributes>().is_host_transfer) {
    XLA_RETURN_IF_ERROR(HostOf(call).status());
    source = PendingReceives::Source{/*is_host=*/true, {PlaceOf(inst)}};
  } else {
    XLA_ASSIGN_OR_RETURN(const auto pair, ReceivePair(inst, device.position));
    if (pair.has_value() && pair->first < 0) XLA_RETURN_IF_ERROR(ExpectOneProcess(call));
    if (pair.has_value())
      source =
          PendingReceives::Source{/*is_host=*/false, {PlaceOf(inst), pair->first, pair->second}};
  }
  XLA_ASSIGN_OR_RETURN(const uint32_t number, device.receives.Add(&inst, source));
  const size_t leaf = ZeroLeaves(inst.shape().tuple_shapes(0), call.results);
  std::memcpy(call.results[leaf], &number, sizeof(number));
  return absl::OkStatus();
}

// Waits for the next message of a source for this recv.
absl::StatusOr<std::shared_ptr<const Message>> Await(const LibraryCall& call,
                                                     const PendingReceives::Source& source,
                                                     const HloInstruction& recv) {
  DeviceState& device = call.state->device();
  const Shape shape = OriginalShape(recv).tuple_shapes(0);
  if (source.is_host) {
    XLA_ASSIGN_OR_RETURN(runtime::HostChannels* const host, HostOf(call));
    XLA_ASSIGN_OR_RETURN(
        const Literal literal,
        host->Receive(shape, device.position.id(), source.channel.place.id, call.state->Limits()));
    auto message = std::make_shared<Message>();
    message->shape = shape;
    std::vector<char*> memory;
    ShapeUtil::ForEachSubshape(recv.shape().tuple_shapes(0), [&](const Shape& part,
                                                                 const ShapeIndex&) {
      if (part.IsTuple()) return;
      message->leaves.emplace_back(static_cast<size_t>(part.IsArray() ? DenseArrayBytes(part) : 0));
    });
    for (std::vector<char>& leaf : message->leaves) memory.push_back(leaf.data());
    absl::Span<char* const> leaves = memory;
    LiteralToLeaves(literal, shape, leaves);
    return message;
  }
  runtime::ProcessGroup* const processes = call.state->context().processes;
  if (processes != nullptr && source.channel.source >= 0 &&
      !processes->IsLocal(source.channel.source)) {
    auto message = std::make_shared<Message>();
    message->shape = shape;
    std::vector<absl::Span<char>> parts;
    ShapeUtil::ForEachSubshape(recv.shape().tuple_shapes(0), [&](const Shape& part,
                                                                 const ShapeIndex&) {
      if (part.IsTuple()) return;
      message->leaves.emplace_back(static_cast<size_t>(part.IsArray() ? DenseArrayBytes(part) : 0));
    });
    for (std::vector<char>& leaf : message->leaves) parts.push_back(absl::MakeSpan(leaf));
    XLA_RETURN_IF_ERROR(processes->Receive(TransferOperation(recv, shape), source.channel,
                                           processes->ProcessOf(source.channel.source), parts,
                                           call.state->Limits()));
    return message;
  }
  XLA_ASSIGN_OR_RETURN(const runtime::Rendezvous::Payload payload,
                       device.Meeting().Receive(source.channel, device.position.id(), recv.name(),
                                                call.state->Limits()));
  std::shared_ptr<const Message> message = std::static_pointer_cast<Message>(payload);
  if (!ShapeUtil::Compatible(shape, message->shape)) {
    return absl::InvalidArgumentError(
        absl::StrCat(recv.name(), " receives ", shape.ToString(), " on channel ",
                     source.channel.place.id, ", but ", message->shape.ToString(), " was sent"));
  }
  return message;
}

// Returns the data of the request that the operand's context names, once.
absl::Status CallRecvDone(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  PendingReceives& receives = call.state->device().receives;
  const size_t data = DataLeaves(inst);
  std::optional<uint32_t> number;
  if (call.operands.size() > data && call.operands[data] != nullptr)
    std::memcpy(&number.emplace(), call.operands[data], sizeof(uint32_t));
  XLA_ASSIGN_OR_RETURN(const PendingReceives::Request request, receives.Take(number));
  const Shape& form = inst.shape().tuple_shapes(0);
  if (!request.source.has_value()) {
    ZeroLeaves(form, call.results);
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<const Message> received,
                       receives.Receive(request, [&](const auto& source, const auto& recv) {
                         return Await(call, source, recv);
                       }));
  const Message& message = *received;
  const Shape expected = OriginalShape(*request.recv).tuple_shapes(0);
  if (!ShapeUtil::Compatible(message.shape, expected)) {
    return absl::InvalidArgumentError(absl::StrCat(request.recv->name(), " receives ",
                                                   expected.ToString(), ", but ",
                                                   message.shape.ToString(), " was sent"));
  }
  if (!ShapeUtil::Compatible(form, StaticForm(message.shape))) {
    return absl::InvalidArgumentError(absl::StrCat("its recv receives ", message.shape.ToString()));
  }
  std::vector<char*> memory;
  for (const std::vector<char>& leaf : message.leaves)
    memory.push_back(const_cast<char*>(leaf.data()));
  CopyLeaves(form, memory, call.results);
  return absl::OkStatus();
}

}  // namespace

LibraryFunction FindTransfer(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kInfeed:
      return CallInfeed;
    case HloOpcode::kOutfeed:
      return CallOutfeed;
    case HloOpcode::kSend:
      return CallSend;
    case HloOpcode::kSendDone:
      return CallNothing;
    case HloOpcode::kRecv:
      return CallRecv;
    case HloOpcode::kRecvDone:
      return CallRecvDone;
    default:
      return nullptr;
  }
}

}  // namespace xla::cpu
