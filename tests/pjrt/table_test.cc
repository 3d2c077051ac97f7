// SPDX-License-Identifier: Apache-2.0
// The table of functions: complete, robust against null and foreign sizes, and all that is
// exported.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/pjrt/plugin.h"
#include "xla/pjrt/abi.h"
#include "xla/pjrt/abi_llvm.h"
#include "xla/pjrt/abi_python.h"

namespace xla::pjrt::testing {
namespace {

TEST(PjrtTableTest, IsComplete) {
  EXPECT_EQ(Api().struct_size, sizeof(PJRT_Api));
  EXPECT_EQ(Api().pjrt_api_version.major_version, 0);
  EXPECT_EQ(Api().pjrt_api_version.minor_version, 114);
  int slots = 0;
#define PJRT_FUNCTION(name)                       \
  EXPECT_NE(Api().PJRT_##name, nullptr) << #name; \
  ++slots;
#define PJRT_VOID_FUNCTION(name) PJRT_FUNCTION(name)
#include "xla/pjrt/abi_functions.def"
#undef PJRT_FUNCTION
#undef PJRT_VOID_FUNCTION
  EXPECT_EQ(slots, 138);
}

// The devices of a client that is made with these options; 0 if there is none.
size_t DevicesOfClient(const std::vector<PJRT_NamedValue>& options = {}) {
  auto create = New<PJRT_Client_Create_Args>();
  create.create_options = options.data();
  create.num_options = options.size();
  if (TextOf(Api().PJRT_Client_Create(&create)) != "OK") return 0;
  auto devices = New<PJRT_Client_Devices_Args>();
  devices.client = create.client;
  EXPECT_CALL_OK(Api().PJRT_Client_Devices(&devices));
  auto destroy = New<PJRT_Client_Destroy_Args>();
  destroy.client = create.client;
  EXPECT_CALL_OK(Api().PJRT_Client_Destroy(&destroy));
  return devices.num_devices;
}

TEST(PjrtTableTest, TheEnvironmentNamesTheNumberOfDevices) {
  for (const auto& [value, count] :
       {std::pair<const char*, size_t>{"3", 3}, {"", 1}, {"two", 0}, {"0", 0}}) {
    setenv("XYLEM_NUM_DEVICES", value, 1);
    EXPECT_EQ(DevicesOfClient(), count) << value;
  }
  unsetenv("XYLEM_NUM_DEVICES");
  EXPECT_EQ(DevicesOfClient(), 1u);
}

PJRT_NamedValue Option(const char* name, PJRT_NamedValue_Type type) {
  PJRT_NamedValue option = {};
  option.struct_size = sizeof(option);
  option.name = name;
  option.name_size = std::strlen(name);
  option.type = type;
  option.value_size = 1;
  return option;
}
PJRT_NamedValue Number(const char* name, int64_t value) {
  PJRT_NamedValue option = Option(name, PJRT_NamedValue_kInt64);
  option.int64_value = value;
  return option;
}
PJRT_NamedValue Text(const char* name, const char* value) {
  PJRT_NamedValue option = Option(name, PJRT_NamedValue_kString);
  option.string_value = value;
  option.value_size = std::strlen(value);
  return option;
}

TEST(PjrtTableTest, AnOptionNamesTheNumberOfDevices) {
  setenv("XYLEM_NUM_DEVICES", "4", 1);
  EXPECT_EQ(DevicesOfClient({Number("num_devices", 2)}), 2u);
  EXPECT_EQ(DevicesOfClient({Text("num_devices", "3")}), 3u);
  EXPECT_EQ(DevicesOfClient({Number("cpu_device_count", 5)}), 5u);
  EXPECT_EQ(DevicesOfClient({Number("process_id", 0)}), 4u);
  EXPECT_EQ(DevicesOfClient({Number("num_devices", 0)}), 0u);
  EXPECT_EQ(DevicesOfClient({Number("num_devices", -1)}), 0u);
  EXPECT_EQ(DevicesOfClient({Number("num_devices", 1024)}), 1024u);
  EXPECT_EQ(DevicesOfClient({Number("num_devices", 1025)}), 0u);
  EXPECT_EQ(DevicesOfClient({Text("num_devices", "3x")}), 0u);
  EXPECT_EQ(DevicesOfClient({Option("num_devices", PJRT_NamedValue_kBool)}), 0u);
  unsetenv("XYLEM_NUM_DEVICES");
}

std::string CreateError(const PJRT_NamedValue& option) {
  auto create = New<PJRT_Client_Create_Args>();
  create.create_options = &option;
  create.num_options = 1;
  return TextOf(Api().PJRT_Client_Create(&create));
}

// XLA's words; XLA does not list what it knows.
TEST(PjrtTableTest, UnknownOptionsAndTypesAreErrors) {
  EXPECT_EQ(CreateError(Number("other", 5)),
            "Unexpected option name passed to PJRT_Client_Create: other; known are asynchronous, "
            "collective_timeout, compiler, coordinator_address, cpu_device_count, node_id, "
            "num_devices, num_nodes, partition_index, platform_name, process_address, process_id, "
            "transport");
  EXPECT_EQ(CreateError(Text("cpu_device_count", "3")),
            "Option passed to PJRT_Client_Create with name cpu_device_count has type index 0 but "
            "expected type index is 1");
  EXPECT_EQ(CreateError(Number("asynchronous", 1)),
            "Option passed to PJRT_Client_Create with name asynchronous has type index 1 but "
            "expected type index is 4");
  EXPECT_NE(CreateError(Number("process_id", -1)).find("process_id -1"), std::string::npos);
}

// What clients say to every plugin about an accelerator's memory has no effect, but has types.
// Which devices there are is no such hint.
TEST(PjrtTableTest, HintsAboutAnAcceleratorsMemoryAreTaken) {
  PJRT_NamedValue preallocate = Option("preallocate", PJRT_NamedValue_kBool);
  preallocate.bool_value = true;
  PJRT_NamedValue fraction = Option("memory_fraction", PJRT_NamedValue_kFloat);
  fraction.float_value = 0.5f;
  EXPECT_EQ(DevicesOfClient({preallocate, fraction, Text("allocator", "bfc"),
                             Number("collective_memory_size", 0), Number("num_devices", 3)}),
            3u);
  EXPECT_EQ(CreateError(Number("preallocate", 1)),
            "Option passed to PJRT_Client_Create with name preallocate has type index 1 but "
            "expected type index is 4");
  EXPECT_NE(CreateError(Text("visible_devices", "0")).find("Unexpected option name"),
            std::string::npos);
}

TEST(PjrtTableTest, AProcessNumbersItsDevices) {
  const PJRT_NamedValue options[] = {Number("process_id", 2), Number("cpu_device_count", 2)};
  auto create = New<PJRT_Client_Create_Args>();
  create.create_options = options;
  create.num_options = 2;
  ASSERT_CALL_OK(Api().PJRT_Client_Create(&create));
  auto process = New<PJRT_Client_ProcessIndex_Args>();
  process.client = create.client;
  ASSERT_CALL_OK(Api().PJRT_Client_ProcessIndex(&process));
  EXPECT_EQ(process.process_index, 2);
  auto lookup = New<PJRT_Client_LookupDevice_Args>();
  lookup.client = create.client;
  lookup.id = 2 * 2048 + 1;  // as XLA numbers them
  ASSERT_CALL_OK(Api().PJRT_Client_LookupDevice(&lookup));
  auto local = New<PJRT_Device_LocalHardwareId_Args>();
  local.device = lookup.device;
  ASSERT_CALL_OK(Api().PJRT_Device_LocalHardwareId(&local));
  EXPECT_EQ(local.local_hardware_id, 1);
  lookup.id = 1;
  EXPECT_CALL_ERROR(Api().PJRT_Client_LookupDevice(&lookup), "no device 1");
  auto assignment = New<PJRT_Client_DefaultDeviceAssignment_Args>();
  int ids[2];
  assignment.client = create.client;
  assignment.num_replicas = 2;
  assignment.num_partitions = 1;
  assignment.default_assignment = ids;
  assignment.default_assignment_size = 2;
  ASSERT_CALL_OK(Api().PJRT_Client_DefaultDeviceAssignment(&assignment));
  EXPECT_EQ(ids[1], 4097);
  auto destroy = New<PJRT_Client_Destroy_Args>();
  destroy.client = create.client;
  EXPECT_CALL_OK(Api().PJRT_Client_Destroy(&destroy));
}

// Clients take a plugin that has these for one of a GPU.
TEST(PjrtTableTest, HasNoExtensionsOfGpus) {
  for (auto* extension = Api().extension_start; extension != nullptr; extension = extension->next) {
    EXPECT_NE(static_cast<int>(extension->type), 0) << "custom calls of GPUs";
    EXPECT_NE(static_cast<int>(extension->type), 3) << "streams";
  }
}

// The command that is installed with the plugin compiles with its LLVM.
TEST(PjrtTableTest, LlvmIsGivenToTheSameBuildOnly) {
  const PJRT_Extension_Base* extension = Api().extension_start;
  while (extension != nullptr && extension->type != kXylemLlvmExtension)
    extension = extension->next;
  ASSERT_NE(extension, nullptr);
  EXPECT_EQ(extension->struct_size, sizeof(Xylem_Llvm_Extension));
  const auto* llvm = reinterpret_cast<const Xylem_Llvm_Extension*>(extension);
  EXPECT_NE(std::string(llvm->version), "");
  EXPECT_EQ(llvm->functions(0), nullptr);
  EXPECT_EQ(llvm->functions(sizeof(void*)), nullptr);
}

// Registers a custom call through its extension; the error, if there is one.
std::string RegisterCall(const std::string& name, int version, void* function) {
  const PJRT_Extension_Base* extension = Api().extension_start;
  while (extension->type != PJRT_Extension_Type_Xylem_Custom_Call) extension = extension->next;
  PJRT_Register_Custom_Call_Args args = {};
  args.struct_size = sizeof(args);
  args.function_name = name.data();
  args.function_name_size = name.size();
  args.api_version = version;
  args.handler_execute = function;
  return TextOf(reinterpret_cast<const PJRT_Custom_Call_Extension*>(extension)->custom_call(&args));
}

TEST(PjrtTableTest, CustomCallsNeedANameAndAFunction) {
  int function;
  EXPECT_NE(RegisterCall("", 0, &function).find("without a name or without a function"),
            std::string::npos);
  EXPECT_NE(RegisterCall("nothing", 0, nullptr).find("without a name or without a function"),
            std::string::npos);
  EXPECT_NE(RegisterCall("nothing", 1, nullptr).find("without a function that executes it"),
            std::string::npos);
  EXPECT_NE(RegisterCall("", 1, nullptr).find("without a name"), std::string::npos);
  EXPECT_NE(RegisterCall("other", 2, &function).find("must be 0 or 1"), std::string::npos);
}

void Double(void* out, const void** in) {
  for (int i = 0; i < 2; ++i) static_cast<float*>(out)[i] = 2 * static_cast<const float*>(in[0])[i];
}

TEST(PjrtTableTest, CustomCallsWithoutTypesRun) {
  ASSERT_EQ(RegisterCall("pjrt_test_double", 0, reinterpret_cast<void*>(&Double)), "OK");
  Plugin plugin;
  std::vector<PJRT_Buffer*> results(1);
  ASSERT_EQ(plugin.Run(plugin.Compile(R"(
func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @pjrt_test_double(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})"),
                       {plugin.Floats({2, 4})}, &results),
            "OK");
  EXPECT_EQ(plugin.ToFloats(results[0]), (std::vector<float>{4, 8}));
}

// Calls with a struct of which only `size` bytes may be read and written.
template <typename Args, typename Function>
void CallWithSize(const char* name, Function function, size_t size) {
  struct {
    Args args;
    char behind[64];
  } memory;
  std::memset(static_cast<void*>(&memory), 0xAB, sizeof(memory));
  std::memset(static_cast<void*>(&memory), 0, std::min(size, sizeof(Args)));
  memory.args.struct_size = size;
  function(&memory.args);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&memory);
  for (size_t i = std::max(sizeof(size_t), std::min(size, sizeof(Args))); i < sizeof(memory); ++i) {
    ASSERT_EQ(bytes[i], 0xAB) << name << " with struct_size " << size << " wrote byte " << i;
  }
}

TEST(PjrtTableTest, NullArgumentsAreErrors) {
#define PJRT_FUNCTION(name) \
  EXPECT_CALL_ERROR(Api().PJRT_##name(nullptr), "the argument struct is null") << #name;
#define PJRT_VOID_FUNCTION(name) Api().PJRT_##name(nullptr);
#include "xla/pjrt/abi_functions.def"
#undef PJRT_FUNCTION
#undef PJRT_VOID_FUNCTION
}

TEST(PjrtTableTest, SmallStructsAreErrorsThatSayWhy) {
  for (const size_t size : {size_t{0}, size_t{8}, size_t{15}}) {
#define PJRT_FUNCTION(name)                                                               \
  if (size < sizeof(PJRT_##name##_Args) - 7) {                                            \
    CallWithSize<PJRT_##name##_Args>(                                                     \
        #name,                                                                            \
        [&](PJRT_##name##_Args* args) {                                                   \
          EXPECT_CALL_ERROR(Api().PJRT_##name(args), "older than 0.29") << #name << size; \
        },                                                                                \
        size);                                                                            \
  }
#define PJRT_VOID_FUNCTION(name) CallWithSize<PJRT_##name##_Args>(#name, Api().PJRT_##name, size);
#include "xla/pjrt/abi_functions.def"
#undef PJRT_FUNCTION
#undef PJRT_VOID_FUNCTION
  }
}

// Functions that need no argument that is a pointer.
const std::set<std::string>& NeedNothing() {
  static const auto* const names =
      new std::set<std::string>{"Error_Destroy",
                                "Plugin_Initialize",
                                "Plugin_Attributes",
                                "Event_Destroy",
                                "Event_Create",
                                "Client_Create",
                                "Client_Destroy",
                                "Client_PlatformName",
                                "Client_ProcessIndex",
                                "Client_PlatformVersion",
                                "AsyncTrackingEvent_Destroy",
                                "DeviceDescription_ProcessIndex",
                                "Executable_Destroy",
                                "LoadedExecutable_Destroy",
                                "Buffer_Destroy",
                                "CopyToDeviceStream_Destroy",
                                "TopologyDescription_Create",
                                "TopologyDescription_Destroy",
                                "TopologyDescription_PlatformName",
                                "TopologyDescription_PlatformVersion",
                                "ExecuteContext_Create",
                                "ExecuteContext_Destroy",
                                "AsyncHostToDeviceTransferManager_Destroy"};
  return *names;
}

TEST(PjrtTableTest, NullFieldsAreErrorsThatNameThem) {
#define PJRT_FUNCTION(name)                                               \
  if (NeedNothing().count(#name) == 0) {                                  \
    auto args = New<PJRT_##name##_Args>();                                \
    EXPECT_CALL_ERROR(Api().PJRT_##name(&args), "is null") << #name;      \
    CallWithSize<PJRT_##name##_Args>(                                     \
        #name,                                                            \
        [](PJRT_##name##_Args* args) {                                    \
          EXPECT_CALL_ERROR(Api().PJRT_##name(args), "is null") << #name; \
        },                                                                \
        sizeof(PJRT_##name##_Args) + 1000);                               \
  }
#define PJRT_VOID_FUNCTION(name)           \
  {                                        \
    auto args = New<PJRT_##name##_Args>(); \
    Api().PJRT_##name(&args);              \
  }
#include "xla/pjrt/abi_functions.def"
#undef PJRT_FUNCTION
#undef PJRT_VOID_FUNCTION
}

TEST(PjrtTableTest, AttributesOfCallersThatStateTooSmallAStruct) {
  auto args = New<PJRT_Plugin_Attributes_Args>();
  args.struct_size = 24;  // without num_attributes, as early headers have it
  ASSERT_CALL_OK(Api().PJRT_Plugin_Attributes(&args));
  ASSERT_GE(args.num_attributes, 1u);
  const PJRT_NamedValue& version = args.attributes[0];
  EXPECT_EQ(std::string(version.name, version.name_size), "stablehlo_current_version");
  EXPECT_EQ(version.value_size, 3u);
}

TEST(PjrtTableTest, ExtensionsAreAList) {
  std::set<int> types;
  for (const PJRT_Extension_Base* extension = Api().extension_start; extension != nullptr;
       extension = extension->next) {
    EXPECT_GE(extension->struct_size, sizeof(PJRT_Extension_Base));
    types.insert(static_cast<int>(extension->type));
  }
  EXPECT_EQ(types, (std::set<int>{1, 2, 4, 5, 6, 12, 19, 24, 0x78796c, kXylemPythonExtension,
                                  kXylemLlvmExtension}));
}

TEST(PjrtTableTest, TheLibraryGivesTheTableAndNothingElse) {
#ifdef XYLEM_SANITIZED
  GTEST_SKIP() << "sanitizers do not support namespaces of the linker";
#endif
  // In a namespace of its own: the test itself holds the same code.
  void* library = dlmopen(LM_ID_NEWLM, XYLEM_PJRT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto get = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
  ASSERT_NE(get, nullptr);
  // Neither the library's own functions nor those of its rooms are visible.
  for (const char* hidden :
       {"_ZN3xla4pjrt9MakeErrorERKN4absl12lts_202206236StatusE", "_ZN3xla4pjrt13FirstExtensionEv",
        "_ZN3xla7Backend6CreateERKNS_14BackendOptionsE"}) {
    EXPECT_EQ(dlsym(library, hidden), nullptr) << hidden;
  }
  EXPECT_EQ(get()->struct_size, sizeof(PJRT_Api));
  auto args = New<PJRT_Client_Create_Args>();
  ASSERT_EQ(get()->PJRT_Client_Create(&args), nullptr);
  auto destroy = New<PJRT_Client_Destroy_Args>();
  destroy.client = args.client;
  EXPECT_EQ(get()->PJRT_Client_Destroy(&destroy), nullptr);
}

}  // namespace
// As in XLA's CPU plugin: some clients look for an extension in the first place only.
TEST(PjrtTableTest, ExtensionsComeInXlasOrder) {
  std::vector<PJRT_Extension_Type> order;
  for (const PJRT_Extension_Base* extension = Api().extension_start; extension != nullptr;
       extension = extension->next) {
    for (const PJRT_Extension_Type type :
         {PJRT_Extension_Type_Shardings, PJRT_Extension_Type_FFI,
          PJRT_Extension_Type_MemoryDescriptions, PJRT_Extension_Type_Layouts}) {
      if (extension->type == type) order.push_back(type);
    }
  }
  EXPECT_EQ(Api().extension_start->type, PJRT_Extension_Type_Shardings);
  EXPECT_EQ(order, (std::vector<PJRT_Extension_Type>{
                       PJRT_Extension_Type_Shardings, PJRT_Extension_Type_FFI,
                       PJRT_Extension_Type_MemoryDescriptions, PJRT_Extension_Type_Layouts}));
}

}  // namespace xla::pjrt::testing
