// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/code_generator.h"

#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"

namespace xla::cpu {
namespace {

// Kernels come out nearly as they should be: what remains is to move loads and arithmetic out of
// loops and to join equal computations.
constexpr char kPasses[] = "function(early-cse,loop-mssa(licm),instsimplify,early-cse,simplifycfg)";

absl::StatusOr<const Target*> FindHost() {
  XLA_ASSIGN_OR_RETURN(const LlvmApi* llvm, LlvmApi::Get());
  const auto take = [&](char* text) {
    std::string result(text);
    llvm->LLVMDisposeMessage(text);
    return result;
  };
  static Target target;  // lives as long as the library
  target.triple = take(llvm->LLVMGetDefaultTargetTriple());
  target.cpu = take(llvm->LLVMGetHostCPUName());
  target.features = take(llvm->LLVMGetHostCPUFeatures());
  const auto has = [&](const char* feature) {
    return absl::StrContains(target.features, absl::StrCat("+", feature, ",")) ||
           absl::EndsWith(target.features, absl::StrCat("+", feature));
  };
  target.has_avx512 =
      has("avx512f") && has("avx512vl") && has("avx512bw") && has("avx512dq") && has("bmi2");
  if (target.has_avx512) {
    target.vector_bytes = 64;
  } else if (has("avx2")) {
    target.vector_bytes = 32;
  }
  target.has_fma = has("fma") || has("neon") || has("fp-armv8");
  return &target;
}

struct TargetMachineDeleter {
  const LlvmApi* llvm;
  void operator()(LLVMTargetMachineRef machine) const { llvm->LLVMDisposeTargetMachine(machine); }
};

}  // namespace

absl::StatusOr<const Target*> HostTarget() {
  static const absl::StatusOr<const Target*> target = FindHost();
  return target;
}

absl::StatusOr<std::vector<char>> GenerateCode(Ir& ir, CodeFormat format) {
  const LlvmApi& llvm = ir.llvm();
  const Target& target = ir.target();
  LLVMTargetRef llvm_target;
  char* message = nullptr;
  const auto error = [&](const char* what) {
    const std::string detail = message == nullptr ? "" : message;
    if (message != nullptr) llvm.LLVMDisposeMessage(message);
    return absl::InternalError(absl::StrCat(what, ": ", detail));
  };
  if (llvm.LLVMGetTargetFromTriple(target.triple.c_str(), &llvm_target, &message) != 0) {
    return error("LLVM does not know this machine");
  }
  const std::unique_ptr<LLVMOpaqueTargetMachine, TargetMachineDeleter> machine(
      llvm.LLVMCreateTargetMachine(llvm_target, target.triple.c_str(), target.cpu.c_str(),
                                   target.features.c_str(), LLVMCodeGenLevelLess, LLVMRelocPIC,
                                   LLVMCodeModelSmall),
      TargetMachineDeleter{&llvm});
  if (machine == nullptr) return error("LLVM cannot generate code for this machine");
  const LLVMTargetDataRef layout = llvm.LLVMCreateTargetDataLayout(machine.get());
  llvm.LLVMSetModuleDataLayout(ir.module(), layout);
  llvm.LLVMDisposeTargetData(layout);
#ifndef NDEBUG
  if (llvm.LLVMVerifyModule(ir.module(), LLVMReturnStatusAction, &message) != 0) {
    return error("the generated code is invalid");
  }
  llvm.LLVMDisposeMessage(message);  // empty, but allocated
  message = nullptr;
#endif
  LLVMPassBuilderOptionsRef options = llvm.LLVMCreatePassBuilderOptions();
  const LLVMErrorRef failed = llvm.LLVMRunPasses(ir.module(), kPasses, machine.get(), options);
  llvm.LLVMDisposePassBuilderOptions(options);
  if (failed != nullptr) {
    char* text = llvm.LLVMGetErrorMessage(failed);
    const std::string detail = text;
    llvm.LLVMDisposeErrorMessage(text);
    return absl::InternalError(absl::StrCat("LLVM's passes failed: ", detail));
  }
  LLVMMemoryBufferRef buffer = nullptr;
  if (llvm.LLVMTargetMachineEmitToMemoryBuffer(
          machine.get(), ir.module(),
          format == CodeFormat::kObject ? LLVMObjectFile : LLVMAssemblyFile, &message,
          &buffer) != 0) {
    return error("LLVM cannot generate code");
  }
  const char* start = llvm.LLVMGetBufferStart(buffer);
  std::vector<char> code(start, start + llvm.LLVMGetBufferSize(buffer));
  llvm.LLVMDisposeMemoryBuffer(buffer);
  return code;
}

}  // namespace xla::cpu
