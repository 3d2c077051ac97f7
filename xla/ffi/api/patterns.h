// SPDX-License-Identifier: Apache-2.0
// Patterns of arrays: handlers say what arrays they take, and get those of a type and rank that are
// known, or an error that says what does not fit. Part of xla/ffi/api/ffi.h; include that.
//
//   int64_t rows, columns;
//   auto matrix = ffi::Match("a", any_buffer,
//                            ffi::match::Buffer<ffi::F32>().WithDims(&rows, &columns));
//   if (matrix.has_error()) return matrix.error();
//   if (auto error = ffi::Verify("b", b, ffi::match::Buffer().WithShapeOf(*matrix));
//       error.failure()) {
//     return error;
//   }
#ifndef XLA_FFI_API_PATTERNS_H_
#define XLA_FFI_API_PATTERNS_H_

#include "xla/ffi/api/buffers.h"

namespace xla::ffi {

namespace internal {

// What a property of an array may be, as a type. Empty: anything.
template <typename T, T... values>
struct ValueSet {
  using Value = T;
  static constexpr size_t kSize = sizeof...(values);
  static constexpr std::array<T, kSize> kValues = {values...};
};

// The same as values.
template <typename T>
class Choice {
 public:
  Choice(const char* what, Span<const T> values) : what_(what), values_(values) {}

  // What is wrong with a value; nothing if it is one of these.
  std::optional<std::string> Reject(T value) const {
    if (values_.size() == 0 || std::find(values_.begin(), values_.end(), value) != values_.end()) {
      return std::nullopt;
    }
    return StrCat("expected ", what_, values_.size() == 1 ? " " : " to be one of ", List(),
                  " but got ", value);
  }
  // Empty, or " with ..".
  std::string Describe() const {
    if (values_.size() == 0) return {};
    return StrCat(" with ", what_, values_.size() == 1 ? " " : " in ", List());
  }

 private:
  std::string List() const {
    if (values_.size() == 1) return StrCat(values_.front());
    std::string text = "[";
    for (const T& value : values_) text += StrCat(text.size() > 1 ? ", " : "", value);
    return text + "]";
  }

  const char* what_;
  Span<const T> values_;
};

}  // namespace internal

namespace match {

template <typename T, T... types>
using DTypeSet = internal::ValueSet<T, types...>;
template <size_t... ranks>
using RankSet = internal::ValueSet<size_t, ranks...>;

// A size: any, one number, or any that is stored where a pointer says. Sizes that are stored in the
// same place have to be equal.
class DimPattern {
 public:
  DimPattern() = default;
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  DimPattern(T size) : size_(static_cast<int64_t>(size)) {}  // NOLINT: implicit
  DimPattern(int64_t* place) : place_(place) {               // NOLINT: implicit
    assert(place != nullptr);
  }

  // What is wrong with the size of dimension `index`.
  std::optional<std::string> Match(int64_t size, size_t index) const {
    if (!size_.has_value() || *size_ == size) return std::nullopt;
    return internal::StrCat("expected dimension ", index, " to be ", *size_, " but got ", size);
  }
  void Capture(int64_t size) const {
    if (place_ != nullptr) *place_ = size;
  }
  int64_t* place() const { return place_; }
  std::string Describe() const {
    if (size_.has_value()) return std::to_string(*size_);
    return place_ == nullptr ? "any dimension" : "any dimension (captured)";
  }

 private:
  std::optional<int64_t> size_;
  int64_t* place_ = nullptr;
};

inline DimPattern Dim() { return {}; }
template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
DimPattern Dim(T size) {
  return DimPattern(size);
}
inline DimPattern Dim(int64_t* place) { return DimPattern(place); }

// An array: its element type, rank and sizes. Each function gives a pattern that asks for more, or
// for something else than before. The types and ranks that are listed are part of the C++ type.
template <typename DTypes = DTypeSet<DataType>, typename Ranks = RankSet<>>
class BufferPattern {
 public:
  BufferPattern() = default;

  template <DataType dtype, DataType... dtypes>
  BufferPattern<DTypeSet<DataType, dtype, dtypes...>, Ranks> WithDType() const {
    return {std::nullopt, rank_, dims_};
  }
  template <size_t rank, size_t... ranks>
  BufferPattern<DTypes, RankSet<rank, ranks...>> WithRank() const {
    static_assert(!IsDynamicRank<rank, ranks...>(), "any rank is what is not asked for");
    return {dtype_, std::nullopt, dims_};
  }
  // The rank, and the sizes in order.
  template <typename... Dims,
            typename = std::enable_if_t<(true && ... && std::is_convertible_v<Dims, DimPattern>)>>
  BufferPattern<DTypes, RankSet<sizeof...(Dims)>> WithDims(Dims&&... dims) const {
    return {dtype_, std::nullopt, {DimPattern(std::forward<Dims>(dims))...}};
  }
  // One size; the rank is only known to be larger than `index`.
  BufferPattern WithDim(size_t index, DimPattern dim) const {
    BufferPattern changed(*this);
    if (changed.dims_.size() <= index) changed.dims_.resize(index + 1);
    changed.dims_[index] = dim;
    return changed;
  }
  template <size_t index>
  BufferPattern WithDim(DimPattern dim) const {
    return WithDim(index, dim);
  }
  // The rank and sizes of an array; Like: its type as well.
  template <typename Array>
  BufferPattern<DTypes, RankSet<>> WithShapeOf(Array array) const {
    const Span<const int64_t> sizes = array.dimensions();
    return {dtype_, sizes.size(), std::vector<DimPattern>(sizes.begin(), sizes.end())};
  }
  template <typename Array>
  BufferPattern<DTypeSet<DataType>, RankSet<>> Like(Array array) const {
    const Span<const int64_t> sizes = array.dimensions();
    return {array.element_type(), sizes.size(),
            std::vector<DimPattern>(sizes.begin(), sizes.end())};
  }

  // What does not fit first.
  template <typename Array>
  std::optional<std::string> Match(Array array) const {
    if (auto error = DTypeChoice().Reject(array.element_type())) return error;
    const Span<const int64_t> sizes = array.dimensions();
    if (auto error = RankChoice().Reject(sizes.size())) return error;
    if (sizes.size() < dims_.size()) {
      return internal::StrCat("expected dimension ", dims_.size() - 1, " but buffer rank is ",
                              sizes.size());
    }
    for (size_t i = 0; i < dims_.size(); ++i) {
      if (auto error = dims_[i].Match(sizes[i], i)) return error;
      for (size_t j = 0; j < i; ++j) {
        if (dims_[i].place() == nullptr || dims_[i].place() != dims_[j].place()) continue;
        if (auto error = DimPattern(sizes[j]).Match(sizes[i], i)) return error;
      }
    }
    return std::nullopt;
  }
  // Stores sizes where the pattern says. Precondition: the array fits.
  template <typename Array>
  void Capture(Array array) const {
    const Span<const int64_t> sizes = array.dimensions();
    for (size_t i = 0; i < std::min(dims_.size(), sizes.size()); ++i) dims_[i].Capture(sizes[i]);
  }

  std::string Describe() const {
    std::string text = "a buffer" + DTypeChoice().Describe() + RankChoice().Describe();
    for (size_t i = 0; i < dims_.size(); ++i) {
      text += (i == 0 ? " with dimensions [" : ", ") + dims_[i].Describe();
    }
    return dims_.empty() ? text : text + "]";
  }

 private:
  template <typename, typename>
  friend class BufferPattern;

  BufferPattern(std::optional<DataType> dtype, std::optional<size_t> rank,
                std::vector<DimPattern> dims)
      : dims_(std::move(dims)) {
    if (DTypes::kSize == 0) dtype_ = dtype;
    if (Ranks::kSize == 0) rank_ = rank;
  }

  template <typename Values, typename T>
  static Span<const T> ValuesOf(const std::optional<T>& value) {
    if (value.has_value()) return Span<const T>(&*value, 1);
    return Span<const T>(Values::kValues.data(), Values::kSize);
  }
  internal::Choice<DataType> DTypeChoice() const { return {"dtype", ValuesOf<DTypes>(dtype_)}; }
  internal::Choice<size_t> RankChoice() const { return {"rank", ValuesOf<Ranks>(rank_)}; }

  // Those of another array; absent where the C++ type says more.
  std::optional<DataType> dtype_;
  std::optional<size_t> rank_;
  std::vector<DimPattern> dims_;  // the first ones
};

inline BufferPattern<> Buffer() { return {}; }
template <DataType dtype, size_t rank = kDynamicRank>
auto Buffer() {
  if constexpr (rank == kDynamicRank) {
    return BufferPattern<DTypeSet<DataType, dtype>>();
  } else {
    return BufferPattern<DTypeSet<DataType, dtype>, RankSet<rank>>();
  }
}

}  // namespace match

// InvalidArgument, with the name, unless the array fits the pattern.
template <typename Array, typename DTypes, typename Ranks>
Error Verify(std::string_view name, Array array,
             const match::BufferPattern<DTypes, Ranks>& pattern) {
  if (const auto error = pattern.Match(array)) {
    return Error::InvalidArgument(
        internal::StrCat("Buffer '", name, "' failed to match ", pattern.Describe(), ": ", *error));
  }
  pattern.Capture(array);
  return Error::Success();
}

// The array, of the type and rank of a pattern that has one of each.
template <DataType dtype, size_t rank>
ErrorOr<Buffer<dtype, rank>> Match(
    std::string_view name, AnyBuffer array,
    const match::BufferPattern<match::DTypeSet<DataType, dtype>, match::RankSet<rank>>& pattern) {
  Error error = Verify(name, array, pattern);
  if (error.failure()) return error;
  return internal::TypedBuffer<dtype, rank>(array);
}
// Of an array whose type is known, any pattern.
template <DataType dtype, size_t rank, typename DTypes, typename Ranks>
ErrorOr<Buffer<dtype, rank>> Match(std::string_view name, Buffer<dtype, rank> array,
                                   const match::BufferPattern<DTypes, Ranks>& pattern) {
  Error error = Verify(name, array, pattern);
  if (error.failure()) return error;
  return array;
}
template <typename Array, typename DTypes, typename Ranks>
auto Match(std::string_view name, Result<Array> array,
           const match::BufferPattern<DTypes, Ranks>& pattern) {
  auto matched = Match(name, *array, pattern);
  using Matched = std::decay_t<decltype(*matched)>;
  if (matched.has_error()) return ErrorOr<Result<Matched>>(matched.error());
  return ErrorOr<Result<Matched>>(Result<Matched>(*matched));
}

}  // namespace xla::ffi

#endif  // XLA_FFI_API_PATTERNS_H_
