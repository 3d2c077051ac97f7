// SPDX-License-Identifier: Apache-2.0
// Random calls of the client library (xla/hlo/builder/lib). Part of random_calls.h.
#ifndef TESTS_BUILDER_RANDOM_LIBRARY_CALLS_H_
#define TESTS_BUILDER_RANDOM_LIBRARY_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/builder/random_arguments.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/broadcast.h"
#include "xla/hlo/builder/lib/logdet.h"
#include "xla/hlo/builder/lib/lu_decomposition.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/pooling.h"
#include "xla/hlo/builder/lib/prng.h"
#include "xla/hlo/builder/lib/quantize.h"
#include "xla/hlo/builder/lib/slicing.h"
#include "xla/hlo/builder/lib/sorting.h"

namespace xla::testing {

class RandomLibraryCalls : protected RandomArguments {
 protected:
  RandomLibraryCalls(const uint8_t* data, size_t size) : RandomArguments(data, size) {}

  using Unary = XlaOp (*)(XlaOp);
  template <typename Function, size_t n>
  Function OneOf(const Function (&functions)[n]) {
    return functions[Next() % n];
  }

  XlaOp MathCall(XlaOp x) {
    constexpr Unary kFunctions[] = {IsPosInf,   IsNegInf,    IsInf,     IsNan, IsNegZero, Square,
                                    Reciprocal, RoundToEven, Atan,      Erfc,  ErfInv,    Lgamma,
                                    Digamma,    BesselI0e,   BesselI1e, Any2,  All2};
    using Pair = XlaOp (*)(XlaOp, XlaOp);
    constexpr Pair kPairs[] = {NextAfter, Zeta,        Polygamma,      Igamma,
                               Igammac,   IgammaGradA, RandomGammaGrad};
    switch (Next() % 4) {
      case 0:
        return OneOf(kPairs)(x, Like(x));
      case 1:
        return RegularizedIncompleteBeta(x, Like(x), Like(x));
      case 2:
        return MaybeConjugate(x, true);
      default:
        return OneOf(kFunctions)(x);
    }
  }
  static XlaOp Any2(XlaOp x) { return xla::Any(x); }
  static XlaOp All2(XlaOp x) { return xla::All(x); }

  XlaOp MatrixCall(XlaOp x) {
    switch (Next() % 15) {
      case 12:
        return LuDecomposition(x).lu;
      case 13:
        return SLogDet(x).sign;
      case 14:
        return LogDet(x);
      case 0:
        return IdentityMatrix(b_, Type(), Number(), Number());
      case 1:
        return GetMatrixDiagonal(x, static_cast<int>(Number()));
      case 2:
        return GetMatrixDiagonalViaGather(x, static_cast<int>(Number()));
      case 3:
        return SetMatrixDiagonal(x, Any(), static_cast<int>(Number()));
      case 4:
        return TriangleMask(x, static_cast<int>(Number()));
      case 5:
        return Triangle(x, Next() % 2 == 0);
      case 6:
        return Symmetrize(x, Next() % 2 == 0);
      case 7:
        return MaybeTransposeInMinorDims(x, true);
      case 8:
        return BatchDot(x, Next() % 2 == 0, Like(x), Next() % 2 == 0);
      case 9: {
        constexpr const char* kConfigs[] = {
            "ij,jk->ik",     "...i,...i->...", "ij,ij->i", "ii,i->i", "i,j->ij",  "ab,c->",
            "a...b,b->a...", "ij,jk",          "->",       "i$,i->i", "ij,kj->kk"};
        return Einsum(x, Like(x), OneOf(kConfigs), PrecisionConfig::HIGH, PreferredType());
      }
      case 10: {
        constexpr const char* kConfigs[] = {"ij->ji", "ii->i", "...i->i...", "i->", "->ii", "a"};
        return Einsum(x, OneOf(kConfigs));
      }
      default:
        return Einsum(x, Numbers(Rank(x)), Any(), Numbers(Rank(x)), Numbers(Next() % 3));
    }
  }

  XlaOp LibraryCall(XlaOp x) {
    const BitGeneratorTy bits = Next() % 2 == 0 ? ThreeFryBitGenerator : PhiloxBitGenerator;
    const auto minor = [&] { return Numbers(Next() % 3); };
    switch (Next() % 24) {
      case 17:
        return MaxPool(x, Numbers(Rank(x)), Numbers(Rank(x)),
                       Next() % 2 == 0 ? Padding::kSame : Padding::kValid, Images(x));
      case 18:
        return AvgPool(x, Numbers(Rank(x)), Numbers(Rank(x)), Pairs(Rank(x) - 2), Images(x),
                       Next() % 2 == 0);
      case 19:
        return AvgPoolGrad(x, Numbers(Rank(x)), Numbers(Rank(x)), Numbers(Rank(x)),
                           Pairs(Rank(x) - 2), Images(x), Next() % 2 == 0);
      case 20: {
        const absl::StatusOr<XlaOp> tiled = BroadcastTo(x, Numbers(Rank(x) + Next() % 2));
        return tiled.ok() ? *tiled : b_->ReportError(tiled.status());
      }
      case 21:
        return Dequantize<uint16_t>(x, QuantizedRange(Next(), Next()), "MIN_COMBINED",
                                    Next() % 2 == 0);
      case 22:
        return DynamicStridedSlice(x, std::vector<XlaOp>(Rank(x), S32Scalar()), Numbers(Rank(x)),
                                   Numbers(Rank(x)));
      case 0:
        return ArgMinMax(x, Type(), static_cast<int>(Dimension(x)), Next() % 2 == 0);
      case 1:
        return TopKWithPartitions(x, Number(), Number(), Next() % 2 == 0 ? S32 : Type());
      case 2:
        return SliceInMinorDims(x, minor(), minor());
      case 3:
        return UpdateSlice(x, Any(), Numbers(Rank(x)));
      case 4:
        return UpdateSliceInMinorDims(x, Any(), minor());
      case 5:
        return DynamicSliceInMinorDims(x, {S32Scalar()}, minor());
      case 6:
        return DynamicUpdateSliceInMinorDims(x, Any(), {S32Scalar()});
      case 7:
        return TorchGather(x, Any(), Dimension(x), Next() % 2 == 0);
      case 8:
        return TorchScatterDense(x, Any(), Any(), Dimension(x),
                                 [](XlaOp a, XlaOp b) { return a + b; });
      case 9:
        return TorchIndexSelect(x, Any(), Dimension(x), Number());
      case 10:
        return bits(Key(), Any(), AnyShape()).value;
      case 11:
        return bits(Key(), Key(), AnyShape()).state;
      case 12:
        return UniformFloatingPointDistribution(Key(), Key(), bits, ScalarFor(x), ScalarFor(x),
                                                AnyShape())
            .value;
      case 13:
        return UniformIntDistribution(Key(), Key(), bits, Any(), Any(), AnyShape()).value;
      case 14:
        return NormalFloatingPointDistribution(Key(), Key(), bits, AnyShape()).value;
      case 15:
        return ScramblePhiloxKey(Next() % 4 == 0 ? x : Key()).first;
      case 16:
        return PhiloxIncreaseCounter(Any(), Key());
      default:
        return ConcatScalars(b_, {x, S32Scalar()});
    }
  }
  TensorFormat Images(XlaOp x) {
    std::vector<int64_t> spatial;
    for (int64_t i = 2; i < Rank(x); ++i) spatial.push_back(i);
    if (Next() % 16 == 0) spatial.push_back(Number() % 100);
    return TensorFormat(0, 1, spatial);
  }
  XlaOp Key() { return Next() % 8 == 0 ? Any() : ConstantR0<uint64_t>(b_, Next()); }
};

}  // namespace xla::testing

#endif  // TESTS_BUILDER_RANDOM_LIBRARY_CALLS_H_
