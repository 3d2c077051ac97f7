// SPDX-License-Identifier: Apache-2.0
// A vector of bits.
#ifndef XLA_TSL_LIB_CORE_BITMAP_H_
#define XLA_TSL_LIB_CORE_BITMAP_H_

#include <cstddef>
#include <string>
#include <vector>

namespace tsl::core {

class Bitmap {
 public:
  Bitmap() = default;
  explicit Bitmap(size_t n) : bits_(n, false) {}

  size_t bits() const { return bits_.size(); }
  // All bits are false afterwards.
  void Reset(size_t n) { bits_.assign(n, false); }
  bool get(size_t i) const { return bits_[i]; }
  void set(size_t i) { bits_[i] = true; }
  void clear(size_t i) { bits_[i] = false; }

  // The first clear bit at `start` or after it; bits() if there is none.
  size_t FirstUnset(size_t start) const {
    while (start < bits_.size() && bits_[start]) ++start;
    return start;
  }

  std::string ToString() const {
    std::string text;
    for (const bool bit : bits_) text.push_back(bit ? '1' : '0');
    return text;
  }

 private:
  std::vector<bool> bits_;
};

}  // namespace tsl::core

#endif  // XLA_TSL_LIB_CORE_BITMAP_H_
