// SPDX-License-Identifier: Apache-2.0
// Transforms of any length (xla/cpu/run/library_calls.cc).
#include <algorithm>
#include <cstring>

#include "xla/aot/runtime/library_steps.h"
#include "xla/kernels/fft/fft.h"
#include "xla/primitive_util.h"

XYLEM_LIBRARY_STEP(xylem_call_fft) {
  xla::aot::ParameterReader reader(parameters);
  xla::kernels::FftArray array;
  array.from_type = reader.Get<xla::PrimitiveType>();
  array.to_type = reader.Get<xla::PrimitiveType>();
  array.inverse = reader.Number() != 0;
  array.real_result = reader.Number() != 0;
  array.from_dimensions = reader.List();
  array.to_dimensions = reader.List();
  array.lengths = reader.List();
  array.from = buffers[0];
  array.to = buffers[1];
  int64_t bytes = xla::primitive_util::ByteWidth(array.to_type);
  for (const int64_t size : array.to_dimensions) bytes *= size;
  if (bytes == 0) return;
  const auto is_empty = [](int64_t size) { return size == 0; };
  // A transform of length zero has no terms.
  if (std::any_of(array.lengths.begin(), array.lengths.end(), is_empty)) {
    std::memset(buffers[1], 0, static_cast<size_t>(bytes));
    return;
  }
  if (std::any_of(array.from_dimensions.begin(), array.from_dimensions.end(), is_empty)) {
    *status = absl::InvalidArgumentError("an empty operand has no transform");
    return;
  }
  *status = xla::kernels::TransformAxes(*run, array);
}
