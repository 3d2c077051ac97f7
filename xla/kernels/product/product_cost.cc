// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/product/product_cost.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "xla/base/machine.h"
#include "xla/kernels/product/patches.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// Estimates a tile by an instruction that multiplies `rows_at_a_time` rows and as many units with a
// vector of columns for each: these take a cycle a unit.
double MatrixTileCost(int64_t rows, int64_t vectors, int64_t k, int64_t rows_at_a_time) {
  constexpr double kStart = 60, kStore = 3;
  const auto registers = static_cast<double>(CeilOfRatio(rows, rows_at_a_time) * vectors);
  return static_cast<double>(RoundUpTo(k, rows_at_a_time)) * registers + kStart +
         static_cast<double>(rows * vectors) * kStore;
}

// Estimates a tile of `rows` rows and `vectors` vectors of columns. Two products start in a cycle,
// but the sums of one chain have the latency of an addition; elements of rows are broadcast.
double TileCost(int64_t rows, int64_t vectors, int64_t k, bool is_partial, int64_t rows_at_a_time) {
  if (rows_at_a_time > 1) return MatrixTileCost(rows, vectors, k, rows_at_a_time);
  constexpr double kLatency = 4, kStart = 15, kStore = 1.5, kPartialStore = 4;
  const auto products = static_cast<double>(rows * vectors);
  const double step = std::max({products / 2, static_cast<double>(rows + vectors) / 2, kLatency});
  return static_cast<double>(k) * step + kStart + products * (is_partial ? kPartialStore : kStore);
}

bool IsConverted(const MatrixView& matrix, PrimitiveType type) {
  if (primitive_util::IsIntegralType(type) && primitive_util::IsIntegralType(matrix.type))
    return primitive_util::BitWidth(type) != primitive_util::BitWidth(matrix.type);
  return matrix.type != type;
}

// Estimates a copy of `runs` runs of `run` elements, which are read `run_stride` apart and stored
// contiguously; the next run is `next_stride` further.
double CopyCost(double runs, double run, int64_t run_stride, int64_t next_stride,
                bool is_converted) {
  // The rates of elements that are converted, transposed by blocks, copied or gathered.
  struct Rate {
    double run, element;
  };
  constexpr Rate kConverted = {15, 0.3}, kConvertedApart = {50, 1.5}, kCopied = {4, 0.15},
                 kGathered = {4, 0.5};
  constexpr double kTransposed = 0.4, kBlock = 8;
  if (run_stride != 1 && next_stride == 1 && !is_converted)
    return std::ceil(run / kBlock) * kBlock * std::ceil(runs / kBlock) * kBlock * kTransposed;
  const Rate rate = is_converted ? (run_stride == 1 ? kConverted : kConvertedApart)
                                 : (run_stride == 1 ? kCopied : kGathered);
  return runs * (rate.run + run * rate.element);
}

// Whether `count` elements at a distance of so many bytes share so few sets of the first-level
// cache that some of their lines are replaced before their neighbors are read or written.
bool CollideInCache(int64_t count, int64_t distance) {
  // A way of the cache is a page: the place in it chooses the set.
  constexpr int64_t kSets = kUsualMachine.page_bytes / kUsualMachine.line_bytes,
                    kWays = kUsualMachine.first_level_bytes / kUsualMachine.page_bytes;
  distance = std::abs(distance);
  if (distance % kUsualMachine.line_bytes != 0) return count > kSets * kWays;
  return count > kSets / std::gcd(kSets, distance / kUsualMachine.line_bytes) * kWays;
}

// The cost of a run of equally spaced elements, beyond that of the elements.
constexpr double kRun = 14;

// Returns how many runs beyond one the depth of a matrix consists of.
double RunsOf(const MatrixView& matrix) {
  if (matrix.k.IsOneRun()) return 0;
  return static_cast<double>(matrix.k.count()) / static_cast<double>(matrix.k.run_length());
}

// Sums cost(columns of a panel) over the panels of a matrix, with the zeros that fill the last one.
template <typename F>
double ForPanels(const MatrixView& matrix, int64_t width, const F& cost) {
  constexpr double kFill = 2;
  const int64_t panels = matrix.lines.count() / width, rest = matrix.lines.count() % width;
  double sum = panels == 0 ? 0 : static_cast<double>(panels) * cost(static_cast<double>(width));
  if (rest > 0)
    sum += cost(static_cast<double>(rest)) + static_cast<double>(matrix.k.count()) * kFill;
  return sum;
}

}  // namespace

double TilesCost(int64_t m, int64_t n, int64_t k, const TileSizes& tile) {
  const int64_t full_rows = m / tile.rows, rows = m % tile.rows;
  const int64_t full_columns = n / tile.columns, columns = n % tile.columns;
  const int64_t vectors = 2 * columns <= tile.columns ? 1 : 2;
  const auto tile_cost = [&](int64_t of_rows, int64_t of_vectors, bool is_partial) {
    return TileCost(of_rows, of_vectors, k, is_partial, tile.rows_at_a_time);
  };
  const auto row_of_tiles = [&](int64_t count, bool is_partial, int64_t of_vectors) {
    return static_cast<double>(count) *
           (static_cast<double>(full_rows) * tile_cost(tile.rows, of_vectors, is_partial) +
            (rows > 0 ? tile_cost(rows, of_vectors, is_partial) : 0));
  };
  return row_of_tiles(full_columns, false, 2) +
         (columns > 0 ? row_of_tiles(1, 2 * columns != tile.columns, vectors) : 0);
}

double PackRowsCost(const MatrixView& matrix, PrimitiveType type) {
  constexpr double kRow = 5;
  const auto lines = static_cast<double>(matrix.lines.count());
  return lines * (kRow + RunsOf(matrix) * kRun) +
         CopyCost(lines, static_cast<double>(matrix.k.count()), matrix.k.run_stride(),
                  matrix.lines.run_stride(), IsConverted(matrix, type));
}

double PackPanelsCost(const MatrixView& matrix, PrimitiveType type, int64_t width) {
  // Lines at a distance are converted one by one and scattered.
  constexpr double kScattered = 0.6;
  const int64_t line_stride = std::abs(matrix.lines.run_stride()),
                k_stride = std::abs(matrix.k.run_stride());
  if (IsConverted(matrix, type) && line_stride >= k_stride) {
    const auto lines = static_cast<double>(matrix.lines.count()),
               k = static_cast<double>(matrix.k.count());
    return CopyCost(lines, k, k_stride, line_stride, /*is_converted=*/true) +
           lines * k * kScattered;
  }
  const double runs = RunsOf(matrix);
  return ForPanels(matrix, width, [&](double columns) {
    return runs * kRun + CopyCost(static_cast<double>(matrix.k.count()), columns,
                                  matrix.lines.run_stride(), matrix.k.run_stride(),
                                  IsConverted(matrix, type));
  });
}

double PackRowPartsCost(const MatrixView& matrix) {
  constexpr double kCopiedRow = 25, kGatheredRow = 60, kCopied = 0.2, kGathered = 1;
  const auto k = static_cast<double>(matrix.k.count());
  const double row =
      matrix.k.run_stride() == 1 ? kCopiedRow + k * kCopied : kGatheredRow + k * kGathered;
  return static_cast<double>(matrix.lines.count()) * row;
}

double PackPanelPartsCost(const MatrixView& matrix, int64_t parts, int64_t width) {
  constexpr double kRow = 15, kTransposed = 0.4, kCombined = 1, kGathered = 3;
  const auto units = static_cast<double>(CeilOfRatio(matrix.k.count(), parts));
  const int64_t line_stride = matrix.lines.run_stride();
  const bool transposes = matrix.k.IsOneRun() && matrix.k.run_stride() == 1 &&
                          matrix.lines.IsOneRun() && line_stride % parts == 0;
  return ForPanels(matrix, width, [&](double columns) {
    if (transposes) return units * columns * kTransposed;
    return units * (kRow + columns * (line_stride == 1 ? kCombined : kGathered));
  });
}

double PackRowWordsCost(const MatrixView& matrix) {
  // Elements at a distance of several lines of the cache share few of its sets.
  constexpr double kRow = 25, kWidened = 0.2, kGathered = 1, kFarGathered = 4;
  const auto k = static_cast<double>(matrix.k.count());
  const int64_t distance = std::abs(matrix.k.run_stride()) * matrix.element_bytes;
  const double element = matrix.k.run_stride() == 1                ? kWidened
                         : distance < 4 * kUsualMachine.line_bytes ? kGathered
                                                                   : kFarGathered;
  return static_cast<double>(matrix.lines.count()) * (kRow + RunsOf(matrix) * kRun + k * element);
}

double PackPanelWordsCost(const MatrixView& matrix, int64_t width) {
  constexpr double kRow = 3, kRowApart = 20, kInterleaved = 0.3, kTransposed = 0.4;
  const auto units = static_cast<double>(CeilOfRatio<int64_t>(matrix.k.count(), 2));
  if (matrix.lines.run_stride() == 1 && matrix.lines.run_length() > 1) {
    const double row = matrix.k.IsOneRun() ? kRow : kRowApart;
    return ForPanels(matrix, width,
                     [&](double columns) { return units * (row + columns * kInterleaved); });
  }
  return PackRowWordsCost(matrix) +
         units * kTransposed * static_cast<double>(RoundUpTo(matrix.lines.count(), width));
}

double PatchRowsCost(const Patches& patches, PrimitiveType type) {
  // Runs of a row of taps, or of the features under a tap.
  constexpr double kPatch = 20, kRun = 40, kDilatedRun = 50, kCopied = 0.15, kEveryOther = 0.5,
                   kGathered = 1.6, kFarGathered = 2.5, kConverted = 0.4;
  const int64_t row_stride = MinorRunStride(patches);
  bool dilates = false;
  for (const SpatialDim& dim : patches.dims) dilates = dilates || dim.base_dilation != 1;
  const auto depth = static_cast<double>(patches.depth());
  const auto length =
      static_cast<double>(patches.features * (row_stride == 0 ? 1 : patches.dims.back().taps));
  const int64_t stride = row_stride == 0 ? patches.feature_stride : row_stride;
  const int64_t run = static_cast<int64_t>(length), distance = stride * patches.element_bytes;
  double element = stride == 1 || run == 1               ? kCopied
                   : stride == 2 && patches.type == type ? kEveryOther
                   : CollideInCache(run, distance)       ? kFarGathered
                                                         : kGathered;
  if (patches.type != type && patches.element_bytes >= 2) element += kConverted;
  return static_cast<double>(patches.positions()) *
         (kPatch + depth / std::max(length, 1.0) * (dilates ? kDilatedRun : kRun) +
          depth * element);
}

double PatchColumnsCost(const Patches& patches, PrimitiveType type, int64_t positions,
                        int64_t width) {
  // Rows of positions, or parts of them in a panel, for each tap and feature.
  constexpr double kTap = 20, kPlainRun = 6, kPaddedRun = 15, kCopied = 0.15, kGathered = 0.7,
                   kConverted = 0.2, kGatheredConverted = 3, kGatheredInteger = 1.5, kDilated = 1.8,
                   kDilatedConverted = 5;
  const auto features = static_cast<double>(patches.features),
             taps = static_cast<double>(patches.depth()) / std::max(features, 1.0);
  const int64_t row = patches.dims.empty() ? 1 : patches.dims.back().output_size;
  const auto all = static_cast<double>(positions);
  const double runs =
      all / static_cast<double>(std::max<int64_t>(row, 1)) + all / static_cast<double>(width);
  double element = kCopied, run = kPlainRun;
  if (!patches.dims.empty()) {
    const SpatialDim& minor = patches.dims.back();
    const int64_t last = (minor.output_size - 1) * minor.stride - minor.padding_low +
                         (minor.taps - 1) * minor.window_dilation;
    if (minor.padding_low > 0 || last >= minor.input_size) run = kPaddedRun;
    if (minor.stride * minor.input_stride != 1)
      element = patches.type == type                           ? kGathered
                : primitive_util::IsIntegralType(patches.type) ? kGatheredInteger
                                                               : kGatheredConverted;
    if (minor.base_dilation != 1) element = patches.type != type ? kDilatedConverted : kDilated;
  }
  if (patches.type != type) element += kConverted;
  return taps * (runs * (kTap + features * run) + all * features * element);
}

double StoreCost(const ResultView& result, PrimitiveType type) {
  constexpr double kRun = 40, kCopied = 0.3, kConverted = 0.5, kScattered = 0.8,
                   kConvertedApart = 2.5, kFar = 4;
  // Elements in more lines than the cache holds are stored to memory farther away.
  constexpr int64_t kCachedBytes = kUsualMachine.second_level_bytes / 8;
  const auto m = static_cast<double>(result.rows.count()),
             n = static_cast<double>(result.columns.count());
  const bool is_converted = result.type != type;
  double element = is_converted ? kConverted : kCopied;
  if (n > 1 && result.columns.run_stride() != 1) {
    const int64_t distance = std::abs(result.columns.run_stride()) * result.element_bytes;
    const int64_t stored = result.columns.count() * std::min(kUsualMachine.line_bytes, distance);
    const bool is_far =
        stored > kCachedBytes || CollideInCache(result.columns.run_length(), distance);
    element = is_far ? kFar : is_converted ? kConvertedApart : kScattered;
  }
  const int64_t runs = CeilOfRatio(result.columns.count(), result.columns.run_length());
  return m * (static_cast<double>(runs) * kRun + n * element);
}

}  // namespace xla::kernels
