// SPDX-License-Identifier: Apache-2.0
// A thin layer over LLVM's IR builder for scalars and vectors, loops and intrinsics.
#ifndef XLA_CPU_CODEGEN_IR_H_
#define XLA_CPU_CODEGEN_IR_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "xla/cpu/codegen/llvm_api.h"
#include "xla/cpu/codegen/target.h"

namespace xla::cpu {

class NestedPrograms;  // nested_computation.h

using IrValue = LLVMValueRef;
using IrType = LLVMTypeRef;

// Returns how many iterations of a loop, of `steps` steps of some nanoseconds each, pass between
// polls; 0 if the whole loop is short. See Ir::PolledLoop.
int64_t PollInterval(int64_t iterations, double steps);

// Builds the functions of one LLVM module. Operations on values take scalars, or vectors of equal
// length. Not thread-safe; separate modules have separate contexts.
class Ir {
 public:
  Ir(const LlvmApi& llvm, const Target& target, const char* module_name);
  ~Ir();
  Ir(const Ir&) = delete;
  Ir& operator=(const Ir&) = delete;

  const LlvmApi& llvm() const { return llvm_; }
  const Target& target() const { return target_; }
  // The computations that code applies to elements by calling programs; null if there are none.
  const NestedPrograms* programs() const { return programs_; }
  void set_programs(const NestedPrograms* programs) { programs_ = programs; }
  LLVMContextRef context() const { return context_; }
  LLVMModuleRef module() const { return module_; }

  // --- Types
  IrType Int(int bits) const { return llvm_.LLVMIntTypeInContext(context_, bits); }
  IrType I1() const { return Int(1); }
  IrType I8() const { return Int(8); }
  IrType I32() const { return Int(32); }
  IrType I64() const { return Int(64); }
  IrType F16() const { return llvm_.LLVMHalfTypeInContext(context_); }
  IrType F32() const { return llvm_.LLVMFloatTypeInContext(context_); }
  IrType F64() const { return llvm_.LLVMDoubleTypeInContext(context_); }
  IrType Pointer() const { return llvm_.LLVMPointerTypeInContext(context_, 0); }
  IrType Void() const { return llvm_.LLVMVoidTypeInContext(context_); }
  IrType Vector(IrType element, int lanes) const {
    return lanes == 1 ? element : llvm_.LLVMVectorType(element, static_cast<unsigned>(lanes));
  }
  IrType TypeOf(IrValue value) const { return llvm_.LLVMTypeOf(value); }
  IrType ElementOf(IrType type) const;  // of a vector; a scalar type is its own
  int Lanes(IrType type) const;
  int Lanes(IrValue value) const { return Lanes(TypeOf(value)); }
  int Bits(IrType type) const;  // of the element
  bool IsFloat(IrType type) const;
  // Returns a type with the same number of lanes and another element.
  IrType WithElement(IrType type, IrType element) const { return Vector(element, Lanes(type)); }
  // Returns the type of integers as wide as the elements.
  IrType IntsLike(IrType type) const { return WithElement(type, Int(Bits(type))); }

  // --- Constants. Those of a vector type have the value in all lanes.
  IrValue Const(IrType type, int64_t value) const;
  IrValue Const(IrType type, double value) const;
  IrValue ConstBits(IrType float_type, uint64_t bits);
  IrValue Index(int64_t value) const { return Const(I64(), value); }
  // Returns the vector of 0, 1, 2, .. times `step`, of an integer type.
  IrValue Steps(IrType vector_type, int64_t step) const;
  // A vector of integers with these values.
  IrValue ConstLanes(IrType vector_type, absl::Span<const int64_t> values) const;
  IrValue Undef(IrType type) const { return llvm_.LLVMGetUndef(type); }
  IrValue Zero(IrType type) const { return llvm_.LLVMConstNull(type); }
  bool IsConstant(IrValue value) const { return llvm_.LLVMIsConstant(value) != 0; }
  // Whether the value is an integer constant; sets `constant` to it.
  bool IsConst(IrValue value, int64_t* constant) const;
  // Whether the value is a floating-point constant, equal in all lanes; sets `constant` to it.
  bool IsConst(IrValue value, double* constant) const;

  // --- Arithmetic
#define XLA_CPU_BINARY(Name) \
  IrValue Name(IrValue a, IrValue b) const { return llvm_.LLVMBuild##Name(builder_, a, b, ""); }
  XLA_CPU_BINARY(Add)
  XLA_CPU_BINARY(Sub)
  XLA_CPU_BINARY(Mul)
  XLA_CPU_BINARY(UDiv)
  XLA_CPU_BINARY(SDiv)
  XLA_CPU_BINARY(URem)
  XLA_CPU_BINARY(SRem)
  XLA_CPU_BINARY(Shl)
  XLA_CPU_BINARY(LShr)
  XLA_CPU_BINARY(AShr)
  XLA_CPU_BINARY(And)
  XLA_CPU_BINARY(Or)
  XLA_CPU_BINARY(Xor)
  XLA_CPU_BINARY(FAdd)
  XLA_CPU_BINARY(FSub)
  XLA_CPU_BINARY(FMul)
  XLA_CPU_BINARY(FDiv)
  XLA_CPU_BINARY(FRem)
#undef XLA_CPU_BINARY
#define XLA_CPU_CAST(Name)                               \
  IrValue Name(IrValue a, IrType type) const {           \
    return llvm_.LLVMBuild##Name(builder_, a, type, ""); \
  }
  XLA_CPU_CAST(Trunc)
  XLA_CPU_CAST(ZExt)
  XLA_CPU_CAST(SExt)
  XLA_CPU_CAST(FPTrunc)
  XLA_CPU_CAST(FPExt)
  XLA_CPU_CAST(SIToFP)
  XLA_CPU_CAST(UIToFP)
  XLA_CPU_CAST(FPToSI)
  XLA_CPU_CAST(FPToUI)
  XLA_CPU_CAST(BitCast)
#undef XLA_CPU_CAST
  IrValue FNeg(IrValue a) const { return llvm_.LLVMBuildFNeg(builder_, a, ""); }
  IrValue Not(IrValue a) const { return Xor(a, Const(TypeOf(a), int64_t{-1})); }
  IrValue ICmp(LLVMIntPredicate p, IrValue a, IrValue b) const {
    return llvm_.LLVMBuildICmp(builder_, p, a, b, "");
  }
  IrValue FCmp(LLVMRealPredicate p, IrValue a, IrValue b) const {
    return llvm_.LLVMBuildFCmp(builder_, p, a, b, "");
  }
  IrValue Select(IrValue c, IrValue a, IrValue b) const {
    return llvm_.LLVMBuildSelect(builder_, c, a, b, "");
  }
  // Emits a * b + c, rounded once if the machine can, otherwise twice.
  IrValue Fma(IrValue a, IrValue b, IrValue c);
  bool HasFma() const { return target_.machine.fma; }
  bool UnderflowsSlowly() const { return target_.machine.underflows_slowly; }
  // Calls llvm.NAME, overloaded on these types.
  IrValue Intrinsic(const char* name, absl::Span<const IrType> overloads,
                    absl::Span<const IrValue> arguments);
  // Call an intrinsic that is overloaded on the type of the first argument.
  IrValue Unary(const char* name, IrValue a) { return Intrinsic(name, {TypeOf(a)}, {a}); }
  IrValue Binary(const char* name, IrValue a, IrValue b) {
    return Intrinsic(name, {TypeOf(a)}, {a, b});
  }
  // Applies `emit` to operands that are longer than a vector register part by part, and
  // concatenates the results. All operands have the same type.
  IrValue ByRegisters(IrValue a, IrValue b, absl::FunctionRef<IrValue(IrValue, IrValue)> emit);
  // Loads elements at `pointer`, or at each of the pointers; zeros where the mask is false.
  IrValue MaskedLoad(IrType vector, IrValue pointer, int align, IrValue mask);
  IrValue MaskedGather(IrType vector, IrValue pointers, int align, IrValue mask);
  // For vectors of floats or doubles with HasAvx512Binary(type): calls an intrinsic of AVX-512 on
  // two operands, llvm.x86.avx512.mask.NAME, with a constant if it is not negative.
  bool HasAvx512Binary(IrType type) const;
  IrValue Avx512Binary(const char* name, IrValue a, IrValue b, int constant = -1);
  // For f32, with HasRsqrtEstimate: 1/sqrt(a) with an error of less than 2^-11. With AVX-512 and
  // without, bits differ; without, subnormal operands are zeros.
  bool HasRsqrtEstimate() const { return target_.machine.avx2 && target_.machine.fma; }
  IrValue RsqrtEstimate(IrValue a);
  // Calls a C function for each lane in turn.
  IrValue CallPerLane(const char* name, IrType result_element,
                      std::initializer_list<IrValue> arguments);
  IrValue Call(const char* name, IrType result, absl::Span<const IrValue> arguments);
  // Calls an internal function of the module, which `body` defines at the first call. It is not
  // inlined: for long code that a function would otherwise contain many times.
  IrValue CallShared(const std::string& name, absl::Span<const IrValue> arguments,
                     absl::FunctionRef<IrValue(absl::Span<const IrValue>)> body);
  // Counts the calls of this method for the name in the function being built, including this one.
  int64_t CountUse(const std::string& name) { return ++uses_[name]; }
  // Calls a C function by its address.
  IrValue CallPointer(IrValue function, IrType result, absl::Span<const IrValue> arguments);

  // --- Vectors
  IrValue Splat(IrValue scalar, int lanes);
  IrValue Extract(IrValue vector, int lane) const;
  IrValue Insert(IrValue vector, IrValue element, int lane) const;
  IrValue Shuffle(IrValue a, IrValue b, absl::Span<const int> lanes) const;
  // The lanes of `low`, then those of `high`, which are as many.
  IrValue Concat(IrValue low, IrValue high) const;
  IrValue Reverse(IrValue vector) const;

  // --- Memory. Addresses in bytes.
  IrValue Offset(IrValue pointer, IrValue bytes) const;
  // `invariant`: nothing writes to the memory while the function runs.
  IrValue Load(IrType type, IrValue pointer, int align, bool invariant = false) const;
  // `streams`: stores past the caches; the pointer must be aligned to the value's size.
  void Store(IrValue value, IrValue pointer, int align, bool streams = false) const;
  // Copies between memories that do not overlap.
  void Copy(IrValue from, IrValue to, int64_t bytes) const {
    llvm_.LLVMBuildMemCpy(builder_, to, 1, from, 1, Index(bytes));
  }
  // Must follow streaming stores before other threads read what they wrote.
  void FinishStreaming();
  // Allocates on the stack, in the entry block of the function.
  IrValue Alloca(IrType type, int64_t count);

  // --- Functions and control flow
  //
  // Starts the function void name(parameters..); the code that follows goes into its entry block.
  IrValue StartFunction(const char* name, absl::Span<const IrType> parameters,
                        IrType result = nullptr);
  IrValue Parameter(int i) const;
  void Return() const { llvm_.LLVMBuildRetVoid(builder_); }
  void Return(IrValue value) const { llvm_.LLVMBuildRet(builder_, value); }

  using Carried = std::vector<IrValue>;
  // Emits for (i = begin; i < end; i += step) carried = body(i, carried); returns the last value.
  Carried Loop(IrValue begin, IrValue end, int64_t step, Carried initial,
               absl::FunctionRef<Carried(IrValue i, const Carried& carried)> body);
  void Loop(IrValue begin, IrValue end, int64_t step, absl::FunctionRef<void(IrValue i)> body);
  // Makes loops test their condition at the end, and before the first iteration. Loop-invariant
  // loads can then be hoisted, which only pays if they are few: otherwise they fill the registers.
  void set_tests_at_end(bool tests_at_end) { tests_at_end_ = tests_at_end; }
  // Like Loop, but polls the run every `interval` iterations (0: never), and ends early if it is to
  // stop; see set_run and PollInterval.
  Carried PolledLoop(IrValue begin, IrValue end, int64_t step, int64_t interval, Carried initial,
                     absl::FunctionRef<Carried(IrValue i, const Carried& carried)> body);
  void PolledLoop(IrValue begin, IrValue end, int64_t step, int64_t interval,
                  absl::FunctionRef<void(IrValue i)> body);
  // Sets the state of the run, an I64 that XlaCpuPoll takes, for the function being built. Without
  // it, loops do not poll.
  void set_run(IrValue run) { run_ = run; }
  IrValue run() const { return run_; }
  // Polls whether the run is to go on.
  IrValue RunGoesOn();
  // Emits while (condition(carried)) carried = body(carried); returns the last value.
  Carried While(Carried initial, absl::FunctionRef<IrValue(const Carried&)> condition,
                absl::FunctionRef<Carried(const Carried&)> body);
  // Emits condition ? then() : otherwise().
  Carried If(IrValue condition, absl::FunctionRef<Carried()> then,
             absl::FunctionRef<Carried()> otherwise);
  void If(IrValue condition, absl::FunctionRef<void()> then);
  // The current block. Values of an earlier block may not dominate it.
  LLVMBasicBlockRef Block() const { return llvm_.LLVMGetInsertBlock(builder_); }

 private:
  IrValue Masked(const char* name, IrType vector, IrValue pointer, int align, IrValue mask);
  IrType FunctionType(IrType result, absl::Span<const IrValue> arguments) const;
  Carried LoopTestedAtEnd(IrValue begin, IrValue end, int64_t step, const Carried& initial,
                          absl::FunctionRef<Carried(IrValue, const Carried&)> body);
  // Vectors of bits between iterations: without AVX-512, LLVM would pack and unpack them bit by
  // bit, so that loops carry bytes of all ones or zeros instead.
  bool IsCarriedAsBytes(IrValue value) const {
    return !target_.machine.avx512 && Lanes(value) > 1 && Bits(TypeOf(value)) == 1;
  }
  bool HasMasks(const Carried& carried) const;
  Carried MasksAsBytes(const Carried& carried) const;
  Carried BytesAsMasks(const Carried& carried, const Carried& like) const;
  LLVMBasicBlockRef NewBlock() const {
    return llvm_.LLVMAppendBasicBlockInContext(context_, function_, "");
  }
  void Enter(LLVMBasicBlockRef block) const { llvm_.LLVMPositionBuilderAtEnd(builder_, block); }
  void Jump(LLVMBasicBlockRef block) const { llvm_.LLVMBuildBr(builder_, block); }

  const LlvmApi& llvm_;
  const Target& target_;
  const NestedPrograms* programs_ = nullptr;
  LLVMContextRef context_;
  LLVMModuleRef module_;
  LLVMBuilderRef builder_;
  IrValue function_ = nullptr, run_ = nullptr;
  bool tests_at_end_ = false;
  std::map<std::string, int64_t> uses_;  // see CountUse
  unsigned invariant_load_, nontemporal_;
  LLVMMetadataRef empty_node_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_IR_H_
