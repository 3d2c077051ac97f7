// SPDX-License-Identifier: Apache-2.0
// The objects that random calls made so far, and the programs that they run. Part of
// random_calls.h.
#ifndef TESTS_PJRT_RANDOM_OBJECTS_H_
#define TESTS_PJRT_RANDOM_OBJECTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/pjrt/random_arguments.h"
#include "xla/pjrt/abi.h"

namespace xla::pjrt::testing {

class RandomObjects : protected RandomArguments {
 protected:
  RandomObjects(const uint8_t* data, size_t size) : RandomArguments(data, size) {}
  RandomObjects(const RandomObjects&) = delete;
  RandomObjects& operator=(const RandomObjects&) = delete;

  // A buffer with the bytes that it must have, in row-major order, if they are known.
  struct Buffer {
    PJRT_Buffer* handle = nullptr;
    std::vector<uint8_t> bytes;
    bool is_known = false;
  };
  // What the caller owes, and must settle before it waits for anything.
  struct Promise {
    PJRT_FulfillAliasBufferCallback* alias = nullptr;
    PJRT_Event* event = nullptr;
    void* data = nullptr;
    void (*donate)(PJRT_Buffer_DonateWithControlDependency_Callback_Args*) = nullptr;
    void (*copy)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args*) = nullptr;
    PJRT_Event* copied = nullptr;
  };
  struct Transfer {
    PJRT_AsyncHostToDeviceTransferManager* manager = nullptr;
    size_t buffers = 0;
  };

  using Bytes = std::vector<uint8_t>;

  static const PJRT_Api& Api() { return *GetPjrtApi(); }

  // Three devices for the life of the process: threads are slow to start.
  static PJRT_Client* SharedClient() {
    static PJRT_Client* const client = [] {
      PJRT_NamedValue devices = {};
      devices.struct_size = sizeof(devices);
      devices.name = "num_devices";
      devices.name_size = 11;
      devices.type = PJRT_NamedValue_kInt64;
      devices.int64_value = 3;
      devices.value_size = 1;
      PJRT_Client_Create_Args args = {};
      args.struct_size = sizeof(args);
      args.create_options = &devices;
      args.num_options = 1;
      Api().PJRT_Client_Create(&args);
      return args.client;
    }();
    return client;
  }
  static constexpr size_t kPrograms = 4;
  static std::string_view ProgramText(size_t i) {
    constexpr std::array<std::string_view, kPrograms> kTexts = {
        R"(func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
})",
        R"(func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
})",
        R"(func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<0xf32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.constant dense<> : tensor<0xf32>
  return %a, %0, %1 : tensor<4xf32>, tensor<f32>, tensor<0xf32>
})",
        R"(module @m attributes {mhlo.num_replicas = 2 : i32} {
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_reduce"(%a) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
})"};
    return kTexts[i];
  }
  // The options that ask for two replicas: executable_build_options {num_replicas: 2}.
  static std::string_view ProgramOptions(size_t i) {
    return i == 3 ? std::string_view("\x1a\x02\x20\x02", 4) : std::string_view();
  }
  static PJRT_LoadedExecutable* SharedProgram(size_t i) {
    static const auto* const programs = [] {
      auto* made = new std::array<PJRT_LoadedExecutable*, kPrograms>();
      for (size_t p = 0; p < kPrograms; ++p) {
        (*made)[p] = Compile(std::string(ProgramText(p)), std::string(ProgramOptions(p)), nullptr);
      }
      return made;
    }();
    return (*programs)[i];
  }
  static PJRT_LoadedExecutable* Compile(std::string code, const std::string& options,
                                        PJRT_Error** error) {
    PJRT_Program program = {};
    program.struct_size = sizeof(program);
    program.code = code.data();
    program.code_size = code.size();
    program.format = "mlir";
    program.format_size = 4;
    PJRT_Client_Compile_Args args = {};
    args.struct_size = sizeof(args);
    args.client = SharedClient();
    args.program = &program;
    args.compile_options = options.data();
    args.compile_options_size = options.size();
    PJRT_Error* const result = Api().PJRT_Client_Compile(&args);
    if (error != nullptr) *error = result;
    return args.executable;
  }

  void Find(std::string what) {
    if (finding_.empty()) finding_ = std::move(what);
  }

  // Reads all that an error says, and destroys it. True for success.
  bool Ok(PJRT_Error* error) {
    ++calls_;
    if (error == nullptr) {
      ++successes_;
      return true;
    }
    PJRT_Error_Message_Args message = {};
    message.struct_size = sizeof(message);
    message.error = error;
    Api().PJRT_Error_Message(&message);
    if (message.message_size == 0 && !allow_empty_) Find("an error without a message");
    PJRT_Error_GetCode_Args code = {};
    code.struct_size = sizeof(code);
    code.error = error;
    if (Api().PJRT_Error_GetCode(&code) != nullptr) Find("an error without a code");
    DestroyError(error);
    return false;
  }
  static void DestroyError(PJRT_Error* error) {
    PJRT_Error_Destroy_Args args = {};
    args.struct_size = sizeof(args);
    args.error = error;
    Api().PJRT_Error_Destroy(&args);
  }
  // Of errors whose message the caller chose.
  bool OkOrAnyError(PJRT_Error* error) {
    allow_empty_ = true;
    const bool ok = Ok(error);
    allow_empty_ = false;
    return ok;
  }

  PJRT_Device* AnyDevice() {
    PJRT_Client_Devices_Args args = {};
    args.struct_size = sizeof(args);
    args.client = SharedClient();
    if (!Ok(Api().PJRT_Client_Devices(&args))) return nullptr;
    const size_t i = Below(args.num_devices + 1);
    return i == args.num_devices ? nullptr : args.devices[i];
  }
  PJRT_Memory* AnyMemory() {
    PJRT_Client_AddressableMemories_Args args = {};
    args.struct_size = sizeof(args);
    args.client = SharedClient();
    if (!Ok(Api().PJRT_Client_AddressableMemories(&args))) return nullptr;
    const size_t i = Below(args.num_addressable_memories + 1);
    return i == args.num_addressable_memories ? nullptr : args.addressable_memories[i];
  }
  Buffer* AnyBuffer() {
    if (buffers_.empty()) return nullptr;
    return &buffers_[Below(buffers_.size())];
  }
  void Keep(PJRT_Buffer* handle) {
    if (handle != nullptr) buffers_.push_back({handle, {}, false});
  }
  void Keep(PJRT_Event* event) {
    if (event != nullptr) events_.push_back(event);
  }

  int calls_ = 0, successes_ = 0;
  bool allow_empty_ = false;
  std::string finding_;
  std::vector<Buffer> buffers_;
  std::vector<PJRT_Event*> events_;
  std::vector<Promise> promises_;
  std::vector<Transfer> transfers_;
};

}  // namespace xla::pjrt::testing

#endif  // TESTS_PJRT_RANDOM_OBJECTS_H_
