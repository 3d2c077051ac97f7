// SPDX-License-Identifier: Apache-2.0
// Operations that combine elements, on arrays of dynamic sizes: padding elements are replaced by
// identities.
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/literal_util.h"
#include "xla/passes/dynamic_resolver.h"
#include "xla/passes/expand_scan.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

bool ListHas(absl::Span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Returns the identity of an operation on both parameters; nullopt if the function is no such
// operation.
std::optional<Literal> IdentityOf(const HloComputation& function, PrimitiveType type) {
  const HloInstruction* root = function.root_instruction();
  if (function.num_parameters() != 2 || root->operand_count() != 2 || root->shape().IsTuple() ||
      root->operand(0)->opcode() != HloOpcode::kParameter ||
      root->operand(1)->opcode() != HloOpcode::kParameter || root->operand(0) == root->operand(1) ||
      root->shape().element_type() != type) {
    return std::nullopt;
  }
  switch (root->opcode()) {
    case HloOpcode::kAdd:
      if (type == F8E8M0FNU) return std::nullopt;  // it has no zero
      // 0 + -0 is 0, so that the identity of floats is -0.
      if (primitive_util::IsFloatingPointType(type)) {
        absl::StatusOr<Literal> zero = LiteralUtil::CreateR0<double>(-0.0).Convert(type);
        if (zero.ok()) return *std::move(zero);
        return std::nullopt;
      }
      if (primitive_util::IsComplexType(type)) return std::nullopt;
      return LiteralUtil::Zero(type);
    case HloOpcode::kMultiply:
      if (primitive_util::IsComplexType(type)) return std::nullopt;
      return LiteralUtil::One(type);
    case HloOpcode::kMaximum:
      if (primitive_util::IsComplexType(type)) return std::nullopt;
      return LiteralUtil::MinValue(type);
    case HloOpcode::kMinimum:
      if (primitive_util::IsComplexType(type)) return std::nullopt;
      return LiteralUtil::MaxValue(type);
    case HloOpcode::kOr:
    case HloOpcode::kXor:
      return LiteralUtil::Zero(type);
    default:
      return std::nullopt;
  }
}

}  // namespace

// f on pairs (value, is valid): combines valid elements; if only one is valid, returns that one.
DynamicResolver::Reduction DynamicResolver::IgnoreMissing(const HloInstruction&,
                                                          HloComputation* function,
                                                          std::vector<SizedArray> inputs,
                                                          absl::Span<HloInstruction* const> inits,
                                                          HloInstruction* mask) {
  Reduction reduction = {{}, function, false};
  const auto append_inits = [&] {
    reduction.operands.insert(reduction.operands.end(), inits.begin(), inits.end());
  };
  if (mask == nullptr) {
    for (const SizedArray& input : inputs) reduction.operands.push_back(input.array);
    append_inits();
    return reduction;
  }
  if (inputs.size() == 1) {
    const PrimitiveType type = inputs[0].shape().element_type();
    if (std::optional<Literal> identity = IdentityOf(*function, type)) {
      HloInstruction* const fill = b_.Add(HloInstruction::CreateConstant(*std::move(identity)));
      reduction.operands.push_back(MaskBy(inputs[0].array, mask, fill));
      append_inits();
      return reduction;
    }
  }
  HloComputation* const lifted = module_->AddComputation("reduce_existing");
  GraphBuilder f(lifted);
  const size_t count = inputs.size();
  std::vector<HloInstruction*> values[2], exist(2);
  int64_t number = 0;
  for (int side = 0; side < 2; ++side) {
    for (const SizedArray& input : inputs) {
      values[side].push_back(f.Add(
          HloInstruction::CreateParameter(number++, Shape(input.shape().element_type(), {}), "p")));
    }
    exist[static_cast<size_t>(side)] =
        f.Add(HloInstruction::CreateParameter(number++, Shape(PRED, {}), "exists"));
  }
  std::vector<HloInstruction*> arguments = values[0];
  arguments.insert(arguments.end(), values[1].begin(), values[1].end());
  HloComputation* called[] = {function};
  HloInstruction* const call = f.Make(HloOpcode::kCall, function->root_instruction()->shape(),
                                      arguments, CallAttributes(), called);
  std::vector<HloInstruction*> results;
  for (size_t i = 0; i < count; ++i) {
    HloInstruction* const both =
        call->shape().IsTuple() ? f.Element(call, static_cast<int64_t>(i)) : call;
    results.push_back(f.Select(exist[0], f.Select(exist[1], both, values[0][i]), values[1][i]));
  }
  results.push_back(f.Binary(HloOpcode::kOr, exist[0], exist[1]));
  lifted->set_root_instruction(f.Tuple(results));
  for (const SizedArray& input : inputs) reduction.operands.push_back(input.array);
  reduction.operands.push_back(mask);
  append_inits();
  reduction.operands.push_back(b_.Scalar(PRED, 1));
  reduction.function = lifted;
  reduction.is_lifted = true;
  return reduction;
}

DynamicResolver::Results DynamicResolver::Reduce(const HloInstruction& inst, SizedArrays operands) {
  const size_t count = operands.size() / 2;
  std::vector<SizedArray> inputs(operands.begin(),
                                 operands.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<HloInstruction*> inits;
  for (size_t i = 0; i < count; ++i) inits.push_back(operands[count + i].array);
  const Sizes joined = inputs[0].sizes;
  Sizes reduced(joined.size(), nullptr), kept;
  for (size_t d = 0; d < joined.size(); ++d) {
    if (ListHas(inst.dimensions(), static_cast<int64_t>(d))) {
      reduced[d] = joined[d];
    } else {
      kept.push_back(joined[d]);
    }
  }
  HloInstruction* const mask = ExistenceMask(inputs[0].shape().dimensions(), reduced);
  const Reduction reduction = IgnoreMissing(inst, inst.to_apply(), inputs, inits, mask);
  std::vector<Shape> shapes;
  for (const SizedArray& input : inputs) {
    std::vector<int64_t> dims;
    for (int64_t d = 0; d < input.rank(); ++d) {
      if (!ListHas(inst.dimensions(), d)) dims.push_back(input.bound(d));
    }
    shapes.emplace_back(ResultShape(inst, static_cast<int>(shapes.size())).element_type(), dims);
  }
  if (reduction.is_lifted) shapes.emplace_back(PRED, shapes[0].dimensions());
  HloComputation* called[] = {reduction.function};
  HloInstruction* const reduce = b_.Make(
      HloOpcode::kReduce,
      shapes.size() == 1 && !inst.shape().IsTuple() ? shapes[0] : ShapeUtil::MakeTupleShape(shapes),
      reduction.operands, inst.attributes(), called);
  return ResultsOf(inst, reduce, std::vector<Sizes>(count, kept));
}

DynamicResolver::Results DynamicResolver::ReduceWindow(const HloInstruction& inst,
                                                       SizedArrays operands) {
  const size_t count = operands.size() / 2;
  std::vector<SizedArray> inputs(operands.begin(),
                                 operands.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<HloInstruction*> inits;
  for (size_t i = 0; i < count; ++i) inits.push_back(operands[count + i].array);
  const auto& window = inst.attributes<WindowAttributes>().window.dims;
  const Reduction reduction =
      IgnoreMissing(inst, inst.to_apply(), inputs, inits, ExistenceMask(inputs[0]));
  Sizes sizes;
  for (int64_t d = 0; d < inputs[0].rank(); ++d) {
    const WindowDim dim = window.empty() ? WindowDim() : window[static_cast<size_t>(d)];
    HloInstruction* size = inputs[0].size(d);
    if (size != nullptr) {
      // The number of windows over valid elements.
      HloInstruction* const dilated =
          b_.Max(b_.Plus(b_.Times(b_.Minus(size, Number(1)), Number(dim.base_dilation)), Number(1)),
                 Number(0));
      HloInstruction* const padded = b_.Plus(dilated, Number(dim.padding_low + dim.padding_high));
      const int64_t extent = dim.size == 0 ? 0 : (dim.size - 1) * dim.window_dilation + 1;
      HloInstruction* const places =
          b_.Plus(FloorDivide(b_.Minus(padded, Number(extent)), dim.stride), Number(1));
      HloInstruction* const none =
          b_.Binary(HloOpcode::kOr, b_.Less(padded, Number(extent)),
                    b_.Compare(padded, Number(0), ComparisonDirection::kLe));
      size = b_.Select(none, Number(0), places);
    }
    sizes.push_back(size);
  }
  std::vector<Shape> shapes;
  for (size_t i = 0; i < count; ++i) {
    const Shape& shape = ResultShape(inst, static_cast<int>(i));
    shapes.emplace_back(shape.element_type(), shape.dimensions());
  }
  if (reduction.is_lifted) shapes.emplace_back(PRED, shapes[0].dimensions());
  HloComputation* called[] = {reduction.function};
  HloInstruction* const reduce = b_.Make(
      HloOpcode::kReduceWindow,
      shapes.size() == 1 && !inst.shape().IsTuple() ? shapes[0] : ShapeUtil::MakeTupleShape(shapes),
      reduction.operands, inst.attributes(), called);
  return ResultsOf(inst, reduce, std::vector<Sizes>(count, sizes));
}

DynamicResolver::Results DynamicResolver::SelectAndScatter(const HloInstruction& inst,
                                                           SizedArrays operands,
                                                           const std::vector<WindowDim>& window,
                                                           const Sizes& paddings) {
  const SizedArray &x = operands[0], &source = operands[1];
  std::vector<HloInstruction*> arrays = {x.array, source.array, operands[2].array};
  for (int64_t d = 0; d < x.rank(); ++d) arrays.push_back(SizeOf(x, d));
  for (int64_t d = 0; d < x.rank(); ++d) arrays.push_back(SizeOf(source, d));
  for (size_t d = 0; d < static_cast<size_t>(x.rank()); ++d) {
    const bool is_given = d < paddings.size() && paddings[d] != nullptr;
    arrays.push_back(is_given ? paddings[d] : Number(window.empty() ? 0 : window[d].padding_low));
  }
  CustomCallAttributes attributes;
  attributes.custom_call_target = kSizedSelectAndScatterTarget;
  attributes.window = WindowDims{window};
  HloComputation* called[] = {inst.called_computations()[0], inst.called_computations()[1]};
  HloInstruction* const call =
      b_.Make(HloOpcode::kCustomCall, Shape(inst.shape().element_type(), inst.shape().dimensions()),
              arrays, std::move(attributes), called);
  return std::vector<SizedArray>{WithSizes(inst.shape(), call, x.sizes)};
}

DynamicResolver::Results DynamicResolver::Dot(const HloInstruction& inst, SizedArrays operands) {
  const auto& dims = inst.attributes<DotAttributes>();
  const SizedArray &lhs = operands[0], &rhs = operands[1];
  // Dimensions of both operands have the smaller of their valid extents.
  const auto common = [&](HloInstruction* a, HloInstruction* b) {
    return a == nullptr ? b : b == nullptr || a == b ? a : b_.Min(a, b);
  };
  Sizes lhs_sizes(static_cast<size_t>(lhs.rank()), nullptr),
      rhs_sizes(static_cast<size_t>(rhs.rank()), nullptr), sizes;
  for (size_t i = 0; i < dims.lhs_contracting_dims.size(); ++i) {
    const int64_t l = dims.lhs_contracting_dims[i], r = dims.rhs_contracting_dims[i];
    lhs_sizes[static_cast<size_t>(l)] = rhs_sizes[static_cast<size_t>(r)] =
        common(lhs.size(l), rhs.size(r));
  }
  for (size_t i = 0; i < dims.lhs_batch_dims.size(); ++i)
    sizes.push_back(common(lhs.size(dims.lhs_batch_dims[i]), rhs.size(dims.rhs_batch_dims[i])));
  const auto append_free = [&](const SizedArray& x, absl::Span<const int64_t> batch,
                               absl::Span<const int64_t> contracting) {
    for (int64_t d = 0; d < x.rank(); ++d) {
      if (!ListHas(batch, d) && !ListHas(contracting, d)) sizes.push_back(x.size(d));
    }
  };
  append_free(lhs, dims.lhs_batch_dims, dims.lhs_contracting_dims);
  append_free(rhs, dims.rhs_batch_dims, dims.rhs_contracting_dims);
  std::vector<HloInstruction*> arrays;
  for (const SizedArray& operand : operands) arrays.push_back(operand.array);
  arrays[0] = MaskByZero(lhs.array, ExistenceMask(lhs.shape().dimensions(), lhs_sizes));
  arrays[1] = MaskByZero(rhs.array, ExistenceMask(rhs.shape().dimensions(), rhs_sizes));
  return ResultsOf(inst, CloneOn(inst, arrays), {sizes});
}

DynamicResolver::Results DynamicResolver::Convolution(const HloInstruction& inst,
                                                      SizedArrays operands) {
  const auto& attributes = inst.attributes<ConvolutionAttributes>();
  const ConvDims& labels = attributes.dim_labels;
  const SizedArray &input = operands[0], &kernel = operands[1];
  Sizes input_sizes(static_cast<size_t>(input.rank()), nullptr),
      kernel_sizes(static_cast<size_t>(kernel.rank()), nullptr),
      sizes(static_cast<size_t>(input.rank()), nullptr);
  HloInstruction* features = kernel.size(labels.kernel_input_feature);
  if (attributes.feature_group_count == 1) {
    HloInstruction* const own = input.size(labels.input_feature);
    features = features == nullptr                 ? own
               : own == nullptr || own == features ? features
                                                   : b_.Min(features, own);
    input_sizes[static_cast<size_t>(labels.input_feature)] = features;
  }
  kernel_sizes[static_cast<size_t>(labels.kernel_input_feature)] = features;
  const auto out = [&](int64_t d) -> HloInstruction*& { return sizes[static_cast<size_t>(d)]; };
  if (HloInstruction* const batch = input.size(labels.input_batch))
    out(labels.output_batch) = FloorDivide(batch, attributes.batch_group_count);
  out(labels.output_feature) = kernel.size(labels.kernel_output_feature);
  for (size_t d = 0; d < labels.input_spatial.size(); ++d) {
    const WindowDim& window = attributes.window[d];
    kernel_sizes[static_cast<size_t>(labels.kernel_spatial[d])] =
        kernel.size(labels.kernel_spatial[d]);
    HloInstruction* const size = input.size(labels.input_spatial[d]);
    input_sizes[static_cast<size_t>(labels.input_spatial[d])] = size;
    if (size == nullptr) continue;
    HloInstruction* const dilated = b_.Max(
        b_.Plus(b_.Times(b_.Minus(size, Number(1)), Number(window.base_dilation)), Number(1)),
        Number(0));
    HloInstruction* const padded =
        b_.Plus(dilated, Number(window.padding_low + window.padding_high));
    const int64_t extent = (window.size - 1) * window.window_dilation + 1;
    HloInstruction* const places =
        b_.Plus(FloorDivide(b_.Minus(padded, Number(extent)), window.stride), Number(1));
    HloInstruction* const none = b_.Binary(HloOpcode::kOr, b_.Less(padded, Number(extent)),
                                           b_.Compare(padded, Number(0), ComparisonDirection::kLe));
    out(labels.output_spatial[d]) = b_.Select(none, Number(0), places);
  }
  HloInstruction* const arrays[] = {
      MaskByZero(input.array, ExistenceMask(input.shape().dimensions(), input_sizes)),
      MaskByZero(kernel.array, ExistenceMask(kernel.shape().dimensions(), kernel_sizes))};
  return ResultsOf(inst, CloneOn(inst, arrays), {sizes});
}

// Padding values become zeros at the start of their blocks.
DynamicResolver::Results DynamicResolver::WholeKernel(const HloInstruction& inst,
                                                      SizedArrays operands) {
  std::vector<SizedArray> parts(operands.begin(), operands.end());
  Sizes sizes = Join(parts);
  HloInstruction* const mask = ExistenceMask(parts[0].shape().dimensions(), sizes);
  std::vector<HloInstruction*> arrays;
  for (const SizedArray& part : parts)
    arrays.push_back(MaskBy(part.array, mask, ZeroOf(part.shape().element_type())));
  HloInstruction* const clone = CloneOn(inst, arrays);
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto i = static_cast<int>(d);
    const int64_t bound = parts[0].bound(i);
    if (sizes[d] == nullptr || bound == 0 || inst.shape().dimensions(i) == bound) continue;
    sizes[d] = b_.Times(sizes[d], Number(inst.shape().dimensions(i) / bound));
  }
  return ResultsOf(inst, clone, {sizes});
}

// Sorts padding elements last: one more operand marks them.
DynamicResolver::Results DynamicResolver::Sort(const HloInstruction& inst, SizedArrays operands) {
  const int64_t dimension = inst.dimensions()[0];
  std::vector<HloInstruction*> arrays;
  std::vector<Sizes> sizes;
  HloInstruction* sorted = nullptr;
  for (const SizedArray& operand : operands) {
    arrays.push_back(operand.array);
    sizes.push_back(operand.sizes);
  }
  sorted = operands[0].size(dimension);
  if (sorted == nullptr) return ResultsOf(inst, CloneOn(inst, arrays), sizes);
  Sizes mask_sizes(static_cast<size_t>(operands[0].rank()), nullptr);
  mask_sizes[static_cast<size_t>(dimension)] = sorted;
  arrays.push_back(ExistenceMask(operands[0].shape().dimensions(), mask_sizes));
  HloComputation* const comparator = module_->AddComputation("compare_existing");
  GraphBuilder f(comparator);
  std::vector<HloInstruction*> parameters;
  for (const HloInstruction* parameter : inst.to_apply()->parameter_instructions()) {
    parameters.push_back(f.Add(
        HloInstruction::CreateParameter(parameter->parameter_number(), parameter->shape(), "p")));
  }
  const auto next = static_cast<int64_t>(parameters.size());
  HloInstruction* const a =
      f.Add(HloInstruction::CreateParameter(next, Shape(PRED, {}), "a_exists"));
  HloInstruction* const b =
      f.Add(HloInstruction::CreateParameter(next + 1, Shape(PRED, {}), "b_exists"));
  HloComputation* called[] = {inst.to_apply()};
  HloInstruction* const less =
      f.Make(HloOpcode::kCall, Shape(PRED, {}), parameters, CallAttributes(), called);
  HloInstruction* const only_a = f.And(a, f.Unary(HloOpcode::kNot, b));
  comparator->set_root_instruction(f.Select(f.And(a, b), less, only_a));
  std::vector<Shape> shapes;
  for (const HloInstruction* array : arrays) shapes.push_back(array->shape());
  HloComputation* own[] = {comparator};
  HloInstruction* const sort =
      b_.Make(HloOpcode::kSort, ShapeUtil::MakeTupleShape(shapes), arrays, inst.attributes(), own);
  std::vector<SizedArray> results;
  for (size_t i = 0; i < operands.size(); ++i) {
    results.push_back(WithSizes(ResultShape(inst, static_cast<int>(i)),
                                b_.Element(sort, static_cast<int64_t>(i)), sizes[i]));
  }
  return results;
}

DynamicResolver::Results DynamicResolver::TopK(const HloInstruction& inst, const SizedArray& x) {
  const bool largest = inst.attributes<TopKAttributes>().largest;
  const int64_t last = x.rank() - 1;
  Sizes mask_sizes(static_cast<size_t>(x.rank()), nullptr), sizes = x.sizes;
  mask_sizes.back() = x.size(last);
  HloInstruction* const array = MaskBy(x.array, ExistenceMask(x.shape().dimensions(), mask_sizes),
                                       LowestOf(x.shape().element_type(), /*greatest=*/!largest));
  const int64_t k = ResultShape(inst, 0).dimensions(static_cast<int>(last));
  if (sizes.back() != nullptr) sizes.back() = b_.Min(sizes.back(), Number(k));
  return ResultsOf(inst, CloneOn(inst, {&array, 1}), {sizes, sizes});
}

// Extends matrices of the valid sizes by the identity.
DynamicResolver::Results DynamicResolver::LinearAlgebra(const HloInstruction& inst,
                                                        SizedArrays operands) {
  const SizedArray& a = operands[0];
  const int64_t row = a.rank() - 2, column = a.rank() - 1;
  const auto dims = a.shape().dimensions();
  Sizes matrix(static_cast<size_t>(a.rank()), nullptr);
  matrix[static_cast<size_t>(row)] = a.size(row);
  matrix[static_cast<size_t>(column)] = a.size(column);
  std::vector<HloInstruction*> arrays = {a.array};
  HloInstruction* ok = nullptr;
  const auto expect_equal = [&](HloInstruction* x, HloInstruction* y) {
    if (x == y) return;
    HloInstruction* const equal = b_.Compare(x, y, ComparisonDirection::kEq);
    ok = ok == nullptr ? equal : b_.And(ok, equal);
  };
  if (a.size(row) != nullptr || a.size(column) != nullptr) {
    HloInstruction *const rows = SizeOf(a, row), *const columns = SizeOf(a, column);
    expect_equal(rows, columns);
    HloInstruction* const is_diagonal =
        b_.Compare(b_.Iota(S32, dims, row), b_.Iota(S32, dims, column), ComparisonDirection::kEq);
    HloInstruction* const one = b_.Splat(
        b_.Add(HloInstruction::CreateConstant(LiteralUtil::One(a.shape().element_type()))), dims);
    HloInstruction* const identity =
        b_.Select(is_diagonal, one, b_.Zeros(Shape(a.shape().element_type(), dims)));
    arrays[0] = b_.Select(ExistenceMask(dims, matrix), a.array, identity);
  }
  Sizes sizes = a.sizes;
  if (operands.size() > 1) {
    const SizedArray& b = operands[1];
    const bool left = inst.attributes<TriangularSolveAttributes>().left_side;
    Sizes existing(static_cast<size_t>(b.rank()), nullptr);
    existing[static_cast<size_t>(row)] = b.size(row);
    existing[static_cast<size_t>(column)] = b.size(column);
    arrays.push_back(MaskBy(b.array, ExistenceMask(b.shape().dimensions(), existing),
                            ZeroOf(b.shape().element_type())));
    if (a.IsSized() || b.IsSized()) expect_equal(SizeOf(a, row), SizeOf(b, left ? row : column));
    sizes = b.sizes;
  }
  if (ok != nullptr) {
    // Matrices whose dynamic sizes are not square are an error.
    const SizedArray& checked = operands.back();
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == nullptr) continue;
      sizes[d] = SizeIf(ok, sizes[d], checked.bound(static_cast<int64_t>(d)));
      break;
    }
  }
  return ResultsOf(inst, CloneOn(inst, arrays), {sizes});
}

// Dimensions that are transformed must have their full size.
DynamicResolver::Results DynamicResolver::Fft(const HloInstruction& inst, const SizedArray& x) {
  const auto axes = static_cast<int64_t>(inst.attributes<FftAttributes>().fft_length.size());
  Sizes sizes = x.sizes;
  for (int64_t d = x.rank() - axes; d < x.rank(); ++d) {
    if (x.size(d) == nullptr) continue;
    SizeIf(b_.Compare(x.size(d), Number(x.bound(d)), ComparisonDirection::kEq), x.size(d),
           x.bound(d));
    sizes[static_cast<size_t>(d)] = nullptr;
  }
  return ResultsOf(inst, CloneOn(inst, {&x.array, 1}), {sizes});
}

// Uses sums and counts of valid elements.
DynamicResolver::Results DynamicResolver::BatchNorm(const HloInstruction& inst,
                                                    SizedArrays operands) {
  const auto& attributes = inst.attributes<BatchNormAttributes>();
  const int64_t feature = attributes.feature_index;
  const SizedArray& x = operands[0];
  const auto dims = x.shape().dimensions();
  const std::vector<int64_t> feature_dims = {x.bound(feature)};
  const PrimitiveType given = x.shape().element_type();
  const PrimitiveType type = primitive_util::BitWidth(given) < 32 ? F32 : given;
  Sizes others = x.sizes;
  others[static_cast<size_t>(feature)] = nullptr;
  HloInstruction* const mask = ExistenceMask(dims, others);
  HloInstruction* const zero = ZeroOf(type);
  HloInstruction* count = Number(1);
  std::vector<int64_t> reduced;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (d == feature) continue;
    reduced.push_back(d);
    count = b_.Times(count, SizeOf(x, d));
  }
  HloInstruction* const n = b_.Splat(b_.Convert(count, type), feature_dims);
  HloComputation* const add = module_->AddComputation("batch_norm_sum");
  {
    GraphBuilder f(add);
    HloInstruction* const p = f.Add(HloInstruction::CreateParameter(0, Shape(type, {}), "a"));
    HloInstruction* const q = f.Add(HloInstruction::CreateParameter(1, Shape(type, {}), "b"));
    add->set_root_instruction(f.Plus(p, q));
  }
  const auto sum = [&](HloInstruction* values) {
    HloComputation* called[] = {add};
    return b_.Make(HloOpcode::kReduce, Shape(type, feature_dims),
                   {MaskBy(values, mask, zero), zero},
                   DimensionListAttributes{.dimensions = reduced}, called);
  };
  const auto mean_of = [&](HloInstruction* values) {
    return b_.Binary(HloOpcode::kDivide, sum(values), n);
  };
  const auto spread = [&](HloInstruction* values) { return b_.Broadcast(values, dims, {feature}); };
  const auto operand = [&](size_t i) { return b_.Convert(operands[i].array, type); };
  HloInstruction* const epsilon = b_.Splat(b_.Scalar(type, attributes.epsilon), feature_dims);
  const auto inverse_deviation = [&](HloInstruction* variance) {
    return b_.Unary(HloOpcode::kRsqrt, b_.Plus(variance, epsilon));
  };
  const auto normalize = [&](HloInstruction* values, HloInstruction* scale, HloInstruction* offset,
                             HloInstruction* mean, HloInstruction* variance) {
    HloInstruction* const factor = b_.Times(inverse_deviation(variance), scale);
    return b_.Plus(b_.Times(b_.Minus(values, spread(mean)), spread(factor)), spread(offset));
  };
  const Sizes feature_sizes = {x.size(feature)};
  const auto result = [&](int i, HloInstruction* value, const Sizes& sizes) {
    const Shape& shape = ResultShape(inst, i);
    return WithSizes(shape, b_.Convert(value, shape.element_type()), sizes);
  };
  HloInstruction* const values = operand(0);
  if (inst.opcode() == HloOpcode::kBatchNormInference) {
    return std::vector<SizedArray>{
        result(0, normalize(values, operand(1), operand(2), operand(3), operand(4)), x.sizes)};
  }
  if (inst.opcode() == HloOpcode::kBatchNormTraining) {
    HloInstruction* const mean = mean_of(values);
    HloInstruction* const deviation = b_.Minus(values, spread(mean));
    HloInstruction* const variance = mean_of(b_.Times(deviation, deviation));
    return std::vector<SizedArray>{
        result(0, normalize(values, operand(1), operand(2), mean, variance), x.sizes),
        result(1, mean, feature_sizes), result(2, variance, feature_sizes)};
  }
  HloInstruction *const scale = operand(1), *const mean = operand(2), *const variance = operand(3),
                        *const g = operand(4);
  HloInstruction* const d = b_.Minus(values, spread(mean));
  HloInstruction* const r = inverse_deviation(variance);
  HloInstruction* const sum_g = sum(g);
  HloInstruction* const sum_gd = sum(b_.Times(g, d));
  HloInstruction* const factor = b_.Binary(HloOpcode::kDivide, b_.Times(scale, r), n);
  HloInstruction* const slope = b_.Times(b_.Times(r, r), sum_gd);
  HloInstruction* const inner =
      b_.Minus(b_.Minus(b_.Times(spread(n), g), spread(sum_g)), b_.Times(d, spread(slope)));
  return std::vector<SizedArray>{result(0, b_.Times(spread(factor), inner), x.sizes),
                                 result(1, b_.Times(sum_gd, r), feature_sizes),
                                 result(2, sum_g, feature_sizes)};
}

DynamicResolver::Results DynamicResolver::Scan(const HloInstruction& inst, SizedArrays operands) {
  const auto& attributes = inst.attributes<ScanAttributes>();
  const auto carries = static_cast<size_t>(attributes.num_carries);
  std::vector<HloInstruction*> arrays;
  for (const SizedArray& operand : operands) arrays.push_back(operand.array);
  HloInstruction* const steps = operands.size() > carries && !attributes.dimensions.empty()
                                    ? operands[0].size(attributes.dimensions[0])
                                    : nullptr;
  XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> values,
                       EmitScan(b_, inst, arrays, steps));
  // Outputs have the sizes of the inputs, carries those of the initial carries.
  std::vector<SizedArray> results;
  const size_t outputs = values.size() - carries;
  for (size_t i = 0; i < values.size(); ++i) {
    const SizedArray& like =
        i < outputs ? operands[0] : operands[operands.size() - values.size() + i];
    Sizes sizes(static_cast<size_t>(values[i]->shape().rank()), nullptr);
    if (like.shape().dimensions() == values[i]->shape().dimensions()) sizes = like.sizes;
    results.push_back(WithSizes(ResultShape(inst, static_cast<int>(i)), values[i], sizes));
  }
  return results;
}

}  // namespace xla
