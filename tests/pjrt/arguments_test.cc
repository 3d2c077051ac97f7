// SPDX-License-Identifier: Apache-2.0
// Which buffers a program takes as its arguments, and what becomes of those that are donated.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/pjrt/plugin.h"

namespace xla::pjrt::testing {
namespace {

using Values = std::vector<float>;

constexpr std::string_view kTwice = R"(
module @twice {
  func.func @main(%a: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.add %a, %a : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
})";
constexpr std::string_view kDonated = R"(
func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32>)
    -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
})";
constexpr std::string_view kBothDonated = R"(
func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32},
                %b: tensor<4xf32> {tf.aliasing_output = 1 : i32})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.multiply %a, %b : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
})";

class ArgumentsTest : public ::testing::Test {
 protected:
  PJRT_Buffer* FromHost(const void* data, PJRT_Buffer_Type type, const std::vector<int64_t>& dims) {
    auto args = plugin_.HostArguments(data, type, dims);
    EXPECT_CALL_OK(Api().PJRT_Client_BufferFromHostBuffer(&args));
    plugin_.buffers.push_back(args.buffer);
    DestroyEvent(args.done_with_host_buffer);
    return args.buffer;
  }
  std::string Error(PJRT_LoadedExecutable* executable, const std::vector<PJRT_Buffer*>& arguments,
                    size_t results = 1) {
    std::vector<PJRT_Buffer*> made(results);
    return plugin_.Run(executable, arguments, &made);
  }

  Plugin plugin_;
  const Values six_ = {1, 2, 3, 4, 5, 6};
};

TEST_F(ArgumentsTest, FitByTheirBytes) {
  PJRT_LoadedExecutable* twice = plugin_.Compile(kTwice);
  std::vector<PJRT_Buffer*> results(1);
  for (const std::vector<int64_t>& dims : {std::vector<int64_t>{6}, {2, 3}, {6, 1}}) {
    ASSERT_EQ(plugin_.Run(twice, {FromHost(six_.data(), PJRT_Buffer_Type_F32, dims)}, &results),
              "OK");
    EXPECT_EQ(plugin_.ToFloats(results[0]), (Values{2, 4, 6, 8, 10, 12}));
  }
  // Other types of as many bytes are read as the parameter's.
  for (const auto& [type, count] :
       {std::pair{PJRT_Buffer_Type_S32, 6}, {PJRT_Buffer_Type_F64, 3}}) {
    ASSERT_EQ(plugin_.Run(twice, {FromHost(six_.data(), type, {count})}, &results), "OK");
    EXPECT_EQ(plugin_.ToFloats(results[0]), (Values{2, 4, 6, 8, 10, 12}));
  }
  EXPECT_EQ(Error(twice, {FromHost(six_.data(), PJRT_Buffer_Type_F32, {5})}),
            "Executable(twice) expected parameter 0 of size 24 (f32[6]{0}) but got buffer with "
            "incompatible size 20 (f32[5]{0})");
}

TEST_F(ArgumentsTest, BytesForElementsThatShareThem) {
  PJRT_LoadedExecutable* widen = plugin_.Compile(R"(
func.func @main(%a: tensor<2xi4>) -> tensor<2xf32> {
  %0 = stablehlo.convert %a : (tensor<2xi4>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})");
  const uint8_t byte = 0xE1;
  std::vector<PJRT_Buffer*> results(1);
  ASSERT_EQ(plugin_.Run(widen, {FromHost(&byte, PJRT_Buffer_Type_U8, {})}, &results), "OK");
  EXPECT_EQ(plugin_.ToFloats(results[0]), (Values{1, -2}));
  // What is no bool becomes one.
  PJRT_LoadedExecutable* choose = plugin_.Compile(R"(
func.func @main(%a: tensor<2xi1>) -> tensor<2xf32> {
  %0 = stablehlo.convert %a : (tensor<2xi1>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})");
  const uint8_t bytes[] = {0, 0x80};
  ASSERT_EQ(plugin_.Run(choose, {FromHost(bytes, PJRT_Buffer_Type_U8, {2})}, &results), "OK");
  EXPECT_EQ(plugin_.ToFloats(results[0]), (Values{0, 1}));
}

TEST_F(ArgumentsTest, DonatedTwiceIsAnError) {
  PJRT_LoadedExecutable* one = plugin_.Compile(kDonated);
  PJRT_LoadedExecutable* both = plugin_.Compile(kBothDonated);
  PJRT_Buffer* buffer = plugin_.Floats({1, 2, 3, 4});
  EXPECT_NE(Error(one, {buffer, buffer}).find("previously donated in the same call to Execute()"),
            std::string::npos);
  EXPECT_NE(Error(both, {buffer, buffer}, 2).find("Attempt to donate the same buffer twice"),
            std::string::npos);
  EXPECT_EQ(plugin_.ToFloats(buffer), (Values{1, 2, 3, 4})) << "nothing was donated";
}

// Memory that the host lends for writing holds the result that it was donated to; what it lends for
// reading stays as it is.
TEST_F(ArgumentsTest, DonatedMemoryOfTheHost) {
  PJRT_LoadedExecutable* add = plugin_.Compile(kDonated);
  for (const bool is_mutable : {true, false}) {
    alignas(64) float memory[16] = {1, 2, 3, 4};
    const std::vector<int64_t> dims = {4};
    auto args = plugin_.HostArguments(memory, PJRT_Buffer_Type_F32, dims);
    args.host_buffer_semantics = is_mutable ? PJRT_HostBufferSemantics_kMutableZeroCopy
                                            : PJRT_HostBufferSemantics_kImmutableZeroCopy;
    ASSERT_CALL_OK(Api().PJRT_Client_BufferFromHostBuffer(&args));
    plugin_.buffers.push_back(args.buffer);
    std::vector<PJRT_Buffer*> results(1);
    ASSERT_EQ(plugin_.Run(add, {args.buffer, plugin_.Floats({1, 1, 1, 1})}, &results), "OK");
    EXPECT_EQ(plugin_.ToFloats(results[0]), (Values{2, 3, 4, 5}));
    auto address = New<PJRT_Buffer_UnsafePointer_Args>();
    address.buffer = results[0];
    ASSERT_CALL_OK(Api().PJRT_Buffer_UnsafePointer(&address));
    EXPECT_EQ(address.buffer_pointer == reinterpret_cast<uintptr_t>(memory), is_mutable);
    EXPECT_EQ(memory[0], is_mutable ? 2 : 1);
    auto remove = New<PJRT_Buffer_Delete_Args>();
    remove.buffer = results[0];
    ASSERT_CALL_OK(Api().PJRT_Buffer_Delete(&remove));
    EXPECT_EQ(Await(args.done_with_host_buffer), "OK") << "with the last user of the memory";
  }
}

// Their addresses are compared with those that the client has, and not looked at.
TEST_F(ArgumentsTest, DevicesOfADestroyedClientAreErrors) {
  PJRT_Device* device;
  {
    Plugin other;
    device = other.device();
  }
  auto args = plugin_.HostArguments(six_.data(), PJRT_Buffer_Type_F32, {});
  args.num_dims = 0;
  args.device = device;
  if (device == plugin_.device()) GTEST_SKIP() << "another client has the same address";
  EXPECT_CALL_ERROR(Api().PJRT_Client_BufferFromHostBuffer(&args), "another client");
}

TEST_F(ArgumentsTest, UnknownCustomCallsAreErrorsOfTheCompilation) {
  const auto program = [](std::string_view version, std::string_view result) {
    return "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
           "  %0 = stablehlo.custom_call @nobody_knows(%a) {api_version = " +
           std::string(version) + " : i32} : (tensor<4xf32>) -> tensor<4xf32>\n  return %" +
           std::string(result) + " : tensor<4xf32>\n}";
  };
  std::string error;
  EXPECT_EQ(plugin_.Compile(program("4", "0"), &error), nullptr);
  EXPECT_NE(error.find("No FFI handler registered for nobody_knows on a platform Host"),
            std::string::npos)
      << error;
  EXPECT_EQ(plugin_.Compile(program("1", "0"), &error), nullptr);
  EXPECT_NE(error.find("No registered implementation for untyped custom call to nobody_knows"),
            std::string::npos)
      << error;
  EXPECT_NE(plugin_.Compile(program("4", "a")), nullptr) << "nothing calls it";
}

}  // namespace
}  // namespace xla::pjrt::testing
