// SPDX-License-Identifier: Apache-2.0
// Conversions between elements and planes.
#include "xla/kernels/linear_algebra/split_complex_matrix.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "xla/base/status_macros.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {

Planes<double> TakePlanes(double** memory, int64_t count, bool is_complex) {
  Planes<double> planes;
  planes.re = std::exchange(*memory, *memory + count);
  if (is_complex) planes.im = std::exchange(*memory, *memory + count);
  return planes;
}

void LoadPlanes(PrimitiveType type, const void* from, int64_t count, const Planes<double>& to) {
  if (type == F32) {
    // If there are many rows, they are short and not worth a call.
    const float* const values = static_cast<const float*>(from);
    for (int64_t i = 0; i < count; ++i) to.re[i] = static_cast<double>(values[i]);
    return;
  }
  if (to.im == nullptr) {
    GetWideLoad<double>(type)(from, 1, count, to.re);
    return;
  }
  constexpr int64_t kPart = 64;
  complex128 part[kPart];
  const auto load = GetWideLoad<complex128>(type);
  const int64_t bytes = primitive_util::ByteWidth(type);
  for (int64_t first = 0; first < count; first += kPart) {
    const int64_t size = std::min(kPart, count - first);
    load(static_cast<const char*>(from) + first * bytes, 1, size, part);
    for (int64_t i = 0; i < size; ++i) {
      to.re[first + i] = part[i].real();
      to.im[first + i] = part[i].imag();
    }
  }
}

void StorePlanes(PrimitiveType type, const Planes<const double>& from, int64_t count, void* to) {
  if (type == F32) {
    float* const values = static_cast<float*>(to);
    for (int64_t i = 0; i < count; ++i) values[i] = static_cast<float>(from.re[i]);
    return;
  }
  if (!primitive_util::IsComplexType(type)) {
    GetWideStore<double>(type)(from.re, count, to, 1);
    return;
  }
  constexpr int64_t kPart = 64;
  complex128 part[kPart];
  const auto store = GetWideStore<complex128>(type);
  const int64_t bytes = primitive_util::ByteWidth(type);
  for (int64_t first = 0; first < count; first += kPart) {
    const int64_t size = std::min(kPart, count - first);
    for (int64_t i = 0; i < size; ++i) part[i] = {from.re[first + i], from.im[first + i]};
    store(part, size, static_cast<char*>(to) + first * bytes, 1);
  }
}

PlaneMatrix TakeMatrix(double** memory, int64_t rows, int64_t columns, bool is_complex) {
  return {rows, columns, PlaneStride(columns),
          TakePlanes(memory, PlaneMatrixCount(rows, columns), is_complex)};
}

complex128 GetNumber(const Planes<const double>& from, int64_t i) {
  return {from.re[i], from.im == nullptr ? 0 : from.im[i]};
}
void SetNumber(const Planes<double>& to, int64_t i, complex128 value) {
  to.re[i] = value.real();
  if (to.im != nullptr) to.im[i] = value.imag();
}

namespace {

double NanosecondsOfRow(const MatrixBatch& batch) { return 5 * static_cast<double>(batch.columns); }

void Conjugate(const Planes<double>& row, int64_t count) {
  if (row.im == nullptr) return;
  for (int64_t j = 0; j < count; ++j) row.im[j] = -row.im[j];
}

}  // namespace

absl::Status LoadMatrix(const MatrixBatch& batch, int64_t b, PlaneView view, const PlaneMatrix& to,
                        const Planes<double>& row, WorkMeter& meter) {
  const int64_t bytes = primitive_util::ByteWidth(batch.type);
  for (int64_t i = 0; i < batch.rows; ++i) {
    XLA_RETURN_IF_ERROR(meter.Add(NanosecondsOfRow(batch)));
    const Planes<double> target = view.transposed ? row : to.At(i, 0);
    LoadPlanes(batch.type, static_cast<const char*>(batch.data) + RowOffset(batch, bytes, b, i),
               batch.columns, target);
    if (view.conjugated) Conjugate(target, batch.columns);
    if (!view.transposed) continue;
    for (int64_t j = 0; j < batch.columns; ++j) to.data.re[j * to.stride + i] = row.re[j];
    if (row.im == nullptr) continue;
    for (int64_t j = 0; j < batch.columns; ++j) to.data.im[j * to.stride + i] = row.im[j];
  }
  return absl::OkStatus();
}

absl::Status StoreMatrix(const MatrixBatch& batch, int64_t b, PlaneView view,
                         const PlaneMatrix& from, const Planes<double>& row, void* to,
                         WorkMeter& meter) {
  const int64_t bytes = primitive_util::ByteWidth(batch.type);
  for (int64_t i = 0; i < batch.rows; ++i) {
    XLA_RETURN_IF_ERROR(meter.Add(NanosecondsOfRow(batch)));
    Planes<double> source = from.At(i, 0);
    if (view.transposed || view.conjugated) {
      for (int64_t j = 0; j < batch.columns; ++j) {
        SetNumber(row, j, view.transposed ? GetNumber(from.At(j, i), 0) : GetNumber(source, j));
      }
      if (view.conjugated) Conjugate(row, batch.columns);
      source = row;
    }
    StorePlanes(batch.type, source, batch.columns,
                static_cast<char*>(to) + RowOffset(batch, bytes, b, i));
  }
  return absl::OkStatus();
}

absl::Status ForEachMatrix(
    Context& context, const BatchPlan& plan,
    absl::FunctionRef<absl::Status(Context& inner, int64_t b, double* memory)> body) {
  const auto run = [&](Context& inner, int64_t begin, int64_t end) -> absl::Status {
    XLA_ASSIGN_OR_RETURN(const ScratchArray<double> memory,
                         AllocateArray<double>(context, plan.bytes / 8));
    for (int64_t b = begin; b < end; ++b) XLA_RETURN_IF_ERROR(body(inner, b, memory.data()));
    return absl::OkStatus();
  };
  if (plan.shares) return run(context, 0, plan.count);
  return context.ParallelFor(plan.count, ChunkFor(plan.count, plan.cost),
                             [&](int64_t begin, int64_t end) -> absl::Status {
                               SerialContext serial(context);
                               return run(serial, begin, end);
                             });
}

}  // namespace xla::kernels
