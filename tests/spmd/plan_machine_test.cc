// SPDX-License-Identifier: Apache-2.0
// Machine descriptions: what they say, and what is wrong with those that say something else.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/spmd/plan_test_util.h"
#include "tests/test_util.h"
#include "xla/spmd/machine_levels.h"

namespace xla::spmd::testing {
namespace {

using ::xla::testing::ReadTestFile;
using ::xla::testing::SourcePath;

constexpr char kSmall[] =
    "device { memory_rate: 1e9 flops { f32: 2e9 } }\n"
    "level { name: \"host\" alpha: 1e-6 rate: 1e9 }\n";

TEST(MachineTest, FieldsAndDefaults) {
  ASSERT_OK_AND_ASSIGN(const MachineDescription machine, ParseMachine(kSmall));
  EXPECT_EQ(machine.memory_rate, 1e9);
  EXPECT_EQ(machine.ProductFlops(F32), 2e9);
  EXPECT_EQ(machine.ProductFlops(BF16), 2e9) << "that of f32";
  EXPECT_EQ(machine.vector_flops, 1e9);
  EXPECT_DOUBLE_EQ(machine.transcendentals, 1e9 / 12);
  ASSERT_EQ(machine.levels.size(), 1u);
  EXPECT_EQ(machine.levels[0].beta, 1e-9);
  EXPECT_DOUBLE_EQ(machine.levels[0].gamma, 3e-9);
  EXPECT_EQ(machine.DevicesInUnit(0), kMaxDevices) << "open";
}

TEST(MachineTest, LevelsMultiply) {
  ASSERT_OK_AND_ASSIGN(const MachineDescription machine, TwoHosts());
  EXPECT_EQ(machine.name, "two hosts");
  EXPECT_EQ(machine.DevicesInUnit(0), 4);
  EXPECT_EQ(machine.DevicesInUnit(1), kMaxDevices);
  EXPECT_EQ(machine.levels[1].width, 2);
}

TEST(MachineTest, TextReadsBack) {
  for (const char* path : {"examples/machines/laptop.txt", "examples/machines/cluster.txt",
                           "tests/spmd/plan_programs/machine.txt"}) {
    ASSERT_OK_AND_ASSIGN(const MachineDescription machine,
                         ParseMachine(ReadTestFile(SourcePath(path))));
    const std::string text = MachineText(machine);
    ASSERT_OK_AND_ASSIGN(const MachineDescription again, ParseMachine(text));
    EXPECT_EQ(MachineText(again), text) << path;
    EXPECT_EQ(again.levels.size(), machine.levels.size());
  }
}

TEST(MachineTest, ErrorsNameLineAndColumn) {
  const auto message = [](const std::string& text) {
    return std::string(ParseMachine(text).status().message());
  };
  EXPECT_EQ(message("device { memory_rate: fast }"),
            "1:23: expected a number for 'memory_rate'\n"
            "  device { memory_rate: fast }\n"
            "                        ^");
  EXPECT_EQ(message("# nothing\nlevels {}"),
            "2:1: unknown field 'levels'; did you mean 'level'?\n  levels {}\n  ^");
}

TEST(MachineTest, WhatIsRejected) {
  struct Case {
    const char *from, *to, *error;
  };
  const std::string small = kSmall;
  for (const Case& c : {
           Case{"1e-6", "-1e-6", "2:29: alpha must be from 0 to 1000"},
           Case{"1e-6", "nan", "2:29: expected a number for 'alpha'"},
           Case{"1e-6", "1e999", "expected a number for 'alpha'"},
           Case{"rate: 1e9 }\n", "rate: 0 }\n", "rate must be from 1 to 1e+30"},
           Case{" alpha: 1e-6", "", "2:1: level \"host\" has no alpha (seconds a message)"},
           Case{" rate: 1e9 }\n", " }\n", "2:1: level \"host\" has no rate (bytes a second)"},
           Case{"name: \"host\"", "", "the level has no name"},
           Case{"\"host\"", "\"host", "the string has no closing quote on its line"},
           Case{"\"host\"", "host", "expected a string in double quotes"},
           Case{"alpha", "alpha: 1 alpha", "field 'alpha' is duplicated"},
           Case{"alpha", "size: 1.5 alpha", "the size of a level is a whole number"},
           Case{"alpha", "size: 1e7 alpha", "size must be from 1 to 1.04858e+06"},
           Case{"alpha", "algorithms: best alpha",
                "expected any, ring, doubling, meeting or direct"},
           Case{"f32", "f33", "'f33' is not an element type"},
           Case{"f32", "token", "'token' is not an element type"},
           Case{"f32: 2e9", "", "1:1: the device has no flops"},
           Case{"memory_rate: 1e9 ", "", "1:1: the device has no memory_rate"},
           Case{"level", "} level", "2:1: expected the name of a field"},
           Case{"level {", "level", "expected '{' after 'level'"},
           Case{"level", "@level", "2:1: unexpected character"},
           Case{"rate: 1e9 }\n", "rate: 1e9", "the block 'level' has no closing '}'"},
       }) {
    const std::string text = absl::StrReplaceAll(small, {{c.from, c.to}});
    ASSERT_NE(text, small) << c.from;
    EXPECT_STATUS(ParseMachine(text), absl::StatusCode::kInvalidArgument, c.error);
  }
  EXPECT_ERROR(ParseMachine(""), "1:1: the machine has no device");
  EXPECT_ERROR(ParseMachine("device { memory_rate: 1 flops { f32: 1 } }"),
               "the machine has no level");
  EXPECT_ERROR(ParseMachine(absl::StrCat(kSmall, kSmall)), "field 'device' is duplicated");
  EXPECT_ERROR(ParseMachine(absl::StrCat(kSmall, "level { name: \"host\" alpha: 0 rate: 1 }")),
               "3:1: level \"host\" is duplicated");
  EXPECT_ERROR(ParseMachine(absl::StrCat(kSmall, "level { name: \"rack\" alpha: 0 rate: 1 }")),
               "level \"host\" has no size, so no level can be above it");
  EXPECT_ERROR(ParseMachine(std::string(2 << 20, '#')), "at most a megabyte");
}

// Every prefix, and every text with one byte changed, is read or rejected with a place.
TEST(MachineTest, DamagedTexts) {
  const std::string text = ReadTestFile(SourcePath("tests/spmd/plan_programs/machine.txt"));
  const auto check = [](const std::string& damaged) {
    const auto machine = ParseMachine(damaged);
    if (machine.ok()) return;
    const std::string message(machine.status().message());
    EXPECT_TRUE(message[0] >= '1' && message[0] <= '9' && absl::StrContains(message, "^"))
        << message;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    check(text.substr(0, i));
    for (const char c : {'\0', '{', '}', ':', '"', '\n', '-', '9', '\xff'}) {
      std::string damaged = text;
      damaged[i] = c;
      check(damaged);
    }
  }
}

}  // namespace
}  // namespace xla::spmd::testing
