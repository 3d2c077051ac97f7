// SPDX-License-Identifier: Apache-2.0
// reduce-window by one associative and commutative operation: one dimension after the other.
//
// A long window without dilation is the end of one block and the start of the next, where blocks
// are as long as the window: with the running results of every block from both ends, an output
// element takes one operation whatever the length of its window (van Herk 1992, Gil and Werman
// 1993). Cumulative sums are such windows.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"
#include "xla/interpreter/wide_ops.h"
#include "xla/interpreter/window.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::interpreter {
namespace {

// An array of some element type, read as wide elements.
template <typename Wide>
struct Source {
  Source(PrimitiveType type, const void* data)
      : data(static_cast<const char*>(data)),
        bytes(primitive_util::ByteWidth(type)),
        is_native(bytes == sizeof(Wide) && type != PRED),
        ports(type) {}

  // Elements [offset, offset + count), in place or in `buffer`.
  const Wide* Read(int64_t offset, int64_t count, Wide* buffer) const {
    const char* src = data + offset * bytes;
    if (is_native) return reinterpret_cast<const Wide*>(src);
    ports.Load(src, 1, count, buffer);
    return buffer;
  }

  const char* data;
  int64_t bytes;
  bool is_native;
  WidePorts<Wide> ports;
};

// Input coordinates [low, high) under the window at one output coordinate, which are contiguous.
struct Range {
  int64_t low, high;
  bool empty() const { return low >= high; }
};

bool IsContiguous(const WindowGeometryDim& dim) {
  return dim.window_dilation == 1 || dim.taps == 1;
}

// Precondition: IsContiguous(dim).
Range RangeAt(const WindowGeometryDim& dim, int64_t output) {
  const int64_t start = output * dim.stride - dim.padding_low, end = start + dim.taps;
  const int64_t dilated_size =
      dim.input_size == 0 ? 0 : (dim.input_size - 1) * dim.base_dilation + 1;
  const int64_t low = std::max<int64_t>(start, 0), high = std::min(end, dilated_size);
  if (low >= high) return {0, 0};
  return {CeilOfRatio(low, dim.base_dilation), (high - 1) / dim.base_dilation + 1};
}

bool IsEmptyAt(const WindowGeometryDim& dim, int64_t output) {
  if (IsContiguous(dim)) return RangeAt(dim, output).empty();
  std::vector<int64_t> taps;
  CoordinatesAt(dim, output, taps);
  return taps.empty();
}

// Windows along one dimension of [outer, dim, inner], for one tile of the inner elements.
template <typename Wide>
class LinePass {
 public:
  LinePass(const WindowGeometryDim& dim, const WideOps<Wide>& ops, const Source<Wide>& source,
           int64_t inner)
      : dim_(dim), ops_(ops), source_(source), inner_(inner) {}

  // Whether blocks are worthwhile (see above). Base dilation makes windows of different lengths.
  static bool UsesBlocks(const WindowGeometryDim& dim) {
    return IsContiguous(dim) && dim.base_dilation == 1 && dim.taps > 8 && dim.input_size > 8;
  }

  // emit(output coordinate, values) for every output coordinate; the values of an empty window are
  // zero.
  template <typename Emit>
  absl::Status Run(EvalContext& ctx, int64_t outer, int64_t first, int64_t count, Emit&& emit) {
    base_ = outer * dim_.input_size * inner_ + first;
    count_ = count;
    row_.resize(count);
    acc_.resize(count);
    const bool blocks = UsesBlocks(dim_);
    if (blocks) XLA_RETURN_IF_ERROR(MakeBlocks(ctx));
    for (int64_t o = 0; o < dim_.output_size; ++o) {
      XLA_RETURN_IF_ERROR(Poll(ctx, 1));
      if (blocks) {
        CombineBlocks(RangeAt(dim_, o));
      } else if (!IsContiguous(dim_)) {
        CoordinatesAt(dim_, o, taps_);
        std::fill(acc_.begin(), acc_.end(), Wide());
        for (size_t i = 0; i < taps_.size(); ++i) {
          XLA_RETURN_IF_ERROR(Poll(ctx, 1));
          Join(Row(taps_[i]), i == 0);
        }
      } else {
        const Range range = RangeAt(dim_, o);
        if (range.empty()) std::fill(acc_.begin(), acc_.end(), Wide());
        for (int64_t i = range.low; i < range.high; ++i) {
          XLA_RETURN_IF_ERROR(Poll(ctx, 1));
          Join(Row(i), i == range.low);
        }
      }
      emit(o, acc_.data());
    }
    return absl::OkStatus();
  }

 private:
  // After some milliseconds of work on rows.
  absl::Status Poll(EvalContext& ctx, int64_t rows) {
    constexpr int64_t kElements = 1 << 18;
    if ((elements_ += rows * (count_ + 16)) < kElements) return absl::OkStatus();
    elements_ = 0;
    return ctx.CheckCancelled();
  }

  const Wide* Row(int64_t i) { return source_.Read(base_ + i * inner_, count_, row_.data()); }

  void Join(const Wide* row, bool is_first) {
    if (is_first) {
      std::copy(row, row + count_, acc_.begin());
    } else {
      ops_.combine(acc_.data(), row, count_);
    }
  }

  // prefix_[i]: the block of i from its start to i. suffix_[i]: from i to the block's end. Long
  // blocks are summed in two levels: what is complete, and a part.
  absl::Status MakeBlocks(EvalContext& ctx) {
    const int64_t n = dim_.input_size, block = std::min(dim_.taps, n);
    if (n * count_ > block_elements_) {
      block_elements_ = n * count_;
      blocks_ = Value();
      XLA_ASSIGN_OR_RETURN(blocks_, ctx.AllocateScratch(2 * block_elements_ * sizeof(Wide)));
    }
    prefix_ = blocks_.mutable_data<Wide>();
    suffix_ = prefix_ + block_elements_;
    for (int64_t start = 0; start < n; start += block) {
      const int64_t length = std::min(block, n - start);
      XLA_RETURN_IF_ERROR(RunningResults(ctx, start, 1, length, prefix_));
      XLA_RETURN_IF_ERROR(RunningResults(ctx, start + length - 1, -1, length, suffix_));
    }
    return absl::OkStatus();
  }

  absl::Status RunningResults(EvalContext& ctx, int64_t first, int64_t step, int64_t length,
                              Wide* out) {
    constexpr int64_t kPart = 64;
    complete_.resize(count_);
    bool has_complete = false;
    for (int64_t begin = 0; begin < length; begin += kPart) {
      const int64_t end = std::min(length, begin + kPart);
      XLA_RETURN_IF_ERROR(Poll(ctx, end - begin));
      for (int64_t i = begin; i < end; ++i) {
        Join(Row(first + i * step), i == begin);
        Wide* result = out + (first + i * step) * count_;
        std::copy(acc_.begin(), acc_.end(), result);
        if (has_complete) ops_.combine(result, complete_.data(), count_);
      }
      const Wide* last = out + (first + (end - 1) * step) * count_;
      std::copy(last, last + count_, complete_.begin());
      has_complete = true;
    }
    return absl::OkStatus();
  }

  // A range is as long as a block, or shorter where it is cut at an end of the line: it never lies
  // inside one block without touching an end of it.
  void CombineBlocks(const Range& range) {
    if (range.empty()) {
      std::fill(acc_.begin(), acc_.end(), Wide());
      return;
    }
    const int64_t block = std::min(dim_.taps, dim_.input_size);
    const Wide* suffix = suffix_ + range.low * count_;
    const Wide* prefix = prefix_ + (range.high - 1) * count_;
    const bool is_one_block = range.low / block == (range.high - 1) / block;
    if (is_one_block && range.low % block == 0) {
      std::copy(prefix, prefix + count_, acc_.begin());
    } else {
      std::copy(suffix, suffix + count_, acc_.begin());
      if (!is_one_block) ops_.combine(acc_.data(), prefix, count_);
    }
  }

  const WindowGeometryDim& dim_;
  const WideOps<Wide>& ops_;
  const Source<Wide>& source_;
  const int64_t inner_;
  int64_t base_ = 0, count_ = 0;
  int64_t elements_ = 0;  // since the last poll
  std::vector<Wide> row_, acc_, complete_;
  Value blocks_;  // memory of the running results
  int64_t block_elements_ = 0;
  Wide *prefix_ = nullptr, *suffix_ = nullptr;
  std::vector<int64_t> taps_;
};

// Joins the initial value to finished elements and stores them; windows without elements are the
// initial value alone.
template <typename Wide>
class Finisher {
 public:
  Finisher(const WindowGeometry& geometry, const WideOps<Wide>& ops, const Value& init,
           Value& result)
      : geometry_(geometry),
        ops_(ops),
        ports_(result.element_type()),
        bytes_(primitive_util::ByteWidth(result.element_type())),
        out_(static_cast<char*>(result.mutable_untyped_data())) {
    ports_.Load(init.untyped_data(), 1, 1, &init_);
  }

  // To be called first.
  absl::Status FindEmptyWindows(EvalContext& ctx) {
    constexpr int64_t kWindowsPerPoll = 1 << 18;
    empty_.resize(geometry_.size());
    for (size_t d = 0; d < geometry_.size(); ++d) {
      for (int64_t o = 0; !geometry_[d].IsTrivial() && o < geometry_[d].output_size; ++o) {
        if (o % kWindowsPerPoll == kWindowsPerPoll - 1) XLA_RETURN_IF_ERROR(ctx.CheckCancelled());
        empty_[d].push_back(IsEmptyAt(geometry_[d], o));
        has_empty_ |= empty_[d].back();
      }
    }
    return absl::OkStatus();
  }

  // Changes `values`.
  void Store(int64_t offset, int64_t count, Wide* values) const {
    for (int64_t i = 0; i < count; ++i) {
      values[i] = has_empty_ && IsEmpty(offset + i) ? init_ : ops_.apply(init_, values[i]);
    }
    ports_.Store(values, count, out_ + offset * bytes_, 1);
  }

 private:
  bool IsEmpty(int64_t offset) const {
    for (int64_t d = static_cast<int64_t>(geometry_.size()) - 1; d >= 0; --d) {
      const int64_t at = offset % geometry_[d].output_size;
      offset /= geometry_[d].output_size;
      if (!empty_[d].empty() && empty_[d][at]) return true;
    }
    return false;
  }

  const WindowGeometry& geometry_;
  const WideOps<Wide>& ops_;
  const WidePorts<Wide> ports_;
  const int64_t bytes_;
  char* const out_;
  Wide init_;
  std::vector<std::vector<bool>> empty_;  // by dimension and output coordinate
  bool has_empty_ = false;
};

template <typename Wide>
absl::Status ReduceWide(EvalContext& ctx, const WideOps<Wide>& ops, const Value& input,
                        const Value& init, const WindowGeometry& geometry, Value& result) {
  // The dimensions that shrink most come first.
  std::vector<int64_t> order;
  for (size_t d = 0; d < geometry.size(); ++d) {
    if (!geometry[d].IsTrivial()) order.push_back(d);
  }
  const auto growth = [&](int64_t d) {
    return static_cast<double>(geometry[d].output_size) /
           static_cast<double>(std::max<int64_t>(1, geometry[d].input_size));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return growth(a) < growth(b); });

  Finisher<Wide> finisher(geometry, ops, init, result);
  XLA_RETURN_IF_ERROR(finisher.FindEmptyWindows(ctx));
  Source<Wide> source(input.element_type(), input.untyped_data());
  if (order.empty()) {
    const int64_t count = result.element_count();
    return ctx.ParallelFor(count, EvalContext::ChunkFor(count, 2), [&](int64_t begin, int64_t end) {
      Wide buffer[kFoldBlock];
      for (int64_t i = begin; i < end; i += kFoldBlock) {
        const int64_t block = std::min(kFoldBlock, end - i);
        source.ports.Load(source.data + i * source.bytes, 1, block, buffer);
        finisher.Store(i, block, buffer);
      }
    });
  }

  DimensionVector sizes(input.dimensions().begin(), input.dimensions().end());
  Value previous;
  for (size_t pass = 0; pass < order.size(); ++pass) {
    const int64_t d = order[pass];
    const bool is_last = pass + 1 == order.size();
    const WindowGeometryDim& dim = geometry[d];
    int64_t outer = 1, inner = 1;
    for (int64_t i = 0; i < d; ++i) outer *= sizes[i];
    for (size_t i = d + 1; i < sizes.size(); ++i) inner *= sizes[i];
    sizes[d] = dim.output_size;

    Value next;
    if (!is_last) {
      XLA_ASSIGN_OR_RETURN(next,
                           ctx.AllocateScratch(outer * dim.output_size * inner * sizeof(Wide)));
    }
    Wide* const out = is_last ? nullptr : next.mutable_data<Wide>();
    // Running results of all blocks are kept: narrow tiles for long lines.
    constexpr int64_t kMaxTile = 512, kTileElements = 262144;
    const bool blocks = LinePass<Wide>::UsesBlocks(dim);
    const int64_t tile =
        std::min(inner, blocks ? std::clamp<int64_t>(kTileElements / dim.input_size, 4, kMaxTile)
                               : kMaxTile);
    const int64_t tiles = CeilOfRatio(inner, tile);
    const double taps = static_cast<double>(std::min(dim.taps, dim.input_size)) + 1;
    const double rows = blocks ? static_cast<double>(dim.input_size + dim.output_size)
                               : static_cast<double>(dim.output_size) * taps;
    const double cost = 100 + static_cast<double>(tile + 10) * (blocks ? 6 : 1) * rows;
    XLA_RETURN_IF_ERROR(ctx.ParallelForStatus(
        outer * tiles, EvalContext::ChunkFor(outer * tiles, cost),
        [&](int64_t begin, int64_t end) -> absl::Status {
          EvalContext worker = ctx.ForWorker();
          LinePass<Wide> line(dim, ops, source, inner);
          for (int64_t task = begin; task < end; ++task) {
            const int64_t o = task / tiles, first = task % tiles * tile,
                          count = std::min(tile, inner - first);
            XLA_RETURN_IF_ERROR(line.Run(worker, o, first, count, [&](int64_t at, Wide* values) {
              const int64_t offset = (o * dim.output_size + at) * inner + first;
              if (is_last) {
                finisher.Store(offset, count, values);
              } else {
                std::copy(values, values + count, out + offset);
              }
            }));
          }
          return absl::OkStatus();
        }));
    if (is_last) break;
    previous = std::move(next);
    source.data = previous.data<char>();
    source.bytes = sizeof(Wide);
    source.is_native = true;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> ReduceWindowSeparably(EvalContext& ctx, HloOpcode opcode, const Value& input,
                                           const Value& init, const WindowGeometry& geometry,
                                           Value& result) {
  return WithWideOf(input.element_type(), [&](auto sample) -> absl::StatusOr<bool> {
    using Wide = decltype(sample);
    const WideOps<Wide>* ops = GetWideOps<Wide>(opcode);
    if (ops == nullptr) return false;
    XLA_RETURN_IF_ERROR(ReduceWide<Wide>(ctx, *ops, input, init, geometry, result));
    return true;
  });
}

}  // namespace xla::interpreter
