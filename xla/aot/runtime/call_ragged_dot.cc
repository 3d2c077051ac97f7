// SPDX-License-Identifier: Apache-2.0
#include "xla/aot/runtime/library_steps.h"
#include "xla/kernels/dot/ragged_dot.h"
#include "xla/kernels/wide.h"

XYLEM_LIBRARY_STEP(xylem_call_ragged_dot) {
  xla::aot::ParameterReader reader(parameters);
  xla::kernels::RaggedDotSpec spec;
  spec.lhs_type = reader.Get<xla::PrimitiveType>();
  spec.rhs_type = reader.Get<xla::PrimitiveType>();
  const auto group_type = reader.Get<xla::PrimitiveType>();
  spec.result_type = reader.Get<xla::PrimitiveType>();
  spec.lhs_dimensions = reader.Vector();
  spec.rhs_dimensions = reader.Vector();
  spec.group_dimensions = reader.Vector();
  spec.result_dimensions = reader.Vector();
  spec.lhs_batch_dims = reader.Vector();
  spec.lhs_contracting_dims = reader.Vector();
  spec.rhs_batch_dims = reader.Vector();
  spec.rhs_contracting_dims = reader.Vector();
  spec.lhs_ragged_dimension = reader.Number();
  spec.rhs_group_dimension = reader.Number();
  *status = xla::kernels::CheckRaggedDot(spec);
  if (!status->ok()) return;
  int64_t groups = 1;
  for (const int64_t size : spec.group_dimensions) groups *= size;
  std::vector<int64_t> sizes(static_cast<size_t>(groups));
  xla::kernels::GetWideLoad<uint64_t>(group_type)(buffers[2], 1, groups,
                                                  reinterpret_cast<uint64_t*>(sizes.data()));
  *status = xla::kernels::RaggedDot(*run, spec, buffers[0], buffers[1], sizes, buffers[3]);
}
