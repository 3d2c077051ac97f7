// SPDX-License-Identifier: Apache-2.0
// ragged-all-to-all: sends rows of an array to other devices; the program gives their numbers and
// places.
//
// Operands: input, output, input_offsets, send_sizes, output_offsets, recv_sizes. The last four
// have the shape [devices], or [devices, updates], or [devices * updates]: entry (j, u) is about
// the u-th update that a device sends to (of recv_sizes: receives from) the device of rank j.
// Offsets and sizes count rows, the indices of dimension 0. The result is the output operand with
// the rows that other devices sent written over it, in order of sender and update.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/collective.h"
#include "xla/primitive_util.h"

namespace xla::interpreter {
namespace {

enum Operand : size_t { kInput, kOutput, kInputOffsets, kSendSizes, kOutputOffsets, kRecvSizes };

// The result on the device of rank `to`.
absl::StatusOr<Value> Receive(EvalContext& ctx, const HloInstruction& inst,
                              const DeviceGroup& group, absl::Span<const Values* const> inputs,
                              size_t to, int64_t updates) {
  const Values& own = *inputs[to];
  XLA_ASSIGN_OR_RETURN(Value result, ctx.MakeMutable(inst.shape(), Value(own[kOutput])));
  const int64_t rows = result.dimensions()[0];
  const int64_t row_bytes = rows == 0 ? 0 : result.byte_size() / rows;
  for (size_t from = 0; from < inputs.size(); ++from) {
    const Values& sent = *inputs[from];
    for (int64_t u = 0; u < updates; ++u) {
      const int64_t k = static_cast<int64_t>(to) * updates + u;
      const RaggedUpdate update = {
          sent[kInputOffsets].IntegerAt(k), sent[kSendSizes].IntegerAt(k),
          sent[kOutputOffsets].IntegerAt(k),
          own[kRecvSizes].IntegerAt(static_cast<int64_t>(from) * updates + u)};
      XLA_RETURN_IF_ERROR(CheckRaggedUpdate(update, sent[kInput].dimensions()[0], rows,
                                            group.devices[from], group.devices[to]));
      if (update.size == 0 || row_bytes == 0) continue;
      std::memcpy(static_cast<char*>(result.mutable_untyped_data()) + update.target * row_bytes,
                  sent[kInput].data<char>() + update.source * row_bytes,
                  static_cast<size_t>(update.size * row_bytes));
    }
    XLA_RETURN_IF_ERROR(ctx.CheckCancelled());
  }
  return result;
}

}  // namespace

absl::StatusOr<Value> EvalRaggedAllToAll(EvalContext& ctx, const HloInstruction& inst,
                                         absl::Span<Value> operands) {
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, OwnGroupOf(ctx, inst));
  XLA_ASSIGN_OR_RETURN(
      const int64_t updates,
      RaggedUpdateCount(inst.operand(kInput)->shape(), inst.operand(kOutput)->shape(),
                        operands[kInputOffsets].shape(), *group));
  XLA_ASSIGN_OR_RETURN(
      Values results,
      Exchange(ctx, inst, *group, operands,
               [&](absl::Span<const Values* const> inputs) -> absl::StatusOr<std::vector<Values>> {
                 std::vector<Values> received(inputs.size());
                 for (size_t to = 0; to < inputs.size(); ++to) {
                   XLA_ASSIGN_OR_RETURN(Value result,
                                        Receive(ctx, inst, *group, inputs, to, updates));
                   received[to].push_back(std::move(result));
                 }
                 return received;
               }));
  return WithResultShape(inst.shape(), std::move(results));
}

}  // namespace xla::interpreter
