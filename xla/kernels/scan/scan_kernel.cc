// SPDX-License-Identifier: Apache-2.0
// Scans along rows, and of whole rows at once. Long rows are scanned in chunks, whose totals are
// then combined with the chunks after them.
#include "xla/kernels/scan/scan_kernel.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "xla/base/machine.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/scan/scan_blocks.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

struct AddScan {
  static constexpr bool kIsAdd = true;
  template <typename T>
  static T Combine(T a, T b) {
    return a + b;
  }
};
struct MultiplyScan {
  static constexpr bool kIsAdd = false;
  template <typename T>
  static T Combine(T a, T b) {
    return a * b;
  }
};
// NaN if either is NaN.
struct MaximumScan {
  static constexpr bool kIsAdd = false;
  template <typename T>
  static T Combine(T a, T b) {
    return a > b || a != a ? a : b;
  }
};
struct MinimumScan {
  static constexpr bool kIsAdd = false;
  template <typename T>
  static T Combine(T a, T b) {
    return a < b || a != a ? a : b;
  }
};

// Sums within vectors of 16 bytes, and a sum that is carried on from vector to vector. Vectors are
// those that all machines have: the order of additions is the same everywhere.
template <typename T>
class CarriedSum {
 public:
  static constexpr int64_t kLanes = 16 / sizeof(T);
  explicit CarriedSum(T carry) : total_(Vector{} + carry) {}

  void Scan(const T* x, T* out) {
    Vector sum;
    std::memcpy(&sum, x, sizeof(sum));
    const Vector zero = {};
    if constexpr (kLanes == 4) {
      sum += __builtin_shufflevector(zero, sum, 0, 4, 5, 6);
      sum += __builtin_shufflevector(zero, sum, 0, 1, 4, 5);
      sum += total_;
      total_ = __builtin_shufflevector(sum, sum, 3, 3, 3, 3);
    } else {
      sum += __builtin_shufflevector(zero, sum, 0, 2);
      sum += total_;
      total_ = __builtin_shufflevector(sum, sum, 1, 1);
    }
    std::memcpy(out, &sum, sizeof(sum));
  }
  T total() const { return total_[0]; }

 private:
  using Vector [[gnu::vector_size(16)]] = T;
  Vector total_;
};

// out[i] = carry combined with x[0..i]; returns the last one.
template <typename Op, typename T>
T ScanRow(int64_t count, const T* x, T* out, T carry) {
  int64_t i = 0;
  if constexpr (Op::kIsAdd && std::is_floating_point_v<T>) {
    CarriedSum<T> sum(carry);
    for (; i + sum.kLanes <= count; i += sum.kLanes) sum.Scan(x + i, out + i);
    carry = sum.total();
  }
  for (; i < count; ++i) out[i] = carry = Op::Combine(carry, x[i]);
  return carry;
}

// Types of GetFourRowScan.
template <typename Op, typename T>
constexpr bool kHasFourRowScan = Op::kIsAdd &&
                                 (std::is_same_v<T, float> || std::is_same_v<T, uint32_t>);

// Scans consecutive rows, each from the same carry: four at a time, since each element waits for
// the one before it. `four` may be null.
template <typename Op, typename T>
void ScanRows(int64_t rows, int64_t count, const T* x, T* out, T carry, FourRowScan<T> four) {
  int64_t row = 0;
  for (; four != nullptr && row + 4 <= rows; row += 4, x += 4 * count, out += 4 * count) {
    T carries[] = {carry, carry, carry, carry};
    const int64_t done = four(count, x, out, carries);
    for (int64_t r = 0; r < 4; ++r) {
      const int64_t at = r * count + done;
      ScanRow<Op>(count - done, x + at, out + at, carries[r]);
    }
  }
  if constexpr (Op::kIsAdd && std::is_floating_point_v<T>) {
    for (; row + 4 <= rows; row += 4, x += 4 * count, out += 4 * count) {
      CarriedSum<T> a(carry), b(carry), c(carry), d(carry);
      int64_t i = 0;
      for (; i + a.kLanes <= count; i += a.kLanes) {
        a.Scan(x + i, out + i);
        b.Scan(x + count + i, out + count + i);
        c.Scan(x + 2 * count + i, out + 2 * count + i);
        d.Scan(x + 3 * count + i, out + 3 * count + i);
      }
      const T totals[] = {a.total(), b.total(), c.total(), d.total()};
      for (int64_t r = 0; r < 4; ++r) {
        T sum = totals[r];
        for (int64_t k = r * count + i; k < (r + 1) * count; ++k) out[k] = sum = sum + x[k];
      }
    }
  }
  for (; row < rows; ++row, x += count, out += count) ScanRow<Op>(count, x, out, carry);
}

template <typename Op, typename T>
T ScanRowReverse(int64_t count, const T* x, T* out, T carry) {
  for (int64_t i = count - 1; i >= 0; --i) out[i] = carry = Op::Combine(carry, x[i]);
  return carry;
}

// The kernel for one operation in type T; elements of other types are converted.
template <typename Op, typename T>
class ScanKernel final : public Kernel {
 public:
  explicit ScanKernel(const ScanSpec& spec)
      : spec_(spec),
        bytes_(primitive_util::ByteWidth(spec.type)),
        is_native_(!primitive_util::IsFloatingPointType(spec.type) ||
                   spec.type == primitive_util::NativeToPrimitiveType<T>()),
        load_(GetWideLoad<Float>(spec.type)),
        store_(GetWideStore<Float>(spec.type)) {
    // Few rows are divided into chunks.
    chunk_ = spec.length;
    if (spec.inner == 1 && spec.outer < kManyRows && spec.length > 2 * kChunk) chunk_ = kChunk;
    chunks_ = CeilOfRatio(spec.length, std::max<int64_t>(chunk_, 1));
    if constexpr (kHasFourRowScan<Op, T>) four_ = GetFourRowScan<T>();
  }

  int64_t ScratchBytes(int32_t workers) const override {
    const int64_t totals = chunks_ > 1 ? Aligned(spec_.outer * chunks_ * sizeof(T)) : 0;
    return totals + WorkerBytes() * workers;
  }

  absl::Status Run(const KernelCall& call) const override {
    if (spec_.outer * spec_.length * spec_.inner == 0) return absl::OkStatus();
    T initial;
    LoadElements(static_cast<const char*>(call.buffers[1]), 1, &initial);
    if (spec_.inner > 1) return ScanColumns(call, initial);
    if (chunks_ > 1) return ScanChunks(call, initial);
    const int64_t per_task = std::max<int64_t>(1, kChunk / spec_.length);
    return RunTasks(
        *call.host, CeilOfRatio(spec_.outer, per_task), static_cast<char*>(call.scratch),
        WorkerBytes(), [&](int64_t index, Task& task) {
          const int64_t first = index * per_task;
          const int64_t end = std::min(spec_.outer, first + per_task);
          if (is_native_ && !spec_.reverse) {
            const int64_t at = first * spec_.length;
            ScanRows<Op>(end - first, spec_.length, static_cast<const T*>(call.buffers[0]) + at,
                         static_cast<T*>(call.buffers[2]) + at, initial, four_);
            return;
          }
          for (int64_t row = first; row < end; ++row)
            ScanPart(call, row * spec_.length, spec_.length, initial, task);
        });
  }

 private:
  static constexpr double kNanosecondsPerElement = 1.5;
  static constexpr int64_t kManyRows = 16, kBuffer = 1024;
  static constexpr int64_t kChunk = kUsualMachine.ItemsOfTask(kNanosecondsPerElement);
  // The type to which narrower floats are converted.
  using Float = std::conditional_t<std::is_floating_point_v<T>, T, float>;

  int64_t WorkerBytes() const {
    const int64_t elements = spec_.inner > 1 ? 2 * kBuffer : kBuffer;
    return is_native_ && spec_.inner == 1 ? 0 : Aligned(elements * static_cast<int64_t>(sizeof(T)));
  }

  void LoadElements(const char* from, int64_t count, T* to) const {
    if constexpr (std::is_floating_point_v<T>) {
      load_(from, 1, count, to);
    } else {
      std::copy_n(reinterpret_cast<const T*>(from), count, to);
    }
  }
  void StoreElements(const T* from, int64_t count, char* to) const {
    if constexpr (std::is_floating_point_v<T>) {
      store_(from, count, to, 1);
    } else {
      std::copy_n(from, count, reinterpret_cast<T*>(to));
    }
  }

  static T ScanEither(bool reverse, int64_t count, const T* x, T* out, T carry) {
    return reverse ? ScanRowReverse<Op>(count, x, out, carry) : ScanRow<Op>(count, x, out, carry);
  }

  // Scans elements [first, first + count) of a row; returns the total with the carry.
  T ScanPart(const KernelCall& call, int64_t first, int64_t count, T carry, Task& task) const {
    const char* x = static_cast<const char*>(call.buffers[0]) + first * bytes_;
    char* out = static_cast<char*>(call.buffers[2]) + first * bytes_;
    if (is_native_) {
      return ScanEither(spec_.reverse, count, reinterpret_cast<const T*>(x),
                        reinterpret_cast<T*>(out), carry);
    }
    T* buffer = reinterpret_cast<T*>(task.scratch());
    for (int64_t done = 0; done < count; done += kBuffer) {
      const int64_t size = std::min(kBuffer, count - done);
      const int64_t at = (spec_.reverse ? count - done - size : done) * bytes_;
      LoadElements(x + at, size, buffer);
      carry = ScanEither(spec_.reverse, size, buffer, buffer, carry);
      StoreElements(buffer, size, out + at);
    }
    return carry;
  }

  // Computes the totals of chunks first, then scans each chunk from the total before it.
  absl::Status ScanChunks(const KernelCall& call, T initial) const {
    T* totals = static_cast<T*>(call.scratch);
    char* scratch = static_cast<char*>(call.scratch) +
                    Aligned(spec_.outer * chunks_ * static_cast<int64_t>(sizeof(T)));
    const auto range = [&](int64_t index, int64_t* first, int64_t* count) {
      const int64_t begin = index % chunks_ * chunk_;
      *first = index / chunks_ * spec_.length + begin;
      *count = std::min(chunk_, spec_.length - begin);
    };
    XLA_RETURN_IF_ERROR(RunTasks(*call.host, spec_.outer * chunks_, scratch, WorkerBytes(),
                                 [&](int64_t index, Task& task) {
                                   int64_t first, count;
                                   range(index, &first, &count);
                                   totals[index] = Total(call, first, count, task);
                                 }));
    for (int64_t row = 0; row < spec_.outer; ++row) {
      T carry = initial;
      for (int64_t i = 0; i < chunks_; ++i) {
        T& total = totals[row * chunks_ + (spec_.reverse ? chunks_ - 1 - i : i)];
        const T before = carry;
        carry = Op::Combine(carry, total);
        total = before;
      }
    }
    return RunTasks(*call.host, spec_.outer * chunks_, scratch, WorkerBytes(),
                    [&](int64_t index, Task& task) {
                      int64_t first, count;
                      range(index, &first, &count);
                      ScanPart(call, first, count, totals[index], task);
                    });
  }

  // Combines all elements of a chunk, in eight interleaved parts.
  T Total(const KernelCall& call, int64_t first, int64_t count, Task& task) const {
    const char* data = static_cast<const char*>(call.buffers[0]) + first * bytes_;
    constexpr int64_t kParts = 8;
    T parts[kParts];
    int64_t filled = 0;
    const auto combine = [&](const T* x, int64_t size) {
      int64_t i = 0;
      for (; filled < kParts && i < size; ++i) parts[filled++] = x[i];
      for (; i + kParts <= size; i += kParts) {
        for (int64_t p = 0; p < kParts; ++p) parts[p] = Op::Combine(parts[p], x[i + p]);
      }
      for (; i < size; ++i) parts[0] = Op::Combine(parts[0], x[i]);
    };
    if (is_native_) {
      combine(reinterpret_cast<const T*>(data), count);
    } else {
      T* buffer = reinterpret_cast<T*>(task.scratch());
      for (int64_t done = 0; done < count; done += kBuffer) {
        const int64_t size = std::min(kBuffer, count - done);
        LoadElements(data + done * bytes_, size, buffer);
        combine(buffer, size);
      }
    }
    T total = parts[0];
    for (int64_t p = 1; p < filled; ++p) total = Op::Combine(total, parts[p]);
    return total;
  }

  // For inner > 1: combines whole rows of at most kBuffer columns.
  absl::Status ScanColumns(const KernelCall& call, T initial) const {
    const int64_t blocks = CeilOfRatio(spec_.inner, kBuffer);
    return RunTasks(*call.host, spec_.outer * blocks, static_cast<char*>(call.scratch),
                    WorkerBytes(), [&](int64_t index, Task& task) {
                      const int64_t column = index % blocks * kBuffer;
                      const int64_t columns = std::min(kBuffer, spec_.inner - column);
                      T* carry = reinterpret_cast<T*>(task.scratch());
                      T* buffer = carry + kBuffer;
                      std::fill_n(carry, columns, initial);
                      for (int64_t i = 0; i < spec_.length; ++i) {
                        const int64_t row = spec_.reverse ? spec_.length - 1 - i : i;
                        const int64_t at =
                            ((index / blocks * spec_.length + row) * spec_.inner + column) * bytes_;
                        const char* x = static_cast<const char*>(call.buffers[0]) + at;
                        char* out = static_cast<char*>(call.buffers[2]) + at;
                        if (is_native_) {
                          CombineRow(columns, reinterpret_cast<const T*>(x), carry,
                                     reinterpret_cast<T*>(out));
                        } else {
                          LoadElements(x, columns, buffer);
                          CombineRow(columns, buffer, carry, buffer);
                          StoreElements(buffer, columns, out);
                        }
                        if (i % 4096 == 4095 && task.ShouldStop()) return;
                      }
                    });
  }

  static void CombineRow(int64_t count, const T* x, T* __restrict carry, T* out) {
    for (int64_t j = 0; j < count; ++j) {
      const T value = Op::Combine(carry[j], x[j]);
      carry[j] = value;
      out[j] = value;
    }
  }

  const ScanSpec spec_;
  const int64_t bytes_;
  const bool is_native_;
  const WideLoad<Float> load_;
  const WideStore<Float> store_;
  int64_t chunk_, chunks_;
  FourRowScan<T> four_ = nullptr;
};

template <typename T>
std::unique_ptr<const Kernel> MakeScanIn(const ScanSpec& spec) {
  switch (spec.operation) {
    case ScanOperation::kAdd:
      return std::make_unique<ScanKernel<AddScan, T>>(spec);
    case ScanOperation::kMultiply:
      return std::make_unique<ScanKernel<MultiplyScan, T>>(spec);
    case ScanOperation::kMaximum:
      return std::make_unique<ScanKernel<MaximumScan, T>>(spec);
    case ScanOperation::kMinimum:
      break;
  }
  return std::make_unique<ScanKernel<MinimumScan, T>>(spec);
}

// Sums and products of signed integers wrap as those of unsigned ones do.
template <typename Signed>
std::unique_ptr<const Kernel> MakeSignedScan(const ScanSpec& spec) {
  const bool compares =
      spec.operation == ScanOperation::kMaximum || spec.operation == ScanOperation::kMinimum;
  if (compares) return MakeScanIn<Signed>(spec);
  return MakeScanIn<std::make_unsigned_t<Signed>>(spec);
}

}  // namespace

absl::StatusOr<std::unique_ptr<const Kernel>> MakeScanKernel(const ScanSpec& spec) {
  switch (spec.type) {
    case F16:
    case BF16:
    case F32:
      return MakeScanIn<float>(spec);
    case F64:
      return MakeScanIn<double>(spec);
    case S32:
      return MakeSignedScan<int32_t>(spec);
    case U32:
      return MakeScanIn<uint32_t>(spec);
    case S64:
      return MakeSignedScan<int64_t>(spec);
    case U64:
      return MakeScanIn<uint64_t>(spec);
    default:
      return absl::UnimplementedError(
          absl::StrCat("scan of type ", primitive_util::LowercasePrimitiveTypeName(spec.type)));
  }
}

}  // namespace xla::kernels
