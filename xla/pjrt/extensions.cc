// SPDX-License-Identifier: Apache-2.0
// Layouts, shardings, custom calls and their partitioners, memory descriptions, transformations of
// programs, the profiler.
#include "xla/pjrt/extensions.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/llvm_table.h"
#include "xla/layout_util.h"
#include "xla/pjrt/abi_llvm.h"
#include "xla/pjrt/c/pjrt_c_api_custom_partitioner_extension.h"
#include "xla/pjrt/cross_host.h"
#include "xla/pjrt/custom_calls.h"
#include "xla/pjrt/custom_partitioner.h"
#include "xla/pjrt/entry.h"
#include "xla/pjrt/profiler.h"
#include "xla/pjrt/program.h"
#include "xla/pjrt/python.h"
#include "xla/pjrt/transforms.h"
#include "xla/pjrt/types.h"
#include "xla/runtime/packed_elements.h"

struct PJRT_Layouts_MemoryLayout {
  std::string text;
};
struct PJRT_Layouts_SerializedLayout {
  std::string text;
};

namespace xla::pjrt {
namespace {

// --- Layouts
PJRT_Layouts_MemoryLayout* NewLayout(const Shape& array) {
  Layout layout = array.has_layout() ? array.layout() : LayoutUtil::GetDefaultLayoutForShape(array);
  layout.set_element_size_in_bits(runtime::PackedBits(array.element_type()));
  return new PJRT_Layouts_MemoryLayout{layout.ToString()};
}

absl::Status MemoryLayoutDestroy(PJRT_Layouts_MemoryLayout_Destroy_Args& args) {
  delete args.layout;
  return absl::OkStatus();
}

absl::Status MemoryLayoutSerialize(PJRT_Layouts_MemoryLayout_Serialize_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"layout", args.layout}}));
  args.serialized_layout = new PJRT_Layouts_SerializedLayout{args.layout->text};
  Put(args.serialized_layout->text, args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout* layout) { delete layout; };
  return absl::OkStatus();
}

absl::Status ClientDefaultLayout(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args& args) {
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(args.type, args.dims, args.num_dims, nullptr));
  args.layout = NewLayout(shape);
  return absl::OkStatus();
}

absl::Status TopologyDefaultLayout(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args& args) {
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(args.type, args.dims, args.num_dims, nullptr));
  args.layout = NewLayout(shape);
  return absl::OkStatus();
}

absl::Status BufferMemoryLayout(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  args.layout = NewLayout(args.buffer->buffer->shape());
  return absl::OkStatus();
}

// Returns layouts, which the caller destroys; the list belongs to the program.
void GiveLayouts(absl::Span<const Shape* const> leaves,
                 std::vector<PJRT_Layouts_MemoryLayout*>& list) {
  list.clear();
  for (const Shape* leaf : leaves) list.push_back(NewLayout(*leaf));
}

absl::Status ExecutableOutputLayouts(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  std::vector<PJRT_Layouts_MemoryLayout*>& list = args.executable->output_layouts;
  GiveLayouts(args.executable->program->executable->result_leaves(), list);
  args.layouts = list.data();
  args.num_outputs = list.size();
  return absl::OkStatus();
}

absl::Status ExecutableParameterLayouts(
    PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  std::vector<PJRT_Layouts_MemoryLayout*>& list = args.executable->parameter_layouts;
  GiveLayouts(args.executable->program->executable->argument_leaves(), list);
  args.layouts = list.data();
  args.num_parameters = list.size();
  return absl::OkStatus();
}

// --- Shardings
absl::Status ParameterShardings(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  const TextList& list = args.executable->program->parameter_shardings;
  args.num_parameters = list.texts.size();
  args.shardings = list.texts.empty() ? nullptr : list.pointers.data();
  args.sharding_sizes = list.texts.empty() ? nullptr : list.sizes.data();
  return absl::OkStatus();
}

absl::Status OutputShardings(PJRT_Shardings_PJRT_Executable_OutputShardings_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  const TextList& list = args.executable->program->output_shardings;
  args.num_outputs = list.texts.size();
  args.shardings = list.texts.empty() ? nullptr : list.pointers.data();
  args.sharding_sizes = list.texts.empty() ? nullptr : list.sizes.data();
  return absl::OkStatus();
}

// --- Custom calls
absl::Status TypeRegister(PJRT_FFI_Type_Register_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"type_name", args.type_name}}));
  XLA_ASSIGN_OR_RETURN(args.type_id,
                       ffi::RegisterType({args.type_name, args.type_name_size}, args.type_id));
  return absl::OkStatus();
}

absl::Status UserDataAdd(PJRT_FFI_UserData_Add_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"context", args.context}}));
  AddUserData(args.context, args.user_data.type_id, args.user_data.data);
  return absl::OkStatus();
}

absl::Status RegisterHandler(PJRT_FFI_Register_Handler_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"target_name", args.target_name}, {"handler", args.handler}}));
  return ffi::RegisterHandler({args.target_name, args.target_name_size},
                              {.execute = reinterpret_cast<XLA_FFI_Handler*>(args.handler)});
}

absl::Status RegisterCustomCall(PJRT_Register_Custom_Call_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"function_name", args.function_name}}));
  const std::string_view name(args.function_name, args.function_name_size);
  if (args.api_version == 0) return ffi::RegisterUntyped(name, args.handler_execute);
  if (args.api_version != 1) {
    return absl::UnimplementedError("api_version of a custom call must be 0 or 1");
  }
  return ffi::RegisterHandler(name, {reinterpret_cast<XLA_FFI_Handler*>(args.handler_instantiate),
                                     reinterpret_cast<XLA_FFI_Handler*>(args.handler_prepare),
                                     reinterpret_cast<XLA_FFI_Handler*>(args.handler_initialize),
                                     reinterpret_cast<XLA_FFI_Handler*>(args.handler_execute)});
}

// --- Partitioners of custom calls
absl::Status RegisterCustomPartitioner(PJRT_Register_Custom_Partitioner_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"name", args.name}, {"callbacks", args.callbacks}}));
  return RegisterPartitioner({args.name, args.name_size}, args.callbacks);
}

// Nothing to register: the instructions state how many of their dimensions are batches.
absl::Status RegisterBatchPartitionable(PJRT_Register_Batch_Partitionable_Args& args) {
  return Require({{"name", args.name}});
}

// --- Memory descriptions
absl::Status DeviceMemoryDescriptions(PJRT_DeviceDescription_MemoryDescriptions_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device_description", args.device_description}}));
  args.memory_descriptions = args.device_description->memory_pointers.data();
  args.num_memory_descriptions = args.device_description->memory_pointers.size();
  args.default_memory_index = 0;
  return absl::OkStatus();
}

absl::Status MemoryDescriptionKind(PJRT_MemoryDescription_Kind_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"memory_description", args.memory_description}}));
  Put(args.memory_description->kind, args.kind, args.kind_size);
  args.kind_id = args.memory_description->kind_id;
  return absl::OkStatus();
}

template <typename Extension>
PJRT_Extension_Base Base(PJRT_Extension_Type type, PJRT_Extension_Base* next) {
  return {sizeof(Extension), type, next};
}

}  // namespace

// In the order of XLA's CPU client for extensions that both have: the crate pjrt of Rust only looks
// for that of layouts in the first place, and otherwise assumes texts of layouts to have 8 bytes or
// more.
PJRT_Extension_Base* FirstExtension() {
  static Xylem_Python_Extension python = {
      Base<Xylem_Python_Extension>(kXylemPythonExtension, nullptr), Entry<&SetPython>,
      Entry<&EndRuns>};
  static Xylem_Llvm_Extension llvm = {Base<Xylem_Llvm_Extension>(kXylemLlvmExtension, &python.base),
                                      XYLEM_VERSION, cpu::LlvmFunctionTable};
  static PJRT_Layouts_Extension layouts = {
      Base<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts, &llvm.base),
      Entry<&MemoryLayoutDestroy>,
      Entry<&MemoryLayoutSerialize>,
      Entry<&ClientDefaultLayout>,
      Entry<&BufferMemoryLayout>,
      Entry<&TopologyDefaultLayout>,
      Entry<&ExecutableOutputLayouts>,
      Entry<&ExecutableParameterLayouts>};
  static PJRT_Xla_Transform_Extension transforms = {
      Base<PJRT_Xla_Transform_Extension>(PJRT_Extension_Type_XlaTransform, &layouts.base),
      Entry<&RegisterTransform>, Entry<&ClearTransform>};
  static PJRT_MemoryDescriptions_Extension memories = {
      Base<PJRT_MemoryDescriptions_Extension>(PJRT_Extension_Type_MemoryDescriptions,
                                              CrossHostTransfersExtension(&transforms.base)),
      Entry<&DeviceMemoryDescriptions>, Entry<&MemoryDescriptionKind>};
  static PJRT_Custom_Call_Extension custom_calls = {
      Base<PJRT_Custom_Call_Extension>(PJRT_Extension_Type_Xylem_Custom_Call, &memories.base),
      Entry<&RegisterCustomCall>};
  static PJRT_Custom_Partitioner_Extension partitioners = {
      Base<PJRT_Custom_Partitioner_Extension>(PJRT_Extension_Type_Custom_Partitioner,
                                              &custom_calls.base),
      Entry<&RegisterCustomPartitioner>, Entry<&RegisterBatchPartitionable>};
  static PJRT_FFI_Extension ffi = {
      Base<PJRT_FFI_Extension>(PJRT_Extension_Type_FFI, &partitioners.base), Entry<&TypeRegister>,
      Entry<&UserDataAdd>, Entry<&RegisterHandler>};
  static PJRT_Profiler_Extension profiler = {
      Base<PJRT_Profiler_Extension>(PJRT_Extension_Type_Profiler, &ffi.base), ProfilerApi(), -1};
  static PJRT_Shardings_Extension shardings = {
      Base<PJRT_Shardings_Extension>(PJRT_Extension_Type_Shardings, &profiler.base),
      Entry<&ParameterShardings>, Entry<&OutputShardings>};
  return &shardings.base;
}

}  // namespace xla::pjrt
