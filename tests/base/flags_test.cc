// SPDX-License-Identifier: Apache-2.0
// Flags of command lines and of environment variables.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/parse_flags_from_env.h"
#include "xla/tsl/util/command_line_flags.h"
#include "xla/tsl/util/env_var.h"

namespace xla {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kVariable = "XYLEM_TEST_FLAGS";

// A variable of the environment that is gone at the end of the test.
class EnvTest : public ::testing::Test {
 protected:
  void Set(const std::string& value) { setenv(kVariable, value.c_str(), 1); }
  ~EnvTest() override { unsetenv(kVariable); }
};
using EnvVar = EnvTest;
using FlagsOfEnvironments = EnvTest;

struct Values {
  int32_t steps = 1;
  int64_t bytes = 2;
  bool fast = false;
  std::string name = "x";
  float rate = 0.5;
  bool steps_set = false;

  std::vector<tsl::Flag> Flags() {
    return {tsl::Flag("steps", &steps, "how often", &steps_set),
            tsl::Flag("bytes", &bytes, "how much"), tsl::Flag("fast", &fast, "less exact"),
            tsl::Flag("name", &name, "of the run"), tsl::Flag("rate", &rate, "of learning")};
  }
};

TEST(CommandLineFlags, TakeTheirValues) {
  Values values;
  std::vector<std::string> arguments = {"--steps=-3",  "other",        "--bytes=5000000000",
                                        "--fast",      "--name=a=b c", "--rate=1e-3",
                                        "--stepsize=3"};
  EXPECT_TRUE(tsl::Flags::Parse(arguments, values.Flags()));
  EXPECT_EQ(arguments, (Texts{"other", "--stepsize=3"}));
  EXPECT_EQ(values.steps, -3);
  EXPECT_TRUE(values.steps_set);
  EXPECT_EQ(values.bytes, 5000000000);
  EXPECT_TRUE(values.fast);
  EXPECT_EQ(values.name, "a=b c");
  EXPECT_EQ(values.rate, 1e-3f);
}

TEST(CommandLineFlags, Booleans) {
  for (const auto& [text, expected] :
       std::vector<std::pair<std::string, bool>>{{"--fast", true},
                                                 {"--fast=True", true},
                                                 {"--fast=1", true},
                                                 {"--fast=FALSE", false},
                                                 {"--fast=0", false}}) {
    Values values;
    values.fast = !expected;
    std::vector<std::string> arguments = {text};
    EXPECT_TRUE(tsl::Flags::Parse(arguments, values.Flags())) << text;
    EXPECT_EQ(values.fast, expected) << text;
  }
}

TEST(CommandLineFlags, RejectsValuesOfOtherTypes) {
  for (const std::string text : {"--steps=x", "--steps=", "--steps=5000000000", "--bytes=1.5",
                                 "--fast=yes", "--rate=fast"}) {
    Values values;
    std::vector<std::string> arguments = {text};
    EXPECT_FALSE(tsl::Flags::Parse(arguments, values.Flags())) << text;
    EXPECT_EQ(arguments, Texts{}) << text;
    EXPECT_EQ(values.steps, 1) << text;
  }
  Values values;  // only booleans need no value
  std::vector<std::string> arguments = {"--steps"};
  EXPECT_TRUE(tsl::Flags::Parse(arguments, values.Flags()));
  EXPECT_EQ(arguments, (Texts{"--steps"}));
}

TEST(CommandLineFlags, CallFunctions) {
  int32_t seen = 0;
  const auto even = [&](int32_t value) {
    seen = value;
    return value % 2 == 0;
  };
  const std::vector<tsl::Flag> flags = {
      tsl::Flag("even", std::function<bool(int32_t)>(even), 0, "a number")};
  std::vector<std::string> good = {"--even=4"}, bad = {"--even=5"};
  EXPECT_TRUE(tsl::Flags::Parse(good, flags));
  EXPECT_FALSE(tsl::Flags::Parse(bad, flags));
  EXPECT_EQ(seen, 5);
}

TEST(CommandLineFlags, LeaveTheRestInArgv) {
  std::string texts[] = {"program", "a", "--steps=2", "b", "--", "--steps=3"};
  char* argv[] = {texts[0].data(), texts[1].data(), texts[2].data(), texts[3].data(),
                  texts[4].data(), texts[5].data(), nullptr};
  int argc = 6;
  Values values;
  EXPECT_TRUE(tsl::Flags::Parse(&argc, argv, values.Flags()));
  EXPECT_EQ(std::vector<std::string>(argv, argv + argc),
            (Texts{"program", "a", "b", "--", "--steps=3"}));
  EXPECT_EQ(argv[argc], nullptr);
  EXPECT_EQ(values.steps, 2);
}

TEST(CommandLineFlags, HelpIsNoSuccess) {
  std::string texts[] = {"program", "--help"};
  char* argv[] = {texts[0].data(), texts[1].data(), nullptr};
  int argc = 2;
  EXPECT_FALSE(tsl::Flags::Parse(&argc, argv, Values().Flags()));
  EXPECT_EQ(argc, 2);
}

TEST(CommandLineFlags, Usage) {
  Values values;
  EXPECT_EQ(tsl::Flags::Usage("run", values.Flags()),
            "usage: run\nFlags:\n"
            "\t--steps=1                        \tint32\thow often\n"
            "\t--bytes=2                        \tint64\thow much\n"
            "\t--fast=false                     \tbool\tless exact\n"
            "\t--name=\"x\"                       \tstring\tof the run\n"
            "\t--rate=0.500000                  \tfloat\tof learning\n");
  EXPECT_EQ(tsl::Flags::Usage("run", {}), "usage: run\n");
}

TEST_F(EnvVar, OfEachType) {
  bool truth = false;
  int64_t number = 0;
  float real = 0;
  std::string text;
  EXPECT_OK(tsl::ReadBoolFromEnvVar(kVariable, true, &truth));
  EXPECT_OK(tsl::ReadInt64FromEnvVar(kVariable, 7, &number));
  EXPECT_OK(tsl::ReadFloatFromEnvVar(kVariable, 0.25, &real));
  EXPECT_OK(tsl::ReadStringFromEnvVar(kVariable, "none", &text));
  EXPECT_TRUE(truth);
  EXPECT_EQ(number, 7);
  EXPECT_EQ(real, 0.25);
  EXPECT_EQ(text, "none");
  Set("0");
  EXPECT_OK(tsl::ReadBoolFromEnvVar(kVariable, true, &truth));
  EXPECT_OK(tsl::ReadInt64FromEnvVar(kVariable, 7, &number));
  EXPECT_OK(tsl::ReadFloatFromEnvVar(kVariable, 0.25, &real));
  EXPECT_OK(tsl::ReadStringFromEnvVar(kVariable, "none", &text));
  EXPECT_FALSE(truth);
  EXPECT_EQ(number, 0);
  EXPECT_EQ(real, 0);
  EXPECT_EQ(text, "0");
  for (const auto& [value, expected] :
       std::vector<std::pair<std::string, bool>>{{"1", true}, {"TRUE", true}, {"False", false}}) {
    Set(value);
    EXPECT_OK(tsl::ReadBoolFromEnvVar(kVariable, !expected, &truth));
    EXPECT_EQ(truth, expected) << value;
  }
  Set("x");
  EXPECT_EQ(tsl::ReadBoolFromEnvVar(kVariable, true, &truth).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(tsl::ReadInt64FromEnvVar(kVariable, 7, &number).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(tsl::ReadFloatFromEnvVar(kVariable, 0.25, &real).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(truth);
  EXPECT_EQ(number, 7);
  EXPECT_EQ(real, 0.25);
}

TEST_F(EnvVar, Lists) {
  std::vector<std::string> parts = {"old"};
  EXPECT_OK(tsl::ReadStringsFromEnvVar(kVariable, " a ,b c,, ", &parts));
  EXPECT_EQ(parts, (Texts{"a", "b c"}));
  Set(" a ,b c,, ");
  EXPECT_OK(tsl::ReadStringsFromEnvVar(kVariable, "", &parts, " ,"));
  EXPECT_EQ(parts, (Texts{"a", "b", "c"}));
}

TEST_F(FlagsOfEnvironments, AreSplit) {
  const std::pair<std::string, std::vector<std::string>> cases[] = {
      {"", {}},
      {" \t\n", {}},
      {"--a --b=1\t--c\n", {"--a", "--b=1", "--c"}},
      {"--a='x \\ \"y'", {"--a=x \\ \"y"}},
      {"--a=\"x \\\" \\\\ y\" --b", {"--a=x \" \\ y", "--b"}},
      {"--a=x'y\" --b", {"--a=x'y\"", "--b"}},
      {"--a='' --b=", {"--a=", "--b="}},
      {"--a='not closed", {"--a=not closed"}},
      {"--a=\"ends in \\", {"--a=ends in \\"}},
      {"--a rest --b", {"--a"}},
      {"-", {"-"}},
      {"--a='", {"--a="}},
  };
  for (const auto& [text, expected] : cases) {
    Set(text);
    const auto flags = FlagsFromEnv(kVariable);
    ASSERT_OK(flags);
    EXPECT_EQ(*flags, expected) << text;
  }
  unsetenv(kVariable);
  EXPECT_EQ(*FlagsFromEnv(kVariable), Texts{});
}

TEST_F(FlagsOfEnvironments, MayStandInFiles) {
  const std::string path = testing::ProcessTempDir() + "/flags.txt";
  std::ofstream(path) << "--a='1 2'\n--b\n";
  Set(path);
  EXPECT_EQ(*FlagsFromEnv(kVariable), (Texts{"--a=1 2", "--b"}));
  std::ofstream(path) << "no flags";
  EXPECT_EQ(*FlagsFromEnv(kVariable), Texts{});
  std::ofstream(path) << std::string((1 << 20) + 1, '-');
  EXPECT_EQ(FlagsFromEnv(kVariable).status().code(), absl::StatusCode::kResourceExhausted);
  Set(path + ".missing");
  const absl::Status missing = FlagsFromEnv(kVariable).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(absl::StrContains(missing.message(), path + ".missing")) << missing;
}

TEST_F(FlagsOfEnvironments, AreReadOnceAndShared) {
  int* argc;
  std::vector<char*>* argv;
  ResetFlagsFromEnvForTesting(kVariable, &argc, &argv);
  Set("--steps=4 --fast");
  int32_t steps = 0;
  ParseFlagsFromEnvAndIgnoreUnknown(kVariable, {tsl::Flag("steps", &steps, "")});
  EXPECT_EQ(steps, 4);
  EXPECT_EQ(*argc, 2);
  EXPECT_STREQ((*argv)[1], "--fast");
  Set("--steps=5");  // not seen
  bool fast = false;
  ParseFlagsFromEnvAndDieIfUnknown(kVariable, {tsl::Flag("fast", &fast, "")});
  EXPECT_TRUE(fast);
  EXPECT_EQ(*argc, 1);
  ParseFlagsFromEnvAndDieIfUnknown(kVariable, {tsl::Flag("steps", &steps, "")},
                                   /*reset_envvar=*/true);
  EXPECT_EQ(steps, 5);
}

TEST_F(FlagsOfEnvironments, EndTheProcessIfWrong) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  int32_t steps = 0;
  const std::vector<tsl::Flag> flags = {tsl::Flag("steps", &steps, "")};
  const auto parse = [&](const std::string& text) {
    Set(text);
    ParseFlagsFromEnvAndDieIfUnknown(kVariable, flags, /*reset_envvar=*/true);
  };
  EXPECT_EXIT(parse("--a --steps=1 --b=2"), ::testing::ExitedWithCode(1),
              "Unknown flags in XYLEM_TEST_FLAGS: --a --b=2\n$");
  EXPECT_EXIT(parse("--a"), ::testing::ExitedWithCode(1),
              "Unknown flag in XYLEM_TEST_FLAGS: --a\n$");
  EXPECT_EXIT(parse("--steps=x"), ::testing::ExitedWithCode(1), "value x for flag steps");
  EXPECT_EXIT(parse("missing_file"), ::testing::ExitedWithCode(1), "missing_file");
}

}  // namespace
}  // namespace xla
