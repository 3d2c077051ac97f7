// SPDX-License-Identifier: Apache-2.0
// reduce and map. scan is in scan.cc.
//
// Sums of floats are made of short runs whose results are added pairwise: the order depends on the
// shapes alone, and the error grows with the logarithm of the number of elements.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/callee.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/interpreter/value.h"
#include "xla/interpreter/wide_ops.h"
#include "xla/kernels/strided_dims.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::interpreter {
namespace {

using kernels::StridedDims;

// The dimensions of the operands in two parts: those that are kept (position in the result ->
// offset) and those that are reduced (position in the reduction -> offset).
struct ReduceDims {
  StridedDims kept, reduced;
};

ReduceDims SplitDims(const Value& operand, absl::Span<const int64_t> dimensions) {
  const DimensionVector strides = RowMajorStrides(operand.dimensions());
  ReduceDims dims;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end()) {
      dims.kept.Append(operand.dimensions()[d], strides[d]);
    } else {
      dims.reduced.Append(operand.dynamic_size(d), strides[d]);
    }
  }
  return dims;
}

// How the work is divided: into tiles of results and, if these are few, parts of each reduction.
struct Partition {
  int64_t tile, tiles, part, parts;
};

Partition MakePartition(int64_t results, int64_t reduced, int64_t max_tile) {
  constexpr int64_t kEnoughTasks = 16, kMinPart = 16384;
  Partition p;
  p.tile = std::max<int64_t>(1, std::min(max_tile, results));
  p.tiles = CeilOfRatio(results, p.tile);
  p.parts = 1;
  if (p.tiles < kEnoughTasks) {
    p.parts = std::clamp<int64_t>(p.tile * reduced / kMinPart, 1, kEnoughTasks);
    p.parts = std::clamp<int64_t>(reduced, 1, p.parts);
  }
  p.part = std::max<int64_t>(1, CeilOfRatio(reduced, p.parts));
  p.parts = std::max<int64_t>(1, CeilOfRatio(reduced, p.part));
  return p;
}

// --- One operand, one associative operation of wide elements.

template <typename Wide>
class WideReduction {
 public:
  WideReduction(const Value& operand, const ReduceDims& dims, const WideOps<Wide>& ops)
      : data_(static_cast<const char*>(operand.untyped_data())),
        bytes_(primitive_util::ByteWidth(operand.element_type())),
        // Elements that are stored in the wide type need no conversion.
        native_(bytes_ == sizeof(Wide) && operand.element_type() != PRED),
        dims_(dims),
        ops_(ops),
        ports_(operand.element_type()) {}

  // Whether runs of reduced elements are long enough to be folded one by one; else results are
  // lanes.
  bool FoldsRuns() const {
    const bool reduced_is_minor =
        std::abs(dims_.reduced.run_stride()) < std::abs(dims_.kept.run_stride());
    return dims_.kept.count() == 1 || (reduced_is_minor && dims_.reduced.run_length() >= kShortRun);
  }

  // sums[i] = the reduction of positions [r0, r1) for result first + i; r0 < r1.
  void Reduce(int64_t first, int64_t count, int64_t r0, int64_t r1, Wide* sums) const {
    if (FoldsRuns()) {
      for (int64_t i = 0; i < count; ++i) sums[i] = Fold(dims_.kept.Offset(first + i), r0, r1);
    } else {
      Accumulate(first, count, r0, r1, sums);
    }
  }

  static constexpr int64_t kMaxTile = 1024;

 private:
  static constexpr int64_t kShortRun = 16;

  Wide Fold(int64_t base, int64_t r0, int64_t r1) const {
    PairwiseAccumulator<Wide> total(ops_.apply);
    Wide buffer[kFoldBlock];
    const int64_t stride = dims_.reduced.run_stride();
    dims_.reduced.ForEachRun(r0, r1 - r0, [&](int64_t, int64_t offset, int64_t length) {
      for (int64_t i = 0; i < length; i += kFoldBlock) {
        const int64_t block = std::min(kFoldBlock, length - i);
        const char* src = data_ + (base + offset + i * stride) * bytes_;
        if (native_ && stride == 1) {
          total.Add(ops_.fold(reinterpret_cast<const Wide*>(src), block));
        } else {
          ports_.Load(src, stride, block, buffer);
          total.Add(ops_.fold(buffer, block));
        }
      }
    });
    return total.Total();
  }

  // Rows of results are combined in blocks, and the blocks with each other.
  void Accumulate(int64_t first, int64_t count, int64_t r0, int64_t r1, Wide* sums) const {
    constexpr int64_t kBlockRows = 64, kBlocksOfBlocks = 64;
    Wide block[kMaxTile], blocks[kMaxTile];
    int64_t rows = 0, block_count = 0;
    bool has_sums = false, has_blocks = false;
    const auto flush_block = [&] {
      if (has_blocks) {
        ops_.combine(blocks, block, count);
      } else {
        std::copy(block, block + count, blocks);
      }
      has_blocks = true;
      rows = 0;
      ++block_count;
    };
    const auto flush_blocks = [&] {
      if (has_sums) {
        ops_.combine(sums, blocks, count);
      } else {
        std::copy(blocks, blocks + count, sums);
      }
      has_sums = true;
      has_blocks = false;
      block_count = 0;
    };
    const int64_t step = dims_.reduced.run_stride();
    dims_.reduced.ForEachRun(r0, r1 - r0, [&](int64_t, int64_t offset, int64_t length) {
      for (int64_t r = 0; r < length; ++r) {
        AddRow(first, count, offset + r * step, /*is_first=*/rows == 0, block);
        if (++rows == kBlockRows) flush_block();
        if (block_count == kBlocksOfBlocks) flush_blocks();
      }
    });
    if (rows > 0) flush_block();
    if (block_count > 0) flush_blocks();
  }

  void AddRow(int64_t first, int64_t count, int64_t row_offset, bool is_first, Wide* acc) const {
    Wide buffer[kMaxTile];
    const int64_t stride = dims_.kept.run_stride();
    dims_.kept.ForEachRun(first, count, [&](int64_t done, int64_t offset, int64_t length) {
      const char* src = data_ + (row_offset + offset) * bytes_;
      if (is_first) {
        ports_.Load(src, stride, length, acc + done);
      } else if (native_ && stride == 1) {
        ops_.combine(acc + done, reinterpret_cast<const Wide*>(src), length);
      } else {
        ports_.Load(src, stride, length, buffer);
        ops_.combine(acc + done, buffer, length);
      }
    });
  }

  const char* data_;
  const int64_t bytes_;
  const bool native_;
  const ReduceDims& dims_;
  const WideOps<Wide>& ops_;
  const WidePorts<Wide> ports_;
};

template <typename Wide>
absl::Status ReduceWide(EvalContext& ctx, const Value& operand, const Value& init,
                        const ReduceDims& dims, const WideOps<Wide>& ops, Value& result) {
  const WidePorts<Wide> ports(operand.element_type());
  const int64_t bytes = primitive_util::ByteWidth(operand.element_type());
  const int64_t results = dims.kept.count(), reduced = dims.reduced.count();
  char* out = static_cast<char*>(result.mutable_untyped_data());
  Wide initial;
  ports.Load(init.untyped_data(), 1, 1, &initial);
  const WideReduction<Wide> reduction(operand, dims, ops);
  const Partition partition = MakePartition(results, reduced, WideReduction<Wide>::kMaxTile);

  // partial[part][result]
  const bool is_split = partition.parts > 1;
  std::vector<Wide> partial(is_split ? partition.parts * results : 0);
  const double cost =
      100 + 0.5 * static_cast<double>(partition.tile) * static_cast<double>(partition.part);
  const int64_t tasks = partition.tiles * partition.parts;
  XLA_RETURN_IF_ERROR(
      ctx.ParallelFor(tasks, EvalContext::ChunkFor(tasks, cost), [&](int64_t begin, int64_t end) {
        Wide sums[WideReduction<Wide>::kMaxTile];
        for (int64_t task = begin; task < end; ++task) {
          const int64_t first = task / partition.parts * partition.tile;
          const int64_t count = std::min(partition.tile, results - first);
          const int64_t part = task % partition.parts, r0 = part * partition.part;
          const int64_t r1 = std::min(reduced, r0 + partition.part);
          if (is_split) {
            reduction.Reduce(first, count, r0, r1, partial.data() + part * results + first);
            continue;
          }
          if (reduced == 0) {
            std::fill(sums, sums + count, initial);
          } else {
            reduction.Reduce(first, count, r0, r1, sums);
            for (int64_t i = 0; i < count; ++i) sums[i] = ops.apply(initial, sums[i]);
          }
          ports.Store(sums, count, out + first * bytes, 1);
        }
      }));
  if (!is_split) return absl::OkStatus();
  for (int64_t part = 1; part < partition.parts; ++part) {
    ops.combine(partial.data(), partial.data() + part * results, results);
  }
  for (int64_t i = 0; i < results; ++i) partial[i] = ops.apply(initial, partial[i]);
  ports.Store(partial.data(), results, out, 1);
  return absl::OkStatus();
}

// --- Any computation on any number of operands. Lanes of a ScalarFunction are results or, if these
// are few, segments of each reduction.

class GeneralReduction {
 public:
  GeneralReduction(const ScalarFunction& function, absl::Span<const Value> operands,
                   absl::Span<const Value> inits, const ReduceDims& dims)
      : function_(function), operands_(operands), inits_(inits), dims_(dims) {
    for (const Value& operand : operands)
      bytes_.push_back(primitive_util::ByteWidth(operand.element_type()));
    for (const Value& init : inits)
      acc_bytes_.push_back(primitive_util::ByteWidth(init.element_type()));
  }

  // One buffer of `lanes` elements for each operand.
  class Lanes {
   public:
    Lanes(absl::Span<const int64_t> bytes, int64_t lanes) {
      int64_t total = 0;
      for (const int64_t b : bytes) total += RoundUpTo<int64_t>(b * lanes, 64);
      storage_.resize(total / sizeof(storage_[0]));
      char* next = reinterpret_cast<char*>(storage_.data());
      for (const int64_t b : bytes) {
        pointers_.push_back(next);
        next += RoundUpTo<int64_t>(b * lanes, 64);
      }
    }
    char* operator[](int64_t i) const { return static_cast<char*>(pointers_[i]); }
    absl::Span<void* const> pointers() const { return pointers_; }

   private:
    std::vector<uint64_t> storage_;
    absl::InlinedVector<void*, 4> pointers_;
  };

  // acc := f(acc, x) for `count` lanes.
  absl::Status Step(EvalContext& ctx, int64_t count, const Lanes& acc, const Lanes& x) const {
    absl::InlinedVector<const void*, 8> in(acc.pointers().begin(), acc.pointers().end());
    in.insert(in.end(), x.pointers().begin(), x.pointers().end());
    return function_.Apply(ctx, count, in, acc.pointers());
  }

  // Elements of results [first, first + count) at position r.
  void LoadResults(int64_t first, int64_t count, int64_t r, const Lanes& x) const {
    const int64_t row = dims_.reduced.Offset(r);
    dims_.kept.ForEachRun(first, count, [&](int64_t done, int64_t offset, int64_t length) {
      CopyRun(row + offset, dims_.kept.run_stride(), length, done, x);
    });
  }

  // Elements of one result at positions start + i * segment, for i in [0, count).
  void LoadSegments(int64_t result, int64_t start, int64_t segment, int64_t count,
                    const Lanes& x) const {
    const int64_t base = dims_.kept.Offset(result);
    if (dims_.reduced.IsOneRun()) {
      CopyRun(base + dims_.reduced.Offset(start), segment * dims_.reduced.run_stride(), count, 0,
              x);
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      CopyRun(base + dims_.reduced.Offset(start + i * segment), 1, 1, i, x);
  }

  void BroadcastInits(int64_t count, const Lanes& acc) const {
    for (size_t k = 0; k < inits_.size(); ++k) {
      StridedCopySerial(acc_bytes_[k], {count}, inits_[k].untyped_data(), {0}, acc[k], {1});
    }
  }
  void MoveLane(const Lanes& from, int64_t lane, const Lanes& to) const {
    for (size_t k = 0; k < operands_.size(); ++k)
      std::memcpy(to[k], from[k] + lane * bytes_[k], bytes_[k]);
  }
  void StoreResults(int64_t first, int64_t count, const Lanes& acc,
                    absl::Span<char* const> out) const {
    for (size_t k = 0; k < inits_.size(); ++k) {
      std::memcpy(out[k] + first * acc_bytes_[k], acc[k], count * acc_bytes_[k]);
    }
  }

  static constexpr int64_t kTile = 256;
  // About a hundred thousand elements, of any function.
  static constexpr int64_t kStepsPerPoll = 512;

  // Results [first, first + count), each reduced in order.
  absl::Status ReduceTile(EvalContext& ctx, int64_t first, int64_t count,
                          absl::Span<char* const> out) const {
    const Lanes acc(acc_bytes_, count), x(bytes_, count);
    BroadcastInits(count, acc);
    for (int64_t r = 0; r < dims_.reduced.count(); ++r) {
      if (r % kStepsPerPoll == kStepsPerPoll - 1) XLA_RETURN_IF_ERROR(ctx.CheckCancelled());
      LoadResults(first, count, r, x);
      XLA_RETURN_IF_ERROR(Step(ctx, count, acc, x));
    }
    StoreResults(first, count, acc, out);
    return absl::OkStatus();
  }

  // One result: reduces segments side by side, then the segments' results in order, then the
  // remaining elements.
  absl::Status ReduceSegments(EvalContext& ctx, int64_t result, absl::Span<char* const> out) const {
    const int64_t segment = dims_.reduced.count() / kTile;
    const Lanes lanes(bytes_, kTile), x(bytes_, kTile), acc(bytes_, 1), one(bytes_, 1);
    LoadSegments(result, 0, segment, kTile, lanes);
    for (int64_t r = 1; r < segment; ++r) {
      if (r % kStepsPerPoll == 0) XLA_RETURN_IF_ERROR(ctx.CheckCancelled());
      LoadSegments(result, r, segment, kTile, x);
      XLA_RETURN_IF_ERROR(Step(ctx, kTile, lanes, x));
    }
    BroadcastInits(1, acc);
    for (int64_t lane = 0; lane < kTile; ++lane) {
      MoveLane(lanes, lane, one);
      XLA_RETURN_IF_ERROR(Step(ctx, 1, acc, one));
    }
    for (int64_t r = segment * kTile; r < dims_.reduced.count(); ++r) {
      LoadSegments(result, r, 1, 1, one);
      XLA_RETURN_IF_ERROR(Step(ctx, 1, acc, one));
    }
    StoreResults(result, 1, acc, out);
    return absl::OkStatus();
  }

 private:
  void CopyRun(int64_t offset, int64_t stride, int64_t length, int64_t lane, const Lanes& x) const {
    for (size_t k = 0; k < operands_.size(); ++k) {
      const char* src = static_cast<const char*>(operands_[k].untyped_data()) + offset * bytes_[k];
      char* dst = x[k] + lane * bytes_[k];
      if (stride == 1) {
        std::memcpy(dst, src, length * bytes_[k]);
      } else {
        StridedCopySerial(bytes_[k], {length}, src, {stride}, dst, {1});
      }
    }
  }

  const ScalarFunction& function_;
  const absl::Span<const Value> operands_, inits_;
  const ReduceDims& dims_;
  absl::InlinedVector<int64_t, 4> bytes_, acc_bytes_;
};

absl::Status ReduceGeneral(EvalContext& ctx, const ScalarFunction& function,
                           absl::Span<const Value> operands, absl::Span<const Value> inits,
                           const ReduceDims& dims, absl::Span<char* const> out) {
  const GeneralReduction reduction(function, operands, inits, dims);
  const int64_t results = dims.kept.count(), reduced = dims.reduced.count();
  constexpr double kCostPerStep = 20;
  if (results < 32 && reduced >= 16 * GeneralReduction::kTile) {
    return ctx.ParallelForStatus(results, 1, [&](int64_t begin, int64_t end) -> absl::Status {
      EvalContext worker = ctx.ForWorker();
      for (int64_t i = begin; i < end; ++i)
        XLA_RETURN_IF_ERROR(reduction.ReduceSegments(worker, i, out));
      return absl::OkStatus();
    });
  }
  const int64_t tile = GeneralReduction::kTile, tiles = CeilOfRatio(results, tile);
  const double cost = kCostPerStep * static_cast<double>(tile) * static_cast<double>(reduced + 1);
  return ctx.ParallelForStatus(
      tiles, EvalContext::ChunkFor(tiles, cost), [&](int64_t begin, int64_t end) -> absl::Status {
        EvalContext worker = ctx.ForWorker();
        for (int64_t t = begin; t < end; ++t) {
          const int64_t first = t * tile;
          XLA_RETURN_IF_ERROR(
              reduction.ReduceTile(worker, first, std::min(tile, results - first), out));
        }
        return absl::OkStatus();
      });
}

// Sizes of a result without the given dimensions.
void SetReducedSizes(const Value& operand, absl::Span<const int64_t> dimensions, Value& result) {
  if (!operand.has_dynamic_sizes()) return;
  DimensionVector sizes;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end())
      sizes.push_back(operand.dynamic_size(d));
  }
  SetExistingSizes(sizes, result);
}

}  // namespace

absl::StatusOr<Value> EvalReduce(EvalContext& ctx, const HloInstruction& inst,
                                 absl::Span<Value> operands) {
  const int64_t count = static_cast<int64_t>(operands.size()) / 2;
  const absl::Span<const Value> inputs = operands.subspan(0, count),
                                inits = operands.subspan(count);
  const absl::Span<const int64_t> dimensions = inst.dimensions();
  const ScalarFunction* function = ctx.GetScalarFunction(*inst.to_apply());
  if (function == nullptr) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                            "the reducer is not a function of scalars");
  }
  for (int64_t k = 0; k < count; ++k) {
    if (function->input_type(k) != inits[k].element_type() ||
        function->output_type(k) != inits[k].element_type() ||
        function->input_type(count + k) != inputs[k].element_type()) {
      return InstructionError(
          inst, absl::StatusCode::kUnimplemented,
          "the reducer's types differ from those of operands and initial values");
    }
  }
  const ReduceDims dims = SplitDims(inputs[0], dimensions);

  std::vector<Value> results;
  for (int64_t k = 0; k < count; ++k) {
    XLA_ASSIGN_OR_RETURN(
        Value result,
        ctx.Allocate(inst.shape().IsTuple() ? inst.shape().tuple_shapes(k) : inst.shape()));
    SetReducedSizes(inputs[0], dimensions, result);
    results.push_back(std::move(result));
  }
  if (count == 1 && function->binary().has_value() &&
      inits[0].element_type() == inputs[0].element_type()) {
    bool done = false;
    XLA_RETURN_IF_ERROR(WithWideOf(inputs[0].element_type(), [&](auto sample) -> absl::Status {
      using Wide = decltype(sample);
      const WideOps<Wide>* ops = GetWideOps<Wide>(function->binary()->opcode);
      if (ops == nullptr) return absl::OkStatus();
      done = true;
      return ReduceWide<Wide>(ctx, inputs[0], inits[0], dims, *ops, results[0]);
    }));
    if (done && !inst.shape().IsTuple()) return std::move(results[0]);
    if (done) return ctx.MakeTuple(inst.shape(), std::move(results));
  }
  absl::InlinedVector<char*, 4> out;
  for (Value& result : results) out.push_back(static_cast<char*>(result.mutable_untyped_data()));
  XLA_RETURN_IF_ERROR(ReduceGeneral(ctx, *function, inputs, inits, dims, out));
  if (!inst.shape().IsTuple()) return std::move(results[0]);
  return ctx.MakeTuple(inst.shape(), std::move(results));
}

absl::StatusOr<Value> EvalMap(EvalContext& ctx, const HloInstruction& inst,
                              absl::Span<Value> operands) {
  const ScalarFunction* function = ctx.GetScalarFunction(*inst.to_apply());
  if (function == nullptr) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                            "the mapped computation is not a function of scalars");
  }
  const bool is_dynamic = AnyHasDynamicSizes(operands);
  DimensionVector sizes;
  if (is_dynamic) {
    XLA_ASSIGN_OR_RETURN(sizes, JoinExistingSizes(ctx, operands));
  }
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  char* out = static_cast<char*>(result.mutable_untyped_data());
  const int64_t out_bytes = primitive_util::ByteWidth(result.element_type());
  constexpr double kCostPerElement = 10;
  const int64_t count = result.element_count();
  XLA_RETURN_IF_ERROR(ctx.ParallelForStatus(
      count, EvalContext::ChunkFor(count, kCostPerElement),
      [&](int64_t begin, int64_t end) -> absl::Status {
        EvalContext worker = ctx.ForWorker();
        absl::InlinedVector<const void*, 4> in;
        for (const Value& operand : operands) {
          in.push_back(static_cast<const char*>(operand.untyped_data()) +
                       begin * primitive_util::ByteWidth(operand.element_type()));
        }
        void* dst = out + begin * out_bytes;
        return function->Apply(worker, end - begin, in, absl::MakeSpan(&dst, 1));
      }));
  if (is_dynamic) SetExistingSizes(sizes, result);
  return result;
}

}  // namespace xla::interpreter
