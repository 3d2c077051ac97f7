// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/canonicalize_contractions.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "xla/literal_util.h"
#include "xla/passes/pattern.h"
#include "xla/passes/rewriter.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using m::Any;
using Result = absl::StatusOr<HloInstruction*>;
using Int64Vector = std::vector<int64_t>;

bool IsListed(const Int64Vector& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Dimension d of transpose(x) is dimension dimensions()[d] of x.
void MapDimensions(const HloInstruction& transpose, Int64Vector* list) {
  for (int64_t& d : *list) d = transpose.dimensions()[d];
}

// Whether the free dimensions have the same order in x as in transpose(x): the result lists them in
// the order of the operand.
bool KeepsFreeOrder(const HloInstruction& transpose, const Int64Vector& batch,
                    const Int64Vector& contracting) {
  int64_t last = -1;
  for (int64_t d = 0; d < transpose.shape().rank(); ++d) {
    if (IsListed(batch, d) || IsListed(contracting, d)) continue;
    if (transpose.dimensions()[d] < last) return false;
    last = transpose.dimensions()[d];
  }
  return true;
}

// dot(transpose(x), y), dot(x, transpose(y))
Result DotOfTranspose(HloInstruction* dot, Rewriter& rewriter) {
  DotAttributes attributes = dot->attributes<DotAttributes>();
  HloInstruction *lhs = dot->operand(0), *rhs = dot->operand(1);
  bool changed = false;
  const auto fold = [&](HloInstruction*& operand, Int64Vector& batch, Int64Vector& contracting) {
    if (operand->opcode() != HloOpcode::kTranspose || !operand->shape().is_static() ||
        !KeepsFreeOrder(*operand, batch, contracting)) {
      return;
    }
    MapDimensions(*operand, &batch);
    MapDimensions(*operand, &contracting);
    operand = operand->operand(0);
    changed = true;
  };
  fold(lhs, attributes.lhs_batch_dims, attributes.lhs_contracting_dims);
  fold(rhs, attributes.rhs_batch_dims, attributes.rhs_contracting_dims);
  if (!changed) return nullptr;
  return rewriter.Create(HloOpcode::kDot, dot->shape(), {lhs, rhs}, std::move(attributes));
}

// transpose(dot(x, y)) that swaps the free dimensions of x and y is dot(y, x).
Result TransposeOfDot(HloInstruction* transpose, Rewriter& rewriter) {
  HloInstruction* dot;
  if (!Match(transpose, m::Transpose(m::Dot(Any(), Any()).As(&dot).WithOneUser())) ||
      !transpose->shape().is_static()) {
    return nullptr;
  }
  const DotAttributes& attributes = dot->attributes<DotAttributes>();
  const int64_t batch = static_cast<int64_t>(attributes.lhs_batch_dims.size());
  const int64_t m = dot->operand(0)->shape().rank() - batch -
                    static_cast<int64_t>(attributes.lhs_contracting_dims.size());
  const int64_t n = dot->shape().rank() - batch - m;
  for (int64_t d = 0; d < dot->shape().rank(); ++d) {
    const int64_t expected = d < batch ? d : d < batch + n ? d + m : d - n;
    if (transpose->dimensions()[d] != expected) return nullptr;
  }
  DotAttributes swapped = attributes;
  std::swap(swapped.lhs_batch_dims, swapped.rhs_batch_dims);
  std::swap(swapped.lhs_contracting_dims, swapped.rhs_contracting_dims);
  if (swapped.precision.values.size() == 2)
    std::swap(swapped.precision.values[0], swapped.precision.values[1]);
  return rewriter.Create(HloOpcode::kDot, transpose->shape(), {dot->operand(1), dot->operand(0)},
                         std::move(swapped));
}

// Whether numbers of type `from` are converted to `to` without loss.
bool Holds(PrimitiveType to, PrimitiveType from) {
  if (from == to) return true;
  const bool floats = primitive_util::IsFloatingPointType(from);
  return floats == primitive_util::IsFloatingPointType(to) &&
         primitive_util::BitWidth(from) < primitive_util::BitWidth(to) &&
         (floats ||
          primitive_util::IsSignedIntegralType(to) == primitive_util::IsSignedIntegralType(from)) &&
         (!floats || primitive_util::BitWidth(to) >= 32);
}

// dot(x, convert(y)) of few rows and a large matrix: dot(x, y), which reads the matrix once, in its
// own type, and widens it in registers.
Result DotOfWidenedMatrix(HloInstruction* dot, Rewriter& rewriter) {
  constexpr int64_t kMostRows = 4, kFewestElements = 1 << 14;
  if (dot->operand_count() != 2 || dot->shape().element_type() != F32 ||
      !dot->shape().is_static()) {
    return nullptr;
  }
  const DotAttributes& attributes = dot->attributes<DotAttributes>();
  std::vector<HloInstruction*> operands = {dot->operand(0), dot->operand(1)};
  for (size_t side : {0, 1}) {
    HloInstruction* const convert = operands[side];
    const Shape& other = operands[1 - side]->shape();
    if (convert->opcode() != HloOpcode::kConvert || convert->shape().element_type() != F32 ||
        other.element_type() != F32) {
      continue;
    }
    const PrimitiveType narrow = convert->operand(0)->shape().element_type();
    const Int64Vector& batch = side == 0 ? attributes.rhs_batch_dims : attributes.lhs_batch_dims;
    const Int64Vector& contracting =
        side == 0 ? attributes.rhs_contracting_dims : attributes.lhs_contracting_dims;
    int64_t rows = 1;
    for (int64_t d = 0; d < other.rank(); ++d) {
      if (!IsListed(batch, d) && !IsListed(contracting, d))
        rows *= other.dimensions(static_cast<int>(d));
    }
    if ((narrow != BF16 && narrow != S8) || rows > kMostRows || contracting.empty() ||
        ShapeUtil::ElementsIn(convert->shape()) < kFewestElements) {
      continue;
    }
    operands[side] = convert->operand(0);
    return rewriter.Create(HloOpcode::kDot, dot->shape(), operands, attributes);
  }
  return nullptr;
}

// dot(x, y) without contracting dimensions: x y + 0, because a dot adds products to 0, and -0 + 0
// is 0.
Result DotOfOuterProduct(HloInstruction* dot, Rewriter& rewriter) {
  const DotAttributes& attributes = dot->attributes<DotAttributes>();
  const PrimitiveType type = dot->shape().element_type();
  if (!attributes.lhs_contracting_dims.empty() || dot->operand_count() != 2 ||
      !dot->shape().is_static() || dot->shape().rank() == 0 ||
      (!primitive_util::IsFloatingPointType(type) && !primitive_util::IsIntegralType(type))) {
    return nullptr;
  }
  for (const HloInstruction* operand : dot->operands()) {
    if (!operand->shape().is_static() || !Holds(type, operand->shape().element_type()))
      return nullptr;
  }
  // In the order of the result, and broadcast along the free dimensions of the other operand.
  int64_t next = static_cast<int64_t>(attributes.lhs_batch_dims.size());
  const auto spread = [&](HloInstruction* operand, const Int64Vector& batch) {
    Int64Vector order = batch, places;
    for (size_t i = 0; i < batch.size(); ++i) places.push_back(static_cast<int64_t>(i));
    for (int64_t d = 0; d < operand->shape().rank(); ++d) {
      if (IsListed(batch, d)) continue;
      order.push_back(d);
      places.push_back(next++);
    }
    Int64Vector sizes;
    for (const int64_t d : order) sizes.push_back(operand->shape().dimensions(static_cast<int>(d)));
    if (operand->shape().element_type() != type) {
      operand = rewriter.Create(HloOpcode::kConvert,
                                ShapeUtil::ChangeElementType(operand->shape(), type), {operand});
    }
    if (!std::is_sorted(order.begin(), order.end())) {
      operand = rewriter.Create(HloOpcode::kTranspose, ShapeUtil::MakeShape(type, sizes), {operand},
                                DimensionListAttributes{.dimensions = std::move(order)});
    }
    return rewriter.Create(HloOpcode::kBroadcast, dot->shape(), {operand},
                           DimensionListAttributes{.dimensions = std::move(places)});
  };
  HloInstruction* const lhs = spread(dot->operand(0), attributes.lhs_batch_dims);
  HloInstruction* const rhs = spread(dot->operand(1), attributes.rhs_batch_dims);
  HloInstruction* const product = rewriter.Create(HloOpcode::kMultiply, dot->shape(), {lhs, rhs});
  if (!primitive_util::IsFloatingPointType(type)) return product;
  HloInstruction* const zero = rewriter.Create(HloOpcode::kBroadcast, dot->shape(),
                                               {rewriter.Constant(LiteralUtil::Zero(type))});
  return rewriter.Create(HloOpcode::kAdd, dot->shape(), {product, zero});
}

HloComputation* SumOf(PrimitiveType type, HloModule* module) {
  HloComputation* const add = module->AddComputation("dot_sum");
  const Shape scalar = ShapeUtil::MakeShape(type, {});
  HloInstruction* const a = add->AddInstruction(HloInstruction::CreateParameter(0, scalar, "a"));
  HloInstruction* const b = add->AddInstruction(HloInstruction::CreateParameter(1, scalar, "b"));
  add->set_root_instruction(
      add->AddInstruction(HloInstruction::Create(HloOpcode::kAdd, scalar, {a, b})));
  return add;
}

// dot(x, y) of batches of vectors: reduce(x y), which needs no matrix product for each.
Result DotOfSingleSums(HloInstruction* dot, Rewriter& rewriter) {
  const DotAttributes& attributes = dot->attributes<DotAttributes>();
  const PrimitiveType type = dot->shape().element_type();
  const size_t batch = attributes.lhs_batch_dims.size(),
               summed = attributes.lhs_contracting_dims.size();
  if (batch == 0 || summed == 0 || dot->operand_count() != 2 || !dot->shape().is_static() ||
      attributes.algorithm != PrecisionConfig_Algorithm_ALG_UNSET ||
      (!primitive_util::IsFloatingPointType(type) && !primitive_util::IsIntegralType(type))) {
    return nullptr;
  }
  const bool is_narrow =
      primitive_util::IsFloatingPointType(type) && primitive_util::BitWidth(type) < 32;
  const PrimitiveType sum_type = is_narrow ? F32 : type;
  for (const HloInstruction* operand : dot->operands()) {
    if (!operand->shape().is_static() || !Holds(sum_type, operand->shape().element_type()) ||
        operand->shape().rank() != static_cast<int64_t>(batch + summed)) {
      return nullptr;
    }
  }
  const auto ordered = [&](HloInstruction* operand, Int64Vector order, const Int64Vector& last) {
    order.insert(order.end(), last.begin(), last.end());
    Int64Vector sizes;
    for (const int64_t d : order) sizes.push_back(operand->shape().dimensions(static_cast<int>(d)));
    if (!std::is_sorted(order.begin(), order.end())) {
      operand = rewriter.Create(HloOpcode::kTranspose,
                                ShapeUtil::MakeShape(operand->shape().element_type(), sizes),
                                {operand}, DimensionListAttributes{.dimensions = std::move(order)});
    }
    if (operand->shape().element_type() == sum_type) return operand;
    return rewriter.Create(HloOpcode::kConvert, ShapeUtil::MakeShape(sum_type, sizes), {operand});
  };
  HloInstruction* const lhs =
      ordered(dot->operand(0), attributes.lhs_batch_dims, attributes.lhs_contracting_dims);
  HloInstruction* const rhs =
      ordered(dot->operand(1), attributes.rhs_batch_dims, attributes.rhs_contracting_dims);
  HloInstruction* const products = rewriter.Create(HloOpcode::kMultiply, lhs->shape(), {lhs, rhs});
  Int64Vector reduced;
  for (size_t i = 0; i < summed; ++i) reduced.push_back(static_cast<int64_t>(batch + i));
  HloComputation* const add = SumOf(sum_type, dot->GetModule());
  HloInstruction* const sums =
      rewriter.Create(HloOpcode::kReduce, ShapeUtil::ChangeElementType(dot->shape(), sum_type),
                      {products, rewriter.Constant(LiteralUtil::Zero(sum_type))},
                      DimensionListAttributes{.dimensions = std::move(reduced)}, {&add, 1});
  return is_narrow ? rewriter.Create(HloOpcode::kConvert, dot->shape(), {sums}) : sums;
}

// --- Convolution

Result ConvolutionOfTranspose(HloInstruction* convolution, Rewriter& rewriter) {
  ConvolutionAttributes attributes = convolution->attributes<ConvolutionAttributes>();
  ConvDims& labels = attributes.dim_labels;
  HloInstruction *input = convolution->operand(0), *kernel = convolution->operand(1);
  if (!labels.input_unknown.empty() || !labels.kernel_unknown.empty()) return nullptr;
  bool changed = false;
  const auto fold = [&](HloInstruction*& operand, int64_t& first, int64_t& second,
                        Int64Vector& spatial) {
    if (operand->opcode() != HloOpcode::kTranspose || !operand->shape().is_static()) return;
    first = operand->dimensions()[first];
    second = operand->dimensions()[second];
    MapDimensions(*operand, &spatial);
    operand = operand->operand(0);
    changed = true;
  };
  fold(input, labels.input_batch, labels.input_feature, labels.input_spatial);
  fold(kernel, labels.kernel_input_feature, labels.kernel_output_feature, labels.kernel_spatial);
  if (!changed) return nullptr;
  return rewriter.Create(HloOpcode::kConvolution, convolution->shape(), {input, kernel},
                         std::move(attributes));
}

Result TransposeOfConvolution(HloInstruction* transpose, Rewriter& rewriter) {
  HloInstruction* convolution;
  if (!Match(transpose,
             m::Transpose(m::Convolution(Any(), Any()).As(&convolution).WithOneUser())) ||
      !transpose->shape().is_static()) {
    return nullptr;
  }
  ConvolutionAttributes attributes = convolution->attributes<ConvolutionAttributes>();
  ConvDims& labels = attributes.dim_labels;
  if (!labels.output_unknown.empty()) return nullptr;
  Int64Vector place(transpose->dimensions().size());
  for (size_t d = 0; d < place.size(); ++d)
    place[transpose->dimensions()[d]] = static_cast<int64_t>(d);
  labels.output_batch = place[labels.output_batch];
  labels.output_feature = place[labels.output_feature];
  for (int64_t& d : labels.output_spatial) d = place[d];
  return rewriter.Create(HloOpcode::kConvolution, transpose->shape(), convolution->operands(),
                         std::move(attributes));
}

// convolution(x, reverse(kernel)) over spatial dimensions
Result ConvolutionOfReverse(HloInstruction* convolution, Rewriter& rewriter) {
  HloInstruction* reverse = convolution->operand(1);
  if (reverse->opcode() != HloOpcode::kReverse || !reverse->shape().is_static()) return nullptr;
  ConvolutionAttributes attributes = convolution->attributes<ConvolutionAttributes>();
  const Int64Vector& spatial = attributes.dim_labels.kernel_spatial;
  for (const int64_t d : reverse->dimensions()) {
    const auto it = std::find(spatial.begin(), spatial.end(), d);
    if (it == spatial.end()) return nullptr;
    WindowDim& window = attributes.window[it - spatial.begin()];
    window.window_reversal = !window.window_reversal;
  }
  return rewriter.Create(HloOpcode::kConvolution, convolution->shape(),
                         {convolution->operand(0), reverse->operand(0)}, std::move(attributes));
}

// A convolution whose kernel has size 1 in dimensions in which the input is dilated or padded: the
// convolution of the input alone, whose result is padded with zeros.
Result ConvolutionOfSingleTaps(HloInstruction* convolution, Rewriter& rewriter) {
  ConvolutionAttributes attributes = convolution->attributes<ConvolutionAttributes>();
  const ConvDims& labels = attributes.dim_labels;
  const PrimitiveType type = convolution->shape().element_type();
  if (attributes.kind != ConvolutionKind::CONVOLUTION_KIND_UNSET ||
      !convolution->shape().is_static() || !convolution->operand(0)->shape().is_static() ||
      !convolution->operand(1)->shape().IsArray() || primitive_util::BitWidth(type) < 8 ||
      ShapeUtil::ElementsIn(convolution->shape()) == 0 ||
      ShapeUtil::ElementsIn(convolution->operand(0)->shape()) == 0) {
    return nullptr;
  }
  Shape inner = convolution->shape();
  std::vector<PadDim> padding(static_cast<size_t>(inner.rank()), PadDim{0, 0, 0});
  bool changed = false;
  for (size_t i = 0; i < attributes.window.size(); ++i) {
    WindowDim& window = attributes.window[i];
    if (window.size != 1 || window.stride != 1 ||
        (window.base_dilation == 1 && window.padding_low == 0 && window.padding_high == 0)) {
      continue;
    }
    const int64_t d = labels.output_spatial[i];
    padding[static_cast<size_t>(d)] = {window.padding_low, window.padding_high,
                                       window.base_dilation - 1};
    inner.set_dimensions(static_cast<int>(d), convolution->operand(0)->shape().dimensions(
                                                  static_cast<int>(labels.input_spatial[i])));
    window.base_dilation = 1;
    window.padding_low = window.padding_high = 0;
    changed = true;
  }
  if (!changed || ShapeUtil::ElementsIn(inner) > ShapeUtil::ElementsIn(convolution->shape()))
    return nullptr;
  HloInstruction* const values = rewriter.Create(HloOpcode::kConvolution, inner,
                                                 convolution->operands(), std::move(attributes));
  return rewriter.Create(HloOpcode::kPad, convolution->shape(),
                         {values, rewriter.Constant(LiteralUtil::Zero(type))},
                         PadAttributes{.padding = std::move(padding)});
}

// A convolution with a kernel of size 1 that uses each position of the input once is a product of
// matrices, unless the order of features differs from that of dot.
Result ConvolutionThatIsDot(HloInstruction* convolution, Rewriter& rewriter) {
  const ConvolutionAttributes& attributes = convolution->attributes<ConvolutionAttributes>();
  const ConvDims& labels = attributes.dim_labels;
  HloInstruction* const input = convolution->operand(0);
  HloInstruction* const kernel = convolution->operand(1);
  if (!IsOrdinaryConvolution(*convolution) || attributes.feature_group_count != 1) return nullptr;
  for (const WindowDim& window : attributes.window.dims) {
    if (window.size != 1 || window.stride != 1 || window.padding_low != 0 ||
        window.padding_high != 0 || window.base_dilation != 1) {
      return nullptr;
    }
  }
  // Batch and spatial dimensions are in the order of the input, followed by the features.
  Int64Vector places(static_cast<size_t>(input->shape().rank()));
  places[labels.input_batch] = labels.output_batch;
  places[labels.input_feature] = labels.output_feature;
  for (size_t i = 0; i < labels.input_spatial.size(); ++i)
    places[labels.input_spatial[i]] = labels.output_spatial[i];
  places.erase(places.begin() + labels.input_feature);
  places.push_back(labels.output_feature);
  if (!std::is_sorted(places.begin(), places.end())) return nullptr;

  const auto features = [&](int64_t d) { return kernel->shape().dimensions(static_cast<int>(d)); };
  const bool is_input_first = labels.kernel_input_feature < labels.kernel_output_feature;
  const int64_t first = is_input_first ? labels.kernel_input_feature : labels.kernel_output_feature;
  const int64_t second =
      is_input_first ? labels.kernel_output_feature : labels.kernel_input_feature;
  HloInstruction* const matrix = rewriter.Create(
      HloOpcode::kReshape,
      ShapeUtil::MakeShape(kernel->shape().element_type(), {features(first), features(second)}),
      {kernel});
  DotAttributes dot;
  dot.lhs_contracting_dims = {labels.input_feature};
  dot.rhs_contracting_dims = {is_input_first ? 0 : 1};
  dot.precision = attributes.precision;
  return rewriter.Create(HloOpcode::kDot, convolution->shape(), {input, matrix}, std::move(dot));
}

// A dimension of the result, or of the kernel, of a convolution: which one of its operands it goes
// through, -1 for features and the batch.
struct PlaceDim {
  int64_t size;
  bool is_batch;
  int64_t spatial;
};

// Calls visit(index) for all indices of dimensions of these sizes, in order.
void ForEachPlace(absl::Span<const PlaceDim> dims,
                  absl::FunctionRef<void(const Int64Vector&)> visit) {
  int64_t count = 1;
  for (const PlaceDim& dim : dims) count *= dim.size;
  Int64Vector index(dims.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t d = dims.size(); d-- > 0;) {
      index[d] = rest % dims[d].size;
      rest /= dims[d].size;
    }
    visit(index);
  }
}

// Where the element is that a tap of the window at a place of the result meets along a dimension of
// the input; -1 for padding and holes.
int64_t InputPlace(const WindowDim& window, int64_t place, int64_t tap, int64_t size) {
  const int64_t at = place * window.stride - window.padding_low + tap * window.window_dilation;
  if (at < 0 || at % window.base_dilation != 0) return -1;
  return at / window.base_dilation < size ? at / window.base_dilation : -1;
}

// A convolution with many output features for few places, as of many rows with one signal: the
// kernel, whose features are its rows, times the patches of the input that windows cover, which are
// few.
Result ConvolutionOfFewPlaces(HloInstruction* convolution, Rewriter& rewriter) {
  constexpr int64_t kMostPatchElements = 4096, kFewestFeatures = 64, kFeaturesOfPlace = 4;
  const ConvolutionAttributes& attributes = convolution->attributes<ConvolutionAttributes>();
  const ConvDims& labels = attributes.dim_labels;
  HloInstruction *const input = convolution->operand(0), *const kernel = convolution->operand(1);
  const Shape& shape = convolution->shape();
  if (!IsOrdinaryConvolution(*convolution) || attributes.feature_group_count != 1 ||
      primitive_util::BitWidth(input->shape().element_type()) < 8) {
    return nullptr;
  }
  const int64_t features = shape.dimensions(static_cast<int>(labels.output_feature));
  const int64_t elements = ShapeUtil::ElementsIn(shape);
  const int64_t weights = ShapeUtil::ElementsIn(kernel->shape());
  if (features < kFewestFeatures || elements == 0 || weights == 0 ||
      ShapeUtil::ElementsIn(input->shape()) == 0 ||
      ShapeUtil::ElementsIn(input->shape()) > kMostPatchElements) {
    return nullptr;
  }
  const int64_t places = elements / features, taps = weights / features;
  if (places > kMostPatchElements / taps || features < kFeaturesOfPlace * places) return nullptr;

  // The dimensions behind the features, which come first.
  const auto dims_of = [&](const Shape& array, int64_t feature, int64_t other,
                           const Int64Vector& spatial) {
    std::vector<PlaceDim> dims;
    bool is_behind = false;
    for (int64_t d = 0; d < array.rank(); ++d) {
      const int64_t size = array.dimensions(static_cast<int>(d));
      if (d == feature) {
        is_behind = true;
        continue;
      }
      if (!is_behind && size != 1) return std::vector<PlaceDim>();
      const auto found = std::find(spatial.begin(), spatial.end(), d);
      dims.push_back({size, d == other, found == spatial.end() ? -1 : found - spatial.begin()});
    }
    return dims;
  };
  const std::vector<PlaceDim> place_dims = dims_of(shape, labels.output_feature,
                                                   labels.output_batch, labels.output_spatial),
                              tap_dims =
                                  dims_of(kernel->shape(), labels.kernel_output_feature,
                                          labels.kernel_input_feature, labels.kernel_spatial);
  if (place_dims.empty() || tap_dims.empty()) return nullptr;

  // The element of the input, in row-major order, of each tap and place: the one behind all, a
  // zero, for padding and holes.
  const Shape& from = input->shape();
  const int64_t count = ShapeUtil::ElementsIn(from);
  Literal indices(ShapeUtil::MakeShape(S32, {taps, places}));
  size_t next = 0;
  ForEachPlace(tap_dims, [&](const Int64Vector& tap) {
    ForEachPlace(place_dims, [&](const Int64Vector& place) {
      Int64Vector at(static_cast<size_t>(from.rank()));
      Int64Vector tap_of(attributes.window.size()), place_of(attributes.window.size());
      for (size_t d = 0; d < tap_dims.size(); ++d) {
        if (tap_dims[d].is_batch)
          at[labels.input_feature] = tap[d];
        else
          tap_of[tap_dims[d].spatial] = tap[d];
      }
      for (size_t d = 0; d < place_dims.size(); ++d) {
        if (place_dims[d].is_batch)
          at[labels.input_batch] = place[d];
        else
          place_of[place_dims[d].spatial] = place[d];
      }
      bool exists = true;
      for (size_t i = 0; i < attributes.window.size(); ++i) {
        const WindowDim& window = attributes.window[i];
        const int64_t t = window.window_reversal ? window.size - 1 - tap_of[i] : tap_of[i];
        const int64_t d = labels.input_spatial[i];
        at[d] = InputPlace(window, place_of[i], t, from.dimensions(static_cast<int>(d)));
        exists &= at[d] >= 0;
      }
      int64_t linear = 0;
      for (int d = 0; d < from.rank(); ++d)
        linear = linear * from.dimensions(d) + at[static_cast<size_t>(d)];
      indices.data<int32_t>()[next++] = static_cast<int32_t>(exists ? linear : count);
    });
  });

  const PrimitiveType type = from.element_type();
  HloInstruction* const flat =
      rewriter.Create(HloOpcode::kReshape, ShapeUtil::MakeShape(type, {count}), {input});
  HloInstruction* const padded = rewriter.Create(
      HloOpcode::kPad, ShapeUtil::MakeShape(type, {count + 1}),
      {flat, rewriter.Constant(LiteralUtil::Zero(type))}, PadAttributes{.padding = {{0, 1, 0}}});
  GatherAttributes gather;
  gather.collapsed_slice_dims = {0};
  gather.start_index_map = {0};
  gather.index_vector_dim = 2;
  gather.slice_sizes = {1};
  HloInstruction* const patches =
      rewriter.Create(HloOpcode::kGather, ShapeUtil::MakeShape(type, {taps, places}),
                      {padded, rewriter.Constant(std::move(indices))}, std::move(gather));
  HloInstruction* const rows = rewriter.Create(
      HloOpcode::kReshape, ShapeUtil::MakeShape(kernel->shape().element_type(), {features, taps}),
      {kernel});
  DotAttributes dot;
  dot.lhs_contracting_dims = {1};
  dot.rhs_contracting_dims = {0};
  dot.precision = attributes.precision;
  std::reverse(dot.precision.values.begin(),
               dot.precision.values.end());  // the operands change places
  HloInstruction* const product = rewriter.Create(
      HloOpcode::kDot, ShapeUtil::MakeShape(shape.element_type(), {features, places}),
      {rows, patches}, std::move(dot));
  return rewriter.Create(HloOpcode::kReshape, shape, {product});
}

constexpr RewriteRule kContractionRules[] = {
    {"dot-of-outer-product", HloOpcode::kDot, &DotOfOuterProduct},
    {"dot-of-single-sums", HloOpcode::kDot, &DotOfSingleSums},
    {"dot-of-transpose", HloOpcode::kDot, &DotOfTranspose},
    {"dot-of-widened-matrix", HloOpcode::kDot, &DotOfWidenedMatrix},
    {"transpose-of-dot", HloOpcode::kTranspose, &TransposeOfDot},
    {"convolution-of-transpose", HloOpcode::kConvolution, &ConvolutionOfTranspose},
    {"transpose-of-convolution", HloOpcode::kTranspose, &TransposeOfConvolution},
    {"convolution-of-reverse", HloOpcode::kConvolution, &ConvolutionOfReverse},
    {"convolution-of-single-taps", HloOpcode::kConvolution, &ConvolutionOfSingleTaps},
    {"convolution-that-is-dot", HloOpcode::kConvolution, &ConvolutionThatIsDot},
    {"convolution-of-few-places", HloOpcode::kConvolution, &ConvolutionOfFewPlaces},
};

}  // namespace

bool IsOrdinaryConvolution(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kConvolution || instruction.operand_count() != 2 ||
      !instruction.shape().is_static()) {
    return false;
  }
  const auto& attributes = instruction.attributes<ConvolutionAttributes>();
  const ConvDims& labels = attributes.dim_labels;
  return attributes.kind == ConvolutionKind::CONVOLUTION_KIND_UNSET &&
         attributes.batch_group_count == 1 && labels.input_unknown.empty() &&
         labels.kernel_unknown.empty() && labels.output_unknown.empty() &&
         absl::c_all_of(instruction.operands(), [](const HloInstruction* operand) {
           return operand->shape().IsArray() && operand->shape().is_static();
         });
}

absl::StatusOr<bool> CanonicalizeContractions(HloModule* module) {
  return RewriteToFixedPoint(module, kContractionRules);
}

}  // namespace xla
