// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/tile_assignment.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/tile_assignment_check.h"
#include "xla/permutation_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// Appends the products of the last size, the last two, and so on.
void AppendSuffixProducts(absl::Span<const int64_t> sizes, std::vector<int64_t>& products) {
  int64_t product = 1;
  for (size_t i = sizes.size(); i-- > 0;) products.push_back(product *= sizes[i]);
}

// A dimension as the factors, major first, that stand for it in a list of all factors.
struct Factors {
  size_t begin = 0, end = 0;
};

// Which of `factors` make up each of `sizes`; sizes of 1 have none.
std::vector<Factors> Divide(absl::Span<const int64_t> sizes, absl::Span<const int64_t> factors) {
  std::vector<Factors> parts;
  size_t next = 0;
  for (const int64_t size : sizes) {
    Factors part = {next, next};
    for (int64_t product = 1; product < size; ++part.end) product *= factors[part.end];
    parts.push_back(part);
    next = part.end;
  }
  return parts;
}

// The product of sizes >= 1 if it is at most 2^24.
absl::StatusOr<int64_t> CountDevices(absl::Span<const int64_t> sizes) {
  constexpr int64_t kMaxDevices = int64_t{1} << 24;
  int64_t count = 1;
  for (const int64_t size : sizes) {
    if (size < 1 || size > kMaxDevices / count) {
      return InvalidArgument("devices=[%s]: sizes must be positive and name at most 2^24 devices",
                             absl::StrJoin(sizes, ","));
    }
    count *= size;
  }
  return count;
}

}  // namespace

IotaTileAssignment IotaTileAssignment::Create(absl::Span<const int64_t> dims) {
  return Create(dims, {Product(dims)}, {0});
}

IotaTileAssignment IotaTileAssignment::Create(absl::Span<const int64_t> dims,
                                              absl::Span<const int64_t> reshape_dims,
                                              absl::Span<const int> transpose_perm) {
  XLA_CHECK(reshape_dims.size() == transpose_perm.size())
      << absl::StrJoin(dims, ",") << "<=" << absl::StrJoin(reshape_dims, ",");
  // Dimensions of size 1 do not count.
  std::vector<int> number_of(reshape_dims.size(), -1);
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < reshape_dims.size(); ++i) {
    if (reshape_dims[i] == 1) continue;
    number_of[i] = static_cast<int>(sizes.size());
    sizes.push_back(reshape_dims[i]);
  }
  // Dimensions that follow each other before and after the transposition are one, named by the
  // first.
  std::vector<int> order;
  int last = -2;
  for (const int original : transpose_perm) {
    const int number = number_of[static_cast<size_t>(original)];
    if (number < 0) continue;
    if (number == last + 1) {
      sizes[static_cast<size_t>(order.back())] *= sizes[static_cast<size_t>(number)];
      sizes[static_cast<size_t>(number)] = 1;
    } else {
      order.push_back(number);
    }
    last = number;
  }
  IotaTileAssignment result;
  result.dims_.assign(dims.begin(), dims.end());
  for (size_t i = 0, next = 0; i < sizes.size(); ++i) {
    number_of[i] = static_cast<int>(next);
    if (sizes[i] != 1) {
      result.reshape_dims_.push_back(sizes[i]);
      ++next;
    }
  }
  for (const int number : order) {
    result.transpose_perm_.push_back(number_of[static_cast<size_t>(number)]);
  }
  if (order.empty()) {
    result.reshape_dims_ = {1};
    result.transpose_perm_ = {0};
  }
  return result;
}

int64_t IotaTileAssignment::num_elements() const { return Product(dims_); }

int64_t IotaTileAssignment::value_at(absl::Span<const int64_t> index) const {
  int64_t position = 0;
  for (size_t i = 0; i < dims_.size(); ++i) position = position * dims_[i] + index[i];
  // The index before the transposition.
  std::vector<int64_t> before(reshape_dims_.size());
  for (size_t i = transpose_perm_.size(); i-- > 0;) {
    const auto dim = static_cast<size_t>(transpose_perm_[i]);
    before[dim] = position % reshape_dims_[dim];
    position /= reshape_dims_[dim];
  }
  int64_t value = 0;
  for (size_t i = 0; i < before.size(); ++i) value = value * reshape_dims_[i] + before[i];
  return value;
}

// Both lists of sizes, of the tiles and of the transposed devices, are divided into common factors:
// they have them if every suffix product of either divides the next larger one of both. The factors
// are then dimensions of an iota, and transposing tiles reorders them.
std::optional<IotaTileAssignment> IotaTileAssignment::Transpose(absl::Span<const int> perm) const {
  std::vector<int64_t> transposed, new_dims, products;
  for (const int dim : transpose_perm_) {
    transposed.push_back(reshape_dims_[static_cast<size_t>(dim)]);
  }
  for (const int dim : perm) new_dims.push_back(dims_[static_cast<size_t>(dim)]);
  AppendSuffixProducts(dims_, products);
  AppendSuffixProducts(transposed, products);
  std::sort(products.begin(), products.end());

  std::vector<int64_t> factors;
  int64_t below = 1;
  for (const int64_t product : products) {
    if (product == below) continue;
    if (product % below != 0) return std::nullopt;
    factors.push_back(product / below);
    below = product;
  }
  std::reverse(factors.begin(), factors.end());
  const std::vector<Factors> of_transposed = Divide(transposed, factors);
  const std::vector<Factors> of_tiles = Divide(dims_, factors);

  // Where each factor stands before the transposition.
  const std::vector<int64_t> place_of =
      InversePermutation(std::vector<int64_t>(transpose_perm_.begin(), transpose_perm_.end()));
  std::vector<int64_t> new_reshape_dims;
  std::vector<int> position_of(factors.size());
  for (const int64_t place : place_of) {
    const Factors part = of_transposed[static_cast<size_t>(place)];
    for (size_t f = part.begin; f < part.end; ++f) {
      position_of[f] = static_cast<int>(new_reshape_dims.size());
      new_reshape_dims.push_back(factors[f]);
    }
  }
  std::vector<int> new_perm;
  for (const int dim : perm) {
    const Factors part = of_tiles[static_cast<size_t>(dim)];
    new_perm.insert(new_perm.end(), position_of.begin() + static_cast<ptrdiff_t>(part.begin),
                    position_of.begin() + static_cast<ptrdiff_t>(part.end));
  }
  return Create(new_dims, new_reshape_dims, new_perm);
}

Array<int64_t> IotaTileAssignment::ToArray() const {
  if (Product(reshape_dims_) != num_elements()) {  // see TileAssignment::CreateIota
    Array<int64_t> repeated(dims_);
    repeated.Each(
        [&](absl::Span<const int64_t> index, int64_t* device) { *device = value_at(index); });
    return repeated;
  }
  Array<int64_t> array(reshape_dims_);
  array.FillIota(0);
  array.TransposeDimensions(std::vector<int64_t>(transpose_perm_.begin(), transpose_perm_.end()));
  array.Reshape(dims_);
  return array;
}

std::string IotaTileAssignment::ArrayToString() const {
  std::string text = absl::StrCat("<=[", absl::StrJoin(reshape_dims_, ","), "]");
  if (transpose_perm_.size() > 1) {
    absl::StrAppend(&text, "T(", absl::StrJoin(transpose_perm_, ","), ")");
  }
  return text;
}

std::string IotaTileAssignment::ToString() const {
  return absl::StrCat("[", absl::StrJoin(dims_, ","), "]", ArrayToString());
}

TileAssignment::TileAssignment()
    : TileAssignment(std::make_shared<const Array<int64_t>>(absl::MakeConstSpan({int64_t{0}}))) {}

absl::StatusOr<TileAssignment> TileAssignment::Create(absl::Span<const int64_t> dims,
                                                      absl::Span<const int64_t> devices) {
  XLA_ASSIGN_OR_RETURN(const int64_t count, CountDevices(dims));
  if (static_cast<int64_t>(devices.size()) != count) {
    return InvalidArgument("devices=[%s]: %d devices given for %d tiles", absl::StrJoin(dims, ","),
                           devices.size(), count);
  }
  absl::flat_hash_set<int64_t> seen;
  for (const int64_t id : devices) {
    if (id >= 0 && seen.insert(id).second) continue;
    return InvalidArgument("devices=[%s]: device %d is %s", absl::StrJoin(dims, ","), id,
                           id < 0 ? "negative" : "duplicated");
  }
  return TileAssignment(Array<int64_t>(dims, devices));
}

absl::StatusOr<TileAssignment> TileAssignment::CreateIota(absl::Span<const int64_t> dims,
                                                          absl::Span<const int64_t> reshape_dims,
                                                          absl::Span<const int> transpose_perm) {
  XLA_RETURN_IF_ERROR(CountDevices(dims).status());
  std::string text = absl::StrCat("devices=[", absl::StrJoin(dims, ","), "]<=[",
                                  absl::StrJoin(reshape_dims, ","), "]");
  if (transpose_perm.size() > 1) {
    absl::StrAppend(&text, "T(", absl::StrJoin(transpose_perm, ","), ")");
  }
  if (reshape_dims.empty() && !transpose_perm.empty()) {
    return InvalidArgument("%s: T(..) without dimensions", text);
  }
  if (reshape_dims.empty()) return TileAssignment(dims);
  // XLA reads an iota of another number of devices; HloSharding::Validate reports it.
  if (!CountDevices(reshape_dims).ok()) {
    return InvalidArgument("%s: the iota does not have as many devices as there are tiles", text);
  }
  std::vector<int> perm(transpose_perm.begin(), transpose_perm.end());
  if (perm.empty()) {
    for (size_t i = 0; i < reshape_dims.size(); ++i) perm.push_back(static_cast<int>(i));
  }
  if (perm.size() != reshape_dims.size()) {
    return InvalidArgument("%s: T(..) has another rank than the iota", text);
  }
  if (!IsPermutation(std::vector<int64_t>(perm.begin(), perm.end()))) {
    return InvalidArgument("%s: T(..) is not a permutation", text);
  }
  return TileAssignment(dims, reshape_dims, perm);
}

TileAssignment::TileAssignment(const TileAssignment& other) : iota_(other.iota_) {
  const std::lock_guard<std::mutex> lock(other.mutex_);
  array_ = other.array_;
}

TileAssignment& TileAssignment::operator=(const TileAssignment& other) {
  if (this == &other) return *this;
  const std::scoped_lock lock(mutex_, other.mutex_);
  iota_ = other.iota_;
  array_ = other.array_;
  return *this;
}

absl::Span<const int64_t> TileAssignment::dimensions() const {
  return iota_.has_value() ? iota_->dims() : absl::Span<const int64_t>(array_->dimensions());
}

int64_t TileAssignment::num_elements() const {
  return iota_.has_value() ? iota_->num_elements() : array_->num_elements();
}

int64_t TileAssignment::operator()(absl::Span<const int64_t> index) const {
  return iota_.has_value() ? iota_->value_at(index) : (*array_)(index);
}

int64_t TileAssignment::first() const { return iota_.has_value() ? 0 : *array_->begin(); }

TileAssignment TileAssignment::Reshape(absl::Span<const int64_t> dims) const {
  if (iota_.has_value()) {
    return TileAssignment(dims, iota_->reshape_dims(), iota_->transpose_perm());
  }
  Array<int64_t> array = *array_;
  array.Reshape(dims);
  return TileAssignment(array);
}

TileAssignment TileAssignment::Transpose(absl::Span<const int> perm) const {
  if (iota_.has_value()) {
    if (std::optional<IotaTileAssignment> iota = iota_->Transpose(perm)) {
      return TileAssignment(*std::move(iota));
    }
  }
  Array<int64_t> array = this->array();
  array.TransposeDimensions(std::vector<int64_t>(perm.begin(), perm.end()));
  return TileAssignment(array);
}

TileAssignment TileAssignment::SortGroups(int64_t size) const {
  if (size <= 1) return *this;
  if (iota_.has_value()) {
    std::vector<int64_t> dims(iota_->reshape_dims().begin(), iota_->reshape_dims().end());
    std::vector<int> perm(iota_->transpose_perm().begin(), iota_->transpose_perm().end());
    const auto minor = [&](size_t i) -> int64_t& { return dims[static_cast<size_t>(perm[i])]; };
    size_t first = perm.size();
    int64_t rest = size;
    while (first > 0 && rest % minor(first - 1) == 0) rest /= minor(--first);
    if (rest > 1 && first > 0 && minor(first - 1) % rest == 0) {
      // The group takes the minor part of this dimension, which becomes one of its own.
      const int cut = perm[first - 1];
      for (int& dim : perm) dim += dim > cut ? 1 : 0;
      dims[static_cast<size_t>(cut)] /= rest;
      dims.insert(dims.begin() + cut + 1, rest);
      perm.insert(perm.begin() + static_cast<ptrdiff_t>(first), cut + 1);
      rest = 1;
    }
    if (rest == 1) {
      std::sort(perm.begin() + static_cast<ptrdiff_t>(first), perm.end());
      return TileAssignment(dimensions(), dims, perm);
    }
  }
  Array<int64_t> sorted = array();
  for (auto group = sorted.begin(); group != sorted.end(); group += size) {
    std::sort(group, group + size);
  }
  return TileAssignment(sorted);
}

std::shared_ptr<const Array<int64_t>> TileAssignment::shared_array() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (array_ == nullptr) array_ = std::make_shared<const Array<int64_t>>(iota_->ToArray());
  return array_;
}

std::string TileAssignment::ArrayToString() const {
  return iota_.has_value() ? iota_->ArrayToString() : absl::StrJoin(*array_, ",");
}

std::string TileAssignment::ToString() const {
  return absl::StrCat("devices=[", absl::StrJoin(dimensions(), ","), "]", ArrayToString());
}

bool TileAssignment::operator==(const TileAssignment& other) const {
  if (iota_.has_value() && other.iota_.has_value()) return *iota_ == *other.iota_;
  return array() == other.array();
}

absl::Status CheckIotaCount(const TileAssignment& tiles) {
  const std::optional<IotaTileAssignment>& iota = tiles.iota();
  if (!iota.has_value() || Product(iota->reshape_dims()) == iota->num_elements()) {
    return absl::OkStatus();
  }
  return InvalidArgument("%s: the iota does not have as many devices as there are tiles",
                         tiles.ToString());
}

}  // namespace xla
