// SPDX-License-Identifier: Apache-2.0
// Computes products of any sizes by blocks (fused_product.h).
#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "xla/base/machine.h"
#include "xla/kernels/dot/dot_forms.h"
#include "xla/kernels/product/packing.h"
#include "xla/kernels/product/product_cost.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

template <typename Packing>
class BlockedDotKernel final : public Kernel {
  using Unit = typename Packing::Unit;
  using Acc = typename Packing::Acc;
  using Wide = typename Packing::Wide;
  static constexpr bool kIsWide = std::is_same_v<Packing, WidePacking<Unit>>;

 public:
  explicit BlockedDotKernel(DotProblem problem)
      : problem_(std::move(problem)), kernels_(Packing::Kernels()) {
    const void* const columns_constant = problem_.columns.constant;
    sizes_ = {problem_.batch,
              problem_.m,
              problem_.n * Packing::kParts,
              Packing::Units(problem_.k),
              IsDirect(problem_),
              kernels_.tile_sizes(),
              sizeof(Unit)};
    const bool has_few_rows = HasFewRows(problem_);
    in_place_ = has_few_rows && !ExceedsCaches(problem_.columns);
    copies_ = IsReadable(problem_) && !has_few_rows && kernels_.copying_tile != nullptr;
    if (has_few_rows ? !in_place_ : CopyCounts()) sizes_.panels = PanelsTogether();
    const MatrixView& rows = problem_.rows.view;
    rows_by_tile_ =
        kIsWide && rows.k.IsOneRun() && rows.k.run_stride() == 1 && rows.lines.IsOneRun();
    if (columns_constant != nullptr) PackConstant(columns_constant);
  }

  static double Cost(const DotProblem& problem) {
    constexpr double kStart = 300, kProblem = 80;
    const ProductKernels<Unit, Acc> kernels = Packing::Kernels();
    const int64_t n = problem.n * Packing::kParts, k = Packing::Units(problem.k);
    double cost =
        TilesCost(problem.m, n, k, kernels.tile_sizes()) + Packing::RowsCost(problem.rows.view);
    MatrixView packed = problem.columns.view;
    if (HasFewRows(problem)) {  // but for the last panel
      packed.lines = StridedDims({n % kernels.columns}, {packed.lines.run_stride()});
    }
    cost += Packing::PanelsCost(packed, kernels.columns);
    if (!IsDirect(problem))
      cost += StoreCost(problem.result, primitive_util::NativeToPrimitiveType<Wide>());
    return kStart + static_cast<double>(problem.batch) * (cost + kProblem);
  }

  int64_t ScratchBytes(int32_t workers) const override {
    return ConvertedBytes(problem_.rows) + ConvertedBytes(problem_.columns) +
           ProductScratchBytes<Unit, Acc>(PlanProduct(sizes_, workers), workers);
  }

  absl::Status Run(const KernelCall& call) const override {
    char* scratch = static_cast<char*>(call.scratch);
    MatrixView rows = problem_.rows.view, columns = problem_.columns.view;
    const void* rows_data = Prepare(call, problem_.rows, &rows, &scratch);
    const void* columns_data = Prepare(call, problem_.columns, &columns, &scratch);
    ResultView result = problem_.result;
    result.data = call.buffers[2];
    const ElementStore<Wide> element_store(problem_, call.buffers);
    const auto pack_rows = [&](int64_t batch, int64_t first, int64_t lines, int64_t k0,
                               int64_t depth, Unit* to) {
      Packing::PackRows(rows, rows_data, batch, first, lines, k0, depth, to);
      for (int64_t i = 0; problem_.rows.scale != 1 && i < lines; ++i)
        Scale(problem_.rows.scale, depth, to + i * kProductRowStride);
      constexpr int64_t kShortRow = 256;  // bytes; processors prefetch the next short rows
      if (rows_by_tile_ && depth * rows.element_bytes > kShortRow) {
        // Prefetches the rows of the next tile.
        const int64_t next = first + lines;
        PrefetchLines(rows, rows_data, batch, next, std::min(next + lines, problem_.m), k0, depth);
      }
    };
    const auto pack_columns = [&](int64_t batch, int64_t first, int64_t lines, int64_t k0,
                                  int64_t depth, int64_t width, Unit* panel) {
      Packing::PackColumns(columns, columns_data, batch, first, lines, k0, depth, width, panel);
      if (problem_.columns.scale != 1) Scale(problem_.columns.scale, depth * width, panel);
    };
    const auto prefetch_columns = [&](int64_t batch, int64_t first, int64_t lines, int64_t k0,
                                      int64_t depth, int64_t part, int64_t parts) {
      PrefetchLines(columns, columns_data, batch, first + lines * part / parts,
                    first + lines * (part + 1) / parts, k0, depth);
    };
    const auto b = [&](int64_t batch, int64_t k0, int64_t j0) -> const Unit* {
      if (!packed_.empty()) return PackedPanel(batch, k0, j0);
      return static_cast<const Unit*>(columns_data) + columns.batch.Offset(batch) +
             k0 * columns.k.run_stride() + j0;
    };
    const auto c = [&](int64_t batch, int64_t row) {
      return static_cast<Acc*>(result.data) + result.batch.Offset(batch) + result.rows.Offset(row);
    };
    const auto store = [&](int64_t batch, int64_t row, int64_t column, int64_t count, Acc* values) {
      element_store(batch, row, column / Packing::kParts, count / Packing::kParts,
                    reinterpret_cast<Wide*>(values));
    };
    const int64_t ldb = !packed_.empty()       ? kernels_.columns
                        : in_place_ || copies_ ? std::max<int64_t>(columns.k.run_stride(), 1)
                                               : 0;
    return RunProduct<Unit, Acc>(*call.host, scratch, PlanProduct(sizes_, call.host->workers),
                                 kernels_,
                                 {.pack_rows = pack_rows,
                                  .pack_columns = pack_columns,
                                  .prefetch_columns = prefetch_columns,
                                  .prefetches = PrefetchesColumns(),
                                  .b = b,
                                  .ldb = ldb,
                                  .copies_columns = copies_,
                                  .rows_by_tile = rows_by_tile_,
                                  .c = c,
                                  .ldc = problem_.m == 1 ? 0 : result.rows.run_stride(),
                                  .store = store,
                                  .stores_direct = problem_.epilogue.store != nullptr});
  }

 private:
  // Whether sums are accumulated in the memory of the result.
  static bool IsDirect(const DotProblem& problem) {
    const ResultView& result = problem.result;
    return Packing::kParts == 1 &&
           (problem.epilogue.store == nullptr || problem.epilogue.in_place) &&
           StoresSums<Acc>(result.type) && result.columns.IsOneRun() &&
           result.columns.run_stride() == 1 && result.rows.IsOneRun();
  }
  // Whether columns can be read in place as panels.
  static bool IsReadable(const DotProblem& problem) {
    const MatrixView& columns = problem.columns.view;
    return problem.columns.constant == nullptr && kIsWide && IsPlain<Unit>(problem.columns) &&
           columns.k.IsOneRun() && columns.lines.IsOneRun() && columns.lines.run_stride() == 1 &&
           columns.k.run_stride() > 0;
  }
  // Packing the columns is not worthwhile for few rows, unless they come from memory.
  static bool HasFewRows(const DotProblem& problem) {
    constexpr int64_t kFewRows = 32;
    return IsReadable(problem) && problem.m <= kFewRows;
  }

  // Whether the copy of a panel takes as long as the products with it, as instructions that
  // multiply matrices make them.
  bool CopyCounts() const {
    const MatrixView& view = problem_.columns.view;
    return !kIsWide && kernels_.rows_at_a_time > 1 && view.lines.run_stride() == 1;
  }
  // Panels that are copied together, as rows of one are short runs of memory, each in another page,
  // which no processor reads ahead.
  int64_t PanelsTogether() const {
    constexpr int64_t kRowBytes = 1024;
    return std::max<int64_t>(kRowBytes / (kernels_.columns * static_cast<int64_t>(sizeof(Unit))),
                             1);
  }

  static bool ExceedsCaches(const Operand& operand) {
    constexpr int64_t kLargeBytes = 4 * kUsualMachine.second_level_bytes;
    return operand.elements * operand.view.element_bytes >= kLargeBytes;
  }

  // Whether columns are contiguous, in a matrix that exceeds the caches.
  bool PrefetchesColumns() const {
    const MatrixView& view = problem_.columns.view;
    return kIsWide && view.k.IsOneRun() && view.k.run_stride() == 1 && packed_.empty() &&
           ExceedsCaches(problem_.columns);
  }

  // Reads elements [k0, k0 + depth) of lines that are contiguous along k into the cache.
  static void PrefetchLines(const MatrixView& view, const void* data, int64_t batch, int64_t begin,
                            int64_t end, int64_t k0, int64_t depth) {
    constexpr int64_t kLine = 64;
    const char* base =
        static_cast<const char*>(data) + (view.batch.Offset(batch) + k0) * view.element_bytes;
    for (int64_t line = begin; line < end; ++line) {
      const char* from = base + view.lines.Offset(line) * view.element_bytes;
      for (int64_t at = 0; at < depth * view.element_bytes; at += kLine)
        __builtin_prefetch(from + at);
    }
  }

  static void Scale(double factor, int64_t count, Unit* units) {
    if constexpr (std::is_floating_point_v<Unit>) {
      const Unit rounded = static_cast<Unit>(factor);
      for (int64_t i = 0; i < count; ++i) units[i] *= rounded;
    }
  }

  // Complex kernels multiply one type: others are converted as a whole.
  static bool IsConverted(const Operand& operand) {
    return is_complex_v<Wide> && operand.view.type != primitive_util::NativeToPrimitiveType<Wide>();
  }
  static int64_t ConvertedBytes(const Operand& operand) {
    if (!IsConverted(operand)) return 0;
    return Aligned(operand.elements * static_cast<int64_t>(sizeof(Wide)));
  }
  static const void* Prepare(const KernelCall& call, const Operand& operand, MatrixView* view,
                             char** scratch) {
    const void* data = call.buffers[operand.buffer];
    if constexpr (is_complex_v<Wide>) {
      if (!IsConverted(operand)) return data;
      Wide* converted = reinterpret_cast<Wide*>(*scratch);
      *scratch += ConvertedBytes(operand);
      if (const WideLoad<Wide> load = GetWideLoad<Wide>(view->type); load != nullptr) {
        load(data, 1, operand.elements, converted);
      } else {
        // Converts integers to real parts in place, from the last one on.
        Acc* parts = reinterpret_cast<Acc*>(converted);
        GetWideLoad<Acc>(view->type)(data, 1, operand.elements, parts);
        for (int64_t i = operand.elements - 1; i >= 0; --i) converted[i] = Wide(parts[i], 0);
      }
      view->type = primitive_util::NativeToPrimitiveType<Wide>();
      view->element_bytes = sizeof(Wide);
      return converted;
    }
    return data;
  }

  // Panels of the columns: [batch, panel, k, column].
  int64_t PanelCount() const { return sizes_.n / kernels_.columns; }
  const Unit* PackedPanel(int64_t batch, int64_t k0, int64_t j0) const {
    return packed_.data() +
           ((batch * PanelCount() + j0 / kernels_.columns) * sizes_.k + k0) * kernels_.columns;
  }
  // Full panels only: those of fewer columns are packed at run time, from the constant.
  void PackConstant(const void* constant) {
    if (IsConverted(problem_.columns)) return;
    packed_.resize(problem_.batch * PanelCount() * sizes_.k * kernels_.columns);
    for (int64_t batch = 0; batch < problem_.batch; ++batch) {
      for (int64_t panel = 0; panel < PanelCount(); ++panel) {
        Unit* to = packed_.data() + (batch * PanelCount() + panel) * sizes_.k * kernels_.columns;
        for (int64_t k0 = 0; k0 < sizes_.k; k0 += kProductDepth) {
          Packing::PackColumns(problem_.columns.view, constant, batch, panel * kernels_.columns,
                               kernels_.columns, k0, std::min(kProductDepth, sizes_.k - k0),
                               kernels_.columns, to + k0 * kernels_.columns);
        }
        if (problem_.columns.scale != 1)
          Scale(problem_.columns.scale, sizes_.k * kernels_.columns, to);
      }
    }
  }

  const DotProblem problem_;
  const ProductKernels<Unit, Acc> kernels_;
  ProductSizes sizes_;
  bool in_place_, copies_;  // columns are read in place; copied by the first tile
  bool rows_by_tile_;
  std::vector<Unit> packed_;
};

}  // namespace

template <typename Packing>
double BlockedDotCost(const DotProblem& problem) {
  return BlockedDotKernel<Packing>::Cost(problem);
}

template <typename Packing>
std::unique_ptr<const Kernel> MakeBlockedDot(DotProblem problem) {
  return std::make_unique<BlockedDotKernel<Packing>>(std::move(problem));
}

template double BlockedDotCost<WidePacking<float>>(const DotProblem&);
template std::unique_ptr<const Kernel> MakeBlockedDot<WidePacking<float>>(DotProblem);
template double BlockedDotCost<WidePacking<double>>(const DotProblem&);
template std::unique_ptr<const Kernel> MakeBlockedDot<WidePacking<double>>(DotProblem);
template double BlockedDotCost<WidePacking<uint32_t>>(const DotProblem&);
template std::unique_ptr<const Kernel> MakeBlockedDot<WidePacking<uint32_t>>(DotProblem);
template double BlockedDotCost<WidePacking<uint64_t>>(const DotProblem&);
template std::unique_ptr<const Kernel> MakeBlockedDot<WidePacking<uint64_t>>(DotProblem);
template double BlockedDotCost<ComplexPacking<float>>(const DotProblem&);
template std::unique_ptr<const Kernel> MakeBlockedDot<ComplexPacking<float>>(DotProblem);
template double BlockedDotCost<ComplexPacking<double>>(const DotProblem&);
template std::unique_ptr<const Kernel> MakeBlockedDot<ComplexPacking<double>>(DotProblem);
template double BlockedDotCost<PairPacking>(const DotProblem&);
template std::unique_ptr<const Kernel> MakeBlockedDot<PairPacking>(DotProblem);
template double BlockedDotCost<QuadPacking>(const DotProblem&);
template std::unique_ptr<const Kernel> MakeBlockedDot<QuadPacking>(DotProblem);
template double BlockedDotCost<WordPacking>(const DotProblem&);
template std::unique_ptr<const Kernel> MakeBlockedDot<WordPacking>(DotProblem);

}  // namespace xla::kernels
