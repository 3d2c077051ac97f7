// SPDX-License-Identifier: Apache-2.0
// Eigenvalue and singular value decompositions: the factors have the shapes and the orthogonality
// that they should, and their product is the matrix.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/builder/builder_test_util.h"
#include "xla/hlo/builder/lib/approx_topk.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/comparators.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/self_adjoint_eig.h"
#include "xla/hlo/builder/lib/slicing.h"
#include "xla/hlo/builder/lib/svd.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using testing::RunProgram;

constexpr auto kHighest = PrecisionConfig::HIGHEST;

// A batch of matrices of small numbers, the same on each call.
XlaOp SomeMatrices(XlaBuilder* b, PrimitiveType type, std::vector<int64_t> sizes) {
  const PrimitiveType real =
      primitive_util::IsComplexType(type) ? primitive_util::ComplexComponentType(type) : type;
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  const XlaOp numbers = Iota(b, real, count);
  const auto wave = [&](double factor) {
    return Reshape(Sin(numbers * ScalarLike(numbers, factor)), sizes);
  };
  const XlaOp values = wave(12.9898);
  return real == type ? values : Complex(values, wave(78.233));
}

XlaOp AdjointOf(XlaBuilder* b, XlaOp x) {
  const bool is_complex = primitive_util::IsComplexType(b->GetShapePtr(x).value()->element_type());
  return is_complex ? Conj(TransposeInMinorDims(x)) : TransposeInMinorDims(x);
}

// The greatest magnitude of the elements of the op, and of what x^H x differs from the identity.
XlaOp Greatest(XlaBuilder* b, XlaOp x) {
  const XlaOp magnitude = Abs(x);
  const PrimitiveType type = b->GetShapePtr(magnitude).value()->element_type();
  return ReduceAll(magnitude, Zero(b, type), CreateScalarMaxComputation(type, b));
}
XlaOp OffIdentity(XlaBuilder* b, XlaOp x) {
  const XlaOp product = BatchDot(AdjointOf(b, x), x, kHighest);
  const Shape shape = b->GetShape(product).value();
  const int64_t n = shape.dimensions().back();
  return Greatest(
      b, Sub(product, IdentityMatrix(b, shape.element_type(), n, n),
             shape.rank() == 2 ? std::vector<int64_t>{}
                               : std::vector<int64_t>{shape.rank() - 2, shape.rank() - 1}));
}
// x diag(d).
XlaOp ScaleColumns(XlaBuilder* b, XlaOp x, XlaOp d) {
  const Shape shape = b->GetShape(x).value();
  std::vector<int64_t> dimensions;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (i != shape.rank() - 2) dimensions.push_back(i);
  }
  return Mul(x, ConvertElementType(d, shape.element_type()), dimensions);
}

std::vector<double> Errors(XlaBuilder* b, std::vector<XlaOp> errors) {
  for (XlaOp& error : errors) error = ConvertElementType(error, F64);
  Tuple(b, errors);
  absl::StatusOr<Literal> result = RunProgram(b);
  EXPECT_OK(result);
  std::vector<double> values;
  for (size_t i = 0; result.ok() && i < errors.size(); ++i) {
    values.push_back(result->Get<double>({}, {static_cast<int64_t>(i)}));
  }
  return values;
}

struct Case {
  PrimitiveType type;
  std::vector<int64_t> sizes;
  double tolerance;
};

TEST(SelfAdjointEigTest, DecomposesSymmetricAndHermitianMatrices) {
  for (const Case& c : std::vector<Case>{{F32, {5, 5}, 1e-5},
                                         {F64, {2, 4, 4}, 1e-10},
                                         {C128, {3, 3}, 1e-10},
                                         {C64, {2, 6, 6}, 1e-5},
                                         {F32, {1, 1}, 1e-6},
                                         {F64, {2, 2}, 1e-12}}) {
    for (const bool lower : {true, false}) {
      XlaBuilder b("eig");
      const XlaOp a = SomeMatrices(&b, c.type, c.sizes);
      const SelfAdjointEigResult eig = SelfAdjointEig(a, lower, /*max_iter=*/15, /*tol=*/1e-13);
      const XlaOp product =
          BatchDot(ScaleColumns(&b, eig.v, eig.w), AdjointOf(&b, eig.v), kHighest);
      XlaOp expected = Symmetrize(a, lower);
      if (primitive_util::IsComplexType(c.type)) {
        // The diagonal of a Hermitian matrix is real.
        const XlaOp diagonal = Real(GetMatrixDiagonal(expected));
        expected = SetMatrixDiagonal(expected, Complex(diagonal, ZerosLike(diagonal)));
      }
      const XlaOp sorted = Sort(
          {eig.w}, CreateScalarLtComputation({b.GetShapePtr(eig.w).value()->element_type()}, &b));
      const auto errors = Errors(&b, {Greatest(&b, product - expected), OffIdentity(&b, eig.v),
                                      Greatest(&b, sorted - eig.w)});
      ASSERT_EQ(errors.size(), 3);
      EXPECT_LT(errors[0], c.tolerance) << c.type << " " << lower;
      EXPECT_LT(errors[1], c.tolerance) << c.type << " " << lower;
      EXPECT_EQ(errors[2], 0);
    }
  }
}

TEST(SelfAdjointEigTest, RejectsOtherOperands) {
  XlaBuilder b("eig");
  SelfAdjointEig(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2, 3}), "a"));
  EXPECT_ERROR(b.Build(),
               "The last two dimensions of an Eigen decomposition argument must be equal");
  XlaBuilder c("eig");
  SelfAdjointEig(Parameter(&c, 0, ShapeUtil::MakeShape(S32, {2, 2}), "a"));
  EXPECT_ERROR(c.Build(), "must be floating point or complex");
}

TEST(SvdTest, DecomposesMatricesOfAllForms) {
  for (const Case& c : std::vector<Case>{{F32, {5, 5}, 2e-5},
                                         {F64, {6, 3}, 1e-10},
                                         {F64, {2, 3, 6}, 1e-10},
                                         {C128, {4, 3}, 1e-10},
                                         {C64, {2, 5}, 2e-5},
                                         {F32, {1, 1}, 1e-6},
                                         {F64, {4, 1}, 1e-12}}) {
    XlaBuilder b("svd");
    const XlaOp a = SomeMatrices(&b, c.type, c.sizes);
    const SVDResult svd = SVD(a, 100, 1e-13);
    const int64_t m = c.sizes[c.sizes.size() - 2], n = c.sizes.back(), p = std::min(m, n);
    EXPECT_EQ(b.GetShapePtr(svd.u).value()->dimensions().back(), m);
    EXPECT_EQ(b.GetShapePtr(svd.v).value()->dimensions().back(), n);
    const XlaOp u = SliceInMinorDims(svd.u, {0, 0}, {m, p});
    const XlaOp v = SliceInMinorDims(svd.v, {0, 0}, {n, p});
    const XlaOp product = BatchDot(ScaleColumns(&b, u, svd.d), AdjointOf(&b, v), kHighest);
    const auto errors =
        Errors(&b, {Greatest(&b, product - a), OffIdentity(&b, svd.u), OffIdentity(&b, svd.v)});
    ASSERT_EQ(errors.size(), 3);
    for (const double error : errors)
      EXPECT_LT(error, c.tolerance) << c.type << " " << m << "x" << n;
  }
}

TEST(SvdTest, CompletesTheVectorsOfSingularMatrices) {
  XlaBuilder b("svd");
  const XlaOp a = ConstantR2<double>(&b, {{1, 2, 3}, {2, 4, 6}, {0, 0, 0}, {1, 2, 3}});
  const SVDResult svd = SVD(a, 100, 1e-14);
  Tuple(&b, {svd.d, OffIdentity(&b, svd.u), OffIdentity(&b, svd.v)});
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(&b));
  EXPECT_NEAR(result.Get<double>({0}, {0}), std::sqrt(84.0), 1e-12);
  EXPECT_NEAR(result.Get<double>({1}, {0}), 0, 1e-12);
  EXPECT_NEAR(result.Get<double>({2}, {0}), 0, 1e-12);
  EXPECT_LT(result.Get<double>({}, {1}), 1e-12);
  EXPECT_LT(result.Get<double>({}, {2}), 1e-12);
}

TEST(ApproxTopKTest, ReturnsTheFirstByTheComparator) {
  for (const int64_t k : {1, 3}) {
    XlaBuilder b("topk");
    const XlaOp values = ConstantR2<float>(&b, {{3, 9, 1, 7}, {-1, -5, -2, -8}});
    const XlaOp indices = Iota(&b, ShapeUtil::MakeShape(S32, {2, 4}), 1);
    ApproxTopK(&b, {values, indices}, {MinValue(&b, F32), ConstantR0<int32_t>(&b, -1)}, k, 1,
               CreateScalarGtComputation({F32, S32}, &b));
    ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(&b));
    EXPECT_EQ(result.shape().tuple_shapes(0).dimensions(1), k);
    EXPECT_EQ(result.Get<int32_t>({0, 0}, {1}), 1);
    EXPECT_EQ(result.Get<int32_t>({1, 0}, {1}), 0);
    EXPECT_EQ(result.Get<float>({0, k - 1}, {0}), k == 1 ? 9 : 3);
  }
}

TEST(ApproxTopKTest, OutputSizes) {
  using Sizes = std::pair<int64_t, int64_t>;
  EXPECT_EQ(*ApproxTopKReductionOutputSize(16384, 1, 10, 0.9, true), Sizes(10, -1));
  EXPECT_EQ(*ApproxTopKReductionOutputSize(100, 2, 10, 0.9, false), Sizes(100, 0));
  EXPECT_EQ(*ApproxTopKReductionOutputSize(16384, 2, 1, 0.9, false), Sizes(128, 7));
  EXPECT_EQ(*ApproxTopKReductionOutputSize(16384, 2, 10, 0.9, false), Sizes(128, 7));
  EXPECT_EQ(*ApproxTopKReductionOutputSize(16384, 2, 100, 0.95, false), Sizes(2048, 3));
  EXPECT_ERROR(ApproxTopKReductionOutputSize(16384, 2, 10, 0, false),
               "recall_target should range in (0,1]");
  EXPECT_ERROR(ApproxTopKReductionOutputSize(16384, 2, 10, 0.9, false, 100),
               "reduction_input_size_override");
}

}  // namespace
}  // namespace xla
