// SPDX-License-Identifier: Apache-2.0
// Calls of LAPACK's targets for tests, and matrices of complex numbers to judge their results by.
#ifndef TESTS_LAPACK_LAPACK_TEST_UTIL_H_
#define TESTS_LAPACK_LAPACK_TEST_UTIL_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "tests/kernels/prepared_kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/text/parser.h"
#include "xla/lapack/lapack.h"
#include "xla/primitive_util.h"
#include "xla/shape.h"
#include "xla/types.h"

namespace xla::lapack {

// A matrix, row by row. Real numbers have no imaginary parts.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<complex128> data;

  Matrix() = default;
  Matrix(int64_t r, int64_t c) : rows(r), columns(c), data(static_cast<size_t>(r * c)) {}
  complex128& operator()(int64_t i, int64_t j) {
    return data[static_cast<size_t>(i * columns + j)];
  }
  complex128 operator()(int64_t i, int64_t j) const {
    return data[static_cast<size_t>(i * columns + j)];
  }
  static Matrix Identity(int64_t n) {
    Matrix m(n, n);
    for (int64_t i = 0; i < n; ++i) m(i, i) = 1;
    return m;
  }
};

inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t k = 0; k < a.columns; ++k) {
      for (int64_t j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}
inline Matrix operator-(Matrix a, const Matrix& b) {
  for (size_t i = 0; i < a.data.size(); ++i) a.data[i] -= b.data[i];
  return a;
}
inline Matrix Transpose(const Matrix& a) {
  Matrix t(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) t(j, i) = a(i, j);
  }
  return t;
}
inline Matrix Conjugate(Matrix a) {
  for (complex128& x : a.data) x = std::conj(x);
  return a;
}
inline Matrix Adjoint(const Matrix& a) { return Conjugate(Transpose(a)); }
// Rows [r0, r1) and columns [c0, c1).
inline Matrix Part(const Matrix& a, int64_t r0, int64_t r1, int64_t c0, int64_t c1) {
  Matrix part(r1 - r0, c1 - c0);
  for (int64_t i = r0; i < r1; ++i) {
    for (int64_t j = c0; j < c1; ++j) part(i - r0, j - c0) = a(i, j);
  }
  return part;
}
inline Matrix Diagonal(const Matrix& values, int64_t rows, int64_t columns) {
  Matrix m(rows, columns);
  for (size_t i = 0; i < values.data.size(); ++i)
    m(static_cast<int64_t>(i), static_cast<int64_t>(i)) = values.data[i];
  return m;
}
// Elements at and below the diagonal `k` above the main one, or at and above it.
inline Matrix Lower(Matrix a, int64_t k = 0) {
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) {
      if (j > i + k) a(i, j) = 0;
    }
  }
  return a;
}
inline Matrix Upper(Matrix a, int64_t k = 0) {
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) {
      if (j < i + k) a(i, j) = 0;
    }
  }
  return a;
}

// The largest sum of absolute values of a column. NaN if there is one.
inline double Norm(const Matrix& a) {
  double norm = 0;
  for (int64_t j = 0; j < a.columns; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < a.rows; ++i) sum += std::abs(a(i, j));
    if (!(sum <= norm)) norm = sum;
  }
  return norm;
}

// An operand or result: shape with layout, and elements in row-major memory.
struct Array {
  Shape shape;
  std::vector<char> bytes;
};

inline Shape ShapeOf(const std::string& text) {
  const absl::StatusOr<Shape> shape = ParseShape(text);
  EXPECT_OK(shape);
  return shape.ok() ? *shape : Shape();
}

// Whole numbers or other elements of an array; batches are given matrix by matrix.
inline void SetElement(PrimitiveType type, char* at, complex128 value) {
  const auto put = [&](auto number) { std::memcpy(at, &number, sizeof(number)); };
  switch (type) {
    case F32:
      return put(static_cast<float>(value.real()));
    case F64:
      return put(value.real());
    case C64:
      return put(complex64(value));
    case C128:
      return put(value);
    case S32:
      return put(static_cast<int32_t>(value.real()));
    default:
      FAIL() << "no type of LAPACK";
  }
}
inline complex128 GetElement(PrimitiveType type, const char* at) {
  const auto get = [&](auto number) {
    std::memcpy(&number, at, sizeof(number));
    return number;
  };
  switch (type) {
    case F32:
      return get(0.0f);
    case F64:
      return get(0.0);
    case C64:
      return complex128(get(complex64()));
    case C128:
      return get(complex128());
    case S32:
      return get(int32_t{0});
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

// The array of matrices (vectors: of one row), which have been rounded to its type.
inline Array ArrayOf(const Shape& shape, std::vector<Matrix>& matrices) {
  Array array = {shape, {}};
  const auto bytes = static_cast<size_t>(primitive_util::ByteWidth(shape.element_type()));
  for (Matrix& m : matrices) {
    for (complex128& x : m.data) {
      const size_t at = array.bytes.size();
      array.bytes.resize(at + bytes);
      SetElement(shape.element_type(), array.bytes.data() + at, x);
      x = GetElement(shape.element_type(), array.bytes.data() + at);
    }
  }
  return array;
}

// Matrix `b` of the array, or vector as a row.
inline Matrix MatrixOf(const Array& array, int64_t b, int64_t rows, int64_t columns) {
  Matrix m(rows, columns);
  const int64_t bytes = primitive_util::ByteWidth(array.shape.element_type());
  for (int64_t i = 0; i < rows * columns; ++i) {
    m.data[static_cast<size_t>(i)] = GetElement(
        array.shape.element_type(), array.bytes.data() + (b * rows * columns + i) * bytes);
  }
  return m;
}

// Runs a call on `workers` threads. `result` is the text of a shape.
inline absl::StatusOr<std::vector<Array>> RunCall(const std::string& target,
                                                  const std::string& attributes,
                                                  const std::vector<Array>& operands,
                                                  const std::string& result, int workers = 1) {
  LapackCall call;
  call.target = target;
  call.instruction = "call.1";
  call.attributes = attributes;
  for (const Array& operand : operands) call.operands.push_back(operand.shape);
  XLA_ASSIGN_OR_RETURN(call.result, ParseShape(result));
  XLA_ASSIGN_OR_RETURN(const auto kernel, MakeLapackKernel(call));
  std::vector<Array> copies = operands, results;
  for (int i = 0; i < (call.result.IsTuple() ? call.result.tuple_shapes_size() : 1); ++i) {
    Array array = {call.result.IsTuple() ? call.result.tuple_shapes(i) : call.result, {}};
    int64_t bytes = primitive_util::ByteWidth(array.shape.element_type());
    for (const int64_t size : array.shape.dimensions()) bytes *= size;
    array.bytes.assign(static_cast<size_t>(bytes), '\x55');
    results.push_back(std::move(array));
  }
  std::vector<void*> buffers;
  for (Array& array : copies) buffers.push_back(array.bytes.data());
  for (Array& array : results) buffers.push_back(array.bytes.data());
  XLA_RETURN_IF_ERROR(kernels::RunPrepared(*kernel, buffers, workers));
  for (size_t i = 0; i < operands.size(); ++i)
    EXPECT_EQ(copies[i].bytes, operands[i].bytes) << "operand " << i << " was changed";
  return results;
}

// "name = 76 : ui8"
inline std::string Char(const std::string& name, char value) {
  return absl::StrCat(name, " = ", static_cast<int>(value), " : ui8");
}

// One call on a batch of operands, on one thread and on three: the same bits.
inline std::vector<Array> RunOnThreads(const std::string& target, const std::string& attributes,
                                       const std::vector<Array>& operands,
                                       const std::string& result) {
  const auto one = RunCall(target, absl::StrCat("{", attributes, "}"), operands, result, 1);
  const auto three = RunCall(target, absl::StrCat("{", attributes, "}"), operands, result, 3);
  EXPECT_OK(one);
  EXPECT_OK(three);
  if (!one.ok() || !three.ok()) return {};
  for (size_t i = 0; i < one->size(); ++i) EXPECT_EQ((*one)[i].bytes, (*three)[i].bytes);
  return *one;
}

inline int32_t InfoOf(const Array& info, int64_t b) {
  return static_cast<int32_t>(MatrixOf(info, b, 1, 1)(0, 0).real());
}

// --- The four types.

struct Type {
  char letter;
  PrimitiveType type, real_type;
  double epsilon;
  bool is_complex() const { return type != real_type; }
  std::string name() const { return Name(type); }
  std::string real_name() const { return Name(real_type); }
  std::string complex_name() const { return real_type == F32 ? "c64" : "c128"; }
  static std::string Name(PrimitiveType type) {
    return std::string(primitive_util::LowercasePrimitiveTypeName(type));
  }
  // lapack_<letter><routine>_ffi
  std::string Target(const std::string& routine) const {
    return absl::StrCat("lapack_", std::string(1, letter), routine, "_ffi");
  }
};
inline constexpr Type kTypes[] = {{'s', F32, F32, 0x1p-23},
                                  {'d', F64, F64, 0x1p-52},
                                  {'c', C64, F32, 0x1p-23},
                                  {'z', C128, F64, 0x1p-52}};

inline Matrix RandomMatrix(std::mt19937& random, const Type& type, int64_t rows, int64_t columns) {
  std::normal_distribution<double> normal;
  Matrix m(rows, columns);
  for (complex128& x : m.data) {
    x.real(normal(random));
    if (type.is_complex()) x.imag(normal(random));
  }
  return m;
}

// "[2,3,5,4]{2,3,1,0}": a batch of matrices that handlers see column by column, or of vectors.
inline std::string Matrices(const std::string& type, int64_t rows, int64_t columns,
                            bool is_column_major = true) {
  return absl::StrCat(type, "[3,", rows, ",", columns, "]",
                      is_column_major ? "{1,2,0}" : "{2,1,0}");
}
inline std::string Vectors(const std::string& type, int64_t size) {
  return absl::StrCat(type, "[3,", size, "]");
}
inline constexpr int64_t kBatch = 3;
inline constexpr int64_t kSizes[] = {1, 2, 3, 4, 7, 16, 33, 70};
inline const char* const kInfo = "s32[3]";

struct Case {
  std::string routine, attributes;
  std::vector<std::string> operands;
  std::string result;
};

// Calls of all routines on matrices of n rows and n or `less` columns.
inline std::vector<Case> CasesOf(const Type& type, int64_t n, int64_t less) {
  const std::string t = type.name(), r = type.real_name(), c = type.complex_name();
  const auto matrix = [&](const std::string& name, int64_t rows, int64_t columns) {
    return absl::StrCat(name, "[", rows, ",", columns, "]{0,1}");
  };
  const auto vector = [&](const std::string& name, int64_t size) {
    return absl::StrCat(name, "[", size, "]");
  };
  const std::string un = type.is_complex() ? "un" : "or", he = type.is_complex() ? "he" : "sy";
  const std::string x = matrix(t, n, n), values = vector(t, n),
                    imaginary = type.is_complex() ? "" : vector(t, n) + ", ";
  return {
      {"potrf", Char("uplo", 'L'), {x}, absl::StrCat("(", x, ", s32[])")},
      {"getrf", "", {x}, absl::StrCat("(", x, ", ", vector("s32", n), ", s32[])")},
      {"trsm",
       absl::StrCat(Char("side", 'L'), ", ", Char("uplo", 'L'), ", ", Char("trans_x", 'T'), ", ",
                    Char("diag", 'U')),
       {x, matrix(t, n, less)},
       matrix(t, n, less)},
      {"geqrf",
       "",
       {matrix(t, n, less)},
       absl::StrCat("(", matrix(t, n, less), ", ", vector(t, less), ")")},
      {un + "gqr", "", {matrix(t, n, less), vector(t, less)}, matrix(t, n, less)},
      {un + "mqr",
       "left = true, transpose = true",
       {matrix(t, n, less), vector(t, less), matrix(t, n, less)},
       matrix(t, n, less)},
      {"gesdd",
       Char("mode", 'S'),
       {matrix(t, n, less)},
       absl::StrCat("(", matrix(t, n, less), ", ", vector(r, less), ", ", matrix(t, n, less), ", ",
                    matrix(t, less, less), ", s32[])")},
      {"gesvd",
       Char("mode", 'A'),
       {matrix(t, n, less)},
       absl::StrCat("(", matrix(t, n, less), ", ", vector(r, less), ", ", matrix(t, n, n), ", ",
                    matrix(t, less, less), ", s32[])")},
      {"geqp3",
       "",
       {matrix(t, n, less), vector("s32", less)},
       absl::StrCat("(", matrix(t, n, less), ", ", vector("s32", less), ", ", vector(t, less),
                    ")")},
      {"gtsv",
       "",
       {values, values, values, matrix(t, n, less)},
       absl::StrCat("(", values, ", ", values, ", ", values, ", ", matrix(t, n, less), ", s32[])")},
      {he + "evd",
       absl::StrCat(Char("mode", 'V'), ", ", Char("uplo", 'L')),
       {x},
       absl::StrCat("(", x, ", ", vector(r, n), ", s32[])")},
      {he + "trd",
       Char("uplo", 'U'),
       {x},
       absl::StrCat("(", x, ", ", vector(r, n), ", ", vector(r, n - 1), ", ", vector(t, n - 1),
                    ", s32[])")},
      {"gehrd",
       absl::StrCat("low = 1 : i32, high = ", n, " : i32"),
       {x},
       absl::StrCat("(", x, ", ", vector(t, n - 1), ", s32[])")},
      {"geev",
       absl::StrCat(Char("compute_left", 'N'), ", ", Char("compute_right", 'V')),
       {x},
       absl::StrCat("(", values, ", ", imaginary, matrix(c, n, n), ", ", matrix(c, n, n),
                    ", s32[])")},
      {"gees",
       absl::StrCat(Char("mode", 'V'), ", ", Char("sort", 'N')),
       {x},
       absl::StrCat("(", x, ", ", x, ", ", values, ", ", imaginary, "s32[], s32[])")},
  };
}

// |a - b| / (|a| n eps), which LAPACK's own tests want to be less than 30.
inline double Residual(const Matrix& a, const Matrix& b, const Type& type, double scale) {
  const double norm = std::max(scale, std::numeric_limits<double>::min());
  const double size = static_cast<double>(std::max<int64_t>({a.rows, a.columns, 1}));
  return Norm(a - b) / (norm * size * type.epsilon);
}
inline double Residual(const Matrix& a, const Matrix& b, const Type& type) {
  return Residual(a, b, type, Norm(a));
}
// |I - Q^H Q| / (n eps)
inline double Orthogonality(const Matrix& q, const Type& type) {
  return Residual(Matrix::Identity(q.columns), Adjoint(q) * q, type, 1);
}
inline constexpr double kThreshold = 30;

}  // namespace xla::lapack

#endif  // TESTS_LAPACK_LAPACK_TEST_UTIL_H_
