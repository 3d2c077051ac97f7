// SPDX-License-Identifier: Apache-2.0
// Convolutions as products of matrices whose blocks are gathered from patches, and depthwise ones
// directly.
#include "xla/kernels/convolution_kernel.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/convolution.h"
#include "xla/kernels/convolution_forms.h"
#include "xla/kernels/depthwise.h"
#include "xla/kernels/direct_convolution.h"
#include "xla/kernels/packing.h"
#include "xla/kernels/patches.h"
#include "xla/kernels/row_convolution.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// The convolution without its data. The first tap of the kernel and the first result lie so many
// elements from the start of their buffers.
struct ConvolutionProblem {
  Convolution conv;
  DimensionVector tap_sizes, tap_strides;  // of the kernel's spatial dimensions
  int64_t kernel_feature_stride = 0;
  int64_t kernel_origin = 0, result_origin = 0;
  double kernel_scale = 1;
  KernelEpilogue epilogue;

  int64_t groups() const { return conv.result.batch.count(); }
  int64_t positions() const { return conv.result.rows.count(); }
  int64_t features() const { return conv.result.columns.count(); }
};

// Whether output coordinates are input coordinates.
bool IsPointwise(const SpatialDim& dim) {
  return dim.taps == 1 && dim.stride == 1 && dim.padding_low == 0 && dim.base_dilation == 1 &&
         dim.output_size == dim.input_size;
}

// A pointwise dimension becomes one with the dimension before it where elements of both lie side by
// side, so that rows of positions are long: with another pointwise one, or, if it is short itself,
// with any that has no strides. Positions of a row are at one distance in the result, too: of each
// dimension, `result_strides`.
void MergePointwiseDims(Patches* patches, const DimensionVector& result_strides) {
  constexpr int64_t kShortRow = 16;
  absl::InlinedVector<SpatialDim, 3> merged;
  for (size_t d = 0; d < patches->dims.size(); ++d) {
    const SpatialDim& dim = patches->dims[d];
    if (!merged.empty() && merged.back().stride == 1 && merged.back().base_dilation == 1 &&
        (IsPointwise(merged.back()) || dim.output_size < kShortRow) && IsPointwise(dim) &&
        merged.back().input_stride == dim.input_stride * dim.input_size &&
        result_strides[d - 1] == result_strides[d] * dim.output_size) {
      SpatialDim& last = merged.back();
      for (int64_t* size :
           {&last.output_size, &last.input_size, &last.padding_low, &last.window_dilation}) {
        *size *= dim.input_size;
      }
      last.input_stride = dim.input_stride;
    } else {
      merged.push_back(dim);
    }
  }
  patches->dims = std::move(merged);
}

ConvolutionProblem MakeProblem(const ConvolutionSpec& spec) {
  ConvolutionProblem problem;
  const int64_t groups = spec.feature_group_count * spec.batch_group_count;
  const int64_t features = spec.kernel.dimensions[spec.kernel_input_feature];
  const int64_t output_features = spec.kernel.dimensions[spec.kernel_output_feature] / groups;
  const int64_t batch_size = spec.input.dimensions[spec.input_batch] / spec.batch_group_count;
  // Where images lie side by side, element by element (as in gradients of kernels), positions of
  // neighbouring images are neighbours: the batch is one more dimension, pointwise and minor.
  const bool batch_is_minor = spec.batch_group_count == 1 && batch_size > 1 &&
                              spec.input.strides[spec.input_batch] == 1 &&
                              spec.input.strides[spec.input_feature] != 1;

  Patches& patches = problem.conv.patches;
  patches.type = spec.input.type;
  patches.data = nullptr;
  patches.element_bytes = spec.input.element_bytes();
  patches.batch_size = batch_is_minor ? 1 : batch_size;
  patches.batch_stride = spec.input.strides[spec.input_batch];
  patches.features = features;
  patches.feature_stride = spec.input.strides[spec.input_feature];
  patches.group_stride = spec.batch_group_count > 1 ? batch_size * patches.batch_stride
                                                    : features * patches.feature_stride;

  MatrixView& kernel = problem.conv.kernel;
  const int64_t kernel_stride = spec.kernel.strides[spec.kernel_output_feature];
  kernel.type = spec.kernel.type;
  kernel.data = nullptr;
  kernel.element_bytes = spec.kernel.element_bytes();
  kernel.batch = StridedDims({groups}, {output_features * kernel_stride});
  for (const ConvolutionSpec::OuterFeatures& outer : spec.outer_features)
    kernel.lines.Append(outer.size, outer.kernel_stride);
  kernel.lines.Append(output_features, kernel_stride);

  ResultView& result = problem.conv.result;
  const int64_t result_stride = spec.result.strides[spec.result_feature];
  result.type = spec.result.type;
  result.data = nullptr;
  result.element_bytes = spec.result.element_bytes();
  result.batch = StridedDims({groups}, {output_features * result_stride});
  for (const ConvolutionSpec::OuterFeatures& outer : spec.outer_features)
    result.columns.Append(outer.size, outer.result_stride);
  result.columns.Append(output_features, result_stride);
  if (!batch_is_minor) result.rows.Append(batch_size, spec.result.strides[spec.result_batch]);

  problem.kernel_origin = spec.kernel_origin;
  problem.result_origin = spec.result_origin;
  DimensionVector result_strides;
  for (const ConvolutionSpec::Spatial& spatial : spec.spatial) {
    const int64_t taps = spec.kernel.dimensions[spatial.kernel_dimension];
    const int64_t output_size = spec.result.dimensions[spatial.result_dimension];
    patches.dims.push_back({.output_size = output_size,
                            .taps = taps,
                            .stride = spatial.stride,
                            .padding_low = spatial.padding_low,
                            .window_dilation = spatial.window_dilation,
                            .base_dilation = spatial.base_dilation,
                            .input_size = spec.input.dimensions[spatial.input_dimension],
                            .input_stride = spec.input.strides[spatial.input_dimension]});
    result_strides.push_back(spec.result.strides[spatial.result_dimension]);
    result.rows.Append(output_size, result_strides.back());
    const int64_t stride = spec.kernel.strides[spatial.kernel_dimension];
    if (spatial.reversal && taps > 0) problem.kernel_origin += (taps - 1) * stride;
    problem.tap_sizes.push_back(taps);
    problem.tap_strides.push_back(spatial.reversal ? -stride : stride);
  }
  kernel.k = StridedDims(problem.tap_sizes, problem.tap_strides);
  if (batch_is_minor) {
    patches.dims.push_back({.output_size = batch_size,
                            .taps = 1,
                            .stride = 1,
                            .padding_low = 0,
                            .window_dilation = 1,
                            .base_dilation = 1,
                            .input_size = batch_size,
                            .input_stride = 1});
    result_strides.push_back(spec.result.strides[spec.result_batch]);
    result.rows.Append(batch_size, result_strides.back());
  }
  problem.kernel_feature_stride = spec.kernel.strides[spec.kernel_input_feature];
  kernel.k.Append(features, problem.kernel_feature_stride);
  MergePointwiseDims(&patches, result_strides);
  problem.kernel_scale = spec.kernel_scale;
  problem.epilogue = spec.epilogue;
  return problem;
}

// Whether rows of positions are rows of the input under every tap, as where images lie side by
// side.
bool HasPlainPositions(const Patches& patches) {
  return patches.features > 1 && patches.feature_stride != 1 && patches.dims.size() > 1 &&
         IsPointwise(patches.dims.back()) && patches.dims.back().input_stride == 1;
}

// Between elements of a patch that follow each other: features, or those under neighbouring taps.
int64_t ElementDistance(const Patches& patches) {
  if (patches.features > 1) return patches.feature_stride;
  for (auto dim = patches.dims.rbegin(); dim != patches.dims.rend(); ++dim) {
    if (dim->taps > 1) return dim->input_stride * dim->window_dilation;
  }
  return 1;
}

// Whether patches are long rows of the input, in each of several features that lie apart, and the
// kernel's elements lie likewise: as in gradients of kernels where features come before positions.
bool HasLongRows(const ConvolutionProblem& problem) {
  constexpr int64_t kLongRow = 8;
  const Patches& patches = problem.conv.patches;
  if (patches.features <= 1 || patches.feature_stride == 1 || patches.dims.empty()) return false;
  const SpatialDim& minor = patches.dims.back();
  return minor.taps >= kLongRow && minor.input_stride == 1 && minor.window_dilation == 1 &&
         minor.base_dilation == 1 && problem.kernel_feature_stride != 1;
}

// The same with features as the taps of one more dimension, the first: patches are in order of
// features then, and those under the taps of a row follow each other at one distance.
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

const void* KernelData(const ConvolutionProblem& problem, const KernelCall& call) {
  return static_cast<const char*>(call.buffers[1]) +
         problem.kernel_origin * problem.conv.kernel.element_bytes;
}

// Stores finished elements at offsets from the first of the result.
template <typename Wide>
void StoreElements(const ConvolutionProblem& problem, const KernelCall& call, WideStore<Wide> store,
                   int64_t offset, int64_t stride, int64_t count, const Wide* values) {
  offset += problem.result_origin;
  if (problem.epilogue.store == nullptr) {
    const int64_t bytes = problem.conv.result.element_bytes;
    store(values, count, static_cast<char*>(call.buffers[2]) + offset * bytes, stride);
  } else if (stride == 1) {
    problem.epilogue.store(call.buffers, offset, count, values);
  } else {
    for (int64_t i = 0; i < count; ++i)
      problem.epilogue.store(call.buffers, offset + i * stride, 1, values + i);
  }
}

// --- Products of matrices.

// What a unit of a row is made of: one element, or parts.
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

 public:
  explicit PatchProductKernel(ConvolutionProblem problem)
      : problem_(std::move(problem)), kernels_(Packing::Kernels()) {
    patches_are_columns_ = PatchesAreColumns(problem_);
    if ((patches_are_columns_ && HasPlainPositions(problem_.conv.patches)) || HasLongRows(problem_))
      MakeFeaturesOuter(&problem_);
    const Convolution& conv = problem_.conv;
    depth_ = conv.patches.depth();
    const ResultView& result = conv.result;
    const int64_t batches = conv.patches.batch_size;
    // Each image is a problem of its own if positions are columns: their rows follow each other.
    images_ = patches_are_columns_ ? batches : 1;
    positions_ = problem_.positions() / std::max<int64_t>(images_, 1);
    const bool plain = Packing::kParts == 1 &&
                       (problem_.epilogue.store == nullptr || problem_.epilogue.in_place) &&
                       StoresAcc(result.type);
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

  int64_t ScratchBytes(int32_t workers) const override {
    return ProductScratchBytes<Unit, Acc>(PlanProduct(sizes_, workers), workers);
  }

  absl::Status Run(const KernelCall& call) const override {
    if (problem_.positions() == 0) return absl::OkStatus();
    return patches_are_columns_ ? RunColumns(call) : RunRows(call);
  }

  // Positions are columns if results are contiguous along them, the input is contiguous along them
  // rather than along features, or features are too few to fill vectors.
  static bool PatchesAreColumns(const ConvolutionProblem& problem) {
    if (!kIsWide) return false;
    constexpr int64_t kFewFeatures = 8;
    constexpr int64_t kLongRow = 16;
    const ResultView& result = problem.conv.result;
    const Patches& patches = problem.conv.patches;
    if (problem.features() < kFewFeatures && problem.positions() > 2 * problem.features())
      return true;
    if (!patches.dims.empty() && patches.dims.back().input_stride == 1 &&
        patches.dims.back().output_size >= kLongRow && ElementDistance(patches) != 1) {
      return true;
    }
    // Images of few positions would be products of few columns.
    constexpr int64_t kFewPositions = 16;
    if (patches.batch_size > 1 && problem.positions() < kFewPositions * patches.batch_size)
      return false;
    return result.columns.count() > 1 && result.columns.run_stride() != 1;
  }

 private:
  static bool StoresAcc(PrimitiveType type) {
    if constexpr (std::is_floating_point_v<Acc>)
      return type == primitive_util::NativeToPrimitiveType<Acc>();
    return primitive_util::IsIntegralType(type) &&
           primitive_util::BitWidth(type) == 8 * static_cast<int>(sizeof(Acc));
  }

  static void NoPrefetch(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t) {}

  void SetSizes(int64_t m, int64_t n, bool direct) {
    sizes_ = {problem_.groups() * images_,
              m,
              n * Packing::kParts,
              Packing::Units(depth_),
              direct,
              kernels_.rows,
              kernels_.columns,
              sizeof(Unit)};
  }

  // Of the result: from one image to the next; between positions of an image, 0 if they are no run.
  int64_t ImageStride() const {
    return images_ <= 1 ? 0 : problem_.conv.result.rows.Offset(positions_);
  }
  int64_t RowOfPositions() const {
    const StridedDims& rows = problem_.conv.result.rows;
    if (positions_ <= 1) return 1;
    const int64_t stride = rows.Offset(1);
    // Positions form a run if the last one is where the stride says; dimensions have increasing
    // strides or the offsets would collide.
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
    // A unit is one element or several.
    // NOLINTBEGIN(bugprone-sizeof-expression)
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
    return RunProduct<Unit, Acc>(
        *call.host, static_cast<char*>(call.scratch), PlanProduct(sizes_, call.host->workers),
        kernels_,
        {pack_rows, pack_columns, NoPrefetch, false, b, copies ? conv.kernel.k.run_stride() : 0,
         copies, kIsWide, c, result.rows.run_stride(), store, problem_.epilogue.store != nullptr});
  }

  // Whether rows of the kernel are copied while they are first multiplied.
  bool KernelIsReadable() const {
    const MatrixView& kernel = problem_.conv.kernel;
    return kIsWide && kernels_.copying_tile != nullptr &&
           kernel.type == primitive_util::NativeToPrimitiveType<Unit>() &&
           problem_.kernel_scale == 1 && kernel.lines.IsOneRun() &&
           kernel.lines.run_stride() == 1 && kernel.k.IsOneRun() && kernel.k.run_stride() > 0;
  }

  // What rows of parts need beyond their elements.
  void FinishRows(int64_t lines, int64_t depth, int64_t count, Unit* rows) const {
    if constexpr (sizeof(Element) < sizeof(Unit)) {
      for (int64_t i = 0; i < lines; ++i) {
        Element* row = reinterpret_cast<Element*>(rows + i * kProductRowStride);
        std::fill(row + count, row + depth * static_cast<int64_t>(sizeof(Unit) / sizeof(Element)),
                  Element(0));
        if constexpr (std::is_same_v<Packing, QuadPacking>) {
          Unit* units = rows + i * kProductRowStride;
          for (int64_t k = 0; k < depth; ++k) units[k] ^= 0x80808080u;
        }
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
      return RunProduct<Unit, Acc>(
          *call.host, static_cast<char*>(call.scratch), PlanProduct(sizes_, call.host->workers),
          kernels_,
          {pack_rows, pack_columns, NoPrefetch, false, b, 0, false, false, c,
           result.columns.run_stride(), store, problem_.epilogue.store != nullptr});
    } else {
      return absl::InternalError("positions are columns of plain numbers only");
    }
  }

  ConvolutionProblem problem_;
  const ProductKernels<Unit, Acc> kernels_;
  ProductSizes sizes_;
  int64_t depth_, images_, positions_, image_stride_ = 0;
  bool patches_are_columns_;
};

// --- Depthwise, channels contiguous, f32.

class DepthwiseKernel final : public Kernel {
 public:
  static bool Fits(const ConvolutionProblem& problem) {
    const Convolution& conv = problem.conv;
    const Patches& patches = conv.patches;
    constexpr int64_t kEnoughChannels = 8;
    if (patches.type != F32 || conv.kernel.type != F32 || problem.groups() < kEnoughChannels ||
        patches.features != 1 || problem.features() != 1 || patches.dims.empty() ||
        patches.group_stride != 1 || conv.result.batch.run_stride() != 1 ||
        conv.kernel.batch.run_stride() != 1 || patches.depth() == 0) {
      return false;
    }
    // Results of a row of positions follow each other.
    const SpatialDim& minor = patches.dims.back();
    return minor.base_dilation == 1 &&
           (minor.output_size == 1 || conv.result.rows.Offset(1) == problem.groups()) &&
           conv.result.rows.run_length() % minor.output_size == 0;
  }

  explicit DepthwiseKernel(ConvolutionProblem problem)
      : problem_(std::move(problem)),
        channels_(problem_.groups()),
        minor_(problem_.conv.patches.dims.back()),
        outer_taps_(problem_.conv.patches.depth() / minor_.taps),
        plain_(problem_.epilogue.store == nullptr && problem_.conv.result.type == F32) {}

  int64_t ScratchBytes(int32_t workers) const override {
    return WeightBytes() + WorkerBytes() * workers;
  }

  absl::Status Run(const KernelCall& call) const override {
    const int64_t positions = problem_.positions();
    if (positions == 0) return absl::OkStatus();
    float* weights = static_cast<float*>(call.scratch);
    PackWeights(call, weights);
    const int64_t lines = positions / minor_.output_size;
    const int64_t work = minor_.output_size * channels_ * minor_.taps * outer_taps_;
    const int64_t per_task = std::max<int64_t>(1, (int64_t{1} << 18) / work);
    return RunTasks(*call.host, CeilOfRatio(lines, per_task),
                    static_cast<char*>(call.scratch) + WeightBytes(), WorkerBytes(),
                    [&](int64_t index, Task& task) {
                      const int64_t end = std::min(lines, (index + 1) * per_task);
                      for (int64_t line = index * per_task; line < end; ++line)
                        RunLine(call, weights, line, task);
                    });
  }

 private:
  int64_t WeightBytes() const { return Aligned(problem_.conv.patches.depth() * channels_ * 4); }
  // Pointers to rows of the input and of the weights, and a row of results.
  int64_t PointerBytes() const { return Aligned(outer_taps_ * 2 * 8); }
  int64_t WorkerBytes() const {
    return PointerBytes() + (plain_ ? 0 : Aligned(minor_.output_size * channels_ * 4));
  }

  void PackWeights(const KernelCall& call, float* weights) const {
    const float* data = static_cast<const float*>(KernelData(problem_, call));
    const float scale = static_cast<float>(problem_.kernel_scale);
    const StridedDims& taps = problem_.conv.kernel.k;
    for (int64_t k = 0; k < taps.count(); ++k) {
      const float* from = data + taps.Offset(k);
      float* to = weights + k * channels_;
      for (int64_t c = 0; c < channels_; ++c) to[c] = scale == 1 ? from[c] : from[c] * scale;
    }
  }

  // One row of output positions along the minor dimension.
  void RunLine(const KernelCall& call, const float* weights, int64_t line, Task& task) const {
    const Patches& patches = problem_.conv.patches;
    const float** input = reinterpret_cast<const float**>(task.scratch());
    const float** weight_rows = input + outer_taps_;
    const int64_t offset =
        problem_.result_origin + problem_.conv.result.rows.Offset(line * minor_.output_size);
    float* out = plain_ ? static_cast<float*>(call.buffers[2]) + offset
                        : reinterpret_cast<float*>(task.scratch() + PointerBytes());
    const int64_t rows = FindRows(patches, static_cast<const float*>(call.buffers[0]), weights,
                                  line, input, weight_rows);
    // Positions with the same valid taps are computed together: those inside, one by one elsewhere.
    const int64_t reach = (minor_.taps - 1) * minor_.window_dilation;
    const int64_t inside_begin =
        std::clamp<int64_t>(CeilOfRatio(std::max<int64_t>(minor_.padding_low, 0), minor_.stride), 0,
                            minor_.output_size);
    const int64_t last = minor_.input_size - 1 - reach + minor_.padding_low;
    const int64_t inside_end = std::clamp<int64_t>(last < 0 ? 0 : last / minor_.stride + 1,
                                                   inside_begin, minor_.output_size);
    for (int64_t o = 0; o < inside_begin; ++o) RunPositions(rows, input, weight_rows, o, 1, out);
    if (inside_end > inside_begin)
      RunPositions(rows, input, weight_rows, inside_begin, inside_end - inside_begin, out);
    for (int64_t o = inside_end; o < minor_.output_size; ++o)
      RunPositions(rows, input, weight_rows, o, 1, out);
    if (!plain_) {
      StoreElements<float>(problem_, call, GetWideStore<float>(problem_.conv.result.type),
                           offset - problem_.result_origin, 1, minor_.output_size * channels_, out);
    }
  }

  // The rows of taps that lie within the input.
  int64_t FindRows(const Patches& patches, const float* data, const float* weights, int64_t line,
                   const float** input, const float** weight_rows) const {
    const int64_t rank = static_cast<int64_t>(patches.dims.size());
    int64_t rows = 0;
    for (int64_t tap = 0; tap < outer_taps_; ++tap) {
      int64_t rest = line, tap_rest = tap, offset = 0;
      bool inside = true;
      for (int64_t d = rank - 2; d >= 0 && inside; --d) {
        const SpatialDim& dim = patches.dims[d];
        int64_t at = rest % dim.output_size * dim.stride - dim.padding_low +
                     tap_rest % dim.taps * dim.window_dilation;
        rest /= dim.output_size;
        tap_rest /= dim.taps;
        inside = at >= 0 && at % dim.base_dilation == 0;
        at /= dim.base_dilation;
        inside = inside && at < dim.input_size;
        offset += at * dim.input_stride;
      }
      if (!inside) continue;
      input[rows] = data + rest * patches.batch_stride + offset;
      weight_rows[rows++] = weights + tap * minor_.taps * channels_;
    }
    return rows;
  }

  // Positions [first, first + count), which have the same valid taps.
  void RunPositions(int64_t rows, const float** input, const float** weights, int64_t first,
                    int64_t count, float* out) const {
    const int64_t start = first * minor_.stride - minor_.padding_low;
    const int64_t step = minor_.window_dilation;
    const int64_t tap_begin = start >= 0 ? 0 : CeilOfRatio(-start, step);
    const int64_t room = minor_.input_size - start;
    const int64_t tap_end = std::min(minor_.taps, room <= 0 ? 0 : CeilOfRatio(room, step));
    if (tap_begin >= tap_end) {
      std::fill_n(out + first * channels_, count * channels_, 0.0f);
      return;
    }
    const int64_t input_shift = (start + tap_begin * step) * minor_.input_stride;
    for (int64_t i = 0; i < rows; ++i) {
      input[i] += input_shift;
      weights[i] += tap_begin * channels_;
    }
    RunDepthwise({.channels = channels_,
                  .positions = count,
                  .rows = rows,
                  .taps = tap_end - tap_begin,
                  .input = input,
                  .weights = weights,
                  .input_step = minor_.stride * minor_.input_stride,
                  .tap_step = step * minor_.input_stride,
                  .out = out + first * channels_});
    for (int64_t i = 0; i < rows; ++i) {
      input[i] -= input_shift;
      weights[i] -= tap_begin * channels_;
    }
  }

  const ConvolutionProblem problem_;
  const int64_t channels_;
  const SpatialDim minor_;
  const int64_t outer_taps_;
  const bool plain_;
};

template <typename Packing>
std::unique_ptr<const Kernel> MakePatchProduct(ConvolutionProblem problem) {
  return std::make_unique<PatchProductKernel<Packing>>(std::move(problem));
}

}  // namespace

absl::StatusOr<std::unique_ptr<const Kernel>> MakeConvolutionKernel(const ConvolutionSpec& spec) {
  if (spec.result.element_count() == 0) return std::make_unique<EmptyKernel>();
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<const Kernel> product, MakeNarrowConvolution(spec));
  if (product != nullptr) return product;
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<const Kernel> phases, MakePhasedConvolution(spec));
  if (phases != nullptr) return phases;
  ConvolutionProblem problem = MakeProblem(spec);
  if (DepthwiseKernel::Fits(problem)) return std::make_unique<DepthwiseKernel>(std::move(problem));
  if (problem.epilogue.store == nullptr || problem.epilogue.in_place) {
    std::unique_ptr<const Kernel> direct =
        MakeDirectConvolution({.convolution = problem.conv,
                               .kernel_origin = problem.kernel_origin,
                               .result_origin = problem.result_origin,
                               .kernel_scale = problem.kernel_scale,
                               .epilogue = problem.epilogue});
    if (direct != nullptr) return direct;
    direct = MakeRowConvolution({.convolution = problem.conv,
                                 .kernel_origin = problem.kernel_origin,
                                 .result_origin = problem.result_origin,
                                 .kernel_scale = problem.kernel_scale,
                                 .epilogue = problem.epilogue});
    if (direct != nullptr) return direct;
  }
  const PrimitiveType input = spec.input.type, kernel = spec.kernel.type;
  const bool patches_are_columns =
      PatchProductKernel<WidePacking<float>>::PatchesAreColumns(problem);
  if (input == BF16 && kernel == BF16 && spec.result.type != F64 && !patches_are_columns &&
      PairKernels().tile != nullptr) {
    return MakePatchProduct<PairPacking>(std::move(problem));
  }
  const PrimitiveType wide = ContractionWideType(input, kernel, spec.result.type);
  if (input == S8 && kernel == S8 && wide == U32 && !patches_are_columns &&
      QuadKernels().tile != nullptr) {
    return MakePatchProduct<QuadPacking>(std::move(problem));
  }
  switch (wide) {
    case F32:
      return MakePatchProduct<WidePacking<float>>(std::move(problem));
    case F64:
      return MakePatchProduct<WidePacking<double>>(std::move(problem));
    case U32:
      return MakePatchProduct<WidePacking<uint32_t>>(std::move(problem));
    case U64:
      return MakePatchProduct<WidePacking<uint64_t>>(std::move(problem));
    case C64:
    case C128:
      if (input == wide && kernel == wide) {
        if (wide == C64) return MakePatchProduct<ComplexPacking<float>>(std::move(problem));
        return MakePatchProduct<ComplexPacking<double>>(std::move(problem));
      }
      break;
    default:
      break;
  }
  return absl::UnimplementedError(
      absl::StrCat("convolution of ", primitive_util::LowercasePrimitiveTypeName(input), " and ",
                   primitive_util::LowercasePrimitiveTypeName(kernel), " with a result of ",
                   primitive_util::LowercasePrimitiveTypeName(spec.result.type)));
}

}  // namespace xla::kernels
