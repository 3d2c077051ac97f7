// SPDX-License-Identifier: Apache-2.0
// Prepared sorts against std::stable_sort; top-k; the other prepared kernels against those that
// they wrap.
#include "xla/kernels/sort/sort_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/kernels/prepared_kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/kernels/linear_algebra/linear_algebra_kernel.h"
#include "xla/kernels/random/random_bits.h"
#include "xla/kernels/random/random_bits_kernel.h"
#include "xla/kernels/sort/sorting_network.h"
#include "xla/kernels/sort/total_order.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

template <typename T>
std::vector<T> KeysWithSpecials(TestRandom& random, int64_t count, bool specials) {
  std::vector<T> keys(count);
  for (T& key : keys) {
    key = static_cast<T>(static_cast<float>(random.In(-50, 50)));
    if constexpr (!std::is_integral_v<T>) {
      const int64_t choice = specials ? random.In(0, 9) : 9;
      if (choice == 0) key = static_cast<T>(-0.0f);
      if (choice == 1) key = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
      if (choice == 2) key = static_cast<T>(-std::numeric_limits<float>::quiet_NaN());
      if (choice == 3) key = static_cast<T>(std::numeric_limits<float>::infinity());
    }
  }
  return keys;
}

// The key of an element as an integer.
template <typename T>
int64_t KeyOf(T x, SortOrder order) {
  int64_t key;
  if constexpr (!std::is_integral_v<T>) {
    if (order == SortOrder::kNumbers) {
      if (x != x) return std::numeric_limits<int64_t>::max();
      if (x == T(0)) x = T(0);
    }
  }
  TotalOrderKeys(primitive_util::NativeToPrimitiveType<T>(), false, 1, &x, &key);
  return key;
}

// Sorts keys and, if `with_payload`, their indices along one dimension of [rows, length, inner].
template <typename T>
void CheckSort(uint64_t seed, SortOrder order, bool descending, bool with_payload, int64_t rows,
               int64_t length, int64_t inner, bool specials, int workers) {
  TestRandom random(seed);
  const std::vector<T> keys = KeysWithSpecials<T>(random, rows * length * inner, specials);
  std::vector<int32_t> payload(keys.size());
  std::iota(payload.begin(), payload.end(), 0);
  SortSpec spec;
  spec.dimensions = {rows, length, inner};
  spec.strides = {length * inner, inner, 1};
  if (inner == 1) spec.strides = {length, 1, 1};
  spec.dimension = 1;
  spec.types = {primitive_util::NativeToPrimitiveType<T>()};
  if (with_payload) spec.types.push_back(S32);
  spec.order = order;
  spec.descending = descending;
  std::vector<T> sorted(keys.size());
  std::vector<int32_t> sorted_payload(keys.size());
  std::vector<void*> buffers = {const_cast<T*>(keys.data())};
  if (with_payload) buffers.push_back(payload.data());
  buffers.push_back(sorted.data());
  if (with_payload) buffers.push_back(sorted_payload.data());
  if (order == SortOrder::kComparator) {
    spec.less = [](void* const*, const void* const* elements) {
      return *static_cast<const T*>(elements[0]) < *static_cast<const T*>(elements[1]);
    };
  }
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> kernel, MakeSortKernel(spec));
  ASSERT_OK(RunPrepared(*kernel, buffers, workers));
  for (int64_t row = 0; row < rows * inner; ++row) {
    const int64_t start = row / inner * length * inner + row % inner;
    std::vector<int64_t> expected(length);
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](int64_t a, int64_t b) {
      const int64_t key_a = KeyOf(keys[start + a * inner], order);
      const int64_t key_b = KeyOf(keys[start + b * inner], order);
      return descending ? key_a > key_b : key_a < key_b;
    });
    for (int64_t i = 0; i < length; ++i) {
      const int64_t from = start + expected[i] * inner, to = start + i * inner;
      ASSERT_EQ(std::memcmp(&sorted[to], &keys[from], sizeof(T)), 0) << "row " << row << ", " << i;
      if (with_payload) {
        ASSERT_EQ(sorted_payload[to], payload[from]);
      }
    }
  }
}

template <typename T>
void CheckSorts() {
  uint64_t seed = 0;
  for (const SortOrder order : {SortOrder::kTotal, SortOrder::kNumbers}) {
    for (const bool descending : {false, true}) {
      for (const bool with_payload : {false, true}) {
        for (const bool specials : {false, true}) {
          ++seed;
          CheckSort<T>(seed, order, descending, with_payload, 3, 1000, 1, specials, 2);
          CheckSort<T>(seed, order, descending, with_payload, 2, 50, 5, specials, 1);
          CheckSort<T>(seed, order, descending, with_payload, 1, 20, 1, specials, 1);
          if (seed % 3 == 0)
            CheckSort<T>(seed, order, descending, with_payload, 1, 150000, 1, specials, 3);
        }
      }
    }
  }
}

TEST(SortKernel, F32) { CheckSorts<float>(); }
TEST(SortKernel, F64) { CheckSorts<double>(); }
TEST(SortKernel, Bf16) { CheckSorts<bfloat16>(); }
TEST(SortKernel, S32) { CheckSorts<int32_t>(); }
TEST(SortKernel, U64) { CheckSorts<uint64_t>(); }
TEST(SortKernel, S8) { CheckSorts<int8_t>(); }

// By the principle of zeros and ones, a network sorts everything if it sorts all rows of those.
TEST(SortingNetwork, SortsAllRowsOfZerosAndOnes) {
  for (int64_t length = 0; length <= 16; ++length) {
    const std::vector<Comparator> network = MakeSortingNetwork(length);
    for (uint32_t row = 0; row < uint32_t{1} << length; ++row) {
      uint32_t bits = row;
      for (const auto& [low, high] : network) {
        const uint32_t both = bits >> low & 1 & ~(bits >> high);
        bits ^= both << low | both << high;
      }
      // Zeros first.
      ASSERT_TRUE((~bits & (bits << 1) & ((uint32_t{1} << length) - 1)) == 0)
          << length << " elements, " << row;
    }
  }
}

TEST(SortingNetwork, SortsEachLane) {
  const auto check = [](auto sample) {
    using Word = decltype(sample);
    constexpr int64_t kRows = kNetworkRows<Word>, kLength = 100;
    TestRandom random(7);
    alignas(64) static Word words[kRows * kLength];
    std::vector<std::vector<Word>> rows(kRows);
    for (int64_t i = 0; i < kRows * kLength; ++i) {
      const auto half =
          static_cast<uint64_t>(random.In(0, std::numeric_limits<int64_t>::max() - 1));
      words[i] = static_cast<Word>(half << 1 | (half & 1));
      rows[i % kRows].push_back(words[i]);
    }
    RunSortingNetwork(MakeSortingNetwork(kLength), words);
    for (int64_t row = 0; row < kRows; ++row) {
      std::sort(rows[row].begin(), rows[row].end());
      for (int64_t i = 0; i < kLength; ++i) ASSERT_EQ(words[i * kRows + row], rows[row][i]);
    }
  };
  check(uint16_t());
  check(uint32_t());
  check(uint64_t());
}

template <typename T>
void CheckShortRows() {
  uint64_t seed = 100;
  for (const int64_t length : {1, 2, 3, 9, 17, 64, 65, 128, 129}) {
    for (const int64_t inner : {1, 7, 70}) {
      for (const SortOrder order : {SortOrder::kTotal, SortOrder::kNumbers}) {
        ++seed;
        for (const bool with_payload : {false, true})
          CheckSort<T>(seed, order, seed % 2 == 0, with_payload, 11, length, inner, seed % 3 == 0,
                       3);
      }
    }
  }
}

TEST(ShortRowSort, F32) { CheckShortRows<float>(); }
TEST(ShortRowSort, F64) { CheckShortRows<double>(); }
TEST(ShortRowSort, Bf16) { CheckShortRows<bfloat16>(); }
TEST(ShortRowSort, S32) { CheckShortRows<int32_t>(); }
TEST(ShortRowSort, U16) { CheckShortRows<uint16_t>(); }
TEST(ShortRowSort, S8) { CheckShortRows<int8_t>(); }

// Dimensions in another order in memory, with a dimension between those of the rows.
TEST(ShortRowSort, TransposedDimensions) {
  SortSpec spec;
  spec.dimensions = {6, 5, 10};
  spec.strides = {5, 1, 30};
  spec.dimension = 1;
  spec.types = {S32};
  std::vector<int32_t> values(300), sorted(300), expected;
  std::iota(values.begin(), values.end(), 0);
  for (int32_t& value : values) value = value * 7919 % 300;
  expected = values;
  for (auto row = expected.begin(); row != expected.end(); row += 5) std::sort(row, row + 5);
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> kernel, MakeSortKernel(spec));
  ASSERT_OK(RunPrepared(*kernel, {values.data(), sorted.data()}, 2));
  EXPECT_EQ(sorted, expected);
}

// Operands that are the index, and results that nobody reads, have no memory.
TEST(SortKernel, IndicesAndUnusedResultsAreNotTouched) {
  for (const int64_t length : {40, 3000, 140000}) {
    TestRandom random(static_cast<uint64_t>(length));
    const std::vector<float> keys = KeysWithSpecials<float>(random, 2 * length, true);
    SortSpec spec;
    spec.dimensions = {2, length};
    spec.strides = {length, 1};
    spec.dimension = 1;
    spec.types = {F32, S64, S32};
    spec.order = SortOrder::kNumbers;
    spec.is_index = {false, true, true};
    spec.is_unused = {true, false, false};
    std::vector<int64_t> wide(keys.size());
    std::vector<int32_t> narrow(keys.size());
    ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> kernel, MakeSortKernel(spec));
    ASSERT_OK(RunPrepared(
        *kernel,
        {const_cast<float*>(keys.data()), nullptr, nullptr, nullptr, wide.data(), narrow.data()},
        3));
    for (int64_t row = 0; row < 2; ++row) {
      std::vector<int64_t> expected(static_cast<size_t>(length));
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(), [&](int64_t a, int64_t b) {
        return KeyOf(keys[row * length + a], spec.order) <
               KeyOf(keys[row * length + b], spec.order);
      });
      for (int64_t i = 0; i < length; ++i) {
        ASSERT_EQ(wide[row * length + i], expected[i]);
        ASSERT_EQ(narrow[row * length + i], expected[i]);
      }
    }
  }
}
TEST(SortKernel, ValuesAreSortedInTheMemoryOfTheResult) {
  SortSpec spec;
  spec.dimensions = {int64_t{1} << 20};
  spec.strides = {1};
  spec.dimension = 0;
  spec.types = {F32};
  spec.order = SortOrder::kNumbers;
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> kernel, MakeSortKernel(spec));
  EXPECT_LE(kernel->ScratchBytes(8), 4096);
}
TEST(SortKernel, ByComparator) {
  CheckSort<float>(1, SortOrder::kComparator, false, true, 3, 1000, 1, false, 2);
  CheckSort<int32_t>(2, SortOrder::kComparator, false, true, 2, 33, 4, false, 1);
  CheckSort<int32_t>(3, SortOrder::kComparator, false, false, 1, 140000, 1, false, 3);
}
TEST(SortKernel, ManyEqualKeys) {
  // Few distinct words: buckets are uneven, or all words fall into one.
  CheckSort<int8_t>(3, SortOrder::kTotal, false, true, 1, 300000, 1, false, 4);
}
TEST(SortKernel, ComplexNumbersAreNotSorted) {
  SortSpec spec;
  spec.dimensions = {4};
  spec.strides = {1};
  spec.dimension = 0;
  spec.types = {C64};
  EXPECT_STATUS(MakeSortKernel(spec).status(), absl::StatusCode::kInvalidArgument,
                "cannot sort complex numbers");
}

// By every form: values in random order with special ones, ascending, descending, and all equal.
TEST(TopKKernel, AgreesWithSorting) {
  TestRandom random(1);
  for (const auto& [length, k] : {std::pair<int64_t, int64_t>{100, 100},
                                  {5000, 3},
                                  {40000, 7},
                                  {9000, 2000},
                                  {600, 1},
                                  {3000, 2999},
                                  {16384, 15320},  // more than all samples are below the limit
                                  {1, 1},
                                  {511, 60},  // groups of 2.8 and of 31 elements
                                  {500, 3},
                                  {50000, 500}}) {
    constexpr int64_t kRows = 4;
    std::vector<float> values = KeysWithSpecials<float>(random, kRows * length, true);
    for (int64_t i = 0; i < length; ++i) {
      values[length + i] = static_cast<float>(i);
      values[2 * length + i] = static_cast<float>(-i);
      values[3 * length + i] = 1;
    }
    TopKSpec spec = {F32, true, kRows, length, k, ""};
    for (const FormCost& form : TopKForms(spec)) {
      spec.form = form.form;
      std::vector<float> top(kRows * k);
      std::vector<int32_t> indices(kRows * k);
      ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> kernel, MakeTopKKernel(spec));
      ASSERT_OK(RunPrepared(*kernel, {values.data(), top.data(), indices.data()}, 2));
      for (int64_t row = 0; row < kRows; ++row) {
        std::vector<int32_t> expected(length);
        std::iota(expected.begin(), expected.end(), 0);
        const float* v = values.data() + row * length;
        std::stable_sort(expected.begin(), expected.end(), [&](int32_t a, int32_t b) {
          return KeyOf(v[a], SortOrder::kTotal) > KeyOf(v[b], SortOrder::kTotal);
        });
        for (int64_t i = 0; i < k; ++i) {
          ASSERT_EQ(indices[row * k + i], expected[i]) << form.form << ", row " << row;
          ASSERT_EQ(std::memcmp(&top[row * k + i], &v[expected[i]], 4), 0);
        }
      }
    }
  }
}

TEST(LinearAlgebraKernel, AgreesWithTheKernelsItWraps) {
  TestRandom random(2);
  for (const auto& [count, n] : {std::pair<int64_t, int64_t>{40, 5}, {2, 30}}) {
    std::vector<float> a(count * n * n), factor(a.size()), expected(a.size()), x(a.size());
    for (float& value : a) value = static_cast<float>(random.Unit());
    for (int64_t i = 0; i < count * n; ++i) a[i / n * n * n + i % n * (n + 1)] = 20;
    const MatrixBatch batch = {F32, nullptr, count, n, n, n, n * n};
    MatrixBatch with_data = batch;
    with_data.data = a.data();
    TestContext context;
    ASSERT_OK(Cholesky(context, true, with_data, expected.data()));
    ASSERT_OK(RunPrepared(*MakeCholeskyKernel(true, batch), {a.data(), factor.data()}, 2));
    EXPECT_EQ(factor, expected);
    const TriangularSolveSpec options = {true, true, false, false, false};
    ASSERT_OK(TriangularSolve(context, options, with_data, with_data, expected.data()));
    ASSERT_OK(RunPrepared(*MakeTriangularSolveKernel(options, batch, batch),
                          {a.data(), a.data(), x.data()}, 2));
    EXPECT_EQ(x, expected);
  }
}

TEST(RandomBitsKernel, RefusesOtherTypes) {
  for (const PrimitiveType type : {C64, TOKEN}) {
    EXPECT_EQ(MakeRandomBitsKernel({true, 2, type, {10}}).status().code(),
              absl::StatusCode::kUnimplemented);
  }
}

TEST(RandomBitsKernel, AdvancesTheState) {
  for (const bool threefry : {true, false}) {
    const int64_t words = threefry ? 2 : 3;
    std::vector<uint64_t> state = {7, ~uint64_t{0}, 5}, next(3), bits(1000), expected(1000);
    ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> kernel,
                         MakeRandomBitsKernel({threefry, words, U64, {10, 100}}));
    ASSERT_OK(RunPrepared(*kernel, {state.data(), next.data(), bits.data()}, 2));
    TestContext context;
    if (threefry) {
      ASSERT_OK(FillThreefry(context, 7, ~uint64_t{0}, U64, {10, 100}, expected.data()).status());
      EXPECT_EQ(next[1], 999u);
    } else {
      ASSERT_OK(FillPhilox(context, 7, {~uint64_t{0}, 5}, U64, 1000, expected.data()).status());
      EXPECT_EQ(next[1], 499u);
      EXPECT_EQ(next[2], 6u);
    }
    EXPECT_EQ(bits, expected);
  }
}

}  // namespace
}  // namespace xla::kernels
