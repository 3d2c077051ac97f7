// SPDX-License-Identifier: Apache-2.0
// Custom calls: the registry, attributes, both C++ and C handlers, shared libraries, errors.
#include "xla/runtime/custom_call.h"

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

// Runs the instructions of an entry computation.
absl::StatusOr<Literal> RunProgram(const std::string& body, const CustomCallRegistry& registry,
                                   int64_t memory_limit = 0) {
  XLA_ASSIGN_OR_RETURN(const auto module,
                       ParseAndReturnUnverifiedModule("HloModule m\nENTRY e {\n" + body + "\n}"));
  XLA_RETURN_IF_ERROR(VerifyModule(*module));
  InterpreterOptions options;
  options.num_threads = 1;
  options.memory_limit_bytes = memory_limit;
  options.custom_call_registry = &registry;
  return Interpret(*module, {}, options);
}

CustomCallRegistry Sample() {
  CustomCallRegistry registry;
  EXPECT_OK(registry.LoadLibrary(XYLEM_SAMPLE_CALLS));
  return registry;
}

// --- Attributes ------------------------------------------------------------------------------

AttributeDictionary Attributes(const std::string& text) {
  auto parsed = AttributeDictionary::Parse(text);
  EXPECT_OK(parsed);
  return parsed.ok() ? *std::move(parsed) : AttributeDictionary();
}

TEST(AttributeDictionary, TypesOfScalars) {
  const AttributeDictionary a = Attributes(
      R"({i8 = -128 : i8, wrapped = 255 : i8, u8 = 255 : ui8, i16 = -3 : si16, i32 = 7 : i32,
          plain = 9223372036854775807, u64 = 0xFFFFFFFFFFFFFFFF : ui64, on = true, off = false,
          one = 1 : i1, f = 2.5 : f32, d = -1.5e-3, bits = 0x7F800000 : f32})");
  EXPECT_EQ(*a.Get<int8_t>("i8"), -128);
  EXPECT_EQ(*a.Get<int8_t>("wrapped"), -1);
  EXPECT_EQ(*a.Get<uint8_t>("u8"), 255);
  EXPECT_EQ(*a.Get<int16_t>("i16"), -3);
  EXPECT_EQ(*a.Get<int32_t>("i32"), 7);
  EXPECT_EQ(*a.Get<int64_t>("plain"), INT64_MAX);
  EXPECT_EQ(*a.Get<uint64_t>("u64"), UINT64_MAX);
  EXPECT_TRUE(*a.Get<bool>("on"));
  EXPECT_FALSE(*a.Get<bool>("off"));
  EXPECT_TRUE(*a.Get<bool>("one"));
  EXPECT_EQ(*a.Get<float>("f"), 2.5f);
  EXPECT_EQ(*a.Get<double>("d"), -1.5e-3);
  EXPECT_EQ(*a.Get<float>("bits"), std::numeric_limits<float>::infinity());
}

TEST(AttributeDictionary, ArraysStringsDictionaries) {
  const AttributeDictionary a = Attributes(
      R"({ints = array<i64: 1, -2>, none = array<i32>, flags = array<i1: true, false>,
          halves = array<f32: 0.5, 1.5>, small = array<i8: 1, 2, 3, 4, 5, 6, 7, 8, 9>,
          dense = dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>, splat = dense<7> : tensor<3xi16>,
          hex = dense<"0x0100000002000000"> : tensor<2xi32>, scalar = dense<5> : tensor<i64>,
          s = "a\"b\\c\n\41", "odd name" = "", in = {deep = {x = 1 : i32}}})");
  EXPECT_EQ(*a.GetArray<int64_t>("ints"), (std::vector<int64_t>{1, -2}));
  EXPECT_TRUE(a.GetArray<int32_t>("none")->empty());
  EXPECT_EQ(a.GetArray<bool>("flags")->size(), 2u);
  EXPECT_TRUE((*a.GetArray<bool>("flags"))[0]);
  EXPECT_EQ(*a.GetArray<float>("halves"), (std::vector<float>{0.5, 1.5}));
  EXPECT_EQ((*a.GetArray<int8_t>("small"))[8], 9);
  EXPECT_EQ(*a.GetArray<int32_t>("dense"), (std::vector<int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(*a.GetArray<int16_t>("splat"), (std::vector<int16_t>{7, 7, 7}));
  EXPECT_EQ(*a.GetArray<int32_t>("hex"), (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(*a.GetArray<int64_t>("scalar"), (std::vector<int64_t>{5}));
  EXPECT_EQ(*a.GetString("s"), "a\"b\\c\nA");
  EXPECT_EQ(*a.GetString("odd name"), "");
  EXPECT_EQ(*(*(*a.GetDictionary("in"))->GetDictionary("deep"))->Get<int32_t>("x"), 1);
  EXPECT_TRUE(Attributes("").empty());
  EXPECT_TRUE(Attributes(" { } ").empty());
}

TEST(AttributeDictionary, LookUpErrorsNameTheType) {
  const AttributeDictionary a = Attributes("{x = 1 : i32, y = array<f64: 1.0>}");
  EXPECT_ERROR(a.Get<int64_t>("x"), "attribute 'x' is of type i32, not i64");
  EXPECT_ERROR(a.GetArray<double>("x"), "is of type i32, not array of f64");
  EXPECT_ERROR(a.GetString("y"), "is of type array of f64, not string");
  EXPECT_ERROR(a.Get<bool>("z"), "there is no attribute 'z'; given are: x, y");
}

TEST(AttributeDictionary, SyntaxErrorsSayWhere) {
  const auto parse = [](const std::string& text) { return AttributeDictionary::Parse(text); };
  EXPECT_ERROR(parse("a = 1"), "position 0: expected '{', found 'a = 1'");
  EXPECT_ERROR(parse("{a = 1"), "position 6: expected '}', found the end");
  EXPECT_ERROR(parse("{a}"), "expected '=' and the value of 'a'");
  EXPECT_ERROR(parse("{a = }"), "expected a value");
  EXPECT_ERROR(parse("{a = unit}"), "expected a number, a string");
  EXPECT_ERROR(parse("{a = 1, a = 2}"), "'a' is given twice");
  EXPECT_ERROR(parse("{= 1}"), "the name of an attribute");
  EXPECT_ERROR(parse("{a = 1, }"), "the name of an attribute");
  EXPECT_ERROR(parse("{a 1}"), "'=' and the value of 'a'");
  EXPECT_ERROR(parse("{a = }"), "expected");
  EXPECT_ERROR(parse("{a = 300 : i8}"), "300 does not fit i8");
  EXPECT_ERROR(parse("{a = -1 : ui8}"), "-1 does not fit ui8");
  EXPECT_ERROR(parse("{a = 99999999999999999999}"), "does not fit i64");
  EXPECT_ERROR(parse("{a = 1 : f32}"), "needs a decimal point");
  EXPECT_ERROR(parse("{a = 1.0 : i32}"), "1.0 is not of type i32");
  EXPECT_ERROR(parse("{a = true : i32}"), "true is not of type i32");
  EXPECT_ERROR(parse("{a = 1 : i128}"), "expected a type");
  EXPECT_ERROR(parse("{a = \"x}"), "expected '\"' at the end");
  EXPECT_ERROR(parse("{a = \"\\q\"}"), "expected an escape");
  EXPECT_ERROR(parse("{a = array<i8: 1,>}"), "expected a value");
  EXPECT_ERROR(parse("{a = dense<[1, 2]> : tensor<3xi8>}"), "has 2 elements, its type 3");
  EXPECT_ERROR(parse("{a = dense<1> : tensor<99999999x99999999x99999999xi8>}"), "more than");
  EXPECT_ERROR(parse("{a = dense<\"0x01\"> : tensor<1xi32>}"), "does not fit its type");
  EXPECT_ERROR(parse("{} x"), "expected the end of the text");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{a = ";
  EXPECT_ERROR(parse(deep), "nested deeper than 64");
}

TEST(AttributeDictionary, AnyTextGivesADictionaryOrAnError) {
  const std::string text =
      R"({a = -1 : i32, s = "x\41", d = dense<[[1, 2]]> : tensor<1x2xi64>, f = 0x7F : f32,
          h = dense<"0x0100"> : tensor<1xi16>, n = {m = array<f64: 1.5e3, 2.0>}})";
  const std::string alphabet = "{}[]<>=:,\"\\x0-9.eia ";
  uint64_t state = 1;
  const auto draw = [&](size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state >> 33) % below;
  };
  int good = 0, bad = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string changed = text;
    for (size_t k = draw(2) + 1; k > 0; --k) {
      const size_t at = draw(changed.size());
      if (draw(2) == 0) {
        changed.erase(at, draw(5));
      } else {
        changed[at] = alphabet[draw(alphabet.size())];
      }
    }
    const auto parsed = AttributeDictionary::Parse(changed);
    if (parsed.ok()) {
      ++good;
    } else {
      ++bad;
      ASSERT_ERROR(parsed, "attributes of the custom call, position ");
    }
  }
  EXPECT_GT(good, 100);
  EXPECT_GT(bad, 1000);
}

// --- C++ handlers ----------------------------------------------------------------------------

TEST(CustomCallRegistry, TypedHandlerReadsAttributesAndBuffers) {
  CustomCallRegistry registry;
  ASSERT_OK(registry.Register("axpy", [](CustomCallFrame& call) -> absl::Status {
    XLA_ASSIGN_OR_RETURN(const float a, call.attributes().Get<float>("a"));
    XLA_ASSIGN_OR_RETURN(const auto x, call.argument<float>(0));
    XLA_ASSIGN_OR_RETURN(const auto y, call.argument<float>(1));
    XLA_ASSIGN_OR_RETURN(const auto out, call.result<float>(0));
    for (size_t i = 0; i < out.size(); ++i) out[i] = a * x[i] + y[i];
    return absl::OkStatus();
  }));
  const std::string operands =
      "x = f32[3] constant({1, 2, 3})\ny = f32[3] constant({10, 20, 30})\n";
  ASSERT_OK_AND_ASSIGN(
      const Literal result,
      RunProgram(operands + R"(ROOT r = f32[3] custom-call(x, y), custom_call_target="axpy",
          api_version=API_VERSION_TYPED_FFI, backend_config={a = 2.0 : f32})",
                 registry));
  EXPECT_EQ(result, LiteralUtil::CreateR1<float>({12, 24, 36}));
  // Error messages: instruction, target, reason.
  const auto missing = RunProgram(operands + R"(ROOT r = f32[3] custom-call(x, y),
      custom_call_target="axpy", api_version=API_VERSION_TYPED_FFI, backend_config={b = 1})",
                                  registry);
  EXPECT_STATUS(missing, absl::StatusCode::kInvalidArgument,
                "custom call \"axpy\": there is no attribute 'a'; given are: b");
  EXPECT_ERROR(missing, "r = ");
  EXPECT_ERROR(RunProgram(operands + R"(ROOT r = f32[3] custom-call(x), custom_call_target="axpy",
      api_version=API_VERSION_TYPED_FFI, backend_config={a = 2.0 : f32})",
                          registry),
               "there is no argument 1; the call has 1");
  EXPECT_ERROR(
      RunProgram(operands + R"(ROOT r = s32[3] custom-call(x, y), custom_call_target="axpy",
      api_version=API_VERSION_TYPED_FFI, backend_config={a = 2.0 : f32})",
                 registry),
      "result 0 is s32[3], not of type F32");
  EXPECT_ERROR(
      RunProgram(operands + R"(ROOT r = f32[3] custom-call(x, y), custom_call_target="axpy",
      api_version=API_VERSION_TYPED_FFI, backend_config={a = })",
                 registry),
      "expected a value");
}

TEST(CustomCallRegistry, OlderVersionsGiveTheOpaqueString) {
  CustomCallRegistry registry;
  std::string seen;
  ASSERT_OK(registry.Register("see", [&](CustomCallFrame& call) -> absl::Status {
    seen = std::string(call.opaque);
    EXPECT_TRUE(call.attributes().empty());
    return absl::OkStatus();
  }));
  ASSERT_OK(
      RunProgram(R"(ROOT r = f32[] custom-call(), custom_call_target="see", backend_config="{a=1")",
                 registry));
  EXPECT_EQ(seen, "{a=1");
}

TEST(CustomCallRegistry, RegistrationErrors) {
  CustomCallRegistry registry;
  const auto handler = [](CustomCallFrame&) { return absl::OkStatus(); };
  ASSERT_OK(registry.Register("x", handler));
  EXPECT_STATUS(registry.Register("x", handler), absl::StatusCode::kAlreadyExists,
                "\"x\" is registered already");
  EXPECT_ERROR(registry.Register("", handler), "needs a name");
  EXPECT_ERROR(registry.Register("y", nullptr), "\"y\" has no function");
  EXPECT_ERROR(registry.RegisterUntyped("y", nullptr), "\"y\" has no function");
  EXPECT_EQ(registry.Targets(), std::vector<std::string>{"x"});
}

TEST(CustomCallRegistry, HandlersThatThrowFail) {
  CustomCallRegistry registry;
  ASSERT_OK(registry.Register(
      "throw", [](CustomCallFrame&) -> absl::Status { throw std::runtime_error("no luck"); }));
  EXPECT_STATUS(RunProgram(R"(ROOT r = f32[] custom-call(), custom_call_target="throw")", registry),
                absl::StatusCode::kInternal, "\"throw\": the handler threw: no luck");
}

void Untyped(void* out, const void** in) {
  *static_cast<float*>(out) = *static_cast<const float*>(in[0]) + 1;
}

TEST(CustomCallRegistry, UntypedFunctions) {
  CustomCallRegistry registry;
  ASSERT_OK(registry.RegisterUntyped("inc", reinterpret_cast<void*>(&Untyped)));
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(R"(c = f32[] constant(41)
      ROOT r = f32[] custom-call(c), custom_call_target="inc")",
                                                        registry));
  EXPECT_EQ(result, LiteralUtil::CreateR0<float>(42));
  EXPECT_ERROR(RunProgram(R"(ROOT r = f32[] custom-call(), custom_call_target="inc",
      api_version=API_VERSION_TYPED_FFI)",
                          registry),
               "registered as an untyped function, but the call says "
               "api_version=API_VERSION_TYPED_FFI");
}

TEST(CustomCallRegistry, UnknownTargetsListTheKnownOnes) {
  CustomCallRegistry registry;
  const std::string body = R"(ROOT r = f32[] custom-call(), custom_call_target="nobody")";
  EXPECT_STATUS(RunProgram(body, registry), absl::StatusCode::kUnimplemented,
                "there is no custom call \"nobody\"; known are: none");
  EXPECT_STATUS(RunProgram(body, Sample()), absl::StatusCode::kUnimplemented,
                "known are: copy_opaque, describe, double_and_negate, fail_silently, halves");
}

TEST(CustomCallRegistry, EachDeviceSaysWhichItIs) {
  CustomCallRegistry registry;
  ASSERT_OK(registry.Register("where", [](CustomCallFrame& call) -> absl::Status {
    XLA_ASSIGN_OR_RETURN(const auto out, call.result<int64_t>(0));
    out[0] = call.replica_id * 10 + call.partition_id;
    return absl::OkStatus();
  }));
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(HloModule m
      ENTRY e { ROOT r = s64[] custom-call(), custom_call_target="where" })"));
  InterpreterOptions options;
  options.custom_call_registry = &registry;
  const std::vector<std::vector<const Literal*>> none(6);
  ASSERT_OK_AND_ASSIGN(const auto results, InterpretReplicated(*module, 2, 3, none, options));
  for (int64_t d = 0; d < 6; ++d) {
    EXPECT_EQ(results[static_cast<size_t>(d)], LiteralUtil::CreateR0<int64_t>(d / 3 * 10 + d % 3));
  }
}

// --- Layouts, sizes, aliasing ----------------------------------------------------------------

TEST(CustomCallLayout, OperandsAsConstrainedResultsAsDeclared) {
  CustomCallRegistry registry;
  std::vector<float> seen;
  ASSERT_OK(registry.Register("copy", [&](CustomCallFrame& call) -> absl::Status {
    XLA_ASSIGN_OR_RETURN(const auto in, call.argument<float>(0));
    XLA_ASSIGN_OR_RETURN(const auto out, call.result<float>(0));
    seen.assign(in.begin(), in.end());
    for (size_t i = 0; i < in.size(); ++i) out[i] = in[i];
    return absl::OkStatus();
  }));
  const std::string operand = "c = f32[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n";
  ASSERT_OK_AND_ASSIGN(Literal result, RunProgram(operand + R"(
      ROOT r = f32[2,3]{1,0} custom-call(c), custom_call_target="copy",
      operand_layout_constraints={f32[2,3]{0,1}})",
                                                  registry));
  EXPECT_EQ(seen, (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(result, LiteralUtil::CreateR2<float>({{1, 4, 2}, {5, 3, 6}}));
  // Without constraints operands are row-major; the result has its own layout.
  ASSERT_OK_AND_ASSIGN(
      result,
      RunProgram(operand + R"(ROOT r = f32[2,3]{0,1} custom-call(c), custom_call_target="copy")",
                 registry));
  EXPECT_EQ(seen, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(result, LiteralUtil::CreateR2<float>({{1, 3, 5}, {2, 4, 6}}));
}

TEST(CustomCallLayout, ConstraintsThatDoNotFit) {
  CustomCallRegistry registry;
  ASSERT_OK(registry.Register("f", [](CustomCallFrame&) { return absl::OkStatus(); }));
  const std::string call =
      "c = f32[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n"
      "ROOT r = f32[] custom-call(c), custom_call_target=\"f\", ";
  EXPECT_ERROR(RunProgram(call + "operand_layout_constraints={}", registry), "operand");
  EXPECT_ERROR(RunProgram(call + "operand_layout_constraints={f32[3,2]{1,0}}", registry),
               "f32[3,2]");
}

TEST(CustomCallC, Scale) {
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(R"(c = f32[2,2] constant({{1, 2}, {3, 4}})
      ROOT r = f32[2,2] custom-call(c), custom_call_target="scale",
      api_version=API_VERSION_TYPED_FFI, backend_config={by = 0.5 : f32})",
                                                        Sample()));
  EXPECT_EQ(result, LiteralUtil::CreateR2<float>({{0.5, 1}, {1.5, 2}}));
  EXPECT_STATUS(RunProgram(R"(c = f32[2] constant({1, 2})
      ROOT r = f32[2] custom-call(c), custom_call_target="scale",
      api_version=API_VERSION_TYPED_FFI, backend_config={by = 0.5})",
                           Sample()),
                absl::StatusCode::kInvalidArgument, "attribute 'by' must be an f32");
}

TEST(CustomCallC, HandlersSeeTheWholeCall) {
  EXPECT_STATUS(RunProgram(R"(a = s32[2,3] constant({{1,2,3},{4,5,6}})
      p = pred[] constant(true)
      t = (s32[2,3], pred[]) tuple(a, p)
      tok = token[] after-all()
      call.7 = (f32[2,2]{0,1}, token[]) custom-call(t, tok), custom_call_target="describe",
        api_version=API_VERSION_TYPED_FFI,
        backend_config={b = true, arr = array<i64: 1,2>, i = 1 : i32, f = 2.5 : f32, d = 0.5,
                        s = "x", n = {m = "y"}}
      ROOT r = f32[2,2] get-tuple-element(call.7), index=0)",
                           Sample()),
                absl::StatusCode::kFailedPrecondition,
                "describe at call.7 ([type 4, 2/2:12 3/3:4, 24 bytes][type 1,, 1 bytes]"
                "[type 17,, 0 bytes]) -> ([type 11, 2/2:4 2/2:8, 16 bytes][type 17,, 0 bytes]) "
                "{arr=1,2 b=1 d=0.5 f=2.5 i=1 n={m=y} s=x} user data sample");
}

TEST(CustomCallC, DynamicSizes) {
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(R"(c = s32[5] constant({3, -1, 4, 0, 5})
      k = s32[<=5] custom-call(c), custom_call_target="keep_positive",
        api_version=API_VERSION_TYPED_FFI
      n = s32[] get-dimension-size(k), dimensions={0}
      ROOT t = (s32[<=5], s32[]) tuple(k, n))",
                                                        Sample()));
  EXPECT_EQ(result.Get<int32_t>({}, {1}), 3);
  EXPECT_EQ(result.GetDynamicSize(0, {0}), 3);
  EXPECT_EQ(result.Get<int32_t>({2}, {0}), 5);
  // All that the bound allows.
  ASSERT_OK_AND_ASSIGN(const Literal whole, RunProgram(R"(c = s32[5] constant({3, 1, 4, 1, 5})
      ROOT k = s32[<=5] custom-call(c), custom_call_target="keep_positive",
        api_version=API_VERSION_TYPED_FFI)",
                                                       Sample()));
  EXPECT_EQ(whole.GetDynamicSize(0), 5);
  EXPECT_ERROR(RunProgram(R"(ROOT k = s32[<=5] custom-call(), custom_call_target="set_too_large",
      api_version=API_VERSION_TYPED_FFI)",
                          Sample()),
               "set the size of dimension 0 of a result of shape s32[<=5] to 1000");
}

TEST(CustomCallC, AliasedResultsShareMemory) {
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(R"(c = f32[3] constant({1, 2, 3})
      i = f32[3] custom-call(c), custom_call_target="increment",
        api_version=API_VERSION_TYPED_FFI, output_to_operand_aliasing={{}: (0, {})}
      ROOT t = (f32[3], f32[3]) tuple(c, i))",
                                                        Sample()));
  // The operand has other users: they do not see the change.
  EXPECT_EQ(LiteralSlice(result, {0}), LiteralUtil::CreateR1<float>({1, 2, 3}));
  EXPECT_EQ(LiteralSlice(result, {1}), LiteralUtil::CreateR1<float>({2, 3, 4}));
}

// The handler looks at the first operand; what it shares memory with is another one.
TEST(CustomCallC, AliasesNameTheOperand) {
  EXPECT_ERROR(RunProgram(R"(c = f32[3] constant({1, 2, 3})
      d = f32[3] constant({4, 5, 6})
      ROOT i = f32[3] custom-call(d, c), custom_call_target="increment",
        api_version=API_VERSION_TYPED_FFI, output_to_operand_aliasing={{}: (1, {})})",
                          Sample()),
               "not the same memory");
}

TEST(CustomCallC, WritesBeyondTheResultAreFound) {
  EXPECT_STATUS(
      RunProgram(R"(ROOT r = f32[3] custom-call(), custom_call_target="write_beyond")", Sample()),
      absl::StatusCode::kInternal, "wrote behind the memory");
}

// Handlers get memory of their own where others read the operand, too.
TEST(CustomCallC, WritesIntoOperandsAreSeenByNobody) {
  CustomCallRegistry registry;
  EXPECT_OK(registry.Register("argw", [](CustomCallFrame& call) -> absl::Status {
    std::memset(call.arguments[0].data, 0x7f, static_cast<size_t>(call.arguments[0].size_bytes));
    std::memset(call.results[0].data, 0, static_cast<size_t>(call.results[0].size_bytes));
    return absl::OkStatus();
  }));
  for (const char* operand : {"constant({1, 2, 3})", "iota(), iota_dimension=0"}) {
    ASSERT_OK_AND_ASSIGN(
        const Literal result,
        RunProgram(std::string("x = f32[3] ") + operand +
                       "\n r = f32[3] custom-call(x), custom_call_target=\"argw\", "
                       "api_version=API_VERSION_TYPED_FFI, backend_config={}\n"
                       "y = f32[3] negate(x)\n z = f32[3] add(y, x)\n"
                       "ROOT t = (f32[3], f32[3]) tuple(r, z)",
                   registry));
    EXPECT_TRUE(LiteralSlice(result, {1}).IsAll(0)) << result.ToString();
  }
}

TEST(CustomCallC, CodesWithoutMessage) {
  EXPECT_STATUS(
      RunProgram(R"(ROOT r = f32[] custom-call(), custom_call_target="fail_silently")", Sample()),
      absl::StatusCode::kUnknown, "the handler returned code 99");
}

TEST(CustomCallC, OriginalConventionNestsTuplesAsPointers) {
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(R"(x = f32[4] constant({1, 2, 3, 4})
      n = s32[2] constant({5, 6})
      t = (s32[2]) tuple(n)
      ROOT r = (f32[4], s32[2]) custom-call(x, t), custom_call_target="double_and_negate")",
                                                        Sample()));
  EXPECT_EQ(LiteralSlice(result, {0}), LiteralUtil::CreateR1<float>({2, 4, 6, 8}));
  EXPECT_EQ(LiteralSlice(result, {1}), LiteralUtil::CreateR1<int32_t>({-5, -6}));
}

TEST(CustomCallC, StatusConventions) {
  const std::string halves = R"(ROOT r = f32[4] custom-call(x), custom_call_target="halves",
      api_version=API_VERSION_STATUS_RETURNING)";
  ASSERT_OK_AND_ASSIGN(const Literal result,
                       RunProgram("x = f32[4] constant({1, 2, 3, 4})\n" + halves, Sample()));
  EXPECT_EQ(result, LiteralUtil::CreateR1<float>({0.5, 1, 1.5, 2}));
  EXPECT_STATUS(RunProgram("x = f32[4] constant({1, -2, 3, 4})\n" + halves, Sample()),
                absl::StatusCode::kInternal, "custom call \"halves\": an element is negative");
  const std::string copy = R"(ROOT r = u8[5] custom-call(), custom_call_target="copy_opaque",
      api_version=API_VERSION_STATUS_RETURNING_UNIFIED, backend_config=)";
  ASSERT_OK_AND_ASSIGN(const Literal text, RunProgram(copy + "\"hello\"", Sample()));
  EXPECT_EQ(text.GetR1U8AsString(), "hello");
  EXPECT_ERROR(RunProgram(copy + "\"hi\"", Sample()), "must have 5 bytes");
}

TEST(CustomCallC, ConventionsMustAgree) {
  EXPECT_ERROR(
      RunProgram(R"(ROOT r = f32[4] custom-call(), custom_call_target="halves")", Sample()),
      "registered as API_VERSION_STATUS_RETURNING, but the call says "
      "api_version=API_VERSION_ORIGINAL");
}

TEST(CustomCallC, MemoryLimitHolds) {
  CustomCallRegistry registry;
  ASSERT_OK(registry.Register("f", [](CustomCallFrame&) { return absl::OkStatus(); }));
  EXPECT_STATUS(RunProgram(R"(r = f32[1000000] custom-call(), custom_call_target="f"
      z = s32[] constant(0)
      ROOT s = f32[1] dynamic-slice(r, z), dynamic_slice_sizes={1})",
                           registry, /*memory_limit=*/1 << 20),
                absl::StatusCode::kResourceExhausted, "memory limit");
}

// --- Tables and libraries --------------------------------------------------------------------

TEST(CustomCallLibrary, WhatCannotBeLoaded) {
  CustomCallRegistry registry;
  EXPECT_ERROR(registry.LoadLibrary("/nowhere/x.so"), "cannot load the custom-call library");
  EXPECT_ERROR(registry.LoadLibrary(testing::SourcePath("README.md")), "cannot load");
  EXPECT_ERROR(registry.LoadLibrary(XYLEM_NO_ENTRY), "does not export xylem_custom_calls()");
  EXPECT_ERROR(registry.LoadLibrary(XYLEM_OTHER_VERSION),
               "made for version 2.7 of the custom-call interface; this is version 1.0");
  EXPECT_TRUE(registry.empty());
  ASSERT_OK(registry.LoadLibrary(XYLEM_SAMPLE_CALLS));
  EXPECT_STATUS(registry.LoadLibrary(XYLEM_SAMPLE_CALLS), absl::StatusCode::kAlreadyExists,
                "is registered already");
}

TEST(CustomCallLibrary, BadTables) {
  CustomCallRegistry registry;
  const auto load = [&](const XylemCustomCallTable* table) {
    return registry.RegisterTable(table, "library x");
  };
  EXPECT_ERROR(load(nullptr), "library x: the table of custom calls is null");
  XylemTarget target = {sizeof(XylemTarget), "t", XYLEM_CALL_ORIGINAL, {&Untyped}, nullptr};
  const XylemTarget* targets[] = {&target, nullptr};
  XylemCustomCallTable table = {sizeof(XylemCustomCallTable), XYLEM_CUSTOM_CALL_ABI_MAJOR, 0, 2,
                                targets};
  EXPECT_ERROR(load(&table), "target 1 is null");
  EXPECT_TRUE(registry.empty());  // all or nothing
  table.target_count = 1;
  table.struct_size = 8;
  EXPECT_ERROR(load(&table), "made for version");
  table.struct_size = sizeof(table) - 1;
  EXPECT_ERROR(load(&table), "bytes, less than");
  table.struct_size = sizeof(table) + 100;  // a later minor version
  target.convention = 9;
  EXPECT_ERROR(load(&table), "\"t\" has the unknown calling convention 9");
  target.convention = XYLEM_CALL_ORIGINAL;
  target.function.original = nullptr;
  EXPECT_ERROR(load(&table), "\"t\" has no function");
  target.function.original = &Untyped;
  target.name = "";
  EXPECT_ERROR(load(&table), "target 0 has no name");
  target.name = "t";
  EXPECT_OK(load(&table));
  EXPECT_EQ(registry.Targets(), std::vector<std::string>{"t"});
}

}  // namespace
}  // namespace xla
