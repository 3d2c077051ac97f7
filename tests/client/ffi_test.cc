// SPDX-License-Identifier: Apache-2.0
// Typed handlers of custom calls, bound to C++ functions and called by the interpreter and by
// compiled programs.
#include "xla/ffi/ffi.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/client/execution_test_util.h"
#include "xla/backends/cpu/ffi.h"
#include "xla/ffi/execution_context.h"
#include "xla/literal_util.h"

enum class Operation : int8_t { kAdd, kMultiply };
struct Range {
  int64_t lo, hi;
};
XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Operation);
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Range, StructMember<int64_t>("lo"),
                                      StructMember<int64_t>("hi"));

namespace xla {
namespace {

absl::Status Scale(ffi::Buffer<F32> in, ffi::Result<ffi::Buffer<F32>> out, float by) {
  for (int64_t i = 0; i < in.element_count(); ++i) out->typed_data()[i] = by * in.typed_data()[i];
  return absl::OkStatus();
}
XLA_FFI_DEFINE_HANDLER(
    kScale, Scale,
    ffi::Ffi::Bind().Arg<ffi::Buffer<F32>>().Ret<ffi::Buffer<F32>>().Attr<float>("by"));
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "ffi_test.scale", "Host", kScale);

// Folds the numbers of an array of any type with an operation, bounded by a range.
absl::Status Fold(ffi::AnyBuffer in, Operation operation, ffi::Result<ffi::BufferR0<S64>> out,
                  Range range, absl::string_view name, absl::Span<const int32_t> weights) {
  if (in.element_type() != S32) return absl::UnimplementedError("s32 only");
  if (name != "fold") return absl::InternalError("name");
  int64_t result = operation == Operation::kAdd ? 0 : 1;
  for (int64_t i = 0; i < in.element_count(); ++i) {
    const int64_t value = int64_t{in.typed_data<int32_t>()[i]} * weights[static_cast<size_t>(i)];
    result = operation == Operation::kAdd ? result + value : result * value;
  }
  *out->typed_data() = std::min(std::max(result, range.lo), range.hi);
  return absl::OkStatus();
}
XLA_FFI_DEFINE_HANDLER(kFold, Fold,
                       ffi::Ffi::Bind()
                           .Arg<ffi::AnyBuffer>()
                           .Attr<Operation>("operation")
                           .Ret<ffi::BufferR0<S64>>()
                           .Attr<Range>("range")
                           .Attr<absl::string_view>("name")
                           .Attr<absl::Span<const int32_t>>("weights"));
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "ffi_test.fold", "Host", kFold);

// The number of arguments, results and attributes; the results get their position.
absl::Status Count(ffi::Result<ffi::BufferR1<S32>> counts, ffi::RemainingArgs args,
                   ffi::RemainingRets rets, ffi::Dictionary attributes) {
  counts->typed_data()[0] = static_cast<int32_t>(args.size());
  counts->typed_data()[1] = static_cast<int32_t>(rets.size());
  counts->typed_data()[2] = static_cast<int32_t>(attributes.size());
  if (args.get<ffi::BufferR1<F64>>(0).ok()) return absl::InternalError("an f32[] as f64[?]");
  if (args.get<ffi::AnyBuffer>(args.size()).ok()) return absl::InternalError("out of range");
  if (attributes.get<int64_t>("x").ok()) return absl::InternalError("an i32 as i64");
  XLA_ASSIGN_OR_RETURN(const int32_t x, attributes.get<int32_t>("x"));
  XLA_ASSIGN_OR_RETURN(auto rest, rets.get<ffi::BufferR0<S32>>(0));
  *rest->typed_data() = x;
  return absl::OkStatus();
}
XLA_FFI_DEFINE_HANDLER(
    kCount, Count,
    ffi::Ffi::Bind().Ret<ffi::BufferR1<S32>>().RemainingArgs().RemainingRets().Attrs());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "ffi_test.count", "Host", kCount);

// A state that counts its calls, and the instances of it.
struct Counter {
  explicit Counter(float start) : value(start) { ++instances; }
  ~Counter() { --instances; }
  float value;
  static inline int instances = 0;
};
absl::StatusOr<std::unique_ptr<Counter>> MakeCounter(float start) {
  if (start < 0) return absl::OutOfRangeError("start");
  return std::make_unique<Counter>(start);
}
absl::Status Increment(ffi::Result<ffi::BufferR0<F32>> out, Counter* counter, float) {
  *out->typed_data() = ++counter->value;
  return absl::OkStatus();
}
XLA_FFI_DEFINE_HANDLER(kMakeCounter, MakeCounter, ffi::Ffi::BindInstantiate().Attr<float>("start"));
XLA_FFI_DEFINE_HANDLER(
    kIncrement, Increment,
    ffi::Ffi::Bind().Ret<ffi::BufferR0<F32>>().Ctx<ffi::State<Counter>>().Attr<float>("start"));
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "ffi_test.counter", "Host",
                         {kMakeCounter, nullptr, nullptr, kIncrement});

// Makes a Counter, and asks for a state of another type.
absl::Status TakeText(ffi::Result<ffi::BufferR0<F32>>, std::string*, float) {
  return absl::OkStatus();
}
XLA_FFI_DEFINE_HANDLER(
    kTakeText, TakeText,
    ffi::Ffi::Bind().Ret<ffi::BufferR0<F32>>().Ctx<ffi::State<std::string>>().Attr<float>("start"));
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "ffi_test.other_state", "Host",
                         {kMakeCounter, nullptr, nullptr, kTakeText});
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "ffi_test.no_state", "Host",
                         {nullptr, nullptr, nullptr, kTakeText});

struct Seen {
  int calls = 0;
  int64_t run_id = 0;
  const Eigen::ThreadPoolDevice* pool = nullptr;
};
absl::Status See(ffi::Result<ffi::AnyBuffer>, Seen* seen, int32_t device, RunId run,
                 const Eigen::ThreadPoolDevice* pool) {
  seen->calls += 1 + device;
  seen->run_id = run.ToInt();
  seen->pool = pool;
  return absl::OkStatus();
}
XLA_FFI_DEFINE_HANDLER(kSee, See,
                       ffi::Ffi::Bind()
                           .Ret<ffi::AnyBuffer>()
                           .Ctx<ffi::UserData<Seen>>()
                           .Ctx<ffi::DeviceOrdinal>()
                           .Ctx<RunId>()
                           .Ctx<ffi::IntraOpThreadPool>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "ffi_test.see", "Host", kSee);

// Of another platform: not called.
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "ffi_test.cuda", "CUDA", kSee);

// The sum of all arguments.
absl::Status Sum(ffi::Result<ffi::BufferR0<F32>> sum, ffi::RemainingArgs args) {
  *sum->typed_data() = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(const auto arg, args.get<ffi::BufferR0<F32>>(i));
    *sum->typed_data() += static_cast<float>(i + 1) * *arg.typed_data();
  }
  return absl::OkStatus();
}
XLA_FFI_DEFINE_HANDLER(kSum, Sum, ffi::Ffi::Bind().Ret<ffi::BufferR0<F32>>().RemainingArgs());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "ffi_test.sum", "Host", kSum);

class FfiTest : public ::testing::TestWithParam<bool> {
 protected:
  FfiTest() : client_(MakeClient(LocalClientOptions().set_use_compiler(GetParam()))) {}

  // The result of a program that calls a target: `shape` and `operands` as HLO text has them.
  absl::StatusOr<std::string> Call(std::string_view shape, std::string_view operands,
                                   std::string_view target, std::string_view config) {
    const std::string text = absl::StrCat(
        "HloModule call\nENTRY e {\n  a = f32[] constant(3)\n",
        "  v = f32[2] constant({1, 2})\n  n = s32[3] constant({2, 3, 4})\n",
        "  ROOT r = ", std::string(shape), " custom-call(", std::string(operands),
        "), custom_call_target=\"ffi_test.", std::string(target),
        "\", api_version=API_VERSION_TYPED_FFI, backend_config=\"", std::string(config), "\"\n}");
    XLA_ASSIGN_OR_RETURN(executable_, CompileText(*client_, text));
    return Run();
  }
  absl::StatusOr<std::string> Run(const ExecutableRunOptions& options = {}) {
    XLA_ASSIGN_OR_RETURN(const ScopedShapedBuffer result, executable_->Run({}, options));
    XLA_ASSIGN_OR_RETURN(const Literal literal, client_->ShapedBufferToLiteral(result));
    return literal.ToStringWithoutShapeOneline();
  }
  void ExpectError(const absl::StatusOr<std::string>& result, absl::StatusCode code,
                   std::string_view part) {
    EXPECT_EQ(result.status().code(), code) << result.status();
    EXPECT_NE(result.status().message().find(std::string(part)), absl::string_view::npos)
        << result.status();
  }

  std::unique_ptr<LocalClient> client_;
  std::unique_ptr<LocalExecutable> executable_;
};
INSTANTIATE_TEST_SUITE_P(Backends, FfiTest, ::testing::Bool());

TEST_P(FfiTest, ArraysAndAttributes) {
  EXPECT_EQ(Call("f32[2]", "v", "scale", "{by = 2.5 : f32}").value(), "{2.5, 5}");
  const auto fold = [&](const char* operation) {
    return Call("s64[]", "n", "fold",
                absl::StrCat("{operation = ", operation, " : i8, range = {lo = 0, hi = 50}, ",
                             "name = \\\"fold\\\", weights = array<i32: 1, 1, 2>}"));
  };
  EXPECT_EQ(fold("0").value(), "13");
  EXPECT_EQ(fold("1").value(), "48");
  EXPECT_EQ(Call("(s32[3], s32[])", "a, v", "count", "{x = 7 : i32, y = true}").value(),
            "( {2, 1, 2}, 7 )");
  EXPECT_EQ(Call("f32[]", "a, a, a, a, a, a, a, a, a", "sum", "").value(), "135");
}

TEST_P(FfiTest, CallsThatDoNotFitAreErrors) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  ExpectError(Call("f32[2]", "", "scale", "{by = 2.5 : f32}"), kInvalid,
              "Wrong number of arguments: expected 1 but got 0");
  ExpectError(Call("(f32[2], f32[])", "v", "scale", "{by = 2.5 : f32}"), kInvalid,
              "Wrong number of results: expected 1 but got 2");
  ExpectError(Call("f32[2]", "v", "scale", ""), kInvalid,
              "Wrong number of attributes: expected 1 but got 0");
  ExpectError(Call("f32[2]", "v", "scale", "{to = 2.5 : f32}"), kInvalid,
              "there is no attribute by");
  ExpectError(Call("f32[2]", "v", "scale", "{by = 2.5 : f64}"), kInvalid,
              "Wrong scalar data type: expected F32 but got F64");
  ExpectError(Call("f32[2]", "v", "scale", "{by = \\\"x\\\"}"), kInvalid,
              "Wrong attribute type: expected scalar but got string");
  ExpectError(Call("f32[3]", "n", "scale", "{by = 2.5 : f32}"), kInvalid,
              "Wrong buffer dtype: expected F32 but got S32");
  ExpectError(Call("s64[1]", "n", "fold",
                   "{operation = 0 : i8, range = {lo = 0, hi = 50}, name = \\\"fold\\\", "
                   "weights = array<i32: 1, 1, 2>}"),
              kInvalid, "Wrong buffer rank: expected 0 but got 1");
  ExpectError(Call("s64[]", "n", "fold",
                   "{operation = 0 : i8, range = {lo = 0}, name = \\\"fold\\\", "
                   "weights = array<i32: 1, 1, 2>}"),
              kInvalid, "there is no attribute hi");
  ExpectError(Call("f32[]", "", "missing", ""), absl::StatusCode::kNotFound,
              "No FFI handler registered for");
  ExpectError(Call("f32[]", "", "cuda", ""), absl::StatusCode::kNotFound,
              "No FFI handler registered for");
}

TEST_P(FfiTest, ErrorsOfFunctionsKeepTheirCode) {
  ExpectError(Call("s64[]", "v", "fold",
                   "{operation = 0 : i8, range = {lo = 0, hi = 50}, name = \\\"fold\\\", "
                   "weights = array<i32: 1, 1, 2>}"),
              absl::StatusCode::kUnimplemented, "s32 only");
  ExpectError(Call("f32[]", "", "counter", "{start = -1.0 : f32}"), absl::StatusCode::kOutOfRange,
              "start");
}

TEST_P(FfiTest, AStateLivesAsLongAsTheProgram) {
  EXPECT_EQ(Call("f32[]", "", "counter", "{start = 4.0 : f32}").value(), "5");
  EXPECT_EQ(Run().value(), "6");
  EXPECT_EQ(Counter::instances, 1);
  executable_.reset();
  EXPECT_EQ(Counter::instances, 0);
}

TEST(FfiDevices, HandlersSeeTheDeviceAndTheNumberOfTheRun) {
  for (const bool compiled : {false, true}) {
    const auto client =
        MakeClient(LocalClientOptions().set_device_count(3).set_use_compiler(compiled));
    ASSERT_OK_AND_ASSIGN(const auto executable,
                         CompileText(*client,
                                     "HloModule call\nENTRY e { ROOT r = f32[] custom-call(), "
                                     "custom_call_target=\"ffi_test.see\", "
                                     "api_version=API_VERSION_TYPED_FFI }"));
    ffi::ExecutionContext context;
    ASSERT_OK(context.Emplace<Seen>());
    ExecutableRunOptions options;
    options.set_ffi_execution_context(&context).set_device_ordinal(2).set_run_id(RunId(77));
    options.set_intra_op_thread_pool(reinterpret_cast<const Eigen::ThreadPoolDevice*>(&options));
    ASSERT_OK(executable->Run({}, options).status());
    EXPECT_EQ((*context.Lookup<Seen>())->calls, 3);
    EXPECT_EQ((*context.Lookup<Seen>())->run_id, 77);
    ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer later, executable->RunAsync({}, options));
    ASSERT_OK(client->ShapedBufferToLiteral(later).status());
    EXPECT_EQ((*context.Lookup<Seen>())->calls, 6);
  }
}

TEST(FfiRegistry, ATypeKeepsItsNumber) {
  const XLA_FFI_Api* const api = ffi::GetXlaFfiApi();
  // The number that a type gets when this one is asked for; 0 on errors.
  const auto registered = [&](std::string name, int64_t number) {
    XLA_FFI_TypeId id = {number};
    XLA_FFI_Type_Register_Args args = {};
    args.struct_size = sizeof(args);
    args.name = {name.data(), name.size()};
    args.type_id = &id;
    XLA_FFI_Error* const error = api->XLA_FFI_Type_Register(&args);
    if (error == nullptr) return id.type_id;
    XLA_FFI_Error_Destroy_Args destroy = {};
    destroy.struct_size = sizeof(destroy);
    destroy.error = error;
    api->XLA_FFI_Error_Destroy(&destroy);
    return int64_t{0};
  };
  const int64_t first = registered("ffi_test.type", 0);
  EXPECT_NE(first, 0);
  EXPECT_EQ(registered("ffi_test.type", 0), first);
  EXPECT_EQ(registered("ffi_test.type", first), first);
  EXPECT_EQ(registered("ffi_test.type", first + 1), 0);
  EXPECT_NE(registered("ffi_test.other_type", 0), first);
}

TEST_P(FfiTest, AStateIsOfTheTypeThatWasMade) {
  ExpectError(Call("f32[]", "", "other_state", "{start = 4.0 : f32}"),
              absl::StatusCode::kInvalidArgument, "the state of the stage has another type");
  ExpectError(Call("f32[]", "", "no_state", "{start = 4.0 : f32}"),
              absl::StatusCode::kInvalidArgument, "the stage has no state");
}

TEST_P(FfiTest, RunsHandOverObjects) {
  ExpectError(Call("f32[]", "", "see", ""), absl::StatusCode::kInvalidArgument,
              "Failed to get user data");
  ffi::ExecutionContext context;
  ASSERT_OK(context.Emplace<Seen>());
  EXPECT_EQ(context.Emplace<Seen>().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(context.Lookup<int>().status().code(), absl::StatusCode::kNotFound);
  ExecutableRunOptions options;
  options.set_ffi_execution_context(&context);
  ExpectError(Run(options), absl::StatusCode::kInvalidArgument, "no intra op thread pool");
  const auto* const pool = reinterpret_cast<const Eigen::ThreadPoolDevice*>(&options);
  EXPECT_OK(Run(options.set_intra_op_thread_pool(pool)));
  EXPECT_EQ((*context.Lookup<Seen>())->calls, 1);
  EXPECT_EQ((*context.Lookup<Seen>())->pool, pool);
}

// The message of the error of a registration, after its code; empty for none.
std::string Registered(std::string_view name, const XLA_FFI_Handler_Bundle& bundle,
                       size_t struct_size = sizeof(XLA_FFI_Handler_Register_Args)) {
  const XLA_FFI_Api* const api = ffi::GetXlaFfiApi();
  const std::string platform = "Host";
  XLA_FFI_Handler_Register_Args args = {};
  args.struct_size = struct_size;
  args.name = {name.data(), name.size()};
  args.platform = {platform.data(), platform.size()};
  args.bundle = bundle;
  XLA_FFI_Error* const error = api->XLA_FFI_Handler_Register(&args);
  if (error == nullptr) return std::string();
  XLA_FFI_Error_GetDetails_Args details = {};
  details.struct_size = sizeof(details);
  details.error = error;
  api->XLA_FFI_Error_GetDetails(&details);
  std::string text = absl::StrCat(details.errc, ": ", details.message);
  XLA_FFI_Error_Destroy_Args destroy = {};
  destroy.struct_size = sizeof(destroy);
  destroy.error = error;
  api->XLA_FFI_Error_Destroy(&destroy);
  return text;
}

TEST(FfiRegistry, RejectsHandlersThatCannotBeCalled) {
  EXPECT_EQ(Registered("ffi_test.nothing", {}),
            "3: a custom call without a function that executes it");
  EXPECT_EQ(Registered("", {}), "3: a custom call without a name");
}

// A handler that was made with the headers of a version of the interface.
template <int kMajor, int kMinor>
XLA_FFI_Error* OfVersion(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start != nullptr) {
    auto* extension = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
    extension->metadata->api_version.major_version = kMajor;
    extension->metadata->api_version.minor_version = kMinor;
  }
  return nullptr;
}

TEST(FfiRegistry, TakesAllMinorVersions) {
  for (XLA_FFI_Handler* handler : {&OfVersion<0, 1>, &OfVersion<0, 3>, &OfVersion<0, 4>,
                                   &OfVersion<0, 5>, &OfVersion<0, 99>}) {
    EXPECT_EQ(Registered("ffi_test.version", {.execute = handler}), "");
  }
  EXPECT_EQ(Registered("ffi_test.version", {.execute = &OfVersion<1, 0>}),
            "3: the handler was made for version 1.0 of the custom-call interface; this is 0.5");
}

TEST(FfiRegistry, TakesTheBundlesOfAllVersions) {
  const XLA_FFI_Handler_Bundle bundle = {.execute = &OfVersion<0, 5>, .record = &OfVersion<0, 5>};
  EXPECT_EQ(Registered("ffi_test.record", bundle), "");
  // Before 0.5: four stages, then the traits.
  constexpr size_t kOldSize = offsetof(XLA_FFI_Handler_Register_Args, bundle) +
                              offsetof(XLA_FFI_Handler_Bundle, record) + sizeof(uint32_t);
  EXPECT_EQ(Registered("ffi_test.traits", bundle, kOldSize), "");
}

// Calls what 0.5 added, as its headers do.
XLA_FFI_Error* UsesTheNewest(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start != nullptr) return OfVersion<0, 5>(frame);
  const XLA_FFI_Api* const api = frame->api;
  std::string wrong;
  if (api->struct_size != sizeof(XLA_FFI_Api) || api->api_version.minor_version != 5) {
    wrong += "table ";
  }
  XLA_FFI_InvokeContext_FindExtension_Args extension = {sizeof(extension), nullptr, frame->ctx, 7,
                                                        nullptr};
  if (api->XLA_FFI_InvokeContext_FindExtension(&extension) != nullptr ||
      extension.extension != nullptr) {
    wrong += "extension ";
  }
  XLA_FFI_CustomOptions_Get_Args options = {sizeof(options), nullptr, frame->ctx, nullptr};
  if (api->XLA_FFI_CustomOptions_Get(&options) != nullptr || options.attrs == nullptr ||
      options.attrs->size != 0) {
    wrong += "options ";
  }
  // Callers before 0.5 have no place for the code.
  XLA_FFI_Error_Create_Args create = {sizeof(create), nullptr, "made",
                                      XLA_FFI_Error_Code_NOT_FOUND};
  XLA_FFI_Error* const error = api->XLA_FFI_Error_Create(&create);
  XLA_FFI_Error_GetDetails_Args details = {offsetof(XLA_FFI_Error_GetDetails_Args, errc), nullptr,
                                           error, nullptr, XLA_FFI_Error_Code_DATA_LOSS};
  api->XLA_FFI_Error_GetDetails(&details);
  if (details.errc != XLA_FFI_Error_Code_DATA_LOSS || std::string_view(details.message) != "made")
    wrong += "old details ";
  details.struct_size = offsetof(XLA_FFI_Error_GetDetails_Args, errc) + sizeof(uint32_t);
  api->XLA_FFI_Error_GetDetails(&details);
  if (details.errc != 5) wrong += "details ";
  XLA_FFI_Error_Destroy_Args destroy = {sizeof(destroy), nullptr, error};
  api->XLA_FFI_Error_Destroy(&destroy);
  create.message = wrong.c_str();
  return wrong.empty() ? nullptr : api->XLA_FFI_Error_Create(&create);
}

TEST_P(FfiTest, HandlersCallTheWholeTable) {
  ASSERT_EQ(Registered("ffi_test.uses_the_newest", {.execute = &UsesTheNewest}), "");
  EXPECT_OK(Call("f32[]", "", "uses_the_newest", ""));
}

}  // namespace
}  // namespace xla
