// SPDX-License-Identifier: Apache-2.0
// A hash that is the same in every run and on every machine, unlike absl::Hash. Internal to
// xla/hlo/ir.
#ifndef XLA_HLO_IR_HASHER_H_
#define XLA_HLO_IR_HASHER_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "xla/hlo/ir/attributes.h"

namespace xla::ir_internal {

// Accumulates values in order; equal values in equal order give equal results.
class Hasher {
 public:
  explicit Hasher(uint64_t seed = 0x9E3779B97F4A7C15u) : state_(seed) {}

  uint64_t result() const { return Mix(state_); }

  // The finalizer of splitmix64: a bijection that spreads every bit.
  static uint64_t Mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }

  template <typename T, std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>, int> = 0>
  void Add(T value) {
    state_ = Mix(state_ + 0x9E3779B97F4A7C15u) ^ static_cast<uint64_t>(value);
  }
  // Numbers that compare equal hash alike: -0 as 0, every NaN as one.
  void Add(double value) {
    if (value == 0) value = 0;
    uint64_t bits = 0x7FF8000000000000u;
    if (value == value) std::memcpy(&bits, &value, sizeof(bits));
    Add(bits);
  }
  void Add(float value) { Add(static_cast<double>(value)); }
  void Add(const std::string& text);
  template <typename A, typename B>
  void Add(const std::pair<A, B>& pair) {
    Add(pair.first);
    Add(pair.second);
  }
  template <typename T>
  void Add(const std::vector<T>& values) {
    Add(values.size());
    for (const auto& value : values) Add(static_cast<const T&>(value));
  }
  void Add(const std::vector<bool>& values) {
    Add(values.size());
    for (bool value : values) Add(value);
  }
  template <typename T>
  void Add(const std::optional<T>& value) {
    Add(value.has_value());
    if (value.has_value()) Add(*value);
  }

  // Element types and sizes, without layouts: consistent with every kind of shape equality that
  // compares those.
  void Add(const Shape& shape);
  void Add(const HloSharding& sharding);
  void Add(const CollectiveDeviceList& list);
  void Add(const Mesh& mesh);
  void Add(const AxisRef& axis);

  void Add(const WindowDim& dim);
  void Add(const WindowDims& window) { Add(window.dims); }
  void Add(const PadDim& dim);
  void Add(const SliceDim& dim);
  void Add(const ConvDims& dims);
  void Add(const Sparsity& sparsity);
  void Add(const OutputOperandAlias& alias);
  void Add(const Precisions& precisions);
  void Add(const LiteralRef& ref);
  void Add(const DomainAttributes::Value& domain);

 private:
  uint64_t state_;
};

}  // namespace xla::ir_internal

#endif  // XLA_HLO_IR_HASHER_H_
