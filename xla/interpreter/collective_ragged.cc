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

// Checks that rows [offset, offset + size) lie in an array of `rows` rows.
absl::Status CheckRows(int64_t offset, int64_t size, int64_t rows, absl::string_view what,
                       int64_t from, int64_t to) {
  if (offset >= 0 && size >= 0 && offset <= rows && size <= rows - offset) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("device ", from, " sends device ", to, " ", size,
                                                 " rows, ", what, " row ", offset,
                                                 ", but there are ", rows, " rows"));
}

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
    const int64_t sender = group.devices[from], receiver = group.devices[to];
    for (int64_t u = 0; u < updates; ++u) {
      const int64_t k = static_cast<int64_t>(to) * updates + u;
      const int64_t source = sent[kInputOffsets].IntegerAt(k), size = sent[kSendSizes].IntegerAt(k),
                    target = sent[kOutputOffsets].IntegerAt(k);
      XLA_RETURN_IF_ERROR(CheckRows(source, size, sent[kInput].dimensions()[0], "from its input's",
                                    sender, receiver));
      XLA_RETURN_IF_ERROR(CheckRows(target, size, rows, "to the output's", sender, receiver));
      const int64_t expected = own[kRecvSizes].IntegerAt(static_cast<int64_t>(from) * updates + u);
      if (expected != size) {
        return absl::InvalidArgumentError(
            absl::StrCat("device ", sender, " sends device ", receiver, " ", size,
                         " rows, but the receiver expects ", expected));
      }
      if (size == 0 || row_bytes == 0) continue;
      std::memcpy(static_cast<char*>(result.mutable_untyped_data()) + target * row_bytes,
                  sent[kInput].data<char>() + source * row_bytes,
                  static_cast<size_t>(size * row_bytes));
    }
    XLA_RETURN_IF_ERROR(ctx.CheckCancelled());
  }
  return result;
}

}  // namespace

absl::StatusOr<Value> EvalRaggedAllToAll(EvalContext& ctx, const HloInstruction& inst,
                                         absl::Span<Value> operands) {
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, OwnGroupOf(ctx, inst));
  const Shape& input = inst.operand(kInput)->shape();
  const Shape& output = inst.operand(kOutput)->shape();
  bool rows_fit = input.rank() > 0 && output.rank() == input.rank();
  for (int d = 1; rows_fit && d < input.rank(); ++d)
    rows_fit = input.dimensions(d) == output.dimensions(d);
  if (!rows_fit) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", input.ToString(), " and output ", output.ToString(),
                     " must have rows (all dimensions but the first) of the same shape"));
  }
  const Value& offsets = operands[kInputOffsets];
  const int64_t entries = offsets.element_count();
  const bool fits = offsets.rank() == 1
                        ? entries % group->size() == 0
                        : offsets.rank() == 2 && offsets.dimensions()[0] == group->size();
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat(
        "offsets and sizes of shape ", offsets.shape().ToString(), " do not fit a group of ",
        group->size(), " devices: their first dimension is the devices'"));
  }
  const int64_t updates = entries / group->size();
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
