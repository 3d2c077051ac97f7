// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/product/geometry.h"

namespace xla::kernels {

int64_t Patches::positions() const {
  int64_t count = batch_size;
  for (const SpatialDim& dim : dims) count *= dim.output_size;
  return count;
}

int64_t Patches::depth() const {
  int64_t count = features;
  for (const SpatialDim& dim : dims) count *= dim.taps;
  return count;
}

}  // namespace xla::kernels
