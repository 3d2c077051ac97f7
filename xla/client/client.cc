// SPDX-License-Identifier: Apache-2.0
// Programs on values that the client keeps.
#include "xla/client/client.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/client/client_core.h"
#include "xla/client/local_client.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

std::unique_ptr<GlobalData> MakeGlobalData(const std::shared_ptr<ClientCore>& core,
                                           ClientCore::Value value) {
  GlobalDataHandle handle;
  handle.set_handle(core->AddValue(std::move(value)));
  return std::make_unique<GlobalData>(core, handle);
}

absl::StatusOr<ExecutableBuildOptions> BuildOptions(const ExecutionOptions* options) {
  ExecutableBuildOptions result;
  if (options == nullptr) return result;
  if (options->num_replicas() > 1 || options->num_partitions() > 1 ||
      options->device_handles_size() > 1) {
    return absl::UnimplementedError(
        absl::StrCat("Client runs programs on one device; the options ask for ",
                     options->num_replicas(), " replicas, ", options->num_partitions(),
                     " partitions and ", options->device_handles_size(),
                     " devices: use LocalClient::Compile and LocalExecutable::RunReplicated"));
  }
  if (options->has_shape_with_output_layout()) {
    XLA_ASSIGN_OR_RETURN(const Shape shape, Shape::FromProto(options->shape_with_output_layout()));
    XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
    result.set_result_layout(shape);
  }
  if (options->device_handles_size() == 1) {
    const int64_t device = options->device_handles(0).handle();
    // Beyond the devices there are in any case; the check of the ordinal names them.
    result.set_device_ordinal(device >= 0 && device < (1 << 30) ? static_cast<int>(device)
                                                                : 1 << 30);
  }
  if (options->has_device_assignment()) {
    XLA_ASSIGN_OR_RETURN(const auto assignment,
                         DeviceAssignment::Deserialize(options->device_assignment()));
    result.set_device_assignment(*assignment);
  }
  result.set_alias_passthrough_params(options->alias_passthrough_params());
  return result;
}

// Whether what the program computes depends on nothing but itself.
absl::Status CheckConstant(const HloModule& module) {
  if (module.entry_computation() != nullptr && module.entry_computation()->num_parameters() > 0) {
    return absl::InvalidArgumentError(absl::StrCat("constant computation ", module.name(),
                                                   " must not have parameters; it has ",
                                                   module.entry_computation()->num_parameters()));
  }
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->info().HasAny(op_traits::kSideEffect | op_traits::kDependsOnRun)) {
        return absl::InvalidArgumentError(absl::StrCat(
            "constant computation ", module.name(), " must not depend on ",
            std::string(HloOpcodeString(instruction->opcode())), " (", instruction->name(), ")"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

GlobalData::GlobalData(std::shared_ptr<ClientCore> client, GlobalDataHandle handle)
    : client_(std::move(client)), handle_(std::move(handle)) {}

GlobalData::~GlobalData() { (void)client_->RemoveValue(handle_.handle()); }

Client::Client(std::shared_ptr<ClientCore> core) : core_(std::move(core)) {}

Client::~Client() = default;

absl::StatusOr<ExecutionHandle> Client::Compile(const XlaComputation& computation,
                                                absl::Span<const Shape> argument_shapes,
                                                const ExecutionOptions* execution_options) {
  XLA_ASSIGN_OR_RETURN(const ExecutableBuildOptions options, BuildOptions(execution_options));
  std::vector<const Shape*> shapes;
  for (const Shape& shape : argument_shapes) shapes.push_back(&shape);
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable,
                       core().Compile(computation, shapes, /*may_omit_layouts=*/true, options));
  ExecutionHandle handle;
  handle.set_handle(core().NextHandle());
  auto local = std::make_shared<LocalExecutable>(std::move(executable), core_, options);
  const std::lock_guard<std::mutex> lock(mutex_);
  executables_.emplace(handle.handle(), std::move(local));
  return handle;
}

namespace {

absl::StatusOr<std::unique_ptr<GlobalData>> RunOnValues(const std::shared_ptr<ClientCore>& core,
                                                        LocalExecutable& executable,
                                                        absl::Span<const ClientCore::Value> values,
                                                        ExecutionProfile* profile) {
  std::vector<const ShapedBuffer*> buffers;
  for (const ClientCore::Value& value : values) buffers.push_back(value.get());
  ExecutableRunOptions options;
  options.set_execution_profile(profile);
  XLA_ASSIGN_OR_RETURN(ScopedShapedBuffer result, executable.Run(buffers, options));
  return MakeGlobalData(core, std::make_shared<ScopedShapedBuffer>(std::move(result)));
}

absl::StatusOr<std::vector<ClientCore::Value>> FindValues(const ClientCore& core,
                                                          absl::Span<GlobalData* const> arguments) {
  std::vector<ClientCore::Value> values;
  for (const GlobalData* argument : arguments) {
    if (argument == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("argument ", values.size(), " is null"));
    }
    XLA_ASSIGN_OR_RETURN(ClientCore::Value value, core.FindValue(argument->handle().handle()));
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace

absl::StatusOr<std::unique_ptr<GlobalData>> Client::Execute(const ExecutionHandle& handle,
                                                            absl::Span<GlobalData* const> arguments,
                                                            ExecutionProfile* execution_profile) {
  std::shared_ptr<LocalExecutable> executable;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = executables_.find(handle.handle());
    if (found == executables_.end()) {
      return absl::NotFoundError(
          absl::StrCat("the client has no program with handle ", handle.handle()));
    }
    executable = found->second;
  }
  XLA_ASSIGN_OR_RETURN(const auto values, FindValues(core(), arguments));
  return RunOnValues(core_, *executable, values, execution_profile);
}

absl::StatusOr<std::unique_ptr<GlobalData>> Client::Execute(
    const XlaComputation& computation, absl::Span<GlobalData* const> arguments,
    const ExecutionOptions* execution_options, ExecutionProfile* execution_profile) {
  XLA_ASSIGN_OR_RETURN(const ExecutableBuildOptions options, BuildOptions(execution_options));
  XLA_ASSIGN_OR_RETURN(const auto values, FindValues(core(), arguments));
  std::vector<const Shape*> shapes;
  for (const ClientCore::Value& value : values) shapes.push_back(&value->on_device_shape());
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable,
                       core().Compile(computation, shapes, /*may_omit_layouts=*/false, options));
  LocalExecutable local(std::move(executable), core_, options);
  return RunOnValues(core_, local, values, execution_profile);
}

absl::StatusOr<Literal> Client::ExecuteAndTransfer(const XlaComputation& computation,
                                                   absl::Span<GlobalData* const> arguments,
                                                   const ExecutionOptions* execution_options,
                                                   ExecutionProfile* execution_profile) {
  XLA_ASSIGN_OR_RETURN(const auto data,
                       Execute(computation, arguments, execution_options, execution_profile));
  return Transfer(*data);
}

absl::StatusOr<std::vector<DeviceHandle>> Client::GetDeviceHandles(int64_t device_count) {
  if (device_count < 1 || device_count > core().backend().device_count()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "asked for ", device_count, " devices; the client has ", core().backend().device_count()));
  }
  std::vector<DeviceHandle> handles(static_cast<size_t>(device_count));
  for (size_t i = 0; i < handles.size(); ++i) {
    handles[i].set_handle(static_cast<int64_t>(i));
    handles[i].set_device_count(device_count);
  }
  return handles;
}

absl::StatusOr<int> Client::DeviceOf(const DeviceHandle* handle, int64_t replica_id) const {
  const int64_t first = handle == nullptr ? 0 : handle->handle();
  const int64_t count = core().backend().device_count();
  if (first < 0 || replica_id < 0 || first >= count || replica_id >= count - first) {
    return absl::InvalidArgumentError(absl::StrCat("there is no device for handle ", first,
                                                   " and replica ", replica_id, "; the client has ",
                                                   count, " devices"));
  }
  return static_cast<int>(first + replica_id);
}

absl::StatusOr<Literal> Client::Transfer(const GlobalData& data, const Shape* shape_with_layout) {
  XLA_ASSIGN_OR_RETURN(const ClientCore::Value value, core().FindValue(data.handle().handle()));
  XLA_ASSIGN_OR_RETURN(Literal literal, LiteralFromBuffer(*value));
  if (shape_with_layout == nullptr) return literal;
  if (!ShapeUtil::Compatible(*shape_with_layout, literal.shape())) {
    return absl::InvalidArgumentError(
        absl::StrCat("a transfer to shape ", shape_with_layout->ToString(/*print_layout=*/true),
                     " of data of shape ", literal.shape().ToString(/*print_layout=*/true)));
  }
  XLA_ASSIGN_OR_RETURN(Literal result, Literal::Make(*shape_with_layout));
  XLA_RETURN_IF_ERROR(result.CopyFrom(literal));
  return result;
}

absl::StatusOr<std::unique_ptr<GlobalData>> Client::TransferToServer(
    const LiteralSlice& literal, const DeviceHandle* device_handle) {
  XLA_ASSIGN_OR_RETURN(const int device, DeviceOf(device_handle, 0));
  XLA_ASSIGN_OR_RETURN(
      ScopedShapedBuffer buffer,
      BufferFromLiteral(literal.shape(), literal, device, core().backend().memory_allocator()));
  return MakeGlobalData(core_, std::make_shared<ScopedShapedBuffer>(std::move(buffer)));
}

absl::Status Client::TransferToInfeed(const LiteralSlice& literal, int64_t replica_id,
                                      const DeviceHandle* device_handle) {
  XLA_ASSIGN_OR_RETURN(const int device, DeviceOf(device_handle, replica_id));
  return core().feeds().TransferToInfeed(literal, device);
}

absl::StatusOr<Literal> Client::TransferFromOutfeed(const Shape* shape_with_layout,
                                                    int64_t replica_id,
                                                    const DeviceHandle* device_handle) {
  XLA_ASSIGN_OR_RETURN(const int device, DeviceOf(device_handle, replica_id));
  if (shape_with_layout == nullptr) return core().feeds().TransferFromOutfeed(device);
  XLA_ASSIGN_OR_RETURN(Literal literal,
                       core().feeds().TransferFromOutfeed(*shape_with_layout, device));
  // A literal smaller than the bounds of the shape stays as it is.
  if (!LayoutUtil::HasLayout(*shape_with_layout) ||
      !ShapeUtil::Compatible(literal.shape(), *shape_with_layout)) {
    return literal;
  }
  return literal.Relayout(*shape_with_layout);
}

absl::StatusOr<Literal> Client::ComputeConstant(const XlaComputation& computation,
                                                const Layout* output_layout) const {
  XLA_ASSIGN_OR_RETURN(const auto module, computation.module());
  XLA_RETURN_IF_ERROR(CheckConstant(*module));
  ExecutableBuildOptions options;
  if (output_layout != nullptr) {
    XLA_ASSIGN_OR_RETURN(const ProgramShape program, computation.GetProgramShape());
    Shape result = program.result();
    if (!result.IsArray()) {
      return absl::InvalidArgumentError(
          absl::StrCat("a layout was given for a result of shape ", result.ToString()));
    }
    *result.mutable_layout() = *output_layout;
    XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShape(result));
    options.set_result_layout(result);
  }
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable,
                       core().Compile(computation, {}, /*may_omit_layouts=*/false, options));
  LocalExecutable local(std::move(executable), core_, options);
  XLA_ASSIGN_OR_RETURN(const ScopedShapedBuffer result, local.Run({}, ExecutableRunOptions()));
  return LiteralFromBuffer(result);
}

absl::Status Client::Unregister(const GlobalData& data) {
  return core().RemoveValue(data.handle().handle());
}

absl::StatusOr<std::vector<std::unique_ptr<GlobalData>>> Client::DeconstructTuple(
    const GlobalData& data) {
  XLA_ASSIGN_OR_RETURN(const ClientCore::Value whole, core().FindValue(data.handle().handle()));
  const Shape& shape = whole->on_device_shape();
  if (!shape.IsTuple()) {
    return absl::InvalidArgumentError(
        absl::StrCat("data of shape ", shape.ToString(), " is not a tuple"));
  }
  // An element keeps the whole alive.
  struct Part {
    ClientCore::Value whole;
    ShapedBuffer part;
  };
  std::vector<std::unique_ptr<GlobalData>> elements;
  for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
    XLA_ASSIGN_OR_RETURN(ShapedBuffer buffer, whole->SubShapedBuffer({i}));
    auto part = std::make_shared<Part>(Part{whole, std::move(buffer)});
    elements.push_back(MakeGlobalData(core_, ClientCore::Value(part, &part->part)));
  }
  return elements;
}

absl::StatusOr<Shape> Client::GetShape(const GlobalData& data) {
  XLA_ASSIGN_OR_RETURN(const ClientCore::Value value, core().FindValue(data.handle().handle()));
  return value->on_device_shape();
}

absl::StatusOr<std::unique_ptr<ProgramShape>> Client::GetComputationShape(
    const XlaComputation& computation) {
  XLA_ASSIGN_OR_RETURN(ProgramShape shape, computation.GetProgramShape());
  return std::make_unique<ProgramShape>(std::move(shape));
}

absl::StatusOr<ChannelHandle> Client::MakeChannel(ChannelHandle::ChannelType type) {
  ChannelHandle channel;
  channel.set_handle(core().NextHandle());
  channel.set_type(type);
  return channel;
}

absl::StatusOr<ChannelHandle> Client::CreateChannelHandle() {
  return MakeChannel(ChannelHandle::DEVICE_TO_DEVICE);
}
absl::StatusOr<ChannelHandle> Client::CreateHostToDeviceChannelHandle() {
  return MakeChannel(ChannelHandle::HOST_TO_DEVICE);
}
absl::StatusOr<ChannelHandle> Client::CreateDeviceToHostChannelHandle() {
  return MakeChannel(ChannelHandle::DEVICE_TO_HOST);
}

absl::StatusOr<XlaComputation> Client::LoadSnapshot(const HloSnapshot& module) {
  if (!module.has_hlo() || !module.hlo().has_hlo_module()) {
    return absl::InvalidArgumentError("the snapshot holds no program");
  }
  XlaComputation computation(module.hlo().hlo_module());
  // Errors in it now rather than where it is used.
  XLA_RETURN_IF_ERROR(computation.module().status());
  return computation;
}

}  // namespace xla
