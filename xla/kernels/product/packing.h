// SPDX-License-Identifier: Apache-2.0
// How operands of a product become units of fused_product.h, by element types. Each packing has
//   Unit, Acc   what is multiplied and what is summed
//   Wide        the type of a finished element
//   kParts      sums of type Acc that make one element (two for complex numbers)
//   Units(k)    units that k elements take
//   PackRows, PackColumns
//   RowsCost, PanelsCost   of these, see product_cost.h
//   Kernels()   null `tile` if the machine does not have it
#ifndef XLA_KERNELS_PRODUCT_PACKING_H_
#define XLA_KERNELS_PRODUCT_PACKING_H_

#include <complex>
#include <cstdint>
#include <type_traits>

#include "absl/types/span.h"
#include "xla/kernels/product/fused_product.h"
#include "xla/kernels/product/matrix_product.h"
#include "xla/kernels/product/pack.h"
#include "xla/kernels/product/product_cost.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::kernels {

// Numbers of any type, converted to T.
template <typename T>
struct WidePacking {
  using Unit = T;
  using Acc = T;
  using Wide = T;
  static constexpr int64_t kParts = 1;
  static int64_t Units(int64_t k) { return k; }
  static ProductKernels<Unit, Acc> Kernels() { return FusedKernels<T>(); }
  static void PackRows(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                       int64_t lines, int64_t k0, int64_t depth, Unit* rows) {
    kernels::PackRows<T>(view, data, GetWideLoad<T>(view.type), batch, first, lines, k0, depth,
                         rows);
  }
  static void PackColumns(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                          int64_t lines, int64_t k0, int64_t depth, int64_t width, Unit* panel) {
    kernels::PackColumns<T>(view, data, GetWideLoad<T>(view.type), batch, first, lines, k0, depth,
                            width, panel);
  }
  static double RowsCost(const MatrixView& view) {
    return PackRowsCost(view, primitive_util::NativeToPrimitiveType<T>());
  }
  static double PanelsCost(const MatrixView& view, int64_t width) {
    return PackPanelsCost(view, primitive_util::NativeToPrimitiveType<T>(), width);
  }
};

// Complex numbers, see MultiplyMatrices.
template <typename Part>
struct ComplexPacking {
  using Unit = Part;
  using Acc = Part;
  using Wide = std::complex<Part>;
  static constexpr int64_t kParts = 2;
  static int64_t Units(int64_t k) { return 2 * k; }
  static ProductKernels<Unit, Acc> Kernels() { return FusedKernels<Part>(); }
  static void PackRows(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                       int64_t lines, int64_t k0, int64_t depth, Unit* rows) {
    constexpr int64_t kRowStride = kProductRowStride / 2;
    if constexpr (sizeof(Wide) == sizeof(uint64_t)) {
      kernels::PackRows<uint64_t>(view, data, nullptr, batch, first, lines, k0 / 2, depth / 2,
                                  reinterpret_cast<uint64_t*>(rows), kRowStride);
    } else {
      const Wide* const base = static_cast<const Wide*>(data) + view.batch.Offset(batch);
      const int64_t stride = view.k.run_stride();
      for (int64_t i = 0; i < lines; ++i) {
        const Wide* const line = base + view.lines.Offset(first + i);
        Wide* const row = reinterpret_cast<Wide*>(rows) + i * kRowStride;
        view.k.ForEachRun(k0 / 2, depth / 2, [&](int64_t k, int64_t offset, int64_t length) {
          for (int64_t j = 0; j < length; ++j) row[k + j] = line[offset + j * stride];
        });
      }
    }
  }
  static void PackColumns(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                          int64_t lines, int64_t k0, int64_t depth, int64_t width, Unit* panel) {
    MatrixView at = view;
    at.data = data;
    PackComplexColumns<Part>(at, batch, first, lines, k0, depth, width, panel);
  }
  static double RowsCost(const MatrixView& view) {
    return 2 * PackRowsCost(view, primitive_util::NativeToPrimitiveType<Wide>());
  }
  static double PanelsCost(const MatrixView& view, int64_t width) {
    // The panel has twice as many rows, half of which are made from the others.
    constexpr double kMade = 0.7;
    return 2 * PackPanelsCost(view, primitive_util::NativeToPrimitiveType<Wide>(), width / 2) +
           kMade * static_cast<double>(RoundUpTo(2 * view.lines.count(), width) * view.k.count());
  }
};

struct PairPacking {
  using Unit = uint32_t;
  using Acc = float;
  using Wide = float;
  static constexpr int64_t kParts = 1;
  static int64_t Units(int64_t k) { return (k + 1) / 2; }
  static ProductKernels<Unit, Acc> Kernels() { return PairKernels(); }
  static void PackRows(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                       int64_t lines, int64_t k0, int64_t depth, Unit* rows) {
    PackRowPairs(view, data, batch, first, lines, k0, depth, rows);
  }
  static void PackColumns(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                          int64_t lines, int64_t k0, int64_t depth, int64_t width, Unit* panel) {
    PackColumnPairs(view, data, batch, first, lines, k0, depth, width, panel);
  }
  static double RowsCost(const MatrixView& view) { return PackRowPartsCost(view); }
  static double PanelsCost(const MatrixView& view, int64_t width) {
    return PackPanelPartsCost(view, 2, width);
  }
};

// S8 with S8.
struct QuadPacking {
  using Unit = uint32_t;
  using Acc = uint32_t;
  using Wide = uint32_t;
  static constexpr int64_t kParts = 1;
  static int64_t Units(int64_t k) { return (k + 3) / 4; }
  static ProductKernels<Unit, Acc> Kernels() { return QuadKernels(); }
  static void PackRows(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                       int64_t lines, int64_t k0, int64_t depth, Unit* rows) {
    PackRowQuads(view, data, batch, first, lines, k0, depth, QuadFlip(), rows);
  }
  static void PackColumns(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                          int64_t lines, int64_t k0, int64_t depth, int64_t width, Unit* panel) {
    PackColumnQuads(view, data, batch, first, lines, k0, depth, width, panel);
  }
  static double RowsCost(const MatrixView& view) { return PackRowPartsCost(view); }
  static double PanelsCost(const MatrixView& view, int64_t width) {
    return PackPanelPartsCost(view, 4, width);
  }
};

// Integers of at most 8 bits, as int16.
struct WordPacking {
  using Unit = uint32_t;
  using Acc = uint32_t;
  using Wide = uint32_t;
  static constexpr int64_t kParts = 1;
  static int64_t Units(int64_t k) { return (k + 1) / 2; }
  static ProductKernels<Unit, Acc> Kernels() { return WordKernels(); }
  static void PackRows(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                       int64_t lines, int64_t k0, int64_t depth, Unit* rows) {
    PackRowWords(view, data, batch, first, lines, k0, depth, rows);
  }
  static void PackColumns(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                          int64_t lines, int64_t k0, int64_t depth, int64_t width, Unit* panel) {
    PackColumnWords(view, data, batch, first, lines, k0, depth, width, panel);
  }
  static double RowsCost(const MatrixView& view) { return PackRowWordsCost(view); }
  static double PanelsCost(const MatrixView& view, int64_t width) {
    return PackPanelWordsCost(view, width);
  }
};

// Returns the type in which a contraction of these types is computed; PRIMITIVE_TYPE_INVALID for
// complex operands with a real result. U32 and U64 represent integers of either sign.
inline PrimitiveType ContractionWideType(PrimitiveType lhs, PrimitiveType rhs,
                                         PrimitiveType result) {
  bool complex = false, floating = false, wide_float = false, wide_integer = false;
  for (const PrimitiveType type : {lhs, rhs, result}) {
    complex |= primitive_util::IsComplexType(type);
    floating |= primitive_util::IsFloatingPointType(type);
    wide_float |= type == F64 || type == C128;
    wide_integer |= type == S64 || type == U64;
  }
  if (complex && !primitive_util::IsComplexType(result)) return PRIMITIVE_TYPE_INVALID;
  if (complex) return wide_float ? C128 : C64;
  if (floating) return wide_float ? F64 : F32;
  return wide_integer ? U64 : U32;
}

// Whether results of the type are sums in Acc, bit by bit.
template <typename Acc>
bool StoresSums(PrimitiveType type) {
  if constexpr (std::is_floating_point_v<Acc>)
    return type == primitive_util::NativeToPrimitiveType<Acc>();
  return primitive_util::IsIntegralType(type) &&
         primitive_util::BitWidth(type) == 8 * static_cast<int>(sizeof(Acc));
}

// Returns how contractions of these types are packed: as the type in which they are computed, or as
// units of several elements for the machine's instructions. PRIMITIVE_TYPE_INVALID as for
// ContractionWideType; BF16 for PairPacking, S8 for QuadPacking, S16 for WordPacking.
inline PrimitiveType PackedType(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType result) {
  if (lhs == BF16 && rhs == BF16 && result != F64 && PairKernels().tile != nullptr) return BF16;
  const PrimitiveType wide = ContractionWideType(lhs, rhs, result);
  if (wide != U32) return wide;
  if (lhs == S8 && rhs == S8 && QuadKernels().tile != nullptr) return S8;
  const bool are_bytes = (lhs == S8 || lhs == U8) && (rhs == S8 || rhs == U8);
  return are_bytes && WordKernels().tile != nullptr ? S16 : wide;
}

// The forms of a contraction by the type that PackedType returns.
template <typename Form>
struct FormsByPacking {
  // Returns none for PRIMITIVE_TYPE_INVALID.
  absl::Span<const Form> Of(PrimitiveType packed) const {
    switch (packed) {
      case BF16:
        return pairs;
      case S8:
        return quads;
      case S16:
        return words;
      case F32:
        return f32;
      case F64:
        return f64;
      case U32:
        return u32;
      case U64:
        return u64;
      case C64:
        return c64;
      case C128:
        return c128;
      default:
        return {};
    }
  }

  absl::Span<const Form> f32, f64, u32, u64, c64, c128, pairs, quads, words;
};

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PRODUCT_PACKING_H_
