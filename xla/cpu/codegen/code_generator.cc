// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/code_generator.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"

namespace xla::cpu {
namespace {

// Emitters write kernels nearly in their final form: passes only need to hoist loads and arithmetic
// out of loops and to eliminate common subexpressions.
constexpr char kPasses[] =
    "mergefunc,function(early-cse,loop-mssa(licm),instsimplify,early-cse,simplifycfg)";

// The features that each level of InstructionSet adds, in the order of the levels.
struct Level {
  InstructionSet set;
  // LLVM's name of a processor that has the features of this level and of those before, or most of
  // them.
  const char* cpu;
  std::vector<const char*> features;
};
const std::vector<Level>& Levels() {
  static const auto* const levels = new std::vector<Level>{
      {InstructionSet::kSse42,
       "x86-64-v2",
       {"cx16", "popcnt", "sahf", "sse3", "ssse3", "sse4.1", "sse4.2"}},
      {InstructionSet::kAvx, "x86-64-v2", {"avx"}},
      {InstructionSet::kAvx2,
       "x86-64-v3",
       {"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}},
      {InstructionSet::kAvx512,
       "x86-64-v4",
       {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}},
      {InstructionSet::kAvx512Vnni, "x86-64-v4", {"avx512vnni"}},
      {InstructionSet::kAvx512Bf16, "x86-64-v4", {"avx512bf16"}},
  };
  return *levels;
}

bool Has(const Target& target, const char* feature) {
  return absl::StrContains(absl::StrCat(target.features, ","), absl::StrCat("+", feature, ","));
}

// Restricts the target to the features up to a level, if it has any beyond.
void ApplyBound(InstructionSet bound, Target& target) {
  const bool is_x86 = absl::StartsWith(target.triple, "x86_64");
  if (!is_x86 || bound == InstructionSet::kAny) return;
  bool has_more = false;
  std::string features;
  const char* cpu = nullptr;
  for (const Level& level : Levels()) {
    for (const char* feature : level.features) {
      const bool has = Has(target, feature);
      if (level.set > bound) {
        has_more |= has;
      } else {
        absl::StrAppend(&features, features.empty() ? "" : ",", has ? "+" : "-", feature);
      }
    }
    if (level.set <= bound) cpu = level.cpu;
  }
  if (!has_more) return;
  target.cpu = cpu;
  target.features = std::move(features);
}

// Returns the targets by bound.
absl::StatusOr<std::vector<Target>> FindHost() {
  XLA_ASSIGN_OR_RETURN(const LlvmApi* llvm, LlvmApi::Get());
  const auto take = [&](char* text) {
    std::string result(text);
    llvm->LLVMDisposeMessage(text);
    return result;
  };
  Target host;
  host.triple = take(llvm->LLVMGetDefaultTargetTriple());
  host.cpu = take(llvm->LLVMGetHostCPUName());
  host.features = take(llvm->LLVMGetHostCPUFeatures());
  std::vector<Target> targets;
  for (size_t i = 0; i <= static_cast<size_t>(InstructionSet::kAny); ++i) {
    Target& target = targets.emplace_back(host);
    ApplyBound(static_cast<InstructionSet>(i), target);
    target.machine = HostMachine(static_cast<InstructionSet>(i));
  }
  return targets;
}

// LLVM's code generators for targets that are not in use: to make one takes as long as a small
// kernel. A code generator serves one thread at a time, and does not depend on what it compiled
// before. There are as many as threads ever compiled at once.
class IdleMachines {
 public:
  static IdleMachines& Get() {
    // Never destroyed, like the library itself.
    static auto* const machines = new IdleMachines;
    return *machines;
  }
  // Returns null if there is none for the target.
  LLVMTargetMachineRef Take(const std::string& target) {
    const std::lock_guard lock(mutex_);
    std::vector<LLVMTargetMachineRef>& machines = machines_[target];
    if (machines.empty()) return nullptr;
    const LLVMTargetMachineRef machine = machines.back();
    machines.pop_back();
    return machine;
  }
  void Return(const std::string& target, LLVMTargetMachineRef machine) {
    const std::lock_guard lock(mutex_);
    machines_[target].push_back(machine);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<LLVMTargetMachineRef>> machines_;
};

struct TargetMachineDeleter {
  const LlvmApi* llvm;
  void operator()(LLVMTargetMachineRef machine) const { llvm->LLVMDisposeTargetMachine(machine); }
};

}  // namespace

absl::StatusOr<const Target*> HostTarget(InstructionSet bound) {
  // Never destroyed, like the library itself.
  static const auto* const targets = new absl::StatusOr<std::vector<Target>>(FindHost());
  if (!targets->ok()) return targets->status();
  return &(**targets)[static_cast<size_t>(bound)];
}

absl::StatusOr<Target> TargetNamed(std::string_view name, InstructionSet* bound) {
  *bound = InstructionSet::kAny;
  if (name == "native") {
    XLA_ASSIGN_OR_RETURN(const Target* host, HostTarget());
    return *host;
  }
  Target target;
  if (name == "aarch64") {
    target.triple = "aarch64-unknown-linux-gnu";
    target.cpu = "generic";
    target.machine = NeonMachine();
    return target;
  }
  constexpr std::pair<std::string_view, InstructionSet> kLevels[] = {
      {"x86-64-v2", InstructionSet::kSse42},
      {"x86-64-v3", InstructionSet::kAvx2},
      {"x86-64-v4", InstructionSet::kAvx512},
  };
  for (const auto& [known, set] : kLevels) {
    if (name != known) continue;
    *bound = set;
    target.triple = "x86_64-unknown-linux-gnu";
    target.cpu = known;
    target.machine = MachineWith(set);
    for (const Level& level : Levels()) {
      for (const char* feature : level.features) {
        absl::StrAppend(&target.features, target.features.empty() ? "" : ",",
                        level.set <= set ? "+" : "-", feature);
      }
    }
    return target;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown target '", std::string(name),
                   "'; known: native, x86-64-v2, x86-64-v3, x86-64-v4, aarch64"));
}

std::string VersionText(const LlvmApi& llvm) {
  unsigned major = 0, minor = 0, patch = 0;
  llvm.LLVMGetVersion(&major, &minor, &patch);
  return absl::StrCat(major, ".", minor, ".", patch);
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
  const std::string key =
      absl::StrCat(llvm.version->major, " ", target.triple, " ", target.cpu, " ", target.features);
  std::unique_ptr<LLVMOpaqueTargetMachine, TargetMachineDeleter> machine(
      IdleMachines::Get().Take(key), TargetMachineDeleter{&llvm});
  if (machine == nullptr) {
    machine.reset(llvm.LLVMCreateTargetMachine(
        llvm_target, target.triple.c_str(), target.cpu.c_str(), target.features.c_str(),
        LLVMCodeGenLevelLess, LLVMRelocPIC, LLVMCodeModelSmall));
  }
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
  IdleMachines::Get().Return(key, machine.release());
  return code;
}

}  // namespace xla::cpu
