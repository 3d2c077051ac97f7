// SPDX-License-Identifier: Apache-2.0
// Modules from files, and configs from program shapes.
#include <gtest/gtest.h>

#include <fstream>

#include "absl/strings/match.h"
#include "google/protobuf/text_format.h"
#include "tests/test_util.h"
#include "xla/service/hlo_module_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr char kText[] = R"(HloModule sum

ENTRY main {
  a = f32[2,3]{0,1} parameter(0)
  ROOT b = f32[2,3]{0,1} negate(a)
}
)";

DebugOptions SomeOptions() {
  DebugOptions options;
  options.set_xla_dump_to("there");
  return options;
}

std::string Written(const std::string& name, const std::string& content) {
  std::string path = testing::ProcessTempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string AsText(const google::protobuf::Message& message) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(message, &text);
  return text;
}

TEST(HloModuleUtil, ReadsEveryForm) {
  const auto module = CreateModuleFromString(kText, SomeOptions());
  ASSERT_OK(module);
  EXPECT_EQ((*module)->config().debug_options().xla_dump_to(), "there");
  const HloModuleProto proto = (*module)->ToProto();
  HloProto outer;
  *outer.mutable_hlo_module() = proto;
  const absl::StatusOr<std::unique_ptr<HloModule>> read[] = {
      CreateModuleFromProto(proto, SomeOptions()),
      ReadModuleFromHloTextFile(Written("m.hlo", kText), SomeOptions()),
      ReadModuleFromBinaryProtoFile(Written("m.pb", outer.SerializeAsString()), SomeOptions()),
      ReadModuleFromModuleBinaryProtofile(Written("n.pb", proto.SerializeAsString()),
                                          SomeOptions()),
      ReadModuleFromTextProtoFile(Written("m.txt", AsText(outer)), SomeOptions()),
      ReadModuleFromModuleTextProtoFile(Written("n.txt", AsText(proto)), SomeOptions()),
  };
  for (const auto& other : read) {
    ASSERT_OK(other);
    EXPECT_OK((*module)->CheckEqual(**other));
    EXPECT_EQ((*other)->config().debug_options().xla_dump_to(), "there");
  }
}

TEST(HloModuleUtil, SaysWhatCannotBeRead) {
  const std::string missing = testing::ProcessTempDir() + "/missing";
  EXPECT_EQ(ReadModuleFromHloTextFile(missing).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadModuleFromBinaryProtoFile(missing).status().code(), absl::StatusCode::kNotFound);
  const std::string bad = Written("bad", "\xff\xff no module");
  EXPECT_EQ(ReadModuleFromBinaryProtoFile(bad).status().message(),
            bad + " does not hold a xla.HloProto");
  EXPECT_EQ(ReadModuleFromModuleTextProtoFile(Written("bad.txt", "name: 'm'\n  id: x"))
                .status()
                .message(),
            testing::ProcessTempDir() +
                "/bad.txt does not hold a xla.HloModuleProto in text format: "
                "2:7: Expected integer, got: x");
  EXPECT_FALSE(CreateModuleFromString("HloModule").ok());
  // Types within types, deeper than any program's.
  std::string deep = "hlo_module { host_program_shape { result {";
  for (int i = 0; i < 100000; ++i) deep += " tuple_shapes {";
  EXPECT_EQ(ReadModuleFromTextProtoFile(Written("deep", deep)).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST(HloModuleUtil, VerifiesModulesWithAConfig) {
  HloModuleProto proto = (*CreateModuleFromString(kText))->ToProto();
  HloModuleConfig config;
  config.set_entry_computation_layout(*ProgramShape::FromProto(proto.host_program_shape()));
  config.set_replica_count(3);
  const auto module = CreateModuleFromProto(proto, config);
  ASSERT_OK(module);
  EXPECT_EQ((*module)->config().replica_count(), 3);
  // Operands of two types: what passes may leave behind.
  const auto mixed = CreateModuleFromString(
      "HloModule m\nENTRY e {\n a = bf16[2] parameter(0)\n b = f32[2] parameter(1)\n"
      " ROOT c = f32[2] add(a, b)\n}");
  ASSERT_OK(mixed);
  proto = (*mixed)->ToProto();
  config.set_entry_computation_layout(*ProgramShape::FromProto(proto.host_program_shape()));
  EXPECT_FALSE(CreateModuleFromProto(proto, config).ok());
  EXPECT_OK(CreateModuleFromProto(proto, config, /*is_module_post_optimizations=*/true));
}

TEST(ModuleConfig, OfProgramShapes) {
  const Shape rows = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {1, 0});
  const Shape columns = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  ProgramShape shape;
  *shape.add_parameters() = rows;
  *shape.mutable_result() = columns;
  const Shape* const arguments[] = {&columns};
  const auto plain = CreateModuleConfig(shape, arguments, nullptr, 5);
  ASSERT_OK(plain);
  EXPECT_EQ((*plain)->entry_computation_layout().parameter_shape(0), columns);
  EXPECT_EQ((*plain)->entry_computation_layout().result_shape(), rows);
  EXPECT_EQ((*plain)->replica_count(), 5);

  ExecutionOptions options;
  *options.mutable_shape_with_output_layout() = columns.ToProto();
  options.set_num_partitions(2);
  options.set_seed(7);
  options.set_use_spmd_partitioning(true);
  options.set_alias_passthrough_params(true);
  options.add_allow_spmd_sharding_propagation_to_output(true);
  options.add_allow_spmd_sharding_propagation_to_parameters(true);
  options.mutable_debug_options()->set_xla_dump_to("there");
  const auto with_options = CreateModuleConfig(shape, arguments, &options, 5);
  ASSERT_OK(with_options);
  const HloModuleConfig& config = **with_options;
  EXPECT_EQ(config.entry_computation_layout().result_shape(), columns);
  EXPECT_EQ(config.replica_count(), 5);
  EXPECT_EQ(config.num_partitions(), 2);
  EXPECT_EQ(config.seed(), 7);
  EXPECT_TRUE(config.use_spmd_partitioning() && config.alias_passthrough_params());
  EXPECT_EQ(config.allow_spmd_sharding_propagation_to_output(), std::vector<bool>{true});
  EXPECT_EQ(config.allow_spmd_sharding_propagation_to_parameters(), std::vector<bool>{true});
  EXPECT_EQ(config.debug_options().xla_dump_to(), "there");
  options.set_num_replicas(4);
  EXPECT_EQ((*CreateModuleConfig(shape, arguments, &options, 5))->replica_count(), 4);
}

TEST(ModuleConfig, RejectsWhatDoesNotFit) {
  const Shape three = ShapeUtil::MakeShape(F32, {3}), four = ShapeUtil::MakeShape(F32, {4});
  ProgramShape shape;
  *shape.add_parameters() = three;
  *shape.mutable_result() = three;
  EXPECT_EQ(CreateModuleConfig(shape, {}, nullptr, 1).status().message(),
            "computation takes 1 parameters, but 0 given");
  const Shape* const wrong[] = {&four};
  EXPECT_EQ(CreateModuleConfig(shape, wrong, nullptr, 1).status().message(),
            "Argument does not match shape of computation parameter 0: want f32[3], got f32[4]");
  const Shape* const right[] = {&three};
  ExecutionOptions options;
  *options.mutable_shape_with_output_layout() = four.ToProto();
  EXPECT_TRUE(absl::StrContains(CreateModuleConfig(shape, right, &options, 1).status().message(),
                                "f32[4]{0} is not compatible with result shape f32[3]{0}"));
  options.mutable_shape_with_output_layout()->set_element_type(static_cast<PrimitiveType>(9999));
  EXPECT_FALSE(CreateModuleConfig(shape, right, &options, 1).ok());
}

TEST(ModuleConfig, DebugOptionsAreChangedInPlace) {
  HloModuleConfig config;
  config.set_debug_options(SomeOptions());
  HloModuleConfig copy = config;
  DebugOptions& options = copy.mutable_debug_options();
  options.set_xla_dump_to("elsewhere");
  EXPECT_EQ(&copy.mutable_debug_options(), &options);
  EXPECT_EQ(copy.debug_options().xla_dump_to(), "elsewhere");
  EXPECT_EQ(config.debug_options().xla_dump_to(), "there");
  HloModuleConfig fresh;
  fresh.mutable_debug_options().set_xla_dump_to("x");
  EXPECT_EQ(DebugOptions::default_instance().xla_dump_to(), "");
}

TEST(ModuleConfig, KeepsItsDeviceAssignment) {
  HloModuleConfig config;
  EXPECT_FALSE(config.has_static_device_assignment());
  DeviceAssignment assignment(2, 1);
  assignment(0, 0) = 3;
  assignment(1, 0) = 1;
  config.set_static_device_assignment(assignment);
  const auto read = HloModuleConfig::CreateFromProto(config.ToProto());
  ASSERT_OK(read);
  ASSERT_TRUE((*read)->has_static_device_assignment());
  EXPECT_EQ((*read)->static_device_assignment(), assignment);
  HloModuleConfigProto proto = config.ToProto();
  proto.mutable_static_device_assignment()->set_replica_count(7);
  EXPECT_FALSE(HloModuleConfig::CreateFromProto(proto).ok());
  config.reset_static_device_assignment();
  EXPECT_FALSE(config.has_static_device_assignment());
}

}  // namespace
}  // namespace xla
