// SPDX-License-Identifier: Apache-2.0
// Computes blocks of products, and divides them among workers.
#include "xla/kernels/product/fused_product.h"

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "xla/base/machine.h"
#include "xla/base/status_macros.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// The most elements of C for which there are partial sums.
constexpr int64_t kMaxPartialSums = int64_t{1} << 20;
// The least products of a task. Instructions that multiply matrices make some eight times as many
// in the same time, where operands and sums are used often enough to outweigh their copies.
double TaskProducts(const ProductSizes& sizes) {
  constexpr auto kTaskProducts = static_cast<double>(kUsualMachine.ProductsOfTask());
  if (sizes.tile.rows_at_a_time == 1) return kTaskProducts;
  constexpr double kMostFaster = 8, kUsesOfCopy = 32;
  const auto least_uses = static_cast<double>(std::min({sizes.m, sizes.n, sizes.k}));
  return std::clamp(least_uses / kUsesOfCopy, 1.0, kMostFaster) * kTaskProducts;
}

// Divides a side into blocks of at most `most` elements, or of one tile.
SideCut CutSide(int64_t size, int64_t most, int64_t tile) {
  tile = std::min(tile, size);
  return {size, tile, CeilOfRatio(CeilOfRatio(size, tile), std::max<int64_t>(most / tile, 1))};
}

// Returns the distance between rows of a block of C in scratch memory: an odd number of lines of
// the cache, so that rows do not share its sets.
template <typename Acc>
int64_t BlockStride(int64_t columns) {
  constexpr int64_t kLine = kUsualMachine.line_bytes / static_cast<int64_t>(sizeof(Acc));
  return (CeilOfRatio(columns, kLine) | 1) * kLine;
}

// The memory of a worker: a block of A, panels of B, and a block of C if it is not written in
// place.
template <typename Unit, typename Acc>
struct BlockMemory {
  explicit BlockMemory(const ProductPlan& plan)
      : a_bytes(Aligned(plan.rows.largest_block() * kProductRowStride *
                        static_cast<int64_t>(sizeof(Unit)))),
        b_bytes(
            Aligned(kProductDepth * std::max(kMaxPanelColumns, plan.panels * plan.panel_columns) *
                    static_cast<int64_t>(sizeof(Unit)))),
        c_bytes(plan.direct && plan.splits == 1
                    ? 0
                    : Aligned(plan.rows.largest_block() *
                              BlockStride<Acc>(plan.columns.largest_block()) *
                              static_cast<int64_t>(sizeof(Acc)))) {}
  int64_t total() const { return a_bytes + b_bytes + c_bytes; }

  int64_t a_bytes, b_bytes, c_bytes;
};

template <typename Acc>
int64_t PartialSumBytes(const ProductPlan& plan) {
  if (plan.splits == 1) return 0;
  return Aligned(plan.splits * plan.batch * plan.m * plan.n * static_cast<int64_t>(sizeof(Acc)));
}

// What tiles need around them.
class TileScope {
 public:
  TileScope(void (*begin)(), void (*end)()) : end_(end) {
    if (begin != nullptr) begin();
  }
  ~TileScope() {
    if (end_ != nullptr) end_();
  }
  TileScope(const TileScope&) = delete;
  TileScope& operator=(const TileScope&) = delete;

 private:
  void (*const end_)();
};

// One task: a block of C over one split of k.
template <typename Unit, typename Acc>
class BlockTask {
 public:
  BlockTask(const ProductPlan& plan, const ProductKernels<Unit, Acc>& kernels,
            const FusedProduct<Unit, Acc>& product, Acc* partial_sums, int64_t index)
      : plan_(plan), kernels_(kernels), product_(product), partial_sums_(partial_sums) {
    split_ = index % plan.splits;
    index /= plan.splits;
    const int64_t column_block = index % plan.columns.blocks;
    index /= plan.columns.blocks;
    const int64_t row_block = index % plan.rows.blocks;
    batch_ = index / plan.rows.blocks;
    row_ = plan.rows.begin(row_block);
    column_ = plan.columns.begin(column_block);
    rows_ = plan.rows.begin(row_block + 1) - row_;
    columns_ = plan.columns.begin(column_block + 1) - column_;
  }

  void Run(Task& task) {
    const BlockMemory<Unit, Acc> memory(plan_);
    Unit* a = reinterpret_cast<Unit*>(task.scratch());
    Unit* b = reinterpret_cast<Unit*>(task.scratch() + memory.a_bytes);
    const bool direct = plan_.direct && plan_.splits == 1;
    Acc* c = direct ? product_.c(batch_, row_) + column_
                    : reinterpret_cast<Acc*>(task.scratch() + memory.a_bytes + memory.b_bytes);
    const int64_t ldc = direct ? product_.ldc : BlockStride<Acc>(columns_);
    const TileScope scope(kernels_.begin, kernels_.end);
    const int64_t begin = split_ * plan_.split_depth;
    const int64_t end = std::min(plan_.k, begin + plan_.split_depth);
    const bool stores_direct = direct && product_.stores_direct;
    if (begin >= end) {
      ClearBlock(c, ldc);
      if (stores_direct) StoreColumns(0, columns_, c, ldc);
    }
    for (int64_t k0 = begin; k0 < end; k0 += kProductDepth) {
      if (k0 != begin && task.ShouldStop()) return;
      const int64_t depth = std::min(kProductDepth, end - k0);
      if (!product_.rows_by_tile) product_.pack_rows(batch_, row_, rows_, k0, depth, a);
      MultiplyBlock(k0, depth, a, b, c, ldc, /*accumulate=*/k0 != begin,
                    /*stores=*/stores_direct && k0 + depth == end);
    }
    if (!direct) Finish(c, ldc);
  }

 private:
  void ClearBlock(Acc* c, int64_t ldc) const {
    for (int64_t i = 0; i < rows_; ++i) std::fill_n(c + i * ldc, columns_, Acc(0));
  }

  // Passes complete elements of C in place to `store`.
  void StoreColumns(int64_t begin, int64_t end, Acc* c, int64_t ldc) const {
    for (int64_t i = 0; i < rows_; ++i)
      product_.store(batch_, row_ + i, column_ + begin, end - begin, c + i * ldc + begin);
  }

  // Multiplies a block. With `stores`, columns are complete afterwards; they are stored while they
  // are in the cache.
  void MultiplyBlock(int64_t k0, int64_t depth, Unit* a, Unit* panel, Acc* c, int64_t ldc,
                     bool accumulate, bool stores) const {
    constexpr int64_t kStoredPanels = 4;
    int64_t stored = 0;
    for (int64_t j = 0; j < columns_; j += kernels_.columns) {
      MultiplyPanel(j, k0, depth, a, panel, c, ldc, accumulate);
      const int64_t done = std::min(j + kernels_.columns, columns_);
      if (stores && (done == columns_ || done - stored >= kStoredPanels * kernels_.columns)) {
        StoreColumns(stored, done, c, ldc);
        stored = done;
      }
    }
  }

  Unit* PanelOf(int64_t j, Unit* panels) const {
    return panels + j / kernels_.columns % plan_.panels * kProductDepth * kernels_.columns;
  }

  // Copies the panels from column j of the block on, some rows of all of them after each other:
  // these are near to each other in memory.
  void PackPanels(int64_t j, int64_t k0, int64_t depth, Unit* panels) const {
    constexpr int64_t kRows = 32;
    const int64_t width = kernels_.columns, end = std::min(columns_, j + plan_.panels * width);
    for (int64_t k = 0; k < depth; k += kRows) {
      for (int64_t first = j; first < end; first += width) {
        product_.pack_columns(batch_, column_ + first, std::min(width, end - first), k0 + k,
                              std::min(kRows, depth - k), width,
                              PanelOf(first, panels) + k * width);
      }
    }
  }

  // Multiplies columns [j, j + kernels_.columns) of the block.
  void MultiplyPanel(int64_t j, int64_t k0, int64_t depth, Unit* a, Unit* panels, Acc* c,
                     int64_t ldc, bool accumulate) const {
    Unit* const panel = PanelOf(j, panels);
    const int64_t columns = std::min(kernels_.columns, columns_ - j);
    const Unit *b = panel, *copied = nullptr;
    int64_t ldb = kernels_.columns;
    const bool in_place = product_.ldb != 0 && columns == kernels_.columns;
    if (in_place && !product_.copies_columns) {
      b = product_.b(batch_, k0, column_ + j);
      ldb = product_.ldb;
    } else if (in_place && rows_ >= kernels_.rows) {
      copied = product_.b(batch_, k0, column_ + j);
    } else if (plan_.panels == 1) {
      product_.pack_columns(batch_, column_ + j, columns, k0, depth, kernels_.columns, panel);
    } else if (panel == panels) {
      PackPanels(j, k0, depth, panels);
    }
    const int64_t next = j + kernels_.columns, left = columns_ - next;
    const int64_t tiles = CeilOfRatio(rows_, kernels_.rows);
    for (int64_t i = 0; i < rows_; i += kernels_.rows) {
      const int64_t rows = std::min(kernels_.rows, rows_ - i);
      Unit* const tile_rows = a + i * kProductRowStride;
      Acc* const to = c + i * ldc + j;
      if (j == 0 && product_.rows_by_tile)
        product_.pack_rows(batch_, row_ + i, rows, k0, depth, tile_rows);
      if (product_.prefetches && left > 0) {
        product_.prefetch_columns(batch_, column_ + next, std::min(kernels_.columns, left), k0,
                                  depth, i / kernels_.rows, tiles);
      }
      if (i == 0 && copied != nullptr) {
        kernels_.copying_tile(depth, tile_rows, copied, product_.ldb, to, ldc, accumulate, panel);
      } else {
        kernels_.tile(rows, columns, depth, tile_rows, b, ldb, to, ldc, accumulate);
      }
    }
  }

  void Finish(Acc* c, int64_t ldc) const {
    if (plan_.splits == 1) {
      for (int64_t i = 0; i < rows_; ++i)
        product_.store(batch_, row_ + i, column_, columns_, c + i * ldc);
      return;
    }
    for (int64_t i = 0; i < rows_; ++i) {
      Acc* to = partial_sums_ + ((split_ * plan_.batch + batch_) * plan_.m + row_ + i) * plan_.n;
      std::copy_n(c + i * ldc, columns_, to + column_);
    }
  }

  const ProductPlan& plan_;
  const ProductKernels<Unit, Acc>& kernels_;
  const FusedProduct<Unit, Acc>& product_;
  Acc* const partial_sums_;
  int64_t split_, batch_, row_, column_, rows_, columns_;
};

}  // namespace

namespace {

// Divides C into blocks such that there are as many tasks as are useful, if it is large enough.
void ChooseBlocks(const ProductSizes& sizes, double useful_tasks, ProductPlan* plan) {
  // A block of A takes about half of the second-level cache.
  constexpr int64_t kMaxRowBytes = 516 * 4, kMaxColumns = 1024;
  static_assert(kMaxRowBytes * kProductRowStride <= kUsualMachine.second_level_bytes * 9 / 16);
  int64_t limit_m = RoundUpTo(kMaxRowBytes / sizes.unit_bytes, sizes.tile.rows),
          limit_n = kMaxColumns;
  const auto tasks = [&] {
    return static_cast<double>(sizes.batch) * static_cast<double>(CeilOfRatio(sizes.m, limit_m)) *
           static_cast<double>(CeilOfRatio(sizes.n, limit_n));
  };
  // Divide the longer side first; a block of fewer than four tiles a side would be copied too
  // often.
  while (tasks() < useful_tasks) {
    const int64_t now_m = std::min(limit_m, sizes.m), now_n = std::min(limit_n, sizes.n);
    if (now_n > 2 * sizes.tile.columns && (now_n > now_m || now_m <= 4 * sizes.tile.rows)) {
      limit_n = RoundUpTo(CeilOfRatio<int64_t>(now_n, 2), sizes.tile.columns);
    } else if (now_m > 4 * sizes.tile.rows) {
      limit_m = RoundUpTo(CeilOfRatio<int64_t>(now_m, 2), sizes.tile.rows);
    } else {
      break;
    }
  }
  plan->rows = CutSide(sizes.m, limit_m, sizes.tile.rows);
  plan->columns = CutSide(sizes.n, limit_n, sizes.tile.columns);
}

}  // namespace

ProductPlan PlanProduct(const ProductSizes& sizes, int32_t workers) {
  const auto& [batch, m, n, k, direct, tile, unit_bytes, panels] = sizes;
  const double task_products = TaskProducts(sizes);
  ProductPlan plan = {batch,  m,      n,           k, {}, {}, 1, std::max<int64_t>(k, 1),
                      direct, panels, tile.columns};
  if (batch == 0 || m == 0 || n == 0) return plan;
  const double products = static_cast<double>(batch) * static_cast<double>(m) *
                          static_cast<double>(n) * static_cast<double>(std::max<int64_t>(k, 1));
  constexpr double kMaxTasks = 16;
  constexpr int64_t kEnoughTasks = 8, kLeastBlocks = 4;
  const double useful_tasks = std::clamp(products / task_products, 1.0, kMaxTasks);
  // For long sums of few elements, ranges of k are tasks. If these are enough, blocks are not
  // divided: small blocks read the operands more often.
  int64_t splits = 1;
  for (const double cuts : {1.0, useful_tasks}) {
    ChooseBlocks(sizes, cuts, &plan);
    splits = 1;
    if (k < 4 * kLeastBlocks * kProductDepth || plan.tasks() >= kEnoughTasks) break;
    splits = std::min({CeilOfRatio<int64_t>(16, plan.tasks()), k / (kLeastBlocks * kProductDepth),
                       kMaxPartialSums / (batch * m * n)});
    if (plan.tasks() * splits >= kEnoughTasks) break;
  }
  if (splits > 1) {
    plan.split_depth = RoundUpTo(CeilOfRatio(k, splits), kProductDepth);
    plan.splits = CeilOfRatio(k, plan.split_depth);
  }
  // Two tasks for each worker are easier to balance, but copy more of the operands, which does not
  // pay for short ones. One worker uses the largest blocks.
  const double long_products = 32 * task_products;
  constexpr int64_t kFewLines = 64;
  const bool is_short = std::min(m, n) >= kFewLines && products < long_products * workers;
  const double rounds = is_short ? 1.0 : 2.0;
  const double wanted = workers <= 1 ? 1.0 : rounds * workers / static_cast<double>(plan.splits);
  ChooseBlocks(sizes, std::min(wanted, products / task_products), &plan);
  return plan;
}

template <typename Unit, typename Acc>
int64_t ProductScratchBytes(const ProductPlan& plan, int32_t workers) {
  return PartialSumBytes<Acc>(plan) + BlockMemory<Unit, Acc>(plan).total() * workers;
}

template <typename Unit, typename Acc>
absl::Status RunProduct(const KernelHost& host, char* scratch, const ProductPlan& plan,
                        const ProductKernels<Unit, Acc>& kernels,
                        const FusedProduct<Unit, Acc>& product) {
  if (plan.batch == 0 || plan.m == 0 || plan.n == 0) return absl::OkStatus();
  Acc* partial_sums = reinterpret_cast<Acc*>(scratch);
  char* blocks = scratch + PartialSumBytes<Acc>(plan);
  XLA_RETURN_IF_ERROR(
      RunTasks(host, plan.tasks(), blocks, BlockMemory<Unit, Acc>(plan).total(),
               [&](int64_t index, Task& task) {
                 BlockTask<Unit, Acc>(plan, kernels, product, partial_sums, index).Run(task);
               }));
  if (plan.splits == 1) return absl::OkStatus();
  // Rows of C are sums of the rows of the splits.
  const int64_t lines = plan.batch * plan.m, distance = lines * plan.n;
  constexpr double kNanosecondsPerSum = 0.75;
  constexpr int64_t kTaskSums = kUsualMachine.ItemsOfTask(kNanosecondsPerSum);
  const int64_t per_task = std::max<int64_t>(1, kTaskSums / (plan.n * plan.splits));
  return RunTasks(host, CeilOfRatio(lines, per_task), blocks, 0, [&](int64_t index, Task&) {
    for (int64_t line = index * per_task; line < std::min(lines, (index + 1) * per_task); ++line) {
      Acc* sum = partial_sums + line * plan.n;
      for (int64_t split = 1; split < plan.splits; ++split) {
        const Acc* other = sum + split * distance;
        for (int64_t j = 0; j < plan.n; ++j) sum[j] += other[j];
      }
      product.store(line / plan.m, line % plan.m, 0, plan.n, sum);
    }
  });
}

#define XLA_INSTANTIATE(Unit, Acc)                                                          \
  template int64_t ProductScratchBytes<Unit, Acc>(const ProductPlan&, int32_t);             \
  template absl::Status RunProduct<Unit, Acc>(const KernelHost&, char*, const ProductPlan&, \
                                              const ProductKernels<Unit, Acc>&,             \
                                              const FusedProduct<Unit, Acc>&);
XLA_INSTANTIATE(float, float)
XLA_INSTANTIATE(double, double)
XLA_INSTANTIATE(uint32_t, uint32_t)
XLA_INSTANTIATE(uint64_t, uint64_t)
XLA_INSTANTIATE(uint32_t, float)  // pairs of bf16
#undef XLA_INSTANTIATE

}  // namespace xla::kernels
