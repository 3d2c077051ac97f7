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

  // Returns the most rows that this many consecutive output rows read, each counted once where
  // Distance tells that it was read before.
  int64_t MostOf(int64_t rows) const;

  // Whether some output row reads padding under an outer tap.
  bool ReadsPadding() const;

  // Returns the offset of the input row of an output row under an outer tap, in elements; kZeroRow
  // if it is padding.
  int64_t OffsetOf(int64_t row, int64_t tap) const;

  // With offsets at row * outer_taps() + tap: how many places earlier the same input row was read
  // last; 0 if no output row of the same image before this one read it.
  int64_t Distance(int64_t row, int64_t tap) const;

 private:
  const Patches& patches_;
  int64_t outer_taps_ = 1;
  // Output rows that are this far apart read the same rows of the input, under taps that are
  // `shared_taps_` apart.
  int64_t shared_rows_ = 0, shared_taps_ = 0;
};

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PRODUCT_INPUT_ROWS_H_
