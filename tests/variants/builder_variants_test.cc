// SPDX-License-Identifier: Apache-2.0
// Calls of the builder, valid and invalid, from fixed random bytes: the program that results or the
// error, and what the program computes.
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/builder/random_calls.h"
#include "tests/interp/bounded_run.h"
#include "tests/variants/builder_outcomes.h"
#include "tests/variants/expected.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/conv_grad_size_util.h"
#include "xla/hlo/builder/lib/logdet.h"
#include "xla/hlo/builder/lib/lu_decomposition.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/pooling.h"
#include "xla/hlo/builder/lib/prng.h"
#include "xla/hlo/builder/lib/qr.h"
#include "xla/hlo/builder/lib/tridiagonal.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"

namespace xla::testing {
namespace {

TEST(BuilderVariants, RandomCalls) {
  std::mt19937 random(7);
  std::vector<std::string> lines;
  for (int i = 0; i < 4000; ++i) {
    std::vector<uint8_t> bytes(1 + random() % 60);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    const auto program = RandomCalls(bytes.data(), bytes.size()).MakeProgram();
    std::string outcome;
    if (!program.ok()) {
      outcome = OneLine(program.status().message());
    } else if (const auto module = program->module(); !module.ok()) {
      outcome = OneLine(module.status().message());
    } else {
      outcome = absl::StrCat("text ", Fingerprint(ModuleToString(**module, HloPrintOptions())));
      const absl::Status status = VerifyModule(**module);
      absl::StrAppend(&outcome, ", ",
                      status.ok() ? ResultOnRandomArguments(**module) : OneLine(status.message()));
    }
    lines.push_back(absl::StrCat(i, ": ", outcome));
  }
  ExpectKinds("builder", lines);
}

// --- The client library, on arguments of many shapes

using Unary = XlaOp (*)(XlaOp);
using Binary = XlaOp (*)(XlaOp, XlaOp);
using Operands = std::vector<XlaOp>;

TEST(BuilderVariants, LibraryOfMath) {
  constexpr std::pair<const char*, Unary> kUnary[] = {
      {"IsPosInf", IsPosInf},
      {"IsNegInf", IsNegInf},
      {"IsInf", IsInf},
      {"IsNan", IsNan},
      {"IsNegZero", IsNegZero},
      {"Square", Square},
      {"Reciprocal", Reciprocal},
      {"RoundToEven", RoundToEven},
      {"Atan", Atan},
      {"Erfc", Erfc},
      {"ErfInv", ErfInv},
      {"Lgamma", Lgamma},
      {"Digamma", Digamma},
      {"BesselI0e", BesselI0e},
      {"BesselI1e", BesselI1e},
      {"UpperTriangle", UpperTriangle},
      {"LowerTriangle", LowerTriangle},
      {"Any", Any},
      {"All", All},
      {"ZerosLike", ZerosLike},
      {"TransposeInMinorDims", TransposeInMinorDims},
      {"LogDet", LogDet}};
  constexpr std::pair<const char*, Binary> kBinary[] = {{"NextAfter", NextAfter},
                                                        {"Polygamma", Polygamma},
                                                        {"Zeta", Zeta},
                                                        {"Igamma", Igamma},
                                                        {"Igammac", Igammac},
                                                        {"IgammaGradA", IgammaGradA},
                                                        {"RandomGammaGrad", RandomGammaGrad},
                                                        {"FullLikeScalar", FullLikeScalar}};
  const std::vector<std::string> shapes = {
      "f32[]",     "f32[3]",   "bf16[2,3]", "f32[3,3]", "f64[2,3,3]",  "c64[3,3]",
      "s32[3,3]",  "pred[3]",  "f32[4,3]",  "f16[3]",   "f32[<=3,3]",  "u8[2]",
      "f8e5m2[3]", "f32[0,3]", "token[]",   "c128[2]",  "f32[1,5,2,2]"};
  Library library;
  for (const auto& [name, function] : kUnary) {
    for (const std::string& shape : shapes) {
      library.Add(name, {shape},
                  [f = function](XlaBuilder&, const Operands& p) { return f(p[0]); });
    }
  }
  for (const auto& [name, function] : kBinary) {
    for (const auto& [a, c] :
         std::vector<std::pair<std::string, std::string>>{{"f32[]", "f32[]"},
                                                          {"f32[3]", "f32[3]"},
                                                          {"f32[3]", "f32[]"},
                                                          {"f64[2]", "f64[2]"},
                                                          {"bf16[2]", "bf16[2]"},
                                                          {"f32[2]", "f64[2]"},
                                                          {"s32[2]", "s32[2]"},
                                                          {"c64[2]", "c64[2]"},
                                                          {"f32[2]", "f32[3]"},
                                                          {"f16[3]", "f16[3]"},
                                                          {"f32[]", "f32[3]"},
                                                          {"f64[2]", "f32[2]"},
                                                          {"f32[2]", "s32[2]"},
                                                          {"s32[2]", "f32[2]"},
                                                          {"f32[2,3]", "f32[3]"},
                                                          {"token[]", "f32[]"},
                                                          {"f32[]", "token[]"}}) {
      library.Add(name, {a, c},
                  [f = function](XlaBuilder&, const Operands& p) { return f(p[0], p[1]); });
    }
  }
  for (const char* type : {"f32", "f64", "bf16", "s32"}) {
    const std::string shape = absl::StrCat(type, "[3]");
    library.Add(
        "RegularizedIncompleteBeta", {shape, shape, shape},
        [](XlaBuilder&, const Operands& p) { return RegularizedIncompleteBeta(p[0], p[1], p[2]); });
  }
  ExpectKinds("library_math", library.lines());
}

TEST(BuilderVariants, LibraryOfMatrices) {
  Library library;
  const std::vector<std::string> matrices = {"f32[3,3]", "f32[4,3]", "f32[3,5]",   "f64[2,3,3]",
                                             "c64[2,2]", "s32[3,3]", "f32[3]",     "bf16[3,2]",
                                             "f32[0,3]", "f32[2,0]", "f32[<=3,3]", "f32[1,1]"};
  for (const std::string& m : matrices) {
    for (const int k : {-4, -1, 0, 1, 3}) {
      library.Add(absl::StrCat("GetMatrixDiagonal ", k), {m},
                  [k](XlaBuilder&, const Operands& p) { return GetMatrixDiagonal(p[0], k); });
      library.Add(
          absl::StrCat("GetMatrixDiagonalViaGather ", k), {m},
          [k](XlaBuilder&, const Operands& p) { return GetMatrixDiagonalViaGather(p[0], k); });
      library.Add(absl::StrCat("TriangleMask ", k), {m},
                  [k](XlaBuilder&, const Operands& p) { return TriangleMask(p[0], k); });
      library.Add(absl::StrCat("SetMatrixDiagonal ", k), {m, "f32[2]"},
                  [k](XlaBuilder&, const Operands& p) { return SetMatrixDiagonal(p[0], p[1], k); });
    }
    for (const bool lower : {false, true}) {
      library.Add("Symmetrize", {m},
                  [lower](XlaBuilder&, const Operands& p) { return Symmetrize(p[0], lower); });
    }
    library.Add("Qr", {m}, [](XlaBuilder& b, const Operands& p) {
      const QrDecomposition qr = Qr(p[0]);
      return Tuple(&b, {qr.q_and_r, qr.taus});
    });
    for (const bool full : {false, true}) {
      library.Add(absl::StrCat("QrExplicit ", full), {m}, [full](XlaBuilder& b, const Operands& p) {
        XlaOp q, r;
        QrExplicit(p[0], full, q, r);
        return q.valid() && r.valid() ? Tuple(&b, {q, r}) : XlaOp();
      });
    }
    library.Add("LuDecomposition", {m}, [](XlaBuilder& b, const Operands& p) {
      const LuDecompositionResult lu = LuDecomposition(p[0]);
      return Tuple(&b, {lu.lu, lu.pivots, lu.permutation});
    });
    for (const char* other : {"f32[3,4]", "f32[2,3,3]", "f64[3,3]", "f32[3,3]"}) {
      for (const bool transpose : {false, true}) {
        library.Add(absl::StrCat("BatchDot ", transpose), {m, other},
                    [transpose](XlaBuilder&, const Operands& p) {
                      return BatchDot(p[0], transpose, p[1], !transpose);
                    });
      }
      for (const char* config :
           {"ij,jk->ik", "...ij,...jk->...ik", "ij,jk", "ij,kj->ik", "ii,ij->j", "ij,jk->ikl",
            "i,j->ij", "ij,jk->iik", "...,...->...", "ab,ab->"}) {
        library.Add(
            absl::StrCat("Einsum ", config), {m, other},
            [config](XlaBuilder&, const Operands& p) { return Einsum(p[0], p[1], config); });
      }
    }
  }
  for (const auto& shapes : std::vector<std::vector<std::string>>{
           {"f32[1,4]", "f32[1,4]", "f32[1,4]", "f32[2,4]"},
           {"f64[3,1,4]", "f64[3,1,4]", "f64[3,1,4]", "f64[3,2,4]"},
           {"f32[1,3]", "f32[1,4]", "f32[1,4]", "f32[2,4]"},
           {"f32[1,4]", "f32[1,4]", "f32[1,3]", "f32[2,4]"},
           {"f32[1,4]", "f32[1,4]", "f32[1,4]", "f32[2,3]"},
           {"f32[2,4]", "f32[1,4]", "f32[1,4]", "f32[2,4]"},
           {"f32[4]", "f32[4]", "f32[4]", "f32[2,4]"},
           {"f32[1,4]", "f64[1,4]", "f32[1,4]", "f32[2,4]"},
           {"f32[2,1,4]", "f32[3,1,4]", "f32[3,1,4]", "f32[3,2,4]"}}) {
    library.Add("TridiagonalSolver", shapes, [](XlaBuilder& b, const Operands& p) {
      return b.ReportErrorOrReturn(
          tridiagonal::TridiagonalSolver(tridiagonal::kThomas, p[0], p[1], p[2], p[3]));
    });
    library.Add("TridiagonalMatMul", shapes, [](XlaBuilder& b, const Operands& p) {
      return b.ReportErrorOrReturn(tridiagonal::TridiagonalMatMul(p[0], p[1], p[2], p[3]));
    });
  }
  ExpectKinds("library_matrices", library.lines());
}

TEST(BuilderVariants, LibraryOfPooling) {
  Library library;
  const TensorFormat last(0, 3, {1, 2}), first(0, 1, {2, 3});
  for (const char* image : {"f32[2,6,5,3]", "f32[2,3,6,5]", "s32[1,4,4,1]", "f32[4,4]"}) {
    for (const Padding padding : {Padding::kSame, Padding::kValid}) {
      for (const auto& window : std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>>{
               {{1, 2, 2, 1}, {1, 2, 2, 1}},
               {{1, 3, 2, 1}, {1, 1, 2, 1}},
               {{1, 1, 3, 3}, {1, 1, 2, 1}},
               {{2, 2}, {1, 1}},
               {{1, 2, 2, 1}, {1, 0, 1, 1}}}) {
        const std::vector<int64_t>&kernel = window.first, &stride = window.second;
        const std::string name = absl::StrCat("kernel ", absl::StrJoin(kernel, "x"), " stride ",
                                              absl::StrJoin(stride, "x"), " ",
                                              padding == Padding::kSame ? "same" : "valid");
        library.Add("MaxPool " + name, {image}, [&](XlaBuilder&, const Operands& p) {
          return MaxPool(p[0], kernel, stride, padding, last);
        });
        library.Add("MaxPool of features first " + name, {image},
                    [&](XlaBuilder&, const Operands& p) {
                      return MaxPool(p[0], kernel, stride, padding, first);
                    });
        for (const bool counts : {false, true}) {
          library.Add("AvgPool " + name, {image}, [&](XlaBuilder&, const Operands& p) {
            return AvgPool(p[0], kernel, stride,
                           std::vector<std::pair<int64_t, int64_t>>{{1, 0}, {0, 1}}, last, counts);
          });
        }
      }
    }
  }
  ExpectKinds("library_pooling", library.lines());
}

TEST(BuilderVariants, LibraryOfRandomNumbers) {
  Library library;
  for (const char* type : {"f32", "f64", "f16", "bf16", "s32", "u32", "s64", "u64", "s8", "pred"}) {
    for (const char* sizes : {"[]", "[5]", "[2,3]", "[4]"}) {
      const Shape shape = ParseShape(absl::StrCat(type, sizes)).value();
      const std::string scalar = absl::StrCat(type, "[]");
      for (const bool philox : {false, true}) {
        const BitGeneratorTy bits =
            philox ? BitGeneratorTy(PhiloxBitGenerator) : BitGeneratorTy(ThreeFryBitGenerator);
        const std::string state = philox ? "u64[2]" : "u64[]";
        const std::string name = absl::StrCat(philox ? "Philox " : "ThreeFry ", type, sizes);
        library.Add("bits " + name, {"u64[]", state}, [&](XlaBuilder& b, const Operands& p) {
          const RngOutput out = bits(p[0], p[1], shape);
          return Tuple(&b, {out.value, out.state});
        });
        library.Add("uniform " + name, {"u64[]", state, scalar, scalar},
                    [&](XlaBuilder& b, const Operands& p) {
                      const RngOutput out =
                          primitive_util::IsFloatingPointType(shape.element_type())
                              ? UniformFloatingPointDistribution(p[0], p[1], bits, p[2], p[3],
                                                                 shape)
                              : UniformIntDistribution(p[0], p[1], bits, p[2], p[3], shape);
                      return Tuple(&b, {out.value, out.state});
                    });
        library.Add("normal " + name, {"u64[]", state}, [&](XlaBuilder& b, const Operands& p) {
          const RngOutput out = NormalFloatingPointDistribution(p[0], p[1], bits, shape);
          return Tuple(&b, {out.value, out.state});
        });
      }
    }
  }
  ExpectKinds("library_random", library.lines());
}

TEST(BuilderVariants, GradientsOfConvolutions) {
  std::vector<std::string> lines;
  for (const Padding padding : {Padding::kSame, Padding::kValid}) {
    for (const int64_t stride : {0, 1, 2, 3}) {
      for (const int64_t dilation : {1, 2}) {
        std::string line = absl::StrCat(padding == Padding::kSame ? "same" : "valid", " stride ",
                                        stride, " dilation ", dilation, ":");
        for (int64_t input = 0; input < 8; ++input) {
          for (const int64_t filter : {0, 1, 2, 3}) {
            for (int64_t output = 0; output < 8; ++output) {
              const auto sizes = ConvGradExtractAndVerifyDimension(input, filter, output, dilation,
                                                                   stride, padding);
              if (!sizes.ok()) continue;
              absl::StrAppend(&line, " ", input, "*", filter, "->", output, "=", sizes->output_size,
                              "+", sizes->pad_before, "+", sizes->pad_after);
            }
          }
        }
        lines.push_back(line);
      }
    }
  }
  ExpectLines("conv_gradients", lines);
}

}  // namespace
}  // namespace xla::testing
