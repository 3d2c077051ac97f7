// SPDX-License-Identifier: Apache-2.0
// chains --first N --count N --findings FOLDER: random programs (tests/cpu/random_chain.h), run by
// the interpreter and compiled, must give the same. --print N writes the program of a number. A
// worker process does the work; the programs that it fails on or dies of are saved.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/cpu/random_chain.h"
#include "tests/cpu/random_chain_check.h"

namespace {

constexpr unsigned kTimeout = 60;  // seconds for one program

void Save(const std::string& folder, int64_t number, const std::string& why) {
  std::printf("%lld: %s\n", static_cast<long long>(number), why.c_str());
  std::fflush(stdout);
  std::filesystem::create_directories(folder);
  std::ofstream file(absl::StrCat(folder, "/chain-", number, ".hlo"));
  file << "// " << why << "\n" << xla::testing::RandomChain(static_cast<uint64_t>(number)).Write();
}

// Runs programs up to `end`, and leaves the number of the one at work in `at`.
int Work(std::atomic<int64_t>& at, int64_t end, const std::string& folder) {
  int findings = 0;
  for (; at < end; ++at) {
    alarm(kTimeout);
    const absl::Status status = xla::testing::CheckRandomChain(static_cast<uint64_t>(at.load()));
    if (status.ok()) continue;
    Save(folder, at, status.ToString());
    ++findings;
  }
  return findings;
}

}  // namespace

int main(int argc, char** argv) {
  int64_t first = 0, count = 1000, print = -1;
  std::string folder = "chain_findings";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i], value = argv[i + 1];
    bool is_number = true;
    if (option == "--first") {
      is_number = absl::SimpleAtoi(argv[i + 1], &first);
    } else if (option == "--count") {
      is_number = absl::SimpleAtoi(argv[i + 1], &count);
    } else if (option == "--print") {
      is_number = absl::SimpleAtoi(argv[i + 1], &print);
    } else if (option == "--findings") {
      folder = value;
    } else {
      is_number = false;
    }
    if (!is_number) {
      std::fprintf(stderr, "chains: what is %s %s?\n", argv[i], argv[i + 1]);
      return 2;
    }
  }
  if (print >= 0) {
    std::fputs(xla::testing::RandomChain(static_cast<uint64_t>(print)).Write().c_str(), stdout);
    return 0;
  }
  void* shared = mmap(nullptr, sizeof(std::atomic<int64_t>), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  auto* at = new (shared) std::atomic<int64_t>(first);
  const int64_t end = first + count;
  bool has_findings = false;
  while (*at < end) {
    const pid_t worker = fork();
    if (worker < 0) return 2;
    if (worker == 0) _exit(Work(*at, end, folder) == 0 ? 0 : 1);
    int status = 0;
    waitpid(worker, &status, 0);
    has_findings = has_findings || status != 0;
    if (WIFEXITED(status)) continue;
    Save(folder, *at, absl::StrCat("signal ", WTERMSIG(status)));
    ++*at;
  }
  std::printf("%lld programs%s\n", static_cast<long long>(count),
              has_findings ? "" : ", no finding");
  return has_findings ? 1 : 0;
}
