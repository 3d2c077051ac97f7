// SPDX-License-Identifier: Apache-2.0
// Programs: compiled, run, described, serialized; custom calls of the XLA FFI.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/pjrt/plugin.h"
#include "tests/test_util.h"
#include "xla/ffi/api/c_api.h"
#include "xla/pjrt/proto/compile_options.pb.h"
#include "xla/service/computation_placer.h"
#include "xla/xla.pb.h"

namespace xla::pjrt::testing {
namespace {

using Values = std::vector<float>;

TEST(PjrtExecuteTest, OrderOfComputationChangesNoValue) {
  Plugin plugin;
  PJRT_LoadedExecutable* executable = plugin.Compile(R"(
module @order {
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %a, %a : tensor<2xf32>
    %1 = stablehlo.negate %a : tensor<2xf32>
    stablehlo.custom_call @control_dep(%1, %0) {has_side_effect = true, api_version = 4 : i32}
        : (tensor<2xf32>, tensor<2xf32>) -> ()
    return %0 : tensor<2xf32>
  }
})");
  ASSERT_NE(executable, nullptr);
  std::vector<PJRT_Buffer*> results(1);
  ASSERT_EQ(plugin.Run(executable, {plugin.Floats({1, 2})}, &results), "OK");
  EXPECT_EQ(plugin.ToFloats(results[0]), (Values{2, 4}));
}

// JAX's dce_sink: the compiled program computes what nobody reads.
TEST(PjrtExecuteTest, SinksKeepTheirOperands) {
  Plugin plugin;
  PJRT_LoadedExecutable* executable = plugin.Compile(R"(
module @sink {
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.cosine %a : tensor<2xf32>
    stablehlo.custom_call @dce_sink(%0) {has_side_effect = true, api_version = 4 : i32}
        : (tensor<2xf32>) -> ()
    return %a : tensor<2xf32>
  }
})");
  ASSERT_NE(executable, nullptr);
  std::vector<PJRT_Buffer*> results(1);
  ASSERT_EQ(plugin.Run(executable, {plugin.Floats({1, 2})}, &results), "OK");
  EXPECT_EQ(plugin.ToFloats(results[0]), (Values{1, 2}));
  auto get = New<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = executable;
  ASSERT_CALL_OK(Api().PJRT_LoadedExecutable_GetExecutable(&get));
  const std::string program = OptimizedProgram(get.executable);
  EXPECT_NE(program.find("dce_sink"), std::string::npos);
  EXPECT_NE(program.find("cosine"), std::string::npos);
  auto destroy = New<PJRT_Executable_Destroy_Args>();
  destroy.executable = get.executable;
  EXPECT_CALL_OK(Api().PJRT_Executable_Destroy(&destroy));
}

TEST(PjrtExecuteTest, MemoryOfProgramsIsKnown) {
  Plugin plugin;
  auto get = New<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = plugin.Compile(R"(
module @products {
  func.func public @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]
        : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0]
        : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
})");
  ASSERT_NE(get.loaded_executable, nullptr);
  ASSERT_CALL_OK(Api().PJRT_LoadedExecutable_GetExecutable(&get));
  auto memory = New<PJRT_Executable_GetCompiledMemoryStats_Args>();
  memory.executable = get.executable;
  ASSERT_CALL_OK(Api().PJRT_Executable_GetCompiledMemoryStats(&memory));
  constexpr int64_t kMatrix = 64 * 64 * 4;
  EXPECT_EQ(memory.argument_size_in_bytes, kMatrix);
  EXPECT_GE(memory.temp_size_in_bytes, kMatrix);  // the first product
  EXPECT_LT(memory.temp_size_in_bytes, 8 * kMatrix);
  EXPECT_EQ(memory.peak_memory_in_bytes, 2 * kMatrix + memory.temp_size_in_bytes);
  auto destroy = New<PJRT_Executable_Destroy_Args>();
  destroy.executable = get.executable;
  EXPECT_CALL_OK(Api().PJRT_Executable_Destroy(&destroy));
}

TEST(PjrtExecuteTest, RunsAProgram) {
  Plugin plugin;
  PJRT_LoadedExecutable* add = plugin.Compile(kAdd);
  std::vector<PJRT_Buffer*> results(1);
  ASSERT_EQ(
      plugin.Run(add, {plugin.Floats({1, 2, 3, 4}), plugin.Floats({10, 20, 30, 40})}, &results),
      "OK");
  EXPECT_EQ(plugin.ToFloats(results[0]), (Values{11, 22, 33, 44}));
}

TEST(PjrtExecuteTest, WrongArgumentsAreErrors) {
  Plugin plugin;
  PJRT_LoadedExecutable* add = plugin.Compile(kAdd);
  std::vector<PJRT_Buffer*> results(1);
  PJRT_Buffer* four = plugin.Floats({1, 2, 3, 4});
  EXPECT_NE(plugin.Run(add, {four}, &results).find("expected 2 buffers"), std::string::npos);
  EXPECT_NE(
      plugin.Run(add, {four, plugin.Floats({1})}, &results).find("incompatible size 4 (f32[1]{0})"),
      std::string::npos);
  EXPECT_NE(plugin.Run(add, {four, nullptr}, &results).find("is null"), std::string::npos);
  auto remove = New<PJRT_LoadedExecutable_Delete_Args>();
  remove.executable = add;
  ASSERT_CALL_OK(Api().PJRT_LoadedExecutable_Delete(&remove));
  EXPECT_NE(plugin.Run(add, {four, four}, &results).find("was deleted"), std::string::npos);
}

TEST(PjrtExecuteTest, WrongProgramsAreErrors) {
  Plugin plugin;
  std::string error;
  EXPECT_EQ(plugin.Compile("module { nonsense", &error), nullptr);
  EXPECT_NE(error, "OK");
  EXPECT_EQ(plugin.Compile(kAdd, &error, "spirv"), nullptr);
  EXPECT_NE(error.find("format \"spirv\""), std::string::npos);
  EXPECT_EQ(plugin.Compile(kAdd, &error, "mlir", "\xff\xff\xff"), nullptr);
  EXPECT_NE(error.find("CompileOptionsProto"), std::string::npos);
  CompileOptionsProto options;
  options.mutable_executable_build_options()->set_num_replicas(5);
  EXPECT_EQ(plugin.Compile(kAdd, &error, "mlir", options.SerializeAsString()), nullptr);
  EXPECT_NE(error.find("5 replicas"), std::string::npos);
}

TEST(PjrtExecuteTest, CompilingNeedsAClientOrATopology) {
  std::string text(kAdd);
  auto program = New<PJRT_Program>();
  program.code = text.data();
  program.code_size = text.size();
  program.format = "mlir";
  program.format_size = 4;
  auto with_client = New<PJRT_Client_Compile_Args>();
  with_client.program = &program;
  EXPECT_CALL_ERROR(Api().PJRT_Client_Compile(&with_client), "client");
  auto with_topology = New<PJRT_Compile_Args>();
  with_topology.program = &program;
  EXPECT_CALL_ERROR(Api().PJRT_Compile(&with_topology), "topology");
}

TEST(PjrtExecuteTest, CompilerOptionsAreFieldsOfDebugOptions) {
  Plugin plugin;
  const auto compile = [&](const char* name, const OptionOverrideProto& value) {
    CompileOptionsProto options;
    (*options.mutable_env_option_overrides())[name] = value;
    std::string error;
    plugin.Compile(kAdd, &error, "mlir", options.SerializeAsString());
    return error;
  };
  OptionOverrideProto flag, text, number, real;
  flag.set_bool_field(true);
  text.set_string_field("True");
  number.set_int_field(int64_t{1} << 40);
  real.set_double_field(0.5);
  EXPECT_EQ(compile("xla_embed_ir_in_executable", flag), "OK");
  EXPECT_EQ(compile("xla_embed_ir_in_executable", text), "OK");
  EXPECT_TRUE(absl::StrContains(compile("xla_embed_ir_in_executable", number),
                                "'1099511627776' is not a valid bool value."));
  EXPECT_TRUE(absl::StrContains(compile("xla_backend_optimization_level", number),
                                "is not a valid int32 value."));
  EXPECT_TRUE(absl::StrContains(compile("xla_backend_optimization_level", text),
                                "'True' is not a valid int32 value."));
  EXPECT_TRUE(absl::StrContains(compile("xla_backend_optimization_level", real),
                                "'0.5' is not a valid int32 value."));
  EXPECT_TRUE(absl::StrContains(compile("xla_embed_ir_in_executable", OptionOverrideProto()),
                                "is not a valid bool value."));
  number.set_int_field(2);
  text.set_string_field("3");
  EXPECT_EQ(compile("xla_backend_optimization_level", number), "OK");
  EXPECT_EQ(compile("xla_backend_optimization_level", text), "OK");
  EXPECT_TRUE(
      absl::StrContains(compile("invalid_key", text), "No such compile option: 'invalid_key'"));
}

TEST(PjrtExecuteTest, DonatedBuffersAreGone) {
  Plugin plugin;
  PJRT_LoadedExecutable* twice = plugin.Compile(R"(
module @twice {
  func.func public @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2xf32> {
    %0 = stablehlo.add %a, %a : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})");
  const auto is_deleted = [](PJRT_Buffer* buffer) {
    auto args = New<PJRT_Buffer_IsDeleted_Args>();
    args.buffer = buffer;
    EXPECT_CALL_OK(Api().PJRT_Buffer_IsDeleted(&args));
    return args.is_deleted;
  };
  PJRT_Buffer* buffer = plugin.Floats({1, 2});
  std::vector<PJRT_Buffer*> results(1);
  ASSERT_EQ(plugin.Run(twice, {buffer}, &results), "OK");
  EXPECT_EQ(plugin.ToFloats(results[0]), (Values{2, 4}));
  EXPECT_TRUE(is_deleted(buffer));
  std::vector<PJRT_Buffer*> none(1);
  EXPECT_NE(plugin.Run(twice, {buffer}, &none).find("deleted or donated"), std::string::npos);

  // A reference from outside keeps what it sees.
  PJRT_Buffer* seen = plugin.Floats({5, 6});
  auto increase = New<PJRT_Buffer_IncreaseExternalReferenceCount_Args>();
  increase.buffer = seen;
  ASSERT_CALL_OK(Api().PJRT_Buffer_IncreaseExternalReferenceCount(&increase));
  auto pointer = New<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>();
  pointer.buffer = seen;
  ASSERT_CALL_OK(Api().PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&pointer));
  ASSERT_EQ(plugin.Run(twice, {seen}, &results), "OK");
  EXPECT_EQ(plugin.ToFloats(results[0]), (Values{10, 12}));
  EXPECT_TRUE(is_deleted(seen));
  EXPECT_EQ(static_cast<const float*>(pointer.device_memory_ptr)[0], 5);
}

// Every function that the operation table gives an accuracy, and two that XLA counts with them.
TEST(PjrtExecuteTest, MathematicalFunctionsAreCountedAsSuch) {
  Plugin plugin;
  for (const char* operation :
       {"chlo.acos %x", "chlo.asin %x", "chlo.acosh %x", "chlo.asinh %x", "chlo.atanh %x",
        "stablehlo.cosine %x", "stablehlo.tan %x", "stablehlo.cbrt %x", "chlo.erf %x"}) {
    SCOPED_TRACE(operation);
    auto get = New<PJRT_LoadedExecutable_GetExecutable_Args>();
    get.loaded_executable = plugin.Compile(
        absl::StrCat("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = ", operation,
                     absl::StartsWith(operation, "chlo") ? " : tensor<4xf32> -> tensor<4xf32>"
                                                         : " : tensor<4xf32>",
                     "\n  return %y : tensor<4xf32>\n}"));
    ASSERT_CALL_OK(Api().PJRT_LoadedExecutable_GetExecutable(&get));
    auto cost = New<PJRT_Executable_GetCostAnalysis_Args>();
    cost.executable = get.executable;
    ASSERT_CALL_OK(Api().PJRT_Executable_GetCostAnalysis(&cost));
    ASSERT_EQ(cost.num_properties, 3u);
    EXPECT_EQ(cost.properties[1].float_value, 4);  // transcendentals
    auto destroy = New<PJRT_Executable_Destroy_Args>();
    destroy.executable = get.executable;
    EXPECT_CALL_OK(Api().PJRT_Executable_Destroy(&destroy));
  }
}

TEST(PjrtExecuteTest, ProgramsDescribeThemselves) {
  Plugin plugin;
  auto get = New<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = plugin.Compile(kAdd);
  ASSERT_CALL_OK(Api().PJRT_LoadedExecutable_GetExecutable(&get));
  auto name = New<PJRT_Executable_Name_Args>();
  name.executable = get.executable;
  ASSERT_CALL_OK(Api().PJRT_Executable_Name(&name));
  EXPECT_EQ(std::string(name.executable_name, name.executable_name_size), "add");
  auto dims = New<PJRT_Executable_OutputDimensions_Args>();
  dims.executable = get.executable;
  ASSERT_CALL_OK(Api().PJRT_Executable_OutputDimensions(&dims));
  ASSERT_EQ(dims.num_outputs, 1u);
  EXPECT_EQ(dims.dim_sizes[0], 1u);
  EXPECT_EQ(dims.dims[0], 4);
  auto cost = New<PJRT_Executable_GetCostAnalysis_Args>();
  cost.executable = get.executable;
  ASSERT_CALL_OK(Api().PJRT_Executable_GetCostAnalysis(&cost));
  ASSERT_EQ(cost.num_properties, 3u);
  EXPECT_EQ(cost.properties[0].float_value, 4);   // flops
  EXPECT_EQ(cost.properties[2].float_value, 48);  // bytes
  auto memory = New<PJRT_Executable_GetCompiledMemoryStats_Args>();
  memory.executable = get.executable;
  memory.host_temp_size_in_bytes = -1;  // callers do not initialize outputs
  ASSERT_CALL_OK(Api().PJRT_Executable_GetCompiledMemoryStats(&memory));
  EXPECT_EQ(memory.argument_size_in_bytes, 32);
  EXPECT_EQ(memory.output_size_in_bytes, 16);
  EXPECT_EQ(memory.host_temp_size_in_bytes, 0);

  std::string format;
  const std::string code = OptimizedProgram(get.executable, &format);
  HloModuleProtoWithConfig proto;
  EXPECT_TRUE(proto.ParseFromString(code));
  EXPECT_EQ(proto.hlo_module().name(), "add");
  // What one hands out, another takes.
  Plugin other;
  std::vector<PJRT_Buffer*> results(1);
  PJRT_LoadedExecutable* again = other.Compile(code, nullptr, format);
  PJRT_Buffer* ones = other.Floats({1, 1, 1, 1});
  ASSERT_EQ(other.Run(again, {ones, ones}, &results), "OK");
  EXPECT_EQ(other.ToFloats(results[0]), (Values{2, 2, 2, 2}));

  auto destroy = New<PJRT_Executable_Destroy_Args>();
  destroy.executable = get.executable;
  EXPECT_CALL_OK(Api().PJRT_Executable_Destroy(&destroy));
}

TEST(PjrtExecuteTest, ProgramsNameTheirDevices) {
  Plugin plugin(3);
  CompileOptionsProto options;
  ExecutableBuildOptionsProto& build = *options.mutable_executable_build_options();
  build.set_num_replicas(1);
  build.set_num_partitions(2);
  DeviceAssignment wanted(1, 2);
  wanted(0, 0) = 2;
  wanted(0, 1) = 1;
  ASSERT_OK(wanted.Serialize(build.mutable_device_assignment()));
  auto get = New<PJRT_LoadedExecutable_GetDeviceAssignment_Args>();
  get.executable = plugin.Compile(kAdd, nullptr, "mlir", options.SerializeAsString());
  ASSERT_NE(get.executable, nullptr);
  ASSERT_CALL_OK(Api().PJRT_LoadedExecutable_GetDeviceAssignment(&get));
  DeviceAssignmentProto proto;
  ASSERT_TRUE(
      proto.ParseFromArray(get.serialized_bytes, static_cast<int>(get.serialized_bytes_size)));
  get.serialized_device_assignment_deleter(get.serialized_device_assignment);
  ASSERT_OK_AND_ASSIGN(const auto assignment, DeviceAssignment::Deserialize(proto));
  EXPECT_EQ(*assignment, wanted);
}

// Of arguments that a program may reuse, as many are donated as there are results of their size.
TEST(PjrtExecuteTest, ArgumentsAreDonatedForResultsOfTheirSize) {
  Plugin plugin;
  PJRT_LoadedExecutable* executable = plugin.Compile(R"(
module @donors {
  func.func public @main(%a: tensor<4xf32> {jax.buffer_donor = true},
                         %b: tensor<2xf32> {jax.buffer_donor = true},
                         %c: tensor<4xf32> {jax.buffer_donor = true}) -> tensor<4xf32> {
    %0 = stablehlo.concatenate %b, %b, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %1 = stablehlo.add %a, %0 : tensor<4xf32>
    %2 = stablehlo.add %1, %c : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
})");
  ASSERT_NE(executable, nullptr);
  PJRT_Buffer* a = plugin.Floats({1, 2, 3, 4});
  PJRT_Buffer* b = plugin.Floats({10, 20});
  PJRT_Buffer* c = plugin.Floats({0, 0, 1, 1});
  std::vector<PJRT_Buffer*> results(1);
  ASSERT_EQ(plugin.Run(executable, {a, b, c}, &results), "OK");
  EXPECT_EQ(plugin.ToFloats(results[0]), (Values{11, 22, 14, 25}));
  const auto is_deleted = [](PJRT_Buffer* buffer) {
    auto args = New<PJRT_Buffer_IsDeleted_Args>();
    args.buffer = buffer;
    EXPECT_CALL_OK(Api().PJRT_Buffer_IsDeleted(&args));
    return args.is_deleted;
  };
  EXPECT_TRUE(is_deleted(a));
  EXPECT_FALSE(is_deleted(b));
  EXPECT_FALSE(is_deleted(c));
}

// The call itself fails, so that a caller who does not look at the results learns it.
TEST(PjrtExecuteTest, AnArgumentIsDonatedOrAliasedOnce) {
  Plugin plugin;
  std::string error;
  EXPECT_EQ(plugin.Compile(R"(
module @m {
  func.func public @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32, jax.buffer_donor = true})
      -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})",
                           &error),
            nullptr);
  EXPECT_NE(error.find("donated or aliased twice"), std::string::npos) << error;
}

TEST(PjrtExecuteTest, SerializedProgramsLoadInTheSameBuildOnly) {
  Plugin plugin;
  auto get = New<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = plugin.Compile(kAdd);
  ASSERT_CALL_OK(Api().PJRT_LoadedExecutable_GetExecutable(&get));
  auto serialize = New<PJRT_Executable_Serialize_Args>();
  serialize.executable = get.executable;
  ASSERT_CALL_OK(Api().PJRT_Executable_Serialize(&serialize));
  const std::string bytes(serialize.serialized_bytes, serialize.serialized_bytes_size);
  serialize.serialized_executable_deleter(serialize.serialized_executable);
  auto destroy = New<PJRT_Executable_Destroy_Args>();
  destroy.executable = get.executable;
  EXPECT_CALL_OK(Api().PJRT_Executable_Destroy(&destroy));

  const auto load = [&](const std::string& text, PJRT_LoadedExecutable** result) {
    auto args = New<PJRT_Executable_DeserializeAndLoad_Args>();
    args.client = plugin.client;
    args.serialized_executable = text.data();
    args.serialized_executable_size = text.size();
    const std::string status = TextOf(Api().PJRT_Executable_DeserializeAndLoad(&args));
    *result = args.loaded_executable;
    return status;
  };
  PJRT_LoadedExecutable* loaded = nullptr;
  ASSERT_EQ(load(bytes, &loaded), "OK");
  plugin.executables.push_back(loaded);
  std::vector<PJRT_Buffer*> results(1);
  PJRT_Buffer* ones = plugin.Floats({1, 1, 1, 1});
  ASSERT_EQ(plugin.Run(loaded, {ones, ones}, &results), "OK");
  EXPECT_EQ(plugin.ToFloats(results[0]), (Values{2, 2, 2, 2}));

  std::string other_build = bytes;
  other_build[other_build.find("Xylem 0") + 6] = '9';
  EXPECT_NE(load(other_build, &loaded).find("another build of Xylem"), std::string::npos);
  EXPECT_NE(load("something else", &loaded).find("not a serialized executable"), std::string::npos);
  for (size_t size = 22; size < bytes.size(); size += 7) {
    EXPECT_NE(load(bytes.substr(0, size), &loaded), "OK");
  }
}

// --- A handler as jaxlib's headers make them, written out.
XLA_FFI_Error* Scale(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start != nullptr) {
    auto* metadata = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
    metadata->metadata->api_version.major_version = 0;
    metadata->metadata->api_version.minor_version = 3;
    return nullptr;
  }
  if (frame->struct_size != XLA_FFI_CallFrame_STRUCT_SIZE) {
    XLA_FFI_Error_Create_Args error = {sizeof(error), nullptr, "size of the frame",
                                       XLA_FFI_Error_Code_INVALID_ARGUMENT};
    return frame->api->XLA_FFI_Error_Create(&error);
  }
  const auto& by = *static_cast<const XLA_FFI_Scalar*>(frame->attrs.attrs[0]);
  if (std::string(frame->attrs.names[0]->ptr, frame->attrs.names[0]->len) != "by" ||
      by.dtype != 11) {
    XLA_FFI_Error_Create_Args error = {sizeof(error), nullptr, "no attribute \"by\"",
                                       XLA_FFI_Error_Code_INVALID_ARGUMENT};
    return frame->api->XLA_FFI_Error_Create(&error);
  }
  const auto& in = *static_cast<const XLA_FFI_Buffer*>(frame->args.args[0]);
  auto& out = *static_cast<XLA_FFI_Buffer*>(frame->rets.rets[0]);
  for (int64_t i = 0; i < in.dims[0]; ++i) {
    static_cast<float*>(out.data)[i] =
        *static_cast<const float*>(by.value) * static_cast<const float*>(in.data)[i];
  }
  return nullptr;
}

XLA_FFI_Error* OfAnotherVersion(XLA_FFI_CallFrame* frame) {
  auto* metadata = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  metadata->metadata->api_version.major_version = 2;
  return nullptr;
}

const PJRT_FFI_Extension& Ffi() {
  const PJRT_Extension_Base* extension = Api().extension_start;
  while (extension->type != PJRT_Extension_Type_FFI) extension = extension->next;
  return *reinterpret_cast<const PJRT_FFI_Extension*>(extension);
}

TEST(PjrtCustomCallTest, TypedHandlersRun) {
  auto args = New<PJRT_FFI_Register_Handler_Args>();
  args.target_name = "pjrt_test_scale";
  args.target_name_size = std::strlen(args.target_name);
  args.handler = reinterpret_cast<void*>(&Scale);
  ASSERT_CALL_OK(Ffi().register_handler(&args));
  Plugin plugin;
  const auto program = [](std::string_view attributes) {
    return R"(
module @scale {
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @pjrt_test_scale(%a) {api_version = 4 : i32, backend_config = {)" +
           std::string(attributes) + R"(}} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})";
  };
  std::vector<PJRT_Buffer*> results(1);
  ASSERT_EQ(
      plugin.Run(plugin.Compile(program("by = 2.5 : f32")), {plugin.Floats({2, 4})}, &results),
      "OK");
  EXPECT_EQ(plugin.ToFloats(results[0]), (Values{5, 10}));
  EXPECT_NE(
      plugin.Run(plugin.Compile(program("other = 2.5 : f32")), {plugin.Floats({2, 4})}, &results)
          .find("no attribute \"by\""),
      std::string::npos);
}

// The transpose of a 2 x 3 argument in column-major memory is what a handler sees as 3 x 2 rows.
XLA_FFI_Error* FirstColumn(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start != nullptr) return Scale(frame);
  const auto& in = *static_cast<const XLA_FFI_Buffer*>(frame->args.args[0]);
  auto& out = *static_cast<XLA_FFI_Buffer*>(frame->rets.rets[0]);
  std::memcpy(out.data, in.data, 2 * sizeof(float));
  return nullptr;
}

TEST(PjrtCustomCallTest, LayoutsAndAttributesOfJaxAreKept) {
  auto args = New<PJRT_FFI_Register_Handler_Args>();
  args.target_name = "pjrt_test_column";
  args.target_name_size = std::strlen(args.target_name);
  args.handler = reinterpret_cast<void*>(&FirstColumn);
  ASSERT_CALL_OK(Ffi().register_handler(&args));
  args.target_name = "pjrt_test_scale";
  args.target_name_size = std::strlen(args.target_name);
  args.handler = reinterpret_cast<void*>(&Scale);
  ASSERT_CALL_OK(Ffi().register_handler(&args));
  Plugin plugin;
  PJRT_LoadedExecutable* program = plugin.Compile(R"(
module @column {
  func.func public @main(%a: tensor<6xf32>) -> tensor<2xf32> {
    %0 = stablehlo.reshape %a : (tensor<6xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.custom_call @pjrt_test_column(%0) {
        api_version = 4 : i32, backend_config = {},
        operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
        result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2x3xf32>) -> tensor<2xf32>
    %2 = stablehlo.custom_call @pjrt_test_scale(%1) {
        backend_config = "", mhlo.backend_config = {by = 3.0 : f32}} : (tensor<2xf32>) -> tensor<2xf32>
    return %2 : tensor<2xf32>
  }
})");
  std::vector<PJRT_Buffer*> results(1);
  ASSERT_EQ(plugin.Run(program, {plugin.Floats({1, 2, 3, 4, 5, 6})}, &results), "OK");
  EXPECT_EQ(plugin.ToFloats(results[0]), (Values{3, 12}));
}

int instantiations = 0;
const void* seen_argument = nullptr;

XLA_FFI_Error* CountInstantiation(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start != nullptr) return Scale(frame);
  EXPECT_EQ(frame->args.size, 0);
  EXPECT_EQ(frame->attrs.size, 1);
  ++instantiations;
  return nullptr;
}

XLA_FFI_Error* ScaleInPlace(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start == nullptr) {
    seen_argument = static_cast<const XLA_FFI_Buffer*>(frame->args.args[0])->data;
  }
  return Scale(frame);
}

TEST(PjrtCustomCallTest, HandlersAreInstantiatedOnceAndWorkInPlace) {
  auto args = New<PJRT_Register_Custom_Call_Args>();
  args.function_name = "pjrt_test_instantiated";
  args.function_name_size = std::strlen(args.function_name);
  args.api_version = 1;
  args.handler_instantiate = reinterpret_cast<void*>(&CountInstantiation);
  args.handler_execute = reinterpret_cast<void*>(&ScaleInPlace);
  const PJRT_Extension_Base* extension = Api().extension_start;
  while (extension->type != PJRT_Extension_Type_Xylem_Custom_Call) extension = extension->next;
  ASSERT_CALL_OK(
      reinterpret_cast<const PJRT_Custom_Call_Extension*>(extension)->custom_call(&args));
  Plugin plugin;
  PJRT_LoadedExecutable* const program = plugin.Compile(R"(
module @instantiated {
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @pjrt_test_instantiated(%a) {
        api_version = 4 : i32, backend_config = {by = 2.0 : f32}} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})");
  PJRT_Buffer* const argument = plugin.Floats({1, 2});
  std::vector<PJRT_Buffer*> results(1);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(plugin.Run(program, {argument}, &results), "OK");
    EXPECT_EQ(plugin.ToFloats(results[0]), (Values{2, 4}));
  }
  EXPECT_EQ(instantiations, 1);
  auto address = New<PJRT_Buffer_UnsafePointer_Args>();
  address.buffer = argument;
  ASSERT_CALL_OK(Api().PJRT_Buffer_UnsafePointer(&address));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(seen_argument), address.buffer_pointer);
}

TEST(PjrtCustomCallTest, HandlersOfAnotherVersionAreRefused) {
  auto args = New<PJRT_FFI_Register_Handler_Args>();
  args.target_name = "pjrt_test_version";
  args.target_name_size = std::strlen(args.target_name);
  args.handler = reinterpret_cast<void*>(&OfAnotherVersion);
  EXPECT_CALL_ERROR(Ffi().register_handler(&args), "version 2.0");
}

}  // namespace
}  // namespace xla::pjrt::testing
