// SPDX-License-Identifier: Apache-2.0
// ExecutableBuildOptions as protos, the environments that they carry, and options of the process.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "google/protobuf/util/message_differencer.h"
#include "tests/test_util.h"
#include "xla/client/client_library.h"
#include "xla/client/executable_build_options.h"
#include "xla/debug_options_flags.h"
#include "xla/service/compilation_environments.h"
#include "xla/service/dump.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using google::protobuf::Message;
using google::protobuf::util::MessageDifferencer;

// Messages that serve as environments here: numbers stand for options, 100 is the default.
using First = IntRangeInclusive;
using Second = OptionOverrideProto;

absl::StatusOr<std::unique_ptr<Message>> CompleteFirst(std::unique_ptr<Message> message) {
  std::unique_ptr<First> env(static_cast<First*>(message.release()));
  if (env == nullptr) {
    env = std::make_unique<First>();
    env->set_first(100);
  }
  if (env->first() == 13) return absl::InvalidArgumentError("thirteen");
  return env;
}

absl::StatusOr<std::unique_ptr<Message>> CompleteSecond(std::unique_ptr<Message> message) {
  if (message != nullptr) return message;
  auto env = std::make_unique<Second>();
  env->set_int_field(100);
  return env;
}

std::unique_ptr<First> MakeFirst(int64_t value) {
  auto env = std::make_unique<First>();
  env->set_first(value);
  return env;
}

class Environments : public ::testing::Test {
 protected:
  Environments() {
    CompilationEnvironments::RegisterProcessNewEnvFn(First::descriptor(), CompleteFirst);
    CompilationEnvironments::RegisterProcessNewEnvFn(Second::descriptor(), CompleteSecond);
  }
  ~Environments() override {
    CompilationEnvironments::DeregisterProcessNewEnvFn(First::descriptor());
    CompilationEnvironments::DeregisterProcessNewEnvFn(Second::descriptor());
  }
};
using BuildOptions = Environments;

TEST_F(Environments, AreAddedOnce) {
  CompilationEnvironments environments;
  EXPECT_FALSE(environments.HasEnv<First>());
  EXPECT_OK(environments.AddEnv(MakeFirst(5)));
  EXPECT_TRUE(environments.HasEnv<First>());
  EXPECT_EQ(environments.GetEnv<First>().first(), 5);
  EXPECT_EQ(environments.AddEnv(MakeFirst(6)).code(), absl::StatusCode::kAlreadyExists);
  environments.GetMutableEnv<First>().set_first(7);
  EXPECT_EQ(environments.GetEnv<First>().first(), 7);
  environments.DeleteEnv<First>();
  EXPECT_EQ(environments.GetEnv<First>().first(), 100);  // the default
  environments.Clear();
  EXPECT_FALSE(environments.HasEnv<First>());
}

TEST_F(Environments, RejectWhatCannotBeCompleted) {
  CompilationEnvironments environments;
  EXPECT_EQ(environments.AddEnv(nullptr).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(environments.AddEnv(MakeFirst(13)).message(), "thirteen");
  EXPECT_EQ(environments.AddEnv(std::make_unique<DebugOptions>()).message(),
            "Unknown CompilationEnvironment type xla.DebugOptions");
  EXPECT_EQ(environments.ToProto().environments_size(), 0);
  // Functions that return nothing, or something else.
  CompilationEnvironments::RegisterProcessNewEnvFn(
      DebugOptions::descriptor(),
      [](std::unique_ptr<Message> env) -> absl::StatusOr<std::unique_ptr<Message>> {
        if (env == nullptr) return nullptr;
        return MakeFirst(1);
      });
  EXPECT_EQ(environments.AddEnv(std::make_unique<DebugOptions>()).code(),
            absl::StatusCode::kInternal);
  EXPECT_EQ(environments.InitializeAllKnownEnvs().code(), absl::StatusCode::kInternal);
  CompilationEnvironments::DeregisterProcessNewEnvFn(DebugOptions::descriptor());
}

TEST_F(Environments, Defaults) {
  CompilationEnvironments environments;
  EXPECT_OK(environments.AddEnv(MakeFirst(5)));
  EXPECT_OK(environments.InitializeAllKnownEnvs());
  EXPECT_EQ(environments.GetEnv<First>().first(), 5);
  EXPECT_TRUE(environments.HasEnv<Second>());
  EXPECT_EQ(environments.GetEnv<Second>().int_field(), 100);
}

TEST_F(Environments, CopiesAreTheirOwn) {
  CompilationEnvironments environments;
  EXPECT_OK(environments.AddEnv(MakeFirst(5)));
  CompilationEnvironments copy = environments, other;
  EXPECT_OK(other.AddEnv(std::make_unique<Second>()));
  other = environments;
  environments.GetMutableEnv<First>().set_first(6);
  EXPECT_EQ(copy.GetEnv<First>().first(), 5);
  EXPECT_EQ(other.GetEnv<First>().first(), 5);
  EXPECT_FALSE(other.HasEnv<Second>());
  const CompilationEnvironments& same = copy;
  copy = same;
  EXPECT_EQ(copy.GetEnv<First>().first(), 5);
}

TEST_F(Environments, AsProtos) {
  CompilationEnvironments environments;
  EXPECT_OK(environments.AddEnv(std::make_unique<Second>()));
  EXPECT_OK(environments.AddEnv(MakeFirst(5)));
  CompilationEnvironmentsProto proto = environments.ToProto();
  ASSERT_EQ(proto.environments_size(), 2);
  EXPECT_EQ(proto.environments(0).type_url(), "type.googleapis.com/xla.IntRangeInclusive");
  const auto read = CompilationEnvironments::CreateFromProto(proto);
  ASSERT_OK(read);
  EXPECT_TRUE(MessageDifferencer::Equals((*read)->ToProto(), proto));

  const auto code_of = [](CompilationEnvironmentsProto changed) {
    return CompilationEnvironments::CreateFromProto(changed).status().code();
  };
  CompilationEnvironmentsProto bad = proto;
  bad.mutable_environments(0)->set_type_url("nothing");
  EXPECT_EQ(code_of(bad), absl::StatusCode::kDataLoss);
  bad.mutable_environments(0)->set_type_url("type.googleapis.com/xla.NoSuchMessage");
  EXPECT_EQ(code_of(bad), absl::StatusCode::kDataLoss);
  bad = proto;
  bad.mutable_environments(0)->set_value("\xff");
  EXPECT_EQ(code_of(bad), absl::StatusCode::kDataLoss);
  bad = proto;
  *bad.add_environments() = proto.environments(0);
  EXPECT_EQ(code_of(bad), absl::StatusCode::kAlreadyExists);
}

TEST_F(BuildOptions, AsProtosKeepAll) {
  ExecutableBuildOptionsProto proto;
  proto.set_device_ordinal(1);
  *proto.mutable_result_layout() =
      ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1}).ToProto();
  proto.mutable_debug_options()->set_xla_dump_to("there");
  proto.mutable_comp_envs()->add_environments()->PackFrom(*MakeFirst(5));
  proto.set_num_replicas(2);
  proto.set_num_partitions(3);
  proto.set_use_spmd_partitioning(true);
  proto.set_use_auto_spmd_partitioning(true);
  proto.add_auto_spmd_partitioning_mesh_shape(4);
  proto.add_auto_spmd_partitioning_mesh_ids(5);
  proto.add_allow_spmd_sharding_propagation_to_parameters(true);
  proto.add_allow_spmd_sharding_propagation_to_parameters(false);
  proto.add_allow_spmd_sharding_propagation_to_output(true);
  proto.set_deduplicate_hlo(true);
  ASSERT_OK(DeviceAssignment(2, 3).Serialize(proto.mutable_device_assignment()));
  proto.set_alias_passthrough_params(true);
  proto.set_run_backend_only(true);
  proto.set_fdo_profile("profile");
  proto.set_device_memory_size(6);
  proto.set_use_shardy_partitioner(true);
  proto.set_exec_time_optimization_effort(0.5);
  proto.set_memory_fitting_effort(-0.5);
  proto.set_optimization_level(ExecutionOptions::EFFORT_O1);
  proto.set_memory_fitting_level(ExecutionOptions::EFFORT_O2);
  proto.set_process_index(7);
  proto.set_process_count(8);
  proto.set_slice_size(9);
  // No field is forgotten above.
  for (int i = 0; i < proto.GetDescriptor()->field_count(); ++i) {
    const auto* field = proto.GetDescriptor()->field(i);
    EXPECT_TRUE(field->is_repeated() ? proto.GetReflection()->FieldSize(proto, field) > 0
                                     : proto.GetReflection()->HasField(proto, field))
        << field->name();
  }
  const auto options = ExecutableBuildOptionsFromProto(proto);
  ASSERT_OK(options);
  EXPECT_TRUE(options->any_allow_spmd_sharding_propagation_to_parameters());
  const auto again = options->ToProto();
  ASSERT_OK(again);
  // As bytes: these have no maps, which protobuf cannot compare under ThreadSanitizer.
  EXPECT_EQ(again->SerializeAsString(), proto.SerializeAsString());

  // The same as ExecutionOptions.
  const ExecutionOptions execution = CreateExecutionOptions(*options, nullptr);
  EXPECT_EQ(execution.debug_options().xla_dump_to(), "there");
  EXPECT_TRUE(execution.use_auto_spmd_partitioning());
  EXPECT_EQ(execution.auto_spmd_partitioning_mesh_shape(0), 4);
  EXPECT_EQ(execution.auto_spmd_partitioning_mesh_ids(0), 5);
  ASSERT_EQ(execution.allow_spmd_sharding_propagation_to_parameters_size(), 2);
  EXPECT_TRUE(execution.allow_spmd_sharding_propagation_to_parameters(0));
  EXPECT_TRUE(execution.allow_spmd_sharding_propagation_to_output(0));
}

TEST_F(BuildOptions, DefaultsAsProto) {
  const auto proto = ExecutableBuildOptions().ToProto();
  ASSERT_OK(proto);
  EXPECT_EQ(proto->ShortDebugString(),
            "device_ordinal: -1 num_replicas: 1 num_partitions: 1 "
            "allow_spmd_sharding_propagation_to_output: false "
            "allow_spmd_sharding_propagation_to_parameters: false process_count: 1");
  const auto options = ExecutableBuildOptionsFromProto(*proto);
  ASSERT_OK(options);
  EXPECT_FALSE(options->has_debug_options() || options->has_comp_envs() ||
               options->has_device_assignment());
  EXPECT_FALSE(options->any_allow_spmd_sharding_propagation_to_parameters());
  EXPECT_FALSE(options->any_allow_spmd_sharding_propagation_to_output());
}

TEST_F(BuildOptions, WithoutAProto) {
  ExecutableBuildOptions options;
  options.set_layout_canonicalization_callback(
      [](const HloModule&) -> absl::StatusOr<std::pair<std::vector<Shape>, Shape>> {
        return absl::UnimplementedError("");
      });
  EXPECT_EQ(options.ToProto().status().code(), absl::StatusCode::kInvalidArgument);
  options.set_layout_canonicalization_callback(nullptr);
  EXPECT_OK(options.ToProto());
  int pool = 0;
  options.set_compile_thread_pool(reinterpret_cast<tsl::thread::ThreadPool*>(&pool));
  EXPECT_EQ(options.ToProto().status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(BuildOptions, FromBadProtos) {
  const auto code_of = [](void (*change)(ExecutableBuildOptionsProto&)) {
    ExecutableBuildOptionsProto proto;
    change(proto);
    return ExecutableBuildOptionsFromProto(proto).status().code();
  };
  using Proto = ExecutableBuildOptionsProto;
  constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(code_of([](Proto& proto) { proto.set_num_replicas(int64_t{1} << 31); }), kInvalid);
  EXPECT_EQ(code_of([](Proto& proto) { proto.set_num_partitions(int64_t{1} << 40); }), kInvalid);
  EXPECT_EQ(code_of([](Proto& proto) { proto.set_device_ordinal(-(int64_t{1} << 40)); }), kInvalid);
  EXPECT_EQ(code_of([](Proto& proto) { proto.set_process_index(int64_t{1} << 31); }), kInvalid);
  EXPECT_EQ(code_of([](Proto& proto) { proto.set_process_count(int64_t{1} << 31); }), kInvalid);
  EXPECT_NE(code_of([](Proto& proto) {
              proto.mutable_result_layout()->set_element_type(static_cast<PrimitiveType>(9999));
            }),
            absl::StatusCode::kOk);
  EXPECT_EQ(code_of([](Proto& proto) { proto.mutable_comp_envs()->add_environments(); }),
            absl::StatusCode::kDataLoss);
  EXPECT_NE(code_of([](Proto& proto) { proto.mutable_device_assignment()->set_replica_count(-1); }),
            absl::StatusCode::kOk);
}

// Runs `body` with XLA_FLAGS parsed.
template <typename Body>
void WithFlags(const char* flags, const Body& body) {
  for (const char* value : {flags, ""}) {
    setenv("XLA_FLAGS", value, 1);
    ResetFlagValues();
    ParseDebugOptionFlagsFromEnv(/*reset_envvar=*/true);
    if (value == flags) body();
  }
}

TEST(FlagsOfTheProcess, SayHowManyDevicesAClientHas) {
  WithFlags("--xla_force_host_platform_device_count=3", [] {
    const auto client = ClientLibrary::MakeLocalClient(LocalClientOptions());
    ASSERT_OK(client);
    EXPECT_EQ((*client)->device_count(), 3);
    EXPECT_EQ(
        (*ClientLibrary::MakeLocalClient(LocalClientOptions().set_device_count(2)))->device_count(),
        2);
    EXPECT_EQ((*ClientLibrary::MakeLocalClient(LocalClientOptions().set_number_of_replicas(4)))
                  ->device_count(),
              4);
  });
  WithFlags("--xla_force_host_platform_device_count=0", [] {
    EXPECT_EQ(ClientLibrary::MakeLocalClient(LocalClientOptions()).status().code(),
              absl::StatusCode::kInvalidArgument);
  });
  EXPECT_EQ((*ClientLibrary::MakeLocalClient(LocalClientOptions()))->device_count(), 1);
}

TEST(FlagsOfTheProcess, AreTheDebugOptionsOfBuilds) {
  WithFlags("--xla_dump_to=there", [] {
    ExecutableBuildOptions options;
    EXPECT_EQ(CreateExecutionOptions(options, nullptr).debug_options().xla_dump_to(), "there");
    options.mutable_debug_options()->set_xla_dump_hlo_as_text(true);
    EXPECT_EQ(options.debug_options().xla_dump_to(), "there");
  });
}

TEST(NonDefaultDebugOptions, AreThoseThatDiffer) {
#ifdef XYLEM_THREAD_SANITIZER
  GTEST_SKIP() << "maps of the system's protobuf have another layout under ThreadSanitizer";
#endif
  DebugOptions options = DefaultDebugOptionsIgnoringFlags();
  EXPECT_EQ(GetNonDefaultDebugOptions(options), "");
  options.set_xla_dump_to("a\"b");
  options.set_xla_allow_excess_precision(false);
  options.clear_xla_backend_optimization_level();
  options.add_xla_disable_hlo_passes("b");
  options.add_xla_disable_hlo_passes("a");
  options.clear_xla_gpu_enable_command_buffer();
  options.set_xla_gpu_detect_nan(DebugOptions::DETECTION_MODE_FAIL);
  (*options.mutable_xla_backend_extra_options())["k"] = "v";
  EXPECT_EQ(GetNonDefaultDebugOptions(options),
            "xla_disable_hlo_passes: \"b\"\n"
            "xla_disable_hlo_passes: \"a\"\n"
            "xla_backend_optimization_level: 0\n"
            "xla_dump_to: \"a\\\"b\"\n"
            "xla_allow_excess_precision: false\n"
            "xla_gpu_detect_nan: DETECTION_MODE_FAIL\n"
            "xla_backend_extra_options {\n"
            "key: \"k\"\n"
            "value: \"v\"\n"
            "}\n");
}

}  // namespace
}  // namespace xla
