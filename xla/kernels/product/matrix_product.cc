// SPDX-License-Identifier: Apache-2.0
// Packs strided, converted and complex matrices into the panels of gemm.h.
#include "xla/kernels/product/matrix_product.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "xla/kernels/movement/transpose.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

// Reads whole rows k of the panel: lines are close to each other in memory.
template <typename T>
void PackAlongLines(const MatrixView& view, const char* base, WideLoad<T> load, int64_t first,
                    int64_t lines, int64_t k0, int64_t depth, int64_t width, T* panel) {
  const int64_t bytes = view.element_bytes;
  const int64_t k_step = view.k.run_stride() * bytes, line_stride = view.lines.run_stride();
  view.lines.ForEachRun(first, lines, [&](int64_t line, int64_t line_offset, int64_t length) {
    view.k.ForEachRun(k0, depth, [&](int64_t k, int64_t k_offset, int64_t k_length) {
      const char* src = base + (line_offset + k_offset) * bytes;
      T* dst = panel + k * width + line;
      for (int64_t i = 0; i < k_length; ++i, src += k_step, dst += width)
        load(src, line_stride, length, dst);
    });
  });
}

// Reads lines one by one along k, and scatters them.
template <typename T>
void PackAlongK(const MatrixView& view, const char* base, WideLoad<T> load, int64_t first,
                int64_t lines, int64_t k0, int64_t depth, int64_t width, T* panel) {
  const int64_t bytes = view.element_bytes, k_stride = view.k.run_stride();
  const bool is_native = view.type == primitive_util::NativeToPrimitiveType<T>() ||
                         (std::is_integral_v<T> && view.element_bytes == sizeof(T));
  T buffer[kGemmBlockK];
  view.k.ForEachRun(k0, depth, [&](int64_t k, int64_t k_offset, int64_t length) {
    for (int64_t line = 0; line < lines; ++line) {
      const char* src = base + (k_offset + view.lines.Offset(first + line)) * bytes;
      T* dst = panel + k * width + line;
      if (width == 1) {
        load(src, k_stride, length, dst);
      } else if (is_native) {
        const T* elements = reinterpret_cast<const T*>(src);
        for (int64_t i = 0; i < length; ++i) dst[i * width] = elements[i * k_stride];
      } else {
        load(src, k_stride, length, buffer);
        for (int64_t i = 0; i < length; ++i) dst[i * width] = buffer[i];
      }
    }
  });
}

// Returns a complex matrix as real numbers: pairs along k.
MatrixView DoubledAlongK(const MatrixView& view, PrimitiveType part_type) {
  MatrixView reals = view;
  reals.type = part_type;
  reals.element_bytes = view.element_bytes / 2;
  reals.batch = view.batch.Scaled(2);
  reals.lines = view.lines.Scaled(2);
  reals.k = view.k.Scaled(2);
  reals.k.Append(2, 1);
  return reals;
}

// Packs complex columns, from any column on, which may be one part of an element.
template <typename Part>
void PackComplexParts(const MatrixView& view, int64_t batch, int64_t first, int64_t lines,
                      int64_t k0, int64_t depth, int64_t width, Part* panel) {
  const auto* data = static_cast<const std::complex<Part>*>(view.data) + view.batch.Offset(batch);
  for (int64_t k = 0; k < depth; ++k) {
    const bool odd_k = ((k0 + k) & 1) != 0;
    const std::complex<Part>* row = data + view.k.Offset((k0 + k) / 2);
    for (int64_t i = 0; i < lines; ++i) {
      const std::complex<Part> z = row[view.lines.Offset((first + i) / 2)];
      const bool odd_line = ((first + i) & 1) != 0;
      panel[k * width + i] = odd_k == odd_line ? z.real() : odd_line ? z.imag() : -z.imag();
    }
    std::fill(panel + k * width + lines, panel + (k + 1) * width, Part(0));
  }
}

}  // namespace

template <typename Part>
void PackComplexColumns(const MatrixView& view, int64_t batch, int64_t first, int64_t lines,
                        int64_t k0, int64_t depth, int64_t width, Part* panel) {
  if (((first | lines | k0 | depth | width) & 1) != 0)
    return PackComplexParts(view, batch, first, lines, k0, depth, width, panel);
  using Complex = std::complex<Part>;
  const auto* data = static_cast<const Complex*>(view.data) + view.batch.Offset(batch);
  const int64_t k_stride = view.k.run_stride(), line_stride = view.lines.run_stride();
  // Rows of (re, im) first, one for each complex row, which are as in memory.
  view.k.ForEachRun(k0 / 2, depth / 2, [&](int64_t k, int64_t k_offset, int64_t k_length) {
    view.lines.ForEachRun(first / 2, lines / 2, [&](int64_t line, int64_t offset, int64_t length) {
      const Complex* const from = data + k_offset + offset;
      auto* const to = reinterpret_cast<Complex*>(panel + 2 * k * width) + line;
      if (sizeof(Complex) == sizeof(uint64_t) && k_stride == 1 && line_stride != 1) {
        Transpose64(k_length, length, from, line_stride, to, width);
      } else if (line_stride == 1) {
        for (int64_t i = 0; i < k_length; ++i)
          std::copy_n(from + i * k_stride, length, to + i * width);
      } else {
        for (int64_t i = 0; i < k_length; ++i) {
          for (int64_t j = 0; j < length; ++j)
            to[i * width + j] = from[i * k_stride + j * line_stride];
        }
      }
    });
  });
  // Then makes from each the row of (-im, re).
  for (int64_t k = 0; k < depth; k += 2, panel += 2 * width) {
    std::fill(panel + lines, panel + width, Part(0));
    const Part* const from = panel;
    Part* const to = panel + width;
    for (int64_t j = 0; j < width; j += 2) {
      to[j] = -from[j + 1];
      to[j + 1] = from[j];
    }
  }
}

template <typename T>
void PackLines(const MatrixView& view, WideLoad<T> load, int64_t batch, int64_t first,
               int64_t lines, int64_t k0, int64_t depth, int64_t width, T* panel) {
  const char* base =
      static_cast<const char*>(view.data) + view.batch.Offset(batch) * view.element_bytes;
  const int64_t line_stride = std::abs(view.lines.run_stride()),
                k_stride = std::abs(view.k.run_stride());
  if (lines > 1 && view.lines.run_length() > 1 && (line_stride < k_stride || view.k.count() == 1)) {
    PackAlongLines(view, base, load, first, lines, k0, depth, width, panel);
  } else {
    PackAlongK(view, base, load, first, lines, k0, depth, width, panel);
  }
  if (lines < width) {
    for (int64_t k = 0; k < depth; ++k)
      std::fill(panel + k * width + lines, panel + (k + 1) * width, T(0));
  }
}

template <typename Wide>
absl::Status MultiplyMatrices(Context& context, const MatrixView& lhs, const MatrixView& rhs,
                              const ResultView& result) {
  using T = GemmType<Wide>;
  if (lhs.lines.count() > rhs.lines.count()) {
    ResultView transposed = result;
    std::swap(transposed.rows, transposed.columns);
    return MultiplyMatrices<Wide>(context, rhs, lhs, transposed);
  }
  const ResultWriter<Wide> store(result);
  const int64_t batch = result.batch.count(), m = lhs.lines.count(), n = rhs.lines.count(),
                k = lhs.k.count();
  if constexpr (is_complex_v<Wide>) {
    constexpr PrimitiveType kPart = primitive_util::NativeToPrimitiveType<T>();
    const MatrixView lhs_reals = DoubledAlongK(lhs, kPart);
    const WideLoad<T> load = GetWideLoad<T>(kPart);
    const auto pack_rows = [&](int64_t b, int64_t first, int64_t lines, int64_t k0, int64_t depth,
                               int64_t width, T* panel) {
      PackLines(lhs_reals, load, b, first, lines, k0, depth, width, panel);
    };
    const auto pack_columns = [&](int64_t b, int64_t first, int64_t lines, int64_t k0,
                                  int64_t depth, int64_t width, T* panel) {
      PackComplexColumns(rhs, b, first, lines, k0, depth, width, panel);
    };
    return RunGemm<T>(context, {batch, m, 2 * n, 2 * k, pack_rows, pack_columns, store});
  } else {
    const WideLoad<T> load_lhs = GetWideLoad<T>(lhs.type), load_rhs = GetWideLoad<T>(rhs.type);
    const auto pack_rows = [&](int64_t b, int64_t first, int64_t lines, int64_t k0, int64_t depth,
                               int64_t width, T* panel) {
      PackLines(lhs, load_lhs, b, first, lines, k0, depth, width, panel);
    };
    const auto pack_columns = [&](int64_t b, int64_t first, int64_t lines, int64_t k0,
                                  int64_t depth, int64_t width, T* panel) {
      PackLines(rhs, load_rhs, b, first, lines, k0, depth, width, panel);
    };
    return RunGemm<T>(context, {batch, m, n, k, pack_rows, pack_columns, store});
  }
}

#define XLA_INSTANTIATE(T)                                                                       \
  template void PackLines<T>(const MatrixView&, WideLoad<T>, int64_t, int64_t, int64_t, int64_t, \
                             int64_t, int64_t, T*);
XLA_INSTANTIATE(float)
XLA_INSTANTIATE(double)
XLA_INSTANTIATE(uint32_t)
XLA_INSTANTIATE(uint64_t)
#undef XLA_INSTANTIATE
template void PackComplexColumns<float>(const MatrixView&, int64_t, int64_t, int64_t, int64_t,
                                        int64_t, int64_t, float*);
template void PackComplexColumns<double>(const MatrixView&, int64_t, int64_t, int64_t, int64_t,
                                         int64_t, int64_t, double*);
#define XLA_INSTANTIATE(Wide)                                                                  \
  template absl::Status MultiplyMatrices<Wide>(Context&, const MatrixView&, const MatrixView&, \
                                               const ResultView&);
XLA_INSTANTIATE(float)
XLA_INSTANTIATE(double)
XLA_INSTANTIATE(uint32_t)
XLA_INSTANTIATE(uint64_t)
XLA_INSTANTIATE(complex64)
XLA_INSTANTIATE(complex128)
#undef XLA_INSTANTIATE

}  // namespace xla::kernels
