// SPDX-License-Identifier: Apache-2.0
// One MLIR module as it was read: the program, what owns it, and its resources.
#ifndef XLA_MLIR_SOURCE_H_
#define XLA_MLIR_SOURCE_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/mlir/attribute_reader.h"
#include "xla/mlir/context.h"
#include "xla/mlir/ir.h"

namespace xla::mlir {

class OperationPrinter;
class OperationReader;
struct OperationState;

// How an operation is written, and what the reader must know of it.
struct OperationSyntax {
  std::string_view name;
  // Its pretty form; see operation_format.h. Empty: the generic form only.
  std::string_view format;
  // Reads the pretty form where a format cannot tell it.
  bool (*parse)(OperationReader& reader, OperationState& state) = nullptr;
  // Its regions see no values of outside.
  bool is_isolated = false;
  // Operations in its regions may be written without this dialect.
  std::string_view default_dialect;
  // Writes what follows the name in the pretty form that `parse` reads. False: the operation has
  // only the generic form.
  bool (*print)(OperationPrinter& printer, const Operation& operation) = nullptr;
  // The operation that this is another spelling of; empty: none.
  std::string_view stands_for;
};

// The dialects that a reader knows.
class Dialects {
 public:
  Dialects();  // builtin

  void Add(const DialectSyntax& syntax) { syntaxes_.push_back(syntax); }
  void Add(absl::Span<const OperationSyntax> operations);
  // All known operations of a dialect are also read under the name of another dialect.
  void AddDialectAlias(std::string_view alias, std::string_view dialect);

  absl::Span<const DialectSyntax> syntaxes() const { return syntaxes_; }
  // The names of all operations, in alphabetical order.
  std::vector<std::string_view> OperationNames() const;
  // How `name` is written; the name of what is found differs where it is that of an alias.
  const OperationSyntax* Find(std::string_view name) const {
    const auto found = operations_.find(name);
    return found == operations_.end() ? nullptr : found->second;
  }

 private:
  std::vector<DialectSyntax> syntaxes_;
  absl::flat_hash_map<std::string_view, const OperationSyntax*> operations_;
  std::vector<std::unique_ptr<const std::string>> aliases_;  // names in the map
};

struct Source {
  std::string name;  // of the file
  std::string text;  // the bytes read; nodes point into them
  Context context;
  Operation* module = nullptr;  // builtin.module
  // Data of dense_resource<key>, without MLIR's header of alignment.
  absl::flat_hash_map<std::string_view, absl::Span<const char>> resources;
  // The memory of the operations in the body of a function, values and blocks excepted.
  absl::flat_hash_map<const Block*, std::unique_ptr<Arena>> bodies;
  absl::flat_hash_map<std::string_view, std::unique_ptr<OperationName>> names;

  // Of the operation that `name` stands for, should it be an alias.
  const OperationName* Name(std::string_view name, const Dialects& dialects);
};

// Reads a file of one module: `module {..}`, or operations that a module is put around.
absl::StatusOr<std::unique_ptr<Source>> ReadText(std::string text, std::string name,
                                                 const Dialects& dialects);

// The parts of a text between lines that start with "// -----". Lines are counted from the start
// of the part.
std::vector<std::string_view> SplitInput(std::string_view text);

}  // namespace xla::mlir

#endif  // XLA_MLIR_SOURCE_H_
