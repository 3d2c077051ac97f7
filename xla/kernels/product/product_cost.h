// SPDX-License-Identifier: Apache-2.0
// Estimates the cycles of the steps of matrix products.
//
// The constants are measured (bench_kernel_forms): they hold for processors that start two vector
// operations of multiply-add a cycle, and compare forms with each other, not with other work.
#ifndef XLA_KERNELS_PRODUCT_PRODUCT_COST_H_
#define XLA_KERNELS_PRODUCT_PRODUCT_COST_H_

#include <cstdint>

#include "xla/kernels/forms.h"
#include "xla/kernels/product/fused_product.h"
#include "xla/kernels/product/geometry.h"
#include "xla/kernels/product/matrix_product.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

// m x n sums of k products each, by tiles.
double TilesCost(int64_t m, int64_t n, int64_t k, const TileSizes& tile);

// Copying all elements of a matrix, converted to `type` if need be: into rows, which are contiguous
// along k, or into panels of `width` lines, which are contiguous along the lines.
double PackRowsCost(const MatrixView& matrix, PrimitiveType type);
double PackPanelsCost(const MatrixView& matrix, PrimitiveType type, int64_t width);
// Copying units of several elements, `parts`, that are consecutive along k.
double PackRowPartsCost(const MatrixView& matrix);
double PackPanelPartsCost(const MatrixView& matrix, int64_t parts, int64_t width);
// The same for pairs of int16 made of bytes.
double PackRowWordsCost(const MatrixView& matrix);
double PackPanelWordsCost(const MatrixView& matrix, int64_t width);

// Copying the patches of one group (of one image, if they are columns) as numbers of `type`: as
// rows, and as panels of `width` positions.
double PatchRowsCost(const Patches& patches, PrimitiveType type);
double PatchColumnsCost(const Patches& patches, PrimitiveType type, int64_t positions,
                        int64_t width);

// Storing finished elements, m x n for each problem of the batch, if they are not accumulated in
// the result: from working memory, which holds numbers of `type`.
double StoreCost(const ResultView& result, PrimitiveType type);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PRODUCT_PRODUCT_COST_H_
