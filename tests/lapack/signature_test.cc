// SPDX-License-Identifier: Apache-2.0
// Calls that are not of the form of their target: programs from anywhere may name the targets.
#include <gtest/gtest.h>

#include <cctype>
#include <random>
#include <string>
#include <vector>

#include "tests/lapack/lapack_test_util.h"

namespace xla::lapack {
namespace {

struct BadCall {
  const char* target;
  const char* attributes;
  std::vector<std::string> operands;
  const char* result;
  const char* message;
};

absl::Status Make(const BadCall& bad) {
  LapackCall call;
  call.target = bad.target;
  call.instruction = "call.7";
  call.attributes = bad.attributes;
  for (const std::string& operand : bad.operands) call.operands.push_back(ShapeOf(operand));
  call.result = ShapeOf(bad.result);
  return MakeLapackKernel(call).status();
}

TEST(SignatureTest, KnowsItsTargets) {
  int count = 0;
  for (const char* const routine :
       {"gees", "geev", "gehrd", "geqp3", "geqrf", "gesdd", "gesvd", "getrf", "gtsv", "heevd",
        "hetrd", "orgqr", "ormqr", "potrf", "syevd", "sytrd", "trsm", "ungqr", "unmqr"}) {
    for (const Type& type : kTypes) count += IsLapackTarget(type.Target(routine)) ? 1 : 0;
  }
  EXPECT_EQ(count, 11 * 4 + 8 * 2);
  for (const char* const other :
       {"", "lapack_", "lapack__ffi", "lapack_d_ffi", "lapack_dpotrf", "dpotrf_ffi",
        "lapack_hpotrf_ffi", "lapack_dheevd_ffi", "lapack_zsyevd_ffi", "lapack_dpotrf_ffi_",
        "lapack_dpotrs_ffi", "tridiagonal_solve_perturbed"}) {
    EXPECT_FALSE(IsLapackTarget(other)) << other;
  }
  EXPECT_TRUE(IsLapackTarget("tridiagonal_solve_perturbed_ffi"));
}

TEST(SignatureTest, RefusesOtherForms) {
  const BadCall calls[] = {
      // Numbers of operands and results.
      {"lapack_dpotrf_ffi",
       "{uplo = 76 : ui8}",
       {},
       "(f64[2,2], s32[])",
       "custom-call call.7 of lapack_dpotrf_ffi: it has 0 operands: it takes 1"},
      {"lapack_dpotrf_ffi", "{uplo = 76 : ui8}", {"f64[2,2]"}, "f64[2,2]", "it makes 2 arrays"},
      {"lapack_dpotrf_ffi",
       "{uplo = 76 : ui8}",
       {"f64[2,2]"},
       "(f64[2,2], s32[], s32[])",
       "it makes 2 arrays"},
      {"lapack_dtrsm_ffi", "{}", {"f64[2,2]"}, "f64[2,2]", "it has 1 operand: it takes 2"},
      // Types and sizes.
      {"lapack_dpotrf_ffi",
       "{uplo = 76 : ui8}",
       {"f32[2,2]"},
       "(f64[2,2], s32[])",
       "operand 0 (x) is f32[2,2]: it must be f64[2,2]"},
      {"lapack_dpotrf_ffi",
       "{uplo = 76 : ui8}",
       {"f64[2,3]"},
       "(f64[2,3], s32[])",
       "its matrices are 2 x 3: they must be square"},
      {"lapack_dpotrf_ffi",
       "{uplo = 76 : ui8}",
       {"f64[2]"},
       "(f64[2], s32[])",
       "operand 0 is f64[2]{0}: matrices need at least two dimensions"},
      {"lapack_dpotrf_ffi",
       "{uplo = 76 : ui8}",
       {"f64[5,2,2]"},
       "(f64[5,2,2], s32[4])",
       "result 1 (info) is s32[4]: it must be s32[5]"},
      {"lapack_dpotrf_ffi",
       "{uplo = 76 : ui8}",
       {"f64[2,2]"},
       "(f64[2,2], s64[])",
       "result 1 (info) is s64[]: it must be s32[]"},
      {"lapack_dpotrf_ffi",
       "{uplo = 76 : ui8}",
       {"f64[2,2]"},
       "(f64[2,2], (s32[]))",
       "result 1 is (s32[]), not an array of fixed sizes"},
      {"lapack_dpotrf_ffi",
       "{uplo = 76 : ui8}",
       {"token[]"},
       "(f64[2,2], s32[])",
       "operand 0 is token[], not an array of fixed sizes"},
      {"lapack_dpotrf_ffi",
       "{uplo = 76 : ui8}",
       {"f64[<=2,2]"},
       "(f64[2,2], s32[])",
       "not an array of fixed sizes"},
      {"lapack_dgetrf_ffi",
       "",
       {"f64[2,3]"},
       "(f64[2,3], s32[3], s32[])",
       "result 1 (pivots) is s32[3]: it must be s32[2]"},
      {"lapack_dgetrf_ffi",
       "",
       {"f64[2,3]"},
       "(f64[3,2], s32[2], s32[])",
       "result 0 (factors) is f64[3,2]: it must be f64[2,3]"},
      {"lapack_sorgqr_ffi", "", {"f32[2,3]", "f32[2]"}, "f32[2,3]", "as many rows as columns"},
      {"lapack_sorgqr_ffi",
       "",
       {"f32[3,2]", "f32[3]"},
       "f32[3,2]",
       "as many columns as reflections"},
      {"lapack_sorgqr_ffi",
       "",
       {"f32[3,2]", "f32[]"},
       "f32[3,2]",
       "operand 1 (taus) has no dimensions"},
      {"lapack_cunmqr_ffi",
       "{left = true, transpose = false}",
       {"c64[3,4]", "c64[4]", "c64[3,2]"},
       "c64[3,2]",
       "there are 4 reflections of vectors of 3"},
      {"lapack_cunmqr_ffi",
       "{left = false, transpose = false}",
       {"c64[3,2]", "c64[2]", "c64[3,2]"},
       "c64[3,2]",
       "operand 0 (a) is c64[3,2]"},
      {"lapack_dgesdd_ffi",
       "{mode = 83 : ui8}",
       {"f64[3,2]"},
       "(f64[3,2], f64[2], f64[3,3], f64[2,2], s32[])",
       "result 2 (u) is f64[3,3]: it must be f64[3,2]"},
      {"lapack_zheevd_ffi",
       "{mode = 86 : ui8, uplo = 76 : ui8}",
       {"c128[2,2]"},
       "(c128[2,2], c128[2], s32[])",
       "result 1 (values) is c128[2]: it must be f64[2]"},
      {"lapack_sgeev_ffi",
       "{compute_left = 78 : ui8, compute_right = 78 : ui8}",
       {"f32[2,2]"},
       "(f32[2], f32[2], f32[2,2], c64[2,2], s32[])",
       "result 2 (left vectors) is f32[2,2]: it must be c64[2,2]"},
      {"lapack_dsytrd_ffi",
       "{uplo = 76 : ui8}",
       {"f64[3,3]"},
       "(f64[3,3], f64[3], f64[3], f64[2], s32[])",
       "result 2 (off diagonal)"},
      {"lapack_dgtsv_ffi",
       "",
       {"f64[3]", "f64[3]", "f64[2]", "f64[3,1]"},
       "(f64[3], f64[3], f64[2], f64[3,1], s32[])",
       "operand 2 (du) is f64[2]"},
      {"tridiagonal_solve_perturbed_ffi",
       "",
       {"s32[3]", "s32[3]", "s32[3]", "s32[3,1]"},
       "s32[3,1]",
       "its type must be f32, f64, c64 or c128"},
      {"lapack_dtrsm_ffi",
       "{diag = 78 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}",
       {"f64[3,3]", "f64[3,2]"},
       "f64[3,2]",
       "operand 0 (a) is f64[3,3]: it must be f64[2,2]"},
      {"lapack_dtrsm_ffi",
       "{diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}",
       {"f64[3,3]", "f64[3,2]", "f64[1]"},
       "f64[3,2]",
       "operand 2 (alpha) is f64[1]"},
      // Layouts.
      {"lapack_dpotrf_ffi",
       "{uplo = 76 : ui8}",
       {"f64[5,2,2]{0,2,1}"},
       "(f64[5,2,2], s32[5])",
       "operand 0 (x) has the layout f64[5,2,2]{0,2,1}"},
      {"lapack_dgetrf_ffi",
       "",
       {"f64[5,6,2,3]{2,3,0,1}"},
       "(f64[5,6,2,3]{2,3,1,0}, s32[5,6,2], s32[5,6])",
       "has the layout"},
      {"lapack_dgetrf_ffi",
       "",
       {"f64[5,2,3]{1,2,0}"},
       "(f64[5,2,3]{1,2,0}, s32[5,2]{0,1}, s32[5])",
       "it must be laid out row by row"},
      // Attributes.
      {"lapack_dpotrf_ffi", "", {"f64[2,2]"}, "(f64[2,2], s32[])", "there is no attribute 'uplo'"},
      {"lapack_dpotrf_ffi",
       "{uplo = 76 : i32}",
       {"f64[2,2]"},
       "(f64[2,2], s32[])",
       "attribute 'uplo' is of type i32, not ui8"},
      {"lapack_dpotrf_ffi",
       "{uplo = \"L\"}",
       {"f64[2,2]"},
       "(f64[2,2], s32[])",
       "attribute 'uplo' is of type string"},
      {"lapack_dpotrf_ffi",
       "{uplo = 65 : ui8}",
       {"f64[2,2]"},
       "(f64[2,2], s32[])",
       "attribute 'uplo' is 65: it must be one of 76 ('L'), 85 ('U')"},
      {"lapack_dpotrf_ffi",
       "{uplo = 76 : ui8, more = 1 : i32}",
       {"f64[2,2]"},
       "(f64[2,2], s32[])",
       "there is no attribute 'more' of this call; its attributes are uplo"},
      {"lapack_dpotrf_ffi",
       "{uplo = ",
       {"f64[2,2]"},
       "(f64[2,2], s32[])",
       "its attributes cannot be read"},
      {"lapack_dgetrf_ffi",
       "{uplo = 76 : ui8}",
       {"f64[2,2]"},
       "(f64[2,2], s32[2], s32[])",
       "there is no attribute 'uplo' of this call; its attributes are none"},
      {"lapack_dgesdd_ffi",
       "{mode = 79 : ui8}",
       {"f64[2,2]"},
       "(f64[2,2], f64[2], f64[2,2], f64[2,2], s32[])",
       "attribute 'mode' is 79"},
      {"lapack_dgees_ffi",
       "{mode = 86 : ui8, sort = 83 : ui8}",
       {"f64[2,2]"},
       "(f64[2,2], f64[2,2], f64[2], f64[2], s32[], s32[])",
       "cannot be sorted"},
      {"lapack_dgehrd_ffi",
       "{low = 0 : i32, high = 2 : i32}",
       {"f64[2,2]"},
       "(f64[2,2], f64[1], s32[])",
       "'low' and 'high' are 0 and 2"},
      {"lapack_dgehrd_ffi",
       "{low = 1 : i32, high = 3 : i32}",
       {"f64[2,2]"},
       "(f64[2,2], f64[1], s32[])",
       "'low' and 'high' are 1 and 3"},
      {"lapack_dgehrd_ffi",
       "{low = 1 : i64, high = 2 : i32}",
       {"f64[2,2]"},
       "(f64[2,2], f64[1], s32[])",
       "attribute 'low' is of type i64, not i32"},
      {"lapack_dormqr_ffi",
       "{left = 1 : i8, transpose = false}",
       {"f64[3,2]", "f64[2]", "f64[3,2]"},
       "f64[3,2]",
       "attribute 'left' is of type i8, not bool"},
      // Sizes beyond what LAPACK counts: nothing is allocated.
      {"lapack_dpotrf_ffi",
       "{uplo = 76 : ui8}",
       {"f64[3000000,3000000]"},
       "(f64[3000000,3000000], s32[])",
       "too many elements"},
      {"lapack_dgetrf_ffi",
       "",
       {"f64[4294967296,1]"},
       "(f64[4294967296,1], s32[1], s32[])",
       "32-bit integers cannot count"},
      {"lapack_dsyevd_ffi",
       "{mode = 86 : ui8, uplo = 76 : ui8}",
       {"f64[40000,40000]"},
       "(f64[40000,40000], f64[40000], s32[])",
       "working memory of 40000 rows"},
  };
  for (const BadCall& call : calls) {
    const absl::Status status = Make(call);
    EXPECT_FALSE(status.ok()) << call.target << " " << call.attributes;
    EXPECT_TRUE(absl::StrContains(status.message(), call.message))
        << status << "\nwithout: " << call.message;
    EXPECT_TRUE(absl::StrContains(status.message(), "call.7")) << status;
  }
}

TEST(SignatureTest, RefusesUntypedCalls) {
  LapackCall call;
  call.target = "lapack_dpotrf_ffi";
  call.instruction = "call.7";
  call.is_typed = false;
  call.operands.push_back(ShapeOf("f64[2,2]"));
  call.result = ShapeOf("(f64[2,2], s32[])");
  EXPECT_ERROR(MakeLapackKernel(call), "api_version must be API_VERSION_TYPED_FFI");
}

// Valid calls with numbers and letters changed: an error or a kernel that stays within its memory.
TEST(SignatureTest, SurvivesChangedCalls) {
  std::mt19937 random(3);
  const auto change = [&](std::string& text) {
    if (text.empty()) return;
    const char kLetters[] = "0123456789,[]{}():fcs";
    char& letter = text[random() % text.size()];
    // Mostly sizes, which keep the text one of a shape.
    if (std::isdigit(letter) && random() % 8 != 0) {
      letter = static_cast<char>('0' + random() % 5);
    } else if (random() % 8 == 0) {
      letter = kLetters[random() % (sizeof(kLetters) - 1)];
    }
  };
  int64_t made = 0, refused = 0;
  for (int i = 0; i < 40000; ++i) {
    const Type& type = kTypes[random() % 4];
    std::vector<Case> cases = CasesOf(type, 3, 2);
    Case& test = cases[random() % cases.size()];
    const int64_t changes = static_cast<int64_t>(random() % 6);
    for (int64_t k = 0; k < changes; ++k) {
      const size_t which = random() % (test.operands.size() + 2);
      change(which == 0 ? test.attributes : which == 1 ? test.result : test.operands[which - 2]);
    }
    std::vector<Array> operands;
    bool is_shape = ParseShape(test.result).ok();
    for (const std::string& text : test.operands) {
      const absl::StatusOr<Shape> shape = ParseShape(text);
      is_shape = is_shape && shape.ok() && shape->IsArray() && shape->element_type() != TOKEN &&
                 primitive_util::IsArrayType(shape->element_type());
      if (!is_shape) break;
      int64_t bytes = primitive_util::ByteWidth(shape->element_type());
      for (const int64_t size : shape->dimensions()) bytes *= size;
      is_shape = bytes < 1000000;
      if (!is_shape) break;
      operands.push_back({*shape, std::vector<char>(static_cast<size_t>(bytes))});
      for (char& byte : operands.back().bytes) byte = static_cast<char>(random() % 64);
    }
    if (!is_shape) continue;
    const bool ok = RunCall(type.Target(test.routine), absl::StrCat("{", test.attributes, "}"),
                            operands, test.result, 2)
                        .ok();
    ++(ok ? made : refused);
  }
  EXPECT_GT(made, 5000);
  EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace xla::lapack
