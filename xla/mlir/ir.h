// SPDX-License-Identifier: Apache-2.0
// MLIR programs of any dialect: operations, regions, blocks and values, plain structs in the arena
// of a context.
//
//   for (Operation& operation : block) {
//     for (Value* operand : operation.operands) ...
//   }
#ifndef XLA_MLIR_IR_H_
#define XLA_MLIR_IR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "xla/mlir/attributes.h"
#include "xla/mlir/types.h"

namespace xla::mlir {

struct Block;
struct Operation;
struct OperationSyntax;
struct Region;

// One for each distinct name of a context.
struct OperationName {
  std::string_view text;                    // "stablehlo.add"
  const OperationSyntax* syntax = nullptr;  // null if the operation is not registered
};

struct Value {
  TypeRef type = nullptr;
  Operation* operation = nullptr;  // which it is a result of; null for arguments of blocks
  Block* block = nullptr;          // which it is an argument of; null for results
  uint32_t index = 0;              // among the results or arguments
  uint32_t id = 0;                 // for users of the program, 0 at first
};

struct Operation {
  const OperationName* name = nullptr;
  absl::Span<Value*> operands;
  absl::Span<Value> results;
  // Those of the properties ("<{..}>") first, then the others.
  absl::Span<const NamedAttribute> attributes;
  absl::Span<Region> regions;
  absl::Span<Block*> successors;
  AttributeRef location = nullptr;  // null if none is given
  size_t offset = 0;                // in the source, for messages
  Block* block = nullptr;
  Operation* previous = nullptr;
  Operation* next = nullptr;

  bool Is(std::string_view a_name) const { return name->text == a_name; }
  AttributeRef Find(std::string_view attribute) const {
    return FindAttribute(attributes, attribute);
  }
};

struct Block {
  absl::Span<Value> arguments;
  absl::Span<const AttributeRef> argument_locations;  // empty, or with nulls where none is given
  Operation* first = nullptr;
  Operation* last = nullptr;
  Region* region = nullptr;
  Block* next = nullptr;

  class Iterator {
   public:
    explicit Iterator(Operation* at) : at_(at) {}
    Operation& operator*() const { return *at_; }
    Iterator& operator++() {
      at_ = at_->next;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    Operation* at_;
  };
  Iterator begin() const { return Iterator(first); }
  Iterator end() const { return Iterator(nullptr); }

  void Append(Operation* operation) {
    operation->block = this;
    operation->previous = last;
    operation->next = nullptr;
    (last == nullptr ? first : last->next) = operation;
    last = operation;
  }
  void Remove(Operation* operation) {
    (operation->previous == nullptr ? first : operation->previous->next) = operation->next;
    (operation->next == nullptr ? last : operation->next->previous) = operation->previous;
  }
};

struct Region {
  Block* first = nullptr;
  Block* last = nullptr;
  Operation* parent = nullptr;

  bool empty() const { return first == nullptr; }
  bool HasOneBlock() const { return first != nullptr && first == last; }
  void Append(Block* block) {
    block->region = this;
    block->next = nullptr;
    (last == nullptr ? first : last->next) = block;
    last = block;
  }
};

// The generic form of an operation and all within it, with names %0, %1.. of its own. With
// `locations`, those follow as MLIR prints them.
std::string ToString(const Operation& operation, bool locations = false);

// Whether an operation, or an argument of a block within it, has a location that is known.
bool HasLocations(const Operation& operation);

// True if both print the same but for locations and the order of attributes.
bool Equivalent(const Operation& a, const Operation& b, std::string* difference);

}  // namespace xla::mlir

#endif  // XLA_MLIR_IR_H_
