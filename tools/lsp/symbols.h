// SPDX-License-Identifier: Apache-2.0
// Names in the text of a program, HLO or MLIR: where they are defined and used. Works on any text,
// also while it is being typed.
#ifndef XYLEM_TOOLS_LSP_SYMBOLS_H_
#define XYLEM_TOOLS_LSP_SYMBOLS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xla::lsp {

enum class SymbolKind : uint8_t { kInstruction, kComputation };

struct Symbol {
  SymbolKind kind;
  std::string name;       // without '%' and '@'
  int64_t scope = -1;     // the computation, region or function where it is visible; -1: everywhere
  size_t definition = 0;  // index of an occurrence
};

// A name in the text.
struct Occurrence {
  size_t begin = 0, end = 0;  // bytes, without '%' and '@'
  int64_t symbol = -1;        // -1: nothing defines it
  bool is_definition = false;
};

struct Block {
  size_t begin = 0, end = 0;  // bytes: from its header to its closing brace
  int64_t symbol = -1;        // of a computation or function
};

struct SymbolIndex {
  std::vector<Symbol> symbols;
  std::vector<Occurrence> occurrences;  // by place
  std::vector<Block> blocks;            // computations of HLO, functions of MLIR

  // The occurrence at a place or directly before it; null if there is none.
  const Occurrence* At(size_t offset) const;
  // All of one symbol, in order.
  std::vector<Occurrence> Of(int64_t symbol) const;
  // The block around a place; null outside of all.
  const Block* BlockAt(size_t offset) const;
  // What is defined before a place and visible there.
  std::vector<const Symbol*> VisibleAt(size_t offset) const;
};

// Linear time.
SymbolIndex IndexSymbols(std::string_view text, bool is_mlir);

// Whether the name can be one of an instruction or computation as it is.
bool IsName(std::string_view name);

}  // namespace xla::lsp

#endif  // XYLEM_TOOLS_LSP_SYMBOLS_H_
