// SPDX-License-Identifier: Apache-2.0
// Rules of gather, scatter and dynamic slices.
#include <algorithm>

#include "xla/stablehlo/verify_rules.h"

namespace xla::stablehlo {
namespace {

using mlir::TypeRef;

// What gather and dynamic_gather share.
bool GatherRule(Check& check) {
  if (!check.AllTensors()) return false;
  constexpr std::string_view kNumbers = "dimension_numbers";
  const auto list = [&](std::string_view name) { return check.Parameter(kNumbers, name); };
  const auto offset = list("offset_dims");
  const auto collapsed = list("collapsed_slice_dims");
  const auto operand_batching = list("operand_batching_dims");
  const auto indices_batching = list("start_indices_batching_dims");
  const auto index_map = list("start_index_map");
  const int64_t vector_dim = check.IntegerParameter(kNumbers, "index_vector_dim", 0);
  const int64_t rank = check.rank(0), indices_rank = check.rank(1);
  const bool is_dynamic = check.Is("stablehlo.dynamic_gather");
  const std::optional<std::vector<int64_t>> slice_sizes =
      is_dynamic ? check.ConstantOperand(2) : check.List("slice_sizes");
  if (static_cast<int64_t>(offset.size() + collapsed.size() + operand_batching.size()) != rank) {
    return check.Fail("offset_dims size (", offset.size(), ") plus collapsed_slice_dims size (",
                      collapsed.size(), ") plus operand_batching_dims size (",
                      operand_batching.size(), ") is not equal to operand rank (", rank, ")");
  }
  if (vector_dim < 0 || vector_dim > indices_rank) {
    return check.Fail("index_vector_dim must be in the range [0, ", indices_rank, "], but is ",
                      vector_dim);
  }
  const int64_t index_size =
      vector_dim < indices_rank ? check.sizes(1)[static_cast<size_t>(vector_dim)] : 1;
  if (!SizesAgree(index_size, static_cast<int64_t>(index_map.size()))) {
    return check.Fail("start_index_map size (", index_map.size(),
                      ") is not equal to the size of the index dimension (", vector_dim,
                      ") of start_indices (", index_size, ")");
  }
  const int64_t result_rank =
      static_cast<int64_t>(offset.size()) + indices_rank - (vector_dim < indices_rank ? 1 : 0);
  if (!check.Sorted("offset_dims", offset) || !check.Distinct("offset_dims", offset) ||
      !check.AllInRange("offset_dims", offset, result_rank) ||
      !check.DistinctIn("collapsed_slice_dims", collapsed, "operand_batching_dims",
                        operand_batching) ||
      !check.Sorted("collapsed_slice_dims", collapsed) ||
      !check.AllInRange("collapsed_slice_dims", collapsed, rank) ||
      !check.Sorted("operand_batching_dims", operand_batching) ||
      !check.AllInRange("operand_batching_dims", operand_batching, rank) ||
      !check.Distinct("start_indices_batching_dims", indices_batching) ||
      !check.AllInRange("start_indices_batching_dims", indices_batching, indices_rank)) {
    return false;
  }
  if (std::count(indices_batching.begin(), indices_batching.end(), vector_dim) > 0) {
    return check.Fail("start_indices_batching_dims must not include index_vector_dim ", vector_dim);
  }
  if (operand_batching.size() != indices_batching.size()) {
    return check.Fail(
        "operand_batching_dims and start_indices_batching_dims must have the same "
        "size");
  }
  for (size_t i = 0; i < operand_batching.size(); ++i) {
    const int64_t a = check.sizes(0)[static_cast<size_t>(operand_batching[i])];
    const int64_t b = check.sizes(1)[static_cast<size_t>(indices_batching[i])];
    if (!SizesAgree(a, b)) {
      return check.Fail("operand_batching_dims[", i, "] and start_indices_batching_dims[", i,
                        "] must have compatible sizes, but they are ", a, " and ", b);
    }
  }
  if (!check.DistinctIn("start_index_map", index_map, "operand_batching_dims", operand_batching) ||
      !check.AllInRange("start_index_map", index_map, rank)) {
    return false;
  }
  if (is_dynamic && (check.rank(2) != 1 || !SizesAgree(check.sizes(2)[0], rank))) {
    return check.Fail("slice_sizes size (", ListText(check.sizes(2)),
                      ") not equal to operand rank (", rank, ")");
  }
  if (slice_sizes.has_value()) {
    if (static_cast<int64_t>(slice_sizes->size()) != rank) {
      return check.Fail("slice_sizes size (", slice_sizes->size(), ") not equal to operand rank (",
                        rank, ")");
    }
    for (size_t i = 0; i < slice_sizes->size(); ++i) {
      const int64_t size = (*slice_sizes)[i], whole = check.sizes(0)[i];
      if (size < 0 || (!IsDynamicSize(whole) && size > whole)) {
        return check.Fail("slice size (", size, ") is out of bounds for operand dimension (", whole,
                          ") at index ", i);
      }
    }
    for (const auto& dims : {collapsed, operand_batching}) {
      for (const int64_t dim : dims) {
        if ((*slice_sizes)[static_cast<size_t>(dim)] > 1) {
          return check.Fail(
              "slice_sizes of collapsed and batching dimensions must be at most 1, "
              "but that of dimension ",
              dim, " is ", (*slice_sizes)[static_cast<size_t>(dim)]);
        }
      }
    }
  }
  // Slices in the offset dimensions, indices in the others.
  std::vector<int64_t> sizes;
  for (const shape_inference::OperandDimension& d : shape_inference::SliceDimensions(
           {offset, collapsed, operand_batching, vector_dim}, result_rank)) {
    const auto dimension = static_cast<size_t>(d.dimension);
    if (d.operand == 1) {
      sizes.push_back(check.sizes(1)[dimension]);
    } else {
      sizes.push_back(slice_sizes.has_value() ? (*slice_sizes)[dimension] : mlir::kDynamic);
    }
  }
  return check.ResultIs(0, sizes, check.operand(0)->element);
}

bool ScatterRule(Check& check) {
  const size_t count = check.num_results();
  if (check.num_operands() != 2 * count + 1 || !check.AllTensors()) {
    return check.Fail("requires as many inputs and updates as results, and scatter_indices");
  }
  constexpr std::string_view kNumbers = "scatter_dimension_numbers";
  const auto list = [&](std::string_view name) { return check.Parameter(kNumbers, name); };
  const auto window = list("update_window_dims");
  const auto inserted = list("inserted_window_dims");
  const auto input_batching = list("input_batching_dims");
  const auto indices_batching = list("scatter_indices_batching_dims");
  const auto dims = list("scatter_dims_to_operand_dims");
  const int64_t vector_dim = check.IntegerParameter(kNumbers, "index_vector_dim", 0);
  const size_t indices = count, updates = count + 1;
  const int64_t rank = check.rank(0), indices_rank = check.rank(indices);
  const int64_t update_rank = check.rank(updates);
  for (size_t i = 1; i < count; ++i) {
    if (!ShapesAgree(check.operand(0), check.operand(i))) {
      return check.Fail("inputs must have compatible shapes");
    }
    if (!ShapesAgree(check.operand(updates), check.operand(updates + i))) {
      return check.Fail("updates must have compatible shapes");
    }
  }
  if (static_cast<int64_t>(window.size() + inserted.size() + input_batching.size()) != rank) {
    return check.Fail("the rank of the input (", rank, ") must be the size of update_window_dims (",
                      window.size(), ") plus inserted_window_dims (", inserted.size(),
                      ") plus input_batching_dims (", input_batching.size(), ")");
  }
  if (vector_dim < 0 || vector_dim > indices_rank) {
    return check.Fail("index_vector_dim must be in the range [0, ", indices_rank, "], but is ",
                      vector_dim);
  }
  const int64_t index_size =
      vector_dim < indices_rank ? check.sizes(indices)[static_cast<size_t>(vector_dim)] : 1;
  if (!SizesAgree(index_size, static_cast<int64_t>(dims.size()))) {
    return check.Fail("scatter_dims_to_operand_dims has ", dims.size(),
                      " entries, but the index dimension of scatter_indices has size ", index_size);
  }
  if (!check.Sorted("update_window_dims", window) ||
      !check.Distinct("update_window_dims", window) ||
      !check.AllInRange("update_window_dims", window, update_rank) ||
      !check.DistinctIn("inserted_window_dims", inserted, "input_batching_dims", input_batching) ||
      !check.Sorted("inserted_window_dims", inserted) ||
      !check.AllInRange("inserted_window_dims", inserted, rank) ||
      !check.Sorted("input_batching_dims", input_batching) ||
      !check.AllInRange("input_batching_dims", input_batching, rank) ||
      !check.Distinct("scatter_indices_batching_dims", indices_batching) ||
      !check.AllInRange("scatter_indices_batching_dims", indices_batching, indices_rank) ||
      !check.DistinctIn("scatter_dims_to_operand_dims", dims, "input_batching_dims",
                        input_batching) ||
      !check.AllInRange("scatter_dims_to_operand_dims", dims, rank)) {
    return false;
  }
  if (std::count(indices_batching.begin(), indices_batching.end(), vector_dim) > 0) {
    return check.Fail("scatter_indices_batching_dims must not include index_vector_dim ",
                      vector_dim);
  }
  if (input_batching.size() != indices_batching.size()) {
    return check.Fail(
        "input_batching_dims and scatter_indices_batching_dims must have the same "
        "size");
  }
  for (size_t i = 0; i < input_batching.size(); ++i) {
    if (!SizesAgree(check.sizes(0)[static_cast<size_t>(input_batching[i])],
                    check.sizes(indices)[static_cast<size_t>(indices_batching[i])])) {
      return check.Fail("input_batching_dims[", i, "] and scatter_indices_batching_dims[", i,
                        "] must have compatible sizes");
    }
  }
  // Sizes of the updates: indices, and windows that fit the input.
  const int64_t scattered = indices_rank - (vector_dim < indices_rank ? 1 : 0);
  if (update_rank != scattered + static_cast<int64_t>(window.size())) {
    return check.Fail("the rank of the updates must be ",
                      scattered + static_cast<int64_t>(window.size()), ", but is ", update_rank);
  }
  const std::vector<shape_inference::OperandDimension> sources =
      shape_inference::SliceDimensions({window, inserted, input_batching, vector_dim}, update_rank);
  for (size_t i = 0; i < sources.size(); ++i) {
    const int64_t size = check.sizes(updates)[i];
    const auto dimension = static_cast<size_t>(sources[i].dimension);
    if (sources[i].operand == 0) {
      const int64_t whole = check.sizes(0)[dimension];
      if (!IsDynamicSize(size) && !IsDynamicSize(whole) && size > whole) {
        return check.Fail("the size ", size, " of dimension ", i,
                          " of the updates exceeds that of the input, ", whole);
      }
    } else {
      const int64_t expected = check.sizes(indices)[dimension];
      if (!SizesAgree(size, expected)) {
        return check.Fail("the size of dimension ", i, " of the updates must be ", expected,
                          ", but is ", size);
      }
    }
  }
  std::vector<TypeRef> update_types, input_types;
  for (size_t i = 0; i < count; ++i) {
    update_types.push_back(check.operand(updates + i));
    input_types.push_back(check.operand(i));
  }
  const mlir::Operation* last = check.Terminator(0);
  if (last == nullptr) return false;
  if (!check.Reduction(0, update_types, input_types, /*inits_are_results=*/false)) return false;
  for (size_t i = 0; i < count; ++i) {
    if (!check.ResultIs(i, check.sizes(i), last->operands[i]->type->element)) return false;
  }
  return true;
}

bool StartIndices(Check& check, size_t first) {
  for (size_t i = first; i < check.num_operands(); ++i) {
    if (check.rank(i) != 0 || (ClassOf(check.operand(i)->element) & kIntegers) == 0) {
      return check.Fail("start indices must be scalars of integers, but operand #", i, " is ",
                        mlir::ToString(check.operand(i)));
    }
    if (check.operand(i)->element != check.operand(first)->element) {
      return check.Fail("start indices must have same element type");
    }
  }
  return true;
}

bool DynamicSliceRule(Check& check) {
  if (!check.AllTensors()) return false;
  const auto sizes = check.List("slice_sizes").value_or(std::vector<int64_t>());
  const size_t starts = check.num_operands() - 1;
  if (sizes.size() != starts) {
    return check.Fail("has mismatched number of slice sizes (", sizes.size(),
                      ") and number of start indices (", starts, ")");
  }
  if (static_cast<int64_t>(starts) != check.rank(0)) {
    return check.Fail("has mismatched number of start indices (", starts,
                      ") and the rank of operand (", check.rank(0), ")");
  }
  if (!StartIndices(check, 1)) return false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0) {
      return check.Fail("has negative size index to dynamic slice: ", sizes[i]);
    }
    const int64_t whole = check.sizes(0)[i];
    if (!IsDynamicSize(whole) && sizes[i] > whole) {
      return check.Fail("has slice size ", sizes[i], " greater than dimension size ", whole,
                        " in dimension ", i, " of operand");
    }
  }
  return check.ResultIs(0, sizes, check.operand(0)->element);
}

bool DynamicUpdateSliceRule(Check& check) {
  if (!check.AllTensors()) return false;
  if (check.rank(1) != check.rank(0)) {
    return check.Fail("update rank does not match operand rank: ", check.rank(1), " vs ",
                      check.rank(0));
  }
  if (static_cast<int64_t>(check.num_operands()) - 2 != check.rank(0)) {
    return check.Fail("expects number of start_indices to match operand rank: ",
                      check.num_operands() - 2, " vs ", check.rank(0));
  }
  if (!ElementsAgree(check.operand(0)->element, check.operand(1)->element)) {
    return check.Fail("operand and update must have the same element type");
  }
  if (!StartIndices(check, 2)) return false;
  for (size_t i = 0; i < check.sizes(0).size(); ++i) {
    const int64_t size = check.sizes(1)[i], whole = check.sizes(0)[i];
    if (!IsDynamicSize(size) && !IsDynamicSize(whole) && size > whole) {
      return check.Fail("expects size at dimension ", i, " of update to be in range [0, ", whole,
                        "], but it is ", size);
    }
  }
  return check.ResultIs(0, check.operand(0));
}

bool TorchIndexSelectRule(Check& check) {
  if (!check.AllTensors()) return false;
  const int64_t dim = check.Integer("dim"), batch_dims = check.Integer("batch_dims");
  return check.InRange("dim", dim < 0 ? dim + check.rank(0) : dim, check.rank(0)) &&
         check.Require(batch_dims <= check.rank(1), "batch_dims exceeds the rank of the index");
}

constexpr OperationRule kGatherRules[] = {
    {"stablehlo.gather", 2, 2, 1, 1, 0, kAnyElements,
     "dimension_numbers:struct slice_sizes:list indices_are_sorted:bool?", GatherRule},
    {"stablehlo.dynamic_gather", 3, 3, 1, 1, 0, kAnyElements,
     "dimension_numbers:struct indices_are_sorted:bool?", GatherRule},
    {"stablehlo.scatter", 3, -1, 1, -1, 1, kAnyElements,
     "scatter_dimension_numbers:struct indices_are_sorted:bool? unique_indices:bool?", ScatterRule},
    {"stablehlo.dynamic_slice", 1, -1, 1, 1, 0, kAnyElements, "slice_sizes:list", DynamicSliceRule},
    {"stablehlo.dynamic_update_slice", 2, -1, 1, 1, 0, kAnyElements, "", DynamicUpdateSliceRule},
    {"stablehlo.torch_index_select", 2, 2, 1, 1, 0, kAnyElements, "dim:i64 batch_dims:i64",
     TorchIndexSelectRule},
};

}  // namespace

void AddGatherScatterRules(RuleTable* table) {
  for (const OperationRule& rule : kGatherRules) table->emplace(rule.name, &rule);
}

}  // namespace xla::stablehlo
