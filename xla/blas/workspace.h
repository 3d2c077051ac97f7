// SPDX-License-Identifier: Apache-2.0
// Working memory of a thread, kept from call to call: LAPACK makes many products of moderate size,
// for each of which fresh pages of memory would take as long as the product itself.
#ifndef XLA_BLAS_WORKSPACE_H_
#define XLA_BLAS_WORKSPACE_H_

#include <cstdint>
#include <memory>
#include <new>

namespace xla::blas {

// Memory for the blocks of one product (product.h), aligned to 64 bytes; freed when the thread
// ends. Null if the system has no memory left.
inline constexpr int64_t kWorkspaceBytes = 768 * 1024;
char* ThreadWorkspace();

// `count` elements of T: few on the stack, many on the heap. Throws std::bad_alloc.
template <typename T>
class TemporaryArray {
 public:
  explicit TemporaryArray(int64_t count) {
    if (count <= kInPlace) {
      data_ = reinterpret_cast<T*>(in_place_);
    } else {
      heap_.reset(new T[count]);
      data_ = heap_.get();
    }
  }
  T* data() { return data_; }

 private:
  static constexpr int64_t kInPlace = 256;
  alignas(64) char in_place_[kInPlace * sizeof(T)];
  std::unique_ptr<T[]> heap_;
  T* data_;
};

}  // namespace xla::blas

#endif  // XLA_BLAS_WORKSPACE_H_
