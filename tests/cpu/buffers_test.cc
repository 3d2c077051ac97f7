// SPDX-License-Identifier: Apache-2.0
// The memory of a program's arrays, one program a file: tests/cpu/buffers/*.hlo say from which step
// to which an array is needed and where it is. XYLEM_UPDATE_EXPECTED=1 writes them again.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/cpu/cpu_pipeline.h"
#include "xla/cpu/plan/assign_lowering.h"
#include "xla/cpu/plan/schedule.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/constant_folding.h"

namespace xla::cpu {
namespace {

using ::xla::testing::ReadWholeFile;
using ::xla::testing::SourcePath;

constexpr char kExpect[] = "// EXPECT: ";

std::vector<std::string> Files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(SourcePath("tests/cpu/buffers")))
    files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string PlaceOf(const BufferSlice& slice) {
  switch (slice.memory) {
    case BufferSlice::Memory::kScratch:
      return absl::StrCat("scratch at ", slice.offset);
    case BufferSlice::Memory::kArgument:
      return absl::StrCat("argument ", slice.number);
    case BufferSlice::Memory::kResult:
      return absl::StrCat("result ", slice.number, " at ", slice.offset);
    case BufferSlice::Memory::kConstant:
      return absl::StrCat("constant ", slice.number);
  }
  return "";
}

int64_t CopiesIn(const std::vector<ScheduledItem>& items) {
  int64_t copies = 0;
  for (const ScheduledItem& item : items) {
    copies += item.kind == ScheduledItem::Kind::kCopy ? 1 : 0;
    for (const std::vector<ScheduledItem>& body : item.bodies) copies += CopiesIn(body);
  }
  return copies;
}

// One line for each array, and the totals.
std::vector<std::string> LinesOf(const ProgramSchedule& schedule) {
  std::vector<std::string> lines;
  for (const ScheduledValue& value : schedule.values) {
    lines.push_back(absl::StrCat(HloOpcodeString(value.instruction->opcode()), ", ", value.bytes,
                                 " bytes, from ", value.begin, " to ", value.end, ": ",
                                 PlaceOf(value.slice)));
  }
  lines.push_back(absl::StrCat(schedule.scratch_bytes, " bytes of scratch memory, ",
                               CopiesIn(schedule.items), " copies"));
  return lines;
}

class BuffersTest : public ::testing::TestWithParam<std::string> {};

TEST_P(BuffersTest, ArraysAreWhereTheyAreExpected) {
  std::vector<std::string> program, expected;
  for (absl::string_view line : absl::StrSplit(ReadWholeFile(GetParam()), '\n')) {
    if (absl::ConsumePrefix(&line, kExpect)) {
      expected.emplace_back(line);
    } else {
      program.emplace_back(line);
    }
  }
  const auto module = ParseAndReturnUnverifiedModule(absl::StrJoin(program, "\n"));
  ASSERT_OK(module.status());
  CpuCompileOptions options;
  options.constant_folding = &kConstantFolding;
  ASSERT_OK(RunCpuPipeline(module->get(), options));
  const Target target = {"x86_64", "", "", MachineWith(InstructionSet::kAvx512)};
  ASSERT_OK(AssignLowering(module->get(), target).status());
  const auto schedule = ScheduleProgram(**module);
  ASSERT_OK(schedule.status());
  const std::vector<std::string> lines = LinesOf(*schedule);
  if (std::getenv("XYLEM_UPDATE_EXPECTED") == nullptr) {
    EXPECT_EQ(lines, expected);
    return;
  }
  while (!program.empty() && program.back().empty()) program.pop_back();
  std::ofstream out(GetParam());
  for (const std::string& line : program) out << line << "\n";
  out << "\n";
  for (const std::string& line : lines) out << kExpect << line << "\n";
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, BuffersTest, ::testing::ValuesIn(Files()), NameOf);

}  // namespace
}  // namespace xla::cpu
