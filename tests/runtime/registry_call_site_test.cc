// SPDX-License-Identifier: Apache-2.0
// Custom calls of compiled code: memory, preparation, errors.
#include "xla/runtime/registry_call_site.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "tests/test_util.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla::runtime {
namespace {

struct alignas(64) Floats {
  float values[16] = {};
  char* data() { return reinterpret_cast<char*>(values); }
};

RegistryCallForm Form(int64_t size = 4) {
  RegistryCallForm form;
  form.target = "scale";
  form.instruction = "call.1";
  form.opaque = "{by = 3.0 : f32}";
  form.api_version = XYLEM_CALL_TYPED;
  form.result_shape = ShapeUtil::MakeShape(F32, {size});
  form.operand_shapes = {ShapeUtil::MakeShape(F32, {size})};
  return form;
}

absl::Status Scale(CustomCallFrame& call) {
  XLA_ASSIGN_OR_RETURN(const float by, call.attributes().Get<float>("by"));
  XLA_ASSIGN_OR_RETURN(const auto in, call.argument<float>(0));
  XLA_ASSIGN_OR_RETURN(const auto out, call.result<float>(0));
  for (size_t i = 0; i < in.size(); ++i) out[i] += by * in[i];
  return absl::OkStatus();
}

TEST(RegistryCallSiteTest, HandlersWorkInPlaceAndAreMadeReadyOnce) {
  CustomCallRegistry registry;
  int prepared = 0;
  const void* seen[2] = {};
  ASSERT_OK(registry.RegisterPrepared("scale", [&](const CustomCallFrame& form, auto& kept) {
    ++prepared;
    EXPECT_EQ(form.attributes().values().size(), 1);
    EXPECT_EQ(form.arguments.size(), 1);
    if (kept == nullptr) kept = std::make_shared<int>(0);
    struct Handler final : PreparedHandler {
      explicit Handler(const void** seen, std::shared_ptr<int> calls) : seen(seen), calls(calls) {}
      absl::Status Run(CustomCallFrame& call) override {
        seen[0] = call.arguments[0].data;
        seen[1] = call.results[0].data;
        EXPECT_EQ(call.run_id, ++*calls);
        EXPECT_EQ(call.device_ordinal, 5);
        return Scale(call);
      }
      const void** seen;
      std::shared_ptr<int> calls;
    };
    return std::make_unique<Handler>(seen, std::static_pointer_cast<int>(kept));
  }));
  const auto site = RegistryCallSite::Make(Form());
  ASSERT_NE(site, nullptr);
  Floats in, out;
  for (int i = 0; i < 4; ++i) in.values[i] = static_cast<float>(i);
  for (int run = 1; run <= 3; ++run) {
    char* const arguments[] = {in.data()};
    char* const results[] = {out.data()};
    ASSERT_TRUE(site->Takes(arguments, results));
    // Results start as zeros, whatever was there.
    ASSERT_OK(site->Run(registry, {.device_ordinal = 5, .run_id = run}, arguments, results));
    EXPECT_EQ(out.values[3], 9);
    EXPECT_EQ(seen[0], in.data());
    EXPECT_EQ(seen[1], out.data());
  }
  EXPECT_EQ(prepared, 1);
  // A registry that changes may hold another handler.
  ASSERT_OK(registry.Register("another", Scale));
  char* const arguments[] = {in.data()};
  char* const results[] = {out.data()};
  ASSERT_OK(site->Run(registry, {.device_ordinal = 5, .run_id = 4}, arguments, results));
  EXPECT_EQ(prepared, 2);
}

TEST(RegistryCallSiteTest, EachRegistryAndChangeHasAVersion) {
  CustomCallRegistry first, second = first;
  EXPECT_NE(first.version(), second.version());
  const uint64_t before = first.version();
  ASSERT_OK(first.Register("scale", Scale));
  EXPECT_NE(first.version(), before);
  second = first;
  EXPECT_NE(first.version(), second.version());
}

TEST(RegistryCallSiteTest, ResultsThatAliasArgumentsStartWithTheirContents) {
  CustomCallRegistry registry;
  ASSERT_OK(registry.Register("scale", [](CustomCallFrame& call) {
    EXPECT_EQ(call.arguments[0].data, call.results[0].data);
    return absl::OkStatus();
  }));
  RegistryCallForm form = Form();
  form.aliases = {{0, 0}};
  const auto site = RegistryCallSite::Make(std::move(form));
  Floats in, out;
  in.values[2] = 7;
  char* const arguments[] = {in.data()};
  char* const results[] = {out.data()};
  ASSERT_OK(site->Run(registry, {}, arguments, results));
  EXPECT_EQ(out.values[2], 7);
}

TEST(RegistryCallSiteTest, ColumnMajorArraysAreCopied) {
  CustomCallRegistry registry;
  const std::vector<float> columns = {1, 4, 2, 5, 3, 6};  // of rows 1 2 3, 4 5 6
  ASSERT_OK(registry.Register("scale", [&](CustomCallFrame& call) -> absl::Status {
    XLA_ASSIGN_OR_RETURN(const auto in, call.argument<float>(0));
    EXPECT_EQ(std::vector<float>(in.begin(), in.end()), columns);
    EXPECT_EQ(call.arguments[0].shape->layout().minor_to_major(0), 0);
    return Scale(call);
  }));
  for (const bool aliases : {false, true}) {
    RegistryCallForm form = Form();
    form.operand_shapes[0] = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
    form.result_shape = form.operand_shapes[0];
    if (aliases) form.aliases = {{0, 0}};
    const auto site = RegistryCallSite::Make(std::move(form));
    ASSERT_NE(site, nullptr);
    Floats memory, out;
    float* const in = memory.values + 1;  // alignment does not matter
    for (int i = 0; i < 6; ++i) in[i] = static_cast<float>(i + 1);
    char* const arguments[] = {reinterpret_cast<char*>(in)};
    char* const results[] = {out.data()};
    for (int run = 0; run < 2; ++run) {
      ASSERT_TRUE(site->Takes(arguments, results));
      ASSERT_OK(site->Run(registry, {}, arguments, results));
      for (int i = 0; i < 6; ++i) EXPECT_EQ(out.values[i], (aliases ? 4 : 3) * in[i]) << i;
      EXPECT_EQ(out.values[6], 0);
    }
  }
}

TEST(RegistryCallSiteTest, LeavesOtherMemoryAndLayoutsToOthers) {
  RegistryCallForm form = Form();
  form.operand_shapes[0] = ShapeUtil::MakeShapeWithDenseLayout(F32, {200, 300}, {0, 1});
  EXPECT_EQ(RegistryCallSite::Make(form), nullptr);
  form = Form();
  form.aliases = {{0, 0}};
  form.operand_shapes[0] = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 2}, {0, 1});
  form.result_shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 2}, {1, 0});
  EXPECT_EQ(RegistryCallSite::Make(form), nullptr);
  form = Form();
  form.result_shape = ShapeUtil::MakeShape(F32, {4}, {true});
  LayoutUtil::SetToDefaultLayout(&form.result_shape);
  EXPECT_EQ(RegistryCallSite::Make(form), nullptr);
  form = Form();
  form.aliases = {{0, 1}};
  EXPECT_EQ(RegistryCallSite::Make(form), nullptr);

  const auto site = RegistryCallSite::Make(Form());
  Floats in, out;
  const auto takes = [&](char* argument, char* result) {
    char* const arguments[] = {argument};
    char* const results[] = {result};
    return site->Takes(arguments, results);
  };
  EXPECT_TRUE(takes(in.data(), out.data()));
  EXPECT_FALSE(takes(in.data() + 4, out.data()));
  EXPECT_FALSE(takes(in.data(), out.data() + 16));
  EXPECT_FALSE(takes(in.data(), in.data()));
  EXPECT_TRUE(RegistryCallSite::Make(Form(0))->Takes({nullptr}, {nullptr}));
}

TEST(RegistryCallSiteTest, ErrorsNameTheTarget) {
  CustomCallRegistry registry;
  const auto site = RegistryCallSite::Make(Form());
  Floats in, out;
  char* const arguments[] = {in.data()};
  char* const results[] = {out.data()};
  const auto run = [&] { return site->Run(registry, {}, arguments, results); };
  EXPECT_ERROR(run(), "No FFI handler registered for custom call \"scale\"");
  ASSERT_OK(registry.Register("scale", [](CustomCallFrame& call) {
    call.results[0].dynamic_sizes[0] = 3;
    return absl::OkStatus();
  }));
  EXPECT_ERROR(run(), "custom call \"scale\": the handler set the sizes");
  EXPECT_ERROR(run(), "custom call \"scale\": the handler set the sizes");
  registry = CustomCallRegistry();
  ASSERT_OK(registry.Register(
      "scale", [](CustomCallFrame&) -> absl::Status { throw std::runtime_error("no"); }));
  EXPECT_ERROR(run(), "custom call \"scale\": the handler threw: no");
  registry = CustomCallRegistry();
  ASSERT_OK(registry.Register("scale", Scale));
  RegistryCallForm form = Form();
  form.opaque = "{by = ";
  EXPECT_ERROR(RegistryCallSite::Make(std::move(form))->Run(registry, {}, arguments, results),
               "custom call \"scale\"");
}

TEST(RegistryCallSiteTest, CallsMayBeConcurrent) {
  CustomCallRegistry registry;
  ASSERT_OK(registry.Register("scale", Scale));
  const auto site = RegistryCallSite::Make(Form());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Floats in, out;
      char* const arguments[] = {in.data()};
      char* const results[] = {out.data()};
      for (int i = 0; i < 1000; ++i) {
        in.values[1] = static_cast<float>(1000 * t + i);
        const bool ok = site->Run(registry, {}, arguments, results).ok();
        if (!ok || out.values[1] != 3 * in.values[1]) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace xla::runtime
