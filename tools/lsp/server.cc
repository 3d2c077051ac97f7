// SPDX-License-Identifier: Apache-2.0
#include "tools/lsp/server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/lsp/document.h"
#include "xla/base/status_macros.h"

namespace xla::lsp {
namespace {

using Json = nlohmann::json;
using DocumentPointer = std::shared_ptr<const Document>;

constexpr int64_t kMostBytes = int64_t{1} << 30;  // of a message
// How long nothing must be typed before a text is read.
constexpr std::chrono::milliseconds kPause(100);

// Codes of JSON-RPC and the protocol.
constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601,
              kInvalidParams = -32602, kNotInitialized = -32002, kRequestFailed = -32803;

// What the server understands an answer to be: a value, or an error with a code.
struct Answer {
  Json result;
  int code = 0;
  std::string message;
};
Answer Failure(int code, std::string message) { return {nullptr, code, std::move(message)}; }

// Strings of clients may hold anything.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<std::string> TextAt(const Json& json, const char* key) {
  if (!json.is_object()) return std::nullopt;
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

const Json& At(const Json& json, const char* key) {
  static const Json none;
  if (!json.is_object()) return none;
  const auto found = json.find(key);
  return found == json.end() ? none : *found;
}

std::optional<Position> PositionAt(const Json& json) {
  const Json& line = At(json, "line");
  const Json& character = At(json, "character");
  if (!line.is_number_integer() || !character.is_number_integer()) return std::nullopt;
  return Position{line.get<int64_t>(), character.get<int64_t>()};
}

class Server {
 public:
  explicit Server(const Connection& connection)
      : connection_(connection), worker_([this] { DiagnoseInBackground(); }) {}
  ~Server() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }

  absl::StatusOr<int> Run() {
    while (true) {
      XLA_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, ReadMessage());
      if (!bytes.has_value()) return is_shut_down_ ? 0 : 1;
      const Json message = Json::parse(*bytes, nullptr, /*allow_exceptions=*/false);
      if (message.is_discarded()) {
        SendError(nullptr, kParseError, "the message is no JSON");
        continue;
      }
      if (At(message, "method") == "exit") return is_shut_down_ ? 0 : 1;
      Handle(message);
    }
  }

 private:
  // --- Messages

  // A line of the header, without its end; none at the end of the input.
  std::optional<std::string> ReadLine() {
    std::string line;
    while (true) {
      const std::optional<char> c = ReadByte();
      if (!c.has_value()) return std::nullopt;
      if (*c == '\n') return line;
      if (*c != '\r') line.push_back(*c);
      if (line.size() > 4096) return line;  // no header of ours
    }
  }
  std::optional<char> ReadByte() {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = connection_.read(buffer_.data(), buffer_.size());
      if (end_ == 0) return std::nullopt;
    }
    return buffer_[begin_++];
  }

  absl::StatusOr<std::optional<std::string>> ReadMessage() {
    int64_t length = -1;
    while (true) {
      const std::optional<std::string> line = ReadLine();
      if (!line.has_value()) return std::nullopt;
      if (line->empty()) {
        if (length >= 0) break;
        continue;  // blank lines between messages
      }
      const std::pair<std::string, std::string> field =
          absl::StrSplit(*line, absl::MaxSplits(':', 1));
      if (absl::EqualsIgnoreCase(field.first, "content-length") &&
          (!absl::SimpleAtoi(field.second, &length) || length < 0 || length > kMostBytes)) {
        return absl::InvalidArgumentError(
            absl::StrCat("the message has the length ", field.second));
      }
      if (field.second.empty() && length < 0) {
        return absl::InvalidArgumentError(
            "this is no message of the Language Server Protocol: it begins with Content-Length");
      }
    }
    std::string bytes;
    while (bytes.size() < static_cast<size_t>(length)) {
      if (begin_ == end_) {
        begin_ = 0;
        end_ = connection_.read(buffer_.data(), buffer_.size());
        if (end_ == 0) return std::nullopt;
      }
      const size_t count = std::min(end_ - begin_, static_cast<size_t>(length) - bytes.size());
      bytes.append(buffer_.data() + begin_, count);
      begin_ += count;
    }
    return bytes;
  }

  void Send(Json message) {
    message["jsonrpc"] = "2.0";
    const std::string text = Dump(message);
    const std::lock_guard<std::mutex> lock(write_mutex_);
    connection_.write(absl::StrCat("Content-Length: ", text.size(), "\r\n\r\n", text));
  }
  void SendError(const Json& id, int code, const std::string& message) {
    Send({{"id", id}, {"error", {{"code", code}, {"message", message}}}});
  }

  void Handle(const Json& message) {
    const std::optional<std::string> method = TextAt(message, "method");
    const Json& id = At(message, "id");
    if (!method.has_value()) {
      // An answer of the client to nothing that was asked, or no message at all.
      if (!message.is_object() || (!message.contains("result") && !message.contains("error")))
        SendError(id, kInvalidRequest, "the message has no method");
      return;
    }
    const Json& params = At(message, "params");
    if (id.is_null()) {
      Notice(*method, params);
      return;
    }
    Answer answer;
    if (!is_initialized_ && *method != "initialize") {
      answer = Failure(kNotInitialized, "the first request is initialize");
    } else if (is_shut_down_) {
      answer = Failure(kInvalidRequest, "the server has been shut down");
    } else {
      answer = Respond(*method, params);
    }
    if (answer.code != 0) {
      SendError(id, answer.code, answer.message);
    } else {
      Send({{"id", id}, {"result", answer.result}});
    }
  }

  void Notice(const std::string& method, const Json& params) {
    const Json& identifier = At(params, "textDocument");
    const std::optional<std::string> uri = TextAt(identifier, "uri");
    if (!uri.has_value()) return;
    if (method == "textDocument/didOpen") {
      Update(*uri, TextAt(identifier, "text").value_or(""), At(identifier, "version"));
    } else if (method == "textDocument/didChange") {
      Change(*uri, At(params, "contentChanges"), At(identifier, "version"));
    } else if (method == "textDocument/didClose") {
      documents_.erase(*uri);
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        waiting_.erase(*uri);
      }
      Publish(*uri, nullptr, Json::array());
    }
  }

  Answer Respond(const std::string& method, const Json& params) {
    if (method == "initialize") return Initialize(params);
    if (method == "shutdown") {
      is_shut_down_ = true;
      return {};
    }
    using Handler = Answer (Server::*)(const Document&, const Json&);
    static const std::map<std::string, Handler, std::less<>> handlers = {
        {"textDocument/definition", &Server::Definition},
        {"textDocument/references", &Server::References},
        {"textDocument/documentHighlight", &Server::Highlights},
        {"textDocument/hover", &Server::Hover},
        {"textDocument/completion", &Server::Completions},
        {"textDocument/formatting", &Server::Format},
        {"textDocument/rename", &Server::Rename},
        {"textDocument/documentSymbol", &Server::Symbols},
        {"textDocument/foldingRange", &Server::Folds}};
    const auto handler = handlers.find(method);
    if (handler == handlers.end())
      return Failure(kMethodNotFound, absl::StrCat("there is no method ", method));
    const std::optional<std::string> uri = TextAt(At(params, "textDocument"), "uri");
    const auto document = documents_.find(uri.value_or(""));
    if (document == documents_.end())
      return Failure(kInvalidParams, "the document has not been opened");
    uri_ = *uri;
    return (this->*handler->second)(*document->second, params);
  }

  Answer Initialize(const Json& params) {
    is_initialized_ = true;
    const Json& encodings = At(At(At(params, "capabilities"), "general"), "positionEncodings");
    counts_bytes_ = encodings.is_array() &&
                    std::find(encodings.begin(), encodings.end(), Json("utf-8")) != encodings.end();
    Json capabilities = {{"positionEncoding", counts_bytes_ ? "utf-8" : "utf-16"},
                         {"textDocumentSync", {{"openClose", true}, {"change", 2}}},
                         {"definitionProvider", true},
                         {"referencesProvider", true},
                         {"documentHighlightProvider", true},
                         {"hoverProvider", true},
                         {"completionProvider", {{"triggerCharacters", {"%", "@", "(", "=", " "}}}},
                         {"documentFormattingProvider", true},
                         {"renameProvider", true},
                         {"documentSymbolProvider", true},
                         {"foldingRangeProvider", true}};
    return {{{"capabilities", std::move(capabilities)},
             {"serverInfo", {{"name", "xylem"}, {"version", XYLEM_VERSION}}}},
            0,
            ""};
  }

  // --- Texts

  void Update(const std::string& uri, std::string text, const Json& version) {
    const auto document = std::make_shared<const Document>(uri, std::move(text));
    documents_[uri] = document;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting_[uri] = {document, version, std::chrono::steady_clock::now() + kPause};
    }
    changed_.notify_all();
  }

  void Change(const std::string& uri, const Json& changes, const Json& version) {
    const auto found = documents_.find(uri);
    if (found == documents_.end() || !changes.is_array()) return;
    std::string text = found->second->text();
    for (const Json& change : changes) {
      const std::optional<std::string> replacement = TextAt(change, "text");
      if (!replacement.has_value()) return;
      const Json& range = At(change, "range");
      if (range.is_null()) {
        text = *replacement;
        continue;
      }
      const auto begin = PositionAt(At(range, "start")), end = PositionAt(At(range, "end"));
      if (!begin.has_value() || !end.has_value()) return;
      const LineMap lines(text, counts_bytes_);
      const size_t from = lines.Offset(*begin), to = lines.Offset(*end);
      text.replace(from, std::max(from, to) - from, *replacement);
    }
    Update(uri, std::move(text), version);
  }

  // --- Diagnostics, on a thread of their own

  struct Waiting {
    DocumentPointer document;
    Json version;
    std::chrono::steady_clock::time_point when;
  };

  void DiagnoseInBackground() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!is_ending_) {
      auto next = std::min_element(
          waiting_.begin(), waiting_.end(),
          [](const auto& a, const auto& b) { return a.second.when < b.second.when; });
      if (next == waiting_.end()) {
        changed_.wait(lock);
        continue;
      }
      if (std::chrono::steady_clock::now() < next->second.when) {
        const auto when = next->second.when;
        changed_.wait_until(lock, when);
        continue;
      }
      const std::string uri = next->first;
      const Waiting waiting = next->second;
      waiting_.erase(next);
      lock.unlock();
      const LineMap lines(waiting.document->text(), counts_bytes_);
      Json list = Json::array();
      for (const Diagnostic& diagnostic : waiting.document->Diagnose()) {
        list.push_back({{"range", Range(lines, diagnostic.begin, diagnostic.end)},
                        {"severity", 1},
                        {"source", "xylem"},
                        {"message", diagnostic.message}});
      }
      Publish(uri, waiting.version, std::move(list));
      lock.lock();
    }
  }

  void Publish(const std::string& uri, const Json& version, Json diagnostics) {
    Json params = {{"uri", uri}, {"diagnostics", std::move(diagnostics)}};
    if (version.is_number_integer()) params["version"] = version;
    Send({{"method", "textDocument/publishDiagnostics"}, {"params", std::move(params)}});
  }

  // --- Requests about one document

  static Json ToJson(const Position& position) {
    return {{"line", position.line}, {"character", position.character}};
  }
  static Json Range(const LineMap& lines, size_t begin, size_t end) {
    return {{"start", ToJson(lines.At(begin))}, {"end", ToJson(lines.At(end))}};
  }
  LineMap LinesOf(const Document& document) const {
    return LineMap(document.text(), counts_bytes_);
  }
  // The place that the parameters name.
  std::optional<size_t> PlaceOf(const Document& document, const Json& params) const {
    const auto position = PositionAt(At(params, "position"));
    if (!position.has_value()) return std::nullopt;
    return LinesOf(document).Offset(*position);
  }
  static Answer NoPlace() { return Failure(kInvalidParams, "the request has no position"); }

  Answer Definition(const Document& document, const Json& params) {
    const auto place = PlaceOf(document, params);
    if (!place.has_value()) return NoPlace();
    const Occurrence* const occurrence = document.index().At(*place);
    if (occurrence == nullptr || occurrence->symbol < 0) return {};
    const Symbol& symbol = document.index().symbols[static_cast<size_t>(occurrence->symbol)];
    const Occurrence& definition = document.index().occurrences[symbol.definition];
    return {{{"uri", uri_}, {"range", Range(LinesOf(document), definition.begin, definition.end)}},
            0,
            ""};
  }

  std::vector<Occurrence> SameSymbol(const Document& document, size_t place) const {
    const Occurrence* const occurrence = document.index().At(place);
    if (occurrence == nullptr || occurrence->symbol < 0) return {};
    return document.index().Of(occurrence->symbol);
  }

  Answer References(const Document& document, const Json& params) {
    const auto place = PlaceOf(document, params);
    if (!place.has_value()) return NoPlace();
    const bool with_definition = At(At(params, "context"), "includeDeclaration") != false;
    const LineMap lines = LinesOf(document);
    Json list = Json::array();
    for (const Occurrence& occurrence : SameSymbol(document, *place)) {
      if (occurrence.is_definition && !with_definition) continue;
      list.push_back({{"uri", uri_}, {"range", Range(lines, occurrence.begin, occurrence.end)}});
    }
    return {std::move(list), 0, ""};
  }

  Answer Highlights(const Document& document, const Json& params) {
    const auto place = PlaceOf(document, params);
    if (!place.has_value()) return NoPlace();
    const LineMap lines = LinesOf(document);
    Json list = Json::array();
    for (const Occurrence& occurrence : SameSymbol(document, *place)) {
      list.push_back({{"range", Range(lines, occurrence.begin, occurrence.end)},
                      {"kind", occurrence.is_definition ? 3 : 2}});
    }
    return {std::move(list), 0, ""};
  }

  Answer Hover(const Document& document, const Json& params) {
    const auto place = PlaceOf(document, params);
    if (!place.has_value()) return NoPlace();
    const std::string text = document.Hover(*place);
    if (text.empty()) return {};
    return {{{"contents", {{"kind", "markdown"}, {"value", text}}}}, 0, ""};
  }

  Answer Completions(const Document& document, const Json& params) {
    const auto place = PlaceOf(document, params);
    if (!place.has_value()) return NoPlace();
    static const std::map<CompletionKind, int> kinds = {{CompletionKind::kOpcode, 3},
                                                        {CompletionKind::kAttribute, 10},
                                                        {CompletionKind::kInstruction, 6},
                                                        {CompletionKind::kComputation, 9}};
    Json list = Json::array();
    for (const Completion& completion : document.Complete(*place)) {
      list.push_back({{"label", completion.label},
                      {"kind", kinds.at(completion.kind)},
                      {"detail", completion.detail}});
    }
    return {std::move(list), 0, ""};
  }

  Answer Format(const Document& document, const Json&) {
    const std::string formatted = document.Formatted();
    if (formatted == document.text()) return {Json::array(), 0, ""};
    return {Json::array({{{"range", Range(LinesOf(document), 0, document.text().size())},
                          {"newText", formatted}}}),
            0, ""};
  }

  Answer Rename(const Document& document, const Json& params) {
    const auto place = PlaceOf(document, params);
    const std::optional<std::string> name = TextAt(params, "newName");
    if (!place.has_value() || !name.has_value()) return NoPlace();
    const absl::StatusOr<std::vector<TextChange>> changes = document.Rename(*place, *name);
    if (!changes.ok()) return Failure(kRequestFailed, std::string(changes.status().message()));
    const LineMap lines = LinesOf(document);
    Json edits = Json::array();
    for (const TextChange& change : *changes)
      edits.push_back(
          {{"range", Range(lines, change.begin, change.end)}, {"newText", change.text}});
    return {{{"changes", {{uri_, std::move(edits)}}}}, 0, ""};
  }

  Answer Symbols(const Document& document, const Json&) {
    const SymbolIndex& index = document.index();
    const LineMap lines = LinesOf(document);
    Json list = Json::array();
    std::vector<Json> children(index.blocks.size(), Json::array());
    const auto entry = [&](const Symbol& symbol, int kind, size_t begin, size_t end) -> Json {
      const Occurrence& definition = index.occurrences[symbol.definition];
      return {
          {"name", symbol.name},
          {"kind", kind},
          {"range", Range(lines, std::min(begin, definition.begin), std::max(end, definition.end))},
          {"selectionRange", Range(lines, definition.begin, definition.end)}};
    };
    for (const Symbol& symbol : index.symbols) {
      if (symbol.kind != SymbolKind::kInstruction || symbol.scope < 0) continue;
      const Occurrence& definition = index.occurrences[symbol.definition];
      const size_t end = document.text().find('\n', definition.end);
      children[static_cast<size_t>(symbol.scope)].push_back(entry(
          symbol, 13, definition.begin, end == std::string::npos ? document.text().size() : end));
    }
    for (size_t i = 0; i < index.blocks.size(); ++i) {
      const Block& block = index.blocks[i];
      Json json =
          entry(index.symbols[static_cast<size_t>(block.symbol)], 12, block.begin, block.end);
      json["children"] = std::move(children[i]);
      list.push_back(std::move(json));
    }
    return {std::move(list), 0, ""};
  }

  Answer Folds(const Document& document, const Json&) {
    const LineMap lines = LinesOf(document);
    Json list = Json::array();
    for (const Block& block : document.index().blocks) {
      const int64_t first = lines.At(block.begin).line, last = lines.At(block.end).line;
      if (last > first) list.push_back({{"startLine", first}, {"endLine", last - 1}});
    }
    return {std::move(list), 0, ""};
  }

  const Connection& connection_;
  std::array<char, 65536> buffer_;
  size_t begin_ = 0, end_ = 0;
  bool is_initialized_ = false, is_shut_down_ = false;
  std::atomic<bool> counts_bytes_ = false;
  std::map<std::string, DocumentPointer> documents_;
  std::string uri_;  // of the request that is answered

  std::mutex write_mutex_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Waiting> waiting_;
  bool is_ending_ = false;
  std::thread worker_;  // last: it uses the others
};

}  // namespace

absl::StatusOr<int> Serve(const Connection& connection) {
  return std::make_unique<Server>(connection)->Run();
}

}  // namespace xla::lsp
