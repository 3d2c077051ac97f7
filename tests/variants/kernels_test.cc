// SPDX-License-Identifier: Apache-2.0
// What prepared kernels decide and compute, by instruction set: scratch memory, how work is
// divided, in which blocks results arrive, how often they ask whether to go on, and the bits of
// results. tests/variants/programs/kernels.txt has the instructions.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "hwy/targets.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "xla/base/instruction_set.h"
#include "xla/cpu/run/prepared_kernels.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/kernels/kernel.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::testing {
namespace {

// "SHAPE OPCODE(SHAPES), ATTRIBUTES" as a program that has the operands as parameters.
std::string ProgramOf(absl::string_view header, absl::string_view instruction) {
  size_t begin = instruction.find('(', 1) + 1;  // a result may be a tuple
  if (instruction[0] == '(') begin = instruction.find('(', instruction.find(')')) + 1;
  const size_t end = instruction.find("), ", begin);
  std::string parameters, operands;
  int count = 0;
  for (const absl::string_view shape :
       absl::StrSplit(instruction.substr(begin, end - begin), ", ")) {
    absl::StrAppend(&parameters, "  p", count, " = ", std::string(shape), " parameter(", count,
                    ")\n");
    absl::StrAppend(&operands, count == 0 ? "" : ", ", "p", count);
    ++count;
  }
  return absl::StrCat(std::string(header), "ENTRY e {\n", parameters,
                      "  ROOT r = ", std::string(instruction.substr(0, begin)), operands,
                      std::string(instruction.substr(end)), "\n}\n");
}

// Memory of an array, aligned as the compiler's is.
struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, FreeMemory>;
Memory Allocate(int64_t bytes) {
  const size_t size = static_cast<size_t>(kernels::Aligned(bytes + 1));
  Memory memory(std::aligned_alloc(64, size));
  std::memset(memory.get(), 0, size);
  return memory;
}

template <typename T>
void Fill(void* to, int64_t count, double factor) {
  for (int64_t i = 0; i < count; ++i)
    static_cast<T*>(to)[i] =
        static_cast<T>(static_cast<double>(i * 7919 % 1009 % 61 - 30) * factor);
}

// Small numbers that all types have. Matrices that are factored or solved are positive definite.
void FillArray(const Shape& shape, bool is_matrix, void* to) {
  const int64_t count = ShapeUtil::ElementsIn(shape);
  const PrimitiveType type = shape.element_type();
  const PrimitiveType part =
      primitive_util::IsComplexType(type) ? primitive_util::ComplexComponentType(type) : type;
  const int64_t parts = part == type ? 1 : 2;
  switch (part) {
    case F32:
      Fill<float>(to, parts * count, 0.25);
      break;
    case F64:
      Fill<double>(to, parts * count, 0.25);
      break;
    case PRED:
      for (int64_t i = 0; i < count; ++i) static_cast<bool*>(to)[i] = i * 7919 % 1009 % 3 == 0;
      break;
    case F16:
    case BF16:  // 0.0078125 to 1, or 2 to 3.5
      for (int64_t i = 0; i < count; ++i)
        static_cast<uint16_t*>(to)[i] =
            static_cast<uint16_t>((part == F16 ? 0x3800 : 0x3f00) + i * 7919 % 1009 % 61 * 8);
      break;
    default:
      switch (primitive_util::ByteWidth(part)) {
        case 1:
          Fill<int8_t>(to, count, 1);
          break;
        case 2:
          Fill<int16_t>(to, count, 1);
          break;
        case 4:
          Fill<int32_t>(to, count, 1);
          break;
        default:
          Fill<int64_t>(to, count, 1);
      }
  }
  if (!is_matrix) return;
  const int64_t n = shape.dimensions(static_cast<int>(shape.rank() - 1));
  for (int64_t i = 0; i < count / n; ++i) {
    for (int64_t k = 0; k < parts; ++k) {
      const int64_t diagonal = parts * (i * n + i % n) + k;
      const double value = k == 0 ? 16.0 * static_cast<double>(n) : 0;
      if (part == F32) static_cast<float*>(to)[diagonal] = static_cast<float>(value);
      if (part == F64) static_cast<double*>(to)[diagonal] = value;
    }
  }
}

// Who runs a kernel, on one thread, and notes what it asks for.
struct Recorder {
  std::string loops;
  int64_t polls = 0, blocks = 0;
  std::string block_text;

  static void ParallelFor(void* caller, int64_t count, void (*body)(void*, int64_t),
                          void* argument) {
    absl::StrAppend(&static_cast<Recorder*>(caller)->loops, " ", count);
    for (int64_t i = 0; i < count; ++i) body(argument, i);
  }
  static int32_t Poll(void* caller) {
    ++static_cast<Recorder*>(caller)->polls;
    return 0;
  }
  // The epilogue of dots and convolutions: the recorder is the last buffer.
  static void Store(void* const* buffers, int64_t first, int64_t count, const void*) {
    auto* const recorder = static_cast<Recorder*>(buffers[3]);
    ++recorder->blocks;
    absl::StrAppend(&recorder->block_text, first, "+", count, " ");
  }
};

std::string RunOf(const HloInstruction& instruction, const kernels::Kernel& kernel, int workers,
                  std::string* bits) {
  Recorder recorder;
  std::vector<Memory> memories;
  for (const HloInstruction* operand : instruction.operands()) {
    const Shape& shape = operand->shape();
    memories.push_back(Allocate(ShapeUtil::ByteSizeOf(shape)));
    const bool is_matrix =
        memories.size() == 1 && (instruction.opcode() == HloOpcode::kCholesky ||
                                 instruction.opcode() == HloOpcode::kTriangularSolve);
    FillArray(shape, is_matrix, memories.back().get());
  }
  const size_t first_result = memories.size();
  const Shape& result = instruction.shape();
  std::vector<Shape> results = {result};
  if (result.IsTuple()) results = {result.tuple_shapes().begin(), result.tuple_shapes().end()};
  for (const Shape& shape : results) memories.push_back(Allocate(ShapeUtil::ByteSizeOf(shape)));
  std::vector<void*> buffers;
  for (const Memory& memory : memories) buffers.push_back(memory.get());
  buffers.push_back(&recorder);
  const Memory scratch = Allocate(kernel.ScratchBytes(workers));
  const kernels::KernelHost host = {&recorder, workers, &Recorder::ParallelFor, &Recorder::Poll};
  const absl::Status status = kernel.Run({&host, buffers.data(), scratch.get()});
  if (!status.ok()) return absl::StrCat(" ", OneLine(status.message()));
  std::string text = absl::StrCat(", ", workers, " workers: ", recorder.polls, " polls");
  if (!recorder.loops.empty()) absl::StrAppend(&text, ", loops", recorder.loops);
  if (recorder.blocks > 0)
    absl::StrAppend(&text, ", ", recorder.blocks, " blocks ", Fingerprint(recorder.block_text));
  bits->clear();
  for (size_t i = 0; i < results.size(); ++i) {
    bits->append(static_cast<const char*>(buffers[first_result + i]),
                 static_cast<size_t>(ShapeUtil::ByteSizeOf(results[i])));
  }
  return text;
}

// A comparator of sorts that no kernel recognizes: by the low byte of the first operand.
bool IsLess(void* const*, const void* const* elements) {
  return *static_cast<const uint8_t*>(elements[0]) < *static_cast<const uint8_t*>(elements[1]);
}

std::string OutcomeOf(const HloInstruction& instruction) {
  // The roots of unity are rounded as the system's library has it.
  const bool with_bits = instruction.opcode() != HloOpcode::kFft ||
                         primitive_util::ByteWidth(instruction.shape().element_type()) <= 8;
  const bool may_finish =
      instruction.opcode() == HloOpcode::kDot || instruction.opcode() == HloOpcode::kConvolution;
  std::string text;
  for (int form = 0; form < (may_finish ? 3 : 1); ++form) {
    kernels::KernelEpilogue epilogue;
    if (form > 0) epilogue.store = &Recorder::Store;
    epilogue.in_place = form == 2;
    const auto recipe = cpu::RecipeOf(instruction, &IsLess, epilogue);
    if (!recipe.ok()) return OneLine(recipe.status().message());
    const auto kernel = cpu::MakePreparedKernel(instruction, *recipe);
    if (!kernel.ok()) return OneLine(kernel.status().message());
    if (*kernel == nullptr) return "none";
    absl::StrAppend(&text, form > 0 ? "; epilogue, " : "", "scratch");
    for (const int32_t workers : {1, 2, 8, 64})
      absl::StrAppend(&text, " ", (*kernel)->ScratchBytes(workers));
    std::string bits, others;
    absl::StrAppend(&text, RunOf(instruction, **kernel, 1, &bits));
    absl::StrAppend(&text, RunOf(instruction, **kernel, 6, &others));
    EXPECT_EQ(bits, others) << instruction.ToString() << ": 1 and 6 workers";
    if (form == 0 && with_bits) absl::StrAppend(&text, " ", Fingerprint(bits));
  }
  return text;
}

// Products of these have instructions of their own on some machines.
bool IsNarrowProduct(absl::string_view line) {
  for (const char* operation : {" dot(", " convolution("}) {
    for (const char* type : {"bf16", "s8", "u8"}) {
      if (absl::StrContains(line, absl::StrCat(operation, type))) return true;
    }
  }
  return false;
}

void ExpectOutcomes(const std::string& name, int64_t target, bool narrow) {
  if ((hwy::SupportedTargets() & target) == 0) GTEST_SKIP() << "this machine cannot run the code";
  const std::string file = ReadWholeFile(VariantsPath("programs/kernels.txt"));
  const std::pair<std::string, std::string> parts = absl::StrSplit(file, "---\n");
  const std::string header = parts.first.substr(parts.first.find("HloModule"));
  hwy::GetChosenTarget().Update(target);
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(parts.second, '\n')) {
    if (line.empty() || IsNarrowProduct(line) != narrow) continue;
    const auto module = ParseAndReturnUnverifiedModule(ProgramOf(header, line));
    EXPECT_OK(module.status()) << line;
    if (!module.ok()) continue;
    lines.push_back(absl::StrCat(OneLine(line, 90), ": ",
                                 OutcomeOf(*(*module)->entry_computation()->root_instruction())));
  }
  hwy::GetChosenTarget().DeInit();
  ExpectKinds(name, lines);
}

#if defined(__x86_64__)
TEST(PreparedKernels, Avx2) { ExpectOutcomes("kernels_avx2", HWY_AVX2, false); }
TEST(PreparedKernels, Avx512) { ExpectOutcomes("kernels_avx512", HWY_AVX3, false); }
TEST(PreparedKernels, NarrowProducts) {
  if (MaxInstructionSet() < InstructionSet::kAvx512Bf16 || !__builtin_cpu_supports("avx512bf16") ||
      !__builtin_cpu_supports("avx512vnni"))
    GTEST_SKIP() << "this machine lacks products of narrow types";
  const ScopedMaxInstructionSet without_amx(InstructionSet::kAvx512Bf16);
  ExpectOutcomes("kernels_narrow", HWY_AVX3, true);
}
#endif

}  // namespace
}  // namespace xla::testing
