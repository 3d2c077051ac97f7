// SPDX-License-Identifier: Apache-2.0
// Sequences of calls of the plugin from bytes: valid, with wrong arguments, on deleted and failed
// objects, in any order. Each call must end in success or in an error with a message, and what was
// copied to a device must come back unchanged. For the fuzzer and a test.
#ifndef TESTS_PJRT_RANDOM_CALLS_H_
#define TESTS_PJRT_RANDOM_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/pjrt/random_buffer_calls.h"

namespace xla::pjrt::testing {

class RandomCalls : private RandomBufferCalls {
 public:
  RandomCalls(const uint8_t* data, size_t size) : RandomBufferCalls(data, size) {}

  // What went wrong; empty if nothing did. Everything that the calls made is destroyed.
  std::string Run() {
    while (!AtEnd() && finding_.empty()) Step();
    Settle();
    DestroyAll();
    return finding_;
  }
  int calls() const { return calls_; }
  int successes() const { return successes_; }

 private:
  void Step() {
    switch (Next() % 32) {
      case 0:
      case 1:
      case 2:
      case 3:
        return FromHost();
      case 4:
        return View();
      case 5:
        return Uninitialized();
      case 6:
        return Failed();
      case 7:
        return Alias();
      case 8:
      case 9:
        return ToHost();
      case 10:
        return RawToHost();
      case 11:
        return RawToHostLater();
      case 12:
      case 13:
        return Copy();
      case 14:
        return Bitcast();
      case 15:
        return Donate();
      case 16:
        return Delete();
      case 17:
        return Destroy();
      case 18:
        return Ask();
      case 19:
      case 20:
        return Refer();
      case 21:
        return StartTransfer();
      case 22:
      case 23:
        return TransferStep();
      case 24:
      case 25:
        return EventStep();
      case 26:
      case 27:
      case 28:
        return Execute();
      case 29:
        return AskOfProgram();
      case 30:
        return Reload();
      default:
        return OneIn(16) ? CompileDamaged() : AskOfClient();
    }
  }

  // --- Programs

  void Execute() {
    const size_t number = Below(kPrograms);
    constexpr size_t kArguments[] = {2, 1, 1, 1}, kResults[] = {1, 1, 3, 1};
    const size_t devices = number == 3 ? 2 : 1;
    auto args = New<PJRT_LoadedExecutable_Execute_Args>();
    args.num_devices = OneIn(16) ? Below(4) : devices;
    args.num_args = OneIn(16) ? Below(4) : kArguments[number];
    std::vector<std::vector<PJRT_Buffer*>> arguments(4), results(4);
    std::vector<PJRT_Buffer* const*> argument_lists;
    std::vector<PJRT_Buffer**> result_lists;
    for (size_t d = 0; d < 4; ++d) {
      for (size_t i = 0; i < 4; ++i) {
        Buffer* const buffer = AnyBuffer();
        arguments[d].push_back(buffer == nullptr || OneIn(64) ? nullptr : buffer->handle);
      }
      results[d].resize(kResults[number]);
      argument_lists.push_back(OneIn(64) ? nullptr : arguments[d].data());
      result_lists.push_back(results[d].data());
    }
    std::vector<PJRT_Event*> done(4);
    const std::vector<int64_t> kept = {Number(), Number()};
    auto options = New<PJRT_ExecuteOptions>();
    options.launch_id = Int();
    options.non_donatable_input_indices = kept.data();
    options.num_non_donatable_input_indices = Below(3);
    args.executable = SharedProgram(number);
    args.options = &options;
    args.argument_lists = argument_lists.data();
    args.output_lists = OneIn(64) ? nullptr : result_lists.data();
    if (OneIn(2)) args.device_complete_events = done.data();
    if (OneIn(8)) args.execute_device = AnyDevice();
    if (!OkOrAnyError(Api().PJRT_LoadedExecutable_Execute(&args))) return;
    for (size_t d = 0; d < args.num_devices; ++d) {
      for (PJRT_Buffer* result : results[d]) Keep(result);
      Keep(done[d]);
    }
  }

  void AskOfProgram() {
    auto get = New<PJRT_LoadedExecutable_GetExecutable_Args>();
    get.loaded_executable = SharedProgram(Below(kPrograms));
    if (!Ok(Api().PJRT_LoadedExecutable_GetExecutable(&get))) return;
#define XYLEM_ASK(name)                               \
  {                                                   \
    auto args = New<PJRT_Executable_##name##_Args>(); \
    args.executable = get.executable;                 \
    Ok(Api().PJRT_Executable_##name(&args));          \
  }
    XYLEM_ASK(Name)
    XYLEM_ASK(NumReplicas)
    XYLEM_ASK(NumPartitions)
    XYLEM_ASK(NumOutputs)
    XYLEM_ASK(SizeOfGeneratedCodeInBytes)
    XYLEM_ASK(GetCostAnalysis)
    XYLEM_ASK(OutputMemoryKinds)
    XYLEM_ASK(ParameterMemoryKinds)
    XYLEM_ASK(OutputElementTypes)
    XYLEM_ASK(OutputDimensions)
    XYLEM_ASK(Fingerprint)
    XYLEM_ASK(GetCompiledMemoryStats)
#undef XYLEM_ASK
    DestroyExecutable(get.executable);
  }
  void DestroyExecutable(PJRT_Executable* executable) {
    PJRT_Executable_Destroy_Args args = {};
    args.struct_size = sizeof(args);
    args.executable = executable;
    Ok(Api().PJRT_Executable_Destroy(&args));
  }
  void DestroyLoaded(PJRT_LoadedExecutable* executable) {
    PJRT_LoadedExecutable_Destroy_Args args = {};
    args.struct_size = sizeof(args);
    args.executable = executable;
    Ok(Api().PJRT_LoadedExecutable_Destroy(&args));
  }

  // Serialized, damaged more often than not, and loaded.
  void Reload() {
    PJRT_LoadedExecutable_GetExecutable_Args get = {};
    get.struct_size = sizeof(get);
    get.loaded_executable = SharedProgram(Below(kPrograms));
    if (!Ok(Api().PJRT_LoadedExecutable_GetExecutable(&get))) return;
    PJRT_Executable_Serialize_Args serialized = {};
    serialized.struct_size = sizeof(serialized);
    serialized.executable = get.executable;
    if (Ok(Api().PJRT_Executable_Serialize(&serialized))) {
      std::string bytes(serialized.serialized_bytes, serialized.serialized_bytes_size);
      serialized.serialized_executable_deleter(serialized.serialized_executable);
      if (OneIn(2)) bytes.resize(bytes.size() * Next() / 256);
      if (!bytes.empty() && !OneIn(8)) {
        bytes[(Next() * size_t{256} + Next()) % bytes.size()] = static_cast<char>(Next());
      }
      auto args = New<PJRT_Executable_DeserializeAndLoad_Args>();
      args.client = SharedClient();
      args.serialized_executable = bytes.data();
      args.serialized_executable_size = bytes.size();
      if (Ok(Api().PJRT_Executable_DeserializeAndLoad(&args))) {
        DestroyLoaded(args.loaded_executable);
      }
    }
    DestroyExecutable(get.executable);
  }

  void CompileDamaged() {
    const size_t number = Below(kPrograms);
    std::string code(ProgramText(number)), options(ProgramOptions(number));
    for (size_t i = Below(3); i > 0; --i) {
      code[(Next() * size_t{256} + Next()) % code.size()] = static_cast<char>(Next());
    }
    if (OneIn(2)) options += Text();
    PJRT_Error* error = nullptr;
    PJRT_LoadedExecutable* const executable = Compile(code, options, &error);
    if (!Ok(error)) return;
    PJRT_LoadedExecutable_Delete_Args args = {};
    args.struct_size = sizeof(args);
    args.executable = executable;
    Ok(Api().PJRT_LoadedExecutable_Delete(&args));
    DestroyLoaded(executable);
  }

  // --- Clients, devices, topologies

  void AskOfClient() {
    PJRT_Client* const client = OneIn(32) ? nullptr : SharedClient();
#define XYLEM_ASK(name)                            \
  {                                                \
    auto args = New<PJRT_Client_##name##_Args>();  \
    args.client = client;                          \
    OkOrAnyError(Api().PJRT_Client_##name(&args)); \
  }
    XYLEM_ASK(PlatformName)
    XYLEM_ASK(PlatformVersion)
    XYLEM_ASK(ProcessIndex)
    XYLEM_ASK(AddressableDevices)
    XYLEM_ASK(TopologyDescription)
#undef XYLEM_ASK
    auto lookup = New<PJRT_Client_LookupDevice_Args>();
    lookup.client = client;
    lookup.id = Int();
    Ok(Api().PJRT_Client_LookupDevice(&lookup));
    std::vector<int> assignment(64);
    auto args = New<PJRT_Client_DefaultDeviceAssignment_Args>();
    args.client = client;
    args.num_replicas = Int();
    args.num_partitions = Int();
    args.default_assignment = assignment.data();
    args.default_assignment_size = Next() % assignment.size();
    Ok(Api().PJRT_Client_DefaultDeviceAssignment(&args));
    const std::string bytes = Text();
    auto topology = New<PJRT_TopologyDescription_Deserialize_Args>();
    topology.serialized_topology = bytes.data();
    topology.serialized_topology_size = bytes.size();
    if (Ok(Api().PJRT_TopologyDescription_Deserialize(&topology))) {
      PJRT_TopologyDescription_Destroy_Args destroy = {};
      destroy.struct_size = sizeof(destroy);
      destroy.topology = topology.topology;
      Ok(Api().PJRT_TopologyDescription_Destroy(&destroy));
    }
  }

  void DestroyAll() {
    const bool events_first = OneIn(2);
    for (PJRT_Event* event : events_) {
      if (events_first) DestroyEvent(event);
    }
    for (const Buffer& buffer : buffers_) {
      PJRT_Buffer_Destroy_Args args = {};
      args.struct_size = sizeof(args);
      args.buffer = buffer.handle;
      Ok(Api().PJRT_Buffer_Destroy(&args));
    }
    for (PJRT_Event* event : events_) {
      if (!events_first) Await(event);
    }
  }
};

}  // namespace xla::pjrt::testing

#endif  // TESTS_PJRT_RANDOM_CALLS_H_
