// SPDX-License-Identifier: Apache-2.0
// bench_hlo_text [FILE|FOLDER]...: how fast HLO text is parsed, verified and printed.
//
// Every .hlo under the arguments is parsed, verified and printed (with all constants), as often as
// fits in a second, best time of each; sums are reported as MB and instructions per second. Without
// arguments: generated modules of 10^4, 10^5 and 10^6 instructions, once each. Each row ends with
// the memory that modules take.
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/files.h"
#include "tools/process.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"

namespace xla {
namespace {

struct Times {
  double parse = std::numeric_limits<double>::infinity();
  double verify = std::numeric_limits<double>::infinity();
  double print = std::numeric_limits<double>::infinity();
  size_t printed_bytes = 0;
  int64_t instructions = 0;
  int64_t module_bytes = 0;
  int64_t bare_bytes = 0;  // without metadata, names and values of constants
};

// Bytes that names and the values of constants take. (The table that keeps names unique is not
// counted here.)
int64_t NamesAndValues(const HloModule& module) {
  int64_t bytes = 0;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      bytes += sizeof(std::string);
      constexpr size_t kInPlace = 15;  // of a std::string
      if (instruction->name().capacity() > kInPlace) {
        bytes += static_cast<int64_t>(instruction->name().capacity()) + 1;
      }
      if (instruction->opcode() == HloOpcode::kConstant) {
        bytes += instruction->literal().size_bytes();
      }
    }
  }
  return bytes;
}

// What the module takes when it is read without metadata, less names and values of constants.
absl::StatusOr<int64_t> BareBytes(const HloModule& module) {
  HloPrintOptions options;
  options.print_large_constants = true;
  options.print_metadata = false;
  const std::string text = ModuleToString(module, options);
  const size_t before = mallinfo2().uordblks;
  auto bare = ParseAndReturnUnverifiedModule(text);
  if (!bare.ok()) return bare.status();
  return static_cast<int64_t>(mallinfo2().uordblks - before) - NamesAndValues(**bare);
}

absl::Status MeasureOnce(const std::string& text, Times& times) {
  const size_t before = mallinfo2().uordblks;
  double start = Seconds();
  auto module = ParseAndReturnUnverifiedModule(text);
  times.parse = std::min(times.parse, Seconds() - start);
  if (!module.ok()) return module.status();
  times.module_bytes = static_cast<int64_t>(mallinfo2().uordblks - before);
  times.instructions = (*module)->instruction_count();

  start = Seconds();
  const absl::Status verified = VerifyModule(**module);
  times.verify = std::min(times.verify, Seconds() - start);
  if (!verified.ok()) return verified;

  HloPrintOptions options;
  options.print_large_constants = true;
  start = Seconds();
  const std::string printed = ModuleToString(**module, options);
  times.print = std::min(times.print, Seconds() - start);
  times.printed_bytes = printed.size();
  if (times.bare_bytes == 0) {
    const auto bare = BareBytes(**module);
    if (!bare.ok()) return bare.status();
    times.bare_bytes = *bare;
  }
  return absl::OkStatus();
}

// A chain of the operations that programs are made of, in computations of 1,000 instructions.
std::string GeneratedModule(int64_t instructions) {
  std::string text = "HloModule generated\n\n";
  const int64_t parts = std::max<int64_t>(1, instructions / 1000);
  for (int64_t part = 0; part < parts; ++part) {
    absl::StrAppend(&text, "part.", part, " {\n  v0 = f32[8,128] parameter(0)\n");
    for (int i = 1; i < 999; ++i) {
      const std::string last = absl::StrCat("v", i - 1);
      absl::StrAppend(&text, "  v", i, " = f32[8,128] ");
      switch (i % 4) {
        case 0:
          absl::StrAppend(&text, "add(", last, ", v0)");
          break;
        case 1:
          absl::StrAppend(&text, "tanh(", last, "), metadata={op_name=\"jit(f)/tanh\"}");
          break;
        case 2:
          absl::StrAppend(&text, "reverse(", last, "), dimensions={1}");
          break;
        default:
          absl::StrAppend(&text, "multiply(", last, ", ", last, ")");
          break;
      }
      absl::StrAppend(&text, "\n");
    }
    absl::StrAppend(&text, "  ROOT r = f32[8,128] negate(v998)\n}\n\n");
  }
  absl::StrAppend(&text, "ENTRY main {\n  x = f32[8,128] parameter(0)\n");
  for (int64_t part = 0; part < parts; ++part) {
    absl::StrAppend(&text, part + 1 == parts ? "  ROOT " : "  ", "call.", part,
                    " = f32[8,128] call(", part == 0 ? "x" : absl::StrCat("call.", part - 1),
                    "), to_apply=part.", part, "\n");
  }
  absl::StrAppend(&text, "}\n");
  return text;
}

void PrintRow(const std::string& name, size_t bytes, const Times& times) {
  const double mb = static_cast<double>(bytes) / 1e6;
  const double printed_mb = static_cast<double>(times.printed_bytes) / 1e6;
  const double thousands = static_cast<double>(times.instructions) / 1e3;
  std::printf(
      "%-12s %8.2f MB %9lld instructions  parse %7.3f s (%6.1f MB/s, %6.0f k/s)  verify %7.3f s"
      "  print %7.3f s (%6.1f MB/s, %6.0f k/s)  module %.1f MB, %.0f bytes an instruction without "
      "metadata, names and constants\n",
      name.c_str(), mb, static_cast<long long>(times.instructions), times.parse, mb / times.parse,
      thousands / times.parse, times.verify, times.print, printed_mb / times.print,
      thousands / times.print, static_cast<double>(times.module_bytes) / 1e6,
      static_cast<double>(times.bare_bytes) / static_cast<double>(times.instructions));
}

absl::Status MeasureGenerated() {
  for (int64_t instructions : {10'000, 100'000, 1'000'000}) {
    const std::string text = GeneratedModule(instructions);
    Times times;
    if (absl::Status status = MeasureOnce(text, times); !status.ok()) return status;
    PrintRow("generated", text.size(), times);
  }
  return absl::OkStatus();
}

absl::Status MeasureFiles(const std::string& root) {
  std::vector<std::string> paths;
  if (std::filesystem::is_directory(root)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() == ".hlo") paths.push_back(entry.path().string());
    }
  } else {
    paths.push_back(root);
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const std::string& path : paths) {
    auto text = ReadFile(path);
    if (!text.ok()) return text.status();
    texts.push_back(*std::move(text));
  }
  // Rounds over all files, so that caches are as cold as in use; the best of each file's rounds.
  std::vector<Times> times(texts.size());
  std::vector<bool> failed(texts.size());
  const double start = Seconds();
  do {
    for (size_t i = 0; i < texts.size(); ++i) {
      if (failed[i]) continue;
      if (absl::Status status = MeasureOnce(texts[i], times[i]); !status.ok()) {
        failed[i] = true;
        std::fprintf(stderr, "%s: %s\n", paths[i].c_str(), std::string(status.message()).c_str());
      }
    }
  } while (Seconds() - start < 1);
  Times sum{0, 0, 0};
  size_t bytes = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (failed[i]) continue;
    bytes += texts[i].size();
    sum.parse += times[i].parse;
    sum.verify += times[i].verify;
    sum.print += times[i].print;
    sum.printed_bytes += times[i].printed_bytes;
    sum.instructions += times[i].instructions;
    sum.module_bytes += times[i].module_bytes;
    sum.bare_bytes += times[i].bare_bytes;
  }
  PrintRow(std::filesystem::path(root).filename().string(), bytes, sum);
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  absl::Status status;
  if (argc < 2) status = MeasureGenerated();
  for (int i = 1; i < argc && status.ok(); ++i) status = MeasureFiles(argv[i]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "bench_hlo_text: %s\n", std::string(status.message()).c_str());
  return 1;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
