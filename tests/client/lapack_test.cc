// SPDX-License-Identifier: Apache-2.0
// LAPACK's custom calls in clients: there without registration, checked when programs are compiled,
// and replaced by handlers of the same name.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/client/execution_test_util.h"
#include "tests/test_util.h"
#include "xla/client/local_client.h"
#include "xla/literal_util.h"
#include "xla/runtime/custom_call.h"

namespace xla {
namespace {

std::string Program(const std::string& attributes) {
  return "HloModule factor ENTRY e { x = f64[2,2] parameter(0) call = (f64[2,2]{0,1}, s32[]) "
         "custom-call(x), custom_call_target=\"lapack_dpotrf_ffi\", "
         "operand_layout_constraints={f64[2,2]{0,1}}, api_version=API_VERSION_TYPED_FFI, "
         "backend_config={" +
         attributes + "} ROOT factor = f64[2,2] get-tuple-element(call), index=0 }";
}

// Doubles its operand; takes no attribute.
CustomCallRegistry Doubling() {
  CustomCallRegistry registry;
  EXPECT_OK(registry.Register("lapack_dpotrf_ffi", [](CustomCallFrame& call) -> absl::Status {
    XLA_ASSIGN_OR_RETURN(const auto in, call.argument<double>(0));
    XLA_ASSIGN_OR_RETURN(const auto out, call.result<double>(0));
    for (size_t i = 0; i < in.size(); ++i) out[i] = 2 * in[i];
    return absl::OkStatus();
  }));
  return registry;
}

class LapackTest : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<LocalClient> Client(LocalClientOptions options = {}) {
    return MakeClient(options.set_use_compiler(GetParam()));
  }
  static absl::StatusOr<Literal> Run(LocalClient& client, const std::string& text) {
    XLA_ASSIGN_OR_RETURN(const auto executable, CompileText(client, text));
    const Literal x = LiteralUtil::CreateR2<double>({{4, 2}, {2, 10}});
    XLA_ASSIGN_OR_RETURN(const ScopedShapedBuffer buffer,
                         client.LiteralToShapedBuffer(x, /*device_ordinal=*/0));
    const ShapedBuffer* const arguments[] = {&buffer};
    XLA_ASSIGN_OR_RETURN(const ScopedShapedBuffer result,
                         executable->Run(arguments, ExecutableRunOptions()));
    return client.ShapedBufferToLiteral(result);
  }
};

TEST_P(LapackTest, RunsWithoutRegistration) {
  const auto client = Client();
  ASSERT_OK_AND_ASSIGN(const Literal factor, Run(*client, Program("uplo = 76 : ui8")));
  EXPECT_EQ(factor, LiteralUtil::CreateR2<double>({{2, 2}, {1, 3}}));
}

TEST_P(LapackTest, OtherFormsAreErrors) {
  const auto client = Client();
  EXPECT_STATUS(Run(*client, Program("")).status(), absl::StatusCode::kInvalidArgument,
                "custom-call call of lapack_dpotrf_ffi: there is no attribute 'uplo'");
}

TEST_P(LapackTest, HandlersOfTheSameNameComeFirst) {
  const auto client = Client(LocalClientOptions().set_custom_calls(Doubling()));
  for (const char* const attributes : {"uplo = 76 : ui8", ""}) {
    ASSERT_OK_AND_ASSIGN(const Literal doubled, Run(*client, Program(attributes)));
    EXPECT_EQ(doubled, LiteralUtil::CreateR2<double>({{8, 4}, {4, 20}}));
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, LapackTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Compiled" : "Interpreted"; });

}  // namespace
}  // namespace xla
