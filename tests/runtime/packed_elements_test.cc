// SPDX-License-Identifier: Apache-2.0
// Elements that share bytes.
#include "xla/runtime/packed_elements.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/test_util.h"
#include "xla/runtime/buffer_view.h"
#include "xla/shape_util.h"

namespace xla::runtime {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(PackedElementsTest, BitsOfTypes) {
  for (const PrimitiveType type : {S4, U4, F4E2M1FN}) EXPECT_EQ(PackedBits(type), 4);
  for (const PrimitiveType type : {S2, U2}) EXPECT_EQ(PackedBits(type), 2);
  for (const PrimitiveType type : {S1, U1}) EXPECT_EQ(PackedBits(type), 1);
  for (const PrimitiveType type : {PRED, F6E2M3FN, F6E3M2FN, S8, F8E5M2, F32, C128}) {
    EXPECT_EQ(PackedBits(type), 0);
  }
}

TEST(PackedElementsTest, SizesRoundUpToBytes) {
  EXPECT_EQ(PackedArrayBytes(ShapeUtil::MakeShape(S4, {})).value(), 1);
  EXPECT_EQ(PackedArrayBytes(ShapeUtil::MakeShape(S4, {5})).value(), 3);
  EXPECT_EQ(PackedArrayBytes(ShapeUtil::MakeShape(U2, {3, 3})).value(), 3);
  EXPECT_EQ(PackedArrayBytes(ShapeUtil::MakeShape(U1, {8})).value(), 1);
  EXPECT_EQ(PackedArrayBytes(ShapeUtil::MakeShape(S4, {0, 7})).value(), 0);
  EXPECT_EQ(PackedArrayBytes(ShapeUtil::MakeShape(F32, {3})).value(), 12);
  // 3 bytes, aligned to 4, and two sizes.
  EXPECT_EQ(PackedArrayBytes(ShapeUtil::MakeShape(S4, {2, 3}, {true, false})).value(), 12);
}

struct Case {
  PrimitiveType type;
  Bytes elements, packed, unpacked, for_host;
};

TEST(PackedElementsTest, FirstElementsAreLowBits) {
  const Case cases[] = {
      {S4, {1, 0xFE, 3, 0xFC, 5}, {0xE1, 0xC3, 0x05}, {1, 0xFE, 3, 0xFC, 5}, {1, 14, 3, 12, 5}},
      {U4, {1, 0xFE, 3, 0xFC, 5}, {0xE1, 0xC3, 0x05}, {1, 14, 3, 12, 5}, {1, 14, 3, 12, 5}},
      {F4E2M1FN, {1, 15}, {0xF1}, {1, 15}, {1, 15}},
      {S2, {1, 2, 3, 0, 1}, {0x39, 0x01}, {1, 0xFE, 0xFF, 0, 1}, {1, 2, 3, 0, 1}},
      {U2, {1, 2, 3, 0, 1}, {0x39, 0x01}, {1, 2, 3, 0, 1}, {1, 2, 3, 0, 1}},
      {S1, {1, 0, 1, 0, 1, 0}, {0x15}, {0xFF, 0, 0xFF, 0, 0xFF, 0}, {1, 0, 1, 0, 1, 0}},
      {U1,
       {1, 0, 0, 0, 0, 0, 0, 1, 1},
       {0x81, 0x01},
       {1, 0, 0, 0, 0, 0, 0, 1, 1},
       {1, 0, 0, 0, 0, 0, 0, 1, 1}},
  };
  for (const Case& c : cases) {
    const auto count = static_cast<int64_t>(c.elements.size());
    const Shape shape = ShapeUtil::MakeShape(c.type, {count});
    SCOPED_TRACE(shape.ToString());
    Bytes packed(c.packed.size(), 0xAA);
    PackArray(shape, c.elements.data(), packed.data());
    EXPECT_EQ(packed, c.packed);
    Bytes elements(c.elements.size(), 0xAA);
    UnpackArray(shape, packed.data(), elements.data());
    EXPECT_EQ(elements, c.unpacked);
    UnpackForHost(c.type, packed.data(), elements.data(), count);
    EXPECT_EQ(elements, c.for_host);
    Bytes in_place = c.elements;
    PackArray(shape, in_place.data(), in_place.data());
    in_place.resize(packed.size());
    EXPECT_EQ(in_place, c.packed);
  }
}

TEST(PackedElementsTest, DynamicSizesFollow) {
  const Shape shape = ShapeUtil::MakeShape(S4, {6}, {true});
  Bytes memory(static_cast<size_t>(ArrayBytes(shape).value()), 0);
  for (size_t i = 0; i < 6; ++i) memory[i] = static_cast<uint8_t>(i);
  WriteDynamicSizes(shape, memory.data(), {5});
  Bytes packed(static_cast<size_t>(PackedArrayBytes(shape).value()), 0);
  PackArray(shape, memory.data(), packed.data());
  EXPECT_EQ(packed, (Bytes{0x10, 0x32, 0x54, 0, 5, 0, 0, 0}));
  Bytes unpacked(memory.size(), 0);
  UnpackArray(shape, packed.data(), unpacked.data());
  EXPECT_EQ(unpacked, memory);
}

}  // namespace
}  // namespace xla::runtime
