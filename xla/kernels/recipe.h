// SPDX-License-Identifier: Apache-2.0
// What prepared kernels are made from, as plain data: programs that are compiled ahead of time keep
// it, and make the kernels when they are loaded.
//
// VisitFields calls a functor for each field of a specification, in a fixed order, whether it
// writes or reads them:
//   fields(x)              a number, truth value, enumerator or list of numbers
//   fields.Count(list)     the length of a list of structures, whose fields follow
//   fields.Function(f)     the address of a generated function; may be null
//   fields.Constant(data)  the address of a constant's elements; may be null
// The names of forms, which tests choose, are not part of it.
#ifndef XLA_KERNELS_RECIPE_H_
#define XLA_KERNELS_RECIPE_H_

#include <cstdint>
#include <memory>
#include <variant>

#include "absl/status/statusor.h"
#include "xla/kernels/convolution/convolution_kernel.h"
#include "xla/kernels/dot/dot_kernel.h"
#include "xla/kernels/fft/fft_kernel.h"
#include "xla/kernels/linear_algebra/linear_algebra_kernel.h"
#include "xla/kernels/random/random_bits_kernel.h"
#include "xla/kernels/scan/scan_kernel.h"
#include "xla/kernels/sort/sort_kernel.h"

namespace xla::kernels {

// The arguments of the functions of linear_algebra_kernel.h.
struct CholeskyRecipe {
  bool lower;
  MatrixBatch a;
};
struct TriangularSolveRecipe {
  TriangularSolveSpec options;
  MatrixBatch a, b;
};
struct QrRecipe {
  MatrixBatch a;
};
struct HouseholderProductRecipe {
  MatrixBatch a;
  int64_t reflections;
};
struct EighRecipe {
  EighOptions options;
  MatrixBatch a;
};

using Recipe = std::variant<DotSpec, ConvolutionSpec, FftSpec, ScanSpec, SortSpec, TopKSpec,
                            RandomBitsSpec, CholeskyRecipe, TriangularSolveRecipe, QrRecipe,
                            HouseholderProductRecipe, EighRecipe>;

// Makes the kernel of a recipe. Null if no kernel fits.
using StatusOrKernel = absl::StatusOr<std::unique_ptr<const Kernel>>;
inline StatusOrKernel MakeKernel(const DotSpec& spec) { return MakeDotKernel(spec); }
inline StatusOrKernel MakeKernel(const ConvolutionSpec& spec) {
  return MakeConvolutionKernel(spec);
}
inline StatusOrKernel MakeKernel(const FftSpec& spec) { return MakeFftKernel(spec); }
inline StatusOrKernel MakeKernel(const ScanSpec& spec) { return MakeScanKernel(spec); }
inline StatusOrKernel MakeKernel(const SortSpec& spec) { return MakeSortKernel(spec); }
inline StatusOrKernel MakeKernel(const TopKSpec& spec) { return MakeTopKKernel(spec); }
inline StatusOrKernel MakeKernel(const RandomBitsSpec& spec) { return MakeRandomBitsKernel(spec); }
inline StatusOrKernel MakeKernel(const CholeskyRecipe& recipe) {
  return MakeCholeskyKernel(recipe.lower, recipe.a);
}
inline StatusOrKernel MakeKernel(const TriangularSolveRecipe& recipe) {
  return MakeTriangularSolveKernel(recipe.options, recipe.a, recipe.b);
}
inline StatusOrKernel MakeKernel(const QrRecipe& recipe) { return MakeQrKernel(recipe.a); }
inline StatusOrKernel MakeKernel(const HouseholderProductRecipe& recipe) {
  return MakeHouseholderProductKernel(recipe.a, recipe.reflections);
}
inline StatusOrKernel MakeKernel(const EighRecipe& recipe) {
  return MakeHermitianEigenKernel(recipe.options, recipe.a);
}

template <typename Fields>
void VisitFields(Fields& fields, ArraySpec& spec) {
  fields(spec.type);
  fields(spec.dimensions);
  fields(spec.strides);
}

template <typename Fields>
void VisitFields(Fields& fields, KernelEpilogue& epilogue) {
  fields.Function(epilogue.store);
  fields(epilogue.in_place);
}

template <typename Fields>
void VisitFields(Fields& fields, DotSpec& spec) {
  VisitFields(fields, spec.lhs);
  VisitFields(fields, spec.rhs);
  VisitFields(fields, spec.result);
  fields(spec.lhs_batch);
  fields(spec.lhs_contracting);
  fields(spec.rhs_batch);
  fields(spec.rhs_contracting);
  fields(spec.lhs_scale);
  fields(spec.rhs_scale);
  fields.Constant(spec.rhs_constant);
  VisitFields(fields, spec.epilogue);
}

template <typename Fields>
void VisitFields(Fields& fields, ConvolutionSpec& spec) {
  VisitFields(fields, spec.input);
  VisitFields(fields, spec.kernel);
  VisitFields(fields, spec.result);
  fields(spec.input_batch);
  fields(spec.input_feature);
  fields(spec.kernel_input_feature);
  fields(spec.kernel_output_feature);
  fields(spec.result_batch);
  fields(spec.result_feature);
  fields.Count(spec.spatial);
  for (ConvolutionSpec::Spatial& spatial : spec.spatial) {
    fields(spatial.input_dimension);
    fields(spatial.kernel_dimension);
    fields(spatial.result_dimension);
    fields(spatial.stride);
    fields(spatial.padding_low);
    fields(spatial.window_dilation);
    fields(spatial.base_dilation);
    fields(spatial.reversal);
  }
  fields.Count(spec.outer_features);
  for (ConvolutionSpec::OuterFeatures& outer : spec.outer_features) {
    fields(outer.size);
    fields(outer.kernel_stride);
    fields(outer.result_stride);
  }
  fields(spec.feature_group_count);
  fields(spec.batch_group_count);
  fields(spec.kernel_origin);
  fields(spec.result_origin);
  fields(spec.kernel_scale);
  VisitFields(fields, spec.epilogue);
}

template <typename Fields>
void VisitFields(Fields& fields, FftSpec& spec) {
  fields(spec.from_type);
  fields(spec.to_type);
  fields(spec.inverse);
  fields(spec.dimensions);
  fields(spec.lengths);
}

template <typename Fields>
void VisitFields(Fields& fields, ScanSpec& spec) {
  fields(spec.type);
  fields(spec.operation);
  fields(spec.outer);
  fields(spec.length);
  fields(spec.inner);
  fields(spec.reverse);
}

template <typename Fields>
void VisitFields(Fields& fields, SortSpec& spec) {
  fields(spec.dimensions);
  fields(spec.strides);
  fields(spec.dimension);
  fields(spec.types);
  fields(spec.order);
  fields(spec.key);
  fields(spec.descending);
  fields(spec.is_index);
  fields(spec.is_unused);
  fields.Function(spec.less);
}

template <typename Fields>
void VisitFields(Fields& fields, TopKSpec& spec) {
  fields(spec.type);
  fields(spec.largest);
  fields(spec.rows);
  fields(spec.length);
  fields(spec.k);
}

template <typename Fields>
void VisitFields(Fields& fields, RandomBitsSpec& spec) {
  fields(spec.threefry);
  fields(spec.state_words);
  fields(spec.type);
  fields(spec.dimensions);
}

// Without its data.
template <typename Fields>
void VisitFields(Fields& fields, MatrixBatch& batch) {
  fields(batch.type);
  fields(batch.count);
  fields(batch.rows);
  fields(batch.columns);
  fields(batch.row_stride);
  fields(batch.matrix_stride);
}

template <typename Fields>
void VisitFields(Fields& fields, CholeskyRecipe& recipe) {
  fields(recipe.lower);
  VisitFields(fields, recipe.a);
}

template <typename Fields>
void VisitFields(Fields& fields, TriangularSolveRecipe& recipe) {
  fields(recipe.options.left_side);
  fields(recipe.options.lower);
  fields(recipe.options.unit_diagonal);
  fields(recipe.options.transpose);
  fields(recipe.options.conjugate);
  VisitFields(fields, recipe.a);
  VisitFields(fields, recipe.b);
}

template <typename Fields>
void VisitFields(Fields& fields, QrRecipe& recipe) {
  VisitFields(fields, recipe.a);
}

template <typename Fields>
void VisitFields(Fields& fields, HouseholderProductRecipe& recipe) {
  VisitFields(fields, recipe.a);
  fields(recipe.reflections);
}

template <typename Fields>
void VisitFields(Fields& fields, EighRecipe& recipe) {
  fields(recipe.options.lower);
  fields(recipe.options.sorts);
  fields(recipe.options.most_sweeps);
  fields(recipe.options.tolerance);
  VisitFields(fields, recipe.a);
}

}  // namespace xla::kernels

#endif  // XLA_KERNELS_RECIPE_H_
