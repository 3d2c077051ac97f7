// SPDX-License-Identifier: Apache-2.0
#include "xla/aot/runtime/library_steps.h"
#include "xla/kernels/movement/sparse_array.h"

XYLEM_LIBRARY_STEP(xylem_call_whole_kernel) {
  xla::aot::ParameterReader reader(parameters);
  xla::kernels::SparseArray array = {};
  array.dimension = reader.Number();
  array.block_size = reader.Number();
  array.element_bytes = reader.Number();
  array.position_type = reader.Get<xla::PrimitiveType>();
  array.dimensions = reader.List();
  *status = xla::kernels::ExpandSparseArray(*run, array, buffers[0], buffers[1], buffers[2]);
}
