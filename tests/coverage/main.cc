// SPDX-License-Identifier: Apache-2.0
// op_coverage: checks from its example which parts of the system support each operation and for
// which element types (exit code 1 if any hole is found); prints docs/operations.md with --page,
// and docs/emitters.md with --files.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/coverage/op_coverage.h"
#include "tests/coverage/op_files.h"
#include "tests/coverage/op_page.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {
namespace {

// The rows in order; as many at a time as there are processors.
std::vector<OpCoverage> Cover(const std::vector<HloOpcode>& opcodes) {
  std::vector<OpCoverage> rows(opcodes.size());
  std::atomic<size_t> next{0};
  std::vector<std::thread> workers;
  const unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned j = 0; j < jobs; ++j) {
    workers.emplace_back([&] {
      for (size_t i; (i = next++) < opcodes.size();) rows[i] = CoverOperation(opcodes[i]);
    });
  }
  for (std::thread& worker : workers) worker.join();
  return rows;
}

int Main(const std::vector<std::string_view>& words) {
  if (words.size() == 1 && words[0] == "--page") {
    std::fputs(OpsPage().c_str(), stdout);
    return 0;
  }
  if (words.size() == 2 && words[0] == "--files") {
    std::fputs(OpFilesPage(std::string(words[1])).c_str(), stdout);
    return 0;
  }
  std::vector<HloOpcode> opcodes;
  for (const std::string_view word : words) {
    const auto opcode = FindHloOpcode(word);
    if (!opcode.has_value()) {
      std::fprintf(stderr,
                   "op_coverage: unknown operation '%s'\nusage: op_coverage [OPERATION...]\n"
                   "       op_coverage --page | --files ROOT\n",
                   std::string(word).c_str());
      return 2;
    }
    opcodes.push_back(*opcode);
  }
  for (int i = 0; i < kNumHloOpcodes && words.empty(); ++i)
    opcodes.push_back(static_cast<HloOpcode>(i));
  const std::vector<OpCoverage> rows = Cover(opcodes);
  std::fputs(CoverageTable(rows).c_str(), stdout);
  const bool holes =
      std::any_of(rows.begin(), rows.end(), [](const OpCoverage& row) { return row.holes() > 0; });
  return holes ? 1 : 0;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  return xla::Main(std::vector<std::string_view>(argv + 1, argv + argc));
}
