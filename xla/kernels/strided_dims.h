// SPDX-License-Identifier: Apache-2.0
// StridedDims: a few dimensions of an array as one, which maps a linear row-major position to an
// element offset.
#ifndef XLA_KERNELS_STRIDED_DIMS_H_
#define XLA_KERNELS_STRIDED_DIMS_H_

#include <algorithm>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace xla::kernels {

// Dimensions that are contiguous in memory are merged and those of size 1 dropped, so that runs are
// as long as possible. Strides may be zero or negative. Any size may be zero: count() is 0 then.
//
//   StridedDims rows({4, 8}, {100, 10});
//   rows.Offset(9);    // 1 * 100 + 1 * 10
class StridedDims {
 public:
  StridedDims() = default;
  // From major to minor.
  StridedDims(absl::Span<const int64_t> sizes, absl::Span<const int64_t> strides) {
    for (size_t i = 0; i < sizes.size(); ++i) Append(sizes[i], strides[i]);
  }

  // Appends a minor dimension.
  void Append(int64_t size, int64_t stride) {
    count_ *= size;
    if (size == 1) return;
    if (!dims_.empty() && dims_.back().stride == size * stride) {
      dims_.back() = {dims_.back().size * size, stride};
    } else {
      dims_.push_back({size, stride});
    }
  }

  // Returns the same positions with every element taking the place of `factor`.
  StridedDims Scaled(int64_t factor) const {
    StridedDims scaled = *this;
    for (Dim& dim : scaled.dims_) dim.stride *= factor;
    return scaled;
  }

  int64_t count() const { return count_; }
  // Returns the stride of the minor dimension, along which runs go; 1 if there is none.
  int64_t run_stride() const { return dims_.empty() ? 1 : dims_.back().stride; }
  // Returns the most positions that one run can cover.
  int64_t run_length() const { return dims_.empty() ? 1 : dims_.back().size; }
  // Whether all positions form one run.
  bool IsOneRun() const { return dims_.size() <= 1; }

  int64_t Offset(int64_t position) const {
    if (dims_.size() <= 1) return dims_.empty() ? 0 : position * dims_[0].stride;
    int64_t offset = 0;
    for (size_t i = dims_.size() - 1; i > 0; --i) {
      const int64_t quotient = position / dims_[i].size;
      offset += (position - quotient * dims_[i].size) * dims_[i].stride;
      position = quotient;
    }
    return offset + position * dims_[0].stride;
  }

  // Calls run(first, offset, length) for the runs that cover positions [begin, begin + count):
  // elements at offset + i * run_stride() for i in [0, length) are the positions begin + first + i.
  template <typename F>
  void ForEachRun(int64_t begin, int64_t count, F&& run) const {
    const int64_t inner = run_length();
    for (int64_t done = 0; done < count;) {
      const int64_t position = begin + done;
      const int64_t length =
          IsOneRun() ? count - done : std::min(count - done, inner - position % inner);
      run(done, Offset(position), length);
      done += length;
    }
  }

 private:
  struct Dim {
    int64_t size, stride;
  };
  absl::InlinedVector<Dim, 4> dims_;
  int64_t count_ = 1;
};

}  // namespace xla::kernels

#endif  // XLA_KERNELS_STRIDED_DIMS_H_
