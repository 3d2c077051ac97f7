// SPDX-License-Identifier: Apache-2.0
// Programs of tests/spmd/local: partitioned, they compute exactly what they do undivided, and
// receive at most what they state. Those of bench/spmd receive at most what a table says.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "tests/spmd/dynamic_argument.h"
#include "tests/spmd/spoil_padding.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/spmd/partition.h"
#include "xla/spmd/report.h"
#include "xla/spmd/shard_layout.h"
#include "xla/spmd/shard_literals.h"

namespace xla::spmd::testing {
namespace {

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Small numbers of both signs; of indices some are out of bounds.
Literal Argument(const Shape& shape, int64_t number) {
  const int64_t size = ShapeUtil::ElementsIn(shape);
  std::vector<int32_t> values;
  for (int64_t i = 0; i < size; ++i) {
    values.push_back(static_cast<int32_t>((7 * i + 11 * number + i * i / 3) % 41 - 5));
  }
  Literal flat = LiteralUtil::CreateR1<int32_t>(values);
  Literal array = flat.Reshape(shape.dimensions()).value().Convert(shape.element_type()).value();
  return WithDynamicSizes(std::move(array), shape, number).value();
}

absl::StatusOr<Literal> RunUndivided(const HloModule& module,
                                     const std::vector<const Literal*>& arguments) {
  const std::unique_ptr<HloModule> plain = module.Clone();
  XLA_RETURN_IF_ERROR(RemoveAnnotations(plain.get()));
  plain->config().set_num_partitions(1);
  XLA_ASSIGN_OR_RETURN(std::vector<Literal> results,
                       InterpretReplicated(*plain, 1, 1, {{arguments}}, {}));
  return std::move(results[0]);
}

absl::StatusOr<Literal> RunPartitioned(const HloModule& module,
                                       const std::vector<const Literal*>& arguments,
                                       int64_t* bytes) {
  const std::unique_ptr<HloModule> local = module.Clone();
  XLA_ASSIGN_OR_RETURN(const ProgramShardings shardings, PartitionModule(local.get()));
  XLA_RETURN_IF_ERROR(VerifyModule(*local));
  *bytes = ReportCommunication(*local).bytes;
  const int64_t partitions = module.config().num_partitions();
  std::vector<std::vector<Literal>> shards(static_cast<size_t>(partitions));
  std::vector<std::vector<const Literal*>> pointers;
  for (int64_t p = 0; p < partitions; ++p) {
    std::vector<Literal>& own = shards[static_cast<size_t>(p)];
    for (size_t i = 0; i < arguments.size(); ++i) {
      XLA_ASSIGN_OR_RETURN(Literal shard,
                           ShardOfLiteral(*arguments[i], shardings.parameters[i], p, partitions));
      const Shape& full = arguments[i]->shape();
      XLA_ASSIGN_OR_RETURN(const ShardLayout layout,
                           ShardLayoutOf(shardings.parameters[i], full, partitions));
      SpoilPadding(full, layout, p, shard);
      own.push_back(std::move(shard));
    }
    std::vector<const Literal*>& of_device = pointers.emplace_back();
    for (const Literal& shard : own) of_device.push_back(&shard);
  }
  XLA_ASSIGN_OR_RETURN(const std::vector<Literal> results,
                       InterpretReplicated(*local, 1, partitions, pointers, {}));
  return FullResult(results, shardings.outputs,
                    module.entry_computation()->root_instruction()->shape());
}

int64_t StatedBytes(const std::string& text) {
  constexpr absl::string_view kBefore = "Receives at most ";
  const absl::string_view rest =
      absl::string_view(text).substr(text.find(std::string(kBefore)) + kBefore.size());
  int64_t bytes = -1;
  (void)absl::SimpleAtoi(rest.substr(0, rest.find(' ')), &bytes);
  return bytes;
}

TEST(SpmdLocalProgramsTest, ComputeWhatTheyDoUndivided) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(XYLEM_SOURCE_DIR "/tests/spmd/local")) {
    SCOPED_TRACE(entry.path().filename().string());
    const std::string text = Read(entry.path());
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
    ASSERT_OK(VerifyModule(*module));
    std::vector<Literal> arguments;
    for (const HloInstruction* parameter : module->entry_computation()->parameter_instructions()) {
      arguments.push_back(Argument(parameter->shape(), parameter->parameter_number()));
    }
    std::vector<const Literal*> pointers;
    for (const Literal& argument : arguments) pointers.push_back(&argument);
    ASSERT_OK_AND_ASSIGN(const Literal expected, RunUndivided(*module, pointers));
    int64_t bytes = 0;
    const auto computed = RunPartitioned(*module, pointers, &bytes);
    ASSERT_OK(computed.status());
    EXPECT_EQ(*computed, expected);
    EXPECT_LE(bytes, StatedBytes(text));
    ++count;
  }
  EXPECT_GE(count, 80);
}

// What XLA's partitioner receives for most of these programs, or less.
TEST(SpmdLocalProgramsTest, BenchmarksReceiveLittle) {
  const std::map<std::string, double> kilobytes = {{"argmax", 14},
                                                   {"attention_heads", 0},
                                                   {"backward_only", 0},
                                                   {"concatenate", 448},
                                                   {"convolution_space", 16},
                                                   {"cumsum", 7},
                                                   {"dynamic_slice", 14},
                                                   {"dynamic_update", 0},
                                                   {"fft_batch", 0},
                                                   {"gather_table", 896},
                                                   {"max_pool", 2},
                                                   {"mlp", 96},
                                                   {"pad", 2},
                                                   {"product_2d", 2432},
                                                   {"product_scattered", 3584},
                                                   {"reshape_split", 448},
                                                   {"reshard", 448},
                                                   {"roll", 2},
                                                   {"scatter_add", 0},
                                                   {"softmax", 4},
                                                   {"sort", 224},
                                                   {"stencil", 3586},
                                                   {"transpose", 448},
                                                   {"uneven_rows", 2.75}};
  for (const auto& [name, most] : kilobytes) {
    const std::string text = Read(XYLEM_SOURCE_DIR "/bench/spmd/" + name + ".hlo");
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
    ASSERT_OK(PartitionModule(module.get()).status()) << name;
    EXPECT_OK(VerifyModule(*module)) << name;
    EXPECT_LE(static_cast<double>(ReportCommunication(*module).bytes) / 1024, most) << name;
  }
}

}  // namespace
}  // namespace xla::spmd::testing
