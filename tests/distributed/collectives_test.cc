// SPDX-License-Identifier: Apache-2.0
// Every collective over 1, 2, 4 and 8 processes, interpreted and compiled: the same bits as in one.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/distributed/jobs.h"
#include "xla/cpu/program.h"
#include "xla/distributed/program_identity.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"
#include "xla/runtime/thread_pool.h"
#include "xla/shape_util.h"

namespace xla::distributed {
namespace {

constexpr int64_t kDevices = 8;

// The result of a device, or why there is none.
using Results = std::vector<std::string>;

std::string BytesOf(const Literal& literal) {
  std::string bytes;
  ShapeUtil::ForEachSubshape(literal.shape(), [&](const Shape& shape, const ShapeIndex& index) {
    if (!shape.IsArray()) return;
    bytes.append(static_cast<const char*>(literal.untyped_data(index)),
                 static_cast<size_t>(literal.size_bytes(index)));
    for (int d = 0; d < shape.rank(); ++d)
      absl::StrAppend(&bytes, "/", literal.GetDynamicSize(d, index));
  });
  return bytes;
}

class Program {
 public:
  // `shape` is that of the only parameter.
  explicit Program(const std::string& text) : text_(text) {
    auto module = ParseAndReturnUnverifiedModule(text);
    EXPECT_TRUE(module.ok()) << module.status() << text;
    module_ = *std::move(module);
    EXPECT_EQ(VerifyModule(*module_), absl::OkStatus()) << text;
    identity_ = IdentifyProgram(*module_);
    EXPECT_TRUE(identity_.communicates);
    auto interpreted = InterpreterProgram::Create(*module_);
    EXPECT_TRUE(interpreted.ok()) << interpreted.status();
    interpreted_ = *std::move(interpreted);
    if (CheckCpuCompiler().ok()) {
      // Collectives of dynamic sizes take tuples with the sizes, a form of the compiler's own that
      // verification after its passes would refuse.
      CpuCompileOptions options;
      options.pipeline.verify = false;
      auto compiled = CpuProgram::Compile(*module_, options);
      EXPECT_TRUE(compiled.ok()) << compiled.status() << text;
      compiled_ = *std::move(compiled);
    }
    std::mt19937 random(7);
    std::uniform_real_distribution<float> values(-3, 3);
    for (int64_t device = 0; device < kDevices; ++device) {
      std::vector<Literal>& own = arguments_.emplace_back();
      for (const HloInstruction* parameter :
           module_->entry_computation()->parameter_instructions()) {
        Literal literal = *Literal::Make(parameter->shape());
        for (float& value : literal.data<float>()) value = values(random);
        own.push_back(std::move(literal));
      }
    }
  }

  bool has_compiled() const { return compiled_ != nullptr; }

  Results RunHere(bool is_compiled) const {
    std::vector<int64_t> all(kDevices);
    std::iota(all.begin(), all.end(), 0);
    return Run(is_compiled, all, nullptr);
  }

  // Over processes that have these devices each.
  Results RunAcross(bool is_compiled, const std::vector<int32_t>& process_of, Job& job) const {
    Results all(kDevices);
    std::vector<int64_t> ids(kDevices);
    std::iota(ids.begin(), ids.end(), 100);
    OnRanks(job.size(), [&](int rank) {
      const auto run = job.at(rank).StartRun(identity_, ids, process_of);
      std::vector<int64_t> local(run->local_devices().begin(), run->local_devices().end());
      if (local.empty()) return;
      const Results results = Run(is_compiled, local, run.get());
      for (size_t d = 0; d < local.size(); ++d) all[static_cast<size_t>(local[d])] = results[d];
    });
    return all;
  }

  const std::string& text() const { return text_; }

 private:
  Results Run(bool is_compiled, const std::vector<int64_t>& devices,
              runtime::ProcessGroup* processes) const {
    std::vector<std::vector<const Literal*>> arguments;
    for (const int64_t device : devices) {
      arguments.emplace_back();
      for (const Literal& literal : arguments_[static_cast<size_t>(device)])
        arguments.back().push_back(&literal);
    }
    runtime::ThreadPool pool(2);
    const int64_t replicas = module_->config().replica_count();
    const int64_t partitions = module_->config().num_partitions();
    absl::StatusOr<std::vector<Literal>> results = absl::UnknownError("");
    if (is_compiled) {
      runtime::ExecutionContext context;
      context.pool = &pool;
      context.processes = processes;
      results = compiled_->RunReplicated(replicas, partitions, arguments, context);
    } else {
      InterpreterOptions options;
      options.pool = &pool;
      options.processes = processes;
      results = interpreted_->RunReplicated(replicas, partitions, arguments, options);
    }
    if (processes != nullptr) processes->Finish(results.status());
    Results bytes;
    for (size_t d = 0; d < devices.size(); ++d) {
      bytes.push_back(results.ok() ? BytesOf((*results)[d])
                                   : absl::StrCat("error: ", results.status().message()));
    }
    return bytes;
  }

  const std::string text_;
  std::unique_ptr<HloModule> module_;
  ProgramIdentity identity_;
  std::unique_ptr<InterpreterProgram> interpreted_;
  std::unique_ptr<CpuProgram> compiled_;
  std::vector<std::vector<Literal>> arguments_;
};

// 1x8, 2x4, 4x2 (processes x devices) and two without order.
const std::vector<std::vector<int32_t>>& Divisions() {
  static const auto& divisions = *new std::vector<std::vector<int32_t>>{{0, 1, 2, 3, 4, 5, 6, 7},
                                                                        {0, 0, 1, 1, 2, 2, 3, 3},
                                                                        {0, 0, 0, 0, 1, 1, 1, 1},
                                                                        {1, 0, 0, 1, 0, 1, 1, 1},
                                                                        {2, 2, 0, 1, 1, 0, 2, 0}};
  return divisions;
}

int ProcessesOf(const std::vector<int32_t>& division) {
  return *std::max_element(division.begin(), division.end()) + 1;
}

void ExpectSameBits(const std::string& text) {
  const Program program(text);
  const Results interpreted = program.RunHere(false);
  for (const std::string& result : interpreted)
    ASSERT_NE(result.substr(0, 6), "error:") << result << text;
  if (program.has_compiled()) {
    // The reference is the interpreter.
    ASSERT_EQ(program.RunHere(true), interpreted) << text;
  }
  for (const std::vector<int32_t>& division : Divisions()) {
    Job job(MakeMemoryTransports(ProcessesOf(division)));
    for (const bool is_compiled : {false, true}) {
      if (is_compiled && !program.has_compiled()) continue;
      const Results results = program.RunAcross(is_compiled, division, job);
      for (size_t d = 0; d < results.size(); ++d) {
        ASSERT_TRUE(results[d] == interpreted[d])
            << "device " << d << " over {" << absl::StrJoin(division, ",") << "}, "
            << (is_compiled ? "compiled" : "interpreted") << ": "
            << (results[d].substr(0, 6) == "error:" ? results[d] : "other bits") << "\n"
            << text;
      }
    }
  }
}

// A program of 8 replicas whose operand x is the parameter in another type.
std::string Text(const std::string& type, const std::string& dimensions, const std::string& body,
                 const std::string& grid = "replica_count=8",
                 const std::string& function = "add(a, b)") {
  const std::string scalar = absl::StrCat(type, "[]");
  std::string convert = "convert(p)";
  if (type == "pred") convert = "compare(p, p), direction=EQ";
  return absl::StrCat("HloModule m, ", grid, "\nf {\n  a = ", scalar,
                      " parameter(0)\n  b = ", scalar, " parameter(1)\n  ROOT r = ", scalar, " ",
                      function, "\n}\nENTRY e {\n  p = f32", dimensions,
                      " parameter(0)\n  x = ", type, dimensions, " ", convert, "\n", body, "\n}\n");
}

constexpr char kFour[] = "replica_groups={{0,1,2,3},{4,5,6,7}}";
constexpr char kEven[] = "replica_groups={{0,2,4,6},{1,3,5,7}}";
constexpr char kMixed[] = "replica_groups={{5,0,3},{1,2,4,6,7}}";

TEST(CollectivesTest, AllReduceOfAllTypes) {
  for (const char* type :
       {"f32", "f64", "bf16", "f16", "f8e4m3fn", "s8", "u16", "s32", "u64", "s4"}) {
    ExpectSameBits(
        Text(type, "[5,7]", absl::StrCat("  ROOT r = ", type, "[5,7] all-reduce(x), to_apply=f")));
  }
}

TEST(CollectivesTest, AllReduceOfComplexNumbers) {
  ExpectSameBits(Text("c64", "[5,7]", "  ROOT r = c64[5,7] all-reduce(x), to_apply=f"));
  ExpectSameBits(Text("pred", "[5,7]", "  ROOT r = pred[5,7] all-reduce(x), to_apply=f",
                      "replica_count=8", "and(a, b)"));
}

TEST(CollectivesTest, AllReduceOfGroups) {
  for (const char* groups : {kFour, kEven, kMixed}) {
    ExpectSameBits(Text("f32", "[33]",
                        absl::StrCat("  ROOT r = f32[33] all-reduce(x), to_apply=f, ", groups)));
  }
}

TEST(CollectivesTest, LargeAllReduce) {
  for (const char* groups : {"replica_groups={}", kEven, kMixed}) {
    ExpectSameBits(Text("f32", "[80001]",
                        absl::StrCat("  ROOT r = f32[80001] all-reduce(x), to_apply=f, ", groups)));
  }
  ExpectSameBits(Text("bf16", "[80001]", "  ROOT r = bf16[80001] all-reduce(x), to_apply=f"));
}

TEST(CollectivesTest, AllReduceByOtherComputations) {
  for (const char* function : {"maximum(a, b)", "multiply(a, b)", "subtract(a, b)"}) {
    ExpectSameBits(Text("f32", "[37]", "  ROOT r = f32[37] all-reduce(x), to_apply=f",
                        "replica_count=8", function));
  }
}

TEST(CollectivesTest, AllReduceOfSeveralArrays) {
  ExpectSameBits(Text("f32", "[300,100]",
                      "  z = f32[1,100] slice(x), slice={[2:3], [0:100]}\n"
                      "  q = f32[100] reshape(z)\n  y = f32[7] slice(q), slice={[1:8]}\n"
                      "  ROOT r = (f32[300,100], f32[7]) all-reduce(x, y), to_apply=f"));
}

TEST(CollectivesTest, AllModes) {
  for (const char* attributes :
       {"replica_groups={{0,1}}",
        "channel_id=1, replica_groups={{0,1}}, use_global_device_ids=false",
        "channel_id=1, replica_groups={{0,7,2},{1,3,4,5,6}}, use_global_device_ids=true"}) {
    ExpectSameBits(Text("f32", "[9]",
                        absl::StrCat("  ROOT r = f32[9] all-reduce(x), to_apply=f, ", attributes),
                        "replica_count=2, num_partitions=4"));
  }
}

TEST(CollectivesTest, ReduceScatter) {
  for (const int dimension : {0, 1}) {
    const std::string result = dimension == 0 ? "[2,24]" : "[16,3]";
    for (const char* type : {"f32", "bf16", "s8"}) {
      ExpectSameBits(
          Text(type, "[16,24]",
               absl::StrCat("  ROOT r = ", type, result,
                            " reduce-scatter(x), to_apply=f, dimensions={", dimension, "}")));
    }
  }
  ExpectSameBits(Text(
      "f32", "[16,20]",
      absl::StrCat("  ROOT r = f32[16,5] reduce-scatter(x), to_apply=f, dimensions={1}, ", kEven)));
}

TEST(CollectivesTest, AllGather) {
  ExpectSameBits(Text("f32", "[3,5]", "  ROOT r = f32[24,5] all-gather(x), dimensions={0}"));
  ExpectSameBits(Text("f32", "[3,5]",
                      absl::StrCat("  ROOT r = f32[3,20] all-gather(x), dimensions={1}, ", kFour)));
  ExpectSameBits(
      Text("f32", "[300,500]",
           absl::StrCat("  ROOT r = f32[1200,500] all-gather(x), dimensions={0}, ", kEven)));
}

TEST(CollectivesTest, AllToAll) {
  ExpectSameBits(Text("f32", "[16,5]", "  ROOT r = f32[16,5] all-to-all(x), dimensions={0}"));
  ExpectSameBits(Text("f32", "[5,16]", "  ROOT r = f32[5,16] all-to-all(x), dimensions={1}"));
  ExpectSameBits(Text("f32", "[4,3]",
                      absl::StrCat("  y = f32[4,3] negate(x)\n  ROOT r = (f32[4,3], f32[4,3], "
                                   "f32[4,3], f32[4,3]) all-to-all(x, y, x, y), ",
                                   kEven)));
}

TEST(CollectivesTest, PermuteAndBroadcast) {
  // Partitions of each replica.
  ExpectSameBits(Text("f32", "[5]",
                      "  ROOT r = f32[5] collective-permute(x), channel_id=1, "
                      "source_target_pairs={{0,3},{3,1},{1,0}}",
                      "replica_count=2, num_partitions=4"));
  ExpectSameBits(Text("f32", "[5]",
                      "  ROOT r = f32[5] collective-permute(x), "
                      "source_target_pairs={{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{7,0}}"));
  ExpectSameBits(Text("f32", "[5]",
                      "  ROOT r = f32[5] collective-broadcast(x), "
                      "replica_groups={{3,0,5},{6,1}}"));
}

TEST(CollectivesTest, RaggedAllToAll) {
  // Device i sends j % 3 rows to j, which take places 3 * i there.
  ExpectSameBits(R"(
HloModule m, replica_count=8
ENTRY e {
  p = f32[24,2] parameter(0)
  zeros = f32[24,2] subtract(p, p)
  j = s32[8] iota(), iota_dimension=0
  three = s32[] constant(3)
  threes = s32[8] broadcast(three), dimensions={}
  offsets = s32[8] multiply(j, threes)
  sizes = s32[8] remainder(j, threes)
  r = u32[] replica-id()
  me = s32[] convert(r)
  mine = s32[] multiply(me, three)
  targets = s32[8] broadcast(mine), dimensions={}
  own = s32[] remainder(me, three)
  recv = s32[8] broadcast(own), dimensions={}
  ROOT x = f32[24,2] ragged-all-to-all(p, zeros, offsets, sizes, targets, recv), replica_groups={{0,1,2,3,4,5,6,7}}
}
)");
}

TEST(CollectivesTest, SendAndReceive) {
  for (const char* dimensions : {"[5]", "[300,100]"}) {
    ExpectSameBits(absl::StrReplaceAll(
        R"(
HloModule m, replica_count=8
ENTRY e {
  p = f32$ parameter(0)
  t = token[] after-all()
  recv = (f32$, u32[], token[]) recv(t), channel_id=0, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2},{2,7},{7,3},{4,4}}"}
  send = (f32$, u32[], token[]) send(p, t), channel_id=0, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2},{2,7},{7,3},{4,4}}"}
  sent = token[] send-done(send), channel_id=0
  received = (f32$, token[]) recv-done(recv), channel_id=0
  ROOT r = f32$ get-tuple-element(received), index=0
}
)",
        {{"$", dimensions}}));
  }
}

TEST(CollectivesTest, InLoopsAndDynamic) {
  ExpectSameBits(R"(
HloModule m, replica_count=8
f { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
body {
  s = (s32[], f32[9]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[9] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  sum = f32[9] all-reduce(x), to_apply=f
  eighth = f32[] constant(0.125)
  eighths = f32[9] broadcast(eighth), dimensions={}
  t = f32[9] multiply(sum, eighths)
  q = f32[9] add(t, x)
  ROOT r = (s32[], f32[9]) tuple(next, q)
}
condition {
  s = (s32[], f32[9]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT r = pred[] compare(i, n), direction=LT
}
ENTRY e {
  p = f32[9] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[9]) tuple(zero, p)
  w = (s32[], f32[9]) while(s), condition=condition, body=body
  ROOT r = f32[9] get-tuple-element(w), index=1
}
)");
  ExpectSameBits(R"(
HloModule m, replica_count=8
ENTRY e {
  p = f32[9] parameter(0)
  r = u32[] replica-id()
  n = s32[] convert(r)
  x = f32[<=9] set-dimension-size(p, n), dimensions={0}
  g = f32[<=72] all-gather(x), dimensions={0}
  ROOT r2 = s32[] get-dimension-size(g), dimensions={0}
}
)");
}

// Random groups of random sizes.
TEST(CollectivesTest, RandomGroups) {
  std::mt19937 random(3);
  for (int i = 0; i < 12; ++i) {
    std::vector<int64_t> devices(kDevices);
    std::iota(devices.begin(), devices.end(), 0);
    std::shuffle(devices.begin(), devices.end(), random);
    std::vector<std::string> groups;
    for (size_t at = 0; at < devices.size();) {
      const size_t size = std::min<size_t>(1 + random() % 5, devices.size() - at);
      groups.push_back(absl::StrCat(
          "{", absl::StrJoin(absl::MakeConstSpan(devices).subspan(at, size), ","), "}"));
      at += size;
    }
    const std::string count = random() % 2 == 0 ? "[11]" : "[30011]";
    ExpectSameBits(
        Text("f32", count,
             absl::StrCat("  ROOT r = f32", count, " all-reduce(x), to_apply=f, replica_groups={",
                          absl::StrJoin(groups, ","), "}")));
  }
}

// A program on a part of the processes runs without the others.
TEST(CollectivesTest, SomeProcessesOnly) {
  const Program program(Text("f32", "[9]", "  ROOT r = f32[9] all-reduce(x), to_apply=f"));
  Job job(MakeMemoryTransports(4));
  EXPECT_EQ(program.RunAcross(false, {1, 1, 1, 1, 3, 3, 3, 3}, job), program.RunHere(false));
}

// An error of one device ends the run everywhere.
TEST(CollectivesTest, AnErrorOfOneDevice) {
  const Program program(
      "HloModule m, replica_count=8\nENTRY e {\n  p = f32[4] parameter(0)\n  z = f32[4] "
      "collective-permute(p), source_target_pairs={{0,4},{1,5}}\n  ROOT r = f32[4] "
      "custom-call(z), custom_call_target=\"no.such.function\"\n}\n");
  Job job(MakeMemoryTransports(2));
  const Results results = program.RunAcross(false, {0, 0, 0, 0, 1, 1, 1, 1}, job);
  for (const std::string& result : results) EXPECT_EQ(result.substr(0, 6), "error:") << result;
}

}  // namespace
}  // namespace xla::distributed
