// SPDX-License-Identifier: Apache-2.0
// The client library: buffers, compiling, running on one device and several, handles, feeds,
// errors.
#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/test_util.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/service/custom_call_target_registry.h"
#include "xla/service/platform_util.h"
#include "xla/service/transfer_manager.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

XlaComputation AddProgram(const Shape& shape) {
  XlaBuilder builder("add");
  Add(Parameter(&builder, 0, shape, "x"), Parameter(&builder, 1, shape, "y"));
  auto built = builder.Build();
  EXPECT_OK(built);
  return *std::move(built);
}

std::unique_ptr<LocalClient> ClientOf(int devices) {
  auto client = ClientLibrary::MakeLocalClient(LocalClientOptions().set_device_count(devices));
  EXPECT_OK(client);
  return *std::move(client);
}

absl::StatusOr<Literal> RunOn(LocalClient& client, const XlaComputation& program,
                              absl::Span<const Literal> arguments,
                              const ExecutableBuildOptions& build_options = {},
                              const ExecutableRunOptions& run_options = {}) {
  std::vector<ScopedShapedBuffer> buffers;
  for (const Literal& argument : arguments) {
    XLA_ASSIGN_OR_RETURN(ScopedShapedBuffer buffer, client.LiteralToShapedBuffer(argument, 0));
    buffers.push_back(std::move(buffer));
  }
  std::vector<const ShapedBuffer*> pointers;
  std::vector<const Shape*> shapes;
  for (const ScopedShapedBuffer& buffer : buffers) {
    pointers.push_back(&buffer);
    shapes.push_back(&buffer.on_host_shape());
  }
  XLA_ASSIGN_OR_RETURN(const auto executables, client.Compile(program, shapes, build_options));
  XLA_ASSIGN_OR_RETURN(const ScopedShapedBuffer result, executables[0]->Run(pointers, run_options));
  return client.ShapedBufferToLiteral(result);
}

// --- Buffers ---------------------------------------------------------------------------------

TEST(ShapedBuffer, LiteralsOfAllKindsComeBack) {
  const auto client = ClientOf(1);
  std::vector<Literal> literals;
  literals.push_back(LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}}));
  literals.push_back(literals[0].Relayout(LayoutUtil::MakeLayout({0, 1})));
  literals.push_back(LiteralUtil::CreateR0<bool>(true));
  literals.push_back(LiteralUtil::CreateR1<u4>({u4(1), u4(15)}));
  literals.push_back(Literal(ShapeUtil::MakeShape(F32, {0, 3})));
  literals.push_back(LiteralUtil::MakeTupleFromSlices(
      {literals[0], LiteralUtil::MakeTupleFromSlices({literals[2], Literal()})}));
  literals.push_back(Literal(ShapeUtil::MakeTokenShape()));
  for (const Literal& literal : literals) {
    ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer buffer,
                         client->LiteralToShapedBuffer(literal, 0));
    ASSERT_OK_AND_ASSIGN(const Literal back, client->ShapedBufferToLiteral(buffer));
    EXPECT_TRUE(back.Equal(literal, /*layout_sensitive=*/true)) << literal.ToString();
  }
}

// The buffer says how elements lie: a literal of another layout is moved element by element.
TEST(ShapedBuffer, HoldsLiteralsInItsOwnLayout) {
  const auto client = ClientOf(1);
  TransferManager* const transfers = client->backend().transfer_manager();
  const Literal rows = LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}});
  const Literal columns = rows.Relayout(LayoutUtil::MakeLayout({0, 1}));
  for (const Literal* const shape_of : {&rows, &columns}) {
    ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer buffer,
                         transfers->AllocateScopedShapedBuffer(
                             shape_of->shape(), client->backend().memory_allocator(), 0));
    for (const Literal* const literal : {&rows, &columns}) {
      ASSERT_OK(transfers->TransferLiteralToDevice(nullptr, *literal, buffer));
      const auto* memory = static_cast<const float*>(buffer.root_buffer().opaque());
      EXPECT_EQ(std::vector<float>(memory, memory + 6),
                shape_of == &rows ? (std::vector<float>{1, 2, 3, 4, 5, 6})
                                  : (std::vector<float>{1, 4, 2, 5, 3, 6}));
      ASSERT_OK_AND_ASSIGN(const Literal back,
                           transfers->TransferLiteralFromDevice(nullptr, buffer));
      EXPECT_EQ(back, rows);
    }
    EXPECT_ERROR(
        transfers->TransferLiteralToDevice(nullptr, LiteralUtil::CreateR1<float>({1}), buffer),
        "does not fit");
  }
}

TEST(ShapedBuffer, DynamicSizesLieBehindTheElements) {
  const auto client = ClientOf(1);
  Literal literal(ShapeUtil::MakeShape(S32, {5}, {true}));
  for (int32_t i = 0; i < 5; ++i) literal.Set<int32_t>({i}, i + 1);
  literal.SetDynamicSize(0, 3);
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer buffer, client->LiteralToShapedBuffer(literal, 0));
  EXPECT_EQ(buffer.root_buffer().size(), 6u * 4);
  EXPECT_EQ(static_cast<const int32_t*>(buffer.root_buffer().opaque())[5], 3);
  ASSERT_OK_AND_ASSIGN(const Literal back, client->ShapedBufferToLiteral(buffer));
  EXPECT_EQ(back.GetDynamicSize(0), 3);
  EXPECT_EQ(back, literal);
  // Memory that a program wrote wrongly is an error.
  ShapedBuffer view = *buffer.SubShapedBuffer({});
  static_cast<int32_t*>(const_cast<void*>(view.root_buffer().opaque()))[5] = 6;
  EXPECT_ERROR(client->ShapedBufferToLiteral(view), "says that dimension 0 has size 6");
}

TEST(ShapedBuffer, TuplesHoldPointersToTheirElements) {
  const auto client = ClientOf(1);
  const Literal tuple = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<float>(1),
                                                    LiteralUtil::CreateR1<int32_t>({7, 8}));
  ASSERT_OK_AND_ASSIGN(ScopedShapedBuffer buffer, client->LiteralToShapedBuffer(tuple, 0));
  const auto* table = static_cast<const void* const*>(buffer.root_buffer().opaque());
  EXPECT_EQ(table[1], buffer.buffer({1}).opaque());
  ASSERT_OK_AND_ASSIGN(const ShapedBuffer part, buffer.SubShapedBuffer({1}));
  EXPECT_EQ(*client->ShapedBufferToLiteral(part), LiteralUtil::CreateR1<int32_t>({7, 8}));
  EXPECT_ERROR(buffer.SubShapedBuffer({2}), "2");
  const ScopedShapedBuffer taken = buffer.TakeSubTree({1});
  EXPECT_TRUE(buffer.buffer({1}).is_null());
  EXPECT_EQ(*client->ShapedBufferToLiteral(taken), LiteralUtil::CreateR1<int32_t>({7, 8}));
  EXPECT_ERROR(client->ShapedBufferToLiteral(buffer), "has 0 bytes, not 8");
}

class CountingAllocator : public se::HostMemoryAllocator {
 public:
  using HostMemoryAllocator::HostMemoryAllocator;
  absl::StatusOr<se::OwningDeviceMemory> Allocate(int device, uint64_t size, bool retry,
                                                  int64_t space) override {
    XLA_ASSIGN_OR_RETURN(se::OwningDeviceMemory memory,
                         HostMemoryAllocator::Allocate(device, size, retry, space));
    if (!memory.is_null()) ++live, ++total;
    return memory;
  }
  absl::Status Deallocate(int device, se::DeviceMemoryBase memory) override {
    if (!memory.is_null()) --live;
    return HostMemoryAllocator::Deallocate(device, memory);
  }
  int live = 0, total = 0;
};

TEST(ShapedBuffer, MemoryComesFromTheCallersAllocatorAndGoesBack) {
  const auto client = ClientOf(1);
  CountingAllocator allocator(client->platform());
  {
    const Literal one = LiteralUtil::CreateR1<float>({1});
    ASSERT_OK_AND_ASSIGN(ScopedShapedBuffer x, client->LiteralToShapedBuffer(one, 0, &allocator));
    ASSERT_OK_AND_ASSIGN(const auto executables, client->Compile(AddProgram(one.shape()),
                                                                 {&one.shape(), &one.shape()}, {}));
    ExecutableRunOptions options;
    options.set_allocator(&allocator);
    ASSERT_OK_AND_ASSIGN(ScopedShapedBuffer sum, executables[0]->Run({&x, &x}, options));
    EXPECT_EQ(sum.memory_allocator(), &allocator);
    EXPECT_EQ(allocator.live, 2);
    x = std::move(sum);
    EXPECT_EQ(allocator.live, 1);
  }
  EXPECT_EQ(allocator.live, 0);
  EXPECT_EQ(allocator.total, 2);
}

// --- Compiling and running -------------------------------------------------------------------

TEST(LocalClient, RunsAProgram) {
  const auto client = ClientOf(1);
  const Shape shape = ShapeUtil::MakeShape(F32, {2, 2});
  std::vector<Literal> arguments;
  arguments.push_back(LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}}));
  arguments.push_back(LiteralUtil::CreateR2<float>({{10, 20}, {30, 40}}));
  ASSERT_OK_AND_ASSIGN(const Literal result, RunOn(*client, AddProgram(shape), arguments));
  EXPECT_EQ(result, LiteralUtil::CreateR2<float>({{11, 22}, {33, 44}}));
}

TEST(LocalClient, ArgumentAndResultLayouts) {
  const auto client = ClientOf(1);
  std::vector<Literal> arguments;
  arguments.push_back(LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}})
                          .Relayout(LayoutUtil::MakeLayout({0, 1})));
  arguments.push_back(LiteralUtil::CreateR2<float>({{10, 20, 30}, {40, 50, 60}}));
  const XlaComputation program = AddProgram(ShapeUtil::MakeShape(F32, {2, 3}));
  const Literal expected = LiteralUtil::CreateR2<float>({{11, 22, 33}, {44, 55, 66}});
  ASSERT_OK_AND_ASSIGN(Literal result, RunOn(*client, program, arguments));
  EXPECT_TRUE(result.Equal(expected, /*layout_sensitive=*/true)) << result.ToStringWithLayout();
  ExecutableBuildOptions options;
  options.set_result_layout(ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1}));
  ASSERT_OK_AND_ASSIGN(result, RunOn(*client, program, arguments, options));
  EXPECT_EQ(result, expected);
  EXPECT_EQ(result.shape().layout(), LayoutUtil::MakeLayout({0, 1}));
}

TEST(LocalClient, WhatDoesNotCompile) {
  const auto client = ClientOf(2);
  const Shape f2 = ShapeUtil::MakeShape(F32, {2}), f3 = ShapeUtil::MakeShape(F32, {3});
  const XlaComputation add = AddProgram(f2);
  const ExecutableBuildOptions plain;
  EXPECT_ERROR(client->Compile(XlaComputation(), {}, plain), "null");
  EXPECT_ERROR(client->Compile(add, {&f2}, plain), "it takes 2, and 1 layouts were given");
  EXPECT_ERROR(
      client->Compile(add, {&f2, &f3}, plain),
      "Argument does not match shape of computation parameter 1: Invalid argument shape for "
      "argument 1 of program add, expected f32[2], got f32[3]");
  EXPECT_ERROR(client->Compile(add, {&f2, nullptr}, plain), "got null");
  EXPECT_ERROR(client->Compile(add, {&f2, &f2}, ExecutableBuildOptions().set_result_layout(f3)),
               "is not compatible with result shape f32[2] of program add");
  EXPECT_ERROR(client->Compile(add, {&f2, &f2}, ExecutableBuildOptions().set_device_ordinal(2)),
               "Invalid device ordinal value (2). Valid range: [0, 1].");
  EXPECT_ERROR(client->Compile(add, {&f2, &f2}, ExecutableBuildOptions().set_num_replicas(3)),
               "need 3 devices; the client has 2");
  EXPECT_ERROR(client->Compile(add, {&f2, &f2}, ExecutableBuildOptions().set_num_replicas(0)),
               "must be at least 1");
  EXPECT_ERROR(client->Compile(add, {&f2, &f2},
                               ExecutableBuildOptions().set_num_replicas(2).set_device_assignment(
                                   DeviceAssignment(1, 1))),
               "is for 1 replicas and 1 partitions; the options say 2 and 1");
  // A program that is not well formed.
  HloModuleProto proto = add.proto();
  proto.mutable_computations(0)->mutable_instructions(2)->mutable_shape()->set_dimensions(0, 7);
  EXPECT_ERROR(client->Compile(XlaComputation(proto), {&f2, &f2}, plain), "f32[7]");
}

TEST(LocalClient, CompiledModulesKeepWhatOptionsAskOfTheCompiler) {
  const auto client = ClientOf(1);
  const Shape shape = ShapeUtil::MakeShape(F32, {2});
  ExecutableBuildOptions options;
  *options.mutable_fdo_profile() = "profile";
  options.set_device_memory_size(4096)
      .set_use_shardy_partitioner(true)
      .set_exec_time_optimization_effort(-1.5f)
      .set_memory_fitting_effort(0.5f)
      .set_optimization_level(ExecutionOptions::EFFORT_O1)
      .set_memory_fitting_level(ExecutionOptions::EFFORT_O3);
  ASSERT_OK_AND_ASSIGN(const auto executables,
                       client->Compile(AddProgram(shape), {&shape, &shape}, options));
  const Executable& executable = *executables[0]->executable();
  const HloModuleProtoWithConfig proto = executable.module().ToProtoWithConfig();
  ASSERT_OK_AND_ASSIGN(const auto again, HloModule::CreateFromProtoWithConfig(proto));
  for (const HloModule* module : {&executable.module(), (const HloModule*)again.get()}) {
    const HloModuleConfig& config = module->config();
    EXPECT_EQ(config.fdo_profile(), "profile");
    EXPECT_EQ(config.device_memory_size(), 4096);
    EXPECT_TRUE(config.use_shardy_partitioner());
    EXPECT_EQ(config.exec_time_optimization_effort(), -1.5f);
    EXPECT_EQ(config.memory_fitting_effort(), 0.5f);
    EXPECT_EQ(config.optimization_level(), ExecutionOptions::EFFORT_O1);
    EXPECT_EQ(config.memory_fitting_level(), ExecutionOptions::EFFORT_O3);
  }
  EXPECT_EQ(proto.config().fdo_profile(), "profile");
  const ExecutionOptions execution = CreateExecutionOptions(options, nullptr);
  EXPECT_EQ(execution.optimization_level(), ExecutionOptions::EFFORT_O1);
  EXPECT_EQ(execution.device_memory_size(), 4096);
  EXPECT_FALSE(execution.has_device_assignment());
  EXPECT_FALSE(execution.has_shape_with_output_layout());
  EXPECT_EQ(client->backend().compiler()->DefaultDeviceShapeRepresentation(shape), shape);
}

TEST(LocalClient, ExecutionOptionsAreThoseOfTheBuild) {
  const Shape rows = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {1, 0});
  const Shape columns = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  ProgramShape program_shape;
  *program_shape.mutable_result() = rows;
  DeviceAssignment assignment(2, 1);
  assignment(0, 0) = 5;
  assignment(1, 0) = 3;
  ExecutableBuildOptions options;
  options.set_num_replicas(2).set_num_partitions(3).set_use_spmd_partitioning(true);
  options.set_deduplicate_hlo(true).set_device_assignment(assignment);
  options.set_alias_passthrough_params(true);
  options.mutable_debug_options();
  ExecutionOptions execution = CreateExecutionOptions(options, &program_shape);
  EXPECT_EQ(execution.num_replicas(), 2);
  EXPECT_EQ(execution.num_partitions(), 3);
  EXPECT_TRUE(execution.use_spmd_partitioning());
  EXPECT_TRUE(execution.deduplicate_hlo());
  EXPECT_TRUE(execution.alias_passthrough_params());
  EXPECT_TRUE(execution.has_debug_options());
  EXPECT_EQ(Shape::FromProto(execution.shape_with_output_layout()).value(), rows);
  ASSERT_OK_AND_ASSIGN(const auto devices,
                       DeviceAssignment::Deserialize(execution.device_assignment()));
  EXPECT_EQ((*devices)(0, 0), 5);
  EXPECT_EQ((*devices)(1, 0), 3);
  options.set_result_layout(columns);
  execution = CreateExecutionOptions(options, &program_shape);
  EXPECT_EQ(Shape::FromProto(execution.shape_with_output_layout()).value(), columns);
}

TEST(LocalClient, GeneratedCodeHoldsTheConstants) {
  const auto client = ClientOf(1);
  XlaBuilder b("constant");
  constexpr int64_t kSize = 10000;
  ConstantR1<float>(&b, std::vector<float>(kSize, 0.5f)) +
      Parameter(&b, 0, ShapeUtil::MakeShape(F32, {kSize}), "x");
  const Shape shape = ShapeUtil::MakeShape(F32, {kSize});
  ASSERT_OK_AND_ASSIGN(const auto executables, client->Compile(*b.Build(), {&shape}, {}));
  const int64_t bytes = executables[0]->executable()->SizeOfGeneratedCodeInBytes();
  EXPECT_TRUE(bytes == -1 || bytes > 0) << bytes;  // -1: interpreted
}

TEST(LocalClient, WhatDoesNotRun) {
  const auto client = ClientOf(2);
  const Literal two = LiteralUtil::CreateR1<float>({1, 2});
  const Literal three = LiteralUtil::CreateR1<float>({1, 2, 3});
  const Shape& shape = two.shape();
  ASSERT_OK_AND_ASSIGN(const auto executables,
                       client->Compile(AddProgram(shape), {&shape, &shape}, {}));
  LocalExecutable& add = *executables[0];
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer x, client->LiteralToShapedBuffer(two, 0));
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer y, client->LiteralToShapedBuffer(three, 0));
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer elsewhere, client->LiteralToShapedBuffer(two, 1));
  const ExecutableRunOptions options;
  EXPECT_ERROR(add.Run({&x}, options),
               "invalid number of arguments for program add: expected 2, got 1");
  EXPECT_ERROR(add.Run({&x, &y}, options),
               "parameter 1 of program add: want f32[2]{0}, got f32[3]{0}");
  EXPECT_ERROR(add.Run({&x, nullptr}, options), "argument 1 of program add is null");
  EXPECT_ERROR(add.Run({&x, &elsewhere}, options),
               "argument 1 of program add is on device 1 but the program runs on device 0");
  EXPECT_ERROR(add.Run({&x, &x}, ExecutableRunOptions().set_device_ordinal(7)),
               "Invalid device ordinal value (7)");
  const ShapedBuffer nothing(shape, 0);
  EXPECT_ERROR(add.Run({&x, &nothing}, options), "has 0 bytes, not 8");
  ASSERT_OK_AND_ASSIGN(
      const ScopedShapedBuffer there,
      add.Run({&elsewhere, &elsewhere}, ExecutableRunOptions().set_device_ordinal(1)));
  EXPECT_EQ(there.device_ordinal(), 1);
  EXPECT_ERROR(client->LiteralToShapedBuffer(two, 2), "Invalid device ordinal value (2)");
}

TEST(LocalClient, ExecutablesOutliveTheirClient) {
  auto client = ClientOf(1);
  const Literal two = LiteralUtil::CreateR1<float>({1, 2});
  ASSERT_OK_AND_ASSIGN(const auto executables,
                       client->Compile(AddProgram(two.shape()), {&two.shape(), &two.shape()}, {}));
  ASSERT_OK_AND_ASSIGN(const auto data, client->TransferToServer(two));
  se::HostMemoryAllocator allocator(client->platform());
  ASSERT_OK_AND_ASSIGN(const auto x, client->LiteralToShapedBuffer(two, 0, &allocator));
  client.reset();
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer sum,
                       executables[0]->Run({&x, &x}, ExecutableRunOptions()));
  EXPECT_EQ(*LiteralFromBuffer(sum), LiteralUtil::CreateR1<float>({2, 4}));
}

TEST(LocalClient, ProfileTellsTheTime) {
  const auto client = ClientOf(1);
  ExecutionProfile profile;
  XlaBuilder builder("b");
  ConstantR0<float>(&builder, 1);
  ASSERT_OK(RunOn(*client, *builder.Build(), {}, {},
                  ExecutableRunOptions().set_execution_profile(&profile)));
  EXPECT_GT(profile.compute_time_ns(), 0);
  EXPECT_GE(profile.compute_and_transfer_time_ns(), profile.compute_time_ns());
}

// --- Several devices -------------------------------------------------------------------------

// The sum of x over the replicas.
XlaComputation AllReduceProgram() {
  XlaBuilder sub("sum");
  const Shape scalar = ShapeUtil::MakeShape(F32, {});
  Add(Parameter(&sub, 0, scalar, "a"), Parameter(&sub, 1, scalar, "b"));
  XlaBuilder builder("all_reduce");
  const XlaOp x = Parameter(&builder, 0, ShapeUtil::MakeShape(F32, {2}), "x");
  AllReduce(x, *sub.Build(), {});
  auto built = builder.Build();
  EXPECT_OK(built);
  return *std::move(built);
}

TEST(Replicas, RunReplicated) {
  const auto client = ClientOf(4);
  const Shape shape = ShapeUtil::MakeShape(F32, {2});
  ASSERT_OK_AND_ASSIGN(
      const auto executables,
      client->Compile(AllReduceProgram(), {&shape}, ExecutableBuildOptions().set_num_replicas(3)));
  std::vector<ScopedShapedBuffer> buffers;
  std::vector<std::vector<const ShapedBuffer*>> arguments;
  DeviceAssignment assignment(3, 1);
  for (int r = 0; r < 3; ++r) {
    assignment(r, 0) = 3 - r;
    ASSERT_OK_AND_ASSIGN(
        ScopedShapedBuffer buffer,
        client->LiteralToShapedBuffer(LiteralUtil::CreateR1<float>({1.0f * r, 10}), 3 - r));
    buffers.push_back(std::move(buffer));
  }
  for (const ScopedShapedBuffer& buffer : buffers) arguments.push_back({&buffer});
  ExecutableRunOptions options;
  options.set_device_assignment(&assignment);
  ASSERT_OK_AND_ASSIGN(const auto results, executables[0]->RunReplicated(arguments, options));
  ASSERT_EQ(results.size(), 3u);
  for (int r = 0; r < 3; ++r) {
    EXPECT_EQ(*client->ShapedBufferToLiteral(results[r]), LiteralUtil::CreateR1<float>({3, 30}));
    EXPECT_EQ(results[r].device_ordinal(), 3 - r);
  }
  // Arguments lie on the devices of the assignment.
  EXPECT_ERROR(executables[0]->RunReplicated(arguments, ExecutableRunOptions()), "is on device 3");
  arguments.pop_back();
  EXPECT_ERROR(executables[0]->RunReplicated(arguments, options),
               "arguments for 2 devices; program all_reduce was compiled for 3 replicas");
  assignment(0, 0) = 9;
  EXPECT_ERROR(executables[0]->Run({&buffers[0]}, options), "has device 9");
  assignment(0, 0) = 2;
  EXPECT_ERROR(executables[0]->Run({&buffers[0]}, options), "has device 2 twice");
}

TEST(Replicas, ADeviceIsThatOfTheAssignment) {
  const auto client = ClientOf(3);
  const Shape shape = ShapeUtil::MakeShape(F32, {2});
  ASSERT_OK_AND_ASSIGN(const auto executables,
                       client->Compile(AddProgram(shape), {&shape, &shape}, {}));
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer x,
                       client->LiteralToShapedBuffer(LiteralUtil::CreateR1<float>({1, 2}), 2));
  DeviceAssignment assignment(1, 1);
  assignment(0, 0) = 2;
  ExecutableRunOptions options;
  options.set_device_assignment(&assignment);
  for (const int device : {-1, 2}) {
    options.set_device_ordinal(device);
    ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer sum, executables[0]->Run({&x, &x}, options));
    EXPECT_EQ(sum.device_ordinal(), 2);
  }
  options.set_device_ordinal(1);
  EXPECT_ERROR(executables[0]->Run({&x, &x}, options),
               "device 1 is not that of the device assignment, 2");
  // Without an assignment, that of the run.
  ExecutableRunOptions on_two;
  on_two.set_device_ordinal(2);
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer later, executables[0]->RunAsync({&x, &x}, on_two));
  EXPECT_EQ(later.device_ordinal(), 2);
  EXPECT_EQ(*client->ShapedBufferToLiteral(later), LiteralUtil::CreateR1<float>({2, 4}));
  // One that the program was compiled with holds as well.
  ASSERT_OK_AND_ASSIGN(const auto compiled_for_two,
                       client->Compile(AddProgram(shape), {&shape, &shape},
                                       ExecutableBuildOptions().set_device_assignment(assignment)));
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer there,
                       compiled_for_two[0]->Run({&x, &x}, ExecutableRunOptions()));
  EXPECT_EQ(there.device_ordinal(), 2);
  ExecutableRunOptions on_one;
  on_one.set_device_ordinal(1);
  EXPECT_ERROR(compiled_for_two[0]->Run({&x, &x}, on_one),
               "device 1 is not that of the device assignment, 2");
}

TEST(Replicas, ThreadsOfOneRunMeet) {
  const auto client = ClientOf(2);
  const Shape shape = ShapeUtil::MakeShape(F32, {2});
  ASSERT_OK_AND_ASSIGN(
      const auto executables,
      client->Compile(AllReduceProgram(), {&shape}, ExecutableBuildOptions().set_num_replicas(2)));
  for (int repeat = 0; repeat < 20; ++repeat) {
    const RunId run = RunId::CreateUniqueId();
    std::vector<Literal> results(2);
    std::vector<std::thread> threads;
    for (int r = 0; r < 2; ++r) {
      threads.emplace_back([&, r] {
        const auto x = client->LiteralToShapedBuffer(
            LiteralUtil::CreateR1<float>({1.0f * r, 1.0f * repeat}), r);
        ExecutableRunOptions options;
        options.set_run_id(run).set_device_ordinal(r);
        auto sum = executables[0]->Run({&*x}, options);
        ASSERT_OK(sum);
        EXPECT_EQ(sum->device_ordinal(), r);
        results[static_cast<size_t>(r)] = *client->ShapedBufferToLiteral(*sum);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Literal& result : results) {
      EXPECT_EQ(result, LiteralUtil::CreateR1<float>({1, 2.0f * repeat}));
    }
  }
}

TEST(Replicas, DevicesThatDoNotComeAreNamed) {
  const auto client = ClientOf(3);
  const Shape shape = ShapeUtil::MakeShape(F32, {2});
  ASSERT_OK_AND_ASSIGN(
      const auto executables,
      client->Compile(AllReduceProgram(), {&shape}, ExecutableBuildOptions().set_num_replicas(3)));
  ASSERT_OK_AND_ASSIGN(const auto x,
                       client->LiteralToShapedBuffer(LiteralUtil::CreateR1<float>({1, 2}), 1));
  ExecutableRunOptions options;
  options.set_run_id(RunId(17)).set_wait_timeout(absl::Milliseconds(50));
  EXPECT_STATUS(executables[0]->Run({&x}, options), absl::StatusCode::kDeadlineExceeded,
                "in run 17 for the devices that did not come: 0, 2");
}

TEST(Replicas, PartitionsKnowThemselves) {
  const auto client = ClientOf(4);
  XlaBuilder builder("ids");
  Tuple(&builder, {ReplicaId(&builder), PartitionId(&builder)});
  ASSERT_OK_AND_ASSIGN(const XlaComputation program, builder.Build());
  ASSERT_OK_AND_ASSIGN(
      const auto executables,
      client->Compile(program, {},
                      ExecutableBuildOptions().set_num_replicas(2).set_num_partitions(2)));
  const std::vector<std::vector<const ShapedBuffer*>> none(4);
  ASSERT_OK_AND_ASSIGN(const auto results,
                       executables[0]->RunReplicated(none, ExecutableRunOptions()));
  for (uint32_t d = 0; d < 4; ++d) {
    ASSERT_OK_AND_ASSIGN(const Literal ids, client->ShapedBufferToLiteral(results[d]));
    EXPECT_EQ(ids.Get<uint32_t>({}, {0}), d / 2);
    EXPECT_EQ(ids.Get<uint32_t>({}, {1}), d % 2);
  }
}

// --- Client: handles -------------------------------------------------------------------------

TEST(Client, ExecuteAndTransfer) {
  const auto client = ClientOf(1);
  const Literal x = LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}});
  ASSERT_OK_AND_ASSIGN(const auto data, client->TransferToServer(x));
  EXPECT_EQ(*client->Transfer(*data), x);
  EXPECT_EQ(*client->GetShape(*data), x.shape());
  const XlaComputation add = AddProgram(x.shape());
  ASSERT_OK_AND_ASSIGN(const Literal sum,
                       client->ExecuteAndTransfer(add, {data.get(), data.get()}));
  EXPECT_EQ(sum, LiteralUtil::CreateR2<float>({{2, 4}, {6, 8}}));
  // A result in another layout, and a transfer in another one.
  ExecutionOptions options;
  const Shape column_major = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 2}, {0, 1});
  *options.mutable_shape_with_output_layout() = column_major.ToProto();
  ASSERT_OK_AND_ASSIGN(const auto result, client->Execute(add, {data.get(), data.get()}, &options));
  EXPECT_EQ(*client->GetShape(*result), column_major);
  ASSERT_OK_AND_ASSIGN(const Literal row_major, client->Transfer(*result, &x.shape()));
  EXPECT_TRUE(row_major.Equal(sum, /*layout_sensitive=*/true));
  const Shape other = ShapeUtil::MakeShape(F32, {4});
  EXPECT_ERROR(client->Transfer(*result, &other), "a transfer to shape f32[4]{0}");
}

TEST(Client, CompiledHandlesRunAgain) {
  const auto client = ClientOf(1);
  const Literal x = LiteralUtil::CreateR1<float>({1, 2});
  ASSERT_OK_AND_ASSIGN(const auto data, client->TransferToServer(x));
  ASSERT_OK_AND_ASSIGN(ExecutionHandle handle, client->Client::Compile(AddProgram(x.shape()), {}));
  ASSERT_OK_AND_ASSIGN(const auto twice, client->Execute(handle, {data.get(), data.get()}));
  ASSERT_OK_AND_ASSIGN(const auto thrice, client->Execute(handle, {data.get(), twice.get()}));
  EXPECT_EQ(*client->Transfer(*thrice), LiteralUtil::CreateR1<float>({3, 6}));
  handle.set_handle(99);
  EXPECT_STATUS(client->Execute(handle, {}), absl::StatusCode::kNotFound, "handle 99");
}

TEST(Client, TuplesComeApartAndDataIsFreed) {
  const auto client = ClientOf(1);
  const Literal tuple = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<float>(1),
                                                    LiteralUtil::CreateR1<int32_t>({7, 8}));
  ASSERT_OK_AND_ASSIGN(auto data, client->TransferToServer(tuple));
  ASSERT_OK_AND_ASSIGN(const auto parts, client->DeconstructTuple(*data));
  ASSERT_EQ(parts.size(), 2u);
  data.reset();  // the parts keep the memory
  EXPECT_EQ(*client->Transfer(*parts[1]), LiteralUtil::CreateR1<int32_t>({7, 8}));
  EXPECT_ERROR(client->DeconstructTuple(*parts[1]), "s32[2] is not a tuple");
  ASSERT_OK(client->Unregister(*parts[0]));
  EXPECT_ERROR(client->Transfer(*parts[0]), "was previously deallocated");
  EXPECT_ERROR(client->Unregister(*parts[0]), "was previously deallocated");
  // Another client has not had as much data.
  const auto other = ClientOf(1);
  EXPECT_STATUS(other->Transfer(*parts[1]), absl::StatusCode::kNotFound, "has no data with handle");
  EXPECT_STATUS(other->Unregister(*parts[1]), absl::StatusCode::kNotFound,
                "has no data with handle");
}

TEST(Client, DevicesAndOptions) {
  const auto client = ClientOf(2);
  ASSERT_OK_AND_ASSIGN(const auto handles, client->GetDeviceHandles(2));
  EXPECT_ERROR(client->GetDeviceHandles(3), "asked for 3 devices; the client has 2");
  const Literal x = LiteralUtil::CreateR1<float>({1});
  ASSERT_OK_AND_ASSIGN(const auto data, client->TransferToServer(x, &handles[1]));
  ASSERT_OK_AND_ASSIGN(const ShapedBuffer* buffer,
                       client->GlobalDataToShapedBuffer(data->handle(), 0));
  EXPECT_EQ(buffer->device_ordinal(), 1);
  ExecutionOptions options;
  *options.add_device_handles() = handles[1];
  const XlaComputation add = AddProgram(x.shape());
  ASSERT_OK_AND_ASSIGN(const Literal sum,
                       client->ExecuteAndTransfer(add, {data.get(), data.get()}, &options));
  EXPECT_EQ(sum, LiteralUtil::CreateR1<float>({2}));
  EXPECT_ERROR(client->ExecuteAndTransfer(add, {data.get(), data.get()}), "is on device 1");
  options.set_num_replicas(2);
  EXPECT_ERROR(client->ExecuteAndTransfer(add, {data.get(), data.get()}, &options),
               "Client runs programs on one device");
  DeviceHandle wrong;
  wrong.set_handle(-5);
  EXPECT_ERROR(client->TransferToServer(x, &wrong), "no device for handle -5");
}

TEST(Client, ComputeConstant) {
  const auto client = ClientOf(1);
  XlaBuilder builder("c");
  Mul(ConstantR2<float>(&builder, {{1, 2}, {3, 4}}), ConstantR0<float>(&builder, 2));
  ASSERT_OK_AND_ASSIGN(const XlaComputation constant, builder.Build());
  const Layout column_major = LayoutUtil::MakeLayout({0, 1});
  ASSERT_OK_AND_ASSIGN(const Literal value, client->ComputeConstant(constant, &column_major));
  EXPECT_EQ(value, LiteralUtil::CreateR2<float>({{2, 4}, {6, 8}}));
  EXPECT_EQ(value.shape().layout(), column_major);
  const Layout bad = LayoutUtil::MakeLayout({0});
  XlaBuilder tuples("tuple");
  Tuple(&tuples, {ConstantR0<float>(&tuples, 1)});
  EXPECT_ERROR(client->ComputeConstant(*tuples.Build(), &column_major),
               "a layout was given for a result of shape (f32[])");
  EXPECT_ERROR(client->ComputeConstant(constant, &bad), "layout");
  EXPECT_ERROR(client->ComputeConstant(AddProgram(ShapeUtil::MakeShape(F32, {}))),
               "must not have parameters; it has 2");
  XlaBuilder random("r");
  const Shape scalar = ShapeUtil::MakeShape(F32, {});
  RngUniform(ConstantR0<float>(&random, 0), ConstantR0<float>(&random, 1), scalar);
  EXPECT_ERROR(client->ComputeConstant(*random.Build()), "must not depend on rng");
}

TEST(Client, ChannelsAndSnapshots) {
  const auto client = ClientOf(1);
  ASSERT_OK_AND_ASSIGN(const ChannelHandle a, client->CreateChannelHandle());
  ASSERT_OK_AND_ASSIGN(const ChannelHandle b, client->CreateHostToDeviceChannelHandle());
  EXPECT_NE(a.handle(), b.handle());
  EXPECT_EQ(b.type(), ChannelHandle::HOST_TO_DEVICE);
  const XlaComputation add = AddProgram(ShapeUtil::MakeShape(F32, {2}));
  ASSERT_OK_AND_ASSIGN(const auto snapshot, add.Snapshot());
  ASSERT_OK_AND_ASSIGN(const XlaComputation loaded, client->LoadSnapshot(*snapshot));
  EXPECT_EQ(loaded.name(), "add");
  EXPECT_ERROR(client->LoadSnapshot(HloSnapshot()), "holds no program");
  ASSERT_OK_AND_ASSIGN(const auto shape, client->GetComputationShape(add));
  EXPECT_EQ(shape->parameters_size(), 2);
}

// --- Feeds and custom calls ------------------------------------------------------------------

TEST(Feeds, EachDeviceHasItsOwn) {
  const auto client = ClientOf(2);
  const Shape shape = ShapeUtil::MakeShape(F32, {2});
  XlaBuilder builder("echo");
  const XlaOp in = Infeed(&builder, shape);
  Outfeed(in + in, shape, "");
  ASSERT_OK_AND_ASSIGN(const XlaComputation program, builder.Build());
  ASSERT_OK_AND_ASSIGN(const auto executables, client->Compile(program, {}, {}));
  ASSERT_OK(client->TransferToInfeed(LiteralUtil::CreateR1<float>({5, 6})));
  ASSERT_OK(client->TransferToInfeedLocal(LiteralUtil::CreateR1<float>({1, 2}), 1));
  ASSERT_OK(executables[0]->Run({}, ExecutableRunOptions().set_device_ordinal(1)));
  ASSERT_OK(executables[0]->Run({}, ExecutableRunOptions()));
  ASSERT_OK_AND_ASSIGN(const Literal from_1, client->TransferFromOutfeedLocal(shape, 1));
  EXPECT_EQ(from_1, LiteralUtil::CreateR1<float>({2, 4}));
  Literal from_0(shape);
  ASSERT_OK(client->TransferFromOutfeedLocal(0, &from_0));
  EXPECT_EQ(from_0, LiteralUtil::CreateR1<float>({10, 12}));
  EXPECT_ERROR(client->TransferToInfeedLocal(from_0, 2), "Invalid device ordinal value (2)");
  EXPECT_STATUS(
      executables[0]->Run({}, ExecutableRunOptions().set_wait_timeout(absl::Milliseconds(20))),
      absl::StatusCode::kDeadlineExceeded, "infeed");
}

extern "C" void triple_value(void* out, const void** in) {
  *static_cast<float*>(out) = 3 * *static_cast<const float*>(in[0]);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(triple_value, "Host");

XlaComputation CallProgram(const std::string& target) {
  XlaBuilder builder("call");
  CustomCall(&builder, target, {ConstantR0<float>(&builder, 7)}, ShapeUtil::MakeShape(F32, {}));
  auto built = builder.Build();
  EXPECT_OK(built);
  return *std::move(built);
}

TEST(CustomCalls, OfTheProcessTheClientAndTheRun) {
  CustomCallRegistry of_client, of_run;
  const auto handler = [](float by) {
    return [by](CustomCallFrame& call) -> absl::Status {
      XLA_ASSIGN_OR_RETURN(const auto in, call.argument<float>(0));
      XLA_ASSIGN_OR_RETURN(const auto out, call.result<float>(0));
      out[0] = by * in[0];
      return absl::OkStatus();
    };
  };
  ASSERT_OK(of_client.Register("scale", handler(10)));
  ASSERT_OK(of_run.Register("scale", handler(100)));
  ASSERT_OK_AND_ASSIGN(const auto client, ClientLibrary::MakeLocalClient(
                                              LocalClientOptions().set_custom_calls(of_client)));
  EXPECT_EQ(*RunOn(*client, CallProgram("triple_value"), {}), LiteralUtil::CreateR0<float>(21));
  EXPECT_EQ(*RunOn(*client, CallProgram("scale"), {}), LiteralUtil::CreateR0<float>(70));
  EXPECT_EQ(*RunOn(*client, CallProgram("scale"), {}, {},
                   ExecutableRunOptions().set_custom_calls(&of_run)),
            LiteralUtil::CreateR0<float>(700));
  EXPECT_ERROR(RunOn(*client, CallProgram("nobody"), {}), "scale, triple_value");
}

// --- The library -----------------------------------------------------------------------------

TEST(ClientLibrary, OneClientForThePlatform) {
  LocalClient* client = ClientLibrary::LocalClientOrDie();
  EXPECT_EQ(ClientLibrary::GetOrCreateLocalClient().value(), client);
  ASSERT_OK_AND_ASSIGN(se::Platform * host, PlatformUtil::GetPlatform("CPU"));
  EXPECT_EQ(ClientLibrary::GetOrCreateLocalClient(host).value(), client);
  EXPECT_EQ(client->platform(), host);
  EXPECT_EQ(client->device_count(), 1);
  EXPECT_TRUE(client->device_ordinal_supported(0));
  EXPECT_FALSE(client->device_ordinal_supported(1));
  EXPECT_EQ(client->backend().device_name(0), "Host:0");
  EXPECT_ERROR(PlatformUtil::GetPlatform("cuda"), "there is no platform \"cuda\"");
  ClientLibrary::DestroyLocalInstances();
  ASSERT_OK_AND_ASSIGN(client, ClientLibrary::GetOrCreateLocalClient(
                                   LocalClientOptions().set_number_of_replicas(3)));
  EXPECT_EQ(client->device_count(), 3);
  ClientLibrary::DestroyLocalInstances();
  EXPECT_ERROR(ClientLibrary::GetOrCreateLocalClient(host, std::set<int>{-2, 1}),
               "device -2 is allowed, but negative");
  ASSERT_OK_AND_ASSIGN(client, ClientLibrary::GetOrCreateLocalClient(host, std::set<int>{1, 4}));
  EXPECT_EQ(client->device_count(), 5);
  ClientLibrary::DestroyLocalInstances();
}

TEST(ClientLibrary, NumbersOutOfRange) {
  const auto make = [](const LocalClientOptions& options) {
    return ClientLibrary::MakeLocalClient(options);
  };
  EXPECT_ERROR(make(LocalClientOptions().set_device_count(0)), "0 devices; there may be 1 to 1024");
  EXPECT_ERROR(make(LocalClientOptions().set_device_count(2000)), "2000 devices");
  EXPECT_ERROR(make(LocalClientOptions().set_number_of_replicas(0)), "0 replicas");
  EXPECT_ERROR(make(LocalClientOptions().set_memory_limit_bytes(-1)), "negative");
  ASSERT_OK_AND_ASSIGN(const auto client,
                       make(LocalClientOptions().set_allowed_devices(std::set<int>{0, 2})));
  EXPECT_EQ(client->device_count(), 3);
}

TEST(ClientLibrary, MemoryLimit) {
  ASSERT_OK_AND_ASSIGN(const auto client, ClientLibrary::MakeLocalClient(
                                              LocalClientOptions().set_memory_limit_bytes(1000)));
  XlaBuilder builder("large");
  Iota(&builder, F32, 100000);
  EXPECT_STATUS(RunOn(*client, *builder.Build(), {}), absl::StatusCode::kResourceExhausted,
                "memory limit");
}

TEST(DeviceAssignment, RoundTripsAndFindsDevices) {
  ASSERT_OK_AND_ASSIGN(const DeviceAssignment assignment, ComputationPlacer().AssignDevices(2, 3));
  EXPECT_EQ(assignment(1, 2), 5);
  DeviceAssignmentProto proto;
  ASSERT_OK(assignment.Serialize(&proto));
  ASSERT_OK_AND_ASSIGN(const auto back, DeviceAssignment::Deserialize(proto));
  EXPECT_EQ(*back, assignment);
  ASSERT_OK_AND_ASSIGN(const auto id, assignment.LogicalIdForDevice(4));
  EXPECT_EQ(id.replica_id, 1);
  EXPECT_EQ(id.computation_id, 1);
  EXPECT_ERROR(assignment.LogicalIdForDevice(6), "device 6 is not in the device assignment");
  proto.set_replica_count(5);
  EXPECT_ERROR(DeviceAssignment::Deserialize(proto), "5 replicas with devices for 2");
  proto.set_computation_count(1 << 30);
  EXPECT_ERROR(DeviceAssignment::Deserialize(proto), "computations");
}

}  // namespace
}  // namespace xla
