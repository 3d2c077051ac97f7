// SPDX-License-Identifier: Apache-2.0
// Calls of the plugin in tests.
#ifndef TESTS_PJRT_PLUGIN_H_
#define TESTS_PJRT_PLUGIN_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "xla/pjrt/abi.h"

namespace xla::pjrt::testing {

inline const PJRT_Api& Api() { return *GetPjrtApi(); }

template <typename Args>
Args New() {
  Args args = {};
  args.struct_size = sizeof(Args);
  return args;
}

// "OK", or the message of the error, which is destroyed.
inline std::string TextOf(PJRT_Error* error) {
  if (error == nullptr) return "OK";
  auto message = New<PJRT_Error_Message_Args>();
  message.error = error;
  Api().PJRT_Error_Message(&message);
  std::string text(message.message, message.message_size);
  auto destroy = New<PJRT_Error_Destroy_Args>();
  destroy.error = error;
  Api().PJRT_Error_Destroy(&destroy);
  return text;
}

#define EXPECT_CALL_OK(call) EXPECT_EQ(::xla::pjrt::testing::TextOf(call), "OK")
#define ASSERT_CALL_OK(call) ASSERT_EQ(::xla::pjrt::testing::TextOf(call), "OK")
// The call fails with a message that contains `part`.
#define EXPECT_CALL_ERROR(call, part) \
  EXPECT_NE(::xla::pjrt::testing::TextOf(call).find(part), std::string::npos)

inline void DestroyEvent(PJRT_Event* event) {
  auto args = New<PJRT_Event_Destroy_Args>();
  args.event = event;
  EXPECT_CALL_OK(Api().PJRT_Event_Destroy(&args));
}

// Waits and destroys.
inline std::string Await(PJRT_Event* event) {
  auto args = New<PJRT_Event_Await_Args>();
  args.event = event;
  std::string text = TextOf(Api().PJRT_Event_Await(&args));
  DestroyEvent(event);
  return text;
}

// A client of so many devices; programs and buffers that are destroyed with it.
class Plugin {
 public:
  explicit Plugin(int64_t devices = 1) {
    PJRT_NamedValue option = {};
    option.struct_size = sizeof(option);
    option.name = "num_devices";
    option.name_size = 11;
    option.type = PJRT_NamedValue_kInt64;
    option.int64_value = devices;
    option.value_size = 1;
    auto args = New<PJRT_Client_Create_Args>();
    args.create_options = &option;
    args.num_options = 1;
    EXPECT_CALL_OK(Api().PJRT_Client_Create(&args));
    client = args.client;
  }
  ~Plugin() {
    for (PJRT_Buffer* buffer : buffers) {
      auto args = New<PJRT_Buffer_Destroy_Args>();
      args.buffer = buffer;
      EXPECT_CALL_OK(Api().PJRT_Buffer_Destroy(&args));
    }
    for (PJRT_LoadedExecutable* executable : executables) {
      auto args = New<PJRT_LoadedExecutable_Destroy_Args>();
      args.executable = executable;
      EXPECT_CALL_OK(Api().PJRT_LoadedExecutable_Destroy(&args));
    }
    auto args = New<PJRT_Client_Destroy_Args>();
    args.client = client;
    EXPECT_CALL_OK(Api().PJRT_Client_Destroy(&args));
  }

  PJRT_Device* device(size_t i = 0) {
    auto args = New<PJRT_Client_Devices_Args>();
    args.client = client;
    EXPECT_CALL_OK(Api().PJRT_Client_Devices(&args));
    return args.devices[i];
  }

  PJRT_Client_BufferFromHostBuffer_Args HostArguments(const void* data, PJRT_Buffer_Type type,
                                                      const std::vector<int64_t>& dims) {
    auto args = New<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = client;
    args.data = data;
    args.type = type;
    args.dims = dims.data();
    args.num_dims = dims.size();
    args.device = device();
    return args;
  }

  PJRT_Buffer* Floats(const std::vector<float>& values, size_t device_number = 0) {
    const std::vector<int64_t> dims = {static_cast<int64_t>(values.size())};
    auto args = HostArguments(values.data(), PJRT_Buffer_Type_F32, dims);
    args.device = device(device_number);
    EXPECT_CALL_OK(Api().PJRT_Client_BufferFromHostBuffer(&args));
    EXPECT_EQ(Await(args.done_with_host_buffer), "OK");
    buffers.push_back(args.buffer);
    return args.buffer;
  }

  // Null after an error, which goes to `error`.
  PJRT_LoadedExecutable* Compile(std::string_view code, std::string* error = nullptr,
                                 std::string_view format = "mlir", std::string_view options = "") {
    std::string text(code);
    auto program = New<PJRT_Program>();
    program.code = text.data();
    program.code_size = text.size();
    program.format = format.data();
    program.format_size = format.size();
    auto args = New<PJRT_Client_Compile_Args>();
    args.client = client;
    args.program = &program;
    args.compile_options = options.data();
    args.compile_options_size = options.size();
    const std::string status = TextOf(Api().PJRT_Client_Compile(&args));
    if (error != nullptr) {
      *error = status;
    } else {
      EXPECT_EQ(status, "OK");
    }
    if (args.executable != nullptr) executables.push_back(args.executable);
    return args.executable;
  }

  // Runs on one device; the results are destroyed with this.
  std::string Run(PJRT_LoadedExecutable* executable, const std::vector<PJRT_Buffer*>& arguments,
                  std::vector<PJRT_Buffer*>* results) {
    PJRT_Buffer* const* argument_list = arguments.data();
    PJRT_Buffer** result_list = results->data();
    PJRT_Event* done = nullptr;
    auto options = New<PJRT_ExecuteOptions>();
    auto args = New<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = executable;
    args.options = &options;
    args.argument_lists = &argument_list;
    args.num_devices = 1;
    args.num_args = arguments.size();
    args.output_lists = &result_list;
    args.device_complete_events = &done;
    const std::string status = TextOf(Api().PJRT_LoadedExecutable_Execute(&args));
    if (status != "OK") return status;
    buffers.insert(buffers.end(), results->begin(), results->end());
    return Await(done);
  }

  std::vector<float> ToFloats(PJRT_Buffer* buffer) {
    auto args = New<PJRT_Buffer_ToHostBuffer_Args>();
    args.src = buffer;
    EXPECT_CALL_OK(Api().PJRT_Buffer_ToHostBuffer(&args));
    std::vector<float> values(args.dst_size / sizeof(float));
    args.dst = values.data();
    EXPECT_CALL_OK(Api().PJRT_Buffer_ToHostBuffer(&args));
    EXPECT_EQ(Await(args.event), "OK");
    return values;
  }

  PJRT_Client* client = nullptr;
  std::vector<PJRT_Buffer*> buffers;
  std::vector<PJRT_LoadedExecutable*> executables;
};

// The program that an executable hands out, an HloModuleProtoWithConfig; `format` gets its name.
inline std::string OptimizedProgram(PJRT_Executable* executable, std::string* format = nullptr) {
  auto program = New<PJRT_Program>();
  auto args = New<PJRT_Executable_OptimizedProgram_Args>();
  args.executable = executable;
  args.program = &program;
  EXPECT_CALL_OK(Api().PJRT_Executable_OptimizedProgram(&args));  // tells the size
  std::string code(program.code_size, '\0');
  program.code = code.data();
  EXPECT_CALL_OK(Api().PJRT_Executable_OptimizedProgram(&args));
  if (format != nullptr) format->assign(program.format, program.format_size);
  return code;
}

inline constexpr std::string_view kAdd = R"(
module @add {
  func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})";

}  // namespace xla::pjrt::testing

#endif  // TESTS_PJRT_PLUGIN_H_
