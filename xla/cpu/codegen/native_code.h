// SPDX-License-Identifier: Apache-2.0
// Loads machine code from relocatable ELF objects as LLVM writes them.
#ifndef XLA_CPU_CODEGEN_NATIVE_CODE_H_
#define XLA_CPU_CODEGEN_NATIVE_CODE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace xla::cpu {

// A function that generated code may call by name.
struct ExternalFunction {
  std::string_view name;
  void* address;
};

// The loaded sections of one object. Pages are written first and executable later, never both.
class NativeCode {
 public:
  // Loads an object, resolving undefined functions by `externals`. INTERNAL for unknown relocations
  // or symbols.
  static absl::StatusOr<std::unique_ptr<NativeCode>> Load(
      absl::Span<const char> object, absl::Span<const ExternalFunction> externals);
  // Finds the functions of an object for any machine, to which it gives addresses that tell them
  // apart but cannot be called.
  static absl::StatusOr<std::unique_ptr<NativeCode>> ListFunctions(absl::Span<const char> object);
  ~NativeCode();
  NativeCode(const NativeCode&) = delete;
  NativeCode& operator=(const NativeCode&) = delete;

  // Returns the address of a global function; null if there is none.
  void* Find(std::string_view name) const;
  // All global functions, by name.
  const absl::flat_hash_map<std::string, void*>& functions() const { return functions_; }
  size_t bytes() const { return bytes_; }

 private:
  NativeCode(char* memory, size_t bytes) : memory_(memory), bytes_(bytes) {}

  char* const memory_;
  const size_t bytes_;
  absl::flat_hash_map<std::string, void*> functions_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_NATIVE_CODE_H_
