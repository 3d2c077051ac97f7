// SPDX-License-Identifier: Apache-2.0
// Handlers that are written against xla/ffi/api/ffi.h alone, as other projects write them.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/ffi/api/ffi.h"
#include "xla/ffi/ffi_api.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal.h"

namespace ffi = ::xla::ffi;

enum class Operation : int8_t { kSum = 0, kProduct = 1 };
struct Range {
  int64_t lo, hi;
};
XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Operation);
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Range, StructMember<int64_t>("lo"),
                                      StructMember<int64_t>("hi"));

namespace xla {
namespace {

// --- Arrays
ffi::Error Scale(ffi::BufferR1<ffi::F32> in, ffi::Result<ffi::BufferR1<ffi::F32>> out, float by) {
  if (in.dimensions()[0] != static_cast<int64_t>(out->element_count())) {
    return ffi::Error::InvalidArgument("sizes");
  }
  for (size_t i = 0; i < in.element_count(); ++i) {
    out->typed_data()[i] = by * in.typed_data()[i];
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    external_scale, Scale,
    ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32, 1>>().Ret<ffi::BufferR1<ffi::F32>>().Attr<float>(
        "by"),
    {ffi::Traits::kCmdBufferCompatible});
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "external.scale", "Host", external_scale);

// What it is bound to follows from the parameters.
constexpr char kBy[] = "by";
ffi::Error ScaleAny(ffi::AnyBuffer in, ffi::Result<ffi::AnyBuffer> out, ffi::Attr<float, kBy> by) {
  if (in.element_type() != ffi::F32 || in.size_bytes() != out->size_bytes()) {
    return ffi::Error(ffi::ErrorCode::kUnimplemented, ffi::internal::StrCat(in.element_type()));
  }
  for (size_t i = 0; i < in.element_count(); ++i) {
    out->typed_data<float>()[i] = *by * in.typed_data<float>()[i];
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kScaleAny, ScaleAny);
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "external.scale_any", "Host", kScaleAny);

// --- Attributes of all kinds, as text
std::string Text(const std::variant<int32_t, float, std::string_view>& value) {
  if (const auto* number = std::get_if<int32_t>(&value)) return absl::StrCat("s", *number);
  if (const auto* number = std::get_if<float>(&value)) return absl::StrCat("f", *number);
  return std::string(std::get<std::string_view>(value));
}
using Either = std::variant<int32_t, float, std::string_view>;
ffi::Error Describe(ffi::ResultBuffer<ffi::U8> out, std::string_view name, Operation operation,
                    Range range, ffi::Span<const int32_t> weights, ffi::Dictionary more,
                    Either either, bool flag) {
  std::string text = absl::StrCat(std::string(name), " ", static_cast<int>(operation), " ",
                                  range.lo, "..", range.hi);
  for (const int32_t weight : weights) absl::StrAppend(&text, " ", weight);
  absl::StrAppend(&text, " ", Text(either), flag ? " flag" : "", " [");
  for (const std::string_view key : more) absl::StrAppend(&text, " ", std::string(key));
  absl::StrAppend(&text, " ]", more.contains<double>("x") ? " double" : "");
  const ffi::ErrorOr<double> x = more.get<double>("x");
  if (x.has_error()) return x.error();
  absl::StrAppend(&text, " ", *x);
  if (text.size() > out->element_count()) return ffi::Error::Internal(text);
  std::fill_n(out->typed_data(), out->element_count(), '.');
  std::copy(text.begin(), text.end(), out->typed_data());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kDescribe, Describe,
                       ffi::Ffi::Bind()
                           .Ret<ffi::Buffer<ffi::U8>>()
                           .Attr<std::string_view>("name")
                           .Attr<Operation>("operation")
                           .Attr<Range>("range")
                           .Attr<ffi::Span<const int32_t>>("weights")
                           .Attr<ffi::Dictionary>("more")
                           .Attr<Either>("either")
                           .Attr<bool>("flag"));
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "external.describe", "Host", kDescribe);

ffi::Error Width(ffi::ResultBufferR0<ffi::S64> out, Range range) {
  *out->typed_data() = range.hi - range.lo;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kWidth, Width,
                       ffi::Ffi::Bind().Ret<ffi::BufferR0<ffi::S64>>().Attrs<Range>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "external.width", "Host", kWidth);

// --- Optional and remaining ones
ffi::Error Sum(ffi::BufferR0<ffi::F32> first, std::optional<ffi::BufferR0<ffi::F32>> second,
               ffi::RemainingArgs rest, ffi::ResultBufferR0<ffi::F32> sum,
               ffi::RemainingRets more) {
  float total = *first.typed_data();
  if (second.has_value()) total += 10 * *second->typed_data();
  for (size_t i = 0; i < rest.size(); ++i) {
    const auto value = rest.get<ffi::BufferR0<ffi::F32>>(i);
    if (!value) return value.error();
    if (rest.isa<ffi::BufferR1<ffi::F32>>(i)) return ffi::Error::Internal("isa");
    total += 100 * *value->typed_data();
  }
  *sum->typed_data() = total;
  for (size_t i = 0; i < more.size(); ++i) {
    auto value = more.get<ffi::AnyBuffer>(i);
    if (value.has_error()) return value.error();
    *(*value)->typed_data<float>() = -total;
  }
  return more.get<ffi::AnyBuffer>(more.size()).has_error() ? ffi::Error::Success()
                                                           : ffi::Error::Internal("range");
}
XLA_FFI_DEFINE_HANDLER(kSum, Sum,
                       ffi::Ffi::Bind()
                           .Arg<ffi::BufferR0<ffi::F32>>()
                           .OptionalArg<ffi::BufferR0<ffi::F32>>()
                           .RemainingArgs()
                           .Ret<ffi::BufferR0<ffi::F32>>()
                           .RemainingRets());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "external.sum", "Host", kSum);

// --- States, contexts, scratch memory, threads
struct Counter {
  static ffi::TypeId id;
  int64_t calls = 0;
};
ffi::TypeId Counter::id = {};
const ffi::TypeInfo kCounterInfo = ffi::MakeTypeInfo<Counter>();
XLA_FFI_REGISTER_TYPE(ffi::GetXlaFfiApi(), "external.counter", &Counter::id, &kCounterInfo);

ffi::ErrorOr<std::unique_ptr<Counter>> MakeCounter(int64_t start) {
  if (start < 0) return ffi::Error::InvalidArgument("a negative start");
  auto counter = std::make_unique<Counter>();
  counter->calls = start;
  return counter;
}
XLA_FFI_DEFINE_HANDLER(kMakeCounter, MakeCounter,
                       ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));
ffi::Error Count(ffi::ResultBufferR0<ffi::S64> out, Counter* counter, int32_t device,
                 ffi::ScratchAllocator scratch, ffi::ThreadPool threads, ffi::Context context,
                 ffi::Dictionary options) {
  const std::optional<void*> memory = scratch.Allocate(256, 64);
  if (!memory.has_value() || reinterpret_cast<uintptr_t>(*memory) % 64 != 0) {
    return ffi::Error::Internal("scratch");
  }
  if (threads.num_threads() < 1) return ffi::Error::Internal("threads");
  if (!options.empty()) return ffi::Error::Internal("options");
  if (context.get<ffi::PlatformStream<void*>>().has_value()) return ffi::Error::Internal("stream");
  ffi::CountDownPromise promise(2);
  ffi::Future done(promise);
  std::atomic<bool> is_done = false;
  done.OnReady([&](const std::optional<ffi::Error>& error) { is_done = !error.has_value(); });
  for (int i = 0; i < 2; ++i) threads.Schedule([promise]() mutable { promise.CountDown(); });
  while (!is_done) std::this_thread::yield();
  *out->typed_data() = 1000 * device + ++counter->calls;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kCount, Count,
                       ffi::Ffi::Bind()
                           .Ret<ffi::BufferR0<ffi::S64>>()
                           .Ctx<ffi::State<Counter>>()
                           .Ctx<ffi::DeviceOrdinal>()
                           .Ctx<ffi::ScratchAllocator>()
                           .Ctx<ffi::ThreadPool>()
                           .Ctx()
                           .Ctx<ffi::CustomOptions>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "external.count", "Host",
                         {kMakeCounter, nullptr, nullptr, kCount});

// --- Goes on after it returned
ffi::Future Later(ffi::ResultBufferR0<ffi::S64> out, bool fails) {
  ffi::Promise promise;
  ffi::Future future(promise);
  std::thread([promise, fails, to = out->typed_data()]() mutable {
    *to = 7;
    fails ? promise.SetError(ffi::Error(ffi::ErrorCode::kAborted, "later"))
          : promise.SetAvailable();
  }).detach();
  return future;
}
XLA_FFI_DEFINE_HANDLER(kLater, Later,
                       ffi::Ffi::Bind().Ret<ffi::BufferR0<ffi::S64>>().Attr<bool>("fails"));
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "external.later", "Host", kLater);

class ExternalCallsTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<LocalExecutable>> Compile(std::string_view shape,
                                                           std::string_view operands,
                                                           std::string_view target,
                                                           std::string_view config) {
    const std::string text = absl::StrCat(
        "HloModule call\nENTRY e {\n  a = f32[] constant(3)\n  b = f32[] constant(4)\n",
        "  v = f32[2] constant({1, 2})\n  m = f32[1,2] constant({{1, 2}})\n  n = s32[2] "
        "constant({1, 2})\n",
        "  ROOT r = ", std::string(shape), " custom-call(", std::string(operands),
        "), custom_call_target=\"external.", std::string(target),
        "\", api_version=API_VERSION_TYPED_FFI, backend_config=\"", std::string(config), "\"\n}");
    XLA_ASSIGN_OR_RETURN(auto module, ParseAndReturnUnverifiedModule(text));
    XLA_ASSIGN_OR_RETURN(auto executables, client_->Compile(XlaComputation(module->ToProto()), {},
                                                            ExecutableBuildOptions()));
    return std::move(executables[0]);
  }
  absl::StatusOr<std::string> Run(LocalExecutable& executable) {
    XLA_ASSIGN_OR_RETURN(const ScopedShapedBuffer result, executable.Run({}, {}));
    XLA_ASSIGN_OR_RETURN(const Literal literal, client_->ShapedBufferToLiteral(result));
    return literal.ToStringWithoutShapeOneline();
  }
  std::string Call(std::string_view shape, std::string_view operands, std::string_view target,
                   std::string_view config) {
    const auto result = [&]() -> absl::StatusOr<std::string> {
      XLA_ASSIGN_OR_RETURN(const auto executable, Compile(shape, operands, target, config));
      return Run(*executable);
    }();
    return result.ok() ? *result : std::string(result.status().ToString());
  }

  LocalClient* const client_ = ClientLibrary::LocalClientOrDie();
};

#define EXPECT_CONTAINS(text, part)                                             \
  EXPECT_TRUE([](const std::string& t, const std::string& p) {                  \
    return t.find(p) != std::string::npos ? ::testing::AssertionSuccess()       \
                                          : ::testing::AssertionFailure() << t; \
  }(text, part))

TEST_F(ExternalCallsTest, ArraysAndScalars) {
  EXPECT_EQ(Call("f32[2]", "v", "scale", "{by = 2.5 : f32}"), "{2.5, 5}");
  EXPECT_EQ(Call("f32[1,2]", "m", "scale_any", "{by = 2.0 : f32}"), "{ { 2, 4 } }");
  EXPECT_CONTAINS(Call("f32[3]", "v", "scale", "{by = 2.5 : f32}"), "sizes");
  EXPECT_CONTAINS(Call("s32[2]", "n", "scale_any", "{by = 2.0 : f32}"), "S32");
}

TEST_F(ExternalCallsTest, WrongCallsSayWhatIsWrong) {
  EXPECT_CONTAINS(Call("f32[2]", "v", "scale", "{by = 2.5 : f64}"),
                  "Wrong scalar data type: expected F32 but got F64");
  EXPECT_CONTAINS(Call("f32[2]", "v", "scale", "{to = 2.5 : f32}"),
                  "Attribute name mismatch: to vs by");
  EXPECT_CONTAINS(Call("f32[2]", "v", "scale", "{by = 1.0 : f32, of = 2 : i32}"),
                  "Wrong number of attributes: expected 1 but got 2 with name(s): by, of");
  EXPECT_CONTAINS(Call("f32[2]", "v, v", "scale", "{by = 2.5 : f32}"),
                  "[execute] Wrong number of arguments: expected 1 but got 2");
  EXPECT_CONTAINS(
      Call("f32[2]", "n", "scale", "{by = 2.5 : f32}"),
      "(bad operands at: 0)\nDiagnostics:\nWrong buffer dtype: expected F32 but got S32");
  EXPECT_CONTAINS(Call("f32[2]", "m", "scale", "{by = 2.5 : f32}"),
                  "Wrong buffer rank: expected 1 but got 2");
}

TEST_F(ExternalCallsTest, AttributesOfAllKinds) {
  const auto describe = [&](const char* either) {
    const auto executable = Compile(
        "u8[50]", "", "describe",
        absl::StrCat("{name = \\\"it\\\", operation = 1 : i8, range = {lo = 2, hi = 5}, ",
                     "weights = array<i32: 7, 8>, more = {a = 1 : i32, x = 0.5}, either = ", either,
                     ", flag = true}"));
    EXPECT_TRUE(executable.ok()) << executable.status();
    const ScopedShapedBuffer result = (*executable)->Run({}, {}).value();
    const Literal literal = client_->ShapedBufferToLiteral(result).value();
    const auto bytes = literal.data<uint8_t>();
    return std::string(bytes.begin(), bytes.end());
  };
  EXPECT_CONTAINS(describe("3 : i32"), "it 1 2..5 7 8 s3 flag [ a x ] double 0.5.");
  EXPECT_CONTAINS(describe("1.5 : f32"), "f1.5");
  EXPECT_CONTAINS(describe("\\\"text\\\""), "text");
  EXPECT_EQ(Call("s64[]", "", "width", "{lo = 2, hi = 5}"), "3");
  EXPECT_CONTAINS(Call("s64[]", "", "width", "{lo = 2, hi = 5, mid = 3}"),
                  "Wrong number of attributes: expected 2 attributes but got 3");
}

TEST_F(ExternalCallsTest, OptionalAndRemaining) {
  EXPECT_EQ(Call("f32[]", "a", "sum", ""), "3");
  EXPECT_EQ(Call("f32[]", "a, b", "sum", ""), "43");
  EXPECT_EQ(Call("(f32[], f32[])", "a, b, a, a", "sum", ""), "( 643, -643 )");
  EXPECT_CONTAINS(Call("f32[]", "", "sum", ""), "expected at least 1 but got 0");
}

TEST_F(ExternalCallsTest, StatesLastAsLongAsTheProgram) {
  const auto executable = Compile("s64[]", "", "count", "{start = 5 : i64}");
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_EQ(Run(**executable).value(), "6");
  EXPECT_EQ(Run(**executable).value(), "7");
  EXPECT_CONTAINS(Call("s64[]", "", "count", "{start = -5 : i64}"), "a negative start");
}

TEST_F(ExternalCallsTest, FuturesAreWaitedFor) {
  EXPECT_EQ(Call("s64[]", "", "later", "{fails = false}"), "7");
  EXPECT_CONTAINS(Call("s64[]", "", "later", "{fails = true}"), "later");
}

}  // namespace
}  // namespace xla
