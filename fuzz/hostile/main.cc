// SPDX-License-Identifier: Apache-2.0
// hostile_driver --seed N --count N --findings FOLDER CORPUS...: gives mutated inputs to everything
// that reads them and checks what must hold for any input. --first N leaves out those before.
//
//   text    HLO text: what verifies prints, is read again and prints the same; runs within bounds
//   proto   serialized modules: what is read is written, and reads back equal
//   npz     archives and arrays with headers that lie: an error or an array, in bounded memory
//   words   command lines
//   mlir    StableHLO text, and bytecode: what verifies prints, is read again and prints the same;
//           what is translated verifies, and runs within bounds
//   cpu     HLO text that is compiled by the CPU compiler and run
//
// Inputs follow from the seed and their number. A worker process does the work; when it crashes,
// hangs (--timeout seconds) or finds a broken promise, the input is saved and another one goes on.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fuzz/hostile/npz_mutator.h"
#include "fuzz/hostile/stablehlo_checks.h"
#include "fuzz/hostile/text_mutator.h"
#include "fuzz/proto_mutator.h"
#include "google/protobuf/stubs/logging.h"
#include "tests/interp/bounded_run.h"
#include "tools/command.h"
#include "tools/npz.h"
#include "xla/base/check.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape_util.h"

namespace xla::fuzz {
namespace {

struct Options {
  uint64_t seed = 1;
  int64_t first = 0, count = 10000;
  unsigned timeout = 20;
  std::string findings = "hostile_findings";
  std::vector<std::string> modes = {"text", "proto", "npz", "words", "mlir", "cpu", "bytecode"};
  std::vector<std::string> corpus;  // paths
};

// What the worker is doing, for the parent to see when it has ended.
struct Progress {
  int64_t number;
  int64_t size;
  char mode[16];
  int64_t accepted;  // inputs that were read without an error
  char input[size_t{1} << 20];
};

struct Corpus {
  std::vector<std::string> texts, stablehlo_texts, bytecodes;
  std::vector<HloModuleProto> protos;
};

Corpus ReadCorpus(const std::vector<std::string>& paths) {
  Corpus corpus;
  constexpr uintmax_t kLargest = 1 << 16;
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    const auto form = file.extension();
    if (form != ".hlo" && form != ".mlir" && form != ".mlirbc") continue;
    if (std::filesystem::file_size(file) > kLargest) continue;
    std::ifstream in(file);
    std::string text(std::istreambuf_iterator<char>(in), {});
    if (form != ".hlo") {
      std::string bytecode = form == ".mlir" ? ToBytecode(text) : text;
      if (!bytecode.empty()) corpus.bytecodes.push_back(std::move(bytecode));
      if (form == ".mlir") corpus.stablehlo_texts.push_back(std::move(text));
      continue;
    }
    const auto module = ParseAndReturnUnverifiedModule(text);
    if (module.ok()) {
      if (auto proto = ModuleToProto(**module); proto.ok())
        corpus.protos.push_back(*std::move(proto));
    }
    corpus.texts.push_back(std::move(text));
  }
  return corpus;
}

// --- What must hold -----------------------------------------------------------------------------

bool CheckText(const std::string& text, bool run) {
  HloParserOptions options;
  options.max_elided_bytes = 1 << 16;
  const auto module = ParseAndReturnUnverifiedModule(text, options);
  if (!module.ok() || !VerifyModule(**module).ok()) return false;
  HloPrintOptions print_options;
  print_options.print_large_constants = true;
  const std::string printed = ModuleToString(**module, print_options);
  const auto again = ParseAndReturnUnverifiedModule(printed, options);
  XLA_CHECK(again.ok()) << again.status() << "\nin the print\n" << printed;
  XLA_CHECK(VerifyModule(**again).ok()) << VerifyModule(**again) << "\nof the print\n" << printed;
  const std::string printed_again = ModuleToString(**again, print_options);
  const auto third = ParseAndReturnUnverifiedModule(printed_again, options);
  XLA_CHECK(third.ok()) << third.status() << "\nin the print\n" << printed_again;
  XLA_CHECK(ModuleToString(**third, print_options) == printed_again)
      << "the prints differ:\n"
      << printed_again << "\nand\n"
      << ModuleToString(**third, print_options);
  const auto proto = ModuleToProto(**again);
  XLA_CHECK(proto.ok()) << proto.status();
  // Protos hold no numbers of replicas and partitions, and take zeros for absent: what is lost the
  // first time is all that is lost.
  const auto read = CreateModuleFromProto(*proto);
  XLA_CHECK(read.ok()) << read.status();
  const auto proto_again = ModuleToProto(**read);
  XLA_CHECK(proto_again.ok()) << proto_again.status();
  const auto read_again = CreateModuleFromProto(*proto_again);
  XLA_CHECK(read_again.ok()) << read_again.status();
  const absl::Status equal = (*read_again)->CheckEqual(**read);
  XLA_CHECK(equal.ok()) << equal;
  XLA_CHECK((*read)->instruction_count() == (*module)->instruction_count());
  if (run) {
    const absl::Status status = testing::CheckRun(**module);
    XLA_CHECK(status.ok()) << status;
  }
  return true;
}

bool CheckCpu(const std::string& text) {
  HloParserOptions options;
  options.max_elided_bytes = 1 << 16;
  const auto module = ParseAndReturnUnverifiedModule(text, options);
  if (!module.ok() || !VerifyModule(**module).ok()) return false;
  CheckCompiled(**module);
  return true;
}

bool CheckProto(const std::string& bytes, bool run) {
  const auto module = ParseModuleFromProtoBytes(bytes);
  if (!module.ok()) return false;
  const auto proto = ModuleToProto(**module);
  XLA_CHECK(proto.ok()) << proto.status();
  const auto again = CreateModuleFromProto(*proto);
  XLA_CHECK(again.ok()) << again.status();
  const absl::Status equal = (*again)->CheckEqual(**module);
  XLA_CHECK(equal.ok()) << equal;
  if (!VerifyModule(**module).ok()) return true;
  ModuleToString(**module);
  if (run) {
    const absl::Status status = testing::CheckRun(**module);
    XLA_CHECK(status.ok()) << status;
  }
  return true;
}

bool CheckNpz(const std::string& bytes) {
  const auto file = NumpyFile::FromBytes(bytes);
  if (!file.ok()) return false;
  const Shape wanted = ShapeUtil::MakeShape(F32, {3});
  const Shape bounded = ShapeUtil::MakeShape(F32, {1000, 1000}, {true, true});
  bool any = false;
  for (size_t i = 0; i < file->size(); ++i) {
    const auto shape = file->ReadShape(i);
    if (const auto array = file->ReadAs(i, wanted); array.ok()) {
      XLA_CHECK(ShapeUtil::Compatible(array->shape(), wanted)) << array->shape().ToString();
      XLA_CHECK(shape.ok());
      any = true;
    }
    file->ReadAs(i, bounded).IgnoreError();
    if (!shape.ok() || ShapeUtil::ByteSizeOf(*shape) > 1 << 24) continue;
    if (const auto array = file->Read(i); array.ok())
      XLA_CHECK(ShapeUtil::Compatible(array->shape(), *shape)) << array->shape().ToString();
  }
  return any;
}

std::string MakeWords(Random& random) {
  std::vector<std::string> vocabulary = {
      "help",     "--help", "--version", "--",           "-", "",     "=", "-h",
      "--json=1", "a b",    "\xff",      "--threads=-1", "0", "x.hlo"};
  const std::vector<Command>& commands = Commands();
  for (const Command& command : commands) vocabulary.emplace_back(command.name);
  const Command& chosen = Pick(commands, random);
  std::vector<std::string> words = {std::string(chosen.name)};
  for (uint64_t count = random() % 8; count > 0; --count) {
    const Command& command = random() % 8 == 0 ? Pick(commands, random) : chosen;
    if (random() % 2 == 0 && !command.options.empty()) {
      const OptionSpec& option = Pick(command.options, random);
      std::string word(option.name);
      if (random() % 2 == 0) absl::StrAppend(&word, "=", OddNumber(random));
      words.push_back(random() % 16 == 0 ? MutateBytes(word, random) : word);
    } else {
      words.push_back(random() % 3 == 0 ? OddNumber(random) : Pick(vocabulary, random));
    }
  }
  if (random() % 8 == 0) std::swap(words[0], words[random() % words.size()]);
  std::string joined;
  for (const std::string& word : words) absl::StrAppend(&joined, word, std::string(1, '\0'));
  return joined;
}

bool CheckWords(const std::string& joined) {
  std::vector<std::string> words = absl::StrSplit(joined, '\0');
  words.pop_back();
  const ParsedCommandLine parsed = ParseCommandLine(Commands(), words);
  if (parsed.command == nullptr) {
    XLA_CHECK(!parsed.text.empty());
    XLA_CHECK(parsed.exit_code == kExitOk || parsed.exit_code == kExitUsage);
    return false;
  }
  for (const OptionSpec& option : parsed.command->options) {
    if (!option.range.has_value() || !parsed.arguments.Has(option.name)) continue;
    const int64_t value = parsed.arguments.GetInt(option.name, option.range->least);
    XLA_CHECK(value >= option.range->least && value <= option.range->most) << value;
  }
  const auto operands = static_cast<int64_t>(parsed.arguments.operands().size());
  XLA_CHECK(operands >= parsed.command->least_operands &&
            operands <= parsed.command->most_operands);
  return true;
}

// --- The loop -----------------------------------------------------------------------------------

std::string MakeInput(const std::string& mode, const Corpus& corpus, Random& random) {
  if (mode == "text" || mode == "cpu")
    return MutateText(Pick(corpus.texts, random), Pick(corpus.texts, random), random);
  if (mode == "mlir") {
    return MutateText(Pick(corpus.stablehlo_texts, random), Pick(corpus.stablehlo_texts, random),
                      random);
  }
  if (mode == "bytecode") return MutateBytes(Pick(corpus.bytecodes, random), random);
  if (mode == "npz") return random() % 4 == 0 ? MakeNpy(random) : MakeNpz(random);
  if (mode == "words") return MakeWords(random);
  HloModuleProto proto = Pick(corpus.protos, random);
  if (random() % 4 == 0) {  // an instruction of another module
    const HloModuleProto& other = Pick(corpus.protos, random);
    const auto& from = other.computations(
        static_cast<int>(random() % static_cast<uint64_t>(other.computations_size())));
    auto& to = *proto.mutable_computations(
        static_cast<int>(random() % static_cast<uint64_t>(proto.computations_size())));
    if (from.instructions_size() > 0 && to.instructions_size() > 0) {
      *to.mutable_instructions(
          static_cast<int>(random() % static_cast<uint64_t>(to.instructions_size()))) =
          from.instructions(
              static_cast<int>(random() % static_cast<uint64_t>(from.instructions_size())));
    }
  }
  ProtoMutator mutator(static_cast<unsigned>(random()));
  for (uint64_t count = 1 + random() % 3; count > 0; --count) mutator.Mutate(&proto);
  std::string bytes = proto.SerializeAsString();
  return random() % 16 == 0 ? MutateBytes(std::move(bytes), random) : bytes;
}

bool Check(const std::string& mode, const std::string& input, bool run) {
  if (mode == "text") return CheckText(input, run);
  if (mode == "proto") return CheckProto(input, run);
  if (mode == "npz") return CheckNpz(input);
  if (mode == "cpu") return CheckCpu(input);
  if (mode == "mlir" || mode == "bytecode") return CheckStableHlo(input, run);
  return CheckWords(input);
}

[[noreturn]] void Work(const Options& options, const Corpus& corpus, int64_t first,
                       Progress& progress) {
  google::protobuf::SetLogHandler(nullptr);
  for (int64_t i = first; i < options.count; ++i) {
    Random random(options.seed * 0x9E3779B97F4A7C15u + static_cast<uint64_t>(i));
    const std::string& mode = options.modes[static_cast<uint64_t>(i) % options.modes.size()];
    progress.number = i;
    progress.size = 0;
    std::snprintf(progress.mode, sizeof(progress.mode), "%s", mode.c_str());
    const std::string input = MakeInput(mode, corpus, random);
    progress.size = static_cast<int64_t>(std::min(input.size(), sizeof(progress.input)));
    std::memcpy(progress.input, input.data(), static_cast<size_t>(progress.size));
    alarm(options.timeout);
    if (Check(mode, input, random() % 4 == 0)) ++progress.accepted;
    alarm(0);
  }
  progress.number = options.count;
  _exit(0);
}

int Run(const Options& options) {
  const Corpus corpus = ReadCorpus(options.corpus);
  if (corpus.texts.empty() || corpus.protos.empty() || corpus.stablehlo_texts.empty() ||
      corpus.bytecodes.empty()) {
    std::fprintf(stderr, "hostile_driver: the corpus lacks .hlo or .mlir files\n");
    return 2;
  }
  std::filesystem::create_directories(options.findings);
  void* memory =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  XLA_CHECK(memory != MAP_FAILED);
  Progress& progress = *static_cast<Progress*>(memory);
  int findings = 0;
  for (int64_t first = options.first; first < options.count; first = progress.number + 1) {
    std::fflush(stdout);
    const pid_t worker = fork();
    if (worker == 0) Work(options, corpus, first, progress);
    int status = 0;
    if (worker < 0 || waitpid(worker, &status, 0) < 0) return 2;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    ++findings;
    const std::string name =
        absl::StrCat(options.findings, "/", progress.mode, "-", options.seed, "-", progress.number);
    std::ofstream(name, std::ios::binary)
        .write(progress.input, static_cast<std::streamsize>(progress.size));
    std::printf("FINDING: %s: %s %d\n", name.c_str(),
                WIFSIGNALED(status) ? "ended by signal" : "exit code",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  }
  std::printf("%lld inputs (%lld accepted), %d findings\n",
              static_cast<long long>(options.count - options.first),
              static_cast<long long>(progress.accepted), findings);
  return findings > 0 ? 1 : 0;
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!absl::StartsWith(word, "--")) {
      options.corpus.push_back(word);
      continue;
    }
    if (i + 1 == argc) {
      std::fprintf(stderr, "hostile_driver: %s needs a value\n", word.c_str());
      return 2;
    }
    const std::string value = argv[++i];
    if (word == "--seed") {
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (word == "--count") {
      options.count = std::strtoll(value.c_str(), nullptr, 10);
    } else if (word == "--first") {
      options.first = std::strtoll(value.c_str(), nullptr, 10);
    } else if (word == "--timeout") {
      options.timeout = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
    } else if (word == "--findings") {
      options.findings = value;
    } else if (word == "--modes") {
      options.modes = absl::StrSplit(value, ',');
    } else {
      std::fprintf(stderr, "hostile_driver: unknown option %s\n", word.c_str());
      return 2;
    }
  }
  return Run(options);
}

}  // namespace
}  // namespace xla::fuzz

int main(int argc, char** argv) { return xla::fuzz::Main(argc, argv); }
