// SPDX-License-Identifier: Apache-2.0
// Devices assigned to the tiles of a sharding, under XLA's name: written out, or as a transposed
// iota.
#ifndef XLA_HLO_IR_TILE_ASSIGNMENT_H_
#define XLA_HLO_IR_TILE_ASSIGNMENT_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "absl/types/span.h"
#include "xla/array.h"

namespace xla {

class TileAssignment {
 public:
  // The devices 0, 1, 2, ... in row-major order of the tiles.
  explicit TileAssignment(absl::Span<const int64_t> dims) : dims_(dims.begin(), dims.end()) {}
  explicit TileAssignment(std::initializer_list<int64_t> dims) : dims_(dims) {}
  // The devices 0, 1, 2, ... reshaped to reshape_dims, transposed, and reshaped to dims.
  TileAssignment(absl::Span<const int64_t> dims, absl::Span<const int64_t> reshape_dims,
                 absl::Span<const int> transpose_perm)
      : dims_(dims.begin(), dims.end()),
        reshape_dims_(reshape_dims.begin(), reshape_dims.end()),
        transpose_perm_(transpose_perm.begin(), transpose_perm.end()) {}
  TileAssignment(const Array<int64_t>& devices)  // NOLINT: converts implicitly, as in XLA
      : dims_(devices.dimensions().begin(), devices.dimensions().end()),
        devices_(devices.begin(), devices.end()) {}

  const std::vector<int64_t>& dimensions() const { return dims_; }
  int64_t dim(int64_t i) const { return dims_[i]; }
  int64_t num_dimensions() const { return static_cast<int64_t>(dims_.size()); }
  // Empty in the iota form.
  const std::vector<int64_t>& devices() const { return devices_; }
  const std::vector<int64_t>& reshape_dims() const { return reshape_dims_; }
  const std::vector<int>& transpose_perm() const { return transpose_perm_; }

 private:
  std::vector<int64_t> dims_, devices_, reshape_dims_;
  std::vector<int> transpose_perm_;
};

}  // namespace xla

#endif  // XLA_HLO_IR_TILE_ASSIGNMENT_H_
