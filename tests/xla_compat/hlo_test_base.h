// SPDX-License-Identifier: Apache-2.0
// Stand-ins for the fixtures of XLA's tests that work on HLO modules: parse, verify, compile and
// run through the public client.
#ifndef TESTS_XLA_COMPAT_HLO_TEST_BASE_H_
#define TESTS_XLA_COMPAT_HLO_TEST_BASE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tests/xla_compat/literal_test_util.h"
#include "tests/xla_compat/test_macros.h"
#include "xla/client/local_client.h"
#include "xla/error_spec.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal.h"
#include "xla/service/computation_placer.h"
#include "xla/service/hlo_verifier.h"
#include "xla/tests/test_utils.h"
#include "xla/tsl/platform/errors.h"
#include "xla/tsl/platform/statusor.h"
#include "xla/xla.pb.h"

namespace xla {

// A module that is verified when it is parsed. Without data of its own: it is destroyed as an
// HloModule.
class VerifiedHloModule : public HloModule {
 public:
  VerifiedHloModule(const std::string& name, const HloModuleConfig& config,
                    bool /*verifier_layout_sensitive*/, bool /*allow_mixed_precision*/,
                    ShapeSizeFn = nullptr, HloPredicate = nullptr)
      : HloModule(name, config) {}
  absl::Status ParseHloStringAndVerifyModule(absl::string_view text,
                                             const HloParserOptions& options = HloParserOptions());
  // Reads the text without verifying; counts of devices that it lacks are those of the config.
  absl::Status Parse(absl::string_view text, const HloParserOptions& options = HloParserOptions());
};

class OpaqueExecutable {
 public:
  OpaqueExecutable(std::unique_ptr<HloModule> module, std::unique_ptr<LocalExecutable> executable)
      : module_(std::move(module)), executable_(std::move(executable)) {}
  const HloModule& module() const { return *module_; }
  LocalExecutable& executable() const { return *executable_; }

 private:
  std::unique_ptr<HloModule> module_;
  std::unique_ptr<LocalExecutable> executable_;
};

struct HloRunnerPropertyTag {
  using Type = int;
  static constexpr Type kDefault = 0, kUsingGpuRocm = 1, kCpu = 2, kUsingGpuCuda = 3,
                        kUsingGpuOneAPI = 4;
};

class HloRunnerInterface {
 public:
  struct ReplicatedExecuteOptions {
    int64_t num_devices = 1;
    std::vector<const Literal*> arguments;
    std::vector<const Literal*> infeed_values;
    int64_t infeed_steps = -1;
    Shape outfeed_shape;
    std::vector<Literal>* outfeed_values = nullptr;
    bool run_hlo_passes = false;
    int64_t seed = 0;
  };
  // The interpreter is what compiled programs are compared with.
  enum class Backend { kCompiler, kInterpreter };
  explicit HloRunnerInterface(Backend backend = Backend::kCompiler);
  ~HloRunnerInterface();

  absl::StatusOr<std::unique_ptr<OpaqueExecutable>> CreateExecutable(
      std::unique_ptr<HloModule> module, bool run_hlo_passes);
  absl::StatusOr<Literal> Execute(std::unique_ptr<HloModule> module,
                                  absl::Span<const Literal* const> arguments,
                                  bool run_hlo_passes = true);
  absl::StatusOr<Literal> Execute(std::unique_ptr<HloModule> module,
                                  absl::Span<const Literal> arguments, bool run_hlo_passes = true);
  absl::StatusOr<Literal> ExecuteWithExecutable(OpaqueExecutable* executable,
                                                absl::Span<const Literal* const> arguments);
  absl::StatusOr<Literal> ExecuteWithExecutable(OpaqueExecutable* executable,
                                                absl::Span<const Literal> arguments);
  absl::StatusOr<std::vector<absl::StatusOr<Literal>>> ExecuteWithExecutable(
      OpaqueExecutable* executable, absl::Span<const Literal* const> arguments,
      int64_t num_repeats);
  absl::StatusOr<std::vector<Literal>> ExecuteReplicated(std::unique_ptr<HloModule> module,
                                                         const ReplicatedExecuteOptions& options,
                                                         DeviceAssignment* assignment = nullptr);
  absl::StatusOr<std::vector<Literal>> ExecuteReplicatedWithExecutable(
      OpaqueExecutable* executable, const ReplicatedExecuteOptions& options,
      DeviceAssignment* assignment = nullptr);
  // arguments[d] are those of partition d % partitions of replica d / partitions.
  absl::StatusOr<std::vector<Literal>> ExecuteOnDevices(
      OpaqueExecutable* executable, const std::vector<std::vector<const Literal*>>& arguments,
      const DeviceAssignment* assignment = nullptr);
  absl::StatusOr<const HloModule*> HloModuleFromWrapped(const OpaqueExecutable* executable) const {
    return &executable->module();
  }
  std::string Name() const { return "Xylem"; }
  int device_count() const;
  bool HasProperty(HloRunnerPropertyTag::Type tag) const {
    return tag == HloRunnerPropertyTag::kCpu;
  }
  LocalClient& client() { return *client_; }

 private:
  LocalClient* client_;
};

class HloHardwareIndependentTestBase : public ::testing::Test {
 public:
  static HloInstruction* FindInstruction(const HloModule* module, absl::string_view name);
  static HloInstruction* FindInstruction(const HloModule* module, HloOpcode opcode);
  static std::vector<HloInstruction*> FindInstructions(const HloModule* module, HloOpcode opcode);
  static HloComputation* FindComputation(HloModule* module, absl::string_view name);
  static PrecisionConfig DefaultPrecisionConfig(int operands);

 protected:
  explicit HloHardwareIndependentTestBase(bool verifier_layout_sensitive = false,
                                          bool allow_mixed_precision_in_hlo_verifier = true,
                                          HloPredicate instruction_can_change_layout = {},
                                          bool verify_no_collective_deadlocks = false);
  explicit HloHardwareIndependentTestBase(HloVerifierOpts&& options);

  std::unique_ptr<HloModule> CreateNewUnverifiedModule(const std::string& name = TestName()) const;
  std::unique_ptr<VerifiedHloModule> CreateNewVerifiedModule(const std::string& name = TestName(),
                                                             int64_t replica_count = 1) const;
  absl::StatusOr<std::unique_ptr<VerifiedHloModule>> ParseAndReturnVerifiedModule(
      absl::string_view text, int64_t replica_count = 1, int64_t num_partitions = 1,
      std::optional<DeviceAssignment> assignment = std::nullopt) const;
  absl::StatusOr<std::unique_ptr<VerifiedHloModule>> ParseAndReturnVerifiedModule(
      absl::string_view text, const HloModuleConfig& config,
      const HloParserOptions& parser_options = HloParserOptions()) const;

  virtual DebugOptions GetDebugOptionsForTest() const;
  HloModuleConfig GetModuleConfigForTest(
      int64_t replica_count = 1, int64_t num_partitions = 1,
      std::optional<DeviceAssignment> assignment = std::nullopt) const;

  static void ForceParameterLayout(HloModule* module, int64_t number, const Layout& layout) {
    *module->config()
         .mutable_entry_computation_layout()
         ->mutable_parameters(number)
         ->mutable_layout() = layout;
  }
  static void ForceResultLayout(HloModule* module, const Layout& layout) {
    *module->config().mutable_entry_computation_layout()->mutable_result()->mutable_layout() =
        layout;
  }
  static void ForceResultLayout(HloModule* module, const Layout& layout, ShapeIndexView index) {
    *ShapeUtil::GetMutableSubshape(
         module->config().mutable_entry_computation_layout()->mutable_result(), index)
         ->mutable_layout() = layout;
  }
  HloVerifier& verifier() const { return *verifier_; }
  void set_hlo_verifier(std::unique_ptr<HloVerifier> verifier) { verifier_ = std::move(verifier); }
  bool verifier_layout_sensitive() const { return verifier_layout_sensitive_; }
  bool allow_mixed_precision_in_hlo_verifier() const { return allow_mixed_precision_; }
  static std::string TestName();

 private:
  bool verifier_layout_sensitive_, allow_mixed_precision_;
  std::unique_ptr<HloVerifier> verifier_;
};

// The same runner under the names of others.
class PjRtClient {
 public:
  virtual ~PjRtClient() = default;
};
class InterpreterClient : public PjRtClient {
 public:
  InterpreterClient() = default;
  template <typename F>
  explicit InterpreterClient(const F&) {}
};
class HloRunnerPjRt : public HloRunnerInterface {
 public:
  explicit HloRunnerPjRt(std::unique_ptr<PjRtClient>) {}
};
inline bool ShouldUsePjRt() { return true; }
class PjRtClientTestFactoryRegistry {
 public:
  std::function<absl::StatusOr<std::unique_ptr<PjRtClient>>()> Get() const {
    return [] { return std::make_unique<InterpreterClient>(); };
  }
};
inline PjRtClientTestFactoryRegistry& GetGlobalPjRtClientTestFactory() {
  static PjRtClientTestFactoryRegistry registry;
  return registry;
}
inline std::unique_ptr<HloRunnerInterface> MakeAotAwareHloRunner(
    std::unique_ptr<PjRtClient> client) {
  return std::make_unique<HloRunnerPjRt>(std::move(client));
}

struct HloTestBaseOptions {
  bool verifier_layout_sensitive = false;
  bool allow_mixed_precision_in_hlo_verifier = true;
  HloPredicate instruction_can_change_layout_func;
};
using HloPjRtTestBaseOptions = HloTestBaseOptions;

class HloRunnerAgnosticTestBase : public HloHardwareIndependentTestBase {
 public:
  static constexpr ErrorSpec kDefaultErrorSpec{0.0001};

 protected:
  explicit HloRunnerAgnosticTestBase(HloTestBaseOptions options = {});

  HloRunnerInterface& test_runner() const { return *runner_; }

  absl::StatusOr<std::unique_ptr<HloModule>> HloModuleFromXlaComputation(
      const XlaComputation& computation, const ExecutionOptions& options) const;
  absl::StatusOr<std::unique_ptr<HloModule>> HloModuleFromXlaBuilder(
      XlaBuilder* builder, const ExecutionOptions& options) const;

  HloComputation* AddEntryComputationAndUpdateEntryComputationLayout(
      HloModule* module, std::unique_ptr<HloComputation> computation);

  absl::StatusOr<Literal> Execute(std::unique_ptr<HloModule> module,
                                  absl::Span<const Literal* const> arguments,
                                  bool run_hlo_passes = true);
  absl::StatusOr<std::unique_ptr<OpaqueExecutable>> CreateExecutable(
      std::unique_ptr<HloModule> module, bool run_hlo_passes) {
    return runner_->CreateExecutable(std::move(module), run_hlo_passes);
  }

  absl::StatusOr<std::vector<Literal>> ExecuteReplicated(std::unique_ptr<HloModule> module,
                                                         absl::Span<const Literal* const> arguments,
                                                         int64_t num_devices, bool use_threads,
                                                         bool run_hlo_passes = false) {
    return ExecuteReplicated(std::move(module), arguments, num_devices, nullptr, run_hlo_passes,
                             use_threads);
  }
  absl::StatusOr<std::vector<Literal>> ExecuteReplicated(std::unique_ptr<HloModule> module,
                                                         absl::Span<const Literal* const> arguments,
                                                         int64_t num_devices,
                                                         DeviceAssignment* assignment,
                                                         bool run_hlo_passes, bool use_threads);
  absl::StatusOr<std::vector<Literal>> ExecuteReplicated(
      std::unique_ptr<HloModule> module, std::vector<std::vector<Literal*>> arguments,
      int64_t num_devices, bool run_hlo_passes, DeviceAssignment* assignment = nullptr);

  using Result = ::testing::AssertionResult;
  Result Run(std::unique_ptr<HloModule> module, bool run_hlo_passes,
             const std::function<void(HloModule*)>& preprocessor = nullptr);
  Result Run(absl::string_view text, bool run_hlo_passes = true);
  Result RunAndCompareTwoModules(std::unique_ptr<HloModule> module_0,
                                 std::unique_ptr<HloModule> module_1,
                                 absl::Span<const Literal* const> arguments,
                                 const std::optional<ErrorSpec>& error, bool run_hlo_passes = true);
  Result RunAndCompareTwoModules(absl::string_view text_0, absl::string_view text_1,
                                 const std::optional<ErrorSpec>& error, bool run_hlo_passes = true,
                                 std::optional<int64_t> args_max_bits_of_precision = std::nullopt);
  Result RunAndCompareTwoModules(absl::string_view text_0, absl::string_view text_1,
                                 absl::Span<const Literal* const> arguments,
                                 const std::optional<ErrorSpec>& error, bool run_hlo_passes = true);

 private:
  std::unique_ptr<HloRunnerInterface> runner_;
};

class HloTestBase : public HloRunnerAgnosticTestBase {
 protected:
  explicit HloTestBase(HloTestBaseOptions options = {})
      : HloRunnerAgnosticTestBase(std::move(options)) {}
};
using HloPjRtTestBase = HloTestBase;

// Runs a module and compares with the same module run by the reference interpreter.
template <typename T>
class HloInterpreterReferenceMixin : public T {
 protected:
  template <typename... Args>
  explicit HloInterpreterReferenceMixin(Args&&... args) : T(std::forward<Args>(args)...) {}

  HloRunnerInterface& reference_runner() const {
    static auto* const runner = new HloRunnerInterface(HloRunnerInterface::Backend::kInterpreter);
    return *runner;
  }

  using Preprocessor = std::function<void(HloModule*)>;
  ::testing::AssertionResult RunAndCompare(std::unique_ptr<HloModule> module,
                                           absl::Span<const Literal* const> arguments,
                                           const std::optional<ErrorSpec>& error,
                                           const Preprocessor& reference_preprocessor = nullptr,
                                           const Preprocessor& test_preprocessor = nullptr) {
    if (const absl::Status status = this->verifier().Run(module.get()).status(); !status.ok()) {
      return ::testing::AssertionFailure() << status;
    }
    std::unique_ptr<HloModule> reference = module->Clone();
    if (reference_preprocessor != nullptr) reference_preprocessor(reference.get());
    if (test_preprocessor != nullptr) test_preprocessor(module.get());
    const auto expected = reference_runner().Execute(std::move(reference), arguments);
    if (!expected.ok()) return ::testing::AssertionFailure() << expected.status();
    const auto actual = this->test_runner().Execute(std::move(module), arguments);
    if (!actual.ok()) return ::testing::AssertionFailure() << actual.status();
    return LiteralTestUtil::NearOrEqual(*expected, *actual, error);
  }
  ::testing::AssertionResult RunAndCompare(
      std::unique_ptr<HloModule> module, const std::optional<ErrorSpec>& error,
      const Preprocessor& reference_preprocessor = nullptr,
      const Preprocessor& test_preprocessor = nullptr,
      std::optional<int64_t> args_max_bits_of_precision = std::nullopt) {
    const auto arguments =
        MakeFakeArguments(module.get(), true, false, false, args_max_bits_of_precision);
    if (!arguments.ok()) return ::testing::AssertionFailure() << arguments.status();
    std::vector<const Literal*> pointers;
    for (const Literal& argument : *arguments) pointers.push_back(&argument);
    return RunAndCompare(std::move(module), pointers, error, reference_preprocessor,
                         test_preprocessor);
  }
  ::testing::AssertionResult RunAndCompare(
      absl::string_view text, const std::optional<ErrorSpec>& error,
      const Preprocessor& reference_preprocessor = nullptr,
      const Preprocessor& test_preprocessor = nullptr,
      std::optional<int64_t> args_max_bits_of_precision = std::nullopt) {
    auto module = this->ParseAndReturnVerifiedModule(text);
    if (!module.ok()) {
      return ::testing::AssertionFailure()
             << "Error while parsing HLO text format: " << module.status();
    }
    return RunAndCompare(*std::move(module), error, reference_preprocessor, test_preprocessor,
                         args_max_bits_of_precision);
  }
  template <typename... Args>
  ::testing::AssertionResult RunAndCompareNoHloPasses(Args&&... args) {
    return RunAndCompare(std::forward<Args>(args)...);
  }
  ::testing::AssertionResult RunAndCompareNoHloPasses(std::unique_ptr<HloModule> module,
                                                      absl::Span<const Literal* const> arguments,
                                                      const std::optional<ErrorSpec>& error) {
    return RunAndCompare(std::move(module), arguments, error);
  }
};
template <typename T>
class HloRunnerAgnosticReferenceMixin : public HloInterpreterReferenceMixin<T> {
 protected:
  template <typename... Args>
  explicit HloRunnerAgnosticReferenceMixin(std::unique_ptr<HloRunnerInterface>, Args&&... args)
      : HloInterpreterReferenceMixin<T>(std::forward<Args>(args)...) {}
};
template <typename T>
using HloPjRtInterpreterReferenceMixin = HloInterpreterReferenceMixin<T>;

}  // namespace xla

#endif  // TESTS_XLA_COMPAT_HLO_TEST_BASE_H_
