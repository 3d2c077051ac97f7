// SPDX-License-Identifier: Apache-2.0
// Elementwise operations as kernels over contiguous arrays of elements.
//
// Arithmetic is implemented for few wide types: float (also for narrower ones), double, 32 and
// 64-bit integers, complex of both, PRED. A kernel widens a block of its operands, computes, and
// narrows: one rounding per operation.
#ifndef XLA_INTERPRETER_ELEMENTWISE_H_
#define XLA_INTERPRETER_ELEMENTWISE_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"
#include "xla/xla_data_enums.h"

namespace xla::interpreter {

// The types that arithmetic is implemented for.
enum class WideType : uint8_t { kPred, kI32, kU32, kI64, kU64, kF32, kF64, kC64, kC128 };
WideType WideTypeOf(PrimitiveType type);
int WideBytes(WideType type);

// Parameters of operations besides their operands.
struct KernelParameters {
  int64_t i0 = 0, i1 = 0;  // bits of the element; exponent and mantissa bits of reduce-precision;
                           // the types of a conversion
  double d0 = 0, d1 = 0;   // bounds of a stochastic conversion
  int random_bits = 0;     // width of the random numbers of a stochastic conversion
};

class ElementwiseKernel {
 public:
  // in: arrays of wide elements; out: the same. Lengths n.
  using WideFunction = void (*)(const KernelParameters& parameters, int64_t n,
                                const void* const* in, void* out);
  // Converts between storage and wide elements.
  using ConvertFunction = void (*)(int64_t n, const void* from, void* to);

  // The kernel of an elementwise instruction; nullopt if there is none for its opcode and types.
  // Shapes do not matter.
  static std::optional<ElementwiseKernel> For(const HloInstruction& instruction);

  // out[i] = op(in[0][i], ...) for i in [0, n): arrays of storage elements, contiguous. `out` may
  // be one of the inputs if its elements have the same size. Safe from many threads.
  void Run(int64_t n, const void* const* in, void* out) const;

  int arity() const { return arity_; }
  int operand_bytes(int i) const { return operands_[i].storage_bytes; }
  int result_bytes() const { return result_.storage_bytes; }

 private:
  struct Port {
    ConvertFunction convert = nullptr;  // null: stored as it is computed
    int8_t storage_bytes = 0, wide_bytes = 0;
  };
  static Port Load(PrimitiveType type);
  static Port Store(PrimitiveType type);
  void ResolveConvert(PrimitiveType from, PrimitiveType to);
  bool ResolveStochasticConvert(PrimitiveType from, PrimitiveType random, PrimitiveType to);

  WideFunction function_ = nullptr;
  KernelParameters parameters_;
  int8_t arity_ = 0;
  Port operands_[3];
  Port result_;
  bool is_direct_ = false;  // no port converts
};

// Evaluates an instruction whose kernel is known. Scalar operands of clamp and select stand for
// every element.
absl::StatusOr<Value> EvalWithKernel(EvalContext& ctx, const HloInstruction& instruction,
                                     const ElementwiseKernel& kernel, absl::Span<Value> operands);

// --- Where kernels come from; null if there is none.
// elementwise_convert.cc
ElementwiseKernel::ConvertFunction LoadFunction(PrimitiveType type);  // storage -> WideTypeOf(type)
ElementwiseKernel::ConvertFunction StoreFunction(PrimitiveType type);  // the reverse, rounding
// Orders all values of a floating-point type, NaNs by sign and payload, as signed 64-bit keys.
ElementwiseKernel::ConvertFunction TotalOrderKeyFunction(PrimitiveType type);
// elementwise_unary.cc, elementwise_complex.cc: results of the same wide type, but for abs, real,
// imag, is-finite.
ElementwiseKernel::WideFunction UnaryFunction(HloOpcode opcode, WideType type);
ElementwiseKernel::WideFunction ComplexUnaryFunction(HloOpcode opcode, WideType type);
// elementwise_binary.cc
ElementwiseKernel::WideFunction BinaryFunction(HloOpcode opcode, WideType type);
ElementwiseKernel::WideFunction CompareFunction(Comparison::Direction direction, WideType type);
ElementwiseKernel::WideFunction ClampFunction(WideType type);
ElementwiseKernel::WideFunction SelectFunction(int element_bytes);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_ELEMENTWISE_H_
