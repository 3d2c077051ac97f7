// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/dot/dot_problem.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/types/span.h"

namespace xla::kernels {
namespace {

bool Contains(absl::Span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

DimensionVector FreeDims(const ArraySpec& array, absl::Span<const int64_t> batch,
                         absl::Span<const int64_t> contracting) {
  DimensionVector free;
  for (int64_t d = 0; d < static_cast<int64_t>(array.dimensions.size()); ++d) {
    if (!Contains(batch, d) && !Contains(contracting, d)) free.push_back(d);
  }
  return free;
}

MatrixView ViewOf(const ArraySpec& array, StridedDims batch, StridedDims lines, StridedDims k) {
  return {array.type,       nullptr,          array.element_bytes(),
          std::move(batch), std::move(lines), std::move(k)};
}

}  // namespace

DotProblem MakeDotProblem(const DotSpec& spec) {
  const DimensionVector lhs_free = FreeDims(spec.lhs, spec.lhs_batch, spec.lhs_contracting);
  const DimensionVector rhs_free = FreeDims(spec.rhs, spec.rhs_batch, spec.rhs_contracting);
  DotProblem problem;
  problem.rows = {ViewOf(spec.lhs, spec.lhs.Select(spec.lhs_batch), spec.lhs.Select(lhs_free),
                         spec.lhs.Select(spec.lhs_contracting)),
                  spec.lhs_scale, 0, spec.lhs.element_count(), nullptr};
  problem.columns = {ViewOf(spec.rhs, spec.rhs.Select(spec.rhs_batch), spec.rhs.Select(rhs_free),
                            spec.rhs.Select(spec.rhs_contracting)),
                     spec.rhs_scale, 1, spec.rhs.element_count(), spec.rhs_constant};
  ResultView& result = problem.result;
  result.type = spec.result.type;
  result.data = nullptr;
  result.element_bytes = spec.result.element_bytes();
  size_t d = 0;
  const auto append = [&](size_t count, StridedDims& dims) {
    for (; count > 0; --count, ++d) dims.Append(spec.result.dimensions[d], spec.result.strides[d]);
  };
  append(spec.lhs_batch.size(), result.batch);
  append(lhs_free.size(), result.rows);
  append(rhs_free.size(), result.columns);
  problem.epilogue = spec.epilogue;
  problem.batch = result.batch.count();
  problem.m = result.rows.count();
  problem.n = result.columns.count();
  problem.k = problem.rows.view.k.count();
  return problem;
}

}  // namespace xla::kernels
