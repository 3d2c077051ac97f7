// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/ir.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla/base/machine.h"

namespace xla::cpu {

Ir::Ir(const LlvmApi& llvm, const Target& target, const char* module_name)
    : llvm_(llvm),
      target_(target),
      context_(llvm.LLVMContextCreate()),
      module_(llvm.LLVMModuleCreateWithNameInContext(module_name, context_)),
      builder_(llvm.LLVMCreateBuilderInContext(context_)),
      invariant_load_(llvm.LLVMGetMDKindIDInContext(context_, "invariant.load", 14)),
      nontemporal_(llvm.LLVMGetMDKindIDInContext(context_, "nontemporal", 11)),
      empty_node_(llvm.LLVMMDNodeInContext2(context_, nullptr, 0)) {
  llvm_.LLVMSetTarget(module_, target.triple.c_str());
}

Ir::~Ir() {
  llvm_.LLVMDisposeBuilder(builder_);
  llvm_.LLVMDisposeModule(module_);
  llvm_.LLVMContextDispose(context_);
}

IrType Ir::ElementOf(IrType type) const {
  return llvm_.LLVMGetTypeKind(type) == LLVMVectorTypeKind ? llvm_.LLVMGetElementType(type) : type;
}

int Ir::Lanes(IrType type) const {
  return llvm_.LLVMGetTypeKind(type) == LLVMVectorTypeKind
             ? static_cast<int>(llvm_.LLVMGetVectorSize(type))
             : 1;
}

int Ir::Bits(IrType type) const {
  const IrType element = ElementOf(type);
  switch (llvm_.LLVMGetTypeKind(element)) {
    case LLVMHalfTypeKind:
      return 16;
    case LLVMFloatTypeKind:
      return 32;
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
      return 64;
    default:
      return static_cast<int>(llvm_.LLVMGetIntTypeWidth(element));
  }
}

bool Ir::IsFloat(IrType type) const {
  const LLVMTypeKind kind = llvm_.LLVMGetTypeKind(ElementOf(type));
  return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

IrValue Ir::Const(IrType type, int64_t value) const {
  if (IsFloat(type)) return Const(type, static_cast<double>(value));
  const IrValue scalar =
      llvm_.LLVMConstInt(ElementOf(type), static_cast<unsigned long long>(value), 1);
  const int lanes = Lanes(type);
  if (lanes == 1) return scalar;
  std::vector<IrValue> values(static_cast<size_t>(lanes), scalar);
  return llvm_.LLVMConstVector(values.data(), static_cast<unsigned>(lanes));
}

IrValue Ir::Const(IrType type, double value) const {
  const IrValue scalar = llvm_.LLVMConstReal(ElementOf(type), value);
  const int lanes = Lanes(type);
  if (lanes == 1) return scalar;
  std::vector<IrValue> values(static_cast<size_t>(lanes), scalar);
  return llvm_.LLVMConstVector(values.data(), static_cast<unsigned>(lanes));
}

IrValue Ir::ConstBits(IrType float_type, uint64_t bits) {
  return BitCast(Const(IntsLike(float_type), static_cast<int64_t>(bits)), float_type);
}

IrValue Ir::Steps(IrType vector_type, int64_t step) const {
  std::vector<int64_t> values;
  for (int i = 0; i < Lanes(vector_type); ++i) values.push_back(i * step);
  return ConstLanes(vector_type, values);
}

IrValue Ir::ConstLanes(IrType vector_type, absl::Span<const int64_t> values) const {
  const IrType element = ElementOf(vector_type);
  std::vector<IrValue> lanes;
  for (const int64_t value : values) lanes.push_back(Const(element, value));
  if (lanes.size() == 1) return lanes[0];
  return llvm_.LLVMConstVector(lanes.data(), static_cast<unsigned>(lanes.size()));
}

bool Ir::IsConst(IrValue value, int64_t* constant) const {
  if (llvm_.LLVMIsAConstantInt(value) == nullptr) return false;
  *constant = llvm_.LLVMConstIntGetSExtValue(value);
  return true;
}

bool Ir::IsConst(IrValue value, double* constant) const {
  if (llvm_.LLVMIsConstant(value) == 0) return false;
  IrValue scalar = value;
  const int lanes = Lanes(value);
  // Equal constants are the same object.
  for (int i = 0; lanes > 1 && i < lanes; ++i) {
    const IrValue element = llvm_.LLVMGetAggregateElement(value, static_cast<unsigned>(i));
    if (i > 0 && element != scalar) return false;
    scalar = element;
  }
  if (scalar == nullptr || llvm_.LLVMIsAConstantFP(scalar) == nullptr) return false;
  LLVMBool loses_bits = 0;
  *constant = llvm_.LLVMConstRealGetDouble(scalar, &loses_bits);
  return true;
}

IrValue Ir::Fma(IrValue a, IrValue b, IrValue c) {
  if (!target_.machine.fma) return FAdd(FMul(a, b), c);
  return Intrinsic("llvm.fma", {TypeOf(a)}, {a, b, c});
}

IrValue Ir::Intrinsic(const char* name, absl::Span<const IrType> overloads,
                      absl::Span<const IrValue> arguments) {
  const unsigned id = llvm_.LLVMLookupIntrinsicID(name, std::strlen(name));
  std::vector<IrType> types(overloads.begin(), overloads.end());
  const IrValue function =
      llvm_.LLVMGetIntrinsicDeclaration(module_, id, types.data(), types.size());
  std::vector<IrValue> values(arguments.begin(), arguments.end());
  return llvm_.LLVMBuildCall2(builder_, llvm_.LLVMGlobalGetValueType(function), function,
                              values.data(), static_cast<unsigned>(values.size()), "");
}

IrValue Ir::Masked(const char* name, IrType vector, IrValue pointer, int align, IrValue mask) {
  std::vector<IrValue> arguments = {pointer};
  const bool align_is_operand = llvm_.version->masked_alignment_is_operand;
  if (align_is_operand) arguments.push_back(Const(I32(), int64_t{align}));
  arguments.push_back(mask);
  arguments.push_back(Zero(vector));
  const IrValue call = Intrinsic(name, {vector, TypeOf(pointer)}, arguments);
  if (!align_is_operand) {
    const unsigned kind = llvm_.LLVMGetEnumAttributeKindForName("align", 5);
    constexpr unsigned kFirstArgument = 1;
    llvm_.LLVMAddCallSiteAttribute(
        call, kFirstArgument,
        llvm_.LLVMCreateEnumAttribute(context_, kind, static_cast<uint64_t>(align)));
  }
  return call;
}

IrValue Ir::MaskedLoad(IrType vector, IrValue pointer, int align, IrValue mask) {
  return Masked("llvm.masked.load", vector, pointer, align, mask);
}

IrValue Ir::MaskedGather(IrType vector, IrValue pointers, int align, IrValue mask) {
  return Masked("llvm.masked.gather", vector, pointers, align, mask);
}

bool Ir::HasAvx512Binary(IrType type) const {
  return target_.machine.avx512 && IsFloat(type) && Bits(type) >= 32 &&
         Lanes(type) * Bits(type) >= 128;
}

IrValue Ir::ByRegisters(IrValue a, IrValue b, absl::FunctionRef<IrValue(IrValue, IrValue)> emit) {
  const int lanes = Lanes(a), half = lanes / 2;
  if (lanes * Bits(TypeOf(a)) <= 8 * target_.machine.vector_bytes) return emit(a, b);
  std::vector<int> all(static_cast<size_t>(lanes));
  std::iota(all.begin(), all.end(), 0);
  const auto part = [&](int first) {
    const auto chosen =
        absl::MakeConstSpan(all).subspan(static_cast<size_t>(first), static_cast<size_t>(half));
    return ByRegisters(Shuffle(a, a, chosen), Shuffle(b, b, chosen), emit);
  };
  const IrValue low = part(0), high = part(half);
  return Concat(low, high);
}

IrValue Ir::Avx512Binary(const char* name, IrValue a, IrValue b, int constant) {
  const IrType type = TypeOf(a);
  const int lanes = Lanes(type), bits = lanes * Bits(type);
  if (bits > 512) {
    return ByRegisters(a, b,
                       [&](IrValue x, IrValue y) { return Avx512Binary(name, x, y, constant); });
  }
  const std::string full =
      absl::StrCat("llvm.x86.avx512.mask.", name, Bits(type) == 32 ? ".ps." : ".pd.", bits);
  std::vector<IrValue> arguments = {a, b};
  if (constant >= 0) arguments.push_back(Const(I32(), int64_t{constant}));
  arguments.push_back(a);  // of lanes outside the mask
  arguments.push_back(Const(Int(std::max(lanes, 8)), int64_t{-1}));
  constexpr int64_t kCurrentRounding = 4;
  if (bits == 512) arguments.push_back(Const(I32(), kCurrentRounding));
  return Intrinsic(full.c_str(), {}, arguments);
}

IrValue Ir::RsqrtEstimate(IrValue a) {
  constexpr int kLeastLanes = 4;
  const int lanes = Lanes(a);
  if (lanes == 1) return Extract(RsqrtEstimate(Splat(a, kLeastLanes)), 0);
  if (lanes < kLeastLanes) {
    std::vector<int> order(kLeastLanes);
    for (int i = 0; i < kLeastLanes; ++i) order[static_cast<size_t>(i)] = i % lanes;
    const IrValue estimate = RsqrtEstimate(Shuffle(a, a, order));
    order.resize(static_cast<size_t>(lanes));
    return Shuffle(estimate, estimate, order);
  }
  const bool is_avx512 = target_.machine.avx512;
  return ByRegisters(a, a, [&](IrValue x, IrValue) {
    const int bits = 32 * Lanes(x);
    if (!is_avx512) {
      return Intrinsic(bits == 128 ? "llvm.x86.sse.rsqrt.ps" : "llvm.x86.avx.rsqrt.ps.256", {},
                       {x});
    }
    const IrValue all = Const(Int(std::max(Lanes(x), 8)), int64_t{-1});
    return Intrinsic(absl::StrCat("llvm.x86.avx512.rsqrt14.ps.", bits).c_str(), {}, {x, x, all});
  });
}

IrValue Ir::Call(const char* name, IrType result, absl::Span<const IrValue> arguments) {
  IrValue function = llvm_.LLVMGetNamedFunction(module_, name);
  if (function == nullptr)
    function = llvm_.LLVMAddFunction(module_, name, FunctionType(result, arguments));
  return CallPointer(function, result, arguments);
}

IrValue Ir::CallShared(const std::string& name, absl::Span<const IrValue> arguments,
                       absl::FunctionRef<IrValue(absl::Span<const IrValue>)> body) {
  std::vector<IrType> types;
  for (const IrValue argument : arguments) types.push_back(TypeOf(argument));
  IrValue function = llvm_.LLVMGetNamedFunction(module_, name.c_str());
  if (function == nullptr) {
    const LLVMBasicBlockRef block = Block();
    const IrValue caller = function_, run = run_;
    const bool tests_at_end = tests_at_end_;
    std::map<std::string, int64_t> uses = std::move(uses_);
    // Shared functions have one type of argument and result.
    function = StartFunction(name.c_str(), types, types[0]);
    llvm_.LLVMSetLinkage(function, LLVMInternalLinkage);
    const unsigned noinline = llvm_.LLVMGetEnumAttributeKindForName("noinline", 8);
    llvm_.LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                  llvm_.LLVMCreateEnumAttribute(context_, noinline, 0));
    std::vector<IrValue> parameters;
    for (size_t i = 0; i < types.size(); ++i) parameters.push_back(Parameter(static_cast<int>(i)));
    Return(body(parameters));
    function_ = caller;
    run_ = run;
    tests_at_end_ = tests_at_end;
    uses_ = std::move(uses);
    Enter(block);
  }
  return CallPointer(function, types[0], arguments);
}

IrValue Ir::CallPointer(IrValue function, IrType result, absl::Span<const IrValue> arguments) {
  std::vector<IrValue> values(arguments.begin(), arguments.end());
  return llvm_.LLVMBuildCall2(builder_, FunctionType(result, arguments), function, values.data(),
                              static_cast<unsigned>(values.size()), "");
}

IrType Ir::FunctionType(IrType result, absl::Span<const IrValue> arguments) const {
  std::vector<IrType> types;
  for (const IrValue value : arguments) types.push_back(TypeOf(value));
  return llvm_.LLVMFunctionType(result, types.data(), static_cast<unsigned>(types.size()), 0);
}

IrValue Ir::CallPerLane(const char* name, IrType result_element,
                        std::initializer_list<IrValue> arguments) {
  const int lanes = Lanes(*arguments.begin());
  if (lanes == 1) return Call(name, result_element, arguments);
  IrValue result = Undef(Vector(result_element, lanes));
  for (int lane = 0; lane < lanes; ++lane) {
    std::vector<IrValue> values;
    for (const IrValue argument : arguments) values.push_back(Extract(argument, lane));
    result = Insert(result, Call(name, result_element, values), lane);
  }
  return result;
}

IrValue Ir::Splat(IrValue scalar, int lanes) {
  if (lanes == 1) return scalar;
  const IrType type = Vector(TypeOf(scalar), lanes);
  const IrValue first = Insert(Undef(type), scalar, 0);
  return llvm_.LLVMBuildShuffleVector(builder_, first, Undef(type), Zero(Vector(I32(), lanes)), "");
}

IrValue Ir::Extract(IrValue vector, int lane) const {
  if (Lanes(vector) == 1) return vector;
  return llvm_.LLVMBuildExtractElement(builder_, vector, Const(I32(), int64_t{lane}), "");
}

IrValue Ir::Insert(IrValue vector, IrValue element, int lane) const {
  return llvm_.LLVMBuildInsertElement(builder_, vector, element, Const(I32(), int64_t{lane}), "");
}

IrValue Ir::Shuffle(IrValue a, IrValue b, absl::Span<const int> lanes) const {
  std::vector<IrValue> mask;
  for (const int lane : lanes) mask.push_back(Const(I32(), int64_t{lane}));
  return llvm_.LLVMBuildShuffleVector(
      builder_, a, b, llvm_.LLVMConstVector(mask.data(), static_cast<unsigned>(mask.size())), "");
}

IrValue Ir::Concat(IrValue low, IrValue high) const {
  std::vector<int> all(static_cast<size_t>(Lanes(low) + Lanes(high)));
  std::iota(all.begin(), all.end(), 0);
  return Shuffle(low, high, all);
}

IrValue Ir::Reverse(IrValue vector) const {
  std::vector<int> lanes;
  for (int i = Lanes(vector) - 1; i >= 0; --i) lanes.push_back(i);
  return Shuffle(vector, vector, lanes);
}

IrValue Ir::Offset(IrValue pointer, IrValue bytes) const {
  IrValue index = bytes;
  return llvm_.LLVMBuildGEP2(builder_, I8(), pointer, &index, 1, "");
}

IrValue Ir::Load(IrType type, IrValue pointer, int align, bool invariant) const {
  const IrValue value = llvm_.LLVMBuildLoad2(builder_, type, pointer, "");
  llvm_.LLVMSetAlignment(value, static_cast<unsigned>(align));
  if (invariant) {
    llvm_.LLVMSetMetadata(value, invariant_load_, llvm_.LLVMMetadataAsValue(context_, empty_node_));
  }
  return value;
}

void Ir::Store(IrValue value, IrValue pointer, int align, bool streams) const {
  const IrValue store = llvm_.LLVMBuildStore(builder_, value, pointer);
  // Values of several vectors are stored vector by vector.
  constexpr int kMostAligned = 64;
  if (streams) align = std::min(Bits(TypeOf(value)) / 8 * Lanes(value), kMostAligned);
  llvm_.LLVMSetAlignment(store, static_cast<unsigned>(align));
  if (streams) {
    LLVMMetadataRef one = llvm_.LLVMValueAsMetadata(Const(I32(), int64_t{1}));
    const LLVMMetadataRef node = llvm_.LLVMMDNodeInContext2(context_, &one, 1);
    llvm_.LLVMSetMetadata(store, nontemporal_, llvm_.LLVMMetadataAsValue(context_, node));
  }
}

void Ir::FinishStreaming() {
  // AArch64 has stores past the caches in the order of all others.
  if (absl::StartsWith(target_.triple, "x86_64")) Intrinsic("llvm.x86.sse.sfence", {}, {});
}

IrValue Ir::Alloca(IrType type, int64_t count) {
  const LLVMBasicBlockRef here = Block();
  const LLVMBasicBlockRef entry = llvm_.LLVMGetEntryBasicBlock(function_);
  const IrValue first = llvm_.LLVMGetFirstInstruction(entry);
  if (first != nullptr) llvm_.LLVMPositionBuilderBefore(builder_, first);
  const IrValue memory =
      llvm_.LLVMBuildAlloca(builder_, llvm_.LLVMArrayType2(type, static_cast<uint64_t>(count)), "");
  llvm_.LLVMSetAlignment(memory, 64);
  Enter(here);
  return memory;
}

IrValue Ir::StartFunction(const char* name, absl::Span<const IrType> parameters, IrType result) {
  std::vector<IrType> types(parameters.begin(), parameters.end());
  function_ = llvm_.LLVMAddFunction(
      module_, name,
      llvm_.LLVMFunctionType(result == nullptr ? Void() : result, types.data(),
                             static_cast<unsigned>(types.size()), 0));
  const unsigned nounwind = llvm_.LLVMGetEnumAttributeKindForName("nounwind", 8);
  llvm_.LLVMAddAttributeAtIndex(function_, LLVMAttributeFunctionIndex,
                                llvm_.LLVMCreateEnumAttribute(context_, nounwind, 0));
  Enter(NewBlock());
  run_ = nullptr;
  tests_at_end_ = false;
  uses_.clear();
  return function_;
}

IrValue Ir::Parameter(int i) const {
  return llvm_.LLVMGetParam(function_, static_cast<unsigned>(i));
}

bool Ir::HasMasks(const Carried& carried) const {
  return std::any_of(carried.begin(), carried.end(),
                     [&](IrValue value) { return IsCarriedAsBytes(value); });
}

Ir::Carried Ir::MasksAsBytes(const Carried& carried) const {
  Carried bytes = carried;
  for (IrValue& value : bytes) {
    if (IsCarriedAsBytes(value)) value = SExt(value, WithElement(TypeOf(value), Int(8)));
  }
  return bytes;
}

Ir::Carried Ir::BytesAsMasks(const Carried& carried, const Carried& like) const {
  Carried masks = carried;
  for (size_t i = 0; i < masks.size(); ++i) {
    if (!IsCarriedAsBytes(like[i])) continue;
    masks[i] = ICmp(LLVMIntNE, masks[i], Zero(TypeOf(masks[i])));
  }
  return masks;
}

Ir::Carried Ir::Loop(IrValue begin, IrValue end, int64_t step, Carried initial,
                     absl::FunctionRef<Carried(IrValue, const Carried&)> body) {
  if (HasMasks(initial)) {
    const Carried last =
        Loop(begin, end, step, MasksAsBytes(initial), [&](IrValue i, const Carried& carried) {
          return MasksAsBytes(body(i, BytesAsMasks(carried, initial)));
        });
    return BytesAsMasks(last, initial);
  }
  int64_t first, last;
  if (IsConst(begin, &first) && IsConst(end, &last)) {
    if (first >= last) return initial;
    if (first + step >= last) return body(begin, initial);
  }
  if (tests_at_end_) return LoopTestedAtEnd(begin, end, step, initial, body);
  const LLVMBasicBlockRef before = Block(), head = NewBlock(), inside = NewBlock(),
                          after = NewBlock();
  Jump(head);
  Enter(head);
  const IrValue i = llvm_.LLVMBuildPhi(builder_, TypeOf(begin), "");
  Carried carried;
  for (const IrValue value : initial) {
    carried.push_back(llvm_.LLVMBuildPhi(builder_, TypeOf(value), ""));
  }
  llvm_.LLVMBuildCondBr(builder_, ICmp(LLVMIntSLT, i, end), inside, after);
  Enter(inside);
  Carried results = body(i, carried);
  IrValue next = Add(i, Const(TypeOf(i), step));
  LLVMBasicBlockRef from[] = {before, Block()};
  Jump(head);
  const auto add_incoming = [&](IrValue phi, IrValue a, IrValue b) {
    IrValue values[] = {a, b};
    llvm_.LLVMAddIncoming(phi, values, from, 2);
  };
  add_incoming(i, begin, next);
  for (size_t k = 0; k < initial.size(); ++k) add_incoming(carried[k], initial[k], results[k]);
  Enter(after);
  return carried;
}

Ir::Carried Ir::LoopTestedAtEnd(IrValue begin, IrValue end, int64_t step, const Carried& initial,
                                absl::FunctionRef<Carried(IrValue, const Carried&)> body) {
  const LLVMBasicBlockRef before = Block(), inside = NewBlock(), after = NewBlock();
  llvm_.LLVMBuildCondBr(builder_, ICmp(LLVMIntSLT, begin, end), inside, after);
  Enter(inside);
  const IrValue i = llvm_.LLVMBuildPhi(builder_, TypeOf(begin), "");
  Carried carried, last;
  for (const IrValue value : initial) {
    carried.push_back(llvm_.LLVMBuildPhi(builder_, TypeOf(value), ""));
  }
  const Carried results = body(i, carried);
  const IrValue next = Add(i, Const(TypeOf(i), step));
  LLVMBasicBlockRef from[] = {before, Block()};
  llvm_.LLVMBuildCondBr(builder_, ICmp(LLVMIntSLT, next, end), inside, after);
  const auto add_incoming = [&](IrValue phi, IrValue a, IrValue b) {
    IrValue values[] = {a, b};
    llvm_.LLVMAddIncoming(phi, values, from, 2);
  };
  add_incoming(i, begin, next);
  for (size_t k = 0; k < initial.size(); ++k) add_incoming(carried[k], initial[k], results[k]);
  Enter(after);
  for (size_t k = 0; k < initial.size(); ++k) {
    last.push_back(llvm_.LLVMBuildPhi(builder_, TypeOf(initial[k]), ""));
    add_incoming(last[k], initial[k], results[k]);
  }
  return last;
}

void Ir::Loop(IrValue begin, IrValue end, int64_t step, absl::FunctionRef<void(IrValue)> body) {
  Loop(begin, end, step, {}, [&](IrValue i, const Carried&) {
    body(i);
    return Carried();
  });
}

IrValue Ir::RunGoesOn() {
  const IrValue stops = Call("XlaCpuPoll", I32(), {&run_, 1});
  return ICmp(LLVMIntEQ, stops, Const(I32(), int64_t{0}));
}

Ir::Carried Ir::PolledLoop(IrValue begin, IrValue end, int64_t step, int64_t interval,
                           Carried initial,
                           absl::FunctionRef<Carried(IrValue, const Carried&)> body) {
  if (interval == 0 || run_ == nullptr) return Loop(begin, end, step, std::move(initial), body);
  // Carries the index and the iterations that are left until the next poll.
  Carried all = {begin, Index(interval)};
  all.insert(all.end(), initial.begin(), initial.end());
  const auto asks = [&](const Carried& carried) { return ICmp(LLVMIntEQ, carried[1], Index(0)); };
  const Carried last = While(
      std::move(all),
      [&](const Carried& carried) {
        const IrValue goes_on = If(
            asks(carried), [&] { return Carried{RunGoesOn()}; },
            [&] { return Carried{Const(I1(), int64_t{1})}; })[0];
        return And(ICmp(LLVMIntSLT, carried[0], end), goes_on);
      },
      [&](const Carried& carried) {
        const IrValue left = Select(asks(carried), Index(interval), carried[1]);
        Carried next = {Add(carried[0], Index(step)), Sub(left, Index(1))};
        const Carried results = body(carried[0], Carried(carried.begin() + 2, carried.end()));
        next.insert(next.end(), results.begin(), results.end());
        return next;
      });
  return Carried(last.begin() + 2, last.end());
}

void Ir::PolledLoop(IrValue begin, IrValue end, int64_t step, int64_t interval,
                    absl::FunctionRef<void(IrValue)> body) {
  PolledLoop(begin, end, step, interval, {}, [&](IrValue i, const Carried&) {
    body(i);
    return Carried();
  });
}

int64_t PollInterval(int64_t iterations, double steps) {
  constexpr double kNanosecondsPerStep = 4;
  constexpr double kStepsBetweenPolls =
      static_cast<double>(kUsualMachine.nanoseconds_between_polls) / kNanosecondsPerStep;
  if (static_cast<double>(iterations) * steps < 4 * kStepsBetweenPolls) return 0;
  return std::max<int64_t>(1, static_cast<int64_t>(kStepsBetweenPolls / std::max(steps, 1.0)));
}

Ir::Carried Ir::While(Carried initial, absl::FunctionRef<IrValue(const Carried&)> condition,
                      absl::FunctionRef<Carried(const Carried&)> body) {
  if (HasMasks(initial)) {
    const auto as_masks = [&](const Carried& carried) { return BytesAsMasks(carried, initial); };
    return as_masks(While(
        MasksAsBytes(initial), [&](const Carried& carried) { return condition(as_masks(carried)); },
        [&](const Carried& carried) { return MasksAsBytes(body(as_masks(carried))); }));
  }
  const LLVMBasicBlockRef before = Block(), head = NewBlock(), inside = NewBlock(),
                          after = NewBlock();
  Jump(head);
  Enter(head);
  Carried carried;
  for (const IrValue value : initial) {
    carried.push_back(llvm_.LLVMBuildPhi(builder_, TypeOf(value), ""));
  }
  const IrValue go_on = condition(carried);
  llvm_.LLVMBuildCondBr(builder_, go_on, inside, after);
  Enter(inside);
  const Carried results = body(carried);
  LLVMBasicBlockRef from[] = {before, Block()};
  Jump(head);
  for (size_t k = 0; k < initial.size(); ++k) {
    IrValue values[] = {initial[k], results[k]};
    llvm_.LLVMAddIncoming(carried[k], values, from, 2);
  }
  Enter(after);
  return carried;
}

Ir::Carried Ir::If(IrValue condition, absl::FunctionRef<Carried()> then,
                   absl::FunctionRef<Carried()> otherwise) {
  const LLVMBasicBlockRef yes = NewBlock(), no = NewBlock(), after = NewBlock();
  llvm_.LLVMBuildCondBr(builder_, condition, yes, no);
  Enter(yes);
  const Carried a = then();
  LLVMBasicBlockRef from[2];
  from[0] = Block();
  Jump(after);
  Enter(no);
  const Carried b = otherwise();
  from[1] = Block();
  Jump(after);
  Enter(after);
  Carried results;
  for (size_t k = 0; k < a.size(); ++k) {
    const IrValue phi = llvm_.LLVMBuildPhi(builder_, TypeOf(a[k]), "");
    IrValue values[] = {a[k], b[k]};
    llvm_.LLVMAddIncoming(phi, values, from, 2);
    results.push_back(phi);
  }
  return results;
}

void Ir::If(IrValue condition, absl::FunctionRef<void()> then) {
  If(
      condition,
      [&] {
        then();
        return Carried();
      },
      [] { return Carried(); });
}

}  // namespace xla::cpu
