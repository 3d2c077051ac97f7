// SPDX-License-Identifier: Apache-2.0
// Elementwise operations: chooses the kernel of an instruction and runs it on whole arrays.
#include "xla/interpreter/elementwise.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/comparison_util.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/kernel_context.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/kernels/movement/bitcast.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::interpreter {
namespace {

// Elements that are converted and computed at a time: a few blocks fit in the first-level cache.
constexpr int64_t kBlock = 512;
constexpr int64_t kMaxWideBytes = 16;
// Elements of a parallel chunk.
constexpr int64_t kChunk = 1 << 14;

}  // namespace

WideType WideTypeOf(PrimitiveType type) {
  switch (type) {
    case PRED:
      return WideType::kPred;
    case S64:
      return WideType::kI64;
    case U64:
      return WideType::kU64;
    case F64:
      return WideType::kF64;
    case C64:
      return WideType::kC64;
    case C128:
      return WideType::kC128;
    default:
      break;
  }
  if (primitive_util::IsFloatingPointType(type)) return WideType::kF32;
  return primitive_util::IsSignedIntegralType(type) ? WideType::kI32 : WideType::kU32;
}

int WideBytes(WideType type) {
  switch (type) {
    case WideType::kPred:
      return 1;
    case WideType::kI32:
    case WideType::kU32:
    case WideType::kF32:
      return 4;
    case WideType::kI64:
    case WideType::kU64:
    case WideType::kF64:
    case WideType::kC64:
      return 8;
    case WideType::kC128:
      return 16;
  }
  return 0;
}

ElementwiseKernel::Port ElementwiseKernel::Load(PrimitiveType type) {
  return {LoadFunction(type), static_cast<int8_t>(primitive_util::ByteWidth(type)),
          static_cast<int8_t>(WideBytes(WideTypeOf(type)))};
}

ElementwiseKernel::Port ElementwiseKernel::Store(PrimitiveType type) {
  return {StoreFunction(type), static_cast<int8_t>(primitive_util::ByteWidth(type)),
          static_cast<int8_t>(WideBytes(WideTypeOf(type)))};
}

std::optional<ElementwiseKernel> ElementwiseKernel::For(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  const int64_t arity = instruction.operand_count();
  if (!instruction.info().Has(op_traits::kElementwiseTrait) || arity < 1 || arity > 3)
    return std::nullopt;
  for (const HloInstruction* operand : instruction.operands()) {
    if (!operand->shape().IsArray()) return std::nullopt;
  }
  if (!instruction.shape().IsArray()) return std::nullopt;
  const PrimitiveType type = instruction.operand(0)->shape().element_type();
  const PrimitiveType result_type = instruction.shape().element_type();

  ElementwiseKernel kernel;
  kernel.arity_ = static_cast<int8_t>(arity);
  const WideType wide = WideTypeOf(type);
  for (int64_t i = 0; i < arity; ++i)
    kernel.operands_[i] = Load(instruction.operand(i)->shape().element_type());
  kernel.result_ = Store(result_type);
  kernel.parameters_.i0 = primitive_util::BitWidth(type);

  switch (opcode) {
    case HloOpcode::kConvert:
      kernel.ResolveConvert(type, result_type);
      break;
    case HloOpcode::kStochasticConvert:
      if (!kernel.ResolveStochasticConvert(type, instruction.operand(1)->shape().element_type(),
                                           result_type)) {
        return std::nullopt;
      }
      break;
    case HloOpcode::kReducePrecision: {
      const auto& attributes = instruction.attributes<ReducePrecisionAttributes>();
      kernel.parameters_.i0 = attributes.exponent_bits;
      kernel.parameters_.i1 = attributes.mantissa_bits;
      const int exponent = primitive_util::ExponentWidth(type);
      const int mantissa = primitive_util::SignificandWidth(type) - 1;
      PrimitiveType format = type;
      if (type != F64 && !primitive_util::HasInfinity(type)) {
        // Through f32: overflow becomes what the type has instead of infinities. With as many bits
        // as the type has, nothing changes.
        format = F32;
        if (kernel.parameters_.i0 >= exponent) kernel.parameters_.i0 = 8;
        if (kernel.parameters_.i1 >= mantissa) kernel.parameters_.i1 = 23;
      }
      // Works on the bits of the format.
      const PrimitiveType bits =
          primitive_util::UnsignedIntegralTypeForBitWidth(primitive_util::BitWidth(format));
      if (format == type) {
        kernel.operands_[0] = Load(bits);
        kernel.result_ = Store(bits);
      }
      kernel.parameters_.d0 = primitive_util::ExponentWidth(format);
      kernel.parameters_.d1 = primitive_util::SignificandWidth(format) - 1;
      kernel.function_ = UnaryFunction(opcode, WideTypeOf(bits));
      break;
    }
    case HloOpcode::kCompare: {
      const auto& attributes = instruction.attributes<CompareAttributes>();
      const ComparisonType order =
          attributes.type.value_or(Comparison::DefaultComparisonType(type));
      WideType compared = wide;
      if (order == ComparisonType::kFloatTotalOrder && primitive_util::IsFloatingPointType(type)) {
        compared = WideType::kI64;
        for (Port& port : kernel.operands_) {
          port = {TotalOrderKeyFunction(type), static_cast<int8_t>(primitive_util::ByteWidth(type)),
                  8};
        }
      }
      kernel.function_ = CompareFunction(attributes.direction, compared);
      break;
    }
    case HloOpcode::kSelect:
      if (type != PRED) return std::nullopt;
      for (int i = 1; i < 3; ++i) kernel.operands_[i].convert = nullptr;
      kernel.result_.convert = nullptr;
      kernel.function_ = SelectFunction(kernel.result_.storage_bytes);
      break;
    case HloOpcode::kClamp:
      kernel.function_ = ClampFunction(wide);
      break;
    default:
      kernel.function_ = arity == 1   ? UnaryFunction(opcode, wide)
                         : arity == 2 ? BinaryFunction(opcode, wide)
                                      : nullptr;
      break;
  }
  if (kernel.function_ == nullptr) return std::nullopt;
  kernel.is_direct_ = kernel.result_.convert == nullptr;
  for (int64_t i = 0; i < arity; ++i) kernel.is_direct_ &= kernel.operands_[i].convert == nullptr;
  return kernel;
}

void ElementwiseKernel::Run(int64_t n, const void* const* in, void* out) const {
  if (is_direct_) {
    function_(parameters_, n, in, out);
    return;
  }
  alignas(64) char wide_in[3][kBlock * kMaxWideBytes];
  alignas(64) char wide_out[kBlock * kMaxWideBytes];
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t count = std::min(kBlock, n - begin);
    const void* operands[3];
    for (int i = 0; i < arity_; ++i) {
      const char* from = static_cast<const char*>(in[i]) + begin * operands_[i].storage_bytes;
      if (operands_[i].convert == nullptr) {
        operands[i] = from;
      } else {
        operands_[i].convert(count, from, wide_in[i]);
        operands[i] = wide_in[i];
      }
    }
    char* to = static_cast<char*>(out) + begin * result_.storage_bytes;
    if (result_.convert == nullptr) {
      function_(parameters_, count, operands, to);
    } else {
      function_(parameters_, count, operands, wide_out);
      result_.convert(count, wide_out, to);
    }
  }
}

absl::StatusOr<Value> EvalWithKernel(EvalContext& ctx, const HloInstruction& instruction,
                                     const ElementwiseKernel& kernel, absl::Span<Value> operands) {
  const Shape& shape = instruction.shape();
  const void* in[3] = {nullptr, nullptr, nullptr};
  const int arity = kernel.arity();
  const bool is_dynamic = AnyHasDynamicSizes(operands);
  DimensionVector sizes;
  if (is_dynamic) {
    XLA_ASSIGN_OR_RETURN(sizes, JoinExistingSizes(ctx, operands));
  }
  for (int i = 0; i < arity; ++i) in[i] = operands[static_cast<size_t>(i)].untyped_data();

  if (shape.rank() == 0) {
    XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(shape));
    kernel.Run(1, in, result.mutable_untyped_data());
    return result;
  }

  // A scalar among arrays (clamp's bounds, select's predicate) applies to every element.
  bool is_splat[3] = {false, false, false};
  bool has_splat = false;
  int reused = -1;
  for (int i = 0; i < arity; ++i) {
    const Value& operand = operands[static_cast<size_t>(i)];
    is_splat[i] = operand.rank() == 0;
    has_splat |= is_splat[i];
    if (is_splat[i]) continue;
    if (reused < 0 && kernel.operand_bytes(i) == kernel.result_bytes() && operand.IsUnique())
      reused = i;
  }
  Value result;
  if (reused >= 0 && !is_dynamic) {
    XLA_ASSIGN_OR_RETURN(result, ctx.ReuseOrAllocate(shape, operands[static_cast<size_t>(reused)]));
  } else {
    XLA_ASSIGN_OR_RETURN(result, ctx.Allocate(shape));
  }
  const int64_t count = result.element_count();
  char* out = result.mutable_data<char>();
  XLA_RETURN_IF_ERROR(ctx.ParallelFor(count, kChunk, [&](int64_t begin, int64_t end) {
    const void* part[3] = {nullptr, nullptr, nullptr};
    if (!has_splat) {
      for (int i = 0; i < arity; ++i)
        part[i] = static_cast<const char*>(in[i]) + begin * kernel.operand_bytes(i);
      kernel.Run(end - begin, part, out + begin * kernel.result_bytes());
      return;
    }
    alignas(64) char splats[3][kBlock * kMaxWideBytes];
    for (int i = 0; i < arity; ++i) {
      if (is_splat[i]) {
        StridedCopySerial(kernel.operand_bytes(i), {std::min(kBlock, end - begin)}, in[i], {0},
                          splats[i], {1});
      }
    }
    for (int64_t at = begin; at < end; at += kBlock) {
      for (int i = 0; i < arity; ++i) {
        part[i] = is_splat[i] ? splats[i]
                              : static_cast<const char*>(in[i]) + at * kernel.operand_bytes(i);
      }
      kernel.Run(std::min(kBlock, end - at), part, out + at * kernel.result_bytes());
    }
  }));
  if (is_dynamic) SetExistingSizes(sizes, result);
  return result;
}

absl::StatusOr<Value> EvalElementwise(EvalContext& ctx, const HloInstruction& inst,
                                      absl::Span<Value> operands) {
  const std::optional<ElementwiseKernel> kernel = ElementwiseKernel::For(inst);
  if (!kernel.has_value()) {
    return absl::UnimplementedError(absl::StrCat(
        "there is no ", std::string(HloOpcodeString(inst.opcode())), " of ",
        primitive_util::LowercasePrimitiveTypeName(inst.operand(0)->shape().element_type()),
        " elements that gives ", inst.shape().ToString(),
        inst.opcode() == HloOpcode::kClamp &&
                primitive_util::IsComplexType(inst.shape().element_type())
            ? ": the order of complex numbers is not defined"
            : ""));
  }
  return EvalWithKernel(ctx, inst, *kernel, operands);
}

absl::StatusOr<Value> EvalSelect(EvalContext& ctx, const HloInstruction& inst,
                                 absl::Span<Value> operands) {
  if (operands[0].rank() == 0) {
    const absl::Span<Value> branches = operands.subspan(1);
    const bool is_dynamic = AnyHasDynamicSizes(branches);
    DimensionVector sizes;
    if (is_dynamic) {
      XLA_ASSIGN_OR_RETURN(sizes, JoinExistingSizes(ctx, branches));
    }
    Value result = std::move(branches[operands[0].scalar<bool>() ? 0 : 1]).WithShape(inst.shape());
    if (is_dynamic) SetExistingSizes(sizes, result);
    return result;
  }
  return EvalElementwise(ctx, inst, operands);
}

absl::StatusOr<Value> EvalCopy(EvalContext&, const HloInstruction& inst,
                               absl::Span<Value> operands) {
  return std::move(operands[0]).WithShape(inst.shape());
}

namespace {

// The sizes of a bitcast-convert, which adds or drops a minor dimension if widths differ.
DimensionVector BitcastSizes(DimensionVector sizes, const Shape& shape) {
  const auto rank = static_cast<size_t>(shape.rank());
  for (size_t i = sizes.size(); i < rank; ++i)
    sizes.push_back(shape.dimensions(static_cast<int>(i)));
  sizes.resize(rank);
  return sizes;
}

}  // namespace

absl::StatusOr<Value> EvalBitcastConvert(EvalContext& ctx, const HloInstruction& inst,
                                         absl::Span<Value> operands) {
  const PrimitiveType from = operands[0].element_type(), to = inst.shape().element_type();
  if (kernels::IsPlainBitcastConvert(from, to)) {
    Value result = std::move(operands[0]);
    const DimensionVector sizes = result.existing_dimensions();
    const bool is_dynamic = result.has_dynamic_sizes();
    result.ClearDynamicSizes();
    result = std::move(result).WithShape(inst.shape());
    if (is_dynamic) SetExistingSizes(BitcastSizes(sizes, inst.shape()), result);
    return result;
  }
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  KernelContext kernel_context(ctx);
  XLA_RETURN_IF_ERROR(kernels::BitcastConvertArray(
      kernel_context, from, to, operands[0].element_count(), result.element_count(),
      operands[0].untyped_data(), result.mutable_untyped_data()));
  if (operands[0].has_dynamic_sizes()) {
    SetExistingSizes(BitcastSizes(operands[0].existing_dimensions(), inst.shape()), result);
  }
  return result;
}

}  // namespace xla::interpreter
