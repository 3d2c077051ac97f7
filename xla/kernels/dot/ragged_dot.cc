// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/dot/ragged_dot.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/product/matrix_product.h"
#include "xla/kernels/strided_dims.h"
#include "xla/kernels/wide.h"
#include "xla/layout_strides.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

int64_t IndexIn(absl::Span<const int64_t> list, int64_t value) {
  const auto it = std::find(list.begin(), list.end(), value);
  return it == list.end() ? -1 : it - list.begin();
}

int64_t Count(absl::Span<const int64_t> dimensions) {
  int64_t count = 1;
  for (const int64_t size : dimensions) count *= size;
  return count;
}

// A box of an array.
struct Box {
  explicit Box(absl::Span<const int64_t> dimensions)
      : strides(DenseStrides(dimensions)),
        starts(dimensions.size(), 0),
        sizes(dimensions.begin(), dimensions.end()) {}

  void Cut(int64_t dimension, int64_t start, int64_t size) {
    starts[dimension] = start;
    sizes[dimension] = size;
  }
  int64_t Offset() const {
    int64_t offset = 0;
    for (size_t d = 0; d < starts.size(); ++d) offset += starts[d] * strides[d];
    return offset;
  }
  StridedDims Select(absl::Span<const int64_t> dimensions) const {
    StridedDims selected;
    for (const int64_t d : dimensions) selected.Append(sizes[d], strides[d]);
    return selected;
  }

  DimensionVector strides, starts, sizes;
};

enum class Mode { kFree, kContracting, kBatch };

struct Plan {
  explicit Plan(const RaggedDotSpec& a) : attributes(a), ragged(a.lhs_ragged_dimension) {
    for (int64_t d = 0; d < static_cast<int64_t>(a.lhs_dimensions.size()); ++d) {
      if (IndexIn(a.lhs_batch_dims, d) < 0 && IndexIn(a.lhs_contracting_dims, d) < 0)
        lhs_free.push_back(d);
    }
    for (int64_t d = 0; d < static_cast<int64_t>(a.rhs_dimensions.size()); ++d) {
      if (IndexIn(a.rhs_batch_dims, d) < 0 && IndexIn(a.rhs_contracting_dims, d) < 0 &&
          d != a.rhs_group_dimension) {
        rhs_free.push_back(d);
      }
    }
    const int64_t batch = IndexIn(a.lhs_batch_dims, ragged),
                  contracting = IndexIn(a.lhs_contracting_dims, ragged);
    mode = batch >= 0 ? Mode::kBatch : contracting >= 0 ? Mode::kContracting : Mode::kFree;
    prefix.assign(a.lhs_batch_dims.begin(), a.lhs_batch_dims.end());
    if (mode == Mode::kBatch) {
      prefix.resize(static_cast<size_t>(batch));
      return;
    }
    absl::Span<const int64_t> before =
        mode == Mode::kFree ? absl::MakeConstSpan(lhs_free) : a.lhs_contracting_dims;
    before = before.subspan(0, IndexIn(before, ragged));
    prefix.insert(prefix.end(), before.begin(), before.end());
  }

  const RaggedDotSpec& attributes;
  int64_t ragged;  // dimension of lhs
  Mode mode;
  DimensionVector lhs_free, rhs_free;  // rhs_free without the group dimension
  DimensionVector prefix;              // dimensions of lhs that group_sizes may start with
};

// Restricts a dimension of lhs, and the corresponding dimensions of rhs and the result, to a range.
void CutAll(const Plan& plan, int64_t lhs_dim, int64_t start, int64_t size, Box& lhs, Box& rhs,
            Box& result) {
  const RaggedDotSpec& a = plan.attributes;
  const int64_t groups_first = plan.mode == Mode::kContracting ? 1 : 0;
  lhs.Cut(lhs_dim, start, size);
  if (const int64_t batch = IndexIn(a.lhs_batch_dims, lhs_dim); batch >= 0) {
    rhs.Cut(a.rhs_batch_dims[batch], start, size);
    result.Cut(groups_first + batch, start, size);
  } else if (const int64_t contracting = IndexIn(a.lhs_contracting_dims, lhs_dim);
             contracting >= 0) {
    rhs.Cut(a.rhs_contracting_dims[contracting], start, size);
  } else {
    result.Cut(groups_first + a.lhs_batch_dims.size() + IndexIn(plan.lhs_free, lhs_dim), start,
               size);
  }
}

// An operand or result as it is accessed: converted to the wide type if that is complex.
struct Array {
  PrimitiveType type;
  char* data;
};

template <typename Wide>
absl::Status MultiplyBoxes(Context& context, const Plan& plan, const Array& lhs, const Box& lhs_box,
                           const Array& rhs, const Box& rhs_box, const Array& result,
                           const Box& result_box) {
  const RaggedDotSpec& a = plan.attributes;
  const auto view = [](const Array& array, const Box& box, absl::Span<const int64_t> batch,
                       absl::Span<const int64_t> lines, absl::Span<const int64_t> k) -> MatrixView {
    const int64_t bytes = primitive_util::ByteWidth(array.type);
    return {array.type,
            array.data + box.Offset() * bytes,
            bytes,
            box.Select(batch),
            box.Select(lines),
            box.Select(k)};
  };
  // The result is [group?, batch.., lhs free.., rhs free..].
  DimensionVector dims[3];
  int64_t next = plan.mode == Mode::kContracting ? 1 : 0;
  const size_t counts[3] = {a.lhs_batch_dims.size(), plan.lhs_free.size(), plan.rhs_free.size()};
  for (int part = 0; part < 3; ++part) {
    for (size_t i = 0; i < counts[part]; ++i) dims[part].push_back(next++);
  }
  const int64_t bytes = primitive_util::ByteWidth(result.type);
  const ResultView result_view = {result.type,
                                  result.data + result_box.Offset() * bytes,
                                  bytes,
                                  result_box.Select(dims[0]),
                                  result_box.Select(dims[1]),
                                  result_box.Select(dims[2]),
                                  /*accumulate=*/plan.mode == Mode::kContracting};
  return MultiplyMatrices<Wide>(
      context, view(lhs, lhs_box, a.lhs_batch_dims, plan.lhs_free, a.lhs_contracting_dims),
      view(rhs, rhs_box, a.rhs_batch_dims, plan.rhs_free, a.rhs_contracting_dims), result_view);
}

// The products of all groups. In contracting mode `result` is of the wide type and holds sums.
template <typename Wide>
absl::Status MultiplyGroups(Context& context, const Plan& plan, const Array& lhs, const Array& rhs,
                            absl::Span<const int64_t> group_sizes, const Array& result) {
  const RaggedDotSpec& a = plan.attributes;
  std::memset(
      result.data, 0,
      static_cast<size_t>(Count(a.result_dimensions) * primitive_util::ByteWidth(result.type)));
  const int64_t groups = a.group_dimensions.back();
  const bool has_prefix = a.group_dimensions.size() > 1;
  const int64_t rows = groups == 0 ? 0 : static_cast<int64_t>(group_sizes.size()) / groups;
  for (int64_t row = 0; row < rows; ++row) {
    Box lhs_row(a.lhs_dimensions), rhs_row(a.rhs_dimensions), result_row(a.result_dimensions);
    if (has_prefix) {
      int64_t rest = row;
      for (size_t i = plan.prefix.size(); i-- > 0;) {
        const int64_t size = a.lhs_dimensions[static_cast<size_t>(plan.prefix[i])];
        CutAll(plan, plan.prefix[i], rest % size, 1, lhs_row, rhs_row, result_row);
        rest /= size;
      }
    }
    int64_t start = 0;
    for (int64_t group = 0; group < groups; ++group) {
      const int64_t size =
          std::clamp<int64_t>(group_sizes[static_cast<size_t>(row * groups + group)], 0,
                              a.lhs_dimensions[static_cast<size_t>(plan.ragged)] - start);
      Box lhs_box = lhs_row, rhs_box = rhs_row, result_box = result_row;
      CutAll(plan, plan.ragged, start, size, lhs_box, rhs_box, result_box);
      if (plan.mode == Mode::kContracting) {
        result_box.Cut(0, group, 1);
      } else if (plan.mode == Mode::kFree) {
        rhs_box.Cut(a.rhs_group_dimension, group, 1);
      }
      XLA_RETURN_IF_ERROR(
          MultiplyBoxes<Wide>(context, plan, lhs, lhs_box, rhs, rhs_box, result, result_box));
      start += size;
    }
  }
  return absl::OkStatus();
}

// The operand, converted to Wide in `memory` if Wide is complex; otherwise kernels convert while
// they read.
template <typename Wide>
absl::StatusOr<Array> Prepare(Context& context, PrimitiveType type, const void* data, int64_t count,
                              std::shared_ptr<void>& memory) {
  constexpr PrimitiveType kType = primitive_util::NativeToPrimitiveType<Wide>();
  const Array given = {type, static_cast<char*>(const_cast<void*>(data))};
  if constexpr (is_complex_v<Wide>) {
    if (type == kType) return given;
    XLA_ASSIGN_OR_RETURN(memory, context.Allocate(count * static_cast<int64_t>(sizeof(Wide)) + 1));
    using Part = typename Wide::value_type;
    auto* const out = static_cast<Wide*>(memory.get());
    if (const WideLoad<Wide> load = GetWideLoad<Wide>(type); load != nullptr) {
      load(data, 1, count, out);
    } else if (const WideLoad<Part> load_part = GetWideLoad<Part>(type); load_part != nullptr) {
      // Converts integers to real parts in place, from the last one on.
      auto* const parts = static_cast<Part*>(memory.get());
      load_part(data, 1, count, parts);
      for (int64_t i = count - 1; i >= 0; --i) out[i] = Wide(parts[i], 0);
    } else {
      return absl::InvalidArgumentError("these elements cannot be multiplied by complex numbers");
    }
    return Array{kType, static_cast<char*>(memory.get())};
  } else {
    return given;
  }
}

template <typename Wide>
absl::Status Run(Context& context, const RaggedDotSpec& spec, const void* lhs, const void* rhs,
                 absl::Span<const int64_t> group_sizes, void* result) {
  constexpr PrimitiveType kWide = primitive_util::NativeToPrimitiveType<Wide>();
  const Plan plan(spec);
  std::shared_ptr<void> memory[3];
  XLA_ASSIGN_OR_RETURN(const Array left, Prepare<Wide>(context, spec.lhs_type, lhs,
                                                       Count(spec.lhs_dimensions), memory[0]));
  XLA_ASSIGN_OR_RETURN(const Array right, Prepare<Wide>(context, spec.rhs_type, rhs,
                                                        Count(spec.rhs_dimensions), memory[1]));
  const Array out = {spec.result_type, static_cast<char*>(result)};
  if (plan.mode != Mode::kContracting || spec.result_type == kWide) {
    return MultiplyGroups<Wide>(context, plan, left, right, group_sizes, out);
  }
  const int64_t count = Count(spec.result_dimensions);
  XLA_ASSIGN_OR_RETURN(memory[2], context.Allocate(count * static_cast<int64_t>(sizeof(Wide)) + 1));
  XLA_RETURN_IF_ERROR(MultiplyGroups<Wide>(context, plan, left, right, group_sizes,
                                           {kWide, static_cast<char*>(memory[2].get())}));
  GetWideStore<Wide>(spec.result_type)(static_cast<const Wide*>(memory[2].get()), count, result, 1);
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckRaggedDot(const RaggedDotSpec& spec) {
  const Plan plan(spec);
  if (spec.group_dimensions.size() == 1) return absl::OkStatus();
  bool fits = spec.group_dimensions.size() == plan.prefix.size() + 1;
  for (size_t i = 0; fits && i < plan.prefix.size(); ++i) {
    fits = spec.group_dimensions[i] == spec.lhs_dimensions[static_cast<size_t>(plan.prefix[i])];
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the group sizes [", absl::StrJoin(spec.group_dimensions, ","),
                   "] are neither one list nor one for each index of the dimensions before the "
                   "ragged dimension ",
                   plan.ragged, " of [", absl::StrJoin(spec.lhs_dimensions, ","), "]"));
}

absl::Status RaggedDot(Context& context, const RaggedDotSpec& spec, const void* lhs,
                       const void* rhs, absl::Span<const int64_t> group_sizes, void* result) {
  bool complex = false, floating = false, wide_float = false, wide_integer = false;
  for (const PrimitiveType type : {spec.lhs_type, spec.rhs_type, spec.result_type}) {
    complex |= primitive_util::IsComplexType(type);
    floating |= primitive_util::IsFloatingPointType(type);
    wide_float |= type == F64 || type == C128;
    wide_integer |= type == S64 || type == U64;
  }
  if (complex && !primitive_util::IsComplexType(spec.result_type)) {
    return absl::UnimplementedError(
        absl::StrCat("products of complex numbers cannot be converted to ",
                     primitive_util::LowercasePrimitiveTypeName(spec.result_type)));
  }
  if (complex) {
    return wide_float ? Run<complex128>(context, spec, lhs, rhs, group_sizes, result)
                      : Run<complex64>(context, spec, lhs, rhs, group_sizes, result);
  }
  if (floating) {
    return wide_float ? Run<double>(context, spec, lhs, rhs, group_sizes, result)
                      : Run<float>(context, spec, lhs, rhs, group_sizes, result);
  }
  return wide_integer ? Run<uint64_t>(context, spec, lhs, rhs, group_sizes, result)
                      : Run<uint32_t>(context, spec, lhs, rhs, group_sizes, result);
}

}  // namespace xla::kernels
