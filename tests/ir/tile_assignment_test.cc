// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/tile_assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "absl/hash/hash.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_sharding.h"

namespace xla {
namespace {

TEST(IotaTileAssignment, IsCanonical) {
  const struct {
    std::vector<int64_t> dims, reshape_dims;
    std::vector<int> perm;
    std::string text;
  } cases[] = {
      {{4, 4}, {16}, {0}, "[4,4]<=[16]"},
      {{4, 4}, {2, 8}, {0, 1}, "[4,4]<=[16]"},
      {{4, 4}, {4, 4}, {1, 0}, "[4,4]<=[4,4]T(1,0)"},
      {{4, 8}, {2, 4, 4}, {1, 2, 0}, "[4,8]<=[2,16]T(1,0)"},
      {{60}, {3, 4, 5}, {1, 0, 2}, "[60]<=[3,4,5]T(1,0,2)"},
      {{60}, {3, 4, 5}, {2, 0, 1}, "[60]<=[12,5]T(1,0)"},
      {{1, 60}, {1, 3, 1, 4, 1, 5}, {4, 3, 2, 5, 1, 0}, "[1,60]<=[3,20]T(1,0)"},
      {{1, 1}, {1, 1}, {1, 0}, "[1,1]<=[1]"},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(IotaTileAssignment::Create(test.dims, test.reshape_dims, test.perm).ToString(),
              test.text);
  }
}

TEST(IotaTileAssignment, TransposesIntoCommonFactors) {
  const auto tiles = IotaTileAssignment::Create({4, 5, 24}, {15, 4, 8}, {1, 0, 2});
  EXPECT_EQ(tiles.Transpose({0, 2, 1})->ToString(), "[4,24,5]<=[5,3,4,8]T(2,1,3,0)");
  // Tiles of 3 and devices of 2 overlap without a common factor.
  EXPECT_FALSE(IotaTileAssignment::Create({2, 3}, {3, 2}, {1, 0}).Transpose({1, 0}) ==
               std::nullopt);
  EXPECT_EQ(IotaTileAssignment::Create({3, 2}, {3, 2}, {1, 0}).Transpose({1, 0}), std::nullopt);
}

// A factorization of `size` into at most four factors.
std::vector<int64_t> RandomFactors(int64_t size, std::mt19937& random) {
  std::vector<int64_t> factors;
  while (factors.size() < 3) {
    std::vector<int64_t> divisors;
    for (int64_t d = 1; d <= size; ++d) {
      if (size % d == 0) divisors.push_back(d);
    }
    factors.push_back(divisors[random() % divisors.size()]);
    size /= factors.back();
  }
  factors.push_back(size);
  std::shuffle(factors.begin(), factors.end(), random);
  return factors;
}

std::vector<int> RandomPermutation(size_t size, std::mt19937& random) {
  std::vector<int> perm(size);
  for (size_t i = 0; i < size; ++i) perm[i] = static_cast<int>(i);
  std::shuffle(perm.begin(), perm.end(), random);
  return perm;
}

TEST(TileAssignment, IotasAreTheArraysTheyStandFor) {
  std::mt19937 random(7);
  int stay_iotas = 0;
  for (int round = 0; round < 2000; ++round) {
    const int64_t sizes[] = {1, 6, 12, 16, 24, 36, 60};
    const int64_t size = sizes[random() % 7];
    const std::vector<int64_t> dims = RandomFactors(size, random);
    const std::vector<int64_t> reshape_dims = RandomFactors(size, random);
    const std::vector<int> iota_perm = RandomPermutation(4, random),
                           perm = RandomPermutation(4, random);
    const TileAssignment tiles(dims, reshape_dims, iota_perm);
    Array<int64_t> array(reshape_dims);
    array.FillIota(0);
    array.TransposeDimensions(std::vector<int64_t>(iota_perm.begin(), iota_perm.end()));
    array.Reshape(dims);
    SCOPED_TRACE(tiles.ToString());
    ASSERT_EQ(tiles.array(), array);
    array.Each(
        [&](absl::Span<const int64_t> index, int64_t device) { ASSERT_EQ(tiles(index), device); });
    EXPECT_EQ(tiles.first(), *array.begin());
    EXPECT_EQ(tiles.num_elements(), size);
    const TileAssignment written_out(array);
    EXPECT_EQ(tiles, written_out);
    EXPECT_EQ(absl::HashOf(tiles), absl::HashOf(written_out));

    Array<int64_t> transposed = array;
    transposed.TransposeDimensions(std::vector<int64_t>(perm.begin(), perm.end()));
    const TileAssignment result = tiles.Transpose(perm);
    ASSERT_EQ(result.array(), transposed);
    EXPECT_EQ(result, written_out.Transpose(perm));
    stay_iotas += result.iota().has_value();
    EXPECT_EQ(tiles.Reshape({size}).array(), written_out.Reshape({size}).array());
  }
  EXPECT_GT(stay_iotas, 1500);
}

TEST(TileAssignment, OfNoneAndOfOne) {
  const TileAssignment none;
  EXPECT_EQ(none.num_dimensions(), 1);
  EXPECT_EQ(none.dim(0), 0);
  EXPECT_EQ(none.num_elements(), 0);
  const TileAssignment one(5);
  EXPECT_EQ(one(0), 5);
  EXPECT_EQ(one.first(), 5);
  EXPECT_FALSE(one.iota().has_value());
  EXPECT_EQ(one.ToString(), "devices=[1]5");
  EXPECT_FALSE(one == none);
}

TEST(TileAssignment, CopiesAndTexts) {
  const TileAssignment tiles({2, 2}, {2, 2}, {1, 0});
  TileAssignment copy = tiles, other;
  other = tiles;
  EXPECT_EQ(copy, tiles);
  EXPECT_EQ(other, tiles);
  EXPECT_TRUE(copy.iota().has_value());
  std::ostringstream out;
  out << tiles << " " << TileAssignment(*tiles.shared_array());
  EXPECT_EQ(out.str(), "devices=[2,2]<=[2,2]T(1,0) devices=[2,2]0,2,1,3");
  std::vector<int64_t> seen;
  tiles.Each([&](absl::Span<const int64_t>, int64_t device) { seen.push_back(device); });
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 2, 1, 3}));
  const absl::Status status = tiles.EachStatus([](absl::Span<const int64_t>, int64_t device) {
    return device == 2 ? absl::InternalError("two") : absl::OkStatus();
  });
  EXPECT_EQ(status.message(), "two");
}

TEST(TileAssignment, OfShardings) {
  const TileAssignment tiles({2, 4}, {4, 2}, {1, 0});
  EXPECT_EQ(HloSharding::Tile(tiles).tile_assignment(), tiles);
  EXPECT_EQ(HloSharding::Tile(Array<int64_t>({1, 0})).tile_assignment().ToString(),
            "devices=[2]1,0");
  EXPECT_EQ(HloSharding::Tile(TileAssignment({3, 1})).tile_assignment().ToString(),
            "devices=[3,1]<=[3]");
  EXPECT_EQ(HloSharding::SingleDevice(3).tile_assignment(), TileAssignment(3));
  EXPECT_EQ(HloSharding::Replicate().tile_assignment(), TileAssignment());
}

}  // namespace
}  // namespace xla
