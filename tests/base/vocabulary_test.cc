// SPDX-License-Identifier: Apache-2.0
// The small parts of the vocabulary: trees of tuples, pools, views of containers, partitions, bits
// of floating-point numbers, files of literals.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/test_util.h"
#include "xla/array.h"
#include "xla/bit_cast.h"
#include "xla/comparison_util.h"
#include "xla/ef57.h"
#include "xla/error_util.h"
#include "xla/fp_bits.h"
#include "xla/iterator_util.h"
#include "xla/layout_util.h"
#include "xla/lazy.h"
#include "xla/literal_pool.h"
#include "xla/literal_util.h"
#include "xla/packed_literal_reader.h"
#include "xla/shape_partition.h"
#include "xla/shape_pool.h"
#include "xla/status_macros.h"
#include "xla/text_literal_writer.h"
#include "xla/tsl/platform/file_system.h"
#include "xla/tsl/util/maybe_owning.h"
#include "xla/tsl/util/safe_reinterpret_cast.h"
#include "xla/tuple_tree.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

using IntTree = TupleTree<int>;
using Pairs = std::vector<std::pair<ShapeIndex, int>>;

Pairs NodesOf(const IntTree& tree) { return Pairs(tree.begin(), tree.end()); }
Pairs LeavesOf(const IntTree& tree) { return Pairs(tree.leaf_begin(), tree.leaf_end()); }

TEST(TupleTreeTest, HoldsAValueForEachNode) {
  using Node = IntTree::Node;
  const IntTree tree(Node::Tuple(
      1, {Node::Leaf(2), Node::Tuple(3, {Node::Leaf(4), Node::Tuple(5)}), Node::Leaf(6)}));
  EXPECT_EQ(NodesOf(tree),
            (Pairs{{{}, 1}, {{0}, 2}, {{1}, 3}, {{1, 0}, 4}, {{1, 1}, 5}, {{2}, 6}}));
  EXPECT_EQ(LeavesOf(tree), (Pairs{{{0}, 2}, {{1, 0}, 4}, {{2}, 6}}));
  EXPECT_EQ(Pairs(tree.leaf_rbegin(), tree.leaf_rend()), (Pairs{{{2}, 6}, {{1, 0}, 4}, {{0}, 2}}));
  EXPECT_EQ(tree.element({1, 1}), 5);
  EXPECT_FALSE(tree.IsLeaf({1, 1}));  // an empty tuple
  EXPECT_FALSE(tree.IsLeaf({7}));
  EXPECT_EQ(tree.find({2})->second, 6);
  EXPECT_TRUE(tree.find({3}) == tree.end());
  EXPECT_ERROR(tree.Subtree({0, 0}), "Cannot index into a leaf node");
  EXPECT_ERROR(tree.Subtree({3}), "Index out of bounds");
  EXPECT_ERROR(tree.Subtree({-1}), "Negative index in ShapeIndex");
}

TEST(TupleTreeTest, HasTheStructureOfAShape) {
  const Shape shape = ShapeUtil::MakeTupleShape(
      {ShapeUtil::MakeShape(F32, {2}), ShapeUtil::MakeTupleShape({ShapeUtil::MakeTokenShape()})});
  const IntTree tree(shape, 7);
  EXPECT_EQ(NodesOf(tree), (Pairs{{{}, 7}, {{0}, 7}, {{1}, 7}, {{1, 0}, 7}}));
  EXPECT_TRUE(tree.IsStructurallyCompatible(shape));
  EXPECT_FALSE(tree.IsStructurallyCompatible(shape.tuple_shapes(1)));
}

TEST(TupleTreeTest, GrowsWhereSubtreesAreCopied) {
  const IntTree source({10, 20});
  IntTree tree(5);
  tree.CopySubtreeFrom(source, {1}, {2, 0});
  EXPECT_EQ(NodesOf(tree), (Pairs{{{}, 0}, {{0}, 5}, {{1}, 0}, {{2}, 0}, {{2, 0}, 20}}));
  EXPECT_ERROR(tree.CopyCompatibleSubtreeFrom(source, {}, {}), "different number of children");
  IntTree pair({1, 2});
  EXPECT_OK(pair.CopyCompatibleSubtreeFrom(source, {}, {}));
  EXPECT_EQ(pair, source);
  EXPECT_EQ(LeavesOf(source.Map<int>([](const int& x) { return x + 1; })),
            (Pairs{{{0}, 11}, {{1}, 21}}));
}

TEST(PoolsTest, ShareEqualValues) {
  LiteralPool literals;
  {
    const auto a = literals.GetCanonicalLiteral(LiteralUtil::CreateR1<float>({1, 2}));
    EXPECT_EQ(a, literals.GetCanonicalLiteral(LiteralUtil::CreateR1<float>({1, 2})));
    EXPECT_NE(a, literals.GetCanonicalLiteral(LiteralUtil::CreateR1<float>({2, 1})));
    const auto rows =
        LiteralUtil::CreateR2WithLayout<float>({{1, 2}, {3, 4}}, LayoutUtil::MakeLayout({1, 0}));
    const auto columns =
        LiteralUtil::CreateR2WithLayout<float>({{1, 2}, {3, 4}}, LayoutUtil::MakeLayout({0, 1}));
    const auto b = literals.GetCanonicalLiteral(rows);
    EXPECT_NE(b, literals.GetCanonicalLiteral(columns));
    EXPECT_EQ(b, literals.GetCanonicalLiteral(rows));
    EXPECT_EQ(literals.GarbageCollect(), 2);
  }
  EXPECT_EQ(literals.GarbageCollect(ShapeUtil::MakeShape(S32, {2})), 0);
  EXPECT_EQ(literals.GarbageCollect(ShapeUtil::MakeShape(F32, {2})), 1);

  ShapePool shapes;
  auto shape = std::make_shared<Shape>(ShapeUtil::MakeShape(F32, {2}));
  EXPECT_EQ(shapes.GetCanonicalShape(shape), shape);
  EXPECT_EQ(shapes.GetCanonicalShape(*shape), shape);
  EXPECT_EQ(shapes.GarbageCollect(), 0);
  shape.reset();
  EXPECT_EQ(shapes.GarbageCollect(), 1);
}

TEST(IteratorUtilTest, ViewsOfContainers) {
  std::vector<std::unique_ptr<int>> numbers;
  for (int i = 0; i < 5; ++i) numbers.push_back(std::make_unique<int>(i));
  std::vector<int> odd;
  for (const int* number : MakeFilteringUnwrappingIteratorRange(
           numbers.begin(), numbers.end(), [](const int* number) { return *number % 2 == 1; })) {
    odd.push_back(*number);
  }
  EXPECT_EQ(odd, (std::vector<int>{1, 3}));
  const std::vector<std::string> names = {"a", "b"};
  std::string text;
  for (const auto& [i, name] : WithIndex(names)) {
    EXPECT_EQ(&name, &names[i]);
    text += name + std::to_string(i);
  }
  EXPECT_EQ(text, "a0b1");
}

TEST(LazyTest, ComputesOnce) {
  int calls = 0;
  Lazy<int> lazy([&] { return ++calls; });
  EXPECT_FALSE(lazy.has_value());
  Lazy<int> moved = std::move(lazy);
  EXPECT_EQ(moved.get(), 1);
  const int* value = &moved.get();
  Lazy<int> again([] { return 7; });
  again = std::move(moved);
  EXPECT_EQ(&again.get(), value);
  EXPECT_EQ(calls, 1);
}

TEST(MaybeOwningTest, DeletesWhatItOwns) {
  auto value = std::make_shared<int>(3);
  MaybeOwning<std::shared_ptr<int>> borrowed(&value);
  MaybeOwning<std::shared_ptr<int>> owned(std::make_unique<std::shared_ptr<int>>(value));
  EXPECT_EQ(value.use_count(), 2);
  MaybeOwning<std::shared_ptr<int>> copy = owned.Clone();
  EXPECT_EQ(value.use_count(), 3);
  EXPECT_FALSE(borrowed.Clone().OwnsPtr());
  copy = nullptr;
  EXPECT_EQ(value.use_count(), 2);
}

TEST(SafeReinterpretCastTest, AcceptsBytesAndAddresses) {
  float value = 1;
  EXPECT_EQ(tsl::safe_reinterpret_cast<float*>(tsl::safe_reinterpret_cast<char*>(&value)), &value);
  EXPECT_EQ(tsl::safe_reinterpret_cast<std::uintptr_t>(nullptr), 0);
  static_assert(!tsl::internal::IsSafeCast<float*, int*>());
}

TEST(ShapePartitionTest, CutsMajorDimensions) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {5, 3, 2}, {2, 0, 1});
  ShapePartitionAssigner assigner(shape);
  EXPECT_EQ(assigner.Run(3), (std::vector<int64_t>{3}));
  EXPECT_EQ(assigner.Run(5), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(assigner.Run(11), (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(assigner.Run(16), (std::vector<int64_t>{3, 2, 2}));
  const Shape scalar = ShapeUtil::MakeShape(F32, {});
  EXPECT_TRUE(ShapePartitionAssigner(scalar).Run(4).empty());

  const Shape row_major = ShapeUtil::MakeShape(F32, {5, 3, 2});
  const ShapePartitionIterator parts(row_major, {2, 2});
  EXPECT_EQ(parts.GetTotalPartitionCount(), 4);
  using Ranges = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(parts.GetPartition(1), (Ranges{{0, 2}, {1, 2}}));
  EXPECT_EQ(parts.GetPartition(2), (Ranges{{2, 3}, {0, 1}}));
}

TEST(FpBitsTest, OrdersNumbers) {
  EXPECT_EQ(ToSignMagnitude(0.0f), 0);
  EXPECT_EQ(ToSignMagnitude(-0.0f), -1);
  EXPECT_LT(ToSignMagnitude(-2.0), ToSignMagnitude(-1.0));
  // Formats narrower than a byte, without negative zero, without sign.
  EXPECT_EQ(SignAndMagnitude(float4_e2m1fn(-1.0f)).second, float4_e2m1fn(1.0f).bits());
  EXPECT_EQ(ToSignMagnitude(-std::numeric_limits<float8_e4m3fnuz>::denorm_min()), -1);
  EXPECT_EQ(ToSignMagnitude(float8_e8m0fnu(1.0f)), 127);
  // NaN has the bits of the negative zero, and is the lowest.
  EXPECT_EQ(ToSignMagnitude(std::numeric_limits<float8_e4m3fnuz>::quiet_NaN()), -128);
}

TEST(FpBitsTest, TextKeepsNumbers) {
  EXPECT_EQ(RoundTripFpToString(0.1), "0.1");
  EXPECT_EQ(RoundTripFpToString(0.1f), "0.1");
  EXPECT_EQ(RoundTripFpToString(1.0f / 3), "0.333333343");
  EXPECT_EQ(RoundTripFpToString(half(0.1f)), "0.099976");
  EXPECT_EQ(RoundTripFpToString(std::numeric_limits<float>::quiet_NaN()), "nan");
  EXPECT_EQ(RoundTripFpToString(NanWithSignAndPayload<float>(true, 0x1234)), "-nan(0x1234)");
  EXPECT_EQ(RoundTripFpToString(float8_e4m3fn::FromBits(0x7f)), "nan");
}

TEST(FpBitsTest, BitCastKeepsBits) {
  EXPECT_EQ(BitCast<uint16_t>(BitCast<bfloat16>(uint16_t{0x7fc1})), 0x7fc1);
  EXPECT_EQ(BitCast<uint32_t>(1.0f), 0x3f800000u);
}

TEST(Ef57Test, SplitsDoubles) {
  EXPECT_EQ(SplitF64ToF32(2.0 - 0x1p-52), (std::pair(2.0f, -0x1p-52f)));
  EXPECT_EQ(SplitF64ToF32(1e300), (std::pair(std::numeric_limits<float>::infinity(), 0.0f)));
  std::vector<float> parts(4);
  ConvertF64ToEf57({1.0, 1.0 + 0x1p-30}, absl::MakeSpan(parts));
  EXPECT_EQ(parts, (std::vector<float>{1, 0, 1, 0x1p-30f}));
}

TEST(ErrorUtilTest, AppendsAStackTraceOnce) {
  std::string trace;
  for (int i = 0; i < 51; ++i) trace += "frame " + std::to_string(i) + "\n";
  const absl::Status error = WrapWithPythonStacktrace(absl::InternalError("bad"), trace);
  EXPECT_TRUE(absl::StrContains(error.message(), "frame 49\n[... truncated to 50 lines ...]"));
  EXPECT_EQ(WrapWithPythonStacktrace(error, trace).message(), error.message());
  EXPECT_EQ(WrapWithPythonStacktrace(absl::InternalError("bad"), "").message(), "bad");
  EXPECT_OK(WrapWithPythonStacktrace(absl::OkStatus(), trace));
}

TEST(LiteralVocabularyTest, BitsAboveNarrowElementsDoNotCount) {
  Literal a = LiteralUtil::CreateR1<u4>({u4(1), u4(2)}), b = a.Clone();
  static_cast<uint8_t*>(a.untyped_data())[1] |= 0xa0;
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.HashValue(), b.HashValue());
  b.Set<u4>({1}, u4(3));
  EXPECT_NE(a, b);
}

absl::StatusOr<int> CheckedHalf(int x) {
  TF_RET_CHECK(x % 2 == 0).with_log_severity(absl::LogSeverity::kInfo) << x << " is odd";
  if (x < 0) XLA_RET_CHECK_FAIL().with_log_severity(absl::LogSeverity::kInfo) << "negative";
  return x / 2;
}

TEST(StatusMacrosTest, FailedChecksAreInternalErrors) {
  EXPECT_EQ(*CheckedHalf(4), 2);
  EXPECT_STATUS(CheckedHalf(3).status(), absl::StatusCode::kInternal, "x % 2 == 0 3 is odd");
  EXPECT_STATUS(CheckedHalf(-2).status(), absl::StatusCode::kInternal, "negative");
}

TEST(UtilTest, GroupsOfReshapesWithoutElements) {
  using Bounds = absl::InlinedVector<std::pair<int64_t, int64_t>, 8>;
  EXPECT_EQ(CommonFactors({1, 0}, {1, 0, 1}), (Bounds{{0, 0}, {1, 1}, {2, 2}, {2, 3}}));
  EXPECT_EQ(CommonFactors({0, 10}, {0, 10, 3}), (Bounds{{0, 0}, {2, 3}}));
  EXPECT_EQ(CommonFactors({0, 1}, {0, 1}), (Bounds{{0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(CommonFactors({2, 0, 3}, {2, 5, 0}), (Bounds{{0, 0}, {1, 1}, {3, 3}}));
}

TEST(UtilTest, PacksBits) {
  const std::vector<char> values = {1, 2, 3, 0, 1};
  std::vector<char> packed(2), unpacked(5);
  PackIntN(2, values, absl::MakeSpan(packed));
  EXPECT_EQ(packed, (std::vector<char>{0b00111001, 1}));
  UnpackIntN(2, packed, absl::MakeSpan(unpacked));
  EXPECT_EQ(unpacked, values);
  ChannelHandle handle;
  EXPECT_EQ(PrintAllFields(handle), "handle: 0\ntype: CHANNEL_TYPE_INVALID\n");
}

TEST(LiteralFilesTest, PackedElementsInOrder) {
  const std::string path = testing::ProcessTempDir() + "/packed";
  const float elements[] = {1, 2, 3, 4, 5, 6};
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(elements), sizeof(elements));
  ASSERT_OK_AND_ASSIGN(auto file, tsl::OpenRandomAccessFile(path));
  PackedLiteralReader reader(file.release());
  EXPECT_ERROR(reader.Read(ShapeUtil::MakeShape(S32, {2})), "not yet implemented element type");
  ASSERT_OK_AND_ASSIGN(const Literal row, reader.Read(ShapeUtil::MakeShape(F32, {2})));
  EXPECT_EQ(row, LiteralUtil::CreateR1<float>({1, 2}));
  EXPECT_FALSE(reader.IsExhausted());
  const Layout column_major = LayoutUtil::MakeLayout({0, 1});
  const Layout twice_the_same = LayoutUtil::MakeLayout({0, 0});
  EXPECT_FALSE(reader.Read(ShapeUtil::MakeShape(F32, {2, 2}), &twice_the_same).ok());
  EXPECT_FALSE(reader.Read(ShapeUtil::MakeShape(F32, {2}), &column_major).ok());
  ASSERT_OK_AND_ASSIGN(const Literal matrix,
                       reader.Read(ShapeUtil::MakeShape(F32, {2, 2}), &column_major));
  EXPECT_EQ(matrix, (LiteralUtil::CreateR2<float>({{3, 5}, {4, 6}})));
  EXPECT_TRUE(reader.IsExhausted());
  EXPECT_ERROR(reader.Read(ShapeUtil::MakeShape(F32, {1})), "Read less bytes than requested");
  EXPECT_STATUS(tsl::OpenRandomAccessFile(path + "/none").status(),
                absl::StatusCode::kFailedPrecondition, "cannot open");
}

TEST(LiteralFilesTest, TextHasALineForEachElement) {
  const std::string path = testing::ProcessTempDir() + "/text";
  EXPECT_OK(TextLiteralWriter::WriteToPath(LiteralUtil::CreateR2<float>({{1.5, -2}}), path));
  std::ifstream in(path);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(text, "f32[1,2]\n(0, 0): 1.5\n(0, 1): -2\n");
  EXPECT_ERROR(TextLiteralWriter::WriteToPath(LiteralUtil::CreateR0<float>(1), "/dev/full"),
               "cannot write");
}

// ---- Shapes and layouts ----

TEST(ShapeUtilVocabularyTest, InsertsDimensions) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {10, 20, 30}, {0, 2, 1});
  EXPECT_EQ(ShapeUtil::InsertDimensionsAtIndex(shape, 1, {40, 50}),
            ShapeUtil::MakeShapeWithDenseLayout(F32, {10, 40, 50, 20, 30}, {0, 4, 3, 2, 1}));
  EXPECT_EQ(ShapeUtil::InsertDimensionAtIndex(shape, 3, 40),
            ShapeUtil::MakeShapeWithDenseLayout(F32, {10, 20, 30, 40}, {3, 0, 2, 1}));
  EXPECT_EQ(ShapeUtil::InsertDimensionAtIndex(ShapeUtil::MakeShape(F32, {}), 0, 3),
            ShapeUtil::MakeShape(F32, {3}));
}

TEST(ShapeUtilVocabularyTest, NormalizesTransposes) {
  absl::InlinedVector<int64_t, 3> permutation;
  ASSERT_OK_AND_ASSIGN(const auto sizes, ShapeUtil::GetNormalizedLogicalTransposeShape(
                                             ShapeUtil::MakeShape(F32, {100, 1, 10, 32, 2}),
                                             ShapeUtil::MakeShape(F32, {10, 1, 32, 100, 2}),
                                             {2, 1, 3, 0, 4}, permutation));
  EXPECT_EQ(sizes, (absl::InlinedVector<int64_t, 3>{320, 100, 2}));
  EXPECT_EQ(permutation, (absl::InlinedVector<int64_t, 3>{1, 0, 2}));
}

TEST(ShapeUtilVocabularyTest, DecomposesBitcasts) {
  const Shape input = ShapeUtil::MakeShapeWithDenseLayout(F32, {16, 3, 17}, {1, 2, 0});
  const Shape output = ShapeUtil::MakeShapeWithDenseLayout(F32, {16, 51}, {0, 1});
  const auto parts = ShapeUtil::DecomposeBitcastToTrt(input, output);
  ASSERT_TRUE(parts.has_value());
  EXPECT_EQ(parts->transpose1_dims, (std::vector<int64_t>{0, 2, 1}));
  EXPECT_EQ(parts->reshape_shape, ShapeUtil::MakeShape(F32, {51, 16}));
  EXPECT_EQ(parts->transpose2_dims, (std::vector<int64_t>{1, 0}));
  EXPECT_TRUE(std::holds_alternative<ShapeUtil::BitcastDecompositionTrt>(
      *ShapeUtil::DecomposeBitcast(input, output)));
  EXPECT_FALSE(ShapeUtil::DecomposeBitcast(input, ShapeUtil::MakeShape(F32, {7})).has_value());
}

TEST(ShapeUtilVocabularyTest, VisitsIndicesInParallel) {
  const Shape shape = ShapeUtil::MakeShape(S32, {100, 101});
  std::vector<int> visits(100 * 101);
  ShapeUtil::ForEachIndexParallel(
      shape, [&](absl::Span<const int64_t> index, int thread) -> absl::StatusOr<bool> {
        EXPECT_LT(thread, ShapeUtil::GetForEachIndexParallelThreadCount());
        ++visits[index[0] * 101 + index[1]];
        return true;
      });
  EXPECT_EQ(visits, std::vector<int>(100 * 101, 1));
  // Too few for another thread: the caller's own, which has no number.
  for (const int64_t count : {1, 1500, 2047}) {
    int64_t visited = 0;
    ShapeUtil::ForEachIndexParallel(
        ShapeUtil::MakeShape(S32, {count}),
        [&](absl::Span<const int64_t>, int thread) -> absl::StatusOr<bool> {
          EXPECT_EQ(thread, -1);
          ++visited;
          return true;
        });
    EXPECT_EQ(visited, count);
  }
  // Steps of 0 are errors, as in the visit by one thread.
  const auto visitor = [](absl::Span<const int64_t>, int) -> absl::StatusOr<bool> { return true; };
  EXPECT_EQ(ShapeUtil::ForEachIndexParallelWithStatus(shape, {0, 0}, {100, 101}, {1, 0}, visitor),
            ShapeUtil::ForEachIndexWithStatus(
                shape, {0, 0}, {100, 101}, {1, 0},
                [](absl::Span<const int64_t>) -> absl::StatusOr<bool> { return true; }));
  EXPECT_ERROR(ShapeUtil::ForEachIndexParallelWithStatus(
                   shape,
                   [](absl::Span<const int64_t> index, int) -> absl::StatusOr<bool> {
                     if (index[1] == 50) return absl::InternalError("fifty");
                     return true;
                   }),
               "fifty");
  // A count of 0 with an increment of 0 pins a dimension.
  std::vector<int64_t> pinned;
  ShapeUtil::ForEachIndexNoStatus(ShapeUtil::MakeShape(S32, {2, 3}), {1, 0}, {0, 3}, {0, 1},
                                  [&](absl::Span<const int64_t> index) {
                                    pinned.push_back(index[0] * 10 + index[1]);
                                    return true;
                                  });
  EXPECT_EQ(pinned, (std::vector<int64_t>{10, 11, 12}));
}

TEST(ShapeUtilVocabularyTest, Queries) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {1, 16, 1, 279}, {3, 0, 1, 2});
  EXPECT_TRUE(ShapeUtil::IsEffectivelyMostMajorDimension(shape, 1));
  EXPECT_FALSE(ShapeUtil::IsEffectivelyMostMajorDimension(shape, 3));
  EXPECT_TRUE(ShapeUtil::LastDimIsMinorMost(shape));
  Shape packed = ShapeUtil::MakeShape(S4, {2, 4});
  packed.mutable_layout()->set_element_size_in_bits(4);
  EXPECT_EQ(*ShapeUtil::UnpackedByteStrides(packed), (DimensionVector{4, 1}));
  EXPECT_FALSE(ShapeUtil::ByteStrides(packed).has_value());
  EXPECT_FALSE(ShapeUtil::DeviceShapeIsHostShape(packed));
  EXPECT_TRUE(LayoutUtil::HasCustomElementSizeInBits(ShapeUtil::MakeTupleShape({packed})));
  EXPECT_EQ(ShapeIndex::FromProto(ShapeIndex({1, 2}).ToProto()), ShapeIndex({1, 2}));
  int order = 0;
  ShapeUtil::ForEachSubshapePostOrder(
      ShapeUtil::MakeTupleShape({packed}),
      [&](const Shape& part, const ShapeIndex&) { EXPECT_EQ(part.IsTuple(), order++ == 1); });
}

TEST(LayoutUtilVocabularyTest, FindsIndicesOfPositionsInTiles) {
  Shape shape =
      ShapeUtil::MakeShapeWithDenseLayout(F32, {3, 5, 4}, {1, 2, 0}, {Tile({2, 3}), Tile({2, 1})});
  ShapeUtil::ForEachIndexNoStatus(shape, [&](absl::Span<const int64_t> index) {
    const int64_t linear = LayoutUtil::LinearIndexForNestedTiling(shape, index);
    EXPECT_EQ(LayoutUtil::DelinearizeIndexForNestedTiling(shape, linear),
              std::vector<int64_t>(index.begin(), index.end()));
    return true;
  });
  // A tile of higher rank than the array, and one that combines dimensions.
  for (const std::vector<Tile>& tiles :
       {std::vector<Tile>{Tile({2, 2})}, {Tile({Tile::kCombineDimension, 4}), Tile({2})}}) {
    const Shape row = ShapeUtil::MakeShapeWithDenseLayout(F32, {8}, {0}, tiles);
    for (int64_t i = 0; i < 8; ++i) {
      const int64_t linear = LayoutUtil::LinearIndex(row, {i});
      EXPECT_EQ(LayoutUtil::DelinearizeIndexForNestedTiling(row, linear), std::vector<int64_t>{i});
    }
  }
}

TEST(LayoutUtilVocabularyTest, MovesDimensions) {
  const Layout layout = LayoutUtil::MakeLayout({2, 0, 3, 1});
  EXPECT_EQ(LayoutUtil::MoveDimToMinor(layout, 3), LayoutUtil::MakeLayout({3, 2, 0, 1}));
  EXPECT_TRUE(LayoutUtil::ByteStridesIsMajorToMinor({12, 4}, {2, 3}, F32));
  EXPECT_FALSE(LayoutUtil::ByteStridesIsMajorToMinor({16, 4}, {2, 3}, F32));
}

// ---- Literals ----

TEST(LiteralVocabularyTest, MarksOfUnknownValuesAreCopied) {
  const Shape shape = ShapeUtil::MakeShape(F32, {4, 4});
  const Literal unknown = Literal::CreateFromShapeWithUnknownLeafArrays(shape);
  const Literal known = LiteralUtil::CreateR0<int>(10);
  const Literal tuple = LiteralUtil::MakeTuple({&unknown, &known});
  EXPECT_FALSE(tuple.IsKnown());
  EXPECT_FALSE(tuple.Clone().IsKnown({0}));
  EXPECT_TRUE(tuple.Clone().IsKnown({1}));
  EXPECT_TRUE(tuple.IsDetermined());
  EXPECT_FALSE(Literal::CreateFromShapeWithUndeterminedLeafArrays(shape).IsDetermined());
  Literal copy = tuple.Clone();
  EXPECT_OK(copy.CopyFrom(Literal(shape), {0}));
  EXPECT_TRUE(copy.IsKnown());
}

TEST(LiteralVocabularyTest, CountsAndSums) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(LiteralUtil::CreateR1<float>({nan, 1, nan}).CountEqual<float>(nan), 2);
  EXPECT_EQ(LiteralUtil::CreateR1<int32_t>({1, 2, 1}).CountEqual<float>(1.5f), 0);
  EXPECT_EQ(LiteralUtil::CreateR1<complex64>({{1, 2}, {1, 0}}).CountEqual(complex64(1, 2)), 1);
  EXPECT_EQ(*LiteralUtil::CreateR1<float>({1, 2, 4}).GetSumAsDouble({0, 2}), 5);
  EXPECT_FALSE(LiteralUtil::CreateR0<int64_t>(1).GetAsComplex128({}).has_value());
  ASSERT_OK_AND_ASSIGN(const Literal random, LiteralUtil::CreateRandomLiteral<F32>(
                                                 ShapeUtil::MakeShape(F32, {3}), 0.0, 1.0));
  EXPECT_EQ(random.shape().element_type(), F32);
}

TEST(LiteralVocabularyTest, MakesSparseArraysDense) {
  SparsityConfig::TensorSparsityConfig config;
  config.set_dimension(1);
  config.set_block_size(3);
  config.set_num_non_zero(1);
  config.set_stride(1);
  const Literal values = LiteralUtil::CreateR2<float>({{1, 2}});
  ASSERT_OK_AND_ASSIGN(
      const Literal dense,
      MaterializeSparseOperand(values, LiteralUtil::CreateR2<int32_t>({{2, 0}}), config));
  EXPECT_EQ(dense, (LiteralUtil::CreateR2<float>({{0, 0, 1, 2, 0, 0}})));
  EXPECT_ERROR(MaterializeSparseOperand(values, LiteralUtil::CreateR2<int32_t>({{3, 0}}), config),
               "Invalid position in block: 3, must be in [0, 3)");

  const Literal indices = LiteralUtil::CreateR2<int32_t>({{2, 0}});
  const auto changed = [&](auto change) {
    SparsityConfig::TensorSparsityConfig other = config;
    change(other);
    return MaterializeSparseOperand(values, indices, other).status();
  };
  using Config = SparsityConfig::TensorSparsityConfig;
  EXPECT_ERROR(changed([](Config& c) { c.set_num_non_zero(2); }), "Only 1:N sparsity");
  EXPECT_ERROR(changed([](Config& c) { c.set_stride(2); }), "Strided sparsity");
  EXPECT_ERROR(changed([](Config& c) { c.set_dimension(2); }),
               "Invalid sparsity dimension: 2, must be in [0, 2)");
  EXPECT_ERROR(changed([](Config& c) { c.set_dimension(-1); }), "Invalid sparsity dimension: -1");
  EXPECT_ERROR(changed([](Config& c) { c.set_block_size(0); }), "block_size must be strictly");
  EXPECT_ERROR(changed([](Config& c) { c.set_block_size(std::numeric_limits<int64_t>::max()); }),
               "Dense dimension overflow");
  EXPECT_ERROR(MaterializeSparseOperand(values, LiteralUtil::CreateR2<int32_t>({{2}, {0}}), config),
               "must have the same dimensions as indices shape s32[2,1]");
  EXPECT_ERROR(MaterializeSparseOperand(values, LiteralUtil::CreateR2<float>({{2, 0}}), config),
               "Indices literal must be an integral type");
  config.set_dimension(0);
  EXPECT_EQ(MaterializeSparseOperand(values, indices, config).value(),
            (LiteralUtil::CreateR2<float>({{0, 2}, {0, 0}, {1, 0}})));
}

TEST(PrimitiveUtilVocabularyTest, PredicatesAreConstants) {
  static_assert(primitive_util::IsComplexType(C64) && !primitive_util::IsComplexType(F32));
  static_assert(primitive_util::IsFloatingPointType(F8E8M0FNU));
  static_assert(primitive_util::IsSignedIntegralType(S4) && !primitive_util::IsIntegralType(PRED));
  static_assert(primitive_util::BitWidth(F4E2M1FN) == 4 && primitive_util::ByteWidth(PRED) == 1);
  static_assert(!primitive_util::IsArrayType(TOKEN) && primitive_util::BitWidth(TUPLE) == 0);
}

TEST(SplitLayouts, LargestParts) {
  Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {150, 200, 100}, {0, 1, 2});
  EXPECT_EQ(LayoutUtil::MaxElementsInPerSplit(shape), 150 * 200 * 100);
  shape.mutable_layout()->add_split_configs(SplitConfig(0, {30}));
  shape.mutable_layout()->add_split_configs(SplitConfig(1, {40, 130}));
  EXPECT_EQ(LayoutUtil::MaxSplitSize(shape, 0), 150);
  EXPECT_EQ(LayoutUtil::MaxSplitSize(shape, 1), 90);
  EXPECT_EQ(LayoutUtil::MaxSplitSize(shape, 2), 70);
  EXPECT_EQ(LayoutUtil::MaxElementsInPerSplit(shape), 150 * 90 * 70);
  EXPECT_EQ(LayoutUtil::MaxSplitSize(ShapeUtil::MakeShape(F32, {7}), 0), 7);
}

TEST(SplitLayouts, TilesThatKeepTheOrder) {
  EXPECT_TRUE(LayoutUtil::IsUntiledLayout({}, {3, 5}));
  EXPECT_TRUE(LayoutUtil::IsUntiledLayout({Tile({4})}, {3, 8}));
  EXPECT_TRUE(LayoutUtil::IsUntiledLayout({Tile({2, 8})}, {4, 8}));
  EXPECT_TRUE(LayoutUtil::IsUntiledLayout({Tile({2, 8}), Tile({4})}, {4, 8}));
  EXPECT_FALSE(LayoutUtil::IsUntiledLayout({Tile({4})}, {3, 6}));
  EXPECT_FALSE(LayoutUtil::IsUntiledLayout({Tile({2, 4})}, {4, 8}));
  EXPECT_TRUE(LayoutUtil::IsUntiledLayout({Tile({1, 4})}, {4, 8}));
}

TEST(ArrayText, EmptyArrays) {
  EXPECT_EQ(Array<int64_t>({}, 0).ToString(), "");
  EXPECT_EQ(Array<int64_t>({0}, 0).ToString(), "[]");
  EXPECT_EQ(Array<int64_t>({0, 0}, 0).ToString(), "[[]]");
  EXPECT_EQ(Array<int64_t>({1, 0, 2}, 0).ToString(), "[[[, ]]]");
  EXPECT_EQ(Array<int64_t>({2, 2}, 7).ToString(), "[[7, 7],\n [7, 7]]");
}

TEST(TotalOrder, NanWithoutNegativeZeroIsLeast) {
  using F8 = float8_e4m3fnuz;
  const Comparison less(ComparisonDirection::kLt, F8E4M3FNUZ, Comparison::Order::kTotal);
  const F8 nan = std::numeric_limits<F8>::quiet_NaN();
  EXPECT_TRUE(less.Compare(nan, std::numeric_limits<F8>::lowest()));
  EXPECT_TRUE(less.Compare(nan, F8(0.0f)));
  EXPECT_FALSE(less.Compare(F8(0.0f), nan));
  EXPECT_FALSE(less.Compare(nan, nan));
}

}  // namespace
}  // namespace xla
