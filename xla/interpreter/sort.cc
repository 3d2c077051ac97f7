// SPDX-License-Identifier: Apache-2.0
// sort and topk. Both are stable: equal elements keep their order.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/callee.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/sort_key.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/interpreter/value.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::interpreter {
namespace {

struct KeyAndIndex {
  int64_t key;
  int64_t index;
  bool operator<(const KeyAndIndex& other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};

// The first `limit` places of the stable order of `keys`, ascending: order[i] is the index of the
// element at place i.
void OrderByKeys(absl::Span<const int64_t> keys, int64_t limit, int64_t* order) {
  const int64_t n = static_cast<int64_t>(keys.size());
  if (n == 0) return;
  const auto select = [&](auto& items) {
    if (limit < n) {
      std::partial_sort(items.begin(), items.begin() + limit, items.end());
    } else {
      std::sort(items.begin(), items.end());
    }
  };
  const auto [least, greatest] = std::minmax_element(keys.begin(), keys.end());
  const uint64_t base = static_cast<uint64_t>(*least),
                 range = static_cast<uint64_t>(*greatest) - base;
  // Key and index in one word, where they fit: the index settles ties.
  if (range <= std::numeric_limits<uint32_t>::max() && n <= std::numeric_limits<uint32_t>::max()) {
    std::vector<uint64_t> items(n);
    for (int64_t i = 0; i < n; ++i)
      items[i] = (static_cast<uint64_t>(keys[i]) - base) << 32 | static_cast<uint64_t>(i);
    select(items);
    for (int64_t i = 0; i < limit; ++i) order[i] = static_cast<int64_t>(items[i] & 0xffffffffu);
    return;
  }
  std::vector<KeyAndIndex> items(n);
  for (int64_t i = 0; i < n; ++i) items[i] = {keys[i], i};
  select(items);
  for (int64_t i = 0; i < limit; ++i) order[i] = items[i].index;
}

// Stable merge sort of indices by any comparator, which need not even be consistent: less(a, b,
// &status) compares the elements of two indices; after an error the rest is as it may be.
template <typename Less>
void MergeSort(std::vector<int64_t>& order, Less&& less) {
  const int64_t n = static_cast<int64_t>(order.size());
  constexpr int64_t kRun = 8;
  for (int64_t start = 0; start < n; start += kRun) {
    const int64_t end = std::min(n, start + kRun);
    for (int64_t i = start + 1; i < end; ++i) {
      const int64_t item = order[i];
      int64_t at = i;
      for (; at > start && less(item, order[at - 1]); --at) order[at] = order[at - 1];
      order[at] = item;
    }
  }
  std::vector<int64_t> merged(n);
  for (int64_t width = kRun; width < n; width *= 2) {
    for (int64_t start = 0; start < n; start += 2 * width) {
      const int64_t middle = std::min(n, start + width), end = std::min(n, start + 2 * width);
      int64_t a = start, b = middle;
      for (int64_t i = start; i < end; ++i) {
        const bool take_b = b < end && (a >= middle || less(order[b], order[a]));
        merged[i] = take_b ? order[b++] : order[a++];
      }
    }
    order.swap(merged);
  }
}

// The lines of the operands along the sorted dimension.
class LineSorter {
 public:
  LineSorter(const ScalarFunction& comparator, const std::optional<SortKey>& key,
             absl::Span<const Value> operands, absl::Span<Value> results, int64_t dimension)
      : comparator_(comparator), key_(key), operands_(operands), results_(results) {
    const Value& first = operands[0];
    length_ = first.dimensions()[dimension];
    sorted_ = first.dynamic_size(dimension);
    for (int64_t d = dimension + 1; d < first.rank(); ++d) stride_ *= first.dimensions()[d];
    for (const Value& operand : operands) {
      bytes_.push_back(primitive_util::ByteWidth(operand.element_type()));
      lines_.emplace_back(length_ * bytes_.back());
    }
    order_.resize(sorted_);
  }

  absl::Status Sort(EvalContext& ctx, int64_t line) {
    const int64_t offset = line / stride_ * stride_ * length_ + line % stride_;
    for (size_t k = 0; k < operands_.size(); ++k) {
      StridedCopySerial(bytes_[k], {length_},
                        static_cast<const char*>(operands_[k].untyped_data()) + offset * bytes_[k],
                        {stride_}, lines_[k].data(), {1});
    }
    XLA_RETURN_IF_ERROR(FindOrder(ctx));
    for (size_t k = 0; k < operands_.size(); ++k) Write(k, offset);
    return absl::OkStatus();
  }

 private:
  absl::Status FindOrder(EvalContext& ctx) {
    if (key_.has_value()) {
      keys_.resize(sorted_);
      if (key_->Compute(sorted_, lines_[key_->operand()].data(), keys_.data())) {
        OrderByKeys(keys_, sorted_, order_.data());
        return absl::OkStatus();
      }
    }
    for (int64_t i = 0; i < sorted_; ++i) order_[i] = i;
    absl::Status status;
    int64_t comparisons = 0;
    absl::InlinedVector<const void*, 8> in(2 * operands_.size());
    MergeSort(order_, [&](int64_t a, int64_t b) {
      if (!status.ok()) return false;
      if (++comparisons % 65536 == 0) status = ctx.CheckCancelled();
      for (size_t k = 0; k < operands_.size(); ++k) {
        in[2 * k] = lines_[k].data() + a * bytes_[k];
        in[2 * k + 1] = lines_[k].data() + b * bytes_[k];
      }
      bool is_less = false;
      void* out = &is_less;
      status.Update(comparator_.Apply(ctx, 1, in, absl::MakeSpan(&out, 1)));
      return is_less;
    });
    return status;
  }

  // What is beyond the existing elements stays.
  void Write(size_t k, int64_t offset) {
    const int64_t bytes = bytes_[k], step = stride_ * bytes;
    const char* line = lines_[k].data();
    char* out = static_cast<char*>(results_[k].mutable_untyped_data()) + offset * bytes;
    const auto write = [&](auto sample) {
      using Bits = decltype(sample);
      for (int64_t i = 0; i < sorted_; ++i, out += step)
        std::memcpy(out, line + order_[i] * sizeof(Bits), sizeof(Bits));
    };
    switch (bytes) {
      case 1:
        write(uint8_t());
        break;
      case 2:
        write(uint16_t());
        break;
      case 4:
        write(uint32_t());
        break;
      case 8:
        write(uint64_t());
        break;
      default:
        for (int64_t i = 0; i < sorted_; ++i, out += step)
          std::memcpy(out, line + order_[i] * bytes, bytes);
    }
    for (int64_t i = sorted_; i < length_; ++i, out += step)
      std::memcpy(out, line + i * bytes, bytes);
  }

  const ScalarFunction& comparator_;
  const std::optional<SortKey>& key_;
  const absl::Span<const Value> operands_;
  const absl::Span<Value> results_;
  int64_t length_, sorted_, stride_ = 1;
  absl::InlinedVector<int64_t, 4> bytes_;
  std::vector<std::vector<char>> lines_;
  std::vector<int64_t> keys_, order_;
};

// Nanoseconds to sort a line.
double SortCost(int64_t length, bool has_key) {
  double levels = 1;
  for (int64_t n = length; n > 1; n /= 2) ++levels;
  return 200 + static_cast<double>(length) * levels * (has_key ? 4 : 200);
}

}  // namespace

absl::StatusOr<Value> EvalSort(EvalContext& ctx, const HloInstruction& inst,
                               absl::Span<Value> operands) {
  const ScalarFunction* comparator = ctx.GetScalarFunction(*inst.to_apply());
  if (comparator == nullptr ||
      comparator->num_inputs() != 2 * static_cast<int64_t>(operands.size()) ||
      comparator->output_type(0) != PRED) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                            "the comparator is not a predicate of two scalars of each operand");
  }
  std::vector<Value> results;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (comparator->input_type(2 * k) != operands[k].element_type() ||
        comparator->input_type(2 * k + 1) != operands[k].element_type()) {
      return InstructionError(inst, absl::StatusCode::kUnimplemented,
                              "the comparator's types differ from those of the operands");
    }
    XLA_ASSIGN_OR_RETURN(
        Value result,
        ctx.Allocate(inst.shape().IsTuple() ? inst.shape().tuple_shapes(k) : inst.shape()));
    if (operands[k].has_dynamic_sizes())
      SetExistingSizes(operands[k].existing_dimensions(), result);
    results.push_back(std::move(result));
  }
  const int64_t dimension = inst.dimensions()[0];
  if (results[0].element_count() > 0) {
    const std::optional<SortKey> key = SortKey::FromComparator(*inst.to_apply());
    const int64_t length = results[0].dimensions()[dimension],
                  lines = results[0].element_count() / length;
    XLA_RETURN_IF_ERROR(ctx.ParallelForStatus(
        lines, EvalContext::ChunkFor(lines, SortCost(length, key.has_value())),
        [&](int64_t begin, int64_t end) -> absl::Status {
          EvalContext worker = ctx.ForWorker();
          LineSorter sorter(*comparator, key, operands, absl::MakeSpan(results), dimension);
          for (int64_t line = begin; line < end; ++line)
            XLA_RETURN_IF_ERROR(sorter.Sort(worker, line));
          return absl::OkStatus();
        }));
  }
  if (!inst.shape().IsTuple()) return std::move(results[0]);
  return ctx.MakeTuple(inst.shape(), std::move(results));
}

// The k greatest (or least) elements of every row, in order, and their indices; NaN is greatest,
// ties go to the smaller index.
absl::StatusOr<Value> EvalTopK(EvalContext& ctx, const HloInstruction& inst,
                               absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<TopKAttributes>();
  const Value& operand = operands[0];
  const Shape &values_shape = inst.shape().tuple_shapes(0),
              &indices_shape = inst.shape().tuple_shapes(1);
  XLA_ASSIGN_OR_RETURN(Value values, ctx.Allocate(values_shape));
  XLA_ASSIGN_OR_RETURN(Value indices, ctx.Allocate(indices_shape));
  // XLA's compiler ends its process on these.
  if (primitive_util::IsComplexType(operand.element_type())) {
    return InstructionError(inst, absl::StatusCode::kUnimplemented,
                            "the order of complex numbers is not defined");
  }
  if (indices_shape.element_type() != S32) {
    return InstructionError(inst, absl::StatusCode::kUnimplemented,
                            absl::StrCat("the indices are s32, not ", indices_shape.ToString()));
  }
  if (values.element_count() > 0) {
    // Only existing elements are ranked; places beyond them do not exist either.
    const int64_t length = operand.dimensions().back(),
                  n = operand.dynamic_size(operand.rank() - 1);
    const int64_t k = values_shape.dimensions().back(), ranked = std::min(k, n);
    const int64_t rows = operand.element_count() / length;
    const int64_t bytes = primitive_util::ByteWidth(operand.element_type());
    const SortKey key =
        SortKey::TotalOrder(operand.element_type(), /*descending=*/attributes.largest);
    const char* in = static_cast<const char*>(operand.untyped_data());
    char* out = static_cast<char*>(values.mutable_untyped_data());
    int32_t* out_indices = indices.mutable_data<int32_t>();
    XLA_RETURN_IF_ERROR(
        ctx.ParallelFor(rows, EvalContext::ChunkFor(rows, SortCost(n, /*has_key=*/true)),
                        [&](int64_t begin, int64_t end) {
                          std::vector<int64_t> keys(n), order(k);
                          for (int64_t row = begin; row < end; ++row) {
                            key.Compute(n, in + row * length * bytes, keys.data());
                            OrderByKeys(keys, ranked, order.data());
                            for (int64_t i = 0; i < k; ++i) {
                              std::memcpy(out + (row * k + i) * bytes,
                                          in + (row * length + order[i]) * bytes, bytes);
                              out_indices[row * k + i] = static_cast<int32_t>(order[i]);
                            }
                          }
                        }));
  }
  if (operand.has_dynamic_sizes()) {
    for (Value* result : {&values, &indices}) {
      DimensionVector sizes = operand.existing_dimensions();
      sizes.back() = std::min(sizes.back(), result->dimensions().back());
      SetExistingSizes(sizes, *result);
    }
  }
  std::vector<Value> results;
  results.push_back(std::move(values));
  results.push_back(std::move(indices));
  return ctx.MakeTuple(inst.shape(), std::move(results));
}

}  // namespace xla::interpreter
