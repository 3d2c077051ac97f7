// SPDX-License-Identifier: Apache-2.0
#include "xla/aot/entry_code.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/code_generator.h"
#include "xla/cpu/codegen/ir.h"

namespace xla::aot {
namespace {

using cpu::Ir;
using cpu::IrType;
using cpu::IrValue;

// The address of a symbol of another object. (LLVM gives those of data and functions alike.)
IrValue AddressOf(Ir& ir, const std::string& symbol) {
  const cpu::LlvmApi& llvm = ir.llvm();
  return llvm.LLVMAddFunction(ir.module(), symbol.c_str(),
                              llvm.LLVMFunctionType(ir.Void(), nullptr, 0, 0));
}

void EmitCreate(Ir& ir, const std::string& name, const std::string& table) {
  const std::vector<IrType> types(3, ir.Pointer());
  const IrValue address = AddressOf(ir, table);
  ir.StartFunction(absl::StrCat(name, "_create").c_str(), types, ir.I32());
  const IrValue arguments[] = {address, ir.Parameter(0), ir.Parameter(1), ir.Parameter(2)};
  ir.Return(ir.Call("xylem_runtime_create", ir.I32(), arguments));
}

// A function that passes its arguments on.
void EmitForward(Ir& ir, const std::string& name, const char* function,
                 const std::vector<IrType>& types, IrType result) {
  ir.StartFunction(name.c_str(), types, result);
  std::vector<IrValue> arguments;
  for (size_t i = 0; i < types.size(); ++i) arguments.push_back(ir.Parameter(static_cast<int>(i)));
  const IrValue value = ir.Call(function, result == nullptr ? ir.Void() : result, arguments);
  result == nullptr ? ir.Return() : ir.Return(value);
}

// Makes a list of the addresses of arguments and results.
void EmitRun(Ir& ir, const Signature& signature) {
  const auto count = static_cast<int>(signature.pointer_count());
  const std::vector<IrType> types(static_cast<size_t>(count) + 3, ir.Pointer());
  ir.StartFunction(absl::StrCat(signature.name, "_run").c_str(), types, ir.I32());
  const IrValue list = ir.Alloca(ir.Pointer(), std::max(count, 1));
  for (int i = 0; i < count; ++i)
    ir.Store(ir.Parameter(1 + i), ir.Offset(list, ir.Index(8 * i)), 8);
  const IrValue arguments[] = {ir.Parameter(0), list, ir.Parameter(1 + count),
                               ir.Parameter(2 + count)};
  ir.Return(ir.Call("xylem_runtime_run", ir.I32(), arguments));
}

}  // namespace

std::vector<std::string> EntryFunctions(const std::string& name) {
  return {absl::StrCat(name, "_create"), absl::StrCat(name, "_destroy"),
          absl::StrCat(name, "_scratch_bytes"), absl::StrCat(name, "_run"),
          absl::StrCat(name, "_run_list")};
}

absl::StatusOr<std::string> EntryObject(const Signature& signature, const cpu::Target& target,
                                        const std::string& table) {
  XLA_ASSIGN_OR_RETURN(const cpu::LlvmApi* llvm, cpu::LlvmApi::Get());
  cpu::Target any;
  any.triple = target.triple;
  any.cpu = absl::StartsWith(target.triple, "x86_64") ? "x86-64" : "generic";
  Ir ir(*llvm, any, "entry");
  const std::string& name = signature.name;
  EmitCreate(ir, name, table);
  EmitForward(ir, absl::StrCat(name, "_destroy"), "xylem_runtime_destroy", {ir.Pointer()}, nullptr);
  EmitForward(ir, absl::StrCat(name, "_scratch_bytes"), "xylem_runtime_scratch_bytes",
              {ir.Pointer(), ir.I32()}, ir.I64());
  EmitForward(ir, absl::StrCat(name, "_run_list"), "xylem_runtime_run",
              {ir.Pointer(), ir.Pointer(), ir.Pointer(), ir.Pointer()}, ir.I32());
  EmitRun(ir, signature);
  XLA_ASSIGN_OR_RETURN(const std::vector<char> object,
                       cpu::GenerateCode(ir, cpu::CodeFormat::kObject));
  return std::string(object.begin(), object.end());
}

}  // namespace xla::aot
