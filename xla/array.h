// SPDX-License-Identifier: Apache-2.0
// Array<T>: a dense row-major array of any rank on the host, for building and reading literals in
// tests and examples.
#ifndef XLA_ARRAY_H_
#define XLA_ARRAY_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/check.h"
#include "xla/types.h"

namespace xla {

namespace array_internal {
// Defined in array.cc, because <random> is a large header.
std::vector<double> NormalDraws(int64_t count, double mean, double stddev, int seed);
std::vector<double> UniformDraws(int64_t count, double low, double high, int seed);

template <typename D>
using List2 = std::initializer_list<std::initializer_list<D>>;
template <typename D>
using List3 = std::initializer_list<List2<D>>;
template <typename D>
using List4 = std::initializer_list<List3<D>>;

template <typename T, typename T2>
using IfFloatList =
    std::enable_if_t<is_specialized_floating_point_v<T> && std::is_same_v<T2, float>, bool>;
}  // namespace array_internal

// Sizes are elements per dimension, outermost first. Element access checks rank and bounds.
//   Array<float> a({2, 3}, 1.0f);  a(1, 2) = 5;
template <typename T>
class Array {
 public:
  using value_type = T;
  template <typename D>
  using List2 = array_internal::List2<D>;
  template <typename D>
  using List3 = array_internal::List3<D>;
  template <typename D>
  using List4 = array_internal::List4<D>;

  explicit Array(absl::Span<const int64_t> sizes) : Array(sizes, T()) {}
  Array(absl::Span<const int64_t> sizes, T value)
      : sizes_(sizes.begin(), sizes.end()), values_(Count(sizes), value) {}

  Array(absl::Span<const int64_t> sizes, absl::Span<const T> flattened_values) : Array(sizes) {
    SetValues(flattened_values);
  }

  // From nested lists; all rows must have one length. Lists of T, or for floating-point types lists
  // of float.
  template <typename T2, array_internal::IfFloatList<T, T2> = true>
  Array(std::initializer_list<T2> values)  // NOLINT: converts implicitly, as in XLA
      : Array(std::vector<int64_t>{static_cast<int64_t>(values.size())}) {
    Append(values, values_.begin());
  }
  Array(List2<T> values) : Array(SizesOf(values)) { Append(values, values_.begin()); }
  template <typename T2, array_internal::IfFloatList<T, T2> = true>
  Array(std::initializer_list<std::initializer_list<T2>> values) : Array(SizesOf(values)) {
    Append(values, values_.begin());
  }
  Array(List3<T> values) : Array(SizesOf(values)) { Append(values, values_.begin()); }
  template <typename T2, array_internal::IfFloatList<T, T2> = true>
  Array(std::initializer_list<std::initializer_list<std::initializer_list<T2>>> values)
      : Array(SizesOf(values)) {
    Append(values, values_.begin());
  }
  Array(List4<T> values) : Array(SizesOf(values)) { Append(values, values_.begin()); }
  template <typename T2, array_internal::IfFloatList<T, T2> = true>
  Array(
      std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T2>>>>
          values)
      : Array(SizesOf(values)) {
    Append(values, values_.begin());
  }

  void Fill(const T& value) { std::fill(values_.begin(), values_.end(), value); }
  // value, value + 1, ...
  void FillIota(const T& value) {
    T next = value;
    for (T& v : values_) {
      v = next;
      next = static_cast<T>(next + static_cast<T>(1));
    }
  }
  // value, .., value + length - 1, then value again.
  void FillRepeatedIota(const T& value, int64_t length) {
    T next = value;
    for (int64_t i = 0; i < num_elements(); ++i) {
      if (i % length == 0) next = value;
      values_[i] = next;
      next = static_cast<T>(next + static_cast<T>(1));
    }
  }
  // 0, 1, 2, .. times `multiplier`.
  void FillWithMultiples(const T& multiplier) {
    for (size_t i = 0; i < values_.size(); ++i)
      values_[i] = static_cast<T>(static_cast<T>(i) * multiplier);
  }
  // Normally or uniformly distributed, the same for the same seed.
  void FillRandom(const T& stddev, double mean = 0.0, int seed = 12345) {
    FillFrom(array_internal::NormalDraws(num_elements(), mean, static_cast<double>(stddev), seed));
  }
  void FillRandomDouble(double stddev, double mean = 0.0, int seed = 12345) {
    FillFrom(array_internal::NormalDraws(num_elements(), mean, stddev, seed));
  }
  void FillRandomBool(int seed = 12345) {
    const std::vector<double> draws = array_internal::UniformDraws(num_elements(), 0, 2, seed);
    for (int64_t i = 0; i < num_elements(); ++i) values_[i] = static_cast<T>(draws[i] >= 1);
  }
  void FillRandomUniform(const T& low, const T& high, int seed = 12345) {
    FillFrom(array_internal::UniformDraws(num_elements(), static_cast<double>(low),
                                          static_cast<double>(high), seed));
  }
  template <typename Container = std::initializer_list<T>>
  void SetValues(const Container& values) {
    XLA_CHECK(static_cast<size_t>(std::distance(std::begin(values), std::end(values))) ==
              values_.size());
    std::copy(std::begin(values), std::end(values), values_.begin());
  }

  // Calls f(indices, &value) for each element in row-major order.
  void Each(absl::FunctionRef<void(absl::Span<const int64_t>, T*)> f) {
    std::vector<int64_t> index(sizes_.size(), 0);
    for (size_t i = 0; i < values_.size(); ++i, Next(&index)) {
      T value = values_[i];
      f(index, &value);
      values_[i] = value;
    }
  }
  void Each(absl::FunctionRef<void(absl::Span<const int64_t>, T)> f) const {
    std::vector<int64_t> index(sizes_.size(), 0);
    for (size_t i = 0; i < values_.size(); ++i, Next(&index)) f(index, values_[i]);
  }

  // The same, until an error.
  absl::Status EachStatus(absl::FunctionRef<absl::Status(absl::Span<const int64_t>, T*)> f) {
    std::vector<int64_t> index(sizes_.size(), 0);
    for (size_t i = 0; i < values_.size(); ++i, Next(&index)) {
      T value = values_[i];
      absl::Status status = f(index, &value);
      values_[i] = value;
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  absl::Status EachStatus(absl::FunctionRef<absl::Status(absl::Span<const int64_t>, T)> f) const {
    std::vector<int64_t> index(sizes_.size(), 0);
    for (size_t i = 0; i < values_.size(); ++i, Next(&index)) {
      if (absl::Status status = f(index, values_[i]); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  template <typename F>
  void TemplatedEach(const F& f) {
    Each(f);
  }
  template <typename F>
  void TemplatedEach(const F& f) const {
    Each(f);
  }

  template <typename... Index, std::enable_if_t<(std::is_integral_v<Index> && ...), int> = 0>
  decltype(auto) operator()(Index... index) const {
    const int64_t indices[] = {static_cast<int64_t>(index)..., 0};
    return values_[Offset(absl::MakeSpan(indices, sizeof...(index)))];
  }
  template <typename... Index, std::enable_if_t<(std::is_integral_v<Index> && ...), int> = 0>
  decltype(auto) operator()(Index... index) {
    const int64_t indices[] = {static_cast<int64_t>(index)..., 0};
    return values_[Offset(absl::MakeSpan(indices, sizeof...(index)))];
  }
  decltype(auto) operator()(absl::Span<const int64_t> index) const {
    return values_[Offset(index)];
  }
  decltype(auto) operator()(absl::Span<const int64_t> index) { return values_[Offset(index)]; }

  int64_t dim(int64_t n) const {
    XLA_CHECK(n >= 0 && n < num_dimensions());
    return sizes_[n];
  }
  absl::Span<const int64_t> dimensions() const { return sizes_; }
  int64_t num_dimensions() const { return static_cast<int64_t>(sizes_.size()); }
  int64_t num_elements() const { return static_cast<int64_t>(values_.size()); }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  auto begin() { return values_.begin(); }
  auto begin() const { return values_.begin(); }
  auto end() { return values_.end(); }
  auto end() const { return values_.end(); }
  const T& front() const { return values_.front(); }
  const T& back() const { return values_.back(); }

  friend bool operator==(const Array& a, const Array& b) {
    return a.sizes_ == b.sizes_ && a.values_ == b.values_;
  }
  friend bool operator!=(const Array& a, const Array& b) { return !(a == b); }

  // The elements in [starts, limits).
  Array Slice(absl::Span<const int64_t> starts, absl::Span<const int64_t> limits) const {
    XLA_CHECK(starts.size() == sizes_.size() && limits.size() == sizes_.size());
    std::vector<int64_t> sizes(sizes_.size());
    for (size_t d = 0; d < sizes.size(); ++d) {
      XLA_CHECK(0 <= starts[d] && starts[d] <= limits[d] && limits[d] <= sizes_[d]);
      sizes[d] = limits[d] - starts[d];
    }
    Array result(sizes);
    std::vector<int64_t> from(sizes.size());
    result.Each([&](absl::Span<const int64_t> index, T* value) {
      for (size_t d = 0; d < from.size(); ++d) from[d] = index[d] + starts[d];
      *value = (*this)(from);
    });
    return result;
  }
  // Writes `from` to the elements from `starts` on.
  void UpdateSlice(const Array& from, absl::Span<const int64_t> starts) {
    XLA_CHECK(starts.size() == sizes_.size() && from.sizes_.size() == sizes_.size());
    std::vector<int64_t> to(sizes_.size());
    from.Each([&](absl::Span<const int64_t> index, T value) {
      for (size_t d = 0; d < to.size(); ++d) to[d] = index[d] + starts[d];
      (*this)(to) = value;
    });
  }
  void Reshape(absl::Span<const int64_t> new_dimensions) {
    XLA_CHECK(Count(new_dimensions) == values_.size());
    sizes_.assign(new_dimensions.begin(), new_dimensions.end());
  }
  // Dimension i of the result is dimension permutation[i] of this array.
  void TransposeDimensions(absl::Span<const int64_t> permutation) {
    XLA_CHECK(permutation.size() == sizes_.size());
    std::vector<int64_t> sizes(sizes_.size());
    for (size_t d = 0; d < sizes.size(); ++d) sizes[d] = dim(permutation[d]);
    Array result(sizes);
    std::vector<int64_t> from(sizes.size());
    result.Each([&](absl::Span<const int64_t> index, T* value) {
      for (size_t d = 0; d < from.size(); ++d) from[permutation[d]] = index[d];
      *value = (*this)(from);
    });
    *this = std::move(result);
  }

  // "[[1, 2], [3, 4]]", one row a line.
  std::string ToString() const {
    const int64_t rank = num_dimensions();
    if (rank == 0) return "";
    std::string out;
    if (values_.empty()) {
      // As XLA prints these: commas between the missing elements of a row.
      out.append(rank, '[');
      for (int64_t i = 1; i < sizes_.back(); ++i) out += ", ";
      out.append(rank, ']');
      return out;
    }
    std::vector<int64_t> index(sizes_.size(), 0);
    for (size_t i = 0; i < values_.size(); ++i) {
      int64_t opened = 0;
      for (int64_t d = rank - 1; d >= 0 && index[d] == 0; --d) ++opened;
      if (i != 0) out += opened > 0 ? ",\n" : ", ";
      if (i != 0 && opened > 0) out.append(rank - opened, ' ');
      out.append(opened, '[');
      AppendValue(&out, values_[i]);
      Next(&index);
      int64_t closed = 0;
      for (int64_t d = rank - 1; d >= 0 && index[d] == 0; --d) ++closed;
      out.append(closed, ']');
    }
    return out;
  }
  friend std::ostream& operator<<(std::ostream& os, const Array& a) { return os << a.ToString(); }

 private:
  // The sizes of nested lists; those within an empty list are 0.
  template <typename List>
  static std::vector<int64_t> SizesOf(const List& list) {
    std::vector<int64_t> sizes;
    AppendSizes(&list, &sizes);
    return sizes;
  }
  template <typename D>
  static void AppendSizes(const std::initializer_list<D>* list, std::vector<int64_t>* sizes) {
    sizes->push_back(list == nullptr ? 0 : static_cast<int64_t>(list->size()));
    const D* first = list == nullptr || list->size() == 0 ? nullptr : list->begin();
    if constexpr (requires(const D& inner) { inner.begin(); }) AppendSizes(first, sizes);
  }
  static size_t Count(absl::Span<const int64_t> sizes) {
    size_t count = 1;
    for (int64_t size : sizes) {
      XLA_CHECK(size >= 0);
      XLA_CHECK(!__builtin_mul_overflow(count, static_cast<size_t>(size), &count));
    }
    return count;
  }
  template <typename D, typename Iterator>
  Iterator Append(const std::initializer_list<D>& list, Iterator out) {
    for (const D& item : list) {
      if constexpr (requires { item.begin(); }) {
        XLA_CHECK(item.size() == list.begin()->size()) << "lists of different length";
        out = Append(item, out);
      } else {
        *out++ = static_cast<T>(item);
      }
    }
    return out;
  }
  void FillFrom(const std::vector<double>& draws) {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<T>(draws[i]);
  }
  int64_t Offset(absl::Span<const int64_t> index) const {
    XLA_CHECK(index.size() == sizes_.size())
        << "index of rank " << index.size() << " in array of rank " << sizes_.size();
    int64_t offset = 0;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      XLA_CHECK(0 <= index[d] && index[d] < sizes_[d])
          << "index " << index[d] << " of dimension " << d;
      offset = offset * sizes_[d] + index[d];
    }
    return offset;
  }
  void Next(std::vector<int64_t>* index) const {
    for (size_t d = sizes_.size(); d-- > 0;) {
      if (++(*index)[d] < sizes_[d]) return;
      (*index)[d] = 0;
    }
  }
  static void AppendValue(std::string* out, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      absl::StrAppend(out, value ? 1 : 0);
    } else if constexpr (is_complex_v<T>) {
      absl::StrAppend(out, "(", value.real(), ", ", value.imag(), ")");
    } else if constexpr (is_intN_v<T> || sizeof(T) == 1 || is_mini_float_v<T>) {
      absl::StrAppend(out, static_cast<float>(value));
    } else {
      absl::StrAppend(out, value);
    }
  }

  std::vector<int64_t> sizes_;
  std::vector<T> values_;
};

}  // namespace xla

#endif  // XLA_ARRAY_H_
