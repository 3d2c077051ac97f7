// SPDX-License-Identifier: Apache-2.0
// Devices assigned to the tiles of a sharding, under XLA's names: written out, or as a transposed
// iota.
#ifndef XLA_HLO_IR_TILE_ASSIGNMENT_H_
#define XLA_HLO_IR_TILE_ASSIGNMENT_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "xla/array.h"
#include "xla/base/status_fwd.h"

namespace xla {

// The devices 0, 1, 2, .. reshaped to reshape_dims, transposed and reshaped to dims:
// "[4,2]<=[2,4]T(1,0)". Canonical: reshape_dims has no 1 unless it stands alone, and no two that
// stay neighbors. Preconditions: sizes are positive, all three have the same number of elements,
// and transpose_perm is a permutation.
class IotaTileAssignment {
 public:
  static IotaTileAssignment Create(absl::Span<const int64_t> dims);
  static IotaTileAssignment Create(absl::Span<const int64_t> dims,
                                   absl::Span<const int64_t> reshape_dims,
                                   absl::Span<const int> transpose_perm);

  absl::Span<const int64_t> dims() const { return dims_; }
  int64_t dim(int64_t i) const { return dims_[static_cast<size_t>(i)]; }
  int64_t ndims() const { return static_cast<int64_t>(dims_.size()); }
  absl::Span<const int64_t> reshape_dims() const { return reshape_dims_; }
  absl::Span<const int> transpose_perm() const { return transpose_perm_; }
  int64_t num_elements() const;
  int64_t value_at(absl::Span<const int64_t> index) const;

  // Dimension i of the result is dimension perm[i]. None if no iota is the result: if a size of
  // dims and one of reshape_dims overlap without a common factor that divides both.
  std::optional<IotaTileAssignment> Transpose(absl::Span<const int> perm) const;

  Array<int64_t> ToArray() const;
  std::string ToString() const;       // "[4,2]<=[8]"
  std::string ArrayToString() const;  // "<=[8]"
  bool operator==(const IotaTileAssignment&) const = default;

 private:
  IotaTileAssignment() = default;

  std::vector<int64_t> dims_, reshape_dims_;
  std::vector<int> transpose_perm_;
};

// Immutable but for assignment. Thread-safe.
class TileAssignment {
 public:
  // Of shardings without tiles: one dimension of size 0.
  TileAssignment();
  explicit TileAssignment(int64_t device) : TileAssignment(Array<int64_t>({1}, device)) {}
  TileAssignment(const Array<int64_t>& devices)  // NOLINT: converts implicitly, as in XLA
      : TileAssignment(std::make_shared<const Array<int64_t>>(devices)) {}
  explicit TileAssignment(std::shared_ptr<const Array<int64_t>> devices)
      : array_(std::move(devices)) {}
  explicit TileAssignment(IotaTileAssignment iota) : iota_(std::move(iota)) {}
  explicit TileAssignment(absl::Span<const int64_t> dims)
      : TileAssignment(IotaTileAssignment::Create(dims)) {}
  explicit TileAssignment(std::initializer_list<int64_t> dims)
      : TileAssignment(absl::MakeConstSpan(dims.begin(), dims.size())) {}
  TileAssignment(absl::Span<const int64_t> dims, absl::Span<const int64_t> reshape_dims,
                 absl::Span<const int> transpose_perm)
      : TileAssignment(IotaTileAssignment::Create(dims, reshape_dims, transpose_perm)) {}
  // From input. Errors: sizes that are not positive, more than 2^24 devices, another number of
  // devices than tiles, devices that are negative or duplicated.
  static absl::StatusOr<TileAssignment> Create(absl::Span<const int64_t> dims,
                                               absl::Span<const int64_t> devices);
  // The devices 0, 1, 2, ... reshaped to reshape_dims (empty: those of the tiles) and transposed
  // (empty: not). Errors: sizes as of Create; a transpose_perm that is not a permutation of the
  // dimensions. Not another number of devices than tiles, which XLA's readers accept: see
  // CheckIotaCount.
  static absl::StatusOr<TileAssignment> CreateIota(absl::Span<const int64_t> dims,
                                                   absl::Span<const int64_t> reshape_dims = {},
                                                   absl::Span<const int> transpose_perm = {});
  TileAssignment(const TileAssignment& other);
  TileAssignment& operator=(const TileAssignment& other);

  absl::Span<const int64_t> dimensions() const;
  int64_t num_dimensions() const { return static_cast<int64_t>(dimensions().size()); }
  int64_t dim(int64_t i) const { return dimensions()[static_cast<size_t>(i)]; }
  int64_t num_elements() const;
  int64_t operator()(absl::Span<const int64_t> index) const;
  template <typename... Index>
  requires(std::is_integral_v<Index>&&...) int64_t operator()(Index... index) const {
    const std::array<int64_t, sizeof...(index)> indices = {static_cast<int64_t>(index)...};
    return (*this)(absl::MakeConstSpan(indices));
  }
  int64_t first() const;
  // In row-major order of the tiles.
  void Each(absl::FunctionRef<void(absl::Span<const int64_t> index, int64_t device)> visit) const {
    array().Each(visit);
  }
  // Ends with the first error.
  absl::Status EachStatus(
      absl::FunctionRef<absl::Status(absl::Span<const int64_t> index, int64_t device)> visit)
      const {
    return array().EachStatus(visit);
  }

  TileAssignment Reshape(absl::Span<const int64_t> dims) const;
  // Dimension i of the result is dimension perm[i]. An iota stays one where it can.
  TileAssignment Transpose(absl::Span<const int> perm) const;

  // In each group of `size` consecutive tiles the devices sorted. An iota stays one where its
  // dimensions can be cut to the size of a group. Precondition: `size` divides the number of tiles.
  TileAssignment SortGroups(int64_t size) const;

  const std::optional<IotaTileAssignment>& iota() const { return iota_; }
  // An iota is written out at the first call.
  const Array<int64_t>& array() const { return *shared_array(); }
  std::shared_ptr<const Array<int64_t>> shared_array() const;

  std::string ToString() const;       // "devices=[2,2]<=[4]", "devices=[2]1,0"
  std::string ArrayToString() const;  // "<=[4]", "1,0"
  // Whether tiles and devices are the same, however they are written.
  bool operator==(const TileAssignment& other) const;
  template <typename H>
  friend H AbslHashValue(H h, const TileAssignment& tiles) {
    const Array<int64_t>& array = tiles.array();
    return H::combine(H::combine_contiguous(std::move(h), array.data(),
                                            static_cast<size_t>(array.num_elements())),
                      std::vector<int64_t>(array.dimensions().begin(), array.dimensions().end()));
  }
  friend std::ostream& operator<<(std::ostream& out, const TileAssignment& tiles) {
    return out << tiles.ToString();
  }

 private:
  std::optional<IotaTileAssignment> iota_;
  mutable std::mutex mutex_;  // of array_ where iota_ has a value
  mutable std::shared_ptr<const Array<int64_t>> array_;
};

}  // namespace xla

#endif  // XLA_HLO_IR_TILE_ASSIGNMENT_H_
