// SPDX-License-Identifier: Apache-2.0
// Functions of callers that change programs as they are compiled.
#include <cstring>
#include <string>
#include <vector>

#include "tests/pjrt/plugin.h"
#include "xla/service/hlo.pb.h"

namespace xla::pjrt::testing {
namespace {

using Values = std::vector<float>;

const PJRT_Xla_Transform_Extension& TransformExtension() {
  const PJRT_Extension_Base* extension = Api().extension_start;
  while (extension->type != PJRT_Extension_Type_XlaTransform) extension = extension->next;
  return *reinterpret_cast<const PJRT_Xla_Transform_Extension*>(extension);
}

// Replaces one opcode by another, and remembers what happened.
struct Transform {
  PJRT_XlaTransform_Callbacks callbacks = {PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION, &End, &Run};
  std::string from, to, bytes, error;
  int calls = 0, cleanups = 0, ends = 0;

  static Transform& Of(PJRT_XlaTransform_Callbacks* callbacks) {
    return *reinterpret_cast<Transform*>(callbacks);  // its first member
  }
  static void End(PJRT_XlaTransform_Callbacks* callbacks) { ++Of(callbacks).ends; }
  static void Run(PJRT_XlaTransform_Callbacks* callbacks, PJRT_XlaTransform_Args* args) {
    Transform& self = Of(callbacks);
    ++self.calls;
    args->header.data = &self;
    args->header.cleanup_fn = [](void* data) { ++static_cast<Transform*>(data)->cleanups; };
    if (!self.error.empty()) {
      args->header.has_error = true;
      args->header.error_msg = {self.error.data(), self.error.size()};
      return;
    }
    if (self.bytes.empty()) {
      HloModuleProto module;
      ASSERT_TRUE(
          module.ParseFromString(std::string(args->hlo_module.data, args->hlo_module.size)));
      for (HloComputationProto& computation : *module.mutable_computations()) {
        for (HloInstructionProto& instruction : *computation.mutable_instructions()) {
          if (instruction.opcode() != self.from) continue;
          instruction.set_opcode(self.to);
          args->changed = true;
        }
      }
      if (!args->changed) return;
      self.result = module.SerializeAsString();
    } else {
      args->changed = true;
      self.result = self.bytes;
    }
    args->transformed_hlo_module = {self.result.data(), self.result.size()};
  }

  std::string Register(const char* name, int stage = 0) {
    auto args = New<PJRT_Register_Xla_Transform_Args>();
    args.name = name;
    args.name_size = std::strlen(name);
    args.stage = static_cast<PJRT_XlaTransform_PipelineStage>(stage);
    args.callbacks = &callbacks;
    return TextOf(TransformExtension().register_xla_transform(&args));
  }

  std::string result;
};

bool Clear(const char* name, int stage = 0) {
  auto args = New<PJRT_Clear_Xla_Transform_Args>();
  args.name = name;
  args.name_size = std::strlen(name);
  args.stage = static_cast<PJRT_XlaTransform_PipelineStage>(stage);
  EXPECT_CALL_OK(TransformExtension().clear_xla_transform(&args));
  return args.cleared;
}

Values RunAdd(Plugin& plugin) {
  PJRT_LoadedExecutable* add = plugin.Compile(kAdd);
  std::vector<PJRT_Buffer*> results(1);
  if (add == nullptr) return {};
  EXPECT_EQ(
      plugin.Run(add, {plugin.Floats({1, 2, 3, 4}), plugin.Floats({10, 20, 30, 40})}, &results),
      "OK");
  return plugin.ToFloats(results[0]);
}

std::string ErrorOf(Plugin& plugin) {
  std::string error;
  plugin.Compile(kAdd, &error);
  return error;
}

TEST(PjrtTransformsTest, ChangePrograms) {
  Plugin plugin;
  Transform late{.from = "multiply", .to = "maximum"}, early{.from = "add", .to = "multiply"},
      other{.from = "cosine", .to = "sine"};
  // Stages come in their order, transformations of a stage in that of their registration.
  EXPECT_EQ(late.Register("late", 1), "OK");
  EXPECT_EQ(early.Register("early"), "OK");
  EXPECT_EQ(other.Register("other"), "OK");
  EXPECT_EQ(RunAdd(plugin), (Values{10, 20, 30, 40}));
  EXPECT_EQ(other.calls, 1);
  EXPECT_EQ(other.cleanups, 1);
  EXPECT_FALSE(Clear("late"));  // a transformation of the other stage
  EXPECT_EQ(late.ends, 0);
  EXPECT_TRUE(Clear("late", 1));
  EXPECT_EQ(late.ends, 1);
  EXPECT_EQ(RunAdd(plugin), (Values{10, 40, 90, 160}));
  auto args = New<PJRT_Clear_Xla_Transform_Args>();
  args.callbacks = &early.callbacks;
  EXPECT_CALL_OK(TransformExtension().clear_xla_transform(&args));
  EXPECT_TRUE(args.cleared);
  EXPECT_TRUE(Clear("other"));
  EXPECT_FALSE(Clear("other"));
  EXPECT_EQ(early.ends + other.ends, 2);
  EXPECT_EQ(RunAdd(plugin), (Values{11, 22, 33, 44}));
  EXPECT_EQ(early.calls, 2);
}

TEST(PjrtTransformsTest, FailuresAreErrorsOfTheCompilation) {
  Plugin plugin;
  Transform transform{.error = "no such luck"};
  ASSERT_EQ(transform.Register("mine"), "OK");
  EXPECT_NE(ErrorOf(plugin).find("the transformation mine: no such luck"), std::string::npos);
  EXPECT_EQ(transform.cleanups, 1);
  transform.error.clear();
  transform.bytes = "\xff\xff\xff";
  EXPECT_NE(ErrorOf(plugin).find("the program of the transformation mine"), std::string::npos);
  transform.bytes.clear();
  transform.from = "add";
  transform.to = "concatenate";
  EXPECT_NE(ErrorOf(plugin).find("the program of the transformation mine"), std::string::npos);
  transform.to = "is-finite";
  EXPECT_NE(ErrorOf(plugin), "OK");
  EXPECT_TRUE(Clear("mine"));
  EXPECT_EQ(ErrorOf(plugin), "OK");
}

TEST(PjrtTransformsTest, WrongRegistrationsAreErrors) {
  Transform transform;
  EXPECT_NE(transform.Register("mine", 2).find("unknown transformation stage"), std::string::npos);
  transform.callbacks.version = 7;
  EXPECT_NE(transform.Register("mine").find("version 7"), std::string::npos);
  transform.callbacks.version = PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION;
  transform.callbacks.transform_hlo_module = nullptr;
  EXPECT_NE(transform.Register("mine").find("transform_hlo_module"), std::string::npos);
  auto args = New<PJRT_Register_Xla_Transform_Args>();
  EXPECT_NE(TextOf(TransformExtension().register_xla_transform(&args)).find("name"),
            std::string::npos);
  auto clear = New<PJRT_Clear_Xla_Transform_Args>();
  EXPECT_NE(TextOf(TransformExtension().clear_xla_transform(&clear)).find("callbacks"),
            std::string::npos);
  EXPECT_EQ(transform.ends, 0);
}

}  // namespace
}  // namespace xla::pjrt::testing
