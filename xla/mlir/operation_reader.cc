// SPDX-License-Identifier: Apache-2.0
// Operations, regions and names in MLIR text.
#include "xla/mlir/operation_reader.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/base/suggestion.h"
#include "xla/mlir/operation_format.h"

namespace xla::mlir {
namespace {

constexpr int64_t kMaxResults = 1 << 20;

std::string Shown(const OperandName& operand) {
  return operand.number == 0 ? absl::StrCat("'%", View(operand.name), "'")
                             : absl::StrCat("'%", View(operand.name), "#", operand.number, "'");
}

// The number that a name is; kNoNumber if it is none, or a long one.
constexpr size_t kNoNumber = std::numeric_limits<size_t>::max();
size_t NumberOf(std::string_view name) {
  constexpr size_t kMaxDigits = 8;
  if (name.size() > kMaxDigits || (name.size() > 1 && name[0] == '0')) return kNoNumber;
  size_t number = 0;
  for (const char c : name) {
    if (!TextCursor::IsDigit(c)) return kNoNumber;
    number = number * 10 + static_cast<size_t>(c - '0');
  }
  return number;
}

}  // namespace

OperationReader::OperationReader(Source* source, const Dialects& dialects)
    : source_(*source),
      dialects_(dialects),
      attributes_(source->text, &source->context, dialects.syntaxes()) {}

// --- Names of values ---

const OperationReader::NamedValues* OperationReader::NameScope::Find(std::string_view name) const {
  const size_t number = NumberOf(name);
  if (number < numbered.size() && numbered[number].first != nullptr) return &numbered[number];
  const auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

// Numbers far beyond those seen so far go to the map, so that the list does not outgrow the text.
const OperationReader::NamedValues* OperationReader::NameScope::Add(std::string_view name,
                                                                    const NamedValues& added) {
  constexpr size_t kSlack = 16;
  if (Find(name) != nullptr) return nullptr;
  const size_t number = NumberOf(name);
  if (number != kNoNumber && number < numbered.size() + kSlack) {
    if (number >= numbered.size()) numbered.resize(number + 1);
    return &(numbered[number] = added);
  }
  return &values.emplace(name, added).first->second;
}

void OperationReader::NameScope::Remove(std::string_view name) {
  const size_t number = NumberOf(name);
  if (number < numbered.size() && numbered[number].first != nullptr) {
    numbered[number] = {};
  } else {
    values.erase(name);
  }
}

bool OperationReader::Define(std::string_view name, Value* first, uint32_t count, size_t offset) {
  NameScope& scope = *scopes_.back();
  if (scope.Add(name, {first, count, offset}) == nullptr) {
    return cursor().FailAt(offset, absl::StrCat("value '%", View(name), "' is defined twice"));
  }
  // The names of the outermost region end with the scope.
  if (scope.regions > 1) scope.log.push_back(name);
  return true;
}

bool OperationReader::Resolve(const OperandName& operand, TypeRef type, Value** slot) {
  NameScope& scope = *scopes_.back();
  const NamedValues* found = scope.Find(operand.name);
  if (found == nullptr) {
    scope.forward.push_back({slot, operand, type});
    return true;
  }
  if (operand.number >= found->count) {
    return cursor().FailAt(operand.offset, absl::StrCat(Shown(operand), ": there are only ",
                                                        found->count, " results"));
  }
  Value* value = found->first + operand.number;
  if (value->type != type) {
    return cursor().FailAt(operand.offset,
                           absl::StrCat(Shown(operand), " is of type ", ToString(value->type),
                                        ", but used as ", ToString(type)));
  }
  *slot = value;
  return true;
}

// Sets the uses of names that a region defines, at its end; the others stay. Regions of modules and
// of operations that are not registered are graphs: what they define may be used before.
bool OperationReader::FinishForwardUses(NameScope& scope, size_t first,
                                        const OperationName* owner) {
  const bool is_graph =
      owner == nullptr || owner->syntax == nullptr || owner->text == "builtin.module";
  size_t kept = first;
  for (size_t i = first; i < scope.forward.size(); ++i) {
    const ForwardUse use = scope.forward[i];
    if (scope.Find(use.operand.name) == nullptr) {
      scope.forward[kept++] = use;
      continue;
    }
    const size_t before = scope.forward.size();
    if (!Resolve(use.operand, use.type, use.slot)) return false;
    scope.forward.resize(before);
    const Value* value = *use.slot;
    const Operation* definition = value->operation;
    if (definition != nullptr && definition->block == use.user->block && !is_graph) {
      return cursor().FailAt(use.operand.offset,
                             absl::StrCat(Shown(use.operand), " is used before its definition"));
    }
  }
  scope.forward.resize(kept);
  return true;
}

bool OperationReader::DefineArguments(Block* block, absl::Span<const NamedArgument> arguments) {
  block->arguments = context().lasting_arena().NewArray<Value>(arguments.size());
  std::vector<AttributeRef> locations;
  for (const NamedArgument& argument : arguments) {
    if (argument.location != nullptr) locations.resize(arguments.size(), nullptr);
  }
  for (size_t i = 0; i < locations.size(); ++i) locations[i] = arguments[i].location;
  block->argument_locations = arena().Copy(locations);
  for (size_t i = 0; i < arguments.size(); ++i) {
    Value& value = block->arguments[i];
    value.type = arguments[i].type;
    value.block = block;
    value.index = static_cast<uint32_t>(i);
    if (!Define(arguments[i].name, &value, 1, arguments[i].offset)) return false;
  }
  return true;
}

// --- Parts ---

bool OperationReader::ParseOperand(OperandName* operand) {
  TextCursor& c = cursor();
  operand->offset = c.offset();
  if (!c.Peek('%')) return c.FailExpected("an operand ('%')");
  c.Seek(c.offset() + 1);
  operand->name = c.SuffixName();
  if (operand->name.empty()) return c.FailExpected("the name of a value");
  if (c.Peek('#') && TextCursor::IsDigit(c.PeekChar(1))) {
    c.Seek(c.offset() + 1);
    int64_t number;
    if (!c.Digits(&number)) return false;
    c.SkipSpace();
    if (number > kMaxResults) return c.FailAt(operand->offset, "there is no such result");
    operand->number = static_cast<uint32_t>(number);
  }
  return true;
}

bool OperationReader::ParseOperands(OperationState& state) {
  if (!cursor().Peek('%')) return true;
  do {
    state.operands.emplace_back();
    if (!ParseOperand(&state.operands.back())) return false;
  } while (cursor().Consume(','));
  return true;
}

bool OperationReader::ParseArgument(NamedArgument* argument) {
  OperandName name;
  if (!ParseOperand(&name)) return false;
  if (name.number != 0) return cursor().FailAt(name.offset, "an argument has no result number");
  argument->name = name.name;
  argument->offset = name.offset;
  if (!cursor().Expect(':')) return false;
  argument->type = attributes_.ParseType();
  return argument->type != nullptr && ParseOptionalLocation(&argument->location);
}

bool OperationReader::ParseOptionalDictionary(OperationState& state, Repeated repeated) {
  if (!cursor().Peek('{')) return true;
  const size_t begin = cursor().offset();
  std::vector<NamedAttribute> entries;
  if (!attributes_.ParseEntries(&entries)) return false;
  const size_t known = state.attributes.size();
  for (const NamedAttribute& entry : entries) {
    size_t i = 0;
    while (i < known && state.attributes[i].name != entry.name) ++i;
    if (i == known) {
      state.attributes.push_back(entry);
    } else if (repeated == Repeated::kError) {
      return cursor().FailAt(begin,
                             absl::StrCat("attribute '", View(entry.name), "' is given twice"));
    } else if (repeated == Repeated::kReplaced) {
      state.attributes[i].value = entry.value;
    }
  }
  return true;
}

bool OperationReader::ParseTypes(absl::InlinedVector<TypeRef, 6>* types) {
  do {
    const TypeRef type = attributes_.ParseType();
    if (type == nullptr) return false;
    types->push_back(type);
  } while (cursor().Consume(','));
  return true;
}

bool OperationReader::ParseFunctionalType(OperationState& state) {
  TextCursor& c = cursor();
  if (!c.Expect('(')) return false;
  if (!c.Peek(')') && !ParseTypes(&state.operand_types)) return false;
  if (!c.Expect(')') || !c.ExpectText("->")) return false;
  absl::InlinedVector<TypeRef, 6> results;
  if (c.Peek('(')) {
    // "() -> ((..) -> ..)" is a result that is a function.
    c.Consume('(');
    if (!c.Peek(')') && !ParseTypes(&results)) return false;
    if (!c.Expect(')')) return false;
  } else {
    results.push_back(attributes_.ParseType());
    if (results.back() == nullptr) return false;
  }
  state.result_types.assign(results.begin(), results.end());
  return true;
}

bool OperationReader::ParseOptionalLocation(AttributeRef* location) {
  if (!cursor().Peek('l') || !cursor().PeekWord("loc")) return true;
  const size_t begin = cursor().offset();
  cursor().Word();
  const bool is_location = cursor().Peek('(');
  cursor().Seek(begin);
  if (!is_location) return true;
  *location = attributes_.ParseLocation();
  return *location != nullptr;
}

// --- Regions and blocks ---

bool OperationReader::ParseRegion(OperationState& state,
                                  absl::Span<const NamedArgument> arguments) {
  const NestingScope nesting(&attributes_);
  if (!nesting.ok()) return false;
  const OperationSyntax* syntax = state.name->syntax;
  const bool is_isolated = syntax != nullptr && syntax->is_isolated;
  const std::string_view dialect = syntax != nullptr ? syntax->default_dialect : std::string_view();
  if (is_isolated) scopes_.push_back(std::make_unique<NameScope>());
  const bool is_function =
      is_isolated && state.name->text != "builtin.module" && &arena() == &context().lasting_arena();
  std::unique_ptr<Arena> body = is_function ? std::make_unique<Arena>() : nullptr;
  if (is_function) context().UseArena(body.get());
  if (!dialect.empty()) default_dialects_.push_back(dialect);
  NameScope& scope = *scopes_.back();
  const size_t first_name = scope.log.size();
  const size_t first_use = scope.forward.size();
  ++scope.regions;
  block_scopes_.emplace_back();

  state.regions.emplace_back();
  Region region;
  bool ok = cursor().Expect('{') && ParseRegionBody(&region, arguments) && cursor().Expect('}');
  if (ok) {
    for (const auto& [name, entry] : block_scopes_.back().blocks) {
      if (!entry.is_defined) {
        ok =
            cursor().FailAt(entry.offset, absl::StrCat("block '^", View(name), "' is not defined"));
      }
    }
  }
  ok = ok && FinishForwardUses(scope, first_use, state.name);
  if (ok && is_isolated && !scope.forward.empty()) {
    const OperandName& operand = scope.forward[0].operand;
    ok = cursor().FailAt(operand.offset, absl::StrCat(Shown(operand), " is not defined"));
  }
  block_scopes_.pop_back();
  for (size_t i = first_name; i < scope.log.size(); ++i) scope.Remove(scope.log[i]);
  scope.log.resize(first_name);
  --scope.regions;
  if (is_function) {
    context().UseArena(nullptr);
    if (region.first != nullptr) source_.bodies.emplace(region.first, std::move(body));
  }
  if (is_isolated) scopes_.pop_back();
  if (!dialect.empty()) default_dialects_.pop_back();
  state.regions.back() = region;
  return ok;
}

bool OperationReader::ParseRegionBody(Region* region, absl::Span<const NamedArgument> arguments) {
  if (cursor().Peek('}') && arguments.empty()) return true;  // a region without blocks
  Block* block = nullptr;
  if (arguments.empty() && cursor().Peek('^')) {
    if (!ParseBlockHeader(region, &block)) return false;
  } else {
    block = context().lasting_arena().New<Block>();
    region->Append(block);
    if (!DefineArguments(block, arguments)) return false;
  }
  while (true) {
    if (!ParseOperations(block)) return false;
    if (!cursor().Peek('^')) return true;
    if (!ParseBlockHeader(region, &block)) return false;
  }
}

Block* OperationReader::FindBlock(std::string_view name, size_t offset) {
  const auto [at, is_new] =
      block_scopes_.back().blocks.try_emplace(name, BlockScope::Entry{nullptr, false, offset});
  if (is_new) at->second.block = context().lasting_arena().New<Block>();
  return at->second.block;
}

bool OperationReader::ParseBlockHeader(Region* region, Block** block) {
  TextCursor& c = cursor();
  const size_t begin = c.offset();
  c.Seek(begin + 1);
  const std::string_view name = c.SuffixName();
  if (name.empty()) return c.FailExpected("the name of a block");
  *block = FindBlock(name, begin);
  BlockScope::Entry& entry = block_scopes_.back().blocks.find(name)->second;
  if (entry.is_defined) {
    return c.FailAt(begin, absl::StrCat("block '^", View(name), "' is defined twice"));
  }
  entry.is_defined = true;
  std::vector<NamedArgument> arguments;
  if (c.Consume('(') && !c.Consume(')')) {
    do {
      arguments.emplace_back();
      if (!ParseArgument(&arguments.back())) return false;
    } while (c.Consume(','));
    if (!c.Expect(')')) return false;
  }
  region->Append(*block);
  return c.Expect(':') && DefineArguments(*block, arguments);
}

bool OperationReader::ParseOperations(Block* block) {
  while (!cursor().Peek('}') && !cursor().Peek('^') && !cursor().AtEnd()) {
    Operation* operation = ParseOperation();
    if (operation == nullptr) return false;
    block->Append(operation);
  }
  return true;
}

// --- Operations ---

Operation* OperationReader::ParseOperation() {
  TextCursor& c = cursor();
  OperationState state;
  state.offset = c.offset();
  struct ResultName {
    std::string_view name;
    uint32_t count;
    size_t offset;
  };
  absl::InlinedVector<ResultName, 2> names;
  if (c.Peek('%')) {
    do {
      ResultName result{{}, 1, c.offset()};
      if (!c.Peek('%')) {
        c.FailExpected("the name of a result ('%')");
        return nullptr;
      }
      c.Seek(c.offset() + 1);
      result.name = c.SuffixName();
      if (result.name.empty()) {
        c.FailExpected("the name of a result");
        return nullptr;
      }
      if (c.Consume(':')) {
        int64_t count;
        if (!c.Digits(&count)) return nullptr;
        c.SkipSpace();
        if (count < 1 || count > kMaxResults) {
          c.FailAt(result.offset, "the number of results must be at least 1");
          return nullptr;
        }
        result.count = static_cast<uint32_t>(count);
      }
      names.push_back(result);
    } while (c.Consume(','));
    if (!c.Expect('=')) return nullptr;
    state.offset = c.offset();
  }
  const bool ok = c.Peek('"') ? ParseGeneric(state) : ParsePretty(state);
  if (!ok || !ParseOptionalLocation(&state.location)) return nullptr;
  Operation* operation = Create(state);
  if (operation == nullptr) return nullptr;
  if (names.empty()) return operation;
  size_t count = 0;
  for (const ResultName& name : names) count += name.count;
  if (count != operation->results.size()) {
    c.FailAt(names[0].offset,
             absl::StrCat(View(operation->name->text), " has ", operation->results.size(),
                          " results, but ", count, " are named"));
    return nullptr;
  }
  Value* value = operation->results.data();
  for (const ResultName& name : names) {
    if (!Define(name.name, value, name.count, name.offset)) return nullptr;
    value += name.count;
  }
  return operation;
}

bool OperationReader::ParseGeneric(OperationState& state) {
  TextCursor& c = cursor();
  std::string_view name;
  if (!c.String(&name)) return false;
  if (name.empty()) return c.FailAt(state.offset, "the name of an operation is empty");
  state.name = Name(name);
  if (!c.Expect('(') || !ParseOperands(state) || !c.Expect(')')) return false;
  if (c.Peek('[') && !ParseSuccessors(state)) return false;
  if (c.PeekText("<{")) {
    c.Consume('<');
    if (!ParseOptionalDictionary(state) || !c.Expect('>')) return false;
  }
  if (c.Peek('(')) {
    c.Consume('(');
    do {
      if (!ParseRegion(state, {})) return false;
    } while (c.Consume(','));
    if (!c.Expect(')')) return false;
  }
  // The properties of a registered operation are kept where both state an attribute, as MLIR does.
  const Repeated repeated = state.name->syntax == nullptr ? Repeated::kError : Repeated::kIgnored;
  return ParseOptionalDictionary(state, repeated) && c.Expect(':') && ParseFunctionalType(state);
}

bool OperationReader::ParseSuccessors(OperationState& state) {
  TextCursor& c = cursor();
  c.Consume('[');
  if (c.Consume(']')) return true;
  do {
    if (!ParseSuccessor(state)) return false;
  } while (c.Consume(','));
  return c.Expect(']');
}

bool OperationReader::ParseSuccessor(OperationState& state) {
  TextCursor& c = cursor();
  const size_t begin = c.offset();
  if (!c.Peek('^')) return c.FailExpected("a block ('^')");
  c.Seek(begin + 1);
  const std::string_view name = c.SuffixName();
  if (name.empty()) return c.FailExpected("the name of a block");
  if (block_scopes_.empty()) return c.FailAt(begin, "there are no blocks here");
  state.successors.push_back(FindBlock(name, begin));
  return true;
}

bool OperationReader::ParsePretty(OperationState& state) {
  TextCursor& c = cursor();
  std::string_view word = c.PeekWord();
  if (word.empty()) return c.FailExpected("an operation");
  // Names such as "stablehlo.cross-replica-sum" exist in the generic form only.
  std::string full;
  if (word.find('.') == std::string_view::npos) {
    if (word == "module") {
      full = "builtin.module";
    } else {
      full = absl::StrCat(View(default_dialects_.empty() ? "builtin" : default_dialects_.back()),
                          ".", View(word));
    }
    word = full;
  }
  const OperationName* name = Name(word);
  const OperationSyntax* syntax = name->text == word ? name->syntax : dialects_.Find(word);
  if (syntax == nullptr || (syntax->parse == nullptr && syntax->format.empty())) {
    if (syntax != nullptr)
      return c.FailExpected(absl::StrCat("'\"': ", View(word), " has only the generic form"));
    const std::string_view nearest = NearestWord(word, dialects_.OperationNames());
    return c.FailExpected(absl::StrCat(
        "an operation: '", View(word), "' is not known",
        nearest.empty() ? "" : absl::StrCat(" (did you mean '", View(nearest), "'?)")));
  }
  c.Word();
  state.name = name;
  return syntax->parse != nullptr ? syntax->parse(*this, state)
                                  : ParseByFormat(*this, syntax->format, state);
}

Operation* OperationReader::Create(OperationState& state) {
  if (state.operands.size() != state.operand_types.size()) {
    cursor().FailAt(state.offset, absl::StrCat(View(state.name->text), " has ",
                                               state.operands.size(), " operands, but ",
                                               state.operand_types.size(), " types of operands"));
    return nullptr;
  }
  Arena& a = arena();
  Operation* operation = a.New<Operation>();
  operation->name = state.name;
  operation->offset = state.offset;
  operation->location = state.location;
  operation->operands = a.NewArray<Value*>(state.operands.size());
  for (size_t i = 0; i < state.operands.size(); ++i) {
    const size_t pending = scopes_.back()->forward.size();
    if (!Resolve(state.operands[i], state.operand_types[i], &operation->operands[i])) {
      return nullptr;
    }
    if (scopes_.back()->forward.size() > pending) scopes_.back()->forward.back().user = operation;
  }
  operation->results = context().lasting_arena().NewArray<Value>(state.result_types.size());
  for (size_t i = 0; i < state.result_types.size(); ++i) {
    Value& value = operation->results[i];
    value.type = state.result_types[i];
    value.operation = operation;
    value.index = static_cast<uint32_t>(i);
  }
  operation->attributes = a.Copy(state.attributes);
  operation->regions = a.NewArray<Region>(state.regions.size());
  for (size_t i = 0; i < state.regions.size(); ++i) {
    Region& region = operation->regions[i];
    region = state.regions[i];
    region.parent = operation;
    for (Block* block = region.first; block != nullptr; block = block->next) {
      block->region = &region;
    }
  }
  operation->successors = a.NewArray<Block*>(state.successors.size());
  std::copy(state.successors.begin(), state.successors.end(), operation->successors.begin());
  return operation;
}

Operation* OperationReader::CreateSimple(std::string_view name, absl::Span<Value* const> operands,
                                         absl::Span<const TypeRef> result_types, size_t offset) {
  Arena& a = arena();
  Operation* operation = a.New<Operation>();
  operation->name = Name(name);
  operation->offset = offset;
  operation->operands = a.NewArray<Value*>(operands.size());
  std::copy(operands.begin(), operands.end(), operation->operands.begin());
  operation->results = a.NewArray<Value>(result_types.size());
  for (size_t i = 0; i < result_types.size(); ++i) {
    operation->results[i].type = result_types[i];
    operation->results[i].operation = operation;
    operation->results[i].index = static_cast<uint32_t>(i);
  }
  return operation;
}

}  // namespace xla::mlir
