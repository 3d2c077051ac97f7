// SPDX-License-Identifier: Apache-2.0
// Packs integers of 8 bits as pairs of int16, for each instruction set.
#include <algorithm>
#include <cstdint>

#include "xla/kernels/movement/transpose.h"
#include "xla/kernels/product/fused_product.h"
#include "xla/kernels/product/pack.h"
#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/product/pack_words.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Widens `count` contiguous bytes T.
template <typename T>
void WidenRun(const T* from, int64_t count, int16_t* to) {
  const hn::ScalableTag<int16_t> d;
  const hn::Rebind<T, decltype(d)> bytes;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(bytes, from + i)), d, to + i);
  for (; i < count; ++i) to[i] = from[i];
}

// to[2 * j] = low[j], to[2 * j + 1] = high[j].
template <typename T>
void InterleaveRuns(const T* low, const T* high, int64_t count, int16_t* to) {
  int64_t j = 0;
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR  // others have no use for it
  const hn::CappedTag<int16_t, 16> d;
  const hn::Rebind<T, decltype(d)> bytes;
  const hn::Half<decltype(bytes)> half;
  const int64_t units = static_cast<int64_t>(hn::Lanes(d)) / 2;
  for (; j + units <= count; j += units) {
    const auto first = hn::ZeroExtendVector(bytes, hn::LoadU(half, low + j)),
               second = hn::ZeroExtendVector(bytes, hn::LoadU(half, high + j));
    hn::StoreU(hn::PromoteTo(d, hn::InterleaveLower(bytes, first, second)), d, to + 2 * j);
  }
#endif
  for (; j < count; ++j) {
    to[2 * j] = low[j];
    to[2 * j + 1] = high[j];
  }
}

// Row u of a panel of `width` units is made of rows 2 u and 2 u + 1 of the matrix.
template <typename T>
HWY_INLINE void InterleaveRows(int64_t units, int64_t columns, const T* from, int64_t stride,
                               uint32_t* panel, int64_t width) {
  for (int64_t u = 0; u < units; ++u, from += 2 * stride, panel += width)
    InterleaveRuns(from, from + stride, columns, reinterpret_cast<int16_t*>(panel));
}

void WidenRunS8(const int8_t* from, int64_t count, int16_t* to) { WidenRun(from, count, to); }
void WidenRunU8(const uint8_t* from, int64_t count, int16_t* to) { WidenRun(from, count, to); }
void InterleaveRowsS8(int64_t units, int64_t columns, const int8_t* from, int64_t stride,
                      uint32_t* panel, int64_t width) {
  InterleaveRows(units, columns, from, stride, panel, width);
}
void InterleaveRowsU8(int64_t units, int64_t columns, const uint8_t* from, int64_t stride,
                      uint32_t* panel, int64_t width) {
  InterleaveRows(units, columns, from, stride, panel, width);
}

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {
namespace {

HWY_EXPORT(WidenRunS8);
HWY_EXPORT(WidenRunU8);
HWY_EXPORT(InterleaveRowsS8);
HWY_EXPORT(InterleaveRowsU8);

void Widen(const int8_t* from, int64_t count, int16_t* to) {
  HWY_DYNAMIC_DISPATCH(WidenRunS8)(from, count, to);
}
void Widen(const uint8_t* from, int64_t count, int16_t* to) {
  HWY_DYNAMIC_DISPATCH(WidenRunU8)(from, count, to);
}
void Interleave(int64_t units, int64_t columns, const int8_t* from, int64_t stride, uint32_t* panel,
                int64_t width) {
  HWY_DYNAMIC_DISPATCH(InterleaveRowsS8)(units, columns, from, stride, panel, width);
}
void Interleave(int64_t units, int64_t columns, const uint8_t* from, int64_t stride,
                uint32_t* panel, int64_t width) {
  HWY_DYNAMIC_DISPATCH(InterleaveRowsU8)(units, columns, from, stride, panel, width);
}

template <typename T>
void LoadWords(const void* src, int64_t stride, int64_t count, uint16_t* dst) {
  const T* const from = static_cast<const T*>(src);
  int16_t* const to = reinterpret_cast<int16_t*>(dst);
  if (stride == 1) return Widen(from, count, to);
  for (int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
}

template <typename T>
void PackRowsOf(const MatrixView& view, const T* data, int64_t batch, int64_t first, int64_t lines,
                int64_t k0, int64_t depth, uint32_t* rows) {
  const int64_t begin = 2 * k0, count = std::min(2 * depth, view.k.count() - begin);
  const int64_t base = view.batch.Offset(batch), stride = view.k.run_stride();
  for (int64_t i = 0; i < lines; ++i) {
    uint16_t* row = reinterpret_cast<uint16_t*>(rows + i * kProductRowStride);
    const T* line = data + base + view.lines.Offset(first + i);
    view.k.ForEachRun(begin, count, [&](int64_t k, int64_t offset, int64_t length) {
      LoadWords<T>(line + offset, stride, length, row + k);
    });
    std::fill(row + count, row + 2 * depth, uint16_t{0});
  }
}

template <typename T>
void PackColumnsOf(const MatrixView& view, const T* data, int64_t batch, int64_t first,
                   int64_t lines, int64_t k0, int64_t depth, int64_t width, uint32_t* panel) {
  if (lines < width) std::fill_n(panel, depth * width, uint32_t{0});
  const T* const base = data + view.batch.Offset(batch);
  if (view.lines.run_stride() == 1 && view.lines.run_length() > 1) {
    view.lines.ForEachRun(first, lines, [&](int64_t line, int64_t offset, int64_t count) {
      for (int64_t k = 0; k < depth;) {
        const int64_t at = 2 * (k0 + k);
        const T* const from = base + view.k.Offset(at) + offset;
        uint32_t* const to = panel + k * width + line;
        if (at + 1 == view.k.count()) {  // the last, with nothing
          for (int64_t j = 0; j < count; ++j)
            to[j] = static_cast<uint16_t>(static_cast<int16_t>(from[j]));
          break;
        }
        const int64_t units =
            view.k.IsOneRun() ? std::min(depth - k, view.k.count() / 2 - (k0 + k)) : 1;
        Interleave(units, count, from, view.k.Offset(at + 1) - view.k.Offset(at), to, width);
        k += units;
      }
    });
    return;
  }
  // As rows first, a few lines at a time.
  constexpr int64_t kLines = 8;
  uint32_t rows[kLines * kProductRowStride];
  for (int64_t line = 0; line < lines; line += kLines) {
    const int64_t count = std::min(kLines, lines - line);
    PackRowsOf(view, data, batch, first + line, count, k0, depth, rows);
    Transpose32(depth, count, rows, kProductRowStride, panel + line, width);
  }
}

}  // namespace

WideLoad<uint16_t> GetWordLoad(PrimitiveType type) {
  return type == S8 ? &LoadWords<int8_t> : type == U8 ? &LoadWords<uint8_t> : nullptr;
}

void PackRowWords(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                  int64_t lines, int64_t k0, int64_t depth, uint32_t* rows) {
  if (view.type == S8)
    return PackRowsOf(view, static_cast<const int8_t*>(data), batch, first, lines, k0, depth, rows);
  PackRowsOf(view, static_cast<const uint8_t*>(data), batch, first, lines, k0, depth, rows);
}

void PackColumnWords(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                     int64_t lines, int64_t k0, int64_t depth, int64_t width, uint32_t* panel) {
  if (view.type == S8) {
    return PackColumnsOf(view, static_cast<const int8_t*>(data), batch, first, lines, k0, depth,
                         width, panel);
  }
  PackColumnsOf(view, static_cast<const uint8_t*>(data), batch, first, lines, k0, depth, width,
                panel);
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
