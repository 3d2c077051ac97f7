// SPDX-License-Identifier: Apache-2.0
#include "tools/lsp/symbols.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace xla::lsp {
namespace {

bool IsNameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool IsNamePart(char c, bool is_mlir) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ||
         (is_mlir ? c == '$' : c == '-');
}

struct Token {
  enum class Kind : uint8_t { kName, kMark, kOther };
  Kind kind = Kind::kOther;
  size_t begin = 0, end = 0;  // of a name without its sign
  char mark = 0;              // of kMark; of kName its sign: '%', '@', '^', or 0
  bool starts_line = false;
};

// Names and marks; numbers, strings and comments are skipped or kOther.
class Scanner {
 public:
  Scanner(std::string_view text, bool is_mlir) : text_(text), is_mlir_(is_mlir) {}

  bool Next(Token& token) {
    bool starts_line = position_ == 0;
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == '\n') {
        starts_line = true;
        ++position_;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++position_;
      } else if (!SkipComment()) {
        break;
      }
    }
    if (position_ >= text_.size()) return false;
    token = Token();
    token.starts_line = starts_line;
    token.begin = position_;
    const char c = text_[position_];
    if (c == '"') {
      SkipString();
    } else if (IsNameStart(c) || ((c == '%' || c == '@' || c == '^') && HasNameAt(position_ + 1))) {
      const bool has_sign = !IsNameStart(c);
      if (has_sign) token.mark = c;
      token.begin += has_sign ? 1 : 0;
      position_ = token.begin;
      while (position_ < text_.size() && IsNamePart(text_[position_], is_mlir_)) ++position_;
      // "a->b", "x-1": a name does not end in '-'.
      while (position_ > token.begin + 1 && text_[position_ - 1] == '-') --position_;
      token.kind = Token::Kind::kName;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      while (position_ < text_.size() && IsNamePart(text_[position_], true)) ++position_;
    } else if (c == '-' && position_ + 1 < text_.size() && text_[position_ + 1] == '>') {
      position_ += 2;
      token.kind = Token::Kind::kMark;
      token.mark = '>';
    } else {
      ++position_;
      token.kind = Token::Kind::kMark;
      token.mark = c;
    }
    token.end = position_;
    return true;
  }

 private:
  bool HasNameAt(size_t at) const {
    return at < text_.size() &&
           (IsNameStart(text_[at]) || std::isdigit(static_cast<unsigned char>(text_[at])) != 0);
  }
  bool SkipComment() {
    const std::string_view rest = text_.substr(position_, 2);
    if (rest == "//") {
      const size_t end = text_.find('\n', position_);
      position_ = end == std::string_view::npos ? text_.size() : end;
      return true;
    }
    if (rest == "/*") {
      const size_t end = text_.find("*/", position_ + 2);
      position_ = end == std::string_view::npos ? text_.size() : end + 2;
      return true;
    }
    return false;
  }
  void SkipString() {
    for (++position_; position_ < text_.size() && text_[position_] != '"'; ++position_) {
      // A string that is being typed ends with its line.
      if (text_[position_] == '\n') return;
      if (text_[position_] == '\\') ++position_;
    }
    position_ = std::min(position_ + 1, text_.size());
  }

  const std::string_view text_;
  const bool is_mlir_;
  size_t position_ = 0;
};

std::vector<Token> Scan(std::string_view text, bool is_mlir) {
  Scanner scanner(text, is_mlir);
  std::vector<Token> tokens;
  Token token;
  while (scanner.Next(token)) tokens.push_back(token);
  return tokens;
}

// Attributes whose values are computations.
bool CallsComputations(std::string_view attribute) {
  static const std::set<std::string_view> names = {"to_apply",
                                                   "calls",
                                                   "body",
                                                   "condition",
                                                   "select",
                                                   "scatter",
                                                   "comparator",
                                                   "branch_computations",
                                                   "true_computation",
                                                   "false_computation",
                                                   "called_computations",
                                                   "async_execution_computation"};
  return names.contains(attribute);
}

class Indexer {
 public:
  Indexer(std::string_view text, bool is_mlir) : text_(text), tokens_(Scan(text, is_mlir)) {}

 protected:
  std::string_view Text(const Token& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }
  bool IsMark(size_t i, char mark) const {
    return i < tokens_.size() && tokens_[i].kind == Token::Kind::kMark && tokens_[i].mark == mark;
  }
  bool IsName(size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == Token::Kind::kName;
  }
  int64_t Define(size_t i, SymbolKind kind, int64_t scope) {
    const auto symbol = static_cast<int64_t>(index_.symbols.size());
    index_.symbols.push_back(
        {kind, std::string(Text(tokens_[i])), scope, index_.occurrences.size()});
    index_.occurrences.push_back({tokens_[i].begin, tokens_[i].end, symbol, true});
    return symbol;
  }
  // Ends the work: by place, with the definitions that symbols refer to.
  SymbolIndex Finish() {
    std::stable_sort(index_.occurrences.begin(), index_.occurrences.end(),
                     [](const Occurrence& a, const Occurrence& b) { return a.begin < b.begin; });
    for (size_t i = 0; i < index_.occurrences.size(); ++i) {
      const Occurrence& occurrence = index_.occurrences[i];
      if (occurrence.is_definition)
        index_.symbols[static_cast<size_t>(occurrence.symbol)].definition = i;
    }
    return std::move(index_);
  }

  const std::string_view text_;
  const std::vector<Token> tokens_;
  SymbolIndex index_;
};

class HloIndexer : public Indexer {
 public:
  explicit HloIndexer(std::string_view text) : Indexer(text, false) {}

  SymbolIndex Run() {
    FindDefinitions();
    for (const Use& use : uses_) Resolve(use);
    return Finish();
  }

 private:
  struct Use {
    size_t token;
    int64_t scope;
    bool is_call;
  };

  // A header of a computation: a name at the start of a line, perhaps after ENTRY, with '{' at the
  // end of what is in parentheses and after the arrow. Returns the token of that brace, or 0.
  size_t BraceOfHeader(size_t i) const {
    if (!tokens_[i].starts_line || !IsName(i)) return 0;
    size_t at = i;
    if (Text(tokens_[at]) == "ENTRY") ++at;
    if (!IsName(at)) return 0;
    int depth = 0;
    for (++at; at < tokens_.size(); ++at) {
      if (IsMark(at, '(') || IsMark(at, '[')) ++depth;
      if (IsMark(at, ')') || IsMark(at, ']')) --depth;
      if (depth == 0 && IsMark(at, '=')) return 0;
      if (depth == 0 && IsMark(at, '{')) {
        // Layouts: f32[2]{0}.
        if (at > 0 && IsMark(at - 1, ']') && !tokens_[at].starts_line &&
            tokens_[at].begin == tokens_[at - 1].end) {
          while (at < tokens_.size() && !IsMark(at, '}')) ++at;
          continue;
        }
        return at;
      }
      if (depth == 0 && tokens_[at].starts_line) return 0;
    }
    return 0;
  }

  void FindDefinitions() {
    int64_t scope = -1;
    int depth = 0;
    std::string_view attribute;
    int attribute_depth = 0;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (scope < 0) {
        if (Text(tokens_[i]) == "HloModule") {
          // The header goes on to the end of its line.
          while (i + 1 < tokens_.size() && !tokens_[i + 1].starts_line) ++i;
          continue;
        }
        const size_t brace = BraceOfHeader(i);
        if (brace == 0) continue;
        const size_t name = Text(tokens_[i]) == "ENTRY" ? i + 1 : i;
        scope = static_cast<int64_t>(index_.blocks.size());
        index_.blocks.push_back({tokens_[i].begin, text_.size(), -1});
        index_.blocks.back().symbol = Define(name, SymbolKind::kComputation, -1);
        i = brace;
        depth = 0;
        continue;
      }
      if (IsMark(i, '{') || IsMark(i, '(')) ++depth;
      if (IsMark(i, ')')) depth = std::max(0, depth - 1);
      if (IsMark(i, '}')) {
        if (depth == 0 || (tokens_[i].starts_line && tokens_[i].begin > 0 &&
                           text_[tokens_[i].begin - 1] == '\n')) {
          index_.blocks.back().end = tokens_[i].end;
          scope = -1;
          depth = 0;
          continue;
        }
        --depth;
      }
      if (!attribute.empty() && depth <= attribute_depth && IsMark(i, ',')) attribute = {};
      if (!IsName(i)) continue;
      const bool begins = depth == 0 && (tokens_[i].starts_line || IsMark(i - 1, '{') ||
                                         (IsName(i - 1) && Text(tokens_[i - 1]) == "ROOT"));
      if (begins && IsMark(i + 1, '=') && !IsMark(i - 1, ',')) {
        Define(i, SymbolKind::kInstruction, scope);
        attribute = {};
        ++i;
        continue;
      }
      if (IsMark(i + 1, '=')) {
        attribute = Text(tokens_[i]);
        attribute_depth = depth;
        continue;
      }
      const bool is_call = CallsComputations(attribute);
      const bool may_be_operand =
          depth > 0 && (attribute.empty() || attribute == "control-predecessors");
      if (is_call || may_be_operand) uses_.push_back({i, scope, is_call});
    }
  }

  void Resolve(const Use& use) {
    if (resolved_ < index_.symbols.size()) {
      for (; resolved_ < index_.symbols.size(); ++resolved_) {
        const Symbol& symbol = index_.symbols[resolved_];
        by_name_.emplace(std::make_pair(symbol.scope, std::string_view(symbol.name)),
                         static_cast<int64_t>(resolved_));
      }
    }
    const Token& token = tokens_[use.token];
    const auto found = by_name_.find({use.is_call ? int64_t{-1} : use.scope, Text(token)});
    // Types and words are no names.
    if (found == by_name_.end() && token.mark != '%') return;
    index_.occurrences.push_back(
        {token.begin, token.end, found == by_name_.end() ? -1 : found->second, false});
  }

  std::vector<Use> uses_;
  size_t resolved_ = 0;
  std::map<std::pair<int64_t, std::string_view>, int64_t> by_name_;
};

class MlirIndexer : public Indexer {
 public:
  explicit MlirIndexer(std::string_view text) : Indexer(text, true) {}

  SymbolIndex Run() {
    FindFunctions();
    scopes_.push_back({});
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (IsMark(i, '(')) ++parentheses_;
      if (IsMark(i, ')')) parentheses_ = std::max(0, parentheses_ - 1);
      if (IsMark(i, '{')) OpenScope(i);
      if (IsMark(i, '}') && scopes_.size() > 1) CloseScope(tokens_[i].end);
      if (!IsName(i)) continue;
      if (tokens_[i].mark == '@') {
        UseFunction(i);
      } else if (tokens_[i].mark == '%') {
        Value(i, parentheses_ > 0);
      }
    }
    return Finish();
  }

 private:
  struct Scope {
    absl::flat_hash_map<std::string_view, int64_t> names;
    int parentheses = 0;  // around it
  };

  void FindFunctions() {
    for (size_t i = 1; i < tokens_.size(); ++i) {
      if (!IsName(i) || tokens_[i].mark != '@') continue;
      // "func.func @f(", "func.func public @f(", "sdy.mesh @mesh =".
      size_t word = i - 1;
      while (word > 0 && IsName(word) &&
             (Text(tokens_[word]) == "public" || Text(tokens_[word]) == "private")) {
        --word;
      }
      if (!IsName(word) || tokens_[word].mark != 0) continue;
      const std::string_view keyword = Text(tokens_[word]);
      if (keyword != "func.func" && keyword != "func" && keyword != "sdy.mesh") continue;
      functions_.emplace(Text(tokens_[i]), Define(i, SymbolKind::kComputation, -1));
      definitions_.insert(i);
    }
  }

  void UseFunction(size_t i) {
    if (definitions_.contains(i)) {
      if (header_ >= 0) index_.blocks[static_cast<size_t>(header_)].end = tokens_[i].begin;
      header_ = static_cast<int64_t>(index_.blocks.size());
      region_of_header_ = 0;
      index_.blocks.push_back({tokens_[i].begin, text_.size(), functions_.at(Text(tokens_[i]))});
      return;
    }
    const auto found = functions_.find(Text(tokens_[i]));
    if (found == functions_.end()) return;
    index_.occurrences.push_back({tokens_[i].begin, tokens_[i].end, found->second, false});
  }

  // A region takes the arguments that stand before it; a dictionary of attributes has none.
  void OpenScope(size_t i) {
    Scope& scope = scopes_.emplace_back();
    scope.parentheses = parentheses_;
    const bool is_dictionary = (parentheses_ > 0 && !IsMark(i - 1, '(') && !IsMark(i - 1, ',')) ||
                               (IsName(i - 1) && Text(tokens_[i - 1]) == "attributes");
    if (is_dictionary) return;
    parentheses_ = 0;
    scope.names = std::move(pending_);
    pending_.clear();
    if (header_ >= 0 && region_of_header_ == 0) region_of_header_ = scopes_.size();
  }
  void CloseScope(size_t end) {
    if (header_ >= 0 && region_of_header_ == scopes_.size()) {
      index_.blocks[static_cast<size_t>(header_)].end = end;
      header_ = -1;
    }
    parentheses_ = scopes_.back().parentheses;
    scopes_.pop_back();
  }

  void Value(size_t i, bool in_parentheses) {
    // "%x = ", "%x, %y = ", "%x:2 = " at the start of a line; "%x: type" and "%x = %y" in
    // parentheses define the arguments of what follows.
    const std::string_view name = Text(tokens_[i]);
    const bool has_type = in_parentheses && IsMark(i + 1, ':') && !IsMark(i + 2, ':');
    const bool is_result = !in_parentheses && DefinesResult(i);
    const bool is_initialized = in_parentheses && IsMark(i + 1, '=');
    if (has_type || is_result || is_initialized) {
      const auto scope = static_cast<int64_t>(index_.blocks.size()) - 1;
      const int64_t symbol = Define(i, SymbolKind::kInstruction, scope);
      // Arguments of blocks, "^bb0(%x: type):", belong to the region that is open.
      (has_type && !AfterLabel(i) ? pending_ : scopes_.back().names)[name] = symbol;
      return;
    }
    int64_t symbol = -1;
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend() && symbol < 0; ++scope) {
      const auto found = scope->names.find(name);
      if (found != scope->names.end()) symbol = found->second;
    }
    index_.occurrences.push_back({tokens_[i].begin, tokens_[i].end, symbol, false});
  }

  bool DefinesResult(size_t i) const {
    size_t first = i;
    while (first > 1 && IsMark(first - 1, ',') && IsName(first - 2) &&
           tokens_[first - 2].mark == '%' && !tokens_[first].starts_line) {
      first -= 2;
    }
    if (!tokens_[first].starts_line && !(first > 0 && IsMark(first - 1, '{'))) return false;
    for (size_t at = i + 1; at < tokens_.size() && at < i + 64; ++at) {
      if (IsMark(at, '=')) return true;
      const bool is_list = IsMark(at, ',') || IsMark(at, ':') || IsName(at) ||
                           tokens_[at].kind == Token::Kind::kOther;
      if (!is_list || tokens_[at].starts_line) return false;
    }
    return false;
  }

  bool AfterLabel(size_t i) const {
    int depth = 0;
    for (size_t at = i; at-- > 0 && i - at < 4096;) {
      if (IsMark(at, ')')) ++depth;
      if (IsMark(at, '(') && depth-- == 0)
        return at > 0 && IsName(at - 1) && tokens_[at - 1].mark == '^';
    }
    return false;
  }

  absl::flat_hash_map<std::string_view, int64_t> functions_;
  std::set<size_t> definitions_;
  std::vector<Scope> scopes_;
  absl::flat_hash_map<std::string_view, int64_t> pending_;
  int parentheses_ = 0;  // within the region that is open
  int64_t header_ = -1;  // the block whose function is open, and how deep its region is
  size_t region_of_header_ = 0;
};

}  // namespace

const Occurrence* SymbolIndex::At(size_t offset) const {
  auto after = std::upper_bound(
      occurrences.begin(), occurrences.end(), offset,
      [](size_t place, const Occurrence& occurrence) { return place < occurrence.begin; });
  if (after == occurrences.begin()) return nullptr;
  --after;
  return offset <= after->end ? &*after : nullptr;
}

std::vector<Occurrence> SymbolIndex::Of(int64_t symbol) const {
  std::vector<Occurrence> found;
  std::copy_if(occurrences.begin(), occurrences.end(), std::back_inserter(found),
               [symbol](const Occurrence& occurrence) { return occurrence.symbol == symbol; });
  return found;
}

const Block* SymbolIndex::BlockAt(size_t offset) const {
  for (const Block& block : blocks) {
    if (offset >= block.begin && offset <= block.end) return &block;
  }
  return nullptr;
}

std::vector<const Symbol*> SymbolIndex::VisibleAt(size_t offset) const {
  const Block* const block = BlockAt(offset);
  std::vector<const Symbol*> visible;
  for (const Symbol& symbol : symbols) {
    if (symbol.kind == SymbolKind::kComputation) {
      visible.push_back(&symbol);
      continue;
    }
    const size_t begin = occurrences[symbol.definition].begin;
    if (block != nullptr && begin >= block->begin && begin < offset) visible.push_back(&symbol);
  }
  return visible;
}

SymbolIndex IndexSymbols(std::string_view text, bool is_mlir) {
  return is_mlir ? MlirIndexer(text).Run() : HloIndexer(text).Run();
}

bool IsName(std::string_view name) {
  if (name.empty() || !(IsNameStart(name[0]))) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return IsNamePart(c, false); }) &&
         name.back() != '-';
}

}  // namespace xla::lsp
