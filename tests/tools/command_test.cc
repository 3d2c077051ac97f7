// SPDX-License-Identifier: Apache-2.0
// Command lines, and the xylem binary as a process: exit codes, streams, limits, Ctrl-C.
#include "tools/command.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "tests/tools/tools_test_util.h"
#include "tools/process.h"
#include "xla/cpu/program.h"

namespace xla {
namespace {

using testing::CommandLine;
using Words = std::vector<std::string>;

TEST(CommandLineTest, OptionsAndOperands) {
  ASSERT_OK_AND_ASSIGN(
      const Arguments arguments,
      CommandLine({"--input", "a.npy", "-", "--input=b.npz", "--threads=3", "--json"}));
  EXPECT_EQ(arguments.All("--input"), (Words{"a.npy", "b.npz"}));
  EXPECT_EQ(arguments.Get("--input"), "b.npz");
  EXPECT_EQ(arguments.GetInt("--threads", 0), 3);
  EXPECT_EQ(arguments.GetInt("--timeout", 60), 60);
  EXPECT_TRUE(arguments.Has("--json"));
  EXPECT_FALSE(arguments.Has("--output"));
  EXPECT_EQ(arguments.operands(), Words{"-"});
}

TEST(CommandLineTest, ValuesAreTakenAsTheyAre) {
  ASSERT_OK_AND_ASSIGN(const Arguments arguments,
                       CommandLine({"--output", "-", "--input", "--json", "--input", "[a,b]",
                                    "--input=c=d", "--", "--json"}));
  EXPECT_EQ(arguments.Get("--output"), "-");
  EXPECT_EQ(arguments.All("--input"), (Words{"--json", "[a,b]", "c=d"}));
  EXPECT_EQ(arguments.operands(), Words{"--json"});
  EXPECT_FALSE(arguments.Has("--json"));
}

TEST(CommandLineTest, OperandsAreTakenAsTheyAre) {
  const ParsedCommandLine parsed =
      ParseCommandLine(Commands(), Words{"verify", "[a,b]", "run", "", "--", "-x", "--"});
  ASSERT_NE(parsed.command, nullptr) << parsed.text;
  EXPECT_EQ(parsed.command->name, "verify");
  EXPECT_EQ(parsed.arguments.operands(), (Words{"[a,b]", "run", "", "-x", "--"}));
}

TEST(CommandLineTest, TheLastValueOfARepeatedOptionCounts) {
  ASSERT_OK_AND_ASSIGN(const Arguments arguments, CommandLine({"--threads=3", "--threads=4", "x"}));
  EXPECT_EQ(arguments.GetInt("--threads", 0), 4);
}

TEST(CommandLineTest, ErrorsNameTheOption) {
  EXPECT_ERROR(CommandLine({"--imput", "a", "x"}),
               "unknown option '--imput'; did you mean '--input'?");
  EXPECT_ERROR(CommandLine({"--completely-different", "x"}),
               "unknown option '--completely-different'\n");
  EXPECT_ERROR(CommandLine({"-x", "y"}), "unknown option '-x'");
  EXPECT_ERROR(CommandLine({"x", "--input"}), "--input");
  EXPECT_ERROR(CommandLine({"--json=1", "x"}), "json was given a disallowed flag override");
  EXPECT_ERROR(CommandLine({}), "expected FILE");
  EXPECT_NE(ParseCommandLine(Commands(), std::vector<std::string>{"opt", "x", "y"})
                .text.find("unexpected argument 'y'"),
            std::string::npos);
  for (const char* number : {"4097", "-1", "x", "3x", "", "0x10", "99999999999999999999"}) {
    EXPECT_ERROR(CommandLine({"--threads", number, "x"}),
                 absl::StrCat("--threads: expected an integer from 0 to 4096, got '", number, "'"));
  }
  EXPECT_ERROR(CommandLine({"--backend", "gpu", "x"}),
               "--backend: expected cpu, interpreter, got 'gpu'");
}

TEST(CommandLineTest, UnknownCommands) {
  const ParsedCommandLine typo = ParseCommandLine(Commands(), Words{"verfy", "x"});
  EXPECT_EQ(typo.exit_code, kExitUsage);
  EXPECT_TRUE(absl::StrContains(typo.text, "unknown command 'verfy'; did you mean 'verify'?"));
  const ParsedCommandLine before = ParseCommandLine(Commands(), Words{"x", "verify", "y"});
  EXPECT_TRUE(absl::StrContains(before.text, "unknown command 'x'")) << before.text;
  EXPECT_EQ(ParseCommandLine(Commands(), {}).exit_code, kExitUsage);
}

TEST(CommandLineTest, EveryCommandHasHelp) {
  const ParsedCommandLine all = ParseCommandLine(Commands(), Words{"--help"});
  EXPECT_EQ(all.exit_code, kExitOk);
  for (const Command& command : Commands()) {
    const std::string name(command.name);
    EXPECT_TRUE(absl::StrContains(all.text, absl::StrCat("  ", name))) << all.text;
    const ParsedCommandLine help = ParseCommandLine(Commands(), Words{name, "--help"});
    EXPECT_EQ(help.exit_code, kExitOk);
    EXPECT_TRUE(absl::StrContains(help.text, absl::StrCat("Usage: xylem ", name, " [OPTIONS]")));
    for (const OptionSpec& option : command.options)
      EXPECT_TRUE(absl::StrContains(help.text, std::string(option.name))) << help.text;
  }
}

// LLVM aborts if it gets no memory while it is loaded.
TEST(ProcessTest, AbortsWhileTheCompilerIsLoadedAreLackOfMemory) {
  const auto abort_in_guard = [] {
    const AbortsAreLackOfMemory guard;
    std::abort();
  };
  EXPECT_EXIT(abort_in_guard(), ::testing::ExitedWithCode(kExitFailed), "^xylem: out of memory");
  const auto abort_after_guard = [] {
    { const AbortsAreLackOfMemory guard; }
    std::abort();
  };
  EXPECT_EXIT(abort_after_guard(), ::testing::KilledBySignal(SIGABRT), "");
}

TEST(ProcessTest, NumbersAreReadable) {
  EXPECT_EQ(ReadableSeconds(2.5e-7), "0.25 us");
  EXPECT_EQ(ReadableSeconds(0.000950), "950 us");
  EXPECT_EQ(ReadableSeconds(0.00099999), "1 ms");
  EXPECT_EQ(ReadableSeconds(0.0144), "14.4 ms");
  EXPECT_EQ(ReadableSeconds(0.99999), "1 s");
  EXPECT_EQ(ReadableSeconds(1234.5), "1234 s");
  EXPECT_EQ(ReadableBytes(0), "0 B");
  EXPECT_EQ(ReadableBytes(999), "999 B");
  EXPECT_EQ(ReadableBytes(1000), "1.0 KB");
  EXPECT_EQ(ReadableBytes(999'960), "1.0 MB");
  EXPECT_EQ(ReadableBytes(int64_t{34} << 20), "35.7 MB");
  EXPECT_EQ(Counted(1, "array"), "1 array");
  EXPECT_EQ(Counted(0, "array"), "0 arrays");
}

// --- The binary.

struct Finished {
  int exit_code = -1;
  std::string output;  // stdout and stderr, unless the command redirects them
};

// Runs a shell command in which $xylem is the binary and $tmp a folder.
Finished Shell(const std::string& command) {
  const std::string script = absl::StrCat("exec 2>&1; xylem='" XYLEM_BINARY "'; tmp='",
                                          testing::ProcessTempDir(), "'; ", command);
  std::FILE* pipe = popen(script.c_str(), "r");
  Finished finished;
  if (pipe == nullptr) return finished;
  char buffer[4096];
  for (size_t count; (count = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    finished.output.append(buffer, count);
  const int status = pclose(pipe);
  finished.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

TEST(BinaryTest, ExitCodes) {
  EXPECT_EQ(Shell("$xylem --version").output, "xylem " XYLEM_TEST_VERSION "\n");
  EXPECT_EQ(Shell("$xylem --help").exit_code, 0);
  EXPECT_EQ(Shell("$xylem help run").exit_code, 0);
  EXPECT_EQ(Shell("$xylem").exit_code, 2);
  EXPECT_EQ(Shell("$xylem run").exit_code, 2);
  EXPECT_EQ(Shell("$xylem run --threads x y.hlo").exit_code, 2);
  EXPECT_EQ(Shell("$xylem verify /no/such/file").exit_code, 1);
  EXPECT_EQ(
      Shell("echo 'HloModule m ENTRY e { ROOT c = f32[] constant(1) }' | $xylem verify -").output,
      "<stdin>: ok, 1 computation, 1 instruction\n");
}

TEST(BinaryTest, OptRunsPasses) {
  const std::string program =
      "echo 'HloModule m ENTRY e { p = f32[] parameter(0) d = f32[] sine(p) n = f32[] negate(p) "
      "ROOT r = f32[] negate(n) }' | ";
  Finished finished = Shell(program + "$xylem opt --passes='fixpoint(algebraic-simplifier,dce)' -");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_TRUE(absl::StrContains(finished.output, "ROOT %p = f32[] parameter(0)"))
      << finished.output;
  EXPECT_FALSE(absl::StrContains(finished.output, "negate")) << finished.output;

  finished = Shell(program +
                   "$xylem opt --passes=dce,algebraic-simplifier --disable-passes=dce "
                   "--statistics --dump-passes=$tmp/opt_dumps --output=/dev/null -; ls "
                   "$tmp/opt_dumps; rm -r $tmp/opt_dumps");
  EXPECT_TRUE(absl::StrContains(finished.output, "1 runs of passes, 1 changed the module (4 -> 2"))
      << finished.output;
  EXPECT_TRUE(absl::StrContains(finished.output,
                                "001.algebraic-simplifier.after.hlo\n"
                                "001.algebraic-simplifier.before.hlo\n"))
      << finished.output;

  finished = Shell("$xylem opt --list");
  EXPECT_TRUE(absl::StrContains(finished.output, "\ndce ")) << finished.output;
  finished = Shell(program + "$xylem opt --passes=nothing -");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_TRUE(absl::StrContains(finished.output, "there is no pass 'nothing'")) << finished.output;
  EXPECT_NE(Shell("$xylem opt").exit_code, 0);
}

TEST(BinaryTest, StableHloIsRecognizedByItsContent) {
  const std::string program =
      "func.func @main() -> tensor<2xi32> { "
      "%0 = stablehlo.constant dense<[3, 4]> : tensor<2xi32> "
      "return %0 : tensor<2xi32> }";
  EXPECT_EQ(Shell("echo '" + program + "' | $xylem verify -").output,
            "<stdin>: ok, 1 function, 2 operations\n");
  const Finished printed = Shell("echo '" + program + "' | $xylem print -");
  EXPECT_TRUE(absl::StrContains(printed.output, "s32[2]{0} constant({3, 4})")) << printed.output;
  const Finished invalid =
      Shell("echo 'module { func.func @main() { %0 = x.y } }' | $xylem print -");
  EXPECT_EQ(invalid.exit_code, 1);
  EXPECT_TRUE(absl::StrContains(invalid.output, "xylem: <stdin>:1:")) << invalid.output;
}

TEST(BinaryTest, OutputThatDoesNotArriveIsAFailure) {
  for (const char* words : {"--help", "--version", "info", "ops", "ops add", "completions bash",
                            "verify models/digits/predict.hlo"}) {
    for (const char* closed : {"> /dev/full", ">&-"}) {
      const Finished finished = Shell(absl::StrCat("$xylem ", words, " ", closed));
      EXPECT_EQ(finished.exit_code, 1) << words << closed;
      EXPECT_TRUE(absl::StrContains(finished.output, "xylem: standard output: "))
          << words << closed << ": " << finished.output;
    }
  }
}

TEST(BinaryTest, InfoSaysWhatRunsPrograms) {
  const Finished finished = Shell("$xylem info");
  const char* backends =
      CheckCpuCompiler().ok() ? "backends  cpu interpreter" : "backends  interpreter";
  EXPECT_TRUE(absl::StrContains(finished.output, backends)) << finished.output;
}

TEST(BinaryTest, InfoNamesTheCodeGenerator) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "the compiler is not here";
  EXPECT_TRUE(absl::StrContains(Shell("$xylem info").output, "\ncode      LLVM "));
  EXPECT_TRUE(absl::StrContains(Shell("$xylem info --json").output, "\"code_generator\":\"LLVM "));
}

// Files that are no libraries stand for libraries that are not there.
TEST(BinaryTest, WithoutLlvmProgramsAreInterpretedNotInSilence) {
  const std::string hide =
      "mkdir -p $tmp/without_llvm; for v in 18 19 20 21 22; do : > "
      "$tmp/without_llvm/libLLVM.so.$v.1; "
      ": > $tmp/without_llvm/libLLVM-$v.so.1; : > $tmp/without_llvm/libLLVM-$v.so; done; export "
      "LD_LIBRARY_PATH=$tmp/without_llvm; ";
  const Finished info = Shell(hide + "$xylem info");
  EXPECT_TRUE(absl::StrContains(info.output, "\nbackends  interpreter\n")) << info.output;
  EXPECT_TRUE(absl::StrContains(
      info.output, "\ncode      none: the compiler needs LLVM, of a version from 18 to 22 "))
      << info.output;
  const Finished run =
      Shell(hide + "echo 'HloModule m ENTRY e { ROOT c = f32[] constant(1) }' | $xylem run -");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_TRUE(absl::StrContains(run.output, "interpreting, as nothing can be compiled: "))
      << run.output;
}

#if defined(__x86_64__)
TEST(BinaryTest, InstructionsAreBounded) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "the compiler is not here";
  const std::string program =
      "echo 'HloModule m ENTRY e { x = f32[999] parameter(0) ROOT y = f32[999] add(x, x) }'"
      " > $tmp/isa.hlo; ";
  const auto has_wide = [&](const std::string& command) {
    const Finished finished = Shell(program + command);
    EXPECT_EQ(finished.exit_code, 0) << finished.output;
    EXPECT_TRUE(absl::StrContains(finished.output, "%xmm")) << finished.output;
    return absl::StrContains(finished.output, "%ymm") || absl::StrContains(finished.output, "%zmm");
  };
  const std::string compile = "$xylem compile --emit=asm --output=- $tmp/isa.hlo";
  EXPECT_FALSE(has_wide(compile + " --max-isa SSE4_2"));
  EXPECT_FALSE(has_wide("XLA_FLAGS=--xla_cpu_max_isa=sse4_2 " + compile));
  // The lower one counts.
  EXPECT_FALSE(has_wide("XLA_FLAGS=--xla_cpu_max_isa=AVX " + compile + " --max-isa=SSE4_2"));
  EXPECT_FALSE(has_wide("XLA_FLAGS=--xla_cpu_max_isa=SSE4_2 " + compile + " --max-isa=AVX2"));
  const Finished wrong =
      Shell(program + "XLA_FLAGS=--xla_cpu_max_isa=fast $xylem run $tmp/isa.hlo");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(absl::StrContains(wrong.output, "xla_cpu_max_isa: unknown instruction set 'fast'"))
      << wrong.output;
}

TEST(BinaryTest, FlushesSubnormalsIfAskedTo) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "the compiler is not here";
  const std::string program =
      "echo 'HloModule m ENTRY e { x = f32[4] parameter(0)"
      " k = f32[] constant(1e-39) kk = f32[4] broadcast(k), dimensions={}"
      " ROOT y = f32[4] multiply(x, kk) }' > $tmp/tiny.hlo; ";
  const auto is_flushed = [&](const std::string& command) {
    const Finished finished = Shell(program + command);
    EXPECT_EQ(finished.exit_code, 0) << finished.output;
    return !absl::StrContains(finished.output, "e-");
  };
  const std::string run = "$xylem run $tmp/tiny.hlo --random 1";
  EXPECT_FALSE(is_flushed(run));
  EXPECT_TRUE(is_flushed(run + " --flush-subnormals"));
  EXPECT_TRUE(is_flushed("XLA_FLAGS=--xla_cpu_ftz=true " + run));
  EXPECT_FALSE(is_flushed("XLA_FLAGS=--xla_cpu_ftz=false " + run));
  EXPECT_FALSE(is_flushed(run + " --flush-subnormals --backend interpreter"));
}
#endif

TEST(BinaryTest, ProgramsAreDumpedAsXlaFlagsSay) {
  for (const char* backend : {"interpreter", "cpu"}) {
    if (backend == std::string("cpu") && !CheckCpuCompiler().ok()) continue;
    const Finished finished = Shell(absl::StrCat(
        "echo 'HloModule dumped ENTRY e { ROOT c = f32[] constant(1) }' > $tmp/d.hlo; "
        "XLA_FLAGS=--xla_dump_to=$tmp/dump_",
        backend, " $xylem run --backend=", backend, " $tmp/d.hlo && ls $tmp/dump_", backend));
    EXPECT_TRUE(absl::StrContains(finished.output, "module_0000.dumped.before_optimizations.txt"))
        << finished.output;
  }
}

TEST(BinaryTest, UnknownCustomCallsDoNotRun) {
  for (const char* backend : {"interpreter", "cpu"}) {
    if (backend == std::string("cpu") && !CheckCpuCompiler().ok()) continue;
    const Finished finished = Shell(absl::StrCat(
        "echo 'HloModule m ENTRY e { ROOT c = f32[] custom-call(), custom_call_target=\"none\" }'",
        " | $xylem run --backend=", backend, " -"));
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_TRUE(absl::StrContains(
        finished.output,
        "No registered implementation for untyped custom call to none for Host (instruction c)"))
        << finished.output;
  }
}

TEST(BinaryTest, ACacheThatCannotBeUsedIsAnError) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "the compiler is not here";
  const std::string program =
      "echo 'HloModule m ENTRY e { ROOT c = f32[] constant(1) }' > $tmp/c.hlo; ";
  for (const char* folder : {"$tmp/c.hlo", "$tmp/none/cache", "''", "/dev/full", "$tmp/c.hlo/x"}) {
    const Finished finished =
        Shell(absl::StrCat(program, "$xylem compile $tmp/c.hlo --cache ", folder));
    EXPECT_EQ(finished.exit_code, 1) << folder;
    EXPECT_TRUE(absl::StrContains(finished.output, "xylem: cannot create the cache '"))
        << folder << ": " << finished.output;
  }
  for (int i = 0; i < 2; ++i) {  // new, and there already
    const Finished finished = Shell(program + "$xylem compile $tmp/c.hlo --cache $tmp/cache");
    EXPECT_EQ(finished.exit_code, 0) << finished.output;
  }
}

TEST(BinaryTest, WithoutAFolderOfTemporaryFilesStreamsAreNotWritten) {
  for (const char* folder : {"/nonexistent", "/dev/null"}) {
    const Finished finished = Shell(absl::StrCat(
        "echo 'HloModule m ENTRY e { ROOT c = f32[] constant(1) }' > $tmp/t.hlo; TMPDIR=", folder,
        " $xylem run --output - $tmp/t.hlo"));
    EXPECT_EQ(finished.exit_code, 1) << folder;
    EXPECT_TRUE(absl::StrContains(finished.output, "xylem: the folder of temporary files: "))
        << folder << ": " << finished.output;
  }
}

TEST(BinaryTest, AnEmptyFileIsNoProgramThatPasses) {
  for (const char* command : {"test", "verify", "run", "print", "compile", "refine", "diff"}) {
    for (const char* file : {"$tmp/empty.hlo", "- < $tmp/empty.hlo"}) {
      const Finished finished =
          Shell(absl::StrCat("echo > $tmp/empty.hlo; $xylem ", command, " ", file));
      EXPECT_EQ(finished.exit_code, 1) << command << " " << file << ": " << finished.output;
    }
  }
}

TEST(BinaryTest, FilesAreNotOpenedAsClosedStreams) {
  const Finished finished = Shell(
      "echo 'HloModule m ENTRY e { ROOT c = f32[] constant(1) }' > $tmp/one.hlo; rm -f "
      "$tmp/one.npz;"
      "$xylem run --output $tmp/one.npz $tmp/one.hlo >&-; $xylem run --json --input $tmp/one.npz "
      "$tmp/one.hlo");
  EXPECT_TRUE(absl::StrContains(finished.output, "the program takes no arrays")) << finished.output;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(XYLEM_THREAD_SANITIZER)
// Fewer threads run the same tests. Stacks of 2 GB leave room for two threads, and enough memory;
// in programs that need more threads, these are errors.
TEST(BinaryTest, JobsForWhichThereIsNoThread) {
  const Finished finished = Shell(
      "ulimit -s 2000000; ulimit -v 6000000; $xylem test --jobs 1024 --backend interpreter --quiet "
      "tests/operations");
  EXPECT_LT(finished.exit_code, 128) << finished.output;
  EXPECT_TRUE(absl::StrContains(finished.output, " passed, ")) << finished.output;
}

TEST(BinaryTest, EndlessInputIsAnError) {
  const std::string limit = "ulimit -v 400000; ";
  for (const char* command : {"$xylem verify /dev/zero", "yes | $xylem verify -",
                              "$xylem run --input /dev/zero $tmp/x.hlo", "$xylem check /dev/zero",
                              "$xylem test /dev/zero"}) {
    const Finished finished = Shell(
        absl::StrCat("echo 'HloModule m ENTRY e { ROOT p = f32[] parameter(0) }' > $tmp/x.hlo; ",
                     limit, command));
    EXPECT_EQ(finished.exit_code, 1) << command << ": " << finished.output.substr(0, 1000);
  }
}

// What is compiled elsewhere is not interpreted for lack of memory, and LLVM is loaded once: after
// an attempt for which glibc had no memory, a second one gave a library that crashed.
TEST(BinaryTest, LackOfMemoryWhileTheCompilerIsLoadedIsAnError) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "the compiler is not here";
  // A run takes memory for the list of commands, as this command, and then for loading LLVM.
  const Finished counted = Shell(
      "echo 'HloModule m ENTRY e { ROOT c = f32[] constant(1) }' > $tmp/x.hlo; export "
      "LD_PRELOAD='" XYLEM_ALLOC_FAULTS
      "'; XYLEM_COUNT_ALLOCATIONS=$tmp/n $xylem help run > /dev/null; cat $tmp/n");
  int64_t first = 0;
  ASSERT_TRUE(absl::SimpleAtoi(counted.output, &first)) << counted.output;
  int refused = 0;
  // The last one that glibc needs, or another version has other words.
  bool last = false;
  for (int64_t i = 0; i < 1000 && !last; ++i) {
    const Finished finished = Shell(absl::StrCat(
        "export LD_PRELOAD='" XYLEM_ALLOC_FAULTS "'; XYLEM_FAIL_ALLOCATION=", first + i,
        " $xylem run $tmp/x.hlo"));
    const bool error = absl::StrContains(finished.output, "xylem: no memory to load LLVM ");
    refused += error;
    last = absl::StrContains(finished.output, "cannot allocate address lookup data");
    if (error) {
      EXPECT_EQ(finished.exit_code, 1) << i << ": " << finished.output;
    }
    EXPECT_LT(finished.exit_code, 128) << i << ": " << finished.output;
    EXPECT_FALSE(absl::StrContains(finished.output, "interpreting")) << i << finished.output;
  }
  EXPECT_GT(refused, 10);
}
#endif

TEST(BinaryTest, ADeviceIsNoArray) {
  const Finished finished = Shell(
      "echo 'HloModule m ENTRY e { ROOT p = f32[] parameter(0) }' > $tmp/x.hlo; "
      "$xylem run --input /dev/zero $tmp/x.hlo");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_TRUE(absl::StrContains(finished.output, "/dev/zero: neither a .npy nor a .npz file"))
      << finished.output;
}

TEST(BinaryTest, CtrlCEndsAWaitForAFifo) {
  const Finished finished = Shell(
      "rm -f $tmp/fifo; mkfifo $tmp/fifo; env --default-signal=INT $xylem verify $tmp/fifo & p=$!; "
      "sleep 0.5; kill -INT $p; "
      "wait $p");
  EXPECT_EQ(finished.exit_code, kExitInterrupted) << finished.output;
}

// Every long operation looks for Ctrl-C, and no file is left behind.
TEST(BinaryTest, CtrlCEndsLongOperations) {
  const struct {
    const char *name, *program;
  } kPrograms[] = {
      {"loop",
       "c { p = s32[] parameter(0) ROOT t = pred[] constant(true) } b { p = s32[] parameter(0) "
       "ROOT q = s32[] negate(p) } ENTRY e { z = s32[] constant(0) ROOT w = s32[] while(z), "
       "condition=c, body=b }"},
      {"trisolve",
       "ENTRY e { a = f64[4000,4000] iota(), iota_dimension=0 ROOT s = f64[4000,4000] "
       "triangular-solve(a, a), left_side=true, lower=true, transpose_a=NO_TRANSPOSE }"},
      {"convolution",
       "ENTRY e { a = f32[1,1,3000,3000] iota(), iota_dimension=2 k = f32[1,1,1000,1000] iota(), "
       "iota_dimension=2 ROOT s = f32[1,1,2001,2001] convolution(a, k), window={size=1000x1000}, "
       "dim_labels=bf01_oi01->bf01 }"},
      {"fft",
       "ENTRY e { a = c64[1,9999991] iota(), iota_dimension=1 ROOT s = c64[1,9999991] fft(a), "
       "fft_type=FFT, fft_length={9999991} }"},
  };
  for (const auto& program : kPrograms) {
    // A busy machine may let the process wait: the least of a few attempts counts.
    int64_t milliseconds = INT64_MAX;
    for (int attempt = 0; attempt < 3 && milliseconds >= 2000; ++attempt) {
      const Finished finished = Shell(absl::StrCat(
          // The shell lets what it starts behind it ignore interrupts, which would get lost before
          // the command is ready for them.
          "rm -f $tmp/long*; echo 'HloModule m ", program.program, "' > $tmp/long.hlo; ",
          "env --default-signal=INT $xylem run --output $tmp/long.npz $tmp/long.hlo & p=$!; ",
          "sleep 0.4; kill -INT $p; "
          "start=$(date +%s%N); wait $p; code=$?; echo took $(( ($(date +%s%N) - start) / 1000000 "
          ")) "
          "ms; ls $tmp | grep -c '^long'; exit $code"));
      EXPECT_EQ(finished.exit_code, kExitInterrupted) << program.name << finished.output;
      EXPECT_TRUE(absl::EndsWith(finished.output, " ms\n1\n")) << program.name << finished.output;
      const size_t took = finished.output.find("took ");
      ASSERT_NE(took, std::string::npos) << finished.output;
      milliseconds =
          std::min<int64_t>(milliseconds, std::atoll(finished.output.c_str() + took + 5));
    }
    EXPECT_LT(milliseconds, 2000) << program.name;
  }
}

TEST(BinaryTest, EncodingsAreNamed) {
  const std::string program = "HloModule m\\nENTRY e { ROOT c = f32[] constant(1) }";
  EXPECT_TRUE(
      absl::StrContains(Shell("printf '\\357\\273\\277" + program + "' | $xylem verify -").output,
                        "byte order mark"));
  EXPECT_TRUE(
      absl::StrContains(Shell("printf '\\377\\376H\\000' | $xylem verify -").output, "UTF-16"));
  EXPECT_TRUE(absl::StrContains(
      Shell("printf 'HloModule m\\n\\033[1mENTRY e { ROOT c = f32[] constant(1) }' | $xylem "
            "verify -")
          .output,
      "<stdin>:2:1: the text holds the control character 0x1b"));
}

TEST(BinaryTest, JsonIsEscaped) {
  const Finished finished = Shell("mkdir -p \"$tmp/a\\\"b\"; $xylem check --json \"$tmp/a\\\"b\"");
  EXPECT_TRUE(absl::StrContains(finished.output, "{\"name\":\"a\\\"b\",\"passed\":false"))
      << finished.output;
}

}  // namespace
}  // namespace xla
