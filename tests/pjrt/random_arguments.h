// SPDX-License-Identifier: Apache-2.0
// Arguments of the C interface from bytes: sizes of structs, shapes, layouts, texts, codes. Part of
// random_calls.h.
#ifndef TESTS_PJRT_RANDOM_ARGUMENTS_H_
#define TESTS_PJRT_RANDOM_ARGUMENTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "xla/pjrt/abi.h"
#include "xla/pjrt/entry.h"

namespace xla::pjrt::testing {

// A shape with memory of its own for what the argument structs point to.
struct RandomShape {
  PJRT_Buffer_Type type = PJRT_Buffer_Type_F32;
  std::vector<int64_t> dims;
  std::vector<int64_t> order;  // minor to major, or byte strides
  PJRT_Buffer_MemoryLayout layout = {};
  bool has_layout = false;

  PJRT_Buffer_MemoryLayout* layout_or_null() { return has_layout ? &layout : nullptr; }
};

class RandomArguments {
 protected:
  RandomArguments(const uint8_t* data, size_t size) : data_(data), end_(data + size) {}

  bool AtEnd() const { return data_ == end_; }
  uint8_t Next() { return AtEnd() ? 0 : *data_++; }
  size_t Below(size_t bound) { return Next() % bound; }
  bool OneIn(uint8_t count) { return Next() % count == 0; }

  // Mostly small and sensible, now and then an extreme.
  int64_t Number() {
    const uint8_t byte = Next();
    switch (byte) {
      case 255:
        return INT64_MAX;
      case 254:
        return INT64_MIN;
      case 253:
        return int64_t{1} << 32;
      case 252:
        return -1;
      default:
        return byte % 24;
    }
  }
  int Int() { return static_cast<int>(Number()); }

  // The size that a caller states: that of the struct, more, or less than any caller ever had.
  template <typename Args>
  Args New() {
    Args args = {};
    args.struct_size = sizeof(Args);
    const uint8_t byte = Next();
    if (byte >= 252) args.struct_size += byte;
    if (byte == 0 && !AtEnd()) args.struct_size = Next() % kOldestSize<Args>;
    return args;
  }

  std::string Text() {
    std::string text(Below(12), ' ');
    for (char& c : text) c = static_cast<char>(Next());
    return text;
  }

  PJRT_Error_Code Code() {
    return OneIn(2) ? PJRT_Error_Code_OK : static_cast<PJRT_Error_Code>(Next() % 20);
  }

  RandomShape AnyShape() {
    constexpr PJRT_Buffer_Type kTypes[] = {
        PJRT_Buffer_Type_F32,  PJRT_Buffer_Type_F32, PJRT_Buffer_Type_S8,   PJRT_Buffer_Type_S4,
        PJRT_Buffer_Type_C128, PJRT_Buffer_Type_F32, PJRT_Buffer_Type_PRED, PJRT_Buffer_Type_U64};
    RandomShape shape;
    const uint8_t kind = Next();
    shape.type = kind < 224 ? kTypes[kind % 8] : static_cast<PJRT_Buffer_Type>(Next() % 40);
    if (kind % 4 == 1) {  // as the programs take
      shape.dims = {4};
      return shape;
    }
    const size_t rank = Below(4);
    for (size_t i = 0; i < rank; ++i) {
      const uint8_t byte = Next();
      shape.dims.push_back(byte < 250 ? byte % 6 : Number());
    }
    shape.has_layout = OneIn(3);
    if (shape.has_layout) AddLayout(shape);
    return shape;
  }

  // A permutation, or strides; sometimes neither.
  void AddLayout(RandomShape& shape) {
    const size_t rank = shape.dims.size();
    for (size_t i = 0; i < rank; ++i) shape.order.push_back(static_cast<int64_t>(i));
    if (rank > 1) std::swap(shape.order[Below(rank)], shape.order[Below(rank)]);
    if (OneIn(8) && rank > 0) shape.order[0] = Number();
    shape.layout.struct_size = sizeof(shape.layout);
    if (OneIn(3)) {
      shape.order = Strides(shape);
      shape.layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
      shape.layout.strides.struct_size = sizeof(shape.layout.strides);
      shape.layout.strides.byte_strides = shape.order.data();
      shape.layout.strides.num_byte_strides = shape.order.size();
    } else {
      shape.layout.type = OneIn(16) ? static_cast<PJRT_Buffer_MemoryLayout_Type>(Next())
                                    : PJRT_Buffer_MemoryLayout_Type_Tiled;
      shape.layout.tiled.struct_size = sizeof(shape.layout.tiled);
      shape.layout.tiled.minor_to_major = shape.order.data();
      shape.layout.tiled.minor_to_major_size = shape.order.size();
    }
  }

  // Byte strides of four-byte elements in some order of the dimensions.
  std::vector<int64_t> Strides(const RandomShape& shape) {
    std::vector<int64_t> strides(shape.dims.size());
    int64_t stride = 4;
    const bool reversed = OneIn(2);
    for (size_t i = 0; i < strides.size(); ++i) {
      const size_t d = reversed ? i : strides.size() - 1 - i;
      strides[d] = stride;
      if (__builtin_mul_overflow(stride, shape.dims[d], &stride)) stride = Number();
    }
    if (OneIn(8) && !strides.empty()) strides[0] = Number();
    return strides;
  }

 private:
  const uint8_t* data_;
  const uint8_t* end_;
};

}  // namespace xla::pjrt::testing

#endif  // TESTS_PJRT_RANDOM_ARGUMENTS_H_
