// SPDX-License-Identifier: Apache-2.0
// The language server: names in texts, what it says of places, the protocol.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "tools/lsp/document.h"
#include "tools/lsp/server.h"
#include "tools/lsp/symbols.h"

namespace xla::lsp {
namespace {

constexpr char kHlo[] = R"hlo(HloModule m, entry_computation_layout={(f32[4]{0})->f32[]}

// comment with add(x)
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT add.1 = f32[] add(a, b)
}

ENTRY %main (x: f32[4]) -> f32[] {
  %x = f32[4]{0} parameter(0)
  zero = f32[] constant(0)
  y = f32[4]{0} multiply(%x, x),
    metadata={op_name="add(x)"}
  ROOT sum = f32[] reduce(y, zero), dimensions={0}, to_apply=add
}
)hlo";

constexpr char kMlir[] = R"mlir(module @m {
  func.func @main(%arg0: tensor<4xf32> {mhlo.sharding = "{replicated}"}) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    %1 = "stablehlo.reduce"(%0, %zero) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %2 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %3:2 = func.call @pair(%1) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
    return %3#0 : tensor<f32>
  }
  func.func private @pair(%arg0: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    return %arg0, %arg0 : tensor<f32>, tensor<f32>
  }
}
)mlir";

size_t Place(const std::string& text, const std::string& what, int number = 0) {
  size_t at = text.find(what);
  for (int i = 0; i < number; ++i) at = text.find(what, at + 1);
  EXPECT_NE(at, std::string::npos) << what;
  return at;
}

// The lines (from 1) of all occurrences of the name at a place.
std::vector<int64_t> LinesOf(const Document& document, size_t place) {
  const Occurrence* const found = document.index().At(place);
  if (found == nullptr || found->symbol < 0) return {};
  const LineMap lines(document.text(), true);
  std::vector<int64_t> list;
  for (const Occurrence& occurrence : document.index().Of(found->symbol))
    list.push_back(lines.At(occurrence.begin).line + 1);
  return list;
}

TEST(LspSymbolsTest, NamesOfHlo) {
  const Document document("m.hlo", kHlo);
  const std::string& text = document.text();
  using Lines = std::vector<int64_t>;
  EXPECT_EQ(LinesOf(document, Place(text, "x = f32[4]")), (Lines{11, 13, 13}));
  EXPECT_EQ(LinesOf(document, Place(text, "zero), dim")), (Lines{12, 15}));
  EXPECT_EQ(LinesOf(document, Place(text, "to_apply=add") + 9), (Lines{4, 15}));
  EXPECT_EQ(LinesOf(document, Place(text, "add.1")), (Lines{7}));
  EXPECT_EQ(LinesOf(document, Place(text, "a, b)")), (Lines{5, 7}));
  EXPECT_TRUE(LinesOf(document, Place(text, "op_name") + 9).empty());
  EXPECT_TRUE(LinesOf(document, Place(text, "comment with add") + 14).empty());
  EXPECT_EQ(document.index().blocks.size(), 2u);
}

TEST(LspSymbolsTest, NamesOfMlir) {
  const Document document("m.mlir", kMlir);
  const std::string& text = document.text();
  using Lines = std::vector<int64_t>;
  EXPECT_EQ(LinesOf(document, Place(text, "arg0")), (Lines{2, 4, 4}));
  EXPECT_EQ(LinesOf(document, Place(text, "arg0", 3)), (Lines{13, 14, 14}));
  EXPECT_EQ(LinesOf(document, Place(text, "%a:") + 1), (Lines{6, 7}));
  EXPECT_EQ(LinesOf(document, Place(text, "%zero)") + 1), (Lines{3, 5}));
  EXPECT_EQ(LinesOf(document, Place(text, "@pair") + 1), (Lines{10, 13}));
  EXPECT_EQ(LinesOf(document, Place(text, "%3#0") + 1), (Lines{10, 11}));
  EXPECT_EQ(LinesOf(document, Place(text, "%2 :") + 1), (Lines{7, 8}));
}

TEST(LspDocumentTest, Diagnostics) {
  EXPECT_TRUE(Document("m.hlo", kHlo).Diagnose().empty());
  EXPECT_TRUE(Document("m.mlir", kMlir).Diagnose().empty());
  EXPECT_TRUE(Document("m.hlo", " \n").Diagnose().empty());
  std::string syntax = kHlo;
  syntax.replace(Place(syntax, "constant(0)"), 8, "konstant");
  const auto found = Document("m.hlo", syntax).Diagnose();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(LineMap(syntax, true).At(found[0].begin).line, 11);
  std::string shape = kHlo;
  shape.replace(Place(shape, "y = f32[4]"), 10, "y = f32[5]");
  const auto wrong = Document("m.hlo", shape).Diagnose();
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(shape.substr(wrong[0].begin, 1), "y") << wrong[0].message;
  std::string mlir = kMlir;
  mlir.replace(Place(mlir, "%arg0, %arg0 : tensor<4xf32>"), 5, "%argX");
  const auto unknown = Document("m.mlir", mlir).Diagnose();
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(LineMap(mlir, true).At(unknown[0].begin).line, 3) << unknown[0].message;
}

TEST(LspDocumentTest, HoverAndCompletion) {
  const Document document("m.hlo", kHlo);
  EXPECT_TRUE(absl::StrContains(document.Hover(Place(kHlo, "zero), dim")), "constant(0)"));
  EXPECT_TRUE(absl::StrContains(document.Hover(Place(kHlo, "reduce(")), "## "));
  EXPECT_EQ(document.Hover(Place(kHlo, "f32[4]{0} parameter")), "");
  const auto labels = [](const std::string& text, size_t offset) {
    std::vector<std::string> list;
    for (const Completion& c : Document("m.hlo", text).Complete(offset)) list.push_back(c.label);
    return list;
  };
  const auto has = [](const std::vector<std::string>& list, const std::string& label) {
    return std::find(list.begin(), list.end(), label) != list.end();
  };
  std::string text = kHlo;
  const size_t line = Place(text, "  ROOT sum");
  text.insert(line, "  z = f32[] redu\n");
  std::vector<std::string> reductions = labels(text, line + 16);
  std::sort(reductions.begin(), reductions.end());
  EXPECT_EQ(reductions, (std::vector<std::string>{"reduce", "reduce-precision", "reduce-scatter",
                                                  "reduce-window"}));
  text = kHlo;
  text.insert(line, "  z = f32[] reduce(y, z\n");
  EXPECT_TRUE(has(labels(text, line + 23), "zero"));
  EXPECT_FALSE(has(labels(text, line + 23), "sum"));
  text = kHlo;
  text.insert(line, "  z = f32[] reduce(y, zero), dim\n");
  EXPECT_EQ(labels(text, line + 32), std::vector<std::string>{"dimensions"});
  text = kHlo;
  text.insert(line, "  z = f32[] reduce(y, zero), to_apply=\n");
  EXPECT_TRUE(has(labels(text, line + 38), "add"));
}

TEST(LspDocumentTest, Rename) {
  const Document document("m.hlo", kHlo);
  ASSERT_OK_AND_ASSIGN(const auto changes, document.Rename(Place(kHlo, "zero), dim"), "init"));
  EXPECT_EQ(changes.size(), 2u);
  EXPECT_ERROR(document.Rename(Place(kHlo, "zero), dim"), "y"), "the name of another one");
  EXPECT_ERROR(document.Rename(Place(kHlo, "zero), dim"), "a b"), "cannot be a name");
  EXPECT_ERROR(document.Rename(0, "init"), "no name");
}

TEST(LspDocumentTest, FormattingIndents) {
  const Document document("m.hlo",
                          "HloModule m\nENTRY e {   \n a = f32[] constant(1)\n\n// {\n"
                          "      ROOT b = f32[2]{0} broadcast(a),\n dimensions={}\n}\n");
  EXPECT_EQ(document.Formatted(),
            "HloModule m\nENTRY e {\n  a = f32[] constant(1)\n\n  // {\n"
            "  ROOT b = f32[2]{0} broadcast(a),\n  dimensions={}\n}\n");
  EXPECT_EQ(Document("m.hlo", document.Formatted()).Formatted(), document.Formatted());
}

TEST(LspDocumentTest, PlacesCountUtf16) {
  const std::string text = "// \xC3\xA4\xF0\x9F\x98\x80 x\nab";
  const LineMap utf16(text, false), bytes(text, true);
  EXPECT_EQ(utf16.At(10).character, 7);
  EXPECT_EQ(utf16.Offset({0, 7}), 10u);
  EXPECT_EQ(bytes.Offset({0, 10}), 10u);
  EXPECT_EQ(utf16.Offset({1, 99}), text.size());
  EXPECT_EQ(utf16.Offset({9, 0}), text.size());
}

// A client on the other end of the connection.
class Client {
 public:
  Client() : thread_([this] { code_ = Serve(connection_); }) {}
  ~Client() {
    if (thread_.joinable()) {
      Close();
      thread_.join();
    }
  }
  void Send(const std::string& json) {
    SendRaw(absl::StrCat("Content-Length: ", json.size(), "\r\n\r\n", json));
  }
  void SendRaw(const std::string& bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    input_.append(bytes);
    changed_.notify_all();
  }
  // The first message that has the text; empty after ten seconds.
  std::string Wait(const std::string& what) {
    std::unique_lock<std::mutex> lock(mutex_);
    std::string found;
    changed_.wait_for(lock, std::chrono::seconds(10), [&] {
      const auto at = std::find_if(messages_.begin(), messages_.end(), [&](const std::string& m) {
        return absl::StrContains(m, what);
      });
      if (at == messages_.end()) return false;
      found = *at;
      messages_.erase(at);
      return true;
    });
    return found;
  }
  absl::StatusOr<int> Join() {
    Close();
    thread_.join();
    return code_;
  }

 private:
  void Close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string input_;
  bool is_closed_ = false;
  std::deque<std::string> messages_;
  const Connection connection_ = {[this](char* data, size_t size) {
                                    std::unique_lock<std::mutex> lock(mutex_);
                                    changed_.wait(lock,
                                                  [this] { return is_closed_ || !input_.empty(); });
                                    const size_t count = std::min(size, input_.size());
                                    std::memcpy(data, input_.data(), count);
                                    input_.erase(0, count);
                                    return count;
                                  },
                                  [this](const std::string& bytes) {
                                    const std::lock_guard<std::mutex> lock(mutex_);
                                    messages_.push_back(bytes);
                                    changed_.notify_all();
                                  }};
  absl::StatusOr<int> code_ = 0;
  std::thread thread_;
};

constexpr char kInitialize[] =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}})";
constexpr char kOpen[] =
    R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///m.hlo","languageId":"hlo","version":1,"text":"HloModule m\nENTRY e {\n  ROOT a = f32[] konstant(1)\n}\n"}}})";

TEST(LspServerTest, ASession) {
  Client client;
  client.Send(kInitialize);
  EXPECT_TRUE(absl::StrContains(client.Wait("\"id\":1"), "\"renameProvider\":true"));
  client.Send(kOpen);
  EXPECT_TRUE(absl::StrContains(client.Wait("publishDiagnostics"), "\"line\":2"));
  client.Send(
      R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///m.hlo","version":2},"contentChanges":[{"range":{"start":{"line":2,"character":17},"end":{"line":2,"character":18}},"text":"c"}]}})");
  EXPECT_TRUE(absl::StrContains(client.Wait("\"version\":2"), "\"diagnostics\":[]"));
  client.Send(
      R"({"jsonrpc":"2.0","id":"q","method":"textDocument/definition","params":{"textDocument":{"uri":"file:///m.hlo"},"position":{"line":2,"character":8}}})");
  EXPECT_TRUE(absl::StrContains(client.Wait("\"id\":\"q\""), "\"character\":7"));
  client.Send(
      R"({"jsonrpc":"2.0","id":3,"method":"textDocument/documentSymbol","params":{"textDocument":{"uri":"file:///m.hlo"}}})");
  EXPECT_TRUE(absl::StrContains(client.Wait("\"id\":3"), "\"name\":\"e\""));
  client.Send(R"({"jsonrpc":"2.0","id":4,"method":"shutdown"})");
  EXPECT_NE(client.Wait("\"id\":4"), "");
  client.Send(R"({"jsonrpc":"2.0","method":"exit"})");
  ASSERT_OK_AND_ASSIGN(const int code, client.Join());
  EXPECT_EQ(code, 0);
}

TEST(LspServerTest, ErrorsAreAnswers) {
  Client client;
  client.Send(R"({"jsonrpc":"2.0","id":1,"method":"textDocument/hover"})");
  EXPECT_TRUE(absl::StrContains(client.Wait("\"id\":1"), "-32002"));
  client.Send(kInitialize);
  EXPECT_NE(client.Wait("capabilities"), "");
  client.Send("{nonsense");
  EXPECT_TRUE(absl::StrContains(client.Wait("error"), "-32700"));
  client.Send(R"({"jsonrpc":"2.0","id":2,"method":"workspace/unknown","params":{}})");
  EXPECT_TRUE(absl::StrContains(client.Wait("\"id\":2"), "-32601"));
  client.Send(
      R"({"jsonrpc":"2.0","id":3,"method":"textDocument/hover","params":{"textDocument":{"uri":"x"}}})");
  EXPECT_TRUE(absl::StrContains(client.Wait("\"id\":3"), "-32602"));
  client.Send("[1,2]");
  EXPECT_TRUE(absl::StrContains(client.Wait("error"), "-32600"));
  ASSERT_OK_AND_ASSIGN(const int code, client.Join());
  EXPECT_EQ(code, 1);  // no shutdown
}

TEST(LspServerTest, WhatIsNoMessageEndsTheSession) {
  Client client;
  client.SendRaw("HloModule m\n");
  EXPECT_FALSE(client.Join().ok());
  Client large;
  large.SendRaw("Content-Length: 99999999999999\r\n\r\n");
  EXPECT_FALSE(large.Join().ok());
}

// Random edits of texts: nothing crashes, and names stay within the text. Others by --gtest_shuffle
// --gtest_random_seed=N, many with --gtest_repeat=N.
TEST(LspSymbolsTest, DamagedTexts) {
  std::mt19937 random(static_cast<unsigned>(7 + ::testing::UnitTest::GetInstance()->random_seed()));
  for (const char* original : {kHlo, kMlir}) {
    const std::string pieces = "{}()[]=,:%@^\"/*\n a0.-#<>";
    for (int round = 0; round < 3000; ++round) {
      std::string text = original;
      for (int edit = 0; edit < 1 + round % 7; ++edit) {
        const size_t at = random() % text.size();
        if (random() % 2 == 0) {
          text.insert(at, 1, pieces[random() % pieces.size()]);
        } else {
          text.erase(at, 1 + random() % 9);
        }
      }
      const Document document(original == kHlo ? "m.hlo" : "m.mlir", text);
      for (const Occurrence& occurrence : document.index().occurrences) {
        ASSERT_LT(occurrence.begin, occurrence.end);
        ASSERT_LE(occurrence.end, text.size());
      }
      const size_t place = random() % (text.size() + 1);
      document.Hover(place);
      document.Complete(place);
      document.Rename(place, "renamed").IgnoreError();
      document.Formatted();
      if (round % 50 == 0) document.Diagnose();
    }
  }
}

TEST(LspSymbolsTest, LargeTextsAreFast) {
  std::string text = "HloModule m\n\nENTRY e {\n  x0 = f32[8] parameter(0)\n";
  constexpr int kInstructions = 100000;
  for (int i = 1; i <= kInstructions; ++i)
    absl::StrAppend(&text, "  x", i, " = f32[8]{0} add(x", i - 1, ", x", i / 2, ")\n");
  absl::StrAppend(&text, "  ROOT r = f32[8]{0} negate(x", kInstructions, ")\n}\n");
  const auto start = std::chrono::steady_clock::now();
  const Document document("m.hlo", text);
  EXPECT_EQ(document.index().occurrences.size(), 3u * kInstructions + 4);
  const auto indexed = std::chrono::steady_clock::now();
  EXPECT_TRUE(document.Diagnose().empty());
  const auto diagnosed = std::chrono::steady_clock::now();
  const auto milliseconds = [](auto duration) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  };
  std::printf("%lld ms for names, %lld ms for diagnostics\n",
              static_cast<long long>(milliseconds(indexed - start)),
              static_cast<long long>(milliseconds(diagnosed - indexed)));
}

}  // namespace
}  // namespace xla::lsp
