// SPDX-License-Identifier: Apache-2.0
// Finds the rows of the input (along the last spatial dimension) that the rows of a convolution's
// result read: one under each tap of the other dimensions. Nearby output rows share some.
#ifndef XLA_KERNELS_PRODUCT_INPUT_ROWS_H_
#define XLA_KERNELS_PRODUCT_INPUT_ROWS_H_

#include <cstdint>

#include "xla/kernels/product/patches.h"

namespace xla::kernels {

class InputRows {
 public:
  static constexpr int64_t kZeroRow = -1;

  // The patches, of at least one dimension, must outlive this.
  explicit InputRows(const Patches& patches);

  // Taps of all dimensions but the last.
  int64_t outer_taps() const { return outer_taps_; }

  // Returns the most rows that this many consecutive output rows read: those that FindEarlier does
  // not find.
  int64_t MostOf(int64_t rows) const;

  // Returns the offset of the input row of an output row under an outer tap, in elements; kZeroRow
  // if it is padding.
  int64_t OffsetOf(int64_t row, int64_t tap) const;

  // With offsets[row * outer_taps() + tap] up to position `at`: an earlier position of the same
  // offset, in the output rows that may share it; -1 if there is none.
  int64_t FindEarlier(const int64_t* offsets, int64_t at) const;

 private:
  const Patches& patches_;
  int64_t outer_taps_ = 1;
  int64_t sharing_rows_ = 1;  // the most output rows between two that share one
};

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PRODUCT_INPUT_ROWS_H_
