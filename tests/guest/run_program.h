// SPDX-License-Identifier: Apache-2.0
// Compiles and runs a program through the table of functions of a plugin. Uses the C library alone,
// as hosts in C do.
#ifndef TESTS_GUEST_RUN_PROGRAM_H_
#define TESTS_GUEST_RUN_PROGRAM_H_

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "xla/pjrt/abi.h"

namespace guest {

template <typename Args>
Args New() {
  Args args;
  std::memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  return args;
}

// Whether the call succeeded; says what failed.
inline bool Succeeded(const PJRT_Api& api, PJRT_Error* error) {
  if (error == nullptr) return true;
  auto message = New<PJRT_Error_Message_Args>();
  message.error = error;
  api.PJRT_Error_Message(&message);
  std::fprintf(stderr, "%.*s\n", static_cast<int>(message.message_size), message.message);
  auto destroy = New<PJRT_Error_Destroy_Args>();
  destroy.error = error;
  api.PJRT_Error_Destroy(&destroy);
  return false;
}

inline bool Awaited(const PJRT_Api& api, PJRT_Event* event) {
  auto await = New<PJRT_Event_Await_Args>();
  await.event = event;
  const bool succeeded = Succeeded(api, api.PJRT_Event_Await(&await));
  auto destroy = New<PJRT_Event_Destroy_Args>();
  destroy.event = event;
  return Succeeded(api, api.PJRT_Event_Destroy(&destroy)) && succeeded;
}

inline PJRT_Client* NewClient(const PJRT_Api& api) {
  auto create = New<PJRT_Client_Create_Args>();
  return Succeeded(api, api.PJRT_Client_Create(&create)) ? create.client : nullptr;
}

// A product, functions in generated code, a sort and a sum: kernels and LLVM have work to do.
inline constexpr char kProgram[] = R"(
module @guest {
  func.func public @main(%x: tensor<64x64xf32>) -> tensor<f32> {
    %product = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
        : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %sines = stablehlo.sine %product : tensor<64x64xf32>
    %sorted = "stablehlo.sort"(%sines) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%sorted init: %zero) applies stablehlo.add across dimensions = [0, 1]
        : (tensor<64x64xf32>, tensor<f32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
})";

inline PJRT_LoadedExecutable* Compile(const PJRT_Api& api, PJRT_Client* client) {
  char code[sizeof(kProgram)];
  std::memcpy(code, kProgram, sizeof(code));
  auto program = New<PJRT_Program>();
  program.code = code;
  program.code_size = sizeof(code) - 1;
  program.format = "mlir";
  program.format_size = 4;
  auto compile = New<PJRT_Client_Compile_Args>();
  compile.client = client;
  compile.program = &program;
  return Succeeded(api, api.PJRT_Client_Compile(&compile)) ? compile.executable : nullptr;
}

// Runs the program on a client of its own and compares the result with the same sum computed here.
inline bool RunProgram(const PJRT_Api& api) {
  constexpr int64_t kSize = 64;
  static float x[kSize * kSize];
  for (int64_t i = 0; i < kSize * kSize; ++i) x[i] = static_cast<float>((i * 37) % 101) / 800.0f;
  double expected = 0;
  for (int64_t row = 0; row < kSize; ++row) {
    for (int64_t column = 0; column < kSize; ++column) {
      double sum = 0;
      for (int64_t k = 0; k < kSize; ++k) sum += double{x[row * kSize + k]} * x[k * kSize + column];
      expected += std::sin(sum);
    }
  }

  PJRT_Client* const client = NewClient(api);
  if (client == nullptr) return false;
  PJRT_LoadedExecutable* const executable = Compile(api, client);
  if (executable == nullptr) return false;

  auto devices = New<PJRT_Client_Devices_Args>();
  devices.client = client;
  if (!Succeeded(api, api.PJRT_Client_Devices(&devices))) return false;
  const int64_t dims[2] = {kSize, kSize};
  auto put = New<PJRT_Client_BufferFromHostBuffer_Args>();
  put.client = client;
  put.data = x;
  put.type = PJRT_Buffer_Type_F32;
  put.dims = dims;
  put.num_dims = 2;
  put.device = devices.devices[0];
  if (!Succeeded(api, api.PJRT_Client_BufferFromHostBuffer(&put))) return false;
  if (!Awaited(api, put.done_with_host_buffer)) return false;

  PJRT_Buffer* const arguments[1] = {put.buffer};
  PJRT_Buffer* const* argument_list = arguments;
  PJRT_Buffer* results[1] = {nullptr};
  PJRT_Buffer** result_list = results;
  PJRT_Event* done = nullptr;
  auto options = New<PJRT_ExecuteOptions>();
  auto execute = New<PJRT_LoadedExecutable_Execute_Args>();
  execute.executable = executable;
  execute.options = &options;
  execute.argument_lists = &argument_list;
  execute.num_devices = 1;
  execute.num_args = 1;
  execute.output_lists = &result_list;
  execute.device_complete_events = &done;
  if (!Succeeded(api, api.PJRT_LoadedExecutable_Execute(&execute))) return false;
  if (!Awaited(api, done)) return false;

  float result = 0;
  auto get = New<PJRT_Buffer_ToHostBuffer_Args>();
  get.src = results[0];
  get.dst = &result;
  get.dst_size = sizeof(result);
  if (!Succeeded(api, api.PJRT_Buffer_ToHostBuffer(&get)) || !Awaited(api, get.event)) return false;

  PJRT_Buffer* const buffers[2] = {put.buffer, results[0]};
  for (PJRT_Buffer* buffer : buffers) {
    auto destroy = New<PJRT_Buffer_Destroy_Args>();
    destroy.buffer = buffer;
    if (!Succeeded(api, api.PJRT_Buffer_Destroy(&destroy))) return false;
  }
  auto unload = New<PJRT_LoadedExecutable_Destroy_Args>();
  unload.executable = executable;
  if (!Succeeded(api, api.PJRT_LoadedExecutable_Destroy(&unload))) return false;
  auto close = New<PJRT_Client_Destroy_Args>();
  close.client = client;
  if (!Succeeded(api, api.PJRT_Client_Destroy(&close))) return false;

  const bool is_close = std::fabs(result - expected) <= 1e-4 * std::fabs(expected);
  std::printf("result %.9g, expected %.9g\n", static_cast<double>(result), expected);
  std::fflush(stdout);
  return is_close;
}

}  // namespace guest

#endif  // TESTS_GUEST_RUN_PROGRAM_H_
