// SPDX-License-Identifier: Apache-2.0
// Convolutions as products of matrices whose blocks are gathered from patches.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "xla/kernels/convolution/convolution_forms.h"
#include "xla/kernels/forms.h"
#include "xla/kernels/product/packing.h"
#include "xla/kernels/product/patches.h"
#include "xla/kernels/product/product_cost.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// Whether rows of positions are rows of the input under every tap, as they are if images are
// interleaved.
bool HasPlainPositions(const Patches& patches) {
  return patches.features > 1 && patches.feature_stride != 1 && patches.dims.size() > 1 &&
         IsPointwise(patches.dims.back()) && patches.dims.back().input_stride == 1;
}

// Whether patches consist of long rows of the input, one in each of several features that are far
// apart, and the kernel's elements likewise: as in gradients of kernels whose features precede
// positions, which read every other element if the stride is 2.
bool HasLongRows(const ConvolutionProblem& problem) {
  constexpr int64_t kLongRow = 8;
  const Patches& patches = problem.conv.patches;
  if (patches.features <= 1 || patches.feature_stride == 1 || patches.dims.empty()) return false;
  const SpatialDim& minor = patches.dims.back();
  return minor.taps >= kLongRow && minor.input_stride == 1 && minor.base_dilation == 1 &&
         problem.kernel_feature_stride != 1;
}

// Turns features into the taps of one more dimension, the first: patches are then ordered by
// features, and elements under the taps of a row are equally spaced.
void MakeFeaturesOuter(ConvolutionProblem* problem) {
  Patches& patches = problem->conv.patches;
  patches.dims.insert(patches.dims.begin(), SpatialDim{.output_size = 1,
                                                       .taps = patches.features,
                                                       .stride = 1,
                                                       .padding_low = 0,
                                                       .window_dilation = 1,
                                                       .base_dilation = 1,
                                                       .input_size = patches.features,
                                                       .input_stride = patches.feature_stride});
  StridedDims k({patches.features}, {problem->kernel_feature_stride});
  for (size_t d = 0; d < problem->tap_sizes.size(); ++d)
    k.Append(problem->tap_sizes[d], problem->tap_strides[d]);
  problem->conv.kernel.k = k;
  patches.features = patches.feature_stride = 1;
}

// The elements of a unit of a row: one, or several parts.
template <typename Packing>
struct RowElement {
  using type = typename Packing::Unit;
};
template <typename Part>
struct RowElement<ComplexPacking<Part>> {
  using type = std::complex<Part>;
};
template <>
struct RowElement<PairPacking> {
  using type = uint16_t;
};
template <>
struct RowElement<WordPacking> {
  using type = uint16_t;
};
template <>
struct RowElement<QuadPacking> {
  using type = uint8_t;
};

template <typename Packing>
class PatchProductKernel final : public Kernel {
  using Unit = typename Packing::Unit;
  using Acc = typename Packing::Acc;
  using Wide = typename Packing::Wide;
  using Element = typename RowElement<Packing>::type;
  static constexpr bool kIsWide = std::is_same_v<Packing, WidePacking<Unit>>;
  static constexpr PrimitiveType kWideType = primitive_util::NativeToPrimitiveType<Wide>();

 public:
  PatchProductKernel(ConvolutionProblem problem, bool patches_are_columns)
      : problem_(std::move(problem)),
        kernels_(Packing::Kernels()),
        patches_are_columns_(patches_are_columns) {
    if ((patches_are_columns_ && HasPlainPositions(problem_.conv.patches)) || HasLongRows(problem_))
      MakeFeaturesOuter(&problem_);
    const Convolution& conv = problem_.conv;
    depth_ = conv.patches.depth();
    const ResultView& result = conv.result;
    const int64_t batches = conv.patches.batch_size;
    // If positions are columns, each image is a separate problem, with contiguous rows.
    images_ = patches_are_columns_ ? batches : 1;
    positions_ = problem_.positions() / std::max<int64_t>(images_, 1);
    const bool plain = Packing::kParts == 1 &&
                       (problem_.epilogue.store == nullptr || problem_.epilogue.in_place) &&
                       StoresSums<Acc>(result.type);
    if (patches_are_columns_) {
      image_stride_ = ImageStride();
      SetSizes(problem_.features(), positions_,
               plain && RowOfPositions() == 1 && result.columns.IsOneRun());
    } else {
      SetSizes(positions_, problem_.features(),
               plain && result.rows.IsOneRun() && result.columns.IsOneRun() &&
                   result.columns.run_stride() == 1);
    }
  }

  // Estimated cycles.
  double Cost() const {
    constexpr double kStart = 250, kProblem = 80;
    const Convolution& conv = problem_.conv;
    const auto problems = static_cast<double>(sizes_.batch);
    const ProductPlan plan = PlanProduct(sizes_, 1);
    const auto row_blocks = static_cast<double>(plan.rows.blocks),
               column_blocks = static_cast<double>(plan.columns.blocks);
    double cost = kProblem + TilesCost(sizes_.m, sizes_.n, sizes_.k, sizes_.tile);
    if (patches_are_columns_) {
      cost += column_blocks * Packing::RowsCost(conv.kernel) +
              row_blocks * PatchColumnsCost(conv.patches, kWideType, positions_, kernels_.columns);
      if (!sizes_.direct) {
        ResultView transposed = conv.result;
        std::swap(transposed.rows, transposed.columns);
        cost += StoreCost(transposed, kWideType) / static_cast<double>(images_);
      }
    } else {
      cost += column_blocks * PatchRowsCost(conv.patches, kWideType) +
              (KernelIsReadable() ? 1 : row_blocks) *
                  Packing::PanelsCost(conv.kernel, kernels_.columns);
      if (!sizes_.direct) cost += StoreCost(conv.result, kWideType);
      if (sizeof(Element) < sizeof(Unit)) {  // FinishRows
        constexpr double kRow = 15, kUnit = 0.3;
        cost += static_cast<double>(sizes_.m) * (kRow + static_cast<double>(sizes_.k) * kUnit);
      }
    }
    return kStart + problems * cost;
  }

  int64_t ScratchBytes(int32_t workers) const override {
    return ProductScratchBytes<Unit, Acc>(PlanProduct(sizes_, workers), workers);
  }

  absl::Status Run(const KernelCall& call) const override {
    if (problem_.positions() == 0) return absl::OkStatus();
    return patches_are_columns_ ? RunColumns(call) : RunRows(call);
  }

 private:
  static void NoPrefetch(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t) {}

  void SetSizes(int64_t m, int64_t n, bool direct) {
    sizes_ = {problem_.groups() * images_,
              m,
              n * Packing::kParts,
              Packing::Units(depth_),
              direct,
              kernels_.tile_sizes(),
              sizeof(Unit)};
  }

  // Strides of the result: from one image to the next; between positions of an image, 0 if they are
  // not equally spaced.
  int64_t ImageStride() const {
    return images_ <= 1 ? 0 : problem_.conv.result.rows.Offset(positions_);
  }
  int64_t RowOfPositions() const {
    const StridedDims& rows = problem_.conv.result.rows;
    if (positions_ <= 1) return 1;
    const int64_t stride = rows.Offset(1);
    // Positions form a run if the last one has the offset that the stride gives; dimensions have
    // increasing strides, or the offsets would collide.
    return rows.run_length() >= positions_ || rows.IsOneRun() ? stride : 0;
  }

  void Scale(int64_t count, Unit* units) const {
    if constexpr (std::is_floating_point_v<Unit>) {
      const Unit rounded = static_cast<Unit>(problem_.kernel_scale);
      for (int64_t i = 0; i < count; ++i) units[i] *= rounded;
    }
  }

  WideLoad<Element> LoadOf(PrimitiveType type) const {
    if constexpr (kIsWide) {
      if (type == primitive_util::NativeToPrimitiveType<Unit>()) return nullptr;
      return GetWideLoad<Unit>(type);
    } else if constexpr (std::is_same_v<Packing, WordPacking>) {
      return GetWordLoad(type);
    } else {
      (void)type;
      return nullptr;
    }
  }

  absl::Status RunRows(const KernelCall& call) const {
    const Convolution& conv = problem_.conv;
    const ResultView& result = conv.result;
    char* out = static_cast<char*>(call.buffers[2]);
    const void* kernel_data = KernelData(problem_, call);
    const WideLoad<Element> load = LoadOf(conv.patches.type);
    const WideStore<Wide> wide_store = GetWideStore<Wide>(result.type);
    // A unit is one element or several. NOLINTBEGIN(bugprone-sizeof-expression)
    constexpr int64_t kElementsPerUnit =
        sizeof(Unit) > sizeof(Element) ? sizeof(Unit) / sizeof(Element) : 1;
    // NOLINTEND(bugprone-sizeof-expression)
    const auto pack_rows = [&](int64_t group, int64_t first, int64_t lines, int64_t k0,
                               int64_t depth, Unit* rows) {
      const int64_t begin = k0 * kElementsPerUnit / Packing::kParts;
      const int64_t count = std::min(depth * kElementsPerUnit / Packing::kParts, depth_ - begin);
      Element* elements = reinterpret_cast<Element*>(rows);
      constexpr int64_t kStride = kProductRowStride * kElementsPerUnit / Packing::kParts;
      PackPatchRows<Element>(conv.patches, call.buffers[0], load, group, first, lines, begin, count,
                             elements, kStride);
      FinishRows(lines, depth, count, rows);
    };
    const auto pack_columns = [&](int64_t group, int64_t first, int64_t lines, int64_t k0,
                                  int64_t depth, int64_t width, Unit* panel) {
      Packing::PackColumns(conv.kernel, kernel_data, group, first, lines, k0, depth, width, panel);
      if (problem_.kernel_scale != 1) Scale(depth * width, panel);
    };
    const bool copies = KernelIsReadable();
    const auto b = [&](int64_t group, int64_t k0, int64_t column) {
      return static_cast<const Unit*>(kernel_data) + conv.kernel.batch.Offset(group) +
             k0 * conv.kernel.k.run_stride() + column;
    };
    const auto c = [&](int64_t group, int64_t row) {
      return reinterpret_cast<Acc*>(out) + problem_.result_origin + result.batch.Offset(group) +
             result.rows.Offset(row);
    };
    const auto store = [&](int64_t group, int64_t row, int64_t column, int64_t count, Acc* values) {
      const int64_t base = result.batch.Offset(group) + result.rows.Offset(row);
      result.columns.ForEachRun(column / Packing::kParts, count / Packing::kParts,
                                [&](int64_t done, int64_t offset, int64_t length) {
                                  StoreElements<Wide>(problem_, call, wide_store, base + offset,
                                                      result.columns.run_stride(), length,
                                                      reinterpret_cast<const Wide*>(values) + done);
                                });
    };
    return RunProduct<Unit, Acc>(*call.host, static_cast<char*>(call.scratch),
                                 PlanProduct(sizes_, call.host->workers), kernels_,
                                 {.pack_rows = pack_rows,
                                  .pack_columns = pack_columns,
                                  .prefetch_columns = NoPrefetch,
                                  .prefetches = false,
                                  .b = b,
                                  .ldb = copies ? conv.kernel.k.run_stride() : 0,
                                  .copies_columns = copies,
                                  .rows_by_tile = kIsWide,
                                  .c = c,
                                  .ldc = result.rows.run_stride(),
                                  .store = store,
                                  .stores_direct = problem_.epilogue.store != nullptr});
  }

  // Whether rows of the kernel are copied while they are first multiplied.
  bool KernelIsReadable() const {
    const MatrixView& kernel = problem_.conv.kernel;
    return kIsWide && kernels_.copying_tile != nullptr &&
           kernel.type == primitive_util::NativeToPrimitiveType<Unit>() &&
           problem_.kernel_scale == 1 && kernel.lines.IsOneRun() &&
           kernel.lines.run_stride() == 1 && kernel.k.IsOneRun() && kernel.k.run_stride() > 0;
  }

  // Adds what rows of parts need beyond their elements.
  void FinishRows(int64_t lines, int64_t depth, int64_t count, Unit* rows) const {
    if constexpr (sizeof(Element) < sizeof(Unit)) {
      Unit flip = 0;
      if constexpr (std::is_same_v<Packing, QuadPacking>) flip = QuadFlip() * 0x01010101u;
      for (int64_t i = 0; i < lines; ++i) {
        Element* row = reinterpret_cast<Element*>(rows + i * kProductRowStride);
        std::fill(row + count, row + depth * static_cast<int64_t>(sizeof(Unit) / sizeof(Element)),
                  Element(0));
        Unit* units = rows + i * kProductRowStride;
        for (int64_t k = 0; flip != 0 && k < depth; ++k) units[k] ^= flip;
      }
    }
    (void)lines, (void)depth, (void)count, (void)rows;
  }

  absl::Status RunColumns(const KernelCall& call) const {
    if constexpr (kIsWide) {
      const Convolution& conv = problem_.conv;
      const ResultView& result = conv.result;
      char* out = static_cast<char*>(call.buffers[2]);
      const void* kernel_data = KernelData(problem_, call);
      const WideLoad<Unit> load = LoadOf(conv.patches.type);
      const WideStore<Unit> wide_store = GetWideStore<Unit>(result.type);
      const auto pack_rows = [&](int64_t batch, int64_t first, int64_t lines, int64_t k0,
                                 int64_t depth, Unit* rows) {
        Packing::PackRows(conv.kernel, kernel_data, batch / images_, first, lines, k0, depth, rows);
        for (int64_t i = 0; problem_.kernel_scale != 1 && i < lines; ++i)
          Scale(depth, rows + i * kProductRowStride);
      };
      const auto pack_columns = [&](int64_t batch, int64_t first, int64_t lines, int64_t k0,
                                    int64_t depth, int64_t width, Unit* panel) {
        PackPatchColumns<Unit>(conv.patches, call.buffers[0], load, batch / images_,
                               batch % images_ * positions_ + first, lines, k0, depth, width,
                               panel);
      };
      const auto b = [](int64_t, int64_t, int64_t) -> const Unit* { return nullptr; };
      const auto base_of = [&](int64_t batch, int64_t feature) {
        return result.batch.Offset(batch / images_) + batch % images_ * image_stride_ +
               result.columns.Offset(feature);
      };
      const auto c = [&](int64_t batch, int64_t feature) {
        return reinterpret_cast<Acc*>(out) + problem_.result_origin + base_of(batch, feature);
      };
      const auto store = [&](int64_t batch, int64_t feature, int64_t position, int64_t count,
                             Acc* values) {
        const int64_t first = batch % images_ * positions_ + position;
        const int64_t base = result.batch.Offset(batch / images_) + result.columns.Offset(feature);
        result.rows.ForEachRun(first, count, [&](int64_t done, int64_t offset, int64_t length) {
          StoreElements<Unit>(problem_, call, wide_store, base + offset, result.rows.run_stride(),
                              length, values + done);
        });
      };
      return RunProduct<Unit, Acc>(*call.host, static_cast<char*>(call.scratch),
                                   PlanProduct(sizes_, call.host->workers), kernels_,
                                   {.pack_rows = pack_rows,
                                    .pack_columns = pack_columns,
                                    .prefetch_columns = NoPrefetch,
                                    .prefetches = false,
                                    .b = b,
                                    .ldb = 0,  // columns are packed
                                    .copies_columns = false,
                                    .rows_by_tile = false,
                                    .c = c,
                                    .ldc = result.columns.run_stride(),
                                    .store = store,
                                    .stores_direct = problem_.epilogue.store != nullptr});
    } else {
      return absl::InternalError("positions can only be columns of real numbers");
    }
  }

  ConvolutionProblem problem_;
  const ProductKernels<Unit, Acc> kernels_;
  const bool patches_are_columns_;
  ProductSizes sizes_;
  int64_t depth_, images_, positions_, image_stride_ = 0;
};

}  // namespace

template <typename Packing>
double PatchRowsCost(const ConvolutionProblem& problem) {
  return PatchProductKernel<Packing>(problem, /*patches_are_columns=*/false).Cost();
}
template <typename Packing>
std::unique_ptr<const Kernel> MakePatchRows(ConvolutionProblem problem) {
  return std::make_unique<PatchProductKernel<Packing>>(std::move(problem),
                                                       /*patches_are_columns=*/false);
}

template <typename Packing>
double PatchColumnsCost(const ConvolutionProblem& problem) {
  return PatchProductKernel<Packing>(problem, /*patches_are_columns=*/true).Cost();
}
template <typename Packing>
std::unique_ptr<const Kernel> MakePatchColumns(ConvolutionProblem problem) {
  return std::make_unique<PatchProductKernel<Packing>>(std::move(problem),
                                                       /*patches_are_columns=*/true);
}

template double PatchRowsCost<WidePacking<float>>(const ConvolutionProblem&);
template std::unique_ptr<const Kernel> MakePatchRows<WidePacking<float>>(ConvolutionProblem);
template double PatchRowsCost<WidePacking<double>>(const ConvolutionProblem&);
template std::unique_ptr<const Kernel> MakePatchRows<WidePacking<double>>(ConvolutionProblem);
template double PatchRowsCost<WidePacking<uint32_t>>(const ConvolutionProblem&);
template std::unique_ptr<const Kernel> MakePatchRows<WidePacking<uint32_t>>(ConvolutionProblem);
template double PatchRowsCost<WidePacking<uint64_t>>(const ConvolutionProblem&);
template std::unique_ptr<const Kernel> MakePatchRows<WidePacking<uint64_t>>(ConvolutionProblem);
template double PatchRowsCost<ComplexPacking<float>>(const ConvolutionProblem&);
template std::unique_ptr<const Kernel> MakePatchRows<ComplexPacking<float>>(ConvolutionProblem);
template double PatchRowsCost<ComplexPacking<double>>(const ConvolutionProblem&);
template std::unique_ptr<const Kernel> MakePatchRows<ComplexPacking<double>>(ConvolutionProblem);
template double PatchRowsCost<PairPacking>(const ConvolutionProblem&);
template std::unique_ptr<const Kernel> MakePatchRows<PairPacking>(ConvolutionProblem);
template double PatchRowsCost<QuadPacking>(const ConvolutionProblem&);
template std::unique_ptr<const Kernel> MakePatchRows<QuadPacking>(ConvolutionProblem);
template double PatchRowsCost<WordPacking>(const ConvolutionProblem&);
template std::unique_ptr<const Kernel> MakePatchRows<WordPacking>(ConvolutionProblem);
template double PatchColumnsCost<WidePacking<float>>(const ConvolutionProblem&);
template std::unique_ptr<const Kernel> MakePatchColumns<WidePacking<float>>(ConvolutionProblem);
template double PatchColumnsCost<WidePacking<double>>(const ConvolutionProblem&);
template std::unique_ptr<const Kernel> MakePatchColumns<WidePacking<double>>(ConvolutionProblem);
template double PatchColumnsCost<WidePacking<uint32_t>>(const ConvolutionProblem&);
template std::unique_ptr<const Kernel> MakePatchColumns<WidePacking<uint32_t>>(ConvolutionProblem);
template double PatchColumnsCost<WidePacking<uint64_t>>(const ConvolutionProblem&);
template std::unique_ptr<const Kernel> MakePatchColumns<WidePacking<uint64_t>>(ConvolutionProblem);

}  // namespace xla::kernels
