// SPDX-License-Identifier: Apache-2.0
// Long transforms as those of the columns and rows of a matrix: with n = rows * columns, the
// elements j = j1 * columns + j2 and the results k = k1 + rows * k2, transforms of the columns
// (over j1), factors exp(-2 pi i j2 k1 / n) and transforms of the rows (over j2). Columns and rows
// are lanes. (Bailey, FFTs in external or hierarchical memory, 1990.) Lengths without suitable
// factors are convolutions with a chirp (Bluestein, 1970).
#include "xla/kernels/fft/long_fft.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/kernels/fft/fft_lanes.h"
#include "xla/kernels/fft/fft_plan.h"
#include "xla/kernels/forms.h"
#include "xla/kernels/movement/transpose.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

template <typename T>
class LineMatrix {
 public:
  static constexpr int64_t kLanes = kFftLanes<T>, kRow = 2 * kLanes;

  LineMatrix(int64_t rows, int64_t columns)
      : column_fft_(rows),
        row_fft_(columns),
        coarse_(CeilOfRatio(rows * columns, kFine)),
        fine_(std::min(rows * columns, kFine)),
        lane_factors_(rows * kRow) {
    const int64_t n = rows * columns;
    for (size_t i = 0; i < coarse_.size(); ++i)
      coarse_[i] = RootOf(n, static_cast<int64_t>(i) * kFine);
    for (size_t i = 0; i < fine_.size(); ++i) fine_[i] = RootOf(n, static_cast<int64_t>(i));
    for (int64_t k = 0; k < rows; ++k) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        const std::complex<double> root = RootOf(n, k * lane % n);
        lane_factors_[k * kRow + lane] = static_cast<T>(root.real());
        lane_factors_[k * kRow + kLanes + lane] = static_cast<T>(root.imag());
      }
    }
  }

  int64_t rows() const { return column_fft_.length(); }
  int64_t columns() const { return row_fft_.length(); }
  int64_t length() const { return rows() * columns(); }
  const LanePlan<T>& column_fft() const { return column_fft_; }
  const LanePlan<T>& row_fft() const { return row_fft_; }

  // The bytes of the rows between the transforms: groups of kLanes rows, column after column.
  int64_t BetweenBytes() const {
    return Aligned(RoundUpTo(rows(), kLanes) * columns() * 2 * static_cast<int64_t>(sizeof(T)));
  }
  // The bytes of the rows of a group, of their working memory, and of the factors of a group of
  // columns.
  int64_t DataBytes() const { return RowBytes(std::max(rows(), columns())); }
  int64_t WorkBytes() const {
    return RowBytes(std::max(column_fft_.work_rows(), row_fft_.work_rows()));
  }
  int64_t FactorBytes() const { return Aligned(rows() * 2 * static_cast<int64_t>(sizeof(T))); }
  int64_t WorkerBytes() const { return DataBytes() + WorkBytes() + FactorBytes(); }

  // Multiplies row k1 of columns [first, first + kLanes) by the factors of k1 and of each lane.
  void Turn(int64_t first, bool conjugate, T* rows_of_group, T* factors) const {
    for (int64_t k = 0; k < rows(); ++k) {
      const int64_t angle = k * first;
      const std::complex<double> root = coarse_[angle / kFine] * fine_[angle % kFine];
      factors[2 * k] = static_cast<T>(root.real());
      factors[2 * k + 1] = static_cast<T>(root.imag());
    }
    TurnLanes<T>(rows(), lane_factors_.data(), factors, conjugate, rows_of_group);
  }

  // Stores columns [first, first + count), which are lanes of `group`, as rows of groups.
  void StoreColumns(int64_t first, int64_t count, const T* group, T* between) const {
    for (int64_t row = 0; row < rows(); row += kLanes) {
      const int64_t rows_here = std::min(kLanes, rows() - row);
      for (const int64_t part : {int64_t{0}, kLanes}) {
        Transpose(count, rows_here, group + row * kRow + part,
                  between + row * columns() * 2 + first * kRow + part);
      }
    }
  }
  // The inverse of StoreColumns, for all kLanes columns.
  void LoadColumns(int64_t first, const T* between, T* group) const {
    for (int64_t row = 0; row < rows(); row += kLanes) {
      for (const int64_t part : {int64_t{0}, kLanes}) {
        Transpose(std::min(kLanes, rows() - row), kLanes,
                  between + row * columns() * 2 + first * kRow + part, group + row * kRow + part);
      }
    }
  }

  // Calls body(first, data, work, factors) for each group of kLanes columns or rows.
  template <typename Body>
  absl::Status ForEachGroup(const KernelHost& host, int64_t count, char* scratch,
                            Body&& body) const {
    return RunTasks(host, CeilOfRatio(count, kLanes), scratch, WorkerBytes(),
                    [&](int64_t index, Task& task) {
                      char* const memory = task.scratch();
                      body(index * kLanes, reinterpret_cast<T*>(memory),
                           reinterpret_cast<T*>(memory + DataBytes()),
                           reinterpret_cast<T*>(memory + DataBytes() + WorkBytes()));
                    });
  }

 private:
  static constexpr int64_t kFine = 1024;

  static int64_t RowBytes(int64_t rows) {
    return Aligned(rows * kRow * static_cast<int64_t>(sizeof(T)));
  }
  static void Transpose(int64_t rows, int64_t columns, const T* from, T* to) {
    (sizeof(T) == 4 ? Transpose32 : Transpose64)(rows, columns, from, kRow, to, kRow);
  }

  const LanePlan<T> column_fft_, row_fft_;
  // exp(-2 pi i k / n) is coarse_[k / kFine] * fine_[k % kFine].
  std::vector<std::complex<double>> coarse_, fine_;
  std::vector<T> lane_factors_;  // exp(-2 pi i k lane / n) of row k, as rows
};

template <typename T>
class MatrixFft final : public LongFft<T> {
 public:
  MatrixFft(int64_t rows, int64_t columns, bool inverse, double scale)
      : matrix_(rows, columns), inverse_(inverse), scale_(static_cast<T>(scale)) {}

  int64_t ScratchBytes(int32_t workers) const override {
    return matrix_.BetweenBytes() + matrix_.WorkerBytes() * workers;
  }

  absl::Status Run(const KernelHost& host, const T* from, T* to, char* scratch) const override {
    T* const between = reinterpret_cast<T*>(scratch);
    scratch += matrix_.BetweenBytes();
    XLA_RETURN_IF_ERROR(matrix_.ForEachGroup(
        host, matrix_.columns(), scratch, [&](int64_t first, T* data, T* work, T* factors) {
          TransformColumns(first, from, data, work, factors, between);
        }));
    return matrix_.ForEachGroup(host, matrix_.rows(), scratch, [&](int64_t first, T*, T* work, T*) {
      TransformRows(first, between + first * matrix_.columns() * 2, work, to);
    });
  }

 private:
  static constexpr int64_t kLanes = LineMatrix<T>::kLanes, kRow = LineMatrix<T>::kRow;

  void TransformColumns(int64_t first, const T* from, T* data, T* work, T* factors,
                        T* between) const {
    const int64_t columns = matrix_.columns(), rows = matrix_.rows();
    const int64_t count = std::min(kLanes, columns - first);
    const LaneFft<T> fft = matrix_.column_fft().Lanes(inverse_, scale_);
    T* result;
    if (count == kLanes) {
      result = RunLaneFft<T>(fft, data, work, {from + 2 * first, 2 * columns}, {});
    } else {
      std::fill_n(data, rows * kRow, T(0));
      for (int64_t k = 0; k < rows; ++k) {
        const T* pairs = from + 2 * (k * columns + first);
        for (int64_t lane = 0; lane < count; ++lane) {
          data[k * kRow + lane] = pairs[2 * lane];
          data[k * kRow + kLanes + lane] = pairs[2 * lane + 1];
        }
      }
      result = RunLaneFft<T>(fft, data, work, {}, {});
    }
    matrix_.Turn(first, inverse_, result, factors);
    matrix_.StoreColumns(first, count, result, between);
  }

  // Transforms rows [first, first + kLanes): element k2 of row k1 is result k1 + rows * k2.
  void TransformRows(int64_t first, T* group, T* work, T* to) const {
    const int64_t columns = matrix_.columns(), rows = matrix_.rows();
    const int64_t count = std::min(kLanes, rows - first);
    const LaneFft<T> fft = matrix_.row_fft().Lanes(inverse_, T(1));
    if (count == kLanes) {
      RunLaneFft<T>(fft, group, work, {}, {to + 2 * first, 2 * rows});
      return;
    }
    for (int64_t k = 0; k < columns; ++k) {
      for (const int64_t part : {int64_t{0}, kLanes}) {
        T* const lanes = group + k * kRow + part;
        std::fill(lanes + count, lanes + kLanes, T(0));
      }
    }
    const T* result = RunLaneFft<T>(fft, group, work, {}, {});
    for (int64_t k = 0; k < columns; ++k) {
      T* pairs = to + 2 * (k * rows + first);
      for (int64_t lane = 0; lane < count; ++lane) {
        pairs[2 * lane] = result[k * kRow + lane];
        pairs[2 * lane + 1] = result[k * kRow + kLanes + lane];
      }
    }
  }

  const LineMatrix<T> matrix_;
  const bool inverse_;
  const T scale_;
};

// j k = (j^2 + k^2 - (j - k)^2) / 2: the transform is a convolution with the conjugate chirp,
// between two products with the chirp. Between the transforms of the convolution, its numbers keep
// the order of the matrix.
template <typename T>
class ChirpFft final : public LongFft<T> {
 public:
  ChirpFft(int64_t n, int64_t rows, int64_t columns, bool inverse, double scale)
      : n_(n), matrix_(rows, columns), inverse_(inverse), chirp_(2 * RoundUpTo(n, columns)) {
    const int64_t length = rows * columns;
    std::vector<std::complex<double>> convolved(length);
    for (int64_t k = 0; k < n; ++k) {
      std::complex<double> root = RootOf(2 * n, k * k % (2 * n));
      chirp_[2 * k] = static_cast<T>(root.real());
      chirp_[2 * k + 1] = static_cast<T>(root.imag());
      root = std::conj(root) * (scale / static_cast<double>(length));
      convolved[k] = root;
      if (k > 0) convolved[length - k] = root;
    }
    const std::vector<std::complex<double>> spectrum = TransformOf(convolved);
    spectrum_.resize(2 * length);
    for (int64_t k1 = 0; k1 < rows; ++k1) {
      for (int64_t k2 = 0; k2 < columns; ++k2) {
        T* const row = spectrum_.data() + (k1 / kLanes * columns + k2) * kRow + k1 % kLanes;
        row[0] = static_cast<T>(spectrum[k1 + rows * k2].real());
        row[kLanes] = static_cast<T>(spectrum[k1 + rows * k2].imag());
      }
    }
  }

  int64_t ScratchBytes(int32_t workers) const override {
    return matrix_.BetweenBytes() + matrix_.WorkerBytes() * workers;
  }

  // An inverse transform is a forward one between conjugations; the factors are conjugated rather
  // than the numbers.
  absl::Status Run(const KernelHost& host, const T* from, T* to, char* scratch) const override {
    T* const between = reinterpret_cast<T*>(scratch);
    scratch += matrix_.BetweenBytes();
    const int64_t columns = matrix_.columns(), rows = matrix_.rows();
    const LaneFft<T> column_fft = matrix_.column_fft().Lanes(inverse_, T(1)),
                     column_inverse = matrix_.column_fft().Lanes(!inverse_, T(1)),
                     row_fft = matrix_.row_fft().Lanes(inverse_, T(1)),
                     row_inverse = matrix_.row_fft().Lanes(!inverse_, T(1));
    XLA_RETURN_IF_ERROR(matrix_.ForEachGroup(
        host, columns, scratch, [&](int64_t first, T* data, T* work, T* factors) {
          LoadTerms(first, from, data);
          T* const result = RunLaneFft<T>(column_fft, data, work, {}, {});
          matrix_.Turn(first, inverse_, result, factors);
          matrix_.StoreColumns(first, kLanes, result, between);
        }));
    XLA_RETURN_IF_ERROR(
        matrix_.ForEachGroup(host, rows, scratch, [&](int64_t first, T*, T* work, T*) {
          T* const group = between + first * columns * 2;
          T* const product = RunLaneFft<T>(row_fft, group, work, {}, {});
          TurnLanes<T>(columns, spectrum_.data() + first * columns * 2, nullptr, inverse_, product);
          // An even number of ping-pong stages leaves the result in the operand's buffer.
          RunLaneFft<T>(row_inverse, product, product == group ? work : group, {}, {});
        }));
    return matrix_.ForEachGroup(
        host, columns, scratch, [&](int64_t first, T* data, T* work, T* factors) {
          matrix_.LoadColumns(first, between, data);
          matrix_.Turn(first, !inverse_, data, factors);
          StoreResults(first, RunLaneFft<T>(column_inverse, data, work, {}, {}), to);
        });
  }

 private:
  static constexpr int64_t kLanes = LineMatrix<T>::kLanes, kRow = LineMatrix<T>::kRow;

  // Returns how many rows of columns [first, first + kLanes) are complete.
  int64_t WholeRows(int64_t first) const {
    return n_ < first + kLanes ? 0 : (n_ - first - kLanes) / matrix_.columns() + 1;
  }
  // Returns the number of elements of the row after those.
  int64_t RestOfRow(int64_t first, int64_t row) const {
    return std::clamp(n_ - row * matrix_.columns() - first, int64_t{0}, kLanes);
  }
  PairFactors<T> Factors(int64_t first, int64_t row) const {
    const int64_t columns = matrix_.columns();
    return {chirp_.data() + 2 * (row * columns + first), 2 * columns, inverse_};
  }

  void LoadTerms(int64_t first, const T* from, T* rows) const {
    const int64_t stride = 2 * matrix_.columns();
    const int64_t whole = WholeRows(first), rest = RestOfRow(first, whole);
    LoadTurnedLanes<T>(whole, {from + 2 * first, stride}, Factors(first, 0), rows);
    std::fill(rows + whole * kRow, rows + matrix_.rows() * kRow, T(0));
    if (rest == 0) return;
    T pairs[kRow] = {};
    std::copy_n(from + whole * stride + 2 * first, 2 * rest, pairs);
    LoadTurnedLanes<T>(1, {pairs, 0}, Factors(first, whole), rows + whole * kRow);
  }

  void StoreResults(int64_t first, const T* rows, T* to) const {
    const int64_t stride = 2 * matrix_.columns();
    const int64_t whole = WholeRows(first), rest = RestOfRow(first, whole);
    StoreTurnedLanes<T>(whole, rows, Factors(first, 0), {to + 2 * first, stride});
    if (rest == 0) return;
    T pairs[kRow];
    StoreTurnedLanes<T>(1, rows + whole * kRow, Factors(first, whole), {pairs, 0});
    std::copy_n(pairs, 2 * rest, to + whole * stride + 2 * first);
  }

  const int64_t n_;
  const LineMatrix<T> matrix_;
  const bool inverse_;
  std::vector<T> chirp_;     // exp(-pi i k^2 / n), and zeros
  std::vector<T> spectrum_;  // of the conjugate chirp, as the rows of groups
};

// The longest column or row, whose rows of a group nearly fit the second-level cache.
constexpr int64_t kMaxColumn = int64_t{1} << 15;

// Returns the rows of a matrix of n elements, near the square root; like the columns, a multiple of
// the lanes if that is possible. 0 if there are none.
template <typename T>
int64_t RowsOf(int64_t n) {
  constexpr int64_t kMaxRatio = 16;
  int64_t rows = 0;
  for (int64_t d = static_cast<int64_t>(std::sqrt(static_cast<double>(n))); d > 0; --d) {
    if (n / d > kMaxColumn || n / d > kMaxRatio * d) break;
    if (n % d != 0) continue;
    if (rows == 0) rows = d;
    if (d % kFftLanes<T> == 0 && n / d % kFftLanes<T> == 0) return d;
  }
  return rows;
}

// Whether the rows and columns of the matrix all fill groups of lanes.
template <typename T>
bool FillsLanes(int64_t n) {
  const int64_t rows = RowsOf<T>(n);
  return rows > 0 && rows % kFftLanes<T> == 0 && n / rows % kFftLanes<T> == 0;
}

// How a transform of n elements is computed.
struct LongPlan {
  int64_t rows = 0;    // of the matrix; 0 if there is none
  int64_t length = 0;  // of the convolution that computes the transform, or n
};

template <typename T>
LongPlan PlanLongFft(int64_t n) {
  // Shorter transforms leave most lanes empty; for longer chirps the tables take as long as a few
  // runs.
  constexpr int64_t kLeastLength = 256, kLongestChirp = int64_t{1} << 21;
  constexpr int64_t kUnit = kFftLanes<T> * kFftLanes<T>;
  if (n < kLeastLength) return {};
  if (const int64_t rows = RowsOf<T>(n); rows > 0) return {rows, n};
  if (n > kLongestChirp) return {};
  const int64_t length = SmoothLength(2 * n - 1, kUnit);
  if (!FillsLanes<T>(length)) return {};
  return {RowsOf<T>(length), length};
}

// Estimates the cost of a matrix: transforms of its columns and rows by groups of lanes, and
// factors between them.
template <typename T>
double MatrixCost(int64_t rows, int64_t columns) {
  constexpr int64_t kLanes = kFftLanes<T>;
  constexpr double kStart = 300, kElement = 8;
  const auto groups = [](int64_t lines) { return static_cast<double>(CeilOfRatio(lines, kLanes)); };
  return kStart + LaneTransformCost(rows) * groups(columns) +
         LaneTransformCost(columns) * groups(rows) +
         static_cast<double>(rows * columns) / static_cast<double>(kLanes) * kElement;
}

}  // namespace

template <typename T>
std::unique_ptr<const LongFft<T>> MakeLongFft(int64_t n, bool inverse, double scale) {
  const LongPlan plan = PlanLongFft<T>(n);
  if (plan.rows == 0) return nullptr;
  const int64_t columns = plan.length / plan.rows;
  if (plan.length == n) return std::make_unique<MatrixFft<T>>(plan.rows, columns, inverse, scale);
  return std::make_unique<ChirpFft<T>>(n, plan.rows, columns, inverse, scale);
}

template <typename T>
double LongFftCost(int64_t n) {
  const LongPlan plan = PlanLongFft<T>(n);
  if (plan.rows == 0) return kDoesNotFit;
  const double matrix = MatrixCost<T>(plan.rows, plan.length / plan.rows);
  return plan.length == n ? matrix : 2 * matrix;
}

template double LongFftCost<float>(int64_t);
template double LongFftCost<double>(int64_t);
template std::unique_ptr<const LongFft<float>> MakeLongFft(int64_t, bool, double);
template std::unique_ptr<const LongFft<double>> MakeLongFft(int64_t, bool, double);

}  // namespace xla::kernels
