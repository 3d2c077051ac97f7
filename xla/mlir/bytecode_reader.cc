// SPDX-License-Identifier: Apache-2.0
// The operations of MLIR bytecode. Format: MLIR's "Bytecode Format" page.
#include "xla/mlir/bytecode_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/mlir/bytecode_builtin.h"
#include "xla/mlir/bytecode_tables.h"

namespace xla::mlir {
namespace {

enum OperationMask : uint8_t {
  kMaskAttributes = 1,
  kMaskResults = 2,
  kMaskOperands = 4,
  kMaskSuccessors = 8,
  kMaskRegions = 16,
  kMaskUseListOrders = 32,
  kMaskProperties = 64,
};

class ProgramReader {
 public:
  ProgramReader(Source* source, BytecodeTables* tables) : source_(*source), tables_(*tables) {}

  bool ReadProgram() {
    BytecodeCursor cursor = tables_.Section(kIrSection);
    Region top;
    Block* block = context().lasting_arena().New<Block>();
    top.Append(block);
    scopes_.emplace_back();
    uint64_t operations;
    std::vector<Block*> blocks = {block};
    size_t next_value = 0;
    if (!ReadBlockHeader(cursor, block, &operations, &next_value) ||
        !ReadOperations(cursor, block, operations, blocks, &next_value)) {
      return false;
    }
    if (block->first == nullptr || block->first != block->last ||
        !block->first->Is("builtin.module")) {
      return cursor.Fail("expected a single module");
    }
    source_.module = block->first;
    source_.module->block = nullptr;
    return true;
  }

 private:
  using Values = std::vector<Value*>;
  struct Scope {
    Values values;
  };

  Context& context() { return source_.context; }

  bool ReadBlockHeader(BytecodeCursor& cursor, Block* block, uint64_t* operations,
                       size_t* next_value) {
    bool has_arguments;
    if (!cursor.VarIntWithFlag(operations, &has_arguments)) return false;
    if (!has_arguments) return true;
    uint64_t count;
    if (!cursor.Count(&count)) return false;
    block->arguments = context().lasting_arena().NewArray<Value>(static_cast<size_t>(count));
    std::vector<AttributeRef> locations;
    for (size_t i = 0; i < block->arguments.size(); ++i) {
      Value& value = block->arguments[i];
      value.block = block;
      value.index = static_cast<uint32_t>(i);
      uint64_t type;
      bool has_location = true;
      if (tables_.version() >= kElidesUnknownLocations
              ? !cursor.VarIntWithFlag(&type, &has_location)
              : !cursor.VarInt(&type)) {
        return false;
      }
      if (!tables_.TypeAt(cursor, type, &value.type)) return false;
      if (!has_location) continue;
      uint64_t location;
      locations.resize(block->arguments.size(), nullptr);
      if (!cursor.VarInt(&location) || !tables_.AttributeAt(cursor, location, &locations[i]))
        return false;
    }
    block->argument_locations = context().arena().Copy(locations);
    if (!DefineValues(cursor, block->arguments, next_value)) return false;
    if (tables_.version() < kHasUseListOrders) return true;
    uint8_t has_orders;
    if (!cursor.Byte(&has_orders)) return false;
    return has_orders == 0 || SkipUseListOrders(cursor, block->arguments.size());
  }

  bool SkipUseListOrders(BytecodeCursor& cursor, size_t values) {
    uint64_t count = 1;
    if (values > 1 && !cursor.Count(&count)) return false;
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t unused;
      if (values > 1 && !cursor.VarInt(&unused)) return false;
      uint64_t indices;
      bool is_pairs;
      if (!cursor.VarIntWithFlag(&indices, &is_pairs)) return false;
      if (indices > cursor.left()) return cursor.Fail("a list is longer than the file");
      for (uint64_t k = 0; k < indices; ++k) {
        if (!cursor.VarInt(&unused)) return false;
      }
    }
    return true;
  }

  bool DefineValues(BytecodeCursor& cursor, absl::Span<Value> values, size_t* next_value) {
    Scope& scope = scopes_.back();
    if (values.size() > scope.values.size() - std::min(*next_value, scope.values.size())) {
      return cursor.Fail("a region defines more values than it states");
    }
    for (Value& value : values) {
      const size_t index = (*next_value)++;
      scope.values[index] = &value;
    }
    return true;
  }

  bool ReadOperations(BytecodeCursor& cursor, Block* block, uint64_t count,
                      const std::vector<Block*>& blocks, size_t* next_value) {
    for (uint64_t i = 0; i < count; ++i) {
      Operation* operation = ReadOperation(cursor, blocks, next_value);
      if (operation == nullptr) return false;
      block->Append(operation);
    }
    return true;
  }

  Operation* ReadOperation(BytecodeCursor& cursor, const std::vector<Block*>& blocks,
                           size_t* next_value) {
    Arena& arena = context().arena();
    const size_t offset = cursor.offset();
    uint64_t name;
    uint8_t mask;
    uint64_t location;
    if (!cursor.VarInt(&name) || !cursor.Byte(&mask) || !cursor.VarInt(&location)) return nullptr;
    const OperationName* operation_name = tables_.NameAt(cursor, name);
    if (operation_name == nullptr) return nullptr;
    Operation* operation = arena.New<Operation>();
    operation->name = operation_name;
    operation->offset = offset;
    if (!tables_.AttributeAt(cursor, location, &operation->location)) return nullptr;
    if (!ReadAttributes(cursor, name, mask, operation)) return nullptr;
    uint64_t count;
    if ((mask & kMaskResults) != 0) {
      if (!cursor.Count(&count)) return nullptr;
      operation->results = context().lasting_arena().NewArray<Value>(static_cast<size_t>(count));
      for (size_t i = 0; i < operation->results.size(); ++i) {
        Value& value = operation->results[i];
        value.operation = operation;
        value.index = static_cast<uint32_t>(i);
        uint64_t type;
        if (!cursor.VarInt(&type) || !tables_.TypeAt(cursor, type, &value.type)) return nullptr;
      }
    }
    if ((mask & kMaskOperands) != 0) {
      if (!cursor.Count(&count)) return nullptr;
      operation->operands = arena.NewArray<Value*>(static_cast<size_t>(count));
      Scope& scope = scopes_.back();
      for (Value*& operand : operation->operands) {
        uint64_t index;
        if (!cursor.VarInt(&index)) return nullptr;
        if (index >= scope.values.size()) {
          cursor.Fail("there is no such value");
          return nullptr;
        }
        // Blocks follow each other as in text: no value is used before its definition.
        operand = scope.values[static_cast<size_t>(index)];
        if (operand == nullptr) {
          cursor.Fail("a value is used before its definition");
          return nullptr;
        }
      }
    }
    if ((mask & kMaskSuccessors) != 0) {
      if (!cursor.Count(&count)) return nullptr;
      operation->successors = arena.NewArray<Block*>(static_cast<size_t>(count));
      for (Block*& successor : operation->successors) {
        uint64_t index;
        if (!cursor.VarInt(&index)) return nullptr;
        if (index >= blocks.size()) {
          cursor.Fail("there is no such block");
          return nullptr;
        }
        successor = blocks[static_cast<size_t>(index)];
      }
    }
    if (tables_.version() >= kHasUseListOrders && (mask & kMaskUseListOrders) != 0 &&
        !SkipUseListOrders(cursor, operation->results.size())) {
      return nullptr;
    }
    uint64_t regions = 0;
    bool is_isolated = false;
    if ((mask & kMaskRegions) != 0) {
      if (!cursor.VarIntWithFlag(&regions, &is_isolated)) return nullptr;
      if (regions > cursor.left()) {
        cursor.Fail("a list is longer than the file");
        return nullptr;
      }
    }
    // Values of the top level are not counted: nothing there uses them.
    if (!scopes_.back().values.empty() && !DefineValues(cursor, operation->results, next_value)) {
      return nullptr;
    }
    if (regions > 0 && !ReadRegions(cursor, operation, regions, is_isolated)) return nullptr;
    return operation;
  }

  bool ReadAttributes(BytecodeCursor& cursor, uint64_t name, uint8_t mask, Operation* operation) {
    AttributeRef discardable = nullptr;
    if ((mask & kMaskAttributes) != 0) {
      uint64_t index;
      if (!cursor.VarInt(&index) || !tables_.AttributeAt(cursor, index, &discardable)) return false;
      if (discardable->kind != AttributeKind::kDictionary) {
        return cursor.Fail("the attributes of an operation must be a dictionary");
      }
    }
    if ((mask & kMaskProperties) != 0) {
      uint64_t index;
      if (!cursor.VarInt(&index) ||
          !tables_.PropertiesAt(cursor, name, index, &operation->attributes)) {
        return false;
      }
    }
    if (discardable == nullptr) return true;
    const auto& entries = discardable->As<DictionaryAttribute>()->entries;
    if (operation->attributes.empty()) {
      operation->attributes = entries;  // already in the arena
      return true;
    }
    std::vector<NamedAttribute> all(operation->attributes.begin(), operation->attributes.end());
    all.insert(all.end(), entries.begin(), entries.end());
    if (!CheckDistinctNames(all, cursor)) return false;
    operation->attributes = context().arena().Copy(all);
    return true;
  }

  bool ReadRegions(BytecodeCursor& cursor, Operation* operation, uint64_t count, bool is_isolated) {
    if (nesting_ >= kMaxNesting) {
      return cursor.Fail(absl::StrCat("nested deeper than ", kMaxNesting));
    }
    ++nesting_;
    BytecodeCursor own = cursor;
    BytecodeCursor* from = &cursor;
    if (is_isolated && tables_.version() >= kHasIsolatedSections) {
      uint8_t id;
      std::string_view content;
      if (!cursor.Section(&id, &content)) return false;
      if (id != kIrSection) return cursor.Fail("expected a section of operations");
      own = tables_.CursorOf(content);
      from = &own;
    }
    if (is_isolated) scopes_.emplace_back();
    const bool is_function = is_isolated && !operation->Is("builtin.module") &&
                             &context().arena() == &context().lasting_arena();
    std::unique_ptr<Arena> body = is_function ? std::make_unique<Arena>() : nullptr;
    operation->regions = context().arena().NewArray<Region>(static_cast<size_t>(count));
    if (is_function) context().UseArena(body.get());
    bool ok = true;
    for (Region& region : operation->regions) {
      region.parent = operation;
      ok = ok && ReadRegion(*from, &region);
    }
    if (is_function) {
      context().UseArena(nullptr);
      const Block* first = operation->regions[0].first;
      if (first != nullptr) source_.bodies.emplace(first, std::move(body));
    }
    if (is_isolated) scopes_.pop_back();
    --nesting_;
    return ok;
  }

  bool ReadRegion(BytecodeCursor& cursor, Region* region) {
    uint64_t count;
    if (!cursor.Count(&count)) return false;
    if (count == 0) return true;
    uint64_t values;
    if (!cursor.Count(&values)) return false;
    std::vector<Block*> blocks(static_cast<size_t>(count));
    for (Block*& block : blocks) {
      block = context().lasting_arena().New<Block>();
      region->Append(block);
    }
    Values& table = scopes_.back().values;
    const size_t first = table.size();
    table.resize(first + static_cast<size_t>(values), nullptr);
    size_t next_value = first;
    for (Block* block : blocks) {
      uint64_t operations;
      if (!ReadBlockHeader(cursor, block, &operations, &next_value) ||
          !ReadOperations(cursor, block, operations, blocks, &next_value)) {
        return false;
      }
    }
    scopes_.back().values.resize(first);
    return true;
  }

  Source& source_;
  BytecodeTables& tables_;
  std::vector<Scope> scopes_;
  int nesting_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Source>> ReadBytecode(std::string data, std::string name,
                                                     const Dialects& dialects,
                                                     absl::Span<const DialectBytecode> encodings) {
  auto source = std::make_unique<Source>();
  source->name = std::move(name);
  source->text = std::move(data);
  if (!IsBytecode(source->text)) {
    return absl::InvalidArgumentError(absl::StrCat(source->name, ": not MLIR bytecode"));
  }
  BytecodeTables tables(source.get(), dialects, encodings);
  if (!tables.Read() || !ProgramReader(source.get(), &tables).ReadProgram()) {
    return tables.ToStatus();
  }
  return source;
}

}  // namespace xla::mlir
