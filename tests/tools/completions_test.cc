// SPDX-License-Identifier: Apache-2.0
// Completion scripts, run in the shells that are there.
#include "tools/completions.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/base/suggestion.h"

namespace xla {
namespace {

std::string Output(const std::string& command) {
  std::FILE* pipe = popen(absl::StrCat(command, " 2>&1").c_str(), "r");
  std::string output;
  if (pipe == nullptr) return output;
  char buffer[4096];
  for (size_t count; (count = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    output.append(buffer, count);
  pclose(pipe);
  return output;
}

bool Has(const std::string& shell) {
  return std::system(absl::StrCat("command -v ", shell, " > /dev/null 2>&1").c_str()) == 0;
}

// Writes the script of a shell to a file.
std::string ScriptFile(const std::string& shell) {
  const std::string path = absl::StrCat(testing::ProcessTempDir(), "/completions.", shell);
  std::FILE* file = std::fopen(path.c_str(), "w");
  const absl::StatusOr<std::string> script = CompletionScript(shell, Commands());
  EXPECT_OK(script.status());
  if (file == nullptr || !script.ok()) return "";
  std::fputs(script->c_str(), file);
  std::fclose(file);
  return path;
}

// What bash offers for these words, of which the last is completed.
std::string BashOffers(const std::string& words, int count) {
  const std::string folder = absl::StrCat(testing::ProcessTempDir(), "/completions_files");
  return Output(absl::StrCat("mkdir -p ", folder, "/sub && cd ", folder,
                             " && touch a.hlo b.mlir c.npy 'd e.npz' f.so && bash -c '. ",
                             ScriptFile("bash"), "; COMP_WORDS=(", words, "); COMP_CWORD=",
                             count - 1, "; _xylem; printf \"%s|\" \"${COMPREPLY[@]}\"'"));
}

TEST(CompletionsTest, EveryOptionIsInEveryScript) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    ASSERT_OK_AND_ASSIGN(const std::string script, CompletionScript(shell, Commands()));
    for (const Command& command : Commands()) {
      EXPECT_TRUE(absl::StrContains(script, std::string(command.name))) << shell;
      for (const OptionSpec& option : command.options) {
        const std::string name(option.name);
        EXPECT_TRUE(absl::StrContains(script, name) ||
                    absl::StrContains(script, absl::StrCat("-l ", name.substr(2))))
            << shell << " " << name;
      }
    }
  }
  EXPECT_ERROR(CompletionScript("tcsh", Commands()), "unsupported shell 'tcsh'");
}

TEST(CompletionsTest, Bash) {
  if (!Has("bash")) GTEST_SKIP() << "no bash here";
  EXPECT_EQ(BashOffers("xylem pro", 2), "profile|");
  EXPECT_EQ(BashOffers("xylem help comp", 3), "compile|completions|");
  EXPECT_EQ(BashOffers("xylem help \"\"", 3).find("run|"), 0u);
  EXPECT_EQ(BashOffers("xylem ops gath", 3), "gather|");
  EXPECT_EQ(BashOffers("xylem completions \"\"", 3), "bash|zsh|fish|");
  EXPECT_EQ(BashOffers("xylem run --backend \"\"", 4), "cpu|interpreter|");
  EXPECT_EQ(BashOffers("xylem run --backend = \"\"", 5), "cpu|interpreter|");
  EXPECT_EQ(BashOffers("xylem run --backend =", 4), "cpu|interpreter|");
  EXPECT_EQ(BashOffers("xylem run --backend = in", 5), "interpreter|");
  EXPECT_EQ(BashOffers("xylem run --backe", 3), "--backend|");
  EXPECT_EQ(BashOffers("xylem opt --passes cs", 4), "cse|");
  EXPECT_EQ(BashOffers("xylem opt --passes = dce,cs", 5), "dce,cse|");
  EXPECT_EQ(BashOffers("xylem opt --passes = \"dce,fixpoint(cs\"", 5), "dce,fixpoint(cse|");
  EXPECT_EQ(BashOffers("xylem opt --disable-passes cs", 4), "cse|");
  EXPECT_EQ(BashOffers("xylem print --to = hlo", 5), "hlo|hlo-proto|");
}

TEST(CompletionsTest, BashOffersFilesThatFit) {
  if (!Has("bash")) GTEST_SKIP() << "no bash here";
  EXPECT_EQ(BashOffers("xylem run \"\"", 3), "sub|a.hlo|b.mlir|");
  EXPECT_EQ(BashOffers("xylem run a", 3), "a.hlo|");
  EXPECT_EQ(BashOffers("xylem run --input \"\"", 4), "sub|c.npy|d e.npz|");
  EXPECT_EQ(BashOffers("xylem run --custom-calls \"\"", 4), "sub|f.so|");
  EXPECT_EQ(BashOffers("xylem run --cache \"\"", 4), "sub|");
  EXPECT_EQ(BashOffers("xylem run --output c", 4), "c.npy|");
  EXPECT_EQ(BashOffers("xylem run --random \"\"", 4), "|");
}

TEST(CompletionsTest, OtherShellsReadTheirs) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    if (!Has(shell)) continue;
    EXPECT_EQ(Output(absl::StrCat(shell, " -n ", ScriptFile(shell))), "") << shell;
  }
  if (Has("fish")) {
    EXPECT_EQ(Output(absl::StrCat("fish --no-config -c 'source ", ScriptFile("fish"),
                                  "; complete -C \"xylem run --backend \" | cut -f 1'")),
              "cpu\ninterpreter\n");
    EXPECT_EQ(Output(absl::StrCat("cd ", testing::ProcessTempDir(),
                                  " && mkdir -p fish/sub && cd fish && "
                                  "touch a.hlo b.npy c.txt && fish --no-config -c 'source ",
                                  ScriptFile("fish"),
                                  "; complete -C \"xylem run --input \" | cut -f 1'")),
              "b.npy\nsub/\n");
  }
}

TEST(SuggestionTest, NearWordsAndAbbreviations) {
  constexpr std::string_view kWords[] = {"gather", "scatter", "algebraic-simplifier", "run", "dce"};
  EXPECT_EQ(NearestWord("gahter", kWords), "gather");
  EXPECT_EQ(NearestWord("algsimp", kWords), "algebraic-simplifier");
  EXPECT_EQ(NearestWord("dec", kWords), "dce");
  EXPECT_EQ(NearestWord("-v", kWords), "");
  EXPECT_EQ(NearestWord("x", kWords), "");
  constexpr std::string_view kOperations[] = {"stablehlo.log", "stablehlo.rng"};
  EXPECT_EQ(NearestWord("stablehlo.lug", kOperations), "stablehlo.log");
  EXPECT_EQ(NearestWord("stablehlo.wrong", kOperations), "");
  EXPECT_EQ(NearestWord("", kWords), "");
  EXPECT_EQ(NearestWord(std::string(1000000, 'a'), kWords), "");
  EXPECT_EQ(Suggestion("scater", kWords), "; did you mean 'scatter'?");
}

}  // namespace
}  // namespace xla
