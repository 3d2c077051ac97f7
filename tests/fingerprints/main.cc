// SPDX-License-Identifier: Apache-2.0
// Fingerprints of what the compiler makes of programs (scripts/compare_code.py).
//
//   fingerprints [--part I/N]   a line for each program: its name, then fingerprints of what each
//                               pass alone makes of it, of the compiled HLO, of the steps and plans
//                               and of the code, with tabs between
//   fingerprints --show NAME... what the fingerprints of these programs stand for
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tests/fingerprints/compiled_text.h"
#include "tests/fingerprints/fingerprint.h"
#include "tests/fingerprints/programs.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"

namespace xla::testing {
namespace {

void Print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// Variants are compiled for one target of the three.
class Writer {
 public:
  Writer(uint32_t part, uint32_t parts, std::set<std::string> shown)
      : part_(part), parts_(parts), shown_(std::move(shown)) {}

  void Write(const std::string& name, const std::string& text, bool is_variant) {
    const bool is_wanted =
        shown_.empty() ? HashOf(name) / 8 % parts_ == part_ : shown_.count(name) > 0;
    if (!is_wanted) return;
    const auto module = ParseAndReturnUnverifiedModule(text);
    if (!module.ok() || !VerifyModule(**module).ok()) return;
    const absl::Span<const cpu::Target> targets = Targets();
    const auto compiled =
        Compile(**module, is_variant ? targets.subspan(HashOf(name) % targets.size(), 1) : targets);
    const std::string passes = is_variant ? "" : AfterEachPass(**module);
    if (!shown_.empty()) {
      Print(absl::StrCat("==== ", name, "\npasses:", passes, "\n"));
      Print(compiled.ok() ? absl::StrCat("---- HLO\n", compiled->hlo, "\n---- steps\n",
                                         compiled->steps, "\n---- plans\n", compiled->plans,
                                         "\n---- code\n", compiled->code, "\n")
                          : absl::StrCat(compiled.status().ToString(), "\n"));
      return;
    }
    Print(absl::StrCat(name, "\t", passes.empty() ? "-" : Fingerprint(passes), "\t"));
    Print(compiled.ok() ? absl::StrCat(Fingerprint(compiled->hlo), "\t",
                                       Fingerprint(absl::StrCat(compiled->steps, compiled->plans)),
                                       "\t", Fingerprint(NormalizedCode(compiled->code)), "\n")
                        : absl::StrCat(OneLine(compiled.status().ToString()), "\n"));
  }

 private:
  uint32_t part_, parts_;
  std::set<std::string> shown_;
};

int Run(absl::Span<char* const> arguments) {
  uint32_t part = 0, parts = 1;
  std::set<std::string> shown;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const absl::string_view argument = arguments[i];
    if (argument == "--part" && i + 1 < arguments.size()) {
      if (std::sscanf(arguments[++i], "%u/%u", &part, &parts) != 2 || part >= parts) return 2;
    } else if (argument == "--show") {
      shown.insert(arguments.begin() + static_cast<int64_t>(i) + 1, arguments.end());
      if (shown.empty()) return 2;
      break;
    } else {
      return 2;
    }
  }
  Writer writer(part, parts, std::move(shown));
  ForEachProgram([&](const std::string& name, const std::string& text) {
    writer.Write(name, text, /*is_variant=*/false);
  });
  ForEachVariant([&](const std::string& name, const std::string& text) {
    writer.Write(name, text, /*is_variant=*/true);
  });
  return 0;
}

}  // namespace
}  // namespace xla::testing

int main(int argc, char** argv) {
  const int code = xla::testing::Run({argv, static_cast<size_t>(argc)});
  if (code != 0) std::fprintf(stderr, "usage: fingerprints [--part I/N | --show NAME...]\n");
  return code;
}
