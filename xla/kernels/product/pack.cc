// SPDX-License-Identifier: Apache-2.0
// Packing, with fast paths for elements that need no conversion.
#include "xla/kernels/product/pack.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "xla/kernels/movement/transpose.h"
#include "xla/kernels/product/fused_product.h"
#include "xla/kernels/product/interleave_parts.h"
#include "xla/kernels/product/short_rows.h"
#include "xla/primitive_util.h"

namespace xla::kernels {
namespace {

template <typename T>
bool IsNative(const MatrixView& view) {
  if constexpr (std::is_integral_v<T>) return view.element_bytes == sizeof(T);
  return view.type == primitive_util::NativeToPrimitiveType<T>();
}

template <typename T>
const T* ElementsAt(const MatrixView& view, const void* data, int64_t offset) {
  return reinterpret_cast<const T*>(static_cast<const char*>(data) + offset * view.element_bytes);
}

// Copies (from_stride == 1 within a run) or converts a run of elements.
template <typename T>
void LoadRun(const MatrixView& view, WideLoad<T> load, bool is_native, const void* from,
             int64_t stride, int64_t count, T* to) {
  if (is_native && stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
  } else if (is_native) {
    const T* elements = static_cast<const T*>(from);
    for (int64_t i = 0; i < count; ++i) to[i] = elements[i * stride];
  } else {
    load(from, stride, count, to);
  }
  (void)view;
}

// to[i * to_stride + j] = from[j * from_stride + i], in any element type.
template <typename T>
void TransposeAny(int64_t rows, int64_t columns, const T* from, int64_t from_stride, T* to,
                  int64_t to_stride) {
  (sizeof(T) == 4 ? Transpose32 : Transpose64)(rows, columns, from, from_stride, to, to_stride);
}

}  // namespace

void CopyRows(int64_t rows, int64_t bytes, const char* from, int64_t from_stride, char* to,
              int64_t to_stride) {
  const auto copy = [&](auto size) {
    for (int64_t i = 0; i < rows; ++i)
      std::memcpy(to + i * to_stride, from + i * from_stride, size);
  };
  switch (bytes) {
    case 64:
      return copy(std::integral_constant<size_t, 64>());
    case 128:
      return copy(std::integral_constant<size_t, 128>());
    default:
      return copy(static_cast<size_t>(bytes));
  }
}

template <typename T>
void PackRows(const MatrixView& view, const void* data, WideLoad<T> load, int64_t batch,
              int64_t first, int64_t lines, int64_t k0, int64_t depth, T* rows,
              int64_t row_stride) {
  const bool is_native = IsNative<T>(view);
  const int64_t base = view.batch.Offset(batch);
  const int64_t k_stride = view.k.run_stride(), line_stride = view.lines.run_stride();
  if (is_native && k_stride != 1 && line_stride == 1 && lines > 1) {
    view.lines.ForEachRun(first, lines, [&](int64_t line, int64_t line_offset, int64_t count) {
      view.k.ForEachRun(k0, depth, [&](int64_t k, int64_t k_offset, int64_t length) {
        TransposeAny<T>(count, length, ElementsAt<T>(view, data, base + line_offset + k_offset),
                        k_stride, rows + line * row_stride + k, row_stride);
      });
    });
    return;
  }
  if (is_native && k_stride == 1 && view.k.IsOneRun() && view.lines.IsOneRun()) {
    constexpr int64_t kBytes = sizeof(T);
    const int64_t offset = base + view.lines.Offset(first) + view.k.Offset(k0);
    CopyRows(lines, depth * kBytes,
             reinterpret_cast<const char*>(ElementsAt<T>(view, data, offset)), line_stride * kBytes,
             reinterpret_cast<char*>(rows), row_stride * kBytes);
    return;
  }
  for (int64_t i = 0; i < lines; ++i) {
    const int64_t line = base + view.lines.Offset(first + i);
    view.k.ForEachRun(k0, depth, [&](int64_t k, int64_t k_offset, int64_t length) {
      LoadRun(view, load, is_native, ElementsAt<T>(view, data, line + k_offset), k_stride, length,
              rows + i * row_stride + k);
    });
  }
}

// PackColumns for narrow elements that become floats: by rows of the panel, or as rows of the
// matrix first, a few lines at a time. Returns whether it did.
template <typename T>
bool WidenColumns(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                  int64_t lines, int64_t k0, int64_t depth, int64_t width, T* panel) {
  if constexpr (!std::is_same_v<T, float>) return false;
  const WidenRows widen = GetWidenRows(view.type);
  if (widen == nullptr) return false;
  const int64_t k_stride = view.k.run_stride(), line_stride = view.lines.run_stride();
  float* const to = reinterpret_cast<float*>(panel);
  if (line_stride == 1 && view.lines.run_length() > 1) {
    const int64_t base = view.batch.Offset(batch);
    view.lines.ForEachRun(first, lines, [&](int64_t line, int64_t line_offset, int64_t count) {
      view.k.ForEachRun(k0, depth, [&](int64_t k, int64_t k_offset, int64_t length) {
        const int64_t offset = (base + line_offset + k_offset) * view.element_bytes;
        widen(length, count, static_cast<const char*>(data) + offset, k_stride,
              to + k * width + line, width);
      });
    });
    return true;
  }
  if (k_stride != 1) return false;
  constexpr int64_t kLines = 8;
  float rows[kLines * kProductRowStride];
  const WideLoad<float> load = GetWideLoad<float>(view.type);
  for (int64_t line = 0; line < lines; line += kLines) {
    const int64_t count = std::min(kLines, lines - line);
    PackRows<float>(view, data, load, batch, first + line, count, k0, depth, rows);
    Transpose32(depth, count, rows, kProductRowStride, to + line, width);
  }
  return true;
}

template <typename T>
void PackColumns(const MatrixView& view, const void* data, WideLoad<T> load, int64_t batch,
                 int64_t first, int64_t lines, int64_t k0, int64_t depth, int64_t width, T* panel) {
  const bool is_native = IsNative<T>(view);
  const int64_t base = view.batch.Offset(batch);
  const int64_t k_stride = view.k.run_stride(), line_stride = view.lines.run_stride();
  if (is_native && lines < width && view.lines.IsOneRun() && (line_stride == 1 || lines == 1) &&
      (k_stride != 1 || lines > 1)) {
    const auto copy = sizeof(T) == 4 ? CopyShortRows32 : CopyShortRows64;
    view.k.ForEachRun(k0, depth, [&](int64_t k, int64_t k_offset, int64_t length) {
      copy(length, lines, ElementsAt<T>(view, data, base + view.lines.Offset(first) + k_offset),
           k_stride, panel + k * width, width);
    });
    return;
  }
  if (is_native && k_stride == 1 && (line_stride != 1 || lines == 1)) {
    view.lines.ForEachRun(first, lines, [&](int64_t line, int64_t line_offset, int64_t count) {
      view.k.ForEachRun(k0, depth, [&](int64_t k, int64_t k_offset, int64_t length) {
        TransposeAny<T>(length, count, ElementsAt<T>(view, data, base + line_offset + k_offset),
                        line_stride, panel + k * width + line, width);
      });
    });
  } else if (is_native && line_stride == 1) {
    view.lines.ForEachRun(first, lines, [&](int64_t line, int64_t line_offset, int64_t count) {
      view.k.ForEachRun(k0, depth, [&](int64_t k, int64_t k_offset, int64_t length) {
        constexpr int64_t kBytes = sizeof(T);
        CopyRows(
            length, count * kBytes,
            reinterpret_cast<const char*>(ElementsAt<T>(view, data, base + line_offset + k_offset)),
            k_stride * kBytes, reinterpret_cast<char*>(panel + k * width + line), width * kBytes);
      });
    });
  } else if (!WidenColumns(view, data, batch, first, lines, k0, depth, width, panel)) {
    MatrixView at = view;
    at.data = data;
    PackLines(at, load, batch, first, lines, k0, depth, width, panel);
    return;
  }
  if (lines == width) return;
  for (int64_t k = 0; k < depth; ++k)
    std::fill(panel + k * width + lines, panel + (k + 1) * width, T(0));
}

namespace {

// Packs units of four bytes, which hold several consecutive elements E along k.
template <typename E>
constexpr int64_t kParts = 4 / static_cast<int64_t>(sizeof(E));

template <typename E>
void PackRowParts(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                  int64_t lines, int64_t k0, int64_t depth, uint32_t* rows) {
  const int64_t begin = k0 * kParts<E>;
  const int64_t count = std::min(depth * kParts<E>, view.k.count() - begin);
  const int64_t base = view.batch.Offset(batch), stride = view.k.run_stride();
  for (int64_t i = 0; i < lines; ++i) {
    E* row = reinterpret_cast<E*>(rows + i * kProductRowStride);
    const int64_t line = base + view.lines.Offset(first + i);
    view.k.ForEachRun(begin, count, [&](int64_t k, int64_t k_offset, int64_t length) {
      const E* from = ElementsAt<E>(view, data, line + k_offset);
      if (stride == 1) {
        std::memcpy(row + k, from, static_cast<size_t>(length) * sizeof(E));
      } else {
        for (int64_t j = 0; j < length; ++j) row[k + j] = from[j * stride];
      }
    });
    std::fill(row + count, row + depth * kParts<E>, E(0));
  }
}

template <typename E>
void PackColumnParts(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                     int64_t lines, int64_t k0, int64_t depth, int64_t width, uint32_t* panel) {
  constexpr int64_t kBits = 8 * static_cast<int64_t>(sizeof(E));
  const int64_t base = view.batch.Offset(batch), size = view.k.count();
  const int64_t line_stride = view.lines.run_stride();
  if (lines < width) std::memset(panel, 0, static_cast<size_t>(depth * width) * 4);
  int64_t done = 0;  // units
  if (view.k.IsOneRun() && view.k.run_stride() == 1 && view.lines.IsOneRun() &&
      line_stride % kParts<E> == 0) {
    done = std::min(depth, size / kParts<E> - k0);
    const int64_t offset = base + view.lines.Offset(first) + k0 * kParts<E>;
    Transpose32(done, lines, ElementsAt<E>(view, data, offset), line_stride / kParts<E>, panel,
                width);
  } else if (view.k.IsOneRun() && line_stride == 1 && view.k.run_stride() != 1) {
    done = std::min(depth, size / kParts<E> - k0);
    int64_t offsets[kParts<E>];
    for (int64_t p = 0; p < kParts<E>; ++p) offsets[p] = view.k.Offset(k0 * kParts<E> + p);
    view.lines.ForEachRun(first, lines, [&](int64_t line, int64_t offset, int64_t count) {
      InterleaveParts(done, count, ElementsAt<E>(view, data, base + offset), offsets,
                      kParts<E> * view.k.run_stride(), panel + line, width);
    });
  }
  for (int64_t k = done; k < depth; ++k) {
    const int64_t k_begin = (k0 + k) * kParts<E>;
    const int64_t parts = std::min(kParts<E>, size - k_begin);
    int64_t k_offsets[kParts<E>];
    for (int64_t p = 0; p < parts; ++p) k_offsets[p] = view.k.Offset(k_begin + p);
    uint32_t* to = panel + k * width;
    view.lines.ForEachRun(first, lines, [&](int64_t line, int64_t offset, int64_t count) {
      const E* from = ElementsAt<E>(view, data, base + offset);
      if (parts == kParts<E> && line_stride == 1)
        return InterleaveParts(1, count, from, k_offsets, 0, to + line, width);
      for (int64_t j = 0; j < count; ++j) {
        uint32_t unit = 0;
        for (int64_t p = 0; p < parts; ++p)
          unit |= static_cast<uint32_t>(from[k_offsets[p] + j * line_stride]) << (kBits * p);
        to[line + j] = unit;
      }
    });
  }
}

}  // namespace

void PackRowPairs(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                  int64_t lines, int64_t k0, int64_t depth, uint32_t* rows) {
  PackRowParts<uint16_t>(view, data, batch, first, lines, k0, depth, rows);
}

void PackColumnPairs(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                     int64_t lines, int64_t k0, int64_t depth, int64_t width, uint32_t* panel) {
  PackColumnParts<uint16_t>(view, data, batch, first, lines, k0, depth, width, panel);
}

void PackRowQuads(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                  int64_t lines, int64_t k0, int64_t depth, uint32_t flip, uint32_t* rows) {
  PackRowParts<uint8_t>(view, data, batch, first, lines, k0, depth, rows);
  if (flip == 0) return;
  const uint32_t mask = flip * 0x01010101u;
  for (int64_t i = 0; i < lines; ++i) {
    uint32_t* row = rows + i * kProductRowStride;
    for (int64_t k = 0; k < depth; ++k) row[k] ^= mask;
  }
}

void PackColumnQuads(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                     int64_t lines, int64_t k0, int64_t depth, int64_t width, uint32_t* panel) {
  PackColumnParts<uint8_t>(view, data, batch, first, lines, k0, depth, width, panel);
}

#define XLA_INSTANTIATE(T)                                                                    \
  template void PackRows<T>(const MatrixView&, const void*, WideLoad<T>, int64_t, int64_t,    \
                            int64_t, int64_t, int64_t, T*, int64_t);                          \
  template void PackColumns<T>(const MatrixView&, const void*, WideLoad<T>, int64_t, int64_t, \
                               int64_t, int64_t, int64_t, int64_t, T*);
XLA_INSTANTIATE(float)
XLA_INSTANTIATE(double)
XLA_INSTANTIATE(uint32_t)
XLA_INSTANTIATE(uint64_t)
#undef XLA_INSTANTIATE

}  // namespace xla::kernels
