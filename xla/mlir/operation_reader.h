// SPDX-License-Identifier: Apache-2.0
// Reads operations from MLIR text: the generic form of any, the pretty form of those registered.
#ifndef XLA_MLIR_OPERATION_READER_H_
#define XLA_MLIR_OPERATION_READER_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "xla/mlir/source.h"

namespace xla::mlir {

// %name or %name#number, before its type is known.
struct OperandName {
  std::string_view name;
  uint32_t number = 0;
  size_t offset = 0;
};

// %name: type loc(..)
struct NamedArgument {
  std::string_view name;
  TypeRef type = nullptr;
  size_t offset = 0;
  AttributeRef location = nullptr;
};

// What a parse function fills.
struct OperationState {
  const OperationName* name = nullptr;
  size_t offset = 0;
  absl::InlinedVector<OperandName, 6> operands;
  absl::InlinedVector<TypeRef, 6> operand_types;  // one per operand in the end
  absl::InlinedVector<TypeRef, 2> result_types;
  std::vector<NamedAttribute> attributes;
  absl::InlinedVector<Region, 2> regions;
  absl::InlinedVector<Block*, 1> successors;
  AttributeRef location = nullptr;

  void AddAttribute(std::string_view attribute, AttributeRef value) {
    attributes.push_back({attribute, value});
  }
};

class OperationReader {
 public:
  OperationReader(Source* source, const Dialects& dialects);

  // The whole file.
  bool ReadFile();

  AttributeReader& attributes() { return attributes_; }
  TextCursor& cursor() { return attributes_.cursor(); }
  Context& context() { return source_.context; }
  Arena& arena() { return source_.context.arena(); }
  Source& source() { return source_; }

  // --- Parts of operations; false after an error ---
  bool ParseOperand(OperandName* operand);
  // Zero or more, separated by commas.
  bool ParseOperands(OperationState& state);
  bool ParseArgument(NamedArgument* argument);
  // {a = 1}, if it is there. What it repeats of the attributes that are known: an error, or the one
  // or the other is kept.
  enum class Repeated : uint8_t { kError, kReplaced, kIgnored };
  bool ParseOptionalDictionary(OperationState& state, Repeated repeated = Repeated::kError);
  // "(types) -> types": appended to the types of operands and results.
  bool ParseFunctionalType(OperationState& state);
  bool ParseTypes(absl::InlinedVector<TypeRef, 6>* types);
  // "{..}". `arguments` are those of the first block, if it does not name its own.
  bool ParseRegion(OperationState& state, absl::Span<const NamedArgument> arguments);
  // ^block
  bool ParseSuccessor(OperationState& state);
  // A trailing "loc(..)", if it is there.
  bool ParseOptionalLocation(AttributeRef* location);

  // Makes the operation: looks up its operands, whose types must be known.
  Operation* Create(OperationState& state);

  // Within a parse function: a block of the next region, operations for it, values.
  const OperationName* Name(std::string_view name) { return source_.Name(name, dialects_); }
  // An operation with the given operands, without names.
  Operation* CreateSimple(std::string_view name, absl::Span<Value* const> operands,
                          absl::Span<const TypeRef> result_types, size_t offset);

 private:
  struct NamedValues {
    Value* first = nullptr;
    uint32_t count = 0;
    size_t offset = 0;  // of the definition
  };
  struct ForwardUse {
    Value** slot;
    OperandName operand;
    TypeRef type;
    Operation* user = nullptr;
  };
  // The names of an isolated region and those within it.
  struct NameScope {
    std::vector<NamedValues> numbered;  // those that are numbers; entries may be empty
    absl::flat_hash_map<std::string_view, NamedValues> values;
    std::vector<std::string_view> log;  // of regions within, in the order of definition
    std::vector<ForwardUse> forward;
    int regions = 0;  // that are open

    const NamedValues* Find(std::string_view name) const;
    // Null if the name is taken.
    const NamedValues* Add(std::string_view name, const NamedValues& values);
    void Remove(std::string_view name);
  };
  struct BlockScope {
    struct Entry {
      Block* block;
      bool is_defined;
      size_t offset;
    };
    absl::flat_hash_map<std::string_view, Entry> blocks;
  };

  bool ParseTopLevel(Block* body);
  bool ParseAliasDefinition();
  bool ParseResources();
  bool ParseResourceGroup(bool has_blobs);
  Operation* ParseOperation();
  bool ParseGeneric(OperationState& state);
  bool ParsePretty(OperationState& state);
  bool ParseSuccessors(OperationState& state);
  bool ParseRegionBody(Region* region, absl::Span<const NamedArgument> arguments);
  bool ParseBlockHeader(Region* region, Block** block);
  bool ParseOperations(Block* block);
  Block* FindBlock(std::string_view name, size_t offset);

  bool Define(std::string_view name, Value* first, uint32_t count, size_t offset);
  bool DefineArguments(Block* block, absl::Span<const NamedArgument> arguments);
  bool Resolve(const OperandName& operand, TypeRef type, Value** slot);
  // `owner` is the operation that has the region; null at the end of the file.
  bool FinishForwardUses(NameScope& scope, size_t first, const OperationName* owner);

  Source& source_;
  const Dialects& dialects_;
  AttributeReader attributes_;
  std::vector<std::unique_ptr<NameScope>> scopes_;
  std::vector<BlockScope> block_scopes_;
  std::vector<std::string_view> default_dialects_;
};

}  // namespace xla::mlir

#endif  // XLA_MLIR_OPERATION_READER_H_
