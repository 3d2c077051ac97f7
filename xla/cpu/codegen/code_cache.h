// SPDX-License-Identifier: Apache-2.0
// Caches machine code on disk, for later compilations of the same code by any process.
#ifndef XLA_CPU_CODEGEN_CODE_CACHE_H_
#define XLA_CPU_CODEGEN_CODE_CACHE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "xla/cpu/codegen/ir.h"

namespace xla::cpu {

// A folder with one file for each LLVM module: its key (version of the library and of LLVM,
// processor, features, LLVM IR) and the object that LLVM made of it. There are no errors: a file
// that cannot be read, is incomplete or belongs to another key counts as missing, and a file that
// cannot be written is not kept. Files are written under temporary names and renamed, so that
// several processes may share a folder. Whoever can write to the folder can make its users run any
// code, so it is created for the owner alone.
class CodeCache {
 public:
  // `directory` is created if it is missing. If it is empty, nothing is cached.
  CodeCache(std::string directory, const Target& target, std::string_view llvm_version);

  bool is_enabled() const { return !directory_.empty(); }
  // Returns the object, or nothing if it is not cached.
  std::vector<char> Find(std::string_view llvm_ir) const;
  void Store(std::string_view llvm_ir, absl::Span<const char> object) const;

 private:
  std::string KeyOf(std::string_view llvm_ir) const;
  std::string PathOf(std::string_view key) const;

  const std::string directory_;
  std::string prefix_;  // of keys
};

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_CODE_CACHE_H_
