// SPDX-License-Identifier: Apache-2.0
#include "tests/xla_compat/hlo_test_base.h"

#include <algorithm>
#include <cstdlib>

#include "tests/xla_compat/client_library_test_base.h"
#include "xla/client/client_library.h"
#include "xla/debug_options_flags.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/literal_util.h"
#include "xla/tsl/platform/errors.h"

#define EIGEN_USE_THREADS
#include "unsupported/Eigen/CXX11/Tensor"

namespace xla {

// What XLA's clients hand to custom calls.
static const Eigen::ThreadPoolDevice* IntraOpThreadPool() {
  static auto* const pool = new Eigen::ThreadPool(2);
  static auto* const device = new Eigen::ThreadPoolDevice(pool, 2);
  return device;
}

// --- Running

HloRunnerInterface::HloRunnerInterface(Backend backend) {
  // Tests of several replicas and partitions use up to this many devices.
  LocalClientOptions options;
  options.set_device_count(8);
  if (backend == Backend::kCompiler) {
    client_ = ClientLibrary::GetOrCreateLocalClient(options).value();
  } else {
    static LocalClient* const interpreter =
        ClientLibrary::MakeLocalClient(options.set_use_compiler(false)).value().release();
    client_ = interpreter;
  }
}
HloRunnerInterface::~HloRunnerInterface() = default;

int HloRunnerInterface::device_count() const { return client_->device_count(); }

absl::StatusOr<std::unique_ptr<OpaqueExecutable>> HloRunnerInterface::CreateExecutable(
    std::unique_ptr<HloModule> module, bool) {
  module->SetDefaultEntryLayout();
  ASSIGN_OR_RETURN(HloModuleProto proto, ModuleToProto(*module));
  std::vector<const Shape*> shapes;
  for (const Shape& shape : module->entry_computation_layout().parameters()) {
    shapes.push_back(&shape);
  }
  ExecutableBuildOptions options;
  options.set_result_layout(module->entry_computation_layout().result());
  options.set_num_replicas(static_cast<int>(module->config().replica_count()));
  options.set_num_partitions(static_cast<int>(module->config().num_partitions()));
  ASSIGN_OR_RETURN(auto executables,
                   client_->Compile(XlaComputation(std::move(proto)), shapes, options));
  return std::make_unique<OpaqueExecutable>(std::move(module), std::move(executables[0]));
}

// Arguments in the layouts of the parameters. Those of other shapes stay as they are: to reject
// them is the client's part.
static absl::StatusOr<std::vector<ScopedShapedBuffer>> Transfer(
    LocalClient* client, absl::Span<const Literal* const> arguments,
    absl::Span<const Shape> parameters, int device) {
  std::vector<ScopedShapedBuffer> buffers;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Literal moved = arguments[i]->Clone();
    if (i < parameters.size() && parameters[i].IsArray() && parameters[i].has_layout() &&
        ShapeUtil::Compatible(parameters[i], moved.shape())) {
      moved = moved.Relayout(parameters[i].layout());
    }
    ASSIGN_OR_RETURN(ScopedShapedBuffer buffer, client->LiteralToShapedBuffer(moved, device));
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

absl::StatusOr<Literal> HloRunnerInterface::ExecuteWithExecutable(
    OpaqueExecutable* executable, absl::Span<const Literal* const> arguments) {
  std::vector<const ShapedBuffer*> pointers;
  const auto& shapes = executable->module().entry_computation_layout().parameters();
  if (arguments.size() != shapes.size()) {
    return InvalidArgument("%d arguments for %d parameters", arguments.size(), shapes.size());
  }
  ASSIGN_OR_RETURN(const std::vector<ScopedShapedBuffer> buffers,
                   Transfer(client_, arguments, shapes, 0));
  for (const ScopedShapedBuffer& buffer : buffers) pointers.push_back(&buffer);
  ExecutableRunOptions options;
  options.set_allocator(client_->backend().memory_allocator());
  options.set_intra_op_thread_pool(IntraOpThreadPool());
  ASSIGN_OR_RETURN(const ScopedShapedBuffer result,
                   executable->executable().Run(pointers, options));
  return client_->ShapedBufferToLiteral(result);
}

static std::vector<const Literal*> Pointers(absl::Span<const Literal> literals) {
  return LiteralUtil::MakePointers(literals);
}

absl::StatusOr<Literal> HloRunnerInterface::ExecuteWithExecutable(
    OpaqueExecutable* executable, absl::Span<const Literal> arguments) {
  return ExecuteWithExecutable(executable, Pointers(arguments));
}

absl::StatusOr<std::vector<absl::StatusOr<Literal>>> HloRunnerInterface::ExecuteWithExecutable(
    OpaqueExecutable* executable, absl::Span<const Literal* const> arguments, int64_t num_repeats) {
  std::vector<absl::StatusOr<Literal>> results;
  for (int64_t i = 0; i < num_repeats; ++i) {
    results.push_back(ExecuteWithExecutable(executable, arguments));
  }
  return results;
}

absl::StatusOr<Literal> HloRunnerInterface::Execute(std::unique_ptr<HloModule> module,
                                                    absl::Span<const Literal* const> arguments,
                                                    bool run_hlo_passes) {
  ASSIGN_OR_RETURN(const auto executable, CreateExecutable(std::move(module), run_hlo_passes));
  return ExecuteWithExecutable(executable.get(), arguments);
}

absl::StatusOr<Literal> HloRunnerInterface::Execute(std::unique_ptr<HloModule> module,
                                                    absl::Span<const Literal> arguments,
                                                    bool run_hlo_passes) {
  return Execute(std::move(module), Pointers(arguments), run_hlo_passes);
}

absl::StatusOr<std::vector<Literal>> HloRunnerInterface::ExecuteReplicatedWithExecutable(
    OpaqueExecutable* executable, const ReplicatedExecuteOptions& options,
    DeviceAssignment* assignment) {
  // Every device is fed the values, in each step, before it runs: those of a tuple one by one.
  for (int64_t step = 0; step < options.infeed_steps; ++step) {
    for (int d = 0; d < static_cast<int>(options.num_devices); ++d) {
      for (const Literal* value : options.infeed_values) {
        for (const ShapeUtil::IndexedShape& leaf : ShapeUtil::GetLeafShapes(value->shape())) {
          RETURN_IF_ERROR(client_->TransferToInfeedLocal(LiteralSlice(*value, leaf.index), d));
        }
      }
    }
  }
  return ExecuteOnDevices(executable, std::vector(options.num_devices, options.arguments),
                          assignment);
}

absl::StatusOr<std::vector<Literal>> HloRunnerInterface::ExecuteOnDevices(
    OpaqueExecutable* executable, const std::vector<std::vector<const Literal*>>& arguments,
    const DeviceAssignment* assignment) {
  const auto& parameters = executable->module().entry_computation_layout().parameters();
  const int partitions = static_cast<int>(executable->module().config().num_partitions());
  std::vector<std::vector<ScopedShapedBuffer>> buffers(arguments.size());
  std::vector<std::vector<const ShapedBuffer*>> pointers(arguments.size());
  for (size_t d = 0; d < arguments.size(); ++d) {
    const int place = static_cast<int>(d);
    const int device =
        assignment == nullptr
            ? place
            : static_cast<int>((*assignment)(place / partitions, place % partitions));
    ASSIGN_OR_RETURN(buffers[d], Transfer(client_, arguments[d], parameters, device));
    for (const ScopedShapedBuffer& buffer : buffers[d]) pointers[d].push_back(&buffer);
  }
  ExecutableRunOptions run_options;
  run_options.set_allocator(client_->backend().memory_allocator());
  run_options.set_device_assignment(assignment);
  ASSIGN_OR_RETURN(const std::vector<ScopedShapedBuffer> results,
                   executable->executable().RunReplicated(pointers, run_options));
  std::vector<Literal> literals;
  for (const ScopedShapedBuffer& result : results) {
    ASSIGN_OR_RETURN(Literal literal, client_->ShapedBufferToLiteral(result));
    literals.push_back(std::move(literal));
  }
  return literals;
}

absl::StatusOr<std::vector<Literal>> HloRunnerInterface::ExecuteReplicated(
    std::unique_ptr<HloModule> module, const ReplicatedExecuteOptions& options,
    DeviceAssignment* assignment) {
  ASSIGN_OR_RETURN(const auto executable, CreateExecutable(std::move(module), true));
  return ExecuteReplicatedWithExecutable(executable.get(), options, assignment);
}

absl::StatusOr<std::vector<Literal>> HloRunnerAgnosticTestBase::ExecuteReplicated(
    std::unique_ptr<HloModule> module, absl::Span<const Literal* const> arguments,
    int64_t num_devices, DeviceAssignment* assignment, bool run_hlo_passes, bool) {
  ASSIGN_OR_RETURN(const auto executable, CreateExecutable(std::move(module), run_hlo_passes));
  const std::vector<const Literal*> of_each(arguments.begin(), arguments.end());
  return runner_->ExecuteOnDevices(executable.get(), std::vector(num_devices, of_each), assignment);
}

absl::StatusOr<std::vector<Literal>> HloRunnerAgnosticTestBase::ExecuteReplicated(
    std::unique_ptr<HloModule> module, std::vector<std::vector<Literal*>> arguments,
    int64_t num_devices, bool run_hlo_passes, DeviceAssignment* assignment) {
  ASSIGN_OR_RETURN(const auto executable, CreateExecutable(std::move(module), run_hlo_passes));
  std::vector<std::vector<const Literal*>> of_each;
  for (const std::vector<Literal*>& device : arguments) {
    of_each.emplace_back(device.begin(), device.end());
  }
  of_each.resize(num_devices);
  return runner_->ExecuteOnDevices(executable.get(), of_each, assignment);
}

// --- HloHardwareIndependentTestBase

HloHardwareIndependentTestBase::HloHardwareIndependentTestBase(
    bool verifier_layout_sensitive, bool allow_mixed_precision_in_hlo_verifier,
    HloPredicate instruction_can_change_layout, bool verify_no_collective_deadlocks)
    : HloHardwareIndependentTestBase(
          HloVerifierOpts()
              .WithLayoutSensitive(verifier_layout_sensitive)
              .WithAllowMixedPrecision(allow_mixed_precision_in_hlo_verifier)
              .WithInstructionCanChangeLayout(instruction_can_change_layout)
              .WithVerifyNoCollectiveDeadlocks(verify_no_collective_deadlocks)) {}

HloHardwareIndependentTestBase::HloHardwareIndependentTestBase(HloVerifierOpts&& options)
    : verifier_layout_sensitive_(options.layout_sensitive),
      allow_mixed_precision_(options.allow_mixed_precision),
      verifier_(std::make_unique<HloVerifier>(std::move(options))) {}

std::string HloHardwareIndependentTestBase::TestName() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  return info == nullptr ? "unknown_test_name" : info->name();
}

HloInstruction* HloHardwareIndependentTestBase::FindInstruction(const HloModule* module,
                                                                absl::string_view name) {
  for (const HloComputation* computation : module->computations()) {
    if (HloInstruction* found = computation->GetInstructionWithName(std::string(name)))
      return found;
  }
  return nullptr;
}

std::vector<HloInstruction*> HloHardwareIndependentTestBase::FindInstructions(
    const HloModule* module, HloOpcode opcode) {
  std::vector<HloInstruction*> found;
  for (const HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() == opcode) found.push_back(instruction);
    }
  }
  return found;
}

HloInstruction* HloHardwareIndependentTestBase::FindInstruction(const HloModule* module,
                                                                HloOpcode opcode) {
  const auto found = FindInstructions(module, opcode);
  return found.empty() ? nullptr : found[0];
}

HloComputation* HloHardwareIndependentTestBase::FindComputation(HloModule* module,
                                                                absl::string_view name) {
  return module->GetComputationWithName(std::string(name));
}

PrecisionConfig HloHardwareIndependentTestBase::DefaultPrecisionConfig(int operands) {
  PrecisionConfig config;
  for (int i = 0; i < operands; ++i) config.add_operand_precision(PrecisionConfig::DEFAULT);
  return config;
}

DebugOptions HloHardwareIndependentTestBase::GetDebugOptionsForTest() const {
  return GetDebugOptionsFromFlags();
}

HloModuleConfig HloHardwareIndependentTestBase::GetModuleConfigForTest(
    int64_t replica_count, int64_t num_partitions, std::optional<DeviceAssignment>) const {
  HloModuleConfig config;
  config.set_debug_options(GetDebugOptionsForTest());
  config.set_replica_count(replica_count);
  config.set_num_partitions(num_partitions);
  return config;
}

std::unique_ptr<HloModule> HloHardwareIndependentTestBase::CreateNewUnverifiedModule(
    const std::string& name) const {
  return std::make_unique<HloModule>(name, GetModuleConfigForTest());
}

std::unique_ptr<VerifiedHloModule> HloHardwareIndependentTestBase::CreateNewVerifiedModule(
    const std::string& name, int64_t replica_count) const {
  return std::make_unique<VerifiedHloModule>(name, GetModuleConfigForTest(replica_count),
                                             verifier_layout_sensitive_, allow_mixed_precision_);
}

absl::StatusOr<std::unique_ptr<VerifiedHloModule>>
HloHardwareIndependentTestBase::ParseAndReturnVerifiedModule(
    absl::string_view text, int64_t replica_count, int64_t num_partitions,
    std::optional<DeviceAssignment> assignment) const {
  return ParseAndReturnVerifiedModule(
      text, GetModuleConfigForTest(replica_count, num_partitions, assignment));
}

absl::StatusOr<std::unique_ptr<VerifiedHloModule>>
HloHardwareIndependentTestBase::ParseAndReturnVerifiedModule(
    absl::string_view text, const HloModuleConfig& config,
    const HloParserOptions& parser_options) const {
  auto module = std::make_unique<VerifiedHloModule>(TestName(), config, verifier_layout_sensitive_,
                                                    allow_mixed_precision_);
  RETURN_IF_ERROR(module->Parse(text, parser_options));
  RETURN_IF_ERROR(verifier_->Run(module.get()).status());
  return module;
}

absl::Status VerifiedHloModule::Parse(absl::string_view text, const HloParserOptions& options) {
  const HloModuleConfig given = config();
  RETURN_IF_ERROR(ParseIntoModule(std::string_view(text.data(), text.size()), options, this));
  HloModuleConfig& read = config();
  if (read.replica_count() == 1) read.set_replica_count(given.replica_count());
  if (read.num_partitions() == 1) {
    read.set_num_partitions(given.num_partitions());
    read.set_use_spmd_partitioning(read.use_spmd_partitioning() || given.use_spmd_partitioning());
  }
  read.set_seed(given.seed());
  read.TakeRequests(given);
  return absl::OkStatus();
}

absl::Status VerifiedHloModule::ParseHloStringAndVerifyModule(absl::string_view text,
                                                              const HloParserOptions& options) {
  RETURN_IF_ERROR(Parse(text, options));
  return HloVerifier(/*layout_sensitive=*/false, /*allow_mixed_precision=*/true).Run(this).status();
}

// --- HloRunnerAgnosticTestBase

HloRunnerAgnosticTestBase::HloRunnerAgnosticTestBase(HloTestBaseOptions options)
    : HloHardwareIndependentTestBase(options.verifier_layout_sensitive,
                                     options.allow_mixed_precision_in_hlo_verifier,
                                     options.instruction_can_change_layout_func),
      runner_(std::make_unique<HloRunnerInterface>()) {}

absl::StatusOr<std::unique_ptr<HloModule>> HloRunnerAgnosticTestBase::HloModuleFromXlaComputation(
    const XlaComputation& computation, const ExecutionOptions& options) const {
  ASSIGN_OR_RETURN(HloModuleConfig config, HloModule::CreateModuleConfigFromProto(
                                               computation.proto(), options.debug_options()));
  ASSIGN_OR_RETURN(auto module, HloModule::CreateFromProto(computation.proto(), config));
  RETURN_IF_ERROR(verifier().Run(module.get()).status());
  return module;
}

absl::StatusOr<std::unique_ptr<HloModule>> HloRunnerAgnosticTestBase::HloModuleFromXlaBuilder(
    XlaBuilder* builder, const ExecutionOptions& options) const {
  ASSIGN_OR_RETURN(const XlaComputation computation, builder->Build());
  return HloModuleFromXlaComputation(computation, options);
}

HloComputation* HloRunnerAgnosticTestBase::AddEntryComputationAndUpdateEntryComputationLayout(
    HloModule* module, std::unique_ptr<HloComputation> computation) {
  return module->AddEntryComputation(std::move(computation));
}

absl::StatusOr<Literal> HloRunnerAgnosticTestBase::Execute(
    std::unique_ptr<HloModule> module, absl::Span<const Literal* const> arguments,
    bool run_hlo_passes) {
  return runner_->Execute(std::move(module), arguments, run_hlo_passes);
}

::testing::AssertionResult HloRunnerAgnosticTestBase::Run(
    std::unique_ptr<HloModule> module, bool run_hlo_passes,
    const std::function<void(HloModule*)>& preprocessor) {
  const auto arguments = MakeFakeArguments(module.get());
  if (!arguments.ok()) return ::testing::AssertionFailure() << arguments.status();
  if (preprocessor != nullptr) preprocessor(module.get());
  const auto result = Execute(std::move(module), Pointers(*arguments), run_hlo_passes);
  if (!result.ok()) return ::testing::AssertionFailure() << result.status();
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult HloRunnerAgnosticTestBase::Run(absl::string_view text,
                                                          bool run_hlo_passes) {
  auto module = ParseAndReturnVerifiedModule(text);
  if (!module.ok()) return ::testing::AssertionFailure() << module.status();
  return Run(*std::move(module), run_hlo_passes);
}

::testing::AssertionResult HloRunnerAgnosticTestBase::RunAndCompareTwoModules(
    std::unique_ptr<HloModule> module_0, std::unique_ptr<HloModule> module_1,
    absl::Span<const Literal* const> arguments, const std::optional<ErrorSpec>& error,
    bool run_hlo_passes) {
  const auto expected = Execute(std::move(module_0), arguments, run_hlo_passes);
  if (!expected.ok()) return ::testing::AssertionFailure() << expected.status();
  const auto actual = Execute(std::move(module_1), arguments, run_hlo_passes);
  if (!actual.ok()) return ::testing::AssertionFailure() << actual.status();
  return LiteralTestUtil::NearOrEqual(*expected, *actual, error);
}

::testing::AssertionResult HloRunnerAgnosticTestBase::RunAndCompareTwoModules(
    absl::string_view text_0, absl::string_view text_1, absl::Span<const Literal* const> arguments,
    const std::optional<ErrorSpec>& error, bool run_hlo_passes) {
  auto module_0 = ParseAndReturnVerifiedModule(text_0);
  if (!module_0.ok()) return ::testing::AssertionFailure() << module_0.status();
  auto module_1 = ParseAndReturnVerifiedModule(text_1);
  if (!module_1.ok()) return ::testing::AssertionFailure() << module_1.status();
  return RunAndCompareTwoModules(*std::move(module_0), *std::move(module_1), arguments, error,
                                 run_hlo_passes);
}

::testing::AssertionResult HloRunnerAgnosticTestBase::RunAndCompareTwoModules(
    absl::string_view text_0, absl::string_view text_1, const std::optional<ErrorSpec>& error,
    bool run_hlo_passes, std::optional<int64_t> args_max_bits_of_precision) {
  const auto module = ParseAndReturnVerifiedModule(text_0);
  if (!module.ok()) return ::testing::AssertionFailure() << module.status();
  const auto arguments =
      MakeFakeArguments(module->get(), true, false, false, args_max_bits_of_precision);
  if (!arguments.ok()) return ::testing::AssertionFailure() << arguments.status();
  return RunAndCompareTwoModules(text_0, text_1, Pointers(*arguments), error, run_hlo_passes);
}

// --- ClientLibraryTestRunnerMixin

XlaComputation CreateScalarReluF32() {
  XlaBuilder builder("relu");
  const XlaOp x = Parameter(&builder, 0, ShapeUtil::MakeShape(F32, {}), "x");
  Max(x, ConstantR0<float>(&builder, 0.0f));
  return builder.Build().value();
}

XlaComputation CreateScalarMax(PrimitiveType type) {
  XlaBuilder builder("max");
  const Shape shape = ShapeUtil::MakeShape(type, {});
  Max(Parameter(&builder, 0, shape, "x"), Parameter(&builder, 1, shape, "y"));
  return builder.Build().value();
}

std::unique_ptr<Array2D<float>> CreatePatternedMatrix(int rows, int cols, float offset) {
  auto array = std::make_unique<Array2D<float>>(rows, cols);
  for (int64_t y = 0; y < rows; ++y) {
    for (int64_t x = 0; x < cols; ++x) (*array)(y, x) = y * 1000.0f + x + offset;
  }
  return array;
}

std::unique_ptr<Array2D<float>> CreatePatternedMatrixWithZeroPadding(int rows, int cols,
                                                                     int rows_padded,
                                                                     int cols_padded) {
  auto array = std::make_unique<Array2D<float>>(rows_padded, cols_padded);
  for (int64_t y = 0; y < rows; ++y) {
    for (int64_t x = 0; x < cols; ++x) (*array)(y, x) = y * 1000.0f + x;
  }
  return array;
}

}  // namespace xla
