// SPDX-License-Identifier: Apache-2.0
// The memory of a program's arrays, one program a file: tests/cpu/buffers/*.hlo say from which step
// to which an array is needed and where it is. XYLEM_UPDATE_EXPECTED=1 writes them again.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/cpu/expected_lines.h"
#include "tests/test_util.h"
#include "xla/cpu/cpu_pipeline.h"
#include "xla/cpu/plan/assign_lowering.h"
#include "xla/cpu/plan/schedule.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/constant_folding.h"

namespace xla::cpu {
namespace {

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
  const auto file = testing::ReadProgramWithExpectation(GetParam());
  const auto module = ParseAndReturnUnverifiedModule(file.Text());
  ASSERT_OK(module.status());
  CpuCompileOptions options;
  options.constant_folding = &kConstantFolding;
  ASSERT_OK(RunCpuPipeline(module->get(), options));
  const Target target = {"x86_64", "", "", MachineWith(InstructionSet::kAvx512)};
  ASSERT_OK(AssignLowering(module->get(), target).status());
  const auto schedule = ScheduleProgram(**module);
  ASSERT_OK(schedule.status());
  testing::ExpectLinesOf(GetParam(), file, LinesOf(*schedule));
}

INSTANTIATE_TEST_SUITE_P(All, BuffersTest,
                         ::testing::ValuesIn(testing::FilesIn("tests/cpu/buffers")),
                         testing::NameOfFile);

}  // namespace
}  // namespace xla::cpu
