// SPDX-License-Identifier: Apache-2.0
// Rules of types, attributes and regions that several operations have.
#include "xla/stablehlo/verify_rules.h"

#include <algorithm>
#include <set>

namespace xla::stablehlo {

using mlir::AttributeRef;
using mlir::Operation;
using mlir::TypeKind;
using mlir::TypeRef;

namespace {

// What a quantized type expresses; other types as they are.
TypeRef Expressed(TypeRef element) {
  return element->kind == TypeKind::kQuantized ? element->element : element;
}

bool QuantizedAgree(const mlir::Type& a, const mlir::Type& b) {
  return a.storage == b.storage && a.signedness == b.signedness && a.element == b.element &&
         a.quantized->storage_min == b.quantized->storage_min &&
         a.quantized->storage_max == b.quantized->storage_max &&
         a.quantized->dimensions == b.quantized->dimensions;
}

// A constant or list whose elements are all integers.
bool ReadIntegers(const mlir::Attribute& attribute, std::vector<int64_t>* values) {
  constexpr int64_t kMaxEntries = int64_t{1} << 20;
  if (const auto* list = attribute.As<mlir::ArrayAttribute>()) {
    for (const AttributeRef element : list->elements) {
      const auto* integer = element->As<mlir::IntegerAttribute>();
      if (integer == nullptr) return false;
      values->push_back(integer->value);
    }
    return true;
  }
  if (const auto* dense = attribute.As<mlir::DenseArrayAttribute>()) {
    if (dense->element->kind != TypeKind::kInteger) return false;
    for (int64_t i = 0; i < dense->count; ++i) {
      values->push_back(mlir::DenseInteger(*dense->element, dense->data, i));
    }
    return true;
  }
  const auto* dense = attribute.As<mlir::DenseAttribute>();
  if (dense == nullptr) return false;
  const mlir::Type& element = *dense->type->element;
  if (element.kind != TypeKind::kInteger && element.kind != TypeKind::kIndex) return false;
  const int64_t count = mlir::NumElements(*dense->type);
  if (count > kMaxEntries) return false;
  for (int64_t i = 0; i < count; ++i) {
    values->push_back(mlir::DenseInteger(element, dense->data, dense->is_splat ? 0 : i));
  }
  return true;
}

}  // namespace

bool SizesAgree(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!SizesAgree(a[i], b[i])) return false;
  }
  return true;
}

uint32_t ClassOf(TypeRef element) {
  switch (element->kind) {
    case TypeKind::kInteger:
      if (element->signedness == mlir::Signedness::kUnsigned) return kUnsignedIntegers;
      return element->width == 1 ? kBooleans : kSignedIntegers;
    case TypeKind::kFloat:
      return kReals;
    case TypeKind::kComplex:
      return kComplexes;
    case TypeKind::kQuantized:
      return element->quantized->dimensions.empty() ? kQuantizeds : kPerAxis;
    default:
      return kOtherElements;
  }
}

bool ElementsAgree(TypeRef a, TypeRef b) {
  if (a == b) return true;
  if (a->kind == TypeKind::kQuantized && b->kind == TypeKind::kQuantized) {
    return QuantizedAgree(*a, *b);
  }
  return Expressed(a) == Expressed(b);
}

bool ShapesAgree(TypeRef a, TypeRef b) {
  if (a->kind == TypeKind::kUnrankedTensor || b->kind == TypeKind::kUnrankedTensor) return true;
  return SizesAgree(a->sizes, b->sizes);
}

bool TypesAgree(TypeRef a, TypeRef b) {
  if (a == b) return true;
  if (a->kind == TypeKind::kTuple && b->kind == TypeKind::kTuple) {
    return std::equal(a->types.begin(), a->types.end(), b->types.begin(), b->types.end(),
                      [](TypeRef x, TypeRef y) { return TypesAgree(x, y); });
  }
  if (a->IsDialect("stablehlo", "future") && b->IsDialect("stablehlo", "future")) {
    return std::equal(a->types.begin(), a->types.end(), b->types.begin(), b->types.end(),
                      [](TypeRef x, TypeRef y) { return TypesAgree(x, y); });
  }
  return IsShaped(a) && IsShaped(b) && ElementsAgree(a->element, b->element) && ShapesAgree(a, b);
}

bool IsPromotable(TypeRef a, TypeRef b) {
  if (a == b) return true;
  if (a->kind != b->kind) return false;
  const auto float_width = [](TypeRef type) {
    return mlir::GetFloatFormat(type->float_kind).width;
  };
  switch (a->kind) {
    case TypeKind::kInteger:  // of any signedness
      return a->width <= b->width;
    case TypeKind::kFloat:  // wider or narrower
      return true;
    case TypeKind::kComplex:
      return float_width(a->element) <= float_width(b->element);
    case TypeKind::kQuantized:
      return a->element == b->element && a->signedness == b->signedness &&
             a->storage->width <= b->storage->width;
    default:
      return false;
  }
}

absl::Span<const int64_t> BoundsOf(TypeRef type) {
  const auto* extensions =
      type->encoding == nullptr ? nullptr : type->encoding->As<mlir::DialectAttribute>();
  if (extensions == nullptr || extensions->name != "type_extensions") return {};
  const AttributeRef bounds = mlir::FindAttribute(extensions->parameters, "bounds");
  const auto* array = bounds == nullptr ? nullptr : bounds->As<mlir::DenseArrayAttribute>();
  if (array == nullptr || !array->element->IsInteger(64)) return {};
  return absl::MakeConstSpan(reinterpret_cast<const int64_t*>(array->data.data()),
                             static_cast<size_t>(array->count));
}

std::string ListText(absl::Span<const int64_t> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "",
                    IsDynamicSize(values[i]) ? std::string("?") : absl::StrCat(values[i]));
  }
  return text + "]";
}

// --- Check ---

// In the innermost module around the operation, as MLIR resolves symbols.
const Operation* Check::FindSymbol(std::string_view name) const {
  const Operation* module = &operation_;
  while (module != nullptr && !module->Is("builtin.module")) {
    const mlir::Region* region = module->block == nullptr ? nullptr : module->block->region;
    module = region == nullptr ? nullptr : region->parent;
  }
  if (module == nullptr) module = source_.module;
  if (module->regions.empty() || module->regions[0].empty()) return nullptr;
  for (const Operation& operation : *module->regions[0].first) {
    const AttributeRef symbol = operation.Find("sym_name");
    const auto* text = symbol == nullptr ? nullptr : symbol->As<mlir::StringAttribute>();
    if (text != nullptr && text->value == name) return &operation;
  }
  return nullptr;
}

bool Check::ResultIs(size_t i, absl::Span<const int64_t> sizes, TypeRef element) {
  const TypeRef type = result(i);
  if (element == nullptr) {  // that of a result that is no tensor
    return Fail("result #", i, " must be a tensor, but is ", mlir::ToString(type));
  }
  if (IsShaped(type) && ElementsAgree(type->element, element) &&
      (!IsTensor(type) || SizesAgree(type->sizes, sizes))) {
    return true;
  }
  return Fail("result #", i, " must have the shape ", ListText(sizes), " and the element type ",
              mlir::ToString(element), ", but is ", mlir::ToString(type));
}

bool Check::ResultIs(size_t i, TypeRef type) {
  if (TypesAgree(type, result(i))) return true;
  return Fail("result #", i, " must be compatible with ", mlir::ToString(type), ", but is ",
              mlir::ToString(result(i)));
}

int64_t Check::Integer(std::string_view name, int64_t otherwise) const {
  const AttributeRef value = operation_.Find(name);
  const auto* integer = value == nullptr ? nullptr : value->As<mlir::IntegerAttribute>();
  return integer == nullptr ? otherwise : integer->value;
}

bool Check::Flag(std::string_view name) const {
  const AttributeRef value = operation_.Find(name);
  if (value == nullptr) return false;
  const auto* integer = value->As<mlir::IntegerAttribute>();
  return value->kind == mlir::AttributeKind::kUnit || (integer != nullptr && integer->value != 0);
}

std::string_view Check::Keyword(std::string_view name) const {
  const AttributeRef value = operation_.Find(name);
  const auto* keyword = value == nullptr ? nullptr : value->As<mlir::DialectAttribute>();
  return keyword == nullptr ? std::string_view() : keyword->text;
}

std::optional<std::vector<int64_t>> Check::List(const mlir::Attribute& attribute) const {
  std::vector<int64_t> values;
  if (!ReadIntegers(attribute, &values)) return std::nullopt;
  return values;
}

std::optional<std::vector<int64_t>> Check::List(std::string_view name) const {
  const AttributeRef value = operation_.Find(name);
  return value == nullptr ? std::nullopt : List(*value);
}

std::vector<int64_t> Check::Parameter(std::string_view name, std::string_view parameter) const {
  const AttributeRef value = operation_.Find(name);
  const auto* attribute = value == nullptr ? nullptr : value->As<mlir::DialectAttribute>();
  if (attribute == nullptr) return {};
  const AttributeRef list = mlir::FindAttribute(attribute->parameters, parameter);
  return list == nullptr ? std::vector<int64_t>() : List(*list).value_or(std::vector<int64_t>());
}

int64_t Check::IntegerParameter(std::string_view name, std::string_view parameter,
                                int64_t otherwise) const {
  const AttributeRef value = operation_.Find(name);
  const auto* attribute = value == nullptr ? nullptr : value->As<mlir::DialectAttribute>();
  if (attribute == nullptr) return otherwise;
  const AttributeRef found = mlir::FindAttribute(attribute->parameters, parameter);
  const auto* integer = found == nullptr ? nullptr : found->As<mlir::IntegerAttribute>();
  return integer == nullptr ? otherwise : integer->value;
}

std::optional<std::vector<int64_t>> Check::ConstantOperand(size_t i) const {
  const Operation* definition = operation_.operands[i]->operation;
  const bool is_constant = definition != nullptr && (definition->Is("stablehlo.constant") ||
                                                     definition->Is("arith.constant"));
  if (!is_constant) return std::nullopt;
  const AttributeRef value = definition->Find("value");
  return value == nullptr ? std::nullopt : List(*value);
}

bool Check::InRange(std::string_view what, int64_t value, int64_t end) {
  return Require(value >= 0 && value < end, View(what), " (", value, ") must be in the range [0, ",
                 end, ")");
}

bool Check::AllInRange(std::string_view what, absl::Span<const int64_t> values, int64_t end) {
  for (const int64_t value : values) {
    if (!InRange(what, value, end)) return false;
  }
  return true;
}

bool Check::Distinct(std::string_view what, absl::Span<const int64_t> values) {
  std::set<int64_t> seen;
  for (const int64_t value : values) {
    if (!seen.insert(value).second) {
      return Fail(View(what), " must not repeat, but has ", value, " twice: ", ListText(values));
    }
  }
  return true;
}

bool Check::DistinctIn(std::string_view a, absl::Span<const int64_t> values, std::string_view b,
                       absl::Span<const int64_t> others) {
  std::vector<int64_t> all(values.begin(), values.end());
  all.insert(all.end(), others.begin(), others.end());
  return Distinct(a, values) && Distinct(b, others) &&
         Distinct(absl::StrCat(View(a), " and ", View(b)), all);
}

bool Check::Sorted(std::string_view what, absl::Span<const int64_t> values) {
  return Require(std::is_sorted(values.begin(), values.end()), View(what),
                 " must be sorted, but is ", ListText(values));
}

bool Check::IsPermutation(std::string_view what, absl::Span<const int64_t> values, int64_t rank) {
  std::vector<int64_t> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) {
      return Fail(View(what), " must be a permutation of [0, ", rank, "), but is ",
                  ListText(values));
    }
  }
  return Require(static_cast<int64_t>(values.size()) == rank, View(what), " has ", values.size(),
                 " entries, but the rank is ", rank);
}

bool Check::AllTensors() {
  for (size_t i = 0; i < num_operands(); ++i) {
    if (!IsTensor(operand(i))) {
      return Fail("operand #", i, " must be a ranked tensor, but is ", mlir::ToString(operand(i)));
    }
  }
  for (size_t i = 0; i < num_results(); ++i) {
    if (!IsTensor(result(i))) {
      return Fail("result #", i, " must be a ranked tensor, but is ", mlir::ToString(result(i)));
    }
  }
  return true;
}

const Operation* Check::Terminator(size_t region) {
  if (region >= operation_.regions.size() || !operation_.regions[region].HasOneBlock()) {
    Fail("region #", region, " must have one block");
    return nullptr;
  }
  const Operation* last = operation_.regions[region].first->last;
  if (last == nullptr || !last->Is("stablehlo.return")) {
    Fail("region #", region, " must end with stablehlo.return");
    return nullptr;
  }
  return last;
}

bool Check::Reduction(size_t region, absl::Span<const TypeRef> inputs,
                      absl::Span<const TypeRef> inits, bool inits_are_results) {
  const Operation* last = Terminator(region);
  if (last == nullptr) return false;
  const absl::Span<mlir::Value> arguments = operation_.regions[region].first->arguments;
  const size_t count = inputs.size();
  if (arguments.size() != 2 * count) {
    return Fail("the reduction must take ", 2 * count, " parameters, but takes ", arguments.size());
  }
  if (last->operands.empty()) return Fail("the reduction must return a value");
  if (last->operands.size() != count) {
    return Fail("the reduction must return ", count, " tensors, but returns ",
                last->operands.size());
  }
  for (size_t i = 0; i < count; ++i) {
    const TypeRef type = last->operands[i]->type;
    if (!IsShaped(type)) {
      return Fail("the reduction must return tensors, but returns ", mlir::ToString(type));
    }
    for (const size_t k : {i, count + i}) {
      const TypeRef argument = arguments[k].type;
      if (k == i && !IsShaped(argument)) {
        return Fail("parameter #", k, " of the reduction must be a tensor, but is ",
                    mlir::ToString(argument));
      }
      const bool agrees =
          k == i ? TypesAgree(argument, type)
                 : IsShaped(argument) && ElementsAgree(argument->element, type->element);
      if (!agrees) {
        return Fail("parameter #", k, " of the reduction is ", mlir::ToString(argument),
                    ", but the result is ", mlir::ToString(type));
      }
    }
    if (!IsPromotable(inits[i]->element, type->element)) {
      return Fail("result #", i, " of the reduction, ", mlir::ToString(type),
                  ", must be promotable from the initial value, ", mlir::ToString(inits[i]));
    }
    if (inits_are_results && IsTensor(type) && IsTensor(inits[i]) &&
        !SizesAgree(type->sizes, inits[i]->sizes)) {
      return Fail("result #", i, " of the reduction, ", mlir::ToString(type),
                  ", must have the shape of the initial value, ", mlir::ToString(inits[i]));
    }
    const TypeRef second = arguments[count + i].type;
    if (!IsPromotable(inputs[i]->element, second->element)) {
      return Fail("parameter #", count + i, " of the reduction must be promotable from ",
                  mlir::ToString(inputs[i]->element), ", but is ", mlir::ToString(second));
    }
    if (inits_are_results && IsTensor(second) && IsTensor(inits[i]) &&
        Rank(second) > Rank(inits[i])) {
      return Fail("parameter #", count + i, " of the reduction must be a scalar, but is ",
                  mlir::ToString(second));
    }
    if (inits_are_results && IsTensor(type) && Rank(type) > 0 && inputs.size() == 1 &&
        Rank(type) == Rank(inputs[i])) {
      return Fail("the parameters of the reduction must be of lower rank than the input, but are ",
                  mlir::ToString(type));
    }
    if (IsTensor(second) && IsTensor(inputs[i])) {
      // The sizes of the parameter are those of dimensions of the input, in order.
      size_t next = 0;
      for (const int64_t size : second->sizes) {
        while (next < inputs[i]->sizes.size() && !SizesAgree(inputs[i]->sizes[next], size)) ++next;
        if (next++ >= inputs[i]->sizes.size()) {
          return Fail("the shape of parameter #", count + i, " of the reduction, ",
                      mlir::ToString(second), ", does not fit the input ",
                      mlir::ToString(inputs[i]));
        }
      }
    }
  }
  return true;
}

bool Check::ReadWindow(Window* window, std::string_view base_dilations,
                       std::string_view window_dilations) {
  const size_t rank = window->sizes.size();
  const auto read = [&](std::string_view name, std::vector<int64_t>* values) {
    *values = List(name).value_or(std::vector<int64_t>());
    if (values->empty()) values->assign(rank, 1);  // absent
    // StableHLO does not check the strides of dynamic_conv, and JAX writes some too many.
    const bool is_dynamic = Is("stablehlo.dynamic_conv") || Is("mhlo.dynamic_conv");
    if (is_dynamic && name == "window_strides" && values->size() > rank) {
      values->resize(rank);
    }
    if (values->size() != rank) {
      return Fail("'", View(name), "' must have as many entries as the window has dimensions (",
                  rank, "), but has ", values->size());
    }
    for (size_t i = 0; i < rank; ++i) {
      if ((*values)[i] <= 0) {
        return Fail("'", View(name), "' must be positive, but is ", (*values)[i], " for dimension ",
                    i);
      }
    }
    return true;
  };
  for (size_t i = 0; i < rank; ++i) {
    if (!IsDynamicSize(window->sizes[i]) && window->sizes[i] <= 0) {
      return Fail("the size of the window must be positive, but is ", window->sizes[i],
                  " for dimension ", i);
    }
  }
  if (!read("window_strides", &window->strides) ||
      (!base_dilations.empty() && !read(base_dilations, &window->base_dilations)) ||
      (!window_dilations.empty() && !read(window_dilations, &window->window_dilations))) {
    return false;
  }
  if (base_dilations.empty()) window->base_dilations.assign(rank, 1);
  if (window_dilations.empty()) window->window_dilations.assign(rank, 1);
  window->padding.assign(2 * rank, 0);
  const AttributeRef padding = operation_.Find("padding");
  if (padding == nullptr) return true;
  const auto* dense = padding->As<mlir::DenseAttribute>();
  if (dense == nullptr ||
      (!dense->data.empty() && (dense->type->sizes.size() != 2 || dense->type->sizes[1] != 2))) {
    return Fail("'padding' must be of the shape [N, 2], but is ",
                dense == nullptr ? mlir::ToString(padding) : mlir::ToString(dense->type));
  }
  window->padding = List(*padding).value_or(std::vector<int64_t>());
  if (window->padding.empty()) window->padding.assign(2 * rank, 0);
  return Require(window->padding.size() == 2 * rank,
                 "'padding' must have as many rows as the window has dimensions (", rank,
                 "), but has ", window->padding.size() / 2);
}

int64_t Check::WindowedSize(const Window& window, size_t i, int64_t size) {
  if (IsDynamicSize(size) || IsDynamicSize(window.sizes[i])) return mlir::kDynamic;
  const shape_inference::WindowExtents extents =
      shape_inference::ExtentsOf(size, WindowDim{.size = window.sizes[i],
                                                 .stride = window.strides[i],
                                                 .padding_low = window.padding[2 * i],
                                                 .padding_high = window.padding[2 * i + 1],
                                                 .window_dilation = window.window_dilations[i],
                                                 .base_dilation = window.base_dilations[i]});
  if (extents.padded < 0) return 0;
  // What overflows has no size that a result could have.
  if (!shape_inference::ToSize(extents.padded).has_value() ||
      !shape_inference::ToSize(extents.window).has_value()) {
    return mlir::kDynamic;
  }
  return static_cast<int64_t>(extents.places);
}

}  // namespace xla::stablehlo
